#include "program.h"

#include <map>
#include <sstream>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/backends/backend_exception.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace handrail_peer {
namespace {

constexpr char kHandleMark[] = "<debug_handle>";

using Registers = std::map<size_t, c10::IValue>;

c10::IValue MakeList(const std::string& element, const Step& step, const Registers& registers) {
  if (element == "int") {
    c10::List<int64_t> list;
    for (size_t input : step.inputs) list.push_back(registers.at(input).toInt());
    return list;
  }
  if (element == "Tensor") {
    c10::List<at::Tensor> list;
    for (size_t input : step.inputs) list.push_back(registers.at(input).toTensor());
    return list;
  }
  TORCH_CHECK(false, "peer backend: no lists of ", element);
}

void CallOperator(const Step& step, Registers& registers) {
  const size_t dot = step.op.find('.');
  const c10::OperatorName name(step.op.substr(0, dot),
                               dot == std::string::npos ? "" : step.op.substr(dot + 1));
  const auto op = torch::jit::findOperatorFor(name);
  TORCH_CHECK(op, "peer backend: no operator ", step.op);
  torch::jit::Stack stack;
  for (size_t input : step.inputs) stack.push_back(registers.at(input));
  auto operation = op->getOperation();
  operation(stack);
  TORCH_CHECK(stack.size() == step.outputs.size(), "peer backend: results of ", step.op);
  for (size_t i = 0; i < stack.size(); ++i) registers[step.outputs[i]] = stack[i];
}

void RunStep(const Step& step, const c10::List<c10::IValue>& constants, Registers& registers) {
  static const std::string kList = "prim::ListConstruct.";
  if (step.op == "prim::Constant" || step.op == "prim::GetAttr") {
    registers[step.outputs.at(0)] = constants.get(step.inputs.at(0));
  } else if (step.op.compare(0, kList.size(), kList) == 0) {
    registers[step.outputs.at(0)] = MakeList(step.op.substr(kList.size()), step, registers);
  } else {
    CallOperator(step, registers);
  }
}

}  // namespace

std::string ToText(const Program& program) {
  std::ostringstream text;
  text << "inputs " << program.input_count << (program.chained ? " chained" : "") << "\n";
  for (const Step& step : program.steps) {
    const bool loads = step.op == "prim::Constant" || step.op == "prim::GetAttr";
    text << step.op;
    for (size_t input : step.inputs) text << (loads ? " #" : " %") << input;
    text << " ->";
    for (size_t output : step.outputs) text << " %" << output;
    text << kHandleMark << step.debug_handle << "\n";
  }
  text << "return";
  for (size_t result : program.results) text << " %" << result;
  text << "\n";
  return text.str();
}

Program FromText(const std::string& text) {
  Program program;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const size_t mark = line.find(kHandleMark);
    std::istringstream words(line.substr(0, mark));
    std::string word;
    words >> word;
    if (word == "inputs") {
      words >> program.input_count;
      program.chained = static_cast<bool>(words >> word);
    } else if (word == "return") {
      while (words >> word) program.results.push_back(std::stoull(word.substr(1)));
    } else {
      Step step;
      step.op = word;
      bool output = false;
      while (words >> word) {
        if (word == "->") {
          output = true;
        } else {
          (output ? step.outputs : step.inputs).push_back(std::stoull(word.substr(1)));
        }
      }
      TORCH_CHECK(mark != std::string::npos, "peer backend: a step without handle: ", line);
      step.debug_handle = std::stoll(line.substr(mark + sizeof(kHandleMark) - 1));
      program.steps.push_back(std::move(step));
    }
  }
  return program;
}

c10::List<c10::IValue> Run(const Program& program, const c10::List<c10::IValue>& constants,
                           const c10::List<c10::IValue>& inputs) {
  TORCH_CHECK(inputs.size() == program.input_count, "peer backend: ", program.input_count,
              " inputs needed, ", inputs.size(), " given");
  Registers registers;
  for (size_t i = 0; i < inputs.size(); ++i) registers[i] = inputs.get(i);
  for (const Step& step : program.steps) {
    try {
      RunStep(step, constants, registers);
    } catch (const c10::Error& error) {
      c10::BackendRuntimeException failure({__func__, __FILE__, __LINE__},
                                           error.what_without_backtrace(), step.debug_handle);
      if (program.chained) failure.pushDebugHandle(program.steps.front().debug_handle);
      throw failure;
    }
  }
  c10::List<c10::IValue> results(c10::AnyType::get());
  for (size_t result : program.results) results.push_back(registers.at(result));
  return results;
}

}  // namespace handrail_peer
