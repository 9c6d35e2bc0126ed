// Operations on one element of each operand at a time, and those that make elements of nothing.
#include <algorithm>
#include <charconv>

#include "axle/core/strings.h"
#include "axle/stablehlo/export_functions.h"

namespace axle::stablehlo {
namespace {

// "atol" of {tolerance={atol=0,rtol=0.5,ulps=2}}; 0 if it is not there.
double NumberIn(std::string_view text, std::string_view name) {
  const size_t at = text.find(StrCat(name, "="));
  double value = 0;
  if (at == text.npos) return value;
  text.remove_prefix(at + name.size() + 1);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// #stablehlo.result_accuracy<...> of HLO's text; null if that asks for nothing.
const mlir::Attribute* ResultAccuracy(const Spot& spot) {
  const InstructionExtras* extras = spot.inst().extras();
  if (extras == nullptr || extras->result_accuracy.empty()) return nullptr;
  mlir::MlirModule& tree = spot.tree();
  const std::string& text = extras->result_accuracy;
  const bool is_tolerance = text.find("tolerance") != text.npos;
  const std::string_view mode = text.find("highest") != text.npos ? "HIGHEST"
                                : is_tolerance                    ? "TOLERANCE"
                                                                  : "DEFAULT";
  const auto number = [&](std::string_view name) {
    return tree.NewAttribute({.kind = mlir::AttributeKind::kFloat,
                              .type = tree.Element(F64),
                              .number = is_tolerance ? NumberIn(text, name) : 0});
  };
  const auto ulps = static_cast<i64>(is_tolerance ? NumberIn(text, "ulps") : 0);
  const std::vector<mlir::NamedAttribute> fields = {
      {"atol", number("atol")},
      {"rtol", number("rtol")},
      {"ulps", MakeInt(tree, ulps)},
      {"mode", MakeEnum(tree, "result_accuracy_mode", mode)}};
  return tree.NewAttribute({.kind = mlir::AttributeKind::kStruct,
                            .mnemonic = "result_accuracy",
                            .fields = tree.Copy(fields)});
}

// The operation with the name of HLO's, of StableHLO or else of CHLO: log-plus-one is
// stablehlo.log_plus_one, erf chlo.erf.
std::string_view NameOf(const Spot& spot) {
  std::string name(spot.text());
  std::ranges::replace(name, '-', '_');
  for (const std::string_view dialect : {"stablehlo.", "chlo."}) {
    const mlir::OpSyntax* syntax = mlir::FindSyntax(StrCat(dialect, name));
    if (syntax != nullptr) return syntax->name;
  }
  return "";
}

}  // namespace

StatusOr<Bundle*> ExportSameName(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.Add("result_accuracy", ResultAccuracy(spot));
  return spot.AddResult(NameOf(spot), spot.operands(), std::move(attributes));
}

// A pred has 8 bits in HLO, of which any makes it true, and one in StableHLO: the bits are taken as
// ui8 there.
StatusOr<Bundle*> ExportBitcastConvert(const Spot& spot) {
  const Shape& from = spot.inst().operand(0)->shape();
  const Shape& to = spot.inst().shape();
  if (from.type() == to.type()) return spot.bundle(0);
  mlir::Value* value = spot.operand(0);
  if (from.type() == PRED) {
    value = spot.AddValue("stablehlo.convert", {value}, from.WithType(U8));
  }
  if (to.type() != PRED) {
    if (from.type() == PRED && to.type() == U8) return spot.Wrap(value, to);
    return spot.Wrap(spot.AddValue("stablehlo.bitcast_convert", {value}, to), to);
  }
  const Shape bytes = to.WithType(U8).WithoutLayout();
  if (from.type() != U8) value = spot.AddValue("stablehlo.bitcast_convert", {value}, bytes);
  Attributes zero = spot.attributes();
  zero.Add("value", MakeElements(spot.tree(), Literal(Shape(U8))));
  mlir::Value* zeros = spot.AddValue("stablehlo.constant", {}, Shape(U8), std::move(zero));
  if (to.rank() > 0) {
    Attributes none = spot.attributes();
    none.Ints("broadcast_dimensions", {});
    zeros = spot.AddValue("stablehlo.broadcast_in_dim", {zeros}, bytes, std::move(none));
  }
  Attributes attributes = spot.attributes();
  attributes.Add("compare_type", MakeEnum(spot.tree(), "comparison_type", "UNSIGNED"))
      .Add("comparison_direction", MakeEnum(spot.tree(), "comparison_direction", "NE"));
  return spot.Wrap(spot.AddValue("stablehlo.compare", {value, zeros}, to, std::move(attributes)),
                   to);
}

StatusOr<Bundle*> ExportConstant(const Spot& spot) {
  mlir::MlirModule& tree = spot.tree();
  const Literal& literal = spot.inst().attrs<ConstantAttrs>().literal;
  const auto constant = [&](const Shape& shape, const mlir::Attribute* value) {
    Attributes attributes = spot.attributes();
    attributes.Add("value", value);
    return spot.AddValue("stablehlo.constant", {}, shape, std::move(attributes));
  };
  const Shape& shape = spot.inst().shape();
  if (IsElided(spot.inst()) && shape.is_array()) {
    return spot.Wrap(constant(shape, tree.NewAttribute({.kind = mlir::AttributeKind::kElements,
                                                        .type = spot.exporter().TypeOf(shape)})),
                     shape);
  }
  // A tuple is one of constants.
  Values leaves;
  const auto visit = [&](const auto& self, const Literal& value) -> Status {
    if (value.shape().is_tuple()) {
      for (const Literal& element : value.elements()) AXLE_TRY(self(self, element));
      return {};
    }
    if (value.shape().is_token()) {
      leaves.push_back(spot.AddValue("stablehlo.create_token", {}, value.shape()));
      return {};
    }
    if (!value.shape().is_array() || !value.shape().is_static()) {
      return spot.Unsupported("a constant is an array with static dimensions");
    }
    leaves.push_back(constant(value.shape().WithoutLayout(), MakeElements(tree, value)));
    return {};
  };
  AXLE_TRY(visit(visit, literal));
  size_t next = 0;
  return spot.exporter().FromLeaves(shape, leaves, next);
}

StatusOr<Bundle*> ExportReshape(const Spot& spot) {
  const Shape& shape = spot.inst().shape();
  if (spot.inst().attrs<ReshapeAttrs>().inferred_dimension >= 0 && !shape.is_static()) {
    return spot.Unsupported("StableHLO's reshape has no inferred_dimension; use dynamic-reshape");
  }
  return ExportSameName(spot);
}

StatusOr<Bundle*> ExportIota(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.Int("iota_dimension", spot.inst().attrs<IotaAttrs>().iota_dimension);
  return spot.AddResult("stablehlo.iota", {}, std::move(attributes));
}

StatusOr<Bundle*> ExportBroadcast(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.Ints("broadcast_dimensions", spot.inst().attrs<DimensionsAttrs>().dimensions);
  return spot.AddResult("stablehlo.broadcast_in_dim", spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportCompare(const Spot& spot) {
  const CompareAttrs& compare = spot.inst().attrs<CompareAttrs>();
  const ElementType type = spot.inst().operand(0)->shape().type();
  // In the order of the enums' numbers in VHLO.
  constexpr ComparisonDirection kDirections[] = {
      ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kGe,
      ComparisonDirection::kGt, ComparisonDirection::kLe, ComparisonDirection::kLt};
  const auto* const direction = std::ranges::find(kDirections, compare.direction);
  const std::string_view kind = compare.type == ComparisonType::kTotalOrder ? "TOTALORDER"
                                : IsFloating(type) || IsComplex(type)       ? "FLOAT"
                                : IsSigned(type)                            ? "SIGNED"
                                                                            : "UNSIGNED";
  Attributes attributes = spot.attributes();
  attributes.Add("compare_type", MakeEnum(spot.tree(), "comparison_type", kind))
      .Enum("comparison_direction", "comparison_direction",
            static_cast<size_t>(direction - std::begin(kDirections)));
  return spot.AddResult("stablehlo.compare", spot.operands(), std::move(attributes));
}

// More bits than a type has change nothing, and MLIR counts them with 32.
StatusOr<Bundle*> ExportReducePrecision(const Spot& spot) {
  constexpr i64 kEnough = 64;
  ReducePrecisionAttrs bits = spot.inst().attrs<ReducePrecisionAttrs>();
  bits.exponent_bits = std::min(bits.exponent_bits, kEnough);
  bits.mantissa_bits = std::min(bits.mantissa_bits, kEnough);
  Attributes attributes = spot.attributes();
  attributes.Add("exponent_bits", MakeInt(spot.tree(), bits.exponent_bits, S32))
      .Add("mantissa_bits", MakeInt(spot.tree(), bits.mantissa_bits, S32));
  return spot.AddResult("stablehlo.reduce_precision", spot.operands(), std::move(attributes));
}

}  // namespace axle::stablehlo
