#include "backends/reference/reference_blob.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "handrail/values/object.h"

namespace handrail::reference {
namespace {

using values::Dict;
using values::List;
using values::MakeRef;
using values::MakeTuple;
using values::Object;
using values::ObjectClass;
using values::Value;
using Kind = values::Value::Kind;

constexpr size_t kInstructionInts = 3;
constexpr size_t kLinkInts = 2;
constexpr std::string_view kInts = "List[int]";

tl::unexpected<Error> NoBlob(std::string_view what) {
  return Fail(ErrorCode::kCorrupt, fmt::format("no blob of the reference backend: {}", what));
}

Value IntList(const std::vector<int64_t>& ints) {
  std::vector<Value> elements;
  elements.reserve(ints.size());
  for (const int64_t value : ints) elements.emplace_back(value);
  return Value(MakeRef<List>(std::move(elements), std::string(kInts)));
}

template <typename Texts>
Value TextTuple(const Texts& texts) {
  std::vector<Value> elements;
  elements.reserve(texts.size());
  for (const auto& text : texts) elements.emplace_back(std::string_view(text));
  return MakeTuple(std::move(elements));
}

Value WriteMethod(const Method& method) {
  const bytecode::Function& function = method.function;
  std::vector<int64_t> instructions;
  for (const bytecode::Instruction& instruction : function.instructions) {
    instructions.push_back(static_cast<int64_t>(instruction.opcode));
    instructions.push_back(instruction.x);
    instructions.push_back(instruction.n);
  }
  std::vector<Value> operators;
  for (const bytecode::Operator& op : function.operators) {
    operators.push_back(
        MakeTuple({Value(op.name), Value(op.overload), Value(int64_t{op.argument_count})}));
  }
  return MakeTuple({IntList(instructions), IntList(function.handles),
                    MakeTuple(std::move(operators)), MakeTuple(function.constants),
                    TextTuple(function.types), Value(int64_t{function.register_count}),
                    Value(method.gives_tuple)});
}

// Objects by how they are reached; parts come before what they are part of.
class ObjectWriter {
 public:
  explicit ObjectWriter(const std::vector<values::ObjectState>& states) {
    for (const values::ObjectState& state : states) {
      states_.emplace(state.object.get(), state.state);
    }
  }

  Result<Value> Write(const Value& root) && {
    std::vector<const Object*> open{&root.object()};
    while (!open.empty()) {
      const Object* const object = open.back();
      if (numbers_.contains(object)) {
        open.pop_back();
        continue;
      }
      const size_t open_count = open.size();
      for (const Value& slot : object->slots) {
        if (slot.kind() != Kind::kObject || numbers_.contains(&slot.object())) continue;
        if (std::find(open.begin(), open.end(), &slot.object()) != open.end()) {
          return Fail(ErrorCode::kUnsupported,
                      fmt::format("an object of {} contains itself", object->object_class().name));
        }
        open.push_back(&slot.object());
      }
      if (open.size() != open_count) continue;
      open.pop_back();
      HANDRAIL_RETURN_IF_ERROR(Add(*object));
    }
    return MakeTuple(std::move(rows_));
  }

 private:
  static bool IsContainer(const Value& value) {
    return value.kind() == Kind::kList || value.kind() == Kind::kTuple ||
           value.kind() == Kind::kDict;
  }

  // Whether there is an object somewhere in a container.
  static bool HoldsObject(const Value& container) {
    std::vector<const Value*> pending{&container};
    std::unordered_map<const void*, bool> seen;
    const auto push = [&](const Value& value) { pending.push_back(&value); };
    while (!pending.empty()) {
      const Value& value = *pending.back();
      pending.pop_back();
      if (value.kind() == Kind::kObject) return true;
      if (value.kind() == Kind::kList && seen.emplace(&value.list(), true).second) {
        for (const Value& element : value.list().elements) push(element);
      } else if (value.kind() == Kind::kTuple && seen.emplace(&value.tuple(), true).second) {
        for (const Value& element : value.tuple().elements) push(element);
      } else if (value.kind() == Kind::kDict && seen.emplace(&value.dict(), true).second) {
        for (const auto& [key, element] : value.dict().entries()) push(element);
      }
    }
    return false;
  }

  Status Add(const Object& object) {
    const ObjectClass& object_class = object.object_class();
    std::vector<Value> slots;
    std::vector<int64_t> links;
    for (size_t i = 0; i < object.slots.size(); ++i) {
      const Value& slot = object.slots[i];
      if (slot.kind() == Kind::kObject) {
        links.push_back(static_cast<int64_t>(i));
        links.push_back(numbers_.at(&slot.object()));
        slots.emplace_back();
        continue;
      }
      if (IsContainer(slot) && HoldsObject(slot)) {
        return Fail(
            ErrorCode::kUnsupported,
            fmt::format("attribute '{}' of {}: an object inside of a {}",
                        object_class.attributes[i], object_class.name, ToString(slot.kind())));
      }
      slots.push_back(slot);
    }
    const auto state = states_.find(&object);
    numbers_.emplace(&object, static_cast<int64_t>(rows_.size()));
    rows_.push_back(MakeTuple({Value(object_class.name), TextTuple(object_class.attributes),
                               MakeTuple(std::move(slots)), IntList(links),
                               state == states_.end() ? Value() : state->second}));
    return {};
  }

  std::unordered_map<const Object*, Value> states_;
  std::unordered_map<const Object*, int64_t> numbers_;
  std::vector<Value> rows_;
};

// The parts of a tuple of `size`, or nothing.
const std::vector<Value>* PartsOf(const Value& value, std::optional<size_t> size = std::nullopt) {
  if (value.kind() != Kind::kTuple) return nullptr;
  const std::vector<Value>& parts = value.tuple().elements;
  return size && parts.size() != *size ? nullptr : &parts;
}

std::optional<std::vector<int64_t>> IntsOf(const Value& value) {
  if (value.kind() != Kind::kList) return std::nullopt;
  std::vector<int64_t> ints;
  for (const Value& element : value.list().elements) {
    if (element.kind() != Kind::kInt) return std::nullopt;
    ints.push_back(element.int_value());
  }
  return ints;
}

std::optional<std::vector<std::string>> TextsOf(const Value& value) {
  const std::vector<Value>* const parts = PartsOf(value);
  if (parts == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const Value& part : *parts) {
    if (part.kind() != Kind::kString) return std::nullopt;
    texts.push_back(part.string());
  }
  return texts;
}

template <typename Number>
bool Fits(int64_t value) {
  return value >= std::numeric_limits<Number>::min() && value <= std::numeric_limits<Number>::max();
}

std::optional<bytecode::Opcode> OpcodeOf(int64_t code) {
  switch (code) {
#define HANDRAIL_OPCODE(name, number) \
  case number:                        \
    return bytecode::Opcode::name;
#include "handrail/bytecode/opcodes.def"
    default:
      return std::nullopt;
  }
}

Result<Method> ReadMethod(const std::string& name, const Value& value) {
  const std::vector<Value>* const parts = PartsOf(value, 7);
  if (parts == nullptr) return NoBlob("a method");
  const auto instructions = IntsOf((*parts)[0]);
  auto handles = IntsOf((*parts)[1]);
  const std::vector<Value>* const operators = PartsOf((*parts)[2]);
  const std::vector<Value>* const constants = PartsOf((*parts)[3]);
  auto types = TextsOf((*parts)[4]);
  const Value& registers = (*parts)[5];
  if (!instructions || instructions->size() % kInstructionInts != 0 || !handles ||
      operators == nullptr || constants == nullptr || !types || registers.kind() != Kind::kInt ||
      !Fits<uint16_t>(registers.int_value()) || (*parts)[6].kind() != Kind::kBool) {
    return NoBlob(fmt::format("method '{}'", name));
  }
  Method method;
  method.gives_tuple = (*parts)[6].bool_value();
  bytecode::Function& function = method.function;
  function.name = name;
  for (size_t i = 0; i < instructions->size(); i += kInstructionInts) {
    const int64_t* const row = instructions->data() + i;
    const auto opcode = OpcodeOf(row[0]);
    if (!opcode || !Fits<int32_t>(row[1]) || !Fits<uint16_t>(row[2])) {
      return NoBlob(fmt::format("method '{}': instruction {}", name, i / kInstructionInts));
    }
    function.instructions.push_back(
        {*opcode, static_cast<uint16_t>(row[2]), static_cast<int32_t>(row[1])});
  }
  for (const Value& row : *operators) {
    const std::vector<Value>* const op = PartsOf(row, 3);
    if (op == nullptr || (*op)[0].kind() != Kind::kString || (*op)[1].kind() != Kind::kString ||
        (*op)[2].kind() != Kind::kInt || !Fits<int32_t>((*op)[2].int_value())) {
      return NoBlob(fmt::format("method '{}': an operator", name));
    }
    function.operators.push_back(
        {(*op)[0].string(), (*op)[1].string(), static_cast<int32_t>((*op)[2].int_value())});
  }
  function.handles = *std::move(handles);
  function.constants = *constants;
  function.types = *std::move(types);
  function.register_count = static_cast<uint32_t>(registers.int_value());
  HANDRAIL_RETURN_IF_ERROR(bytecode::Verify(function));
  return method;
}

Status ReadObjects(const std::vector<Value>& rows, ReadModule& module) {
  std::vector<Value> objects;
  std::unordered_map<std::string, std::shared_ptr<const ObjectClass>> classes;
  for (const Value& row : rows) {
    const std::vector<Value>* const parts = PartsOf(row, 5);
    if (parts == nullptr || (*parts)[0].kind() != Kind::kString) return NoBlob("an object");
    auto attributes = TextsOf((*parts)[1]);
    const std::vector<Value>* const slots = PartsOf((*parts)[2]);
    const auto links = IntsOf((*parts)[3]);
    const std::string& class_name = (*parts)[0].string();
    if (!attributes || slots == nullptr || slots->size() != attributes->size() || !links ||
        links->size() % kLinkInts != 0) {
      return NoBlob(fmt::format("object of '{}'", class_name));
    }
    auto& object_class = classes[class_name];
    if (object_class == nullptr || object_class->attributes != *attributes) {
      object_class =
          std::make_shared<const ObjectClass>(ObjectClass{class_name, *std::move(attributes)});
    }
    auto object = MakeRef<Object>(object_class);
    object->slots = *slots;
    for (size_t i = 0; i < links->size(); i += kLinkInts) {
      const int64_t slot = (*links)[i];
      const int64_t target = (*links)[i + 1];
      if (slot < 0 || static_cast<size_t>(slot) >= object->slots.size() || target < 0 ||
          static_cast<size_t>(target) >= objects.size()) {
        return NoBlob(fmt::format("object of '{}': a link", class_name));
      }
      object->slots[static_cast<size_t>(slot)] = objects[static_cast<size_t>(target)];
    }
    if (!(*parts)[4].is_none()) module.states.push_back({object, (*parts)[4]});
    objects.emplace_back(std::move(object));
  }
  if (objects.empty()) return NoBlob("no objects");
  module.self = objects.back();
  return {};
}

}  // namespace

Result<Value> WriteBlob(const ModuleToLower& module, const std::vector<Method>& methods) {
  auto programs = MakeRef<Dict>();
  programs->type_text = "Dict[str, Any]";
  for (const Method& method : methods) {
    programs->Set(Value(method.function.name), WriteMethod(method));
  }
  HANDRAIL_ASSIGN_OR_RETURN(Value objects, ObjectWriter(module.states).Write(module.object));
  return MakeTuple({Value(std::move(programs)), std::move(objects)});
}

Result<ReadModule> ReadBlob(const Value& blob) {
  const std::vector<Value>* const parts = PartsOf(blob, 2);
  if (parts == nullptr || (*parts)[0].kind() != Kind::kDict) return NoBlob("need a pair");
  ReadModule module;
  for (const auto& [name, method] : (*parts)[0].dict().entries()) {
    if (name.kind() != Kind::kString) return NoBlob("a method's name");
    HANDRAIL_ASSIGN_OR_RETURN(Method read, ReadMethod(name.string(), method));
    module.methods.push_back(std::move(read));
  }
  const std::vector<Value>* const objects = PartsOf((*parts)[1]);
  if (objects == nullptr) return NoBlob("objects");
  HANDRAIL_RETURN_IF_ERROR(ReadObjects(*objects, module));
  return module;
}

}  // namespace handrail::reference
