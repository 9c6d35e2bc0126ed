// Lane program: the meaning of elementwise code, as data.
//
// Linear typed SSA over primitives: operation i may use results of operations before it, and
// everything happens per lane (element). Built by LaneBuilder, run by executor.h, compiled by
// codegen/. Programs are values: two computations mean the same if their programs are equal.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/element_type.h"

namespace axle {

enum class Primitive : std::uint8_t {
#define OP(name, arity) k##name,
#include "axle/emit/primitives.def"
#undef OP
};

inline constexpr int kPrimitiveArity[] = {
#define OP(name, arity) arity,
#include "axle/emit/primitives.def"
#undef OP
};
constexpr int Arity(Primitive p) {
  return kPrimitiveArity[static_cast<int>(p)];
}
std::string_view Name(Primitive p);

// What a register holds. Narrow floats exist as their bits only (bf16 is kU16): arithmetic on them
// is f32 with one rounding, which ops/lanes/lane_compiler.cc puts around every definition (N2).
// Sub-byte integers are kS8 or kU8, wrapped there; a complex value is two registers.
enum class LaneType : std::uint8_t {
  kPred,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF32,
  kF64
};
inline constexpr int kNumLaneTypes = 11;

constexpr i64 BytesOf(LaneType type) {
  constexpr std::uint8_t kBytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
  return kBytes[static_cast<int>(type)];
}
constexpr int BitsOf(LaneType type) {
  return static_cast<int>(BytesOf(type)) * 8;
}
constexpr bool IsFloat(LaneType type) {
  return type >= LaneType::kF32;
}
constexpr bool IsSigned(LaneType type) {
  return type >= LaneType::kS8 && type <= LaneType::kS64;
}
constexpr bool IsUnsigned(LaneType type) {
  return type >= LaneType::kU8 && type <= LaneType::kU64;
}
// The unsigned (signed) type of the same width.
constexpr LaneType UnsignedOf(LaneType type) {
  constexpr LaneType kTypes[] = {LaneType::kU8, LaneType::kU16, LaneType::kU32, LaneType::kU64};
  const i64 bytes = BytesOf(type);
  return kTypes[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3];
}
constexpr LaneType SignedOf(LaneType type) {
  return static_cast<LaneType>(static_cast<int>(UnsignedOf(type)) + 4);
}

// The type in which (the parts of) elements of an array are stored.
constexpr LaneType StorageType(ElementType type) {
  switch (type) {
    case F32:
    case C64:
      return LaneType::kF32;
    case F64:
    case C128:
      return LaneType::kF64;
    case S1:
    case S2:
    case S4:
    case S8:
      return LaneType::kS8;
    case S16:
      return LaneType::kS16;
    case S32:
      return LaneType::kS32;
    case S64:
      return LaneType::kS64;
    case U16:
    case F16:
    case BF16:
      return LaneType::kU16;
    case U32:
      return LaneType::kU32;
    case U64:
      return LaneType::kU64;
    case PRED:
      return LaneType::kPred;
    default:
      return LaneType::kU8;
  }
}
// The type in which (the parts of) elements are computed: f32 for narrow floats.
constexpr LaneType ComputeType(ElementType type) {
  return IsNarrowFloat(type) ? LaneType::kF32 : StorageType(type);
}

using LaneId = std::uint16_t;

struct LaneOp {
  Primitive primitive;
  LaneType type;  // of the result
  std::array<LaneId, 3> operands = {};
  std::uint64_t immediate = 0;
  bool operator==(const LaneOp&) const = default;

  // The operands that the primitive takes.
  std::span<const LaneId> taken() const {
    return std::span(operands).first(static_cast<size_t>(Arity(primitive)));
  }

  // For kInput and kElement: which array is read, and which part of its elements.
  std::uint32_t input() const { return static_cast<std::uint32_t>(immediate); }
  std::uint32_t part() const { return static_cast<std::uint32_t>(immediate >> 32); }
};

// An array that a program reads or writes: elements of one or two (complex) parts of one type.
struct LaneArray {
  LaneType type;
  std::uint8_t num_parts = 1;
  i64 element_bytes() const { return BytesOf(type) * num_parts; }
  bool operator==(const LaneArray&) const = default;
};

// The array of elements of this type, as they are stored.
constexpr LaneArray ArrayOf(ElementType type) {
  return {StorageType(type), static_cast<std::uint8_t>(IsComplex(type) ? 2 : 1)};
}

struct LaneProgram {
  std::vector<LaneOp> code;
  std::vector<LaneArray> inputs;
  std::vector<LaneArray> outputs;
  std::vector<LaneId> results;  // one per part of each output, in order

  // Register of each operation such that operands and result of one operation never share, and a
  // register is reused once its value is dead; set by LaneBuilder::Finish.
  std::vector<std::uint16_t> registers;
  int num_registers = 0;
  std::uint64_t serial = 0;  // differs between programs that were finished separately

  // Equal code means the same function.
  bool operator==(const LaneProgram& other) const {
    return code == other.code && inputs == other.inputs && outputs == other.outputs &&
           results == other.results;
  }
  // A rough cost of one position: the number of operations beside inputs and constants.
  i64 num_operations() const;
  std::uint64_t Hash() const;
  std::string ToString() const;  // one operation a line, for dumps and tests
};

}  // namespace axle
