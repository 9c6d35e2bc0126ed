// How select-and-scatter runs. Take the gradient of a max-pool over windows of 2 x 2 of
// f32[8,28,28,64]. Per slab of sources:
//
// 1. Each window position is offered to all windows of the slab by the compiled loop (SelectLoop),
//    which keeps, per window, a value and its offset from the window's first element, -1 if there
//    is none yet.
// 2. Offsets become places in the operand.
// 3. The sources of the slab are joined with the results at these places, one after the other.
//
// Sources go in row-major order, as docs/numerics.md N7 asks. Images do not share elements, because
// the window covers nothing of the outermost dimension (is_whole), so each image is a tile; if the
// outermost dimension has a window, all is one tile.
//
// Offsets are 32-bit numbers so that a vector holds as many of them as values; IsInReach refuses
// windows whose offsets might not fit.
#include "axle/codegen/steps/select_step.h"

#include <algorithm>
#include <cmath>

#include "axle/codegen/steps/scatter_step.h"
#include "axle/codegen/steps/scratch.h"
#include "axle/emit/lane_builder.h"
#include "axle/ops/contraction_kernels.h"

namespace axle {
namespace {

// Limits of the elements that a window reaches over, and of the operand with its padding: offsets
// in a window fit 32 bits then, and all others 64.
constexpr double kMaxInside = 0x1p31, kMaxAround = 0x1p62;

// Offsets in the scratch memory: the values that are kept, where they are in their windows, and
// where in the operand; sources and results of a tile as f32, if that is wide.
struct Scratch {
  explicit Scratch(const SelectPlan& plan)
      : offsets_at(ScratchPart(plan.window.slab_outputs * plan.element_bytes)),
        places_at(offsets_at +
                  ScratchPart(plan.window.slab_outputs * static_cast<i64>(sizeof(std::int32_t)))),
        sources_at(places_at +
                   ScratchPart(plan.window.slab_outputs * static_cast<i64>(sizeof(i64)))),
        sums_at(sources_at + (plan.is_wide ? FloatPart(plan.window.slab_outputs) : 0)),
        bytes(sums_at + (plan.is_wide ? FloatPart(plan.elements_per_tile) : 0)) {}
  static i64 FloatPart(i64 count) { return ScratchPart(count * static_cast<i64>(sizeof(float))); }
  i64 offsets_at, places_at, sources_at, sums_at, bytes;
};

bool IsInReach(const Window& window, const Shape& operand) {
  const Dims steps = RowMajorStrides(operand.dims());
  double inside = 0, around = 0;
  for (size_t d = 0; d < window.size(); ++d) {
    const auto size = static_cast<double>(operand.dim(static_cast<i64>(d)));
    const auto positions = static_cast<double>(window[d].size);
    const double padding = std::abs(static_cast<double>(window[d].pad_low)) +
                           std::abs(static_cast<double>(window[d].pad_high));
    const auto step = static_cast<double>(steps[d]);
    inside += (positions - 1) * step;
    around += (size + positions + padding + static_cast<double>(window[d].stride)) * step;
  }
  return inside < kMaxInside && around < kMaxAround;
}

class Runner {
 public:
  Runner(const SelectPlan& plan, void* const* buffers)
      : plan_(plan),
        operand_(static_cast<std::byte*>(buffers[0])),
        source_(static_cast<std::byte*>(buffers[1])),
        init_(buffers[2]),
        result_(static_cast<std::byte*>(buffers[3])),
        kept_(static_cast<std::byte*>(buffers[4])),
        offsets_(reinterpret_cast<std::int32_t*>(kept_ + Scratch(plan).offsets_at)),
        places_(reinterpret_cast<i64*>(kept_ + Scratch(plan).places_at)),
        sources_(reinterpret_cast<float*>(kept_ + Scratch(plan).sources_at)),
        sums_(reinterpret_cast<float*>(kept_ + Scratch(plan).sums_at)) {
    if (!plan.loop->is_checked) return;
    const i64 most = plan.window.slab_outputs, bytes = plan.element_bytes;
    for (const size_t kept : {0, 4}) {
      SetBounds(pointers_, kNumSelectArrays, kept, kept_, most * bytes);
      SetBounds(pointers_, kNumSelectArrays, kept + 1, offsets_, most * kOffsetBytes);
    }
    SetBounds(pointers_, kNumSelectArrays, 2, operand_, plan.num_elements * bytes);
    SetBounds(pointers_, kNumSelectArrays, 3, &offset_, kOffsetBytes);
  }

  int Run(i64 tile, LimitClock& clock) {
    const i64 first = tile * plan_.elements_per_tile;
    const i64 count = std::min(plan_.elements_per_tile, plan_.num_elements - first);
    if (plan_.is_wide) {
      float init = 0;
      WidenElements(plan_.type, init_, &init, 1);
      std::fill_n(sums_, count, init);
    } else {
      DispatchBytes(static_cast<int>(plan_.element_bytes), [&]<typename T>() {
        std::fill_n(reinterpret_cast<T*>(result_) + first, count, *static_cast<const T*>(init_));
      });
    }
    const i64 place_of_first = plan_.is_wide ? first : 0;
    WindowWalk walk(plan_.window);
    const i64 begin = tile * plan_.slabs_per_tile;
    const i64 end = std::min(begin + plan_.slabs_per_tile, plan_.window.num_slabs);
    for (i64 slab = begin; slab < end; ++slab) {
      if (clock.IsOver()) return kKernelStopped;
      walk.SetSlab(slab);
      std::fill_n(offsets_, walk.count(), -1);
      const bool is_done = walk.ForEachCall([&](const WindowCall& call, i64 offset) {
        if (clock.IsOver()) return false;
        Select(call, offset);
        clock.Did(call.inner * call.outer);
        return true;
      });
      if (!is_done) return kKernelStopped;
      walk.ForEachRow([&](i64 output, i64 element, i64 row, i64 step) {
        for (i64 k = 0; k < row; ++k) {
          const i64 offset = offsets_[output + k];
          places_[output + k] = offset < 0 ? -1 : element + k * step + offset - place_of_first;
        }
      });
      Scatter(walk.first(), walk.count());
      clock.Did(walk.count());
    }
    if (plan_.is_wide) {
      RoundElements(sums_, plan_.type, result_ + first * plan_.element_bytes, count);
    }
    return kKernelOk;
  }

 private:
  static constexpr i64 kOffsetBytes = sizeof(std::int32_t);

  // Offers one window position to the windows of a call. Kept values and offsets are read and
  // written in place.
  void Select(const WindowCall& call, i64 offset) {
    const i64 bytes = plan_.element_bytes;
    offset_ = static_cast<std::int32_t>(offset);
    pointers_[0] = pointers_[4] = kept_ + call.output * bytes;
    pointers_[1] = pointers_[5] = offsets_ + call.output;
    pointers_[2] = operand_ + call.element * bytes;
    pointers_[3] = &offset_;
    const i64 kept = call.outer_output_step * bytes, where = call.outer_output_step * kOffsetBytes;
    const i64 outer[] = {kept, where, call.outer_element_step * bytes, 0, kept, where};
    const i64 inner[] = {0, 0, call.inner_element_step * bytes, 0, 0, 0};
    const bool is_apart = call.inner > 1 && call.inner_element_step != 1;
    (is_apart ? *plan_.apart : *plan_.loop).kernel(pointers_, call.inner, call.outer, outer, inner);
  }

  // Joins the sources from `first` on with the results at their places.
  void Scatter(i64 first, i64 count) {
    const i64 bytes = plan_.element_bytes;
    if (plan_.is_wide) {
      WidenElements(plan_.type, source_ + first * bytes, sources_, count);
      return plan_.fold->fold_at(sums_, places_, sources_, 1, count);
    }
    if (plan_.fold) {
      return plan_.fold->fold_at(result_, places_, source_ + first * bytes, 1, count);
    }
    void* pointers[NumCheckedPointers(3)];
    if (plan_.scatter->is_checked) {
      SetBounds(pointers, 3, 0, result_, plan_.num_elements * bytes);
      SetBounds(pointers, 3, 1, source_, plan_.num_sources * bytes);
      SetBounds(pointers, 3, 2, result_, plan_.num_elements * bytes);
    }
    for (i64 k = 0; k < count; ++k) {
      if (places_[k] < 0) continue;
      pointers[0] = pointers[2] = result_ + places_[k] * bytes;
      pointers[1] = source_ + (first + k) * bytes;
      RunOneRow(*plan_.scatter, pointers, 1);
    }
  }

  const SelectPlan& plan_;
  std::byte *operand_, *source_;
  const void* init_;
  std::byte *result_, *kept_;
  std::int32_t* offsets_;
  i64* places_;
  float *sources_, *sums_;
  std::int32_t offset_ = 0;
  void* pointers_[NumCheckedPointers(kNumSelectArrays)];
};

}  // namespace

// The window keeps what it has if select(kept, next) is true, and takes the next value otherwise,
// or if it has none yet.
LaneProgram SelectLoop(const LaneProgram& select) {
  const LaneArray array = select.inputs[0], offset = {LaneType::kS32};
  LaneBuilder builder;
  const int kept = builder.AddInput(array), where = builder.AddInput(offset);
  const int next = builder.AddInput(array), there = builder.AddInput(offset);
  std::vector<Lane> lanes;
  for (LaneOp op : select.code) {
    if (op.primitive == Primitive::kInput) {
      lanes.push_back(builder.Part(op.input() == 0 ? kept : next, static_cast<int>(op.part())));
      continue;
    }
    for (int k = 0; k < Arity(op.primitive); ++k) op.operands[k] = lanes[op.operands[k]].id;
    lanes.push_back(builder.Emit(op));
  }
  const Lane is_first = builder.Part(where) < 0;
  const Lane takes = is_first | !lanes[select.results[0]];
  std::vector<Lane> results;
  for (int part = 0; part < array.num_parts; ++part) {
    results.push_back(Select(takes, builder.Part(next, part), builder.Part(kept, part)));
  }
  results.push_back(Select(takes, builder.Part(there), builder.Part(where)));
  return std::move(builder).Finish(results, std::vector<LaneArray>{array, offset});
}

std::shared_ptr<SelectPlan> PlanSelect(const Instruction& inst, const LaneProgram& scatter) {
  const Shape &operand = inst.operand(0)->shape(), &source = inst.operand(1)->shape();
  const Window& window = inst.attrs<WindowAttrs>().window;
  if (operand.num_elements() == 0 || source.num_elements() == 0 || !IsInReach(window, operand)) {
    return nullptr;
  }
  auto shape = PlanWindowShape(window, operand.dims(), source.dims(), WindowOrder::kRowMajor);
  if (!shape) return nullptr;
  auto plan = std::make_shared<SelectPlan>();
  plan->window = *std::move(shape);
  plan->type = operand.type();
  plan->element_bytes = Info(operand.type()).bytes;
  plan->num_elements = operand.num_elements();
  plan->num_sources = source.num_elements();
  // Windows that are at different places of a whole dimension share no element.
  const WindowShape::Dim& outermost = plan->window.dims[0];
  plan->num_tiles =
      outermost.is_whole ? (outermost.outputs + outermost.block - 1) / outermost.block : 1;
  plan->slabs_per_tile = plan->window.num_slabs / plan->num_tiles;
  plan->elements_per_tile = outermost.is_whole
                                ? outermost.block * (plan->num_elements / outermost.outputs)
                                : plan->num_elements;
  plan->fold = UpdateFold(scatter, operand.type());
  plan->is_wide = plan->fold && IsNarrowFloat(operand.type());
  plan->scratch_bytes = Scratch(*plan).bytes;
  return plan;
}

int RunSelect(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  Runner runner(*static_cast<const SelectPlan*>(data), buffers);
  LimitClock clock(run);
  for (i64 tile = begin; tile < end; ++tile) {
    if (const int result = runner.Run(tile, clock); result != kKernelOk) return result;
  }
  return kKernelOk;
}

}  // namespace axle
