#include "graph/schema_match.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "graph/argument_plan.h"
#include "graph/operator_resolution.h"
#include "graph/operators.h"
#include "graph/schema_parser.h"

namespace handrail::graph {
namespace {

class Matcher {
 public:
  // `explains`: failures say why; else their messages are empty, which is faster.
  Matcher(CompilationUnit& unit, SchemaId schema, const Call& call, bool allow_conversions,
          bool explains)
      : unit_(unit),
        schema_(unit.schema(schema)),
        call_(call),
        allow_conversions_(allow_conversions),
        explains_(explains),
        planner_(unit, allow_conversions, explains),
        receiver_is_free_(call.has_receiver),
        next_positional_(call.has_receiver ? 1 : 0) {
    match_.schema = schema;
    const auto is_keyword = [](const CallArgument& argument) {
      return !argument.keyword.is_none();
    };
    const auto first = std::find_if(call.arguments.begin(), call.arguments.end(), is_keyword);
    positional_count_ = static_cast<uint32_t>(first - call.arguments.begin());
    is_keyword_used_.resize(call.arguments.size() - positional_count_);
    takes_input_for_self_ = unit.text(schema_.name).starts_with("aten::");
  }

  Result<SchemaMatch> Match() {
    match_.arguments.reserve(schema_.arguments.size());
    for (uint32_t i = 0; i < schema_.arguments.size(); ++i) {
      HANDRAIL_RETURN_IF_ERROR(MatchArgument(i));
    }
    HANDRAIL_RETURN_IF_ERROR(CheckAllUsed());
    for (const Argument& result : schema_.results) {
      const auto type = planner_.bindings().Substitute(unit_, result.type);
      if (!type) {
        return Reason("nothing says what '{}' is in its result", unit_.ToString(result.type));
      }
      match_.results.push_back(*type);
    }
    return std::move(match_);
  }

 private:
  template <typename... Args>
  tl::unexpected<Error> Reason(fmt::format_string<Args...> format, Args&&... args) const {
    return Fail(ErrorCode::kInvalidArgument,
                explains_ ? fmt::format(format, std::forward<Args>(args)...) : std::string());
  }

  bool HasPositional() const { return next_positional_ < positional_count_; }

  Status MatchArgument(uint32_t position) {
    const Argument& argument = schema_.arguments[position];
    if (receiver_is_free_ && argument.name == symbols::kSelf) {
      receiver_is_free_ = false;
      return Plan(argument, 0);
    }
    if (!argument.is_keyword_only && HasPositional()) {
      if (allow_conversions_ && TakesTheRestAsList(position)) return PlanRest(argument);
      return Plan(argument, next_positional_++);
    }
    HANDRAIL_ASSIGN_OR_RETURN(const auto keyword, FindKeyword(argument));
    if (keyword) return Plan(argument, *keyword);
    if (!argument.has_default()) {
      return Reason("argument '{}' is missing", unit_.text(argument.name));
    }
    return PlanDefault(argument);
  }

  Status Plan(const Argument& argument, uint32_t index) {
    HANDRAIL_ASSIGN_OR_RETURN(ArgumentPlan plan,
                              planner_.Plan(argument, call_.arguments[index], index));
    match_.arguments.push_back(std::move(plan));
    return {};
  }

  Status PlanDefault(const Argument& argument) {
    const TypeId type = unit_.constants.at(argument.default_value).type;
    HANDRAIL_ASSIGN_OR_RETURN(ArgumentPlan plan, planner_.Plan(argument, {{}, type}, 0));
    plan.shape = ArgumentPlan::Shape::kDefault;
    match_.arguments.push_back(std::move(plan));
    return {};
  }

  // `zeros(2, 3)` means `zeros([2, 3])`: where the last positional argument is a list of any size,
  // and what is given is none.
  bool TakesTheRestAsList(uint32_t position) const {
    const Argument& argument = schema_.arguments[position];
    const bool is_last =
        position + 1 == schema_.arguments.size() || schema_.arguments[position + 1].is_keyword_only;
    const TypeId type = argument.type;
    if (!is_last || argument.list_size != 0 || !unit_.types.is(type, TypeKind::kList)) return false;
    if (unit_.types.is(unit_.types.element(type), TypeKind::kVariable)) return false;
    const TypeId given = call_.arguments[next_positional_].type;
    return !unit_.types.is(given, TypeKind::kList) && !BecomesList(unit_, given, type);
  }

  Status PlanRest(const Argument& argument) {
    ArgumentPlan list;
    list.shape = ArgumentPlan::Shape::kList;
    list.type = argument.type;
    Argument element;
    element.name = argument.name;
    element.type = unit_.types.element(list.type);
    for (; HasPositional(); ++next_positional_) {
      HANDRAIL_ASSIGN_OR_RETURN(
          ArgumentPlan part,
          planner_.Plan(element, call_.arguments[next_positional_], next_positional_));
      list.parts.push_back(std::move(part));
    }
    match_.arguments.push_back(std::move(list));
    return {};
  }

  // The position of the keyword argument of that name, or nothing. Operators whose first argument
  // is `self` are documented as taking `input`.
  Result<std::optional<uint32_t>> FindKeyword(const Argument& argument) {
    for (uint32_t i = positional_count_; i < call_.arguments.size(); ++i) {
      const StringId keyword = call_.arguments[i].keyword;
      const bool is_self = takes_input_for_self_ && argument.name == symbols::kSelf &&
                           unit_.text(keyword) == "input";
      if (keyword != argument.name && !is_self) continue;
      if (is_keyword_used_[i - positional_count_]) {
        return Reason("argument '{}' is given twice", unit_.text(argument.name));
      }
      is_keyword_used_[i - positional_count_] = true;
      return i;
    }
    return std::nullopt;
  }

  Status CheckAllUsed() {
    if (receiver_is_free_) return Reason("there is no argument 'self' for the receiver");
    if (schema_.takes_more) {
      for (; HasPositional(); ++next_positional_) {
        ArgumentPlan plan;
        plan.index = next_positional_;
        plan.type = call_.arguments[next_positional_].type;
        match_.arguments.push_back(std::move(plan));
      }
    }
    if (HasPositional()) {
      return Reason("need at most {} positional arguments, have {}", next_positional_,
                    positional_count_);
    }
    for (uint32_t i = positional_count_; i < call_.arguments.size(); ++i) {
      if (is_keyword_used_[i - positional_count_]) continue;
      const StringId keyword = call_.arguments[i].keyword;
      if (schema_.Find(keyword)) {
        return Reason("argument '{}' is given twice", unit_.text(keyword));
      }
      return Reason("there is no argument '{}'", unit_.text(keyword));
    }
    return {};
  }

  CompilationUnit& unit_;
  const Schema& schema_;
  const Call& call_;
  const bool allow_conversions_;
  const bool explains_;
  ArgumentPlanner planner_;
  SchemaMatch match_;
  bool receiver_is_free_;
  bool takes_input_for_self_;
  uint32_t next_positional_;
  uint32_t positional_count_;
  std::vector<bool> is_keyword_used_;
};

// Sets the overload that a node with the planned inputs is.
void Resolve(CompilationUnit& unit, SchemaMatch& match) {
  const Symbol name = unit.schema(match.schema).name;
  const auto operators = OperatorsNamed(unit, name);
  // Functions that are matched beside operators are what they are.
  if (std::ranges::find(operators, match.schema) == operators.end()) return;
  std::vector<TypeId> inputs;
  for (const ArgumentPlan& plan : match.arguments) inputs.push_back(plan.type);
  const SchemaId resolved = ResolveOperator(unit, name, inputs);
  if (!resolved.is_none()) match.schema = resolved;
}

// "aten::add(Tensor, int, alpha=int)".
std::string ToString(const CompilationUnit& unit, const Call& call) {
  std::string text(call.name);
  text += '(';
  for (const CallArgument& argument : call.arguments) {
    if (text.back() != '(') text += ", ";
    if (!argument.keyword.is_none()) text += fmt::format("{}=", unit.text(argument.keyword));
    text += unit.ToString(argument.type);
  }
  return text + ')';
}

}  // namespace

Result<SchemaMatch> MatchSchema(CompilationUnit& unit, SchemaId schema, const Call& call,
                                bool allow_conversions) {
  return Matcher(unit, schema, call, allow_conversions, /*explains=*/true).Match();
}

Result<SchemaMatch> MatchOverload(CompilationUnit& unit, std::span<const SchemaId> schemas,
                                  const Call& call) {
  if (schemas.size() == 1) {
    auto match = MatchSchema(unit, schemas[0], call);
    if (!match) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} does not fit {}: {}", ToString(unit, call),
                              ToString(unit, unit.schema(schemas[0])), match.error().message));
    }
    return match;
  }
  for (const bool allow_conversions : {false, true}) {
    for (SchemaId schema : schemas) {
      if (IsNeverChosen(unit, unit.schema(schema))) continue;
      auto match = Matcher(unit, schema, call, allow_conversions, /*explains=*/false).Match();
      if (!match) continue;
      Resolve(unit, *match);
      return match;
    }
  }
  std::string message = fmt::format("{} fits none of", ToString(unit, call));
  for (SchemaId schema : schemas) {
    if (IsNeverChosen(unit, unit.schema(schema))) continue;
    const auto match = MatchSchema(unit, schema, call);
    fmt::format_to(std::back_inserter(message), "\n  {}: {}", ToString(unit, unit.schema(schema)),
                   match.error().message);
  }
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace handrail::graph
