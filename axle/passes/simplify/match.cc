// Matchers and builders for rules: which constant an operand is (also through a broadcast of a
// scalar), and new instructions. A constant array is scanned up to kMaxScan elements; a longer one
// counts as not uniform, which keeps the cost of a rule constant.

#include <algorithm>
#include <cstring>

#include "axle/core/float_format.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/passes/simplify/rule.h"

namespace axle {
namespace {

constexpr i64 kMaxScan = 4096;  // elements of a constant that are looked at

std::uint64_t BitsOfElement(std::span<const std::byte> bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

// The element as it lies in a literal, of an integer type or pred.
Literal IntegerScalar(ElementType type, i64 value) {
  Literal literal{Shape(type)};
  auto bits = static_cast<std::uint64_t>(value);
  const ElementTypeInfo& info = Info(type);
  if (!IsSigned(type)) {
    bits &= LowBits(type == PRED ? 1 : info.bits);
  } else if (info.bits < 8) {
    const int unused = 64 - info.bits;
    bits = static_cast<std::uint64_t>(static_cast<i64>(bits << unused) >> unused);
  }
  std::memcpy(literal.mutable_bytes(), &bits, info.bytes);
  return literal;
}

}  // namespace

Instruction* Maker::Uniform(const Shape& shape, const Literal& scalar) {
  if (shape.is_scalar() && shape.layout() == nullptr) {
    return Make(Opcode::kConstant, shape, {}, ConstantAttrs{scalar});
  }
  Instruction* element = Make(Opcode::kConstant, scalar.shape(), {}, ConstantAttrs{scalar});
  return Make(Opcode::kBroadcast, shape, {element}, DimensionsAttrs{});
}

Instruction* Maker::Uniform(const Shape& shape, i64 value) {
  return Uniform(shape, IntegerScalar(shape.type(), value));
}

std::span<const std::byte> UniformBytes(const Instruction& inst) {
  if (Is(inst, Opcode::kBroadcast)) {
    return IsConstant(*inst.operand(0)) ? UniformBytes(*inst.operand(0))
                                        : std::span<const std::byte>();
  }
  if (!IsConstant(inst) || !inst.shape().is_array() || !inst.shape().is_static()) return {};
  const Literal& literal = inst.attrs<ConstantAttrs>().literal;
  const i64 count = literal.num_elements();
  if (count < 1 || count > kMaxScan) return {};
  const auto size = static_cast<size_t>(Info(TypeOf(inst)).bytes);
  const std::byte* first = literal.bytes();
  for (i64 i = 1; i < count; ++i) {
    if (std::memcmp(first, first + i * size, size) != 0) return {};
  }
  return {first, size};
}

std::optional<i64> UniformInteger(const Instruction& inst) {
  if (!inst.shape().is_array() || !IsIntegerOrPred(inst)) return {};
  const std::span<const std::byte> bytes = UniformBytes(inst);
  if (bytes.empty()) return {};
  auto value = static_cast<i64>(BitsOfElement(bytes));
  if (IsSigned(TypeOf(inst))) {
    const int unused = 64 - 8 * static_cast<int>(bytes.size());
    value = static_cast<i64>(static_cast<std::uint64_t>(value) << unused) >> unused;
  }
  return value;
}

bool IsUniformZero(const Instruction& inst) {
  if (const auto value = UniformInteger(inst)) return *value == 0;
  if (!inst.shape().is_array() || !IsSignedFloat(inst)) return false;
  const std::span<const std::byte> bytes = UniformBytes(inst);
  return !bytes.empty() && BitsOfElement(bytes) == 0;
}

bool IsUniformOne(const Instruction& inst) {
  if (const auto value = UniformInteger(inst)) return *value == 1;
  if (!inst.shape().is_array() || !IsFloating(TypeOf(inst))) return false;
  const std::span<const std::byte> bytes = UniformBytes(inst);
  const FloatFormat& format = Info(TypeOf(inst)).format;
  return !bytes.empty() && BitsOfElement(bytes) == static_cast<std::uint64_t>(format.bias)
                                                       << format.mantissa_bits;
}

bool IsUniformOnes(const Instruction& inst) {
  const auto value = UniformInteger(inst);
  if (!value) return false;
  const ElementType type = TypeOf(inst);
  if (IsSigned(type)) return *value == -1;
  return static_cast<std::uint64_t>(*value) == LowBits(type == PRED ? 1 : Info(type).bits);
}

bool IsUniformNegativeZero(const Instruction& inst) {
  if (!inst.shape().is_array() || !IsFloating(TypeOf(inst))) return false;
  const FloatFormat& format = Info(TypeOf(inst)).format;
  const std::span<const std::byte> bytes = UniformBytes(inst);
  return HasNegativeZero(format) && !bytes.empty() && BitsOfElement(bytes) == SignBit(format);
}

namespace {
bool IsInfinity(const Instruction& inst, bool is_negative) {
  if (!inst.shape().is_array() || !IsFloating(TypeOf(inst))) return false;
  const FloatFormat& format = Info(TypeOf(inst)).format;
  const std::span<const std::byte> bytes = UniformBytes(inst);
  const std::uint64_t bits = InfinityBits(format) | (is_negative ? SignBit(format) : 0);
  return HasInfinity(format) && !bytes.empty() && BitsOfElement(bytes) == bits;
}
}  // namespace
bool IsUniformInfinity(const Instruction& inst) {
  return IsInfinity(inst, /*is_negative=*/false);
}
bool IsUniformNegativeInfinity(const Instruction& inst) {
  return IsInfinity(inst, /*is_negative=*/true);
}

}  // namespace axle
