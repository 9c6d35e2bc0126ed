// How elements get into the order in which a fold takes them. Take f32[2,3,4,5] reduced over
// dimensions 0 and 2: each of the 15 results takes 8 elements that lie far apart.
//
// The planner cuts the results into tiles, boxes of neighbouring results, and the reduced elements
// into steps. ChooseInPlace first looks for a tile and a step with which the kernel can read all
// arrays where they are: one stride along the tile and one along the step. If there is none, inputs
// are copied in order into scratch memory of about kStageBytes, small enough for the first-level
// cache.
//
// The runner takes the tiles one after the other, and for each the steps in increasing order of the
// reduced elements: it copies inputs, calls the kernel, and copies outputs of elementwise
// instructions back. A step never crosses a border of kSumChunk elements, so partial results of
// chunks can be put together as in fold_step.cc, with the same bits.
//
// The plan of a loop is made after memory has been planned; StagedFoldScratchBytes is an upper
// bound that only needs the shape, the folds and the types.
#include "axle/codegen/steps/staged_fold_step.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "axle/codegen/steps/fold_partials.h"
#include "axle/codegen/steps/scratch.h"
#include "axle/emit/lane_builder.h"
#include "axle/emit/strided_dims.h"

namespace axle {
namespace {

// Bytes that are staged at a time, less than a first-level cache, and results of a tile, which fill
// whole cache lines.
constexpr i64 kStageBytes = i64{16} << 10;
constexpr i64 kResultsPerTile = 64;
// Reduced elements of a step that has nothing to stage.
constexpr i64 kReducedPerStep = 1024;
static_assert(kSumChunk % kReducedPerStep == 0);

// Results of a tile whose operands are staged, and reduced elements of a step: a power of two, or
// all there are.
struct StepSize {
  i64 results, reduced;
};
StepSize SizeOfStep(FoldForm form, const FoldShape& shape, i64 bytes_per_position) {
  const i64 positions = kStageBytes / std::max<i64>(bytes_per_position, 1);
  StepSize size;
  if (form == FoldForm::kRows) {
    size.reduced = std::min(shape.reduced, kSumChunk);
    size.results = std::clamp<i64>(positions / size.reduced, 1, kResultsPerTile);
  } else {
    size.results = std::min(shape.num_results(), kResultsPerTile);
    const auto most =
        static_cast<std::uint64_t>(std::clamp<i64>(positions / size.results, 1, kSumChunk));
    size.reduced = std::min(shape.reduced, static_cast<i64>(std::bit_floor(most)));
  }
  return size;
}

// Folds of rows are chunked even if any order is right: a call of the kernel has one chunk.
bool HasChunks(FoldForm form, const FoldShape& shape, std::span<const Fold> folds) {
  if (shape.reduced <= kSumChunk) return false;
  return form == FoldForm::kRows || std::ranges::any_of(folds, [&](const Fold& fold) {
           return OrderOf(shape, fold) == FoldOrder::kChunks;
         });
}

// Whether each new accumulator is the old one or the new value beside it.
bool Chooses(const LaneProgram& reducer) {
  const size_t n = reducer.outputs.size();
  if (reducer.results.size() != n) return false;  // complex numbers
  const auto is_input = [&](LaneId id, size_t number) {
    const LaneOp& op = reducer.code[id];
    return op.primitive == Primitive::kInput && op.input() == number;
  };
  for (size_t i = 0; i < n; ++i) {
    const LaneOp& op = reducer.code[reducer.results[i]];
    if (op.primitive != Primitive::kSelect) return false;
    const auto [_, one, other] = op.operands;
    if (!(is_input(one, i) && is_input(other, n + i)) &&
        !(is_input(one, n + i) && is_input(other, i))) {
      return false;
    }
  }
  return true;
}

class Planner {
 public:
  Planner(const FoldShape& shape, std::span<const Fold> folds, const Dims& sizes,
          std::span<const LoopOperand> operands, LoopKernelSpec& spec)
      : shape_(shape), folds_(folds), operands_(operands), spec_(spec) {
    plan_.loop = PlanLoop(sizes, operands);
    plan_.form = spec.form;
    plan_.num_reduced = plan_.reduced_per_run = shape.reduced;
    plan_.num_inputs = spec.program->inputs.size();
    plan_.has_chunks = HasChunks(spec.form, shape, folds);
    for (size_t d = 0; d < plan_.loop->sizes.size(); ++d) {
      const bool is_kept = StrideOf(operands.size() - 1, d) != 0;
      if (plan_.loop->sizes[d] > 1) (is_kept ? plan_.kept : plan_.reduced).push_back(d);
    }
  }

  std::shared_ptr<StagedFoldPlan> Make() && {
    const size_t num_plain = operands_.size() - folds_.size();
    i64 bytes_per_position = 0;
    for (size_t i = 0; i < num_plain; ++i) bytes_per_position += operands_[i].element_bytes;
    plan_.is_probed = IsProbed(num_plain);
    const i64 most_results = plan_.is_probed ? 1 : kColumnsPerTile;
    if (!ChooseInPlace(num_plain, most_results)) {
      const StepSize size = SizeOfStep(plan_.form, shape_, bytes_per_position);
      ChooseTile(std::min(size.results, most_results), size.reduced);
    }
    for (size_t i = 0; i < num_plain; ++i) AddOperand(i);
    for (size_t f = 0; f < folds_.size(); ++f) AddFold(f, num_plain + f);
    return std::make_shared<StagedFoldPlan>(std::move(plan_));
  }

 private:
  i64 StrideOf(size_t operand, size_t dim) const {
    return plan_.loop->strides[operand * plan_.loop->sizes.size() + dim];
  }
  i64 SizeOf(size_t dim) const { return plan_.loop->sizes[dim]; }

  // Whole kept dimensions from the inside while they fit into `results`, then a part of the next
  // one.
  void ChooseTile(i64 results, i64 reduced) {
    plan_.inner_results = plan_.most_along = plan_.num_tiles = 1;
    plan_.tile_dim = 0;
    plan_.reduced_per_step = std::min(reduced, shape_.reduced);
    if (plan_.kept.empty()) return;
    size_t d = plan_.kept.size() - 1;
    for (; d > 0 && plan_.inner_results * SizeOf(plan_.kept[d]) <= results; --d) {
      plan_.inner_results *= SizeOf(plan_.kept[d]);
    }
    const i64 size = SizeOf(plan_.kept[d]);
    plan_.tile_dim = d;
    plan_.most_along = std::clamp<i64>(results / plan_.inner_results, 1, size);
    plan_.num_tiles = (size + plan_.most_along - 1) / plan_.most_along;
    while (d > 0) plan_.num_tiles *= SizeOf(plan_.kept[--d]);
  }

  // The one stride with which an operand runs through all positions of these dimensions, row-major;
  // nothing if there is none. Along a single position: any.
  struct Run {
    std::optional<i64> stride;
    i64 count = 1;
    bool is_uniform = true;
  };
  void Extend(Run& run, i64 size, i64 stride) const {
    if (size == 1) return;
    if (run.count == 1) {
      run.stride = stride;
    } else if (run.stride && stride != *run.stride * run.count) {
      run.stride.reset();
    }
    run.count *= size;
    run.is_uniform = run.is_uniform && stride == 0;
  }
  Run AlongKept(size_t operand) const {
    Run run;
    for (size_t k = plan_.kept.size(); k-- > plan_.tile_dim;) {
      const size_t d = plan_.kept[k];
      Extend(run, k == plan_.tile_dim ? plan_.most_along : SizeOf(d), StrideOf(operand, d));
    }
    return run;
  }
  Run AlongReduced(size_t operand) const {
    Run run;
    for (size_t k = plan_.reduced.size(); k-- > plan_.run_dim;) {
      Extend(run, SizeOf(plan_.reduced[k]), StrideOf(operand, plan_.reduced[k]));
    }
    return run;
  }

  // Whether there are few results, of many elements each, and the reducer chooses between its
  // accumulators and its new values. Elements of a result have to be neighbours.
  bool IsProbed(size_t num_plain) const {
    constexpr i64 kMaxResults = 8, kMinReduced = 1024;
    if (shape_.num_results() > kMaxResults || shape_.reduced < kMinReduced ||
        num_plain != plan_.num_inputs) {
      return false;
    }
    for (size_t i = 0; i < num_plain; ++i) {
      const i64 step = StrideOf(i, plan_.reduced.back());
      if (step != 0 && step != operands_[i].element_bytes) return false;
    }
    const LaneProgram* reducer = spec_.folds[0].reducer;
    return reducer != nullptr && reducer->outputs.size() == spec_.folds.size() && Chooses(*reducer);
  }

  // A wider tile, and steps of as many of the last reduced dimensions as lie along one stride, with
  // which the kernel can take everything where it is; false if that would make it work on too
  // little at a time.
  bool ChooseInPlace(size_t num_plain, i64 most_results) {
    constexpr i64 kMinResults = 16, kMinPositions = 64;
    if (plan_.form != FoldForm::kColumns) return false;
    std::vector<Run> runs(num_plain);
    i64 results = 1;
    for (size_t k = plan_.kept.size(); k-- > 0; results *= SizeOf(plan_.kept[k])) {
      bool fits = true;
      for (size_t i = 0; i < num_plain; ++i) {
        Extend(runs[i], SizeOf(plan_.kept[k]), StrideOf(i, plan_.kept[k]));
        fits = fits && (runs[i].is_uniform || runs[i].stride == operands_[i].element_bytes);
      }
      if (!fits) break;
    }
    if (results < std::min({kMinResults, shape_.num_results(), most_results})) return false;
    ChooseTile(std::min(results, most_results), kReducedPerStep);
    const auto all_in_place = [&] {
      for (size_t i = 0; i < num_plain; ++i) {
        if (!IsInPlace(i)) return false;
      }
      return true;
    };
    i64 run = shape_.reduced;
    while (!all_in_place() && plan_.run_dim + 1 < plan_.reduced.size()) {
      run /= SizeOf(plan_.reduced[plan_.run_dim++]);
    }
    const i64 least = std::min(kMinPositions, shape_.reduced * shape_.num_results());
    if (all_in_place() && run * Most(/*results=*/true) >= least) {
      plan_.reduced_per_run = run;
      return true;
    }
    plan_.run_dim = 0;
    return false;
  }

  bool IsInPlace(size_t i) const {
    const Run kept = AlongKept(i), reduced = AlongReduced(i);
    const Run& inner = plan_.form == FoldForm::kColumns ? kept : reduced;
    const Run& outer = plan_.form == FoldForm::kColumns ? reduced : kept;
    const bool reads_row =
        inner.count == 1 || inner.is_uniform || inner.stride == operands_[i].element_bytes;
    return reads_row && (outer.count == 1 || outer.stride.has_value());
  }

  void AddOperand(size_t i) {
    const i64 bytes = operands_[i].element_bytes;
    const Run kept = AlongKept(i), reduced = AlongReduced(i);
    const bool is_columns = plan_.form == FoldForm::kColumns;
    const Run& inner = is_columns ? kept : reduced;
    const Run& outer = is_columns ? reduced : kept;
    if (i < spec_.program->inputs.size()) {
      spec_.inputs.push_back(inner.is_uniform ? InnerStride::kUniform : InnerStride::kUnit);
    }
    i64 row = inner.is_uniform ? bytes : bytes * Most(is_columns);
    if (outer.is_uniform) row = 0;
    const bool in_place = IsInPlace(i);
    plan_.loop->inner_strides[i] = inner.is_uniform ? 0 : bytes;
    plan_.loop->outer_strides[i] = in_place ? outer.stride.value_or(0) : row;
    plan_.element_bytes.push_back(bytes);
    plan_.staged_at.push_back(in_place ? -1 : plan_.scratch_bytes);
    const i64 staged = (inner.is_uniform ? 1 : Most(is_columns)) *
                       (outer.is_uniform ? 1 : Most(!is_columns)) * bytes;
    plan_.staged_bytes.push_back(in_place ? 0 : staged);
    plan_.scratch_bytes += ScratchPart(plan_.staged_bytes.back());
  }
  // The number of a tile's results, or of a step's reduced elements, at most.
  i64 Most(bool results) const {
    return results ? plan_.most_along * plan_.inner_results : plan_.reduced_per_step;
  }

  void AddFold(size_t f, size_t operand) {
    const Fold& fold = folds_[f];
    const i64 bytes = operands_[operand].element_bytes;
    plan_.loop->inner_strides[operand] = bytes;
    plan_.loop->outer_strides[operand] = plan_.form == FoldForm::kRows ? bytes : 0;
    const bool is_general = fold.kind == ReducerKind::kGeneral;
    plan_.parts.push_back({bytes, is_general ? nullptr : FindFoldKernel(fold.kind, fold.type).fold,
                           is_general ? fold.init_bits : spec_.folds[f].identity});
    plan_.init_inputs.push_back(is_general ? fold.init_input : -1);
    plan_.partials_at.push_back(plan_.scratch_bytes);
    if (plan_.has_chunks) {
      plan_.scratch_bytes +=
          ScratchPart(NumPartials(shape_.reduced) * Most(/*results=*/true) * bytes);
    }
  }

  const FoldShape& shape_;
  std::span<const Fold> folds_;
  std::span<const LoopOperand> operands_;
  LoopKernelSpec& spec_;
  StagedFoldPlan plan_;
};

// One call of a step: the tiles one after the other.
class Runner {
 public:
  Runner(const StagedFoldPlan& plan, void* const* buffers)
      : plan_(plan),
        loop_(*plan.loop),
        rank_(loop_.sizes.size()),
        num_plain_(plan.staged_at.size()),
        buffers_(buffers),
        scratch_(static_cast<std::byte*>(buffers[loop_.offsets.size()])) {
    SetLoopBounds(loop_, buffers, pointers_);
    for (size_t i = 0; i < num_plain_ && loop_.is_checked; ++i) {
      if (plan.staged_at[i] < 0) continue;
      SetBounds(pointers_, loop_.offsets.size(), i, scratch_ + plan.staged_at[i],
                plan.staged_bytes[i]);
    }
  }

  // A step ends at the next border of a step, of a run of reduced dimensions, or of a chunk. At the
  // border of a chunk its partial results are complete, and new accumulators begin.
  int Run(i64 tile, LimitClock& clock) {
    SetTile(tile);
    std::vector<Partials> partials;
    for (size_t f = 0; f < plan_.parts.size(); ++f) {
      std::byte* const result = tile_[num_plain_ + f];
      if (plan_.has_chunks) {
        partials.emplace_back(plan_.parts[f], scratch_ + plan_.partials_at[f], results_);
      } else if (plan_.form == FoldForm::kColumns) {
        FillInit(f, result);
      }
      pointers_[num_plain_ + f] = result;
    }
    for (i64 r = 0, count; r < plan_.num_reduced; r += count) {
      if (clock.IsOver()) return kKernelStopped;
      count =
          std::min({plan_.reduced_per_step, plan_.num_reduced - r,
                    plan_.reduced_per_run - r % plan_.reduced_per_run, kSumChunk - r % kSumChunk});
      for (size_t f = 0; f < partials.size() && r % kSumChunk == 0; ++f) {
        FoldInto(loop_, num_plain_ + f, partials[f], pointers_);
        if (plan_.form == FoldForm::kColumns) FillInit(f, partials[f].next());
      }
      Step(r, count);
      clock.Did(results_ * count);
      const i64 end = r + count;
      if (end % kSumChunk != 0 && end != plan_.num_reduced) continue;
      for (Partials& partial : partials) partial.Added();
    }
    for (size_t f = 0; f < partials.size(); ++f) {
      std::memcpy(tile_[num_plain_ + f], partials[f].Finish(),
                  static_cast<size_t>(partials[f].bytes()));
    }
    return kKernelOk;
  }

 private:
  i64 StrideOf(size_t operand, size_t dim) const { return loop_.strides[operand * rank_ + dim]; }

  // Where the operands of the tile's first result begin.
  void SetTile(i64 tile) {
    for (size_t i = 0; i < loop_.offsets.size(); ++i) {
      tile_[i] = static_cast<std::byte*>(buffers_[i]) + loop_.offsets[i];
    }
    along_ = 1;
    results_ = plan_.inner_results;
    if (plan_.kept.empty()) return;
    const auto move = [&](size_t k, i64 index) {
      for (size_t i = 0; i < loop_.offsets.size(); ++i) {
        tile_[i] += index * StrideOf(i, plan_.kept[k]);
      }
    };
    const i64 size = loop_.sizes[plan_.kept[plan_.tile_dim]];
    const i64 parts = (size + plan_.most_along - 1) / plan_.most_along;
    const i64 first = tile % parts * plan_.most_along;
    along_ = std::min(plan_.most_along, size - first);
    results_ *= along_;
    move(plan_.tile_dim, first);
    i64 rest = tile / parts;
    for (size_t k = plan_.tile_dim; k-- > 0;) {
      move(k, rest % loop_.sizes[plan_.kept[k]]);
      rest /= loop_.sizes[plan_.kept[k]];
    }
  }

  void FillInit(size_t f, std::byte* to) const {
    FoldPlan::Part part = plan_.parts[f];
    if (plan_.init_inputs[f] >= 0) {
      std::memcpy(&part.identity, tile_[plan_.init_inputs[f]], static_cast<size_t>(part.bytes));
    }
    FillIdentity(part, to, results_);
  }

  // Reduced elements r .. r + count - 1 of all results.
  void Step(i64 r, i64 count) {
    for (size_t i = 0; i < num_plain_; ++i) {
      if (plan_.staged_at[i] < 0) {
        pointers_[i] = tile_[i] + ReducedOffset(i, r);
        continue;
      }
      pointers_[i] = scratch_ + plan_.staged_at[i];
      if (i < plan_.num_inputs) Copy(i, r, count, /*into_scratch=*/true);
    }
    if (plan_.probe != nullptr) {
      Probe(count);
    } else {
      const bool is_columns = plan_.form == FoldForm::kColumns;
      loop_.kernel(pointers_, is_columns ? results_ : count, is_columns ? count : results_,
                   loop_.outer_strides.data(), loop_.inner_strides.data());
    }
    for (size_t i = plan_.num_inputs; i < num_plain_; ++i) {
      if (plan_.staged_at[i] >= 0) Copy(i, r, count, /*into_scratch=*/false);
    }
  }

  // The next `count` elements of the one result: blocks that change nothing are left out.
  void Probe(i64 count) {
    constexpr i64 kBlock = 256;
    const size_t num_folds = plan_.parts.size();
    void* operands[kMaxLoopPointers];
    std::copy_n(pointers_ + num_plain_, num_folds, operands + num_plain_);
    bool changes = false;
    operands[num_plain_ + num_folds] = &changes;
    for (i64 done = 0; done < count; done += kBlock) {
      const i64 block = std::min(kBlock, count - done);
      std::copy_n(pointers_, num_plain_, operands);
      RunOneRow(*plan_.probe, operands, block);
      if (changes) {
        loop_.kernel(pointers_, 1, block, loop_.outer_strides.data(), loop_.inner_strides.data());
      }
      for (size_t i = 0; i < num_plain_; ++i) {
        pointers_[i] = static_cast<std::byte*>(pointers_[i]) + block * loop_.outer_strides[i];
      }
    }
  }

  i64 ReducedOffset(size_t operand, i64 r) const {
    i64 offset = 0;
    for (size_t k = plan_.reduced.size(); k-- > 0 && r > 0;) {
      const size_t d = plan_.reduced[k];
      offset += r % loop_.sizes[d] * StrideOf(operand, d);
      r /= loop_.sizes[d];
    }
    return offset;
  }

  // Between where an operand is and the scratch memory: box by box, as many whole dimensions at a
  // time as there are. What is the same for all reduced elements is copied for the first ones.
  void Copy(size_t operand, i64 r, i64 count, bool into_scratch) {
    const bool is_columns = plan_.form == FoldForm::kColumns;
    const i64 inner_step = loop_.inner_strides[operand], outer_step = loop_.outer_strides[operand];
    const i64 kept_step = is_columns ? inner_step : outer_step;
    const i64 reduced_step = is_columns ? outer_step : inner_step;
    const i64 end = reduced_step == 0 ? 1 : r + count;
    for (i64 at = r; at < end;) {
      size_t k = plan_.reduced.size() - 1;
      i64 inner = 1;
      const auto size = [&] { return loop_.sizes[plan_.reduced[k]]; };
      while (k > 0 && at % (inner * size()) == 0 && at + inner * size() <= end) {
        inner *= size();
        --k;
      }
      const i64 along = std::min((end - at) / inner, size() - at / inner % size());
      const auto add_kept = [&] { AddKept(operand, kept_step, into_scratch); };
      const auto add_reduced = [&] {
        if (reduced_step != 0)
          AddReduced(operand, k, along, along * inner, reduced_step, into_scratch);
      };
      // Innermost what lies together where it goes.
      const bool kept_last = into_scratch ? is_columns : plan_.kept.back() > plan_.reduced.back();
      dims_.clear();
      if (!kept_last) add_kept();
      add_reduced();
      if (kept_last) add_kept();
      if (dims_.empty()) dims_.push_back({1, 0, 0});
      std::byte* const array = tile_[operand] + ReducedOffset(operand, at);
      std::byte* const staged = scratch_ + plan_.staged_at[operand] + (at - r) * reduced_step;
      StridedCopy(dims_, into_scratch ? staged : array, into_scratch ? array : staged,
                  plan_.element_bytes[operand]);
      at += along * inner;
    }
  }
  void AddKept(size_t operand, i64 step, bool into_scratch) {
    i64 below = results_;
    for (size_t k = plan_.tile_dim; step != 0 && k < plan_.kept.size(); ++k) {
      const i64 count = k == plan_.tile_dim ? along_ : loop_.sizes[plan_.kept[k]];
      below /= count;
      AddDim(count, below * step, StrideOf(operand, plan_.kept[k]), into_scratch);
    }
  }
  void AddReduced(size_t operand, size_t first, i64 along, i64 below, i64 step, bool into_scratch) {
    for (size_t k = first; k < plan_.reduced.size(); ++k) {
      const i64 count = k == first ? along : loop_.sizes[plan_.reduced[k]];
      below /= count;
      AddDim(count, below * step, StrideOf(operand, plan_.reduced[k]), into_scratch);
    }
  }
  void AddDim(i64 count, i64 staged, i64 array, bool into_scratch) {
    AppendDim(dims_, {count, into_scratch ? staged : array, into_scratch ? array : staged});
  }

  const StagedFoldPlan& plan_;
  const LoopPlan& loop_;
  const size_t rank_, num_plain_;
  void* const* buffers_;
  std::byte* scratch_;
  // State of the tile:
  i64 along_ = 1, results_ = 1;
  std::byte* tile_[kMaxLoopOperands];
  void* pointers_[kMaxLoopPointers];
  std::vector<StridedDim> dims_;  // dimensions of the box being copied
};

}  // namespace

std::shared_ptr<StagedFoldPlan> PlanStagedFold(const FoldShape& shape, std::span<const Fold> folds,
                                               const Dims& sizes,
                                               std::span<const LoopOperand> operands,
                                               LoopKernelSpec& spec) {
  SetFoldForm(spec, shape, folds, FoldPath::kStaged, Rounding::kStrict);
  return Planner(shape, folds, sizes, operands, spec).Make();
}

// Whether f(accumulators, elements) has other bits than the accumulators.
std::optional<LaneProgram> ProbeProgram(const LoopKernelSpec& spec, const StagedFoldPlan& plan) {
  const LaneProgram& program = *spec.program;
  const size_t num_folds = plan.parts.size();
  if (!plan.is_probed || plan.loop->is_checked ||
      program.inputs.size() + num_folds + 1 > kMaxLoopOperands) {
    return std::nullopt;
  }
  LaneBuilder builder;
  for (const LaneArray& input : program.inputs) builder.AddInput(input);
  std::vector<Lane> accumulators;
  for (const LaneArray& output : program.outputs) {
    accumulators.push_back(builder.Part(builder.AddInput(output)));
  }
  // The lanes of a program whose inputs are given.
  const auto inlined = [&](const LaneProgram& part, const auto& input) {
    std::vector<Lane> lanes;
    for (LaneOp op : part.code) {
      if (op.primitive == Primitive::kInput) {
        lanes.push_back(input(op));
        continue;
      }
      for (int k = 0; k < Arity(op.primitive); ++k) op.operands[k] = lanes[op.operands[k]].id;
      lanes.push_back(builder.Emit(op));
    }
    return lanes;
  };
  const std::vector<Lane> values = inlined(program, [&](const LaneOp& op) {
    return builder.Part(static_cast<int>(op.input()), static_cast<int>(op.part()));
  });
  const LaneProgram& reducer = *spec.folds[0].reducer;
  const std::vector<Lane> joined = inlined(reducer, [&](const LaneOp& op) {
    const size_t i = op.input();
    return i < num_folds ? accumulators[i] : values[program.results[i - num_folds]];
  });
  std::vector<Lane> differences;
  for (size_t f = 0; f < num_folds; ++f) {
    const Lane before = accumulators[f], after = joined[reducer.results[f]];
    const bool is_float = IsFloat(before.type());
    differences.push_back(is_float ? BitsOf(before) != BitsOf(after) : before != after);
  }
  Lane changes = differences[0];
  for (size_t f = 1; f < num_folds; ++f) changes = changes | differences[f];
  return std::move(builder).Finish(std::span(&changes, 1));
}

LoopKernelSpec AddProbe(const LaneProgram& program, StagedFoldPlan& plan) {
  LoopKernelSpec probe{&program, {}};
  for (size_t i = 0; i < plan.num_inputs; ++i) {
    const bool is_same = plan.loop->outer_strides[i] == 0;
    probe.inputs.push_back(is_same ? InnerStride::kUniform : InnerStride::kUnit);
  }
  probe.inputs.insert(probe.inputs.end(), plan.parts.size(), InnerStride::kOne);
  probe.form = FoldForm::kRows;
  probe.folds = {{.join = Primitive::kOr, .identity = 0}};
  probe.lanes = 64;
  plan.probe = std::make_shared<LoopPlan>();
  return probe;
}

i64 StagedFoldScratchBytes(const FoldShape& shape, std::span<const Fold> folds,
                           const LaneProgram& program) {
  const FoldForm form = FormOf(shape, folds, FoldPath::kStaged);
  const auto arrays = [&](const auto& f) {
    for (const LaneArray& input : program.inputs) f(input.element_bytes());
    for (size_t o = 0; o + folds.size() < program.outputs.size(); ++o) {
      f(program.outputs[o].element_bytes());
    }
  };
  i64 bytes_per_position = 0, total = 0;
  arrays([&](i64 bytes) { bytes_per_position += bytes; });
  const StepSize size = SizeOfStep(form, shape, bytes_per_position);
  arrays([&](i64 bytes) { total += ScratchPart(size.results * size.reduced * bytes); });
  if (!HasChunks(form, shape, folds)) return total;
  const i64 results = std::min(shape.num_results(), kColumnsPerTile);
  return total + static_cast<i64>(folds.size()) *
                     ScratchPart(NumPartials(shape.reduced) * results * kMaxFoldBytes);
}

int RunStagedFold(const RunContext* run, const void* data, void* const* buffers, i64 begin,
                  i64 end) {
  Runner runner(*static_cast<const StagedFoldPlan*>(data), buffers);
  LimitClock clock(run);
  for (i64 tile = begin; tile < end; ++tile) {
    if (const int result = runner.Run(tile, clock); result != kKernelOk) return result;
  }
  return kKernelOk;
}

}  // namespace axle
