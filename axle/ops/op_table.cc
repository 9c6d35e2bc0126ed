// The table of ops, made from ir/opcodes.def, and the checks that rows have in common: counts of
// operands and callees, arrays where the row wants arrays, float types that may differ, shapes
// against what the row infers. Everything specific to an op is in its row; these functions only ask
// it.

#include <algorithm>
#include <unordered_map>

#include "axle/core/strings.h"
#include "axle/ir/source_place.h"
#include "axle/ops/async.h"
#include "axle/ops/op_def.h"
#include "axle/ops/open_sizes.h"

namespace axle {

// If a row is missing, linking fails.
#define OP(name) extern const OpDef k##name##Def;
#include "axle/ir/opcodes.def"
#undef OP

namespace {

// Indexed by opcode.
constexpr const OpDef* kTable[] = {
#define OP(name) &k##name##Def,
#include "axle/ir/opcodes.def"
#undef OP
};

static_assert(std::size(kTable) == kOpcodeCount);

// The number of variadic groups, for example operands and init values of reduce.
size_t NumVariadic(const OpDef& def) {
  size_t count = 0;
  for (const OperandSpec& spec : def.operands) count += spec.variadic;
  return count;
}

// Variadic groups all have the same length.
bool OperandCountFits(const OpDef& def, size_t count) {
  const size_t variadic = NumVariadic(def), fixed = def.operands.size() - variadic;
  return variadic == 0 ? count == fixed : count >= fixed && (count - fixed) % variadic == 0;
}

// "lhs", or "operand.1" for the second of a variadic group; "operand 2" for one too many, and for
// all where the count leaves open how long the groups are.
std::string OperandName(const OpDef& def, size_t index, size_t count) {
  const size_t variadic = NumVariadic(def);
  if (variadic > 0 && !OperandCountFits(def, count)) return StrCat("operand ", index);
  const size_t group = variadic == 0 ? 1 : (count - (def.operands.size() - variadic)) / variadic;
  size_t i = index;  // among the operands of the specs that are left
  for (const OperandSpec& spec : def.operands) {
    const size_t size = spec.variadic ? group : 1;
    if (i < size) return size == 1 ? std::string(spec.name) : StrCat(spec.name, ".", i);
    i -= size;
  }
  return StrCat("operand ", index);
}

// Float operands of an op must have one type unless the row allows others; the parser converts them
// before (implied.cc).
Status CheckMixedPrecision(const Instruction& inst) {
  const Shape* first = nullptr;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Shape& shape = inst.operand(i)->shape();
    if (!IsFloating(shape.type())) continue;
    if (first != nullptr && first->type() != shape.type()) {
      return OpError(inst, StrCat("mixed precision: operands of ", Name(first->type()), " and ",
                                  Name(shape.type())));
    }
    first = &shape;
  }
  return {};
}

bool CalleeCountFits(const Instruction& inst, std::span<const CalleeSpec> specs) {
  const size_t count = inst.callees().size();
  if (!specs.empty() && specs[0].optional && count == 0) return true;
  return !specs.empty() && specs[0].variadic ? count >= 1 : count == specs.size();
}

}  // namespace

// The table is indexed by the opcode, so that this is a load.
const OpDef& GetOpDef(Opcode opcode) {
  return *kTable[static_cast<int>(opcode)];
}

std::span<const OpDef* const> AllOpDefs() {
  return kTable;
}

// The names of HLO text. The map is built at the first use and never freed.
const OpDef* FindOpDef(std::string_view text) {
  static const auto* const kByText = [] {
    auto* map = new std::unordered_map<std::string_view, const OpDef*>;
    for (const OpDef* def : kTable) map->emplace(def->text, def);
    map->emplace("cross-replica-sum", &kAllReduceDef);  // of very old dumps
    return map;
  }();
  const auto it = kByText->find(text);
  return it == kByText->end() ? nullptr : it->second;
}

// The message names the op, what is wrong, the operand shapes and the source line, at most 8
// operands. What is wrong with a message between processes begins with the op and the name of the
// instruction, and is not given the op again.
Status OpError(const Instruction& inst, std::string_view what, StatusCode code) {
  const OpDef& def = GetOpDef(inst);
  const size_t count = inst.num_operands();
  const bool is_named = what.starts_with(StrCat(def.text, " \"", inst.name(), "\": "));
  std::string message = is_named ? std::string(what) : StrCat(def.text, ": ", what);
  constexpr size_t kMaxShown = 8;
  for (size_t i = 0; i < std::min(count, kMaxShown); ++i) {
    message += StrCat(i == 0 ? "; " : ", ", OperandName(def, i, count), " ",
                      inst.operand(i)->shape().ToString());
  }
  if (count > kMaxShown) message += StrCat(" and ", count - kMaxShown, " more");
  if (const std::string place = SourcePlace(inst); !place.empty()) message += " at " + place;
  return {code, std::move(message)};
}

// HLO lets functions of one operand state a required accuracy; those that are exact have none.
bool TakesResultAccuracy(const OpDef& def) {
  return def.lowering == Lowering::kElementwise && def.operands.size() == 1 &&
         !def.declared_shape && def.accuracy != "exact";
}

bool HasSideEffect(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  return def.has(kSideEffect) && (def.has_side_effect == nullptr || def.has_side_effect(inst));
}

// Compares a callee with the parameters and the result that the op needs and prints both
// signatures.
Status CheckCallee(const Instruction& inst, size_t i, std::span<const Shape> parameters,
                   const Shape& result) {
  const HloComputation& callee = *inst.callees()[i];
  bool same =
      callee.parameters().size() == parameters.size() && Compatible(callee.root()->shape(), result);
  for (size_t p = 0; same && p < parameters.size(); ++p) {
    same = Compatible(callee.parameters()[p]->shape(), parameters[p]);
  }
  if (same) return {};
  Shape actual;
  for (const Instruction* p : callee.parameters()) actual.AddElement(p->shape());
  const Shape expected = Shape::Tuple({parameters.begin(), parameters.end()});
  const std::span<const CalleeSpec> specs = CalleeSpecsOf(inst);
  const CalleeSpec& spec = specs[std::min(i, specs.size() - 1)];
  return OpError(
      inst, StrCat(spec.text, spec.variadic ? StrCat(" ", i) : "", " must be ", expected.ToString(),
                   "->", result.ToString(), " but \"", callee.name(), "\" is ", actual.ToString(),
                   "->", callee.root()->shape().ToString()));
}

std::span<const CalleeSpec> CalleeSpecsOf(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  return def.uses_alternative != nullptr && def.uses_alternative(inst) ? def.alternative_callees
                                                                       : def.callees;
}

// The common part of inference: counts of operands and callees, mixed types, and open sizes, whose
// shapes are taken as declared until they are known. The row does the rest.
StatusOr<Shape> InferShape(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  if (!OperandCountFits(def, inst.num_operands())) {
    const auto name = [](const OperandSpec& s) { return StrCat(s.name, s.variadic ? "..." : ""); };
    return OpError(inst, StrCat("has ", inst.num_operands(), " operands but takes (",
                                Join(def.operands, ", ", name), ")"));
  }
  const std::span<const CalleeSpec> specs = CalleeSpecsOf(inst);
  if (!CalleeCountFits(inst, specs)) {
    return OpError(inst,
                   StrCat("calls ", inst.callees().size(), " computations, not ", specs.size()));
  }
  if (!def.has(kMixedPrecision)) AXLE_TRY(CheckMixedPrecision(inst));
  if (HasOpenSize(inst)) {
    AXLE_TRY(CheckShape(inst.shape()));
    return inst.shape().WithoutLayout();
  }
  AXLE_ASSIGN(Shape shape, def.infer(inst));
  if (const Status status = CheckShape(shape); !status.ok()) {
    return OpError(inst, status.message(), status.code());
  }
  return shape.WithoutLayout();
}

Status CheckUses(const HloComputation& computation) {
  for (const Instruction* inst : computation.instructions()) {
    if (const OpDef& def = GetOpDef(*inst); def.check_uses != nullptr) {
      AXLE_TRY(def.check_uses(*inst));
    }
  }
  return {};
}

// Infers every instruction again and compares with its shape. The pipeline can run it after each
// pass.
Status VerifyModule(const Module& module) {
  AXLE_TRY(CheckAsyncCallees(module));
  for (const auto& computation : module.computations()) {
    AXLE_TRY(CheckUses(*computation));
    for (const Instruction* inst : computation->instructions()) {
      AXLE_ASSIGN(const Shape shape, InferShape(*inst));
      if (!EqualIgnoringLayout(shape, inst->shape())) {
        return OpError(*inst, StrCat("\"", inst->name(), "\" has shape ", shape.ToString(),
                                     ", not ", inst->shape().ToString()));
      }
    }
  }
  return {};
}

// Calls the row's check for every instruction whose row has one.
static Status CheckEach(const Module& module, Status (*OpDef::*check)(const Instruction&)) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      const OpDef& def = GetOpDef(*inst);
      if (def.*check != nullptr) AXLE_TRY((def.*check)(*inst));
    }
  }
  return {};
}

Status CheckDevices(const Module& module) {
  return CheckEach(module, &OpDef::check_devices);
}

Status CheckRuns(const Module& module) {
  AXLE_TRY(CheckSizesAreKnown(module));
  return CheckEach(module, &OpDef::check_run);
}

}  // namespace axle
