#include "axle/builder/xla_builder.h"

#include <map>

#include "axle/builder/builder_state.h"
#include "axle/builder/emit.h"
#include "axle/core/strings.h"
#include "axle/ops/async.h"
#include "axle/ops/attributes/module_config.h"
#include "axle/ops/open_sizes.h"

namespace axle {
namespace {

// Returns a name that is legal in HLO text and not in `taken`, and adds it to `taken`.
std::string UniqueName(std::string_view wish, std::unordered_set<std::string>& taken) {
  std::string name(wish);
  for (char& c : name) {
    const bool is_legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (!is_legal) c = '_';
  }
  const auto starts_well = [&] {
    const char c = name.empty() ? '\0' : name[0];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!starts_well()) name = "_" + name;
  const bool is_type = ElementTypeFromName(name) != PRIMITIVE_TYPE_INVALID || name == "token" ||
                       name == "opaque" || name == "opaque_type";
  if (is_type) name += '_';
  std::string unique = name;
  for (i64 number = 1; !taken.insert(unique).second; ++number) unique = StrCat(name, ".", number);
  return unique;
}

}  // namespace

XlaOp::XlaOp(XlaBuilder* builder, Instruction* inst) {
  if (builder == nullptr) return;
  inst_ = inst;
  life_ = builder->life();
  build_ = life_->num_builds;
}

ComputationList::ComputationList(std::initializer_list<const XlaComputation*> list)
    : pointers_(list) {}

ComputationList::ComputationList(std::initializer_list<XlaComputation> list) {
  for (const XlaComputation& computation : list) pointers_.push_back(&computation);
}

const std::string& XlaComputation::name() const {
  static const std::string kNone;
  return valid() ? module_->name() : kNone;
}

namespace {

ProgramShape ProgramShapeOf(const HloComputation& computation, const Shape& result) {
  // Parameters of an unfinished computation are in the order in which they were added.
  std::map<i64, const Shape*> parameters;
  for (const Instruction* inst : computation.instructions()) {
    if (axle::IsParameter(*inst)) {
      parameters[inst->attrs<ParameterAttrs>().number] = &inst->shape();
    }
  }
  ProgramShape program;
  for (const auto& [number, shape] : parameters) program.parameters.push_back(*shape);
  program.result = result;
  return program;
}

}  // namespace

StatusOr<ProgramShape> XlaComputation::GetProgramShape() const {
  if (!valid()) return InvalidArgument("the computation is empty");
  return ProgramShapeOf(*module_->entry(), module_->entry()->root()->shape());
}

XlaBuilder::XlaBuilder(std::string_view name)
    : name_(name),
      life_(std::make_shared<BuilderLife>(BuilderLife{.builder = this})),
      state_(std::make_unique<State>()) {
  Reset();
}

XlaBuilder::~XlaBuilder() {
  life_->builder = nullptr;
  set_limits(nullptr);
}

void XlaBuilder::set_limits(Limits* limits) {
  if (state_->limits != nullptr) state_->limits->Release(state_->reserved);
  state_->reserved = 0;
  state_->limits = limits;
}

Status XlaBuilder::AskLimits(i64 bytes) {
  const auto ask = [&]() -> Status {
    AXLE_TRY(state_->limits->CheckNow());
    return state_->limits->Reserve(bytes);
  };
  Status status = ask();
  if (status.ok()) return status;
  // The limits are asked again with the activity set, so that their message states what was being
  // built.
  state_->limits->set_activity(StrCat("the building of \"", name(), "\""));
  status = ask();
  state_->limits->set_activity({});
  return status;
}

Status XlaBuilder::Reserve(i64 bytes) {
  AXLE_TRY(AskLimits(bytes));
  state_->reserved += bytes;
  return {};
}

namespace {

i64 CountNodes(const Shape& shape) {
  i64 count = 1;
  for (const Shape& element : shape.elements()) count += CountNodes(element);
  return count;
}

// Estimates the memory of an instruction with its name and operands.
constexpr i64 kInstructionBytes = 512;

}  // namespace

i64 XlaBuilder::NumNodes(const Shape& interned) {
  if (!interned.is_tuple()) return 1;
  const auto [nodes, is_new] = state_->num_nodes.try_emplace(&interned, 0);
  if (is_new) nodes->second = CountNodes(interned);
  return nodes->second;
}

Status XlaBuilder::ChargeOperands(const OpDef& def, std::span<Instruction* const> operands) {
  if (state_->limits == nullptr) return {};
  // A shape is assembled and interned: for a moment there are two copies, of which one may remain.
  i64 nodes = 1;
  if (!def.callees.empty() || std::ranges::any_of(def.operands, &OperandSpec::variadic)) {
    for (const Instruction* operand : operands) nodes += NumNodes(operand->shape());
  }
  const i64 bytes = 2 * nodes * static_cast<i64>(sizeof(Shape));
  AXLE_TRY(AskLimits(bytes));
  state_->limits->Release(bytes);
  return Reserve(kInstructionBytes);
}

Status XlaBuilder::ChargeResult(const Instruction& inst) {
  if (state_->limits == nullptr || state_->num_nodes.contains(&inst.shape())) return {};
  return Reserve(NumNodes(inst.shape()) * static_cast<i64>(sizeof(Shape)));
}

void XlaBuilder::Reset() {
  state_->num_nodes.clear();
  if (state_->limits != nullptr) state_->limits->Release(state_->reserved);
  state_->reserved = 0;
  state_->copies.clear();
  state_->originals.clear();
  state_->names.clear();
  state_->computation_names.clear();
  state_->parameter_numbers.clear();
  state_->last_infeed = state_->last_outfeed = {};
  state_->module = std::make_unique<Module>("");
  state_->computation =
      state_->module->AddComputation(UniqueName(name_, state_->computation_names));
  state_->module->set_name(std::string(state_->computation->name()));  // HLO text has it too
  state_->module->set_entry(state_->computation);
}

XlaOp XlaBuilder::ReportError(const Status& error, Location location) {
  if (error_.ok()) {
    std::string message = error.message();
    if (message.find(At(location)) == message.npos) message += At(location);
    error_ = Status(error.code(), std::move(message));
  }
  return {this, nullptr};
}

XlaOp XlaBuilder::ReportErrorOrReturn(const StatusOr<XlaOp>& op, Location location) {
  return op.ok() ? *op : ReportError(op.status(), location);
}

XlaOp XlaBuilder::ReportErrorOrReturn(const std::function<StatusOr<XlaOp>()>& build,
                                      Location location) {
  return ReportErrorOrReturn(build(), location);
}

std::unique_ptr<XlaBuilder> XlaBuilder::CreateSubBuilder(std::string_view name) const {
  auto builder = std::make_unique<XlaBuilder>(name);
  builder->state_->parent = life_;
  return builder;
}

XlaComputation XlaBuilder::BuildAndNoteError(Location location) {
  StatusOr<XlaComputation> built = Build(location);
  if (built.ok()) return *std::move(built);
  if (state_->parent != nullptr && state_->parent->builder != nullptr) {
    state_->parent->builder->ReportError(built.status(), location);
  }
  return {};
}

std::string XlaBuilder::WhoseHandle(XlaOp op) const {
  if (op.is_of_destroyed_builder()) return "of a builder that is gone";
  if (op.builder_or_null() == nullptr) return "an empty handle";
  if (op.builder_or_null() != this) {
    return StrCat("of builder \"", op.builder()->name(), "\", not of \"", name_, "\"");
  }
  if (op.is_of_earlier_build()) return StrCat("of an earlier Build of \"", name_, "\"");
  return op.valid() ? "" : "an invalid handle";
}

Status XlaBuilder::CheckHandle(XlaOp op) const {
  AXLE_TRY(error_);
  const std::string whose = WhoseHandle(op);
  return whose.empty() ? Status() : InvalidArgument(StrCat("the handle is ", whose));
}

StatusOr<Shape> XlaBuilder::GetShape(XlaOp op) const {
  AXLE_TRY(CheckHandle(op));
  return op.instruction()->shape();
}

StatusOr<const Shape*> XlaBuilder::GetShapePtr(XlaOp op) const {
  AXLE_TRY(CheckHandle(op));
  return &op.instruction()->shape();
}

StatusOr<std::vector<Shape>> XlaBuilder::GetOperandShapes(ArraySlice<XlaOp> operands) const {
  std::vector<Shape> shapes;
  for (const XlaOp& operand : operands) {
    AXLE_ASSIGN(Shape shape, GetShape(operand));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

StatusOr<ProgramShape> XlaBuilder::GetProgramShape() const {
  AXLE_TRY(error_);
  if (state_->computation->root() == nullptr) {
    return InvalidArgument(StrCat("computation \"", name_, "\" has no op"));
  }
  return ProgramShapeOf(*state_->computation, state_->computation->root()->shape());
}

StatusOr<ProgramShape> XlaBuilder::GetProgramShape(XlaOp root) const {
  AXLE_TRY(CheckHandle(root));
  return ProgramShapeOf(*state_->computation, root.instruction()->shape());
}

bool XlaBuilder::AreOwn(std::string_view function, ArraySlice<XlaOp> operands,
                        const Location& location) {
  for (size_t i = 0; error_.ok() && i < operands.size(); ++i) {
    if (operands[i].builder_or_null() == this) continue;  // the op reports other faults
    ReportError(
        InvalidArgument(StrCat(function, ": operand ", i, " is ", WhoseHandle(operands[i]))),
        location);
  }
  return error_.ok();
}

XlaOp XlaBuilder::OrNoOperand(std::string_view function, XlaOp result, const Location& location) {
  if (result.builder_or_null() != nullptr) return result;
  return ReportError(InvalidArgument(StrCat(function, ": there is no operand")), location);
}

HloComputation* XlaBuilder::CopyOf(const HloComputation& original) {
  const size_t before = state_->module->computations().size();
  HloComputation* copy = state_->module->CloneComputation(original, state_->copies);
  for (const auto& computation : state_->module->computations().subspan(before)) {
    computation->set_name(UniqueName(computation->name(), state_->computation_names));
  }
  return copy;
}

StatusOr<std::vector<Instruction*>> XlaBuilder::OperandsOf(const NewOp& op) const {
  std::vector<Instruction*> operands;
  operands.reserve(op.operands.size());
  for (const XlaOp& operand : op.operands) {
    if (const std::string whose = WhoseHandle(operand); !whose.empty()) {
      return InvalidArgument(
          StrCat(GetOpDef(op.opcode).text, ": operand ", operands.size(), " is ", whose));
    }
    operands.push_back(operand.instruction());
  }
  return operands;
}

StatusOr<std::vector<HloComputation*>> XlaBuilder::CopiesOf(const NewOp& op) {
  std::vector<HloComputation*> callees;
  for (const XlaComputation* called : op.called) {
    if (called == nullptr || !called->valid()) {
      return InvalidArgument(
          StrCat(GetOpDef(op.opcode).text, ": a called computation failed to build"));
    }
    state_->originals.push_back(called->shared_module());
    callees.push_back(CopyOf(*called->module().entry()));
  }
  return callees;
}

Status XlaBuilder::RegisterParameter(const Instruction& parameter) {
  const i64 number = parameter.attrs<ParameterAttrs>().number;
  if (state_->parameter_numbers.insert(number).second) return {};
  return InvalidArgument(StrCat("parameter: number ", number, " is already registered"));
}

StatusOr<Instruction*> XlaBuilder::TryAppend(NewOp& op, const Location& location) {
  const OpDef& def = GetOpDef(op.opcode);
  AXLE_ASSIGN(const std::vector<Instruction*> operands, OperandsOf(op));
  AXLE_ASSIGN(std::vector<HloComputation*> callees, CopiesOf(op));
  if (GoesOnAsync(def) && callees.empty() && !operands.empty()) {
    // The computation is that of the start op, which the operand leads to.
    if (const HloComputation* begun = AsyncChains().Find(*operands[0]); begun != nullptr) {
      callees.push_back(const_cast<HloComputation*>(begun));
    }
  }
  AXLE_TRY(CheckShape(op.declared));
  AXLE_TRY(ChargeOperands(def, operands));
  const std::string name = UniqueName(
      op.name.empty() ? StrCat(def.text, ".", state_->computation->instructions().size()) : op.name,
      state_->names);
  if (op.attrs.values == nullptr) op.attrs = {def.attrs, def.attrs.create()};
  if (def.canonicalize != nullptr && operands.size() >= def.operands.size()) {
    // The block was made by a function of this folder and is not shared yet.
    def.canonicalize(operands, const_cast<void*>(op.attrs.values.get()));
  }
  Instruction* inst = state_->computation->Add({
      .opcode = op.opcode,
      .name = name,
      .shape = op.declared,
      .operands = operands,
      .callees = callees,
      .attrs = std::move(op.attrs),
      .metadata = MetadataOf(
          state_->one_shot_metadata ? *state_->one_shot_metadata : state_->metadata, location),
  });
  StatusOr<Shape> shape = InferShape(*inst);
  Status status = shape.status();
  if (status.ok() && HasOpenSize(*shape)) {
    status = OpError(*inst, StrCat("gives ", shape->ToString(), " but sizes must have a bound"));
  }
  if (status.ok() && !EqualIgnoringLayout(*shape, inst->shape())) {
    state_->computation->SetShape(inst, *shape);
  }
  if (status.ok() && def.check_run != nullptr) status = def.check_run(*inst);
  if (status.ok()) status = Annotate(inst);
  if (status.ok() && IsParameter(*inst)) status = RegisterParameter(*inst);
  if (!status.ok()) {
    state_->computation->RemoveLast();
    return status;
  }
  AXLE_TRY(ChargeResult(*inst));  // an error of the builder, so that the op is not used
  state_->one_shot_metadata.reset();
  return inst;
}

XlaOp XlaBuilder::Append(NewOp op, Location location) {
  if (!error_.ok()) return {this, nullptr};
  const StatusOr<Instruction*> inst = TryAppend(op, location);
  return inst.ok() ? XlaOp(this, *inst) : ReportError(inst.status(), location);
}

StatusOr<XlaComputation> XlaBuilder::Build(Location location) {
  AXLE_TRY(error_);
  if (state_->computation->root() == nullptr) {
    return InvalidArgument(StrCat("build: computation \"", name_, "\" has no op", At(location)));
  }
  return Build(XlaOp(this, state_->computation->root()), location);
}

Status XlaBuilder::CheckComplete(const Location& location) {
  if (const Status status = BindParameters(*state_->computation); !status.ok()) {
    return InvalidArgument(StrCat("build: ", status.message(), At(location)));
  }
  AXLE_TRY(CheckUses(*state_->computation));
  if (const Status status = CheckModuleConfig(*state_->module); !status.ok()) {
    return Status(status.code(), StrCat("build: ", status.message(), At(location)));
  }
  return {};
}

StatusOr<XlaComputation> XlaBuilder::Build(XlaOp root, Location location) {
  AXLE_TRY(error_);
  if (const std::string whose = WhoseHandle(root); !whose.empty()) {
    return InvalidArgument(StrCat("build: the root is ", whose, At(location)));
  }
  Instruction* const last = state_->computation->root();
  state_->computation->set_root(root.instruction());
  if (const Status status = CheckComplete(location); !status.ok()) {
    state_->computation->set_root(last);
    return status;
  }
  std::shared_ptr<const Module> module = std::move(state_->module);
  ++life_->num_builds;
  Reset();
  return XlaComputation(std::move(module));
}

XlaOp& XlaBuilder::last_infeed() {
  return state_->last_infeed;
}
XlaOp& XlaBuilder::last_outfeed() {
  return state_->last_outfeed;
}

void XlaBuilder::SetUpAlias(ArraySlice<i64> output_index, i64 parameter_number,
                            ArraySlice<i64> parameter_index, AliasKind kind) {
  state_->module->config().input_output_alias.push_back(
      {ToDims(output_index), parameter_number, ToDims(parameter_index), kind});
}

void XlaBuilder::AddBufferDonor(i64 parameter_number, ArraySlice<i64> parameter_index) {
  state_->module->config().buffer_donor.push_back({parameter_number, ToDims(parameter_index)});
}

void XlaBuilder::RemoveBufferDonor(i64 parameter_number, ArraySlice<i64> parameter_index) {
  const BufferDonor donor = {parameter_number, ToDims(parameter_index)};
  std::erase(state_->module->config().buffer_donor, donor);
}

}  // namespace axle
