// The k greatest elements by sorting, with XLA's names. The op of that name is TopK(operand, k,
// largest) of the builder. Errors are as xla_builder.h says for all functions.
#pragma once
#include "axle/builder/xla_builder.h"

namespace axle {

// (values [.., k], indices index_type[.., k]) of input [.., n]: the k greatest along the last
// dimension, in descending order of the total order (NaN is greatest), first of equal ones first.
// Errors: INVALID_ARGUMENT if 0 <= k <= n does not hold, or index_type is not integral.
XlaOp TopK(XlaOp input, i64 k, PrimitiveType index_type,
           Location location = std::source_location::current());
inline XlaOp TopK(XlaOp input, i64 k, Location location = std::source_location::current()) {
  return TopK(input, k, S32, location);
}
// The same result; `num_partitions`, at least 1, tells XLA into how many parts to cut the sort, and
// changes nothing here.
XlaOp TopKWithPartitions(XlaOp input, i64 k, i64 num_partitions = 1, PrimitiveType index_type = S32,
                         Location location = std::source_location::current());

// The first top_k of `operands`, arrays of one shape, in the order of the comparator, which is that
// of Sort, along reduction_dim: a tuple of as many. XLA may miss some of them, on average at most
// 1 - recall_target; here all are found, on every machine. init_values, one scalar per operand, are
// what XLA fills up with, and are not needed.
//
// Errors: INVALID_ARGUMENT if there is no such dimension or number of elements, or recall_target is
// not in (0, 1]; UNIMPLEMENTED for aggregate_to_topk = false, whose result has a size that only
// approximate code needs.
XlaOp ApproxTopK(XlaBuilder* builder, ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                 i64 top_k, i64 reduction_dim, const XlaComputation& comparator,
                 float recall_target = 0.9F, bool aggregate_to_topk = true,
                 i64 reduction_input_size_override = -1,
                 Location location = std::source_location::current());

}  // namespace axle
