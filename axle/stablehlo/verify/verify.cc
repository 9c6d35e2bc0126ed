#include "axle/stablehlo/verify/verify.h"

#include <algorithm>

#include "axle/stablehlo/verify/rules.h"
#include "axle/stablehlo/walk.h"

namespace axle::stablehlo {
namespace {

using mlir::Type;

bool AllOf(const Types& types, const Type& first, bool (*relation)(const Type&, const Type&)) {
  return std::ranges::all_of(types, [&](const Type* type) { return relation(*type, first); });
}

Status VerifyPaired(const Subject& op, bool types) {
  if (op.num_operands() != op.num_results()) {
    return op.Error("has ", op.num_operands(), " operands and ", op.num_results(), " results");
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    const bool fits =
        types ? op.operand(i) == op.result(i) : SameElements(op.operand(i), op.result(i));
    if (fits) continue;
    return op.Error("result ", i, " is ", op.result(i).ToString(), ", and ",
                    types ? "" : "its elements differ from those of ", "operand ", i,
                    types ? " is " : ", ", op.operand(i).ToString());
  }
  return {};
}

Status VerifyRelations(const Subject& op, unsigned relations) {
  Types operands = op.operands();
  Types all = operands;
  const Types results = op.results();
  all.insert(all.end(), results.begin(), results.end());
  if (all.empty()) return {};
  const Type& first = *all.front();
  const auto disagree = [&](std::string_view what, const Types& types) {
    return op.Error(what, ": ", TypesText(types));
  };
  if ((relations & kSameShape) != 0 && !AllOf(all, first, CompatibleShapes)) {
    return disagree("operands and results have different shapes", all);
  }
  const auto same = [](const Type& a, const Type& b) { return SameElements(a, b); };
  if ((relations & kSameElement) != 0 && !AllOf(all, first, same)) {
    return disagree("operands and results have different elements", all);
  }
  if ((relations & kAlikeElement) != 0 && !AllOf(all, first, CompatibleElements)) {
    return disagree("operands and results have incompatible elements", all);
  }
  if ((relations & kAlikeOperandElement) != 0 && !AllOf(operands, first, CompatibleElements)) {
    return disagree("operands have incompatible elements", operands);
  }
  if ((relations & kAlike) != 0) {
    if (!AllOf(all, first, CompatibleTypes)) {
      return disagree("operands and results have incompatible types", all);
    }
    AXLE_ASSIGN(Type implied, MostSpecific(op, operands));
    AXLE_TRY(op.CheckResult(std::move(implied)));
  }
  if ((relations & kPairedElement) != 0) AXLE_TRY(VerifyPaired(op, false));
  return (relations & kPaired) != 0 ? VerifyPaired(op, true) : Status();
}

// "dimension 0, split_count 1"
Status VerifyLeast(const Subject& op, std::string_view least) {
  while (!least.empty()) {
    const size_t comma = std::min(least.find(", "), least.size());
    const std::string_view entry = least.substr(0, comma);
    least.remove_prefix(std::min(comma + 2, least.size()));
    const std::string_view name = entry.substr(0, entry.find(' '));
    const i64 minimum = entry.back() - '0';
    if (!op.Has(name) || op.Int(name) >= minimum) continue;
    return op.Error("attribute \"", name, "\" is ", op.Int(name), ", less than ", minimum);
  }
  return {};
}

Status VerifyOperation(Program& program, const mlir::Operation& operation) {
  // Meshes of Shardy stand beside functions; on one device nothing looks at them.
  if (operation.syntax == nullptr || operation.name == "sdy.mesh") return {};
  const Subject op(program, operation);
  AXLE_TRY(VerifyStructure(op));
  const Rule* rule = FindRule(operation.name);
  if (rule == nullptr) return {};
  AXLE_TRY(VerifyLeast(op, rule->least));
  AXLE_TRY(VerifyKinds(op, *rule));
  AXLE_TRY(VerifyRelations(op, rule->relations));
  return rule->verify == nullptr ? Status() : rule->verify(op);
}

}  // namespace

Status VerifyProgram(const mlir::MlirModule& source, Limits* limits, Refusal* refusal) {
  Program program(source);
  Status status;
  Walk(*source.top(), [&](const mlir::Operation& op) {
    if (!status.ok()) return;
    if (limits != nullptr) status = limits->Check();
    if (status.ok()) status = VerifyOperation(program, op);
  });
  if (refusal != nullptr) *refusal = program.refusal();
  return status;
}

}  // namespace axle::stablehlo
