#include "handrail/values/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "handrail/base/check.h"
#include "handrail/base/limits.h"

namespace handrail::values {

namespace {

constexpr std::align_val_t kLargeAlignment{64};

}  // namespace

Ref<Buffer> Buffer::Allocate(uint64_t size) {
  Ref<Buffer> buffer = Ref<Buffer>::Adopt(new Buffer());
  buffer->Reallocate(size);
  return buffer;
}

Ref<Buffer> Buffer::View(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  Ref<Buffer> buffer = Ref<Buffer>::Adopt(new Buffer());
  buffer->bytes_ = bytes.data();
  buffer->size_ = bytes.size();
  buffer->is_view_ = true;
  buffer->owner_ = std::move(owner);
  return buffer;
}

Ref<Buffer> Buffer::Share(std::span<std::byte> bytes, std::shared_ptr<const void> owner) {
  Ref<Buffer> buffer = View(bytes, std::move(owner));
  buffer->is_view_ = false;
  return buffer;
}

Buffer::~Buffer() {
  if (is_allocated_) ::operator delete(const_cast<std::byte*>(bytes_), kLargeAlignment);
}

void Buffer::Reallocate(uint64_t size) {
  std::byte* bytes = size <= kInlineBytes
                         ? inline_.data()
                         : static_cast<std::byte*>(::operator new(size, kLargeAlignment));
  if (is_allocated_) ::operator delete(const_cast<std::byte*>(bytes_), kLargeAlignment);
  bytes_ = bytes;
  size_ = size;
  is_allocated_ = size > kInlineBytes;
  is_view_ = false;
  owner_.reset();
}

void Buffer::CopyViewed() {
  const std::byte* viewed = bytes_;
  const std::shared_ptr<const void> owner = std::move(owner_);
  Reallocate(size_);
  if (size_ != 0) std::memcpy(const_cast<std::byte*>(bytes_), viewed, size_);
}

Tensor::~Tensor() = default;

int64_t* Tensor::SetDimensionCount(size_t count) {
  HANDRAIL_CHECK(count <= limits::kTensorDimensionsMax);
  if (count > kInlineDimensions) {
    large_layout_ = std::make_unique<int64_t[]>(2 * count);
    layout_ = large_layout_.get();
  } else {
    layout_ = inline_layout_.data();
  }
  dimension_count_ = static_cast<uint32_t>(count);
  return layout_;
}

void Tensor::FinishLayout() {
  element_count_ = 1;
  is_contiguous_ = true;
  for (uint32_t i = dimension_count_; i-- > 0;) {
    if (size(i) != 1 && stride(i) != element_count_) is_contiguous_ = false;
    element_count_ *= size(i);
  }
  if (element_count_ == 0) is_contiguous_ = true;
}

Ref<Tensor> Tensor::Allocate(ElementType type, std::span<const int64_t> sizes) {
  Ref<Tensor> tensor = Ref<Tensor>::Adopt(new Tensor());
  int64_t* layout = tensor->SetDimensionCount(sizes.size());
  int64_t count = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    layout[i] = sizes[i];
    layout[sizes.size() + i] = count;
    count *= std::max<int64_t>(sizes[i], 1);
  }
  tensor->element_type_ = type;
  tensor->element_bytes_ = static_cast<uint8_t>(SizeBytes(type));
  tensor->FinishLayout();
  tensor->buffer_ =
      Buffer::Allocate(static_cast<uint64_t>(tensor->element_count_) * tensor->element_bytes_);
  return tensor;
}

Ref<Tensor> Tensor::View(Ref<Buffer> buffer, ElementType type, std::span<const int64_t> sizes,
                         std::span<const int64_t> strides, int64_t first_element) {
  HANDRAIL_CHECK(sizes.size() == strides.size());
  Ref<Tensor> tensor = Ref<Tensor>::Adopt(new Tensor());
  int64_t* layout = tensor->SetDimensionCount(sizes.size());
  std::copy(sizes.begin(), sizes.end(), layout);
  std::copy(strides.begin(), strides.end(), layout + sizes.size());
  tensor->element_type_ = type;
  tensor->element_bytes_ = static_cast<uint8_t>(SizeBytes(type));
  tensor->first_element_ = first_element;
  const bool is_empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  const auto capacity = static_cast<int64_t>(buffer->size() / tensor->element_bytes_);
  int64_t end = first_element;
  if (first_element < 0 || first_element > capacity) return {};
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || strides[i] < 0) return {};
    int64_t step = 0;
    if (is_empty) continue;
    if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &step) ||
        __builtin_add_overflow(end, step, &end)) {
      return {};
    }
  }
  if (!is_empty && end >= capacity) return {};
  // A tensor of few bytes may still count more elements than fit (strides of 0).
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (!is_empty && __builtin_mul_overflow(count, size, &count)) return {};
  }
  tensor->FinishLayout();
  tensor->buffer_ = std::move(buffer);
  return tensor;
}

void Tensor::Become(const Tensor& other) {
  if (this == &other) return;
  int64_t* layout = SetDimensionCount(other.dimension_count_);
  std::copy_n(other.layout_, 2 * size_t{other.dimension_count_}, layout);
  element_type_ = other.element_type_;
  element_bytes_ = other.element_bytes_;
  first_element_ = other.first_element_;
  buffer_ = other.buffer_;
  FinishLayout();
}

}  // namespace handrail::values
