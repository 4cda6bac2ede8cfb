#include "mobile_archive/value_writer.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "handrail/base/limits.h"

namespace handrail::mobile_archive {
namespace {

using values::ElementType;
using values::Tensor;
using values::Value;
using values::ValueId;
using values::ValueKind;

std::string_view StorageClassOf(ElementType type) {
  switch (type) {
#define HANDRAIL_ELEMENT_TYPE(name, code, bytes, text, storage) \
  case ElementType::name:                                       \
    return storage;
#include "handrail/values/element_types.def"
  }
  return "";
}

// The function of torch.jit._pickle that builds lists of this type; "": there is none.
std::string_view BuilderOf(std::string_view list_type) {
  if (list_type == "List[int]") return "build_intlist";
  if (list_type == "List[float]") return "build_doublelist";
  if (list_type == "List[bool]") return "build_boollist";
  if (list_type == "List[Tensor]") return "build_tensorlist";
  return "";
}

}  // namespace

StorageNames::StorageNames(const values::ObjectGraph& graph, values::Instantiator& instantiator) {
  for (uint32_t row = 0; row < graph.size(); ++row) {
    if (graph.kind({row}) != ValueKind::kTensor) continue;
    const Result<Value> tensor = instantiator.ValueOf({row});
    if (!tensor) continue;
    const values::Storage& storage = graph.storage(graph.tensor({row}).storage);
    names_.try_emplace(tensor->tensor().buffer().get(),
                       Name{std::string(graph.text(storage.key)),
                            std::string(graph.text(storage.device)), storage.element_count});
  }
}

const StorageNames::Name* StorageNames::Find(const values::Buffer& buffer) const {
  const auto found = names_.find(&buffer);
  return found == names_.end() ? nullptr : &found->second;
}

bool ValueWriter::WroteAgain(const values::Counted* value) {
  const auto known = memo_.find(value);
  if (known == memo_.end()) return false;
  writer_.Get(known->second);
  return true;
}

void ValueWriter::BeginTypeTag(std::string_view type) {
  if (type.empty()) return;
  writer_.Global("torch.jit._pickle", "restore_type_tag");
  writer_.BeginTuple(2);
}

void ValueWriter::EndTypeTag(std::string_view type) {
  if (type.empty()) return;
  writer_.Text(type);
  writer_.EndTuple(2);
  writer_.Reduce();
}

void ValueWriter::WriteStorage(const Tensor& tensor, const StorageNames::Name& name) {
  if (WroteAgain(tensor.buffer().get())) return;
  writer_.BeginTuple(5);
  writer_.Text("storage");
  writer_.Global("torch", StorageClassOf(tensor.element_type()));
  writer_.Text(name.key);
  writer_.Text(name.device);
  writer_.Int(static_cast<int64_t>(name.element_count));
  writer_.EndTuple(5);
  writer_.PersistentId();
  memo_.emplace(tensor.buffer().get(), writer_.Memoize());
}

Status ValueWriter::WriteTensor(const Tensor& tensor) {
  if (WroteAgain(&tensor)) return {};
  const StorageNames::Name* const name = storages_.Find(*tensor.buffer());
  if (name == nullptr) {
    return Fail(ErrorCode::kUnsupported, "constant: a tensor that lies in no record");
  }
  const auto write_numbers = [this](std::span<const int64_t> numbers) {
    writer_.BeginTuple(numbers.size());
    for (const int64_t number : numbers) writer_.Int(number);
    writer_.EndTuple(numbers.size());
  };
  writer_.Global("torch._utils", "_rebuild_tensor_v2");
  writer_.BeginTuple(6);
  WriteStorage(tensor, *name);
  writer_.Int(tensor.first_element());
  write_numbers(tensor.sizes());
  write_numbers(tensor.strides());
  writer_.Bool(tensor.requires_grad());
  writer_.Global("collections", "OrderedDict");
  writer_.BeginTuple(0);
  writer_.EndTuple(0);
  writer_.Reduce();
  writer_.EndTuple(6);
  writer_.Reduce();
  memo_.emplace(&tensor, writer_.Memoize());
  return {};
}

Status ValueWriter::WriteList(const values::List& list, uint32_t depth) {
  if (WroteAgain(&list)) return {};
  const std::string_view builder = BuilderOf(list.type_text);
  if (builder.empty()) {
    BeginTypeTag(list.type_text);
    writer_.BeginList();
  } else {
    writer_.BeginTypedList(builder);
  }
  for (const Value& element : list.elements) {
    HANDRAIL_RETURN_IF_ERROR(WriteAt(element, depth));
  }
  if (builder.empty()) {
    writer_.EndList();
    EndTypeTag(list.type_text);
  } else {
    writer_.EndTypedList();
  }
  memo_.emplace(&list, writer_.Memoize());
  return {};
}

Status ValueWriter::WriteTuple(const values::Tuple& tuple, uint32_t depth) {
  writer_.BeginTuple(tuple.elements.size());
  for (const Value& element : tuple.elements) {
    HANDRAIL_RETURN_IF_ERROR(WriteAt(element, depth));
  }
  writer_.EndTuple(tuple.elements.size());
  return {};
}

Status ValueWriter::WriteDict(const values::Dict& dict, uint32_t depth) {
  if (WroteAgain(&dict)) return {};
  BeginTypeTag(dict.type_text);
  writer_.BeginDict();
  for (const auto& [key, value] : dict.entries()) {
    HANDRAIL_RETURN_IF_ERROR(WriteAt(key, depth));
    HANDRAIL_RETURN_IF_ERROR(WriteAt(value, depth));
  }
  writer_.EndDict();
  EndTypeTag(dict.type_text);
  memo_.emplace(&dict, writer_.Memoize());
  return {};
}

Status ValueWriter::WriteEnum(const values::EnumMember& member, uint32_t depth) {
  const size_t dot = member.class_name.rfind('.');
  if (dot == std::string::npos) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("constant: an enum member of '{}'", member.class_name));
  }
  const std::string_view name = member.class_name;
  writer_.Global(name.substr(0, dot), name.substr(dot + 1));
  writer_.BeginTuple(1);
  HANDRAIL_RETURN_IF_ERROR(WriteAt(member.value, depth));
  writer_.EndTuple(1);
  writer_.Reduce();
  return {};
}

// Recurses as deep as the constant's type is.
Status ValueWriter::WriteAt(const Value& value, uint32_t depth) {
  if (depth == limits::kTypeDepthMax) {
    return Fail(ErrorCode::kLimit, "constant: containers inside of containers");
  }
  switch (value.kind()) {
    case Value::Kind::kNone:
      writer_.None();
      return {};
    case Value::Kind::kBool:
      writer_.Bool(value.bool_value());
      return {};
    case Value::Kind::kInt:
      writer_.Int(value.int_value());
      return {};
    case Value::Kind::kFloat:
      writer_.Double(value.float_value());
      return {};
    case Value::Kind::kComplex: {
      writer_.Global("builtins", "complex");
      writer_.BeginTuple(2);
      writer_.Double(value.complex_value().real());
      writer_.Double(value.complex_value().imag());
      writer_.EndTuple(2);
      writer_.Reduce();
      return {};
    }
    case Value::Kind::kString:
      writer_.Text(value.string());
      return {};
    case Value::Kind::kDevice:
      writer_.Global("torch", "device");
      writer_.BeginTuple(1);
      writer_.Text(value.device());
      writer_.EndTuple(1);
      writer_.Reduce();
      return {};
    case Value::Kind::kTensor:
      return WriteTensor(value.tensor());
    case Value::Kind::kList:
      return WriteList(value.list(), depth + 1);
    case Value::Kind::kTuple:
      return WriteTuple(value.tuple(), depth + 1);
    case Value::Kind::kDict:
      return WriteDict(value.dict(), depth + 1);
    case Value::Kind::kEnum:
      return WriteEnum(value.enum_member(), depth + 1);
    case Value::Kind::kObject:
    case Value::Kind::kCapsule:
      break;
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("constant: need a value that PyTorch's mobile runtime reads, have {}",
                          values::ToString(value.kind())));
}

}  // namespace handrail::mobile_archive
