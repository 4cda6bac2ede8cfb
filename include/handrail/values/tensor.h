// Tensors of a running program: what kernels read and write.
//
// In:  made by kernels, or views of an archive's bytes (values/instantiate.h).
//
// A tensor is a view of a buffer; views that PyTorch shares share it here. Sizes and strides are
// counted in elements and are never negative; every element lies inside of the buffer (checked when
// a view is made). A buffer that views an archive is copied before its first write, once for all of
// its tensors: a file is never written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "handrail/values/counted.h"
#include "handrail/values/element_type.h"

namespace handrail::values {

// Bytes that tensors share: owned, aligned to 16, or someone else's.
class Buffer final : public Counted {
 public:
  // Not filled.
  static Ref<Buffer> Allocate(uint64_t size);
  // `owner` keeps the bytes alive; without one the caller does. Aligned to the elements it holds.
  static Ref<Buffer> View(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  // Someone else's that may be written: changes are seen by all who share them.
  static Ref<Buffer> Share(std::span<std::byte> bytes, std::shared_ptr<const void> owner);

  uint64_t size() const { return size_; }
  const std::byte* bytes() const { return bytes_; }
  std::byte* mutable_bytes() {
    if (is_view_) CopyViewed();
    return const_cast<std::byte*>(bytes_);
  }
  // Replaces the bytes by `size` others that are not filled, as resizing does.
  void Reallocate(uint64_t size);

 private:
  Buffer() noexcept = default;
  ~Buffer() override;
  void CopyViewed();

  // Small tensors need no allocation of their own for their elements.
  static constexpr uint64_t kInlineBytes = 64;
  alignas(16) std::array<std::byte, kInlineBytes> inline_;
  const std::byte* bytes_ = nullptr;
  uint64_t size_ = 0;
  bool is_view_ = false;
  bool is_allocated_ = false;
  std::shared_ptr<const void> owner_;
};

class Tensor final : public Counted {
 public:
  // Contiguous and not filled. The sizes' product, in bytes, is at most limits::kTensorBytesMax.
  static Ref<Tensor> Allocate(ElementType type, std::span<const int64_t> sizes);
  // `first_element` is counted from the buffer's begin. Null if an element lies outside of the
  // buffer.
  static Ref<Tensor> View(Ref<Buffer> buffer, ElementType type, std::span<const int64_t> sizes,
                          std::span<const int64_t> strides, int64_t first_element);

  ElementType element_type() const { return element_type_; }
  uint32_t element_bytes() const { return element_bytes_; }
  uint32_t dimension_count() const { return dimension_count_; }
  std::span<const int64_t> sizes() const { return {layout_, dimension_count_}; }
  std::span<const int64_t> strides() const {
    return {layout_ + dimension_count_, dimension_count_};
  }
  int64_t size(uint32_t dimension) const { return layout_[dimension]; }
  int64_t stride(uint32_t dimension) const { return layout_[dimension_count_ + dimension]; }
  int64_t element_count() const { return element_count_; }
  int64_t first_element() const { return first_element_; }
  // Whether the elements lie one after the other, the last dimension's first.
  bool is_contiguous() const { return is_contiguous_; }

  const Ref<Buffer>& buffer() const { return buffer_; }
  // The first element's; `T` is the element type's C++ type.
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(buffer_->bytes()) + first_element_;
  }
  // Copies the bytes of an archive first, if need be.
  template <typename T>
  T* mutable_data() {
    return reinterpret_cast<T*>(buffer_->mutable_bytes()) + first_element_;
  }
  const std::byte* bytes() const { return buffer_->bytes() + first_element_ * element_bytes_; }
  std::byte* mutable_bytes() { return buffer_->mutable_bytes() + first_element_ * element_bytes_; }

  bool requires_grad() const { return requires_grad_; }
  void set_requires_grad(bool value) { requires_grad_ = value; }

  // Makes this tensor what `other` is: the same buffer, sizes and strides. (`set_`, `resize_`)
  void Become(const Tensor& other);

 private:
  Tensor() noexcept = default;
  ~Tensor() override;
  int64_t* SetDimensionCount(size_t count);
  void FinishLayout();

  static constexpr uint32_t kInlineDimensions = 5;

  Ref<Buffer> buffer_;
  std::array<int64_t, 2 * size_t{kInlineDimensions}> inline_layout_;
  int64_t* layout_ = inline_layout_.data();  // the sizes, then the strides
  int64_t element_count_ = 0;
  int64_t first_element_ = 0;
  uint32_t dimension_count_ = 0;
  ElementType element_type_ = ElementType::kFloat32;
  uint8_t element_bytes_ = 0;
  bool is_contiguous_ = true;
  bool requires_grad_ = false;
  std::unique_ptr<int64_t[]> large_layout_;
};

using TensorRef = Ref<Tensor>;

}  // namespace handrail::values
