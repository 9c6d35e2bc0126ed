// Numbers at which integers and floats of a type behave in a special way.
#include <bit>
#include <limits>

#include "tests/codegen/random_kernels/program_generator.h"

namespace axle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFloats[] = {
    0.0,    -0.0,    1,         -1,         0.5,
    2,      3,       1.5,       2.5,        0.1,
    255,    256,     65535,     0x1p23,     0x1p24,
    0x1p31, -0x1p31, 0x1p32,    0x1p63,     1e10,
    -1e10,  1e-40,   kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};

std::uint64_t SpecialInteger(int bits, Random& random) {
  const std::uint64_t power = std::uint64_t{1} << random.Below(bits);
  switch (random.Below(13)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return ~std::uint64_t{0};
    case 3:
      return std::uint64_t{1} << (bits - 1);
    case 4:
      return LowBits(bits - 1);
    case 5:
      return power;
    case 6:
      return power - 1;
    case 7:
      return ~(power - 1);
    case 8:
      return power + 1;
    case 9:
      return ~static_cast<std::uint64_t>(random.Below(8));
    case 10:
      return random.Bits();
    case 11:
      return static_cast<std::uint64_t>(random.Below(256));
    default:
      return LowBits(bits / 2) << (random.Percent(50) ? bits / 2 : 0);
  }
}

std::uint64_t SpecialFloat(LaneType type, Random& random) {
  const i64 kind = random.Below(10);
  if (kind == 0) return random.Bits();
  const double number =
      kind == 1 ? static_cast<double>(random.Between(-1000, 1000)) : random.Of(kFloats);
  if (type == LaneType::kF64) return std::bit_cast<std::uint64_t>(number);
  return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

}  // namespace

std::uint64_t ProgramGenerator::SpecialBitsOf(LaneType type, Random& random) {
  if (type == LaneType::kPred) return random.Percent(50) ? 1 : 0;
  const std::uint64_t bits =
      IsFloat(type) ? SpecialFloat(type, random) : SpecialInteger(BitsOf(type), random);
  return bits & LowBits(BitsOf(type));
}

}  // namespace axle
