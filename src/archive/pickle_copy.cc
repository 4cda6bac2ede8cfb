#include "archive/pickle_copy.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace handrail {
namespace {

constexpr uint32_t kOpen = UINT32_MAX;

constexpr std::string_view kListModule = "torch.jit._pickle";

// Values with parts; each of them has an identity.
bool HasParts(PickleValue value) {
  switch (value.kind()) {
    case PickleKind::kTuple:
      return value.size() != 0;
    case PickleKind::kList:
    case PickleKind::kDict:
    case PickleKind::kObject:
    case PickleKind::kPersistentId:
      return true;
    default:
      return false;
  }
}

// The list of `torch.jit._pickle.build_…list(list)`; nothing for other objects.
std::optional<PickleValue> TypedListOf(PickleValue object) {
  if (object.is_new_object() || object.state() || object.items()) return std::nullopt;
  const PickleValue callable = object.callable();
  if (callable.kind() != PickleKind::kGlobal || callable.global_module() != kListModule ||
      !callable.global_name().starts_with("build_")) {
    return std::nullopt;
  }
  return object.TypedList(callable.global_name());
}

// Appends the parts of a value, in the order of the pickle.
void AppendParts(PickleValue value, std::vector<PickleValue>& parts) {
  switch (value.kind()) {
    case PickleKind::kTuple:
    case PickleKind::kList:
    case PickleKind::kDict: {
      const auto elements = value.elements();
      parts.insert(parts.end(), elements.begin(), elements.end());
      return;
    }
    case PickleKind::kObject:
      if (const auto list = TypedListOf(value)) {
        AppendParts(*list, parts);
        return;
      }
      parts.push_back(value.args());
      if (const auto state = value.state()) parts.push_back(*state);
      return;
    case PickleKind::kPersistentId:
      parts.push_back(value.persistent_id());
      return;
    default:
      return;
  }
}

}  // namespace

PickleCopier::PickleCopier(const Pickle& pickle, PickleValue root, PickleWriter& writer,
                           PickleCopyChanges changes)
    : pickle_(pickle), writer_(writer), changes_(std::move(changes)) {
  CountReferences(root);
}

void PickleCopier::CountReferences(PickleValue root) {
  std::vector<PickleValue> pending{root};
  while (!pending.empty()) {
    const PickleValue value = pending.back();
    pending.pop_back();
    if (!HasParts(value)) continue;
    if (++references_[value.identity()] == 1) AppendParts(value, pending);
  }
}

void PickleCopier::PushAll(std::span<const PickleValue> values) {
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    steps_.push_back({Then::kCopy, *value});
  }
}

Status PickleCopier::Copy(PickleValue value) {
  steps_.assign(1, {Then::kCopy, value});
  while (!steps_.empty()) {
    const Step step = steps_.back();
    steps_.pop_back();
    if (step.then == Then::kCopy) {
      HANDRAIL_RETURN_IF_ERROR(Begin(step.value));
    } else {
      End(step);
    }
  }
  return {};
}

Status PickleCopier::Begin(PickleValue value) {
  switch (value.kind()) {
    case PickleKind::kNone:
      writer_.None();
      return {};
    case PickleKind::kBool:
      writer_.Bool(value.as_bool());
      return {};
    case PickleKind::kInt:
      writer_.Int(value.as_int());
      return {};
    case PickleKind::kDouble:
      writer_.Double(value.as_double());
      return {};
    case PickleKind::kText:
      writer_.Text(value.as_text());
      return {};
    case PickleKind::kGlobal:
      writer_.Global(value.global_module(), value.global_name());
      return {};
    case PickleKind::kBytes:
      return Fail(ErrorCode::kUnsupported, fmt::format("cannot copy {}", pickle_.Describe(value)));
    default:
      break;
  }
  if (HasParts(value)) {
    const auto known = memo_.find(value.identity());
    if (known != memo_.end() && known->second == kOpen) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("cannot copy {}: it contains itself", pickle_.Describe(value)),
                  pickle_.OffsetOf(value));
    }
    if (known != memo_.end()) {
      writer_.Get(known->second);
      return {};
    }
    // Also what is reached once is open until it ends: it could contain itself.
    memo_.emplace(value.identity(), kOpen);
    steps_.push_back({Then::kMemoize, value});
  }
  switch (value.kind()) {
    case PickleKind::kTuple:
      writer_.BeginTuple(value.size());
      steps_.push_back({Then::kEndTuple, value});
      PushAll(value.elements());
      return {};
    case PickleKind::kList:
      writer_.BeginList();
      steps_.push_back({Then::kEndList, value});
      PushAll(value.elements());
      return {};
    case PickleKind::kDict:
      writer_.BeginDict();
      steps_.push_back({Then::kEndDict, value});
      PushAll(value.elements());
      return {};
    case PickleKind::kPersistentId:
      if (changes_.persistent_id) changes_.persistent_id(value.persistent_id());
      steps_.push_back({Then::kPersistentId, value});
      steps_.push_back({Then::kCopy, value.persistent_id()});
      return {};
    default:
      return BeginObject(value);
  }
}

Status PickleCopier::BeginObject(PickleValue value) {
  if (value.items()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("cannot copy {}: it has items", pickle_.Describe(value)),
                pickle_.OffsetOf(value));
  }
  if (const auto list = TypedListOf(value)) {
    writer_.BeginTypedList(value.callable().global_name());
    steps_.push_back({Then::kEndTypedList, value});
    PushAll(list->elements());
    return {};
  }
  if (value.is_new_object() && changes_.replace) {
    HANDRAIL_ASSIGN_OR_RETURN(const bool is_replaced, changes_.replace(value, writer_));
    if (is_replaced) return {};
  }
  if (const auto state = value.state()) {
    steps_.push_back({Then::kBuild, value});
    steps_.push_back({Then::kCopy, *state});
  }
  steps_.push_back({value.is_new_object() ? Then::kNewObject : Then::kReduce, value});
  steps_.push_back({Then::kCopy, value.args()});
  const std::string name =
      value.is_new_object() && changes_.rename ? changes_.rename(value) : std::string();
  if (const size_t dot = name.rfind('.'); dot != std::string::npos) {
    writer_.Global(name.substr(0, dot), name.substr(dot + 1));
  } else {
    steps_.push_back({Then::kCopy, value.callable()});
  }
  return {};
}

void PickleCopier::End(const Step& step) {
  switch (step.then) {
    case Then::kCopy:
      return;
    case Then::kEndTuple:
      writer_.EndTuple(step.value.size());
      return;
    case Then::kEndList:
      writer_.EndList();
      return;
    case Then::kEndTypedList:
      writer_.EndTypedList();
      return;
    case Then::kEndDict:
      writer_.EndDict();
      return;
    case Then::kReduce:
      writer_.Reduce();
      return;
    case Then::kNewObject:
      writer_.NewObject();
      return;
    case Then::kBuild:
      writer_.Build();
      return;
    case Then::kPersistentId:
      writer_.PersistentId();
      return;
    case Then::kMemoize:
      if (references_[step.value.identity()] > 1) {
        memo_[step.value.identity()] = writer_.Memoize();
      } else {
        memo_.erase(step.value.identity());
      }
      return;
  }
}

}  // namespace handrail
