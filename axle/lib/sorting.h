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

}  // namespace axle
