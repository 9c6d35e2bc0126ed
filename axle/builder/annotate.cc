// Attaches annotations to ops: metadata, shardings and frontend attributes, as the builder was
// told.
#include "axle/builder/builder_state.h"
#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {

Metadata MetadataOf(const OpMetadata& given, const Location& location) {
  Metadata metadata;
  metadata.op_type = given.op_type();
  metadata.op_name = given.op_name();
  metadata.source_file = given.source_file();
  metadata.source_line = given.source_line();
  if (given.source_file().empty()) {
    metadata.source_file = location.file_name();
    metadata.source_line = static_cast<std::int32_t>(location.line());
  }
  return metadata;
}

namespace {

// Adds `attributes` to the existing ones; an existing name gets the new value.
void AddFrontendAttributes(InstructionExtras& extras, const FrontendAttributes& attributes) {
  auto& all = extras.frontend_attributes;  // in the order of names
  std::map<std::string, std::string> sorted(all.begin(), all.end());
  for (const auto& [name, value] : attributes.map()) sorted[name] = FrontendAttributeText(value);
  all.assign(sorted.begin(), sorted.end());
}

}  // namespace

void XlaBuilder::SetOpMetadata(OpMetadata metadata) {
  state_->metadata = std::move(metadata);
}
OpMetadata XlaBuilder::SwapOpMetadata(OpMetadata metadata) {
  return std::exchange(state_->metadata, std::move(metadata));
}
void XlaBuilder::ClearOpMetadata() {
  state_->metadata = {};
}
void XlaBuilder::SetOneShotOpMetadata(OpMetadata metadata) {
  state_->one_shot_metadata = std::move(metadata);
}
const OpMetadata& XlaBuilder::op_metadata() const {
  return state_->metadata;
}

void XlaBuilder::SetSharding(const OpSharding& sharding) {
  state_->sharding = sharding;
}
void XlaBuilder::ClearSharding() {
  state_->sharding.reset();
}
const std::optional<OpSharding>& XlaBuilder::sharding() const {
  return state_->sharding;
}

void XlaBuilder::SetFrontendAttributes(FrontendAttributes attributes) {
  state_->attributes = std::move(attributes);
}
FrontendAttributes XlaBuilder::SwapFrontendAttributes(FrontendAttributes attributes) {
  return std::exchange(state_->attributes, std::move(attributes));
}
void XlaBuilder::ClearFrontendAttributes() {
  state_->attributes = {};
}
const FrontendAttributes& XlaBuilder::frontend_attributes() const {
  return state_->attributes;
}

Status XlaBuilder::Annotate(Instruction* inst) {
  if (state_->sharding) {
    AXLE_TRY(state_->sharding->Check());
    state_->computation->MutableExtras(inst).sharding = state_->sharding->ToString();
  }
  if (!state_->attributes.map().empty()) {
    AXLE_TRY(state_->attributes.Check());
    AddFrontendAttributes(state_->computation->MutableExtras(inst), state_->attributes);
  }
  return {};
}

Status XlaBuilder::SetInstructionFrontendAttribute(XlaOp op, std::string name, std::string value) {
  AXLE_TRY(CheckHandle(op));
  FrontendAttributes attributes;
  (*attributes.mutable_map())[std::move(name)] = std::move(value);
  AXLE_TRY(attributes.Check());
  AddFrontendAttributes(state_->computation->MutableExtras(op.instruction()), attributes);
  return {};
}

Status XlaBuilder::SetInstructionSharding(XlaOp op, const std::optional<OpSharding>& sharding) {
  AXLE_TRY(CheckHandle(op));
  if (sharding) AXLE_TRY(sharding->Check());
  state_->computation->MutableExtras(op.instruction()).sharding =
      sharding ? sharding->ToString() : "";
  return {};
}

XlaScopedShardingAssignment::XlaScopedShardingAssignment(XlaBuilder* builder,
                                                         const std::optional<OpSharding>& sharding)
    : builder_(builder) {
  if (builder == nullptr) return;
  before_ = builder->sharding();
  Set(sharding);
}
XlaScopedShardingAssignment::~XlaScopedShardingAssignment() {
  if (builder_ != nullptr) Set(before_);
}
void XlaScopedShardingAssignment::Set(const std::optional<OpSharding>& sharding) {
  sharding ? builder_->SetSharding(*sharding) : builder_->ClearSharding();
}

XlaScopedFrontendAttributesAssignment::XlaScopedFrontendAttributesAssignment(
    XlaBuilder* builder, FrontendAttributes attributes)
    : builder_(builder) {
  if (builder != nullptr) before_ = builder->SwapFrontendAttributes(std::move(attributes));
}
XlaScopedFrontendAttributesAssignment::~XlaScopedFrontendAttributesAssignment() {
  if (builder_ != nullptr) builder_->SetFrontendAttributes(std::move(before_));
}

XlaScopedOpMetadataAssignment::XlaScopedOpMetadataAssignment(XlaBuilder* builder,
                                                             OpMetadata metadata)
    : builder_(builder) {
  if (builder != nullptr) before_ = builder->SwapOpMetadata(std::move(metadata));
}
XlaScopedOpMetadataAssignment::~XlaScopedOpMetadataAssignment() {
  if (builder_ != nullptr) builder_->SetOpMetadata(std::move(before_));
}

}  // namespace axle
