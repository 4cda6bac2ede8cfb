#include "graph/operators.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/schema_parser.h"
#include "graph/schema_text.h"

namespace handrail::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string_view> SchemaLines() {
  std::vector<std::string_view> lines;
  std::string_view rest = kSchemaText;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0 && rest[0] != '#') lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

std::vector<std::string> OverloadsOf(CompilationUnit& unit, std::string_view name) {
  std::vector<std::string> overloads;
  for (SchemaId id : OperatorsNamed(unit, unit.strings.Intern(name))) {
    overloads.emplace_back(unit.text(unit.schema(id).overload));
  }
  return overloads;
}

// Every line is a schema, has types and defaults that hold together, and what is printed reads back
// to the same.
TEST(Operators, EveryLineIsASchema) {
  CompilationUnit unit;
  const auto lines = SchemaLines();
  EXPECT_GT(lines.size(), 3'900u);
  for (std::string_view line : lines) {
    const auto schema = ParseSchema(unit, line);
    ASSERT_TRUE(schema) << line << "\n" << schema.error().message;
    const std::string text = ToString(unit, *schema);
    const auto again = ParseSchema(unit, text);
    ASSERT_TRUE(again) << text << "\n" << again.error().message;
    EXPECT_EQ(ToString(unit, *again), text) << line;
    EXPECT_EQ(again->arguments.size(), schema->arguments.size());
    for (const Argument& argument : schema->arguments) {
      if (!argument.has_default()) continue;
      const TypeId type = unit.constants.at(argument.default_value).type;
      EXPECT_TRUE(type == types::kNone ? unit.types.is(argument.type, TypeKind::kOptional)
                  : argument.type == types::kNumber
                      ? type == types::kInt || type == types::kFloat
                      : type == unit.types.WithoutOptional(argument.type))
          << line;
    }
  }
}

TEST(Operators, OverloadsStandInTheOrderInWhichTheyAreTried) {
  CompilationUnit unit;
  EXPECT_THAT(OverloadsOf(unit, "aten::size"), ElementsAre("int", "Dimname", ""));
  EXPECT_THAT(OverloadsOf(unit, "aten::sum"),
              ElementsAre("dim_IntList", "", "dim_DimnameList", "DimnameList_out", "IntList_out",
                          "out", "int", "float", "complex", "bool"));
  EXPECT_THAT(OverloadsOf(unit, "torchvision::nms"), SizeIs(1));
  EXPECT_THAT(OverloadsOf(unit, "aten::no_such_operator"), IsEmpty());
}

TEST(Operators, ASchemaSaysWhatItsArgumentsAre) {
  CompilationUnit unit;
  const SchemaId id = FindOperator(unit, unit.strings.Intern("aten::max_pool2d"), "");
  ASSERT_FALSE(id.is_none());
  const Schema& schema = unit.schema(id);
  EXPECT_EQ(ToString(unit, schema),
            "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] "
            "padding=[0, 0], int[2] dilation=[1, 1], bool ceil_mode=False) -> Tensor");
  EXPECT_EQ(schema.arguments[1].list_size, 2u);
  EXPECT_EQ(schema.arguments[1].type, unit.types.List(types::kInt));
  EXPECT_FALSE(schema.arguments[1].has_default());
  EXPECT_FALSE(schema.is_mutable());

  const Schema& append = unit.schema(FindOperator(unit, unit.strings.Intern("aten::append"), "t"));
  EXPECT_TRUE(append.is_mutable());
  EXPECT_TRUE(append.arguments[0].is_written);
  EXPECT_EQ(unit.text(append.arguments[1].alias), "c -> *");
  EXPECT_EQ(ToString(unit, append), "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)");
}

TEST(Operators, KeywordOnlyAndVariableArguments) {
  CompilationUnit unit;
  const Schema& sum = unit.schema(FindOperator(unit, unit.strings.Intern("aten::sum"), ""));
  EXPECT_FALSE(sum.arguments[0].is_keyword_only);
  EXPECT_TRUE(sum.arguments[1].is_keyword_only);
  EXPECT_EQ(ToString(unit, sum), "aten::sum(Tensor self, *, int? dtype=None) -> Tensor");
  const Schema& format = unit.schema(FindOperator(unit, unit.strings.Intern("aten::format"), ""));
  EXPECT_TRUE(format.takes_more);
  EXPECT_EQ(format.arguments.size(), 1u);
}

TEST(Operators, AModelsOwnOperatorsAreAdded) {
  CompilationUnit unit;
  const auto added = AddOperator(unit, "mine::scale.fast(Tensor self, float by=2.) -> Tensor");
  ASSERT_TRUE(added);
  EXPECT_EQ(FindOperator(unit, unit.strings.Intern("mine::scale"), "fast"), *added);
  EXPECT_FALSE(AddOperator(unit, "mine::scale.fast(Tensor self) -> Tensor"));
  EXPECT_TRUE(AddOperator(unit, "aten::size.mine(str self) -> int"));
  EXPECT_THAT(OverloadsOf(unit, "aten::size"), ElementsAre("int", "Dimname", "", "mine"));
}

TEST(SchemaParser, ErrorsSayWhere) {
  CompilationUnit unit;
  const auto message = [&](std::string_view text) {
    return ParseSchema(unit, text).error().message;
  };
  EXPECT_EQ(message("aten::f(Tensor self) - Tensor"), "1:22: expected '->', found '-'");
  EXPECT_EQ(message("aten::f(Tensor) -> Tensor"), "1:15: expected an argument's name, found ')'");
  EXPECT_EQ(message("aten::f(Foo a) -> Tensor"), "1:9: unknown type 'Foo'");
  EXPECT_EQ(message("aten::f(Dict(int) a) -> ()"), "1:9: need 2 elements of a type, have 1");
  EXPECT_EQ(message("aten::f(int a=) -> ()"), "1:15: expected a constant");
  EXPECT_EQ(message("aten::f(str a=\"\\q\") -> ()"), "1:16: unknown escape");
  EXPECT_EQ(message("aten::f(int a"), "1:14: expected ',', found end of text");
  EXPECT_EQ(message("(int a) -> int"), "1:1: expected a name, found '('");
  EXPECT_EQ(message("aten::f(int a) -> int b c"), "1:25: expected end of text, found 'c'");
  EXPECT_EQ(message("aten::f(int[] a=[1, \"x\"]) -> ()"),
            "1:25: need a constant of type int[], have another");
}

TEST(SchemaParser, TypesReadBack) {
  CompilationUnit unit;
  for (std::string_view text : {"Tensor",
                                "Tensor?",
                                "int[]",
                                "int[]?",
                                "Tensor?[]",
                                "(int, Tensor)",
                                "()",
                                "(int,)",
                                "(int, (str, float)[])[]",
                                "Dict(str, Dict(int, Tensor[]))",
                                "Future((int, int))",
                                "RRef(Tensor)",
                                "Union(Tensor, int, float)",
                                "Scalar",
                                "NoneType",
                                "Device",
                                "Any",
                                "__torch__.torch.classes.quantized.LinearPackedParamsBase",
                                "list",
                                "AnyEnumType"}) {
    const auto type = ParseType(unit, text);
    ASSERT_TRUE(type) << text << ": " << type.error().message;
    EXPECT_EQ(unit.ToString(*type), text);
  }
  EXPECT_FALSE(ParseType(unit, "t"));
  EXPECT_TRUE(ParseType(unit, "t", TypeVariables::kAllowed));
  EXPECT_FALSE(ParseType(unit, "__torch__.M"));
}

TEST(SchemaParser, DeepTypesTakeNoStack) {
  CompilationUnit unit;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "(int, ";
  text += "int";
  for (int i = 0; i < 100'000; ++i) text += ")";
  const auto type = ParseType(unit, text);
  ASSERT_TRUE(type);
  EXPECT_EQ(unit.ToString(*type), text);
}

}  // namespace
}  // namespace handrail::graph
