#include "axle/lib/pooling.h"

#include "axle/builder/window_util.h"
#include "axle/lib/arithmetic.h"
#include "axle/lib/compose.h"
#include "axle/lib/constants.h"

namespace axle {
namespace {

// One pool: lists as the user gives them, checked against the rank.
struct Pool {
  std::string_view function;
  ArraySlice<i64> kernel_size;
  ArraySlice<i64> stride;
  ArraySlice<std::pair<i64, i64>> padding;
  const TensorFormat& format;

  Status Check(XlaOp operand) const {
    const auto rank = static_cast<size_t>(ShapeOfOp(operand).rank());
    const auto spatial = static_cast<size_t>(format.num_spatial_dims());
    if (kernel_size.size() != rank || stride.size() != rank) {
      return Bad(StrCat("kernel_size and stride have ", kernel_size.size(), " and ", stride.size(),
                        " elements, must have one per dimension"),
                 operand);
    }
    if (padding.size() != spatial) {
      return Bad(StrCat("padding has ", padding.size(), " elements, must have one for each of ",
                        spatial, " spatial dimensions"),
                 operand);
    }
    for (int i = 0; i < format.num_spatial_dims(); ++i) {
      const i64 dim = format.spatial_dimension(i);
      if (dim < 0 || dim >= static_cast<i64>(rank)) {
        return Bad(StrCat("there is no spatial dimension ", dim), operand);
      }
    }
    for (size_t d = 0; d < rank; ++d) {
      if (kernel_size[d] >= 1 && stride[d] >= 1) continue;
      return Bad(StrCat("kernel_size and stride of dimension ", d, " are ", kernel_size[d], " and ",
                        stride[d], ", must be >= 1"),
                 operand);
    }
    return {};
  }
  // That no sum of sizes, strides and padding overflows.
  Status CheckSizes(XlaOp operand, ArraySlice<i64> gradients_size) const {
    constexpr i64 kMost = i64{1} << 60;
    for (size_t d = 0; d < kernel_size.size(); ++d) {
      const auto spread = CheckedMul(ShapeOfOp(operand).dims()[d], stride[d]);
      bool fits = spread && *spread < kMost && kernel_size[d] < kMost && gradients_size[d] < kMost;
      for (const auto& [low, high] : padding) {
        fits = fits && low > -kMost && low < kMost && high > -kMost && high < kMost;
      }
      if (!fits) return Bad(StrCat("sizes of dimension ", d, " are too large"), operand);
    }
    return {};
  }
  Status Bad(const std::string& what, XlaOp operand) const {
    return InvalidArgument(
        StrCat(function, ": ", what, "; operand ", ShapeOfOp(operand).ToString()));
  }

  std::vector<std::pair<i64, i64>> FullPadding() const {
    std::vector<std::pair<i64, i64>> full(kernel_size.size());
    for (int i = 0; i < format.num_spatial_dims(); ++i) {
      full[static_cast<size_t>(format.spatial_dimension(i))] = padding[static_cast<size_t>(i)];
    }
    return full;
  }

  XlaOp Sum(XlaOp operand, XlaBuilder& b, const Location& location) const {
    const PrimitiveType type = ShapeOfOp(operand).type();
    return ReduceWindowWithGeneralPadding(operand, Zero(&b, type, location),
                                          CreateScalarAddComputation(type, &b, location),
                                          kernel_size, stride, {}, {}, FullPadding(), location);
  }

  // `sums` of windows divided by how many elements each has, those of padding counted or not;
  // ones() is 1 for each that is not padding.
  template <typename Ones>
  XlaOp DividedByCounts(XlaOp sums, bool counts_include_padding, Ones ones, XlaBuilder& b,
                        const Location& location) const {
    if (!counts_include_padding) return Div(sums, Sum(ones(), b, location), {}, location);
    double count = 1;
    for (i64 size : kernel_size) count *= static_cast<double>(size);
    return Div(sums, ScalarLike(sums, count, location), {}, location);
  }
};

}  // namespace

XlaOp MaxPool(XlaOp operand, ArraySlice<i64> kernel_size, ArraySlice<i64> stride, Padding padding,
              const TensorFormat&, Location location) {
  return Compose("max pool", {operand}, location, [&](XlaBuilder& b) {
    const PrimitiveType type = ShapeOfOp(operand).type();
    return ReduceWindow(operand, MinValue(&b, type, location),
                        CreateScalarMaxComputation(type, &b, location), kernel_size, stride,
                        padding, location);
  });
}

XlaOp AvgPool(XlaOp operand, ArraySlice<i64> kernel_size, ArraySlice<i64> stride,
              ArraySlice<std::pair<i64, i64>> padding, const TensorFormat& data_format,
              bool counts_include_padding, Location location) {
  return Compose("avg pool", {operand}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    const Pool pool = {"avg pool", kernel_size, stride, padding, data_format};
    AXLE_TRY(pool.Check(operand));
    return pool.DividedByCounts(
        pool.Sum(operand, b, location), counts_include_padding,
        [&] { return FullLike(operand, 1, location); }, b, location);
  });
}

std::vector<std::pair<i64, i64>> MakeSpatialPadding(ArraySlice<i64> input_size,
                                                    ArraySlice<i64> kernel_size,
                                                    ArraySlice<i64> stride, Padding padding,
                                                    const TensorFormat& data_format) {
  const std::vector<std::pair<i64, i64>> all =
      MakePadding(input_size, kernel_size, stride, padding);
  std::vector<std::pair<i64, i64>> spatial;
  for (int i = 0; i < data_format.num_spatial_dims(); ++i) {
    const auto dim = static_cast<size_t>(data_format.spatial_dimension(i));
    spatial.push_back(dim < all.size() ? all[dim] : std::pair<i64, i64>());
  }
  return spatial;
}

XlaOp AvgPoolGrad(XlaOp out_backprop, ArraySlice<i64> gradients_size, ArraySlice<i64> kernel_size,
                  ArraySlice<i64> stride, ArraySlice<std::pair<i64, i64>> spatial_padding,
                  const TensorFormat& data_format, bool counts_include_padding, Location location) {
  return Compose("avg pool grad", {out_backprop}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    const Pool pool = {"avg pool grad", kernel_size, stride, spatial_padding, data_format};
    AXLE_TRY(pool.Check(out_backprop));
    const Shape& shape = ShapeOfOp(out_backprop);
    if (gradients_size.size() != kernel_size.size()) {
      return pool.Bad(StrCat("gradients_size has ", gradients_size.size(),
                             " elements, must have one per dimension"),
                      out_backprop);
    }
    const Shape gradients(shape.type(), {gradients_size.begin(), gradients_size.end()});
    AXLE_TRY(CheckShape(gradients));
    AXLE_TRY(pool.CheckSizes(out_backprop, gradients_size));
    const auto padding = pool.FullPadding();
    for (size_t d = 0; d < kernel_size.size(); ++d) {
      const i64 padded = gradients_size[d] + padding[d].first + padding[d].second;
      const i64 windows = window_util::StridedBound(padded, kernel_size[d], stride[d]);
      if (shape.dims()[d] == windows) continue;
      return pool.Bad(StrCat("dimension ", d, " has size ", shape.dims()[d], " but the pool of ",
                             gradients.ToString(), " has ", windows, " windows"),
                      out_backprop);
    }
    const auto ones = [&] {
      return Broadcast(One(&b, shape.type(), location), gradients_size, location);
    };
    const XlaOp shares =
        pool.DividedByCounts(out_backprop, counts_include_padding, ones, b, location);
    // The element at position i was in the windows o with o * stride in [i + low - kernel + 1,
    // i + low]: a window of the kernel's size over the results, spread by the stride.
    PaddingConfig spread;
    for (size_t d = 0; d < kernel_size.size(); ++d) {
      const i64 size = shape.dims()[d];
      const i64 spread_size = size == 0 ? 0 : (size - 1) * stride[d] + 1;  // CheckSizes
      const i64 low = kernel_size[d] - 1 - padding[d].first;
      const i64 high = gradients_size[d] + kernel_size[d] - 1 - spread_size - low;
      spread.push_back({low, high, stride[d] - 1});
    }
    const XlaOp padded = Pad(shares, Zero(&b, shape.type(), location), spread, location);
    return ReduceWindow(padded, Zero(&b, shape.type(), location),
                        CreateScalarAddComputation(shape.type(), &b, location), kernel_size,
                        Dims(kernel_size.size(), 1), Padding::kValid, location);
  });
}

}  // namespace axle
