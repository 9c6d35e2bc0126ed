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
#include "axle/runtime/host_device.h"
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
  // Where the functions that custom calls name must be registered: that of the client if null.
  const DeviceContext* device = nullptr;
  Limits* limits = nullptr;
};

struct ExecuteOptions {
  Limits* limits = nullptr;         // of this run; none if null
  DeviceContext* device = nullptr;  // that of the client if null
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
  // cannot run it (yet), with the name of the op; NOT_FOUND if it calls a function that is not
  // registered; UNAVAILABLE if the native engine cannot be loaded.
  StatusOr<std::unique_ptr<Executable>> Compile(std::shared_ptr<const Module> module,
                                                const CompileOptions& options = {});
  // The same from bytes of any format that client/load.h reads.
  StatusOr<std::unique_ptr<Executable>> Compile(std::string_view bytes,
                                                const CompileOptions& options = {});

  // The device on which executables run unless they are told another one. It lives as long as the
  // client and its executables.
  HostDevice& device() { return *device_; }

  // Makes `function` the target of custom calls of this name, api_version API_VERSION_ORIGINAL:
  //
  //   void AddOne(void* out, void** in);
  //   AXLE_TRY(client->RegisterCustomCall("add_one", AddOne));
  //
  // runtime/custom_call_registry.h says what it gets; device().custom_calls() takes the other kinds
  // of functions. Errors: ALREADY_EXISTS if the name is taken. A target cannot be taken back.
  Status RegisterCustomCall(std::string_view name, CustomCallRegistry::Function function) {
    return device().custom_calls().Register(name, std::move(function));
  }
  Status RegisterCustomCall(std::string_view name, void (*function)(void* out, void** in)) {
    return device().custom_calls().Register(name, function);
  }

  // Puts an array, or the elements of a tuple of arrays, into the infeed queue; waits while it is
  // full, until the limits say CANCELLED or DEADLINE_EXCEEDED. A program's infeed takes them in the
  // order in which they came, and waits for them.
  Status TransferToInfeed(const Literal& value, Limits* limits = nullptr) {
    return device().TransferToInfeed(value, limits);
  }
  // Takes the next array, or for a tuple the next arrays, that a program has put into the outfeed
  // queue, and waits for them. INVALID_ARGUMENT if they are not of this shape; they stay then.
  StatusOr<Literal> TransferFromOutfeed(const Shape& shape, Limits* limits = nullptr) {
    return device().TransferFromOutfeed(shape, limits);
  }

 private:
  struct NativeLibrary;
  explicit Client(ClientOptions options);

  ClientOptions options_;
  std::shared_ptr<HostDevice> device_;
  std::shared_ptr<NativeLibrary> native_;  // loaded when it is first needed
};

}  // namespace axle
