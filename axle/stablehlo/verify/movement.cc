// Operations that move elements, with sizes that are attributes.
#include <algorithm>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Type;

namespace {

// Indices of one integer type.
Status CheckStartIndices(const Subject& op, size_t position) {
  const auto [begin, end] = op.Group(position);
  for (size_t i = begin; i < end; ++i) {
    if (SameElements(op.operand(begin), op.operand(i))) continue;
    return op.Error("start indices are ", op.operand(begin).ToString(), " and ",
                    op.operand(i).ToString());
  }
  const i64 rank = RankOf(op.operand());
  if (static_cast<i64>(end - begin) == rank) return {};
  return op.Error("there are ", end - begin, " start indices for ", op.operand().ToString());
}

// The number of entries of a list for each dimension of the operand.
Status CheckEntries(const Subject& op, std::string_view name, size_t count) {
  if (static_cast<i64>(count) == RankOf(op.operand())) return {};
  return op.Error("\"", name, "\" has ", count, " entries for ", op.operand().ToString());
}

i64 BitsOf(const Type& tensor) {
  const ElementType element = mlir::ElementOf(tensor);
  return element == PRED ? 1 : Info(element).bits;
}

}  // namespace

Status VerifyBitcastConvert(const Subject& op) {
  const Type& from = op.operand();
  const Type& to = op.result();
  if (IsComplex(mlir::ElementOf(from)) != IsComplex(mlir::ElementOf(to))) {
    return op.Error("from ", from.ToString(), " to ", to.ToString(),
                    ": complex numbers have no bits in common with others");
  }
  const bool grows = BitsOf(from) < BitsOf(to);
  const Type& narrow = grows ? from : to;
  const Type& wide = grows ? to : from;
  Dims prefix = narrow.dims;
  if (BitsOf(narrow) != BitsOf(wide)) {
    if (prefix.size() != wide.dims.size() + 1) {
      return op.Error(narrow.ToString(),
                      ", of the narrower elements, needs one dimension more than ",
                      wide.ToString());
    }
    const std::optional<i64> bits =
        CheckedMul(IsOpenSize(prefix.back()) ? 0 : prefix.back(), BitsOf(narrow));
    if (!IsOpenSize(prefix.back()) && bits != BitsOf(wide)) {
      return op.Error("the last dimension of ", narrow.ToString(), " does not fill elements of ",
                      wide.ToString());
    }
    prefix.pop_back();
  }
  if (CompatibleDims(prefix, wide.dims)) return {};
  return op.Error(narrow.ToString(), " and ", wide.ToString(), " have different sizes");
}

Status VerifyBroadcast(const Subject& op) {
  Dims dims = op.Ints("broadcast_sizes");
  for (const i64 size : dims) {
    if (size < 0) return op.Error("\"broadcast_sizes\" has ", size);
  }
  dims.insert(dims.end(), op.operand().dims.begin(), op.operand().dims.end());
  return op.CheckResult(TensorOf(*op.operand().of, std::move(dims)));
}

Status VerifyBroadcastInDim(const Subject& op) {
  const Type& operand = op.operand();
  const Type& result = op.result();
  if (!IsPerAxis(QuantizationOf(result))) AXLE_TRY(CheckSameScales(op, operand, result));
  const Dims dimensions = op.Ints("broadcast_dimensions");
  AXLE_TRY(CheckEntries(op, "broadcast_dimensions", dimensions.size()));
  AXLE_TRY(CheckDistinct(op, "broadcast_dimensions", dimensions));
  AXLE_TRY(CheckDimsInRange(op, "broadcast_dimensions", dimensions, RankOf(result)));
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const i64 size = operand.dims[i];
    const i64 expanded = result.dims[static_cast<size_t>(dimensions[i])];
    if (IsOpenSize(size) || size == 1 || size == expanded) continue;
    return op.Error("dimension ", i, " has size ", size, ", dimension ", dimensions[i],
                    " of the result has ", SizeText(expanded));
  }
  return CheckBroadcastScales(op, dimensions);
}

Status VerifyConcatenate(const Subject& op) {
  if (op.num_operands() == 0) return op.Error("there is no operand");
  const Type& first = op.operand();
  const i64 dimension = op.Int("dimension");
  AXLE_TRY(CheckDimsInRange(op, "dimension", {dimension}, RankOf(first)));
  const auto at = static_cast<size_t>(dimension);
  Types merged;
  i64 total = 0, total_bound = 0;
  std::vector<Type> others;  // without the sizes along the dimension
  for (size_t i = 0; i < op.num_operands(); ++i) {
    Type& other = others.emplace_back(op.operand(i));
    if (other.dims.size() != first.dims.size()) {
      return op.Error("the ranks of ", first.ToString(), " and ", other.ToString(), " differ");
    }
    const i64 size = other.dims[at];
    const i64 bound = SizeOrBound(other, at);
    const auto add = [](i64 a, i64 b) {
      return IsOpenSize(a) || IsOpenSize(b) ? mlir::kDynamic
                                            : CheckedAdd(a, b).value_or(mlir::kDynamic);
    };
    total = add(total, size);
    total_bound = add(total_bound, bound);
    other.dims[at] = 0;
    if (at < other.bounds.size()) other.bounds[at] = mlir::kDynamic;
  }
  for (const Type& other : others) {
    if (!CompatibleDims(other.dims, others.front().dims)) {
      return op.Error("sizes differ outside of dimension ", dimension, ": ",
                      TypesText(op.operands()));
    }
    merged.push_back(&other);
  }
  AXLE_ASSIGN(Type implied, MostSpecific(op, merged));
  implied.dims[at] = total;
  if (IsOpenSize(total) && !IsOpenSize(total_bound)) {
    implied.bounds.resize(implied.dims.size(), mlir::kDynamic);
    implied.bounds[at] = total_bound;
  }
  return op.CheckResult(std::move(implied));
}

Status VerifyDynamicSlice(const Subject& op) {
  const Dims sizes = op.Ints("slice_sizes");
  AXLE_TRY(CheckEntries(op, "slice_sizes", sizes.size()));
  AXLE_TRY(CheckStartIndices(op, 1));
  for (size_t d = 0; d < sizes.size(); ++d) {
    const i64 size = op.operand().dims[d];
    if (sizes[d] >= 0 && (IsOpenSize(size) || sizes[d] <= size)) continue;
    return op.Error("\"slice_sizes\" has ", sizes[d], " for dimension ", d, " of ",
                    op.operand().ToString());
  }
  return op.CheckResult(TensorOf(*op.operand().of, sizes));
}

Status VerifyDynamicUpdateSlice(const Subject& op) {
  const Type& operand = op.operand(0);
  const Type& update = op.operand(1);
  if (!SameElements(operand, update) || !SameElements(operand, op.result())) {
    return op.Error("operand, update and result have different elements: ", operand.ToString(),
                    ", ", update.ToString(), ", ", op.result().ToString());
  }
  if (update.dims.size() != operand.dims.size()) {
    return op.Error("the ranks of ", operand.ToString(), " and ", update.ToString(), " differ");
  }
  AXLE_TRY(CheckStartIndices(op, 2));
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    const i64 size = operand.dims[d];
    if (IsOpenSize(size) || IsOpenSize(update.dims[d]) || update.dims[d] <= size) continue;
    return op.Error("dimension ", d, " of the update has size ", update.dims[d],
                    ", above that of the operand, ", size);
  }
  return op.CheckResult(operand);
}

Status VerifyGetDimensionSize(const Subject& op) {
  AXLE_TRY(CheckDimsInRange(op, "dimension", {op.Int("dimension")}, RankOf(op.operand())));
  return op.CheckResult(op.ScalarOf(op.Element(S32)));
}

Status VerifySetDimensionSize(const Subject& op) {
  const Type& operand = op.operand();
  if (!op.operand(1).dims.empty()) {
    return op.Error("the size is ", op.operand(1).ToString(), ", not a scalar");
  }
  AXLE_TRY(CheckDimsInRange(op, "dimension", {op.Int("dimension")}, RankOf(operand)));
  const auto at = static_cast<size_t>(op.Int("dimension"));
  Type implied = operand;
  implied.bounds.resize(operand.dims.size(), mlir::kDynamic);
  if (!IsOpenSize(operand.dims[at])) implied.bounds[at] = operand.dims[at];
  implied.dims[at] = mlir::kDynamic;
  const std::optional<Dims> size = op.ConstantInts(1);
  if (size && size->size() == 1 && size->front() == implied.bounds[at]) {
    std::swap(implied.dims[at], implied.bounds[at]);
  }
  if (std::ranges::all_of(implied.bounds, IsOpenSize)) implied.bounds.clear();
  return op.CheckResult(std::move(implied));
}

Status VerifyPad(const Subject& op) {
  const Type& operand = op.operand();
  const Dims low = op.Ints("edge_padding_low");
  const Dims high = op.Ints("edge_padding_high");
  const Dims interior = op.Ints("interior_padding");
  AXLE_TRY(CheckEntries(op, "edge_padding_low", low.size()));
  AXLE_TRY(CheckEntries(op, "edge_padding_high", high.size()));
  AXLE_TRY(CheckEntries(op, "interior_padding", interior.size()));
  Type implied = operand;
  for (size_t d = 0; d < low.size(); ++d) {
    if (interior[d] < 0) return op.Error("\"interior_padding\" has ", interior[d]);
    const i64 size = SizeOrBound(operand, d);
    if (IsOpenSize(size)) continue;
    const std::optional<i64> inside = CheckedMul(std::max<i64>(size - 1, 0), interior[d]);
    const std::optional<i64> edges = CheckedAdd(low[d], high[d]);
    const std::optional<i64> sum =
        inside && edges ? CheckedAdd(*inside, *edges) : std::optional<i64>();
    const std::optional<i64> padded = sum ? CheckedAdd(*sum, size) : std::optional<i64>();
    if (!padded) return op.Error("the size of dimension ", d, " does not fit");
    if (*padded < 0) return op.Error("the size of dimension ", d, " would be ", *padded);
    (IsOpenSize(operand.dims[d]) ? implied.bounds : implied.dims)[d] = *padded;
  }
  return op.CheckResult(std::move(implied));
}

Status VerifyReshape(const Subject& op) {
  const std::optional<i64> from = NumElements(op.operand());
  const std::optional<i64> to = NumElements(op.result());
  if (!from || !to) return {};
  if (*from != *to) {
    return op.Error(op.operand().ToString(), " has ", *from, " elements, ", op.result().ToString(),
                    " has ", *to);
  }
  return CheckReshapeScales(op);
}

Status VerifyReverse(const Subject& op) {
  const Dims dimensions = op.Ints("dimensions");
  AXLE_TRY(CheckDistinct(op, "dimensions", dimensions));
  AXLE_TRY(CheckDimsInRange(op, "dimensions", dimensions, RankOf(op.operand())));
  return op.CheckResult(op.operand());
}

Status VerifySlice(const Subject& op) {
  const Type& operand = op.operand();
  const Dims starts = op.Ints("start_indices");
  const Dims limits = op.Ints("limit_indices");
  const Dims strides = op.Ints("strides");
  AXLE_TRY(CheckEntries(op, "start_indices", starts.size()));
  AXLE_TRY(CheckEntries(op, "limit_indices", limits.size()));
  AXLE_TRY(CheckEntries(op, "strides", strides.size()));
  Dims dims(starts.size());
  for (size_t d = 0; d < starts.size(); ++d) {
    const i64 size = SizeOrBound(operand, d);
    if (starts[d] < 0 || starts[d] > limits[d] || strides[d] <= 0 ||
        (!IsOpenSize(size) && limits[d] > size)) {
      return op.Error("[", starts[d], ":", limits[d], ":", strides[d],
                      "] is no range of dimension ", d, " of ", operand.ToString());
    }
    const i64 range = limits[d] - starts[d];
    dims[d] = range / strides[d] + (range % strides[d] == 0 ? 0 : 1);
  }
  return op.CheckResult(TensorOf(*operand.of, std::move(dims)));
}

Status VerifyTranspose(const Subject& op) {
  const Type& operand = op.operand();
  const Dims permutation = op.Ints("permutation");
  AXLE_TRY(CheckEntries(op, "permutation", permutation.size()));
  AXLE_TRY(CheckDistinct(op, "permutation", permutation));
  AXLE_TRY(CheckDimsInRange(op, "permutation", permutation, RankOf(operand)));
  Dims dims, bounds;
  for (const i64 dim : permutation) {
    dims.push_back(operand.dims[static_cast<size_t>(dim)]);
    bounds.push_back(BoundOf(operand, static_cast<size_t>(dim)));
  }
  AXLE_TRY(op.CheckResult(TensorOf(*operand.of, std::move(dims), std::move(bounds))));
  AXLE_TRY(CheckSameScales(op, operand, op.result()));
  const mlir::Quantization* from = QuantizationOf(operand);
  const mlir::Quantization* to = QuantizationOf(op.result());
  if (!IsPerAxis(to)) return {};
  const i64 axis = permutation[static_cast<size_t>(to->axis)];
  if (axis == from->axis) return {};
  return op.Error("the result is quantized along what was dimension ", axis,
                  ", the operand along dimension ", from->axis);
}

}  // namespace axle::stablehlo
