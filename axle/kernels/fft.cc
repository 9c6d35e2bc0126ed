// Plans Fourier transforms. Nothing here shows in the bits of a result: stages and their order are
// given by the radices, a plan only says which of them run together, and along what vectors go.
//
// A line whose elements are adjacent, and that has many of them, is a row. Short rows fill vectors
// badly: several of them are transformed side by side. So are lines with other lines between their
// elements (columns), unless so many long ones do not stay in the cache.

#include "axle/kernels/fft.h"

#include <algorithm>

#include "axle/kernels/x86/fft_entries.h"

namespace axle {
namespace {

constexpr i64 kColumnBytes = 2 << 20;  // of scratch memory; longer columns are copied to rows
constexpr i64 kAlignment = 64;

i64 CeilDivide(i64 a, i64 b) {
  return (a + b - 1) / b;
}

// How many of the radices, the first to run first, make transforms that fill a vector; at least one
// is left. 0: none do.
size_t LaneStages(std::span<const std::int32_t> radices, i64 lanes) {
  i64 size = 1;
  for (size_t i = 0; i + 1 < radices.size(); ++i) {
    size *= radices[i];
    if (size >= lanes) return i + 1;
  }
  return 0;
}

// The passes of stages that begin with transforms of `length` elements. Their tables begin at `at`,
// which moves behind them.
FftPasses PassesOf(std::span<const std::int32_t> radices, i64 length, i64& at) {
  FftPasses passes;
  for (size_t i = 0; i < radices.size(); ++i) {
    FftPass& pass = passes.passes[passes.count++];
    pass.first = radices[i];
    pass.length = length;
    pass.first_at = at;
    at += 2 * length * (pass.first - 1);
    if ((pass.first == 2 || pass.first == 4) && i + 1 < radices.size() && radices[i + 1] == 4) {
      pass.second = radices[++i];
      pass.second_at = at;
      at += 2 * length * pass.first * (pass.second - 1);
    }
    if (pass.first % 2 == 1) {
      pass.roots_at = at;
      at += 2 * pass.first;
    }
    length *= i64{pass.first} * pass.second;
  }
  passes.size = length;
  return passes;
}

i64 TableSize(const FftPasses& passes) {
  if (passes.count == 0) return 0;
  const FftPass& last = passes.passes[passes.count - 1];
  if (last.first % 2 == 1) return last.roots_at + 2 * last.first;
  if (last.second > 1) return last.second_at + 2 * last.length * last.first * (last.second - 1);
  return last.first_at + 2 * last.length * (last.first - 1);
}

// Takes part of the scratch memory.
i64 Take(i64 bytes, FftKernelPlan& plan) {
  const i64 at = plan.scratch_bytes;
  plan.scratch_bytes += CeilDivide(bytes, kAlignment) * kAlignment;
  return at;
}

FftMethod ChooseMethod(const FftDescription& fft, i64 lanes, i64 bytes) {
  if (fft.radices.empty() && fft.size > 1) return FftMethod::kChirp;
  const bool is_column = fft.inner > 1 && fft.is_f64 == fft.computes_f64;
  const size_t stages = LaneStages(fft.radices, lanes);
  if (stages == 0) return is_column ? FftMethod::kColumns : FftMethod::kLanes;
  i64 columns = fft.size;
  for (size_t i = 0; i < stages; ++i) columns /= fft.radices[i];
  if (fft.size * lanes * 4 * bytes > kColumnBytes) return FftMethod::kRow;
  const i64 others = is_column ? fft.inner : fft.lines;
  if (is_column && (columns < lanes || 2 * others >= lanes)) return FftMethod::kColumns;
  return columns >= lanes || 2 * others < lanes ? FftMethod::kRow : FftMethod::kLanes;
}

template <typename T>
void Fill(const FftPasses& passes, bool is_wide, std::span<const double> re,
          std::span<const double> im, T* table) {
  const i64 n = static_cast<i64>(re.size());
  const auto stage = [&](i64 radix, i64 length, i64 at) {
    const i64 step = n / (radix * length);
    for (i64 k = 0; k < length; ++k) {
      for (i64 s = 1; s < radix; ++s) {
        const i64 row = 2 * (s - 1);
        const i64 j = s * k * step;
        T* const to = table + at;
        to[is_wide ? row * length + k : k * 2 * (radix - 1) + row] = static_cast<T>(re[j]);
        to[is_wide ? (row + 1) * length + k : k * 2 * (radix - 1) + row + 1] =
            static_cast<T>(im[j]);
      }
    }
  };
  for (const FftPass& pass : std::span(passes.passes, static_cast<size_t>(passes.count))) {
    stage(pass.first, pass.length, pass.first_at);
    if (pass.second > 1) stage(pass.second, pass.length * pass.first, pass.second_at);
    if (pass.first % 2 == 0) continue;
    for (i64 j = 0; j < pass.first; ++j) {
      table[pass.roots_at + 2 * j] = static_cast<T>(re[j * (n / pass.first)]);
      table[pass.roots_at + 2 * j + 1] = static_cast<T>(im[j * (n / pass.first)]);
    }
  }
}

}  // namespace

FftKernelPlan PlanFft(const FftDescription& fft, InstructionSet instruction_set) {
  FftKernelPlan plan;
  plan.is_f64 = fft.is_f64;
  plan.computes_f64 = fft.computes_f64;
  plan.is_inverse = fft.is_inverse;
  plan.ends = fft.ends;
  plan.size = fft.size;
  plan.inner = fft.inner;
  plan.lines = fft.lines;
  plan.divisor = fft.divisor;
  const bool is_chirp = fft.radices.empty() && fft.size > 1;
  const i64 bytes = fft.computes_f64 ? sizeof(double) : sizeof(float);
  const i64 lanes = (instruction_set == InstructionSet::kX86V4 ? 64 : 32) / bytes;
  plan.method = ChooseMethod(fft, lanes, bytes);
  plan.row_size = is_chirp ? fft.chirp_size : fft.size;
  const std::span<const std::int32_t> radices = is_chirp ? fft.chirp_radices : fft.radices;
  const bool is_row = plan.method == FftMethod::kRow || is_chirp;
  const size_t stages = is_row ? LaneStages(radices, lanes) : radices.size();
  i64 at = 0;
  plan.lanes = PassesOf(radices.first(stages), 1, at);
  plan.wide = PassesOf(radices.subspan(stages), plan.lanes.size, at);

  plan.tile_lines = is_row ? 1 : lanes;
  plan.num_tiles = plan.method == FftMethod::kColumns
                       ? fft.lines / fft.inner * CeilDivide(fft.inner, lanes)
                       : CeilDivide(fft.lines, plan.tile_lines);
  const bool is_copied = plan.method != FftMethod::kColumns &&
                         (is_chirp || fft.inner > 1 || fft.is_f64 != fft.computes_f64 ||
                          (fft.ends != FftEnds::kComplex && fft.ends != FftEnds::kRealEven));
  if (is_copied) plan.lines_at = Take(plan.tile_lines * (plan.size + 1) * 2 * bytes, plan);
  // A spectrum of real lines, in either one, is longer by one number.
  plan.buffers_at = Take((2 * plan.lanes.size + 1) * lanes * 2 * bytes, plan);
  if (is_row) {
    plan.splits_at =
        Take((plan.wide.count > 1 || is_chirp ? 2 : 1) * plan.row_size * 2 * bytes, plan);
  }
  return plan;
}

i64 FftTableSize(const FftKernelPlan& plan) {
  return std::max(TableSize(plan.lanes), TableSize(plan.wide));
}

void FillFftTable(const FftKernelPlan& plan, std::span<const double> re, std::span<const double> im,
                  void* table) {
  for (const bool is_wide : {false, true}) {
    const FftPasses& passes = is_wide ? plan.wide : plan.lanes;
    if (plan.computes_f64) {
      Fill(passes, is_wide, re, im, static_cast<double*>(table));
    } else {
      Fill(passes, is_wide, re, im, static_cast<float*>(table));
    }
  }
}

KernelFunction FftKernelFor(const FftKernelPlan& plan, InstructionSet instruction_set) {
  const bool is_v4 = instruction_set == InstructionSet::kX86V4;
  return (is_v4 ? isa_v4::kFfts : isa_v3::kFfts)[plan.is_f64 ? 1 : 0];
}

}  // namespace axle
