// Convolutions in which every output feature has an input feature of its own: groups of one, side
// by side in memory. A vector holds neighbouring groups; each output takes its window positions one
// after the other, those that its class lacks left out.
#pragma once
#include "axle/kernels/x86/convolution.h"

namespace axle::AXLE_ISA {

template <typename T>
class DepthwiseConvolver {
 public:
  DepthwiseConvolver(const RunContext* run, const ConvolutionPlan& plan, void* const* buffers)
      : run_(run),
        plan_(plan),
        lhs_(static_cast<const T*>(buffers[0])),
        rhs_(static_cast<const T*>(buffers[1])),
        result_(static_cast<T*>(buffers[2])),
        taps_(reinterpret_cast<Tap*>(static_cast<unsigned char*>(buffers[3]) + plan.panels_at)) {
    for (int s = 0; s < plan.num_spatial; ++s) steps_[s] = StepsOf(plan.spatial[s]);
  }

  int Run(i64 m0, i64 m1) {
    i64 index[kMaxRoleDims], batch = m0;
    for (int s = plan_.num_spatial; s-- > 0;) {
      index[s] = batch % plan_.spatial[s].output_size;
      batch /= plan_.spatial[s].output_size;
    }
    for (i64 m = m0; m < m1; ++m) {
      if (m % 64 == 0 && IsStopped(run_)) return kKernelStopped;
      i64 origin = batch * plan_.lhs_batch_stride, result = batch * plan_.output_batch_stride;
      bool is_new = m == m0;
      for (int s = 0; s < plan_.num_spatial; ++s) {
        const Taps taps = TapsOf(plan_.spatial[s], steps_[s], index[s]);
        is_new = is_new || taps.first != class_[s].first || taps.count != class_[s].count;
        class_[s] = taps;
        origin += taps.begin * plan_.spatial[s].lhs_stride;
        result += index[s] * plan_.spatial[s].output_stride;
      }
      if (is_new) ListTaps();
      Output(lhs_ + origin, result_ + result);
      int s = plan_.num_spatial - 1;
      while (s >= 0 && ++index[s] == plan_.spatial[s].output_size) index[s--] = 0;
      if (s < 0) ++batch;
    }
    return kKernelOk;
  }

 private:
  // A window position, from a row's origin and from the begin of rhs.
  struct Tap {
    i64 lhs, rhs;
  };

  // The positions of the class in hand, row-major.
  void ListTaps() {
    num_taps_ = 1;
    for (int s = 0; s < plan_.num_spatial; ++s) num_taps_ *= class_[s].count;
    for (i64 i = 0; i < num_taps_; ++i) {
      i64 rest = i;
      taps_[i] = {0, 0};
      for (int s = plan_.num_spatial; s-- > 0;) {
        const ConvolutionDim& dim = plan_.spatial[s];
        const i64 tap = rest % class_[s].count;
        rest /= class_[s].count;
        const i64 position = class_[s].first + tap * steps_[s].position;
        taps_[i].lhs += tap * steps_[s].element * dim.lhs_stride;
        taps_[i].rhs += (dim.is_reversed ? dim.window - 1 - position : position) * dim.rhs_stride;
      }
    }
  }

  template <int kVectors, template <typename> typename Last>
  void Group(const T* x, const T* w, T* out, i64 last_lanes) const {
    constexpr i64 kLanes = kLanesOf<T>;
    const Last<T> last(last_lanes);
    Vector<T> sums[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[v] = Vector<T>{};
    for (i64 i = 0; i < num_taps_; ++i) {
      const T *a = x + taps_[i].lhs, *b = w + taps_[i].rhs;
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        sums[v] = MultiplyAdd(last.Load(a + v * kLanes), last.Load(b + v * kLanes), sums[v]);
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) last.Store(out + v * kLanes, sums[v]);
  }

  // All groups of one output: more sums at once than a multiplier takes cycles.
  void Output(const T* x, T* out) const {
    constexpr i64 kLanes = kLanesOf<T>;
    i64 g = 0;
    for (; g + 8 * kLanes <= plan_.groups; g += 8 * kLanes) {
      Group<8, AllLanes>(x + g, rhs_ + g, out + g, kLanes);
    }
    for (; g + 2 * kLanes <= plan_.groups; g += 2 * kLanes) {
      Group<2, AllLanes>(x + g, rhs_ + g, out + g, kLanes);
    }
    for (; g < plan_.groups; g += kLanes) {
      Group<1, FirstLanes>(x + g, rhs_ + g, out + g, Min(kLanes, plan_.groups - g));
    }
  }

  const RunContext* run_;
  const ConvolutionPlan& plan_;
  const T *lhs_, *rhs_;
  T* result_;
  Tap* taps_;
  i64 num_taps_ = 0;
  TapSteps steps_[kMaxRoleDims];
  Taps class_[kMaxRoleDims];
};

// The KernelFunction: tiles of rows.
template <typename T>
int RunDepthwise(const RunContext* run, const void* plan_bytes, void* const* buffers, i64 begin,
                 i64 end) {
  const ConvolutionPlan& plan = *static_cast<const ConvolutionPlan*>(plan_bytes);
  if (begin >= end) return kKernelOk;
  DepthwiseConvolver<T> convolver(run, plan, buffers);
  return convolver.Run(begin * plan.tile_rows, Min(plan.rows, end * plan.tile_rows));
}

}  // namespace axle::AXLE_ISA
