// The blocked convolution. Rows are outputs (and batch elements), columns are output features, and
// k runs over window positions and input features. Rows are taken in blocks; within a block, rows
// whose windows lose the same positions to padding and dilation holes form a class: for a 3x3
// window on an image with padding 1 there are 9 classes (interior, 4 edges, 4 corners). The columns
// of a slice of k are packed into panels once for all classes: [k][columns] with every position.
// The rows of a class are gathered without the positions that they lack and multiplied with the
// runs of the panel between them; a chain continues from run to run, so that each result takes its
// products in the order of docs/numerics.md N6.
//
// In the tile order the features of a position are filled up with zeros to blocks of 32. With fewer
// features than that, blocks run over the last window dimension too (is_flat): positions there that
// a class lacks are zeros on both sides, so the panel is packed for each class.
#pragma once
#include "axle/kernels/convolution.h"
#include "axle/kernels/x86/families.h"
#include "axle/kernels/x86/group_tree.h"

namespace axle::AXLE_ISA {

// The window positions first, first + step, ... along a dimension at which an output meets elements
// of lhs: begin, begin + element_step, ...
struct Taps {
  i64 first, count, begin;
};

// The steps of taps, which do not depend on the output.
struct TapSteps {
  i64 position, element;
};

inline i64 FloorDivide(i64 a, i64 b) {
  const i64 q = a / b;
  return q * b > a ? q - 1 : q;
}

inline TapSteps StepsOf(const ConvolutionDim& dim) {
  i64 a = dim.rhs_dilation, b = dim.lhs_dilation;
  while (b != 0) {
    const i64 rest = a % b;
    a = b;
    b = rest;
  }
  return {dim.lhs_dilation / a, dim.rhs_dilation / a};
}

inline Taps TapsOf(const ConvolutionDim& dim, const TapSteps& steps, i64 output) {
  const i64 base = output * dim.stride - dim.pad_low;    // of position 0, in lhs with its holes
  if (dim.lhs_dilation == 1 && dim.rhs_dilation == 1) {  // the same, without divisions
    const i64 begin = Max(0, -base), end = Min(dim.window, dim.lhs_size - base);
    if (begin >= end) return {0, 0, 0};
    return {begin, end - begin, base + begin};
  }
  const i64 most = (dim.lhs_size - 1) * dim.lhs_dilation - base;
  if (dim.lhs_size == 0 || most < 0) return {0, 0, 0};
  i64 first = base >= 0 ? 0 : CeilDivide(-base, dim.rhs_dilation);
  const i64 last = Min(dim.window - 1, most / dim.rhs_dilation);
  // One of these positions meets an element and not a hole, or none does.
  const i64 tries = Min(first + steps.position, last + 1);
  while (first < tries && (base + first * dim.rhs_dilation) % dim.lhs_dilation != 0) ++first;
  if (first >= tries) return {0, 0, 0};
  return {first, (last - first) / steps.position + 1,
          (base + first * dim.rhs_dilation) / dim.lhs_dilation};
}

template <typename Family>
class Convolver {
 public:
  using Packed = typename Family::Packed;
  using Element = typename Family::Element;
  using Sum = typename Family::Sum;
  static constexpr i64 kLanes = kLanesOf<Sum>;
  static constexpr i64 kParts = Family::kParts;
  static constexpr i64 kUnit = Family::kUnit;

  Convolver(const RunContext* run, const ConvolutionPlan& plan, void* const* buffers)
      : run_(run),
        plan_(plan),
        buffers_(buffers),
        lhs_(plan.row_operand, plan.sum, Family::SumBytes(plan), buffers),
        rhs_(plan.column_operand, plan.sum, Family::SumBytes(plan), buffers),
        result_(static_cast<unsigned char*>(buffers[2])),
        groups_(reinterpret_cast<Sum*>(static_cast<unsigned char*>(buffers[3]) + plan.groups_at),
                plan.group_size) {
    auto* scratch = static_cast<unsigned char*>(buffers[3]);
    panels_ = reinterpret_cast<Packed*>(scratch + plan.panels_at);
    row_block_ = reinterpret_cast<Packed*>(scratch + plan.row_block_at);
    sums_ = reinterpret_cast<Sum*>(scratch + plan.sums_at);
    slice_sums_ = reinterpret_cast<Sum*>(scratch + plan.slice_sums_at);
    auto* numbers = reinterpret_cast<i64*>(scratch + plan.offsets_at);
    const auto take = [&](i64 count) {
      i64* const begin = numbers;
      numbers += count;
      return begin;
    };
    origins_ = take(plan.tile_rows);
    results_ = take(plan.tile_rows);
    class_of_ = take(plan.tile_rows);
    sorted_ = take(plan.tile_rows);
    class_begins_ = take(plan.tile_rows + 1);
    classes_ = take(plan.tile_rows * 2 * kMaxRoleDims);
    column_offsets_ = take(plan.tile_columns);
    lhs_depth_ = take(plan.depth);
    rhs_depth_ = take(plan.depth);
    positions_ = take(plan.slice_positions);
    for (int s = 0; s < plan.num_spatial; ++s) steps_[s] = StepsOf(plan.spatial[s]);
  }

  // Rows [m0, m1), at most plan.tile_rows, of a group and a tile of its columns.
  int Run(i64 group, i64 column_tile, i64 m0, i64 m1) {
    const i64 n = column_tile * plan_.tile_columns;
    width_ = Min(plan_.tile_columns, plan_.output_features - n);
    lhs_.MoveTo(buffers_, group * plan_.lhs_group_stride);
    rhs_.MoveTo(buffers_, (group * plan_.output_features + n) * plan_.rhs_output_stride);
    for (i64 j = 0; j < width_; ++j) column_offsets_[j] = j * plan_.rhs_output_stride;
    const i64 tile = group * plan_.num_column_tiles + column_tile;
    panels_ready_ = plan_.keeps_panels && tile == ready_tile_;
    num_rows_ = m1 - m0;
    Classify(m0);
    SortRows();
    for (i64 c = 0; c < num_classes_; ++c) started_[c] = has_sums_[c] = false;
    groups_.Clear();

    i64 slice = 0;
    for (i64 p = 0; p < plan_.num_positions; p += plan_.slice_positions) {
      const i64 positions = Min(plan_.slice_positions, plan_.num_positions - p);
      for (i64 f = 0; f < plan_.inner; f += plan_.slice_inner) {
        if (IsStopped(run_)) return kKernelStopped;
        slice_ = {p, positions, f, Min(plan_.slice_inner, plan_.inner - f)};
        RunSlice(slice++);
        EndSlice(slice);
      }
    }
    ready_tile_ = plan_.keeps_panels ? tile : -1;
    Finish((group * plan_.output_features + n) * plan_.output_feature_stride);
    return kKernelOk;
  }

 private:
  struct Slice {
    i64 position, num_positions, inner, num_inner;
  };
  // Adjacent elements of lhs, or zeros where `offset` is kNowhere, and their places in a packed
  // row.
  struct Segment {
    i64 begin, count, offset;
  };
  // Contracted elements that are adjacent in the panel, and how they are added to the sums.
  struct PanelRun {
    i64 begin, length;
    Sum* sums;
    SumMode mode;
  };
  static constexpr i64 kMaxClasses = 512;

  i64 PanelWidth() const { return plan_.vectors * kLanes; }
  i64 SumRow() const { return RoundUp(width_, kLanes) * kParts; }
  i64 FilledInner() const { return RoundUp(slice_.num_inner, kUnit); }
  Taps ClassTaps(i64 c, int s) const {
    const i64* numbers = classes_ + (c * kMaxRoleDims + s) * 2;
    return {numbers[0], numbers[1], 0};
  }

  // Finds where each row's first elements and results are, and its class.
  void Classify(i64 m0) {
    i64 index[kMaxRoleDims], rest = m0;
    for (int s = plan_.num_spatial; s-- > 0;) {
      index[s] = rest % plan_.spatial[s].output_size;
      rest /= plan_.spatial[s].output_size;
    }
    i64 batch = rest;
    num_classes_ = 0;
    Taps taps[kMaxRoleDims];
    for (int s = 0; s < plan_.num_spatial; ++s)
      taps[s] = TapsOf(plan_.spatial[s], steps_[s], index[s]);
    for (i64 i = 0; i < num_rows_; ++i) {
      i64 origin = batch * plan_.lhs_batch_stride, result = batch * plan_.output_batch_stride;
      for (int s = 0; s < plan_.num_spatial; ++s) {
        origin += taps[s].begin * plan_.spatial[s].lhs_stride;
        result += index[s] * plan_.spatial[s].output_stride;
      }
      origins_[i] = origin;
      results_[i] = result;
      class_of_[i] = FindClass(taps, i > 0 ? class_of_[i - 1] : 0);
      int s = plan_.num_spatial - 1;
      for (; s >= 0; --s) {
        const bool carries = ++index[s] == plan_.spatial[s].output_size;
        if (carries) index[s] = 0;
        taps[s] = TapsOf(plan_.spatial[s], steps_[s], index[s]);
        if (!carries) break;
      }
      if (s < 0) ++batch;
    }
  }

  // Puts the rows of each class one behind the other, in their order.
  void SortRows() {
    for (i64 c = 0; c <= num_classes_; ++c) class_begins_[c] = 0;
    for (i64 i = 0; i < num_rows_; ++i) ++class_begins_[class_of_[i] + 1];
    for (i64 c = 0; c < num_classes_; ++c) class_begins_[c + 1] += class_begins_[c];
    for (i64 i = 0; i < num_rows_; ++i) sorted_[class_begins_[class_of_[i]]++] = i;
    for (i64 c = num_classes_; c > 0; --c) class_begins_[c] = class_begins_[c - 1];
    class_begins_[0] = 0;
  }

  // The class of these taps, a new one if need be; likely the same as `guess`.
  i64 FindClass(const Taps* taps, i64 guess) {
    for (i64 i = -1; i < num_classes_; ++i) {
      const i64 c = i < 0 ? guess : i;
      if (c >= num_classes_) continue;
      bool same = true;
      for (int s = 0; s < plan_.num_spatial; ++s) {
        const Taps known = ClassTaps(c, s);
        same = same && known.first == taps[s].first && known.count == taps[s].count;
      }
      if (same) return c;
    }
    for (int s = 0; s < plan_.num_spatial; ++s) {
      i64* numbers = classes_ + (num_classes_ * kMaxRoleDims + s) * 2;
      numbers[0] = taps[s].first;
      numbers[1] = taps[s].count;
    }
    return num_classes_++;
  }

  int NumOuter() const { return plan_.num_spatial - (plan_.is_flat ? 1 : 0); }

  // The taps' number of a window position, or kNowhere where the class meets nothing.
  static i64 TapAt(const Taps& taps, const TapSteps& steps, i64 position) {
    const i64 distance = position - taps.first;
    if (distance < 0) return kNowhere;
    if (steps.position != 1 && distance % steps.position != 0) return kNowhere;
    const i64 tap = steps.position == 1 ? distance : distance / steps.position;
    return tap < taps.count ? tap : kNowhere;
  }

  i64 KernelOffset(int s, i64 position) const {
    const ConvolutionDim& dim = plan_.spatial[s];
    return (dim.is_reversed ? dim.window - 1 - position : position) * dim.rhs_stride;
  }

  // Where an outer position is in rhs.
  i64 RhsPosition(i64 position) const {
    i64 offset = 0;
    for (int s = NumOuter(); s-- > 0;) {
      offset += KernelOffset(s, position % plan_.spatial[s].window);
      position /= plan_.spatial[s].window;
    }
    return offset;
  }
  // Lists where the outer positions of the slice are in lhs from a row's origin; kNowhere for those
  // that the class lacks.
  void ListPositions(i64 c) {
    const int outer = NumOuter();
    i64 index[kMaxRoleDims], offsets[kMaxRoleDims + 1] = {}, rest = slice_.position;
    for (int s = outer; s-- > 0;) {
      index[s] = rest % plan_.spatial[s].window;
      rest /= plan_.spatial[s].window;
    }
    int changed = 0;  // offsets[s] is the sum over the dimensions before s
    for (i64 p = 0; p < slice_.num_positions; ++p) {
      for (int s = changed; s < outer; ++s) {
        const i64 tap = TapAt(ClassTaps(c, s), steps_[s], index[s]);
        offsets[s + 1] = offsets[s] < 0 || tap < 0
                             ? kNowhere
                             : offsets[s] + tap * steps_[s].element * plan_.spatial[s].lhs_stride;
      }
      positions_[p] = offsets[outer];
      changed = outer - 1;
      while (changed >= 0 && ++index[changed] == plan_.spatial[changed].window) {
        index[changed--] = 0;
      }
      changed = static_cast<int>(Max(0, changed));
    }
  }

  // Packs the columns of the slice; if flat, only the positions that the class meets.
  void PackColumns(i64 c, Packed* panel) {
    const i64 filled = FilledInner(), count = slice_.num_positions * filled;
    for (i64 p = 0; p < slice_.num_positions; ++p) {
      i64* offsets = rhs_depth_ + p * filled;
      const i64 base = RhsPosition(slice_.position + p);
      for (i64 i = 0; i < filled; ++i) {
        const i64 inner = InnerRhs(c, i);
        offsets[i] = inner < 0 ? kNowhere : base + inner;
      }
    }
    if constexpr (Family::kCopiesPanels) {
      if (width_ > 1 && plan_.rhs_output_stride == 1) {
        return CopyPanels(rhs_, 0, width_, PanelWidth(), rhs_depth_, count, count, panel);
      }
    }
    for (i64 j = 0; j < width_; j += PanelWidth()) {
      const i64 columns = Min(PanelWidth(), width_ - j), lanes = RoundUp(columns, kLanes);
      PackPanel<Family>(rhs_, column_offsets_ + j, columns, lanes, rhs_depth_, count, panel);
      panel += count * lanes * kParts;
    }
  }
  // The offset in rhs of inner element i of the slice; kNowhere for padding.
  i64 InnerRhs(i64 c, i64 i) const {
    if (i >= slice_.num_inner) return kNowhere;
    const i64 k = slice_.inner + i;
    if (!plan_.is_flat) return k * plan_.rhs_input_stride;
    const int s = plan_.num_spatial - 1;
    const i64 position = k / plan_.input_features, feature = k % plan_.input_features;
    if (TapAt(ClassTaps(c, s), steps_[s], position) < 0) return kNowhere;
    return KernelOffset(s, position) + feature * plan_.rhs_input_stride;
  }
  i64 InnerLhs(i64 c, i64 i) const {
    if (i >= slice_.num_inner) return kNowhere;
    const i64 k = slice_.inner + i;
    if (!plan_.is_flat) return k * plan_.lhs_feature_stride;
    const int s = plan_.num_spatial - 1;
    const i64 position = k / plan_.input_features, feature = k % plan_.input_features;
    const i64 tap = TapAt(ClassTaps(c, s), steps_[s], position);
    if (tap < 0) return kNowhere;
    return tap * steps_[s].element * plan_.spatial[s].lhs_stride +
           feature * plan_.lhs_feature_stride;
  }

  i64 PanelBytes(i64 count) const { return count * RoundUp(width_, kLanes) * kParts; }

  void RunSlice(i64 slice) {
    const i64 count = slice_.num_positions * FilledInner();
    Packed* panel = panels_ + (plan_.keeps_panels ? slice * PanelBytes(plan_.depth) : 0);
    if (!plan_.is_flat && !panels_ready_) PackColumns(0, panel);
    for (i64 c = 0; c < num_classes_; ++c) {
      const i64 first_row = class_begins_[c], num_rows = class_begins_[c + 1] - first_row;
      members_ = sorted_ + first_row;
      ListPositions(c);
      if (plan_.is_flat) PackColumns(c, panel);
      const bool in_place = IsReadInPlace(num_rows);
      if (in_place || GatherRows(c, num_rows) > 0) {
        MultiplyClass(c, first_row, num_rows, panel, count, in_place);
      }
    }
  }

  // Called after `slices` slices: where a group of slices ends, joins its sums with those of other
  // groups. Rows whose windows met nothing in the group get -0, which changes no sum.
  void EndSlice(i64 slices) {
    const bool is_last = slices == plan_.num_slices;
    if (plan_.num_slices <= plan_.group_slices) return;
    if (slices % plan_.group_slices != 0 && !is_last) return;
    for (i64 c = 0; c < num_classes_; ++c) {
      if (!started_[c]) FillSums(c, static_cast<Sum>(-0.0));
      started_[c] = false;
    }
    const typename Family::Mode mode;
    groups_.Add(sums_, SumRow(), num_rows_, SumRow(), is_last);
  }
  void FillSums(i64 c, Sum value) {
    Sum* sums = sums_ + class_begins_[c] * SumRow();
    const i64 n = (class_begins_[c + 1] - class_begins_[c]) * SumRow();
    for (i64 i = 0; i < n; ++i) sums[i] = value;
  }

  // Gathers the factors of a class and returns how many each row has in this slice.
  i64 GatherRows(i64 c, i64 num_rows) {
    i64 n = SegmentsOfPositions();
    if (n < 0) n = SegmentsOfElements(c);
    if (n == 0) return 0;
    auto* out = reinterpret_cast<Element*>(row_block_);
    if (!Family::kInterleaves && is_listed_ && num_rows >= 4) {
      GatherAcross(num_rows, n, out);
      block_ = {row_block_, 1, num_rows};
      return n;
    }
    const i64 row_step = RoundUp(n, 16) + 16;
    for (i64 r = 0; r < num_rows; ++r, out += row_step) GatherRow(origins_[members_[r]], n, out);
    block_ = {row_block_, row_step, 1};
    return n;
  }

  // Appends `count` neighbours, or as many zeros. False if there is no room.
  bool AppendSegment(i64 begin, i64 count, i64 offset) {
    if (num_segments_ > 0) {
      Segment& last = segments_[num_segments_ - 1];
      const i64 next = last.offset < 0 ? kNowhere : last.offset + last.count;
      if (offset == next) {
        last.count += count;
        return true;
      }
    }
    if (num_segments_ == kMaxSegments) return false;
    segments_[num_segments_++] = {begin, count, offset};
    return true;
  }

  // How many factors each row of the class has in this slice, as segments. -1 where they are better
  // listed one by one.
  i64 SegmentsOfPositions() {
    if (plan_.is_flat || plan_.lhs_feature_stride != 1) return -1;
    const i64 filled = FilledInner();
    i64 n = 0;
    num_segments_ = 0;
    for (i64 p = 0; p < slice_.num_positions; ++p) {
      const i64 base = positions_[p];
      if (base < 0) continue;
      if (!AppendSegment(n, slice_.num_inner, base + slice_.inner)) return -1;
      const i64 zeros = filled - slice_.num_inner;
      if (zeros > 0 && !AppendSegment(n + slice_.num_inner, zeros, kNowhere)) return -1;
      n += filled;
    }
    is_listed_ = num_segments_ * 4 > n;
    return is_listed_ ? -1 : n;
  }

  // The same, with each one in lhs_depth_.
  i64 SegmentsOfElements(i64 c) {
    const i64 filled = FilledInner();
    i64 n = 0;
    bool fits = true;
    num_segments_ = 0;
    for (i64 p = 0; p < slice_.num_positions; ++p) {
      const i64 base = positions_[p];
      if (base < 0) continue;
      for (i64 i = 0; i < filled; ++i, ++n) {
        const i64 inner = InnerLhs(c, i);
        lhs_depth_[n] = inner < 0 ? kNowhere : base + inner;
        fits = fits && AppendSegment(n, 1, lhs_depth_[n]);
      }
    }
    is_listed_ = !fits || num_segments_ * 4 > n;
    return n;
  }

  void GatherRow(i64 origin, i64 n, Element* out) const {
    if (!is_listed_) {
      for (i64 i = 0; i < num_segments_; ++i) {
        const Segment& segment = segments_[i];
        if (segment.offset < 0) {
          for (i64 k = 0; k < segment.count; ++k) out[segment.begin + k] = Element();
        } else {
          lhs_.LoadNeighbours(origin + segment.offset, segment.count, out + segment.begin);
        }
      }
      return;
    }
    for (i64 k = 0; k < n;) {
      i64 end = k;
      while (end < n && lhs_depth_[end] >= 0) ++end;
      if (end > k) lhs_.Gather(origin, lhs_depth_ + k, end - k, out + k);
      for (; end < n && lhs_depth_[end] < 0; ++end) out[end] = Element();
      k = end;
    }
  }

  // out[k][row], for operands in which rows are neighbours and contracted elements are not.
  void GatherAcross(i64 num_rows, i64 n, Element* out) const {
    for (i64 r = 0; r < num_rows;) {
      const i64 origin = origins_[members_[r]];
      i64 end = r + 1;
      while (end < num_rows && origins_[members_[end]] == origin + end - r) ++end;
      for (i64 k = 0; k < n; ++k) {
        Element* row = out + k * num_rows + r;
        if (lhs_depth_[k] < 0) {
          for (i64 i = 0; i < end - r; ++i) row[i] = Element();
        } else {
          lhs_.LoadNeighbours(origin + lhs_depth_[k], end - r, row);
        }
      }
      r = end;
    }
  }

  // Whether the rows are read from lhs directly: contracted elements are adjacent and rows are
  // mostly equally spaced, so that a copy would cost more than it saves.
  bool IsReadInPlace(i64 num_rows) const {
    if constexpr (!Family::kInPlace) return false;
    if (!lhs_.is_same() || plan_.lhs_feature_stride != 1 || slice_.num_inner < 16) return false;
    i64 runs = 0;
    for (i64 r = 0; r < num_rows; r += EvenRows(r, num_rows)) ++runs;
    return runs * 4 <= num_rows;
  }
  // The number of equally spaced rows from r on.
  i64 EvenRows(i64 r, i64 num_rows) const {
    if (r + 1 == num_rows) return 1;
    const i64 step = origins_[members_[r + 1]] - origins_[members_[r]];
    i64 end = r + 2;
    while (end < num_rows && origins_[members_[end]] - origins_[members_[end - 1]] == step) ++end;
    return end - r;
  }

  // The first position of the slice from p on that the class does not lack, or their number.
  i64 NextMet(i64 p) const {
    while (p < slice_.num_positions && positions_[p] < 0) ++p;
    return p;
  }
  // The end of the run of positions from p on that are adjacent in the panel, and in lhs if that is
  // read in place.
  i64 RunEnd(i64 p, bool in_place) const {
    const i64 base = positions_[p];
    i64 end = p + 1;
    for (; end < slice_.num_positions; ++end) {
      const i64 next = positions_[end];
      if (in_place ? next != base + (end - p) * slice_.num_inner : next < 0) break;
    }
    return end;
  }

  // Multiplies with every run of positions that the class does not lack: one part of its sums.
  void MultiplyClass(i64 c, i64 first_row, i64 num_rows, const Packed* panel, i64 count,
                     bool in_place) {
    const i64 filled = FilledInner();
    const bool adds = Family::kAddsParts && started_[c];
    i64 present = 0;
    for (i64 p = NextMet(0); p < slice_.num_positions;) {
      const i64 end = RunEnd(p, in_place), next = NextMet(end);
      const bool is_first = present == 0, is_last = next == slice_.num_positions;
      const bool is_apart = adds && !(is_first && is_last);
      const PanelRun run = {p * filled, (end - p) * filled, is_apart ? slice_sums_ : sums_,
                            adds && !is_apart                        ? SumMode::kAdd
                            : is_first && (is_apart || !started_[c]) ? SumMode::kBegin
                                                                     : SumMode::kContinue};
      if (in_place) {
        MultiplyInPlace(positions_[p] + slice_.inner, first_row, num_rows, panel, count, run);
      } else {
        MultiplyRun(first_row, num_rows, panel, count, present * filled, run);
      }
      if (is_apart && is_last) {
        const i64 at = first_row * SumRow();
        JoinSums<Sum, true>(slice_sums_ + at, SumRow(), sums_ + at, SumRow(), num_rows, SumRow());
      }
      present += end - p;
      p = next;
    }
    started_[c] = started_[c] || present > 0;
    has_sums_[c] = has_sums_[c] || present > 0;
  }

  // Reads rows from lhs, at `offset` from their origins.
  void MultiplyInPlace(i64 offset, i64 first_row, i64 num_rows, const Packed* panel, i64 count,
                       const PanelRun& run) {
    for (i64 r = 0; r < num_rows;) {
      const i64 rows = EvenRows(r, num_rows), origin = origins_[members_[r]];
      const i64 step = rows == 1 ? 0 : origins_[members_[r + 1]] - origin;
      block_ = {lhs_.At(origin + offset), step, 1};
      MultiplyRun(first_row + r, rows, panel, count, 0, run);
      r += rows;
    }
  }

  // Packed rows are read from element `row_begin` on.
  void MultiplyRun(i64 first_row, i64 num_rows, const Packed* panel, i64 count, i64 row_begin,
                   const PanelRun& run) {
    const typename Family::Mode mode;
    const i64 sum_row = SumRow();
    const TileTable& tiles = Family::Tiles(plan_);
    const auto* rows = static_cast<const Element*>(block_.data) + row_begin * block_.depth_step;
    Sum* sums = run.sums + first_row * sum_row;
    for (i64 j = 0; j < width_; j += PanelWidth()) {
      const i64 columns = Min(PanelWidth(), width_ - j), vectors = CeilDivide(columns, kLanes);
      const i64 row = vectors * kLanes * kParts;
      const i64 height = TileHeight(num_rows, Family::kMaxRows[vectors - 1]);
      for (i64 i = 0; i < num_rows; i += height) {
        const i64 tile_rows = Min(height, num_rows - i);
        tiles.functions[vectors - 1][tile_rows - 1](
            run.length, rows + i * block_.row_step, block_.row_step, block_.depth_step,
            panel + run.begin * row, row, sums + i * sum_row + j * kParts, sum_row, kLanes,
            run.mode);
      }
      panel += count * row;
    }
  }

  // Stores the sums, which are in the order of classes, as results.
  void Finish(i64 result) {
    const i64 sum_row = SumRow();
    alignas(64) unsigned char buffer[kRun * 16];
    for (i64 j = 0; j < width_; ++j) column_offsets_[j] = j * plan_.output_feature_stride;
    for (i64 c = 0; c < num_classes_; ++c) {
      if (!has_sums_[c]) FillSums(c, 0);
    }
    const Sum* sums = sums_;
    for (i64 i = 0; i < num_rows_; ++i, sums += sum_row) {
      unsigned char* out = result_ + (result + results_[sorted_[i]]) * plan_.result_bytes;
      for (i64 j = 0; j < width_; j += kRun) {
        const i64 columns = Min(kRun, width_ - j);
        if (plan_.output_feature_stride == 1) {
          Family::StoreRun(plan_, sums + j * kParts, columns, out + j * plan_.result_bytes);
        } else {
          Family::StoreRun(plan_, sums + j * kParts, columns, buffer);
          ScatterElements(buffer, columns, column_offsets_ + j, plan_.result_bytes, out);
        }
      }
    }
  }

  static constexpr i64 kMaxSegments = 128;

  const RunContext* run_;
  const ConvolutionPlan& plan_;
  void* const* buffers_;
  Source lhs_, rhs_;
  unsigned char* result_;
  Packed *panels_, *row_block_;
  Sum *sums_, *slice_sums_;
  i64 *origins_, *results_, *class_of_;  // of the rows of a block
  i64 *sorted_, *class_begins_;          // rows by class
  const i64* members_ = nullptr;         // rows of the present class
  i64* classes_;                         // first and count of each dimension
  i64 *column_offsets_, *lhs_depth_, *rhs_depth_;
  i64* positions_;  // of the slice, of the present class
  TapSteps steps_[kMaxRoleDims];
  Slice slice_ = {};
  RowBlock block_ = {};
  i64 width_ = 0, num_classes_ = 0, num_segments_ = 0, num_rows_ = 0;
  i64 ready_tile_ = -1;
  bool panels_ready_ = false;
  bool is_listed_ = false;      // segments are too short: lhs_depth_ has every factor
  bool started_[kMaxClasses];   // in this group of slices
  bool has_sums_[kMaxClasses];  // in any
  Segment segments_[kMaxSegments];
  GroupTree<Sum> groups_;
};

// The KernelFunction: tiles of rows, one after the other in each tile of columns of each group.
template <typename Family>
int RunConvolution(const RunContext* run, const void* plan_bytes, void* const* buffers, i64 begin,
                   i64 end) {
  const ConvolutionPlan& plan = *static_cast<const ConvolutionPlan*>(plan_bytes);
  Convolver<Family> convolver(run, plan, buffers);
  for (i64 tile = begin; tile < end; ++tile) {
    const i64 line = tile / plan.num_row_tiles, row = tile % plan.num_row_tiles;
    const int status =
        convolver.Run(line / plan.num_column_tiles, line % plan.num_column_tiles,
                      row * plan.tile_rows, Min(plan.rows, (row + 1) * plan.tile_rows));
    if (status != kKernelOk) return status;
  }
  return kKernelOk;
}

}  // namespace axle::AXLE_ISA
