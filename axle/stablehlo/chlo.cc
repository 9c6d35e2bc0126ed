// CHLO: functions that are no operations of StableHLO. In text they stand as chlo.erf; JAX sends
// them as composites, whose name says the function and whose decomposition is never needed where
// HLO has an operation for it.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/lib/compose.h"
#include "axle/lib/constants.h"
#include "axle/lib/math.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {
namespace {

// Adds a computation that lib/ builds on parameters of the operands' shapes, and calls it.
using BuildFn = XlaOp (*)(ArraySlice<XlaOp> x, const Location& at);

StatusOr<Instruction*> CallBuilt(const Site& site, BuildFn build) {
  XlaBuilder builder{std::string(site.op().name)};
  // What lib/ adds is from where the program's operation is from.
  const mlir::Location* file = mlir::FileOf(*site.op().location);
  const std::string file_name(file == nullptr ? "" : file->text);
  const Location at = Location::Of(
      file_name.c_str(), file == nullptr ? 0 : static_cast<std::uint_least32_t>(file->line));
  OpMetadata metadata;
  metadata.set_op_name(
      std::string(site.converter().locations().MetadataOf(*site.op().location).op_name));
  builder.SetOpMetadata(std::move(metadata));
  std::vector<XlaOp> parameters;
  for (size_t i = 0; i < site.num_operands(); ++i) {
    parameters.push_back(Parameter(&builder, static_cast<i64>(i),
                                   site.operand(i)->shape().WithoutLayout(), StrCat("x", i), at));
  }
  const XlaOp root = build(parameters, at);
  const StatusOr<XlaComputation> built = builder.Build(root, at);
  if (!built.ok()) return site.Error(built.status().message(), built.status().code());
  std::unordered_map<const HloComputation*, HloComputation*> cloned;
  HloComputation* computation =
      site.converter().module().CloneComputation(*built->module().entry(), cloned);
  for (const auto& [from, to] : cloned) {
    to->set_name(site.converter().UnusedComputationName(to->name()));
  }
  return site.Add(Opcode::kCall, site.operands(), CallAttrs{}, {computation});
}

// Of a complex number, -i atanh(i z), which has C's values at zeros and infinities.
XlaOp Atan(XlaOp x, const Location& at) {
  if (!IsComplex(ShapeOfOp(x).type())) return Atan2(x, ScalarLike(x, 1, at), {}, at);
  const XlaOp turned = Complex(Neg(Imag(x, at), at), Real(x, at), {}, at);
  const XlaOp angle = Atanh(turned, at);
  return Complex(Imag(angle, at), Neg(Real(angle, at), at), {}, at);
}

struct LibraryFunction {
  std::string_view name;
  BuildFn build;
};

constexpr LibraryFunction kLibrary[] = {
    {"atan", [](ArraySlice<XlaOp> x, const Location& at) { return Atan(x[0], at); }},
    {"bessel_i1e", [](ArraySlice<XlaOp> x, const Location& at) { return BesselI1e(x[0], at); }},
    {"conj",
     [](ArraySlice<XlaOp> x, const Location& at) { return MaybeConjugate(x[0], true, at); }},
    {"digamma", [](ArraySlice<XlaOp> x, const Location& at) { return Digamma(x[0], at); }},
    {"erf_inv", [](ArraySlice<XlaOp> x, const Location& at) { return ErfInv(x[0], at); }},
    {"erfc", [](ArraySlice<XlaOp> x, const Location& at) { return Erfc(x[0], at); }},
    {"is_inf", [](ArraySlice<XlaOp> x, const Location& at) { return IsInf(x[0], at); }},
    {"is_neg_inf", [](ArraySlice<XlaOp> x, const Location& at) { return IsNegInf(x[0], at); }},
    {"is_pos_inf", [](ArraySlice<XlaOp> x, const Location& at) { return IsPosInf(x[0], at); }},
    {"lgamma", [](ArraySlice<XlaOp> x, const Location& at) { return Lgamma(x[0], at); }},
    {"next_after",
     [](ArraySlice<XlaOp> x, const Location& at) { return NextAfter(x[0], x[1], at); }},
    {"polygamma",
     [](ArraySlice<XlaOp> x, const Location& at) { return Polygamma(x[0], x[1], at); }},
    {"square", [](ArraySlice<XlaOp> x, const Location& at) { return Square(x[0], at); }},
    {"zeta", [](ArraySlice<XlaOp> x, const Location& at) { return Zeta(x[0], x[1], at); }},
};

std::string_view BareName(const Site& site) {
  const std::string_view name = site.name();
  return name.substr(name.find('.') + 1);
}

}  // namespace

Status ConvertChloLibrary(const Site& site) {
  for (const LibraryFunction& function : kLibrary) {
    if (function.name == BareName(site)) return site.Return(CallBuilt(site, function.build));
  }
  return site.Error("has no function in lib/", StatusCode::kInternal);
}

// chlo.broadcast_add: operands of lower rank, or with sizes of 1, are broadcast first. Dimension i
// of the operand of lower rank is broadcast_dimensions[i] of the other one; without the attribute
// the last dimensions are the same.
Status ConvertChloBroadcast(const Site& site) {
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  Instructions operands = site.operands();
  i64 highest = 0;
  for (const Instruction* operand : operands) {
    highest = std::max(highest, operand->shape().rank());
  }
  if (highest != shape.rank()) return site.Error("the rank of the result is not the highest one");
  for (Instruction*& operand : operands) {
    const i64 rank = operand->shape().rank();
    Dims mapping;
    for (i64 d = 0; d < rank; ++d) mapping.push_back(highest - rank + d);
    if (rank < highest && site.Find("broadcast_dimensions") != nullptr) {
      AXLE_ASSIGN(mapping, site.Ints("broadcast_dimensions"));
    }
    if (operand->shape().dims() == shape.dims() && rank == highest) continue;
    AXLE_ASSIGN(operand, site.Broadcast(operand, shape.dims(), mapping));
  }
  const std::string name =
      StrCat("stablehlo.", BareName(site).substr(BareName(site).find('_') + 1));
  const ConvertFn convert = FindConversion(name);
  const std::string chlo = StrCat("chlo.", BareName(site).substr(BareName(site).find('_') + 1));
  if (convert == nullptr && FindConversion(chlo) == nullptr) {
    return site.Error("has no form in HLO", StatusCode::kUnimplemented);
  }
  const Site inner = site.Renamed(convert == nullptr ? chlo : name, operands);
  return convert == nullptr ? FindConversion(chlo)(inner) : convert(inner);
}

// (values, indices) along the last dimension.
Status ConvertChloTopK(const Site& site) {
  TopkAttrs attrs;
  AXLE_ASSIGN(attrs.k, site.Int("k"));
  AXLE_ASSIGN(const bool is_stable, site.Bool("is_stable", true));
  if (!is_stable) attrs.is_stable = TriState::kFalse;
  return site.ReturnAll(site.Add(Opcode::kTopk, site.operands(), attrs));
}

// As many carries as initial values; the inputs are the operands before them.
Status ConvertChloScan(const Site& site) {
  AXLE_ASSIGN(const i64 dimension, site.Int("dimension"));
  AXLE_ASSIGN(const bool is_reverse, site.Bool("is_reverse", false));
  const std::span<const std::int32_t> sizes = site.op().operand_sizes;
  if (sizes.size() != 2) return site.Error("the operands are inputs and initial values");
  ScanAttrs attrs{.dimensions = {dimension}, .num_carries = sizes[1], .is_reverse = is_reverse};
  if (site.Find("is_associative") != nullptr) {
    AXLE_ASSIGN(const bool is_associative, site.Bool("is_associative", false));
    attrs.is_associative = is_associative ? TriState::kTrue : TriState::kFalse;
  }
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  AXLE_ASSIGN(const Shape shape, site.TupleOfResults());
  return site.ReturnAll(site.Add(Opcode::kScan, site.operands(), std::move(attrs), {body}, shape));
}

Status ConvertChloRaggedDot(const Site& site) {
  RaggedDotAttrs attrs;
  // A composite has the six lists of its dimension numbers in an array.
  const mlir::Attribute* numbers = site.Find("ragged_dot_dimension_numbers");
  Dims* const lists[] = {&attrs.lhs_batch_dims,       &attrs.rhs_batch_dims,
                         &attrs.lhs_contracting_dims, &attrs.rhs_contracting_dims,
                         &attrs.lhs_ragged_dims,      &attrs.rhs_group_dims};
  constexpr std::string_view kNames[] = {"lhs_batching_dimensions",    "rhs_batching_dimensions",
                                         "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                                         "lhs_ragged_dimensions",      "rhs_group_dimensions"};
  for (size_t i = 0; i < std::size(lists); ++i) {
    if (numbers != nullptr && numbers->elements.size() == std::size(lists)) {
      std::optional<Dims> list = mlir::Ints(*numbers->elements[i]);
      if (!list) return site.Error("ragged_dot_dimension_numbers are lists of dimensions");
      *lists[i] = std::move(*list);
    } else {
      AXLE_ASSIGN(*lists[i], site.Ints(kNames[i], {}));
    }
  }
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  return site.Return(site.Add(Opcode::kRaggedDot, site.operands(), std::move(attrs), {}, shape));
}

// A value in every element of an array as large as the operand.
Status ConvertChloConstantLike(const Site& site) {
  const mlir::Attribute* value = site.Find("value");
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  if (value == nullptr || (value->kind != mlir::AttributeKind::kFloat &&
                           value->kind != mlir::AttributeKind::kInteger)) {
    return site.Error("attribute \"value\" is a number");
  }
  AXLE_ASSIGN(Instruction* const wide, value->kind == mlir::AttributeKind::kFloat
                                           ? site.Scalar<double>(F64, value->number)
                                           : site.Scalar<std::int64_t>(S64, value->integer));
  AXLE_ASSIGN(Instruction* const scalar, site.Convert(wide, shape.type()));
  return site.Return(site.Broadcast(scalar, shape.dims(), {}));
}

}  // namespace axle::stablehlo
