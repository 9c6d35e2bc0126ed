#include "axle/proto/write.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "axle/core/float_environment.h"
#include "axle/core/literal_wire.h"
#include "axle/core/strings.h"
#include "axle/ir/callees_first.h"
#include "axle/ops/op_def.h"
#include "axle/proto/attributes.h"
#include "axle/proto/common_fields.h"
#include "axle/proto/fields.h"
#include "axle/proto/module_fields.h"
#include "axle/proto/sharding.h"

namespace axle {
namespace {

class ModuleWriter {
 public:
  explicit ModuleWriter(const Module& module) : module_(module) {
    computations_ = CalleesFirst(module);  // the order in which text prints them
    for (size_t i = 0; i < computations_.size(); ++i) {
      ids_[computations_[i]] = static_cast<i64>(i) + 1;
      for (const Instruction* inst : computations_[i]->instructions()) MarkFused(*inst);
    }
  }

  std::string Write() {
    WireWriter out;
    out.Text(field::kModuleName, module_.name());
    out.Text(field::kEntryComputationName, module_.entry()->name());
    for (const HloComputation* computation : computations_) {
      out.Message(field::kComputations, ComputationMessage(*computation));
    }
    out.Int(field::kEntryComputationId, ids_.at(module_.entry()));
    if (module_.config().is_scheduled) out.Message(field::kSchedule, ScheduleMessage());
    WriteModuleConfig(module_, out);
    out.SortFields();
    return out.Take();
  }

 private:
  // Callers of fused computations say how they are fused.
  void MarkFused(const Instruction& inst) {
    for (const AttrSpec& spec : GetOpDef(inst).attrs.specs) {
      if (spec.proto.field != field::kFusionKind) continue;
      for (const HloComputation* callee : inst.callees()) fused_.insert(callee);
    }
  }

  i64 IdOf(const Instruction& inst) const {
    return ids_.at(inst.parent()) << 32 | (static_cast<i64>(inst.index()) + 1);
  }

  WireWriter ComputationMessage(const HloComputation& computation) {
    WireWriter out;
    out.Text(field::kComputationName, computation.name());
    for (const Instruction* inst : computation.instructions()) {
      out.Message(field::kInstructions, InstructionMessage(*inst));
    }
    out.Message(field::kProgramShape,
                ProgramShapeMessage(ProgramShapeOf(computation), computation.parameters()));
    out.Int(field::kComputationId, ids_.at(&computation));
    out.Int(field::kRootId, IdOf(*computation.root()));
    out.Bool(field::kIsFusionComputation, fused_.contains(&computation));
    out.Text(field::kExecutionThread, computation.execution_thread());
    return out;
  }

  WireWriter InstructionMessage(const Instruction& inst) {
    const OpDef& def = GetOpDef(inst);
    WireWriter out;
    out.Text(field::kName, inst.name());
    out.Text(field::kOpcode, def.text);
    out.Message(field::kShape, ShapeMessage(inst.shape()));
    out.Message(field::kMetadata, MetadataMessage(inst.metadata()));
    // A constant without a literal is one whose elements are not known.
    if (!IsElided(inst)) WriteAttributes(def, inst.attr_block(), inst.shape(), out);
    for (const AttrSpec& spec : def.attrs.specs) {
      if (spec.kind != &kAttrKind<DomainSharding>) continue;
      const void* const value = spec.Field(inst.attr_block().values.get());
      WriteDomainSharding(*static_cast<const DomainSharding*>(value), out);
    }
    out.Int(field::kId, IdOf(inst));
    Dims operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) operands.push_back(IdOf(*inst.operand(i)));
    out.Ints(field::kOperandIds, operands);
    out.Ints(field::kCalledComputationIds, CalleeIds(inst));
    WriteExtras(inst, out);
    out.SortFields();
    return out;
  }

  Dims CalleeIds(const Instruction& inst) const {
    const std::span<const CalleeSpec> specs = CalleeSpecsOf(inst);
    Dims ids(inst.callees().size());
    for (size_t i = 0; i < ids.size(); ++i) {
      const bool is_placed = !specs.empty() && !specs[0].variadic && i < specs.size() &&
                             static_cast<size_t>(specs[i].proto_index) < ids.size();
      ids[is_placed ? specs[i].proto_index : i] = ids_.at(inst.callees()[i]);
    }
    return ids;
  }

  // Some messages are always there, as XLA writes them.
  void WriteExtras(const Instruction& inst, WireWriter& out) const {
    static const InstructionExtras kNone;
    const InstructionExtras& extras = inst.extras() != nullptr ? *inst.extras() : kNone;
    Dims predecessors;
    for (const Instruction* predecessor : extras.control_predecessors) {
      predecessors.push_back(IdOf(*predecessor));
    }
    out.Ints(field::kControlPredecessorIds, predecessors);
    if (!extras.sharding.empty()) out.Message(field::kSharding, ShardingMessage(extras.sharding));
    if (extras.has_backend_config) out.Bytes(field::kBackendConfig, extras.backend_config);
    if (!extras.parameter_replication.empty()) {
      out.Message(field::kParameterReplication,
                  ParameterReplicationMessage(extras.parameter_replication));
    }
    out.Message(field::kFrontendAttributes, FrontendAttributesMessage(extras.frontend_attributes));
    out.Message(field::kStatisticsViz, StatisticsMessage(extras.statistics));
    if (!extras.origin.empty()) out.Message(field::kOriginalValue, OriginMessage(extras.origin));
    if (!extras.result_accuracy.empty()) {
      out.Message(field::kResultAccuracy, ResultAccuracyMessage(extras.result_accuracy));
    }
  }

  // Instructions are in the order in which they are scheduled.
  WireWriter ScheduleMessage() const {
    WireWriter out;
    for (const HloComputation* computation : computations_) {
      if (fused_.contains(computation)) continue;
      Dims ids;
      for (const Instruction* inst : computation->instructions()) ids.push_back(IdOf(*inst));
      WireWriter sequence, entry;
      sequence.Ints(1, ids);
      entry.Int(1, ids_.at(computation));
      entry.Message(2, sequence);
      out.Message(1, entry);
    }
    return out;
  }

  const Module& module_;
  std::vector<const HloComputation*> computations_;
  tsl::robin_map<const HloComputation*, i64> ids_;
  tsl::robin_set<const HloComputation*> fused_;
};

}  // namespace

std::string WriteModuleProto(const Module& module) {
  const ScopedFloatEnvironment environment;
  return ModuleWriter(module).Write();
}

std::string WriteHloProto(const Module& module) {
  WireWriter out;
  out.Bytes(field::kHloModule, WriteModuleProto(module));
  return out.Take();
}

std::string WriteHloSnapshot(const Module& module, std::span<const Literal> arguments,
                             const Literal* result) {
  WireWriter out;
  out.Bytes(field::kHlo, WriteHloProto(module));
  for (const Literal& argument : arguments) {
    out.Message(field::kArguments, LiteralMessage(argument));
  }
  if (result != nullptr) out.Message(field::kSnapshotResult, LiteralMessage(*result));
  return out.Take();
}

}  // namespace axle
