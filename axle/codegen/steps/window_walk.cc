// How the outputs of windows are cut into slabs. Slabs take whole dimensions from the inside, then
// a part of one, then single positions of the outer ones, up to kSlabOutputs outputs. For outputs
// [8,14,14,64]: 64 channels, 14 columns, 4 of 14 rows, 1 image: 3584 outputs, 32 slabs.
//
// Dimensions on which the window does nothing (is_whole) are merged with neighbours of that kind,
// so that channels and pixels of a 1 x 1 window are one long row. For each slab the taps of a
// dimension, which say what outputs a window position meets, are clipped to the slab; a position
// without outputs there costs nothing.
#include "axle/codegen/steps/window_walk.h"

#include <algorithm>

namespace axle {
namespace {

// Outputs of a slab: so many that calls cost little, and their accumulators stay in the cache.
constexpr i64 kSlabOutputs = 4096;
// Elements that a slab's outputs along a row are apart in all, so that one window position finds in
// the cache what another one has read; but no fewer outputs than make up for the calls.
constexpr i64 kSlabElements = 8192, kMinOutputs = 128;
// Window positions along one dimension, and of an output in all, at most.
constexpr i64 kMaxPositions = i64{1} << 16;

bool IsWhole(const WindowDim& window, i64 size, i64 outputs) {
  return window.size == 1 && window.stride == 1 && window.base_dilation == 1 &&
         window.pad_low == 0 && outputs == size;
}

// Merges neighbouring dimensions that are whole into one.
void MergeWhole(std::vector<WindowShape::Dim>& dims) {
  std::vector<WindowShape::Dim> merged;
  for (WindowShape::Dim& dim : dims) {
    if (merged.empty() || !merged.back().is_whole || !dim.is_whole) {
      merged.push_back(std::move(dim));
      continue;
    }
    dim.outputs *= merged.back().outputs;
    dim.taps[0].count = dim.outputs;
    merged.back() = std::move(dim);
  }
  dims = std::move(merged);
}

// Whole dimensions inside, a part of one, single positions of the others.
void ChooseSlabs(WindowShape& shape) {
  i64 room = kSlabOutputs;
  for (size_t d = shape.dims.size(); d-- > 0;) {
    WindowShape::Dim& dim = shape.dims[d];
    if (dim.element_step == 1 && dim.stride > 1) {
      room = std::min(room, std::max(kMinOutputs, kSlabElements / dim.stride));
    }
    const i64 blocks = (dim.outputs + room - 1) / room;
    dim.block = (dim.outputs + blocks - 1) / blocks;  // none much smaller than the others
    room = dim.block == dim.outputs ? std::max<i64>(1, room / dim.block) : 1;
    shape.slab_outputs *= dim.block;
    shape.num_slabs *= (dim.outputs + dim.block - 1) / dim.block;
  }
}

}  // namespace

std::optional<WindowShape> PlanWindowShape(const Window& window, const Dims& operand,
                                           const Dims& outputs, WindowOrder order) {
  const Dims element_steps = RowMajorStrides(operand), output_steps = RowMajorStrides(outputs);
  WindowShape shape;
  for (size_t d = 0; d < window.size(); ++d) {
    if (operand[d] == 0 || outputs[d] == 0 || window[d].size > kMaxPositions) return std::nullopt;
    WindowShape::Dim& dim = shape.dims.emplace_back();
    dim = {.outputs = outputs[d],
           .output_step = output_steps[d],
           .element_step = element_steps[d],
           .size = window[d].size,
           .stride = window[d].stride,
           .pad_low = window[d].pad_low,
           .block = 1,
           .taps = {},
           .is_whole = IsWhole(window[d], operand[d], outputs[d])};
    StatusOr<std::vector<WindowTap>> taps = WindowTaps(window[d], operand[d], outputs[d]);
    if (!taps.ok()) return std::nullopt;
    dim.taps = *std::move(taps);
    if (order == WindowOrder::kFold &&
        CumulativeKind(window[d], operand[d]) == Cumulative::kReverse) {
      std::ranges::reverse(dim.taps);
    }
    shape.num_outputs *= dim.outputs;
    shape.num_taps *= std::max<i64>(std::ssize(dim.taps), 1);
    if (shape.num_taps > kMaxPositions) return std::nullopt;
  }
  if (shape.dims.empty()) {  // one element
    shape.dims.push_back({.outputs = 1,
                          .output_step = 1,
                          .element_step = 1,
                          .size = 1,
                          .stride = 1,
                          .pad_low = 0,
                          .block = 1,
                          .taps = {{.count = 1}},
                          .is_whole = true});
  }
  MergeWhole(shape.dims);
  ChooseSlabs(shape);
  const auto inner = std::ranges::find_if(shape.dims.rbegin(), shape.dims.rend(),
                                          [](const auto& dim) { return dim.outputs > 1; });
  if (inner != shape.dims.rend()) {
    shape.reads_apart = std::ranges::any_of(inner->taps, [&](const WindowTap& tap) {
      return tap.output_step == 1 && tap.operand_step * inner->element_step != 1;
    });
  }
  return shape;
}

WindowWalk::WindowWalk(const WindowShape& shape)
    : shape_(shape),
      begin_(shape.dims.size()),
      sizes_(shape.dims.size()),
      steps_(shape.dims.size()),
      taps_(shape.dims.size()) {}

void WindowWalk::SetSlab(i64 slab) {
  first_ = 0;
  count_ = 1;
  for (size_t d = shape_.dims.size(); d-- > 0;) {
    const WindowShape::Dim& dim = shape_.dims[d];
    const i64 blocks = (dim.outputs + dim.block - 1) / dim.block;
    begin_[d] = slab % blocks * dim.block;
    slab /= blocks;
    sizes_[d] = std::min(dim.block, dim.outputs - begin_[d]);
    steps_[d] = count_;
    count_ *= sizes_[d];
    first_ += begin_[d] * dim.output_step;
    taps_[d].clear();
    for (const WindowTap& tap : dim.taps) {
      const WindowTap clipped = ClipTap(tap, begin_[d], begin_[d] + sizes_[d]);
      if (clipped.count > 0) taps_[d].push_back(clipped);
    }
  }
}

}  // namespace axle
