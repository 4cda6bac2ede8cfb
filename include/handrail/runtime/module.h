// The entry of this stage: a program and a module object -> a module that runs. From a file:
// load.h.
//
//   HANDRAIL_ASSIGN_OR_RETURN(runtime::Module module, runtime::Module::Make(std::move(parts)));
//   const RunResult<Value> result = module.Run("forward", inputs);
//   if (!result) std::cerr << result.error().ToString();
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/backend/registry.h"
#include "handrail/base/hash128.h"
#include "handrail/base/result.h"
#include "handrail/bytecode/bytecode.h"
#include "handrail/bytecode/program.h"
#include "handrail/debug_map/debug_map.h"
#include "handrail/runtime/events.h"
#include "handrail/runtime/run_error.h"
#include "handrail/symbolize/trace.h"
#include "handrail/values/instantiate.h"
#include "handrail/values/object.h"
#include "handrail/values/value.h"

namespace handrail::runtime {

// How a module runs, wherever it comes from.
struct ModuleOptions {
  TraceStyle style = TraceStyle::kHandrail;
  // Runs lowered modules; null: the registry of the process. It must outlive the module.
  const BackendRegistry* backends = nullptr;
  // Where the model prints; null: std::cout.
  std::ostream* print_to = nullptr;
  // Where the model warns; null: std::cerr.
  std::ostream* warn_to = nullptr;
};

struct ModuleParts {
  bytecode::Program program;
  // The top module's object: methods are those of its class.
  values::Value root;
  // Objects that get their attributes from `__setstate__`, in the order in which to call it.
  std::vector<values::ObjectState> states;
  // Functions that the program lacks, and why.
  std::vector<bytecode::LeftOutFunction> left_out;
  // What the program's handles stand for; without it, errors carry a log token.
  std::optional<DebugMap> debug_map;
  // Names the map in log tokens.
  Hash128 build_id;
  // What is wrong with the model although it can be loaded.
  std::vector<std::string> warnings;
};

// Not thread-safe: one thread at a time may run a module.
class Module {
 public:
  // Fails with kCorrupt if the program is not sound (bytecode::Verify), with kInvalidArgument if
  // `root` is no object, and with kUnsupported if a `__setstate__` fails, whose trace is part of
  // the message. What keeps only a part of the model from running is a warning: an operator without
  // a kernel, with the lines of the model that call it; a function that was left out; a backend
  // that cannot be had here.
  static Result<Module> Make(ModuleParts parts, const ModuleOptions& options = {});
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  const values::Object& root() const;
  // Without the class, those that can run: "forward".
  std::vector<std::string> methods() const;
  const std::vector<std::string>& warnings() const;

  // Runs a method; `inputs` are its arguments without `self`. Arguments that are left out at the
  // end become their defaults, and an int stands for a float.
  RunResult<values::Value> Run(std::string_view method, std::span<const values::Value> inputs);

  // Records an event for each operator that runs from here on, and for each call of a backend;
  // null: none. It must outlive the runs.
  void set_recorder(EventRecorder* recorder);

 private:
  class State;
  explicit Module(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace handrail::runtime
