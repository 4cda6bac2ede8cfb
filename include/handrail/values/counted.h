// References that count themselves: what lists, tensors and objects of a running program are held
// by.
//
// Counts are atomic, so that threads may share values; what a value holds is not locked, and a
// thread may change it only while no other uses it. Values that contain themselves are never freed
// (as in PyTorch).
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace handrail::values {

class Counted {
 public:
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void AddReference() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void Release() const noexcept {
    // The last owner needs no atomic exchange: nobody else can add a reference.
    if (count_.load(std::memory_order_acquire) == 1 ||
        count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Destroy();
    }
  }
  // Whether one reference is left: then nobody else sees a change.
  bool is_unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }

 protected:
  Counted() noexcept = default;
  virtual ~Counted() = default;
  // A value that holds others waits for its turn instead of being deleted inside of its owner:
  // chains of any length are freed without exhausting the stack.
  void DestroyInTurn() const noexcept;

 private:
  virtual void Destroy() const noexcept { delete this; }

  mutable std::atomic<uint32_t> count_{1};
};

// One counted reference to a T, or none. Moving is free.
template <typename T>
class Ref {
 public:
  Ref() noexcept = default;
  // Takes over a reference that the caller owns: a `new T`, or what `Detach` gave.
  static Ref Adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Adds a reference.
  static Ref Share(T& object) noexcept {
    object.AddReference();
    return Adopt(&object);
  }
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_) object_->AddReference();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->Release();
  }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  // Gives the reference to the caller.
  T* Detach() noexcept { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Args>
Ref<T> MakeRef(Args&&... args) {
  return Ref<T>::Adopt(new T(std::forward<Args>(args)...));
}

}  // namespace handrail::values
