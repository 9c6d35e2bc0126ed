// Array<T> and Array2D, Array3D, Array4D: dense row-major host arrays with XLA's names, for making
// constants and literals.
//
//   Array2D<float> a({{1, 2, 3}, {4, 5, 6}});   // from nested lists
//   Array3D<int> b(2, 3, 4, /*value=*/7);
//   a(1, 2) = 9;  a.FillIota(0);                // 0, 1, 2, ... in row-major order
//
// Plain values: copies are deep, const functions are safe in any number of threads. A negative size
// counts as 0; without memory std::bad_alloc is thrown, as by std::vector. Of nested lists, the
// first list of each level gives the size: what is missing in a later one is T(), what is too much
// is dropped. Indices must be in range.
#pragma once
#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "axle/core/array_slice.h"

namespace axle {

template <typename T>
class Array {
 public:
  using value_type = T;
  using List1D = std::initializer_list<T>;
  using List2D = std::initializer_list<List1D>;
  using List3D = std::initializer_list<List2D>;
  using List4D = std::initializer_list<List3D>;

  // No dimension, one element.
  Array() : Array(std::vector<std::int64_t>()) {}
  // [sizes], every element T() or `value`.
  explicit Array(std::vector<std::int64_t> sizes) : sizes_(std::move(sizes)) { Allocate(); }
  Array(std::vector<std::int64_t> sizes, const T& value) : Array(std::move(sizes)) { Fill(value); }
  Array(List1D values) : Array(SizesOf(values)) { CopyFrom(values, 0, data()); }
  Array(List2D values) : Array(SizesOf(values)) { CopyFrom(values, 0, data()); }
  Array(List3D values) : Array(SizesOf(values)) { CopyFrom(values, 0, data()); }
  Array(List4D values) : Array(SizesOf(values)) { CopyFrom(values, 0, data()); }

  // Deep copies. What was moved from is only assigned to or destroyed.
  Array(const Array& other) : Array(other.sizes_) {
    std::copy(other.begin(), other.end(), begin());
  }
  Array& operator=(const Array& other) {
    if (this != &other) *this = Array(other);
    return *this;
  }
  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;

  // Sizes, and their product.
  std::int64_t num_dimensions() const { return static_cast<std::int64_t>(sizes_.size()); }
  std::int64_t dim(std::int64_t d) const { return sizes_[static_cast<std::size_t>(d)]; }
  const std::vector<std::int64_t>& dimensions() const { return sizes_; }
  std::int64_t num_elements() const { return count_; }
  bool empty() const { return count_ == 0; }

  // The elements, row-major; pointers are valid until the array is assigned to or destroyed.
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T* begin() { return data(); }
  T* end() { return data() + count_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + count_; }
  T& flat(std::int64_t i) { return values_[i]; }
  const T& flat(std::int64_t i) const { return values_[i]; }

  // One index per dimension.
  template <std::convertible_to<std::int64_t>... Index>
  T& operator()(Index... index) {
    return values_[Offset({static_cast<std::int64_t>(index)...})];
  }
  template <std::convertible_to<std::int64_t>... Index>
  const T& operator()(Index... index) const {
    return values_[Offset({static_cast<std::int64_t>(index)...})];
  }
  T& operator()(ArraySlice<std::int64_t> index) { return values_[Offset(index)]; }
  const T& operator()(ArraySlice<std::int64_t> index) const { return values_[Offset(index)]; }

  // Every element becomes `value`.
  void Fill(const T& value) { std::fill(begin(), end(), value); }
  // start, start + 1, ... in row-major order.
  void FillIota(T start) {
    for (T& element : *this) {
      element = start;
      start = static_cast<T>(start + T(1));
    }
  }
  // All different, as far as T goes.
  void FillUnique(T start = T()) { FillIota(start); }
  // The elements in row-major order; a list of another length gives as many as there are.
  void SetValues(ArraySlice<T> values) {
    std::copy_n(values.begin(), std::min<std::int64_t>(count_, values.size()), begin());
  }
  // fn(index, &element) for each element, row-major.
  template <typename Fn>
  void Each(Fn&& fn) {
    std::vector<std::int64_t> index(sizes_.size());
    for (std::int64_t i = 0; i < count_; ++i, Advance(index)) fn(Index(index), &values_[i]);
  }
  template <typename Fn>
  void Each(Fn&& fn) const {
    std::vector<std::int64_t> index(sizes_.size());
    for (std::int64_t i = 0; i < count_; ++i, Advance(index)) fn(Index(index), values_[i]);
  }

  // The same sizes and elements.
  bool operator==(const Array& other) const {
    return sizes_ == other.sizes_ && std::equal(begin(), end(), other.begin());
  }

 private:
  using Index = ArraySlice<std::int64_t>;

  void Allocate() {
    std::size_t count = 1;
    for (std::int64_t& size : sizes_) {
      size = std::max<std::int64_t>(size, 0);
      // Too many to count are too many to allocate.
      if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count)) count = SIZE_MAX;
      if (size == 0) count = 0;
    }
    if (count > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    values_ = std::make_unique<T[]>(count);
    count_ = static_cast<std::int64_t>(count);
  }

  static std::vector<std::int64_t> SizesOf(List1D values) {
    return {static_cast<std::int64_t>(values.size())};
  }
  template <typename List>
  static std::vector<std::int64_t> SizesOf(std::initializer_list<List> lists) {
    auto sizes = SizesOf(lists.size() == 0 ? List() : *lists.begin());
    sizes.insert(sizes.begin(), static_cast<std::int64_t>(lists.size()));
    return sizes;
  }
  void CopyFrom(List1D values, std::size_t dim, T* to) {
    std::copy_n(values.begin(), std::min<std::size_t>(values.size(), sizes_[dim]), to);
  }
  template <typename List>
  void CopyFrom(std::initializer_list<List> lists, std::size_t dim, T* to) {
    std::int64_t stride = 1, i = 0;
    for (std::size_t d = dim + 1; d < sizes_.size(); ++d) stride *= sizes_[d];
    for (const List& list : lists) {
      if (i == sizes_[dim]) break;
      CopyFrom(list, dim + 1, to + stride * i++);
    }
  }

  std::int64_t Offset(ArraySlice<std::int64_t> index) const {
    assert(index.size() == sizes_.size());
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      assert(index[d] >= 0 && index[d] < sizes_[d]);
      offset = offset * sizes_[d] + index[d];
    }
    return offset;
  }
  void Advance(std::vector<std::int64_t>& index) const {
    for (std::size_t d = sizes_.size(); d-- > 0;) {
      if (++index[d] < sizes_[d]) return;
      index[d] = 0;
    }
  }

  std::vector<std::int64_t> sizes_;
  std::int64_t count_ = 0;
  std::unique_ptr<T[]> values_;  // not std::vector, whose bools have no addresses
};

// Arrays of two, three and four dimensions: [sizes] of T() or of `value`, or from lists. The sizes
// have names.
template <typename T>
class Array2D : public Array<T> {
 public:
  // Empty; [n1, n2], n1 being the height; from a list of rows.
  Array2D() : Array2D(0, 0) {}
  Array2D(std::int64_t n1, std::int64_t n2) : Array<T>(std::vector<std::int64_t>{n1, n2}) {}
  Array2D(std::int64_t n1, std::int64_t n2, const T& value) : Array<T>({n1, n2}, value) {}
  explicit(false) Array2D(Array<T>::List2D values) : Array<T>(values) {}
  std::int64_t n1() const { return this->dim(0); }
  std::int64_t n2() const { return this->dim(1); }
  std::int64_t height() const { return this->dim(0); }
  std::int64_t width() const { return this->dim(1); }
};

template <typename T>
class Array3D : public Array<T> {
 public:
  // Empty; [n1, n2, n3]; from lists.
  Array3D() : Array3D(0, 0, 0) {}
  Array3D(std::int64_t n1, std::int64_t n2, std::int64_t n3)
      : Array<T>(std::vector<std::int64_t>{n1, n2, n3}) {}
  Array3D(std::int64_t n1, std::int64_t n2, std::int64_t n3, const T& value)
      : Array<T>({n1, n2, n3}, value) {}
  explicit(false) Array3D(Array<T>::List3D values) : Array<T>(values) {}
  std::int64_t n1() const { return this->dim(0); }
  std::int64_t n2() const { return this->dim(1); }
  std::int64_t n3() const { return this->dim(2); }
};

template <typename T>
class Array4D : public Array<T> {
 public:
  // Empty; [planes, depth, height, width]; from lists.
  Array4D() : Array4D(0, 0, 0, 0) {}
  Array4D(std::int64_t planes, std::int64_t depth, std::int64_t height, std::int64_t width)
      : Array<T>(std::vector<std::int64_t>{planes, depth, height, width}) {}
  Array4D(std::int64_t planes, std::int64_t depth, std::int64_t height, std::int64_t width,
          const T& value)
      : Array<T>({planes, depth, height, width}, value) {}
  explicit(false) Array4D(Array<T>::List4D values) : Array<T>(values) {}
  std::int64_t n1() const { return this->dim(0); }
  std::int64_t n2() const { return this->dim(1); }
  std::int64_t n3() const { return this->dim(2); }
  std::int64_t n4() const { return this->dim(3); }
  std::int64_t planes() const { return this->dim(0); }
  std::int64_t depth() const { return this->dim(1); }
  std::int64_t height() const { return this->dim(2); }
  std::int64_t width() const { return this->dim(3); }
  // values(y, x) at every plane and depth; `values` is [height, width].
  void FillWithYX(const Array2D<T>& values) {
    this->Each(
        [&](ArraySlice<std::int64_t> index, T* element) { *element = values(index[2], index[3]); });
  }
};

}  // namespace axle
