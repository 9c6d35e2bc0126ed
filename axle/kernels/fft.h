// Fourier transforms of many lines of one length, as compiled kernels: one dimension of an fft.
// Results have the bits of docs/numerics.md (Fourier transforms), whatever the instruction set and
// however tiles are spread over calls. x86/fft.h explains how lines are transformed.
//
//   const FftTables tables = ...;  // of a plan whose sizes are set, filled in by the caller
//   void* buffers[] = {operand, result, scratch};  // scratch_bytes of memory, per concurrent call
//   FftKernelFor(plan, instruction_set)(run, &plan, buffers, 0, plan.num_tiles);
#pragma once
#include <cstdint>
#include <span>

#include "axle/core/kernel.h"
#include "axle/kernels/instruction_set.h"

namespace axle {

// One or two stages (docs/numerics.md) that run together on values in registers. The first one
// makes transforms of length * first elements from those of `length`.
struct FftPass {
  std::int32_t first = 1, second = 1;  // radices; a second one is 4
  i64 length = 1;
  // In the table, in numbers: the roots that stage multiplies with, and those of an odd radix.
  i64 first_at = 0, second_at = 0, roots_at = 0;
};

struct FftPasses {
  static constexpr int kMaxCount = 40;
  i64 size = 1;  // of the transforms that they make, from single elements or shorter transforms
  int count = 0;
  FftPass passes[kMaxCount];
};

enum class FftMethod : std::uint8_t {
  kColumns,  // as many lines as lanes, whose elements are adjacent, in their places
  kLanes,    // as many lines as lanes, copied to scratch memory and back
  kRow,      // one line, whose columns are the lanes at first
  kChirp,    // a convolution in f64 with the method kRow
};

enum class FftEnds : std::uint8_t {
  kComplex,
  kRealEven,    // from real lines: a complex transform of half the length
  kRealOdd,     // a transform with zeros as imaginary parts, half of which is kept
  kToRealEven,  // the inverses
  kToRealOdd,
};

// Plain data. The tables that it points at live as long as the plan.
struct FftKernelPlan {
  FftMethod method = FftMethod::kLanes;
  FftEnds ends = FftEnds::kComplex;
  bool is_f64 = false;
  bool computes_f64 = false;  // f32 numbers are widened, and results rounded once
  bool is_inverse = false;
  i64 size = 1;   // of the complex transform
  i64 inner = 1;  // between elements of a line, in elements; lines of real ends are contiguous
  i64 lines = 1;
  double divisor = 1;  // of the result's parts

  FftPasses lanes;              // on vectors of lanes: all stages, or the first ones of a row
  FftPasses wide;               // of a row: the others, on vectors along the line
  i64 row_size = 1;             // of the method kRow: size, or the length of the convolution
  const void* table = nullptr;  // numbers of the type that computes
  // Of even real ends: e^(-2 pi i k / n) for k = 0 .. size / 2, real parts, then imaginary ones.
  const void* halves = nullptr;
  const double *chirp = nullptr, *filter = nullptr;  // real parts, then imaginary ones

  i64 tile_lines = 1;
  i64 num_tiles = 1;
  // Parts of scratch memory, in bytes from its begin.
  i64 lines_at = 0, buffers_at = 0, splits_at = 0;
  i64 scratch_bytes = 0;
};

// What the factors of a length give, apart from the tables.
struct FftDescription {
  bool is_f64 = false;
  bool computes_f64 = false;  // so are f64 numbers, and what is a convolution
  bool is_inverse = false;
  FftEnds ends = FftEnds::kComplex;
  i64 size = 1;
  i64 inner = 1;
  i64 lines = 1;
  double divisor = 1;
  std::span<const std::int32_t> radices;  // the first to run first; none: a convolution, by
  i64 chirp_size = 0;                     // so many elements,
  std::span<const std::int32_t> chirp_radices;
};

// The plan without its tables, of which it says the places. The radices of one transform are at
// most FftPasses::kMaxCount.
FftKernelPlan PlanFft(const FftDescription& fft, InstructionSet instruction_set);

// How many numbers the table has.
i64 FftTableSize(const FftKernelPlan& plan);

// Fills the table: `roots` are the parts of e^(-2 pi i j / n), j = 0 .. n - 1, in f64, of the
// length n = row_size that the passes make.
void FillFftTable(const FftKernelPlan& plan, std::span<const double> re, std::span<const double> im,
                  void* table);

KernelFunction FftKernelFor(const FftKernelPlan& plan, InstructionSet instruction_set);

}  // namespace axle
