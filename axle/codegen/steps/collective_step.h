// Collective steps: devices of one process meet and read each other's values in place.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "axle/codegen/steps/evaluate_step.h"
#include "axle/codegen/steps/group_fold.h"
#include "axle/ops/collective_meeting.h"
#include "axle/ops/exchange_rounds.h"

namespace axle {

struct CollectivePlan {
  ExchangeForm how;
  EvaluatePlan evaluate;  // for a run with one device, and for what evaluators report
  std::uint64_t instruction = 0;
  std::uint64_t form = 0;  // the same for all that may meet here
  // An operand. It is `rows` rows; a device's part of a row is `run` bytes in all arrays, which
  // have one or `parts` of them in a row.
  struct Array {
    i64 bytes = 0;
    i64 offset = 0;  // in a message of all operands
    i64 rows = 1, run = 0;
  };
  std::vector<Array> arrays;
  i64 message_bytes = 0;
  // The outputs before the results are the operands in the state of an asynchronous collective, and
  // those behind them its contexts. No program can read them, and they are not written.
  size_t first_result = 0;
  i64 parts = 0;  // the devices of a group, for kReduceScatter, kGather, kAllToAll and kDeal
  GroupFold fold = {};
  // A small message is copied to where all can read it, so that nobody waits for its readers.
  bool is_small() const { return message_bytes <= kMaxSmallMessage; }
  static constexpr i64 kMaxSmallMessage = kTwoRoundBytes - 1;
};

// The KernelFunction of collective steps; the run is a HostRun. Buffers: the operands, the results,
// and scratch memory if there is a fold.
int RunCollective(const RunContext* run, const void* plan, void* const* buffers, i64 begin,
                  i64 end);

}  // namespace axle
