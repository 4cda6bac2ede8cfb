#include "handrail/values/instantiate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "archive/quoted.h"

namespace handrail::values {
namespace {

// Whether elements may be read where they lie.
bool IsAligned(std::span<const std::byte> bytes, ElementType type) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % SizeBytes(type) == 0;
}

Ref<Buffer> CopyOf(std::span<const std::byte> bytes) {
  Ref<Buffer> copy = Buffer::Allocate(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy->mutable_bytes());
  return copy;
}

}  // namespace

Instantiator::Instantiator(const ObjectGraph& graph, InstantiateOptions options)
    : graph_(graph),
      options_(std::move(options)),
      values_(graph.size()),
      progress_(graph.size(), Progress::kNotBegun),
      buffers_(graph.storage_count()) {}

// Parts are made before what they are part of. What can contain itself (lists, dicts, objects) is
// there, empty, before its parts are.
Result<Value> Instantiator::ValueOf(ValueId row) {
  std::vector<ValueId> begun;
  const size_t state_count = states_.size();
  std::vector<Step> steps{{row, false}};
  while (!steps.empty()) {
    const Step step = steps.back();
    steps.pop_back();
    if (!step.is_finish && progress_[step.row.index] != Progress::kNotBegun) continue;
    if (!step.is_finish) begun.push_back(step.row);
    Status done = step.is_finish ? Finish(step.row) : Begin(step.row, steps);
    if (!done) {
      // All that was begun may contain what failed.
      for (const ValueId part : begun) {
        progress_[part.index] = Progress::kNotBegun;
        values_[part.index] = Value();
      }
      states_.resize(state_count);
      return tl::unexpected<Error>(std::move(done).error());
    }
  }
  return values_[row.index];
}

std::vector<ObjectState> Instantiator::TakeStates() {
  return std::exchange(states_, {});
}

Status Instantiator::Begin(ValueId row, std::vector<Step>& steps) {
  Progress& progress = progress_[row.index];
  Value& value = values_[row.index];
  progress = Progress::kUsable;
  switch (graph_.kind(row)) {
    case ValueKind::kNone:
      return {};
    case ValueKind::kBool:
      value = Value(graph_.bool_value(row));
      return {};
    case ValueKind::kInt:
      value = Value(graph_.int_value(row));
      return {};
    case ValueKind::kFloat:
      value = Value(graph_.float_value(row));
      return {};
    case ValueKind::kComplex:
      value = Value(graph_.complex_value(row));
      return {};
    case ValueKind::kString:
      value = Value(graph_.string_value(row));
      return {};
    case ValueKind::kDevice:
      value = Value::Device(std::string(graph_.device(row)));
      return {};
    case ValueKind::kTensor: {
      HANDRAIL_ASSIGN_OR_RETURN(value, MakeTensor(graph_.tensor(row)));
      return {};
    }
    case ValueKind::kList: {
      Ref<List> list = MakeRef<List>();
      list->type_text = graph_.type_text(row);
      value = Value(std::move(list));
      break;
    }
    case ValueKind::kDict: {
      Ref<Dict> dict = MakeRef<Dict>();
      dict->type_text = graph_.type_text(row);
      value = Value(std::move(dict));
      break;
    }
    case ValueKind::kObject:
      value = Value(MakeRef<Object>(ClassOf(row)));
      break;
    case ValueKind::kTuple:
    case ValueKind::kEnum:
      progress = Progress::kOpen;
      break;
  }
  steps.push_back({row, true});
  const auto begin_part = [&](ValueId part) {
    if (!part.is_none() && progress_[part.index] == Progress::kNotBegun) {
      steps.push_back({part, false});
    }
  };
  const ValueKind kind = graph_.kind(row);
  if (kind == ValueKind::kObject || kind == ValueKind::kEnum) {
    begin_part(graph_.state(row));
    return {};
  }
  const std::span<const ValueId> parts = graph_.elements(row);
  for (size_t i = parts.size(); i-- > 0;) begin_part(parts[i]);
  return {};
}

Status Instantiator::Finish(ValueId row) {
  Value& value = values_[row.index];
  switch (graph_.kind(row)) {
    case ValueKind::kList: {
      HANDRAIL_ASSIGN_OR_RETURN(value.list().elements, PartsOf(row));
      return {};
    }
    case ValueKind::kTuple: {
      HANDRAIL_ASSIGN_OR_RETURN(std::vector<Value> parts, PartsOf(row));
      value = MakeTuple(std::move(parts));
      break;
    }
    case ValueKind::kDict: {
      HANDRAIL_ASSIGN_OR_RETURN(const std::vector<Value> parts, PartsOf(row));
      for (size_t i = 0; i + 1 < parts.size(); i += 2) value.dict().Set(parts[i], parts[i + 1]);
      return {};
    }
    case ValueKind::kEnum: {
      HANDRAIL_ASSIGN_OR_RETURN(Value member, Part(graph_.state(row), row));
      value = Value(MakeRef<EnumMember>(std::string(graph_.class_name(row)), std::string(),
                                        std::move(member)));
      break;
    }
    default:
      return FinishObject(row, value.object());
  }
  progress_[row.index] = Progress::kUsable;
  return {};
}

Status Instantiator::FinishObject(ValueId row, Object& object) {
  const ValueId state = graph_.state(row);
  if (options_.sets_state && options_.sets_state(graph_.class_name(row))) {
    Value wanted;
    if (!state.is_none()) {
      HANDRAIL_ASSIGN_OR_RETURN(wanted, Part(state, row));
    }
    states_.push_back({Ref<Object>::Share(object), std::move(wanted)});
    return {};
  }
  if (state.is_none()) return {};
  if (graph_.kind(state) != ValueKind::kDict) {
    return Fail(
        ErrorCode::kCorrupt,
        fmt::format(
            "the state of {}: need a dict of its attributes, for it has no __setstate__, found "
            "{}",
            Describe(row), ToString(graph_.kind(state))));
  }
  const std::span<const ValueId> entries = graph_.elements(state);
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    if (graph_.kind(entries[i]) != ValueKind::kString) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("the state of {}: need the name of an attribute as key {}, found {}",
                              Describe(row), i / 2, ToString(graph_.kind(entries[i]))));
    }
    const std::string_view name = graph_.string_value(entries[i]);
    Value* const slot = object.FindAttribute(name);
    if (slot == nullptr) {
      return Fail(ErrorCode::kCorrupt, fmt::format("the state of {}: its class has no attribute {}",
                                                   Describe(row), Quoted(name)));
    }
    HANDRAIL_ASSIGN_OR_RETURN(*slot, Part(entries[i + 1], row));
  }
  return {};
}

Result<Value> Instantiator::Part(ValueId row, ValueId whole) const {
  if (progress_[row.index] == Progress::kUsable) return values_[row.index];
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{} is part of itself, inside of {}", Describe(row), Describe(whole)));
}

Result<std::vector<Value>> Instantiator::PartsOf(ValueId row) const {
  std::vector<Value> parts;
  const std::span<const ValueId> rows = graph_.elements(row);
  parts.reserve(rows.size());
  for (const ValueId part : rows) {
    HANDRAIL_ASSIGN_OR_RETURN(Value value, Part(part, row));
    parts.push_back(std::move(value));
  }
  return parts;
}

Result<Value> Instantiator::MakeTensor(const StoredTensor& stored) {
  if (stored.quantization != Quantization::kNone) {
    return Fail(ErrorCode::kUnsupported, "a quantized tensor: only plain ones can be run");
  }
  const ElementType type = graph_.element_type(stored);
  Ref<Buffer>& buffer = buffers_[stored.storage.index];
  if (!buffer) {
    const std::span<const std::byte> bytes = graph_.storage(stored.storage).bytes;
    buffer = IsAligned(bytes, type) ? Buffer::View(bytes, options_.owner) : CopyOf(bytes);
  }
  Ref<Tensor> tensor = Tensor::View(buffer, type, graph_.sizes(stored), graph_.strides(stored),
                                    static_cast<int64_t>(stored.first_element));
  if (!tensor) {
    return Fail(
        ErrorCode::kCorrupt,
        fmt::format("a tensor of {} elements lies outside of its storage {}", ToString(type),
                    Quoted(graph_.text(graph_.storage(stored.storage).key))));
  }
  tensor->set_requires_grad(stored.requires_grad);
  return Value(std::move(tensor));
}

std::shared_ptr<const ObjectClass> Instantiator::ClassOf(ValueId object) {
  const std::string_view name = graph_.class_name(object);
  std::shared_ptr<const ObjectClass>& known = classes_[name];
  if (known) return known;
  ObjectClass made{.name = std::string(name), .attributes = {}};
  if (options_.attributes_of) made.attributes = options_.attributes_of(name);
  const ValueId state = graph_.state(object);
  if (made.attributes.empty() && !state.is_none() && graph_.kind(state) == ValueKind::kDict) {
    const std::span<const ValueId> entries = graph_.elements(state);
    for (size_t i = 0; i < entries.size(); i += 2) {
      if (graph_.kind(entries[i]) != ValueKind::kString) continue;
      made.attributes.emplace_back(graph_.string_value(entries[i]));
    }
  }
  known = std::make_shared<const ObjectClass>(std::move(made));
  return known;
}

std::string Instantiator::Describe(ValueId row) const {
  const ValueKind kind = graph_.kind(row);
  if (kind != ValueKind::kObject && kind != ValueKind::kEnum) return std::string(ToString(kind));
  return fmt::format("{} of {}", ToString(kind), graph_.class_name(row));
}

}  // namespace handrail::values
