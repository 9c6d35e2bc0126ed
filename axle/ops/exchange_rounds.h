// What the processes of a job send each other for one collective: the plan that runs, and that
// `axle simulate` computes the time of. Plain numbers; nothing is sent here.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/ops/collective_meeting.h"

namespace axle {

// A node of the tree of a fold (docs/numerics.md N9) whose positions are all in one process, which
// has no larger one around it: that process folds them and sends one value.
struct ExchangeSubtree {
  i64 first = 0, size = 0;  // positions
  int rank = 0;
};
// All of them, from the left. `rank_of` is by position. Without a tree each position is one.
std::vector<ExchangeSubtree> SubtreesOf(std::span<const int> rank_of, bool is_tree);

// One group of a collective whose devices are in several processes.
struct ExchangeGroup {
  ExchangeForm form = ExchangeForm::kNone;
  std::span<const i64> processes;  // of the device at each position of the group
  i64 bytes = 0;                   // of all operands of one device
  // Of kReduce and kReduceScatter: whether the values are folded in a tree (docs/numerics.md N9),
  // and how many times larger the fold of several is than one: sums of narrow floats are f32.
  bool is_tree = false;
  i64 widening = 1;
  // Of kReduce: the bytes of each operand, whose sum is `bytes`; empty for one. In the
  // message, which is cut into parts, each begins at a multiple of kExchangeUnit.
  std::span<const i64> operands = {};
  // Of kPermute: the positions of each source and its target.
  std::span<const std::pair<i64, i64>> pairs = {};
};

// Processes have ranks: the order in which a group names them first.
struct ExchangeMessage {
  i64 from = 0, to = 0;  // ranks
  i64 bytes = 0;
  bool operator==(const ExchangeMessage&) const = default;
};

// Messages that are under way together: rank i sends sends[i] * receives[j] bytes to each other
// rank j. Those of a permute are listed instead. Nobody sends an empty message.
struct ExchangeRound {
  std::vector<i64> sends, receives;  // by rank; empty if the messages are listed
  std::vector<ExchangeMessage> messages;
};

struct ExchangePlan {
  std::vector<i64> processes;  // by rank
  // One after the other: a rank starts with a round when it has what it receives in the one before.
  std::vector<ExchangeRound> rounds;  // none if all devices are in one process
};

// Takes time in proportion to the positions and the pairs, times a logarithm.
ExchangePlan PlanExchange(const ExchangeGroup& group);
// The messages of a round from one rank, by their targets.
std::vector<ExchangeMessage> MessagesFrom(const ExchangeRound& round, i64 rank);

// From how many bytes on a reduction has two rounds, in which each process folds a part of the
// values, and where part `i` of `count` begins: at a multiple of kExchangeUnit. Part `count` is the
// end.
inline constexpr i64 kTwoRoundBytes = 16384 + 1;
inline constexpr i64 kExchangeUnit = 64;
i64 PartBegin(i64 bytes, i64 i, i64 count);

}  // namespace axle
