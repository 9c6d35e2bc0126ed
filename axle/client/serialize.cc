// Compiled programs as bytes: Executable::Serialize and Client::Load.
#include <algorithm>
#include <new>

#include "axle/client/client.h"
#include "axle/client/executable_file.h"
#include "axle/client/load.h"
#include "axle/client/save.h"
#include "axle/core/literal_layouts.h"
#include "axle/ir/module.h"
#include "axle/runtime/native_engine.h"

namespace axle {

StatusOr<std::string> Executable::Serialize() const try {
  AXLE_TRY(CheckCanBeWritten(module()));
  AXLE_ASSIGN(ExecutableFile file, Save());
  file.module = ModuleToProto(module());
  const ProgramShape& shape = program_shape();
  if (std::ranges::any_of(shape.parameters, HasLayout)) {
    file.options.argument_layouts = shape.parameters;
  }
  if (HasLayout(shape.result)) file.options.result_layout = shape.result;
  return WriteExecutableFile(file);
} catch (const std::bad_alloc&) {
  return ResourceExhausted("serialize: no memory for the compiled program");
}

StatusOr<std::shared_ptr<Executable>> Client::Load(std::string_view bytes,
                                                   const CompileOptions& options) try {
  AXLE_ASSIGN(ExecutableFile file, ReadExecutableFile(bytes));
  AXLE_ASSIGN(std::unique_ptr<Module> module,
              LoadModule(file.module, {.format = InputFormat::kHloProto,
                                       .label = "compiled program",
                                       .limits = options.limits}));
  CompileOptions all = std::move(file.options);
  all.devices = options.devices;
  all.device = options.device;
  all.limits = options.limits;
  AXLE_ASSIGN(NativeEngine * engine, EngineFor(all.engine, true));
  const bool is_same_build =
      engine != nullptr && !file.build_id.empty() && engine->build_id() == file.build_id;
  return CompileWith(std::move(module), all, is_same_build ? &file.kernels : nullptr);
} catch (const std::bad_alloc&) {
  return ResourceExhausted("load: no memory for the compiled program");
}

}  // namespace axle
