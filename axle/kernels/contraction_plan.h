// Plain data of the plans of dot and convolution: a program copies it and kernels read it. No
// functions here: kernels are compiled for several instruction sets (x86/isa.h).
#pragma once
#include "axle/core/element_type.h"

namespace axle {

inline constexpr int kMaxRoleDims = 8;

// One loop of a product: its length, and its strides in the row operand, the column operand and the
// result, in elements; 0 where an array lacks the dimension.
struct RoleDim {
  i64 size = 1;
  i64 row_stride = 0, column_stride = 0, result_stride = 0;
};

// The dimensions of one role, the last one fastest; `total` is the product of their sizes.
struct RoleDims {
  int count = 0;
  i64 total = 1;
  RoleDim dims[kMaxRoleDims];
};

// How elements of an operand are converted when they are loaded.
enum class LoadKind : std::uint8_t {
  kSame,     // no conversion
  kBF16,     // -> f32
  kF16,      // -> f32
  kS8,       // -> an integer of 16 or 32 bits
  kU8,       // and pred
  kS16,      // -> 32 bits
  kU16,      //
  kConvert,  // core/convert.h: to the factor's type, then to that of sums, which the next kind
             // takes
};

struct OperandPlan {
  int buffer = 0;  // 0 is lhs, 1 rhs
  ElementType type = F32, factor = F32;
  int bytes = 4;  // of an element
  LoadKind load = LoadKind::kSame;
};

// How finished sums become elements of the result.
enum class StoreKind : std::uint8_t {
  kInPlace,  // sums are kept in the result
  kSame,     // copied; parts of complex numbers are brought together
  kBF16,
  kF16,
  kLowByte,  // of 16-bit sums
  kConvert,  // core/convert.h, from the type of sums
};

// The order in which a result takes its products.
enum class DotOrder : std::uint8_t {
  kChain,      // parts of k, each in increasing k; complex numbers as N5 says; integers modulo 2^N;
               // pred: or of ands
  kTile,       // the tile order of narrow floats
  kCanonical,  // the exception of N5; one operand has no free elements, or one
};

// Element types. An operand is converted to its factor type and then to the type of sums; each
// conversion is exact or rounds once.
struct ProductTypes {
  ElementType lhs = F32, rhs = F32;                // as stored
  ElementType lhs_factor = F32, rhs_factor = F32;  // as multiplied
  ElementType sum = F32;                           // of sums: no narrow float
  ElementType result = F32;
  DotOrder order = DotOrder::kChain;
};

// Kinds of arithmetic; x86/families.h implements one class per family.
enum class DotFamily : std::uint8_t {
  kF32,
  kF64,
  kC64,
  kC128,
  kI16,
  kI32,
  kI64,
  kPred,
  kPairs,
  kTile
};

// The members that every plan has.
struct ProductPlan {
  OperandPlan row_operand, column_operand;
  ElementType sum = F32, result = F32;
  int result_bytes = 4;
  DotFamily family = DotFamily::kF32;
  StoreKind store = StoreKind::kSame;
  bool is_flipped = false;  // rows are the right-hand side
  int vectors = 1;          // across a register tile
};

}  // namespace axle
