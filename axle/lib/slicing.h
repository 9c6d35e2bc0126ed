// Slices by the last dimensions, and gathers and scatters by PyTorch's rules, with XLA's names.
// `dim` may be counted from the end, as a negative number. Errors are as xla_builder.h says for all
// functions: INVALID_ARGUMENT for lists of a wrong length too.
#pragma once
#include <functional>

#include "axle/builder/xla_builder.h"

namespace axle {

// `input` [dims] repeated up to `output_dims`, which are aligned at the last: a dimension that is
// missing or of size 1 takes any size, one of size n any multiple of n, and its elements follow one
// another n by n. Errors: INVALID_ARGUMENT if they do not fit so, or the input is dynamic.
XlaOp BroadcastTo(XlaOp input, ArraySlice<i64> output_dims,
                  Location location = std::source_location::current());

// A dynamic slice of window_sizes of which every strides[d]-th element is taken:
// [ceil(window_sizes / strides), ..]. Lists have an entry per dimension; indices are those of
// DynamicSlice.
XlaOp DynamicStridedSlice(XlaOp input, ArraySlice<XlaOp> base_indices, ArraySlice<i64> window_sizes,
                          ArraySlice<i64> strides,
                          Location location = std::source_location::current());
// start[i] .. end[i] - 1 of the last start.size() dimensions, all of the ones before. Negative
// bounds count from the end.
XlaOp SliceInMinorDims(XlaOp x, ArraySlice<i64> start, ArraySlice<i64> end,
                       Location location = std::source_location::current());
// x with `update`, of its rank and no larger sizes, written at `start`, one index per dimension, or
// of the last dimensions only, with 0 for the others; clamped so that it fits.
XlaOp UpdateSlice(XlaOp x, XlaOp update, ArraySlice<i64> start,
                  Location location = std::source_location::current());
XlaOp UpdateSliceInMinorDims(XlaOp x, XlaOp update, ArraySlice<i64> start,
                             Location location = std::source_location::current());
// The same at run-time indices, integer scalars of one type, clamped likewise; `sizes` are those of
// the last dimensions, the others are taken as a whole.
XlaOp DynamicSliceInMinorDims(XlaOp x, ArraySlice<XlaOp> starts, ArraySlice<i64> sizes,
                              Location location = std::source_location::current());
XlaOp DynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, ArraySlice<XlaOp> starts,
                                    Location location = std::source_location::current());

// torch.gather: result[i][j] = input[index[i][j]][j] for dim 0; the result has the shape of
// `index`, integers, of input's rank and not larger than it in the other dimensions. `sparse` is a
// hint without effect. Indices out of bounds are clamped.
XlaOp TorchGather(XlaOp input, XlaOp index, i64 dim, bool sparse = true,
                  Location location = std::source_location::current());
// torch.scatter: combiner(input[index[i][j]][j], src[i][j]) for dim 0, for each element of `src`,
// which has the shape of `index`, as above; the result has input's shape. The combiner is called
// once, with handles of scalars in a builder of its own. Indices out of bounds are dropped.
XlaOp TorchScatterDense(XlaOp input, XlaOp index, XlaOp src, i64 dim,
                        const std::function<XlaOp(XlaOp, XlaOp)>& combiner,
                        Location location = std::source_location::current());
// torch.index_select: the slices of input along `dim` at index [n], integers; the dimension's size
// becomes n. With batch_dims the first dimensions of input and index, so many, are batches that go
// together, and what follows in the shape of index takes the place of `dim`. Indices out of bounds
// are clamped.
XlaOp TorchIndexSelect(XlaOp input, XlaOp index, i64 dim, i64 batch_dims = 0,
                       Location location = std::source_location::current());

}  // namespace axle
