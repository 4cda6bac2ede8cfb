#include "handrail/graph/type.h"

#include <array>
#include <complex>
#include <limits>

#include <gtest/gtest.h>

#include "handrail/graph/compilation_unit.h"

#include "graph/schema_parser.h"
#include "graph/subtyping.h"

namespace handrail::graph {
namespace {

class Types : public ::testing::Test {
 protected:
  TypeId Type(std::string_view text) {
    return ParseType(unit_, text, TypeVariables::kAllowed).value();
  }
  std::string Annotation(std::string_view text) {
    return ToAnnotation(unit_.types, unit_.strings, Type(text));
  }
  bool IsA(std::string_view type, std::string_view of) {
    return IsSubtype(unit_, Type(type), Type(of));
  }
  std::string Unified(std::string_view a, std::string_view b, bool or_union = false) {
    const auto type = UnifyTypes(unit_, Type(a), Type(b), or_union);
    return type ? unit_.ToString(*type) : "none";
  }
  StringId Name(std::string_view text) { return unit_.strings.Intern(text); }
  // A class or interface with methods `name(self, x: argument) -> result`.
  TypeId Define(DefinitionKind kind, std::string_view name) {
    return unit_.definition(unit_.AddDefinition(kind, Name(name)).value()).type;
  }
  void AddMethod(TypeId type, std::string_view name, TypeId argument, TypeId result) {
    Schema schema{Name(name), Name(""), {}, {}};
    schema.arguments = {{symbols::kSelf, type}, {Name("x"), argument}};
    schema.results = {{StringId::none(), result}};
    unit_.definition(unit_.types.at(type).definition)
        .methods.push_back({Name(name), unit_.AddSchema(schema), FunctionId::none()});
  }

  CompilationUnit unit_;
};

TEST_F(Types, EqualTypesAreOneRow) {
  EXPECT_EQ(Type("Dict(str, (int, Tensor)[])"), Type("Dict(str, (int, Tensor)[])"));
  EXPECT_NE(Type("(int, int)"), Type("(int,)"));
  EXPECT_EQ(unit_.types.Optional(Type("int?")), Type("int?"));
  EXPECT_EQ(unit_.types.Optional(types::kNone), types::kNone);
  EXPECT_EQ(Type("Union(int, NoneType)"), Type("int?"));
  EXPECT_EQ(Type("Union(int, str, Union(str, float))"), Type("Union(float, int, str)"));
  EXPECT_EQ(Type("Union(int, int)"), types::kInt);
  EXPECT_TRUE(unit_.types.has_variables(Type("Dict(str, t[])")));
  EXPECT_FALSE(unit_.types.has_variables(Type("Dict(str, int[])")));
}

TEST_F(Types, AnnotationsAreAsPythonWritesThem) {
  EXPECT_EQ(Annotation("Dict(str, (int, Tensor?)[])"),
            "Dict[str, List[Tuple[int, Optional[Tensor]]]]");
  EXPECT_EQ(Annotation("()"), "Tuple[()]");
  EXPECT_EQ(Annotation("Future(Scalar)"), "Future[number]");
  EXPECT_EQ(Annotation("Union(int, str, Tensor)"), "Union[Tensor, int, str]");
}

TEST_F(Types, Subtypes) {
  EXPECT_TRUE(IsA("int", "Scalar"));
  EXPECT_FALSE(IsA("bool", "Scalar"));
  EXPECT_FALSE(IsA("int", "float"));
  EXPECT_TRUE(IsA("int", "int?"));
  EXPECT_TRUE(IsA("NoneType", "int?"));
  EXPECT_FALSE(IsA("int?", "int"));
  EXPECT_TRUE(IsA("int?", "Scalar?"));
  EXPECT_TRUE(IsA("int?", "Union(int, str, NoneType)"));
  EXPECT_FALSE(IsA("int?", "Union(int, str)"));
  EXPECT_TRUE(IsA("Union(int, str)", "Union(float, int, str)"));
  EXPECT_TRUE(IsA("Dict(str, int)", "Any"));
  EXPECT_TRUE(IsA("int[]", "list"));
  EXPECT_FALSE(IsA("int[]", "Scalar[]"));
  EXPECT_TRUE(IsA("(int, str)", "(Scalar, str?)"));
  EXPECT_FALSE(IsA("(int, str)", "(int,)"));
  EXPECT_TRUE(IsA("(int, str)", "tuple"));
  EXPECT_TRUE(IsA("Future(int)", "Future(Scalar)"));
  EXPECT_FALSE(IsA("Any", "Tensor"));
}

TEST_F(Types, NamedTuplesAreTuplesAndNotTheOtherWayRound) {
  const DefinitionId id = unit_.AddDefinition(DefinitionKind::kNamedTuple, Name("P")).value();
  unit_.definition(id).attributes.push_back({Name("a"), types::kInt});
  const TypeId named = unit_.CompleteNamedTuple(id);
  EXPECT_TRUE(unit_.types.is_named_tuple(named));
  EXPECT_EQ(unit_.ToString(named), "P");
  EXPECT_EQ(Type("P"), named);
  EXPECT_TRUE(IsSubtype(unit_, named, Type("(int,)")));
  EXPECT_FALSE(IsSubtype(unit_, Type("(int,)"), named));
}

TEST_F(Types, ClassesAreTheInterfacesWhoseMethodsTheyHave) {
  const TypeId interface = Define(DefinitionKind::kModuleInterface, "I");
  AddMethod(interface, "run", types::kInt, types::kNumber);
  const TypeId module = Define(DefinitionKind::kModule, "M");
  EXPECT_FALSE(IsSubtype(unit_, module, interface));
  AddMethod(module, "run", types::kNumber, types::kInt);  // takes more, gives less
  EXPECT_TRUE(IsSubtype(unit_, module, interface));
  EXPECT_FALSE(IsSubtype(unit_, interface, module));
  const TypeId other = Define(DefinitionKind::kModule, "N");
  AddMethod(other, "run", types::kInt, types::kString);
  EXPECT_FALSE(IsSubtype(unit_, other, interface));
  const TypeId plain = Define(DefinitionKind::kClass, "C");
  AddMethod(plain, "run", types::kNumber, types::kInt);
  EXPECT_FALSE(IsSubtype(unit_, plain, interface));
  EXPECT_TRUE(IsSubtype(unit_, module, types::kAnyClass));
}

// Interfaces that speak of each other, and types that nest without end in sight: an answer, and
// soon.
TEST_F(Types, HostileTypesCompareInBoundedTime) {
  const TypeId a = Define(DefinitionKind::kInterface, "A");
  const TypeId b = Define(DefinitionKind::kInterface, "B");
  AddMethod(a, "run", types::kInt, a);
  AddMethod(b, "run", types::kInt, b);
  EXPECT_FALSE(IsSubtype(unit_, a, b));
  TypeId left = types::kInt;
  TypeId right = types::kFloat;
  for (int i = 0; i < 200; ++i) {
    const std::array lefts = {unit_.types.List(left), unit_.types.Tuple(std::array{left, left})};
    const std::array rights = {unit_.types.Tuple(std::array{right, right}), unit_.types.List(right),
                               types::kString};
    left = unit_.types.Union(lefts);
    right = unit_.types.Union(rights);
  }
  EXPECT_FALSE(IsSubtype(unit_, left, right));
}

TEST_F(Types, BranchesUnify) {
  EXPECT_EQ(Unified("int", "int"), "int");
  EXPECT_EQ(Unified("int", "NoneType"), "int?");
  EXPECT_EQ(Unified("int?", "int"), "int?");
  EXPECT_EQ(Unified("int", "Scalar"), "Scalar");
  EXPECT_EQ(Unified("int", "float"), "none");
  EXPECT_EQ(Unified("int", "float", true), "Union(int, float)");
  EXPECT_EQ(Unified("(int, NoneType)", "(int, str)"), "(int, str?)");
  EXPECT_EQ(Unified("(int, int)", "(int,)"), "none");
  EXPECT_EQ(Unified("Future(int)", "Future(NoneType)"), "Future(int?)");
  EXPECT_EQ(Unified("int[]", "str[]"), "none");
}

TEST_F(Types, VariablesStandForOneType) {
  TypeBindings bindings;
  EXPECT_TRUE(bindings.Match(unit_, Type("Dict(str, t)"), Type("Dict(str, int)")));
  EXPECT_TRUE(bindings.Match(unit_, Type("t"), types::kInt));
  EXPECT_FALSE(bindings.Match(unit_, Type("t[]"), Type("str[]")));
  EXPECT_EQ(unit_.ToString(bindings.SubstituteKnown(unit_, Type("(t, u)[]"))), "(int, u)[]");
  EXPECT_FALSE(bindings.Substitute(unit_, Type("(t, u)[]")));
  EXPECT_EQ(bindings.Substitute(unit_, Type("t?")), Type("int?"));
}

TEST_F(Types, ConstantsAreOneRowPerValue) {
  ConstantTable& constants = unit_.constants;
  EXPECT_EQ(constants.Int(3), constants.Int(3));
  EXPECT_NE(constants.Int(1), constants.Bool(true));
  EXPECT_NE(constants.Float(0.0), constants.Float(-0.0));
  EXPECT_EQ(constants.Float(std::numeric_limits<double>::quiet_NaN()),
            constants.Float(std::numeric_limits<double>::quiet_NaN()));
  const std::array elements = {constants.Int(1), constants.Int(2)};
  const ConstantId list = constants.Compound(ConstantKind::kList, Type("int[]"), elements);
  EXPECT_EQ(constants.Compound(ConstantKind::kList, Type("int[]"), elements), list);
  EXPECT_NE(constants.Compound(ConstantKind::kTuple, Type("(int, int)"), elements), list);
  EXPECT_EQ(constants.int_value(constants.elements(list)[1]), 2);
  EXPECT_EQ(constants.complex_value(constants.Complex({1, -2})), std::complex<double>(1, -2));
}

TEST(CompilationUnit, NamesAreTakenOnce) {
  CompilationUnit unit;
  const StringId name = unit.strings.Intern("__torch__.M");
  EXPECT_TRUE(unit.FindDefinition(name).is_none());
  ASSERT_TRUE(unit.AddDefinition(DefinitionKind::kModule, name));
  EXPECT_FALSE(unit.FindDefinition(name).is_none());
  EXPECT_EQ(unit.AddDefinition(DefinitionKind::kClass, name).error().message,
            "'__torch__.M' is defined twice");
  ASSERT_TRUE(unit.AddFunction(name));
  EXPECT_EQ(unit.AddFunction(name).error().message, "function '__torch__.M' is defined twice");
  EXPECT_EQ(LastAtom("__torch__.___torch_mangle_3.C"), "C");
  EXPECT_EQ(LastAtom("C"), "C");
}

}  // namespace
}  // namespace handrail::graph
