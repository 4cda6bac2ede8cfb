#include "runtime/interpreter.h"

#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "handrail/base/limits.h"
#include "handrail/runtime/run_error.h"

#include "kernels/equality.h"
#include "runtime/instructions.h"

namespace handrail::runtime {
namespace {

using bytecode::Instruction;
using bytecode::Opcode;
using values::Stack;
using values::Value;

// Calls inside of calls: stops a method that calls itself without end.
constexpr size_t kFramesMax = 10'000;

[[noreturn]] void FailWithoutKernel(const LinkedFunction& function, size_t row) {
  throw ModelError(
      fmt::format("no kernel for operator '{}'", FullName(function.function->operators[row])));
}

void CallOperator(const LinkedFunction& function, size_t row, Stack& stack) {
  const LinkedOperator& op = function.operators[row];
  if (op.kernel == nullptr) [[unlikely]] {
    FailWithoutKernel(function, row);
  }
  Need(stack, op.argument_count);
  for (const Value& value : op.defaults) stack.push_back(value);
  op.kernel(stack);
}

bool ConditionOf(const Value& value) {
  if (value.kind() != Value::Kind::kBool) {
    throw ModelError(fmt::format("expected a bool, but got {}", ToString(value.kind())));
  }
  return value.bool_value();
}

int64_t CountOf(const Value& value) {
  if (value.kind() != Value::Kind::kInt) {
    throw ModelError(fmt::format("expected an int, but got {}", ToString(value.kind())));
  }
  return value.int_value();
}

// Whether the loop's body runs (again). The stack's end: trips so far, most trips, condition,
// carried values. If it runs, the number of the trip stands before the carried values; if not, they
// alone are left.
bool StepLoop(size_t n, Stack& stack) {
  Need(stack, n + 1);
  const auto first = stack.end() - static_cast<std::ptrdiff_t>(n + 1);
  const int64_t trips = CountOf(first[0]);
  if (trips < CountOf(first[1]) && ConditionOf(first[2])) {
    first[0] = Value(trips + 1);
    first[2] = Value(trips);
    return true;
  }
  stack.erase(first, first + 3);
  return false;
}

Value* AttributeOf(const Value& value, size_t slot, bool is_written) {
  if (value.kind() != Value::Kind::kObject) {
    throw ModelError(fmt::format("expected an object, but got {}", ToString(value.kind())));
  }
  std::vector<Value>& slots = value.object().slots;
  // Objects whose state `__setstate__` makes get their slots as it fills them.
  if (slot >= slots.size() && is_written) slots.resize(slot + 1);
  if (slot >= slots.size()) {
    throw ModelError(fmt::format("object of '{}': need attribute {}, have {}",
                                 value.object().object_class().name, slot, slots.size()));
  }
  return &slots[slot];
}

}  // namespace

// Prints go where the module's prints go; other operators of any number of arguments take the count
// as the last.
void Interpreter::CallOperatorOfMany(const LinkedFunction& function, const Instruction& instruction,
                                     Stack& stack) {
  const auto row = static_cast<size_t>(instruction.x);
  Need(stack, instruction.n);
  if (function.function->operators[row].name != "prim::Print") {
    const Kernel kernel = function.operators[row].kernel;
    if (kernel == nullptr) FailWithoutKernel(function, row);
    stack.emplace_back(int64_t{instruction.n});
    kernel(stack);
    return;
  }
  const auto first = stack.end() - instruction.n;
  std::string line;
  for (auto value = first; value != stack.end(); ++value) {
    if (value != first) line += ' ';
    line += kernels::Describe(*value);
  }
  stack.erase(first, stack.end());
  output_.prints << line << '\n';
}

DebugHandle Interpreter::HandleOf(const Frame& frame) const {
  const std::vector<DebugHandle>& handles = frame.function->function->handles;
  return frame.at < handles.size() ? handles[frame.at] : kUnknownHandle;
}

void Interpreter::Enter(const LinkedFunction& function) {
  if (frames_.size() == kFramesMax) {
    throw ModelError(fmt::format("'{}': more than {} calls inside of calls",
                                 function.function->name, kFramesMax));
  }
  frames_.push_back({&function, 0, registers_.size()});
  registers_.resize(registers_.size() + function.function->register_count);
}

void Interpreter::CallMethod(const Value& name, size_t argument_count, Stack& stack) {
  Need(stack, argument_count);
  const Value& self = stack[stack.size() - argument_count];
  if (name.kind() != Value::Kind::kString || self.kind() != Value::Kind::kObject) {
    throw ModelError("need an object and a method's name to call a method");
  }
  const values::ObjectClass& object_class = self.object().object_class();
  for (const KnownMethod& known : known_methods_) {
    if (known.object_class == &object_class && known.name == &name.string()) {
      return Enter(*known.function);
    }
  }
  const LinkedFunction* const function = program_.Find(object_class.name + "." + name.string());
  if (function != nullptr) {
    known_methods_.push_back({&object_class, &name.string(), function});
    return Enter(*function);
  }
  CallForeign(object_class, name.string(), argument_count, stack);
  ++frames_.back().at;
}

void Interpreter::CallForeign(const values::ObjectClass& object_class, const std::string& name,
                              size_t argument_count, Stack& stack) {
  const uint64_t start = recorder_ == nullptr ? 0 : recorder_->Now();
  const std::optional<std::string_view> backend =
      foreign_.Call(object_class, name, argument_count, stack);
  if (!backend) throw ModelError(program_.WhyMissing(object_class.name + "." + name));
  if (recorder_ != nullptr) {
    recorder_->Record(HandleOf(frames_.back()), start, recorder_->Now(), *backend);
  }
}

void Interpreter::Run(const LinkedFunction& function, Stack& stack) {
  frames_.clear();
  registers_.clear();
  failed_at_.clear();
  known_methods_.clear();
  try {
    Enter(function);
    if (recorder_ != nullptr) {
      Loop<true>(stack);
    } else {
      Loop<false>(stack);
    }
  } catch (...) {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      failed_at_.push_back(HandleOf(*frame));
    }
    registers_.clear();
    throw;
  }
}

template <bool is_recorded>
void Interpreter::Loop(Stack& stack) {
  // What the current frame says, kept in locals; `frame.at` is brought up to date only where
  // something may throw, since nothing else asks for it.
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const LinkedFunction& function = *frame.function;
    const Instruction* const code = function.function->instructions.data();
    const std::vector<Value>& constants = function.function->constants;
    Value* const registers = registers_.data() + frame.first_register - 1;
    bool is_same_frame = true;
    while (is_same_frame) {
      const Instruction instruction = code[frame.at];
      switch (instruction.opcode) {
        case Opcode::OP: {
          if constexpr (is_recorded) {
            const uint64_t start = recorder_->Now();
            CallOperator(function, static_cast<size_t>(instruction.x), stack);
            recorder_->Record(HandleOf(frame), start, recorder_->Now());
          } else {
            CallOperator(function, static_cast<size_t>(instruction.x), stack);
          }
          ++frame.at;
          break;
        }
        case Opcode::OPN:
          CallOperatorOfMany(function, instruction, stack);
          ++frame.at;
          break;
        case Opcode::LOAD:
          stack.push_back(registers[instruction.x]);
          ++frame.at;
          break;
        case Opcode::MOVE:
          stack.push_back(std::move(registers[instruction.x]));
          ++frame.at;
          break;
        case Opcode::STORE:
          Need(stack, 1);
          registers[instruction.x] = std::move(stack.back());
          stack.pop_back();
          ++frame.at;
          break;
        case Opcode::STOREN:
          Need(stack, instruction.n);
          for (size_t i = instruction.n; i-- > 0;) {
            registers[static_cast<size_t>(instruction.x) + i] = std::move(stack.back());
            stack.pop_back();
          }
          ++frame.at;
          break;
        case Opcode::DROP:
          Need(stack, 1);
          stack.pop_back();
          ++frame.at;
          break;
        case Opcode::DROPR:
          registers[instruction.x] = Value();
          ++frame.at;
          break;
        case Opcode::LOADC:
          stack.push_back(constants[static_cast<size_t>(instruction.x)]);
          ++frame.at;
          break;
        case Opcode::JF: {
          const int distance = ConditionOf(Pop(stack)) ? 1 : instruction.x;
          frame.at += static_cast<size_t>(distance);
          break;
        }
        case Opcode::JMP:
          frame.at += static_cast<size_t>(instruction.x);
          break;
        case Opcode::LOOP:
          frame.at += StepLoop(instruction.n, stack) ? 1 : static_cast<size_t>(instruction.x);
          break;
        case Opcode::GET_ATTR: {
          Need(stack, 1);
          const Value object = std::move(stack.back());
          stack.back() = *AttributeOf(object, static_cast<size_t>(instruction.x), false);
          ++frame.at;
          break;
        }
        case Opcode::SET_ATTR: {
          Need(stack, 2);
          Value value = Pop(stack);
          const Value object = Pop(stack);
          *AttributeOf(object, static_cast<size_t>(instruction.x), true) = std::move(value);
          ++frame.at;
          break;
        }
        case Opcode::INTERFACE_CALL:
          CallMethod(constants[static_cast<size_t>(instruction.x)], instruction.n, stack);
          is_same_frame = false;
          break;
        case Opcode::RET:
          registers_.resize(frame.first_register);
          frames_.pop_back();
          if (!frames_.empty()) ++frames_.back().at;
          is_same_frame = false;
          break;
        case Opcode::WARN: {
          Need(stack, 2);
          stack.pop_back();  // how far up the stack the warning is about
          output_.warnings << "warning: " << kernels::Describe(Pop(stack)) << '\n';
          ++frame.at;
          break;
        }
        default:
          RunValueInstruction(function, instruction, stack);
          ++frame.at;
          break;
      }
    }
  }
}

}  // namespace handrail::runtime
