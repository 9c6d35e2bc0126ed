// What the module and the arguments and results of its entry say about the program as a whole.
#include "axle/core/strings.h"
#include "axle/stablehlo/converter.h"

namespace axle::stablehlo {
namespace {

using Strings = std::vector<std::pair<std::string, std::string>>;

// A dictionary of strings, as HLO's frontend attributes.
Strings StringsOf(const mlir::Attribute& dictionary) {
  Strings result;
  for (const mlir::NamedAttribute& field : dictionary.fields) {
    const std::string value = field.value->kind == mlir::AttributeKind::kString
                                  ? std::string(field.value->text)
                                  : field.value->ToString();
    result.emplace_back(field.name, StrCat("\"", CEscape(value), "\""));
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

Status Converter::SetModuleConfig() {
  const mlir::Operation& top = *source_.top();
  ModuleConfig& config = module_->config();
  const auto count = [&](std::string_view name, i64& value) -> Status {
    const mlir::Attribute* attribute = top.Find(name);
    if (attribute == nullptr) return {};
    const std::optional<i64> number = mlir::Int(*attribute);
    if (!number || *number < 1) {
      return ErrorAt(top, StrCat("module attribute \"", name, "\" is a positive number"));
    }
    value = *number;
    return {};
  };
  AXLE_TRY(count("mhlo.num_replicas", config.replica_count));
  AXLE_TRY(count("mhlo.num_partitions", config.num_partitions));
  if (const mlir::Attribute* all = top.Find("mhlo.frontend_attributes"); all != nullptr) {
    config.frontend_attributes = StringsOf(*all);
  }
  return {};
}

Status Converter::SetEntryConfig(const mlir::Operation& function, const HloComputation& entry) {
  ModuleConfig& config = module_->config();
  const mlir::Attribute* arguments = function.Find("arg_attrs");
  if (arguments == nullptr) return {};
  const bool is_tuple = function.regions[0].blocks[0].operations.back()->operands.size() != 1;
  for (size_t i = 0; i < arguments->elements.size(); ++i) {
    const mlir::Attribute& attributes = *arguments->elements[i];
    const auto parameter = static_cast<i64>(i);
    if (i >= entry.parameters().size()) break;
    if (const mlir::Attribute* output = attributes.Field("tf.aliasing_output"); output != nullptr) {
      const std::optional<i64> index = mlir::Int(*output);
      if (!index) return ErrorAt(function, "tf.aliasing_output is the number of a result");
      config.input_output_alias.push_back({.output_index = is_tuple ? Dims{*index} : Dims{},
                                           .parameter = parameter,
                                           .parameter_index = {}});
    }
    if (const mlir::Attribute* donor = attributes.Field("jax.buffer_donor");
        donor != nullptr && donor->integer != 0) {
      config.buffer_donor.push_back({.parameter = parameter, .parameter_index = {}});
    }
  }
  return {};
}

}  // namespace axle::stablehlo
