#include "axle/capi/handles.h"
#include "axle/client/load.h"
#include "axle/client/save.h"

namespace {

axle::Status CheckFlags(const char* function, std::int64_t flags, std::int64_t known) {
  if ((flags & ~known) == 0) return {};
  return axle::Unimplemented(
      axle::StrCat(function, ": flags ", flags, " are not known to this version of axle"));
}

}  // namespace

axle_module::axle_module(std::shared_ptr<const axle::Module> module)
    : value(std::move(module)), result(value->entry()->root()->shape()) {
  for (const axle::Instruction* parameter : value->entry()->parameters()) {
    parameters.push_back(std::make_unique<const axle_shape>(parameter->shape()));
    parameter_names.emplace_back(parameter->name());
  }
}

axle_status* axle::ParseModule(const void* bytes, size_t size, const axle_parse_options* options,
                               axle_module** module) {
  constexpr const char* kFunction = "axle_module_parse";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"module", module}}));
    if (size > 0) AXLE_TRY(axle::CheckNotNull(kFunction, {{"bytes", bytes}}));
    AXLE_ASSIGN(const axle_parse_options fields, axle::ReadStruct(kFunction, options));
    axle::LoadOptions load = {.label = fields.label == nullptr ? "" : fields.label,
                              .limits = axle::LimitsOf(fields.limits)};
    if (fields.format != nullptr) {
      load.format = axle::FormatFromName(fields.format);
      if (!load.format) {
        return axle::InvalidArgument(
            axle::StrCat(kFunction, ": unknown format \"", axle::PrintableText(fields.format),
                         "\"; there are ", axle::Join(axle::kFormatNames, ", ")));
      }
    }
    AXLE_ASSIGN(std::unique_ptr<axle::Module> loaded,
                axle::LoadModule({static_cast<const char*>(bytes), size}, load));
    *module = new axle_module(std::move(loaded));
    return {};
  });
}

void axle_module_destroy(axle_module* module) {
  delete module;
}

const char* axle_module_name(const axle_module* module) {
  return module == nullptr ? "" : module->value->name().c_str();
}

size_t axle_module_num_parameters(const axle_module* module) {
  return module == nullptr ? 0 : module->parameters.size();
}

const axle_shape* axle_module_parameter_shape(const axle_module* module, size_t i) {
  return i < axle_module_num_parameters(module) ? module->parameters[i].get() : nullptr;
}

const char* axle_module_parameter_name(const axle_module* module, size_t i) {
  return i < axle_module_num_parameters(module) ? module->parameter_names[i].c_str() : nullptr;
}

const axle_shape* axle_module_result_shape(const axle_module* module) {
  return module == nullptr ? nullptr : &module->result;
}

axle_status* axle_module_to_text(const axle_module* module, std::int64_t flags, axle_bytes** text) {
  constexpr const char* kFunction = "axle_module_to_text";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"module", module}, {"text", text}}));
    AXLE_TRY(CheckFlags(kFunction, flags, AXLE_PRINT_SHORT | AXLE_PRINT_ELIDED));
    AXLE_TRY(axle::CheckCanBeWritten(*module->value));
    *text = new axle_bytes{
        axle::ModuleToText(*module->value, {.short_form = (flags & AXLE_PRINT_SHORT) != 0,
                                            .elide_constants = (flags & AXLE_PRINT_ELIDED) != 0})};
    return {};
  });
}

axle_status* axle_module_to_proto(const axle_module* module, axle_bytes** proto) {
  constexpr const char* kFunction = "axle_module_to_proto";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"module", module}, {"proto", proto}}));
    AXLE_TRY(axle::CheckCanBeWritten(*module->value));
    *proto = new axle_bytes{axle::ModuleToProto(*module->value)};
    return {};
  });
}

axle_status* axle_module_to_stablehlo(const axle_module* module, std::int64_t flags,
                                      axle_bytes** program) {
  constexpr const char* kFunction = "axle_module_to_stablehlo";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"module", module}, {"program", program}}));
    AXLE_TRY(CheckFlags(kFunction, flags, AXLE_PRINT_SHORT | AXLE_PRINT_BYTECODE));
    AXLE_ASSIGN(
        std::string bytes,
        axle::ModuleToStablehlo(*module->value, {.bytecode = (flags & AXLE_PRINT_BYTECODE) != 0,
                                                 .locations = (flags & AXLE_PRINT_SHORT) == 0}));
    *program = new axle_bytes{std::move(bytes)};
    return {};
  });
}
