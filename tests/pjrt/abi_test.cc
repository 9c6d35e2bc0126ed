// The layouts of the C interfaces: of PJRT (layouts.def) and of FFI handlers, and which slots of
// the table are filled. Layouts are checked by the compiler.
#include <cstddef>

#include "axle/pjrt/ffi_abi.h"
#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

#if defined(__x86_64__)

template <typename T, size_t kBytes>
struct Sized {
  static_assert(sizeof(T) == kBytes);
  using Type = T;
};

#define STRUCT(type, size) struct Check_##type : Sized<type, size> {
#define ARGS(type, size)                    \
  struct Check_##type : Sized<type, size> { \
    M(struct_size, 0, 8) M(extension_start, 8, 8)
#define EXTENSION(type, size)               \
  struct Check_##type : Sized<type, size> { \
    M(base, 0, 24)
#define M(member, offset, size)                      \
  static_assert(offsetof(Type, member) == (offset)); \
  static_assert(sizeof(Type::member) == (size));
#define END \
  }         \
  ;
#define SLOT(function, offset) static_assert(offsetof(PJRT_Api, function) == (offset));
#include "tests/pjrt/layouts.def"

static_assert(offsetof(PJRT_Api, struct_size) == 0);
static_assert(offsetof(PJRT_Api, extension_start) == 8);
static_assert(offsetof(PJRT_Api, pjrt_api_version) == 16);
static_assert(sizeof(PJRT_Api) == 1144);

// The FFI's: all structs of its functions begin with a size and extensions as well.
#define M(member, offset, size)                      \
  static_assert(offsetof(Type, member) == (offset)); \
  static_assert(sizeof(Type::member) == (size));
#define FFI(type, size)                     \
  struct Check_##type : Sized<type, size> { \
    M(struct_size, 0, 8) M(extension_start, 8, 8)
#define PLAIN(type, size) struct Check_##type : Sized<type, size> {
#define END \
  }         \
  ;
// clang-format off
PLAIN(XLA_FFI_Extension_Base, 24) M(struct_size, 0, 8) M(type, 8, 4) M(next, 16, 8) END
FFI(XLA_FFI_Api_Version, 24) M(major_version, 16, 4) M(minor_version, 20, 4) END
PLAIN(XLA_FFI_ByteSpan, 16) M(ptr, 0, 8) M(len, 8, 8) END
FFI(XLA_FFI_Buffer, 48) M(dtype, 16, 4) M(data, 24, 8) M(rank, 32, 8) M(dims, 40, 8) END
PLAIN(XLA_FFI_Scalar, 16) M(dtype, 0, 4) M(value, 8, 8) END
PLAIN(XLA_FFI_Array, 24) M(dtype, 0, 4) M(size, 8, 8) M(data, 16, 8) END
PLAIN(XLA_FFI_TypeId, 8) M(type_id, 0, 8) END
FFI(XLA_FFI_TypeInfo, 24) M(deleter, 16, 8) END
FFI(XLA_FFI_Args, 40) M(size, 16, 8) M(types, 24, 8) M(args, 32, 8) END
FFI(XLA_FFI_Rets, 40) M(size, 16, 8) M(types, 24, 8) M(rets, 32, 8) END
FFI(XLA_FFI_Attrs, 48) M(size, 16, 8) M(types, 24, 8) M(names, 32, 8) M(attrs, 40, 8) END
FFI(XLA_FFI_CallFrame, 176) M(api, 16, 8) M(ctx, 24, 8) M(stage, 32, 4) M(args, 40, 40) M(rets, 80, 40)
  M(attrs, 120, 48) M(future, 168, 8) END
PLAIN(XLA_FFI_Handler_Bundle, 32) M(instantiate, 0, 8) M(prepare, 8, 8) M(initialize, 16, 8) M(execute, 24, 8) END
PLAIN(XLA_FFI_Metadata, 48) M(struct_size, 0, 8) M(api_version, 8, 24) M(traits, 32, 4) M(state_type_id, 40, 8) END
PLAIN(XLA_FFI_Metadata_Extension, 32) M(extension_base, 0, 24) M(metadata, 24, 8) END
FFI(XLA_FFI_Error_Create_Args, 32) M(message, 16, 8) M(errc, 24, 4) END
FFI(XLA_FFI_Error_GetMessage_Args, 32) M(error, 16, 8) M(message, 24, 8) END
FFI(XLA_FFI_Error_Destroy_Args, 24) M(error, 16, 8) END
FFI(XLA_FFI_Handler_Register_Args, 88) M(name, 16, 16) M(platform, 32, 16) M(bundle, 48, 32) M(traits, 80, 4) END
FFI(XLA_FFI_Type_Register_Args, 48) M(name, 16, 16) M(type_id, 32, 8) M(type_info, 40, 8) END
FFI(XLA_FFI_ExecutionContext_Get_Args, 40) M(ctx, 16, 8) M(type_id, 24, 8) M(data, 32, 8) END
FFI(XLA_FFI_State_Args, 48) M(ctx, 16, 8) M(stage, 24, 4) M(type_id, 32, 8) M(state, 40, 8) END
FFI(XLA_FFI_State_Args_V2, 40) M(ctx, 16, 8) M(type_id, 24, 8) M(state, 32, 8) END
FFI(XLA_FFI_Stream_Get_Args, 32) M(ctx, 16, 8) M(stream, 24, 8) END
FFI(XLA_FFI_DeviceMemory_Allocate_Args, 48) M(ctx, 16, 8) M(size, 24, 8) M(alignment, 32, 8) M(data, 40, 8) END
FFI(XLA_FFI_DeviceMemory_Free_Args, 40) M(ctx, 16, 8) M(size, 24, 8) M(data, 32, 8) END
FFI(XLA_FFI_ThreadPool_Schedule_Args, 40) M(ctx, 16, 8) M(task, 24, 8) M(data, 32, 8) END
FFI(XLA_FFI_ThreadPool_NumThreads_Args, 32) M(ctx, 16, 8) M(num_threads, 24, 8) END
FFI(XLA_FFI_Future_Create_Args, 24) M(future, 16, 8) END
FFI(XLA_FFI_Future_SetAvailable_Args, 24) M(future, 16, 8) END
FFI(XLA_FFI_Future_SetError_Args, 32) M(future, 16, 8) M(error, 24, 8) END
FFI(XLA_FFI_RunId_Get_Args, 32) M(ctx, 16, 8) M(run_id, 24, 8) END
FFI(XLA_FFI_DeviceOrdinal_Get_Args, 32) M(ctx, 16, 8) M(device_ordinal, 24, 4) END
FFI(XLA_FFI_Api, 192) M(api_version, 16, 24) M(internal_api, 40, 8) M(Error_Create, 48, 8)
  M(Error_GetMessage, 56, 8) M(Error_Destroy, 64, 8) M(Handler_Register, 72, 8) M(Stream_Get, 80, 8)
  M(Type_Register, 88, 8) M(ExecutionContext_Get, 96, 8) M(State_Set, 104, 8) M(State_Get, 112, 8)
  M(DeviceMemory_Allocate, 120, 8) M(DeviceMemory_Free, 128, 8) M(ThreadPool_Schedule, 136, 8)
  M(ThreadPool_NumThreads, 144, 8) M(Future_Create, 152, 8) M(Future_SetAvailable, 160, 8)
  M(Future_SetError, 168, 8) M(RunId_Get, 176, 8) M(DeviceOrdinal_Get, 184, 8) END
// clang-format on

#endif

    // The slots in their order: those that this plugin has no function for, not even one that
    // refuses, are null.
    TEST(PjrtAbi, TableHasAllSlots) {
  struct Slot {
    const char* name;
    const void* function;
    bool is_absent;
  };
  const PJRT_Api& api = Api();
  const Slot slots[] = {
#define AXLE_PJRT_ABSENT(name, since) {#name, reinterpret_cast<const void*>(api.name), true},
#define AXLE_PJRT_FUNCTION(name, since) {#name, reinterpret_cast<const void*>(api.name), false},
#include "axle/pjrt/functions.def"
  };
  EXPECT_EQ(std::size(slots), 138U);
  EXPECT_EQ(offsetof(PJRT_Api, Error_Destroy) + sizeof(void*) * std::size(slots), sizeof(PJRT_Api));
  for (const Slot& slot : slots) EXPECT_EQ(slot.function == nullptr, slot.is_absent) << slot.name;
}

// A refused function says what it does not do, whatever it is given.
TEST(PjrtAbi, RefusedFunctionsSayWhatIsNotSupported) {
  const PJRT_Api& api = Api();
#define AXLE_PJRT_REFUSED(name, since, what) \
  EXPECT_EQ(Take(api.name(nullptr)),         \
            "UNIMPLEMENTED: PJRT_" #name ": this plugin does not support " what);
#include "axle/pjrt/functions.def"
}

// Whatever a function is about must be there, and so must its arguments.
TEST(PjrtAbi, NullArgumentsAndObjectsAreErrors) {
  const PJRT_Api& api = Api();
#define AXLE_PJRT_OF(name, since)                                                         \
  EXPECT_EQ(Take(api.name(nullptr)), "INVALID_ARGUMENT: PJRT_" #name ": null arguments"); \
  EXPECT_EQ(Error(api.name, {}), "INVALID_ARGUMENT: PJRT_" #name ": the object is null");
#define AXLE_PJRT_FREE(name, since) \
  EXPECT_EQ(Take(api.name(nullptr)), "INVALID_ARGUMENT: PJRT_" #name ": null arguments");
#include "axle/pjrt/functions.def"
  // These return nothing, and do nothing.
  api.Error_Destroy(nullptr);
  api.Error_Message(nullptr);
}

// To destroy nothing is allowed.
TEST(PjrtAbi, NullCanBeDestroyed) {
  EXPECT_EQ(Error(Api().Event_Destroy, {}), "OK");
  EXPECT_EQ(Error(Api().Client_Destroy, {}), "OK");
  EXPECT_EQ(Error(Api().Executable_Destroy, {}), "OK");
  EXPECT_EQ(Error(Api().LoadedExecutable_Destroy, {}), "OK");
  EXPECT_EQ(Error(Api().Buffer_Destroy, {}), "OK");
  EXPECT_EQ(Error(Api().TopologyDescription_Destroy, {}), "OK");
  EXPECT_EQ(Error(Api().ExecuteContext_Destroy, {}), "OK");
  EXPECT_EQ(Error(Api().AsyncHostToDeviceTransferManager_Destroy, {}), "OK");
  EXPECT_EQ(Error(Api().AsyncTrackingEvent_Destroy, {}), "OK");
  PJRT_Error_Destroy_Args error = {.struct_size = sizeof(error), .error = nullptr};
  Api().Error_Destroy(&error);
}

}  // namespace
}  // namespace axle::plugin
