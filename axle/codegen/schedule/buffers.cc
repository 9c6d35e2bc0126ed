// How values get their memory. An allocation is memory that one or more values use one after the
// other. For example, in a computation of x where loops may work in place:
//
//   a = f(x)      region 0     allocation A, needed in regions 0 to 2
//   b = g(a)      region 1     takes the place of a: A
//   c = h(b)      region 2     the result: the caller's block
//
// 1. Arguments and constants lie in fixed places.
// 2. The outputs of each region, in order, take over the allocation of an input that nobody reads
//    afterwards, if the region allows the pair (Region::in_place); the others get new ones. A
//    sub-view lies in the allocation of its whole.
// 3. The allocation of a result becomes the caller's block if nobody needs what is in that block by
//    then, else the result is copied after the last region.
// 4. All that is left, and the scratch memory of regions, is packed into the frame by PackBlocks.
//
// Invariants: the values of an allocation are alive at different times, except for an in-place pair
// in its own region and for parts of a whole. Only allocations that are writable are taken over: an
// argument's block only if it is replaced by a result. The plan depends on nothing but the
// schedule, the use of the caller's blocks and the sizes of scratch memory.
//
// Packing is the known problem of dynamic storage allocation. Best fit in the order of time takes n
// log n and mostly reaches the lower bound, the most that is alive at any step. If it does not,
// three other orders that take n^2 are tried, up to 2,000 blocks.
#include "axle/codegen/schedule/buffers.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "axle/core/stable_sort.h"

namespace axle {
namespace {

// Frames that need more memory are not laid out.
constexpr i64 kMaxBytes = i64{1} << 60;

i64 Aligned(i64 bytes) {
  return (bytes + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment;
}

// Values that share one place, one after the other.
struct Allocation {
  i64 bytes = 0;
  i64 begin = 0, end = -1;     // regions; begin -1: there from the start
  bool writable = false;       // values may take it over
  std::optional<Place> fixed;  // else in the frame, where it fits
};

class Planner {
 public:
  Planner(const Schedule& schedule, const BlockUse& blocks, std::span<const i64> scratch_bytes,
          const SubViews& sub_views)
      : schedule_(schedule),
        blocks_(blocks),
        scratch_bytes_(scratch_bytes),
        num_regions_(static_cast<i64>(schedule.regions.size())),
        allocation_of_(schedule.values.size()),
        last_use_(schedule.values.size(), -1) {
    plan_.sub_views = sub_views;
  }

  BufferPlan Make() && {
    // Arrays without elements, which no region computes.
    NewAllocation({0, -1, num_regions_, false, Place{}});
    FindLastUses();
    FindResultsOfArguments();
    AddArguments();
    AddConstants();
    for (i64 r = 0; r < num_regions_; ++r) AddOutputs(r);
    PlaceResults();
    PlaceFrame();
    return std::move(plan_);
  }

 private:
  Allocation& AllocationOf(ValueId value) { return allocations_[allocation_of_[value]]; }

  size_t NewAllocation(Allocation allocation) {
    allocations_.push_back(allocation);
    return allocations_.size() - 1;
  }

  // A whole stays alive until its last part has been read, so its end is the latest of theirs.
  void FindLastUses() {
    for (i64 r = 0; r < num_regions_; ++r) {
      for (const RegionInput& input : schedule_.regions[r].inputs) last_use_[input.value] = r;
    }
    for (const ValueId result : schedule_.results) last_use_[result] = num_regions_;
    for (const auto& [value, part] : plan_.sub_views) {
      i64& end = ends_of_wholes_.emplace(part.whole, last_use_[part.whole]).first->second;
      end = std::max(end, last_use_[value]);
    }
  }

  void FindResultsOfArguments() {
    result_of_argument_.assign(schedule_.arguments.size(), kNoValue);
    for (size_t k = 0; k < schedule_.results.size(); ++k) {
      const std::int32_t argument = blocks_.argument_of_result[k];
      if (argument >= 0) result_of_argument_[argument] = schedule_.results[k];
    }
  }

  Place BlockPlace(size_t block) const {
    return {static_cast<std::uint32_t>(Place::kFirstBlock + block), 0};
  }

  void AddArguments() {
    std::set<std::int32_t> replaced;
    for (const std::int32_t argument : blocks_.argument_of_result) {
      if (argument >= 0) replaced.insert(argument);
    }
    for (size_t i = 0; i < schedule_.arguments.size(); ++i) {
      const ValueId value = schedule_.arguments[i];
      const bool writable = replaced.contains(static_cast<std::int32_t>(i));
      allocation_of_[value] = NewAllocation(
          {schedule_.values[value].bytes, -1, last_use_[value], writable, BlockPlace(i)});
    }
  }

  void AddConstants() {
    for (const auto& [value, literal] : schedule_.constants) {
      const Place place = {Place::kConstants, plan_.constant_bytes};
      allocation_of_[value] =
          NewAllocation({schedule_.values[value].bytes, -1, num_regions_, false, place});
      plan_.constant_bytes += Aligned(schedule_.values[value].bytes);
    }
  }

  // An output takes over an input's allocation only if nobody needs that after this region, the
  // sizes are equal, no other output has taken it, and the region reads no other value that lies
  // there. Among several it prefers the block where the value has to end up, which saves a copy.
  void AddOutputs(i64 r) {
    const Region& region = schedule_.regions[r];
    // Sorted by output: a region may have as many pairs as it has outputs.
    std::vector<InPlacePair> pairs(region.in_place.begin(), region.in_place.end());
    StableSort(pairs,
               [](const InPlacePair& a, const InPlacePair& b) { return a.output < b.output; });
    const std::unordered_map<size_t, ReadBeside> reads =
        pairs.empty() ? std::unordered_map<size_t, ReadBeside>() : ReadsOf(region);
    std::set<size_t> taken;
    for (std::uint32_t o = 0; o < region.outputs.size(); ++o) {
      const ValueId output = region.outputs[o];
      if (AddToWhole(output, r)) continue;
      const i64 end = std::max(last_use_[output], r);
      const auto place_of = [&]() -> std::optional<size_t> {
        std::optional<size_t> found;
        for (const InPlacePair& pair :
             std::ranges::equal_range(pairs, o, {}, &InPlacePair::output)) {
          const ValueId input = region.inputs[pair.input].value;
          const size_t a = allocation_of_[input];
          const Allocation& candidate = allocations_[a];
          if (!candidate.writable || candidate.end > r || taken.contains(a) ||
              candidate.bytes != schedule_.values[output].bytes ||
              schedule_.values[input].bytes != candidate.bytes || reads.at(a).is_of_several) {
            continue;
          }
          // Best where the value has to end up anyway.
          if (!found || BelongsTo(output, candidate)) found = a;
        }
        return found;
      };
      if (const auto shared = place_of()) {
        taken.insert(*shared);
        allocation_of_[output] = *shared;
        allocations_[*shared].end = end;
      } else {
        allocation_of_[output] =
            NewAllocation({schedule_.values[output].bytes, r, end, true, std::nullopt});
      }
    }
  }

  // Whether a region reads several values that lie in one place: a whole and parts of it.
  struct ReadBeside {
    ValueId value;
    bool is_of_several = false;
  };
  // The values that the region reads, by allocation.
  std::unordered_map<size_t, ReadBeside> ReadsOf(const Region& region) const {
    std::unordered_map<size_t, ReadBeside> reads;
    for (const RegionInput& input : region.inputs) {
      ReadBeside& read =
          reads.try_emplace(allocation_of_[input.value], ReadBeside{input.value}).first->second;
      read.is_of_several = read.is_of_several || read.value != input.value;
    }
    return reads;
  }

  // A part, or a whole that has some, is where the first part of the whole is. That memory is
  // needed until nobody reads the whole or any of its parts.
  bool AddToWhole(ValueId output, i64 r) {
    const auto part = plan_.sub_views.find(output);
    const ValueId whole = part == plan_.sub_views.end() ? output : part->second.whole;
    const auto end = ends_of_wholes_.find(whole);
    if (end == ends_of_wholes_.end()) return false;
    const auto [placed, is_first] = allocation_of_whole_.emplace(whole, allocations_.size());
    if (is_first) {
      NewAllocation(
          {schedule_.values[whole].bytes, r, std::max(end->second, r), true, std::nullopt});
    }
    allocation_of_[output] = placed->second;
    return true;
  }

  // `value` is a result, and its block is this allocation.
  bool BelongsTo(ValueId value, const Allocation& allocation) const {
    if (!allocation.fixed || allocation.fixed->base < Place::kFirstBlock) return false;
    const size_t block = allocation.fixed->base - Place::kFirstBlock;
    return block < result_of_argument_.size() && result_of_argument_[block] == value;
  }

  // Gives results their blocks: the region that computes one writes it there, if nobody needs what
  // is there by then; else it is copied at the end.
  void PlaceResults() {
    std::vector<BufferPlan::Copy> copies;
    std::vector<size_t> sources;  // allocations, by copy
    size_t own_blocks = schedule_.arguments.size();
    for (size_t k = 0; k < schedule_.results.size(); ++k) {
      const ValueId value = schedule_.results[k];
      const std::int32_t argument = blocks_.argument_of_result[k];
      const bool is_own = argument < 0;
      const Place block = BlockPlace(is_own ? own_blocks++ : static_cast<size_t>(argument));
      Allocation& allocation = AllocationOf(value);
      if (allocation.fixed == block) continue;
      if (!allocation.fixed && (is_own || IsFreeFrom(argument, allocation.begin))) {
        allocation.fixed = block;
        if (!is_own) AllocationOf(schedule_.arguments[argument]).end = num_regions_;
        continue;
      }
      copies.push_back({{}, block, schedule_.values[value].bytes});
      sources.push_back(allocation_of_[value]);
      allocation.end = num_regions_;
    }
    // A source that lies in a block that a copy overwrites is saved first. Copies are to whole
    // blocks.
    std::unordered_set<std::uint32_t> overwritten;
    for (const BufferPlan::Copy& copy : copies) overwritten.insert(copy.to.base);
    for (size_t c = 0; c < copies.size(); ++c) {
      const Allocation& source = allocations_[sources[c]];
      if (!source.fixed || source.fixed->offset != 0 || !overwritten.contains(source.fixed->base)) {
        continue;
      }
      const size_t saved =
          NewAllocation({copies[c].bytes, num_regions_, num_regions_, false, std::nullopt});
      saves_.push_back({sources[c], saved, copies[c].bytes});
      sources[c] = saved;
    }
    for (size_t c = 0; c < copies.size(); ++c) {
      copies_.push_back({sources[c], copies[c].to, copies[c].bytes});
    }
  }

  // Nobody reads the block of this argument from region `begin` on.
  bool IsFreeFrom(std::int32_t argument, i64 begin) {
    return AllocationOf(schedule_.arguments[argument]).end < begin;
  }

  // No machine has the memory if the offsets might not fit into 63 bits: then the run says so, and
  // they do not matter.
  std::vector<i64> Pack(std::span<const LifeSpan> spans) {
    i64 sum = 0;
    for (const LifeSpan& span : spans) {
      sum = std::min(sum + Aligned(std::min(span.bytes, kMaxBytes)), kMaxBytes);
    }
    if (sum < kMaxBytes) return PackBlocks(spans, &plan_.frame_bytes);
    plan_.frame_bytes = kMaxBytes;
    return std::vector<i64>(spans.size(), 0);
  }

  // Packs what has no fixed place, together with the scratch memory of each region, which is alive
  // in that region only.
  void PlaceFrame() {
    std::vector<LifeSpan> spans;
    std::vector<size_t> of_span;
    for (size_t a = 0; a < allocations_.size(); ++a) {
      if (allocations_[a].fixed || allocations_[a].bytes == 0) continue;
      spans.push_back({allocations_[a].bytes, allocations_[a].begin, allocations_[a].end});
      of_span.push_back(a);
    }
    const size_t num_values = spans.size();
    std::vector<i64> regions_with_scratch;
    for (i64 r = 0; r < num_regions_; ++r) {
      if (scratch_bytes_[r] == 0) continue;
      spans.push_back({scratch_bytes_[r], r, r});
      regions_with_scratch.push_back(r);
    }
    const std::vector<i64> offsets = Pack(spans);
    for (size_t s = 0; s < num_values; ++s) {
      allocations_[of_span[s]].fixed = Place{Place::kFrame, offsets[s]};
    }
    plan_.scratch_offsets.assign(num_regions_, 0);
    for (size_t s = num_values; s < spans.size(); ++s) {
      plan_.scratch_offsets[regions_with_scratch[s - num_values]] = offsets[s];
    }
    const auto place_of = [&](size_t allocation) {
      return allocations_[allocation].fixed.value_or(Place{});
    };
    for (size_t v = 0; v < schedule_.values.size(); ++v) {
      plan_.places.push_back(place_of(allocation_of_[v]));
    }
    for (const auto& [value, part] : plan_.sub_views) {
      const LaneArray& array = schedule_.values[value].array;
      plan_.places[value].offset += part.access.offset * array.element_bytes();
    }
    for (const auto& [from, to, bytes] : saves_) {
      plan_.copies.push_back({place_of(from), place_of(to), bytes});
    }
    for (const auto& [from, to, bytes] : copies_) {
      plan_.copies.push_back({place_of(from), to, bytes});
    }
    FindPeak(spans);
  }

  void FindPeak(std::span<const LifeSpan> spans) {
    // The most that one block counts, so that no sum overflows.
    const i64 most = std::numeric_limits<i64>::max() / static_cast<i64>(spans.size() + 1);
    std::vector<i64> change(num_regions_ + 2);
    for (const LifeSpan& span : spans) {
      const i64 bytes = std::min(Aligned(std::min(span.bytes, kMaxBytes)), most);
      change[std::max<i64>(span.begin, 0)] += bytes;
      change[span.end + 1] -= bytes;
    }
    i64 live = 0;
    for (i64 r = 0; r <= num_regions_; ++r) {
      live += change[r];
      if (live <= plan_.live_bytes) continue;
      plan_.live_bytes = live;
      plan_.peak_region = static_cast<size_t>(std::max<i64>(0, std::min(r, num_regions_ - 1)));
    }
  }

  struct Save {
    size_t from, to;
    i64 bytes;
  };
  struct FinalCopy {
    size_t from;
    Place to;
    i64 bytes;
  };

  const Schedule& schedule_;
  const BlockUse& blocks_;
  std::span<const i64> scratch_bytes_;
  const i64 num_regions_;
  std::vector<Allocation> allocations_;
  std::vector<size_t> allocation_of_;  // by value
  std::vector<i64> last_use_;          // by value: a region; num_regions_ for a result; -1: no use
  static constexpr ValueId kNoValue = std::numeric_limits<ValueId>::max();
  std::vector<ValueId> result_of_argument_;  // by argument: the result whose block is its own
  // By values that have parts:
  std::map<ValueId, i64> ends_of_wholes_;
  std::map<ValueId, size_t> allocation_of_whole_;
  std::vector<Save> saves_;
  std::vector<FinalCopy> copies_;
  BufferPlan plan_;
};

// Steps are walked in order; a block takes the smallest gap that it fits into, of those between
// blocks that are needed then, or the end. What begins in one step is placed largest first.
std::vector<i64> PackByTime(std::span<const LifeSpan> blocks, i64* total_bytes) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](size_t b) { return std::tuple(blocks[b].begin, -blocks[b].bytes, b); });
  std::vector<i64> offsets(blocks.size(), 0);
  std::map<i64, i64> gaps;                     // begin -> end
  std::set<std::pair<i64, i64>> gaps_by_size;  // {size, begin}
  std::set<std::pair<i64, size_t>> by_end;     // blocks that are needed now
  i64 total = 0;
  const auto add_gap = [&](i64 begin, i64 end) {
    if (begin == end) return;
    auto next = gaps.lower_bound(begin);
    if (next != gaps.end() && next->first == end) {
      gaps_by_size.erase({next->second - next->first, next->first});
      end = next->second;
      next = gaps.erase(next);
    }
    if (next != gaps.begin()) {
      const auto before = std::prev(next);
      if (before->second == begin) {
        gaps_by_size.erase({before->second - before->first, before->first});
        begin = before->first;
        gaps.erase(before);
      }
    }
    gaps[begin] = end;
    gaps_by_size.insert({end - begin, begin});
  };
  const auto take = [&](i64 begin, i64 bytes) {
    const auto gap = gaps.find(begin);
    const i64 end = gap->second;
    gaps_by_size.erase({end - begin, begin});
    gaps.erase(gap);
    add_gap(begin + bytes, end);
  };
  for (const size_t b : order) {
    while (!by_end.empty() && by_end.begin()->first < blocks[b].begin) {
      const size_t ended = by_end.begin()->second;
      by_end.erase(by_end.begin());
      add_gap(offsets[ended], offsets[ended] + Aligned(blocks[ended].bytes));
    }
    const i64 bytes = Aligned(blocks[b].bytes);
    const auto fit = gaps_by_size.lower_bound({bytes, 0});
    if (fit != gaps_by_size.end()) {
      offsets[b] = fit->second;
      take(offsets[b], bytes);
    } else {
      // The last gap may reach to the end: it grows.
      const bool at_end = !gaps.empty() && gaps.rbegin()->second == total;
      const i64 begin = at_end ? gaps.rbegin()->first : total;
      add_gap(total, begin + bytes);
      total = begin + bytes;
      offsets[b] = begin;
      take(begin, bytes);
    }
    by_end.insert({blocks[b].end, b});
  }
  *total_bytes = total;
  return offsets;
}

// Blocks are placed in this order, each in the smallest gap that it fits into between those that
// are needed at the same time, or behind them. Looks at all of them for each.
std::vector<i64> PackInOrder(std::span<const LifeSpan> blocks, std::span<const size_t> order,
                             i64* total_bytes) {
  std::vector<i64> offsets(blocks.size(), 0);
  std::vector<size_t> placed;  // by offset
  *total_bytes = 0;
  for (const size_t b : order) {
    const i64 bytes = Aligned(blocks[b].bytes);
    i64 end = 0;  // end of the blocks looked at so far
    i64 best = -1, best_gap = std::numeric_limits<i64>::max();
    for (const size_t other : placed) {
      if (blocks[other].end < blocks[b].begin || blocks[b].end < blocks[other].begin) continue;
      const i64 gap = offsets[other] - end;
      if (gap >= bytes && gap < best_gap) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, offsets[other] + Aligned(blocks[other].bytes));
    }
    offsets[b] = best >= 0 ? best : end;
    *total_bytes = std::max(*total_bytes, offsets[b] + bytes);
    placed.insert(std::ranges::upper_bound(placed, offsets[b], {},
                                           [&](size_t other) { return offsets[other]; }),
                  b);
  }
  return offsets;
}

// The bytes that blocks need at the fullest step: a lower bound of any packing.
i64 MostLive(std::span<const LifeSpan> blocks) {
  std::vector<std::pair<i64, i64>> changes;  // step, bytes: what ends in a step goes after it
  for (const LifeSpan& block : blocks) {
    changes.emplace_back(block.begin, Aligned(block.bytes));
    changes.emplace_back(block.end + 1, -Aligned(block.bytes));
  }
  std::ranges::sort(changes);
  i64 live = 0, most = 0;
  for (const auto& [step, bytes] : changes) most = std::max(most, live += bytes);
  return most;
}

}  // namespace

// Packing in the order of time is fast and mostly reaches the lower bound. Where it does not,
// orders that take time per pair of blocks are tried, if there are not too many.
std::vector<i64> PackBlocks(std::span<const LifeSpan> blocks, i64* total_bytes) {
  constexpr size_t kMaxForPairs = 2000;
  std::vector<i64> best = PackByTime(blocks, total_bytes);
  const i64 bound = MostLive(blocks);
  if (blocks.size() > kMaxForPairs) return best;
  const auto length = [](const LifeSpan& block) { return block.end - block.begin + 1; };
  const std::function<i64(const LifeSpan&)> weights[] = {
      [](const LifeSpan& block) { return block.bytes; },
      [&](const LifeSpan& block) { return block.bytes * length(block); }, length};
  for (const auto& weight : weights) {
    if (*total_bytes == bound) break;
    std::vector<size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](size_t b) {
      return std::tuple(-weight(blocks[b]), -blocks[b].bytes, -length(blocks[b]), b);
    });
    i64 total = 0;
    std::vector<i64> offsets = PackInOrder(blocks, order, &total);
    if (total >= *total_bytes) continue;
    *total_bytes = total;
    best = std::move(offsets);
  }
  return best;
}

BufferPlan PlanBuffers(const Schedule& schedule, const BlockUse& blocks,
                       std::span<const i64> scratch_bytes, const SubViews& sub_views) {
  BufferPlan plan = Planner(schedule, blocks, scratch_bytes, sub_views).Make();
  if (sub_views.empty()) return plan;
  BufferPlan without = Planner(schedule, blocks, scratch_bytes, {}).Make();
  return plan.frame_bytes <= without.frame_bytes ? plan : without;
}

}  // namespace axle
