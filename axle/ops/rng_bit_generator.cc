// rng-bit-generator: random bits from a state that the program carries along. Bit for bit what XLA
// gives.
//
// ThreeFry and Philox are counter-based: block i is a function of the key and counter + i, so that
// blocks could be computed in any order. The new state has the counter behind the last block. The
// layout of words in the result follows XLA and is part of the op's definition.
#include <algorithm>

#include "axle/core/float_format.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/random_bits.h"

namespace axle {

extern const OpDef kRngBitGeneratorDef;

namespace {

constexpr OperandSpec kOperands[] = {{"initial_state"}};
constexpr AttrSpec kAttrs[] = {
    Attr<&RngBitGeneratorAttrs::algorithm>("algorithm", {.field = 70}),
};
constexpr i64 kSlice = 1 << 16;  // blocks between two checks of the limits

Status CheckBits(const Instruction& inst) {
  const Shape& bits = inst.shape().element(1);
  if (IsUnsigned(bits.type())) return {};
  return OpError(inst,
                 StrCat("the bits must be an array of unsigned integers, not ", bits.ToString()));
}

// XLA reads any state and any result whose first element is like it; what can run is less.
StatusOr<Shape> InferRngBitGenerator(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape &state = inst.operand(0)->shape(), &declared = inst.shape();
  const bool is_pair = declared.is_tuple() && declared.num_tuple_elements() == 2;
  if (is_pair && state.type() == U64) AXLE_TRY(CheckBits(inst));
  if (declared.is_array()) return declared.WithoutLayout();
  if (is_pair && Compatible(declared.element(0), state) && declared.element(1).is_array()) {
    return declared.WithoutLayout();
  }
  return OpError(inst, StrCat("the result is a tuple of the new state and the bits, not ",
                              declared.ToString()));
}

// What can run is narrower than what can be read.
Status CheckRngBitGeneratorRuns(const Instruction& inst) {
  const Shape& state = inst.operand(0)->shape();
  const RandomAlgorithm algorithm = inst.attrs<RngBitGeneratorAttrs>().algorithm;
  const bool may_have_three = algorithm != RandomAlgorithm::kThreeFry;
  const bool fits = state.type() == U64 && state.rank() == 1 && state.is_static() &&
                    (state.dim(0) == 2 || (state.dim(0) == 3 && may_have_three));
  if (!fits) {
    return OpError(inst,
                   StrCat("initial_state must be ", may_have_three ? "u64[2] or u64[3]" : "u64[2]",
                          " for ", AttrTraits<RandomAlgorithm>::Print(algorithm)));
  }
  if (!inst.shape().is_tuple()) {
    return OpError(inst, StrCat("the result is a tuple of the new state and the bits, not ",
                                inst.shape().ToString()));
  }
  return CheckBits(inst);
}

// Calls block(i) for i = 0 .. count - 1.
template <typename Fn>
Status ForEachBlock(i64 count, const EvalContext& context, const Fn& block) {
  for (i64 begin = 0; begin < count; begin += kSlice) {
    AXLE_TRY(context.Check());
    const i64 end = std::min(count, begin + kSlice);
    for (i64 i = begin; i < end; ++i) block(i);
  }
  return {};
}

// Where the two words of a ThreeFry block of 32-bit results go: a dimension is split into pairs of
// neighbours, the first of even size or else the largest one.
struct PairedDim {
  i64 size = 1, half = 1;  // positions, and pairs of them
  i64 inner = 1;           // elements between neighbours
  i64 num_blocks = 1;

  explicit PairedDim(const Dims& dims) {
    if (dims.empty()) return;
    auto split = std::ranges::find_if(dims, [](i64 dim) { return dim % 2 == 0; });
    if (split == dims.end()) split = std::ranges::max_element(dims);
    size = *split;
    half = size / 2 + size % 2;
    num_blocks = 1;
    for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
      num_blocks *= dim == split ? half : *dim;
      if (dim > split) inner *= *dim;
    }
  }
};

// 64-bit results take a block each; narrower ones take the two words of a block as neighbours along
// the paired dimension.
template <typename T>
Status ThreeFry(const std::uint64_t* state, const Dims& dims, T mask, std::span<T> out,
                std::uint64_t* new_state, const EvalContext& context) {
  const auto count = static_cast<i64>(out.size());
  const std::uint64_t key = state[0], counter = state[1];
  i64 num_blocks = count;
  if constexpr (sizeof(T) == 8) {
    AXLE_TRY(ForEachBlock(count, context, [&](i64 i) {
      const auto word = ThreeFryBlock(key, counter + static_cast<std::uint64_t>(i));
      out[i] = JoinWords(word[0], word[1]);
    }));
  } else if (count > 0) {
    const PairedDim pairs(dims);
    num_blocks = pairs.num_blocks;
    AXLE_TRY(ForEachBlock(num_blocks, context, [&](i64 i) {
      const auto word = ThreeFryBlock(key, counter + static_cast<std::uint64_t>(i));
      // The coordinates of block i in the shape whose paired dimension is halved.
      const i64 row = i / pairs.inner, pair = row % pairs.half;
      const i64 at = (row / pairs.half * pairs.size + 2 * pair) * pairs.inner + i % pairs.inner;
      out[at] = static_cast<T>(word[0]) & mask;
      if (2 * pair + 1 < pairs.size) out[at + pairs.inner] = static_cast<T>(word[1]) & mask;
    }));
  }
  new_state[0] = key;
  new_state[1] = counter + static_cast<std::uint64_t>(num_blocks);
  return {};
}

// Four words per block, in row-major order; the last block may be used in part.
template <typename T>
Status Philox(const Literal& state, T mask, std::span<T> out, std::uint64_t* new_state,
              const EvalContext& context) {
  const auto s = state.data<std::uint64_t>();
  const std::uint64_t key = s[0];
  // A state of two words keeps the low half of the counter; the high half is then the key.
  const Counter128 counter = {s[1], s.size() == 3 ? s[2] : key};
  const auto count = static_cast<i64>(out.size());
  constexpr i64 kPerBlock = sizeof(T) == 8 ? 2 : 4;
  const i64 num_blocks = count / kPerBlock + (count % kPerBlock != 0);
  AXLE_TRY(ForEachBlock(num_blocks, context, [&](i64 i) {
    const auto word = PhiloxBlock(key, counter + static_cast<std::uint64_t>(i));
    const i64 taken = std::min(kPerBlock, count - i * kPerBlock);
    for (i64 j = 0; j < taken; ++j) {
      T& element = out[i * kPerBlock + j];
      if constexpr (sizeof(T) == 8) {
        element = JoinWords(word[2 * j], word[2 * j + 1]);
      } else {
        element = static_cast<T>(word[j]) & mask;
      }
    }
  }));
  const Counter128 next = counter + static_cast<std::uint64_t>(num_blocks);
  new_state[0] = key;
  new_state[1] = next.low;
  if (s.size() == 3) new_state[2] = next.high;
  return {};
}

// The element type decides only about the mask and the number of words per element.
StatusOr<Literal> EvalRngBitGenerator(const Instruction& inst, std::span<Literal> operands,
                                      const EvalContext& context) {
  const Literal& state = operands[0];
  const Shape shape = inst.shape().element(1).WithoutLayout();
  if (!shape.is_static()) {
    return OpError(inst, "dynamic dimensions are not evaluated yet", StatusCode::kUnimplemented);
  }
  const RandomAlgorithm algorithm = inst.attrs<RngBitGeneratorAttrs>().algorithm;
  AXLE_ASSIGN(Literal new_state, Literal::Create(state.shape()));
  AXLE_ASSIGN(Literal bits, Literal::CreateUninitialized(shape));
  const auto fill = [&]<typename T>(T) -> Status {
    const auto mask = static_cast<T>(LowBits(Info(shape.type()).bits));
    std::uint64_t* next = new_state.mutable_data<std::uint64_t>().data();
    const std::span<T> out = bits.MutableUncheckedData<T>();
    if (algorithm != RandomAlgorithm::kThreeFry) return Philox<T>(state, mask, out, next, context);
    return ThreeFry<T>(state.data<std::uint64_t>().data(), shape.dims(), mask, out, next, context);
  };
  switch (Info(shape.type()).bytes) {
    case 1:
      AXLE_TRY(fill(std::uint8_t{}));
      break;
    case 2:
      AXLE_TRY(fill(std::uint16_t{}));
      break;
    case 4:
      AXLE_TRY(fill(std::uint32_t{}));
      break;
    default:
      AXLE_TRY(fill(std::uint64_t{}));
  }
  return Literal::Tuple({std::move(new_state), std::move(bits)});
}

}  // namespace

const OpDef kRngBitGeneratorDef = {
    .opcode = Opcode::kRngBitGenerator,
    .text = "rng-bit-generator",
    .summary = "Uniformly random bits from an explicit state, and the state after them.",
    .semantics =
        "rng_three_fry is Threefry-2x32 with 20 rounds, rng_philox and rng_default are Philox-4x32 "
        "with 10 rounds. The state is {key, counter}, or for Philox {key, low, high} with a "
        "counter of 128 bits; a Philox state of two words takes the key as the high half of the "
        "counter and keeps only the low half. Block i is made from counter + i, and the new state "
        "has the counter after the last block. The result's second element says how many bits are "
        "wanted and in which unsigned type. 64-bit elements take two words each, low one first. "
        "32-bit elements of Philox take the four words of a block in row-major order. 32-bit "
        "elements of Threefry take the two words of a block as neighbours along one dimension: the "
        "first of even size, or else the (first) largest one, whose odd last word is dropped; "
        "blocks are numbered row-major over the dimensions with that one halved. Narrower elements "
        "are the low bits of 32-bit ones. Other states and results are read and printed, and "
        "refused "
        "when they are compiled.",
    .source = "XLA RngBitGenerator; StableHLO rng_bit_generator",
    .operands = kOperands,
    .attrs = Schema<RngBitGeneratorAttrs>(kAttrs),
    .declared_shape = true,
    .lowering = Lowering::kRandom,
    .infer = InferRngBitGenerator,
    .check_run = CheckRngBitGeneratorRuns,
    .eval = EvalRngBitGenerator,
};

}  // namespace axle
