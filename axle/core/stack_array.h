// StackArray: an array whose size is known when it is made, on the stack as long as there are no
// more than N values:
//
//   StackArray<void*, 16> blocks(n);
#pragma once
#include <array>
#include <memory>
#include <span>

namespace axle {

template <typename T, size_t N>
class StackArray {
 public:
  // Default-initialised: plain values are unspecified. Throws std::bad_alloc.
  explicit StackArray(size_t size)
      : more_(size > N ? std::make_unique_for_overwrite<T[]>(size) : nullptr),
        values_(more_ != nullptr ? more_.get() : few_.data(), size) {}
  StackArray(const StackArray&) = delete;
  StackArray& operator=(const StackArray&) = delete;

  size_t size() const { return values_.size(); }
  T* data() const { return values_.data(); }
  T& operator[](size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::array<T, N> few_;
  std::unique_ptr<T[]> more_;
  std::span<T> values_;
};

}  // namespace axle
