// StackArray: an array whose size is known when it is made, on the stack as long as there are no
// more than N values:
//
//   StackArray<void*, 16> blocks(n);
#pragma once
#include <cstddef>
#include <memory>
#include <span>

namespace axle {

template <typename T, size_t N>
class StackArray {
 public:
  // Default-initialised: plain values are unspecified. Throws std::bad_alloc.
  explicit StackArray(size_t size)
      : more_(size > N ? std::make_unique_for_overwrite<T[]>(size) : nullptr),
        values_(more_ != nullptr ? more_.get() : reinterpret_cast<T*>(few_), size) {
    if (more_ == nullptr) std::ranges::uninitialized_default_construct(values_);
  }
  ~StackArray() {
    if (more_ == nullptr) std::ranges::destroy(values_);
  }
  StackArray(const StackArray&) = delete;
  StackArray& operator=(const StackArray&) = delete;

  size_t size() const { return values_.size(); }
  T* data() const { return values_.data(); }
  T& operator[](size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  alignas(T) std::byte few_[N * sizeof(T)];  // those of values_ are made, no others
  std::unique_ptr<T[]> more_;
  std::span<T> values_;
};

}  // namespace axle
