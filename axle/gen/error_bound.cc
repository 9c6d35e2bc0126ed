// Forward error analysis by instrumentation. For each instruction of the module the writer adds f64
// instructions that compute a bound of |fast - strict| from the bounds of the operands, e.g. for z
// = x * y:
//
//   e(z) = e(x) * (|y| + e(y)) + |x| * e(y)          propagated (ErrorPropagation of the row)
//          + 16 u |z| + 4 least                      rounding, u half a unit in the last place
//
// and the new module returns (r, bounds). The rows say how an elementwise operation propagates
// errors; sums add (4 n u) times the sum of magnitudes, dots likewise with the number of roundings
// of a part, a group and the tree. Where a bound would not hold it is infinity: after a comparison
// whose operands are closer than their errors, near overflow, behind loops and general reducers. A
// null bound means exact: the same bits must come out, which CompareLeaf checks.
//
// The bounds are generous by design (factors 16, 4, 1.01): a test with them must never fail for
// correct code. Functions with a branch-free derivative bound use it (1.2 for Lipschitz functions).

#include "axle/gen/error_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "axle/core/float_format.h"
#include "axle/core/product_parts.h"
#include "axle/core/strings.h"
#include "axle/gen/append.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The number of instructions, callees included, that give floats or complex numbers.
// In `fast` the intermediate results of a callee with several such steps need not be rounded.
i64 NumFloatSteps(const HloComputation& computation) {
  i64 steps = 0;
  for (const Instruction* inst : computation.instructions()) {
    for (const HloComputation* callee : inst->callees()) steps += NumFloatSteps(*callee);
    if (IsParameter(*inst) || IsConstant(*inst) || !inst->shape().is_array()) continue;
    steps += IsFloating(inst->shape().type()) || IsComplex(inst->shape().type());
  }
  return steps;
}

// Whether it applies a computation of several steps of floats.
bool AppliesSteps(const Instruction& inst) {
  return std::ranges::any_of(
      inst.callees(), [](const HloComputation* callee) { return NumFloatSteps(*callee) > 1; });
}

bool IsRealFloat(const Shape& shape) {
  return shape.is_array() && shape.is_static() && IsFloating(shape.type());
}

// 2^n as a double; subnormal results are exact as well.
// The exponent is written into the bits directly; below the normal numbers the power is a product
// of two, since library functions are not used for results.
double PowerOfTwo(int n) {
  constexpr int kLeast = -1022;  // of the normal numbers
  if (n < kLeast) return PowerOfTwo(kLeast) * PowerOfTwo(n - kLeast);
  return std::bit_cast<double>(static_cast<std::uint64_t>(n - kLeast + 1) << 52);
}

// Properties of a format: half a unit in the last place of 1, the least positive number, and a
// power of two near the largest.
double Unit(const FloatFormat& format) {
  return PowerOfTwo(-1 - format.mantissa_bits);
}
double Least(const FloatFormat& format) {
  return PowerOfTwo(1 - format.bias - format.mantissa_bits);
}
double NearlyLargest(const FloatFormat& format) {
  return PowerOfTwo((1 << format.exponent_bits) - 4 - format.bias);
}

// The bound of a value: an f64 array of its dimensions, or null for the same bits. A tuple has one
// bound per element.
struct Bound {
  Instruction* array = nullptr;
  std::vector<Bound> elements = {};
  bool is_exact() const {
    return array == nullptr &&
           std::ranges::all_of(elements, [](const Bound& b) { return b.is_exact(); });
  }
};

class BoundWriter {
 public:
  // Instructions are added to a clone of the module, at the end of the entry, so that an
  // instruction keeps its index and `bounds_` is indexed by it. Callees get no bounds.
  explicit BoundWriter(const Module& module) : module_(module.Clone()), to_(*module_->entry()) {}

  std::unique_ptr<Module> Run() && {
    const std::vector<Instruction*> instructions(to_.instructions().begin(),
                                                 to_.instructions().end());
    Instruction* const root = to_.root();
    // The list was copied before: instructions that compute bounds are not visited themselves.
    for (const Instruction* inst : instructions) bounds_.push_back(BoundOf(*inst));
    std::vector<Instruction*> leaves;
    AddLeaves(bounds_[root->index()], root->shape(), leaves);
    Instruction* const bounds = MakeTuple(leaves);
    to_.set_root(MakeTuple({root, bounds}));
    // Donations and layouts of the old entry do not fit the new result.
    ModuleConfig& config = module_->config();
    config.input_output_alias.clear();
    config.buffer_donor.clear();
    config.entry_computation_layout.reset();
    return std::move(module_);
  }

 private:
  // Formulas on f64 arrays.
  Instruction* Op(Opcode opcode, std::initializer_list<Instruction*> operands) {
    return Append(to_, Name(), opcode, (*operands.begin())->shape(),
                  std::span(operands.begin(), operands.size()));
  }
  Instruction* Add(Instruction* a, Instruction* b) { return Op(Opcode::kAdd, {a, b}); }
  Instruction* Sub(Instruction* a, Instruction* b) { return Op(Opcode::kSubtract, {a, b}); }
  Instruction* Mul(Instruction* a, Instruction* b) { return Op(Opcode::kMultiply, {a, b}); }
  Instruction* Div(Instruction* a, Instruction* b) { return Op(Opcode::kDivide, {a, b}); }
  Instruction* Max(Instruction* a, Instruction* b) { return Op(Opcode::kMaximum, {a, b}); }
  Instruction* Scaled(Instruction* a, double factor) { return Mul(a, Filled(a->shape(), factor)); }
  Instruction* Plus(Instruction* a, double b) { return Add(a, Filled(a->shape(), b)); }
  Instruction* Is(ComparisonDirection direction, Instruction* a, Instruction* b) {
    return Append(to_, Name(), Opcode::kCompare, a->shape().WithType(PRED), Two(a, b),
                  CompareAttrs{direction});
  }
  // `value` where `condition` holds; nothing is known elsewhere.
  Instruction* Where(Instruction* condition, Instruction* value) {
    Instruction* const operands[] = {condition, value, Filled(value->shape(), kInfinity)};
    return Append(to_, Name(), Opcode::kSelect, value->shape(), operands);
  }
  Instruction* WhereLess(Instruction* a, Instruction* b, Instruction* value) {
    return Where(Is(ComparisonDirection::kLt, a, b), value);
  }
  // True where there is no error or `condition` holds.
  Instruction* ExactOr(Instruction* error, Instruction* condition) {
    Instruction* const is_exact = Is(ComparisonDirection::kEq, error, Filled(error->shape(), 0));
    return Append(to_, Name(), Opcode::kOr, condition->shape(), Two(is_exact, condition));
  }
  Instruction* Filled(const Shape& shape, double value) {
    Literal literal(shape);
    std::ranges::fill(literal.mutable_data<double>(), value);
    return Append(to_, Name(), Opcode::kConstant, shape, {}, ConstantAttrs{std::move(literal)});
  }
  Instruction* MakeTuple(std::vector<Instruction*> elements) {
    std::vector<Shape> shapes;
    for (const Instruction* element : elements) shapes.push_back(element->shape());
    return Append(to_, Name(), Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements);
  }
  // Two keeps the operands in a member, because a span of an initializer list would dangle.
  std::string Name() { return StrCat("bound.", ++next_); }
  std::span<Instruction* const> Two(Instruction* a, Instruction* b) {
    two_[0] = a;
    two_[1] = b;
    return two_;
  }
  static Shape Doubles(const Shape& shape) { return Shape(F64, shape.dims()); }
  // |x|, exactly.
  Instruction* Magnitude(const Instruction& inst) {
    auto* const x = const_cast<Instruction*>(&inst);
    Instruction* const wide = Append(to_, Name(), Opcode::kConvert, Doubles(inst.shape()), {&x, 1});
    return Op(Opcode::kAbs, {wide});
  }

  // The bound as an array.
  Instruction* Array(const Bound& bound, const Shape& shape) {
    return bound.array != nullptr ? bound.array : Filled(Doubles(shape), 0);
  }
  Bound Unknown(const Shape& shape) {
    Bound bound;
    if (shape.is_tuple()) {
      for (const Shape& element : shape.elements()) bound.elements.push_back(Unknown(element));
    } else if (shape.is_array()) {
      bound.array = Filled(Doubles(shape), kInfinity);
    }
    return bound;
  }
  void AddLeaves(const Bound& bound, const Shape& shape, std::vector<Instruction*>& leaves) {
    if (shape.is_array()) leaves.push_back(Array(bound, shape));
    for (i64 i = 0; shape.is_tuple() && i < shape.num_tuple_elements(); ++i) {
      const size_t k = static_cast<size_t>(i);
      AddLeaves(bound.elements.empty() ? Bound() : bound.elements[k], shape.element(i), leaves);
    }
  }

  const Bound& Of(const Instruction& inst, i64 i) const {
    return bounds_[inst.operand(i)->index()];
  }
  bool HasExactOperands(const Instruction& inst) const {
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      if (!Of(inst, i).is_exact()) return false;
    }
    return true;
  }

  // The bound of an instruction by the kind of its row. Operations without a rule are exact if
  // their operands are, and unknown otherwise.
  Bound BoundOf(const Instruction& inst) {
    const OpDef& def = GetOpDef(inst);
    if (IsTuple(inst)) {
      Bound bound;
      for (i64 i = 0; i < inst.num_operands(); ++i) bound.elements.push_back(Of(inst, i));
      return bound;
    }
    if (IsTupleElement(inst)) {
      const Bound& tuple = Of(inst, 0);
      if (tuple.elements.empty()) return {};
      return tuple.elements[static_cast<size_t>(inst.attrs<TupleIndexAttrs>().index)];
    }
    if (IsElementwise(inst)) return Elementwise(inst);
    if (IsRealFloat(inst.shape()) && !IsDynamic(inst)) {
      if (def.lowering == Lowering::kIndexMap) return Moved(inst);
      if (def.lowering == Lowering::kReduce && inst.num_operands() == 2) return Reduced(inst);
      const bool is_dot = GetOpDef(inst).errors == ErrorPropagation::kDot;
      if (is_dot && !HasExactOperands(inst)) return Dotted(inst);
    }
    // All other operations give the same bits from the same operands, unless they apply a
    // computation of several float operations, whose intermediate results need not be rounded.
    const bool runs_programs = def.lowering == Lowering::kControlFlow && !inst.callees().empty();
    return runs_programs || !HasExactOperands(inst) || AppliesSteps(inst) ? Unknown(inst.shape())
                                                                          : Bound();
  }

  // Operand i as an array of the result's dimensions.
  Instruction* Spread(const Instruction& inst, Instruction* array) {
    const Shape shape = Doubles(inst.shape());
    if (SameDims(array->shape(), shape)) return array;
    return Append(to_, Name(), Opcode::kBroadcast, shape, {&array, 1}, DimensionsAttrs{});
  }
  Instruction* ErrorOf(const Instruction& inst, i64 i) {
    return Spread(inst, Array(Of(inst, i), inst.operand(i)->shape()));
  }

  // 0 where all operands are exact, infinity elsewhere: for operations whose result may jump by any
  // amount when an operand changes by little.
  Bound Poisoned(const Instruction& inst) {
    Instruction* sum = nullptr;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      if (Of(inst, i).is_exact()) continue;
      sum = sum == nullptr ? ErrorOf(inst, i) : Add(sum, ErrorOf(inst, i));
    }
    if (sum == nullptr) return {};
    Instruction* const zero = Filled(sum->shape(), 0);
    return {Where(Is(ComparisonDirection::kEq, sum, zero), zero)};
  }

  // Integers, predicates and operations without a rule are exact or unknown. A narrow float gets a
  // bound even from exact operands, because `fast` may keep its intermediate results in f32.
  Bound Elementwise(const Instruction& inst) {
    if (IsDynamic(inst)) {
      return HasExactOperands(inst) ? Bound() : Unknown(inst.shape());
    }
    const ElementType type = inst.shape().type();
    const bool is_real = IsRealFloat(inst.shape());
    const ErrorPropagation wanted = GetOpDef(inst).errors;
    const ErrorPropagation propagation = is_real ? wanted : ErrorPropagation::kNone;
    const bool is_arithmetic = propagation == ErrorPropagation::kAdd ||
                               propagation == ErrorPropagation::kMultiply ||
                               propagation == ErrorPropagation::kDivide;
    const bool is_exact = HasExactOperands(inst);
    if (is_exact && !(is_real && (is_arithmetic || IsNarrowFloat(type)))) return {};
    if (wanted == ErrorPropagation::kCompare && IsRealFloat(inst.operand(0)->shape())) {
      return Compared(inst);
    }
    const bool is_between_floats =
        propagation == ErrorPropagation::kConvert && IsRealFloat(inst.operand(0)->shape());
    Instruction* error = nullptr;
    if (propagation == ErrorPropagation::kNone ||
        (propagation == ErrorPropagation::kConvert && !is_between_floats)) {
      error = Poisoned(inst).array;
      if (!is_real) return {error};
      if (error == nullptr) error = Filled(Doubles(inst.shape()), 0);
    } else {
      error = Propagated(inst, propagation);
    }
    return {Rounded(inst, error)};
  }

  // `error`, and what rounding adds; nothing is known near overflow.
  Instruction* Rounded(const Instruction& inst, Instruction* error) {
    const FloatFormat& format = Info(inst.shape().type()).format;
    Instruction* const result = Magnitude(inst);
    Instruction* const all = Plus(Add(error, Scaled(result, 16 * Unit(format))), 4 * Least(format));
    Instruction* const bound =
        WhereLess(Add(result, all), Filled(result->shape(), NearlyLargest(format)), all);
    return format.is_signed ? bound : WherePositive(format, result, error, bound);
  }
  // A type without signs and zeros has a NaN for what is not positive, however near: nothing is
  // known unless what was rounded to `result` is farther from zero than `error`.
  Instruction* WherePositive(const FloatFormat& format, Instruction* result, Instruction* error,
                             Instruction* bound) {
    Instruction* const least = Plus(Scaled(error, 2), Least(format));
    return Where(ExactOr(error, Is(ComparisonDirection::kLt, least, result)), bound);
  }

  // One formula per kind of propagation, on f64 arrays. A formula with a division is wrapped in
  // WhereLess where its denominator could be zero or negative.
  Instruction* Propagated(const Instruction& inst, ErrorPropagation propagation) {
    const auto error = [&](i64 i) { return ErrorOf(inst, i); };
    const auto operand = [&](i64 i) { return Spread(inst, Magnitude(*inst.operand(i))); };
    switch (propagation) {
      case ErrorPropagation::kAdd:
        return Add(error(0), error(1));
      case ErrorPropagation::kMultiply:
        return Add(Mul(error(0), Add(operand(1), error(1))), Mul(operand(0), error(1)));
      case ErrorPropagation::kDivide: {
        // The reciprocal of the divisor is neither subnormal nor infinite.
        const FloatFormat& format = Info(inst.shape().type() == F64 ? F64 : F32).format;
        Instruction* const b = operand(1);
        Instruction* const least = Sub(b, error(1));
        // The square of the divisor may be infinite where its reciprocal is not even small.
        Instruction* const moved = Add(Mul(Div(operand(0), b), error(1)), error(0));
        const double limit = NearlyLargest(format) / 4;
        return WhereLess(b, Filled(b->shape(), limit),
                         WhereLess(Filled(b->shape(), 1 / limit), least, Div(moved, least)));
      }
      case ErrorPropagation::kLargest: {
        Instruction* largest = error(0);
        for (i64 i = 1; i < inst.num_operands(); ++i) largest = Max(largest, error(i));
        return largest;
      }
      case ErrorPropagation::kSelect:
        // The bound of a pred is 0 or infinity.
        return Add(error(0), Max(error(1), error(2)));
      case ErrorPropagation::kLipschitz:
        return Scaled(error(0), 1.2);
      case ErrorPropagation::kExponential: {
        Instruction* const result = Plus(Magnitude(inst), Least(Info(inst.shape().type()).format));
        return Scaled(Mul(result, Op(Opcode::kExponentialMinusOne, {error(0)})), 1.01);
      }
      case ErrorPropagation::kLog: {
        Instruction* const least = Sub(operand(0), error(0));
        return WhereLess(Filled(least->shape(), 0), least, Div(error(0), least));
      }
      case ErrorPropagation::kSqrt:
        return WhereLess(error(0), operand(0), Div(error(0), Magnitude(inst)));
      case ErrorPropagation::kRsqrt: {
        Instruction* const least = Sub(operand(0), error(0));
        return WhereLess(Filled(least->shape(), 0), least,
                         Div(Mul(Magnitude(inst), error(0)), least));
      }
      case ErrorPropagation::kConvert:
        return error(0);
      case ErrorPropagation::kNone:
      case ErrorPropagation::kCompare:
      case ErrorPropagation::kDot:
        break;
    }
    return Filled(Doubles(inst.shape()), kInfinity);
  }

  // A comparison is exact where the operands are farther apart than their errors, otherwise
  // unknown.
  Bound Compared(const Instruction& inst) {
    auto wide = [&](i64 i) {
      auto* x = const_cast<Instruction*>(inst.operand(i));
      return Append(to_, Name(), Opcode::kConvert, Doubles(inst.shape()), {&x, 1});
    };
    Instruction* const errors = Add(ErrorOf(inst, 0), ErrorOf(inst, 1));
    Instruction* const apart = Op(Opcode::kAbs, {Sub(wide(0), wide(1))});
    Instruction* const is_known = ExactOr(errors, Is(ComparisonDirection::kGt, apart, errors));
    return {Where(is_known, Filled(errors->shape(), 0))};
  }

  // Index maps move the errors as they move the values.
  Bound Moved(const Instruction& inst) {
    if (HasExactOperands(inst)) return {};
    std::vector<Instruction*> operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      const Shape& shape = inst.operand(i)->shape();
      if (IsRealFloat(shape) && shape.type() == inst.shape().type()) {
        operands.push_back(Array(Of(inst, i), shape));
      } else if (Of(inst, i).is_exact()) {
        operands.push_back(const_cast<Instruction*>(inst.operand(i)));
      } else {
        return Unknown(inst.shape());
      }
    }
    return {to_.Add({.opcode = inst.opcode(),
                     .name = Name(),
                     .shape = Doubles(inst.shape()),
                     .operands = operands,
                     .attrs = inst.attr_block()})};
  }

  // The sum or the maximum of f64 values over the dimensions that `inst` reduces, from 0.
  // One reducer computation per opcode is made for the whole module and shared.
  Instruction* ReduceAs(const Instruction& inst, Opcode opcode, Instruction* values) {
    HloComputation*& reducer = reducers_[opcode];
    if (reducer == nullptr) {
      reducer = module_->AddComputation(StrCat("bound.reducer.", static_cast<int>(opcode)));
      std::vector<Instruction*> parameters;
      for (i64 p = 0; p < 2; ++p) {
        parameters.push_back(Append(*reducer, StrCat("p", p), Opcode::kParameter, Shape(F64, {}),
                                    {}, ParameterAttrs{p}));
      }
      Append(*reducer, "r", opcode, Shape(F64, {}), parameters);
      reducer->set_parameters(parameters);
    }
    return Append(to_, Name(), Opcode::kReduce, Doubles(inst.shape()),
                  Two(values, Filled(Shape(F64, {}), 0)),
                  DimensionsAttrs{inst.attrs<DimensionsAttrs>().dimensions}, {&reducer, 1});
  }

  // A sum of n values adds at most n roundings of the largest partial sum, which the sum of
  // magnitudes bounds. Minima and maxima change by no more than the largest error of an element.
  // Products and general reducers are unknown.
  Bound Reduced(const Instruction& inst) {
    const ElementType type = inst.shape().type();
    const auto program = CompileScalarComputation(*inst.callee(0));
    const ReducerKind kind =
        program ? ClassifyReducer(*program, {&type, 1})[0] : ReducerKind::kGeneral;
    const bool is_exact = HasExactOperands(inst);
    const Shape& operand = inst.operand(0)->shape();
    const FloatFormat& sums = Info(type == F64 ? F64 : F32).format;
    if (kind == ReducerKind::kAdd && operand.type() == type) {
      // The number of values that one result adds, with the initial value and one for safety.
      const i64 num_results = inst.shape().num_elements();
      const i64 num_summed = num_results == 0 ? 0 : operand.num_elements() / num_results;
      const double n = num_results == 0 ? 0 : static_cast<double>(num_summed) + 2;
      Instruction* const error = Array(Of(inst, 0), operand);
      Instruction* const all = Add(
          ReduceAs(inst, Opcode::kAdd, Add(Magnitude(*inst.operand(0)), error)),
          Spread(inst,
                 Add(Magnitude(*inst.operand(1)), Array(Of(inst, 1), inst.operand(1)->shape()))));
      Instruction* const moved = Add(ReduceAs(inst, Opcode::kAdd, error),
                                     Spread(inst, Array(Of(inst, 1), inst.operand(1)->shape())));
      Instruction* const total = Add(moved, Scaled(all, 4 * n * Unit(sums)));
      return {Rounded(inst, WhereLess(all, Filled(all->shape(), NearlyLargest(sums)), total))};
    }
    if (kind == ReducerKind::kMultiply ||
        (!is_exact && kind != ReducerKind::kMinimum && kind != ReducerKind::kMaximum)) {
      return Unknown(inst.shape());
    }
    if (is_exact) return AppliesSteps(inst) ? Unknown(inst.shape()) : Bound();
    Instruction* const largest = ReduceAs(inst, Opcode::kMaximum, Array(Of(inst, 0), operand));
    return {
        Rounded(inst, Max(largest, Spread(inst, Array(Of(inst, 1), inst.operand(1)->shape()))))};
  }

  // Sums of products: (|x| + e(x)) (|y| + e(y)) - |x| |y|, plus rounding.
  Bound Dotted(const Instruction& inst) {
    Instruction* exact[2];
    Instruction* most[2];
    double elements = 1;
    for (i64 i = 0; i < 2; ++i) {
      const Shape& shape = inst.operand(i)->shape();
      if (!IsRealFloat(shape)) return Unknown(inst.shape());
      exact[i] = Magnitude(*inst.operand(i));
      most[i] = Add(exact[i], Array(Of(inst, i), shape));
      elements *= static_cast<double>(shape.num_elements());
    }
    const DotAttrs& attrs = inst.attrs<DotAttrs>();
    DotAttrs plain = attrs;
    plain.operand_precision = {};
    plain.algorithm = DotAlgorithm::kUnset;
    const auto dot = [&](Instruction* const* operands) {
      return Append(to_, Name(), Opcode::kDot, Doubles(inst.shape()), std::span(operands, 2),
                    plain);
    };
    // At least as many products as a sum has.
    const double n =
        std::sqrt(elements /
                  std::max<double>(1, static_cast<double>(inst.shape().num_elements()))) +
        2;
    // The number of roundings of one element: within a part, a group of parts and the tree
    // (docs/numerics.md, "Parts of long products").
    const double roundings = std::min<double>(n, kOnePartElements + kChainParts.group_parts + 64);
    Instruction* const largest = dot(most);
    const FloatFormat& sums = Info(inst.shape().type() == F64 ? F64 : F32).format;
    // Narrow factors may be rounded to bf16, and tiny ones to zero.
    Instruction* const error =
        Add(Sub(largest, dot(exact)), Scaled(largest, 4 * roundings * Unit(sums)));
    return {Rounded(inst, WhereLess(largest, Filled(largest->shape(), NearlyLargest(sums)),
                                    Plus(error, n * PowerOfTwo(-110))))};
  }

  std::unique_ptr<Module> module_;
  HloComputation& to_;
  std::vector<Bound> bounds_;  // by index()
  std::map<Opcode, HloComputation*> reducers_;
  Instruction* two_[2];
  int next_ = 0;
};

// A leaf without any error must be bit-equal. Otherwise each element is compared with its own
// bound; where the bound is zero, only two NaNs may have different bits.
void CompareLeaf(const Literal& fast, const Literal& strict, const Literal& bounds,
                 const std::string& where, BoundedElements& found) {
  const std::span<const double> bound = bounds.data<double>();
  const bool is_exact = std::ranges::all_of(bound, [](double b) { return b == 0; });
  const i64 n = strict.num_elements();
  if (is_exact) {
    found.exact += n;
    if (!SameValue(fast, strict) && found.violation.empty()) {
      const auto difference = FirstDifference(fast, strict);
      found.violation = StrCat(where, difference ? difference->ToString() : "differs",
                               "; no operation here may round differently");
    }
    return;
  }
  const ElementType type = strict.shape().type();
  const auto bytes = static_cast<size_t>(Info(type).bytes);
  for (i64 i = 0; i < n; ++i) {
    const double b = bound[static_cast<size_t>(i)];
    if (!(b < kInfinity)) {
      ++found.unknown;
      continue;
    }
    ++(b == 0 ? found.exact : found.within);
    const std::byte* const elements[] = {fast.bytes() + static_cast<size_t>(i) * bytes,
                                         strict.bytes() + static_cast<size_t>(i) * bytes};
    if (std::equal(elements[0], elements[0] + bytes, elements[1])) continue;
    bool is_within = false;
    if (IsFloating(type)) {
      double x[2];
      for (int k = 0; k < 2; ++k) {
        std::uint64_t bits = 0;
        std::copy_n(elements[k], bytes, reinterpret_cast<std::byte*>(&bits));
        x[k] = WidenToF64(Info(type).format, bits);
      }
      is_within = b == 0 ? (x[0] != x[0] && x[1] != x[1]) : std::abs(x[0] - x[1]) <= b;
    }
    if (is_within || !found.violation.empty()) continue;
    found.violation = StrCat(where, "element ", i, ": ", ElementToString(type, elements[0]),
                             " is more than ", b, " from ", ElementToString(type, elements[1]));
  }
}

// Walks the tuple of results and the flat list of bounds in step; `next` is the number of the leaf.
void Compare(const Literal& fast, const Literal& strict, const Literal& bounds, size_t& next,
             const std::string& where, BoundedElements& found) {
  const Shape& shape = strict.shape();
  if (shape.is_array()) {
    CompareLeaf(fast, strict, bounds.element(static_cast<i64>(next++)), where, found);
  }
  for (i64 i = 0; shape.is_tuple() && i < shape.num_tuple_elements(); ++i) {
    Compare(fast.element(i), strict.element(i), bounds, next, StrCat(where, "leaf ", i, " "),
            found);
  }
}

}  // namespace

StatusOr<std::unique_ptr<Module>> WithErrorBounds(const Module& module) {
  std::unique_ptr<Module> bounded = BoundWriter(module).Run();
  if (const Status valid = VerifyModule(*bounded); !valid.ok()) {
    return Internal(StrCat("error bounds: ", valid.message()));
  }
  return bounded;
}

BoundedElements CompareWithin(const Literal& fast, const Literal& strict_and_bounds,
                              i64 num_devices) {
  BoundedElements found;
  for (i64 d = 0; d < num_devices; ++d) {
    const bool is_one = num_devices == 1;
    const Literal& expected = is_one ? strict_and_bounds : strict_and_bounds.element(d);
    size_t next = 0;
    Compare(is_one ? fast : fast.element(d), expected.element(0), expected.element(1), next,
            is_one ? "" : StrCat("device ", d, " "), found);
  }
  return found;
}

}  // namespace axle
