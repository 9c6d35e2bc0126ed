// What the rows of the dialect say of every operation.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/stablehlo/converter.h"

namespace axle::stablehlo {
namespace {

using mlir::OperandSyntax;

// How many values a list of names takes: exactly that, or at least that if one is variadic.
Status CheckCount(const mlir::MlirModule& source, const mlir::Operation& op,
                  std::span<const OperandSyntax> names, size_t count, std::string_view what) {
  const auto fixed = static_cast<size_t>(
      std::ranges::count_if(names, [](const OperandSyntax& name) { return !name.variadic; }));
  const bool variadic = fixed < names.size();
  if (variadic ? count >= fixed : count == fixed) return {};
  return source.ErrorAt(op, StrCat(op.name, ": takes ", variadic ? "at least " : "", fixed, " ",
                                   what, ", not ", count));
}

}  // namespace

Status CheckStructure(const mlir::MlirModule& source, const mlir::Operation& op) {
  if (op.syntax == nullptr) return {};
  const mlir::OpSyntax& row = *op.syntax;
  AXLE_TRY(CheckCount(source, op, row.operands, op.operands.size(), "operands"));
  AXLE_TRY(CheckCount(source, op, row.results, op.results.size(), "results"));
  AXLE_TRY(CheckCount(source, op, row.regions, op.regions.size(), "regions"));
  for (const mlir::AttributeSyntax& attribute : row.attributes) {
    // Attributes that a later version of the operation got may be left out.
    if (!attribute.required || attribute.since > 1 || attribute.until < 1 << 30) continue;
    if (op.Find(attribute.name) != nullptr) continue;
    return source.ErrorAt(op, StrCat(op.name, ": attribute \"", attribute.name, "\" is missing"));
  }
  return {};
}

}  // namespace axle::stablehlo
