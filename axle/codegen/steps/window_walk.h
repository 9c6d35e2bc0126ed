// Windows that slide over an array, for the steps of reduce-window and select-and-scatter.
//
// Outputs, one per place of the window, are cut into slabs: neighbours in row-major order, few
// enough for a first-level cache. A slab takes one window position after the other. The outputs
// that meet an element at one of them are a strided box, and so are these elements (WindowTap in
// axle/ops/window.h), so a position is a few calls of a kernel, whatever the padding and dilation.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "axle/emit/strided_dims.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/window.h"

namespace axle {

// Sizes, steps and offsets are in elements.
struct WindowShape {
  struct Dim {
    i64 outputs;
    i64 output_step, element_step;  // to the next one along this dimension
    i64 size, stride, pad_low;      // the window along this dimension
    i64 block;                      // outputs of a slab
    std::vector<WindowTap> taps;    // in the order of the visits
    bool is_whole;                  // a window of one element, on each of them
  };
  std::vector<Dim> dims;  // at least one; neighbours that are whole are one
  i64 num_outputs = 1;
  i64 slab_outputs = 1;  // at most
  i64 num_slabs = 1;
  i64 num_taps = 1;          // window positions that meet an output, at most
  bool reads_apart = false;  // elements of neighbouring outputs are not neighbours
};

// In which order the positions of a window are visited: that of the canonical fold, which goes
// backwards along dimensions that are cumulative from the end (numerics.md N8), or always
// row-major.
enum class WindowOrder : std::uint8_t { kFold, kRowMajor };

// Nothing if there are no outputs or elements, or more window positions than is sensible.
std::optional<WindowShape> PlanWindowShape(const Window& window, const Dims& operand,
                                           const Dims& outputs, WindowOrder order);

// One call of a kernel: `outer` rows of `inner` outputs, which are neighbours.
struct WindowCall {
  i64 output;                  // the first one, counted from the slab's first
  i64 element;                 // and its element
  std::uint64_t position = 0;  // row-major number of the window position
  i64 inner = 1, outer = 1;
  i64 inner_element_step = 1, outer_output_step = 0, outer_element_step = 0;
};

class WindowWalk {
 public:
  explicit WindowWalk(const WindowShape& shape);

  void SetSlab(i64 slab);
  // The slab's outputs.
  i64 first() const { return first_; }
  i64 count() const { return count_; }

  // Calls call(WindowCall, offset) for each position of the window, in the order of the shape:
  // `offset` is from the element at the window's first position to that one. Stops, and gives
  // false, when `call` gives false.
  template <typename Call>
  bool ForEachCall(const Call& call) {
    for (const std::vector<WindowTap>& taps : taps_) {
      if (taps.empty()) return true;
    }
    std::vector<size_t>& at = at_;
    at.assign(taps_.size(), 0);
    while (true) {
      if (!CallsOf(at, call)) return false;
      size_t d = at.size();
      while (d > 0 && ++at[d - 1] == taps_[d - 1].size()) at[--d] = 0;
      if (d == 0) return true;
    }
  }

  // Calls row(output, element, count, step) for the slab's outputs, some at a time and in order:
  // the element at the first position of the first one's window, which may be padding, and how far
  // it is to the next one's.
  template <typename Row>
  void ForEachRow(const Row& row) {
    const WindowShape::Dim& last = shape_.dims.back();
    const i64 size = sizes_.back();
    for (i64 output = 0; output < count_; output += size) {
      i64 element = 0, rest = output / size;
      for (size_t d = sizes_.size(); d-- > 0;) {
        const WindowShape::Dim& dim = shape_.dims[d];
        i64 index = begin_[d];
        if (d + 1 < sizes_.size()) {
          index += rest % sizes_[d];
          rest /= sizes_[d];
        }
        element += (index * dim.stride - dim.pad_low) * dim.element_step;
      }
      row(output, element, size, last.stride * last.element_step);
    }
  }

 private:
  template <typename Call>
  bool CallsOf(const std::vector<size_t>& at, const Call& call) {
    WindowCall made{.output = 0, .element = 0};
    i64 offset = 0;
    dims_.clear();
    for (size_t d = 0; d < at.size(); ++d) {
      const WindowTap& tap = taps_[d][at[d]];
      const WindowShape::Dim& dim = shape_.dims[d];
      made.output += tap.output_begin * steps_[d];
      made.element += tap.operand_begin * dim.element_step;
      offset += tap.position * dim.element_step;
      made.position = made.position * static_cast<std::uint64_t>(dim.size) +
                      static_cast<std::uint64_t>(tap.position);
      AppendDim(dims_,
                {tap.count, tap.output_step * steps_[d], tap.operand_step * dim.element_step});
    }
    size_t rank = dims_.size();
    if (rank > 0 && dims_[rank - 1].to_step == 1) {
      made.inner = dims_[--rank].count;
      made.inner_element_step = dims_[rank].from_step;
    }
    if (rank > 0) {
      made.outer = dims_[--rank].count;
      made.outer_output_step = dims_[rank].to_step;
      made.outer_element_step = dims_[rank].from_step;
    }
    return CallsIn(rank, made, offset, call);
  }
  // Calls for all positions of the first `rank` dimensions of the box.
  template <typename Call>
  bool CallsIn(size_t rank, const WindowCall& first, i64 offset, const Call& call) {
    i64 calls = 1;
    for (size_t d = 0; d < rank; ++d) calls *= dims_[d].count;
    for (i64 k = 0; k < calls; ++k) {
      WindowCall made = first;
      i64 rest = k;
      for (size_t d = rank; d-- > 0; rest /= dims_[d].count) {
        made.output += rest % dims_[d].count * dims_[d].to_step;
        made.element += rest % dims_[d].count * dims_[d].from_step;
      }
      if (!call(made, offset)) return false;
    }
    return true;
  }

  const WindowShape& shape_;
  // The slab: by dimension, its outputs, what is between neighbours of it, and its taps, whose
  // outputs are counted from its first one.
  Dims begin_, sizes_, steps_;
  std::vector<std::vector<WindowTap>> taps_;
  i64 first_ = 0, count_ = 0;
  std::vector<StridedDim> dims_;  // of the box at hand: steps in outputs and in elements
  std::vector<size_t> at_;
};

}  // namespace axle
