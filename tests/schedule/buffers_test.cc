// Buffer plans, run on a memory that knows which value each of its bytes belongs to.
#include "axle/codegen/schedule/buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr ValueId kNobody = 0xffffffff;

// What a schedule does to memory: every region finds the values that it reads, nobody overwrites
// what is still needed, and the results are where they belong.
class Memory {
 public:
  Memory(const Schedule& schedule, BlockUse use, std::vector<i64> scratch_bytes,
         const SubViews& sub_views = {})
      : schedule_(schedule),
        use_(std::move(use)),
        scratch_bytes_(std::move(scratch_bytes)),
        plan_(PlanBuffers(schedule, use_, scratch_bytes_, sub_views)) {}

  void Run() {
    ASSERT_EQ(plan_.places.size(), schedule_.values.size());
    CheckSizes();
    bases_.resize(2);
    bases_[Place::kFrame].assign(plan_.frame_bytes, kNobody);
    bases_[Place::kConstants].assign(plan_.constant_bytes, kNobody);
    for (const ValueId argument : schedule_.arguments) {
      bases_.emplace_back(Bytes(argument), argument);
    }
    for (size_t k = 0; k < schedule_.results.size(); ++k) {
      if (use_.argument_of_result[k] < 0) bases_.emplace_back(Bytes(schedule_.results[k]), kNobody);
    }
    for (const auto& [value, literal] : schedule_.constants) {
      Write(plan_.places[value], Bytes(value), value);
    }
    for (size_t r = 0; r < schedule_.regions.size(); ++r) RunRegion(r);
    for (const BufferPlan::Copy& copy : plan_.copies) RunCopy(copy);
    CheckEnd();
  }
  const BufferPlan& plan() const { return plan_; }

 private:
  i64 Bytes(ValueId value) const { return schedule_.values[value].bytes; }

  ValueId* At(const Place& place, i64 bytes) {
    EXPECT_LT(place.base, bases_.size());
    EXPECT_GE(place.offset, 0);
    EXPECT_LE(place.offset + bytes, static_cast<i64>(bases_[place.base].size()));
    return bases_[place.base].data() + place.offset;
  }
  // Parts of it are there.
  void Write(const Place& place, i64 bytes, ValueId value) {
    if (bytes == 0) return;
    EXPECT_TRUE(plan_.sub_views.contains(value) || place.offset % kPlaceAlignment == 0);
    ValueId* const at = At(place, bytes);
    std::replace_if(
        at, at + bytes, [&](ValueId held) { return !IsPartOf(held, value); }, value);
  }
  bool IsPartOf(ValueId value, ValueId whole) const {
    const auto part = plan_.sub_views.find(value);
    return part != plan_.sub_views.end() && part->second.whole == whole;
  }
  void ExpectHolds(const Place& place, ValueId value) {
    const i64 bytes = Bytes(value);
    if (bytes == 0) return;
    const ValueId* const at = At(place, bytes);
    const auto holds = [&](ValueId held) { return held == value || IsPartOf(held, value); };
    EXPECT_EQ(std::count_if(at, at + bytes, holds), bytes) << "value " << value;
  }
  static bool Overlap(const Place& a, i64 a_bytes, const Place& b, i64 b_bytes) {
    return a.base == b.base && a_bytes > 0 && b_bytes > 0 && a.offset < b.offset + b_bytes &&
           b.offset < a.offset + a_bytes;
  }

  void RunRegion(size_t r) {
    SCOPED_TRACE(StrCat("region ", r));
    const Region& region = schedule_.regions[r];
    const Place scratch = {Place::kFrame, plan_.scratch_offsets[r]};
    for (const RegionInput& input : region.inputs) {
      ExpectHolds(plan_.places[input.value], input.value);
      EXPECT_FALSE(
          Overlap(scratch, scratch_bytes_[r], plan_.places[input.value], Bytes(input.value)));
    }
    for (std::uint32_t o = 0; o < region.outputs.size(); ++o) {
      const ValueId output = region.outputs[o];
      const Place& place = plan_.places[output];
      EXPECT_NE(place.base, Place::kConstants);
      EXPECT_FALSE(Overlap(scratch, scratch_bytes_[r], place, Bytes(output)));
      for (std::uint32_t other = 0; other < o; ++other) {
        const ValueId second = region.outputs[other];
        EXPECT_FALSE(Overlap(place, Bytes(output), plan_.places[second], Bytes(second)));
      }
      for (const RegionInput& input : region.inputs) {
        if (!Overlap(place, Bytes(output), plan_.places[input.value], Bytes(input.value))) continue;
        if (IsPartOf(input.value, output)) {
          ++num_parts;
          continue;
        }
        const bool may = std::ranges::any_of(region.in_place, [&](const InPlacePair& pair) {
          return pair.output == o && region.inputs[pair.input].value == input.value;
        });
        EXPECT_TRUE(may && Bytes(output) == Bytes(input.value) &&
                    place == plan_.places[input.value])
            << "output " << o;
        ++num_in_place;
      }
    }
    for (const ValueId output : region.outputs) Write(plan_.places[output], Bytes(output), output);
    Write(scratch, scratch_bytes_[r], kNobody);
  }

  void RunCopy(const BufferPlan::Copy& copy) {
    if (copy.bytes == 0 || copy.from == copy.to) return;
    EXPECT_FALSE(Overlap(copy.from, copy.bytes, copy.to, copy.bytes));
    const ValueId* const from = At(copy.from, copy.bytes);
    std::copy_n(from, copy.bytes, At(copy.to, copy.bytes));
  }

  void CheckEnd() {
    auto own = static_cast<std::uint32_t>(Place::kFirstBlock + schedule_.arguments.size());
    std::vector<bool> is_replaced(schedule_.arguments.size());
    for (size_t k = 0; k < schedule_.results.size(); ++k) {
      const std::int32_t argument = use_.argument_of_result[k];
      if (argument >= 0) is_replaced[argument] = true;
      const std::uint32_t base =
          argument < 0 ? own++ : Place::kFirstBlock + static_cast<std::uint32_t>(argument);
      SCOPED_TRACE(StrCat("result ", k));
      ExpectHolds({base, 0}, schedule_.results[k]);
    }
    for (std::uint32_t i = 0; i < is_replaced.size(); ++i) {
      if (!is_replaced[i]) ExpectHolds({Place::kFirstBlock + i, 0}, schedule_.arguments[i]);
    }
    for (const auto& [value, literal] : schedule_.constants) {
      ExpectHolds(plan_.places[value], value);
    }
  }

  void CheckSizes() const {
    EXPECT_GE(plan_.frame_bytes, plan_.live_bytes);
    if (!schedule_.regions.empty()) {
      EXPECT_LT(plan_.peak_region, schedule_.regions.size());
    }
  }

 public:
  int num_in_place = 0, num_parts = 0;

 private:
  const Schedule& schedule_;
  const BlockUse use_;
  const std::vector<i64> scratch_bytes_;
  const BufferPlan plan_;
  std::vector<std::vector<ValueId>> bases_;  // by Place::base
};

ValueId NewValue(Schedule& schedule, i64 bytes) {
  schedule.values.push_back({nullptr, bytes});
  return static_cast<ValueId>(schedule.values.size() - 1);
}

// A region that reads and writes these; output o may take the place of any input.
void AddRegion(Schedule& schedule, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
               std::vector<InPlacePair> in_place = {}) {
  Region region{.kind = RegionKind::kEvaluate, .instructions = {}};
  for (const ValueId input : inputs) region.inputs.push_back({input});
  region.outputs = std::move(outputs);
  region.in_place = std::move(in_place);
  schedule.regions.push_back(std::move(region));
}

struct RandomCase {
  Schedule schedule;
  BlockUse use;
  std::vector<i64> scratch_bytes;
  SubViews sub_views;
};

// A region that puts outputs of earlier ones together, of which most are parts of its own. Others
// may read them too.
template <typename Below>
void AddWhole(RandomCase& made, const Below& below) {
  Schedule& schedule = made.schedule;
  std::vector<ValueId> inputs;
  for (const Region& region : schedule.regions) {
    for (const ValueId output : region.outputs) {
      const bool is_whole = std::ranges::any_of(
          made.sub_views, [&](const auto& part) { return part.second.whole == output; });
      if (schedule.values[output].bytes > 0 && !is_whole && !made.sub_views.contains(output) &&
          below(3) == 0) {
        inputs.push_back(output);
      }
    }
  }
  i64 bytes = 0;
  for (const ValueId input : inputs) bytes += schedule.values[input].bytes;
  const ValueId whole = NewValue(schedule, bytes + (below(2) == 0 ? 4 : 36));
  i64 offset = below(2) == 0 ? 0 : 4;
  for (const ValueId input : inputs) {
    Access access = Access::Whole(schedule.values[input].bytes);
    access.offset = offset;
    offset += schedule.values[input].bytes;
    if (below(4) > 0) made.sub_views[input] = {whole, access, nullptr, 0};
  }
  AddRegion(schedule, inputs, {whole});
  made.scratch_bytes.push_back(0);
}

RandomCase MakeRandom(std::mt19937_64& random, bool with_parts) {
  RandomCase made;
  Schedule& schedule = made.schedule;
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  constexpr i64 kBytes[] = {0, 4, 64, 64, 100, 100, 100, 256};
  const auto any_bytes = [&] { return kBytes[below(std::size(kBytes))]; };
  for (size_t i = 0; i < below(5); ++i) {
    schedule.arguments.push_back(NewValue(schedule, any_bytes()));
  }
  for (size_t i = 0; i < below(3); ++i) {
    schedule.constants.emplace_back(NewValue(schedule, any_bytes()), Literal());
  }
  NewValue(schedule, 0);  // an array without elements: there from the start
  const size_t num_regions = below(20);
  for (size_t r = 0; r < num_regions; ++r) {
    std::vector<ValueId> inputs, outputs;
    for (size_t i = 0; i < below(4); ++i) {
      const size_t size = schedule.values.size();
      // Mostly what is new, so that much ends.
      inputs.push_back(static_cast<ValueId>(
          below(3) == 0 ? below(size) : size - 1 - below(std::min<size_t>(size, 4))));
    }
    for (size_t o = 0; o <= below(3); ++o) outputs.push_back(NewValue(schedule, any_bytes()));
    std::vector<InPlacePair> pairs;
    for (std::uint32_t o = 0; o < outputs.size(); ++o) {
      for (std::uint32_t i = 0; i < inputs.size(); ++i) {
        if (below(2) == 0) pairs.push_back({o, i});
      }
    }
    AddRegion(schedule, inputs, outputs, pairs);
    made.scratch_bytes.push_back(below(3) == 0 ? any_bytes() : 0);
    if (with_parts && below(4) == 0) AddWhole(made, below);
  }
  std::vector<bool> taken(schedule.arguments.size());
  for (size_t k = 0; k < below(6); ++k) {
    const ValueId value = static_cast<ValueId>(below(schedule.values.size()));
    if (made.sub_views.contains(value)) continue;
    schedule.results.push_back(value);
    made.use.argument_of_result.push_back(-1);
    if (taken.empty() || below(3) == 0) continue;
    const size_t argument = below(taken.size());
    if (taken[argument] ||
        schedule.values[schedule.arguments[argument]].bytes != schedule.values[value].bytes) {
      continue;
    }
    taken[argument] = true;
    made.use.argument_of_result.back() = static_cast<std::int32_t>(argument);
  }
  return made;
}

TEST(Buffers, RandomSchedulesKeepTheirValues) {
  int in_place = 0, parts = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    std::mt19937_64 random(seed);
    const RandomCase made = MakeRandom(random, /*with_parts=*/seed % 2 == 1);
    Memory memory(made.schedule, made.use, made.scratch_bytes, made.sub_views);
    memory.Run();
    if (HasFailure()) return;
    in_place += memory.num_in_place;
    parts += memory.num_parts;
  }
  EXPECT_GT(in_place, 10000);
  EXPECT_GT(parts, 10000);
}

// The state of a loop: result i takes the place of argument i.
BufferPlan PlanState(const std::vector<size_t>& argument_of) {
  Schedule schedule;
  BlockUse use;
  for (size_t i = 0; i < argument_of.size(); ++i) {
    schedule.arguments.push_back(NewValue(schedule, 100));
    use.argument_of_result.push_back(static_cast<std::int32_t>(i));
  }
  for (const size_t argument : argument_of)
    schedule.results.push_back(schedule.arguments[argument]);
  Memory memory(schedule, use, {});
  memory.Run();
  return memory.plan();
}

TEST(Buffers, PermutationsOfLoopState) {
  EXPECT_TRUE(PlanState({0, 1, 2}).copies.empty());
  EXPECT_GE(PlanState({1, 0}).copies.size(), 3u);
  EXPECT_GE(PlanState({1, 2, 0}).copies.size(), 4u);
  EXPECT_EQ(PlanState({0, 0, 0}).copies.size(), 2u);
  std::vector<size_t> order = {0, 1, 2, 3, 4};
  do {
    PlanState(order);
  } while (std::ranges::next_permutation(order).found);
}

TEST(Buffers, ResultsAreWrittenToTheirBlocks) {
  Schedule schedule;
  const ValueId argument = NewValue(schedule, 64), middle = NewValue(schedule, 128),
                first = NewValue(schedule, 64), second = NewValue(schedule, 32);
  schedule.arguments = {argument};
  AddRegion(schedule, {argument}, {middle});
  AddRegion(schedule, {middle}, {first, second});
  schedule.results = {second, first};
  const BlockUse use = {{-1, 0}};
  Memory memory(schedule, use, {0, 0});
  memory.Run();
  EXPECT_EQ(memory.plan().places[second], (Place{Place::kFirstBlock + 1, 0}));
  EXPECT_EQ(memory.plan().places[first], (Place{Place::kFirstBlock, 0}));
  EXPECT_TRUE(memory.plan().copies.empty());
  EXPECT_EQ(memory.plan().frame_bytes, 128);
}

TEST(Buffers, AnUpdatedArgumentStaysWhereItIs) {
  // A chain of updates in place, of an argument that the result replaces: nothing is copied.
  Schedule schedule;
  ValueId value = NewValue(schedule, 1000);
  schedule.arguments = {value};
  for (int i = 0; i < 5; ++i) {
    const ValueId next = NewValue(schedule, 1000);
    AddRegion(schedule, {value}, {next}, {{0, 0}});
    value = next;
  }
  schedule.results = {value};
  const std::vector<i64> scratch(5, 0);
  const BlockUse replaces = {{0}}, own = {{-1}};
  Memory memory(schedule, replaces, scratch);
  memory.Run();
  EXPECT_EQ(memory.plan().frame_bytes, 0);
  EXPECT_TRUE(memory.plan().copies.empty());
  // Without the caller's leave the first update goes to another place, the block of the result.
  Memory other(schedule, own, scratch);
  other.Run();
  EXPECT_EQ(other.plan().frame_bytes, 0);
  EXPECT_EQ(other.plan().places[1], (Place{Place::kFirstBlock + 1, 0}));
}

TEST(Buffers, ThePeakIsWhereTheMostIsNeeded) {
  Schedule schedule;
  const ValueId a = NewValue(schedule, 640), b = NewValue(schedule, 1280),
                c = NewValue(schedule, 64), d = NewValue(schedule, 64);
  AddRegion(schedule, {}, {a});
  AddRegion(schedule, {a}, {b});
  AddRegion(schedule, {b}, {c});
  AddRegion(schedule, {c}, {d});
  schedule.results = {d};
  Memory memory(schedule, {{-1}}, {0, 0, 0, 0});
  memory.Run();
  EXPECT_EQ(memory.plan().peak_region, 1u);
  EXPECT_EQ(memory.plan().live_bytes, 1920);
  // The scratch memory of a region counts.
  Memory with_scratch(schedule, {{-1}}, {0, 0, 0, 6400});
  with_scratch.Run();
  EXPECT_EQ(with_scratch.plan().peak_region, 3u);
  EXPECT_EQ(with_scratch.plan().live_bytes, 6464);
}

i64 LowerBound(const std::vector<LifeSpan>& blocks, i64 num_steps) {
  i64 most = 0;
  for (i64 step = 0; step < num_steps; ++step) {
    i64 live = 0;
    for (const LifeSpan& block : blocks) {
      if (block.begin <= step && step <= block.end) live += (block.bytes + 63) / 64 * 64;
    }
    most = std::max(most, live);
  }
  return most;
}

TEST(PackBlocks, NeverOverlapsAndWastesLittle) {
  std::mt19937_64 random(4);
  double sum = 0, worst = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const i64 num_steps = 1 + static_cast<i64>(random() % 60);
    std::vector<LifeSpan> blocks;
    const size_t num_blocks = 1 + random() % 100;
    for (size_t b = 0; b < num_blocks; ++b) {
      const i64 begin = static_cast<i64>(random() % num_steps);
      // Most values end soon.
      const i64 length = static_cast<i64>(random() % (random() % 8 == 0 ? num_steps : 4));
      blocks.push_back({static_cast<i64>(random() % (i64{1} << (random() % 20))) + 1, begin,
                        std::min(num_steps - 1, begin + length)});
    }
    i64 total = -1;
    const std::vector<i64> offsets = PackBlocks(blocks, &total);
    ASSERT_EQ(offsets.size(), blocks.size());
    for (size_t a = 0; a < blocks.size(); ++a) {
      EXPECT_EQ(offsets[a] % kPlaceAlignment, 0);
      EXPECT_GE(offsets[a], 0);
      EXPECT_LE(offsets[a] + blocks[a].bytes, total);
      for (size_t b = 0; b < a; ++b) {
        const bool same_time = blocks[a].begin <= blocks[b].end && blocks[b].begin <= blocks[a].end;
        const bool apart = offsets[a] + blocks[a].bytes <= offsets[b] ||
                           offsets[b] + blocks[b].bytes <= offsets[a];
        ASSERT_TRUE(!same_time || apart) << "trial " << trial;
      }
    }
    const i64 bound = LowerBound(blocks, num_steps);
    EXPECT_GE(total, bound);
    const double ratio = static_cast<double>(total) / static_cast<double>(bound);
    worst = std::max(worst, ratio);
    sum += ratio;
    i64 again = 0;
    EXPECT_EQ(PackBlocks(blocks, &again), offsets);
  }
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("mean", std::to_string(sum / kTrials));
  EXPECT_LE(worst, 1.25);
}

TEST(PackBlocks, NothingAndNothingLarge) {
  i64 total = -1;
  EXPECT_TRUE(PackBlocks({}, &total).empty());
  EXPECT_EQ(total, 0);
  // A chain in which each value ends when the next but one begins: two places do.
  std::vector<LifeSpan> chain;
  for (i64 i = 0; i < 1000; ++i) chain.push_back({1000, i, i + 1});
  PackBlocks(chain, &total);
  EXPECT_EQ(total, 2 * 1024);
}

}  // namespace
}  // namespace axle
