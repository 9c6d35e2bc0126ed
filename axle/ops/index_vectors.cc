// The rules that gather and scatter share about their index operand; see index_vectors.h.
//
// gather and scatter name the same dimensions by different attributes; IndexVectors carries the
// values together with the names for the messages.

#include "axle/ops/index_vectors.h"

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/elementwise.h"

namespace axle {
namespace {

bool Contains(const Dims& list, i64 value) {
  return std::ranges::find(list, value) != list.end();
}

// A dimension that has two roles would be indexed twice.
Status CheckDisjoint(const Instruction& inst, std::string_view a_name, const Dims& a,
                     std::string_view b_name, const Dims& b) {
  for (i64 d : a) {
    if (Contains(b, d)) {
      return OpError(inst, StrCat("dimension ", d, " is in ", a_name, " and in ", b_name));
    }
  }
  return {};
}

}  // namespace

// Dimension lists of gather and scatter must be ascending, as XLA requires.
Status CheckAscendingDims(const Instruction& inst, std::string_view name, const Dims& dims,
                          i64 rank) {
  AXLE_TRY(CheckDims(inst, name, dims, rank));
  if (std::ranges::is_sorted(dims)) return {};
  return OpError(inst, StrCat(name, " {", Join(dims, ","), "} must be in ascending order"));
}

// The index vector dimension may be one past the last: then each element of the indices is a vector
// of one entry.
Status CheckIndexVectors(const Instruction& inst, const IndexVectors& vectors, i64 operand_rank,
                         i64 indices_operand) {
  const Shape& indices = inst.operand(indices_operand)->shape();
  AXLE_TRY(ExpectArray(inst, indices_operand));
  if (!IsIntegral(indices.type())) {
    return OpError(inst, StrCat("indices must be integers, not ", Name(indices.type())));
  }
  const i64 vector_dim = vectors.index_vector_dim;
  if (vector_dim < 0 || vector_dim > indices.rank()) {
    return OpError(
        inst, StrCat("index_vector_dim is ", vector_dim, ", must be in [0, ", indices.rank(), "]"));
  }
  const i64 vector_size = vector_dim == indices.rank() ? 1 : indices.dim(vector_dim);
  if (static_cast<i64>(vectors.index_map.size()) != vector_size) {
    return OpError(inst, StrCat(vectors.index_map_name, " has ", vectors.index_map.size(),
                                " entries but index vectors have ", vector_size));
  }
  AXLE_TRY(CheckDims(inst, vectors.index_map_name, vectors.index_map, operand_rank));
  AXLE_TRY(CheckAscendingDims(inst, vectors.window_name, vectors.collapsed, operand_rank));
  if (vectors.operand_batching.size() != vectors.indices_batching.size()) {
    return OpError(inst,
                   StrCat(vectors.operand_batching_name, " has ", vectors.operand_batching.size(),
                          " entries but ", vectors.indices_batching_name, " has ",
                          vectors.indices_batching.size()));
  }
  AXLE_TRY(CheckAscendingDims(inst, vectors.operand_batching_name, vectors.operand_batching,
                              operand_rank));
  AXLE_TRY(
      CheckDims(inst, vectors.indices_batching_name, vectors.indices_batching, indices.rank()));
  if (Contains(vectors.indices_batching, vector_dim)) {
    return OpError(inst, StrCat("dimension ", vector_dim, " is in ", vectors.indices_batching_name,
                                " but is the index_vector_dim"));
  }
  AXLE_TRY(CheckDisjoint(inst, vectors.window_name, vectors.collapsed,
                         vectors.operand_batching_name, vectors.operand_batching));
  return CheckDisjoint(inst, vectors.index_map_name, vectors.index_map,
                       vectors.operand_batching_name, vectors.operand_batching);
}

// The sizes of the indices without those of the index vectors.
Dims BatchSizes(const Shape& indices, i64 index_vector_dim) {
  Dims sizes = indices.dims();
  if (index_vector_dim < indices.rank()) sizes.erase(sizes.begin() + index_vector_dim);
  return sizes;
}

// The dimensions that are in neither list.
Dims RemainingDims(i64 rank, const Dims& without, const Dims& nor) {
  Dims dims;
  for (i64 d = 0; d < rank; ++d) {
    if (!Contains(without, d) && !Contains(nor, d)) dims.push_back(d);
  }
  return dims;
}

}  // namespace axle
