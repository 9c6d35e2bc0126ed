// Kernels with explicit vectors, as a specialist would write them by hand for one instruction set:
// what generated code is measured against. Functions of a real argument are of the accuracy that
// Axle's have, 1 to 1.5 ulp. One thread; arrays are aligned to 64 bytes; sizes are multiples of 64
// where nothing else is said.
#pragma once

#include <cstdint>

namespace axle::baselines {

using Bf16 = std::uint16_t;  // the upper half of an f32

struct VectorKernels {
  const char* isa;  // "avx512", "avx2"

  void (*exp)(const float* x, float* out, long n);
  void (*tanh)(const float* x, float* out, long n);
  // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  void (*gelu)(const float* x, float* out, long n);

  // Matrices of rows * columns, row-major.
  void (*softmax)(const float* x, float* out, long rows, long columns);
  void (*layer_norm)(const float* x, float* out, long rows, long columns);  // without gain, bias
  void (*row_sums)(const float* x, float* out, long rows, long columns);
  void (*column_sums)(const float* x, float* out, long rows, long columns);
  void (*transpose)(const float* x, float* out, long rows, long columns);

  void (*f32_to_bf16)(const float* x, Bf16* out, long n);  // to nearest, ties to even
  void (*bf16_to_f32)(const Bf16* x, float* out, long n);
  void (*s8_to_f32)(const std::int8_t* x, float* out, long n);

  // Arrays that no cache holds are written past the caches.
  void (*copy)(const float* x, float* out, long n);
  void (*triad)(const float* x, const float* y, float* out, long n);  // x + 0.5 y

  // Independent multiply-adds in registers, so many steps of fma_flops operations.
  void (*fma_f32)(long steps);
  void (*fma_f64)(long steps);
  long fma_f32_flops, fma_f64_flops;
};

// The widest of this processor; it must have AVX2.
const VectorKernels& BestVectorKernels();
// By name, or null if this processor has it not.
const VectorKernels* VectorKernelsOf(const char* isa);

// Multiply-adds of bf16 and s8 by the matrix unit, in steps of kTileBf16Flops and kTileS8Ops.
constexpr long kTileBf16Flops = 4L * 2 * 16 * 16 * 32;
constexpr long kTileS8Ops = 2 * kTileBf16Flops;
bool HasTiles();  // asks the kernel for them
void TileBf16(long steps);
void TileS8(long steps);

}  // namespace axle::baselines
