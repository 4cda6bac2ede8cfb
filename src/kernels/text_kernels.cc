// Operators on strings, and those that say something.
#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "kernels/equality.h"
#include "kernels/families.h"
#include "kernels/python_slice.h"

namespace handrail::kernels {

namespace {

std::string Concatenate(const std::string& a, const std::string& b) {
  return a + b;
}
int64_t Length(const std::string& text) {
  return static_cast<int64_t>(text.size());
}
bool Equal(const std::string& a, const std::string& b) {
  return a == b;
}
bool Differ(const std::string& a, const std::string& b) {
  return a != b;
}
bool Less(const std::string& a, const std::string& b) {
  return a < b;
}
bool Greater(const std::string& a, const std::string& b) {
  return a > b;
}
std::string At(const std::string& text, int64_t index) {
  const auto count = static_cast<int64_t>(text.size());
  const int64_t place = index < 0 ? index + count : index;
  if (place < 0 || place >= count) {
    Raise(fmt::format("basic_string::at: __n (which is {}) >= this->size() (which is {})",
                      static_cast<uint64_t>(place), count));
  }
  return text.substr(static_cast<size_t>(place), 1);
}
std::string Slice(const std::string& text, std::optional<int64_t> start, std::optional<int64_t> end,
                  int64_t step) {
  std::string result;
  const PythonSlice slice(text.size(), start, end, step);
  for (size_t i = 0; i < slice.count(); ++i) result += text[slice.Place(i)];
  return result;
}
// The part that PyTorch looks at; a begin behind the text's end is an error.
std::string_view Part(std::string_view text, int64_t start, int64_t end) {
  const auto count = static_cast<int64_t>(text.size());
  const int64_t from = std::max<int64_t>(start < 0 ? start + count : start, 0);
  const int64_t to = end < 0 ? count + end + 1 : end;
  if (from > count) {
    Raise(fmt::format("basic_string::substr: __pos (which is {}) > this->size() (which is {})",
                      from, count));
  }
  return text.substr(static_cast<size_t>(from),
                     static_cast<size_t>(std::max<int64_t>(std::min(to, count) - from, 0)));
}
int64_t Find(const std::string& text, const std::string& part, int64_t start, int64_t end) {
  const std::string_view looked = Part(text, start, end);
  const size_t found = looked.find(part);
  if (found == std::string::npos) return -1;
  return looked.data() - text.data() + static_cast<int64_t>(found);
}
template <auto Convert>
std::string Mapped(const std::string& text) {
  std::string result = text;
  std::transform(result.begin(), result.end(), result.begin(), Convert);
  return result;
}
char Upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool StartsWith(const std::string& text, const std::string& part, int64_t start, int64_t end) {
  return Part(text, start, end).starts_with(part);
}
bool EndsWith(const std::string& text, const std::string& part, int64_t start, int64_t end) {
  return Part(text, start, end).ends_with(part);
}
std::string Strip(const std::string& text, const std::string& characters) {
  const size_t first = text.find_first_not_of(characters);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(characters) - first + 1);
}
std::string Replace(const std::string& text, const std::string& old, const std::string& fresh,
                    int64_t count_max) {
  std::string result;
  size_t at = 0;
  for (int64_t count = 0; (count_max < 0 || count < count_max) && !old.empty(); ++count) {
    const size_t found = text.find(old, at);
    if (found == std::string::npos) break;
    result.append(text, at, found - at).append(fresh);
    at = found + old.size();
  }
  return result.append(text, at);
}
std::string Join(const std::string& separator, List& list) {
  const std::vector<Value>& parts = list.elements;
  std::string result;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) result += separator;
    result += Unbox<const std::string&>::From(parts[i]);
  }
  return result;
}
std::vector<std::string> SplitAtSpaces(const std::string& text) {
  constexpr std::string_view kSpaces = " \t\n\r\f\v";
  std::vector<std::string> parts;
  size_t at = text.find_first_not_of(kSpaces);
  while (at != std::string::npos) {
    const size_t end = std::min(text.find_first_of(kSpaces, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSpaces, end);
  }
  return parts;
}
std::vector<std::string> Split(const std::string& text, const Value& separator, int64_t count_max) {
  if (separator.is_none()) return SplitAtSpaces(text);
  const std::string& by = Unbox<const std::string&>::From(separator);
  if (by.empty()) Raise("ValueError: empty separator");
  std::vector<std::string> parts;
  size_t at = 0;
  while (count_max < 0 || static_cast<int64_t>(parts.size()) < count_max) {
    const size_t found = text.find(by, at);
    if (found == std::string::npos) break;
    parts.push_back(text.substr(at, found - at));
    at = found + by.size();
  }
  parts.push_back(text.substr(at));
  return parts;
}
std::string ToText(const Value& value) {
  return Describe(value);
}

// Takes the count of arguments, and then them, off the stack.
std::vector<Value> TakeCounted(Stack& stack) {
  if (stack.empty()) RaiseStackTooShort();
  const int64_t count = Unbox<int64_t>::From(stack.back());
  stack.pop_back();
  if (count < 0 || static_cast<size_t>(count) > stack.size()) RaiseStackTooShort();
  const auto begin = stack.end() - count;
  std::vector<Value> arguments(std::make_move_iterator(begin),
                               std::make_move_iterator(stack.end()));
  stack.erase(begin, stack.end());
  return arguments;
}
// "{}" stands for the next argument.
void Format(Stack& stack) {
  const std::vector<Value> arguments = TakeCounted(stack);
  if (arguments.empty()) RaiseStackTooShort();
  const std::string& format = Unbox<const std::string&>::From(arguments[0]);
  std::string result;
  size_t at = 0;
  for (size_t next = 1;; ++next) {
    const size_t found = format.find("{}", at);
    if (found == std::string::npos) break;
    if (next >= arguments.size()) Raise("Too few arguments for format string: " + format);
    result.append(format, at, found - at).append(Describe(arguments[next]));
    at = found + 2;
  }
  result.append(format, at);
  stack.emplace_back(std::move(result));
}
std::string FormatOne(char letter, const Value& value) {
  if (letter == 's') return Describe(value);
  const Scalar scalar = Unbox<Scalar>::From(value);
  if (letter == 'd' || letter == 'i') {
    return std::to_string(scalar.is_float() ? static_cast<int64_t>(scalar.number) : scalar.integer);
  }
  if (letter == 'c') return {static_cast<char>(scalar.integer)};
  if (std::string_view("eEfFgG").find(letter) == std::string_view::npos) {
    Raise(std::string("The specifier %") + letter +
          " is not supported in TorchScript format strings");
  }
  const std::array<char, 3> format = {'%', letter, '\0'};
  std::array<char, 400> text{};
  const int length = std::snprintf(text.data(), text.size(), format.data(), scalar.number);
  return {text.data(), static_cast<size_t>(std::max(length, 0))};
}
// "%d" and the like stand for the next argument.
void PercentFormat(Stack& stack) {
  std::vector<Value> arguments = TakeCounted(stack);
  if (arguments.empty()) RaiseStackTooShort();
  const Value text = arguments[0];
  const std::string& format = Unbox<const std::string&>::From(text);
  arguments.erase(arguments.begin());
  if (arguments.size() == 1 && arguments[0].kind() == Kind::kTuple) {
    const std::vector<Value> elements = arguments[0].tuple().elements;
    arguments = elements;
  }
  std::string result;
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      result += format[i];
      continue;
    }
    if (++i == format.size()) Raise("Incomplete format specifier");
    if (format[i] == '%') {
      result += '%';
      continue;
    }
    if (next >= arguments.size()) Raise("Too few arguments for format string: " + format);
    result += FormatOne(format[i], arguments[next++]);
  }
  if (next < arguments.size()) Raise("Too many arguments for format string: " + format);
  stack.emplace_back(std::move(result));
}
void Print(Stack& stack) {
  std::string line;
  for (const Value& value : TakeCounted(stack)) {
    if (!line.empty()) line += " ";
    line += Describe(value);
  }
  line += "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
}

// A warning goes where PyTorch's goes.
void Warn(const std::string& text, int64_t /*stack_level*/) {
  std::fputs(("Warning: " + text + "\n").c_str(), stderr);
}
std::string DeviceKind(const Value& device) {
  const std::string name = device.kind() == Kind::kDevice ? device.device() : Describe(device);
  return name.substr(0, name.find(':'));
}

constexpr KernelRow kRows[] = {
    Row<&Concatenate>("aten::add.str"),
    Row<&Length>("aten::len.str"),
    Row<&Equal>("aten::eq.str"),
    Row<&Differ>("aten::ne.str"),
    Row<&Less>("aten::lt.str"),
    Row<&Greater>("aten::gt.str"),
    Row<&At>("aten::__getitem__.str"),
    Row<&Slice>("aten::slice.str"),
    Row<&Find>("aten::find"),
    Row<&Mapped<&Upper>>("aten::upper"),
    Row<&Mapped<&Lower>>("aten::lower"),
    Row<&StartsWith>("aten::startswith"),
    Row<&EndsWith>("aten::endswith"),
    Row<&Strip>("aten::strip"),
    Row<&Replace>("aten::replace"),
    Row<&Join>("aten::join"),
    Row<&Split>("aten::split.str"),
    Row<&ToText>("aten::str"),
    Row<&Warn>("aten::warn"),
    Row<&DeviceKind>("prim::type"),
    {"aten::format", &Format, KernelRow::kAnyCount},
    {"aten::percentFormat", &PercentFormat, KernelRow::kAnyCount},
    {"prim::Print", &Print, KernelRow::kAnyCount},
};

}  // namespace

std::span<const KernelRow> TextKernels() {
  return kRows;
}

}  // namespace handrail::kernels
