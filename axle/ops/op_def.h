// OpDef: the row that describes an op. Parser, printer, verifier, builder, interpreter, code
// generator and documentation read rows; none of them knows an op by name.
#pragma once
#include <span>
#include <string_view>

#include "axle/emit/callee.h"
#include "axle/emit/index_map.h"
#include "axle/emit/lane_builder.h"
#include "axle/ir/module.h"
#include "axle/ops/attributes/attr_kinds.h"

namespace axle {

struct OperandSpec {
  std::string_view name;
  bool variadic = false;  // if an op has several variadic operands, all have the same count
};
inline constexpr bool kVariadic = true;

struct CalleeSpec {
  std::string_view text;  // to_apply=, body=; callees are in the order of the specs
  int proto_index = 0;    // position in called_computation_ids
  bool variadic = false;  // a list: branch_computations={a, b}. Then it is the only spec
  bool optional = false;  // of a list: there may be none, and it is not written then
};

// What stands between the parentheses: the operands, or the first attribute (parameter(0),
// constant({1, 2})).
enum class ParenSyntax : std::uint8_t { kOperands, kAttribute };

// How the compiler treats the op. Code generation switches on this, never on Opcode.
enum class Lowering : std::uint8_t {
  kElementwise,  // has .emit
  kIndexMap,     // has .index_map
  kReduce,       // the rest have .eval
  kWindow,       // reduce-window, select-and-scatter
  kScatter,
  kSort,
  kDot,
  kConvolution,
  kIota,
  kRandom,
  kLinearAlgebra,  // and fft, batch-norm: one fixed algorithm each (numerics.md N10)
  kControlFlow,    // call, while, conditional, fusion, map
  kData,           // parameter, constant, tuples: no computation
  kCollective,     // exchanges values with other devices through DeviceContext
};

// Facts that passes and checks ask about; a set.
enum Traits : std::uint32_t {
  kNoTraits = 0,
  kCommutative = 1,     // in its two operands, bit for bit
  kSideEffect = 2,      // never removed, duplicated or reordered; ask HasSideEffect()
  kMixedPrecision = 4,  // operands may be of different float types, as in XLA
  kGivesOperand = 8,    // the first operand under another name: nothing is copied
  // The result, or a part of it, may be an operand or a part of one: the state of an asynchronous
  // op or of a transfer goes through.
  kHandsOn = 16,
  // The result shape is what `infer` gives, also where a program states another one: XLA reads
  // transfers so, since programs that its tools have changed state old shapes there.
  kIgnoresStatedShape = 32,
  // Looks like a function of its operands, but stands where it is for a reason: no pass puts one
  // value in the place of two equal ones, or computes it while compiling. Ask IsMergeable().
  kStandsApart = 64,
  // Runs what it calls as it is written, on whole values: a call, a loop, a branch.
  kRunsCallees = 128,
};
constexpr Traits operator|(Traits a, Traits b) {
  return static_cast<Traits>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

// How errors of floating-point operands become one of the result: what the bounds of
// Numerics::kFast are made of (gen/error_bound.h).
enum class ErrorPropagation : std::uint8_t {
  kNone,  // any error makes the result unknown
  kAdd,
  kMultiply,
  kDivide,
  kLargest,  // minimum, maximum, clamp
  kSelect,
  kCompare,
  kDot,
  kLipschitz,  // a slope of at most 1.2
  kExponential,
  kLog,
  kSqrt,
  kRsqrt,
  kConvert,
};

// How an op takes arrays whose dimensions lie in another order (passes/layout/).
enum class PermuteForm : std::uint8_t {
  kNone,         // as written only
  kAlike,        // operands and result in one order; scalar operands aside
  kFold,         // a reduction: the result has its operand's order, without some dimensions
  kConvolution,  // each array in an order of its own
  kRename,       // a transpose: nothing but other numbers for dimensions
  kSource,       // made in any order from an operand in any order, or from nothing
};
// The attributes of an instruction of kAlike, kFold or kSource that has its result (kFold: its
// operand) in `order`; a source's operand is in order `operand`.
using PermutedAttrsFn = AttrBlock (*)(const Instruction& inst, const Dims& order,
                                      const Dims& operand);
struct PermuteRule {
  PermuteForm form = PermuteForm::kNone;
  PermutedAttrsFn attrs = nullptr;
};

// Checks the op and gives its result shape, without layouts. For ops with `declared_shape`,
// inst.shape() is the shape that the program states.
using InferFn = StatusOr<Shape> (*)(const Instruction& inst);
// One lane of the result from one lane of each operand; narrow floats arrive as f32. For convert to
// a narrow float the result may be f64: it is then rounded once from there. An operand that is a
// scalar while the result is an array gives the same value in every lane (clamp's bounds).
using EmitFn = Lane (*)(const Instruction& inst, std::span<const Lane> operands);
// The same when the result or an operand is complex.
using EmitComplexFn = ComplexLane (*)(const Instruction& inst,
                                      std::span<const ComplexLane> operands);
using IndexMapFn = IndexMap (*)(const Instruction& inst);
// Operands are row-major and may be taken apart: a literal that nobody else holds can be changed in
// place. The result is row-major, whatever layout the instruction's shape has.
using EvalFn = StatusOr<Literal> (*)(const Instruction& inst, std::span<Literal> operands,
                                     const EvalContext& context);
// Puts attributes into the one form in which they are compared and printed, where that depends on
// the operands. The attributes are of the row's struct.
using CanonicalizeFn = void (*)(std::span<Instruction* const> operands, void* attrs);

// Checks the users of the result. It is asked when the computation is complete.
using CheckUsesFn = Status (*)(const Instruction& inst);
// Checks the module's numbers of replicas and partitions. It is asked when they are those of the
// run; before that, a number of 1 may mean that nobody has stated one.
using CheckDevicesFn = Status (*)(const Instruction& inst);
// Whether this form of the op can run: what is only read, printed and converted is UNIMPLEMENTED
// here. Asked before a program is compiled, and before a computation is interpreted.
using CheckRunFn = Status (*)(const Instruction& inst);

struct OpDef {
  Opcode opcode;
  std::string_view text;       // spelling in HLO text and in the proto
  std::string_view summary;    // first sentence of the op's page
  std::string_view semantics;  // the rest of the page: edge cases and errors, in our own words
  std::string_view source;     // where the semantics are specified
  std::span<const OperandSpec> operands = {};
  AttrSchema attrs = Schema<NoAttrs>({});
  std::span<const CalleeSpec> callees = {};
  // Another way to write them: conditional's true_computation and false_computation.
  std::span<const CalleeSpec> alternative_callees = {};
  bool (*uses_alternative)(const Instruction& inst) = nullptr;
  ParenSyntax parens = ParenSyntax::kOperands;
  bool declared_shape = false;  // the result shape is part of the program, not implied
  Traits traits = kNoTraits;
  // With kSideEffect: which instructions have one; null: all.
  bool (*has_side_effect)(const Instruction& inst) = nullptr;
  Lowering lowering;
  std::string_view accuracy = "exact";  // promise of a floating-point result
  ErrorPropagation errors = ErrorPropagation::kNone;
  InferFn infer;
  CanonicalizeFn canonicalize = nullptr;
  CheckUsesFn check_uses = nullptr;
  CheckDevicesFn check_devices = nullptr;
  CheckRunFn check_run = nullptr;
  // The meaning: one of these; eval beside emit for forms of an op that are not lane by lane.
  EmitFn emit = nullptr;
  EmitComplexFn emit_complex = nullptr;
  // Whether .emit takes and gives narrow floats as their bits: true for ops that copy or look at
  // bits.
  bool (*in_stored_form)(const Instruction& inst) = nullptr;
  IndexMapFn index_map = nullptr;
  EvalFn eval = nullptr;
  // How it runs where an operand or the result has dynamic dimensions, if not as dynamic.h says for
  // its lowering class. Operands come with their run-time sizes, which the result must have too.
  EvalFn eval_dynamic = nullptr;
  // Elementwise ops need none: they take any order.
  PermuteRule permute = {};

  bool has(Traits trait) const { return (traits & trait) != 0; }
};

const OpDef& GetOpDef(Opcode opcode);
inline const OpDef& GetOpDef(const Instruction& inst) {
  return GetOpDef(inst.opcode());
}
const OpDef* FindOpDef(std::string_view text);  // null if there is none
std::span<const OpDef* const> AllOpDefs();      // in the order of the opcodes

// "pad: <what>; operand f32[2,3], padding_value f32[]", and the source line if it is known.
Status OpError(const Instruction& inst, std::string_view what,
               StatusCode code = StatusCode::kInvalidArgument);

// Whether the instruction itself has a side effect; the computations that it calls are not asked.
bool HasSideEffect(const Instruction& inst);

// Whether it is a constant whose elements were left out where it was read.
bool IsElided(const Instruction& inst);
// The error text about such a constant for whoever needs its value; it names no instruction.
std::string ElidedText(std::string_view name);
// INVALID_ARGUMENT at the first such constant of the module: for whoever is about to give numbers.
Status CheckNothingIsElided(const Module& module);

// Ops that only hold values or take them apart, for code that treats them apart from computation.
bool IsParameter(const Instruction& inst);
bool IsConstant(const Instruction& inst);
bool IsTuple(const Instruction& inst);
bool IsTupleElement(const Instruction& inst);

// Whether result_accuracy may be asked of the op: of functions of one operand that are not computed
// exactly.
bool TakesResultAccuracy(const OpDef& def);

// Checks that called computation `i` takes `parameters` and returns `result`, layouts aside.
Status CheckCallee(const Instruction& inst, size_t i, std::span<const Shape> parameters,
                   const Shape& result);

// Lists the parameters of a finished computation; their numbers must be 0, 1, ... in some order.
Status BindParameters(HloComputation& computation);

// Checks everything about `inst` that its row says and returns the shape it must have, without
// layouts: operand and callee counts, array operands where the op needs them, mixed precision.
StatusOr<Shape> InferShape(const Instruction& inst);

// The specs by which the callees of `inst` are written.
std::span<const CalleeSpec> CalleeSpecsOf(const Instruction& inst);

// Asks the rows about the users of all instructions of a finished computation.
Status CheckUses(const HloComputation& computation);

// InferShape for every instruction, against the shape that it has, and CheckUses. Front ends check
// each instruction as they add it; this checks a whole module again, whoever made it, before it is
// compiled.
Status VerifyModule(const Module& module);

// Asks the rows about devices, for all instructions of a module that is compiled for as many
// replicas and partitions as its config says.
Status CheckDevices(const Module& module);
// Asks the rows whether all instructions of a module can run.
Status CheckRuns(const Module& module);

}  // namespace axle
