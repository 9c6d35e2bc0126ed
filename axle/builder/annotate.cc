// What ops carry besides their meaning, as the builder was told.
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

// Adds `attributes` to those that are there; a name that is there gets the new value.
void AddFrontendAttributes(InstructionExtras& extras, const FrontendAttributes& attributes) {
  auto& all = extras.frontend_attributes;  // in the order of names
  std::map<std::string, std::string> sorted(all.begin(), all.end());
  for (const auto& [name, value] : attributes.map()) sorted[name] = FrontendAttributeText(value);
  all.assign(sorted.begin(), sorted.end());
}

}  // namespace

Status XlaBuilder::Annotate(Instruction* inst) {
  if (sharding_) {
    AXLE_TRY(sharding_->Check());
    computation_->MutableExtras(inst).sharding = sharding_->ToString();
  }
  if (!attributes_.map().empty()) {
    AXLE_TRY(attributes_.Check());
    AddFrontendAttributes(computation_->MutableExtras(inst), attributes_);
  }
  return {};
}

Status XlaBuilder::SetInstructionFrontendAttribute(XlaOp op, std::string name, std::string value) {
  AXLE_TRY(CheckHandle(op));
  FrontendAttributes attributes;
  (*attributes.mutable_map())[std::move(name)] = std::move(value);
  AXLE_TRY(attributes.Check());
  AddFrontendAttributes(computation_->MutableExtras(op.instruction()), attributes);
  return {};
}

Status XlaBuilder::SetInstructionSharding(XlaOp op, const std::optional<OpSharding>& sharding) {
  AXLE_TRY(CheckHandle(op));
  if (sharding) AXLE_TRY(sharding->Check());
  computation_->MutableExtras(op.instruction()).sharding = sharding ? sharding->ToString() : "";
  return {};
}

}  // namespace axle
