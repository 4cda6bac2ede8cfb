#include "torch_debug/module_paths.h"

#include <utility>

#include <fmt/format.h>

#include "archive/quoted.h"
#include "torch_debug/identity_map.h"
#include "torch_debug/pickle_shape.h"

namespace handrail {
namespace {

constexpr std::string_view kPathsKey = "module_debug_info";
// Of one node in the builder, whose tables grow by doubling.
constexpr uint64_t kNodeBytes = 2 * (sizeof(DebugHandle) + sizeof(Node));
// Of one step of a path: a stack, a call site and up to three strings.
constexpr uint64_t kStepBytes = 512;

class PathReader {
 public:
  PathReader(const Pickle& pickle, TaggedRanges& ranges, DebugInfoBuilder& builder,
             MemoryBudget& budget, WarningList& warnings)
      : pickle_(pickle),
        ranges_(ranges),
        builder_(builder),
        warnings_(warnings),
        charge_(budget),
        not_recorded_(builder.AddGap(RangeGap::kNotRecorded)),
        damaged_(builder.AddGap(RangeGap::kDamagedRecord)) {}

  // `index` counts the functions of the record.
  Status ReadFunction(PickleValue entry, const BytecodeRecord* bytecode, size_t index);
  // Numbers the operators of a function that ReadFunction failed for.
  Status AddDamaged(const BytecodeRecord::Function& function);

 private:
  static constexpr uint32_t kUnreadable = UINT32_MAX - 1;
  static constexpr uint32_t kTopLevel = UINT32_MAX - 2;

  Result<Node> ReadPath(PickleValue value);
  Result<StackId> ReadStack(PickleValue text);

  const Pickle& pickle_;
  TaggedRanges& ranges_;
  DebugInfoBuilder& builder_;
  WarningList& warnings_;
  MemoryCharge charge_;
  RangeId not_recorded_;
  RangeId damaged_;
  IdentityMap stacks_;  // of path texts: a stack, or one of the constants
  DebugHandle next_handle_ = 0;
};

Result<StackId> PathReader::ReadStack(PickleValue text) {
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view path, pickle_.ExpectText(text, "module path"));
  const auto fail = [&] {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("module path: need 'top(T).name(T).function' or the like, have {}",
                            Quoted(path)),
                pickle_.OffsetOf(text));
  };
  const uint32_t known = stacks_.Find(text.identity());
  if (known == kTopLevel) return StackId::none();
  if (known == kUnreadable) return fail();
  if (known != IdentityMap::kAbsent) return StackId{known};

  const auto steps = ParseModulePath(path);
  HANDRAIL_RETURN_IF_ERROR(
      charge_.Take((steps ? steps->size() + 1 : 1) * kStepBytes + path.size(), "module paths"));
  StackId stack;
  if (steps) {
    for (const ModulePathStep& step : *steps) {
      CallSite site;
      if (!step.function.empty()) site.function = builder_.AddString(step.function);
      if (!step.module_type.empty() || !step.module_name.empty()) {
        site.module_type = builder_.AddString(step.module_type);
        site.module_name = builder_.AddString(step.module_name);
      }
      site.range = not_recorded_;
      stack = builder_.AddCall(stack, site);
    }
  }
  stacks_.Insert(text.identity(), 0,
                 !steps            ? kUnreadable
                 : stack.is_none() ? kTopLevel
                                   : stack.index);
  if (!steps) return fail();
  return stack;
}

Result<Node> PathReader::ReadPath(PickleValue value) {
  Node node;
  node.range = not_recorded_;
  PickleValue text = value;
  if (value.is_tuple()) {
    HANDRAIL_ASSIGN_OR_RETURN(const auto parts,
                              ExpectTupleOf(pickle_, value, "module path with tag", 2));
    HANDRAIL_ASSIGN_OR_RETURN(const int64_t tag, pickle_.ExpectInt(parts[1], "source range tag"));
    text = parts[0];
    node.range = ranges_.Find(tag);
    if (ranges_.IsUndefined(node.range)) {
      warnings_.Add(kModulePathsName, Fault::kUndefinedTag, ErrorCode::kCorrupt, [&] {
        return fmt::format("source range tag {} is defined by no debug_pkl record", tag);
      });
    }
  }
  HANDRAIL_ASSIGN_OR_RETURN(node.stack, ReadStack(text));
  return node;
}

Status PathReader::ReadFunction(PickleValue entry, const BytecodeRecord* bytecode, size_t index) {
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts, pickle_.ExpectTuple(entry, "function", 2));
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view name, ExpectFunctionName(pickle_, parts[0]));
  HANDRAIL_ASSIGN_OR_RETURN(const auto table, pickle_.ExpectTuple(parts[1], "debug info", 1));
  HANDRAIL_ASSIGN_OR_RETURN(const auto row, pickle_.ExpectTuple(table[0], "debug info", 2));
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view key, pickle_.ExpectText(row[0], "debug info"));
  if (key != kPathsKey) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("debug info: need {}, have {}", Quoted(kPathsKey), Quoted(key)));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const auto paths, ExpectAnyTuple(pickle_, row[1], "module paths"));
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(paths.size() * kNodeBytes, "module paths"));

  std::span<const PickleValue> operators;
  if (bytecode != nullptr && index < bytecode->functions().size()) {
    const BytecodeRecord::Function& function = bytecode->functions()[index];
    if (function.name != name) {
      warnings_.Add(kModulePathsName, Fault::kFunctionName, ErrorCode::kConflict, [&] {
        return fmt::format("function {}: need name {} (from bytecode.pkl), have {}", index,
                           Quoted(function.name), Quoted(name));
      });
    } else if (function.operators.size() != paths.size()) {
      warnings_.Add(kModulePathsName, Fault::kInstructionCount, ErrorCode::kConflict, [&] {
        return fmt::format("function {}: need {} module paths (operators in bytecode.pkl), have {}",
                           Quoted(name), function.operators.size(), paths.size());
      });
    } else {
      operators = function.operators;
    }
  }
  const StringId function_name = builder_.AddString(name);
  for (size_t i = 0; i < paths.size(); ++i) {
    Result<Node> node = ReadPath(paths[i]);
    if (!node) {
      warnings_.Add(
          kModulePathsName, Fault::kEntry,
          std::move(node).error().In(fmt::format("function {}: operator {}", Quoted(name), i)));
      node = Node{{}, damaged_, {}, {}};
    } else if (!operators.empty()) {
      const std::string_view op = BytecodeRecord::OperatorName(operators[i]);
      if (!op.empty() && op.size() <= kFunctionNameBytesMax) node->name = builder_.AddString(op);
    }
    node->function = function_name;
    builder_.AddForeignNode(next_handle_++, *node);
  }
  return {};
}

Status PathReader::AddDamaged(const BytecodeRecord::Function& function) {
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(function.operators.size() * kNodeBytes, "module paths"));
  const StringId name = builder_.AddString(function.name);
  for (size_t i = 0; i < function.operators.size(); ++i) {
    builder_.AddForeignNode(next_handle_++, Node{{}, damaged_, {}, name});
  }
  return {};
}

}  // namespace

std::optional<std::vector<ModulePathStep>> ParseModulePath(std::string_view path) {
  constexpr std::string_view kTop = "top(";
  if (!path.starts_with(kTop)) return std::nullopt;
  path.remove_prefix(kTop.size());
  const size_t top_end = path.find(')');
  if (top_end == std::string_view::npos) return std::nullopt;
  path.remove_prefix(top_end + 1);

  std::vector<ModulePathStep> steps;
  bool has_function = false;  // of the step, or of the top module
  while (!path.empty()) {
    if (path.front() != '.') return std::nullopt;
    path.remove_prefix(1);
    const size_t end = path.find_first_of(".()");
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(name.size());
    if (path.starts_with('(')) {
      const size_t type_end = path.find(')');
      if (type_end == std::string_view::npos) return std::nullopt;
      const std::string_view type = path.substr(1, type_end - 1);
      if (type.find('(') == std::string_view::npos) {
        steps.push_back(ModulePathStep{name, type, {}});
      } else if (name.empty()) {
        // ".(UNKNOWN_INSTANCE(UNKNOWN_TYPE)": how the first releases wrote an unknown instance.
        steps.push_back(ModulePathStep{});
      } else {
        return std::nullopt;
      }
      path.remove_prefix(type_end + 1);
      has_function = false;
    } else if (name.empty() || has_function) {
      return std::nullopt;
    } else {
      if (!steps.empty()) steps.back().function = name;
      has_function = true;
    }
  }
  return steps;
}

Status AddModulePathNodes(std::span<const std::byte> content, const BytecodeRecord* bytecode,
                          TaggedRanges& ranges, DebugInfoBuilder& builder, MemoryBudget& budget,
                          WarningList& warnings) {
  HANDRAIL_ASSIGN_OR_RETURN(const Pickle pickle, Pickle::Parse(content, budget));
  HANDRAIL_ASSIGN_OR_RETURN(auto entries, ExpectAnyTuple(pickle, pickle.root(), "module paths"));
  if (!entries.empty() && entries[0].is_int()) entries = entries.subspan(1);
  if (bytecode != nullptr && bytecode->functions().size() != entries.size()) {
    warnings.Add(kModulePathsName, Fault::kFunctionCount, ErrorCode::kConflict, [&] {
      return fmt::format("need {} functions (from bytecode.pkl), have {}",
                         bytecode->functions().size(), entries.size());
    });
  }
  PathReader reader(pickle, ranges, builder, budget, warnings);
  for (size_t i = 0; i < entries.size(); ++i) {
    Status status = reader.ReadFunction(entries[i], bytecode, i);
    if (status) continue;
    warnings.Add(kModulePathsName, Fault::kEntry,
                 std::move(status).error().In(fmt::format("entry {}", i + 1)));
    // Without its length, what follows would get other numbers than in the intact file.
    if (bytecode == nullptr || i >= bytecode->functions().size()) break;
    HANDRAIL_RETURN_IF_ERROR(reader.AddDamaged(bytecode->functions()[i]));
  }
  return {};
}

}  // namespace handrail
