// ArraySlice<T>: a list that a function only reads, as an argument of the public functions.
//
//   XlaOp Transpose(XlaOp operand, ArraySlice<i64> permutation);
//   Transpose(x, {1, 0});              // a list in braces, as std::span does not take it
//   Transpose(x, std::vector<i64>{1, 0});
//
// It owns nothing: a list in braces lives until the end of the full expression, so an ArraySlice is
// for parameters only, never for variables or members.
#pragma once
#include <initializer_list>
#include <span>

namespace axle {

template <typename T>
class ArraySlice : public std::span<const T> {
 public:
  using Span = std::span<const T>;
  using Span::Span;
  // Of nothing; of a span, a vector or an array; of a list in braces: an argument converts. None
  // copies.
  ArraySlice() = default;
  explicit(false) ArraySlice(Span span) : Span(span) {}
  explicit(false) ArraySlice(std::initializer_list<T> list) : Span(std::data(list), list.size()) {}
};

}  // namespace axle
