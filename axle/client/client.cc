#include "axle/client/client.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <new>

#include "axle/client/load.h"
#include "axle/core/float_environment.h"
#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/eval/plan.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

Status Unavailable(std::string message) {
  return {StatusCode::kUnavailable, std::move(message)};
}

// Beside the library that this code is part of, if the loader knows where that is.
std::string DefaultCodegenLibrary() {
  constexpr std::string_view kName = "libaxle_codegen.so";
  if (const char* path = std::getenv("AXLE_CODEGEN_LIBRARY"); path != nullptr && *path != '\0') {
    return path;
  }
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&DefaultCodegenLibrary), &info) != 0 &&
      info.dli_fname != nullptr) {
    const std::string_view self = info.dli_fname;
    const size_t slash = self.rfind('/');
    if (slash != self.npos) return StrCat(self.substr(0, slash + 1), kName);
  }
  return std::string(kName);
}

class InterpretedExecutable : public Executable {
 public:
  InterpretedExecutable(std::shared_ptr<const Module> module, std::shared_ptr<HostDevice> device)
      : Executable(std::move(module)), device_(std::move(device)) {}

  StatusOr<Literal> Execute(std::span<const Literal> arguments,
                            const ExecuteOptions& options) const override {
    DeviceContext* device = options.device != nullptr ? options.device : device_.get();
    return Evaluate(module(), arguments,
                    {.limits = options.limits, .device = device, .plans = &plans_});
  }

 private:
  std::shared_ptr<HostDevice> device_;
  mutable PlanCache plans_;
};

class CompiledExecutable : public Executable {
 public:
  CompiledExecutable(std::shared_ptr<const Module> module, std::shared_ptr<const void> library,
                     std::unique_ptr<NativeExecutable> code)
      : Executable(std::move(module)), library_(std::move(library)), code_(std::move(code)) {}

  StatusOr<Literal> Execute(std::span<const Literal> arguments,
                            const ExecuteOptions& options) const override {
    const ScopedFloatEnvironment float_environment;
    const StorageScope storage(options.limits);
    try {
      AXLE_TRY(CheckArguments(*module().entry(), arguments));
      std::vector<Literal> values;
      values.reserve(arguments.size());
      for (const Literal& argument : arguments) values.push_back(argument.ToRowMajor());
      AXLE_ASSIGN(Literal result, code_->Execute(values, options.limits));
      result.OwnStorage();
      return result;
    } catch (const std::bad_alloc&) {
      return ResourceExhausted("execute: no memory to go on with native code");
    }
  }

 private:
  std::shared_ptr<const void> library_;  // keeps the engine that made the code
  std::unique_ptr<NativeExecutable> code_;
};

Status CheckEntryLayout(const Shape& shape, std::string_view what) {
  Status status;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) {
    if (!status.ok() || leaf.layout() == nullptr || leaf.layout()->tiles.empty()) return;
    status = Unimplemented(
        StrCat("compile: tiled entry layouts; ", what, " is ", leaf.ToStringWithLayout()));
  });
  return status;
}

// Layouts that are not honoured are refused, never ignored.
Status CheckEntryLayouts(const Module& module) {
  for (const Instruction* parameter : module.entry()->parameters()) {
    AXLE_TRY(CheckEntryLayout(parameter->shape(), parameter->name()));
  }
  AXLE_TRY(CheckEntryLayout(module.entry()->root()->shape(), "the result"));
  const auto& layout = module.config().entry_computation_layout;
  if (!layout) return {};
  for (size_t i = 0; i < layout->parameters.size(); ++i) {
    AXLE_TRY(CheckEntryLayout(layout->parameters[i], StrCat("parameter ", i)));
  }
  return CheckEntryLayout(layout->result, "the result");
}

}  // namespace

struct Client::NativeLibrary {
  std::mutex mutex;
  std::unique_ptr<NativeEngine> engine;  // null until it is loaded

  // The library is never unloaded: code and type information of it may be in use anywhere.
  StatusOr<NativeEngine*> Load(const std::string& path) {
    const std::lock_guard lock(mutex);
    if (engine != nullptr) return engine.get();
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      return Unavailable(StrCat("compile: the native engine is not there: ", dlerror()));
    }
    auto* create =
        reinterpret_cast<decltype(&axle_codegen_create)>(dlsym(handle, "axle_codegen_create"));
    if (create == nullptr) {
      return Unavailable(StrCat("compile: ", path, " is not a native engine of axle"));
    }
    engine.reset(create(kNativeEngineVersion));
    if (engine == nullptr) {
      return Unavailable(StrCat("compile: ", path, " is of another version of axle"));
    }
    return engine.get();
  }
};

Client::Client(ClientOptions options)
    : options_(std::move(options)),
      device_(std::make_shared<HostDevice>()),
      native_(std::make_shared<NativeLibrary>()) {}
Client::~Client() = default;

StatusOr<std::unique_ptr<Client>> Client::Create(const ClientOptions& options) {
  return std::unique_ptr<Client>(new Client(options));
}

StatusOr<std::unique_ptr<Executable>> Client::Compile(std::shared_ptr<const Module> module,
                                                      const CompileOptions& options) {
  AXLE_TRY(VerifyModule(*module));
  AXLE_TRY(CheckEntryLayouts(*module));
  AXLE_TRY(CheckCustomCallTargets(*module, options.device != nullptr ? *options.device : *device_));
  if (options.codegen_level < 0 || options.codegen_level > 2) {
    return InvalidArgument(
        StrCat("compile: codegen level is ", options.codegen_level, ", must be 0, 1 or 2"));
  }
  if (options.engine == EngineKind::kInterpret) {
    return std::unique_ptr<Executable>(new InterpretedExecutable(std::move(module), device_));
  }
  AXLE_ASSIGN(NativeEngine * engine,
              native_->Load(options_.codegen_library.empty() ? DefaultCodegenLibrary()
                                                             : options_.codegen_library));
  const ScopedFloatEnvironment float_environment;  // constants are folded here
  try {
    AXLE_ASSIGN(std::unique_ptr<NativeExecutable> code,
                engine->Compile(*module, {.isa = options.isa,
                                          .codegen_level = options.codegen_level,
                                          .limits = options.limits}));
    return std::unique_ptr<Executable>(
        new CompiledExecutable(std::move(module), native_, std::move(code)));
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("compile: no memory to go on");
  }
}

StatusOr<std::unique_ptr<Executable>> Client::Compile(std::string_view bytes,
                                                      const CompileOptions& options) {
  AXLE_ASSIGN(std::unique_ptr<Module> module, LoadModule(bytes, {.limits = options.limits}));
  return Compile(std::shared_ptr<const Module>(std::move(module)), options);
}

}  // namespace axle
