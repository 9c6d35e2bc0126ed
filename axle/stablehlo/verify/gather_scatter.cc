// Gather and scatter: the numbers of dimensions that say where slices lie.
#include <algorithm>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Type;

namespace {

// What gather and scatter call by different names: a slice of `operand` for each index vector.
struct Numbers {
  std::string_view window_name;     // offset_dims, update_window_dims
  std::string_view collapsed_name;  // collapsed_slice_dims, inserted_window_dims
  std::string_view batching_name;   // operand_batching_dims, input_batching_dims
  std::string_view indices_batching_name;
  std::string_view map_name;  // start_index_map, scatter_dims_to_operand_dims
  Dims window = {}, collapsed = {}, batching = {}, indices_batching = {}, map = {};
  i64 index_vector_dim = 0;
};

Numbers ReadNumbers(const Subject& op, Numbers numbers) {
  numbers.window = op.Ints(numbers.window_name);
  numbers.collapsed = op.Ints(numbers.collapsed_name);
  numbers.batching = op.Ints(numbers.batching_name);
  numbers.indices_batching = op.Ints(numbers.indices_batching_name);
  numbers.map = op.Ints(numbers.map_name);
  numbers.index_vector_dim = op.Int("index_vector_dim");
  return numbers;
}

Numbers GatherNumbers(const Subject& op) {
  return ReadNumbers(op, {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                          "start_indices_batching_dims", "start_index_map"});
}

Numbers ScatterNumbers(const Subject& op) {
  return ReadNumbers(op, {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                          "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"});
}

bool Contains(const Dims& dims, size_t dim) {
  return std::ranges::find(dims, static_cast<i64>(dim)) != dims.end();
}

// The sizes of the indices with a dimension of 1 at the end if the index vectors have none.
StatusOr<Dims> ExpandedIndices(const Subject& op, const Numbers& numbers, const Type& indices) {
  const i64 rank = RankOf(indices);
  if (numbers.index_vector_dim < 0 || numbers.index_vector_dim > rank) {
    return op.Error("\"index_vector_dim\" is ", numbers.index_vector_dim, ", not in 0 .. ", rank);
  }
  Dims dims = indices.dims;
  if (numbers.index_vector_dim == rank) dims.push_back(1);
  return dims;
}

Status CheckBatching(const Subject& op, const Numbers& numbers, const Type& operand,
                     const Type& indices) {
  AXLE_TRY(CheckDistinct(op, numbers.indices_batching_name, numbers.indices_batching));
  AXLE_TRY(CheckDimsInRange(op, numbers.indices_batching_name, numbers.indices_batching,
                            RankOf(indices)));
  if (std::ranges::find(numbers.indices_batching, numbers.index_vector_dim) !=
      numbers.indices_batching.end()) {
    return op.Error("\"", numbers.indices_batching_name, "\" has ", numbers.index_vector_dim,
                    ", which is index_vector_dim");
  }
  if (numbers.batching.size() != numbers.indices_batching.size()) {
    return op.Error("\"", numbers.batching_name, "\" has ", numbers.batching.size(), " entries, \"",
                    numbers.indices_batching_name, "\" has ", numbers.indices_batching.size());
  }
  for (size_t i = 0; i < numbers.batching.size(); ++i) {
    const i64 size = operand.dims[static_cast<size_t>(numbers.batching[i])];
    const i64 other = indices.dims[static_cast<size_t>(numbers.indices_batching[i])];
    if (CompatibleSizes(size, other)) continue;
    return op.Error("entry ", i, " of \"", numbers.batching_name, "\" and \"",
                    numbers.indices_batching_name, "\" have sizes ", size, " and ", other);
  }
  return {};
}

// What both have in common. `indices_dims` are expanded.
Status CheckNumbers(const Subject& op, const Numbers& numbers, const Type& operand,
                    const Type& indices, const Dims& indices_dims) {
  const size_t rank = numbers.window.size() + numbers.collapsed.size() + numbers.batching.size();
  if (operand.dims.size() != rank) {
    return op.Error("\"", numbers.window_name, "\", \"", numbers.collapsed_name, "\" and \"",
                    numbers.batching_name, "\" have ", rank, " entries for ", operand.ToString());
  }
  const i64 length = indices_dims[static_cast<size_t>(numbers.index_vector_dim)];
  if (!CompatibleSizes(length, static_cast<i64>(numbers.map.size()))) {
    return op.Error("\"", numbers.map_name, "\" has ", numbers.map.size(),
                    " entries for index vectors of length ", length);
  }
  AXLE_TRY(CheckSorted(op, numbers.window_name, numbers.window));
  AXLE_TRY(CheckDistinct(op, numbers.window_name, numbers.window));
  AXLE_TRY(CheckDistinct(op, numbers.collapsed_name, numbers.collapsed, numbers.batching_name,
                         numbers.batching));
  for (const auto& [name, dims] : {std::pair(numbers.collapsed_name, &numbers.collapsed),
                                   std::pair(numbers.batching_name, &numbers.batching)}) {
    AXLE_TRY(CheckSorted(op, name, *dims));
    AXLE_TRY(CheckDimsInRange(op, name, *dims, RankOf(operand)));
  }
  AXLE_TRY(CheckBatching(op, numbers, operand, indices));
  AXLE_TRY(
      CheckDistinct(op, numbers.map_name, numbers.map, numbers.batching_name, numbers.batching));
  return CheckDimsInRange(op, numbers.map_name, numbers.map, RankOf(operand));
}

Status CheckSliceSizes(const Subject& op, const Numbers& numbers, const Dims& sizes) {
  const Type& operand = op.operand();
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool is_single = Contains(numbers.collapsed, d) || Contains(numbers.batching, d);
    if (is_single && sizes[d] > 1) {
      return op.Error("slice_sizes has ", sizes[d], " for dimension ", d,
                      ", which is collapsed or a batching one");
    }
    if (sizes[d] >= 0 && (IsOpenSize(operand.dims[d]) || sizes[d] <= operand.dims[d])) continue;
    return op.Error("slice_sizes has ", sizes[d], " for dimension ", d, " of ", operand.ToString());
  }
  return {};
}

// `sizes`: of slices; open where they are not known.
Status CheckGather(const Subject& op, const Dims& sizes) {
  const Type& operand = op.operand(0);
  const Type& indices = op.operand(1);
  if (!SameElements(operand, op.result())) {
    return op.Error("the operand is ", operand.ToString(), ", the result is ",
                    op.result().ToString(), ", of other elements");
  }
  const Numbers numbers = GatherNumbers(op);
  AXLE_ASSIGN(const Dims indices_dims, ExpandedIndices(op, numbers, indices));
  AXLE_TRY(CheckNumbers(op, numbers, operand, indices, indices_dims));
  if (sizes.size() != operand.dims.size()) {
    return op.Error("slice_sizes has ", sizes.size(), " entries for ", operand.ToString());
  }
  if (std::ranges::none_of(sizes, IsOpenSize)) AXLE_TRY(CheckSliceSizes(op, numbers, sizes));
  const size_t rank = indices_dims.size() - 1 + numbers.window.size();
  AXLE_TRY(CheckDimsInRange(op, numbers.window_name, numbers.window, static_cast<i64>(rank)));
  Dims slice;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!Contains(numbers.collapsed, d) && !Contains(numbers.batching, d))
      slice.push_back(sizes[d]);
  }
  Dims dims, bounds;
  for (size_t d = 0, of_slice = 0, of_indices = 0; d < rank; ++d) {
    if (Contains(numbers.window, d)) {
      dims.push_back(slice[of_slice++]);
      bounds.push_back(mlir::kDynamic);
      continue;
    }
    if (static_cast<i64>(of_indices) == numbers.index_vector_dim) ++of_indices;
    dims.push_back(indices_dims[of_indices]);
    bounds.push_back(BoundOf(indices, of_indices++));
  }
  return op.CheckResult(TensorOf(*operand.of, std::move(dims), std::move(bounds)));
}

Status CheckUpdate(const Subject& op, const Numbers& numbers, const Type& input, const Type& update,
                   const Dims& indices_dims) {
  Dims limits;
  for (size_t d = 0; d < input.dims.size(); ++d) {
    if (!Contains(numbers.collapsed, d) && !Contains(numbers.batching, d)) {
      limits.push_back(input.dims[d]);
    }
  }
  size_t of_window = 0, of_indices = 0;
  for (size_t d = 0; d < update.dims.size(); ++d) {
    const i64 size = update.dims[d];
    if (Contains(numbers.window, d)) {
      const i64 limit = limits[of_window++];
      if (IsOpenSize(size) || IsOpenSize(limit) || size <= limit) continue;
      return op.Error("dimension ", d, " of ", update.ToString(), " is above the size ", limit,
                      " of ", input.ToString());
    }
    if (static_cast<i64>(of_indices) == numbers.index_vector_dim) ++of_indices;
    const i64 count = indices_dims[of_indices++];
    if (CompatibleSizes(size, count)) continue;
    return op.Error("dimension ", d, " of ", update.ToString(), " does not have the size ", count,
                    " of the indices");
  }
  return {};
}

}  // namespace

Status VerifyGather(const Subject& op) {
  return CheckGather(op, op.Ints("slice_sizes"));
}

Status VerifyDynamicGather(const Subject& op) {
  const std::optional<Dims> sizes = op.ConstantInts(2);
  const auto count = static_cast<size_t>(op.operand(2).dims.front());
  if (count != op.operand().dims.size()) {
    return op.Error("slice_sizes is ", op.operand(2).ToString(), " for ", op.operand().ToString());
  }
  return CheckGather(op, sizes.value_or(Dims(count, mlir::kDynamic)));
}

Status VerifyScatter(const Subject& op) {
  const Types inputs = op.GroupTypes(0);
  const Types updates = op.GroupTypes(2);
  const Type& indices = op.operand(inputs.size());
  if (inputs.empty()) return op.Error("there is no input");
  for (const Types* types : {&inputs, &updates}) {
    for (const Type* type : *types) {
      if (CompatibleShapes(*type, *types->front())) continue;
      return op.Error("the shapes of ", types == &inputs ? "inputs" : "updates",
                      " differ: ", TypesText(*types));
    }
  }
  const Numbers numbers = ScatterNumbers(op);
  AXLE_ASSIGN(const Dims indices_dims, ExpandedIndices(op, numbers, indices));
  std::vector<Type> scalars;
  for (const Type* update : updates) scalars.push_back(op.ScalarOf(*update->of));
  Types inits;
  for (const Type& scalar : scalars) inits.push_back(&scalar);
  AXLE_TRY(VerifyReducer(op, 0, inputs, inits, {}));
  const size_t rank = indices_dims.size() - 1 + numbers.window.size();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (updates[i]->dims.size() != rank) {
      return op.Error("updates are ", updates[i]->ToString(), ", not of rank ", rank);
    }
    AXLE_TRY(CheckDimsInRange(op, numbers.window_name, numbers.window, static_cast<i64>(rank)));
    AXLE_TRY(CheckNumbers(op, numbers, *inputs[i], indices, indices_dims));
    AXLE_TRY(CheckUpdate(op, numbers, *inputs[i], *updates[i], indices_dims));
  }
  const Types returned = op.Returned(0);
  std::vector<Type> implied;
  for (size_t i = 0; i < inputs.size(); ++i) {
    implied.push_back(TensorOf(*returned[i]->of, inputs[i]->dims, inputs[i]->bounds));
  }
  return op.CheckResults(implied);
}

}  // namespace axle::stablehlo
