#include "axle/text/module_header.h"

#include <algorithm>
#include <span>

#include "axle/core/strings.h"
#include "axle/ops/attributes/module_config.h"
#include "axle/text/common_attributes.h"

namespace axle {
namespace {

Status ParseFlag(Scanner& scanner, bool& flag) {
  AXLE_ASSIGN(flag, scanner.Bool());
  return {};
}

// true, or {true,false}: one flag for each element.
Status ParseFlags(Scanner& scanner, std::vector<bool>& flags) {
  if (!scanner.Peek("{")) {
    AXLE_ASSIGN(const bool flag, scanner.Bool());
    flags = {flag};
    return {};
  }
  return scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(const bool flag, scanner.Bool());
    flags.push_back(flag);
    return {};
  });
}

Status ParseCount(Scanner& scanner, i64& count) {
  AXLE_ASSIGN(count, scanner.Integer());
  return count >= 1 ? Status() : scanner.Error(StrCat(count, " must be >= 1"));
}

Status ParseParameterNumber(Scanner& scanner, i64& number) {
  AXLE_ASSIGN(number, scanner.Integer());
  return number >= 0 ? Status() : scanner.Error("a parameter number must be >= 0");
}

// { {0}: (0, {}, may-alias), {1}: (1, {0}) }
Status ParseAliases(Scanner& scanner, std::vector<AliasEntry>& aliases) {
  return scanner.List("{", "}", [&]() -> Status {
    AliasEntry& alias = aliases.emplace_back();
    AXLE_ASSIGN(alias.output_index, ParseShapeIndex(scanner));
    AXLE_TRY(scanner.Expect(":"));
    AXLE_TRY(scanner.Expect("("));
    AXLE_TRY(ParseParameterNumber(scanner, alias.parameter));
    AXLE_TRY(scanner.Expect(","));
    AXLE_ASSIGN(alias.parameter_index, ParseShapeIndex(scanner));
    if (scanner.Consume(",")) {
      if (scanner.ConsumeWord("must-alias")) {
        alias.kind = AliasKind::kMustAlias;
      } else if (!scanner.ConsumeWord("may-alias")) {
        return scanner.Expected("may-alias or must-alias");
      }
    }
    return scanner.Expect(")");
  });
}

std::string AliasText(const AliasEntry& alias) {
  return StrCat(ShapeIndexText(alias.output_index), ": (", alias.parameter, ", ",
                ShapeIndexText(alias.parameter_index), ", ",
                alias.kind == AliasKind::kMustAlias ? "must-alias)" : "may-alias)");
}

// { (2, {}), (3, {1}) }
Status ParseDonors(Scanner& scanner, std::vector<BufferDonor>& donors) {
  return scanner.List("{", "}", [&]() -> Status {
    BufferDonor& donor = donors.emplace_back();
    AXLE_TRY(scanner.Expect("("));
    AXLE_TRY(ParseParameterNumber(scanner, donor.parameter));
    AXLE_TRY(scanner.Expect(","));
    AXLE_ASSIGN(donor.parameter_index, ParseShapeIndex(scanner));
    return scanner.Expect(")");
  });
}

std::string DonorText(const BufferDonor& donor) {
  return StrCat("(", donor.parameter, ", ", ShapeIndexText(donor.parameter_index), ")");
}

// {(f32[2]{0}, s32[])->f32[2]{0}}
Status ParseEntryLayout(Scanner& scanner, std::optional<ProgramShape>& program) {
  program.emplace();
  AXLE_TRY(scanner.Expect("{"));
  AXLE_TRY(scanner.List("(", ")", [&]() -> Status {
    AXLE_ASSIGN(Shape shape, ParseShape(scanner));
    program->parameters.push_back(std::move(shape));
    return {};
  }));
  AXLE_TRY(scanner.Expect("->"));
  AXLE_ASSIGN(program->result, ParseShape(scanner));
  return scanner.Expect("}");
}

// Shapes as a tuple lists them, with its comments.
std::string ProgramShapeText(const ProgramShape& program) {
  return StrCat("{", Shape::Tuple(program.parameters).ToStringWithLayout(), "->",
                program.result.ToStringWithLayout(), "}");
}

// "" for what XLA takes for the default.
std::string FlagsText(const std::vector<bool>& flags) {
  if (flags.empty() || (flags.size() == 1 && !flags[0])) return "";
  const auto text = [](bool flag) { return flag ? "true" : "false"; };
  return StrCat("{", Join(flags, ",", text), "}");
}

ProgramShape EntryShape(const Module& module) {
  ProgramShape program;
  for (const Instruction* parameter : module.entry()->parameters()) {
    program.parameters.push_back(parameter->shape());
  }
  program.result = module.entry()->root()->shape();
  return program;
}

// One row per header attribute, in the order in which they are printed. `print` returns "" for what
// is at its default.
struct HeaderAttribute {
  std::string_view name;
  Status (*parse)(Scanner& scanner, ModuleConfig& config);
  std::string (*print)(const Module& module);
  size_t HeaderPositions::*position = nullptr;
};

constexpr HeaderAttribute kHeaderAttributes[] = {
    {"is_scheduled",
     [](Scanner& scanner, ModuleConfig& config) { return ParseFlag(scanner, config.is_scheduled); },
     [](const Module& module) -> std::string {
       return module.config().is_scheduled ? "true" : "";
     }},
    {"input_output_alias",
     [](Scanner& scanner, ModuleConfig& config) {
       return ParseAliases(scanner, config.input_output_alias);
     },
     [](const Module& module) -> std::string {
       const auto& aliases = module.config().input_output_alias;
       return aliases.empty() ? "" : StrCat("{ ", Join(aliases, ", ", AliasText), " }");
     },
     &HeaderPositions::aliases},
    {"buffer_donor",
     [](Scanner& scanner, ModuleConfig& config) {
       return ParseDonors(scanner, config.buffer_donor);
     },
     [](const Module& module) -> std::string {
       const auto& donors = module.config().buffer_donor;
       return donors.empty() ? "" : StrCat("{ ", Join(donors, ", ", DonorText), " }");
     },
     &HeaderPositions::donors},
    {"alias_passthrough_params",
     [](Scanner& scanner, ModuleConfig& config) {
       return ParseFlag(scanner, config.alias_passthrough_params);
     },
     [](const Module& module) -> std::string {
       return module.config().alias_passthrough_params ? "true" : "";
     }},
    {"entry_computation_layout",
     [](Scanner& scanner, ModuleConfig& config) {
       return ParseEntryLayout(scanner, config.entry_computation_layout);
     },
     [](const Module& module) {
       const auto& layout = module.config().entry_computation_layout;
       return ProgramShapeText(layout ? *layout : EntryShape(module));
     },
     &HeaderPositions::entry_layout},
    {"allow_spmd_sharding_propagation_to_parameters",
     [](Scanner& scanner, ModuleConfig& config) {
       return ParseFlags(scanner, config.allow_spmd_sharding_propagation_to_parameters);
     },
     [](const Module& module) {
       return FlagsText(module.config().allow_spmd_sharding_propagation_to_parameters);
     }},
    {"allow_spmd_sharding_propagation_to_output",
     [](Scanner& scanner, ModuleConfig& config) {
       return ParseFlags(scanner, config.allow_spmd_sharding_propagation_to_output);
     },
     [](const Module& module) {
       return FlagsText(module.config().allow_spmd_sharding_propagation_to_output);
     }},
    {"replica_count",
     [](Scanner& scanner, ModuleConfig& config) {
       return ParseCount(scanner, config.replica_count);
     },
     [](const Module& module) -> std::string {
       const i64 count = module.config().replica_count;
       return count == 1 ? "" : StrCat(count);
     }},
    {"num_partitions",
     [](Scanner& scanner, ModuleConfig& config) {
       return ParseCount(scanner, config.num_partitions);
     },
     [](const Module& module) -> std::string {
       const i64 count = module.config().num_partitions;
       return count == 1 ? "" : StrCat(count);
     }},
    {"frontend_attributes",
     [](Scanner& scanner, ModuleConfig& config) -> Status {
       AXLE_ASSIGN(config.frontend_attributes, ParseFrontendAttributes(scanner));
       return {};
     },
     [](const Module& module) -> std::string {
       const auto& attributes = module.config().frontend_attributes;
       return attributes.empty() ? "" : FrontendAttributesText(attributes);
     }},
    {"origin_recovery_table",
     [](Scanner& scanner, ModuleConfig& config) -> Status {
       AXLE_ASSIGN(config.origin_recovery_table, ParseOriginRecoveryTable(scanner));
       return {};
     },
     [](const Module& module) {  // XLA ends its line
       const std::string& table = module.config().origin_recovery_table;
       return table.empty() ? table : table + "\n";
     }},
    {"debug_attributes",
     [](Scanner& scanner, ModuleConfig& config) -> Status {
       AXLE_ASSIGN(config.debug_attributes, ParseDebugAttributes(scanner));
       return {};
     },
     [](const Module& module) { return module.config().debug_attributes; }},
};

// 1 "a.py"
Status ParseTexts(Scanner& scanner, std::vector<std::string>& texts) {
  while (IsDigit(scanner.PeekChar())) {
    AXLE_ASSIGN(const i64 id, scanner.Integer());
    if (id != static_cast<i64>(texts.size()) + 1) {
      return scanner.Error(StrCat("expected ", texts.size() + 1, ", the next id"));
    }
    AXLE_ASSIGN(std::string text, scanner.String());
    texts.push_back(std::move(text));
  }
  return {};
}

template <typename Row>
struct RowField {
  std::string_view text;
  std::int32_t Row::*member;
};

// 1 {key=2 other=3}: rows of numbers.
template <typename Row>
Status ParseRows(Scanner& scanner, std::span<const RowField<Row>> fields, std::vector<Row>& rows) {
  while (IsDigit(scanner.PeekChar())) {
    AXLE_ASSIGN(const i64 id, scanner.Integer());
    if (id != static_cast<i64>(rows.size()) + 1) {
      return scanner.Error(StrCat("expected ", rows.size() + 1, ", the next id"));
    }
    Row& row = rows.emplace_back();
    AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
      const std::string_view name = scanner.AttributeName();
      const auto field = std::ranges::find(fields, name, &RowField<Row>::text);
      if (field == fields.end()) {
        const auto text = [](const RowField<Row>& f) { return f.text; };
        const std::string one_of = StrCat("one of: ", Join(fields, ", ", text), ", with '='");
        return name.empty() ? scanner.Expected(one_of) : scanner.Error("expected " + one_of);
      }
      AXLE_ASSIGN(const i64 value, scanner.Integer());
      if (value < 0 || value != static_cast<std::int32_t>(value)) {
        return scanner.Error(StrCat(value, " must be >= 0 and fit into 32 bits"));
      }
      row.*field->member = static_cast<std::int32_t>(value);
      return {};
    }));
  }
  return {};
}

using Location = StackFrameIndex::Location;
using Frame = StackFrameIndex::Frame;
constexpr RowField<Location> kLocationFields[] = {
    {"file_name_id", &Location::file_name_id},
    {"function_name_id", &Location::function_name_id},
    {"line", &Location::line},
    {"end_line", &Location::end_line},
    {"column", &Location::column},
    {"end_column", &Location::end_column},
};
constexpr RowField<Frame> kFrameFields[] = {
    {"file_location_id", &Frame::file_location_id},
    {"parent_frame_id", &Frame::parent_frame_id},
};

template <typename Row>
std::string RowsText(std::span<const RowField<Row>> fields, const std::vector<Row>& rows) {
  std::string out;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto text = [&](const RowField<Row>& field) {
      return StrCat(field.text, "=", rows[i].*field.member);
    };
    StrAppend(out, i + 1, " {", Join(fields, " ", text), "}\n");
  }
  return out;
}

std::string TextsText(const std::vector<std::string>& texts) {
  std::string out;
  for (size_t i = 0; i < texts.size(); ++i) {
    StrAppend(out, i + 1, " \"", CEscape(texts[i]), "\"\n");
  }
  return out;
}

Status ParseStackFrames(Scanner& scanner, StackFrameIndex& index) {
  if (!scanner.ConsumeWord("FileNames")) return {};
  AXLE_TRY(ParseTexts(scanner, index.file_names));
  if (!scanner.ConsumeWord("FunctionNames")) return scanner.Expected("FunctionNames");
  AXLE_TRY(ParseTexts(scanner, index.function_names));
  if (!scanner.ConsumeWord("FileLocations")) return scanner.Expected("FileLocations");
  AXLE_TRY(ParseRows<Location>(scanner, kLocationFields, index.locations));
  if (!scanner.ConsumeWord("StackFrames")) return scanner.Expected("StackFrames");
  AXLE_TRY(ParseRows<Frame>(scanner, kFrameFields, index.frames));
  // Text says parent + 1, so that a root frame says 1.
  for (Frame& frame : index.frames) frame.parent_frame_id = std::max(frame.parent_frame_id - 1, 0);
  return {};
}

}  // namespace

Status ParseModuleHeader(Scanner& scanner, ModuleConfig& config, HeaderPositions& positions) {
  std::vector<bool> seen(std::size(kHeaderAttributes));
  while (scanner.Consume(",")) {
    const std::string_view name = scanner.AttributeName();
    if (name.empty()) return scanner.Expected("a header attribute, and '='");
    const auto row = std::ranges::find(kHeaderAttributes, name, &HeaderAttribute::name);
    if (row == std::end(kHeaderAttributes)) {
      std::vector<std::string_view> names;
      for (const HeaderAttribute& known : kHeaderAttributes) names.push_back(known.name);
      return scanner.Error(
          StrCat("unknown header attribute \"", name, "\"", DidYouMean(name, names)));
    }
    const size_t i = row - std::begin(kHeaderAttributes);
    if (seen[i]) return scanner.Error(StrCat("second value for \"", name, "\""));
    seen[i] = true;
    if (row->position != nullptr) positions.*row->position = scanner.token_position();
    AXLE_TRY(row->parse(scanner, config));
  }
  return ParseStackFrames(scanner, config.stack_frames);
}

Status CheckModuleHeader(const Scanner& scanner, const Module& module,
                         const HeaderPositions& positions) {
  const ModuleConfig& config = module.config();
  const HloComputation& entry = *module.entry();
  const auto located = [&](size_t position, const Status& status) {
    return status.ok() ? Status() : scanner.ErrorAt(position, status.message());
  };
  if (config.entry_computation_layout) {
    AXLE_TRY(
        located(positions.entry_layout, CheckEntryLayout(*config.entry_computation_layout, entry)));
  }
  AXLE_TRY(located(positions.aliases, CheckAliases(config.input_output_alias, entry)));
  return located(positions.donors, CheckDonors(config.buffer_donor, entry));
}

std::string ModuleHeaderText(const Module& module) {
  std::string out;
  for (const HeaderAttribute& row : kHeaderAttributes) {
    const std::string value = row.print(module);
    if (!value.empty()) StrAppend(out, ", ", row.name, "=", value);
  }
  return out;
}

std::string StackFramesText(const StackFrameIndex& frames) {
  if (frames.empty()) return "";
  std::vector<Frame> printed = frames.frames;
  for (Frame& frame : printed) ++frame.parent_frame_id;
  return StrCat("\nFileNames\n", TextsText(frames.file_names), "\nFunctionNames\n",
                TextsText(frames.function_names), "\nFileLocations\n",
                RowsText<Location>(kLocationFields, frames.locations), "\nStackFrames\n",
                RowsText<Frame>(kFrameFields, printed), "\n");
}

}  // namespace axle
