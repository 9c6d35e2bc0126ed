#include "axle/lib/slicing.h"

#include <algorithm>

#include "axle/lib/compose.h"
#include "axle/lib/constants.h"

namespace axle {
namespace {

// So many values as the operand has dimensions, or at most so many.
Status CheckCount(std::string_view function, XlaOp operand, std::string_view what, size_t count,
                  bool all) {
  const auto rank = static_cast<size_t>(ShapeOfOp(operand).rank());
  if (all ? count == rank : count <= rank) return {};
  return InvalidArgument(StrCat(function, ": ", what, " has ", count, " elements but the operand ",
                                rank, " dimensions; operand ", ShapeOfOp(operand).ToString()));
}

Dims Prefixed(ArraySlice<i64> list, i64 rank, i64 value) {
  Dims full(static_cast<size_t>(rank) - list.size(), value);
  full.insert(full.end(), list.begin(), list.end());
  return full;
}

std::vector<XlaOp> PrefixedWithZeros(ArraySlice<XlaOp> starts, XlaOp x, XlaBuilder& b,
                                     const Location& location) {
  const PrimitiveType type = starts.empty() ? S32 : ShapeOfOp(starts[0]).type();
  const auto missing = static_cast<size_t>(ShapeOfOp(x).rank()) - starts.size();
  std::vector<XlaOp> full;
  if (missing > 0) full.assign(missing, Zero(&b, type, location));
  full.insert(full.end(), starts.begin(), starts.end());
  return full;
}

// [dims.., rank]: for each element of `index` the position in an array of its rank that has the
// index along `dim` and the element's own position along the others.
XlaOp FullIndices(XlaOp index, i64 dim, XlaBuilder& b, const Location& location) {
  const PrimitiveType type = ShapeOfOp(index).type();
  const int value_bits = Info(type).bits - (IsSigned(type) ? 1 : 0);
  Dims sizes = ShapeOfOp(index).dims();
  // A narrow type may hold every index but not every position.
  if (value_bits < 63 && std::ranges::any_of(sizes, [&](i64 n) { return n >> value_bits != 0; })) {
    index = ConvertElementType(index, S64, location);
  }
  const Shape& shape = ShapeOfOp(index);
  sizes.push_back(1);
  std::vector<XlaOp> parts;
  for (i64 d = 0; d < shape.rank(); ++d) {
    parts.push_back(d == dim ? Reshape(index, sizes, location)
                             : Iota(&b, Shape(shape.type(), sizes), d, location));
  }
  return ConcatInDim(&b, parts, shape.rank(), location);
}

Dims Counting(i64 begin, i64 end) {
  Dims dims;
  for (i64 d = begin; d < end; ++d) dims.push_back(d);
  return dims;
}

// What TorchGather and TorchScatterDense ask of an operand and its indices.
Status CheckTorchIndex(std::string_view function, XlaOp input, XlaOp index, i64 dim) {
  const Shape &shape = ShapeOfOp(input), &indices = ShapeOfOp(index);
  bool fits = IsIntegral(indices.type()) && indices.rank() == shape.rank();
  for (i64 d = 0; fits && d < shape.rank(); ++d) {
    fits = d == dim || indices.dim(d) <= shape.dim(d);
  }
  if (fits) return {};
  return InvalidArgument(StrCat(function,
                                ": index must be integral, of the operand's rank and not larger "
                                "than it but in dimension ",
                                dim, "; operand ", shape.ToString(), ", index ",
                                indices.ToString()));
}

}  // namespace

XlaOp BroadcastTo(XlaOp input, ArraySlice<i64> output_dims, Location location) {
  return Compose("broadcast to", {input}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(input);
    AXLE_TRY(
        TakesOnly("broadcast to", shape.is_array() && shape.is_static(), "a static array", input));
    const Dims wanted(output_dims.begin(), output_dims.end());
    const auto missing = static_cast<i64>(wanted.size()) - shape.rank();
    bool fits = missing >= 0 && CheckShape(Shape(shape.type(), wanted)).ok();
    Dims split, from;  // the result with repeated dimensions in two: [times, size]
    for (i64 d = 0; fits && d < static_cast<i64>(wanted.size()); ++d) {
      const i64 size = d < missing ? 1 : shape.dim(d - missing);
      const i64 out = wanted[static_cast<size_t>(d)];
      fits = size == out || (size > 0 && out % size == 0);
      const bool is_repeated = size > 1 && size != out;
      if (is_repeated) split.push_back(out / size);
      // Of a size of 1 the broadcast itself makes any.
      if (d >= missing && (size != 1 || out == 1)) from.push_back(static_cast<i64>(split.size()));
      split.push_back(is_repeated ? size : out);
    }
    if (!fits) {
      return InvalidArgument(
          StrCat("broadcast to: ", shape.ToString(), " does not fit [", Join(wanted, ","), "]"));
    }
    Dims kept;  // the input without the sizes of 1 that grow
    for (i64 d = 0; d < shape.rank(); ++d) {
      if (shape.dim(d) != 1 || wanted[static_cast<size_t>(d + missing)] == 1) {
        kept.push_back(shape.dim(d));
      }
    }
    const XlaOp small = kept == shape.dims() ? input : Reshape(input, kept, location);
    const XlaOp large = BroadcastInDim(small, split, from, location);
    return split == wanted ? large : Reshape(large, wanted, location);
  });
}

XlaOp DynamicStridedSlice(XlaOp input, ArraySlice<XlaOp> base_indices, ArraySlice<i64> window_sizes,
                          ArraySlice<i64> strides, Location location) {
  return Compose("dynamic strided slice", {input}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckCount("dynamic strided slice", input, "strides", strides.size(), true));
    AXLE_TRY(CheckCount("dynamic strided slice", input, "window_sizes", window_sizes.size(), true));
    const XlaOp window = DynamicSlice(input, base_indices, window_sizes, location);
    if (std::ranges::all_of(strides, [](i64 stride) { return stride == 1; })) return window;
    return Slice(window, Dims(strides.size(), 0), window_sizes, strides, location);
  });
}

XlaOp SliceInMinorDims(XlaOp x, ArraySlice<i64> start, ArraySlice<i64> end, Location location) {
  return Compose("slice in minor dims", {x}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(x);
    AXLE_TRY(CheckCount("slice in minor dims", x, "start", start.size(), false));
    if (start.size() != end.size()) {
      return InvalidArgument(StrCat("slice in minor dims: start has ", start.size(),
                                    " elements but end ", end.size(), "; operand ",
                                    shape.ToString()));
    }
    Dims starts = Prefixed(start, shape.rank(), 0), ends = shape.dims();
    for (size_t i = 0, d = ends.size() - end.size(); i < end.size(); ++i, ++d) {
      if (starts[d] < 0) starts[d] += shape.dims()[d];
      ends[d] = end[i] < 0 ? end[i] + shape.dims()[d] : end[i];
    }
    return Slice(x, starts, ends, Dims(ends.size(), 1), location);
  });
}

XlaOp UpdateSlice(XlaOp x, XlaOp update, ArraySlice<i64> start, Location location) {
  return Compose("update slice", {x, update}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckCount("update slice", x, "start", start.size(), true));
    std::vector<XlaOp> starts;
    for (i64 index : start) starts.push_back(ConstantR0<i64>(&b, index, location));
    return DynamicUpdateSlice(x, update, starts, location);
  });
}

XlaOp UpdateSliceInMinorDims(XlaOp x, XlaOp update, ArraySlice<i64> start, Location location) {
  return Compose(
      "update slice in minor dims", {x, update}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
        AXLE_TRY(CheckCount("update slice in minor dims", x, "start", start.size(), false));
        return UpdateSlice(x, update, Prefixed(start, ShapeOfOp(x).rank(), 0), location);
      });
}

XlaOp DynamicSliceInMinorDims(XlaOp x, ArraySlice<XlaOp> starts, ArraySlice<i64> sizes,
                              Location location) {
  constexpr std::string_view kName = "dynamic slice in minor dims";
  return Compose(kName, {x}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(x);
    AXLE_TRY(CheckCount(kName, x, "starts", starts.size(), false));
    if (starts.size() != sizes.size()) {
      return InvalidArgument(StrCat(kName, ": starts has ", starts.size(), " elements but sizes ",
                                    sizes.size(), "; operand ", shape.ToString()));
    }
    Dims full = shape.dims();
    std::ranges::copy(sizes, full.end() - static_cast<std::ptrdiff_t>(sizes.size()));
    return DynamicSlice(x, PrefixedWithZeros(starts, x, b, location), full, location);
  });
}

XlaOp DynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, ArraySlice<XlaOp> starts,
                                    Location location) {
  constexpr std::string_view kName = "dynamic update slice in minor dims";
  return Compose(kName, {x, update}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckCount(kName, x, "starts", starts.size(), false));
    return DynamicUpdateSlice(x, update, PrefixedWithZeros(starts, x, b, location), location);
  });
}

XlaOp TorchGather(XlaOp input, XlaOp index, i64 dim, bool, Location location) {
  return Compose("torch gather", {input, index}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(dim, DimensionOf("torch gather", input, dim));
    AXLE_TRY(CheckTorchIndex("torch gather", input, index, dim));
    const i64 rank = ShapeOfOp(input).rank();
    GatherDimensionNumbers numbers;
    numbers.collapsed_slice_dims = numbers.start_index_map = Counting(0, rank);
    numbers.index_vector_dim = rank;
    return Gather(input, FullIndices(index, dim, b, location), numbers,
                  Dims(static_cast<size_t>(rank), 1), false, location);
  });
}

XlaOp TorchScatterDense(XlaOp input, XlaOp index, XlaOp src, i64 dim,
                        const std::function<XlaOp(XlaOp, XlaOp)>& combiner, Location location) {
  constexpr std::string_view kName = "torch scatter";
  return Compose(kName, {input, index, src}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(dim, DimensionOf(kName, input, dim));
    AXLE_TRY(CheckTorchIndex(kName, input, index, dim));
    if (combiner == nullptr) return InvalidArgument(StrCat(kName, ": there is no combiner"));
    const Shape& shape = ShapeOfOp(input);
    XlaBuilder combiner_builder(StrCat(b.name(), ".combiner"));
    const Shape scalar(shape.type());
    const XlaOp lhs = Parameter(&combiner_builder, 0, scalar, "lhs", location);
    const XlaOp rhs = Parameter(&combiner_builder, 1, scalar, "rhs", location);
    const XlaComputation update = BuildOrReport(combiner_builder, combiner(lhs, rhs), &b, location);
    ScatterDimensionNumbers numbers;
    numbers.inserted_window_dims = numbers.scatter_dims_to_operand_dims = Counting(0, shape.rank());
    numbers.index_vector_dim = shape.rank();
    return Scatter(input, FullIndices(index, dim, b, location), src, update, numbers, false, false,
                   location);
  });
}

XlaOp TorchIndexSelect(XlaOp input, XlaOp index, i64 dim, i64 batch_dims, Location location) {
  constexpr std::string_view kName = "torch index select";
  return Compose(kName, {input, index}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    const Shape &shape = ShapeOfOp(input), &indices = ShapeOfOp(index);
    AXLE_ASSIGN(dim, DimensionOf(kName, input, dim));
    if (batch_dims < 0) batch_dims += indices.rank();
    const bool batches_match =
        batch_dims >= 0 && batch_dims <= dim && batch_dims <= indices.rank() &&
        std::equal(shape.dims().begin(), shape.dims().begin() + batch_dims, indices.dims().begin());
    if (!batches_match || !IsIntegral(indices.type())) {
      return InvalidArgument(StrCat(kName, ": index must be integral and agree in the first ",
                                    batch_dims, " dimensions, before dimension ", dim, "; operand ",
                                    shape.ToString(), ", index ", indices.ToString()));
    }
    GatherDimensionNumbers numbers;
    numbers.operand_batching_dims = numbers.start_indices_batching_dims = Counting(0, batch_dims);
    numbers.collapsed_slice_dims = numbers.start_index_map = {dim};
    numbers.index_vector_dim = indices.rank();
    // The indices' own dimensions stand where `dim` was.
    const i64 own = indices.rank() - batch_dims;
    numbers.offset_dims = Counting(batch_dims, dim);
    for (i64 d = dim + own; d < shape.rank() - 1 + own; ++d) numbers.offset_dims.push_back(d);
    Dims sizes = shape.dims();
    for (i64 d = 0; d < batch_dims; ++d) sizes[static_cast<size_t>(d)] = 1;
    sizes[static_cast<size_t>(dim)] = 1;
    return Gather(input, index, numbers, sizes, false, location);
  });
}

}  // namespace axle
