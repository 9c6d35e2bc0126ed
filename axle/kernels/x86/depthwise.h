// Depthwise convolutions: every output feature has input features of its own, mostly one, and
// groups are adjacent in memory. A vector holds adjacent groups, so there is no packing and no
// gather: each output multiplies its window positions one after the other, without those that its
// class lacks, part by part (docs/numerics.md N6). The list of positions is made once per class,
// and outputs in a row mostly share it.
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
        taps_(At<Tap>(buffers[3], plan.panels_at)),
        parts_(At<Part>(buffers[3], plan.offsets_at)),
        groups_(At<T>(buffers[3], plan.groups_at), plan.group_size) {
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
  // An input feature at a window position, from a row's origin and from the begin of rhs.
  struct Tap {
    i64 lhs, rhs;
  };
  // A part that is not empty: the end of its taps, and the group of parts that it belongs to.
  struct Part {
    i64 end, group;
  };
  template <typename U>
  static U* At(void* scratch, i64 offset) {
    return reinterpret_cast<U*>(static_cast<unsigned char*>(scratch) + offset);
  }

  // Lists the positions of the present class, row-major, and their parts.
  void ListTaps() {
    i64 part = -1, positions = 1;
    num_parts_ = num_taps_ = 0;
    for (int s = 0; s < plan_.num_spatial; ++s) positions *= class_[s].count;
    for (i64 i = 0; i < positions; ++i) {
      i64 rest = i, number = 0, scale = 1;
      Tap tap = {0, 0};
      for (int s = plan_.num_spatial; s-- > 0;) {
        const ConvolutionDim& dim = plan_.spatial[s];
        const i64 at = rest % class_[s].count;
        rest /= class_[s].count;
        const i64 position = class_[s].first + at * steps_[s].position;
        tap.lhs += at * steps_[s].element * dim.lhs_stride;
        tap.rhs += (dim.is_reversed ? dim.window - 1 - position : position) * dim.rhs_stride;
        number += position * scale;
        scale *= dim.window;
      }
      if (num_parts_ == 0 || number / plan_.slice_positions != part) {
        part = number / plan_.slice_positions;
        parts_[num_parts_++].group = part / plan_.group_slices;
      }
      for (i64 f = 0; f < plan_.input_features; ++f) {
        taps_[num_taps_++] = tap;
        tap.lhs += plan_.lhs_feature_stride;
        tap.rhs += plan_.rhs_input_stride;
      }
      parts_[num_parts_ - 1].end = num_taps_;
    }
  }

  // One output of neighbouring groups.
  template <int kVectors, template <typename> typename Last>
  void Group(const T* x, const T* w, T* out, i64 last_lanes) {
    if (num_parts_ > 1) return GroupOfParts<kVectors, Last>(x, w, out, last_lanes);
    constexpr i64 kLanes = kLanesOf<T>;
    const Last<T> last(last_lanes);
    Vector<T> sums[kVectors];
    Take<kVectors>(x, w, last, 0, num_taps_, sums);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) last.Store(out + v * kLanes, sums[v]);
  }

  // `sums`, which are to stay in registers, of taps [begin, end), from +0.
  template <int kVectors, typename Last>
  [[gnu::always_inline]] void Take(const T* x, const T* w, const Last& last, i64 begin, i64 end,
                                   Vector<T> (&sums)[kVectors]) const {
    constexpr i64 kLanes = kLanesOf<T>;
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[v] = Vector<T>{};
    for (i64 i = begin; i < end; ++i) {
      const T *a = x + taps_[i].lhs, *b = w + taps_[i].rhs;
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        sums[v] = MultiplyAdd(last.Load(a + v * kLanes), last.Load(b + v * kLanes), sums[v]);
      }
    }
  }

  // The same of a window of many positions.
  template <int kVectors, template <typename> typename Last>
  [[gnu::noinline]] void GroupOfParts(const T* x, const T* w, T* out, i64 last_lanes) {
    constexpr i64 kLanes = kLanesOf<T>;
    const Last<T> last(last_lanes);
    alignas(64) T group[kVectors * kLanes];
    groups_.Clear();
    const i64 num_groups = CeilDivide(plan_.num_slices, plan_.group_slices);
    i64 p = 0, begin = 0;
    for (i64 g = 0; g < num_groups; ++g) {
      // -0 changes no sum, if the group is empty.
      for (T& sum : group) sum = static_cast<T>(-0.0);
      for (; p < num_parts_ && parts_[p].group == g; begin = parts_[p++].end) {
        Vector<T> sums[kVectors];
        Take<kVectors>(x, w, last, begin, parts_[p].end, sums);
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          Store(group + v * kLanes, Load(group + v * kLanes) + sums[v]);
        }
      }
      if (num_groups > 1) {
        groups_.Add(group, 0, 1, kVectors * kLanes, g + 1 == num_groups);
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) last.Store(out + v * kLanes, Load(group + v * kLanes));
  }

  // All groups of one output, 8 vectors at a time: enough independent sums to hide the latency of
  // fma.
  void Output(const T* x, T* out) {
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
  Part* parts_;
  GroupTree<T> groups_;
  i64 num_taps_ = 0, num_parts_ = 0;
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
