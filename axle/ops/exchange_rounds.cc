// The devices of a group that are in one process meet there first; then one device of each process
// exchanges for all of them with the other processes.
//
// A fold is a tree over the positions of the group. A process folds each largest part of the tree
// whose positions it has alone, and sends a value for each: its subtrees. Here they are counted in
// runs of positions of one process. The tree over n positions cuts off the largest power of two
// below n on the left. So the nodes that begin at position a are the aligned blocks a .. a + 2^k
// that end by n, where 2^k divides a, and a .. n if a is n without some of its lowest bits. Taking
// the largest that fits from the left on gives the largest nodes of a run.
//
// Nearly every round is an outer product: what rank i sends to rank j is a number of i times a
// number of j. That keeps the plan of n processes n numbers long, where pairs would be n * n.
#include "axle/ops/exchange_rounds.h"

#include <algorithm>
#include <bit>
#include <map>

namespace axle {
namespace {

// The end of the largest node of the tree over n positions that begins at a and ends by b.
i64 NodeEnd(i64 a, i64 b, i64 n) {
  const i64 lowest = a & -a;
  if (b == n && (a == 0 || n - a < lowest)) return n;
  const i64 most = static_cast<i64>(std::bit_floor(static_cast<std::uint64_t>(b - a)));
  return a + (a == 0 ? most : std::min(lowest, most));
}

struct Ranks {
  std::vector<i64> processes;  // by rank
  std::vector<int> of;         // by position
  std::vector<i64> devices;    // by rank: how many
};

Ranks RanksOf(std::span<const i64> processes) {
  Ranks ranks;
  std::map<i64, int> known;
  for (const i64 process : processes) {
    const auto [rank, is_new] = known.try_emplace(process, static_cast<int>(known.size()));
    if (is_new) {
      ranks.processes.push_back(process);
      ranks.devices.push_back(0);
    }
    ranks.of.push_back(rank->second);
    ++ranks.devices[static_cast<size_t>(rank->second)];
  }
  return ranks;
}

// By rank: what its subtrees are long, if one value is 1.
std::vector<i64> Subtrees(const ExchangeGroup& group, const Ranks& ranks) {
  std::vector<i64> lengths(ranks.processes.size());
  for (const ExchangeSubtree& subtree : SubtreesOf(ranks.of, group.is_tree)) {
    lengths[static_cast<size_t>(subtree.rank)] += subtree.size == 1 ? 1 : group.widening;
  }
  return lengths;
}

std::vector<i64> Times(std::vector<i64> numbers, i64 factor) {
  for (i64& number : numbers) number *= factor;
  return numbers;
}

// A message for all pairs between the same two ranks.
ExchangeRound PermuteRound(const ExchangeGroup& group, const Ranks& ranks) {
  std::map<std::pair<i64, i64>, i64> messages;
  for (const auto& [source, target] : group.pairs) {
    const i64 from = ranks.of[static_cast<size_t>(source)];
    const i64 to = ranks.of[static_cast<size_t>(target)];
    if (from != to && group.bytes > 0) messages[{from, to}] += group.bytes;
  }
  ExchangeRound round;
  for (const auto& [ends, bytes] : messages) {
    round.messages.push_back({ends.first, ends.second, bytes});
  }
  return round;
}

// The bytes of operands in each of the parts of a large reduction; empty if it is small.
std::vector<i64> PartsOf(const ExchangeGroup& group, i64 count) {
  const std::span<const i64> operands =
      group.operands.empty() ? std::span(&group.bytes, 1) : group.operands;
  const auto padded = [](i64 bytes) {
    return (bytes + kExchangeUnit - 1) / kExchangeUnit * kExchangeUnit;
  };
  i64 message = 0;
  for (const i64 bytes : operands) message += padded(bytes);
  if (message < kTwoRoundBytes) return {};
  std::vector<i64> parts(static_cast<size_t>(count));
  i64 begin = 0, part = 0;  // of the operand, and the part that it begins in
  for (const i64 bytes : operands) {
    for (i64 from = begin; from < begin + bytes;) {
      while (PartBegin(message, part + 1, count) <= from) ++part;
      const i64 to = std::min(begin + bytes, PartBegin(message, part + 1, count));
      parts[static_cast<size_t>(part)] += to - from;
      from = to;
    }
    begin += padded(bytes);
  }
  return parts;
}

}  // namespace

std::vector<ExchangeSubtree> SubtreesOf(std::span<const int> rank_of, bool is_tree) {
  std::vector<ExchangeSubtree> subtrees;
  const i64 n = std::ssize(rank_of);
  for (i64 a = 0, end = 0; a < n;) {
    const int rank = rank_of[static_cast<size_t>(a)];
    if (a >= end) {
      while (end < n && rank_of[static_cast<size_t>(end)] == rank) ++end;
    }
    const i64 next = is_tree ? NodeEnd(a, end, n) : a + 1;
    subtrees.push_back({a, next - a, rank});
    a = next;
  }
  return subtrees;
}

i64 PartBegin(i64 bytes, i64 i, i64 count) {
  if (i >= count) return bytes;
  // bytes * i / count, without its product, which may be too large.
  const i64 units = bytes / kExchangeUnit;
  return (units / count * i + units % count * i / count) * kExchangeUnit;
}

ExchangePlan PlanExchange(const ExchangeGroup& group) {
  Ranks ranks = RanksOf(group.processes);
  ExchangePlan plan;
  const size_t size = ranks.processes.size();
  const i64 n = std::max<i64>(std::ssize(group.processes), 1), bytes = group.bytes;
  const auto add = [&](std::vector<i64> sends, std::vector<i64> receives) {
    plan.rounds.push_back({std::move(sends), std::move(receives), {}});
  };
  std::vector<i64> ones(size, 1);
  if (size > 1) {
    switch (group.form) {
      case ExchangeForm::kReduce: {
        std::vector<i64> parts = PartsOf(group, static_cast<i64>(size));
        if (parts.empty()) {
          add(Times(Subtrees(group, ranks), bytes), std::move(ones));
        } else {
          add(Subtrees(group, ranks), parts);
          add(std::move(parts), std::move(ones));
        }
        break;
      }
      case ExchangeForm::kReduceScatter:
        add(Subtrees(group, ranks), Times(ranks.devices, bytes / n));
        break;
      case ExchangeForm::kAllToAll:
      case ExchangeForm::kDeal:
        add(ranks.devices, Times(ranks.devices, bytes / n));
        break;
      case ExchangeForm::kBroadcast:
        add(std::vector<i64>(size), std::move(ones));
        plan.rounds[0].sends[0] = bytes;
        break;
      case ExchangeForm::kPermute:
        plan.rounds.push_back(PermuteRound(group, ranks));
        break;
      case ExchangeForm::kGather:
      case ExchangeForm::kNone:  // an evaluator gets everything
        add(Times(ranks.devices, bytes), std::move(ones));
        break;
    }
  }
  plan.processes = std::move(ranks.processes);
  return plan;
}

std::vector<ExchangeMessage> MessagesFrom(const ExchangeRound& round, i64 rank) {
  std::vector<ExchangeMessage> messages;
  for (const ExchangeMessage& message : round.messages) {
    if (message.from == rank) messages.push_back(message);
  }
  for (size_t to = 0; to < round.receives.size(); ++to) {
    const i64 bytes = round.sends[static_cast<size_t>(rank)] * round.receives[to];
    if (static_cast<i64>(to) != rank && bytes > 0) {
      messages.push_back({rank, static_cast<i64>(to), bytes});
    }
  }
  return messages;
}

}  // namespace axle
