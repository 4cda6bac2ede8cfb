#include "graph/schema_match.h"

#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/operators.h"
#include "graph/schema_parser.h"

namespace handrail::graph {
namespace {

using ::testing::HasSubstr;

// One line of call_table.txt.
struct TableCall {
  std::string name;
  std::vector<CallArgument> arguments;
  bool has_receiver = false;
};

// "self.aten::add(Tensor, alpha=int)". Commas stand inside of types, too.
TableCall ReadCall(CompilationUnit& unit, std::string_view text) {
  TableCall call;
  call.has_receiver = text.starts_with("self.");
  if (call.has_receiver) text.remove_prefix(5);
  call.name = text.substr(0, text.find('('));
  text = text.substr(call.name.size() + 1);
  text.remove_suffix(1);
  while (!text.empty()) {
    size_t end = 0;
    for (int depth = 0; end < text.size() && (depth > 0 || text[end] != ','); ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    }
    std::string_view type = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    CallArgument& argument = call.arguments.emplace_back();
    if (const size_t equals = type.find('='); equals != std::string_view::npos) {
      argument.keyword = unit.strings.Intern(type.substr(0, equals));
      type.remove_prefix(equals + 1);
    }
    argument.is_empty_list_literal = type == "[]";
    argument.type = ParseType(unit, type == "[]" ? "Tensor[]" : type).value();
  }
  return call;
}

std::string_view OperatorOf(Conversion conversion) {
  switch (conversion) {
    case Conversion::kNone:
      return "";
    case Conversion::kTensorToInt:
      return "aten::IntImplicit";
    case Conversion::kTensorToFloat:
      return "aten::FloatImplicit";
    case Conversion::kTensorToComplex:
      return "aten::ComplexImplicit";
    case Conversion::kTensorToNumber:
      return "aten::ScalarImplicit";
    case Conversion::kNumberToInt:
      return "aten::Int";
    case Conversion::kNumberToFloat:
      return "aten::Float";
    case Conversion::kNumberToComplex:
      return "aten::Complex";
    case Conversion::kStringToDevice:
      return "aten::device";
  }
  return "";
}

// What the table says of an argument: see make_call_table.py.
std::string Describe(const CompilationUnit& unit, const TableCall& call, const ArgumentPlan& plan,
                     bool is_element = false) {
  std::string text;
  switch (plan.shape) {
    case ArgumentPlan::Shape::kValue:
      if (is_element) {
        text = "u";
      } else {
        text =
            call.arguments[plan.index].type == types::kNone ? "c" : fmt::format("v{}", plan.index);
      }
      break;
    case ArgumentPlan::Shape::kDefault:
      text = "c";
      break;
    case ArgumentPlan::Shape::kEmptyList:
      text = "[]";
      break;
    case ArgumentPlan::Shape::kRepeatedList:
      for (uint32_t i = 0; i < plan.count; ++i) text += fmt::format(",v{}", plan.index);
      text = "[" + text.substr(1) + "]";
      break;
    case ArgumentPlan::Shape::kList:
      for (const ArgumentPlan& part : plan.parts) text += "," + Describe(unit, call, part);
      text = "[" + text.substr(1) + "]";
      break;
    case ArgumentPlan::Shape::kTupleToList:
      for (size_t i = unit.types.elements(call.arguments[plan.index].type).size(); i-- > 0;) {
        text += ",u";
      }
      text = "[" + text.substr(1) + "]";
      break;
    case ArgumentPlan::Shape::kTupleToTuple:
      for (const ArgumentPlan& part : plan.parts) text += "," + Describe(unit, call, part, true);
      text = "(" + text.substr(1) + ")";
      break;
  }
  if (plan.conversion == Conversion::kNone) return text;
  return fmt::format("{}({})", OperatorOf(plan.conversion), text);
}

std::string Outcome(CompilationUnit& unit, const TableCall& call) {
  const auto schemas = OperatorsNamed(unit, unit.strings.Intern(call.name));
  const auto match = MatchOverload(unit, schemas, {call.name, call.arguments, call.has_receiver});
  if (!match) return "error";
  const Schema& schema = unit.schema(match->schema);
  std::string text = call.name;
  if (!unit.text(schema.overload).empty()) text += fmt::format(".{}", unit.text(schema.overload));
  text += " | ";
  for (const ArgumentPlan& plan : match->arguments) {
    if (&plan != match->arguments.data()) text += ' ';
    text += Describe(unit, call, plan);
  }
  text += " | ";
  for (const TypeId& result : match->results) {
    if (&result != match->results.data()) text += "; ";
    text += ToAnnotation(unit.types, unit.strings, result);
  }
  return text;
}

// Every call of the table becomes what PyTorch made of it.
TEST(SchemaMatch, ChoosesAsPyTorchDoes) {
  CompilationUnit unit;
  std::ifstream table(HANDRAIL_SOURCE_DIR "/src/graph/call_table.txt");
  uint32_t call_count = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    const size_t bar = line.find(" | ");
    ASSERT_NE(bar, std::string::npos) << line;
    const TableCall call = ReadCall(unit, std::string_view(line).substr(0, bar));
    EXPECT_EQ(Outcome(unit, call), line.substr(bar + 3)) << line.substr(0, bar);
    ++call_count;
  }
  EXPECT_GT(call_count, 1'000u);
}

TEST(SchemaMatch, AnErrorListsEveryCandidateWithItsReason) {
  CompilationUnit unit;
  const auto message = [&](std::string_view text) {
    const TableCall call = ReadCall(unit, text);
    const auto schemas = OperatorsNamed(unit, unit.strings.Intern(call.name));
    const auto match = MatchOverload(unit, schemas, {call.name, call.arguments, call.has_receiver});
    return match ? std::string() : match.error().message;
  };
  EXPECT_EQ(message("aten::size(Tensor, str, int)"),
            "aten::size(Tensor, str, int) fits none of\n"
            "  aten::size.int(Tensor self, int dim) -> int: argument 'dim': need int, have str\n"
            "  aten::size.Dimname(Tensor self, str dim) -> int: need at most 2 positional "
            "arguments, have 3\n"
            "  aten::size(Tensor self) -> int[]: need at most 1 positional arguments, have 3");
  EXPECT_EQ(message("aten::dropout(Tensor, float)"),
            "aten::dropout(Tensor, float) does not fit aten::dropout(Tensor input, float p, bool "
            "train) -> Tensor: argument 'train' is missing");
  EXPECT_THAT(message("aten::dropout(Tensor, float, bool, p=float)"),
              HasSubstr("argument 'p' is given twice"));
  EXPECT_THAT(message("aten::dropout(Tensor, float, bool, q=float)"),
              HasSubstr("there is no argument 'q'"));
  EXPECT_THAT(message("self.aten::dropout(Tensor, Tensor, float, bool)"),
              HasSubstr("there is no argument 'self' for the receiver"));
  EXPECT_THAT(message("aten::append(int[], str)"), HasSubstr("argument 'el': need int, have str"));
}

// A function of a model is matched by its schema alone, with conversions.
TEST(SchemaMatch, FunctionsOfAModel) {
  CompilationUnit unit;
  const SchemaId schema = unit.AddSchema(
      ParseSchema(unit, "__torch__.f((int, float) pair, str? mode=\"a\") -> int").value());
  const TableCall call = ReadCall(unit, "__torch__.f((Tensor, float))");
  const auto match = MatchSchema(unit, schema, {call.name, call.arguments});
  ASSERT_TRUE(match) << match.error().message;
  EXPECT_EQ(Describe(unit, call, match->arguments[0]), "(aten::IntImplicit(u),u)");
  EXPECT_EQ(Describe(unit, call, match->arguments[1]), "c");
  EXPECT_FALSE(MatchSchema(unit, schema, {call.name, call.arguments}, false));
}

}  // namespace
}  // namespace handrail::graph
