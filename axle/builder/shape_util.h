// ShapeUtil: XLA's names for functions that make and inspect shapes.
//
//   ShapeUtil::MakeShape(F32, {2, 3})                              f32[2,3]
//   ShapeUtil::GetSubshape(shape, {1, 0})                          element 0 of element 1
//
// The functions are static and have no state, so that any thread may call them. None of them
// aborts: a function that has no shape to return (for an index or a dimension that does not exist)
// returns one of type PRIMITIVE_TYPE_INVALID, which CheckShape and the builder refuse. A shape
// without an explicit layout is row-major.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "axle/builder/literal_util.h"
#include "axle/core/program_shape.h"
#include "axle/core/shape.h"

namespace axle {

// A path of tuple indices: {} is the shape itself, {1, 0} is element 0 of its element 1.
class ShapeIndex : public Dims {
 public:
  using Dims::Dims;
  // Returns the path without its last index.
  void push_front(i64 index) { insert(begin(), index); }
  // Both require an index to remove.
  void pop_front() { erase(begin()); }
  std::string ToString() const;  // {1,0}
};
using ShapeIndexView = ArraySlice<i64>;

class ShapeUtil {
 public:
  // --- Making shapes ---

  // Returns [dimensions], row-major. CheckShape (or the builder) refuses invalid sizes.
  static Shape MakeShape(PrimitiveType type, Dims dimensions) {
    return Shape(type, std::move(dimensions));
  }
  // The same with dynamic[d] stating that dimension d is a bound. Flags beyond the dimensions are
  // dropped.
  static Shape MakeShape(PrimitiveType type, Dims dimensions, const std::vector<bool>& dynamic);
  // The same, checked. Errors: INVALID_ARGUMENT as CheckShape; there must be as many flags as
  // dimensions.
  static StatusOr<Shape> MakeValidatedShape(PrimitiveType type, Dims dimensions);
  static StatusOr<Shape> MakeValidatedShape(PrimitiveType type, Dims dimensions,
                                            const std::vector<bool>& dynamic);
  // The same with minor_to_major as the layout, most minor dimension first.
  static Shape MakeShapeWithLayout(PrimitiveType type, Dims dimensions, Dims minor_to_major);
  static Shape MakeShapeWithDenseLayout(PrimitiveType type, Dims dimensions, Dims minor_to_major) {
    return MakeShapeWithLayout(type, std::move(dimensions), std::move(minor_to_major));
  }
  static Shape MakeShapeWithDescendingLayout(PrimitiveType type, Dims dimensions) {
    return MakeShape(type, std::move(dimensions));
  }
  // Returns the row-major shape whose buffer has the same bytes: dimensions from major to minor.
  static Shape MakeShapeWithDescendingLayoutAndSamePhysicalLayout(const Shape& shape);
  // Return type[], (elements...), token[] and opaque[].
  static Shape MakeScalarShape(PrimitiveType type) { return Shape(type); }
  static Shape MakeTupleShape(std::vector<Shape> elements) {
    return Shape::Tuple(std::move(elements));
  }
  // Errors: INVALID_ARGUMENT as CheckShape.
  static StatusOr<Shape> MakeValidatedTupleShape(std::vector<Shape> elements);
  // Returns the element itself if there is exactly one, else the tuple.
  static Shape MakeMaybeTupleShape(std::vector<Shape> elements);
  static Shape MakeNil() { return {}; }  // the empty tuple
  static Shape MakeTokenShape() { return Shape::Token(); }
  static Shape MakeOpaqueShape() { return Shape::Opaque(); }
  // Makes dimensions static, here and in elements: their bounds become their sizes.
  static Shape MakeStaticShape(const Shape& shape);

  // --- Texts ---

  // Return f32[2,3] and f32[2,3]{1,0}.
  static std::string HumanString(const Shape& shape) { return shape.ToString(); }
  static std::string HumanStringWithLayout(const Shape& shape) {
    return shape.ToStringWithLayout();
  }
  // Returns (p0: f32[2], p1: s32[]) -> f32[2].
  static std::string HumanString(const ProgramShape& program_shape);

  // --- Comparing ---

  // Compares everything, including layouts and dynamic flags.
  static bool Equal(const Shape& a, const Shape& b) { return a == b; }
  // Compare everything except layouts; except also the types of arrays; except also which float
  // type it is.
  static bool EqualIgnoringLayout(const Shape& a, const Shape& b) {
    return axle::EqualIgnoringLayout(a, b);
  }
  static bool EqualIgnoringElementType(const Shape& a, const Shape& b);
  static bool EqualIgnoringFpPrecision(const Shape& a, const Shape& b);
  // Compares the trees, whatever the leaves are.
  static bool EqualStructure(const Shape& a, const Shape& b);
  // Compares everything except layouts and dynamic flags.
  static bool Compatible(const Shape& a, const Shape& b) { return axle::Compatible(a, b); }
  static bool CompatibleIgnoringElementType(const Shape& a, const Shape& b);
  static bool CompatibleIgnoringFpPrecision(const Shape& a, const Shape& b) {
    return axle::CompatibleIgnoringFpPrecision(a, b);
  }
  // Compare two arrays: their sizes; ranks; types; types with all floats as one.
  static bool SameDimensions(const Shape& a, const Shape& b) { return SameDims(a, b); }
  static bool SameRank(const Shape& a, const Shape& b) { return a.rank() == b.rank(); }
  static bool SameElementType(const Shape& a, const Shape& b) { return a.type() == b.type(); }
  static bool SameElementTypeIgnoringFpPrecision(const Shape& a, const Shape& b) {
    return SameElementType(a, b) || (ElementIsFloating(a) && ElementIsFloating(b));
  }
  // Returns whether a value of shape `dynamic_shape` fits where `bounded_shape` is required: each
  // size is the same or below a bound.
  static bool DynamicShapeIsCompatible(const Shape& dynamic_shape, const Shape& bounded_shape);

  // --- Sizes ---

  // Returns the number of an array's elements; dynamic dimensions count as their bounds. It
  // saturates at INT64_MAX.
  static i64 ElementsIn(const Shape& shape) { return shape.num_elements(); }
  static i64 ElementsInRecursive(const Shape& shape);  // of all arrays in it
  // Returns the bytes of a Literal's storage; those of tuples are summed, without pointers. It
  // saturates.
  static i64 ByteSizeOf(const Shape& shape) { return shape.num_bytes(); }
  static i64 ByteSizeOfElements(const Shape& shape) { return shape.num_bytes(); }
  // Return the bytes of one element of a Literal; and of pointers of `pointer_size` bytes to a
  // tuple's elements.
  static i64 ByteSizeOfPrimitiveType(PrimitiveType type) { return Info(type).bytes; }
  static i64 ByteSizeOfTupleIndexTable(const Shape& shape, i64 pointer_size) {
    return pointer_size * shape.num_tuple_elements();
  }
  // Returns whether it is an array with a dimension of size 0.
  static bool IsZeroElementArray(const Shape& shape) {
    return shape.is_array() && shape.num_elements() == 0;
  }
  // Returns the number of dimensions of an array.
  static i64 Rank(const Shape& shape) { return shape.rank(); }
  static i64 TrueNumDimensions(const Shape& shape);  // those whose size is not 1
  static i64 TrueRank(const Shape& shape) { return TrueNumDimensions(shape); }
  static bool HasDegenerateDimensions(const Shape& shape);  // one of size 1
  // Returns the size of a dimension, where -1 is the last one; -1 if there is no such dimension.
  static i64 GetDimension(const Shape& shape, i64 dimension_number);
  // Returns the number of a dimension, which is counted from the end if negative; -1 if there is no
  // such dimension.
  static i64 GetDimensionNumber(const Shape& shape, i64 dimension_number);

  // --- Classes of shapes and elements ---

  // Returns whether it is an array of rank 0.
  static bool IsScalar(const Shape& shape) { return shape.is_scalar(); }
  // Returns whether it is an array with one element, whatever its rank.
  static bool IsEffectiveScalar(const Shape& shape) {
    return shape.is_array() && TrueNumDimensions(shape) == 0;
  }
  static bool IsScalarWithElementType(const Shape& shape, PrimitiveType type) {
    return shape.is_scalar() && shape.type() == type;
  }
  // Return whether it is a value of this kind; an empty tuple is also called nil.
  static bool IsArray(const Shape& shape) { return shape.is_array(); }
  static bool IsTuple(const Shape& shape) { return shape.is_tuple(); }
  static bool IsToken(const Shape& shape) { return shape.is_token(); }
  static bool IsOpaque(const Shape& shape) { return shape.type() == OPAQUE_TYPE; }
  static bool IsEmptyTuple(const Shape& shape) {
    return shape.is_tuple() && shape.num_tuple_elements() == 0;
  }
  static bool IsNil(const Shape& shape) { return IsEmptyTuple(shape); }
  // Returns whether it is a tuple with a tuple among its elements.
  static bool IsNestedTuple(const Shape& shape);
  static bool HasPrimitiveType(const Shape& shape, PrimitiveType type);  // in some leaf
  // Return whether an array's elements belong to a class: integers without pred; signed types,
  // which include floats; floats; complex; by bits (BitWidth of primitive_util.h).
  static bool ElementIsIntegral(const Shape& shape) { return IsIntegral(shape.type()); }
  static bool ElementIsSigned(const Shape& shape) {
    return IsSigned(shape.type()) || IsFloating(shape.type());
  }
  static bool ElementIsFloating(const Shape& shape) { return IsFloating(shape.type()); }
  static bool ElementIsComplex(const Shape& shape) { return IsComplex(shape.type()); }
  static bool ElementHasBitWidth(const Shape& shape, int bits) {
    return shape.is_array() && primitive_util::BitWidth(shape.type()) == bits;
  }
  static bool ElementIsIntegralWithBits(const Shape& shape, int bits) {
    return ElementIsIntegral(shape) && ElementHasBitWidth(shape, bits);
  }
  // Returns the one of two floats (or two complex types) with the greater range or, if that is the
  // same, the greater precision.
  static PrimitiveType HigherPrecisionElementType(const Shape& a, const Shape& b) {
    return HigherPrecision(a.type(), b.type());
  }

  // --- Tuples: references are into the shape and valid as long as it is unchanged ---

  // Returns the number of a tuple's elements; 0 for an array.
  static i64 TupleElementCount(const Shape& shape) { return shape.num_tuple_elements(); }
  static const Shape& GetTupleElementShape(const Shape& shape, i64 index);
  static Shape SliceTuple(const Shape& tuple, i64 start, i64 limit);  // elements start .. limit - 1
  // Return whether the path leads to a subshape, and that subshape.
  static bool IndexIsValid(const Shape& shape, ShapeIndexView index);
  static const Shape& GetSubshape(const Shape& shape, ShapeIndexView index);
  // Errors: INVALID_ARGUMENT if the path leads nowhere. The pointer is into `shape`.
  static StatusOr<const Shape*> TryGetSubshape(const Shape& shape, ShapeIndexView index);
  // Returns whether the path leads to a leaf.
  static bool IsLeafIndex(const Shape& shape, ShapeIndexView index);
  // Return the leaves, which are arrays, tokens and empty tuples.
  static i64 GetLeafCount(const Shape& shape);
  // Appends an element.
  static void AppendShapeToTuple(const Shape& element, Shape* tuple) { tuple->AddElement(element); }
  // Calls fn(subshape, index) for the shape and everything in it, or for its leaves; a tuple comes
  // before its elements. The arguments are valid during the call.
  static void ForEachSubshape(const Shape& shape,
                              const std::function<void(const Shape&, const ShapeIndex&)>& fn);
  static void ForEachLeafShape(const Shape& shape,
                               const std::function<void(const Shape&, const ShapeIndex&)>& fn);
  // The same, until fn fails; returns its error.
  static Status ForEachSubshapeWithStatus(
      const Shape& shape, const std::function<Status(const Shape&, const ShapeIndex&)>& fn);
  // Calls fn(index) for each element of an array, row-major, until it returns false.
  static void ForEachIndex(const Shape& shape, const std::function<bool(ArraySlice<i64>)>& fn);

  // --- Changing dimensions: of arrays; the order in memory of those that stay is kept ---

  static Shape ChangeElementType(const Shape& shape, PrimitiveType type);  // of all arrays in it
  // Remove the named dimensions; and those of size 1.
  static Shape DeleteDimension(i64 dimension, const Shape& shape);
  static Shape DeleteDimensions(ArraySlice<i64> dimensions, const Shape& shape);
  static Shape DropDegenerateDimensions(const Shape& shape);
  // Keeps the dimensions for which keep(dimension) is true.
  static Shape FilterDimensions(const std::function<bool(i64)>& keep, const Shape& shape);
  // Permutes the dimensions, in the layout too: dimension i of the result is dimension
  // permutation[i].
  static Shape PermuteDimensions(ArraySlice<i64> permutation, const Shape& shape);
  // Add a dimension of this size, which is the most major one in memory and the last or first by
  // number.
  static void AppendMajorDimension(i64 size, Shape* shape);
  static Shape PrependMajorDimension(i64 size, const Shape& shape);
  // Adds a last dimension, which is the most minor one in memory.
  static void AppendMinorDimension(i64 size, Shape* shape);
  // Inserts dimension `index`, which is the most minor one in memory; the numbers of later ones
  // increase.
  static Shape InsertDimensionAtIndex(const Shape& shape, i64 index, i64 size);
  // Sets the dynamic flag of a dimension of the array at a path; nothing happens if it does not
  // exist.
  static void UpdateDynamicDimension(Shape* shape, ShapeIndexView index, i64 dimension,
                                     bool is_dynamic);

  // --- Buffers ---

  // Returns whether the reshape leaves all elements in their places in memory. False for tiled
  // layouts and for shapes that are not arrays.
  static bool ReshapeIsBitcast(const Shape& input_shape, const Shape& output_shape);
  // Returns whether the transpose, in which dimension i of the output is dimension_mapping[i] of
  // the input, leaves all elements in their places in memory.
  static bool TransposeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                                 ArraySlice<i64> dimension_mapping);

  // CheckShape, by XLA's name.
  static Status ValidateShape(const Shape& shape) { return CheckShape(shape); }
  static Status ValidateShapeWithOptionalLayout(const Shape& shape) { return CheckShape(shape); }
};

}  // namespace axle
