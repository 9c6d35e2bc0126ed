// Index vectors: what gather and scatter share. start_indices (scatter_indices) holds one vector of
// numbers per batch position; along index_vector_dim, its entries say where a window of the operand
// starts, in the dimensions that start_index_map (scatter_dims_to_operand_dims) names. If
// index_vector_dim is the rank of the indices, they have a further dimension of size 1 that is not
// written down. Batching dimensions of the operand follow a dimension of the indices instead.
#pragma once
#include <span>
#include <string_view>

#include "axle/ops/op_def.h"

namespace axle {

// CheckDims, and an error unless the entries ascend.
Status CheckAscendingDims(const Instruction& inst, std::string_view name, const Dims& dims,
                          i64 rank);

// The attributes under the names of one of the two ops.
struct IndexVectors {
  std::string_view index_map_name;
  const Dims& index_map;
  std::string_view window_name;  // operand dimensions that windows do not have
  const Dims& collapsed;
  std::string_view operand_batching_name;
  const Dims& operand_batching;
  std::string_view indices_batching_name;
  const Dims& indices_batching;
  i64 index_vector_dim;
};

// Checks everything that does not concern windows: `indices` is operand number `indices_operand`.
Status CheckIndexVectors(const Instruction& inst, const IndexVectors& vectors, i64 operand_rank,
                         i64 indices_operand);

// The sizes of `indices` without the index vector dimension: one entry per batch dimension.
Dims BatchSizes(const Shape& indices, i64 index_vector_dim);

// The dimensions in [0, rank) that are in neither list, ascending.
Dims RemainingDims(i64 rank, const Dims& without, const Dims& nor = {});

}  // namespace axle
