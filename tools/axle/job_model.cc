// A step is what every device runs: one instruction after the other, and each collective when all
// of its devices have come to it. The model:
//
//   an instruction   the longer of its operations at the rate of a device and of its operands and
//                    results at the bandwidth of its memory, as if nothing were fused
//   a collective     the rounds of the plan that runs (ops/exchange_rounds.h), one after the other,
//                    each as long as the links and switches are busy with it, and a latency; and
//                    operands, messages and results once at the bandwidth of the memory
//   a loop           its trip count times its body, if the count can be told; else once
//   a conditional    its longest branch
//
// Where a level says that its machines have fewer cores than devices, what devices do by themselves
// takes as much longer.
#include "tools/axle/job_model.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "axle/client/analysis.h"
#include "axle/client/op_table.h"
#include "axle/core/device_context.h"
#include "axle/core/strings.h"
#include "axle/ir/callees_first.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/collective_meeting.h"
#include "axle/ops/control_form.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/passes/loops.h"
#include "axle/passes/spmd/partition.h"

namespace axle::tool {
namespace {

// One device of the run, as far as groups ask for it.
class PlacedDevice : public DeviceContext {
 public:
  PlacedDevice(const JobOptions& options, i64 device) : options_(options), device_(device) {}
  i64 replica_id() const override { return device_ / options_.partitions; }
  i64 partition_id() const override { return device_ % options_.partitions; }
  i64 num_replicas() const override { return options_.replicas; }
  i64 num_partitions() const override { return options_.partitions; }

 private:
  const JobOptions& options_;
  i64 device_;
};

bool IsCollective(const Instruction& inst) {
  return GetOpDef(inst).check_devices != nullptr;
}

// The arrays of a value, without the state of an asynchronous operation.
i64 BytesOfResult(const Instruction& inst) {
  return (GivesCollectiveState(inst) ? inst.shape().element(1) : inst.shape()).num_bytes();
}

Dims BytesOfEachOperand(const Instruction& inst) {
  Dims bytes;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    bytes.push_back(inst.operand(i)->shape().num_bytes());
  }
  return bytes;
}
i64 BytesOfOperands(const Instruction& inst) {
  i64 sum = 0;
  for (const i64 bytes : BytesOfEachOperand(inst)) sum += bytes;
  return sum;
}

// How the devices of one group of a collective are placed.
struct Group {
  std::vector<i64> processes;              // by position
  std::vector<std::pair<i64, i64>> pairs;  // of a permute
};

// Collectives with equal members take equally long.
struct Exchange {
  ExchangeForm form = ExchangeForm::kNone;
  Dims operand_bytes = {};
  i64 bytes = 0, result_bytes = 0;
  bool is_tree = false;
  i64 widening = 1;
  const void* groups = nullptr;  // attributes, which are kept once for all that are equal
  GroupMode mode = GroupMode::kCrossReplica;
  auto operator<=>(const Exchange&) const = default;
};

// How the reducer of a collective folds.
void SetFold(const Instruction& inst, Exchange& exchange) {
  const HloComputation& reducer = *inst.callee(0);
  const Shape& root = reducer.root()->shape();
  const std::optional<LaneProgram> lanes = CompileScalarComputation(reducer);
  if (!lanes || !root.is_array()) return;
  const ElementType type = root.type();
  const ReducerKind kind = ClassifyReducer(*lanes, {&type, 1})[0];
  exchange.is_tree = kind != ReducerKind::kGeneral;
  if (exchange.is_tree && IsNarrowFloat(type) && IsSumOrProduct(kind, type)) {
    exchange.widening = 4 / Info(type).bytes;
  }
}

Exchange ExchangeOf(const Instruction& inst) {
  Exchange exchange = {.form = ExchangeFormOf(inst),
                       .operand_bytes = BytesOfEachOperand(inst),
                       .bytes = BytesOfOperands(inst),
                       .result_bytes = BytesOfResult(inst)};
  bool is_static = inst.shape().is_static();
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    is_static = is_static && inst.operand(i)->shape().is_static();
  }
  if (exchange.form == ExchangeForm::kPermute) {
    const auto& attrs = inst.attrs<CollectivePermuteAttrs>();
    exchange.groups = &attrs.source_target_pairs;
    exchange.mode = ModeOfChannel(attrs.channel_id);
  } else {
    const Collective collective = CollectiveOf(inst);
    exchange.groups = &collective.groups;
    exchange.mode = collective.mode;
  }
  if (exchange.form == ExchangeForm::kReduce || exchange.form == ExchangeForm::kReduceScatter) {
    SetFold(inst, exchange);
  }
  if (!is_static) exchange.form = ExchangeForm::kNone;
  return exchange;
}

// A permute has one group for each partition, or replica: all sources and targets there.
std::vector<Group> PermuteGroups(const Instruction& inst, const JobOptions& options) {
  const auto& attrs = inst.attrs<CollectivePermuteAttrs>();
  const bool is_replicas = ModeOfChannel(attrs.channel_id) == GroupMode::kCrossReplica;
  Dims ids;
  for (const auto& [source, target] : attrs.source_target_pairs) {
    ids.push_back(source);
    ids.push_back(target);
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  const auto position = [&](i64 id) { return std::ranges::lower_bound(ids, id) - ids.begin(); };
  std::vector<Group> groups;
  if (ids.empty()) return groups;
  for (i64 other = 0; other < (is_replicas ? options.partitions : options.replicas); ++other) {
    Group& group = groups.emplace_back();
    for (const i64 id : ids) {
      const i64 device =
          is_replicas ? id * options.partitions + other : other * options.partitions + id;
      group.processes.push_back(device / options.devices_per_process);
    }
    for (const auto& [source, target] : attrs.source_target_pairs) {
      group.pairs.emplace_back(position(source), position(target));
    }
  }
  return groups;
}

StatusOr<std::vector<Group>> GroupsOf(const Instruction& inst, ExchangeForm form,
                                      const JobOptions& options, Limits* limits) {
  if (form == ExchangeForm::kPermute) return PermuteGroups(inst, options);
  const i64 num_devices = options.replicas * options.partitions;
  std::vector<bool> is_placed(static_cast<size_t>(num_devices));
  std::vector<Group> groups;
  for (i64 device = 0; device < num_devices; ++device) {
    if (is_placed[static_cast<size_t>(device)]) continue;
    AXLE_TRY(limits->Check());
    AXLE_ASSIGN(const CollectiveMeeting meeting, MeetingOf(inst, PlacedDevice(options, device)));
    if (meeting.participants.empty()) continue;
    Group& group = groups.emplace_back();
    for (const i64 participant : meeting.participants) {
      is_placed[static_cast<size_t>(participant)] = true;
      group.processes.push_back(participant / options.devices_per_process);
    }
  }
  return groups;
}

// What a conditional or a loop runs, and how often.
struct Call {
  const HloComputation* computation;
  double times;
};

class Model {
 public:
  Model(const Module& module, const JobOptions& options, const Topology& topology, Limits* limits)
      : module_(module),
        options_(options),
        topology_(topology),
        limits_(limits),
        num_processes_(CeilOf(options.replicas * options.partitions, options.devices_per_process)),
        slowdown_(Slowdown()),
        round_(topology, num_processes_),
        step_(topology, num_processes_) {}

  StatusOr<JobCost> Run() {
    cost_.processes = num_processes_;
    const std::vector<const HloComputation*> order = CalleesFirst(*module_.entry());
    // A time that is given is divided as the estimate is.
    for (const HloComputation* computation : order) AXLE_TRY(AddComputation(*computation));
    const Totals& entry = totals_[module_.entry()];
    if (options_.compute) {
      scale_ = entry.compute > 0 ? *options_.compute / entry.compute : 1;
      for (const HloComputation* computation : order) AXLE_TRY(AddComputation(*computation));
    }
    cost_.compute = options_.compute.value_or(entry.compute);
    cost_.collectives = entry.collectives;
    cost_.step = cost_.compute + cost_.collectives;
    cost_.critical_path = entry.path;
    AXLE_TRY(CountRuns(order));
    FillPath();
    FillLinks();
    FillMemory();
    return std::move(cost_);
  }

 private:
  // Of one execution of a computation, with what it calls.
  struct Totals {
    double compute = 0, collectives = 0, path = 0;
    const Instruction* last = nullptr;  // of the longest chain
  };
  // Of one instruction.
  struct Node {
    double compute = 0, collectives = 0, path = 0;
    std::vector<Call> calls = {};
  };

  static i64 CeilOf(i64 a, i64 b) { return (a + b - 1) / b; }

  double Slowdown() const {
    double slowdown = 1;
    for (size_t level = 0; level < topology_.levels.size(); ++level) {
      const double cores = topology_.levels[level].cores;
      if (cores == 0) continue;
      const auto devices = static_cast<double>(
          std::min(topology_.SwitchSize(level, num_processes_) * options_.devices_per_process,
                   options_.replicas * options_.partitions));
      slowdown = std::max(slowdown, devices / cores);
    }
    return slowdown;
  }

  // The time of one run, which is computed once for all that are equal.
  StatusOr<CollectiveCost> CostOf(const Instruction& inst) {
    const Exchange exchange = ExchangeOf(inst);
    const auto known = exchanges_.find(exchange);
    if (known != exchanges_.end()) return known->second;
    AXLE_ASSIGN(const CollectiveCost cost, Simulate(inst, exchange, 0));
    return exchanges_.emplace(exchange, cost).first->second;
  }

  // The same, and adds so many runs to the loads of the step.
  StatusOr<CollectiveCost> Simulate(const Instruction& inst, const Exchange& exchange,
                                    double times) {
    AXLE_ASSIGN(const std::vector<Group> groups, GroupsOf(inst, exchange.form, options_, limits_));
    CollectiveCost cost;
    cost.groups = std::ssize(groups);
    std::vector<ExchangePlan> plans;
    double local_bytes = 0;
    for (const Group& group : groups) {
      const ExchangePlan& plan =
          plans.emplace_back(PlanExchange({.form = exchange.form,
                                           .processes = group.processes,
                                           .bytes = exchange.bytes,
                                           .is_tree = exchange.is_tree,
                                           .widening = exchange.widening,
                                           .operands = exchange.operand_bytes,
                                           .pairs = group.pairs}));
      const i64 size = std::ssize(group.processes), processes = std::ssize(plan.processes);
      cost.group_size = std::max(cost.group_size, size);
      cost.group_processes = std::max(cost.group_processes, processes);
      cost.rounds = std::max(cost.rounds, plan.rounds.size());
      const auto devices = static_cast<double>(CeilOf(size, std::max<i64>(processes, 1)));
      local_bytes = std::max(local_bytes,
                             devices * static_cast<double>(exchange.bytes + exchange.result_bytes));
    }
    LinkLoads::Time longest;
    double received = 0;
    // By process, over all rounds: who sends most in one round need not do so in the next.
    std::vector<LinkLoads::Load> sums(round_.links(0).size());
    for (size_t i = 0; i < cost.rounds; ++i) {
      round_.Clear();
      for (const ExchangePlan& plan : plans) {
        if (i < plan.rounds.size()) round_.Add(plan, plan.rounds[i]);
      }
      const LinkLoads::Time time = round_.RoundTime();
      cost.network += time.seconds;
      if (time.seconds > longest.seconds) longest = time;
      double most_received = 0;
      for (size_t process = 0; process < sums.size(); ++process) {
        const LinkLoads::Load& link = round_.links(0)[process];
        sums[process].out += link.out;
        sums[process].messages_out += link.messages_out;
        most_received = std::max(most_received, link.in);
        message_bytes_ = std::max(message_bytes_, link.out + link.in);
      }
      received += most_received;
      if (times > 0) step_.Add(round_, times);
    }
    for (const LinkLoads::Load& sum : sums) {
      cost.sent = std::max(cost.sent, sum.out);
      cost.messages = std::max(cost.messages, sum.messages_out);
    }
    const double memory = (local_bytes + received) / options_.memory_bandwidth * slowdown_;
    cost.seconds = cost.network + memory;
    cost.bound =
        memory > cost.network ? "memory"
        : longest.latency > longest.seconds / 2
            ? "latency"
            : topology_.levels[longest.level].name + (longest.is_messages ? " messages" : " bytes");
    return cost;
  }

  // Whether it reads and writes elements; the end of an asynchronous collective does not.
  static bool Computes(const Instruction& inst) {
    return !MovesNothing(inst) && DoneFormOf(inst) == DoneForm::kNone;
  }

  // What an instruction takes by itself, and the calls that it makes.
  StatusOr<Node> NodeOf(const Instruction& inst) {
    Node node;
    if (IsCollective(inst)) {
      AXLE_ASSIGN(const CollectiveCost cost, CostOf(inst));
      node.collectives = node.path = cost.seconds;
      return node;
    }
    if (GetOpDef(inst).has(kRunsCallees)) {
      AddCalls(inst, node);
      for (const Call& call : node.calls) {
        const Totals& totals = totals_[call.computation];
        node.compute += call.times * totals.compute;
        node.collectives += call.times * totals.collectives;
        node.path += call.times * totals.path;
      }
      return node;
    }
    if (!Computes(inst)) return node;
    const auto bytes = static_cast<double>(BytesOfOperands(inst) + inst.shape().num_bytes());
    node.compute = std::max(Flops(inst) / options_.flops, bytes / options_.memory_bandwidth) *
                   slowdown_ * scale_;
    node.path = node.compute;
    return node;
  }

  void AddCalls(const Instruction& inst, Node& node) {
    const auto callees = inst.callees();
    switch (ControlFormOf(inst)) {
      case ControlForm::kWhile: {
        const auto trips = static_cast<double>(TripCount(inst).value_or(1));
        node.calls = {{callees[0], trips + 1}, {callees[1], trips}};
        break;
      }
      case ControlForm::kConditional: {
        const auto seconds = [&](const HloComputation* branch) {
          const Totals& totals = totals_[branch];
          return totals.compute + totals.collectives;
        };
        node.calls = {{*std::ranges::max_element(callees, {}, seconds), 1}};
        break;
      }
      default: {
        // The later instructions of an asynchronous call name the computation again.
        const bool is_continued = inst.num_operands() == 1 &&
                                  GetOpDef(*inst.operand(0)).has(kRunsCallees) &&
                                  !inst.operand(0)->callees().empty() && !callees.empty() &&
                                  inst.operand(0)->callees()[0] == callees[0] &&
                                  ControlFormOf(inst) == ControlForm::kNone;
        if (is_continued) break;
        for (const HloComputation* callee : callees) node.calls.push_back({callee, 1});
      }
    }
  }

  // Instructions come after their operands, so one walk finds the longest chain that ends at each.
  Status AddComputation(const HloComputation& computation) {
    Totals totals;
    for (const Instruction* inst : computation.instructions()) {
      AXLE_TRY(limits_->Check());
      AXLE_ASSIGN(Node node, NodeOf(*inst));
      totals.compute += node.compute;
      totals.collectives += node.collectives;
      Chain chain = {.seconds = node.path, .own = node.path};
      double before = 0;
      const auto follow = [&](const Instruction* earlier) {
        const auto known = chains_.find(earlier);
        if (known == chains_.end() || known->second.seconds <= before) return;
        before = known->second.seconds;
        chain.before = earlier;
      };
      for (i64 i = 0; i < inst->num_operands(); ++i) follow(inst->operand(i));
      if (const InstructionExtras* extras = inst->extras()) {
        for (const Instruction* earlier : extras->control_predecessors) follow(earlier);
      }
      chain.seconds += before;
      if (totals.last == nullptr || chain.seconds > totals.path) {
        totals.path = chain.seconds;
        totals.last = inst;
      }
      chains_[inst] = chain;
    }
    totals_[&computation] = totals;
    return {};
  }

  // How often computations run, callers first, and with that what the step sends.
  Status CountRuns(const std::vector<const HloComputation*>& callees_first) {
    std::unordered_map<const HloComputation*, double> runs = {{module_.entry(), 1.0}};
    for (auto it = callees_first.rbegin(); it != callees_first.rend(); ++it) {
      const double times = runs[*it];
      if (times == 0) continue;
      for (const Instruction* inst : (*it)->instructions()) {
        AXLE_ASSIGN(const Node node, NodeOf(*inst));
        for (const Call& call : node.calls) runs[call.computation] += times * call.times;
        if (IsCollective(*inst)) AXLE_TRY(AddCollective(*inst, times));
        if (ControlFormOf(*inst) == ControlForm::kWhile && !TripCount(*inst)) {
          ++cost_.unknown_loops;
        }
        if (GetOpDef(*inst).has(kRunsCallees) || IsCollective(*inst)) continue;
        if (IsTransfer(*inst)) ++cost_.transfers;
        if (!Computes(*inst)) continue;
        cost_.flops += times * Flops(*inst);
        cost_.bytes +=
            times * static_cast<double>(BytesOfOperands(*inst) + inst->shape().num_bytes());
      }
    }
    for (const auto& [exchange, all] : runs_) {
      AXLE_TRY(Simulate(*all.inst, exchange, all.times).status());
    }
    return {};
  }

  // A send or receive between devices: its other end is known when it runs.
  static bool IsTransfer(const Instruction& inst) {
    const std::string_view name = OpName(inst);
    return name == "send" || name == "recv";
  }

  Status AddCollective(const Instruction& inst, double times) {
    AXLE_ASSIGN(CollectiveCost cost, CostOf(inst));
    Runs& runs = runs_[ExchangeOf(inst)];
    runs.inst = &inst;
    runs.times += times;
    cost.name = std::string(inst.name());
    cost.op = std::string(OpName(inst));
    const Shape& shape = inst.num_operands() == 1 ? inst.operand(0)->shape() : inst.shape();
    cost.shape = shape.ToString();
    cost.runs = times;
    cost_.costs.push_back(std::move(cost));
    return {};
  }

  // The chain of the entry, without what takes no time.
  void FillPath() {
    const Instruction* at = totals_[module_.entry()].last;
    while (at != nullptr) {
      const Chain& chain = chains_[at];
      if (chain.own > 0) {
        cost_.path.push_back({std::string(at->name()), std::string(OpName(*at)), chain.own});
      }
      at = chain.before;
    }
    std::ranges::reverse(cost_.path);
  }

  void FillLinks() {
    for (size_t level = 0; level < topology_.levels.size(); ++level) {
      LinkCost links = {.level = topology_.levels[level], .links = std::ssize(step_.links(level))};
      for (const LinkLoads::Load& load : step_.links(level)) {
        links.bytes += load.out + load.in;
        if (const double busy = step_.Busy(level, load); busy > links.seconds) {
          links.seconds = busy;
          links.busiest = load.bytes();
          links.messages = load.messages();
        }
      }
      cost_.links.push_back(std::move(links));
    }
  }

  void FillMemory() {
    const MemoryAnalysis memory = AnalyzeMemory(module_);
    const i64 devices =
        std::min(options_.devices_per_process, options_.replicas * options_.partitions);
    const i64 of_device = memory.argument_bytes + memory.result_bytes - memory.alias_bytes +
                          memory.peak_temporary_bytes;
    cost_.value_bytes = memory.constant_bytes + devices * of_device;
    cost_.message_bytes = static_cast<i64>(message_bytes_);
  }

  // The longest chain that ends at an instruction.
  struct Chain {
    double seconds = 0, own = 0;
    const Instruction* before = nullptr;
  };
  // Of equal collectives in a step: one of them, and how often all of them run.
  struct Runs {
    const Instruction* inst = nullptr;
    double times = 0;
  };

  const Module& module_;
  const JobOptions& options_;
  const Topology& topology_;
  Limits* limits_;
  const i64 num_processes_;
  const double slowdown_;
  double scale_ = 1;
  LinkLoads round_, step_;
  double message_bytes_ = 0;
  std::map<Exchange, CollectiveCost> exchanges_;
  std::map<Exchange, Runs> runs_;
  std::unordered_map<const HloComputation*, Totals> totals_;
  std::unordered_map<const Instruction*, Chain> chains_;
  JobCost cost_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ForDevices(const Module& module, const JobOptions& options,
                                             Limits* limits) {
  std::unique_ptr<Module> copy = module.Clone();
  copy->config().replica_count = options.replicas;
  copy->config().num_partitions = options.partitions;
  AXLE_TRY(VerifyModule(*copy));
  if (options.partitions > 1) {
    PassContext context = {.limits = limits};
    AXLE_ASSIGN(copy, GatherShardings(*copy, context));
    AXLE_TRY(VerifyModule(*copy));
  }
  AXLE_TRY(CheckRuns(*copy));
  AXLE_TRY(CheckDevices(*copy));
  return copy;
}

StatusOr<JobCost> Predict(const Module& module, const JobOptions& options, const Topology& topology,
                          Limits* limits) {
  return Model(module, options, topology, limits).Run();
}

}  // namespace axle::tool
