// Instrumentation for NaN bits: after each instruction that computes floats, a select replaces
// every NaN by another one, `select(x != x, nans, x)`. If the interpreter's result on such a module
// differs from the original result, the program depends on bits that no engine promises
// (numerics.md), e.g. by bitcasting a computed NaN. Six fixed patterns (plain, all ones,
// signalling; both signs) and four random ones are tried. Applied computations with sums of floats
// stay as they are, because their form decides about the order of summation.

#include "axle/gen/nan_bits.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "axle/core/float_format.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/gen/append.h"
#include "axle/gen/random.h"
#include "axle/ir/callees_first.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/op_def.h"
#include "axle/passes/facts.h"

namespace axle {
namespace {

// The seeds from which on NaNs are drawn.
constexpr std::uint64_t kFirstDrawn = 6;

// Whether the instruction computes floats; moving them keeps NaN bits.
bool Computes(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  if (def.check_uses != nullptr) return false;  // only its done instruction may read it
  switch (def.lowering) {
    case Lowering::kIndexMap:
    case Lowering::kData:
    case Lowering::kControlFlow:
    case Lowering::kCollective:
    case Lowering::kSort:
      return false;
    case Lowering::kElementwise:
      return def.in_stored_form == nullptr || !def.in_stored_form(inst);
    default:
      return true;
  }
}

// Whether the reducer takes elements from the left in any form, also with NaNs written into it: it
// is more than scalar arithmetic, or has no float sum among its components.
// CompileScalarComputation says whether it is scalar arithmetic at all; FoldsOneByOne whether the
// order is fixed.
bool HasOneOrder(const HloComputation& reducer) {
  if (!CompileScalarComputation(reducer)) return true;
  std::vector<ElementType> types;
  ForEachLeaf(reducer.root()->shape(), [&](const Shape& leaf, const Dims&) {
    if (leaf.is_array()) types.push_back(leaf.type());
  });
  const auto parameters = reducer.parameters();
  if (types.empty() || parameters.size() != 2 * types.size()) return false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& shape = parameters[i]->shape();
    if (!shape.is_array() || shape.type() != types[i % types.size()]) return false;
  }
  return FoldsOneByOne(reducer, types);
}

// Computations that must stay as they are, because their form decides about the order of sums
// (numerics.md N4): those that reductions, windows and the like apply, with their callees, unless
// they take elements from the left. Sorts, maps, scans and custom calls run their callees as
// written.
std::unordered_set<const HloComputation*> Unchanged(const Module& module) {
  const auto frozen = FrozenComputations(module);
  const std::vector<const HloComputation*> order = CalleesFirst(module);
  std::unordered_set<const HloComputation*> unchanged;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {  // callers first
    for (const Instruction* inst : (*it)->instructions()) {
      const Lowering lowering = GetOpDef(*inst).lowering;
      if (lowering == Lowering::kSort) continue;
      if (lowering == Lowering::kControlFlow && !unchanged.contains(*it)) continue;
      for (const HloComputation* callee : inst->callees()) {
        if (!frozen.contains(callee)) continue;
        const bool is_called =
            lowering == Lowering::kControlFlow;  // by a computation that stays as it is
        if (is_called || !HasOneOrder(*callee)) unchanged.insert(callee);
      }
    }
  }
  return unchanged;
}

// Copies a module callee by callee. Each instruction that computes floats is followed by its
// replacement of NaNs, and all later readers read that one.
class NanWriter {
 public:
  NanWriter(const Module& from, std::uint64_t seed)
      : from_(from), to_(std::make_unique<Module>(from.name())), seed_(seed), random_(seed) {}

  std::unique_ptr<Module> Run() {
    const auto frozen = Unchanged(from_);
    for (const HloComputation* computation : CalleesFirst(from_)) {
      Copy(*computation, frozen.contains(computation));
    }
    to_->set_entry(computations_.at(from_.entry()));
    to_->config() = from_.config();
    return std::move(to_);
  }

 private:
  void Copy(const HloComputation& computation, bool as_it_is) {
    HloComputation* to = to_->AddComputation(computation.name());
    to->set_execution_thread(computation.execution_thread());
    // Callees were copied before their callers, so that each lookup succeeds.
    computations_[&computation] = to;
    std::vector<Instruction*> map, parameters;
    for (const Instruction* inst : computation.instructions()) {
      std::vector<Instruction*> operands;
      std::vector<HloComputation*> callees;
      for (i64 i = 0; i < inst->num_operands(); ++i)
        operands.push_back(map[inst->operand(i)->index()]);
      for (const HloComputation* callee : inst->callees())
        callees.push_back(computations_.at(callee));
      Instruction* copy = to->Add({.opcode = inst->opcode(),
                                   .name = inst->name(),
                                   .shape = inst->shape(),
                                   .operands = operands,
                                   .callees = callees,
                                   .attrs = inst->attr_block(),
                                   .id = inst->id()});
      map.push_back(as_it_is || !Computes(*inst) ? copy : Normal(*to, copy));
    }
    to->set_root(map[computation.root()->index()]);
    for (const Instruction* p : computation.parameters()) parameters.push_back(map[p->index()]);
    to->set_parameters(std::move(parameters));
  }

  template <typename Attrs>
  Instruction* Add(HloComputation& to, Opcode opcode, const Shape& shape,
                   std::initializer_list<Instruction*> operands, Attrs attrs) {
    return Append(to, StrCat("nan.", ++next_), opcode, shape,
                  std::span(operands.begin(), operands.size()), std::move(attrs));
  }

  // A complex number is replaced part by part and a tuple element by element. Dynamic arrays stay
  // as they are.
  Instruction* Normal(HloComputation& to, Instruction* value) {
    const Shape shape = value->shape().WithoutLayout();
    if (shape.is_tuple()) {
      std::vector<Instruction*> elements;
      for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
        elements.push_back(Normal(
            to, Add(to, Opcode::kGetTupleElement, shape.element(i), {value}, TupleIndexAttrs{i})));
      }
      return Append(to, StrCat("nan.", ++next_), Opcode::kTuple, shape, elements);
    }
    if (!shape.is_array() || !shape.is_static()) return value;
    if (IsComplex(shape.type())) {
      const Shape part = shape.WithType(shape.type() == C64 ? F32 : F64);
      Instruction* re = Normal(to, Add(to, Opcode::kReal, part, {value}, NoAttrs{}));
      Instruction* im = Normal(to, Add(to, Opcode::kImag, part, {value}, NoAttrs{}));
      return Add(to, Opcode::kComplex, shape, {re, im}, NoAttrs{});
    }
    const FloatFormat& format = Info(shape.type()).format;
    // Formats without a NaN have nothing to replace.
    if (!IsFloating(shape.type()) || !HasNan(format)) return value;
    Literal nans(shape);
    const auto bytes = static_cast<size_t>(Info(shape.type()).bytes);
    std::byte* to_bytes = nans.mutable_bytes();
    for (i64 i = 0; i < nans.num_elements(); ++i, to_bytes += bytes) {
      // Processors make plain NaNs of either sign, or hand on an operand's, quiet.
      // Seeds 0 and 1 are the plain NaN of either sign, 2 and 3 all payload bits, 4 and 5 a
      // signalling NaN; later seeds draw the bits of each element.
      std::uint64_t bits = NanBits(format);
      const bool is_drawn = seed_ >= kFirstDrawn;
      if (format.nan == NanEncoding::kIeee && seed_ >= 2) {
        const std::uint64_t payload = is_drawn    ? random_.Bits()
                                      : seed_ < 4 ? ~std::uint64_t{0}
                                                  : std::uint64_t{1};
        bits |= payload & LowBits(format.mantissa_bits - 1);
        // A signalling NaN: passes may remove an operation that only quiets it, and an argument's
        // NaN then reaches the result.
        if (is_drawn ? random_.Percent(50) : seed_ >= 4) {
          bits = (bits & ~(std::uint64_t{1} << (format.mantissa_bits - 1))) | 1;
        }
      }
      const bool is_negative = is_drawn ? random_.Percent(50) : seed_ % 2 == 1;
      if (HasNegativeZero(format) && is_negative) bits |= SignBit(format);
      std::memcpy(to_bytes, &bits, bytes);
    }
    Instruction* other = Add(to, Opcode::kConstant, shape, {}, ConstantAttrs{std::move(nans)});
    Instruction* is_nan = Add(to, Opcode::kCompare, shape.WithType(PRED), {value, value},
                              CompareAttrs{ComparisonDirection::kNe});
    return Add(to, Opcode::kSelect, shape, {is_nan, other, value}, NoAttrs{});
  }

  const Module& from_;
  std::unique_ptr<Module> to_;
  const std::uint64_t seed_;
  Random random_;
  std::unordered_map<const HloComputation*, HloComputation*> computations_;
  int next_ = 0;
};

}  // namespace

std::unique_ptr<Module> WithNanBits(const Module& module, std::uint64_t seed) {
  return NanWriter(module, seed).Run();
}

// An error of the original module, for example a limit, ends the search: nothing can be compared
// with it.
bool DependsOnNanBits(const Module& module,
                      const std::function<StatusOr<Literal>(const Module&)>& run) {
  const auto first = run(module);
  for (std::uint64_t seed = 0; seed < kFirstDrawn + 4 && first.ok(); ++seed) {
    const auto other = run(*WithNanBits(module, seed));
    if (other.ok() && !SameValue(*first, *other)) return true;
  }
  return false;
}

bool DependsOnNanBits(const Module& module, std::span<const Literal> arguments,
                      const std::function<void(Limits&)>& set_limits) {
  return DependsOnNanBits(module, [&](const Module& some) {
    Limits limits;
    set_limits(limits);
    return Evaluate(some, arguments, {.limits = &limits});
  });
}

}  // namespace axle
