// Pooling over images in any order of dimensions, with XLA's names.
//
//   MaxPool(images, {1, 2, 2, 1}, {1, 2, 2, 1}, Padding::kValid, TensorFormat(0, 3, {1, 2}))
//
// kernel_size and stride have one element per dimension, 1 for batch and feature; padding has low
// and high of the spatial dimensions only, in the order of the format; all count elements. Results
// have a place for each window that fits: [windows, ..]. Errors: INVALID_ARGUMENT for lists of
// other lengths, and what ReduceWindow refuses; the rest as xla_builder.h says for all functions.
#pragma once
#include <utility>
#include <vector>

#include "axle/builder/xla_builder.h"

namespace axle {

// Which dimension of an array is what.
class TensorFormat {
 public:
  // Numbers of dimensions; the functions check what they use of them.
  TensorFormat(int batch_dimension, int feature_dimension, ArraySlice<i64> spatial_dimensions)
      : batch_dimension_(batch_dimension),
        feature_dimension_(feature_dimension),
        spatial_dimensions_(spatial_dimensions.begin(), spatial_dimensions.end()) {}
  int batch_dimension() const { return batch_dimension_; }
  int feature_dimension() const { return feature_dimension_; }
  // `dim` is below num_spatial_dims().
  i64 spatial_dimension(int dim) const { return spatial_dimensions_[static_cast<size_t>(dim)]; }
  int num_spatial_dims() const { return static_cast<int>(spatial_dimensions_.size()); }

 private:
  int batch_dimension_;
  int feature_dimension_;
  Dims spatial_dimensions_;
};

// The greatest element of each window; the padding of Padding::kSame is below all. The format is
// not looked at.
XlaOp MaxPool(XlaOp operand, ArraySlice<i64> kernel_size, ArraySlice<i64> stride, Padding padding,
              const TensorFormat& data_format, Location location = std::source_location::current());
// The sum of each window divided by the number of its elements, those of padding counted or not, in
// the operand's type.
XlaOp AvgPool(XlaOp operand, ArraySlice<i64> kernel_size, ArraySlice<i64> stride,
              ArraySlice<std::pair<i64, i64>> padding, const TensorFormat& data_format,
              bool counts_include_padding, Location location = std::source_location::current());
// The padding of the spatial dimensions; input_size, kernel_size and stride are of all dimensions.
// A spatial dimension beyond their ends is not padded.
std::vector<std::pair<i64, i64>> MakeSpatialPadding(ArraySlice<i64> input_size,
                                                    ArraySlice<i64> kernel_size,
                                                    ArraySlice<i64> stride, Padding padding,
                                                    const TensorFormat& data_format);
// The gradient of AvgPool: what each element of [gradients_size] receives of out_backprop, which
// has the shape of the pool's result; INVALID_ARGUMENT if not.
XlaOp AvgPoolGrad(XlaOp out_backprop, ArraySlice<i64> gradients_size, ArraySlice<i64> kernel_size,
                  ArraySlice<i64> stride, ArraySlice<std::pair<i64, i64>> spatial_padding,
                  const TensorFormat& data_format, bool counts_include_padding,
                  Location location = std::source_location::current());

}  // namespace axle
