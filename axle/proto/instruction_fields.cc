#include "axle/proto/instruction_fields.h"

#include "axle/core/literal_wire.h"
#include "axle/core/strings.h"
#include "axle/proto/attributes.h"
#include "axle/proto/common_fields.h"
#include "axle/proto/fields.h"
#include "axle/proto/sharding.h"

namespace axle {
namespace {

Status ReadOpcode(const WireReader& in, InstructionFields& fields) {
  AXLE_ASSIGN(const std::string_view text, in.Bytes());
  fields.def = FindOpDef(text);
  if (fields.def != nullptr) return {};
  const std::string shown = PrintableText(text.substr(0, 80));
  std::vector<std::string_view> names;
  for (const OpDef* def : AllOpDefs()) names.push_back(def->text);
  return in.Error(StrCat("unknown operation \"", shown, "\"", DidYouMean(shown, names)));
}

// The texts of the side table, each with its reader.
struct ExtraText {
  int field;
  std::string InstructionExtras::*member;
  StatusOr<std::string> (*read)(const WireReader& in);
};
constexpr ExtraText kExtraTexts[] = {
    {field::kParameterReplication, &InstructionExtras::parameter_replication,
     ReadParameterReplication},
    {field::kStatisticsViz, &InstructionExtras::statistics, ReadStatistics},
    {field::kOriginalValue, &InstructionExtras::origin, ReadOrigin},
    {field::kResultAccuracy, &InstructionExtras::result_accuracy, ReadResultAccuracy},
};

Status ReadExtra(const WireReader& in, std::span<const std::string_view> payloads,
                 InstructionFields& fields) {
  InstructionExtras& extras = fields.extras;
  for (const ExtraText& text : kExtraTexts) {
    if (text.field != in.field()) continue;
    AXLE_ASSIGN(extras.*text.member, text.read(in));
    fields.has_extras = fields.has_extras || !(extras.*text.member).empty();
    return {};
  }
  switch (in.field()) {
    case field::kSharding: {
      AXLE_ASSIGN(fields.sharding, ReadSharding(in));
      fields.has_extras = true;
      return {};
    }
    case field::kFrontendAttributes: {
      AXLE_ASSIGN(extras.frontend_attributes, ReadFrontendAttributes(in));
      fields.has_extras = fields.has_extras || !extras.frontend_attributes.empty();
      return {};
    }
    case field::kBackendConfig:
    case field::kBackendConfigPayload: {
      AXLE_ASSIGN(extras.backend_config,
                  in.field() == field::kBackendConfig ? in.Bytes() : ReadPayload(in, payloads));
      extras.has_backend_config = fields.has_extras = true;
      return {};
    }
    default:
      return {};
  }
}

Status ReadField(const WireReader& in, std::span<const std::string_view> payloads,
                 InstructionFields& fields) {
  switch (in.field()) {
    case field::kName: {
      AXLE_ASSIGN(fields.name, in.Bytes());
      return {};
    }
    case field::kOpcode:
      return ReadOpcode(in, fields);
    case field::kShape: {
      AXLE_ASSIGN(fields.shape, ReadShape(in));
      return {};
    }
    case field::kMetadata:
      return ReadMetadata(in, payloads, fields.metadata);
    case field::kId: {
      AXLE_ASSIGN(fields.id, in.Int());
      return {};
    }
    case field::kOperandIds:
      return in.Ints(fields.operand_ids);
    case field::kControlPredecessorIds:
      return in.Ints(fields.predecessor_ids);
    case field::kCalledComputationIds:
      return in.Ints(fields.callee_ids);
    default:
      return ReadExtra(in, payloads, fields);
  }
}

}  // namespace

Status ReadInstructionFields(const WireReader& in, std::span<const std::string_view> payloads,
                             InstructionFields& fields) {
  bool has_shape = false, has_literal = false;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) {
    has_shape = has_shape || field.field() == field::kShape;
    has_literal = has_literal || field.field() == field::kLiteral;
    return ReadField(field, payloads, fields);
  }));
  if (fields.def == nullptr) return in.Error("an instruction has no opcode");
  if (!has_shape) return in.Error("an instruction has no shape");
  if (!fields.extras.result_accuracy.empty() && !TakesResultAccuracy(*fields.def)) {
    return in.Error(StrCat("\"", fields.def->text, "\" takes no result_accuracy"));
  }
  // The row says which of the fields are attributes, so they are read when it is known.
  fields.attrs = fields.def->attrs.create();
  AXLE_ASSIGN(WireReader message, in.Message());
  AXLE_TRY(ReadAttributes(*fields.def, fields.shape, message, fields.attrs.get()));
  for (const AttrSpec& spec : fields.def->attrs.specs) {
    if (spec.kind == &kAttrKind<Literal> && !has_literal) {
      fields.missing_literal = static_cast<Literal*>(spec.field(fields.attrs.get()));
    }
    if (spec.kind != &kAttrKind<DomainSharding>) continue;
    AXLE_ASSIGN(WireReader again, in.Message());
    AXLE_TRY(
        ReadDomainSharding(again, *static_cast<DomainSharding*>(spec.field(fields.attrs.get()))));
  }
  return {};
}

}  // namespace axle
