#include "axle/builder/shape_util.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle {
namespace {

const Shape& InvalidShape() {
  static const Shape kInvalid(PRIMITIVE_TYPE_INVALID);
  return kInvalid;
}

// Compares the trees of two shapes, and everything that is not a tuple with `leaves`.
template <typename Leaves>
bool EqualTrees(const Shape& a, const Shape& b, const Leaves& leaves) {
  if (a.is_tuple() != b.is_tuple()) return false;
  if (!a.is_tuple()) return leaves(a, b);
  return std::ranges::equal(a.elements(), b.elements(), [&](const Shape& x, const Shape& y) {
    return EqualTrees(x, y, leaves);
  });
}

// Returns `shape` with every array in it replaced.
template <typename Fn>
Shape MapArrays(const Shape& shape, const Fn& fn) {
  if (shape.is_array()) return fn(shape);
  if (!shape.is_tuple()) return shape;
  Shape mapped;
  for (const Shape& element : shape.elements()) mapped.AddElement(MapArrays(element, fn));
  return mapped;
}

// Returns a shape whose dimension i is dimension from[i] of `shape`, or a new one of size
// `new_size` if from[i] is -1. The order in memory is kept; new dimensions are the most minor or
// most major.
Shape Rearranged(const Shape& shape, const Dims& from, i64 new_size, bool new_is_minor) {
  Shape result(shape.type());
  Dims to(shape.dims().size(), -1), added;
  for (size_t d = 0; d < from.size(); ++d) {
    const i64 source = from[d];
    const auto dim = static_cast<i64>(d);
    result.AppendDim(source < 0 ? new_size : shape.dim(source),
                     source >= 0 && shape.is_dynamic(source));
    if (source < 0) {
      added.push_back(dim);
    } else {
      to[static_cast<size_t>(source)] = dim;
    }
  }
  Layout layout;
  if (new_is_minor) layout.minor_to_major = added;
  for (i64 d : shape.LayoutOrDefault().minor_to_major) {
    if (to[static_cast<size_t>(d)] >= 0) {
      layout.minor_to_major.push_back(to[static_cast<size_t>(d)]);
    }
  }
  if (!new_is_minor) {
    layout.minor_to_major.insert(layout.minor_to_major.end(), added.begin(), added.end());
  }
  result.set_layout(std::move(layout));
  return result;
}

Dims Counting(i64 count) {
  Dims dims(static_cast<size_t>(count));
  for (i64 d = 0; d < count; ++d) dims[static_cast<size_t>(d)] = d;
  return dims;
}

bool IsPermutation(ArraySlice<i64> list, i64 count) {
  Dims sorted(list.begin(), list.end());
  std::ranges::sort(sorted);
  return sorted == Counting(count);
}

// Returns whether it is an array whose layout is a plain order of dimensions, which the functions
// about the order in memory need.
bool IsPlainArray(const Shape& shape) {
  return shape.is_array() && CheckShape(shape).ok() &&
         (shape.layout() == nullptr || shape.layout()->tiles.empty());
}

// Returns how memory is traversed when an array is read in row-major order: (size, stride) of each
// dimension, with neighbours merged where possible. Two arrays with equal lists have the same order
// of elements.
std::vector<std::pair<i64, i64>> Walk(const Shape& shape) {
  const Dims strides = LayoutStrides(shape);
  std::vector<std::pair<i64, i64>> walk;
  for (i64 d = 0; d < shape.rank(); ++d) {
    const i64 size = shape.dim(d), stride = strides[static_cast<size_t>(d)];
    if (size == 1) continue;
    if (!walk.empty() && walk.back().second == size * stride) {
      walk.back() = {walk.back().first * size, stride};
    } else {
      walk.emplace_back(size, stride);
    }
  }
  return walk;
}

template <typename Fn>
Status Visit(const Shape& shape, ShapeIndex& index, const Fn& fn) {
  AXLE_TRY(fn(shape, index));
  if (!shape.is_tuple()) return {};
  for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
    index.push_back(i);
    AXLE_TRY(Visit(shape.element(i), index, fn));
    index.pop_back();
  }
  return {};
}

bool IsLeaf(const Shape& shape) {
  return !shape.is_tuple() || shape.num_tuple_elements() == 0;
}

}  // namespace

std::string ShapeIndex::ToString() const {
  return StrCat("{", Join(*this, ","), "}");
}

Shape ShapeUtil::MakeShape(PrimitiveType type, Dims dimensions, const std::vector<bool>& dynamic) {
  Shape shape(type, std::move(dimensions));
  for (size_t d = 0; d < dynamic.size() && d < shape.dims().size(); ++d) {
    shape.set_dynamic(static_cast<i64>(d), dynamic[d]);
  }
  return shape;
}

StatusOr<Shape> ShapeUtil::MakeValidatedShape(PrimitiveType type, Dims dimensions) {
  Shape shape(type, std::move(dimensions));
  AXLE_TRY(CheckShape(shape));
  return shape;
}

StatusOr<Shape> ShapeUtil::MakeValidatedShape(PrimitiveType type, Dims dimensions,
                                              const std::vector<bool>& dynamic) {
  if (dynamic.size() != dimensions.size()) {
    return InvalidArgument(StrCat("shape has ", dimensions.size(), " dimensions but ",
                                  dynamic.size(), " dynamic flags"));
  }
  Shape shape = MakeShape(type, std::move(dimensions), dynamic);
  AXLE_TRY(CheckShape(shape));
  return shape;
}

Shape ShapeUtil::MakeShapeWithLayout(PrimitiveType type, Dims dimensions, Dims minor_to_major) {
  Shape shape(type, std::move(dimensions));
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  shape.set_layout(std::move(layout));
  return shape;
}

Shape ShapeUtil::MakeShapeWithDescendingLayoutAndSamePhysicalLayout(const Shape& shape) {
  return MapArrays(shape, [](const Shape& array) {
    const Layout layout = array.LayoutOrDefault();
    if (!IsPermutation(layout.minor_to_major, array.rank())) return InvalidShape();
    return PermuteDimensions(Dims(layout.minor_to_major.rbegin(), layout.minor_to_major.rend()),
                             array);
  });
}

StatusOr<Shape> ShapeUtil::MakeValidatedTupleShape(std::vector<Shape> elements) {
  Shape shape = Shape::Tuple(std::move(elements));
  AXLE_TRY(CheckShape(shape));
  return shape;
}

Shape ShapeUtil::MakeMaybeTupleShape(std::vector<Shape> elements) {
  return elements.size() == 1 ? elements[0] : Shape::Tuple(std::move(elements));
}

Shape ShapeUtil::MakeStaticShape(const Shape& shape) {
  return MapArrays(shape, [](Shape array) {
    for (i64 d = 0; d < array.rank(); ++d) array.set_dynamic(d, false);
    return array;
  });
}

std::string ShapeUtil::HumanString(const ProgramShape& program_shape) {
  std::string text = "(";
  for (size_t i = 0; i < program_shape.parameters.size(); ++i) {
    StrAppend(text, i == 0 ? "" : ", ", "p", i, ": ", program_shape.parameters[i].ToString());
  }
  return StrCat(text, ") -> ", program_shape.result.ToString());
}

bool ShapeUtil::EqualIgnoringElementType(const Shape& a, const Shape& b) {
  return EqualTrees(a, b, [](const Shape& x, const Shape& y) {
    return x == y || (x.is_array() && y.is_array() && x.WithType(y.type()) == y);
  });
}

bool ShapeUtil::EqualIgnoringFpPrecision(const Shape& a, const Shape& b) {
  return EqualTrees(a, b, [](const Shape& x, const Shape& y) {
    return SameElementTypeIgnoringFpPrecision(x, y) && x.WithType(y.type()) == y;
  });
}

bool ShapeUtil::EqualStructure(const Shape& a, const Shape& b) {
  return EqualTrees(a, b, [](const Shape&, const Shape&) { return true; });
}

bool ShapeUtil::CompatibleIgnoringElementType(const Shape& a, const Shape& b) {
  return EqualTrees(a, b, [](const Shape& x, const Shape& y) {
    return x.is_array() == y.is_array() && x.dims() == y.dims() &&
           (x.is_array() || x.type() == y.type());
  });
}

bool ShapeUtil::DynamicShapeIsCompatible(const Shape& dynamic_shape, const Shape& bounded_shape) {
  return EqualTrees(dynamic_shape, bounded_shape, [](const Shape& x, const Shape& bounded) {
    if (x.type() != bounded.type() || x.rank() != bounded.rank()) return false;
    for (i64 d = 0; d < x.rank(); ++d) {
      const bool unbounded = bounded.is_dynamic(d) && bounded.dim(d) == kUnboundedSize;
      const bool fits = bounded.is_dynamic(d) ? unbounded || x.dim(d) <= bounded.dim(d)
                                              : x.dim(d) == bounded.dim(d);
      if (!fits) return false;
    }
    return true;
  });
}

i64 ShapeUtil::ElementsInRecursive(const Shape& shape) {
  if (shape.is_array()) return shape.num_elements();
  i64 count = 0;
  for (const Shape& element : shape.elements()) {
    count = CheckedAdd(count, ElementsInRecursive(element)).value_or(INT64_MAX);
  }
  return count;
}

i64 ShapeUtil::TrueNumDimensions(const Shape& shape) {
  return shape.rank() - std::ranges::count(shape.dims(), 1);
}

bool ShapeUtil::HasDegenerateDimensions(const Shape& shape) {
  return TrueNumDimensions(shape) != shape.rank();
}

i64 ShapeUtil::GetDimension(const Shape& shape, i64 dimension_number) {
  const i64 dim = GetDimensionNumber(shape, dimension_number);
  return dim < 0 ? -1 : shape.dim(dim);
}

i64 ShapeUtil::GetDimensionNumber(const Shape& shape, i64 dimension_number) {
  const i64 dim = dimension_number < 0 ? dimension_number + shape.rank() : dimension_number;
  return dim >= 0 && dim < shape.rank() ? dim : -1;
}

bool ShapeUtil::IsNestedTuple(const Shape& shape) {
  return shape.is_tuple() && std::ranges::any_of(shape.elements(), &Shape::is_tuple);
}

bool ShapeUtil::HasPrimitiveType(const Shape& shape, PrimitiveType type) {
  if (shape.type() == type) return true;
  return std::ranges::any_of(
      shape.elements(), [type](const Shape& element) { return HasPrimitiveType(element, type); });
}

const Shape& ShapeUtil::GetTupleElementShape(const Shape& shape, i64 index) {
  return GetSubshape(shape, {index});
}

Shape ShapeUtil::SliceTuple(const Shape& tuple, i64 start, i64 limit) {
  if (!tuple.is_tuple() || start < 0 || start > limit || limit > tuple.num_tuple_elements()) {
    return InvalidShape();
  }
  return Shape::Tuple({tuple.elements().begin() + start, tuple.elements().begin() + limit});
}

StatusOr<const Shape*> ShapeUtil::TryGetSubshape(const Shape& shape, ShapeIndexView index) {
  const Shape* subshape = &shape;
  for (i64 i : index) {
    if (!subshape->is_tuple() || i < 0 || i >= subshape->num_tuple_elements()) {
      return InvalidArgument(
          StrCat("shape index {", Join(index, ","), "} is not in shape ", shape.ToString()));
    }
    subshape = &subshape->element(i);
  }
  return subshape;
}

const Shape& ShapeUtil::GetSubshape(const Shape& shape, ShapeIndexView index) {
  const StatusOr<const Shape*> subshape = TryGetSubshape(shape, index);
  return subshape.ok() ? **subshape : InvalidShape();
}

bool ShapeUtil::IndexIsValid(const Shape& shape, ShapeIndexView index) {
  return TryGetSubshape(shape, index).ok();
}

bool ShapeUtil::IsLeafIndex(const Shape& shape, ShapeIndexView index) {
  return IndexIsValid(shape, index) && IsLeaf(GetSubshape(shape, index));
}

i64 ShapeUtil::GetLeafCount(const Shape& shape) {
  if (IsLeaf(shape)) return 1;
  i64 count = 0;
  for (const Shape& element : shape.elements()) count += GetLeafCount(element);
  return count;
}

Status ShapeUtil::ForEachSubshapeWithStatus(
    const Shape& shape, const std::function<Status(const Shape&, const ShapeIndex&)>& fn) {
  ShapeIndex index;
  return Visit(shape, index, fn);
}

void ShapeUtil::ForEachSubshape(const Shape& shape,
                                const std::function<void(const Shape&, const ShapeIndex&)>& fn) {
  ShapeIndex index;
  static_cast<void>(Visit(shape, index, [&](const Shape& subshape, const ShapeIndex& at) {
    fn(subshape, at);
    return Status();
  }));
}

void ShapeUtil::ForEachLeafShape(const Shape& shape,
                                 const std::function<void(const Shape&, const ShapeIndex&)>& fn) {
  ForEachSubshape(shape, [&](const Shape& subshape, const ShapeIndex& index) {
    if (IsLeaf(subshape)) fn(subshape, index);
  });
}

void ShapeUtil::ForEachIndex(const Shape& shape, const std::function<bool(ArraySlice<i64>)>& fn) {
  if (!shape.is_array() || shape.num_elements() == 0) return;
  Dims index(shape.dims().size(), 0);
  while (fn(index)) {
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] >= shape.dims()[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

Shape ShapeUtil::ChangeElementType(const Shape& shape, PrimitiveType type) {
  return MapArrays(shape, [type](const Shape& array) { return array.WithType(type); });
}

Shape ShapeUtil::FilterDimensions(const std::function<bool(i64)>& keep, const Shape& shape) {
  if (!shape.is_array()) return shape;
  if (!CheckShape(shape).ok()) return InvalidShape();
  Dims kept;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (keep(d)) kept.push_back(d);
  }
  return Rearranged(shape, kept, 0, false);
}

Shape ShapeUtil::DeleteDimension(i64 dimension, const Shape& shape) {
  return DeleteDimensions({dimension}, shape);
}

Shape ShapeUtil::DeleteDimensions(ArraySlice<i64> dimensions, const Shape& shape) {
  for (i64 d : dimensions) {
    if (d < 0 || d >= shape.rank()) return InvalidShape();
  }
  return FilterDimensions(
      [&](i64 d) { return std::ranges::find(dimensions, d) == dimensions.end(); }, shape);
}

Shape ShapeUtil::DropDegenerateDimensions(const Shape& shape) {
  return FilterDimensions([&](i64 d) { return shape.dim(d) != 1; }, shape);
}

Shape ShapeUtil::PermuteDimensions(ArraySlice<i64> permutation, const Shape& shape) {
  if (!shape.is_array() || !CheckShape(shape).ok() || !IsPermutation(permutation, shape.rank())) {
    return InvalidShape();
  }
  return Rearranged(shape, {permutation.begin(), permutation.end()}, 0, false);
}

void ShapeUtil::AppendMajorDimension(i64 size, Shape* shape) {
  Dims from = Counting(shape->rank());
  from.push_back(-1);
  *shape = IsPlainArray(*shape) ? Rearranged(*shape, from, size, false) : InvalidShape();
}

Shape ShapeUtil::PrependMajorDimension(i64 size, const Shape& shape) {
  Dims from = Counting(shape.rank());
  from.insert(from.begin(), -1);
  return IsPlainArray(shape) ? Rearranged(shape, from, size, false) : InvalidShape();
}

void ShapeUtil::AppendMinorDimension(i64 size, Shape* shape) {
  *shape = InsertDimensionAtIndex(*shape, shape->rank(), size);
}

Shape ShapeUtil::InsertDimensionAtIndex(const Shape& shape, i64 index, i64 size) {
  if (!IsPlainArray(shape) || index < 0 || index > shape.rank()) return InvalidShape();
  Dims from = Counting(shape.rank());
  from.insert(from.begin() + index, -1);
  return Rearranged(shape, from, size, true);
}

void ShapeUtil::UpdateDynamicDimension(Shape* shape, ShapeIndexView index, i64 dimension,
                                       bool is_dynamic) {
  if (index.empty()) {
    if (dimension >= 0 && dimension < shape->rank()) shape->set_dynamic(dimension, is_dynamic);
    return;
  }
  if (!shape->is_tuple()) return;
  std::vector<Shape> elements = shape->elements();
  if (index[0] < 0 || index[0] >= shape->num_tuple_elements()) return;
  UpdateDynamicDimension(&elements[static_cast<size_t>(index[0])], index.subspan(1), dimension,
                         is_dynamic);
  *shape = Shape::Tuple(std::move(elements));
}

bool ShapeUtil::ReshapeIsBitcast(const Shape& input_shape, const Shape& output_shape) {
  if (!IsPlainArray(input_shape) || !IsPlainArray(output_shape)) return false;
  if (input_shape.type() != output_shape.type()) return false;
  if (input_shape.num_elements() != output_shape.num_elements()) return false;
  return input_shape.num_elements() == 0 || Walk(input_shape) == Walk(output_shape);
}

bool ShapeUtil::TransposeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                                   ArraySlice<i64> dimension_mapping) {
  if (!IsPlainArray(input_shape) || !IsPlainArray(output_shape)) return false;
  if (input_shape.type() != output_shape.type()) return false;
  if (input_shape.rank() != output_shape.rank()) return false;
  if (!IsPermutation(dimension_mapping, input_shape.rank())) return false;
  const Dims input = LayoutStrides(input_shape), output = LayoutStrides(output_shape);
  for (i64 d = 0; d < output_shape.rank(); ++d) {
    const i64 from = dimension_mapping[static_cast<size_t>(d)];
    if (input_shape.dim(from) != output_shape.dim(d)) return false;
    if (output_shape.dim(d) > 1 &&
        input[static_cast<size_t>(from)] != output[static_cast<size_t>(d)]) {
      return false;
    }
  }
  return true;
}

}  // namespace axle
