// rng, rng-get-and-update-state: random numbers whose state the program does not see.
//
// Both ops draw from counters that the run keeps per instruction (context.run), so that a second
// execution in a loop gets other numbers, and a second run of the program the same ones. rng turns
// Philox words into the distribution by lane programs, whose operations are exactly defined; the
// numbers are therefore equal on every machine.
#include <algorithm>
#include <cstring>
#include <limits>

#include "axle/core/float_format.h"
#include "axle/ops/contraction.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/lanes/lane_math.h"
#include "axle/ops/random_bits.h"
#include "axle/ops/scratch_memory.h"

namespace axle {

extern const OpDef kRngDef, kRngGetAndUpdateStateDef;

namespace {

constexpr OperandSpec kRngOperands[] = {{"a"}, {"b"}};
constexpr AttrSpec kRngAttrs[] = {
    Attr<&RngAttrs::distribution>("distribution", {.field = 23}),
};
constexpr AttrSpec kStateAttrs[] = {
    Attr<&RngStateAttrs::delta>("delta", {.field = 66}),
};
// Where the counter of rng-get-and-update-state begins in XLA.
constexpr Counter128 kInitialState = {0x7012395, 0};

// The position of the instruction when the module was read: passes keep it, so that optimisation
// changes no random number.
std::uint64_t KeyOf(OpId id) {
  return JoinWords(id.ordinal, id.computation);
}

// The counter of `inst` in this run, which then moves on by `delta`.
Counter128 AdvanceCounter(const Instruction& inst, Counter128 initial, std::uint64_t delta,
                          const EvalContext& context) {
  if (context.run == nullptr) return initial;
  return context.run->Advance(KeyOf(inst.id()), initial, delta);
}

// Uniform numbers may be floats, integers or pred, normal ones only floats.
StatusOr<Shape> InferRng(const Instruction& inst) {
  const RandomDistribution distribution = inst.attrs<RngAttrs>().distribution;
  if (distribution == RandomDistribution::kInvalid) {
    return OpError(inst, "distribution must be rng_uniform or rng_normal");
  }
  const Shape& declared = inst.shape();
  if (!declared.is_array()) {
    return OpError(inst, StrCat("the result must be an array, not ", declared.ToString()));
  }
  for (i64 i = 0; i < 2; ++i) {
    AXLE_TRY(ExpectArray(inst, i));
    const Shape& bound = inst.operand(i)->shape();
    const std::string_view name = kRngOperands[i].name;
    if (!bound.is_scalar()) return OpError(inst, StrCat(name, " must be a scalar"));
    if (bound.type() == declared.type()) continue;
    return OpError(inst, StrCat(name, " must have the element type ", Name(declared.type()),
                                " of the result"));
  }
  const bool is_uniform = distribution == RandomDistribution::kUniform;
  if (!Accepts(is_uniform ? kOrdered : kFloats, declared.type())) {
    return OpError(inst, is_uniform ? "rng_uniform takes floats, integers or pred"
                                    : "rng_normal takes floats");
  }
  return declared.WithoutLayout();
}

// Fills `words` with the words of the Philox blocks from `counter` on, in order.
Status RandomWords(std::uint64_t key, Counter128 counter, std::span<std::uint32_t> words,
                   const EvalContext& context) {
  constexpr size_t kSlice = 1 << 18;
  for (size_t i = 0; i < words.size(); i += 4) {
    if (i % kSlice == 0) AXLE_TRY(context.Check());
    const auto block = PhiloxBlock(key, counter + i / 4);
    std::copy_n(block.begin(), std::min<size_t>(4, words.size() - i), words.data() + i);
  }
  return {};
}

// Floats in [0, 1): the high bits of one word, or of two.
Lane UnitFloat(Lane bits) {
  const bool is_f64 = bits.type() == LaneType::kU64;
  const Lane integer = bits >> (is_f64 ? 12 : 9);
  return is_f64 ? ToFloat(LaneType::kF64, integer) * 0x1p-52
                : ToFloat(LaneType::kF32, integer) * 0x1p-23;
}

// uniform: a + u (b - a), which may round up to b, so that it ends at the number below.
LaneProgram UniformProgram(LaneType type) {
  LaneBuilder builder;
  const Lane bits = builder.Input(UnsignedOf(type));
  const Lane a = builder.Input(type), b = builder.Input(type), most = builder.Input(type);
  const Lane result = Min(UnitFloat(bits) * (b - a) + a, most);
  return std::move(builder).Finish({&result, 1});
}

// normal: Box and Muller's pairs. The words of a pair are neighbours.
LaneProgram NormalProgram(LaneType type) {
  LaneBuilder builder;
  const Lane first = builder.Input(UnsignedOf(type)), second = builder.Input(UnsignedOf(type));
  const Lane mu = builder.Input(type), sigma = builder.Input(type);
  // 1 - u is in (0, 1], so that the logarithm is finite.
  const Lane radius = Sqrt(Log(1.0 - UnitFloat(first)) * -2.0);
  const Lane angle = UnitFloat(second) * 0x1.921fb54442d18p+2;
  const Lane results[] = {Sin(angle) * radius * sigma + mu, Cos(angle) * radius * sigma + mu};
  return std::move(builder).Finish(results);
}

// How many elements are computed at once.
constexpr i64 kBlock = 4096;

// Samples one distribution in blocks; a and b are repeated for a block, since lane programs read
// arrays.
template <typename T, typename Bits>
class FloatSampler {
 public:
  // `most` is the largest of uniform numbers.
  FloatSampler(RandomDistribution distribution, T a, T b, T most)
      : is_uniform_(distribution == RandomDistribution::kUniform),
        program_(is_uniform_ ? UniformProgram(kType) : NormalProgram(kType)),
        a_(kBlock, a),
        b_(kBlock, b),
        most_(kBlock, most),
        first_(kBlock),
        second_(kBlock),
        result_(kBlock),
        other_(kBlock) {}

  Status Run(const Bits* bits, std::span<T> out, const EvalContext& context) {
    for (size_t begin = 0; begin < out.size(); begin += kBlock) {
      AXLE_TRY(context.Check());
      const std::span<T> part = out.subspan(begin, std::min<size_t>(kBlock, out.size() - begin));
      AXLE_TRY(is_uniform_ ? Uniform(bits + begin, part, context)
                           : Normal(bits + begin, part, context));
    }
    return {};
  }

 private:
  static constexpr LaneType kType = std::is_same_v<T, float> ? LaneType::kF32 : LaneType::kF64;

  Status Uniform(const Bits* bits, std::span<T> out, const EvalContext& context) {
    const void* inputs[] = {bits, a_.data(), b_.data(), most_.data()};
    void* output = out.data();
    return context.executor.Run(program_, inputs, {&output, 1}, static_cast<i64>(out.size()));
  }
  // Pairs are split into two arrays, since a lane program reads contiguous inputs; its two results
  // are interleaved again.
  Status Normal(const Bits* bits, std::span<T> out, const EvalContext& context) {
    const i64 pairs = static_cast<i64>(out.size() + 1) / 2;
    for (i64 i = 0; i < pairs; ++i) {
      first_[i] = bits[2 * i];
      second_[i] = bits[2 * i + 1];
    }
    const void* inputs[] = {first_.data(), second_.data(), a_.data(), b_.data()};
    void* outputs[] = {result_.data(), other_.data()};
    AXLE_TRY(context.executor.Run(program_, inputs, outputs, pairs));
    for (size_t i = 0; i < out.size(); ++i) out[i] = i % 2 == 0 ? result_[i / 2] : other_[i / 2];
    return {};
  }

  bool is_uniform_;
  LaneProgram program_;
  // The bounds, or mean and deviation, for every element of a block.
  std::vector<T> a_, b_, most_;
  std::vector<Bits> first_, second_;
  std::vector<T> result_, other_;
};

// a + bits mod (b - a), all modulo 2^N and in two steps that cannot overflow; an interval that is
// empty the other way round wraps, and one without elements takes all bits.
template <typename Bits>
void UniformIntegers(const Bits* bits, Bits a, Bits b, std::span<Bits> out) {
  const Bits range = static_cast<Bits>(b - a);
  for (size_t i = 0; i < out.size(); ++i) {
    const Bits d = range == 0 ? bits[i] : static_cast<Bits>(bits[i] % range);
    out[i] = static_cast<Bits>(a + d);
  }
}

// The number before `bound`, a scalar of a float type that is not the least one, by its bits.
Literal NextBelow(const Literal& bound) {
  const ElementTypeInfo& info = Info(bound.shape().type());
  const std::uint64_t sign = SignBit(info.format), magnitude = MagnitudeMask(info.format);
  Literal below = bound;
  std::uint64_t bits = 0;
  std::memcpy(&bits, bound.bytes(), static_cast<size_t>(info.bytes));
  if ((bits & magnitude) == 0) {
    bits = sign | 1;
  } else {
    bits = (bits & sign) != 0 ? bits + 1 : bits - 1;
  }
  std::memcpy(below.mutable_bytes(), &bits, static_cast<size_t>(info.bytes));
  return below;
}

// `most` keeps uniform numbers below b, where a rounding would reach it.
template <typename T, typename Bits>
StatusOr<Literal> SampleFloats(const Instruction& inst, const Literal& a, const Literal& b,
                               const Bits* bits, const EvalContext& context) {
  constexpr ElementType kType = std::is_same_v<T, float> ? F32 : F64;
  AXLE_ASSIGN(const Literal from, ConvertIfNeeded(a, kType));
  AXLE_ASSIGN(const Literal to, ConvertIfNeeded(b, kType));
  const Shape shape = inst.shape().WithoutLayout();
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(shape.WithType(kType)));
  const T low = from.data<T>()[0], high = to.data<T>()[0];
  T most = std::numeric_limits<T>::infinity();  // of an interval that is empty or not ordered
  if (low < high) {
    AXLE_ASSIGN(const Literal below, ConvertIfNeeded(NextBelow(b), kType));
    most = below.data<T>()[0];
  }
  FloatSampler<T, Bits> sampler(inst.attrs<RngAttrs>().distribution, low, high, most);
  AXLE_TRY(sampler.Run(bits, result.mutable_data<T>(), context));
  return ConvertIfNeeded(result, shape.type());
}

// Types of less than 64 bits take 32 bits, as that type, and wrap; of two preds the result is the
// lower one, unless the interval is empty.
template <typename Bits>
StatusOr<Literal> SampleIntegers(const Instruction& inst, const Literal& a, const Literal& b,
                                 const Bits* bits) {
  constexpr ElementType kType = sizeof(Bits) == 8 ? U64 : U32;
  AXLE_ASSIGN(const Literal from, ConvertIfNeeded(a, kType));
  AXLE_ASSIGN(const Literal to, ConvertIfNeeded(b, kType));
  const Shape shape = inst.shape().WithoutLayout();
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(shape.WithType(kType)));
  const std::span<Bits> out = result.MutableUncheckedData<Bits>();
  const Bits low = from.UncheckedData<Bits>()[0], high = to.UncheckedData<Bits>()[0];
  if (shape.type() == PRED && low >= high) {
    std::ranges::fill(out, low);
  } else {
    UniformIntegers(bits, low, high, out);
  }
  return ConvertIfNeeded(result, shape.type());
}

// Two words make a 64-bit element. The counter advances by whole blocks.
StatusOr<Literal> EvalRng(const Instruction& inst, std::span<Literal> operands,
                          const EvalContext& context) {
  const Shape& shape = inst.shape();
  if (!shape.is_static()) {
    return OpError(inst, "dynamic dimensions are not evaluated yet", StatusCode::kUnimplemented);
  }
  const ElementType type = shape.type();
  const i64 words_each = type == F64 || type == S64 || type == U64 ? 2 : 1;
  // Normal numbers come in pairs.
  const i64 count = (shape.num_elements() + 1) / 2 * 2 * words_each;
  const ScratchMemory scratch(context, count * i64{4 + 8});
  AXLE_TRY(scratch.status());
  std::vector<std::uint32_t> words(count);
  const std::uint64_t seed = context.device == nullptr ? 0 : context.device->random_seed();
  // The seed and the position make the key, spread by a multiplication, so that two instructions
  // draw different numbers.
  const std::uint64_t key = seed ^ KeyOf(inst.id()) * 0x9E3779B97F4A7C15u;
  const Counter128 counter =
      AdvanceCounter(inst, {}, static_cast<std::uint64_t>(count / 4 + (count % 4 != 0)), context);
  AXLE_TRY(RandomWords(key, counter, words, context));
  const Literal &a = operands[0], &b = operands[1];
  if (words_each == 1) {
    return IsFloating(type) ? SampleFloats<float>(inst, a, b, words.data(), context)
                            : SampleIntegers(inst, a, b, words.data());
  }
  std::vector<std::uint64_t> pairs(count / 2);
  for (i64 i = 0; i < count / 2; ++i) pairs[i] = JoinWords(words[2 * i], words[2 * i + 1]);
  return IsFloating(type) ? SampleFloats<double>(inst, a, b, pairs.data(), context)
                          : SampleIntegers(inst, a, b, pairs.data());
}

// The state is u64[2], or its first words, as XLA reads it.
StatusOr<Shape> InferState(const Instruction& inst) {
  const Shape& declared = inst.shape();
  const bool fits = declared.type() == U64 && declared.rank() == 1 && declared.is_static() &&
                    declared.dim(0) <= 2;
  if (!fits) {
    return OpError(inst, StrCat("the result must be u64[2], not ", declared.ToString()));
  }
  if (const i64 delta = inst.attrs<RngStateAttrs>().delta; delta < 0) {
    return OpError(inst, StrCat("delta is ", delta, ", must be >= 0"));
  }
  return declared.WithoutLayout();
}

StatusOr<Literal> EvalState(const Instruction& inst, std::span<Literal>,
                            const EvalContext& context) {
  const auto delta = static_cast<std::uint64_t>(inst.attrs<RngStateAttrs>().delta);
  const Counter128 state = AdvanceCounter(inst, kInitialState, delta, context);
  const std::uint64_t words[] = {state.low, state.high};
  const i64 size = inst.shape().dim(0);
  return Literal::Array<std::uint64_t>(U64, {size}, std::span(words, static_cast<size_t>(size)));
}

}  // namespace

const OpDef kRngDef = {
    .opcode = Opcode::kRng,
    .text = "rng",
    .summary = "Independent random numbers of a distribution.",
    .semantics =
        "rng_uniform gives numbers of [a, b): floats u (b - a) + a with u a multiple of 2^-23 "
        "(f64: 2^-52) in [0, 1), or the largest number below b where that rounds up to b, integers "
        "a + (bits mod (b - a)) modulo 2^N, where b = a takes any "
        "bits; pred gives false, or a if there is nothing in between. rng_normal gives a + b z for "
        "floats, z normally distributed: pairs sin(2 pi u') r, cos(2 pi u') r with r = sqrt(-2 "
        "log(1 - u)). Floats narrower than f32 are computed there and rounded, integers of less "
        "than 32 bits are the low ones of 32. The bits are Philox's of a key made of the seed of "
        "the execution and the position of the instruction when the module was read; the numbers "
        "are the same in every run with one seed, and differ between executions within a run. They "
        "are not XLA's numbers. a and b are scalars of the result's element type.",
    .source = "XLA RngUniform, RngNormal; StableHLO rng",
    .operands = kRngOperands,
    .attrs = Schema<RngAttrs>(kRngAttrs),
    .declared_shape = true,
    .traits = kSideEffect,
    .lowering = Lowering::kRandom,
    .accuracy = "each operation correctly rounded; log, sin and cos as those ops",
    .infer = InferRng,
    .eval = EvalRng,
};

const OpDef kRngGetAndUpdateStateDef = {
    .opcode = Opcode::kRngGetAndUpdateState,
    .text = "rng-get-and-update-state",
    .summary = "The 128-bit counter of this instruction, which then moves on by delta.",
    .semantics =
        "The result is u64[2] {low, high}, or less of it. Every instruction has its own counter. "
        "It begins at 0x7012395 in every run, so that results are a function of the module and its "
        "inputs, and grows modulo 2^128 with each execution within the run.",
    .source = "XLA RngGetAndUpdateState",
    .attrs = Schema<RngStateAttrs>(kStateAttrs),
    .declared_shape = true,
    .traits = kSideEffect,
    .lowering = Lowering::kRandom,
    .infer = InferState,
    .eval = EvalState,
};

}  // namespace axle
