#include "cli/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "handrail/base/limits.h"
#include "handrail/debug_map/debug_map_writer.h"

#include "archive/quoted.h"
#include "archive/zip_writer.h"

namespace handrail::cli {
namespace {

using values::ElementType;
using values::Tensor;
using values::TensorRef;

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionBytes = 2;
constexpr size_t kAlignment = 64;

struct NumpyType {
  ElementType type;
  std::string_view text;
};
constexpr std::array<NumpyType, 11> kTypes = {{{ElementType::kFloat32, "<f4"},
                                               {ElementType::kFloat64, "<f8"},
                                               {ElementType::kFloat16, "<f2"},
                                               {ElementType::kInt64, "<i8"},
                                               {ElementType::kInt32, "<i4"},
                                               {ElementType::kInt16, "<i2"},
                                               {ElementType::kInt8, "|i1"},
                                               {ElementType::kUint8, "|u1"},
                                               {ElementType::kBool, "|b1"},
                                               {ElementType::kComplex64, "<c8"},
                                               {ElementType::kComplex128, "<c16"}}};

// The header is one Python dict of three entries, which NumPy itself writes in just this form.
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {}

  // What follows `'key':`, up to `end`; empty: it is not there.
  std::string_view ValueOf(std::string_view key, std::string_view end) const {
    const std::string quoted = fmt::format("'{}':", key);
    const size_t place = text_.find(quoted);
    if (place == std::string_view::npos) return {};
    std::string_view value = text_.substr(place + quoted.size());
    while (value.starts_with(' ')) value.remove_prefix(1);
    const size_t length = value.find_first_of(end);
    return length == std::string_view::npos ? std::string_view() : value.substr(0, length);
  }

  std::optional<ElementType> type() const {
    std::string_view text = ValueOf("descr", ",}");
    if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    for (const NumpyType& each : kTypes) {
      const bool has_order = each.text.front() == '<';
      // `=` is native; types of one byte may say any order.
      if (text.substr(1) == each.text.substr(1) &&
          (!has_order || text.front() == '<' || text.front() == '=')) {
        return each.type;
      }
    }
    return std::nullopt;
  }

  std::optional<std::vector<int64_t>> sizes() const {
    std::string_view text = ValueOf("shape", ")");
    if (!text.starts_with('(')) return std::nullopt;
    text.remove_prefix(1);
    std::vector<int64_t> sizes;
    while (true) {
      while (text.starts_with(' ') || text.starts_with(',')) text.remove_prefix(1);
      if (text.empty()) return sizes;
      int64_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc() || size < 0 || sizes.size() == limits::kTensorDimensionsMax) {
        return std::nullopt;
      }
      sizes.push_back(size);
      text.remove_prefix(static_cast<size_t>(end - text.data()));
    }
  }

  std::optional<bool> is_fortran() const {
    const std::string_view text = ValueOf("fortran_order", ",}");
    if (text == "True") return true;
    if (text == "False") return false;
    return std::nullopt;
  }

 private:
  std::string_view text_;
};

// How many bytes the elements take; nothing: too many.
std::optional<uint64_t> BytesOf(std::span<const int64_t> sizes, ElementType type) {
  uint64_t count = values::SizeBytes(type);
  for (const int64_t size : sizes) {
    if (size != 0 && count > limits::kTensorBytesMax / static_cast<uint64_t>(size)) {
      return std::nullopt;
    }
    count *= static_cast<uint64_t>(size);
  }
  return count;
}

// Copies elements one by one, in C order: `copy(offset in elements)`.
template <typename Copy>
void ForEachElement(const Tensor& tensor, const Copy& copy) {
  std::vector<int64_t> index(tensor.dimension_count());
  int64_t offset = 0;
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    copy(offset);
    for (uint32_t d = tensor.dimension_count(); d-- > 0;) {
      offset += tensor.stride(d);
      if (++index[d] < tensor.size(d)) break;
      offset -= index[d] * tensor.stride(d);
      index[d] = 0;
    }
  }
}

}  // namespace

Result<TensorRef> ReadNpy(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t length_offset = kMagic.size() + kVersionBytes;
  if (!text.starts_with(kMagic) || text.size() < length_offset + sizeof(uint16_t)) {
    return Fail(ErrorCode::kUnsupported, fmt::format("{}: need a .npy file, have another", name));
  }
  // Version 1 has 16 bits for the header's length, later ones 32.
  const bool is_long = text[kMagic.size()] > 1;
  const size_t length_bytes = is_long ? sizeof(uint32_t) : sizeof(uint16_t);
  uint32_t length = 0;
  if (text.size() < length_offset + length_bytes) {
    return Fail(ErrorCode::kTruncated, fmt::format("{}: the .npy header is cut off", name));
  }
  std::memcpy(&length, text.data() + length_offset, length_bytes);
  const size_t data_offset = length_offset + length_bytes + length;
  if (data_offset > text.size()) {
    return Fail(ErrorCode::kTruncated,
                fmt::format("{}: need a .npy header of {} bytes, have {}", name, length,
                            text.size() - length_offset - length_bytes));
  }
  const Header header(text.substr(length_offset + length_bytes, length));
  const auto type = header.type();
  const auto sizes = header.sizes();
  const auto is_fortran = header.is_fortran();
  if (!type || !sizes || !is_fortran) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: need an array of numbers in this machine's byte order, have {}",
                            name, Quoted(text.substr(length_offset + length_bytes, length))));
  }
  const auto size_bytes = BytesOf(*sizes, *type);
  if (!size_bytes || *size_bytes > text.size() - data_offset) {
    return Fail(ErrorCode::kTruncated,
                fmt::format("{}: need the elements of an array of {}, have {} bytes", name,
                            fmt::join(*sizes, "x"), text.size() - data_offset));
  }
  const TensorRef read = Tensor::Allocate(*type, *sizes);
  std::memcpy(read->mutable_bytes(), text.data() + data_offset, *size_bytes);
  if (!*is_fortran) return read;
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (const int64_t size : *sizes) {
    strides.push_back(stride);
    stride *= size;
  }
  return Tensor::View(read->buffer(), *type, *sizes, strides, 0);
}

std::string NpyOf(const Tensor& tensor) {
  const bool is_bfloat16 = tensor.element_type() == ElementType::kBfloat16;
  const ElementType type = is_bfloat16 ? ElementType::kFloat32 : tensor.element_type();
  const auto* const known = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const NumpyType& each) { return each.type == type; });
  const std::string_view descr = known == kTypes.end() ? "|V1" : known->text;
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                  fmt::join(tensor.sizes(), ", "), tensor.dimension_count() == 1 ? "," : "");
  const size_t unpadded = kMagic.size() + kVersionBytes + sizeof(uint16_t) + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';

  std::string file(kMagic);
  file += '\x01';
  file += '\0';
  const auto length = static_cast<uint16_t>(header.size());
  file.append(reinterpret_cast<const char*>(&length), sizeof(length));
  file += header;
  if (!is_bfloat16 && tensor.is_contiguous()) {
    file.append(reinterpret_cast<const char*>(tensor.bytes()),
                static_cast<size_t>(tensor.element_count()) * tensor.element_bytes());
    return file;
  }
  const auto* const bytes = reinterpret_cast<const char*>(tensor.bytes());
  ForEachElement(tensor, [&](int64_t offset) {
    // The upper half of a float32.
    if (is_bfloat16) file.append(sizeof(uint16_t), '\0');
    file.append(bytes + offset * tensor.element_bytes(), tensor.element_bytes());
  });
  return file;
}

Status WriteNpz(const std::string& path,
                std::span<const std::pair<std::string, TensorRef>> arrays) {
  std::string file;
  ZipWriter writer({}, file);
  for (const auto& [name, tensor] : arrays) {
    HANDRAIL_RETURN_IF_ERROR(writer.Add(name + ".npy", NpyOf(*tensor)));
  }
  HANDRAIL_RETURN_IF_ERROR(writer.Finish());
  return WriteFileAtomically(path, std::as_bytes(std::span(file)));
}

}  // namespace handrail::cli
