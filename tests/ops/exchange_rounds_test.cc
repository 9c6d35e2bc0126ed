// What processes send each other for a collective, compared with an enumeration of all devices, of
// all nodes of the tree and of all pairs.
#include "axle/ops/exchange_rounds.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "axle/core/strings.h"

namespace axle {
namespace {

using Pairs = std::vector<std::pair<i64, i64>>;
// By the processes of a message.
using Messages = std::map<std::pair<i64, i64>, i64>;

Messages AllMessages(const ExchangePlan& plan, size_t round) {
  Messages all;
  for (i64 rank = 0; rank < std::ssize(plan.processes); ++rank) {
    for (const ExchangeMessage& message : MessagesFrom(plan.rounds[round], rank)) {
      EXPECT_EQ(message.from, rank);
      EXPECT_TRUE(all.try_emplace({plan.processes[static_cast<size_t>(message.from)],
                                   plan.processes[static_cast<size_t>(message.to)]},
                                  message.bytes)
                      .second);
    }
  }
  return all;
}

// The values that each process sends for a fold, each as the number of its positions: those of the
// largest nodes of the tree that it has alone.
std::map<i64, std::vector<i64>> Nodes(const ExchangeGroup& group) {
  std::map<i64, std::vector<i64>> nodes;
  const std::function<void(size_t, size_t)> visit = [&](size_t begin, size_t end) {
    bool is_alone = true;
    for (size_t i = begin; i < end; ++i) {
      is_alone = is_alone && group.processes[i] == group.processes[begin];
    }
    if (is_alone && (group.is_tree || end - begin == 1)) {
      nodes[group.processes[begin]].push_back(static_cast<i64>(end - begin));
      return;
    }
    size_t left = 1;
    while (2 * left < end - begin) left *= 2;
    visit(begin, begin + left);
    visit(begin + left, end);
  };
  visit(0, group.processes.size());
  return nodes;
}

// The rounds as the rules say them, pair by pair.
std::vector<Messages> Enumerated(const ExchangeGroup& group) {
  const i64 n = std::ssize(group.processes);
  Pairs pairs;  // processes of two devices
  for (const i64 from : group.processes) {
    for (const i64 to : group.processes) pairs.emplace_back(from, to);
  }
  std::vector<i64> processes;  // in the order of the ranks
  for (const i64 process : group.processes) {
    if (std::ranges::find(processes, process) == processes.end()) processes.push_back(process);
  }
  std::vector<Messages> rounds(1);
  const auto send = [&](i64 from, i64 to, i64 bytes) {
    if (from != to && bytes > 0) rounds.back()[{from, to}] += bytes;
  };
  const auto length = [&](i64 size) { return size == 1 ? 1 : group.widening; };
  switch (group.form) {
    case ExchangeForm::kReduce: {
      const i64 count = std::ssize(processes);
      const i64 message = (group.bytes + 63) / 64 * 64;
      const bool in_parts = message > 16384;
      const auto part_of = [&](i64 q) {
        return std::min(group.bytes, PartBegin(message, q + 1, count)) -
               PartBegin(message, q, count);
      };
      for (const auto& [from, sizes] : Nodes(group)) {
        for (i64 q = 0; q < count; ++q) {
          const i64 part = part_of(q);
          for (const i64 size : sizes) {
            send(from, processes[static_cast<size_t>(q)],
                 length(size) * (in_parts ? part : group.bytes));
          }
        }
      }
      if (!in_parts) break;
      rounds.emplace_back();
      for (i64 q = 0; q < count; ++q) {
        for (const i64 to : processes) {
          send(processes[static_cast<size_t>(q)], to, part_of(q));
        }
      }
      break;
    }
    case ExchangeForm::kReduceScatter:
      for (const auto& [from, sizes] : Nodes(group)) {
        for (const i64 device : group.processes) {
          for (const i64 size : sizes) send(from, device, length(size) * (group.bytes / n));
        }
      }
      break;
    case ExchangeForm::kAllToAll:
    case ExchangeForm::kDeal:
      for (const auto& [from, to] : pairs) send(from, to, group.bytes / n);
      break;
    case ExchangeForm::kBroadcast:
      for (const i64 to : processes) send(group.processes[0], to, group.bytes);
      break;
    case ExchangeForm::kPermute:
      for (const auto& [source, target] : group.pairs) {
        send(group.processes[static_cast<size_t>(source)],
             group.processes[static_cast<size_t>(target)], group.bytes);
      }
      break;
    case ExchangeForm::kGather:
    case ExchangeForm::kNone:
      for (const i64 from : group.processes) {
        for (const i64 to : processes) send(from, to, group.bytes);
      }
      break;
  }
  return rounds;
}

constexpr ExchangeForm kForms[] = {ExchangeForm::kNone,          ExchangeForm::kReduce,
                                   ExchangeForm::kReduceScatter, ExchangeForm::kGather,
                                   ExchangeForm::kAllToAll,      ExchangeForm::kDeal,
                                   ExchangeForm::kPermute,       ExchangeForm::kBroadcast};

void Compare(const ExchangeGroup& group) {
  const ExchangePlan plan = PlanExchange(group);
  const std::string what = StrCat(
      "form ", static_cast<int>(group.form), ", ", group.bytes, " bytes, widening ", group.widening,
      group.is_tree ? ", tree" : "", ", processes ", Join(group.processes, ","));
  const bool is_alone = plan.processes.size() < 2;
  const std::vector<Messages> wanted = is_alone ? std::vector<Messages>() : Enumerated(group);
  ASSERT_EQ(plan.rounds.size(), wanted.size()) << what;
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(AllMessages(plan, i), wanted[i]) << what << ", round " << i;
  }
}

TEST(ExchangeRounds, AreThoseOfAllPairsForRandomPlacements) {
  std::mt19937 random(20261128);
  const auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 4000; ++i) {
    const i64 n = 1 + below(i % 8 == 0 ? 40 : 12);
    const i64 count = 1 + below(5);
    const i64 per_process = (n + count - 1) / count;
    std::vector<i64> processes;
    for (i64 k = 0; k < n; ++k) {
      // In blocks, as devices are numbered, or anywhere.
      processes.push_back(i % 2 == 0 ? 7 + k / per_process : below(count));
    }
    Pairs pairs;
    for (i64 k = 0; k < n; ++k) {
      if (below(4) != 0) pairs.emplace_back(k, below(n));
    }
    constexpr i64 kBytes[] = {0, 4, 60, 4096, 16384, 16385, 16388, 100000};
    Compare({.form = kForms[below(std::ssize(kForms))],
             .processes = processes,
             .bytes = kBytes[below(std::ssize(kBytes))],
             .is_tree = below(3) != 0,
             .widening = i64{1} << below(3),
             .pairs = pairs});
  }
}

TEST(ExchangeRounds, TreesOfAllLengthsAndRunsAreCutIntoTheirLargestNodes) {
  for (i64 n = 1; n <= 40; ++n) {
    for (i64 begin = 0; begin < n; ++begin) {
      for (i64 end = begin + 1; end <= n; ++end) {
        std::vector<i64> processes(static_cast<size_t>(n), 0);
        for (i64 k = begin; k < end; ++k) processes[static_cast<size_t>(k)] = 1;
        Compare({.form = ExchangeForm::kReduce,
                 .processes = processes,
                 .bytes = 8,
                 .is_tree = true,
                 .widening = 2});
      }
    }
  }
}

// The operands begin at 0, 10048 and 30080 of a message of 30144 bytes, which is cut at 10048 and
// 20096: the last part has 9972 bytes of the second operand and all of the third one.
TEST(ExchangeRounds, TheMessageOfSeveralOperandsIsCut) {
  const i64 processes[] = {0, 1, 2}, operands[] = {10001, 20020, 40};
  const ExchangePlan plan = PlanExchange({.form = ExchangeForm::kReduce,
                                          .processes = processes,
                                          .bytes = 30061,
                                          .operands = operands});
  ASSERT_EQ(plan.rounds.size(), 2u);
  EXPECT_EQ(plan.rounds[0].receives, std::vector<i64>({10001, 10048, 10012}));
  EXPECT_EQ(plan.rounds[1].sends, std::vector<i64>({10001, 10048, 10012}));
}

TEST(ExchangeRounds, AReductionOfEightDevicesInTwoProcesses) {
  const i64 processes[] = {3, 3, 3, 3, 5, 5, 5, 5};
  const ExchangeGroup group = {
      .form = ExchangeForm::kReduce, .processes = processes, .bytes = 400, .is_tree = true};
  ExchangePlan plan = PlanExchange(group);
  ASSERT_EQ(plan.rounds.size(), 1u);
  EXPECT_EQ(plan.processes, std::vector<i64>({3, 5}));
  EXPECT_EQ(MessagesFrom(plan.rounds[0], 0), std::vector<ExchangeMessage>({{0, 1, 400}}));

  ExchangeGroup long_group = group;
  long_group.bytes = 1 << 20;
  plan = PlanExchange(long_group);
  ASSERT_EQ(plan.rounds.size(), 2u);
  EXPECT_EQ(MessagesFrom(plan.rounds[0], 1), std::vector<ExchangeMessage>({{1, 0, 1 << 19}}));
  EXPECT_EQ(MessagesFrom(plan.rounds[1], 1), std::vector<ExchangeMessage>({{1, 0, 1 << 19}}));

  ExchangeGroup from_the_left = group;
  from_the_left.is_tree = false;
  plan = PlanExchange(from_the_left);
  EXPECT_EQ(MessagesFrom(plan.rounds[0], 0), std::vector<ExchangeMessage>({{0, 1, 1600}}));
}

TEST(ExchangeRounds, PartsCoverAllBytesAndBeginAtUnits) {
  for (const i64 bytes : {i64{0}, i64{1}, i64{16385}, i64{1} << 62}) {
    for (const i64 count : {1, 2, 3, 1000, 10000}) {
      EXPECT_EQ(PartBegin(bytes, 0, count), 0);
      EXPECT_EQ(PartBegin(bytes, count, count), bytes);
      for (i64 i = 0; i < count; ++i) {
        EXPECT_EQ(PartBegin(bytes, i, count) % kExchangeUnit, 0);
        EXPECT_LE(PartBegin(bytes, i, count), PartBegin(bytes, i + 1, count));
      }
    }
  }
}

// Ten thousand processes have a hundred million pairs.
TEST(ExchangeRounds, OfManyProcessesAreShort) {
  std::vector<i64> processes;
  for (i64 k = 0; k < 80000; ++k) processes.push_back(k / 8);
  const ExchangePlan plan = PlanExchange(
      {.form = ExchangeForm::kReduce, .processes = processes, .bytes = 1 << 20, .is_tree = true});
  ASSERT_EQ(plan.rounds.size(), 2u);
  EXPECT_EQ(plan.rounds[0].sends, std::vector<i64>(10000, 1));
  EXPECT_EQ(plan.rounds[0].receives.size(), 10000u);
  EXPECT_TRUE(plan.rounds[0].messages.empty());
}

}  // namespace
}  // namespace axle
