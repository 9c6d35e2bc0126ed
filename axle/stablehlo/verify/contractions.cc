// Products: dot, dot_general, ragged_dot.
#include <algorithm>

#include "axle/stablehlo/dot_algorithms.h"
#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Type;

namespace {

struct ProductDims {
  Dims lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
};

bool Contains(const Dims& dims, size_t dim) {
  return std::ranges::find(dims, static_cast<i64>(dim)) != dims.end();
}

Status CheckPrecisions(const Subject& op) {
  const mlir::Attribute* precisions = op.Find("precision_config");
  if (precisions == nullptr || precisions->elements.size() <= 2) return {};
  return op.Error("\"precision_config\" has ", precisions->elements.size(),
                  " entries for two operands");
}

// The pairs of dimensions of two lists have one size.
Status CheckPairs(const Subject& op, std::string_view what, const Dims& lhs, const Dims& rhs) {
  if (lhs.size() != rhs.size()) {
    return op.Error("lhs has ", lhs.size(), " ", what, " dimensions, rhs has ", rhs.size());
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    const i64 a = op.operand(0).dims[static_cast<size_t>(lhs[i])];
    const i64 b = op.operand(1).dims[static_cast<size_t>(rhs[i])];
    if (CompatibleSizes(a, b)) continue;
    return op.Error(what, " dimension ", lhs[i], " of lhs has size ", a, ", dimension ", rhs[i],
                    " of rhs has ", b);
  }
  return {};
}

StatusOr<ProductDims> CheckedDims(const Subject& op) {
  const ProductDims dims = {.lhs_batching = op.Ints("lhs_batching_dimensions"),
                            .rhs_batching = op.Ints("rhs_batching_dimensions"),
                            .lhs_contracting = op.Ints("lhs_contracting_dimensions"),
                            .rhs_contracting = op.Ints("rhs_contracting_dimensions")};
  AXLE_TRY(CheckPrecisions(op));
  AXLE_TRY(CheckDistinct(op, "lhs_batching_dimensions", dims.lhs_batching,
                         "lhs_contracting_dimensions", dims.lhs_contracting));
  AXLE_TRY(CheckDistinct(op, "rhs_batching_dimensions", dims.rhs_batching,
                         "rhs_contracting_dimensions", dims.rhs_contracting));
  const i64 lhs_rank = RankOf(op.operand(0));
  const i64 rhs_rank = RankOf(op.operand(1));
  AXLE_TRY(CheckDimsInRange(op, "lhs_batching_dimensions", dims.lhs_batching, lhs_rank));
  AXLE_TRY(CheckDimsInRange(op, "lhs_contracting_dimensions", dims.lhs_contracting, lhs_rank));
  AXLE_TRY(CheckDimsInRange(op, "rhs_batching_dimensions", dims.rhs_batching, rhs_rank));
  AXLE_TRY(CheckDimsInRange(op, "rhs_contracting_dimensions", dims.rhs_contracting, rhs_rank));
  AXLE_TRY(CheckPairs(op, "batching", dims.lhs_batching, dims.rhs_batching));
  AXLE_TRY(CheckPairs(op, "contracting", dims.lhs_contracting, dims.rhs_contracting));
  return dims;
}

// The sizes of the product: batching dimensions, then what is left of lhs, then of rhs, without
// `rhs_left_out`.
Dims ProductSizes(const Subject& op, const ProductDims& dims, const Dims& rhs_left_out) {
  const Type& lhs = op.operand(0);
  const Type& rhs = op.operand(1);
  Dims sizes;
  for (size_t i = 0; i < dims.lhs_batching.size(); ++i) {
    const i64 size = lhs.dims[static_cast<size_t>(dims.lhs_batching[i])];
    sizes.push_back(IsOpenSize(size) ? rhs.dims[static_cast<size_t>(dims.rhs_batching[i])] : size);
  }
  for (size_t d = 0; d < lhs.dims.size(); ++d) {
    if (!Contains(dims.lhs_batching, d) && !Contains(dims.lhs_contracting, d)) {
      sizes.push_back(lhs.dims[d]);
    }
  }
  for (size_t d = 0; d < rhs.dims.size(); ++d) {
    if (!Contains(dims.rhs_batching, d) && !Contains(dims.rhs_contracting, d) &&
        !Contains(rhs_left_out, d)) {
      sizes.push_back(rhs.dims[d]);
    }
  }
  return sizes;
}

// An algorithm is one that is known, and goes with default precisions.
Status CheckAlgorithm(const Subject& op) {
  const auto type = [&](std::string_view name) -> const Type* {
    const mlir::Attribute* attribute = op.Find(name);
    const bool is_type = attribute != nullptr && attribute->kind == mlir::AttributeKind::kType &&
                         attribute->type->kind != mlir::TypeKind::kNone;
    return is_type ? attribute->type : nullptr;
  };
  const DotAlgorithmFacts facts{.lhs = type("lhs_precision_type"),
                                .rhs = type("rhs_precision_type"),
                                .accumulation = type("accumulation_type"),
                                .lhs_count = op.Int("lhs_component_count"),
                                .rhs_count = op.Int("rhs_component_count"),
                                .products = op.Int("num_primitive_operations"),
                                .imprecise = op.Bool("allow_imprecise_accumulation")};
  if (facts.lhs == nullptr || facts.rhs == nullptr || facts.accumulation == nullptr) return {};
  if (!FindDotAlgorithm(facts)) return op.Error(UnknownDotAlgorithm(facts));
  const mlir::Attribute* precisions = op.Find("precision_config");
  if (precisions == nullptr) return {};
  const bool are_default = std::ranges::all_of(
      precisions->elements, [](const mlir::Attribute* each) { return each->text == "DEFAULT"; });
  if (are_default) return {};
  return op.Error("an algorithm does not go with a precision other than DEFAULT");
}

}  // namespace

Status VerifyDot(const Subject& op) {
  const Type& lhs = op.operand(0);
  const Type& rhs = op.operand(1);
  AXLE_TRY(CheckPrecisions(op));
  const size_t lhs_rank = lhs.dims.size();
  const size_t rhs_rank = rhs.dims.size();
  if (lhs_rank < 1 || lhs_rank > 2 || rhs_rank < 1 || rhs_rank > 2 ||
      !CompatibleSizes(lhs.dims.back(), rhs.dims.front())) {
    return op.Error(lhs.ToString(), " and ", rhs.ToString(),
                    " are not vectors or matrices that can be multiplied");
  }
  Dims dims;
  if (lhs_rank == 2) dims.push_back(lhs.dims[0]);
  if (rhs_rank == 2) dims.push_back(rhs.dims[1]);
  return op.CheckResultDims(dims);
}

Status VerifyDotGeneral(const Subject& op) {
  AXLE_ASSIGN(const ProductDims dims, CheckedDims(op));
  AXLE_TRY(op.CheckResultDims(ProductSizes(op, dims, {})));
  AXLE_TRY(CheckAlgorithm(op));
  if (const mlir::Quantization* rhs = QuantizationOf(op.operand(1)); rhs != nullptr) {
    for (const i64 zero_point : rhs->zero_points) {
      if (zero_point != 0)
        return op.Error("rhs is quantized with zero point ", zero_point, ", not 0");
    }
    if (IsPerAxis(rhs) && Contains(dims.rhs_contracting, static_cast<size_t>(rhs->axis))) {
      return op.Error("rhs is quantized along dimension ", rhs->axis, ", which is contracted");
    }
  }
  return CheckProductScales(op);
}

Status VerifyRaggedDot(const Subject& op) {
  const Type& lhs = op.operand(0);
  const Type& rhs = op.operand(1);
  const Type& groups = op.operand(2);
  if (!lhs.is_tensor() || !rhs.is_tensor()) return {};
  AXLE_ASSIGN(const ProductDims dims, CheckedDims(op));
  const Dims ragged = op.Ints("lhs_ragged_dimensions");
  const Dims group_dims = op.Ints("rhs_group_dimensions");
  if (ragged.size() != 1) {
    return op.Error("\"lhs_ragged_dimensions\" has ", ragged.size(), " entries, not 1");
  }
  AXLE_TRY(CheckDimsInRange(op, "lhs_ragged_dimensions", ragged, RankOf(lhs)));
  const auto at = static_cast<size_t>(ragged[0]);
  const bool is_batching = Contains(dims.lhs_batching, at);
  const bool is_contracting = Contains(dims.lhs_contracting, at);
  // The sizes of groups may differ by what stands before the ragged dimension: the batch, then what
  // is contracted or left.
  Dims prefix;
  const auto add_until_ragged = [&](const Dims& list) {
    for (const i64 dim : list) {
      if (dim == ragged[0]) return;
      prefix.push_back(lhs.dims[static_cast<size_t>(dim)]);
    }
  };
  add_until_ragged(dims.lhs_batching);
  if (is_contracting) add_until_ragged(dims.lhs_contracting);
  if (!is_batching && !is_contracting) {
    for (size_t d = 0; d < at; ++d) {
      if (!Contains(dims.lhs_batching, d) && !Contains(dims.lhs_contracting, d)) {
        prefix.push_back(lhs.dims[d]);
      }
    }
  }
  if (groups.dims.empty()) return op.Error("group_sizes is a scalar");
  const i64 num_groups = groups.dims.back();
  Dims expected = prefix;
  expected.push_back(num_groups);
  if (groups.dims.size() != 1 && !CompatibleDims(groups.dims, expected)) {
    return op.Error("group_sizes is ", groups.ToString(), ", not of the sizes ",
                    DimsText(expected));
  }
  AXLE_TRY(CheckDimsInRange(op, "rhs_group_dimensions", group_dims, RankOf(rhs)));
  AXLE_TRY(CheckDistinct(op, "rhs_group_dimensions", group_dims, "rhs_batching_dimensions",
                         dims.rhs_batching));
  AXLE_TRY(CheckDistinct(op, "rhs_group_dimensions", group_dims, "rhs_contracting_dimensions",
                         dims.rhs_contracting));
  const size_t wanted = is_batching || is_contracting ? 0 : 1;
  if (group_dims.size() != wanted) {
    return op.Error("\"rhs_group_dimensions\" has ", group_dims.size(), " entries, not ", wanted);
  }
  if (wanted == 1 && !CompatibleSizes(num_groups, rhs.dims[static_cast<size_t>(group_dims[0])])) {
    return op.Error("group_sizes has ", num_groups, " groups, dimension ", group_dims[0],
                    " of rhs has size ", rhs.dims[static_cast<size_t>(group_dims[0])]);
  }
  Dims sizes = ProductSizes(op, dims, group_dims);
  if (is_contracting) sizes.insert(sizes.begin(), num_groups);
  return op.CheckResultDims(sizes);
}

}  // namespace axle::stablehlo
