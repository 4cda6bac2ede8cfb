#include "runtime/backend_methods.h"

#include <fmt/format.h>

#include "handrail/runtime/run_error.h"

#include "graph/lowered_class.h"
#include "runtime/instructions.h"

namespace handrail::runtime {
namespace {

using values::Stack;
using values::Value;

// One method: how many arguments it takes, and what it makes of them.
struct Method {
  std::string_view name;
  size_t argument_count;
  Value (*run)(const BackendRegistry&, std::string_view backend, std::span<const Value> arguments);
};

std::shared_ptr<const Backend> BackendOf(const BackendRegistry& registry, std::string_view name) {
  Result<std::shared_ptr<const Backend>> found = registry.FindAvailable(name);
  if (!found) throw ModelError(found.error().message);
  return *std::move(found);
}

Value Nothing(const BackendRegistry&, std::string_view, std::span<const Value>) {
  return {};
}

Value IsAvailable(const BackendRegistry& registry, std::string_view backend,
                  std::span<const Value>) {
  return Value(registry.FindAvailable(backend).has_value());
}

Value Compile(const BackendRegistry& registry, std::string_view backend,
              std::span<const Value> arguments) {
  Result<std::vector<CompiledMethod>> methods =
      BackendOf(registry, backend)->Compile(arguments[1], arguments[2]);
  if (!methods) {
    throw ModelError(fmt::format("backend '{}': {}", backend, methods.error().message));
  }
  auto handles = values::MakeRef<values::Dict>();
  handles->type_text = "Dict[str, Any]";
  for (CompiledMethod& method : *methods) {
    handles->Set(Value(std::move(method.name)), std::move(method.handle));
  }
  return Value(std::move(handles));
}

Value Execute(const BackendRegistry& registry, std::string_view backend,
              std::span<const Value> arguments) {
  if (arguments[2].kind() != Value::Kind::kList) {
    throw ModelError(fmt::format("backend '{}': need a list of inputs, have {}", backend,
                                 ToString(arguments[2].kind())));
  }
  std::vector<Value> outputs =
      BackendOf(registry, backend)->Execute(arguments[1], arguments[2].list().elements);
  return Value(values::MakeRef<values::List>(std::move(outputs), "List[Any]"));
}

constexpr Method kBackendMethods[] = {{"__init__", 1, Nothing},
                                      {"is_available", 1, IsAvailable},
                                      {"compile", 3, Compile},
                                      {"execute", 3, Execute}};

const Method* FindMethod(std::string_view name, bool is_backend) {
  for (const Method& method : kBackendMethods) {
    if (method.name == name && (is_backend || method.run == Nothing)) return &method;
  }
  return nullptr;
}

}  // namespace

std::optional<std::string_view> BackendMethods::Call(const values::ObjectClass& object_class,
                                                     std::string_view method_name,
                                                     size_t argument_count, Stack& stack) {
  const bool is_backend = object_class.name.starts_with(graph::kBackendClassPrefix);
  if (!is_backend && object_class.name != graph::kBackendDebugInfoClass) return std::nullopt;
  const Method* const method = FindMethod(method_name, is_backend);
  if (method == nullptr) return std::nullopt;
  if (method->argument_count != argument_count) {
    throw ModelError(fmt::format("method '{}' of '{}': need {} arguments, have {}", method_name,
                                 object_class.name, method->argument_count, argument_count));
  }
  std::string_view backend;
  if (is_backend) {
    const std::string_view name =
        std::string_view(object_class.name).substr(graph::kBackendClassPrefix.size());
    auto known = names_.find(name);
    if (known == names_.end()) known = names_.emplace(name).first;
    backend = *known;
  }
  Need(stack, argument_count);
  const std::span<const Value> arguments = std::span(stack).last(argument_count);
  Value result = method->run(registry_, backend, arguments);
  stack.resize(stack.size() - argument_count);
  stack.push_back(std::move(result));
  return backend;
}

}  // namespace handrail::runtime
