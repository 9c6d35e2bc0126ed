// Sums of products for blocks of results: the inner loops of dot and convolution, in the orders of
// docs/numerics.md N5 and N6, compiled for speed (axle/ops/CMakeLists.txt).
//
// A block is up to kBlockRows results down and kPanelColumns across. Row i is an array a_i[k]; a
// panel holds b[k][column], column fastest. Every result keeps its own order of k, so blocking does
// not show in the bits.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

inline constexpr i64 kBlockRows = 4;
inline constexpr i64 kPanelColumns = 16;
inline constexpr i64 kTileDepth = 32;  // contracted elements of one block of the tile order

// acc[i][column] takes in a_i[k] * b[k][column] for k = 0 .. count - 1. Elements of a panel and of
// acc that are complex are split: kPanelColumns real parts, then as many imaginary ones.
using AccumulateFn = void (*)(const void* const* rows, i64 num_rows, const void* panel, i64 count,
                              void* acc);

// out[column] takes in a[k] * b[k_offsets[k] + column] for k = 0 .. count - 1: a single row of
// results from an unpacked operand, whose columns are neighbours.
using AccumulateRowFn = void (*)(const void* a, const void* b, const i64* k_offsets, i64 count,
                                 i64 num_columns, void* out);

// The order in which a result takes its products.
enum class ProductOrder : std::uint8_t {
  kChain,  // acc = fma(a, b, acc); on complex numbers four of them; integers modulo 2^N; pred: or
           // of ands
  kFlippedChain,  // the same with the complex factors swapped: rows are the right-hand side
  kTile,          // f32, count a multiple of kTileDepth; no underflow, no subnormal operands
  kTileExact,     // f32, likewise, for any finite and infinite operands
};

// to[i] = from[i] + to[i], for n real numbers, or twice as many parts of complex ones.
using JoinFn = void (*)(const void* from, void* to, i64 n);

// `type` is the one in which products are added up: not a narrow float.
AccumulateFn FindAccumulate(ElementType type, ProductOrder order);
AccumulateRowFn FindAccumulateRow(ElementType type, ProductOrder order);  // null: there is none
JoinFn FindJoin(ElementType type, ProductOrder order);  // null for integers, which need none

// The arithmetic of the tile order: a * b + c and a + c with 24 bits and an unbounded exponent; a
// result below 2^-126 is then a zero of its sign. Subnormal operands count as zeros.
float TileFma(float a, float b, float c);
float TileAdd(float a, float c);

// One result by the canonical order of sums, each product taken into its lane by fma (N5), from +0.
// `lanes` is SumLanes. Complex elements are pairs of parts; a is the left-hand side.
float CanonicalProduct(const float* a, const float* b, i64 count, i64 lanes);
double CanonicalProduct(const double* a, const double* b, i64 count, i64 lanes);
void CanonicalComplexProduct(const float* a, const float* b, i64 count, i64 lanes, float* result);
void CanonicalComplexProduct(const double* a, const double* b, i64 count, i64 lanes,
                             double* result);

// Narrow floats to f32 and back, as core/convert.h does it, but in loops of one type pair. The
// arrays do not overlap.
void WidenElements(ElementType from, const void* source, float* target, i64 n);
void RoundElements(const float* source, ElementType to, void* target, i64 n);

}  // namespace axle
