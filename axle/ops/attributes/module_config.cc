// Checks the attributes of the HloModule line against the entry: aliasing, donation, entry layout.
//
// The parser has accepted each attribute on its own; here they are compared with the parameters and
// the result of the entry. Paths lead into tuples; each output may be aliased once.

#include "axle/ops/attributes/module_config.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle {
namespace {

// {}, {1,0}: a path into a tuple.
std::string PathText(const Dims& path) {
  return StrCat("{", Join(path, ","), "}");
}

// True if `path` leads somewhere inside of `shape`.
bool HasIndex(const Shape& shape, const Dims& path) {
  const Shape* at = &shape;
  for (i64 i : path) {
    if (!at->is_tuple() || i < 0 || i >= at->num_tuple_elements()) return false;
    at = &at->element(i);
  }
  return true;
}

Status CheckParameterIndex(const HloComputation& entry, i64 parameter, const Dims& path) {
  const auto parameters = entry.parameters();
  if (parameter < 0 || parameter >= static_cast<i64>(parameters.size())) {
    return InvalidArgument(StrCat("names parameter ", parameter, " but \"", entry.name(), "\" has ",
                                  parameters.size(), " parameters"));
  }
  const Shape& shape = parameters[parameter]->shape();
  if (HasIndex(shape, path)) return {};
  return InvalidArgument(StrCat("parameter ", parameter, " of shape ", shape.ToString(),
                                " has no element ", PathText(path)));
}

}  // namespace

// The layouts may differ from those of the instructions, types and sizes must not.
Status CheckEntryLayout(const ProgramShape& program, const HloComputation& entry) {
  const auto parameters = entry.parameters();
  if (program.parameters.size() != parameters.size()) {
    return InvalidArgument(StrCat("the entry layout has ", program.parameters.size(),
                                  " parameters but \"", entry.name(), "\" has ",
                                  parameters.size()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (Compatible(program.parameters[i], parameters[i]->shape())) continue;
    return InvalidArgument(StrCat("parameter ", i, " has shape ", parameters[i]->shape().ToString(),
                                  " but the entry layout says ", program.parameters[i].ToString()));
  }
  if (Compatible(program.result, entry.root()->shape())) return {};
  return InvalidArgument(StrCat("the root has shape ", entry.root()->shape().ToString(),
                                " but the entry layout says ", program.result.ToString()));
}

// Sorting the outputs finds one that is aliased twice.
Status CheckAliases(std::span<const AliasEntry> aliases, const HloComputation& entry) {
  std::vector<Dims> outputs;
  for (const AliasEntry& alias : aliases) {
    AXLE_TRY(CheckParameterIndex(entry, alias.parameter, alias.parameter_index));
    outputs.push_back(alias.output_index);
    if (HasIndex(entry.root()->shape(), alias.output_index)) continue;
    return InvalidArgument(StrCat("the result of shape ", entry.root()->shape().ToString(),
                                  " has no element ", PathText(alias.output_index)));
  }
  std::ranges::sort(outputs);
  const auto twice = std::ranges::adjacent_find(outputs);
  if (twice == outputs.end()) return {};
  return InvalidArgument(StrCat("output ", PathText(*twice), " is aliased twice"));
}

Status CheckDonors(std::span<const BufferDonor> donors, const HloComputation& entry) {
  for (const BufferDonor& donor : donors) {
    AXLE_TRY(CheckParameterIndex(entry, donor.parameter, donor.parameter_index));
  }
  return {};
}

Status CheckModuleConfig(const Module& module) {
  const ModuleConfig& config = module.config();
  const HloComputation& entry = *module.entry();
  if (config.entry_computation_layout) {
    AXLE_TRY(CheckEntryLayout(*config.entry_computation_layout, entry));
  }
  AXLE_TRY(CheckAliases(config.input_output_alias, entry));
  return CheckDonors(config.buffer_donor, entry);
}

}  // namespace axle
