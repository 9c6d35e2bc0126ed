// Client: compiles modules and runs them, on the interpreter or on native code.
//
//   AXLE_ASSIGN(auto client, Client::Create());
//   AXLE_ASSIGN(auto executable, client->Compile(text));
//   AXLE_ASSIGN(Literal result, executable->Execute(arguments));
//
// Thread-safe, and so are executables, which may outlive their client. Prints nothing and installs
// no signal handler.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "axle/core/device_context.h"
#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/ir/module.h"
#include "axle/runtime/native_engine.h"

namespace axle {

enum class EngineKind : std::uint8_t { kInterpret, kNative };

struct ClientOptions {
  // The library of the native engine. "": what the environment variable AXLE_CODEGEN_LIBRARY says,
  // else libaxle_codegen.so beside libaxle.so, else on the loader's search path.
  std::string codegen_library = {};
};

struct CompileOptions {
  EngineKind engine = EngineKind::kInterpret;
  NativeIsa isa = NativeIsa::kAuto;
  int codegen_level = 2;  // 0 to 2
  Limits* limits = nullptr;
};

struct ExecuteOptions {
  Limits* limits = nullptr;         // of this run; none if null
  DeviceContext* device = nullptr;  // device 0 of 1 if null
};

class Executable {
 public:
  virtual ~Executable() = default;

  const Module& module() const { return *module_; }
  // Runs the entry.
  //
  //   arguments  one literal per parameter of the entry, of any layout
  //   result     row-major
  //
  // Errors: INVALID_ARGUMENT if the arguments do not fit; RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED or
  // CANCELLED as the limits say.
  virtual StatusOr<Literal> Execute(std::span<const Literal> arguments,
                                    const ExecuteOptions& options = {}) const = 0;

 protected:
  explicit Executable(std::shared_ptr<const Module> module) : module_(std::move(module)) {}

 private:
  std::shared_ptr<const Module> module_;
};

class Client {
 public:
  static StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options = {});
  ~Client();

  // `module` is verified, as Parse and the builder return it. Errors: UNIMPLEMENTED if the engine
  // cannot run it (yet), with the name of the op; UNAVAILABLE if the native engine cannot be
  // loaded.
  StatusOr<std::unique_ptr<Executable>> Compile(std::shared_ptr<const Module> module,
                                                const CompileOptions& options = {});
  // The same from bytes of any format that client/load.h reads.
  StatusOr<std::unique_ptr<Executable>> Compile(std::string_view bytes,
                                                const CompileOptions& options = {});

 private:
  struct NativeLibrary;
  explicit Client(ClientOptions options);

  ClientOptions options_;
  std::shared_ptr<NativeLibrary> native_;  // loaded when it is first needed
};

}  // namespace axle
