// How index maps are copied. A map with known places is a list of boxes, each a walk through one
// operand; later boxes overwrite earlier ones. For a pad of f32[1000,1000] by 1 on all sides:
//
//   box 0    all of the result, from the padding value with steps of 0
//   box 1    rows and columns 1 to 1000, from the operand
//
// A tile is 16 rows of the result, about kTileBytes. It takes its part of box 0, then of box 1,
// while the rows are in the first-level cache, and tiles go to any threads, since no two write the
// same element. In a transpose a tile has at least kMinCrossed positions of its dimension, so that
// cache lines of the operand are used whole.
//
// If the result took the place of the first operand, box 0 is there already. A piece that is a
// sub-view, computed where it belongs, has no box, and a base below it is copied around it only
// (Around). Maps with places that are known at run time are one walk per piece, in sequence.
#include "axle/codegen/steps/move_step.h"

#include <algorithm>
#include <cstring>

#include "axle/codegen/steps/literal_run.h"
#include "axle/emit/strided_copy.h"

namespace axle {
namespace {

// Approximate bytes of a tile: the first-level cache still holds some of what is written twice, and
// threads get several. Transposes need whole cache lines of what they read.
constexpr i64 kTileBytes = i64{64} << 10;
constexpr i64 kMinCrossed = 64;
// Between two looks at the limits.
constexpr i64 kSliceBytes = i64{4} << 20;

using Box = MovePlan::Box;

Box BoxOf(const IndexPiece& piece, const Shape& result, const Shape& source) {
  const i64 bytes = Info(result.type()).bytes;
  Box box{static_cast<size_t>(piece.operand), 0, {}};
  const Dims strides = RowMajorStrides(source.dims());
  for (size_t d = 0; d < piece.source_begin.size(); ++d) {
    box.from += piece.source_begin[d] * strides[d] * bytes;
  }
  for (const IndexPiece::Dim& dim : piece.dims) {
    const bool moves = dim.count > 1 && dim.source_dim != kNoSourceDim;
    const i64 step = moves ? dim.source_step * strides[dim.source_dim] * bytes : 0;
    box.dims.push_back(
        {dim.begin, std::max<i64>(dim.count, 0), dim.count > 1 ? dim.step : 1, step});
  }
  return box;
}

bool Contains(const Box& base, const Box& part) {
  for (size_t d = 0; d < base.dims.size(); ++d) {
    const MovePlan::BoxDim &outer = base.dims[d], &inner = part.dims[d];
    if (inner.begin < outer.begin || inner.begin + inner.count > outer.begin + outer.count) {
      return false;
    }
  }
  return true;
}

// The positions of `base` that `part`, a box inside of it, leaves over: what is before and behind
// it along each dimension.
std::vector<Box> Around(Box base, const Box& part) {
  std::vector<Box> boxes;
  for (size_t d = 0; d < base.dims.size(); ++d) {
    MovePlan::BoxDim& left = base.dims[d];
    const auto take = [&](i64 first, i64 count) {
      Box box = base;
      box.from += first * left.from_step;
      box.dims[d].begin += first;
      box.dims[d].count = count;
      return box;
    };
    const i64 before = part.dims[d].begin - left.begin, count = part.dims[d].count;
    const i64 behind = left.count - before - count;
    if (before > 0) boxes.push_back(take(0, before));
    if (behind > 0) boxes.push_back(take(before + count, behind));
    base = take(before, count);
  }
  return boxes;
}

// The boxes of a static map, but for the parts of the result.
std::vector<Box> BoxesOf(const Region& region, const SubViews& sub_views) {
  const Instruction& inst = *region.instructions[0];
  std::vector<Box> boxes;
  for (size_t p = 0; p < region.move().map->size(); ++p) {
    const IndexPiece& piece = (*region.move().map)[p];
    Box box = BoxOf(piece, inst.shape(), inst.operand(piece.operand)->shape());
    const auto part = sub_views.find(region.inputs[piece.operand].value);
    const bool is_there =
        part != sub_views.end() && part->second.move == &region && part->second.piece == p;
    if (!is_there) {
      boxes.push_back(std::move(box));
    } else if (p == 1 && boxes.size() == 1 && Contains(boxes[0], box)) {
      boxes = Around(std::move(boxes[0]), box);
    }
  }
  return boxes;
}

// `steps` of the result, if its elements are not in order.
// A tile is a part of the outermost dimension whose positions are not larger than a tile. Sizes are
// chosen for a result in order; steps of a strided result replace them at the end.
void ChooseTiles(MovePlan& plan, const Dims* steps = nullptr) {
  i64 step = plan.element_bytes;
  plan.steps.resize(plan.sizes.size());
  for (size_t d = plan.sizes.size(); d-- > 0; step *= plan.sizes[d]) plan.steps[d] = step;
  size_t d = 0;
  while (d + 1 < plan.sizes.size() && plan.steps[d] > kTileBytes) ++d;
  plan.tile_dim = d;
  const bool is_crossed =
      d + 1 < plan.sizes.size() && std::ranges::any_of(plan.boxes, [&](auto& box) {
        return box.dims[d].from_step == plan.element_bytes;
      });
  const i64 least = is_crossed ? kMinCrossed : 1;
  plan.along = std::clamp<i64>(std::max(kTileBytes / plan.steps[d], least), 1, plan.sizes[d]);
  plan.num_tiles = (plan.sizes[d] + plan.along - 1) / plan.along;
  while (d > 0) plan.num_tiles *= plan.sizes[--d];
  if (plan.boxes.empty()) plan.num_tiles = 1;  // all of the result is there
  for (const Box& box : plan.boxes) {
    i64 bytes = plan.element_bytes;
    for (const MovePlan::BoxDim& dim : box.dims) bytes *= dim.count;
    plan.moved_bytes += bytes;
  }
  if (steps == nullptr) return;
  plan.steps = *steps;
  for (i64& apart : plan.steps) apart *= plan.element_bytes;
}

// The part of `dim` at positions [begin, end): the first k of it, and how many there are.
std::pair<i64, i64> PartOf(const MovePlan::BoxDim& dim, i64 begin, i64 end) {
  const auto first_at = [&](i64 position) {  // the first k at or behind it
    const i64 k = (position - dim.begin + dim.step - 1) / dim.step;
    return std::clamp<i64>(position <= dim.begin ? 0 : k, 0, dim.count);
  };
  const i64 first = first_at(begin);
  return {first, first_at(end) - first};
}

// The part of the box that is in tile `tile`; gives the bytes that it moved.
i64 MovePart(const MovePlan& plan, const Box& box, i64 tile, void* const* buffers,
             std::vector<StridedDim>& dims) {
  auto* const result = static_cast<std::byte*>(buffers[plan.num_operands]);
  i64 to = 0, from = box.from, count = plan.element_bytes;
  dims.clear();
  const i64 parts = (plan.sizes[plan.tile_dim] + plan.along - 1) / plan.along;
  i64 rest = tile / parts;
  const auto add = [&](size_t d, i64 begin, i64 end) {
    const MovePlan::BoxDim& dim = box.dims[d];
    const auto [first, some] = PartOf(dim, begin, end);
    to += (dim.begin + first * dim.step) * plan.steps[d];
    from += first * dim.from_step;
    count *= some;
    if (some > 1) dims.push_back({some, dim.step * plan.steps[d], dim.from_step});
  };
  for (size_t d = plan.tile_dim; d-- > 0; rest /= plan.sizes[d]) {
    add(d, rest % plan.sizes[d], rest % plan.sizes[d] + 1);
  }
  const i64 begin = tile % parts * plan.along;
  add(plan.tile_dim, begin, std::min(begin + plan.along, plan.sizes[plan.tile_dim]));
  for (size_t d = plan.tile_dim + 1; d < plan.sizes.size(); ++d) add(d, 0, plan.sizes[d]);
  if (count == 0) return 0;
  StridedCopy(MergeStridedDims(dims), result + to,
              static_cast<const std::byte*>(buffers[box.operand]) + from, plan.element_bytes);
  return count;
}

int RunTiles(const RunContext* run, const MovePlan& plan, void* const* buffers, i64 begin,
             i64 end) {
  const bool is_in_place =
      plan.whole_operand >= 0 && buffers[plan.whole_operand] == buffers[plan.num_operands];
  std::vector<StridedDim> dims;
  i64 since_look = 0;
  for (i64 tile = begin; tile < end; ++tile) {
    for (size_t b = is_in_place ? 1 : 0; b < plan.boxes.size(); ++b) {
      since_look += MovePart(plan, plan.boxes[b], tile, buffers, dims);
    }
    if (since_look < kSliceBytes) continue;
    if (tile + 1 < end && run->stopped(run)) return kKernelStopped;
    since_look = 0;
  }
  return kKernelOk;
}

}  // namespace

std::shared_ptr<const MovePlan> PlanMove(const Region& region, const Schedule& schedule,
                                         const SubViews& sub_views) {
  auto plan = std::make_shared<MovePlan>();
  const Instruction& inst = *region.instructions[0];
  plan->num_operands = region.inputs.size();
  plan->result_bytes = schedule.values[region.outputs[0]].bytes;
  plan->element_bytes = Info(inst.shape().type()).bytes;
  const auto part = sub_views.find(region.outputs[0]);
  const bool is_apart = part != sub_views.end() && !part->second.is_run();
  const std::optional<IndexMap>& map = region.move().map;
  if (!map) {
    const Access& access = region.inputs[0].access;
    const Access to =
        is_apart ? part->second.from_first() : Access::Whole(inst.shape().num_elements());
    const Access* const accesses[] = {&access, &to};
    plan->sizes = *CommonSizes(accesses, inst.shape().num_elements());
    Dims from = StridesOn(access, plan->sizes), steps = StridesOn(to, plan->sizes);
    if (plan->sizes.empty()) plan->sizes = from = steps = {1};
    Box box{0, access.offset * plan->element_bytes, {}};
    for (size_t d = 0; d < plan->sizes.size(); ++d) {
      box.dims.push_back({0, plan->sizes[d], 1, from[d] * plan->element_bytes});
    }
    plan->boxes = {std::move(box)};
    ChooseTiles(*plan, &steps);
    return plan;
  }
  if (!region.in_place.empty()) plan->whole_operand = static_cast<int>(region.in_place[0].input);
  if (HasStaticMap(region)) {
    plan->boxes = BoxesOf(region, sub_views);
    plan->sizes = inst.shape().dims();
    const auto steps = is_apart ? StridesAlong(part->second.access, plan->sizes) : std::nullopt;
    ChooseTiles(*plan, steps ? &*steps : nullptr);
    return plan;
  }
  std::vector<const Shape*> shapes;
  for (i64 i = 0; i < inst.num_operands(); ++i) shapes.push_back(&inst.operand(i)->shape());
  for (const IndexPiece& piece : *map) plan->walks.emplace_back(piece, inst.shape(), shapes);
  plan->starts_from_zeros = map->empty();
  plan->moved_bytes = plan->result_bytes;
  return plan;
}

int RunMove(const RunContext* context, const void* data, void* const* buffers, i64 begin, i64 end) {
  const auto& plan = *static_cast<const MovePlan*>(data);
  if (!plan.boxes.empty()) return RunTiles(context, plan, buffers, begin, end);
  auto& run = *const_cast<HostRun*>(static_cast<const HostRun*>(context));
  std::byte* const result = static_cast<std::byte*>(buffers[plan.num_operands]);
  if (plan.starts_from_zeros) std::memset(result, 0, static_cast<size_t>(plan.result_bytes));
  for (size_t p = 0; p < plan.walks.size(); ++p) {
    if (p == 0 && plan.whole_operand >= 0 && buffers[plan.whole_operand] == result) continue;
    run.status = plan.walks[p].Run(buffers, result, run.limits);
    if (!run.status.ok()) return kKernelFailed;
  }
  return kKernelOk;
}

}  // namespace axle
