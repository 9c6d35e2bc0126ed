// Convolutions along lines: vectors run over neighbouring outputs of the last spatial dimension,
// whose elements of lhs are neighbours too, so that nothing of lhs is copied. A register tile is
// some output features by some vectors; every window position and input feature adds one product to
// each of its sums, in the order of docs/numerics.md N6. This is the way of filters (signals,
// images, few features) and of features that lie outside of the spatial dimensions.
//
// The kernel elements of a tile of features are packed as [position][input feature][feature]. Along
// the last dimension an output meets the positions of an interval. A block of outputs has an
// interval of positions that all of them meet, which is a plain loop, and at its sides positions
// that some of them meet, whose lanes are masked: a skipped position must change no bit, which a
// product with zero would do.
//
// Positions of the other dimensions are listed once per class of lines (as in convolution.h), cut
// where a part ends. Sums of several parts are added up outside of the registers.
#pragma once
#include "axle/kernels/x86/convolution.h"

namespace axle::AXLE_ISA {

template <typename T>
class LineConvolver {
 public:
  static constexpr i64 kLanes = kLanesOf<T>;

  LineConvolver(const RunContext* run, const ConvolutionPlan& plan, void* const* buffers)
      : run_(run),
        plan_(plan),
        last_(plan.spatial[plan.num_spatial - 1]),
        lhs_(static_cast<const T*>(buffers[0])),
        rhs_(static_cast<const T*>(buffers[1])),
        result_(static_cast<T*>(buffers[2])),
        panel_(At<T>(buffers[3], plan.panels_at)),
        pieces_(At<Piece>(buffers[3], plan.offsets_at)),
        groups_(At<T>(buffers[3], plan.groups_at), plan.group_size) {
    for (int s = 0; s < plan.num_spatial; ++s) steps_[s] = StepsOf(plan.spatial[s]);
  }

  // Segments [begin, end) of the lines of a group, for all of its features.
  int Run(i64 group, i64 begin, i64 end) {
    const T* const lhs = lhs_ + group * plan_.lhs_group_stride;
    i64 n = 0;
    while (n < plan_.output_features) {
      const i64 rest = plan_.output_features - n, feature = group * plan_.output_features + n;
      const T* const rhs = rhs_ + feature * plan_.rhs_output_stride;
      T* const result = result_ + feature * plan_.output_feature_stride;
      int status = kKernelOk;
      const auto take = [&]<int kFeatures>(std::integral_constant<int, kFeatures>) {
        Pack<kFeatures>(rhs);
        status = Segments<kFeatures>(lhs, result, begin, end);
        n += kFeatures;
      };
      if (kIsWide && rest >= 8) {
        take(std::integral_constant < int, kIsWide ? 8 : 4 > ());
      } else if (rest >= 4) {
        take(std::integral_constant<int, 4>());
      } else {
        take(std::integral_constant<int, 1>());
      }
      if (status != kKernelOk) return status;
    }
    return kKernelOk;
  }

 private:
  // Window positions [first, end) of the last dimension at one position of the others; all belong
  // to one part.
  struct Piece {
    i64 lhs;     // from the line's origin
    i64 number;  // of the first one, among all positions
    i64 first, end, part;
  };
  // Positions of the last dimension that some outputs of a block meet, and those that all meet.
  struct Met {
    i64 begin, all_begin, all_end, end;
  };
  template <typename U>
  static U* At(void* scratch, i64 offset) {
    return reinterpret_cast<U*>(static_cast<unsigned char*>(scratch) + offset);
  }
  // The widest register tile of so many features.
  template <int kFeatures>
  static constexpr int kMostVectors = kFeatures == 1 ? 8 : (kIsWide ? 24 : 12) / kFeatures;

  template <int kFeatures>
  void Pack(const T* rhs) const {
    T* out = panel_;
    i64 position[kMaxRoleDims] = {};
    for (i64 p = 0; p < plan_.num_positions; ++p) {
      i64 at = 0;
      for (int s = 0; s < plan_.num_spatial; ++s) {
        const ConvolutionDim& dim = plan_.spatial[s];
        at += (dim.is_reversed ? dim.window - 1 - position[s] : position[s]) * dim.rhs_stride;
      }
      for (i64 f = 0; f < plan_.input_features; ++f, at += plan_.rhs_input_stride) {
        for (i64 j = 0; j < kFeatures; ++j) *out++ = rhs[at + j * plan_.rhs_output_stride];
      }
      int s = plan_.num_spatial - 1;
      while (s >= 0 && ++position[s] == plan_.spatial[s].window) position[s--] = 0;
    }
  }

  template <int kFeatures>
  int Segments(const T* lhs, T* result, i64 begin, i64 end) {
    bool is_new = true;
    for (i64 unit = begin; unit < end; ++unit) {
      if (IsStopped(run_)) return kKernelStopped;
      i64 rest = unit / plan_.line_segments, origin = 0, out = 0;
      for (int s = plan_.num_spatial - 2; s >= 0; --s) {
        const ConvolutionDim& dim = plan_.spatial[s];
        const i64 index = rest % dim.output_size;
        rest /= dim.output_size;
        const Taps taps = TapsOf(dim, steps_[s], index);
        is_new = is_new || taps.first != class_[s].first || taps.count != class_[s].count;
        class_[s] = taps;
        origin += taps.begin * dim.lhs_stride;
        out += index * dim.output_stride;
      }
      if (is_new) ListPieces();
      is_new = false;
      origin += rest * plan_.lhs_batch_stride;
      out += rest * plan_.output_batch_stride;
      const i64 first = unit % plan_.line_segments * plan_.segment_outputs;
      Segment<kFeatures>(lhs + origin, result + out, first,
                         Min(last_.output_size, first + plan_.segment_outputs));
    }
    return kKernelOk;
  }

  // Lists the pieces of the present class, in the order of their positions.
  [[gnu::noinline]] void ListPieces() {
    const int outer = plan_.num_spatial - 1;
    i64 count = 1;
    for (int s = 0; s < outer; ++s) count *= class_[s].count;
    num_pieces_ = 0;
    for (i64 i = 0; i < count; ++i) {
      i64 rest = i, lhs = 0, number = 0, scale = last_.window;
      for (int s = outer; s-- > 0;) {
        const i64 tap = rest % class_[s].count;
        rest /= class_[s].count;
        lhs += tap * steps_[s].element * plan_.spatial[s].lhs_stride;
        number += (class_[s].first + tap * steps_[s].position) * scale;
        scale *= plan_.spatial[s].window;
      }
      for (i64 first = 0; first < last_.window;) {
        const i64 part = (number + first) / plan_.slice_positions;
        const i64 end = Min(last_.window, (part + 1) * plan_.slice_positions - number);
        pieces_[num_pieces_++] = {lhs, number + first, first, end, part};
        first = end;
      }
    }
  }

  // Outputs [begin, end) of a line.
  template <int kFeatures>
  void Segment(const T* lhs, T* out, i64 begin, i64 end) {
    constexpr int kMost = kMostVectors<kFeatures>;
    i64 o = begin;
    for (; o + kMost * kLanes <= end; o += kMost * kLanes) {
      Block<kFeatures, kMost, AllLanes>(lhs, out, o, kLanes);
    }
    for (; o + kLanes < end; o += 2 * kLanes) {
      Block<kFeatures, 2, FirstLanes>(lhs, out, o, Min(kLanes, end - o - kLanes));
    }
    if (o < end) Block<kFeatures, 1, FirstLanes>(lhs, out, o, end - o);
  }

  // Those that outputs [o, o + count) meet: an output meets position t at element
  // output - pad_low + t * rhs_dilation.
  Met MetBy(i64 o, i64 count) const {
    const i64 step = last_.rhs_dilation, before = last_.pad_low - o;
    const i64 after = last_.lhs_size - 1 + before;
    Met met;
    met.begin = Max(0, CeilDivide(before - (count - 1), step));
    met.end = Max(met.begin, Min(last_.window, FloorDivide(after, step) + 1));
    met.all_begin = Min(met.end, Max(met.begin, CeilDivide(before, step)));
    met.all_end = Max(met.all_begin, Min(met.end, FloorDivide(after - (count - 1), step) + 1));
    return met;
  }

  // Outputs of some features, `kVectors` vectors from output o on. In a window of several parts,
  // the sum of a part that an output does not meet is -0, which changes no sum.
  template <int kFeatures, int kVectors, template <typename> typename Last>
  [[gnu::noinline]] void Block(const T* lhs, T* out, i64 o, i64 last_lanes) {
    const Last<T> last(last_lanes);
    const Met met = MetBy(o, (kVectors - 1) * kLanes + last_lanes);
    lhs += o - last_.pad_low;
    alignas(64) T group[kFeatures * kVectors * kLanes];
    FirstLanes<T> ever[kVectors];
    groups_.Clear();
    i64 i = 0;
    const i64 num_groups = CeilDivide(plan_.num_slices, plan_.group_slices);
    for (i64 g = 0; g < num_groups; ++g) {
      for (T& sum : group) sum = static_cast<T>(-0.0);
      while (i < num_pieces_ && pieces_[i].part / plan_.group_slices == g) {
        Vector<T> sums[kFeatures][kVectors];
        FirstLanes<T> lanes[kVectors];
        Clear(sums);
        const i64 part = pieces_[i].part;
        for (; i < num_pieces_ && pieces_[i].part == part; ++i) {
          Take(pieces_[i], lhs, o, met, last, sums, lanes);
        }
        if (plan_.num_slices == 1) {
#pragma GCC unroll 8
          for (int j = 0; j < kFeatures; ++j) {
            T* const line = out + j * plan_.output_feature_stride + o;
#pragma GCC unroll 8
            for (int v = 0; v + 1 < kVectors; ++v) Store(line + v * kLanes, sums[j][v]);
            last.Store(line + (kVectors - 1) * kLanes, sums[j][kVectors - 1]);
          }
          return;
        }
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          ever[v].Include(lanes[v]);
#pragma GCC unroll 8
          for (int j = 0; j < kFeatures; ++j) {
            T* const sum = group + (j * kVectors + v) * kLanes;
            Store(sum, Load(sum) + lanes[v].Select(sums[j][v], Broadcast(static_cast<T>(-0.0))));
          }
        }
      }
      if (num_groups > 1) {
        groups_.Add(group, kVectors * kLanes, kFeatures, kVectors * kLanes, g + 1 == num_groups);
      }
    }
    for (int j = 0; j < kFeatures; ++j) {
      T* const line = out + j * plan_.output_feature_stride + o;
      for (int v = 0; v < kVectors; ++v) {
        const T* const sum = group + (j * kVectors + v) * kLanes;
        const FirstLanes<T> stored(v + 1 < kVectors ? kLanes : last_lanes);
        stored.Store(line + v * kLanes, ever[v].Select(Load(sum), Vector<T>{}));
      }
    }
  }

  template <int kFeatures, int kVectors>
  [[gnu::always_inline]] static void Clear(Vector<T> (&sums)[kFeatures][kVectors]) {
#pragma GCC unroll 8
    for (int j = 0; j < kFeatures; ++j) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sums[j][v] = Vector<T>{};
    }
  }

  // Adds the products of a piece. `lhs` is the element that output o meets at position 0 of the
  // last dimension. The lanes that meet something are added to `lanes`.
  template <int kFeatures, int kVectors, typename Last>
  [[gnu::always_inline]] void Take(const Piece& piece, const T* lhs, i64 o, const Met& met,
                                   const Last& last, Vector<T> (&sums)[kFeatures][kVectors],
                                   FirstLanes<T> (&lanes)[kVectors]) const {
    const i64 end = Min(piece.end, met.end), all_end = Min(piece.end, met.all_end);
    const i64 step = last_.rhs_dilation, inner = plan_.input_features;
    for (i64 t = Max(piece.first, met.begin); t < end;) {
      const T* x = lhs + piece.lhs + t * step;
      const T* w = panel_ + (piece.number + t - piece.first) * inner * kFeatures;
      if (t >= met.all_begin && t < all_end) {
        // Two loops, the inner one as long as possible.
        const i64 count = all_end - t;
        const bool is_single = inner == 1;
        const i64 outer_count = is_single ? 1 : count, inner_count = is_single ? count : inner;
        const i64 inner_step = is_single ? step : plan_.lhs_feature_stride;
        for (i64 i = 0; i < outer_count; ++i, x += step) {
          const T* y = x;
          for (i64 k = 0; k < inner_count; ++k, y += inner_step, w += kFeatures) {
            Vector<T> factors[kVectors];
#pragma GCC unroll 8
            for (int v = 0; v + 1 < kVectors; ++v) factors[v] = Load(y + v * kLanes);
            factors[kVectors - 1] = last.Load(y + (kVectors - 1) * kLanes);
            Multiply(factors, w, sums);
          }
        }
        for (int v = 0; v < kVectors; ++v) lanes[v] = FirstLanes<T>(kLanes);
        t = all_end;
        continue;
      }
      const i64 base = o - last_.pad_low + t * step;  // of the first lane
      FirstLanes<T> some[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const i64 at = base + v * kLanes;
        some[v] = FirstLanes<T>(Max(0, Min(kLanes, last_.lhs_size - at)));
        some[v].Remove(FirstLanes<T>(Max(0, Min(kLanes, -at))));
        lanes[v].Include(some[v]);
      }
      for (i64 k = 0; k < inner; ++k, x += plan_.lhs_feature_stride, w += kFeatures) {
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          const Vector<T> factor = some[v].Load(x + v * kLanes);
#pragma GCC unroll 8
          for (int j = 0; j < kFeatures; ++j) {
            sums[j][v] = some[v].MultiplyAdd(factor, Broadcast(w[j]), sums[j][v]);
          }
        }
      }
      ++t;
    }
  }

  template <int kFeatures, int kVectors>
  [[gnu::always_inline]] static void Multiply(const Vector<T> (&factors)[kVectors], const T* w,
                                              Vector<T> (&sums)[kFeatures][kVectors]) {
#pragma GCC unroll 8
    for (int j = 0; j < kFeatures; ++j) {
      const Vector<T> weight = Broadcast(w[j]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sums[j][v] = MultiplyAdd(factors[v], weight, sums[j][v]);
    }
  }

  const RunContext* run_;
  const ConvolutionPlan& plan_;
  const ConvolutionDim& last_;
  const T *lhs_, *rhs_;
  T* result_;
  T* panel_;
  Piece* pieces_;
  GroupTree<T> groups_;
  i64 num_pieces_ = 0;
  TapSteps steps_[kMaxRoleDims];
  Taps class_[kMaxRoleDims];
};

// The KernelFunction: tiles of segments, one after the other in each group.
template <typename T>
int RunLines(const RunContext* run, const void* plan_bytes, void* const* buffers, i64 begin,
             i64 end) {
  const ConvolutionPlan& plan = *static_cast<const ConvolutionPlan*>(plan_bytes);
  LineConvolver<T> convolver(run, plan, buffers);
  for (i64 tile = begin; tile < end; ++tile) {
    const i64 first = tile % plan.num_row_tiles * plan.tile_segments;
    const int status = convolver.Run(tile / plan.num_row_tiles, first,
                                     Min(plan.num_segments, first + plan.tile_segments));
    if (status != kKernelOk) return status;
  }
  return kKernelOk;
}

}  // namespace axle::AXLE_ISA
