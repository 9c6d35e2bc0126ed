// A depth-first topological order that keeps the given order wherever it can. Edges are operands,
// control predecessors, and from each recv-done to the send that provides its value; the k-th send
// of a channel belongs to its k-th recv, because a channel is a queue. The path is an explicit
// stack. A need that is already on the path closes a cycle, which must contain a recv-done: on a
// single device this is a deadlock and an error that names the instructions. With other devices
// another one may send: the last recv-done of the cycle does without its send, and what the path
// has behind it begins anew, once for each such recv-done.

#include "axle/passes/transfer_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "axle/core/device_context.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

bool IsBetweenDevices(const Instruction& inst, Opcode opcode) {
  return inst.opcode() == opcode && !inst.attrs<TransferAttrs>().is_host_transfer;
}

// The send that provides the value of each recv-done: a channel is a queue, so the first recv of a
// computation takes the value of its first send, and so on.
using Senders = std::unordered_map<const Instruction*, Instruction*>;

Senders SendersOf(const HloComputation& computation) {
  std::map<std::optional<i64>, std::vector<Instruction*>> sends;
  std::map<std::optional<i64>, size_t> num_recvs;
  std::unordered_map<const Instruction*, Instruction*> by_recv;
  for (Instruction* inst : computation.instructions()) {
    if (IsBetweenDevices(*inst, Opcode::kSend)) {
      sends[inst->attrs<TransferAttrs>().channel_id].push_back(inst);
    }
  }
  if (sends.empty()) return {};
  for (const Instruction* inst : computation.instructions()) {
    if (!IsBetweenDevices(*inst, Opcode::kRecv)) continue;
    const std::optional<i64> channel = inst->attrs<TransferAttrs>().channel_id;
    const auto line = sends.find(channel);
    const size_t place = num_recvs[channel]++;
    if (line != sends.end() && place < line->second.size()) {
      by_recv.emplace(inst, line->second[place]);
    }
  }
  Senders senders;
  for (const Instruction* inst : computation.instructions()) {
    if (!IsBetweenDevices(*inst, Opcode::kRecvDone)) continue;
    const auto send = by_recv.find(inst->operand(0));
    if (send != by_recv.end()) senders.emplace(inst, send->second);
  }
  return senders;
}

// Depth-first order of the instructions: each after everything that it needs.
class Orderer {
 public:
  Orderer(const HloComputation& computation, const Senders& senders, bool is_alone)
      : computation_(computation),
        senders_(senders),
        is_alone_(is_alone),
        state_(computation.instructions().size(), State::kOpen) {}

  StatusOr<std::vector<Instruction*>> Run() && {
    for (Instruction* inst : computation_.instructions()) {
      Begin(inst);
      while (!path_.empty()) AXLE_TRY(Step());
    }
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { kOpen, kOnPath, kDone };
  struct Needs {
    Instruction* inst;
    std::vector<Instruction*> needs;  // first ones last
  };

  void Begin(Instruction* inst) {
    State& state = state_[inst->index()];
    if (state != State::kOpen) return;
    state = State::kOnPath;
    Needs next{inst, {}};
    for (i64 i = 0; i < inst->num_operands(); ++i) next.needs.push_back(inst->operand(i));
    if (inst->extras() != nullptr) {
      const auto& predecessors = inst->extras()->control_predecessors;
      next.needs.insert(next.needs.end(), predecessors.begin(), predecessors.end());
    }
    if (const auto send = senders_.find(inst);
        send != senders_.end() && num_begun_anew_ <= computation_.instructions().size()) {
      next.needs.push_back(send->second);
    }
    std::ranges::sort(next.needs, std::greater(), &Instruction::index);
    path_.push_back(std::move(next));
  }

  Status Step() {
    Needs& top = path_.back();
    if (top.needs.empty()) {
      state_[top.inst->index()] = State::kDone;
      order_.push_back(top.inst);
      path_.pop_back();
      return {};
    }
    Instruction* const need = top.needs.back();
    top.needs.pop_back();
    if (state_[need->index()] != State::kOnPath) return Begin(need), Status();
    if (is_alone_) return Deadlock(need);
    BreakCycle(need);
    return {};
  }

  bool IsSenderOf(const Instruction* recv_done, const Instruction* send) const {
    const auto found = senders_.find(recv_done);
    return found != senders_.end() && found->second == send;
  }

  // The last instruction of the path needs `first`, which is on the path. Each of them has taken
  // what it waits for from its needs.
  void BreakCycle(const Instruction* first) {
    if (IsSenderOf(path_.back().inst, first)) return;
    for (size_t end = path_.size() - 1; path_[end].inst != first; --end) {
      if (!IsSenderOf(path_[end - 1].inst, path_[end].inst)) continue;
      num_begun_anew_ += path_.size() - end;
      for (; path_.size() > end; path_.pop_back()) {
        state_[path_.back().inst->index()] = State::kOpen;
      }
      return;
    }
  }

  // From `first` on, the path goes round. Operands alone never do, so a recv-done is on it.
  Status Deadlock(const Instruction* first) const {
    std::vector<std::string> waiting;
    const Instruction* location = nullptr;
    const auto begin = std::ranges::find(path_, first, &Needs::inst);
    for (auto needs = begin; needs != path_.end(); ++needs) {
      const auto send = senders_.find(needs->inst);
      if (send == senders_.end()) continue;
      if (location == nullptr) location = needs->inst;
      waiting.push_back(StrCat("recv-done \"", needs->inst->name(), "\" for send \"",
                               send->second->name(), "\" of ",
                               ChannelText(send->second->attrs<TransferAttrs>().channel_id)));
    }
    AXLE_INVARIANT(location != nullptr, "order of transfers: a cycle of operands");
    return OpError(*location,
                   StrCat("a deadlock: ", Join(waiting, ", "), " wait",
                          waiting.size() == 1 ? "s, and the send needs the result of the recv-done"
                                              : " for each other"));
  }

  const HloComputation& computation_;
  const Senders& senders_;
  bool is_alone_;
  std::vector<State> state_;
  std::vector<Needs> path_;
  size_t num_begun_anew_ = 0;
  std::vector<Instruction*> order_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> OrderTransfers(const Module& module, bool is_alone) {
  std::unique_ptr<Module> ordered;
  for (size_t c = 0; c < module.computations().size(); ++c) {
    const HloComputation& computation = *module.computations()[c];
    const Senders senders = SendersOf(computation);
    if (senders.empty()) continue;
    AXLE_ASSIGN(const std::vector<Instruction*> order,
                Orderer(computation, senders, is_alone).Run());
    if (std::ranges::equal(order, computation.instructions())) continue;
    if (ordered == nullptr) ordered = module.Clone();
    HloComputation& clone = *ordered->computations()[c];
    std::vector<Instruction*> cloned;
    for (const Instruction* inst : order) cloned.push_back(clone.instructions()[inst->index()]);
    clone.SetOrder(std::move(cloned));
  }
  return ordered;
}

std::vector<std::optional<i64>> SentChannels(const Module& module) {
  std::set<std::optional<i64>> channels;
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (IsBetweenDevices(*inst, Opcode::kSend)) {
        channels.insert(inst->attrs<TransferAttrs>().channel_id);
      }
    }
  }
  return {channels.begin(), channels.end()};
}

}  // namespace axle
