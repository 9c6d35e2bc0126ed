// How row regions are found. Take a softmax of f32[1024,512]:
//
//   m = reduce(x), maximum               a fold of 1024 rows: begins a group
//   e = exponential(x - m);  s = sum     a loop with a fold: reads its own rows of m, joins
//   r = e / s                            a loop: joins
//
// The three loops become one region that runs them one after the other on a few rows at a time. e
// lies in memory for these rows only, or where r will be.
//
// A fold of several rows begins a group. Loops behind it join, one after the other, if they can
// work row by row too: an equal part of their positions belongs to each row, and of the arrays that
// the group computes they read the elements of that row only. Regions in between come after the
// group, and nothing that needs them can join; but a region that may move, that the group needs and
// that does not need the group is done before it.
//
// Joining changes no bits: each loop keeps its program and the order of its folds. Folds that are
// staged or need scratch memory do not take part. At most kMaxLooks regions are looked at for each
// fold, which bounds the search to a linear one.
#include "axle/codegen/schedule/row_regions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>

#include "axle/codegen/schedule/buffers.h"
#include "axle/codegen/schedule/small_regions.h"

namespace axle {
namespace {

// The size that the arrays of a block of rows should have together: less than a first-level cache.
// Shorter blocks would call kernels more often, longer ones make softmax and layer norm slower by a
// fifth.
constexpr i64 kBlockBytes = i64{32} << 10;
// A single row may fill most of a second-level cache. Of a longer row, nothing is left there when
// the next loop reads it.
constexpr i64 kMaxRowBytes = i64{1} << 20;
// The least size of an array that is fetched early, above which it is not in a second-level cache;
// and the operations of a loop that fetches smaller ones: shorter loops are as fast as that cache.
constexpr i64 kMinFetchedBytes = i64{1} << 20;
constexpr i64 kMinOperationsToFetch = 8;
// The distance is rounded up to a multiple of this, so that kernels for rows of many lengths are
// the same. The numbers between are fetched a little earlier.
constexpr i64 kFetchStep = i64{4} << 10;
// A loop of fewer operations waits for the memory that it is the first to write.
constexpr i64 kMinOperationsToWrite = 16;
// Places that a loop fetches beside what it reads: a processor waits for some ten lines at a time.
constexpr std::ptrdiff_t kMaxFetchedPlaces = 2;
// Blocks for each thread, so that none has to wait long for the last one.
constexpr i64 kBlocksPerThread = 4;
// Regions behind a fold that are looked at.
constexpr size_t kMaxLooks = 64;

bool IsLoop(const Region& region) {
  return region.if_loop() != nullptr;
}

class Group {
 public:
  Group(const Schedule& schedule, i64 rows) : schedule_(schedule), rows_(rows) {}

  // Whether the loop can work row by row behind those that are in the group; then it is in it too.
  // If not, `why` says so.
  bool TryAdd(const Region& loop, Apart& why) {
    const auto& [n, program, loop_sizes, fold_shape, folds, fetches] = loop.loop();
    if (n % rows_ != 0 || (!folds.empty() && fold_shape.rows % rows_ != 0) ||
        !fold_shape.groups.empty() || IsStaged(fold_shape, folds) ||
        FoldScratchBytes(fold_shape, folds.size()) > 0) {
      why = Apart::kOtherRows;
      return false;
    }
    const auto sizes = SizesByRow(loop);
    if (!sizes) {
      why = Apart::kOtherRows;
      return false;
    }
    for (size_t i = 0; i < loop.inputs.size(); ++i) {
      const ValueId value = loop.inputs[i].value;
      if (computed_.contains(value) && !ReadsItsRow(loop, i)) {
        why = Apart::kReadsOtherRows;
        return false;
      }
    }
    std::set<ValueId> values = values_;
    for (const RegionInput& input : loop.inputs) values.insert(input.value);
    values.insert(loop.outputs.begin(), loop.outputs.end());
    if (values.size() > kMaxLoopOperands) {
      why = Apart::kRowsOfTooManyArrays;
      return false;
    }
    if (RowBytes(values) > kMaxRowBytes) {
      why = Apart::kRowsTooLong;
      return false;
    }
    steps_.push_back(loop);
    steps_.back().loop().sizes = *sizes;
    values_ = std::move(values);
    computed_.insert(loop.outputs.begin(), loop.outputs.end());
    return true;
  }

  bool Computes(ValueId value) const { return computed_.contains(value); }
  bool Uses(ValueId value) const { return values_.contains(value); }

  // Two loops over rows of more than one element are what it is about. Few elements are better
  // kept in registers.
  bool IsWorthIt() const {
    const auto num_positions = [](const Region& step) { return step.loop().num_positions; };
    return std::ranges::max(std::views::transform(steps_, num_positions)) > kMaxSmallElements &&
           std::ranges::count_if(
               steps_, [&](const Region& step) { return num_positions(step) > rows_; }) >= 2;
  }

  // The region; `is_read_after` says which values others read.
  template <typename IsReadAfter>
  Region Make(int num_threads, const IsReadAfter& is_read_after) && {
    Region region{.kind = RegionKind::kRows, .instructions = {}};
    region.payload = RowsRegion();
    RowsRegion& made = region.rows();
    made.rows = rows_;
    std::set<ValueId> seen;
    for (const Region& step : steps_) {
      region.instructions.insert(region.instructions.end(), step.instructions.begin(),
                                 step.instructions.end());
      for (const RegionInput& input : step.inputs) {
        if (!computed_.contains(input.value) && seen.insert(input.value).second) {
          region.inputs.push_back({input.value});
        }
      }
      for (const ValueId output : step.outputs) {
        if (is_read_after(output)) region.outputs.push_back(output);
      }
    }
    std::set<ValueId> apart = values_;  // without locals that lie in the place of an output
    for (const Region& step : steps_) {
      for (const ValueId output : step.outputs) {
        if (is_read_after(output)) continue;
        made.locals.push_back({output, BytesOf(output) / rows_, 0, OutputFor(region, output)});
        if (made.locals.back().output) apart.erase(output);
      }
    }
    const i64 share =
        (rows_ + num_threads * kBlocksPerThread - 1) / (num_threads * kBlocksPerThread);
    made.rows_per_block = std::clamp<i64>(kBlockBytes / std::max<i64>(RowBytes(apart), 1), 1,
                                          num_threads > 1 ? share : rows_);
    PlaceLocals(made);
    AddInPlacePairs(region);
    for (const RegionInput& input : region.inputs) AddFetch(input.value, made.rows_per_block);
    for (std::uint32_t o = 0; o < region.outputs.size(); ++o) AddFetchOfPlace(region, o);
    made.loops = std::move(steps_);
    return region;
  }

 private:
  i64 BytesOf(ValueId value) const { return schedule_.values[value].bytes; }

  // The bytes of one row. An array whose size is no multiple of the rows is mostly read by all rows
  // alike: it does not count.
  i64 RowBytes(const std::set<ValueId>& values) const {
    i64 bytes = 0;
    for (const ValueId value : values) {
      if (BytesOf(value) % rows_ == 0) bytes += BytesOf(value) / rows_;
    }
    return bytes;
  }

  // The sizes of a loop whose rows of the group are rows of its kernel, or parts of its only one.
  std::optional<Dims> SizesByRow(const Region& loop) const {
    const auto& [n, program, loop_sizes, fold_shape, folds, fetches] = loop.loop();
    if (loop_sizes.size() <= 1 && folds.empty()) return loop_sizes;
    const Access whole = Access::Whole(n);
    const Access result = ResultAccess(fold_shape);
    const Access boundary = ResultAccess({.rows = rows_, .reduced = n / rows_});
    std::vector<const Access*> accesses = {&whole, &boundary};
    for (const RegionInput& input : loop.inputs) accesses.push_back(&input.access);
    if (!folds.empty()) accesses.push_back(&result);
    auto sizes = CommonSizes(accesses, n);
    const bool fits = sizes && (folds.empty() ? n > rows_ || sizes->size() <= 1
                                              : HasRows(fold_shape, folds, *sizes));
    return fits ? sizes : std::nullopt;
  }

  // Whether the folds need no scratch memory, and their tiles are rows.
  static bool HasRows(const FoldShape& shape, std::span<const Fold> folds, const Dims& sizes) {
    const auto path = PathOf(shape, folds, sizes);
    return path && *path != FoldPath::kStaged;
  }

  // Whether input `i` of the loop reads, for each row, elements of that part of the array only.
  bool ReadsItsRow(const Region& loop, size_t i) const {
    if (loop.inputs[i].is_table) return false;
    const auto read = SplitIntoRows(loop.inputs[i].access, loop.loop().num_positions, rows_);
    const i64 bytes = BytesOf(loop.inputs[i].value),
              element = loop.loop().program.inputs[i].element_bytes();
    return read && bytes % rows_ == 0 && read->stride * element == bytes / rows_ &&
           read->low >= 0 && (read->high + 1) * element <= bytes / rows_;
  }

  // The steps that write a value and read it last.
  LifeSpan SpanOf(ValueId value) const {
    LifeSpan span{BytesOf(value) / rows_, 0, 0};
    for (i64 s = 0; s < std::ssize(steps_); ++s) {
      const auto reads = [&](const RegionInput& input) { return input.value == value; };
      if (std::ranges::find(steps_[s].outputs, value) != steps_[s].outputs.end()) span.begin = s;
      if (std::ranges::any_of(steps_[s].inputs, reads)) span.end = s;
    }
    span.end = std::max(span.end, span.begin);
    return span;
  }

  // An output of the region in whose place `local` may lie: it is written when no loop reads
  // `local` any more, or by the last loop that does, in place. The memory is in the caches then
  // when the output is written. Outputs that are streamed past the caches are better not touched
  // before.
  std::optional<std::uint32_t> OutputFor(const Region& region, ValueId local) const {
    const LifeSpan span = SpanOf(local);
    for (std::uint32_t o = 0; o < region.outputs.size(); ++o) {
      const ValueId output = region.outputs[o];
      const bool is_taken = std::ranges::any_of(
          region.rows().locals, [&](const RowLocal& other) { return other.output == o; });
      const i64 written = SpanOf(output).begin;
      if (!is_taken && BytesOf(output) == BytesOf(local) && BytesOf(output) < kMinStreamedBytes &&
          written > span.begin && written >= span.end &&
          MayReadBeside(steps_[static_cast<size_t>(written)], local, output)) {
        return o;
      }
    }
    return std::nullopt;
  }

  // Whether the step may read `input` while it writes `output` in its place.
  static bool MayReadBeside(const Region& step, ValueId input, ValueId output) {
    const auto written = std::ranges::find(step.outputs, output) - step.outputs.begin();
    for (std::uint32_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i].value != input) continue;
      const bool is_pair = std::ranges::any_of(step.in_place, [&](const InPlacePair& pair) {
        return pair.output == written && pair.input == i;
      });
      if (!is_pair) return false;
    }
    return true;
  }

  // In the block, unless they lie elsewhere.
  void PlaceLocals(RowsRegion& region) const {
    std::vector<LifeSpan> spans;
    std::vector<RowLocal*> locals;
    for (RowLocal& local : region.locals) {
      if (local.output) continue;
      spans.push_back(SpanOf(local.value));
      spans.back().bytes *= region.rows_per_block;
      locals.push_back(&local);
    }
    const std::vector<i64> offsets = PackBlocks(spans, &region.local_bytes);
    for (size_t l = 0; l < offsets.size(); ++l) locals[l]->offset = offsets[l];
  }

  // The loop that has most to compute fetches what the first one of the next block is going to
  // read: the processor waits for memory then while it has other work.
  void AddFetch(ValueId value, i64 rows_per_block) {
    Region* longest = nullptr;
    size_t input = 0;
    for (Region& step : steps_) {
      for (size_t i = 0; i < step.inputs.size(); ++i) {
        if (step.inputs[i].value != value || !ReadsItsRow(step, i)) continue;
        if (longest != nullptr &&
            longest->loop().program.num_operations() > step.loop().program.num_operations())
          continue;
        longest = &step;
        input = i;
      }
    }
    if (longest == nullptr || rows_per_block >= rows_) return;
    const bool is_far = BytesOf(value) >= kMinFetchedBytes;
    if (!is_far && longest->loop().program.num_operations() < kMinOperationsToFetch) return;
    longest->loop().fetches.resize(longest->inputs.size());
    const i64 block_bytes = BytesOf(value) / rows_ * rows_per_block;
    longest->loop().fetches[input] = (block_bytes + kFetchStep - 1) / kFetchStep * kFetchStep;
  }

  // The first loop fetches the memory of a result that lies far away, if a later one that writes it
  // has too little to do to wait for it meanwhile. (A softmax writes its exponentials there: no.)
  void AddFetchOfPlace(const Region& region, std::uint32_t o) {
    const ValueId output = region.outputs[o];
    Region& first = steps_.front();
    LoopRegion& loop = first.loop();
    const LaneArray& array = schedule_.values[output].array;
    const auto num_fetched = std::ranges::count(loop.fetches, LoopKernelSpec::kFetchesPlace);
    if (num_fetched == kMaxFetchedPlaces ||
        first.inputs.size() + first.outputs.size() >= kMaxLoopOperands) {
      return;
    }
    if (BytesOf(output) < kMinFetchedBytes || BytesOf(output) >= kMinStreamedBytes ||
        BytesOf(output) != loop.num_positions * array.element_bytes() ||
        region.rows().rows_per_block >= rows_) {
      return;
    }
    const auto lies_there = [&](ValueId value) {
      return value == output ||
             std::ranges::any_of(region.rows().locals, [&](const RowLocal& local) {
               return local.value == value && local.output == o;
             });
    };
    const auto writer = std::ranges::find_if(
        steps_, [&](const Region& step) { return std::ranges::any_of(step.outputs, lies_there); });
    if (writer == steps_.begin() ||
        writer->loop().program.num_operations() >= kMinOperationsToWrite) {
      return;
    }
    first.inputs.push_back({output, Access::Whole(loop.num_positions)});
    loop.program.inputs.push_back(array);
    loop.fetches.resize(first.inputs.size());
    loop.fetches.back() = LoopKernelSpec::kFetchesPlace;
  }

  // A result may take the place of an array that is read row by row, and not after the loop that
  // writes the result, or what lay in its place before; by that loop only if it could take the
  // place there.
  void AddInPlacePairs(Region& region) const {
    for (std::uint32_t o = 0; o < region.outputs.size(); ++o) {
      std::vector<ValueId> written = {region.outputs[o]};
      for (const RowLocal& local : region.rows().locals) {
        if (local.output == o) written.push_back(local.value);
      }
      for (std::uint32_t i = 0; i < region.inputs.size(); ++i) {
        if (MayTakePlace(written, region.inputs[i].value)) region.in_place.push_back({o, i});
      }
    }
  }
  bool MayTakePlace(std::span<const ValueId> outputs, ValueId input) const {
    if (BytesOf(outputs[0]) != BytesOf(input)) return false;
    bool is_written = false;
    for (const Region& step : steps_) {
      std::vector<ValueId> written;
      for (const ValueId output : outputs) {
        if (std::ranges::find(step.outputs, output) != step.outputs.end())
          written.push_back(output);
      }
      for (size_t i = 0; i < step.inputs.size(); ++i) {
        if (step.inputs[i].value != input) continue;
        const bool in_place = std::ranges::all_of(
            written, [&](ValueId output) { return MayReadBeside(step, input, output); });
        if (is_written || !in_place || !ReadsItsRow(step, i)) return false;
      }
      is_written = is_written || !written.empty();
    }
    return true;
  }

  const Schedule& schedule_;
  const i64 rows_;
  std::vector<Region> steps_;
  std::set<ValueId> values_;    // values that steps read or write
  std::set<ValueId> computed_;  // values that steps write
};

class Finder {
 public:
  Finder(Schedule& schedule, int num_threads)
      : schedule_(schedule), num_threads_(num_threads), is_taken_(schedule.regions.size()) {
    last_read_.assign(schedule.values.size(), 0);
    for (size_t r = 0; r < schedule.regions.size(); ++r) {
      for (const RegionInput& input : schedule.regions[r].inputs) last_read_[input.value] = r;
    }
    for (const ValueId result : schedule.results) last_read_[result] = schedule.regions.size();
  }

  void Run() {
    std::vector<Region> regions;
    for (size_t r = 0; r < schedule_.regions.size(); ++r) {
      if (is_taken_[r]) continue;
      if (const i64 rows = RowsOfReader(r)) AddGroup(r, rows, regions);
      if (!is_taken_[r]) AddGroup(r, RowsOf(r), regions);
      if (!is_taken_[r]) regions.push_back(std::move(schedule_.regions[r]));
    }
    schedule_.regions = std::move(regions);
  }

 private:
  // The rows of region `r`, if it is a fold; 0 otherwise.
  i64 RowsOf(size_t r) const {
    const LoopRegion* const loop = schedule_.regions[r].if_loop();
    return loop == nullptr || loop->folds.empty() ? 0 : loop->fold_shape.rows;
  }

  // The rows of the next fold that reads what region `r`, a fold, computes, if these are fewer:
  // each of them is made from several rows of `r`. 0 otherwise.
  i64 RowsOfReader(size_t r) const {
    const i64 rows = RowsOf(r);
    const std::vector<ValueId>& results = schedule_.regions[r].outputs;
    for (size_t k = r + 1; rows > 0 && k < std::min(schedule_.regions.size(), r + kMaxLooks); ++k) {
      const bool reads =
          std::ranges::any_of(schedule_.regions[k].inputs, [&](const RegionInput& input) {
            return std::ranges::find(results, input.value) != results.end();
          });
      if (!reads || is_taken_[k]) continue;
      const i64 fewer = RowsOf(k);
      return fewer > 0 && fewer < rows && rows % fewer == 0 ? fewer : 0;
    }
    return 0;
  }

  // If region `first` begins a group of so many rows: the regions that have to come before, and the
  // group.
  void AddGroup(size_t first, i64 num_rows, std::vector<Region>& regions) {
    if (num_rows < 2) return;
    const Region& fold = schedule_.regions[first];
    Group group(schedule_, num_rows);
    Apart why{};
    if (!group.TryAdd(fold, why)) return;
    std::vector<size_t> members = {first};
    std::set<ValueId> after;  // values to be computed after the group
    bool passes_by = false;   // a region that keeps its order was passed
    std::vector<NotFused> apart;
    const size_t end = std::min(schedule_.regions.size(), first + kMaxLooks);
    for (size_t r = first + 1; r < end; ++r) {
      const Region& region = schedule_.regions[r];
      if (is_taken_[r]) continue;
      if (!GetKind(region.kind).may_move) {
        passes_by = true;
        after.insert(region.outputs.begin(), region.outputs.end());
        continue;
      }
      const auto reads = [&](const auto& is_one) {
        const auto input = std::ranges::find_if(region.inputs, is_one, &RegionInput::value);
        return input == region.inputs.end() ? nullptr : &*input;
      };
      const bool needs_after = reads([&](ValueId v) { return after.contains(v); }) != nullptr;
      const RegionInput* computed = reads([&](ValueId v) { return group.Computes(v); });
      const bool shares = reads([&](ValueId v) { return group.Uses(v); }) != nullptr;
      // Results that are early without need take memory meanwhile.
      if ((passes_by ? computed != nullptr : shares) && !needs_after && IsLoop(region)) {
        if (group.TryAdd(region, why)) {
          members.push_back(r);
          continue;
        }
        if (computed != nullptr) {
          apart.push_back(
              {schedule_.values[computed->value].inst, region.instructions.back(), why});
        }
      }
      if (needs_after || computed != nullptr) {
        after.insert(region.outputs.begin(), region.outputs.end());
      }
    }
    if (!group.IsWorthIt()) return;
    schedule_.not_fused.insert(schedule_.not_fused.end(), apart.begin(), apart.end());
    const auto is_read_outside = [&](ValueId value) { return IsReadOutside(value, members); };
    Region rows = std::move(group).Make(num_threads_, is_read_outside);
    for (const size_t r : members) is_taken_[r] = true;
    TakeWhatIsNeeded(rows, first, members.back(), regions);
    regions.push_back(std::move(rows));
  }

  // The regions from `first` to `last` that are not taken and that `rows` needs.
  void TakeWhatIsNeeded(const Region& rows, size_t first, size_t last,
                        std::vector<Region>& regions) {
    std::set<ValueId> needed;
    const auto need = [&](const Region& region) {
      for (const RegionInput& input : region.inputs) needed.insert(input.value);
    };
    need(rows);
    std::vector<size_t> taken;
    for (size_t r = last; r > first; --r) {
      const Region& region = schedule_.regions[r];
      const bool is_needed = std::ranges::any_of(
          region.outputs, [&](ValueId output) { return needed.contains(output); });
      if (is_taken_[r] || !is_needed) continue;
      need(region);
      taken.push_back(r);
    }
    for (size_t t = taken.size(); t-- > 0;) {
      is_taken_[taken[t]] = true;
      regions.push_back(std::move(schedule_.regions[taken[t]]));
    }
  }

  bool IsReadOutside(ValueId value, const std::vector<size_t>& members) const {
    if (last_read_[value] > members.back()) return true;
    for (size_t r = members.front(); r <= last_read_[value]; ++r) {
      if (std::ranges::find(members, r) != members.end()) continue;
      for (const RegionInput& input : schedule_.regions[r].inputs) {
        if (input.value == value) return true;
      }
    }
    return false;
  }

  Schedule& schedule_;
  const int num_threads_;
  std::vector<bool> is_taken_;     // by region: it has a place among the new ones
  std::vector<size_t> last_read_;  // by value: a region, or the number of regions for a result
};

}  // namespace

void MakeRowRegions(Schedule& schedule, int num_threads) {
  Finder(schedule, num_threads).Run();
}

}  // namespace axle
