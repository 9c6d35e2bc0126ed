#include "axle/client/save.h"

#include "axle/core/strings.h"
#include "axle/proto/write.h"
#include "axle/stablehlo/export.h"
#include "axle/stablehlo/mlir/bytecode_writer.h"
#include "axle/stablehlo/mlir/print.h"
#include "axle/text/print.h"

namespace axle {

Status CheckCanBeWritten(const Module& module) {
  if (module.open_program() == nullptr) return {};
  return Unimplemented(
      StrCat("\"", module.name(),
             "\" is a StableHLO program that leaves sizes open, which cannot be written in another "
             "format; export it for the shapes of its arguments"));
}

std::string ModuleToText(const Module& module, const ModuleTextOptions& options) {
  return Print(module, {.style = options.short_form ? PrintOptions::Style::kShort
                                                    : PrintOptions::Style::kLong,
                        .large_constants = !options.elide_constants});
}

std::string ModuleToProto(const Module& module) {
  return WriteModuleProto(module);
}

StatusOr<std::string> ModuleToStablehlo(const Module& module, const StablehloOptions& options) {
  AXLE_TRY(CheckCanBeWritten(module));
  AXLE_ASSIGN(const std::unique_ptr<mlir::MlirModule> tree,
              ExportToStablehlo(
                  module, {.chlo_as_composites = options.bytecode, .limits = options.limits}));
  if (options.bytecode) return mlir::WriteMlirBytecode(*tree);
  return mlir::PrintMlirText(*tree, {.locations = options.locations});
}

}  // namespace axle
