// Ops that give back what they get and say something about order or place: after-all,
// add-dependency, opt-barrier, domain, copy-start, copy-done.
//
// None of these ops computes: they give a token or hand their operand on. The traits of their rows
// tell passes and engines which order they must keep.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kAddDependencyDef, kAfterAllDef, kCopyDoneDef, kCopyStartDef, kDomainDef,
    kOptBarrierDef;

namespace {

constexpr OperandSpec kTokens[] = {{"token", kVariadic}};
constexpr OperandSpec kOperandAndToken[] = {{"operand"}, {"token"}};
constexpr AttrSpec kDomainAttrs[] = {
    Attr<&DomainAttrs::domain>("domain", {}),
};
constexpr AttrSpec kCopyStartAttrs[] = {
    Attr<&CopyStartAttrs::cross_program_prefetch_index>("cross_program_prefetch_index",
                                                        {.field = 80}, Presence::kOptional),
};

// Tokens carry no data; their order is that of the instructions.
StatusOr<Shape> InferAfterAll(const Instruction&) {
  return Shape::Token();
}

// The engine has run the operands before this call, which is all that the token promises.
StatusOr<Literal> EvalAfterAll(const Instruction&, std::span<Literal>, const EvalContext&) {
  return Literal(Shape::Token());
}

StatusOr<Shape> InferAddDependency(const Instruction& inst) {
  if (!inst.operand(1)->shape().is_token()) return OpError(inst, "token must be a token");
  return inst.operand(0)->shape();
}

// The operand may be of any kind; it is not inspected.
StatusOr<Shape> InferIdentity(const Instruction& inst) {
  return inst.operand(0)->shape();
}

// The literal is moved, so that the value keeps its storage and nothing is copied.
StatusOr<Literal> EvalIdentity(const Instruction&, std::span<Literal> operands,
                               const EvalContext&) {
  return std::move(operands[0]);
}

// The state is (copy, operand, context): the operand stays part of it, so that it lives until the
// copy is done. The u32 is a context that no engine of Axle uses.
StatusOr<Shape> InferCopyStart(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  return Shape::Tuple({operand, operand, Shape(U32)});
}

// Literals share their storage, so that the copy costs nothing until one of the two is written.
StatusOr<Literal> EvalCopyStart(const Instruction&, std::span<Literal> operands,
                                const EvalContext&) {
  return Literal::Tuple({operands[0], operands[0], Literal::Scalar(U32, std::uint32_t{0})});
}

// The pair is checked by the shape of the tuple, since other ops than copy-start may pass the state
// on.
StatusOr<Shape> InferCopyDone(const Instruction& inst) {
  const Shape& operand = inst.operand(0)->shape();
  const bool is_start = operand.num_tuple_elements() == 3 && operand.is_tuple() &&
                        operand.element(0).is_array() &&
                        Compatible(operand.element(0), operand.element(1)) &&
                        Compatible(operand.element(2), Shape(U32));
  if (!is_start) return OpError(inst, "operand must be what copy-start gives: (x, x, u32[])");
  return operand.element(0);
}

StatusOr<Literal> EvalCopyDone(const Instruction&, std::span<Literal> operands,
                               const EvalContext&) {
  return std::move(operands[0].mutable_elements()[0]);
}

}  // namespace

const OpDef kAfterAllDef = {
    .opcode = Opcode::kAfterAll,
    .text = "after-all",
    .summary = "A token that stands for the end of everything that gave its operands.",
    .semantics =
        "Operands are tokens, or values of any kind, whose ops come before the token too; there "
        "may be none, for the beginning of an order. Tokens have no value: an op that takes one "
        "runs after the op that gave it.",
    .source = "XLA AfterAll and CreateToken; StableHLO after_all and create_token",
    .operands = kTokens,
    .traits = kMixedPrecision | kStandsApart,
    .lowering = Lowering::kData,
    .infer = InferAfterAll,
    .eval = EvalAfterAll,
};

const OpDef kAddDependencyDef = {
    .opcode = Opcode::kAddDependency,
    .text = "add-dependency",
    .summary = "The operand, for users that have to run after what gave the token.",
    .semantics =
        "The operand is of any kind and is not changed; the second operand is a token. Effects "
        "keep "
        "their order; what has none may be computed at any time.",
    .source = "XLA's HLO add-dependency",
    .operands = kOperandAndToken,
    .traits = kMixedPrecision | kGivesOperand | kHandsOn | kStandsApart,
    .lowering = Lowering::kData,
    .infer = InferAddDependency,
    .eval = EvalIdentity,
};

const OpDef kOptBarrierDef = {
    .opcode = Opcode::kOptBarrier,
    .text = "opt-barrier",
    .summary = "The operand, whole, before anything that uses it.",
    .semantics =
        "The operand is of any kind, mostly a tuple, and is not changed. No pass moves work from "
        "one "
        "side to the other or sees through it, so that what is computed on both sides is computed "
        "twice. When parts of the operand are computed, before or after users of others, is left "
        "to "
        "whoever runs the program.",
    .source = "XLA OptimizationBarrier; StableHLO optimization_barrier",
    .operands = kUnaryOperands,
    .traits = kMixedPrecision | kGivesOperand | kHandsOn | kStandsApart,
    .lowering = Lowering::kData,
    .infer = InferIdentity,
    .eval = EvalIdentity,
};

const OpDef kDomainDef = {
    .opcode = Opcode::kDomain,
    .text = "domain",
    .summary = "The operand, on the border between two shardings.",
    .semantics =
        "The operand is of any kind and is not changed. `domain` has the shardings of the side of "
        "the users (entry) and of the side of the operand (exit); they are only carried.",
    .source = "XLA's HLO domain",
    .operands = kUnaryOperands,
    .attrs = Schema<DomainAttrs>(kDomainAttrs),
    .traits = kMixedPrecision | kGivesOperand | kHandsOn | kStandsApart,
    .lowering = Lowering::kData,
    .infer = InferIdentity,
    .eval = EvalIdentity,
};

const OpDef kCopyStartDef = {
    .opcode = Opcode::kCopyStart,
    .text = "copy-start",
    .summary = "Begins to copy an array: (copy, operand, context).",
    .semantics =
        "The operand is an array. The result is a tuple of the copy, which may be used only once "
        "copy-done has given it, the operand, and a u32[] context. Layouts and memory spaces of "
        "the copy are what the declared shape says. The copy is made at once.",
    .source = "XLA's HLO copy-start",
    .operands = kUnaryOperands,
    .attrs = Schema<CopyStartAttrs>(kCopyStartAttrs),
    .lowering = Lowering::kData,
    .infer = InferCopyStart,
    .eval = EvalCopyStart,
};

const OpDef kCopyDoneDef = {
    .opcode = Opcode::kCopyDone,
    .text = "copy-done",
    .summary = "Waits for the copy that copy-start began, and gives it.",
    .semantics = "The operand is a tuple as copy-start gives it: two arrays of one shape, u32[].",
    .source = "XLA's HLO copy-done",
    .operands = kUnaryOperands,
    .traits = kMixedPrecision,
    .lowering = Lowering::kData,
    .infer = InferCopyDone,
    .eval = EvalCopyDone,
};

}  // namespace axle
