// FFI: custom calls of users, as handlers that were compiled with XLA's ffi.h or that
// jax.ffi registers.
//
// Handlers are registered with the process, by name, through the FFI extension of the plugin. A
// program that calls one gets it at compilation (RegisterHandlers), and calls it with a call frame:
// the buffers of the operands and results, the attributes, and an execution context, which gives
// what the client attached to the execution (user data) and the state that the handler keeps for a
// call site.
//
//   ffi_registry.cc   names, types, the extension
//   ffi_api.cc        the functions that a handler may call
//   ffi_call.cc       call frames
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axle/client/client.h"
#include "axle/client/future.h"
#include "axle/core/limits.h"
#include "axle/pjrt/c_abi.h"
#include "axle/pjrt/ffi_abi.h"
#include "axle/runtime/custom_call_registry.h"

struct XLA_FFI_Error {
  axle::Status status;
};

struct XLA_FFI_Future {
  axle::Future future;
};

// What a client attaches to executions: data by the ids of their types.
struct PJRT_ExecuteContext {
  std::mutex mutex;
  std::map<int64_t, void*> user_data;
};

namespace axle::pjrt {
struct ClientState;

// The state that a handler keeps for a call site of an executable, by stage, with the functions
// that delete it. All functions are thread-safe.
class FfiState {
 public:
  FfiState() = default;
  ~FfiState();
  FfiState(const FfiState&) = delete;
  FfiState& operator=(const FfiState&) = delete;

  // FAILED_PRECONDITION if there is a state already.
  Status Set(int stage, int64_t type_id, void* state);
  // NOT_FOUND if there is none; INVALID_ARGUMENT if it is of another type.
  StatusOr<void*> Get(int stage, int64_t type_id) const;
  // Calls `instantiate` unless it was called before. Runs that come meanwhile wait for it.
  Status Instantiate(const std::function<Status()>& instantiate);

 private:
  struct Value {
    int64_t type_id;
    void* state;
  };
  std::mutex instantiation_;  // held while `instantiate` runs
  bool is_instantiated_ = false;
  mutable std::mutex mutex_;
  std::map<int, Value> values_;
};

// The states of the call sites of an executable, by the instruction that calls. They are deleted
// with the executable.
class FfiCallSites {
 public:
  FfiState& At(const Instruction* instruction);

 private:
  std::mutex mutex_;
  std::map<const Instruction*, std::unique_ptr<FfiState>> states_;
};

// A handler: typed, or one of the older kind, void (void* out, const void** in).
struct FfiHandler {
  XLA_FFI_Handler_Bundle bundle = {};
  void (*untyped)(void* out, const void** in) = nullptr;
  bool operator==(const FfiHandler& other) const;
};

// Errors: ALREADY_EXISTS for a name that another handler has; INVALID_ARGUMENT for handlers of
// another version of the interface.
Status RegisterFfiHandler(std::string_view name, const FfiHandler& handler);
// Nothing if there is none of this name.
std::optional<FfiHandler> FindFfiHandler(std::string_view name);
// Gives the type an id if `type_id` is 0, otherwise checks that it is the one that the type has.
Status RegisterFfiType(std::string_view name, void (*deleter)(void* object), int64_t& type_id);
// Null for a type without one.
void (*FfiTypeDeleter(int64_t type_id))(void* object);

// What a handler's context refers to.
struct FfiExecution {
  PJRT_ExecuteContext* context = nullptr;
  FfiCallSites* sites = nullptr;
  i64 run_id = 0;  // a number of its own for each execution
  int device_ordinal = 0;
};
// The execution of this thread, for the handlers that its program calls.
class ScopedFfiExecution {
 public:
  explicit ScopedFfiExecution(const FfiExecution& execution);
  ~ScopedFfiExecution();
  ScopedFfiExecution(const ScopedFfiExecution&) = delete;
  ScopedFfiExecution& operator=(const ScopedFfiExecution&) = delete;

 private:
  FfiExecution execution_;
  const FfiExecution* outer_;
};
const FfiExecution& CurrentFfiExecution();

// Calls a typed handler.
Status CallFfiHandler(const XLA_FFI_Handler_Bundle& bundle, const CustomCallFrame& frame,
                      FfiState& state);
const XLA_FFI_Api& FfiApi();
Status TakeFfiStatus(XLA_FFI_Error* error);

// Makes the handlers that `module` names known to the client, and returns whether it calls
// functions of users at all. NOT_FOUND if it names one that nobody has registered.
StatusOr<bool> RegisterHandlers(const Module& module, ClientState& client);

// The extension's node.
PJRT_Extension_Base* FfiExtension(PJRT_Extension_Base* next);

}  // namespace axle::pjrt

// Where a handler's context points.
struct XLA_FFI_ExecutionContext {
  // The states of the stages before the execution belong to the call, that of `instantiate` to its
  // site.
  axle::pjrt::FfiState& StateOf(int stage) {
    return stage == XLA_FFI_ExecutionStage_INSTANTIATE ? site : call;
  }
  const axle::pjrt::FfiExecution& execution;
  axle::pjrt::FfiState& site;
  axle::pjrt::FfiState& call;
};
