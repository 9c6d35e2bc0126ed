// Native code against the block executor, bit for bit: every elementwise row on every type that it
// takes, every primitive, on code of all instruction sets, at all levels of the code generator.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "axle/codegen/choose_target.h"
#include "axle/codegen/llvm/lane_jit.h"
#include "axle/core/float_environment.h"
#include "axle/core/float_format.h"
#include "axle/core/strings.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/lanes/lane_math.h"
#include "tests/codegen/isas.h"

namespace axle {
namespace {

struct Target {
  NativeIsa isa;
  int level;
};

std::string TargetName(const Target& target) {
  return StrCat(Name(target.isa), "_level", target.level);
}

using Array = std::vector<std::byte>;

// Arrays of one program's inputs.
using Arrays = std::vector<Array>;

i64 Size(const LaneArray& array, i64 count) {
  return array.element_bytes() * count;
}

// True if two elements have the same bits or are both NaN.
bool SameElement(LaneType type, const std::byte* a, const std::byte* b) {
  if (std::memcmp(a, b, static_cast<size_t>(BytesOf(type))) == 0) return true;
  if (type == LaneType::kF32) {
    float x, y;
    std::memcpy(&x, a, 4);
    std::memcpy(&y, b, 4);
    return x != x && y != y;
  }
  if (type == LaneType::kF64) {
    double x, y;
    std::memcpy(&x, a, 8);
    std::memcpy(&y, b, 8);
    return x != x && y != y;
  }
  return false;
}

// Element types whose storage is a pattern: NaNs of narrow floats have to be told by their format.
bool SameNarrow(ElementType type, const std::byte* a, const std::byte* b) {
  std::uint16_t x = 0, y = 0;
  std::memcpy(&x, a, static_cast<size_t>(Info(type).bytes));
  std::memcpy(&y, b, static_cast<size_t>(Info(type).bytes));
  const FloatFormat& format = Info(type).format;
  return x == y || (IsNanBits(format, x) && IsNanBits(format, y));
}

class SweepTest : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    AXLE_SKIP_UNLESS_IT_RUNS(GetParam().isa);
    auto jit = LaneJit::Create(*ChooseTarget(GetParam().isa, GetParam().level));
    ASSERT_TRUE(jit.ok()) << jit.status().message();
    jit_ = *std::move(jit);
  }

  // Runs both engines; `types` are the element types of the outputs.
  void Check(const std::string& what, const LaneProgram& program, const Arrays& inputs, i64 count,
             std::span<const ElementType> types) {
    Arrays expected, actual;
    for (const LaneArray& array : program.outputs) {
      // A guard behind the end shows stores of lanes that are not there.
      expected.emplace_back(Size(array, count) + 64, std::byte{0xa5});
      actual.emplace_back(Size(array, count) + 64, std::byte{0xa5});
    }
    const auto run = [&](LaneExecutor& executor, Arrays& outputs) {
      std::vector<const void*> in;
      std::vector<void*> out;
      for (const Array& input : inputs) in.push_back(input.data());
      for (Array& output : outputs) out.push_back(output.data());
      const ScopedFloatEnvironment environment;
      const Status status = executor.Run(program, in, out, count);
      ASSERT_TRUE(status.ok()) << what << ": " << status.message();
    };
    run(reference_, expected);
    run(*jit_, actual);
    for (size_t o = 0; o < program.outputs.size(); ++o) {
      const LaneArray& array = program.outputs[o];
      const i64 bytes = array.element_bytes();
      ASSERT_EQ(std::memcmp(&expected[o][Size(array, count)], &actual[o][Size(array, count)], 64),
                0)
          << what << ": output " << o << " was written past its end";
      if (expected[o] == actual[o]) continue;
      for (i64 i = 0; i < count; ++i) {
        const std::byte *e = &expected[o][i * bytes], *a = &actual[o][i * bytes];
        bool same = true;
        if (IsNarrowFloat(types[o])) {
          same = SameNarrow(types[o], e, a);
        } else {
          for (int p = 0; p < array.num_parts; ++p) {
            const i64 at = p * BytesOf(array.type);
            same = same && SameElement(array.type, e + at, a + at);
          }
        }
        ASSERT_TRUE(same) << what << ": output " << o << " (" << Name(types[o]) << "), element "
                          << i << " of " << count << ", inputs " << InputText(program, inputs, i);
      }
    }
  }

  static std::string InputText(const LaneProgram& program, const Arrays& inputs, i64 i) {
    std::string text;
    for (size_t k = 0; k < inputs.size(); ++k) {
      std::uint64_t bits[2] = {0, 0};
      const i64 bytes = program.inputs[k].element_bytes();
      std::memcpy(bits, &inputs[k][i * bytes], static_cast<size_t>(bytes));
      char hex[40];
      std::snprintf(hex, sizeof(hex), " %llx:%llx", static_cast<unsigned long long>(bits[1]),
                    static_cast<unsigned long long>(bits[0]));
      text += hex;
    }
    return text;
  }

  BlockExecutor reference_;
  std::unique_ptr<LaneJit> jit_;
};

// Patterns that matter in a type of this storage: zeros, ones, extremes, and for floats infinities,
// NaNs, the ends of the subnormal and normal ranges, and powers of two where conversions turn over.
std::vector<std::uint64_t> SpecialPatterns(ElementType type) {
  const int bits = Info(PartOf(type)).bits;
  const std::uint64_t all = LowBits(bits), top = std::uint64_t{1} << (bits - 1);
  std::vector<std::uint64_t> patterns = {0, 1, 2, 3, 7, 8, all, all - 1, top, top - 1, top + 1};
  const FloatFormat& format = Info(type).format;
  if (format.exponent_bits > 0) {
    const std::uint64_t one = static_cast<std::uint64_t>(format.bias) << format.mantissa_bits;
    const std::uint64_t infinity = MagnitudeMask(format) - LowBits(format.mantissa_bits);
    for (std::uint64_t x :
         {one, one + 1, one - 1, infinity, infinity - 1, infinity + 1,
          std::uint64_t{1} << format.mantissa_bits, LowBits(format.mantissa_bits)}) {
      patterns.push_back(x & all);
      patterns.push_back((x ^ top) & all);
    }
    for (int power : {7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64}) {
      const std::uint64_t x = (static_cast<std::uint64_t>(power) << format.mantissa_bits) + one;
      for (std::uint64_t y : {x, x - 1, x + 1, x ^ top, (x - 1) ^ top}) patterns.push_back(y & all);
    }
  }
  return patterns;
}

void SetElement(ElementType type, Array& array, i64 i, std::uint64_t pattern) {
  const ElementTypeInfo& info = Info(PartOf(type));
  if (type == PRED) pattern &= 1;
  if (IsSubByte(type) && IsSigned(type)) {  // kept sign-extended
    pattern = static_cast<std::uint64_t>(static_cast<i64>(pattern << (64 - info.bits)) >>
                                         (64 - info.bits));
  } else if (info.bits < 64) {
    pattern &= LowBits(info.bits);
  }
  std::memcpy(&array[i * info.bytes], &pattern, static_cast<size_t>(info.bytes));
}

// `count` elements (parts of complex ones count each) of random patterns; the first ones are
// special.
Array RandomArray(ElementType type, i64 count, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed) * 7919 + type);
  const i64 parts = IsComplex(type) ? 2 * count : count;
  Array array(static_cast<size_t>(parts * Info(PartOf(type)).bytes));
  const std::vector<std::uint64_t> special = SpecialPatterns(type);
  const auto n = static_cast<std::uint64_t>(special.size());
  for (i64 i = 0; i < parts; ++i) {
    // Operand k steps through the special patterns at its own pace, so that all pairs come up.
    const auto k = static_cast<std::uint64_t>(i);
    const std::uint64_t at = seed == 0 ? k : seed == 1 ? k / n : k / n / 3;
    const bool is_special = k < n * n;
    SetElement(type, array, i, is_special ? special[at % n] : random());
  }
  return array;
}

// The program of one row on scalars of these types, or nothing if the row refuses them.
std::optional<LaneProgram> RowProgram(const OpDef& def, std::span<const ElementType> types,
                                      ElementType result, ElementType* actual) {
  Module module("row");
  HloComputation* computation = module.AddComputation("row");
  std::vector<Instruction*> operands;
  for (size_t i = 0; i < types.size(); ++i) {
    operands.push_back(computation->Add(
        {.opcode = Opcode::kParameter,
         .name = "p",
         .shape = Shape(types[i]),
         .attrs = {GetOpDef(Opcode::kParameter).attrs,
                   std::make_shared<ParameterAttrs>(ParameterAttrs{static_cast<i64>(i)})}}));
  }
  Instruction* root = computation->Add({.opcode = def.opcode,
                                        .name = "r",
                                        .shape = Shape(result),
                                        .operands = operands,
                                        .attrs = {def.attrs, def.attrs.create()}});
  const StatusOr<Shape> shape = InferShape(*root);
  if (!shape.ok() || !BindParameters(*computation).ok()) return std::nullopt;
  computation->SetShape(root, *shape);
  *actual = shape->type();
  return CompileScalarComputation(*computation);
}

std::vector<const OpDef*> ElementwiseRows(size_t num_operands) {
  std::vector<const OpDef*> rows;
  for (const OpDef* def : AllOpDefs()) {
    if (def->lowering == Lowering::kElementwise && def->operands.size() == num_operands) {
      rows.push_back(def);
    }
  }
  return rows;
}

std::vector<ElementType> ArrayTypes() {
  std::vector<ElementType> types;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.bytes > 0) types.push_back(info.type);
  }
  return types;
}

TEST_P(SweepTest, UnaryRowsOnTheWholeRangeOfF32) {
  constexpr std::uint32_t kStride = 16381;  // prime: the low bits vary too
  Array input;
  for (std::uint64_t x = 0; x < std::uint64_t{1} << 32; x += kStride) {
    const auto bits = static_cast<std::uint32_t>(x);
    const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
    input.insert(input.end(), bytes, bytes + 4);
  }
  const Array special = RandomArray(F32, 4096, 0);
  input.insert(input.end(), special.begin(), special.end());
  const ElementType type = F32;
  int rows = 0;
  for (const OpDef* def : ElementwiseRows(1)) {
    ElementType result;
    const auto program = RowProgram(*def, {&type, 1}, F32, &result);
    if (!program) continue;
    ++rows;
    Check(std::string(def->text), *program, {input}, static_cast<i64>(input.size() / 4),
          {&result, 1});
  }
  EXPECT_GE(rows, 12);
}

// Whether this target sees a combination: level 2 of the two instruction sets share all of them
// out, and the other levels, which differ in effort only, see some.
bool Sees(const Target& target, int combination, bool is_common) {
  if (target.level != 2) return is_common && combination % 3 == target.level;
  return is_common || combination % 2 == (target.isa == NativeIsa::kAvx512 ? 1 : 0);
}

bool IsCommon(ElementType type) {
  return type == F32 || type == F64 || type == BF16 || type == S32;
}

class RowSweepTest : public SweepTest {
 protected:
  void CheckRows(size_t num_operands) {
    int checked = 0;
    for (const OpDef* def : ElementwiseRows(num_operands)) {
      if (def->declared_shape) continue;  // convert has a test of its own
      for (ElementType type : ArrayTypes()) {
        if (!Sees(GetParam(), static_cast<int>(def->opcode) + type, IsCommon(type))) continue;
        std::vector<ElementType> types(num_operands, type);
        for (bool pred_first : {false, true}) {
          if (pred_first && (num_operands != 3 || type == PRED)) continue;
          if (pred_first) types[0] = PRED;
          ElementType result;
          const auto program = RowProgram(*def, types, type, &result);
          if (!program) continue;
          constexpr i64 kCount = 8191;
          Arrays inputs;
          for (size_t i = 0; i < num_operands; ++i) {
            inputs.push_back(RandomArray(types[i], kCount, static_cast<int>(i)));
          }
          Check(StrCat(def->text, " of ", Name(type)), *program, inputs, kCount, {&result, 1});
          ++checked;
        }
      }
    }
    EXPECT_GT(checked, 0);
  }
};

TEST_P(RowSweepTest, UnaryRowsOnTheTypesTheyTake) {
  CheckRows(1);
}
TEST_P(RowSweepTest, BinaryRowsOnTheTypesTheyTake) {
  CheckRows(2);
}
TEST_P(RowSweepTest, TernaryRowsOnTheTypesTheyTake) {
  CheckRows(3);
}

TEST_P(RowSweepTest, ConversionsBetweenAllTypes) {
  for (const OpDef* def : ElementwiseRows(1)) {
    if (!def->declared_shape) continue;
    for (ElementType from : ArrayTypes()) {
      for (ElementType to : ArrayTypes()) {
        if (!Sees(GetParam(), from + to, IsCommon(from) && IsCommon(to))) continue;
        ElementType result;
        const auto program = RowProgram(*def, {&from, 1}, to, &result);
        if (!program) continue;
        constexpr i64 kCount = 4099;
        Check(StrCat(def->text, " of ", Name(from), " to ", Name(to)), *program,
              {RandomArray(from, kCount, 0)}, kCount, {&result, 1});
      }
    }
  }
}

// Each primitive by itself, so that those which no row uses yet are covered too.
TEST_P(SweepTest, PrimitivesOnEveryLaneType) {
  constexpr std::pair<LaneType, ElementType> kTypes[] = {
      {LaneType::kPred, PRED}, {LaneType::kU8, U8},   {LaneType::kU16, U16}, {LaneType::kU32, U32},
      {LaneType::kU64, U64},   {LaneType::kS8, S8},   {LaneType::kS16, S16}, {LaneType::kS32, S32},
      {LaneType::kS64, S64},   {LaneType::kF32, F32}, {LaneType::kF64, F64}};
  for (const auto& [type, element] : kTypes) {
    LaneBuilder b;
    const Lane x = b.Input(type), y = b.Input(type), z = b.Input(type);
    std::vector<Lane> results = {Min(x, y), Max(x, y), x == y, x < y, x <= y, Select(x < y, y, z)};
    if (IsFloat(type)) {
      for (Lane lane : {x + y, x - y, x * y, x / y, x % y, -x, Abs(x), Fma(x, y, z), Sqrt(x),
                        Floor(x), Ceil(x), Trunc(x), Rint(x)}) {
        results.push_back(lane);
      }
      results.push_back(FloatToFloat(type == LaneType::kF32 ? LaneType::kF64 : LaneType::kF32, x));
      // Factors of 0, infinity, NaN, or within [1, 2) and of both signs.
      const bool is_f32 = type == LaneType::kF32;
      const Lane one = x.Like(1), bits = BitsOf(x);
      const Lane kept = bits & ~BitsOf(x.Like(kInfinity));
      const Lane scaled = Select(Abs(x) < kInfinity, Bitcast(type, kept | BitsOf(one)), x);
      const Lane factor = Select(x == 0.0f, x, scaled);
      const Lane power = BitsOf(y) & (is_f32 ? 255 : 2047);
      const Lane n = ToFloat(type, Bitcast(SignedOf(power.type()), power)) - 9.0f;
      results.push_back(TimesPowerOfTwo(factor, n));
      results.push_back(TimesPowerOfTwo(factor, -n));
      const Lane size = Abs(x), fits = size < 0x1p31f;
      const Lane inside = Select(fits, x, x.Like(0)), positive = Select(fits, size, x.Like(0));
      results.push_back(ToInt(LaneType::kS32, inside));
      results.push_back(ToInt(LaneType::kS64, inside));
      results.push_back(ToInt(LaneType::kU32, positive + positive));
      const Lane large = Select(size < 0x1p63f, size, x.Like(1));
      results.push_back(ToInt(LaneType::kU64, large * 1.9f));
    } else if (type == LaneType::kPred) {
      for (Lane lane : {x & y, x | y, x ^ y, x + y, x * y, !x}) results.push_back(lane);
      results.push_back(Resize(LaneType::kS32, x));
      results.push_back(ToFloat(LaneType::kF32, x));
    } else {
      const Lane width = y & (BitsOf(type) - 1);
      const Lane overflow = IsSigned(type) ? (y == -1) : (y == 0);
      const Lane divisor = Select(overflow | (y == 0), y.Like(3), y);
      for (Lane lane : {x + y, x - y, x * y, x / divisor, x % divisor, -x, x & y, x | y, x ^ y,
                        x << width, x >> width, MulHigh(x, y), Clz(x), Popcount(x)}) {
        results.push_back(lane);
      }
      if (IsSigned(type)) results.push_back(Abs(x));
      for (const auto& [to, _] : kTypes) {
        if (to != LaneType::kPred && !IsFloat(to)) results.push_back(Resize(to, x));
        if (IsFloat(to)) results.push_back(ToFloat(to, x));
      }
      results.push_back(Bitcast(IsSigned(type) ? UnsignedOf(type) : SignedOf(type), x));
    }
    const LaneProgram program = std::move(b).Finish(results);
    const std::vector<ElementType> outputs(program.outputs.size(), S32);  // none is a narrow float
    constexpr i64 kCount = 20011;
    Check(StrCat("primitives of ", Name(element)), program,
          {RandomArray(element, kCount, 0), RandomArray(element, kCount, 1),
           RandomArray(element, kCount, 2)},
          kCount, outputs);
  }
}

TEST_P(SweepTest, TailsOfEveryLength) {
  for (ElementType type : {F32, F64, S8, BF16, PRED, C64}) {
    for (const OpDef* def : ElementwiseRows(2)) {
      if (def->text != "add") continue;
      const ElementType types[] = {type, type};
      ElementType result;
      const auto program = RowProgram(*def, types, type, &result);
      ASSERT_TRUE(program);
      for (i64 count = 0; count <= 35; ++count) {
        Check(StrCat("add of ", count, " ", Name(type)), *program,
              {RandomArray(type, count, 0), RandomArray(type, count, 1)}, count, {&result, 1});
      }
    }
  }
}

TEST_P(SweepTest, OutputsMayBeInputs) {
  LaneBuilder b;
  const Lane x = b.Input(LaneType::kF32), y = b.Input(LaneType::kF32);
  // Swapped, so that an output stored too early would be read as an input.
  const LaneProgram program = std::move(b).Finish(std::vector<Lane>{y, x});
  for (LaneExecutor* executor :
       {static_cast<LaneExecutor*>(&reference_), static_cast<LaneExecutor*>(jit_.get())}) {
    std::vector<float> p(1000), q(1000);
    for (size_t i = 0; i < p.size(); ++i) {
      p[i] = static_cast<float>(i);
      q[i] = -static_cast<float>(i);
    }
    const std::vector<float> p_before = p, q_before = q;
    ASSERT_TRUE(executor
                    ->Run(program, std::vector<const void*>{p.data(), q.data()},
                          std::vector<void*>{p.data(), q.data()}, 1000)
                    .ok());
    EXPECT_EQ(p, q_before);
    EXPECT_EQ(q, p_before);
  }
}

const Target kTargets[] = {{NativeIsa::kAvx2, 0},    {NativeIsa::kAvx2, 1},
                           {NativeIsa::kAvx2, 2},    {NativeIsa::kAvx512, 0},
                           {NativeIsa::kAvx512, 1},  {NativeIsa::kAvx512, 2},
                           {NativeIsa::kV2, 0},      {NativeIsa::kV2, 1},
                           {NativeIsa::kAarch64, 0}, {NativeIsa::kAarch64, 1}};
const auto kName = [](const auto& info) { return TargetName(info.param); };
INSTANTIATE_TEST_SUITE_P(Targets, SweepTest, testing::ValuesIn(kTargets), kName);
INSTANTIATE_TEST_SUITE_P(Targets, RowSweepTest, testing::ValuesIn(kTargets), kName);

}  // namespace
}  // namespace axle
