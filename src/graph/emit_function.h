// Compiles one body. Private to emission; the door is emit.h.
//
// One class, several files: emit_function.cc (heads, values, nodes), emit_statement.cc,
// emit_assign.cc, emit_branch.cc, emit_loop.cc, emit_iterable.cc, emit_expression.cc,
// emit_literal.cc, emit_condition.cc, emit_subscript.cc, emit_attribute.cc, emit_call.cc,
// emit_special_form.cc, emit_conversion.cc.
//
// The graph is built in SSA form at once: an `if` gives each variable that a branch set as an
// output, and a loop carries each variable that its body sets. Early exits stand in the graph as
// nodes of three kinds that emit_exits.cc removes when the body is complete.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/emit.h"
#include "graph/emit_condition.h"
#include "graph/emit_exits.h"
#include "graph/emit_meaning.h"
#include "graph/emit_scope.h"
#include "graph/emit_wrapper.h"
#include "graph/schema_match.h"

namespace handrail::graph {

class FunctionEmitter {
 public:
  FunctionEmitter(CompilationUnit& unit, const EmitText& text, FunctionId function);

  Status Emit(script::SyntaxId function_syntax);

 private:
  using SyntaxId = script::SyntaxId;
  using SyntaxIds = script::SyntaxIds;
  using TextRange = script::TextRange;

  // One function whose body is open: the function itself, or one inside it (a closure).
  struct OpenFunction {
    TypeId declared_result;  // none: not annotated
    TypeId merged_result;    // none: no return was met
  };
  // The innermost loop that is being compiled.
  struct OpenLoop {
    bool is_unrolled = false;
    SyntaxId condition;             // of `while`; else none
    std::vector<StringId> carried;  // names, in the order of the loop's carried values
    std::vector<TypeId> types;      // of `carried`
    std::vector<NodeId> continuations;
  };
  // Operands and keywords of a call, on their way to a schema.
  using Arguments = std::vector<NamedOperand>;
  using EmitBody = std::function<Status()>;
  using EmitOperand = std::function<Result<Operand>()>;
  using EmitIterable = std::function<Result<Meaning>()>;
  // Gives the targets of a loop what it met.
  using EmitAssignment = std::function<Status(const Meaning&)>;

  // -- emit_function.cc: names, errors, nodes, values.
  Status EmitParameters(const script::FunctionView& function, const Schema& schema);
  Status EmitImplicitReturn(SyntaxId function_syntax);

  StringId Intern(std::string_view text) { return unit_.strings.Intern(text); }
  tl::unexpected<Error> FailAt(TextRange range, std::string_view message,
                               ErrorCode code = ErrorCode::kCorrupt) const;
  tl::unexpected<Error> FailAt(SyntaxId id, std::string_view message,
                               ErrorCode code = ErrorCode::kCorrupt) const {
    return FailAt(tree_.range(id), message, code);
  }
  // One level deeper into nested syntax; the caller decrements depth_ on its way out.
  Status Descend(SyntaxId id);
  std::string Name(TypeId type) const;
  bool IsSubtypeOf(TypeId type, TypeId of) const;
  bool IsTensor(TypeId type) const { return type == types::kTensor; }

  RangeId RangeOf(TextRange range) { return text_.ranges.RangeOf(range); }
  NodeId InsertNode(Symbol kind, std::span<const ValueId> inputs, RangeId range,
                    SchemaId schema = SchemaId::none());
  // A node with one output.
  Operand InsertValue(Symbol kind, std::span<const ValueId> inputs, TypeId type, RangeId range,
                      SchemaId schema = SchemaId::none());
  Operand InsertConstant(ConstantId constant, TextRange range);
  // None as a value of an Optional type.
  Operand InsertNone(TypeId type, TextRange range);
  Operand InsertInt(int64_t value, TextRange range) {
    return InsertConstant(unit_.constants.Int(value), range);
  }
  Operand InsertString(std::string_view text, TextRange range) {
    return InsertConstant(unit_.constants.String(Intern(text)), range);
  }
  Operand InsertUninitialized(TypeId type, RangeId range);
  Operand InsertList(TypeId element, std::span<const Operand> elements);
  Operand InsertTuple(std::span<const Operand> elements, TypeId type = TypeId::none(),
                      RangeId range = OriginTable::null_range());
  std::vector<Operand> UnpackTuple(const Operand& tuple);
  Operand InsertCast(const Operand& operand, TypeId type);
  // The constant that a value is known to be, looking through no variable; none: it is not known.
  ConstantId ConstantOf(const Operand& operand) const;
  // `[]` written where its value is used: it may become a list of any type.
  bool IsEmptyListLiteral(const Operand& operand) const;
  Meaning ValueMeaning(const Operand& operand) const {
    return {.kind = MeaningKind::kValue, .operand = operand};
  }
  Meaning ListMeaning(MeaningKind kind, std::span<const Meaning> children);
  std::span<const Meaning> Children(const Meaning& meaning) const {
    return std::span(children_).subspan(meaning.first_child, meaning.child_count);
  }

  // -- emit_statement.cc
  Status EmitStatements(SyntaxId block);
  Status EmitStatement(SyntaxId statement);
  Status EmitReturn(TextRange range, SyntaxId value);
  Status EmitRaise(SyntaxId statement);
  Status EmitAssert(SyntaxId statement);
  Status InsertRaise(const Meaning& exception, TextRange range);
  Status RaiseAssertion(const Operand& message, TextRange range);
  Status EmitDelete(SyntaxId statement);
  Status EmitWith(SyntaxId statement);
  Status EmitExit(SyntaxId statement);  // break, continue
  bool HasExited() const { return HasExited(block_); }
  bool HasExited(BlockId block) const {
    return block.index < exited_block_.size() && exited_block_[block.index];
  }
  void MarkExited(BlockId block);

  // -- emit_assign.cc
  Status EmitAssign(SyntaxId statement);
  Status EmitAugmentedAssign(SyntaxId statement);
  // Errors and nodes get the ranges of the value and of the whole statement.
  Status AssignTo(SyntaxId target, const Meaning& meaning, TextRange value_range,
                  TextRange statement_range);
  Status AssignToAll(SyntaxIds targets, const Meaning& meaning, TextRange range);
  Status AssignToEach(SyntaxIds targets, TextRange range, const Meaning& meaning,
                      TextRange value_range);
  Status AssignToSubscript(SyntaxId target, const Operand& value, TextRange range);
  Status AssignToAttribute(const Meaning& object, StringId name, const Operand& value,
                           TextRange range);
  Status SetVariable(TextRange range, StringId name, const Meaning& meaning,
                     TypeId annotation = TypeId::none());
  Status SetVariable(TextRange range, StringId name, const Operand& operand,
                     TypeId annotation = TypeId::none()) {
    return SetVariable(range, name, ValueMeaning(operand), annotation);
  }
  Result<Operand> Augment(SyntaxId statement, const Operand& target, TypeId type);
  Status AugmentSubscript(SyntaxId statement);

  // -- emit_branch.cc
  Status EmitIf(SyntaxId statement);
  Status EmitBranches(TextRange range, const Condition& condition, const EmitBody& if_true,
                      const EmitBody& if_false);
  Result<Operand> EmitConditional(SyntaxId expression, TypeId hint);
  Result<Operand> EmitBranchValues(TextRange range, const Condition& condition,
                                   const EmitOperand& if_true, const EmitOperand& if_false);
  Status ApplyRefinements(TextRange range, const std::vector<Refinement>& refinements);
  // What a branch set: names and values at its end.
  using BranchVariables = std::vector<std::pair<StringId, Operand>>;
  BranchVariables CloseBranch();
  Status MergeBranches(TextRange range, NodeId node, const BranchVariables& in_true,
                       const BranchVariables& in_false);

  // -- emit_condition.cc
  Result<Condition> EmitCondition(SyntaxId expression);
  Result<Condition> EmitNested(SyntaxId condition);
  Result<Condition> EmitIs(SyntaxId expression);
  Status ReadTypes(SyntaxId classes, std::vector<TypeId>& types);
  void AddAlternatives(TypeId type, std::vector<TypeId>& types);
  TypeId WithoutNone(TypeId type);
  Result<Condition> EmitShortCircuit(SyntaxId expression);
  Result<Condition> EmitIsInstance(SyntaxId object, SyntaxId classes);
  Result<Condition> EmitHasAttribute(SyntaxId object, SyntaxId name);
  Condition StaticCondition(bool value, TextRange range);
  Result<Operand> ToBool(TextRange range, const Operand& operand);

  // -- emit_loop.cc
  Status EmitWhile(SyntaxId statement);
  Status EmitFor(SyntaxId statement);
  // `whole` is the node whose variables the loop may carry.
  Status EmitLoopOver(TextRange range, const Meaning& iterable, const EmitAssignment& assign,
                      SyntaxId whole, const EmitBody& body);
  // `iterable` null: a `while`.
  Status EmitLoop(TextRange range, const Meaning* iterable, const EmitAssignment& assign,
                  SyntaxId condition, SyntaxId whole, const EmitBody& body);
  Status EmitUnrolled(TextRange range, const Meaning& iterable, const EmitAssignment& assign,
                      const EmitBody& body);
  Status CloseLoop(NodeId node, TextRange range);
  Status SetLoopOutputs(NodeId node);
  Result<Operand> EmitLoopCondition(const OpenLoop& loop, TextRange range);
  std::vector<StringId> NamesSetIn(SyntaxId whole);
  void FindNamesSet();

  // -- emit_iterable.cc
  Result<Meaning> IterableOf(const Meaning& meaning, TextRange range);
  Result<Operand> LengthOf(const Meaning& iterable, TextRange range);
  Result<Meaning> ItemOf(const Meaning& iterable, TextRange range, const Operand& index);
  // -1: only known when it runs.
  int64_t StaticLength(const Meaning& iterable) const;
  Result<std::vector<Meaning>> ElementsOf(const Meaning& meaning, TextRange range,
                                          std::optional<uint32_t> count);
  Result<Meaning> MakeRange(TextRange range, std::span<const Operand> inputs,
                            int64_t static_length = -1);
  Result<Meaning> MakeTree(TextRange range, std::span<const Meaning> children);
  Status LengthsOf(const Meaning& tree, TextRange range, std::vector<Operand>& lengths);
  Meaning SubmoduleSequence(const Operand& container, const std::vector<StringId>& submodules);
  // The submodules of a ModuleList, Sequential or ModuleDict in order; nothing: it is none.
  std::optional<std::vector<StringId>> SubmodulesOf(TypeId type) const;

  // -- emit_expression.cc
  Result<Operand> EmitExpression(SyntaxId expression, TypeId hint = TypeId::none());
  Result<Meaning> EmitMeaning(SyntaxId expression, TypeId hint = TypeId::none());
  SyntaxId InnerOf(SyntaxId expression) const;
  Result<Meaning> EmitLeaf(SyntaxId expression, TypeId hint);
  Result<Meaning> EmitOuter(SyntaxId expression, const Meaning& inner, TypeId hint);
  Result<Operand> EmitSimple(SyntaxId expression, TypeId hint);
  Result<Operand> AsValue(const Meaning& meaning, TextRange range);
  Result<Operand> EmitBinary(SyntaxId expression, const Meaning& left);
  Result<Operand> EmitIn(SyntaxId expression);
  Result<Operand> EmitUnary(SyntaxId expression);
  Result<Meaning> MeaningOfName(std::string_view name, TextRange range);

  // -- emit_literal.cc
  Result<Operand> EmitNumber(SyntaxId expression);
  Result<Operand> EmitFormatString(SyntaxId expression);
  Result<Operand> EmitList(SyntaxId expression, TypeId hint);
  Result<Operand> EmitDict(SyntaxId expression, TypeId hint);
  Result<Operand> EmitListComprehension(TextRange range, const EmitAssignment& assign,
                                        const EmitOperand& element, const EmitIterable& iterable,
                                        SyntaxId whole, TypeId hint);
  Result<Operand> EmitDictComprehension(TextRange range, const EmitAssignment& assign,
                                        const EmitOperand& key, const EmitOperand& value,
                                        const EmitIterable& iterable, SyntaxId whole, TypeId hint);
  Result<std::vector<Operand>> EmitOperands(SyntaxIds expressions);
  // The member of a type hint that a literal of this kind can be; none: there is none.
  TypeId HintOfKind(TypeId hint, TypeKind kind) const;

  // -- emit_subscript.cc
  Result<Meaning> EmitSubscript(SyntaxId expression, const Meaning& value, TypeId hint);
  struct Indexed {
    Operand value;                             // after ints, slices, None
    std::vector<std::optional<Operand>> rest;  // tensors, by dimension; nothing: None
  };
  Result<Indexed> IndexByPosition(TextRange range, Operand value, SyntaxIds indices);
  Result<Operand> IndexTensor(TextRange range, const Operand& value, SyntaxIds indices);
  Operand MakeIndexList(const std::vector<std::optional<Operand>>& indices, TextRange range);
  Result<Meaning> EmitSubmoduleSubscript(SyntaxId expression, const Operand& container,
                                         const std::vector<StringId>& submodules);
  Result<Operand> EmitSlice(TextRange range, const Operand& value, std::optional<Operand> dimension,
                            SyntaxId slice);
  Result<Operand> EmitTupleIndex(TextRange range, const Operand& tuple, const Operand& index);
  Result<Operand> EmitTupleSlice(TextRange range, const Operand& tuple,
                                 const std::optional<Operand> (&bounds)[3]);

  // -- emit_attribute.cc
  Result<Meaning> EmitAttribute(const Meaning& meaning, std::string_view name, TextRange range);
  Result<Meaning> AttributeOfValue(const Operand& value, std::string_view name, TextRange range);
  Result<std::optional<Meaning>> AttributeOfDefined(const Operand& value, std::string_view name,
                                                    TextRange range);
  Result<std::optional<Meaning>> FieldOfResults(const Operand& value, std::string_view name,
                                                TextRange range);
  Result<Meaning> MemberOfTorch(const Meaning& meaning, std::string_view name, TextRange range);
  Result<Meaning> MeaningOfPath(std::string_view path, TextRange range);
  Meaning MeaningOfType(TypeId type) const;
  Result<TypeId> ResolveType(std::string_view path, TextRange range);
  Result<FunctionId> ResolveFunction(std::string_view path, TextRange range);
  bool IsMethodOf(Symbol symbol, TypeId type);
  bool CanBe(TypeId type, TypeId formal);
  Result<Meaning> MemberOfEnum(TypeId type, std::string_view name, TextRange range);
  Result<bool> HasAttributeNamed(const Meaning& meaning, std::string_view name, TextRange range);
  Result<const Definition*> DefinitionOf(TypeId type, TextRange range);
  Operand InsertGetAttribute(const Operand& object, StringId name, TypeId type);

  static constexpr std::string_view kAssertionError = "builtins.AssertionError";

  // -- emit_call.cc
  Result<Meaning> EmitApply(SyntaxId call, const Meaning& callee, TypeId hint);
  Result<Arguments> EmitArguments(SyntaxIds arguments, SyntaxIds keywords);
  Result<Meaning> CallMeaning(const Meaning& callee, TextRange range, Arguments arguments);
  Result<Meaning> MakeException(const Meaning& exception, TextRange range,
                                const Arguments& arguments);
  Result<Meaning> CallMethod(const Operand& receiver, StringId name, TextRange range,
                             Arguments arguments);
  Result<Meaning> CallFunction(FunctionId function, TextRange range, const Arguments& arguments);
  Result<Meaning> ConstructObject(TypeId type, TextRange range, Arguments arguments);
  Result<Meaning> ConstructNamedTuple(TypeId type, TextRange range, const Arguments& arguments);
  Status ExpectResult(SchemaId schema, StringId name, TextRange range) const;
  Result<Meaning> CallCast(const Meaning& cast, TextRange range, const Arguments& arguments);
  // Operators on objects are calls of their methods: `a + b` of `__add__`.
  Result<Operand> CallMagic(std::string_view method, Symbol name, TextRange range,
                            std::initializer_list<Operand> operands);

  // -- emit_special_form.cc
  Result<Meaning> EmitSpecialForm(SyntaxId call, const Meaning& callee, TypeId hint);
  Result<Meaning> EmitAnnotate(SyntaxId call);
  Result<Meaning> EmitGetAttr(SyntaxId call);
  Result<Meaning> EmitEnumerate(SyntaxId call);
  Result<Meaning> EmitToList(const Operand& tensor, TypeId type, TextRange range);
  Status AddKeywords(SyntaxId call, const Operand& dict);
  Result<Meaning> EmitListCall(SyntaxId call, TypeId hint);
  Result<Meaning> EmitDictCall(SyntaxId call, TypeId hint);
  Status ExpectArguments(SyntaxId call, std::string_view name, uint32_t least, uint32_t most) const;

  // -- emit_fork.cc
  Result<Meaning> EmitFork(SyntaxId call);
  // The body of a function inside this one, into the current block.
  Result<TypeId> EmitClosure(SyntaxId function_syntax);
  void CaptureValues(NodeId node);

  // -- emit_conversion.cc
  // Turns a value into one of another type, as arguments, results and variables are; the value
  // itself if nothing fits.
  Result<Operand> Convert(TextRange range, Operand operand, TypeId type);
  Result<SchemaMatch> Match(std::span<const SchemaId> schemas, Symbol name, TextRange range,
                            const Arguments& arguments, bool has_receiver);
  Result<Operand> Planned(const ArgumentPlan& plan, TextRange range,
                          std::span<const Operand> values, const Argument* argument);
  Result<std::vector<ValueId>> PlannedInputs(const SchemaMatch& match, TextRange range,
                                             const Arguments& arguments);
  Operand InsertMatched(const SchemaMatch& match, Symbol kind, std::span<const ValueId> inputs,
                        TextRange range, SchemaId schema);
  Result<Operand> InsertOperator(const SchemaMatch& match, Symbol name, std::vector<ValueId> inputs,
                                 TextRange range);
  // An operator by name, overload chosen by the operands.
  Result<Operand> CallOperator(Symbol name, TextRange range, const Arguments& arguments,
                               bool has_receiver);
  Result<Operand> CallOperator(Symbol name, TextRange range,
                               std::initializer_list<Operand> operands);
  Result<Operand> CallOperator(std::string_view name, TextRange range,
                               std::initializer_list<Operand> operands) {
    return CallOperator(Intern(name), range, operands);
  }

  // -- emit_wrapper.cc
  Result<SchemaId> SchemaOf(const Wrapper& wrapper);
  Result<Operand> EmitWrapper(WrapperBody body, TextRange range, std::span<const Operand> operands);
  Status RaiseUnless(const Operand& condition, const Operand& message, TextRange range);

  CompilationUnit& unit_;
  const EmitText& text_;
  const script::SyntaxTree& tree_;
  FunctionId function_;
  SyntaxId syntax_;  // of the function
  std::unique_ptr<Graph> owned_graph_;
  Graph& graph_;
  BlockId block_;  // nodes are put at its end
  Scope scope_;
  std::vector<OpenFunction> open_functions_;
  std::vector<OpenLoop> open_loops_;  // empty at the start of a closure
  std::vector<bool> exited_block_;    // by BlockId: ends with a return or raise
  Exits exits_;                       // what emit_exits.cc has to do
  std::vector<Meaning> children_;
  std::vector<SyntaxId> spine_;  // EmitMeaning's stack
  uint32_t depth_ = 0;
  std::vector<ValueId> empty_lists_;  // `[]` without a type; ascending
  std::unordered_map<std::string_view, SchemaId> wrapper_schemas_;  // by its text
  // Values of constants, at the start of the block that constants are put in.
  std::unordered_map<ConstantId, ValueId> constants_;
  NodeId last_constant_;
  BlockId constant_block_;
  // Names that statements set, by the syntax row that sets them; filled when a loop asks first.
  std::vector<std::pair<uint32_t, StringId>> names_set_;
  bool knows_names_set_ = false;
};

}  // namespace handrail::graph
