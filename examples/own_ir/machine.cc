#include "machine.h"

namespace calc {

double Run(const Program& program, std::map<std::string, double> variables) {
  std::vector<double> stack;
  const auto pop = [&stack] {
    const double value = stack.back();
    stack.pop_back();
    return value;
  };
  for (const Instruction& instruction : program) {
    if (instruction.op == Op::kNumber) {
      stack.push_back(instruction.number);
    } else if (instruction.op == Op::kLoad) {
      const auto variable = variables.find(instruction.variable);
      if (variable == variables.end()) {
        throw RunError("unknown variable '" + instruction.variable + "'", instruction.handle);
      }
      stack.push_back(variable->second);
    } else if (instruction.op == Op::kStore) {
      variables[instruction.variable] = pop();
    } else {
      const double right = pop();
      const double left = pop();
      switch (instruction.op) {
        case Op::kAdd:
          stack.push_back(left + right);
          break;
        case Op::kSub:
          stack.push_back(left - right);
          break;
        case Op::kMul:
          stack.push_back(left * right);
          break;
        default:
          if (right == 0) throw RunError("division by zero", instruction.handle);
          stack.push_back(left / right);
      }
    }
  }
  return pop();
}

}  // namespace calc
