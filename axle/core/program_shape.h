// ProgramShape: what a computation takes and gives; and how outputs may share memory with it.
#pragma once
#include <vector>

#include "axle/core/check.h"
#include "axle/core/shape.h"

namespace axle {

// The shapes, with layouts, in which a computation takes its parameters and gives its result. They
// are also called, as the accessors of XLA's class are: shape.parameters(0), shape.result().
class CallableShape : public Shape {
 public:
  CallableShape() = default;
  CallableShape(Shape shape) : Shape(std::move(shape)) {}  // NOLINT(google-explicit-constructor)
  const Shape& operator()() const { return *this; }
};
class CallableShapes : public std::vector<Shape> {
 public:
  using std::vector<Shape>::vector;
  CallableShapes(std::vector<Shape> shapes)  // NOLINT(google-explicit-constructor)
      : std::vector<Shape>(std::move(shapes)) {}
  const std::vector<Shape>& operator()() const { return *this; }
  const Shape& operator()(i64 i) const {
    AXLE_CHECK(0 <= i && i < static_cast<i64>(size()), "there is no such parameter");
    return (*this)[static_cast<size_t>(i)];
  }
};
struct ProgramShape {
  CallableShapes parameters;
  CallableShape result;
  int parameters_size() const { return static_cast<int>(parameters.size()); }
  bool operator==(const ProgramShape&) const = default;
};

// Whether an output may, or must, take over the buffer of a parameter.
enum class AliasKind : std::uint8_t { kMayAlias, kMustAlias };

}  // namespace axle
