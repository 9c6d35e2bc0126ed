// The functions that FFI handlers may call. Errors are the plugin's; a handler hands them back or
// destroys them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "axle/core/strings.h"
#include "axle/pjrt/abi.h"
#include "axle/pjrt/ffi.h"

namespace axle::pjrt {
namespace {

thread_local const FfiExecution* current = nullptr;

XLA_FFI_Error* ToFfi(const Status& status) {
  return status.ok() ? nullptr : new XLA_FFI_Error{status};
}

XLA_FFI_Error* Refuse(std::string_view what) {
  return ToFfi(Unimplemented(StrCat("ffi: ", what)));
}

XLA_FFI_Error* ErrorCreate(XLA_FFI_Error_Create_Args* args) {
  return new XLA_FFI_Error{
      StatusFrom(args->errc == 0 ? 2 : args->errc, args->message == nullptr ? "" : args->message)};
}

void ErrorGetMessage(XLA_FFI_Error_GetMessage_Args* args) {
  args->message = args->error->status.message().c_str();
}

void ErrorDestroy(XLA_FFI_Error_Destroy_Args* args) {
  delete args->error;
}

XLA_FFI_Error* HandlerRegister(XLA_FFI_Handler_Register_Args* args) {
  FfiHandler handler;
  handler.bundle = args->bundle;
  return ToFfi(RegisterFfiHandler({args->name.ptr, args->name.len}, handler));
}

XLA_FFI_Error* TypeRegister(XLA_FFI_Type_Register_Args* args) {
  const bool has_info = AXLE_PJRT_HAS(*args, type_info) && args->type_info != nullptr;
  return ToFfi(RegisterFfiType({args->name.ptr, args->name.len},
                               has_info ? args->type_info->deleter : nullptr,
                               args->type_id->type_id));
}

XLA_FFI_Error* StreamGet(XLA_FFI_Stream_Get_Args* /*args*/) {
  return Refuse("a processor has no streams");
}

XLA_FFI_Error* ExecutionContextGet(XLA_FFI_ExecutionContext_Get_Args* args) {
  PJRT_ExecuteContext* context = args->ctx->execution.context;
  if (context != nullptr) {
    const std::lock_guard lock(context->mutex);
    const auto it = context->user_data.find(args->type_id->type_id);
    if (it != context->user_data.end()) {
      args->data = it->second;
      return nullptr;
    }
  }
  return ToFfi(
      NotFound(StrCat("ffi: the execution has no user data of type ", args->type_id->type_id)));
}

// The arguments of a handler that was compiled before states had stages.
struct StateArguments {
  explicit StateArguments(XLA_FFI_State_Args* args)
      : stage(args->struct_size == sizeof(XLA_FFI_State_Args_V2)
                  ? XLA_FFI_ExecutionStage_INSTANTIATE
                  : args->stage) {
    if (args->struct_size == sizeof(XLA_FFI_State_Args_V2)) {
      auto* older = reinterpret_cast<XLA_FFI_State_Args_V2*>(args);
      type_id = older->type_id->type_id;
      state = &older->state;
    } else {
      type_id = args->type_id->type_id;
      state = &args->state;
    }
  }
  int stage;
  int64_t type_id;
  void** state;
};

XLA_FFI_Error* StateSet(XLA_FFI_State_Args* args) {
  const StateArguments arguments(args);
  return ToFfi(args->ctx->StateOf(arguments.stage)
                   .Set(arguments.stage, arguments.type_id, *arguments.state));
}

XLA_FFI_Error* StateGet(XLA_FFI_State_Args* args) {
  const StateArguments arguments(args);
  const StatusOr<void*> state =
      args->ctx->StateOf(arguments.stage).Get(arguments.stage, arguments.type_id);
  if (!state.ok()) return ToFfi(state.status());
  *arguments.state = *state;
  return nullptr;
}

XLA_FFI_Error* DeviceMemoryAllocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  constexpr size_t kLeastAlignment = 64;
  const size_t alignment = std::max(args->alignment, kLeastAlignment);
  const bool is_power = (alignment & (alignment - 1)) == 0;
  if (!is_power || args->size > SIZE_MAX - alignment) {
    return ToFfi(InvalidArgument(
        StrCat("ffi: ", args->size, " bytes of memory, aligned to ", args->alignment)));
  }
  args->data = std::aligned_alloc(alignment, (args->size + alignment - 1) / alignment * alignment);
  if (args->data != nullptr || args->size == 0) return nullptr;
  return ToFfi(ResourceExhausted(StrCat("ffi: no memory for ", args->size, " bytes")));
}

XLA_FFI_Error* DeviceMemoryFree(XLA_FFI_DeviceMemory_Free_Args* args) {
  std::free(args->data);
  return nullptr;
}

// Tasks may run on the caller's thread, and do.
XLA_FFI_Error* ThreadPoolSchedule(XLA_FFI_ThreadPool_Schedule_Args* args) {
  args->task(args->data);
  return nullptr;
}

XLA_FFI_Error* ThreadPoolNumThreads(XLA_FFI_ThreadPool_NumThreads_Args* args) {
  *args->num_threads = 1;
  return nullptr;
}

XLA_FFI_Error* FutureCreate(XLA_FFI_Future_Create_Args* args) {
  args->future = new XLA_FFI_Future{Future::Pending()};
  return nullptr;
}

XLA_FFI_Error* FutureSetAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
  const Future future = args->future->future;
  future.Set({});
  return nullptr;
}

XLA_FFI_Error* FutureSetError(XLA_FFI_Future_SetError_Args* args) {
  const Future future = args->future->future;
  future.Set(TakeFfiStatus(args->error));
  return nullptr;
}

XLA_FFI_Error* RunIdGet(XLA_FFI_RunId_Get_Args* args) {
  args->run_id = args->ctx->execution.run_id;
  return nullptr;
}

XLA_FFI_Error* DeviceOrdinalGet(XLA_FFI_DeviceOrdinal_Get_Args* args) {
  args->device_ordinal = args->ctx->execution.device_ordinal;
  return nullptr;
}

}  // namespace

FfiState::~FfiState() {
  for (const auto& [stage, value] : values_) {
    if (auto* deleter = FfiTypeDeleter(value.type_id); deleter != nullptr) deleter(value.state);
  }
}

Status FfiState::Instantiate(const std::function<Status()>& instantiate) {
  const std::lock_guard lock(instantiation_);
  if (is_instantiated_) return {};
  AXLE_TRY(instantiate());
  is_instantiated_ = true;
  return {};
}

Status FfiState::Set(int stage, int64_t type_id, void* state) {
  const std::lock_guard lock(mutex_);
  const auto [it, is_new] = values_.try_emplace(stage, Value{type_id, state});
  if (is_new) return {};
  return FailedPrecondition("ffi: the handler has a state already");
}

StatusOr<void*> FfiState::Get(int stage, int64_t type_id) const {
  const std::lock_guard lock(mutex_);
  const auto it = values_.find(stage);
  if (it == values_.end()) return NotFound("ffi: the handler has no state");
  if (it->second.type_id != type_id) {
    return InvalidArgument(
        StrCat("ffi: the state of the handler is of type ", it->second.type_id, ", not ", type_id));
  }
  return it->second.state;
}

FfiState& FfiCallSites::At(const Instruction* instruction) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<FfiState>& state = states_[instruction];
  if (state == nullptr) state = std::make_unique<FfiState>();
  return *state;
}

ScopedFfiExecution::ScopedFfiExecution(const FfiExecution& execution)
    : execution_(execution), outer_(std::exchange(current, &execution_)) {}

ScopedFfiExecution::~ScopedFfiExecution() {
  current = outer_;
}

const FfiExecution& CurrentFfiExecution() {
  static const FfiExecution kNone;
  return current == nullptr ? kNone : *current;
}

Status TakeFfiStatus(XLA_FFI_Error* error) {
  if (error == nullptr) return {};
  const std::unique_ptr<XLA_FFI_Error> taken(error);
  return taken->status;
}

const XLA_FFI_Api& FfiApi() {
  static const XLA_FFI_Api api = {
      .struct_size = sizeof(XLA_FFI_Api),
      .extension_start = nullptr,
      .api_version = {.struct_size = sizeof(XLA_FFI_Api_Version),
                      .extension_start = nullptr,
                      .major_version = 0,
                      .minor_version = 3},
      .internal_api = nullptr,
      .Error_Create = ErrorCreate,
      .Error_GetMessage = ErrorGetMessage,
      .Error_Destroy = ErrorDestroy,
      .Handler_Register = HandlerRegister,
      .Stream_Get = StreamGet,
      .Type_Register = TypeRegister,
      .ExecutionContext_Get = ExecutionContextGet,
      .State_Set = StateSet,
      .State_Get = StateGet,
      .DeviceMemory_Allocate = DeviceMemoryAllocate,
      .DeviceMemory_Free = DeviceMemoryFree,
      .ThreadPool_Schedule = ThreadPoolSchedule,
      .ThreadPool_NumThreads = ThreadPoolNumThreads,
      .Future_Create = FutureCreate,
      .Future_SetAvailable = FutureSetAvailable,
      .Future_SetError = FutureSetError,
      .RunId_Get = RunIdGet,
      .DeviceOrdinal_Get = DeviceOrdinalGet,
  };
  return api;
}

}  // namespace axle::pjrt
