// The part of FunctionEmitter that is about statements.
#include <array>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "graph/subtyping.h"

namespace handrail::graph {

using script::NodeKind;

Status FunctionEmitter::EmitStatements(SyntaxId block) {
  for (const SyntaxId statement : tree_.children(block)) {
    HANDRAIL_RETURN_IF_ERROR(EmitStatement(statement));
    // What stands behind a return or raise is never reached, and not compiled.
    if (HasExited()) break;
  }
  return {};
}

Status FunctionEmitter::EmitStatement(SyntaxId statement) {
  HANDRAIL_RETURN_IF_ERROR(Descend(statement));
  Status status;
  switch (tree_.kind(statement)) {
    case NodeKind::kIf:
      status = EmitIf(statement);
      break;
    case NodeKind::kWhile:
      status = EmitWhile(statement);
      break;
    case NodeKind::kFor:
      status = EmitFor(statement);
      break;
    case NodeKind::kWith:
      status = EmitWith(statement);
      break;
    case NodeKind::kAssign:
      status = EmitAssign(statement);
      break;
    case NodeKind::kAugmentedAssign:
      status = EmitAugmentedAssign(statement);
      break;
    case NodeKind::kExpressionStatement: {
      const Result<Meaning> meaning = EmitMeaning(tree_.operand(statement));
      if (!meaning) status = tl::unexpected<Error>(meaning.error());
      break;
    }
    case NodeKind::kReturn:
      status = EmitReturn(tree_.range(statement), tree_.operand(statement));
      break;
    case NodeKind::kRaise:
      status = EmitRaise(statement);
      break;
    case NodeKind::kAssert:
      status = EmitAssert(statement);
      break;
    case NodeKind::kBreak:
    case NodeKind::kContinue:
      status = EmitExit(statement);
      break;
    case NodeKind::kPass:
      break;
    case NodeKind::kDelete:
      status = EmitDelete(statement);
      break;
    case NodeKind::kFunction: {
      const script::FunctionView inner = tree_.function(statement);
      status = SetVariable(inner.name_range, Intern(inner.name),
                           {.kind = MeaningKind::kClosure, .syntax = statement});
      break;
    }
    default:
      status =
          FailAt(statement, "this statement cannot stand in a function", ErrorCode::kUnsupported);
      break;
  }
  --depth_;
  return status;
}

void FunctionEmitter::MarkExited(BlockId block) {
  if (exited_block_.size() <= block.index) exited_block_.resize(graph_.block_count(), false);
  exited_block_[block.index] = true;
}

// `value` none: None.
Status FunctionEmitter::EmitReturn(TextRange range, SyntaxId value) {
  const TypeId declared = open_functions_.back().declared_result;
  Operand result;
  if (value.is_none()) {
    result = InsertConstant(unit_.constants.None(), range);
  } else {
    HANDRAIL_ASSIGN_OR_RETURN(result, EmitExpression(value, declared));
  }
  TypeId type = declared;
  if (!declared.is_none()) {
    // A forgotten return must not become a tensor.
    if (!(declared == types::kTensor && result.type == types::kNone)) {
      HANDRAIL_ASSIGN_OR_RETURN(result, Convert(range, result, declared));
    }
    if (!IsSubtypeOf(result.type, declared)) {
      return FailAt(range, fmt::format("need a {}, as the function's head says, have a {}",
                                       Name(declared), Name(result.type)));
    }
  } else {
    const TypeId merged = open_functions_.back().merged_result;
    const auto both = UnifyTypes(unit_, merged.is_none() ? result.type : merged, result.type);
    if (!both) {
      return FailAt(range, fmt::format("need a {}, as an earlier return gives, have a {}",
                                       Name(merged), Name(result.type)));
    }
    type = *both;
  }
  open_functions_.back().merged_result = type;
  if (type == types::kAny && result.type != types::kAny) result = InsertCast(result, type);
  InsertNode(exits_.return_statement, std::array{result.value}, OriginTable::null_range());
  if (block_ != graph_.root()) exits_.has_inner_exits = true;
  MarkExited(block_);
  return {};
}

Status FunctionEmitter::EmitRaise(SyntaxId statement) {
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning exception, EmitMeaning(tree_.operand(statement)));
  return InsertRaise(exception, tree_.range(statement));
}

Status FunctionEmitter::InsertRaise(const Meaning& exception, TextRange range) {
  Operand message;
  if (exception.kind == MeaningKind::kExceptionInstance) {
    message = exception.operand;
  } else if (exception.kind == MeaningKind::kException) {
    message = InsertString("", range);
  } else {
    return FailAt(range, "need an exception such as RuntimeError(\"...\") behind 'raise'");
  }
  if (!IsSubtypeOf(message.type, types::kString)) {
    HANDRAIL_ASSIGN_OR_RETURN(message, CallOperator("aten::str", range, {message}));
  }
  const Operand name = exception.name.is_none()
                           ? InsertConstant(unit_.constants.None(), range)
                           : InsertConstant(unit_.constants.String(exception.name), range);
  InsertNode(symbols::kRaiseException, std::array{message.value, name.value}, RangeOf(range));
  exits_.has_inner_exits = true;
  MarkExited(block_);
  return {};
}

// `if condition: pass`, `else: raise AssertionError(message)`.
Status FunctionEmitter::EmitAssert(SyntaxId statement) {
  const script::AssertView view = tree_.assertion(statement);
  const TextRange range = tree_.range(statement);
  HANDRAIL_ASSIGN_OR_RETURN(const Condition condition, EmitCondition(view.condition));
  return EmitBranches(
      range, condition, [] { return Status(); },
      [&]() -> Status {
        Operand message;
        if (view.message.is_none()) {
          message = InsertString("", range);
        } else {
          HANDRAIL_ASSIGN_OR_RETURN(message, EmitExpression(view.message));
        }
        return RaiseAssertion(message, range);
      });
}

Status FunctionEmitter::RaiseAssertion(const Operand& message, TextRange range) {
  const Meaning error{.kind = MeaningKind::kException, .name = Intern(kAssertionError)};
  const Arguments arguments{{message, StringId::none()}};
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning exception, MakeException(error, range, arguments));
  return InsertRaise(exception, range);
}

Status FunctionEmitter::EmitDelete(SyntaxId statement) {
  for (const SyntaxId target : tree_.children(statement)) {
    if (tree_.kind(target) == NodeKind::kName) {
      const std::string_view name = tree_.text(target);
      if (!scope_.Remove(Intern(name))) {
        return FailAt(target, fmt::format("undefined name '{}'", name));
      }
      continue;
    }
    if (tree_.kind(target) != NodeKind::kSubscript) {
      return FailAt(target, "only variables and elements of lists and dicts can be deleted",
                    ErrorCode::kUnsupported);
    }
    const script::SubscriptView view = tree_.subscript(target);
    if (view.indices.size() != 1 || tree_.kind(view.indices[0]) == NodeKind::kSlice) {
      return FailAt(target, "only a single element can be deleted", ErrorCode::kUnsupported);
    }
    HANDRAIL_ASSIGN_OR_RETURN(const Meaning meaning, EmitMeaning(view.value));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand index, EmitExpression(view.indices[0]));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand value, AsValue(meaning, tree_.range(view.value)));
    if (unit_.types.is(value.type, TypeKind::kClass)) {
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning result,
                                CallMethod(value, Intern("__delitem__"), tree_.range(statement),
                                           {{index, StringId::none()}}));
      static_cast<void>(result);
      continue;
    }
    HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                              CallOperator("aten::Delete", tree_.range(target), {value, index}));
    static_cast<void>(result);
  }
  return {};
}

Status FunctionEmitter::EmitWith(SyntaxId statement) {
  const script::WithView view = tree_.with_statement(statement);
  std::vector<Operand> entered;
  for (const SyntaxId item : view.items) {
    const script::WithItemView context = tree_.with_item(item);
    const TextRange range = tree_.range(context.context);
    HANDRAIL_ASSIGN_OR_RETURN(const Operand object, EmitExpression(context.context));
    if (!unit_.types.is(object.type, TypeKind::kClass)) {
      return FailAt(range,
                    fmt::format("need an object behind 'with', have a {}", Name(object.type)));
    }
    HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(object.type, range));
    const auto enter = definition->FindMethod(Intern("__enter__"));
    const auto exit = definition->FindMethod(Intern("__exit__"));
    if (!enter || !exit) {
      return FailAt(range, fmt::format("need methods __enter__ and __exit__, {} has not both",
                                       Name(object.type)));
    }
    const MethodDefinition& method = definition->methods[*enter];
    if (!method.function.is_none()) {
      HANDRAIL_RETURN_IF_ERROR(text_.resolver.CompleteSchema(method.function));
    }
    const Schema& schema = unit_.schema(definition->methods[*enter].schema);
    if (schema.arguments.size() != 1 || schema.results.size() != 1) {
      return FailAt(range, "need one parameter and one result of __enter__");
    }
    entered.push_back(object);
    const Operand inner = InsertValue(symbols::kEnter, std::array{object.value},
                                      schema.results[0].type, OriginTable::null_range());
    if (!context.name.is_none()) {
      HANDRAIL_RETURN_IF_ERROR(
          SetVariable(tree_.range(context.name), Intern(tree_.text(context.name)), inner));
    }
  }
  exits_.has_with = true;
  HANDRAIL_RETURN_IF_ERROR(EmitStatements(view.body));
  for (; !entered.empty(); entered.pop_back()) {
    InsertValue(symbols::kExit, std::array{entered.back().value}, types::kNone,
                OriginTable::null_range());
  }
  return {};
}

// What a loop carries leaves it with a condition: false for `break`, the loop's own for `continue`.
Status FunctionEmitter::EmitExit(SyntaxId statement) {
  const bool is_break = tree_.kind(statement) == NodeKind::kBreak;
  if (open_loops_.empty()) {
    return FailAt(statement, fmt::format("'{}' outside a loop", is_break ? "break" : "continue"));
  }
  if (open_loops_.back().is_unrolled) {
    return FailAt(statement,
                  "a loop over submodules or the elements of a tuple is unrolled, so it can have "
                  "no 'break' or 'continue'",
                  ErrorCode::kUnsupported);
  }
  std::vector<ValueId> inputs;
  if (is_break) {
    inputs.push_back(InsertConstant(unit_.constants.Bool(false), tree_.range(statement)).value);
  } else {
    HANDRAIL_ASSIGN_OR_RETURN(const Operand condition,
                              EmitLoopCondition(open_loops_.back(), tree_.range(statement)));
    inputs.push_back(condition.value);
  }
  for (const StringId name : open_loops_.back().carried) {
    const Scope::Variable* variable = scope_.Find(name);
    if (variable == nullptr || !variable->is_value()) {
      return FailAt(statement, fmt::format("'{}' has no value here, but has one before the loop",
                                           unit_.text(name)));
    }
    inputs.push_back(variable->meaning.operand.value);
  }
  open_loops_.back().continuations.push_back(
      InsertNode(exits_.loop_continuation, inputs, OriginTable::null_range()));
  exits_.has_continuations = true;
  return {};
}

}  // namespace handrail::graph
