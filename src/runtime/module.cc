#include "handrail/runtime/module.h"

#include <algorithm>
#include <iostream>
#include <new>

#include <fmt/format.h>

#include "handrail/kernels/kernels.h"

#include "graph/lowered_class.h"
#include "runtime/backend_methods.h"
#include "runtime/failure_text.h"
#include "runtime/interpreter.h"
#include "runtime/prim_kernels.h"

namespace handrail::runtime {
namespace {

using values::Stack;
using values::Value;

// Lines of the model that one warning names.
constexpr size_t kPlacesMax = 8;

Kernel KernelFor(std::string_view name, std::string_view overload) {
  const Kernel own = FindPrimKernel(name);
  return own != nullptr ? own : kernels::FindKernel(name, overload);
}

std::string WarningOf(const MissingOperator& missing, const std::optional<DebugMap>& map) {
  std::vector<std::string> places;
  if (map) {
    for (const DebugHandle handle : missing.handles) {
      std::string place = PlaceText(*map, handle);
      if (!place.empty() && std::find(places.begin(), places.end(), place) == places.end()) {
        places.push_back(std::move(place));
      }
    }
  }
  std::string text = fmt::format("no kernel for operator '{}'", missing.name);
  if (places.empty()) return text;
  const size_t shown = std::min(places.size(), kPlacesMax);
  text += fmt::format(
      ", called at {}",
      fmt::join(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < places.size()) text += fmt::format(" and {} more lines", places.size() - shown);
  return text;
}

tl::unexpected<RunError> Misuse(std::string message) {
  return tl::unexpected<RunError>(
      RunError{.message = std::move(message), .handles = {}, .trace = {}, .is_misuse = true});
}

}  // namespace

class Module::State {
 public:
  State(ModuleParts parts, const ModuleOptions& options)
      : parts_(std::move(parts)),
        style_(options.style),
        foreign_(options.backends != nullptr ? *options.backends : BackendRegistry::OfProcess()),
        program_(parts_.program, parts_.left_out, KernelFor),
        interpreter_(program_, foreign_,
                     {options.print_to != nullptr ? *options.print_to : std::cout,
                      options.warn_to != nullptr ? *options.warn_to : std::cerr}) {
    for (const MissingOperator& missing : program_.missing_operators()) {
      parts_.warnings.push_back(WarningOf(missing, parts_.debug_map));
    }
    for (const bytecode::LeftOutFunction& function : parts_.left_out) {
      parts_.warnings.push_back(function.error.message);
    }
  }

  const values::Object& root() const { return parts_.root.object(); }
  const bytecode::Program& program() const { return parts_.program; }
  const std::vector<std::string>& warnings() const { return parts_.warnings; }
  Interpreter& interpreter() { return interpreter_; }

  Status SetStates() {
    for (values::ObjectState& state : std::exchange(parts_.states, {})) {
      const std::string& class_name = state.object->object_class().name;
      const RunResult<Value> result =
          RunFunction(class_name + ".__setstate__", {Value(state.object), std::move(state.state)});
      if (result) continue;
      std::string message =
          fmt::format("'{}.__setstate__': {}", class_name, result.error().ToString());
      // The rest of the model runs without the backend.
      if (graph::IsLoweredModule(class_name)) {
        parts_.warnings.push_back(
            fmt::format("'{}.__setstate__': {}", class_name, result.error().message));
      } else {
        return Fail(ErrorCode::kUnsupported, std::move(message));
      }
    }
    return {};
  }

  RunResult<Value> Run(std::string_view method, std::span<const Value> inputs) {
    Stack stack{parts_.root};
    stack.insert(stack.end(), inputs.begin(), inputs.end());
    return RunFunction(fmt::format("{}.{}", root().object_class().name, method), std::move(stack));
  }

 private:
  RunResult<Value> RunFunction(const std::string& name, Stack stack) {
    const LinkedFunction* const function = program_.Find(name);
    if (function == nullptr) {
      RunError error{.message = program_.WhyMissing(name), .handles = {}, .trace = {}};
      error.is_misuse = !program_.is_left_out(name);
      return tl::unexpected<RunError>(std::move(error));
    }
    const std::vector<bytecode::Argument>& arguments = function->function->arguments;
    const size_t given_count = stack.size() - 1;
    while (stack.size() < arguments.size() && arguments[stack.size()].has_default) {
      stack.push_back(arguments[stack.size()].default_value);
    }
    // Programs before version 5 do not say what they take.
    if (!arguments.empty() && stack.size() != arguments.size()) {
      return Misuse(fmt::format("method '{}': need {} inputs, have {}", name, arguments.size() - 1,
                                given_count));
    }
    for (size_t i = 1; i < arguments.size(); ++i) {
      if (arguments[i].type == "float" && stack[i].kind() == Value::Kind::kInt) {
        stack[i] = Value(static_cast<double>(stack[i].int_value()));
      }
      const TypeTest& test = function->argument_tests[i];
      if (!test.has_classes() && !test.Holds(stack[i])) {
        return Misuse(fmt::format("method '{}': input '{}': need {}, have {}", name,
                                  arguments[i].name, arguments[i].type, ToString(stack[i].kind())));
      }
    }
    return RunOn(*function, stack);
  }

  // Exceptions end here.
  RunResult<Value> RunOn(const LinkedFunction& function, Stack& stack) {
    try {
      interpreter_.Run(function, stack);
    } catch (const BackendError& error) {
      return Failed(error.what(), {error.handles().begin(), error.handles().end()});
    } catch (const std::bad_alloc&) {
      return Failed("out of memory", {});
    } catch (const std::exception& error) {
      return Failed(error.what(), {});
    }
    if (stack.empty()) return Failed("need a result on the stack, have none", {});
    return std::move(stack.back());
  }

  // `handles`: of what failed inside of a backend, innermost first.
  tl::unexpected<RunError> Failed(std::string message, std::vector<DebugHandle> handles) const {
    const std::vector<DebugHandle>& frames = interpreter_.failed_at();
    handles.insert(handles.end(), frames.begin(), frames.end());
    std::string trace = TraceText(parts_.debug_map, parts_.build_id, style_, handles);
    return tl::unexpected<RunError>(RunError{
        .message = std::move(message), .handles = std::move(handles), .trace = std::move(trace)});
  }

  ModuleParts parts_;
  TraceStyle style_;
  BackendMethods foreign_;
  LinkedProgram program_;
  Interpreter interpreter_;
};

Module::Module(std::unique_ptr<State> state) : state_(std::move(state)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

Result<Module> Module::Make(ModuleParts parts, const ModuleOptions& options) {
  if (parts.root.kind() != Value::Kind::kObject) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("module: need an object, have {}", ToString(parts.root.kind())));
  }
  for (const bytecode::Function& function : parts.program.functions) {
    HANDRAIL_RETURN_IF_ERROR(bytecode::Verify(function));
  }
  auto state = std::make_unique<State>(std::move(parts), options);
  HANDRAIL_RETURN_IF_ERROR(state->SetStates());
  return Module(std::move(state));
}

const values::Object& Module::root() const {
  return state_->root();
}

std::vector<std::string> Module::methods() const {
  const std::string prefix = root().object_class().name + ".";
  std::vector<std::string> names;
  for (const bytecode::Function& function : state_->program().functions) {
    if (!function.name.starts_with(prefix)) continue;
    std::string name = function.name.substr(prefix.size());
    if (name.find('.') == std::string::npos) names.push_back(std::move(name));
  }
  return names;
}

const std::vector<std::string>& Module::warnings() const {
  return state_->warnings();
}

RunResult<Value> Module::Run(std::string_view method, std::span<const Value> inputs) {
  return state_->Run(method, inputs);
}

void Module::set_recorder(EventRecorder* recorder) {
  state_->interpreter().set_recorder(recorder);
}

}  // namespace handrail::runtime
