#include "lowering/lowered_code.h"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "handrail/graph/definition.h"

#include "graph/lowered_class.h"

namespace handrail {
namespace {

// PyTorch's serializer gives an expression a name of its own from this length on, indentation
// included.
constexpr size_t kInlineSizeMax = 40;
constexpr size_t kMethodIndentation = 4;

// The indentation of PyTorch's templates; traces show it.
const std::string kDef(12, ' ');
const std::string kBody(16, ' ');
const std::string kInner(18, ' ');
const std::string kSetStateInner(20, ' ');

std::string Raise(std::string_view indentation) {
  return fmt::format("{}raise Exception(\"Backend is not available.\")\n", indentation);
}
constexpr std::string_view kRaise = "raise Exception(\"Backend is not available.\"";
constexpr std::string_view kIsAvailable = "self.__backend.is_available";

std::string Joined(const std::vector<LoweredMethod::Argument>& arguments,
                   std::string_view separator, bool with_types) {
  std::string text;
  for (const auto& argument : arguments) {
    if (!text.empty()) text += separator;
    text += argument.name;
    if (with_types) text += ": " + argument.type;
  }
  return text;
}

// "def forward(self, x: Tensor):" of the method's text.
std::string Head(const LoweredMethod& method) {
  std::string head = fmt::format("{}def {}(self", kDef, method.name);
  if (!method.arguments.empty()) head += ", " + Joined(method.arguments, ", ", true);
  return head + "):\n";
}

// The same as the serializer prints it.
std::string PrintedHead(std::string_view name, const std::string& class_name,
                        const std::vector<LoweredMethod::Argument>& arguments,
                        std::string_view result_type) {
  std::string head = fmt::format("  def {}(self: {}", name, class_name);
  if (!arguments.empty()) head += ",\n    " + Joined(arguments, ",\n    ", true);
  return fmt::format("{}) -> {}:\n", head, result_type);
}

// From `begin` to the end of the last `raise`, before its `)`: what PyTorch's parser calls the
// range of an `if` whose `else` raises.
std::string_view FromTo(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t start = text.find(begin);
  return text.substr(start, text.rfind(end) + end.size() - start);
}

void CreateBackend(GeneratedClass& code, const std::string& class_name,
                   std::string_view method_name, std::string_view attribute,
                   const std::string& created) {
  const std::string body = fmt::format("self.{} = {}(", attribute, created);
  const std::string head = fmt::format("{}(self):\n", method_name);
  code.BeginMethod(fmt::format("\n{}def {}{}{})\n{}", kDef, head, kBody, body, kDef));
  code.Put(PrintedHead(method_name, class_name, {}, "NoneType"));
  const std::string object = code.NextTemporary();
  const std::string unused = code.NextTemporary();
  code.Put(fmt::format("    {0} = {1}.__new__({1})\n    {2} = ({0}).__init__()\n", object, created,
                       unused),
           created);
  code.Put(fmt::format("    self.{} = {}\n    return ", attribute, object));
  code.Put("None", head + kBody + body);
  code.Put("\n");
}

void IsAvailable(GeneratedClass& code, const std::string& class_name) {
  code.BeginMethod(fmt::format("\n{}def __is_available(self):\n{}return {}()\n{}", kDef, kBody,
                               kIsAvailable, kDef));
  code.Put(PrintedHead("__is_available", class_name, {}, "bool"));
  code.Put("    __backend = self.__backend\n    return ");
  code.Put("(__backend).is_available()", kIsAvailable);
  code.Put("\n");
}

void GetState(GeneratedClass& code, const std::string& class_name) {
  code.BeginMethod(
      fmt::format("\n{}def __getstate__(self):\n{}return self.__method_compile_spec, "
                  "self.__processed_module, True\n{}",
                  kDef, kBody, kDef));
  code.Put(PrintedHead("__getstate__", class_name, {}, "Tuple[Dict[str, Any], Any, bool]"));
  code.Put("    __method_compile_spec = self.__method_compile_spec\n");
  code.Put("    __processed_module = self.__processed_module\n");
  const std::string state = code.NextTemporary();
  code.Put(fmt::format("    {} = (__method_compile_spec, __processed_module, ", state));
  code.Put("True", "True");
  code.Put(fmt::format(")\n    return {}\n", state));
}

void SetState(GeneratedClass& code, const std::string& class_name) {
  std::string text = fmt::format("\n{}def __setstate__(self, state):\n", kDef);
  text += kBody + "self.__method_compile_spec = state[0]\n";
  text += kBody + "self.__processed_module = state[1]\n";
  text += kBody + "if state[2]:\n";
  text += kSetStateInner + "self.__create_backend()\n";
  text += kSetStateInner + "self.__create_backend_debug_info()\n";
  text += kBody + "if self.__backend.is_available() :\n";
  text += kSetStateInner +
          "self.__handles = self.__backend.compile(self.__processed_module, "
          "self.__method_compile_spec)\n";
  text += kBody + "else:\n" + Raise(kSetStateInner) + kDef;
  code.BeginMethod(text);
  // An `if` without `else` reaches over the first word behind it.
  const std::string_view if_create = FromTo(text, "if state[2]", kBody + "if");
  const std::string_view if_available = FromTo(text, "if self.__backend", kRaise);

  code.Put(PrintedHead("__setstate__", class_name, {{"state", "Tuple[Dict[str, Any], Any, bool]"}},
                       "NoneType"));
  const std::string message = code.NextTemporary();
  code.Put(fmt::format("    {} = \"Exception: Backend is not available.\"\n", message));
  code.Put("    self.__method_compile_spec = (state)[");
  code.Put("0", "0");
  code.Put("]\n    self.__processed_module = (state)[");
  code.Put("1", "1");
  code.Put("]\n");
  code.Put("    if ", if_create);
  code.Put("(state)[");
  code.Put("2", "2");
  code.Put("]");
  code.Put(":\n", if_create);
  code.Put(fmt::format("      {} = (self).__create_backend()\n", code.NextTemporary()),
           "self.__create_backend");
  code.Put(fmt::format("      {} = (self).__create_backend_debug_info()\n", code.NextTemporary()),
           "self.__create_backend_debug_info");
  code.Put("    else:\n      pass\n", if_create);
  code.Put("    __backend = self.__backend\n");
  code.Put("    if ", if_available);
  code.Put("(__backend).is_available()", kIsAvailable);
  code.Put(":\n", if_available);
  code.Put("      __backend0 = self.__backend\n");
  code.Put("      __processed_module = self.__processed_module\n");
  code.Put("      __method_compile_spec = self.__method_compile_spec\n");
  const std::string handles = code.NextTemporary();
  code.Put(fmt::format("      {} = (__backend0).compile(__processed_module, "
                       "__method_compile_spec, )\n",
                       handles),
           "self.__backend.compile");
  code.Put(fmt::format("      self.__handles = {}\n", handles));
  code.Put("    else:\n", if_available);
  code.Put(fmt::format("      ops.prim.RaiseException({})\n", message), kRaise);
  code.Put("    return None\n");
}

// `_0, _1` of a method's text; `_0, ` of one output, which is unpacked, too.
std::string OutputNames(size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) names += fmt::format("{}_{}", i == 0 ? "" : ", ", i);
  return names;
}

std::string ExecuteText(const LoweredMethod& method) {
  std::string text = "\n" + Head(method);
  text += kBody + "typed_inputs: List[Any] = [";
  for (const auto& argument : method.arguments) text += argument.name + ", ";
  text += "]\n" + kBody + "if self.__backend.is_available() :\n";
  const size_t count = method.output_types.size();
  text += fmt::format("{}{}{} self.__backend.execute(self.__handles[\"{}\"], typed_inputs)\n",
                      kInner, OutputNames(count), count == 1 ? ", =" : " =", method.name);
  for (size_t i = 0; i < count; ++i) {
    text += fmt::format("{}assert isinstance(_{}, {})\n", kInner, i, method.output_types[i]);
  }
  text += fmt::format("{}return {}{}\n", kInner, OutputNames(count),
                      count == 1 && method.returns_tuple ? "," : "");
  text += kBody + "else:\n" + Raise(kInner) + kDef;
  return text;
}

// The code that gives the `index`-th output its type; returns its name.
std::string CheckOutput(GeneratedClass& code, size_t index, const std::string& output,
                        const std::string& type, const std::string& uninitialized) {
  // Everything is an Any.
  if (type == "Any") return output;
  const std::string source = fmt::format("assert isinstance(_{}, {}", index, type);
  const std::string fits = code.NextTemporary();
  std::string typed = code.NextTemporary();
  code.Put(fmt::format("      {} = isinstance({}, {})\n", fits, output, type));
  code.Put(fmt::format("      if {}:\n        {} = ", fits, typed), source);
  code.Put(fmt::format("unchecked_cast({}, {})", type, output));
  code.Put("\n      else:\n        ops.prim.RaiseException(", source);
  code.Put("\"AssertionError: \"");
  code.Put(fmt::format(")\n        {} = {}\n", typed, uninitialized), source);
  return typed;
}

void Execute(GeneratedClass& code, const std::string& class_name, const LoweredMethod& method,
             size_t number) {
  const std::string text = ExecuteText(method);
  code.BeginMethod(text);
  const std::string_view if_available = FromTo(text, "if self.__backend", kRaise);
  const std::string key = fmt::format("\"{}\"", method.name);
  const std::string handle = fmt::format("self.__handles[{}]", key);

  code.Put(PrintedHead(method.name, class_name, method.arguments, method.result_type));
  const std::string message = code.NextTemporary();
  const std::string no_result = code.NextTemporary();
  code.Put(fmt::format("    {} = \"Exception: Backend is not available.\"\n", message));
  code.Put(fmt::format("    {} = uninitialized({})\n", no_result, method.result_type));
  std::map<std::string, std::string> uninitialized;  // by type
  for (const std::string& type : method.output_types) {
    const auto [row, is_new] = uninitialized.try_emplace(type);
    if (!is_new || type == "Any") continue;
    row->second = code.NextTemporary();
    code.Put(fmt::format("    {} = uninitialized({})\n", row->second, type));
  }
  code.Put(fmt::format("    typed_inputs = annotate(List[Any], [{}])\n",
                       Joined(method.arguments, ", ", false)));
  code.Put("    __backend = self.__backend\n");
  code.Put("    if ", if_available);
  code.Put("(__backend).is_available()", kIsAvailable);
  code.Put(":\n", if_available);
  const std::string backend = fmt::format("__backend{}", number);
  code.Put(fmt::format("      {} = self.__backend\n      __handles = self.__handles\n", backend));
  const std::string result = code.NextTemporary();
  const std::string outputs = code.NextTemporary();
  code.Put(fmt::format("      {} = ({}).execute(", outputs, backend), "self.__backend.execute");
  code.Put("__handles[", handle);
  code.Put(key, key);
  code.Put("]", handle);
  code.Put(", typed_inputs, )\n", "self.__backend.execute");
  std::string unpacked;
  std::vector<std::string> names;
  for (size_t i = 0; i < method.output_types.size(); ++i) {
    names.push_back(code.NextTemporary());
    unpacked += names.back() + ", ";
  }
  if (!names.empty()) code.Put(fmt::format("      {}= {}\n", unpacked, outputs));
  std::string value;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& type = method.output_types[i];
    value += (i == 0 ? "" : ", ") + CheckOutput(code, i, names[i], type, uninitialized[type]);
  }
  if (method.returns_tuple) value = fmt::format("({}{})", value, names.size() == 1 ? "," : "");
  code.Put(fmt::format("      {} = {}\n    else:\n", result, value), if_available);
  code.Put(fmt::format("      ops.prim.RaiseException({})\n", message), kRaise);
  code.Put(fmt::format("      {} = {}\n", result, no_result), if_available);
  code.Put(fmt::format("    return {}\n", result));
}

std::string ClassHead(const std::string& class_name) {
  return fmt::format("class {}(Module):\n  __parameters__ = []\n  __buffers__ = []\n",
                     graph::LastAtom(class_name));
}

}  // namespace

GeneratedClass LoweredModuleCode(const std::string& class_name, const std::string& backend,
                                 const std::vector<LoweredMethod>& methods) {
  const std::string backend_class = fmt::format("{}{}", graph::kBackendClassPrefix, backend);
  const std::string debug_info_class(graph::kBackendDebugInfoClass);
  GeneratedClass code;
  code.Put(ClassHead(class_name));
  code.Put("  __processed_module : Any\n  __method_compile_spec : Dict[str, Any]\n");
  code.Put(fmt::format("  __backend : {}\n  __handles : Dict[str, Any]\n", backend_class));
  code.Put(fmt::format("  __backend_debug_info : Optional[{}]\n", debug_info_class));
  CreateBackend(code, class_name, "__create_backend", "__backend", backend_class);
  IsAvailable(code, class_name);
  CreateBackend(code, class_name, "__create_backend_debug_info", "__backend_debug_info",
                debug_info_class);
  GetState(code, class_name);
  SetState(code, class_name);
  for (size_t i = 0; i < methods.size(); ++i) Execute(code, class_name, methods[i], i + 1);
  return code;
}

GeneratedClass LoweredWrapperCode(const std::string& class_name, const std::string& lowered_class,
                                  const std::vector<LoweredMethod>& methods) {
  GeneratedClass code;
  code.Put(ClassHead(class_name));
  code.Put(fmt::format("  __loweredModule__ : {}\n", lowered_class));
  for (const LoweredMethod& method : methods) {
    const std::string callee = fmt::format("self.__loweredModule__.{}", method.name);
    const std::string arguments = Joined(method.arguments, ", ", false);
    code.BeginMethod(
        fmt::format("\n{}{}return {}({})\n{}", Head(method), kBody, callee, arguments, kDef));
    code.Put(PrintedHead(method.name, class_name, method.arguments, method.result_type));
    code.Put("    __loweredModule__ = self.__loweredModule__\n");
    const std::string call = fmt::format("(__loweredModule__).{}({}{})", method.name, arguments,
                                         arguments.empty() ? "" : ", ");
    if (call.size() + kMethodIndentation < kInlineSizeMax) {
      code.Put("    return ");
      code.Put(call, callee);
      code.Put("\n");
    } else {
      const std::string result = code.NextTemporary();
      code.Put(fmt::format("    {} = {}\n", result, call), callee);
      code.Put(fmt::format("    return {}\n", result));
    }
  }
  return code;
}

}  // namespace handrail
