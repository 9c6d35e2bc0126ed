// The C interface between a runtime and its FFI handlers (custom calls of users), as XLA's headers
// have it: names, layouts and numbers are theirs, so that handlers that were compiled with XLA's
// ffi.h can be called. It is version 0.3 of that interface. Enumerations are plain ints here: 0.1
// and 0.2 differ from it in members that struct_size tells apart (ffi_api.cc).
#pragma once
#include <stddef.h>
#include <stdint.h>

extern "C" {

struct XLA_FFI_Api;
struct XLA_FFI_Error;
struct XLA_FFI_ExecutionContext;
struct XLA_FFI_Future;

struct XLA_FFI_Extension_Base {
  size_t struct_size;
  int type;  // 1: XLA_FFI_Metadata_Extension
  XLA_FFI_Extension_Base* next;
};

struct XLA_FFI_Api_Version {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int major_version;
  int minor_version;
};

struct XLA_FFI_ByteSpan {
  const char* ptr;
  size_t len;
};

// The numbers of element types are those of axle::PrimitiveType.
struct XLA_FFI_Buffer {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
};

struct XLA_FFI_Scalar {
  int dtype;
  void* value;
};

struct XLA_FFI_Array {
  int dtype;
  size_t size;
  void* data;
};

enum { XLA_FFI_ArgType_BUFFER = 1, XLA_FFI_RetType_BUFFER = 1 };
enum {
  XLA_FFI_AttrType_ARRAY = 1,
  XLA_FFI_AttrType_DICTIONARY = 2,
  XLA_FFI_AttrType_SCALAR = 3,
  XLA_FFI_AttrType_STRING = 4,
};
enum {
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  XLA_FFI_ExecutionStage_PREPARE = 1,
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  XLA_FFI_ExecutionStage_EXECUTE = 3,
};

struct XLA_FFI_TypeId {
  int64_t type_id;
};

struct XLA_FFI_TypeInfo {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  void (*deleter)(void* object);
};

struct XLA_FFI_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  int* types;
  void** args;
};

struct XLA_FFI_Rets {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  int* types;
  void** rets;
};

// Sorted by name.
struct XLA_FFI_Attrs {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  int* types;
  XLA_FFI_ByteSpan** names;
  void** attrs;
};

struct XLA_FFI_CallFrame {
  size_t struct_size;  // without `future`
  XLA_FFI_Extension_Base* extension_start;
  const XLA_FFI_Api* api;
  XLA_FFI_ExecutionContext* ctx;
  int stage;
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
  XLA_FFI_Future* future;  // set by a handler that is not done when it returns
};

typedef XLA_FFI_Error* XLA_FFI_Handler(XLA_FFI_CallFrame* call_frame);

struct XLA_FFI_Handler_Bundle {
  XLA_FFI_Handler* instantiate;
  XLA_FFI_Handler* prepare;
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* execute;  // the one that must be there
};

struct XLA_FFI_Metadata {
  size_t struct_size;
  XLA_FFI_Api_Version api_version;
  uint32_t traits;
  XLA_FFI_TypeId state_type_id;
};

struct XLA_FFI_Metadata_Extension {
  XLA_FFI_Extension_Base extension_base;
  XLA_FFI_Metadata* metadata;
};

// --- Arguments of the functions of XLA_FFI_Api
// -----------------------------------------------------

struct XLA_FFI_Error_Create_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const char* message;
  int errc;
};

struct XLA_FFI_Error_GetMessage_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
  const char* message;
};

struct XLA_FFI_Error_Destroy_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
};

struct XLA_FFI_Handler_Register_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  XLA_FFI_Handler_Bundle bundle;
  uint32_t traits;
};

struct XLA_FFI_Type_Register_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_TypeId* type_id;
  const XLA_FFI_TypeInfo* type_info;
};

struct XLA_FFI_ExecutionContext_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* data;
};

struct XLA_FFI_State_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int stage;  // since 0.3; before, the members that follow begin here
  XLA_FFI_TypeId* type_id;
  void* state;
};

struct XLA_FFI_State_Args_V2 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* state;
};

struct XLA_FFI_Stream_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  void* stream;
};

struct XLA_FFI_DeviceMemory_Allocate_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  size_t size;
  size_t alignment;
  void* data;
};

struct XLA_FFI_DeviceMemory_Free_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  size_t size;
  void* data;
};

struct XLA_FFI_ThreadPool_Schedule_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  void (*task)(void* data);
  void* data;
};

struct XLA_FFI_ThreadPool_NumThreads_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int64_t* num_threads;
};

struct XLA_FFI_Future_Create_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;
};

struct XLA_FFI_Future_SetAvailable_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;
};

struct XLA_FFI_Future_SetError_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;
  XLA_FFI_Error* error;  // taken over
};

struct XLA_FFI_RunId_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int64_t run_id;
};

struct XLA_FFI_DeviceOrdinal_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int32_t device_ordinal;
};

struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const void* internal_api;  // null: handlers outside of XLA do not use it
  XLA_FFI_Error* (*Error_Create)(XLA_FFI_Error_Create_Args* args);
  void (*Error_GetMessage)(XLA_FFI_Error_GetMessage_Args* args);
  void (*Error_Destroy)(XLA_FFI_Error_Destroy_Args* args);
  XLA_FFI_Error* (*Handler_Register)(XLA_FFI_Handler_Register_Args* args);
  XLA_FFI_Error* (*Stream_Get)(XLA_FFI_Stream_Get_Args* args);
  XLA_FFI_Error* (*Type_Register)(XLA_FFI_Type_Register_Args* args);
  XLA_FFI_Error* (*ExecutionContext_Get)(XLA_FFI_ExecutionContext_Get_Args* args);
  XLA_FFI_Error* (*State_Set)(XLA_FFI_State_Args* args);
  XLA_FFI_Error* (*State_Get)(XLA_FFI_State_Args* args);
  XLA_FFI_Error* (*DeviceMemory_Allocate)(XLA_FFI_DeviceMemory_Allocate_Args* args);
  XLA_FFI_Error* (*DeviceMemory_Free)(XLA_FFI_DeviceMemory_Free_Args* args);
  XLA_FFI_Error* (*ThreadPool_Schedule)(XLA_FFI_ThreadPool_Schedule_Args* args);
  XLA_FFI_Error* (*ThreadPool_NumThreads)(XLA_FFI_ThreadPool_NumThreads_Args* args);
  XLA_FFI_Error* (*Future_Create)(XLA_FFI_Future_Create_Args* args);
  XLA_FFI_Error* (*Future_SetAvailable)(XLA_FFI_Future_SetAvailable_Args* args);
  XLA_FFI_Error* (*Future_SetError)(XLA_FFI_Future_SetError_Args* args);
  XLA_FFI_Error* (*RunId_Get)(XLA_FFI_RunId_Get_Args* args);
  XLA_FFI_Error* (*DeviceOrdinal_Get)(XLA_FFI_DeviceOrdinal_Get_Args* args);
};

}  // extern "C"
