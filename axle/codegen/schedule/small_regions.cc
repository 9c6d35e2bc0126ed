// How small regions are found. In
//
//   while (i < n) { x = x * 0.5 + y;  i = i + 1 }      x, y: f32[3];  i, n: s32
//
// condition and body are loops over few positions, so the whole while is one function that keeps i
// and x in registers.
//
// Finder says what a region would cost as part of a function, or that it cannot be a part. Loops,
// moves whose offsets are scalars, and small dots can. A while, call or conditional can if all
// regions of the computations that it calls can, down to kMaxNested levels. The cost counts vector
// operations and, apart, the vectors that cross borders of loops and branches, because LLVM's time
// grows with the square of these. Each called schedule is costed once.
//
// Grouper walks the schedule in order and gathers neighbouring regions until the cost is too high
// or the next one cannot be a part. A group becomes a kSmall region if it has control flow or a
// dot; other loops stay as they are, since their kernels are shared by all loops that do the same.
//
// A large array in a small region has one place. It may be read, or be the state of a loop and
// updated in place there. CostOfCallee therefore follows, for each large value, in the block of
// which argument it lies and how many writes came before: a value is readable only until the next
// write to its block.
#include "axle/codegen/schedule/small_regions.h"

#include <algorithm>
#include <map>
#include <set>

#include "axle/codegen/schedule/dot_form.h"
#include "axle/codegen/spec/small_vectors.h"

namespace axle {
namespace {

// Vector operations of one function: beyond this, compiling takes longer than it saves. Less for
// functions without a loop: those that do the same then have the same neighbours, and are compiled
// once.
constexpr i64 kMaxWork = 1500, kMaxStraightWork = 150;
// Loops and branches inside of each other in one function. What is nested deeper is looked at from
// inside only: the search neither takes quadratic time nor all of the stack.
constexpr int kMaxNested = 16;

// Vectors that come into loops, calls and branches and leave them, each time one does: all may be
// needed at a time, and LLVM takes quadratic time for them. A loop that hands on n numbers has 5 n.
// Measured on Zen 4: 250 numbers take 0.06 s, 500 0.2 s, 1,000 0.7 s, 2,000 2.4 s. What has more is
// made of records.
constexpr i64 kMaxValues = 4000;

static_assert(kMaxSmallDotElements <= kMaxSmallElements);

// The cost of compiling a function, or a part of one.
struct Cost {
  i64 work = 0, values = 0;
  Cost& operator+=(const Cost& other) {
    work += other.work;
    values += other.values;
    return *this;
  }
  bool IsTooMuch(i64 most_work = kMaxWork) const { return work > most_work || values > kMaxValues; }
};

i64 NumVectors(const Schedule& schedule, std::span<const ValueId> values) {
  i64 vectors = 0;
  for (const ValueId value : values) {
    const Value& array = schedule.values[value];
    vectors += IsSmall(array) ? NumSmallVectors(array.num_elements()) : 1;
  }
  return vectors;
}

// The regions of a computation that may be part of a small region, and what they cost.
class Finder {
 public:
  explicit Finder(const ScheduleOf& schedule_of) : schedule_of_(schedule_of) {}

  // The cost of a region that can be a part, or nothing; fills in its callees.
  StatusOr<std::optional<Cost>> CostOf(const Schedule& schedule, Region& region) {
    if (const LoopRegion* loop = region.if_loop()) {
      if (std::ranges::any_of(region.inputs, &RegionInput::is_table)) return std::optional<Cost>();
      return OfWork(WorkOfLoop(*loop));
    }
    if (region.if_move() != nullptr) return OfWork(WorkOfMove(schedule, region));
    if (std::holds_alternative<ContractionRegion>(region.payload)) {
      return OfWork(WorkOfDot(*region.instructions[0]));
    }
    if (region.if_control() != nullptr) return CostOfControl(schedule, region);
    return std::optional<Cost>();
  }

 private:
  using Work = std::optional<i64>;

  static std::optional<Cost> OfWork(const Work& work) {
    return work ? std::optional<Cost>(Cost{*work, 0}) : std::nullopt;
  }

  static Work WorkOfLoop(const LoopRegion& region) {
    const i64 n = region.num_positions;
    if (n > kMaxSmallElements) return {};
    if (!region.folds.empty() && region.path() != FoldPath::kInOrder) return {};
    const auto code = static_cast<i64>(region.program.code.size());
    const auto folds = static_cast<i64>(region.folds.size());
    return NumSmallVectors(n) * code + folds * FoldWork(region.fold_shape);
  }
  static i64 FoldWork(const FoldShape& shape) {
    return 2 * NumSmallVectors(shape.num_results()) * std::min<i64>(shape.reduced, kMaxSmallLanes);
  }

  static bool IsOneNumber(const DynamicOffset& offset) {
    return std::ranges::all_of(offset.index_from, [](i64 dim) { return dim == kNoSourceDim; });
  }

  static Work WorkOfMove(const Schedule& schedule, const Region& region) {
    const Value& output = schedule.values[region.outputs[0]];
    if (!region.move().map) return IsSmall(output) ? Work(MoveWork(output.num_elements())) : Work();
    const IndexMap& map = *region.move().map;
    bool is_dynamic = false;
    for (const IndexPiece& piece : map) {
      if (!std::ranges::all_of(piece.offsets, IsOneNumber)) return {};
      is_dynamic = is_dynamic || !piece.offsets.empty();
    }
    const bool is_update = map.size() == 2 && !region.in_place.empty();
    if (is_update) {
      const Shape& update = region.instructions[0]->operand(map[1].operand)->shape();
      const bool in_result = std::ranges::all_of(map[1].offsets, [](const auto& offset) {
        return offset.side == DynamicOffset::Side::kResult;
      });
      if (!in_result || update.num_elements() > kMaxSmallElements) return {};
      return MoveWork(update.num_elements() + (IsSmall(output) ? output.num_elements() : 0));
    }
    if (!IsSmall(output) || (is_dynamic && map.size() > 1)) return {};
    if (is_dynamic && std::ranges::any_of(map[0].offsets, [](const auto& offset) {
          return offset.side == DynamicOffset::Side::kResult;
        })) {
      return {};
    }
    return MoveWork(output.num_elements());
  }
  static i64 MoveWork(i64 num_elements) { return 2 + 4 * NumSmallVectors(num_elements); }

  static Work WorkOfDot(const Instruction& inst) {
    const auto dot = FindSmallDot(inst);
    if (!dot) return {};
    const i64 vectors = NumSmallVectors(dot->num_columns);
    return 4 + dot->num_rows * vectors * (2 * dot->depth + 1);
  }

  StatusOr<std::optional<Cost>> CostOfControl(const Schedule& schedule, Region& region) {
    region.control().callees.clear();
    if (num_nested_ == kMaxNested) return std::optional<Cost>();
    ++num_nested_;
    StatusOr<std::optional<Cost>> cost = CostOfNested(schedule, region);
    --num_nested_;
    return cost;
  }

  StatusOr<std::optional<Cost>> CostOfNested(const Schedule& schedule, Region& region) {
    const Instruction& inst = *region.instructions[0];
    Cost cost = {4, 0};
    for (size_t i = 0; i < inst.callees().size(); ++i) {
      AXLE_ASSIGN(auto callee, schedule_of_(*inst.callee(static_cast<i64>(i))));
      const bool is_body = static_cast<std::ptrdiff_t>(i) == GetKind(region.kind).body;
      AXLE_ASSIGN(const std::optional<Cost> inner, CostOfCallee(*callee, is_body));
      if (!inner) return std::optional<Cost>();
      cost += *inner;
      if (cost.IsTooMuch()) return std::optional<Cost>();
      region.control().callees.push_back(std::move(callee));
    }
    return LargeOutputs(schedule, region) ? std::optional<Cost>(cost) : std::nullopt;
  }

  // Where a large value of a computation is: in the block of an argument, after so many writes.
  struct InMemory {
    std::int32_t argument;
    i64 writes;
  };

  // A computation as part of a function. Only the body of a loop may write: to its state, whose
  // place is that of its results.
  StatusOr<std::optional<Cost>> CostOfCallee(Schedule& schedule, bool is_body) {
    const auto known = known_.find({&schedule, is_body});
    if (known != known_.end()) return known->second;
    std::optional<Cost>& result = known_[{&schedule, is_body}];
    Cost cost = {
        0, 1 + NumVectors(schedule, schedule.arguments) + NumVectors(schedule, schedule.results)};
    if (cost.IsTooMuch()) return result;
    std::map<ValueId, InMemory> places;
    std::vector<i64> writes(schedule.arguments.size());
    for (size_t i = 0; i < schedule.arguments.size(); ++i) {
      if (IsSmall(schedule.values[schedule.arguments[i]])) continue;
      places[schedule.arguments[i]] = {static_cast<std::int32_t>(i), 0};
    }
    const auto is_there = [&](ValueId value) {
      const auto place = places.find(value);
      return place == places.end() || place->second.writes == writes[place->second.argument];
    };
    for (Region& part : schedule.regions) {
      AXLE_ASSIGN(const std::optional<Cost> part_cost, CostOf(schedule, part));
      if (!part_cost) return result;
      cost += *part_cost;
      if (cost.IsTooMuch()) return result;
      for (const RegionInput& input : part.inputs) {
        if (!is_there(input.value)) return result;
      }
      const auto large_outputs = *LargeOutputs(schedule, part);
      for (const LargeOutput& large : large_outputs) {
        const auto source = places.find(part.inputs[large.input].value);
        if (source == places.end() || (large.is_written && !is_body)) return result;
        InMemory place = source->second;
        // An array that the part writes must not be read through another of its inputs.
        const auto reads = std::ranges::count_if(part.inputs, [&](const RegionInput& input) {
          const auto other = places.find(input.value);
          return other != places.end() && other->second.argument == place.argument;
        });
        if (large.is_written && reads > 1) return result;
        if (large.is_written) place.writes = ++writes[place.argument];
        places[part.outputs[large.output]] = place;
      }
    }
    for (size_t k = 0; k < schedule.results.size(); ++k) {
      const ValueId value = schedule.results[k];
      if (IsSmall(schedule.values[value])) continue;
      const auto place = places.find(value);
      if (!is_body || place == places.end() || !is_there(value)) return result;
      if (place->second.argument != static_cast<std::int32_t>(k)) return result;
    }
    return result = cost;
  }

  const ScheduleOf& schedule_of_;
  int num_nested_ = 0;
  std::map<std::pair<const Schedule*, bool>, std::optional<Cost>> known_;
};

class Grouper {
 public:
  Grouper(Schedule& schedule, const ScheduleOf& schedule_of, bool wherever_possible)
      : schedule_(schedule), finder_(schedule_of), wherever_possible_(wherever_possible) {}

  Status Run() && {
    std::vector<Region> regions = std::move(schedule_.regions);
    last_use_.assign(schedule_.values.size(), -1);
    for (size_t r = 0; r < regions.size(); ++r) {
      for (const RegionInput& input : regions[r].inputs) {
        last_use_[input.value] = static_cast<i64>(r);
      }
    }
    for (const ValueId value : schedule_.results) last_use_[value] = kEnd;
    for (const auto& [value, literal] : schedule_.constants) {
      if (IsSmall(schedule_.values[value])) constants_.emplace(value, literal);
    }
    schedule_.regions.clear();
    for (size_t r = 0; r < regions.size(); ++r) {
      AXLE_ASSIGN(std::optional<Cost> cost, finder_.CostOf(schedule_, regions[r]));
      const bool is_control = CallsInside(regions[r]);
      if (cost && is_control) cost->values += NumOutside(regions[r]);
      const i64 most = has_control_ || is_control ? kMaxWork : kMaxStraightWork;
      Cost together = cost_;
      if (cost) together += *cost;
      if (!cost || together.IsTooMuch(most) || ReadsLargeResult(regions[r])) Finish();
      if (!cost || cost->IsTooMuch()) {
        schedule_.regions.push_back(std::move(regions[r]));
        continue;
      }
      Add(std::move(regions[r]), static_cast<i64>(r), *cost);
    }
    Finish();
    return {};
  }

 private:
  static constexpr i64 kEnd = std::numeric_limits<i64>::max();

  // Whether a loop, call or branch may be part of the function with what it calls.
  static bool CallsInside(const Region& region) {
    const ControlRegion* control = region.if_control();
    return control != nullptr && !control->callees.empty();
  }

  // The vectors that a loop, call or branch gets and gives.
  i64 NumOutside(const Region& region) const {
    std::vector<ValueId> inputs;
    for (const RegionInput& input : region.inputs) inputs.push_back(input.value);
    return NumVectors(schedule_, inputs) + NumVectors(schedule_, region.outputs);
  }

  void Add(Region region, i64 number, const Cost& cost) {
    has_control_ = has_control_ || CallsInside(region);
    has_dot_ = has_dot_ || std::holds_alternative<ContractionRegion>(region.payload);
    cost_ += cost;
    end_ = number;
    numbers_.push_back(number);
    const auto large_outputs = *LargeOutputs(schedule_, region);
    for (const LargeOutput& large : large_outputs) {
      large_results_.insert(region.outputs[large.output]);
      // An array that is only handed on is copied at the end: no part may write it before.
      if (!large.is_written) large_results_.insert(region.inputs[large.input].value);
    }
    parts_.push_back(std::move(region));
  }

  // A large array has one place in a small region.
  bool ReadsLargeResult(const Region& region) const {
    return std::ranges::any_of(region.inputs, [&](const RegionInput& input) {
      return large_results_.contains(input.value);
    });
  }

  void Finish() {
    // Loops and moves on their own share kernels with all that do the same.
    if (has_control_ || has_dot_ || (wherever_possible_ && !parts_.empty())) {
      schedule_.regions.push_back(Join());
    } else {
      for (Region& part : parts_) schedule_.regions.push_back(std::move(part));
    }
    parts_.clear();
    numbers_.clear();
    large_results_.clear();
    cost_ = {};
    has_control_ = has_dot_ = false;
  }

  Region Join() {
    Region region{.kind = RegionKind::kSmall, .instructions = {}};
    SmallRegion small;
    std::set<ValueId> made, read;
    for (const Region& part : parts_) {
      region.instructions.insert(region.instructions.end(), part.instructions.begin(),
                                 part.instructions.end());
      for (const RegionInput& input : part.inputs) {
        if (made.contains(input.value) || !read.insert(input.value).second) continue;
        const auto constant = constants_.find(input.value);
        if (constant != constants_.end()) {
          small.constants.push_back(*constant);
        } else {
          region.inputs.push_back({input.value});
        }
      }
      made.insert(part.outputs.begin(), part.outputs.end());
    }
    for (size_t p = 0; p < parts_.size(); ++p) AddOutputs(parts_[p], numbers_[p], region);
    AddSmallInPlace(region);
    small.parts = std::move(parts_);
    region.payload = std::move(small);
    return region;
  }

  void AddOutputs(const Region& part, i64 number, Region& region) {
    const auto large_outputs = *LargeOutputs(schedule_, part);
    for (std::uint32_t i = 0; i < part.outputs.size(); ++i) {
      const ValueId output = part.outputs[i];
      const auto large = std::ranges::find(large_outputs, i, &LargeOutput::output);
      const bool is_large = large != large_outputs.end();
      // A large array that is written needs a place, even if only parts of this region read it.
      if (last_use_[output] <= end_ && !(is_large && large->is_written)) continue;
      const auto o = static_cast<std::uint32_t>(region.outputs.size());
      region.outputs.push_back(output);
      if (!is_large) continue;
      const ValueId source = part.inputs[large->input].value;
      const auto input = std::ranges::find(region.inputs, source, &RegionInput::value);
      const auto reads = std::ranges::count(part.inputs, source, &RegionInput::value);
      if (last_use_[source] != number || reads != 1 || input == region.inputs.end()) continue;
      region.in_place.push_back({o, static_cast<std::uint32_t>(input - region.inputs.begin())});
    }
  }

  // Small inputs are read before any output is written.
  void AddSmallInPlace(Region& region) {
    constexpr size_t kMost = 64;
    if (region.inputs.size() > kMost || region.outputs.size() > kMost) return;
    for (std::uint32_t o = 0; o < region.outputs.size(); ++o) {
      const Value& output = schedule_.values[region.outputs[o]];
      for (std::uint32_t i = 0; i < region.inputs.size() && IsSmall(output); ++i) {
        const Value& input = schedule_.values[region.inputs[i].value];
        if (IsSmall(input) && input.bytes == output.bytes) region.in_place.push_back({o, i});
      }
    }
  }

  Schedule& schedule_;
  Finder finder_;
  const bool wherever_possible_;
  std::vector<i64> last_use_;             // by value: a region, or kEnd
  std::map<ValueId, Literal> constants_;  // small ones
  // The regions put together now.
  std::vector<Region> parts_;
  std::vector<i64> numbers_;  // positions in the schedule before
  std::set<ValueId> large_results_;
  Cost cost_;
  i64 end_ = 0;
  bool has_control_ = false, has_dot_ = false;
};

}  // namespace

std::optional<std::vector<LargeOutput>> LargeOutputs(const Schedule& schedule, const Region& part) {
  std::vector<LargeOutput> all;
  for (std::uint32_t o = 0; o < part.outputs.size(); ++o) {
    if (IsSmall(schedule.values[part.outputs[o]])) continue;
    if (part.kind == RegionKind::kWhile) {
      const Schedule& body = *part.control().callees[1];
      all.push_back({o, o, body.results[o] != body.arguments[o]});
    } else if (part.if_move() != nullptr && part.move().map && !part.in_place.empty()) {
      all.push_back({o, part.in_place[0].input, true});
    } else {
      return std::nullopt;
    }
  }
  return all;
}

PieceElements ElementsOf(const IndexPiece& piece, const Shape& result, const Shape& source) {
  PieceElements elements;
  if (piece.relinearize) {
    for (i64 k = 0; k < result.num_elements(); ++k) {
      elements.result.push_back(k);
      elements.source.push_back(k);
    }
    return elements;
  }
  const Dims result_strides = RowMajorStrides(result.dims());
  const Dims source_strides = RowMajorStrides(source.dims());
  i64 from = 0;
  for (size_t d = 0; d < piece.source_begin.size(); ++d) {
    from += piece.source_begin[d] * source_strides[d];
  }
  elements = {{0}, {from}};
  for (size_t d = 0; d < piece.dims.size(); ++d) {
    const IndexPiece::Dim& dim = piece.dims[d];
    const i64 source_step =
        dim.source_dim == kNoSourceDim ? 0 : dim.source_step * source_strides[dim.source_dim];
    PieceElements wider;
    for (size_t e = 0; e < elements.result.size(); ++e) {
      for (i64 k = 0; k < dim.count; ++k) {
        wider.result.push_back(elements.result[e] + (dim.begin + k * dim.step) * result_strides[d]);
        wider.source.push_back(elements.source[e] + k * source_step);
      }
    }
    elements = std::move(wider);
  }
  return elements;
}

std::vector<i64> ElementsOf(const Access& access) {
  std::vector<i64> elements = {access.offset};
  for (const AccessFactor& factor : access.factors) {
    std::vector<i64> wider;
    for (const i64 element : elements) {
      for (i64 k = 0; k < factor.size; ++k) wider.push_back(element + k * factor.stride);
    }
    elements = std::move(wider);
  }
  return elements;
}

Status GroupSmallRegions(Schedule& schedule, const ScheduleOf& schedule_of,
                         bool wherever_possible) {
  return Grouper(schedule, schedule_of, wherever_possible).Run();
}

}  // namespace axle
