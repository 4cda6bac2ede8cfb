// Runs functions of a linked program.
//
// In:  a function and its arguments on a stack.
// Out: its results on the stack; or an exception, and the handles of where it came from.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

#include "handrail/runtime/events.h"
#include "handrail/values/object.h"
#include "handrail/values/value.h"

#include "runtime/linked_program.h"

namespace handrail::runtime {

// Methods of objects whose class the program does not define: the custom classes of backends.
class ForeignMethods {
 public:
  virtual ~ForeignMethods() = default;
  // Takes `argument_count` values, the object first, off the stack and puts the result there. Gives
  // the backend's name, which lives as long as this object, or "" if it was none. Nothing: there is
  // no such class or method, and the stack is as it was. May throw.
  virtual std::optional<std::string_view> Call(const values::ObjectClass& object_class,
                                               std::string_view method, size_t argument_count,
                                               values::Stack& stack) = 0;
};

// Where a program writes.
struct ProgramOutput {
  std::ostream& prints;
  std::ostream& warnings;
};

// Not thread-safe; any number of interpreters share one program. `program` and `foreign` must
// outlive it.
class Interpreter {
 public:
  Interpreter(const LinkedProgram& program, ForeignMethods& foreign, const ProgramOutput& output)
      : program_(program), foreign_(foreign), output_(output) {}

  // `recorder` null: no events.
  void set_recorder(EventRecorder* recorder) { recorder_ = recorder; }

  // Throws what kernels throw, and ModelError. Then failed_at() says where.
  void Run(const LinkedFunction& function, values::Stack& stack);
  // The handles of the frames of the run that failed last, innermost first; kUnknownHandle for
  // frames without.
  const std::vector<DebugHandle>& failed_at() const { return failed_at_; }

 private:
  struct Frame {
    const LinkedFunction* function = nullptr;
    size_t at = 0;              // the instruction that runs
    size_t first_register = 0;  // register 1
  };

  template <bool is_recorded>
  void Loop(values::Stack& stack);
  void Enter(const LinkedFunction& function);
  // Enters the method, or runs it if it is foreign.
  void CallMethod(const values::Value& name, size_t argument_count, values::Stack& stack);
  void CallForeign(const values::ObjectClass& object_class, const std::string& name,
                   size_t argument_count, values::Stack& stack);
  // Of operators that take any number of arguments.
  void CallOperatorOfMany(const LinkedFunction& function, const bytecode::Instruction& instruction,
                          values::Stack& stack);
  DebugHandle HandleOf(const Frame& frame) const;

  const LinkedProgram& program_;
  ForeignMethods& foreign_;
  ProgramOutput output_;
  EventRecorder* recorder_ = nullptr;
  std::vector<Frame> frames_;
  std::vector<values::Value> registers_;
  std::vector<DebugHandle> failed_at_;
  // Methods that were called, by class and name: equal names are one string of a program mostly.
  struct KnownMethod {
    const values::ObjectClass* object_class;
    const std::string* name;
    const LinkedFunction* function;
  };
  std::vector<KnownMethod> known_methods_;
};

}  // namespace handrail::runtime
