#include "runtime/instructions.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "handrail/runtime/run_error.h"
#include "handrail/values/object.h"

#include "kernels/equality.h"

namespace handrail::runtime {
namespace {

using bytecode::Instruction;
using bytecode::Opcode;
using values::ElementType;
using values::Stack;
using values::Tensor;
using values::Value;
using Kind = Value::Kind;

const Value& OfKind(const Value& value, Kind kind) {
  if (value.kind() != kind) {
    throw ModelError(
        fmt::format("expected {}, but got {}", ToString(kind), ToString(value.kind())));
  }
  return value;
}

std::vector<Value> PopMany(Stack& stack, size_t count) {
  Need(stack, count);
  const auto first = stack.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<Value> values(std::make_move_iterator(first), std::make_move_iterator(stack.end()));
  stack.erase(first, stack.end());
  return values;
}

// Python's index into `size` elements.
size_t Index(int64_t index, size_t size, std::string_view message) {
  const int64_t wrapped = index < 0 ? index + static_cast<int64_t>(size) : index;
  if (wrapped < 0 || wrapped >= static_cast<int64_t>(size)) throw ModelError(std::string(message));
  return static_cast<size_t>(wrapped);
}

void UnpackList(size_t count, Stack& stack) {
  const Value list = Pop(stack);
  const std::vector<Value>& elements = OfKind(list, Kind::kList).list().elements;
  if (elements.size() != count) {
    throw ModelError(
        fmt::format("Expected {} elements in a list but found {}", count, elements.size()));
  }
  stack.insert(stack.end(), elements.begin(), elements.end());
}

void SliceTuple(const Instruction& instruction, Stack& stack) {
  const Value tuple = Pop(stack);
  const std::vector<Value>& elements = OfKind(tuple, Kind::kTuple).tuple().elements;
  const size_t end =
      std::min(static_cast<size_t>(std::max(instruction.x, 0)) + instruction.n, elements.size());
  const size_t begin = std::min(static_cast<size_t>(std::max(instruction.x, 0)), end);
  stack.push_back(values::MakeTuple({elements.begin() + static_cast<std::ptrdiff_t>(begin),
                                     elements.begin() + static_cast<std::ptrdiff_t>(end)}));
}

void IndexTuple(Stack& stack) {
  const Value index = Pop(stack);
  const Value tuple = Pop(stack);
  const std::vector<Value>& elements = OfKind(tuple, Kind::kTuple).tuple().elements;
  stack.push_back(elements[Index(OfKind(index, Kind::kInt).int_value(), elements.size(),
                                 "Tuple index out of range")]);
}

void IndexDict(Stack& stack) {
  const Value key = Pop(stack);
  const Value dict = Pop(stack);
  const Value* const found = OfKind(dict, Kind::kDict).dict().Find(key);
  if (found == nullptr) throw ModelError("KeyError: " + kernels::Describe(key));
  stack.push_back(*found);
}

void MakeDict(const LinkedFunction& function, const Instruction& instruction, Stack& stack) {
  std::vector<Value> elements = PopMany(stack, instruction.n & ~size_t{1});
  auto dict = values::MakeRef<values::Dict>();
  dict->type_text = function.function->types[static_cast<size_t>(instruction.x)];
  for (size_t i = 0; i + 1 < elements.size(); i += 2) {
    dict->Set(elements[i], std::move(elements[i + 1]));
  }
  stack.emplace_back(std::move(dict));
}

// Arguments in the place of each `{}`.
void Format(size_t count, Stack& stack) {
  if (count == 0) throw ModelError("format: need a text, have nothing");
  const std::vector<Value> arguments = PopMany(stack, count);
  const std::string& format = OfKind(arguments[0], Kind::kString).string();
  std::string text;
  size_t begin = 0;
  for (size_t used = 1;; ++used) {
    const size_t place = format.find("{}", begin);
    if (place == std::string::npos) break;
    text.append(format, begin, place - begin);
    if (used == arguments.size()) {
      throw ModelError("Too few arguments for format string: " + format);
    }
    text += kernels::Describe(arguments[used]);
    begin = place + 2;
  }
  text.append(format, begin);
  stack.emplace_back(std::move(text));
}

Value NumberAt(const Tensor& tensor, int64_t offset) {
  const auto at = [&]<typename T>(T) { return tensor.data<T>()[offset]; };
  switch (tensor.element_type()) {
    case ElementType::kFloat32:
      return Value(static_cast<double>(at(float{})));
    case ElementType::kFloat64:
      return Value(at(double{}));
    case ElementType::kInt64:
      return Value(at(int64_t{}));
    case ElementType::kInt32:
      return Value(int64_t{at(int32_t{})});
    case ElementType::kBool:
      return Value(at(uint8_t{}) != 0);
    default:
      throw ModelError(
          fmt::format("tolist: tensors of {} are not supported", ToString(tensor.element_type())));
  }
}

// Recursion is as deep as a tensor has dimensions.
Value ListOf(const Tensor& tensor, uint32_t dimension, int64_t offset) {
  if (dimension == tensor.dimension_count()) return NumberAt(tensor, offset);
  std::vector<Value> elements;
  for (int64_t i = 0; i < tensor.size(dimension); ++i) {
    elements.push_back(ListOf(tensor, dimension + 1, offset + i * tensor.stride(dimension)));
  }
  return values::MakeList(std::move(elements));
}

void NumberToTensor(Stack& stack) {
  const Value number = Pop(stack);
  values::TensorRef tensor;
  if (number.kind() == Kind::kFloat) {
    tensor = Tensor::Allocate(ElementType::kFloat64, {});
    *tensor->mutable_data<double>() = number.float_value();
  } else if (number.kind() == Kind::kBool) {
    tensor = Tensor::Allocate(ElementType::kBool, {});
    *tensor->mutable_data<uint8_t>() = number.bool_value() ? 1 : 0;
  } else {
    tensor = Tensor::Allocate(ElementType::kInt64, {});
    *tensor->mutable_data<int64_t>() = OfKind(number, Kind::kInt).int_value();
  }
  stack.emplace_back(std::move(tensor));
}

}  // namespace

Value Pop(Stack& stack) {
  Need(stack, 1);
  Value value = std::move(stack.back());
  stack.pop_back();
  return value;
}

void Need(const Stack& stack, size_t count) {
  if (stack.size() < count) [[unlikely]] {
    throw ModelError(fmt::format("need {} values on the stack, have {}", count, stack.size()));
  }
}

void RunValueInstruction(const LinkedFunction& function, const Instruction& instruction,
                         Stack& stack) {
  const auto x = static_cast<size_t>(instruction.x);
  switch (instruction.opcode) {
    case Opcode::LIST_UNPACK:
      return UnpackList(x, stack);
    case Opcode::TUPLE_CONSTRUCT:
      stack.push_back(values::MakeTuple(PopMany(stack, x)));
      return;
    case Opcode::NAMED_TUPLE_CONSTRUCT:
      stack.push_back(values::MakeTuple(PopMany(stack, instruction.n)));
      return;
    case Opcode::LIST_CONSTRUCT:
      stack.emplace_back(values::MakeRef<values::List>(PopMany(stack, instruction.n),
                                                       function.function->types[x]));
      return;
    case Opcode::DICT_CONSTRUCT:
      return MakeDict(function, instruction, stack);
    case Opcode::CREATE_OBJECT:
      stack.emplace_back(values::MakeRef<values::Object>(function.classes[x]));
      return;
    case Opcode::ISINSTANCE: {
      const Value value = Pop(stack);
      const auto first = function.type_tests.begin() + instruction.x;
      stack.emplace_back(std::any_of(first, first + instruction.n,
                                     [&](const TypeTest& test) { return test.Holds(value); }));
      return;
    }
    case Opcode::TUPLE_SLICE:
      return SliceTuple(instruction, stack);
    case Opcode::TUPLE_INDEX:
      return IndexTuple(stack);
    case Opcode::RAISE_EXCEPTION: {
      Pop(stack);  // the name of the exception's class, which PyTorch drops, too
      const Value message = Pop(stack);
      throw ModelError(OfKind(message, Kind::kString).string());
    }
    case Opcode::DICT_INDEX:
      return IndexDict(stack);
    case Opcode::UNCHECKED_CAST:
      return;
    case Opcode::__IS__:
    case Opcode::__ISNOT__: {
      const Value right = Pop(stack);
      const Value left = Pop(stack);
      stack.emplace_back(left.IsSame(right) == (instruction.opcode == Opcode::__IS__));
      return;
    }
    case Opcode::UN_INITIALIZED:
      stack.emplace_back();
      return;
    case Opcode::FORMAT:
      return Format(x, stack);
    case Opcode::DEVICE:
      OfKind(Pop(stack), Kind::kTensor);
      stack.push_back(Value::Device("cpu"));
      return;
    case Opcode::DTYPE: {
      const Value tensor = Pop(stack);
      stack.emplace_back(
          static_cast<int64_t>(OfKind(tensor, Kind::kTensor).tensor().element_type()));
      return;
    }
    case Opcode::DIM: {
      const Value tensor = Pop(stack);
      stack.emplace_back(int64_t{OfKind(tensor, Kind::kTensor).tensor().dimension_count()});
      return;
    }
    case Opcode::__NOT__: {
      const Value value = Pop(stack);
      stack.emplace_back(!OfKind(value, Kind::kBool).bool_value());
      return;
    }
    case Opcode::TO_LIST: {
      Pop(stack);  // the type's element and its depth, which the tensor says, too
      Pop(stack);
      const Value tensor = Pop(stack);
      stack.push_back(ListOf(OfKind(tensor, Kind::kTensor).tensor(), 0, 0));
      return;
    }
    case Opcode::NUM_TO_TENSOR:
      return NumberToTensor(stack);
    case Opcode::IS_CUDA:
      OfKind(Pop(stack), Kind::kTensor);
      stack.emplace_back(false);
      return;
    default:
      throw ModelError(
          fmt::format("instruction {} is not supported", ToString(instruction.opcode)));
  }
}

}  // namespace handrail::runtime
