// What the rows of the dialect state of every operation: counts of operands, results and regions,
// attributes that are required, kinds of those that are there, blocks that end with a return.
#include <algorithm>

#include "axle/stablehlo/verify/subject.h"

namespace axle::stablehlo {
namespace {

using mlir::Attribute;
using mlir::AttributeKind;
using mlir::AttributeSyntax;
using mlir::OperandSyntax;

// How many values a list of names takes: exactly that, or at least that if one is variadic. Several
// variadic names have the same number, unless the operation says how many each has.
Status CheckCount(const Subject& op, std::span<const OperandSyntax> names, size_t count,
                  std::string_view what, bool is_sized = false) {
  const auto variadic = static_cast<size_t>(std::ranges::count_if(names, &OperandSyntax::variadic));
  const size_t fixed = names.size() - variadic;
  if (variadic > 0 ? count < fixed : count != fixed) {
    return op.Error("takes ", variadic > 0 ? "at least " : "", fixed, " ", what, ", not ", count);
  }
  if (variadic < 2 || is_sized || (count - fixed) % variadic == 0) return {};
  return op.Error("has ", count, " ", what, ", which do not divide into equally many of ",
                  Join(names, ", ", [](const OperandSyntax& name) { return name.name; }));
}

// The operation says how many operands each name has, all of them together.
Status CheckSizes(const Subject& op) {
  const std::span<const std::int32_t> sizes = op.op().operand_sizes;
  if (sizes.empty()) return {};
  i64 total = 0;
  for (const std::int32_t size : sizes) total += size < 0 ? i64{1} << 32U : size;
  const bool fits =
      sizes.size() == op.row().operands.size() && total == static_cast<i64>(op.num_operands());
  return fits ? Status() : op.Error("the sizes of groups of operands do not fit");
}

// A value of an enum: its name or, as api_version is written, its number.
Status CheckEnum(const Subject& op, std::string_view name, const Attribute& attribute,
                 std::string_view mnemonic, std::span<const std::string_view> values) {
  if (attribute.kind == AttributeKind::kEnum || attribute.kind == AttributeKind::kString) {
    if (std::ranges::find(values, attribute.text) != values.end()) return {};
    return op.Error("attribute \"", name, "\": there is no ", mnemonic, " ", attribute.text);
  }
  const std::optional<i64> number = mlir::Int(attribute);
  if (!number) {
    return op.Error("attribute \"", name, "\" is ", attribute.KindText(), ", not a ", mnemonic);
  }
  if (*number >= 0 && *number < static_cast<i64>(values.size())) return {};
  return op.Error("attribute \"", name, "\": there is no ", mnemonic, " ", *number);
}

// What an attribute of a kind of dialect.h has to be; "" if it is that, or may be anything.
std::string_view Wanted(const Attribute& attribute, std::string_view kind) {
  if (kind == "int" || kind == "i32" || kind == "ui32" || kind == "ui64") {
    return mlir::Int(attribute) ? "" : "an integer";
  }
  if (kind == "ints") return mlir::Ints(attribute) ? "" : "a list of integers";
  if (kind == "bools") return mlir::Ints(attribute) ? "" : "a list of booleans";
  if (kind == "bool" || kind == "unit") {
    return attribute.kind == AttributeKind::kUnit || mlir::Int(attribute) ? "" : "a boolean";
  }
  const bool is_text =
      attribute.kind == AttributeKind::kString || attribute.kind == AttributeKind::kSymbol;
  if (kind == "string") return is_text ? "" : "a string";
  return kind != "symbol" || is_text ? "" : "a symbol";
}

Status CheckAttribute(const Subject& op, const AttributeSyntax& row, const Attribute& attribute) {
  if (const std::string_view wanted = Wanted(attribute, row.kind); !wanted.empty()) {
    return op.Error("attribute \"", row.name, "\" is ", attribute.KindText(), ", not ", wanted);
  }
  const auto values = mlir::EnumValues(row.kind);
  if (!values.empty()) return CheckEnum(op, row.name, attribute, row.kind, values);
  // Lists of an enum: precisions.
  const std::string_view mnemonic = row.kind.substr(0, row.kind.size() - 1);
  const auto listed = mlir::EnumValues(mnemonic);
  if (!row.kind.ends_with('s') || listed.empty()) return {};
  if (attribute.kind != AttributeKind::kArray) {
    return op.Error("attribute \"", row.name, "\" is ", attribute.KindText(), ", not an array");
  }
  for (const Attribute* element : attribute.elements) {
    AXLE_TRY(CheckEnum(op, row.name, *element, mnemonic, listed));
  }
  return {};
}

Status CheckAttributes(const Subject& op) {
  for (const AttributeSyntax& row : op.row().attributes) {
    const Attribute* attribute = op.Find(row.name);
    if (attribute == nullptr) {
      // Attributes that a later version of the operation got may be left out.
      if (!row.required || row.since > 1 || row.until < 1 << 30) continue;
      return op.Error("attribute \"", row.name, "\" is missing");
    }
    // An algorithm that is left out is `none` in VHLO.
    if (attribute->kind == AttributeKind::kType && row.fallback == "none") continue;
    AXLE_TRY(CheckAttribute(op, row, *attribute));
  }
  return {};
}

// Regions of StableHLO's operations are one block that ends with a return.
Status CheckRegions(const Subject& op) {
  const std::vector<OperandSyntax>& names = op.row().regions;
  for (size_t i = 0; i < op.op().regions.size(); ++i) {
    const mlir::Region& region = op.op().regions[i];
    const std::string_view name = names[std::min(i, names.size() - 1)].name;
    if (name == "composite_regions") continue;
    if (!region.has_one_block()) {
      return op.Error("region ", i, " (", name, ") has ", region.blocks.size(), " blocks, not 1");
    }
    const std::vector<mlir::Operation*>& operations = region.blocks.front().operations;
    if (!operations.empty() && operations.back()->name == "stablehlo.return") continue;
    return op.Error("region ", i, " (", name, ") does not end with a return");
  }
  return {};
}

}  // namespace

Status VerifyStructure(const Subject& op) {
  const mlir::OpSyntax& row = op.row();
  AXLE_TRY(CheckSizes(op));
  AXLE_TRY(
      CheckCount(op, row.operands, op.num_operands(), "operands", !op.op().operand_sizes.empty()));
  AXLE_TRY(CheckCount(op, row.results, op.num_results(), "results", op.Has("resultSegmentSizes")));
  AXLE_TRY(CheckCount(op, row.regions, op.op().regions.size(), "regions"));
  AXLE_TRY(CheckAttributes(op));
  const bool has_returns = op.op().name.starts_with("stablehlo.") || op.op().name == "chlo.scan";
  return has_returns ? CheckRegions(op) : Status();
}

}  // namespace axle::stablehlo
