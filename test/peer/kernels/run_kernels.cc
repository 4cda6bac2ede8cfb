// Runs kernels on values that come on stdin, and writes what they give to stdout: what
// comparisons/kernels.py compares with PyTorch.
//
// Frames both ways: a 32-bit length, then so many bytes; little-endian. A frame in holds the name
// ("aten::add.Tensor"; "" asks for all names), buffers, and the arguments in postfix order:
// an element pushes a value, a container takes its values off the stack (see protocol.py, which
// writes and reads them). A frame out: 'o', the numbers of results and arguments, and both as
// they are after the call; or 'e' and the error's message; or 'n': there is no such kernel.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handrail/base/check.h"
#include "handrail/kernels/kernels.h"
#include "handrail/values/value.h"

namespace handrail::kernels {
namespace {

using values::Buffer;
using values::ElementType;
using values::Ref;
using values::Stack;
using values::Tensor;
using values::Value;

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  bool is_at_end() const { return at_ == bytes_.size(); }
  template <typename T>
  T Number() {
    T value{};
    std::memcpy(&value, Take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view Text() { return Take(Number<uint32_t>()); }
  std::vector<int64_t> Ints(size_t count) {
    std::vector<int64_t> result(count);
    for (int64_t& value : result) value = Number<int64_t>();
    return result;
  }

 private:
  std::string_view Take(size_t size) {
    HANDRAIL_CHECK(size <= bytes_.size() - at_);
    at_ += size;
    return std::string_view(bytes_).substr(at_ - size, size);
  }

  std::string bytes_;
  size_t at_ = 0;
};

class Writer {
 public:
  std::string bytes;

  template <typename T>
  void Number(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void Text(std::string_view text) {
    Number(static_cast<uint32_t>(text.size()));
    bytes.append(text);
  }
};

std::vector<Value> TakeLast(Stack& stack, size_t count) {
  HANDRAIL_CHECK(count <= stack.size());
  std::vector<Value> values(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
  stack.resize(stack.size() - count);
  return values;
}

Value ReadTensor(Reader& in, const std::vector<Ref<Buffer>>& buffers) {
  const auto type = static_cast<ElementType>(in.Number<uint8_t>());
  const auto count = in.Number<uint32_t>();
  const std::vector<int64_t> sizes = in.Ints(count);
  const std::vector<int64_t> strides = in.Ints(count);
  const auto first = in.Number<int64_t>();
  const auto buffer = in.Number<uint32_t>();
  Ref<Tensor> tensor = Tensor::View(buffers.at(buffer), type, sizes, strides, first);
  HANDRAIL_CHECK(tensor);
  return Value(std::move(tensor));
}

Value MakeDict(const std::vector<Value>& pairs) {
  auto dict = values::MakeRef<values::Dict>();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) dict->Set(pairs[i], pairs[i + 1]);
  return Value(std::move(dict));
}

void ReadValue(Reader& in, const std::vector<Ref<Buffer>>& buffers, Stack& stack) {
  switch (in.Number<char>()) {
    case 'N':
      stack.emplace_back();
      return;
    case 'b':
      stack.emplace_back(in.Number<uint8_t>() != 0);
      return;
    case 'i':
      stack.emplace_back(in.Number<int64_t>());
      return;
    case 'f':
      stack.emplace_back(in.Number<double>());
      return;
    case 's':
      stack.emplace_back(in.Text());
      return;
    case 'D':
      stack.push_back(Value::Device(std::string(in.Text())));
      return;
    case 'T':
      stack.push_back(ReadTensor(in, buffers));
      return;
    case 'L':
      stack.push_back(values::MakeList(TakeLast(stack, in.Number<uint32_t>())));
      return;
    case 'U':
      stack.push_back(values::MakeTuple(TakeLast(stack, in.Number<uint32_t>())));
      return;
    case 'M':
      stack.push_back(MakeDict(TakeLast(stack, 2 * size_t{in.Number<uint32_t>()})));
      return;
    default:
      HANDRAIL_CHECK(false);
  }
}

void WriteTensor(const Tensor& tensor, Writer& out) {
  out.Number('T');
  out.Number(static_cast<uint8_t>(tensor.element_type()));
  out.Number(tensor.dimension_count());
  for (int64_t size : tensor.sizes()) out.Number(size);
  for (int64_t stride : tensor.strides()) out.Number(stride);
  std::vector<int64_t> index(tensor.dimension_count(), 0);
  int64_t at = 0;
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    const std::byte* element = tensor.bytes() + at * tensor.element_bytes();
    out.bytes.append(reinterpret_cast<const char*>(element), tensor.element_bytes());
    for (uint32_t d = tensor.dimension_count(); d-- > 0;) {
      at += tensor.stride(d);
      if (++index[d] < tensor.size(d)) break;
      at -= tensor.stride(d) * tensor.size(d);
      index[d] = 0;
    }
  }
}

// A container is met twice: its elements are put before it.
void WriteValue(const Value& root, Writer& out) {
  std::vector<std::pair<Value, bool>> waiting = {{root, false}};
  const auto hold = [&](const Value& container, std::vector<Value> elements) {
    waiting.emplace_back(container, true);
    for (size_t i = elements.size(); i-- > 0;) waiting.emplace_back(std::move(elements[i]), false);
  };
  while (!waiting.empty()) {
    const auto [value, is_second] = std::move(waiting.back());
    waiting.pop_back();
    switch (value.kind()) {
      case Value::Kind::kNone:
        out.Number('N');
        break;
      case Value::Kind::kBool:
        out.Number('b');
        out.Number(static_cast<uint8_t>(value.bool_value()));
        break;
      case Value::Kind::kInt:
        out.Number('i');
        out.Number(value.int_value());
        break;
      case Value::Kind::kFloat:
        out.Number('f');
        out.Number(value.float_value());
        break;
      case Value::Kind::kString:
        out.Number('s');
        out.Text(value.string());
        break;
      case Value::Kind::kDevice:
        out.Number('D');
        out.Text(value.device());
        break;
      case Value::Kind::kTensor:
        WriteTensor(value.tensor(), out);
        break;
      case Value::Kind::kList:
        if (!is_second) {
          hold(value, value.list().elements);
          break;
        }
        out.Number('L');
        out.Number(static_cast<uint32_t>(value.list().elements.size()));
        break;
      case Value::Kind::kTuple:
        if (!is_second) {
          hold(value, value.tuple().elements);
          break;
        }
        out.Number('U');
        out.Number(static_cast<uint32_t>(value.tuple().elements.size()));
        break;
      case Value::Kind::kDict: {
        std::vector<Value> pairs;
        for (const auto& [key, element] : value.dict().entries()) {
          pairs.insert(pairs.end(), {key, element});
        }
        if (!is_second) {
          hold(value, std::move(pairs));
          break;
        }
        out.Number('M');
        out.Number(static_cast<uint32_t>(value.dict().entries().size()));
        break;
      }
      default:
        out.Number('?');
        out.Text(values::ToString(value.kind()));
    }
  }
}

std::string Names() {
  Writer out;
  for (std::string_view name : KernelNames()) out.Text(name);
  return out.bytes;
}

std::string Answer(Reader in) {
  const std::string name(in.Text());
  if (name.empty()) return Names();
  std::vector<Ref<Buffer>> buffers(in.Number<uint32_t>());
  for (auto& buffer : buffers) {
    const std::string_view bytes = in.Text();
    buffer = Buffer::Allocate(bytes.size());
    if (!bytes.empty()) std::memcpy(buffer->mutable_bytes(), bytes.data(), bytes.size());
  }
  Stack stack;
  while (!in.is_at_end()) ReadValue(in, buffers, stack);
  const std::vector<Value> arguments = stack;
  const size_t dot = std::min(name.find('.'), name.size());
  const Kernel kernel =
      FindKernel(name.substr(0, dot), name.substr(std::min(dot + 1, name.size())));
  Writer out;
  if (kernel == nullptr) {
    out.Number('n');
    return out.bytes;
  }
  try {
    kernel(stack);
  } catch (const KernelError& error) {
    out.Number('e');
    out.bytes += error.what();
    return out.bytes;
  }
  out.Number('o');
  out.Number(static_cast<uint32_t>(stack.size()));
  out.Number(static_cast<uint32_t>(arguments.size()));
  for (const Value& value : stack) WriteValue(value, out);
  for (const Value& value : arguments) WriteValue(value, out);
  return out.bytes;
}

void Run() {
  for (;;) {
    uint32_t size = 0;
    if (std::fread(&size, sizeof(size), 1, stdin) != 1) return;
    std::string frame(size, '\0');
    if (std::fread(frame.data(), 1, size, stdin) != size) return;
    const std::string answer = Answer(Reader(std::move(frame)));
    size = static_cast<uint32_t>(answer.size());
    std::fwrite(&size, sizeof(size), 1, stdout);
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace handrail::kernels

int main() {
  handrail::kernels::Run();
  return 0;
}
