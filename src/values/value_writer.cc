#include "values/value_writer.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "handrail/values/object.h"

namespace handrail::values {
namespace {

constexpr std::string_view kListModule = "torch.jit._pickle";
constexpr std::string_view kTypeTag = "restore_type_tag";
constexpr uint32_t kOpen = UINT32_MAX;

std::string_view StorageClassOf(ElementType type) {
  switch (type) {
#define HANDRAIL_ELEMENT_TYPE(name, code, bytes, text, storage) \
  case ElementType::name:                                       \
    return storage;
#include "handrail/values/element_types.def"
  }
  return "ByteStorage";
}

// What the archive calls the lists of a type that it writes in short; "": none.
std::string_view BuilderOf(std::string_view list_type) {
  if (list_type == "List[int]") return "build_intlist";
  if (list_type == "List[float]") return "build_doublelist";
  if (list_type == "List[bool]") return "build_boollist";
  if (list_type == "List[Tensor]") return "build_tensorlist";
  return "";
}

std::string DictType(const Dict& dict) {
  if (!dict.type_text.empty()) return dict.type_text;
  const Value::Kind key =
      dict.entries().empty() ? Value::Kind::kString : dict.entries().front().first.kind();
  std::string_view name = ToString(key);
  if (key == Value::Kind::kString) name = "str";
  if (key == Value::Kind::kTensor) name = "Tensor";
  return fmt::format("Dict[{}, Any]", name);
}

class ValueWriter {
 public:
  ValueWriter(const StorageNameOf& name_of, PickleWriter& writer)
      : name_of_(name_of), writer_(writer) {}

  Status Write(const Value& value) {
    steps_.push_back({Then::kWrite, value, {}});
    while (!steps_.empty()) {
      const Step step = std::move(steps_.back());
      steps_.pop_back();
      if (step.then == Then::kWrite) {
        HANDRAIL_RETURN_IF_ERROR(Begin(step.value));
      } else {
        End(step);
      }
    }
    return {};
  }

 private:
  enum class Then : uint8_t {
    kWrite,
    kEndTuple,
    kEndList,
    kEndTypedList,
    kEndDict,
    kEndEnum,
    kEndObject,
    kMemoize,
  };
  struct Step {
    Then then;
    Value value;
    std::string type_text;  // kEndList, kEndDict
  };

  static const void* IdentityOf(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::kTensor:
        return &value.tensor();
      case Value::Kind::kList:
        return &value.list();
      case Value::Kind::kTuple:
        return &value.tuple();
      case Value::Kind::kDict:
        return &value.dict();
      case Value::Kind::kObject:
        return &value.object();
      default:
        return nullptr;
    }
  }

  Status Begin(const Value& value) {
    if (const void* identity = IdentityOf(value); identity != nullptr) {
      const auto [row, is_new] = memo_.try_emplace(identity, kOpen);
      if (!is_new && row->second == kOpen) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("cannot write a {} that contains itself", ToString(value.kind())));
      }
      if (!is_new) {
        writer_.Get(row->second);
        return {};
      }
      steps_.push_back({Then::kMemoize, value, {}});
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
      case Value::Kind::kString:
        writer_.Text(value.string());
        return {};
      case Value::Kind::kComplex:
        writer_.Global("builtins", "complex");
        writer_.BeginTuple(2);
        writer_.Double(value.complex_value().real());
        writer_.Double(value.complex_value().imag());
        writer_.EndTuple(2);
        writer_.Reduce();
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
      case Value::Kind::kCapsule:
        return Fail(ErrorCode::kInvalidArgument, "an archive cannot hold a capsule");
      case Value::Kind::kTuple:
        writer_.BeginTuple(value.tuple().elements.size());
        steps_.push_back({Then::kEndTuple, value, {}});
        PushAll(value.tuple().elements);
        return {};
      case Value::Kind::kList:
        return BeginList(value);
      case Value::Kind::kDict:
        writer_.Global(kListModule, kTypeTag);
        writer_.BeginDict();
        steps_.push_back({Then::kEndDict, value, DictType(value.dict())});
        for (auto entry = value.dict().entries().rbegin(); entry != value.dict().entries().rend();
             ++entry) {
          steps_.push_back({Then::kWrite, entry->second, {}});
          steps_.push_back({Then::kWrite, entry->first, {}});
        }
        return {};
      case Value::Kind::kEnum:
        WriteGlobal(value.enum_member().class_name);
        writer_.BeginTuple(1);
        steps_.push_back({Then::kEndEnum, value, {}});
        steps_.push_back({Then::kWrite, value.enum_member().value, {}});
        return {};
      case Value::Kind::kObject:
        BeginObject(value);
        return {};
    }
    return {};
  }

  Status BeginList(const Value& value) {
    const List& list = value.list();
    const std::string_view builder = BuilderOf(list.type_text);
    if (!builder.empty()) {
      writer_.BeginTypedList(builder);
      steps_.push_back({Then::kEndTypedList, value, {}});
    } else {
      writer_.Global(kListModule, kTypeTag);
      writer_.BeginList();
      steps_.push_back(
          {Then::kEndList, value, list.type_text.empty() ? "List[Any]" : list.type_text});
    }
    PushAll(list.elements);
    return {};
  }

  void BeginObject(const Value& value) {
    const Object& object = value.object();
    WriteGlobal(object.object_class().name);
    writer_.BeginTuple(0);
    writer_.EndTuple(0);
    writer_.NewObject();
    writer_.BeginDict();
    steps_.push_back({Then::kEndObject, value, {}});
    const auto& names = object.object_class().attributes;
    for (size_t i = names.size(); i-- > 0;) {
      steps_.push_back({Then::kWrite, object.slots[i], {}});
      steps_.push_back({Then::kWrite, Value(names[i]), {}});
    }
  }

  void End(const Step& step) {
    switch (step.then) {
      case Then::kWrite:
        return;
      case Then::kEndTuple:
        writer_.EndTuple(step.value.tuple().elements.size());
        return;
      case Then::kEndTypedList:
        writer_.EndTypedList();
        return;
      case Then::kEndList:
        writer_.EndList();
        EndTypeTag(step.type_text);
        return;
      case Then::kEndDict:
        writer_.EndDict();
        EndTypeTag(step.type_text);
        return;
      case Then::kEndEnum:
        writer_.EndTuple(1);
        writer_.Reduce();
        return;
      case Then::kEndObject:
        writer_.EndDict();
        writer_.Build();
        return;
      case Then::kMemoize:
        memo_[IdentityOf(step.value)] = writer_.Memoize();
        return;
    }
  }

  void EndTypeTag(std::string_view type_text) {
    writer_.Text(type_text);
    writer_.EndTuple(2);
    writer_.Reduce();
  }

  void WriteGlobal(std::string_view qualified_name) {
    const size_t dot = qualified_name.rfind('.');
    if (dot == std::string_view::npos) return writer_.Global("", qualified_name);
    writer_.Global(qualified_name.substr(0, dot), qualified_name.substr(dot + 1));
  }

  Status WriteStorage(const Tensor& tensor) {
    const Buffer* const buffer = tensor.buffer().get();
    if (const auto known = memo_.find(buffer); known != memo_.end()) {
      writer_.Get(known->second);
      return {};
    }
    HANDRAIL_ASSIGN_OR_RETURN(const StorageName name, name_of_(tensor));
    writer_.BeginTuple(5);
    writer_.Text("storage");
    writer_.Global("torch", StorageClassOf(tensor.element_type()));
    writer_.Text(name.key);
    writer_.Text(name.device);
    writer_.Int(static_cast<int64_t>(name.element_count));
    writer_.EndTuple(5);
    writer_.PersistentId();
    memo_.emplace(buffer, writer_.Memoize());
    return {};
  }

  Status WriteTensor(const Tensor& tensor) {
    writer_.Global("torch._utils", "_rebuild_tensor_v2");
    writer_.BeginTuple(6);
    HANDRAIL_RETURN_IF_ERROR(WriteStorage(tensor));
    writer_.Int(tensor.first_element());
    for (const auto& numbers : {tensor.sizes(), tensor.strides()}) {
      writer_.BeginTuple(numbers.size());
      for (const int64_t number : numbers) writer_.Int(number);
      writer_.EndTuple(numbers.size());
    }
    writer_.Bool(tensor.requires_grad());
    writer_.Global("collections", "OrderedDict");
    writer_.BeginTuple(0);
    writer_.EndTuple(0);
    writer_.Reduce();
    writer_.EndTuple(6);
    writer_.Reduce();
    return {};
  }

  void PushAll(const std::vector<Value>& values) {
    for (auto value = values.rbegin(); value != values.rend(); ++value) {
      steps_.push_back({Then::kWrite, *value, {}});
    }
  }

  const StorageNameOf& name_of_;
  PickleWriter& writer_;
  std::unordered_map<const void*, uint32_t> memo_;
  std::vector<Step> steps_;
};

}  // namespace

Status WriteValue(const Value& value, const StorageNameOf& name_of, PickleWriter& writer) {
  return ValueWriter(name_of, writer).Write(value);
}

}  // namespace handrail::values
