#include "compiler.h"

#include <cctype>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "handrail/debug_info/debug_info_builder.h"

namespace calc {
namespace {

using handrail::DebugInfoBuilder;
using handrail::RangeId;
using handrail::SourceId;
using handrail::StackId;

struct Function {
  std::vector<std::string> parameters;
  size_t body_offset = 0;  // in the text
};

// Where code is generated: in the program itself or, with its parameters renamed, in an inlined
// call.
struct Scope {
  StackId stack;                             // the inlined calls around this code
  std::map<std::string, std::string> names;  // parameter -> the variable that holds its value
};

// Parses and generates code in one pass. To inline a call is to compile the function's body again,
// with the call pushed on the stack.
class Compiler {
 public:
  Compiler(const std::string& file_name, const std::string& text) : text_(text) {
    DebugInfoBuilder::SourceOptions source;
    source.file_name = file_name;
    source.text = text;
    source_ = debug_info_.AddSource(source);
    // The key names what was compiled: the same text has the same handles, another text has others.
    DebugInfoBuilder::UnitOptions unit;
    unit.key = handrail::HashBytes(text);
    unit.top_type = "calc";
    if (auto status = debug_info_.BeginUnit(unit); !status) {
      throw std::runtime_error(status.error().message);
    }
    debug_info_.BeginFunction("main");
  }

  Compiled Compile() {
    while (at_ < text_.size()) Statement();
    return {std::move(program_), std::move(debug_info_).Finish()};
  }

 private:
  // Text.
  char Peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\n';
  }
  bool Take(char character) {
    if (Peek() != character) return false;
    ++at_;
    return true;
  }
  void Need(char character) {
    if (!Take(character)) Fail(std::string("need '") + character + "'");
  }
  [[noreturn]] void Fail(const std::string& why) const {
    throw std::runtime_error("offset " + std::to_string(at_) + ": " + why);
  }
  std::string TakeName() {
    std::string name;
    Peek();
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) {
      name += text_[at_++];
    }
    if (name.empty()) Fail("need a name or a number");
    return name;
  }

  // Code: every instruction gets a handle, which stands for bytes [start, end) and the calls
  // around.
  void Emit(Instruction instruction, const char* name, size_t start, size_t end,
            const Scope& scope) {
    const RangeId range = debug_info_.AddRange(source_, start, end);
    const auto handle = debug_info_.AddNode(name, range, scope.stack);
    if (!handle) throw std::runtime_error(handle.error().message);
    instruction.handle = *handle;
    program_.push_back(std::move(instruction));
  }

  // name(a, b) = expression | name = expression | expression
  void Statement() {
    const size_t start = at_;
    if (Take('\n')) return;
    const std::optional<Function> function = TakeFunctionHead();
    if (function) {
      functions_[head_name_] = *function;
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (!head_name_.empty()) {
      Expression({});
      Emit({.op = Op::kStore, .variable = head_name_}, "calc::store", start, at_, {});
    } else {
      at_ = start;
      Expression({});
    }
    Need('\n');
  }
  // Leaves `head_name_` empty if there is no '=' behind it.
  std::optional<Function> TakeFunctionHead() {
    head_name_.clear();
    if (std::isalpha(static_cast<unsigned char>(Peek())) == 0) return std::nullopt;
    const std::string name = TakeName();
    Function function;
    const bool has_parameters = Take('(');
    if (has_parameters) {
      do {
        if (std::isalpha(static_cast<unsigned char>(Peek())) == 0) return std::nullopt;
        function.parameters.push_back(TakeName());
      } while (Take(','));
      if (!Take(')')) return std::nullopt;
    }
    if (!Take('=')) return std::nullopt;
    head_name_ = name;
    Peek();
    function.body_offset = at_;
    return has_parameters ? std::optional(function) : std::nullopt;
  }

  void Expression(const Scope& scope) {
    Peek();
    const size_t start = at_;
    Term(scope);
    while (Peek() == '+' || Peek() == '-') {
      const Op op = text_[at_++] == '+' ? Op::kAdd : Op::kSub;
      Term(scope);
      Emit({.op = op}, op == Op::kAdd ? "calc::add" : "calc::sub", start, at_, scope);
    }
  }
  void Term(const Scope& scope) {
    Peek();
    const size_t start = at_;
    Factor(scope);
    while (Peek() == '*' || Peek() == '/') {
      const Op op = text_[at_++] == '*' ? Op::kMul : Op::kDiv;
      Factor(scope);
      Emit({.op = op}, op == Op::kMul ? "calc::mul" : "calc::div", start, at_, scope);
    }
  }
  void Factor(const Scope& scope) {
    if (Take('(')) {
      Expression(scope);
      Need(')');
      return;
    }
    Peek();
    const size_t start = at_;
    const std::string name = TakeName();
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
      Emit({.op = Op::kNumber, .number = std::stod(name)}, "calc::number", start, at_, scope);
    } else if (Take('(')) {
      Call(name, start, scope);
    } else {
      const auto renamed = scope.names.find(name);
      const std::string variable = renamed == scope.names.end() ? name : renamed->second;
      Emit({.op = Op::kLoad, .variable = variable}, "calc::load", start, at_, scope);
    }
  }

  void Call(const std::string& name, size_t start, const Scope& caller) {
    const auto found = functions_.find(name);
    if (found == functions_.end()) Fail("no function '" + name + "' above");
    const Function& function = found->second;
    const size_t call = ++call_count_;
    Scope callee;
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      if (i != 0) Need(',');
      Peek();
      const size_t argument = at_;
      Expression(caller);
      const std::string& parameter = function.parameters[i];
      callee.names[parameter] = name + "." + parameter + "#" + std::to_string(call);
      Emit({.op = Op::kStore, .variable = callee.names[parameter]}, "calc::store", argument, at_,
           caller);
    }
    Need(')');
    const RangeId call_site = debug_info_.AddRange(source_, start, at_);
    callee.stack = debug_info_.AddCall(caller.stack, name, std::nullopt, call_site);
    const size_t after = std::exchange(at_, function.body_offset);
    Expression(callee);
    at_ = after;
  }

  const std::string text_;
  size_t at_ = 0;
  std::string head_name_;
  std::map<std::string, Function> functions_;
  size_t call_count_ = 0;
  Program program_;
  DebugInfoBuilder debug_info_;
  SourceId source_;
};

}  // namespace

Compiled Compile(const std::string& file_name, const std::string& text) {
  return Compiler(file_name, text).Compile();
}

}  // namespace calc
