#include "axle/proto/read.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <set>

#include "axle/core/float_environment.h"
#include "axle/core/literal_wire.h"
#include "axle/core/strings.h"
#include "axle/ops/async.h"
#include "axle/ops/attributes/module_config.h"
#include "axle/ops/implied.h"
#include "axle/ops/op_def.h"
#include "axle/proto/common_fields.h"
#include "axle/proto/fields.h"
#include "axle/proto/instruction_fields.h"
#include "axle/proto/module_fields.h"
#include "axle/text/instruction_checks.h"
#include "axle/text/module_header.h"
#include "axle/text/shape_budget.h"

namespace axle {
namespace {

// Instructions are found within their computation by the lower half of their id: writers that
// number them throughout a module are then understood as well as those that put the id of the
// computation into the upper half.
std::uint32_t LocalId(i64 id) {
  return static_cast<std::uint32_t>(id);
}

// A computation while its instructions are read.
struct Scope {
  HloComputation* computation = nullptr;
  tsl::robin_map<std::uint32_t, Instruction*> instructions = {};
  tsl::robin_set<std::string_view> names = {};
};

// What a computation says beside its instructions.
struct ComputationFields {
  std::string_view name;
  i64 id = 0;
  std::optional<i64> root_id;
  std::string_view execution_thread;
  std::vector<WireReader> instructions;  // each at its field
};

class ModuleReader {
 public:
  ModuleReader(const ReadProtoOptions& options, size_t num_bytes)
      : limits_(options.limits),
        strict_types_(options.strict_types),
        shape_budget_(static_cast<i64>(num_bytes)) {}

  StatusOr<std::unique_ptr<Module>> Read(const WireReader& message) {
    module_ = std::make_unique<Module>("");
    WireReader fields = message;
    AXLE_TRY(ReadFields(fields, [&](const WireReader& field) { return ReadModuleField(field); }));
    WireReader computations = message;
    AXLE_TRY(ReadFields(computations, [&](const WireReader& field) {
      return field.field() == field::kComputations ? ReadComputation(field) : Status();
    }));
    AXLE_TRY(FindEntry(fields));
    if (module_->name().empty()) module_->set_name(StrCat("module_", module_->entry()->name()));
    AXLE_TRY(FinishAsync());
    Status status = CheckModuleConfig(*module_);
    if (status.ok()) status = CheckAsyncCallees(*module_);
    if (!status.ok()) return fields.Error(status.message());
    return std::move(module_);
  }

 private:
  // --- The module -----------------------------------------------------------------------------

  Status ReadModuleField(const WireReader& in) {
    switch (in.field()) {
      case field::kModuleName: {
        AXLE_ASSIGN(const std::string_view name, in.Bytes());
        module_->set_name(NameOf(name));
        return {};
      }
      case field::kEntryComputationName: {
        AXLE_ASSIGN(entry_name_, in.Bytes());
        return {};
      }
      case field::kEntryComputationId: {
        AXLE_ASSIGN(entry_id_, in.Int());
        return {};
      }
      case field::kSchedule:
        return ReadMessage(in, [&](const WireReader& field) {
          return field.field() == 1 ? ReadSequence(field) : Status();
        });
      case field::kPayloads: {
        AXLE_ASSIGN(payloads_.emplace_back(), in.Bytes());
        return {};
      }
      default:
        return ReadModuleConfigField(in, module_->config());
    }
  }

  // Nothing refers to a module by its name, so what text cannot spell is replaced.
  static std::string NameOf(std::string_view name) {
    std::string text(name);
    for (char& c : text) {
      if (!IsAlnum(c) && c != '_' && c != '.' && c != '-') c = '_';
    }
    return text.empty() || IsName(text) ? text : "_" + text + "_";
  }

  Status ReadSequence(const WireReader& in) {
    i64 computation = 0;
    Dims ids;
    AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
      if (field.field() == 1) {
        AXLE_ASSIGN(computation, field.Int());
        return {};
      }
      if (field.field() != 2) return {};
      return ReadMessage(field, [&](const WireReader& part) {
        return part.field() == 1 ? part.Ints(ids) : Status();
      });
    }));
    if (!schedule_.emplace(computation, std::move(ids)).second) {
      return in.Error(StrCat("second schedule of computation ", computation));
    }
    module_->config().is_scheduled = true;
    return {};
  }

  Status FindEntry(const WireReader& in) {
    if (module_->computations().empty()) return in.Error("the module has no computation");
    if (const auto it = computations_.find(entry_id_); it != computations_.end()) {
      module_->set_entry(it->second);
      return {};
    }
    for (const auto& computation : module_->computations()) {
      if (computation->name() == entry_name_) module_->set_entry(computation.get());
    }
    if (module_->entry() != nullptr) return {};
    return in.Error(StrCat("there is no computation ", entry_id_, ", which is to be the entry"));
  }

  // --- Computations ---------------------------------------------------------------------------

  static Status ReadComputationField(const WireReader& in, ComputationFields& fields) {
    switch (in.field()) {
      case field::kComputationName: {
        AXLE_ASSIGN(fields.name, in.Bytes());
        return {};
      }
      case field::kInstructions:
        fields.instructions.push_back(in);
        return {};
      case field::kComputationId: {
        AXLE_ASSIGN(fields.id, in.Int());
        return {};
      }
      case field::kRootId: {
        AXLE_ASSIGN(fields.root_id, in.Int());
        return {};
      }
      case field::kExecutionThread: {
        AXLE_ASSIGN(fields.execution_thread, in.Bytes());
        return {};
      }
      default:
        return {};
    }
  }

  Status ReadComputation(const WireReader& in) {
    AXLE_ASSIGN(WireReader message, in.Message());
    ComputationFields fields;
    AXLE_TRY(ReadFields(
        message, [&](const WireReader& field) { return ReadComputationField(field, fields); }));
    const std::string name =
        fields.name.empty() ? StrCat("computation.", fields.id) : std::string(fields.name);
    AXLE_TRY(CheckName(in, name));
    if (computations_.contains(fields.id)) {
      return in.Error(StrCat("second computation with id ", fields.id));
    }
    Scope scope{.computation = module_->AddComputation(name)};
    HloComputation& computation = *scope.computation;
    if (!computation_names_.insert(computation.name()).second) {
      return in.Error(StrCat("second computation \"", name, "\""));
    }
    AXLE_TRY(PutIntoScheduledOrder(in, fields));
    for (const WireReader& instruction : fields.instructions) {
      if (limits_ != nullptr) AXLE_TRY(limits_->Check());
      AXLE_TRY(ReadInstruction(instruction, scope));
    }
    if (computation.root() == nullptr) {
      return in.Error(StrCat("\"", name, "\" has no instructions"));
    }
    if (fields.root_id) {
      AXLE_ASSIGN(Instruction* const root, Find(in, scope, *fields.root_id, "the root"));
      computation.set_root(root);
    }
    if (fields.execution_thread != "main") {
      computation.set_execution_thread(std::string(fields.execution_thread));
    }
    Status status = BindParameters(computation);
    if (status.ok()) status = CheckUses(computation);
    if (!status.ok()) return Located(in, status);
    computations_.emplace(fields.id, &computation);
    return {};
  }

  static Status CheckName(const WireReader& in, std::string_view name) {
    if (IsName(name)) return {};
    return in.Error(StrCat("\"", PrintableText(name.substr(0, 80)), "\" is not a name"));
  }

  // The IR has instructions in the order in which they are scheduled.
  Status PutIntoScheduledOrder(const WireReader& in, ComputationFields& fields) {
    const auto sequence = schedule_.find(fields.id);
    if (sequence == schedule_.end()) return {};
    tsl::robin_map<std::uint32_t, size_t> positions;
    for (size_t i = 0; i < fields.instructions.size(); ++i) {
      i64 id = 0;
      AXLE_TRY(ReadMessage(fields.instructions[i], [&](const WireReader& field) -> Status {
        if (field.field() != field::kId) return {};
        AXLE_ASSIGN(id, field.Int());
        return {};
      }));
      positions.emplace(LocalId(id), i);
    }
    std::vector<WireReader> ordered;
    for (i64 id : sequence->second) {
      const auto position = positions.find(LocalId(id));
      if (position == positions.end()) {
        return in.Error(StrCat("instruction ", id, " of the schedule is not there, or twice"));
      }
      ordered.push_back(fields.instructions[position->second]);
      positions.erase(position);
    }
    if (ordered.size() != fields.instructions.size()) {
      return in.Error(StrCat("the schedule has ", ordered.size(), " of ",
                             fields.instructions.size(), " instructions"));
    }
    fields.instructions = std::move(ordered);
    return {};
  }

  // An error of the op table or the like, with the place that it is about.
  static Status Located(const WireReader& in, const Status& status) {
    return {status.code(), in.Error(status.message()).message()};
  }

  // --- Instructions ---------------------------------------------------------------------------

  static StatusOr<Instruction*> Find(const WireReader& in, const Scope& scope, i64 id,
                                     std::string_view what) {
    const auto it = scope.instructions.find(LocalId(id));
    if (it != scope.instructions.end()) return it->second;
    return in.Error(StrCat("there is no instruction ", id, " before this place, which is ", what));
  }

  StatusOr<std::vector<HloComputation*>> Callees(const WireReader& in,
                                                 const InstructionFields& fields) const {
    std::vector<HloComputation*> in_proto;
    for (i64 id : fields.callee_ids) {
      const auto it = computations_.find(id);
      if (it == computations_.end()) {
        return in.Error(StrCat("there is no computation ", id,
                               " before this one; callees come first, and none calls itself"));
      }
      in_proto.push_back(it->second);
    }
    // From their order in the proto to that of the row.
    const std::span<const CalleeSpec> specs = fields.def->callees;
    if (specs.size() != in_proto.size() || specs.empty() || specs[0].variadic) return in_proto;
    std::vector<HloComputation*> callees(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) callees[i] = in_proto[specs[i].proto_index];
    return callees;
  }

  Status ReadInstruction(const WireReader& in, Scope& scope) {
    InstructionFields fields;
    AXLE_TRY(ReadInstructionFields(in, payloads_, fields));
    const OpDef& def = *fields.def;
    std::string generated;
    if (fields.name.empty()) {
      generated = StrCat(def.text, ".", LocalId(fields.id));
      fields.name = generated;
    }
    AXLE_TRY(CheckName(in, fields.name));
    if (const Status status = CheckInstructionName(fields.name); !status.ok()) {
      return in.Error(status.message());
    }
    if (scope.names.contains(fields.name)) {
      return in.Error(StrCat("second instruction \"", fields.name, "\""));
    }
    if (scope.instructions.contains(LocalId(fields.id))) {
      return in.Error(StrCat("second instruction with id ", fields.id));
    }
    std::vector<Instruction*> operands;
    for (i64 id : fields.operand_ids) {
      AXLE_ASSIGN(operands.emplace_back(), Find(in, scope, id, "an operand"));
    }
    AXLE_TRY(FillElided(in, fields));
    AXLE_ASSIGN(std::vector<HloComputation*> callees, Callees(in, fields));
    if (GoesOnAsync(def) && callees.empty() && !operands.empty()) {
      callees = {CalleeOfChain(*operands[0])};
    }
    if (def.canonicalize != nullptr && operands.size() >= def.operands.size()) {
      def.canonicalize(operands, fields.attrs.get());
    }
    if (!shape_budget_.ChargeOperands(def, operands)) return TooLarge(in);
    const NewInstruction init = {.opcode = def.opcode,
                                 .name = fields.name,
                                 .shape = fields.shape,
                                 .operands = operands,
                                 .callees = callees,
                                 .attrs = {def.attrs, fields.attrs},
                                 .metadata = fields.metadata.value};
    if (const auto type = MixedFloatType(def, operands); type && !strict_types_) {
      return AddMixedInstruction(in, scope, fields, init, *type);
    }
    Instruction* inst = scope.computation->Add(init);
    if (!callees.empty() && open_.contains(callees[0])) {
      async_.emplace_back(inst, in);  // as the program states it, until FinishAsync
    } else {
      AXLE_TRY(CheckShape(in, *inst, fields.shape));
    }
    if (!shape_budget_.ChargeResult(*inst)) return TooLarge(in);
    AXLE_TRY(FinishExtras(in, scope, fields, *inst));
    scope.instructions.emplace(LocalId(fields.id), inst);
    scope.names.insert(inst->name());
    return {};
  }

  // One whose operands are floats of several types.
  Status AddMixedInstruction(const WireReader& in, Scope& scope, InstructionFields& fields,
                             const NewInstruction& init, ElementType type) {
    const size_t first = scope.computation->instructions().size();
    std::set<std::string> given;
    const auto unused_name = [&](const std::string& base) {
      std::string name = base;
      for (i64 i = 1; scope.names.contains(name) || !given.insert(name).second; ++i) {
        name = StrCat(base, ".", i);
      }
      return name;
    };
    const StatusOr<MixedInstruction> mixed =
        AddMixed(*scope.computation, init, /*has_shape=*/true, type, unused_name);
    if (!mixed.ok()) return Located(in, mixed.status());
    const auto added = scope.computation->instructions();
    for (size_t i = first; i < added.size(); ++i) {
      if (!shape_budget_.ChargeResult(*added[i])) return TooLarge(in);
      scope.names.insert(added[i]->name());
    }
    AXLE_TRY(FinishExtras(in, scope, fields, *mixed->computed));
    scope.instructions.emplace(LocalId(fields.id), mixed->result);
    return {};
  }

  static Status CheckShape(const WireReader& in, Instruction& inst, const Shape& stated) {
    const StatusOr<Shape> shape = InferShape(inst);
    if (!shape.ok()) return Located(in, shape.status());
    if (EqualIgnoringLayout(*shape, stated)) return {};
    if (GetOpDef(inst).has(kIgnoresStatedShape)) {
      inst.parent()->SetShape(&inst, *shape);
      return {};
    }
    return in.Error(StrCat("\"", GetOpDef(inst).text, "\" has shape ", shape->ToString(), ", not ",
                           stated.ToString()));
  }

  // XLA writes the computation of a chain with the async-start only. Where that is not to be seen,
  // a new one stands for it until FinishAsync.
  HloComputation* CalleeOfChain(const Instruction& state) {
    if (const HloComputation* found = chains_.Find(state)) {
      return const_cast<HloComputation*>(found);
    }
    HloComputation* const open = module_->AddComputation("async_wrapped");
    open_.insert(open);
    return open;
  }

  Status FinishAsync() {
    if (async_.empty()) return {};
    AsyncSources search(*module_, open_);
    for (const auto& [inst, field] : async_) {
      HloComputation* const callee = inst->callee(0);
      const auto source = search.Find(*inst);
      if (!source.ok()) return Located(field, source.status());
      if (callee->root() != nullptr) continue;
      std::string name(callee->name());
      for (i64 i = 1; computation_names_.contains(name); ++i) name = StrCat("async_wrapped.", i);
      callee->set_name(std::move(name));
      computation_names_.insert(callee->name());
      CopyInstructions(**source, *callee);
    }
    for (const auto& [inst, field] : async_) AXLE_TRY(CheckShape(field, *inst, inst->shape()));
    return {};
  }

  // A constant that has no literal, as in a dump that leaves large ones out.
  Status FillElided(const WireReader& in, InstructionFields& fields) {
    if (fields.missing_literal == nullptr) return {};
    // Nobody leaves out a single number: text has no form for that either.
    bool has_values = !fields.shape.is_array() || fields.shape.rank() > 0;
    ForEachLeaf(fields.shape, [&](const Shape& leaf, const Dims&) {
      has_values = has_values && (leaf.is_array() || leaf.is_token());
    });
    if (!has_values) return in.Error("the literal is missing");
    if (Status status = ::axle::CheckShape(fields.shape); !status.ok()) return Located(in, status);
    StatusOr<Literal> elided = ElidedLiteral(fields.shape, elided_budget_);
    if (!elided.ok()) return Located(in, elided.status());
    *fields.missing_literal = *std::move(elided);
    if (fields.shape.num_bytes() == 0) return {};
    fields.has_extras = fields.extras.is_elided = true;
    fields.extras.elided_place = in.Error(ElidedText(fields.name)).message();
    return {};
  }

  static Status TooLarge(const WireReader& in) {
    return ResourceExhausted(in.Error("the tuple shapes of this module are too large").message());
  }

  // What depends on the shape and on other instructions.
  Status FinishExtras(const WireReader& in, const Scope& scope, InstructionFields& fields,
                      Instruction& inst) {
    InstructionExtras& extras = fields.extras;
    tsl::robin_set<const Instruction*> seen;
    for (i64 id : fields.predecessor_ids) {
      AXLE_ASSIGN(Instruction* const predecessor, Find(in, scope, id, "a control predecessor"));
      if (seen.insert(predecessor).second) extras.control_predecessors.push_back(predecessor);
    }
    i64 num_leaves = 0;
    if (fields.sharding || !extras.parameter_replication.empty()) {
      ForEachLeaf(inst.shape(), [&](const Shape&, const Dims&) { ++num_leaves; });
    }
    if (fields.sharding) {
      extra_bytes_ += fields.sharding->is_tuple
                          ? 0
                          : num_leaves * static_cast<i64>(fields.sharding->text.size());
      if (extra_bytes_ > Scanner::kMaxElidedBytes) return TooLarge(in);
      extras.sharding = inst.shape().is_tuple() ? ShardingForLeaves(*fields.sharding, num_leaves)
                                                : std::move(fields.sharding->text);
    }
    if (!extras.parameter_replication.empty()) {
      const Status status =
          CheckParameterReplication(inst, extras.parameter_replication, num_leaves);
      if (!status.ok()) return in.Error(status.message());
    }
    if (fields.has_extras || !extras.control_predecessors.empty()) {
      scope.computation->MutableExtras(&inst) = std::move(extras);
    }
    return {};
  }

  Limits* limits_;
  bool strict_types_;
  std::unique_ptr<Module> module_;
  std::string_view entry_name_;
  i64 entry_id_ = 0;
  std::vector<std::string_view> payloads_;
  tsl::robin_map<i64, Dims> schedule_;                 // by computation id
  tsl::robin_map<i64, HloComputation*> computations_;  // by id, when they are complete
  tsl::robin_set<std::string_view> computation_names_;
  AsyncChains chains_;
  std::unordered_set<const HloComputation*> open_;  // see CalleeOfChain
  std::vector<std::pair<Instruction*, WireReader>> async_;
  ShapeBudget shape_budget_;
  i64 extra_bytes_ = 0;
  i64 elided_budget_ = Scanner::kMaxElidedBytes;
};

// --- Containers
// -------------------------------------------------------------------------------------

// The fields of HloProto.
Status ReadHloFields(WireReader& message, const ReadProtoOptions& options, size_t num_bytes,
                     HloSnapshot& snapshot) {
  AXLE_TRY(ReadFields(message, [&](const WireReader& field) -> Status {
    if (field.field() != field::kHloModule) return {};
    AXLE_ASSIGN(const WireReader module, field.Message());
    AXLE_ASSIGN(snapshot.module, ModuleReader(options, num_bytes).Read(module));
    return {};
  }));
  return snapshot.module != nullptr ? Status() : message.Error("there is no module");
}

// Arguments may be there or not, but then they are the entry's.
Status CheckArguments(const WireReader& in, const HloSnapshot& snapshot) {
  const auto parameters = snapshot.module->entry()->parameters();
  if (snapshot.arguments.empty()) return {};
  if (snapshot.arguments.size() != parameters.size()) {
    return in.Error(StrCat("the snapshot has ", snapshot.arguments.size(),
                           " arguments but the entry has ", parameters.size(), " parameters"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& shape = snapshot.arguments[i].shape();
    if (Compatible(shape, parameters[i]->shape())) continue;
    return in.Error(StrCat("argument ", i, " of the snapshot has shape ", shape.ToString(),
                           " but the parameter ", parameters[i]->shape().ToString()));
  }
  return {};
}

// --- Detection
// ----------------------------------------------------------------------------------------

// True if a field of this number satisfies `predicate`. Damaged bytes end the search.
template <typename Predicate>
bool HasField(std::string_view bytes, int number, Predicate predicate) {
  WireReader reader(bytes, "");
  while (reader.Next()) {
    if (reader.field() != number) continue;
    const StatusOr<std::string_view> content = reader.Bytes();
    if (content.ok() && predicate(*content)) return true;
  }
  return false;
}

bool IsOpcode(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || IsDigit(c) || c == '-';
  });
}
bool IsInstruction(std::string_view bytes) {
  return HasField(bytes, field::kOpcode, IsOpcode);
}
bool IsComputation(std::string_view bytes) {
  return HasField(bytes, field::kInstructions, IsInstruction);
}
bool IsModule(std::string_view bytes) {
  return HasField(bytes, field::kComputations, IsComputation);
}
bool IsHlo(std::string_view bytes) {
  return HasField(bytes, field::kHloModule, IsModule);
}

}  // namespace

StatusOr<std::unique_ptr<Module>> ReadModuleProto(std::string_view bytes,
                                                  const ReadProtoOptions& options) {
  const ScopedFloatEnvironment environment;
  return ModuleReader(options, bytes.size()).Read(WireReader(bytes, options.label));
}

StatusOr<HloSnapshot> ReadHloProto(std::string_view bytes, const ReadProtoOptions& options) {
  const ScopedFloatEnvironment environment;
  HloSnapshot snapshot;
  WireReader message(bytes, options.label);
  AXLE_TRY(ReadHloFields(message, options, bytes.size(), snapshot));
  return snapshot;
}

StatusOr<HloSnapshot> ReadHloSnapshot(std::string_view bytes, const ReadProtoOptions& options) {
  const ScopedFloatEnvironment environment;
  HloSnapshot snapshot;
  WireReader message(bytes, options.label);
  AXLE_TRY(ReadFields(message, [&](const WireReader& field) -> Status {
    if (field.field() == field::kHlo) {
      AXLE_ASSIGN(WireReader hlo, field.Message());
      return ReadHloFields(hlo, options, bytes.size(), snapshot);
    }
    if (field.field() == field::kArguments) {
      AXLE_ASSIGN(snapshot.arguments.emplace_back(), ReadLiteral(field));
    } else if (field.field() == field::kSnapshotResult) {
      AXLE_ASSIGN(snapshot.result, ReadLiteral(field));
    }
    return {};
  }));
  if (snapshot.module == nullptr) return message.Error("there is no module");
  AXLE_TRY(CheckArguments(message, snapshot));
  return snapshot;
}

std::optional<ProtoKind> DetectProto(std::string_view bytes) {
  if (HasField(bytes, field::kHlo, IsHlo)) return ProtoKind::kSnapshot;
  if (IsHlo(bytes)) return ProtoKind::kHlo;
  if (IsModule(bytes)) return ProtoKind::kModule;
  return {};
}

}  // namespace axle
