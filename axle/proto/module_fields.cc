#include "axle/proto/module_fields.h"

#include "axle/core/literal_wire.h"
#include "axle/core/strings.h"
#include "axle/proto/common_fields.h"
#include "axle/proto/fields.h"
#include "axle/text/common_attributes.h"

namespace axle {
namespace {

// --- Aliases
// ----------------------------------------------------------------------------------------

enum AliasNumber : std::uint8_t { kUndefinedAlias, kMayAliasNumber, kMustAliasNumber };

Status ReadParameterNumber(const WireReader& in, i64& number) {
  AXLE_ASSIGN(number, in.Int());
  return number >= 0 ? Status() : in.Error("a parameter number must be >= 0");
}

WireWriter AliasesMessage(std::span<const AliasEntry> aliases) {
  WireWriter out;
  for (const AliasEntry& alias : aliases) {
    WireWriter entry;
    entry.Ints(1, alias.output_index);
    entry.Int(2, alias.parameter);
    entry.Ints(3, alias.parameter_index);
    entry.Int(4, alias.kind == AliasKind::kMustAlias ? kMustAliasNumber : kMayAliasNumber);
    out.Message(1, entry);
  }
  return out;
}

Status ReadAlias(const WireReader& in, AliasEntry& alias) {
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    switch (field.field()) {
      case 1:
        return ReadShapeIndex(field, alias.output_index);
      case 2:
        return ReadParameterNumber(field, alias.parameter);
      case 3:
        return ReadShapeIndex(field, alias.parameter_index);
      case 4: {
        AXLE_ASSIGN(const i64 kind, field.Int());
        alias.kind = kind == kMustAliasNumber ? AliasKind::kMustAlias : AliasKind::kMayAlias;
        return {};
      }
      default:
        return {};
    }
  });
}

WireWriter DonorsMessage(std::span<const BufferDonor> donors) {
  WireWriter out;
  for (const BufferDonor& donor : donors) {
    WireWriter entry;
    entry.Int(1, donor.parameter);
    entry.Ints(2, donor.parameter_index);
    out.Message(1, entry);
  }
  return out;
}

Status ReadDonor(const WireReader& in, BufferDonor& donor) {
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) return ReadParameterNumber(field, donor.parameter);
    return field.field() == 2 ? ReadShapeIndex(field, donor.parameter_index) : Status();
  });
}

// --- Stack frames
// -------------------------------------------------------------------------------------

template <typename Row>
struct RowField {
  int field;
  std::int32_t Row::*member;
};
using Location = StackFrameIndex::Location;
using Frame = StackFrameIndex::Frame;
constexpr RowField<Location> kLocationFields[] = {
    {1, &Location::file_name_id}, {2, &Location::function_name_id}, {3, &Location::line},
    {4, &Location::column},       {5, &Location::end_line},         {6, &Location::end_column},
};
constexpr RowField<Frame> kFrameFields[] = {
    {1, &Frame::file_location_id},
    {2, &Frame::parent_frame_id},
};

template <typename Row>
WireWriter RowMessage(std::span<const RowField<Row>> fields, const Row& row) {
  WireWriter out;
  for (const RowField<Row>& field : fields) out.Int(field.field, row.*field.member);
  return out;
}

template <typename Row>
Status ReadRow(const WireReader& in, std::span<const RowField<Row>> fields, Row& row) {
  return ReadMessage(in, [&](const WireReader& part) -> Status {
    for (const RowField<Row>& field : fields) {
      if (field.field != part.field()) continue;
      AXLE_ASSIGN(row.*field.member, part.Int32());
      // Text writes parents + 1.
      if (row.*field.member < 0 || row.*field.member == INT32_MAX) {
        return part.Error(StrCat(row.*field.member, " is no id, line or column"));
      }
    }
    return {};
  });
}

WireWriter StackFramesMessage(const StackFrameIndex& index) {
  WireWriter out;
  for (const std::string& name : index.file_names) out.Bytes(1, name);
  for (const std::string& name : index.function_names) out.Bytes(2, name);
  for (const Location& row : index.locations) {
    out.Message(3, RowMessage<Location>(kLocationFields, row));
  }
  for (const Frame& row : index.frames) out.Message(4, RowMessage<Frame>(kFrameFields, row));
  return out;
}

Status ReadStackFrames(const WireReader& in, StackFrameIndex& index) {
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    switch (field.field()) {
      case 1: {
        AXLE_ASSIGN(index.file_names.emplace_back(), field.Bytes());
        return {};
      }
      case 2: {
        AXLE_ASSIGN(index.function_names.emplace_back(), field.Bytes());
        return {};
      }
      case 3:
        return ReadRow<Location>(field, kLocationFields, index.locations.emplace_back());
      case 4:
        return ReadRow<Frame>(field, kFrameFields, index.frames.emplace_back());
      default:
        return {};
    }
  });
}

// --- The entry's shapes
// -------------------------------------------------------------------------------

Status ReadProgramShape(const WireReader& in, ProgramShape& program) {
  bool has_result = false;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == field::kParameters) {
      AXLE_ASSIGN(program.parameters.emplace_back(), ReadShape(field));
    } else if (field.field() == field::kResult) {
      AXLE_ASSIGN(program.result, ReadShape(field));
      has_result = true;
    }
    return {};
  }));
  return has_result ? Status() : in.Error("a program has no result shape");
}

// --- What XLA has no field for
// --------------------------------------------------------------------------

Dims Numbers(const std::vector<bool>& flags) {
  return {flags.begin(), flags.end()};
}

WireWriter AxleConfigMessage(const ModuleConfig& config) {
  WireWriter out;
  if (config.replica_count != 1) out.Int(field::kReplicaCount, config.replica_count);
  if (config.num_partitions != 1) out.Int(field::kNumPartitions, config.num_partitions);
  out.Bool(field::kAliasPassthroughParams, config.alias_passthrough_params);
  out.Ints(field::kAllowPropagationToParameters,
           Numbers(config.allow_spmd_sharding_propagation_to_parameters));
  out.Ints(field::kAllowPropagationToOutput,
           Numbers(config.allow_spmd_sharding_propagation_to_output));
  out.Text(field::kOriginRecoveryTable, config.origin_recovery_table);
  out.Text(field::kDebugAttributes, config.debug_attributes);
  out.Bool(field::kEndsWithoutEmptyLine, !config.ends_with_empty_line);
  return out;
}

Status ReadFlags(const WireReader& in, std::vector<bool>& flags) {
  Dims numbers;
  AXLE_TRY(in.Ints(numbers));
  for (i64 number : numbers) flags.push_back(number != 0);
  return {};
}

Status ReadCount(const WireReader& in, i64& count) {
  AXLE_ASSIGN(count, in.Int());
  return count >= 1 ? Status() : in.Error(StrCat(count, " must be >= 1"));
}

// A table of a module's head as text has it, which is kept.
Status ReadTable(const WireReader& in, StatusOr<std::string> (*parse)(Scanner&),
                 std::string& text) {
  AXLE_ASSIGN(const std::string_view bytes, in.Bytes());
  Scanner scanner(bytes);
  StatusOr<std::string> table = parse(scanner);
  if (!table.ok()) return in.Error(table.status().message());
  if (*table != bytes) return in.Error("there is more than one table");
  text = *std::move(table);
  return {};
}

Status ReadAxleConfigField(const WireReader& in, ModuleConfig& config) {
  switch (in.field()) {
    case field::kReplicaCount:
      return ReadCount(in, config.replica_count);
    case field::kNumPartitions:
      return ReadCount(in, config.num_partitions);
    case field::kAliasPassthroughParams: {
      AXLE_ASSIGN(config.alias_passthrough_params, in.Bool());
      return {};
    }
    case field::kAllowPropagationToParameters:
      return ReadFlags(in, config.allow_spmd_sharding_propagation_to_parameters);
    case field::kAllowPropagationToOutput:
      return ReadFlags(in, config.allow_spmd_sharding_propagation_to_output);
    case field::kOriginRecoveryTable:
      return ReadTable(in, ParseOriginRecoveryTable, config.origin_recovery_table);
    case field::kDebugAttributes:
      return ReadTable(in, ParseDebugAttributes, config.debug_attributes);
    case field::kEndsWithoutEmptyLine: {
      AXLE_ASSIGN(const bool ends_without, in.Bool());
      config.ends_with_empty_line = !ends_without;
      return {};
    }
    default:
      return {};
  }
}

}  // namespace

ProgramShape ProgramShapeOf(const HloComputation& computation) {
  ProgramShape program;
  for (const Instruction* parameter : computation.parameters()) {
    program.parameters.push_back(parameter->shape());
  }
  program.result = computation.root()->shape();
  return program;
}

WireWriter ProgramShapeMessage(const ProgramShape& program, std::span<Instruction* const> names) {
  WireWriter out;
  for (const Shape& shape : program.parameters) {
    out.Message(field::kParameters, ShapeMessage(shape));
  }
  out.Message(field::kResult, ShapeMessage(program.result));
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const std::string name = i < names.size() ? std::string(names[i]->name()) : StrCat("p", i);
    out.Bytes(field::kParameterNames, name);
  }
  return out;
}

void WriteModuleConfig(const Module& module, WireWriter& out) {
  const ModuleConfig& config = module.config();
  const auto& layout = config.entry_computation_layout;
  out.Message(field::kHostProgramShape,
              ProgramShapeMessage(layout ? *layout : ProgramShapeOf(*module.entry())));
  // These are always there, as XLA writes them.
  out.Message(field::kInputOutputAlias, AliasesMessage(config.input_output_alias));
  out.Message(field::kStackFrameIndex, StackFramesMessage(config.stack_frames));
  out.Message(field::kBufferDonor, DonorsMessage(config.buffer_donor));
  out.Message(field::kModuleFrontendAttributes,
              FrontendAttributesMessage(config.frontend_attributes));
  const WireWriter own = AxleConfigMessage(config);
  if (!own.bytes().empty()) out.Message(field::kAxleConfig, own);
}

Status ReadModuleConfigField(const WireReader& in, ModuleConfig& config) {
  switch (in.field()) {
    case field::kHostProgramShape:
      return ReadProgramShape(in, config.entry_computation_layout.emplace());
    case field::kInputOutputAlias:
      return ReadMessage(in, [&](const WireReader& field) -> Status {
        return field.field() == 1 ? ReadAlias(field, config.input_output_alias.emplace_back())
                                  : Status();
      });
    case field::kBufferDonor:
      return ReadMessage(in, [&](const WireReader& field) -> Status {
        return field.field() == 1 ? ReadDonor(field, config.buffer_donor.emplace_back()) : Status();
      });
    case field::kStackFrameIndex:
      return ReadStackFrames(in, config.stack_frames);
    case field::kModuleFrontendAttributes: {
      AXLE_ASSIGN(config.frontend_attributes, ReadFrontendAttributes(in));
      return {};
    }
    case field::kAxleConfig:
      return ReadMessage(
          in, [&](const WireReader& field) { return ReadAxleConfigField(field, config); });
    default:
      return {};
  }
}

}  // namespace axle
