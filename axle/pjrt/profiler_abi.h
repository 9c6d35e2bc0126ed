// The interface that clients of PJRT profile a plugin with: XLA's profiler_c_api.h and
// pjrt_c_api_profiler_extension.h, written from their description as tables of functions. A node of
// the extension is also in the arguments of calls, without a table, to tell the caller's trace.
#pragma once
#include <cstddef>
#include <cstdint>

#include "axle/pjrt/c_abi.h"

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the names are XLA's.

typedef struct PLUGIN_Profiler PLUGIN_Profiler;
typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error;

typedef struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
} PLUGIN_Profiler_Error_Destroy_Args;

typedef struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
  const char* message;  // out; lives as long as the error
  size_t message_size;  // out
} PLUGIN_Profiler_Error_Message_Args;

typedef struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
  int code;  // out
} PLUGIN_Profiler_Error_GetCode_Args;

typedef struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;
  const char* options;  // a tensorflow.ProfileOptions
  size_t options_size;
  PLUGIN_Profiler* profiler;  // out
} PLUGIN_Profiler_Create_Args;

// Of destroy, start and stop.
typedef struct PLUGIN_Profiler_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
} PLUGIN_Profiler_Args;

typedef struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  uint8_t* buffer;              // null: the plugin sets it to memory of the profiler
  size_t buffer_size_in_bytes;  // out
} PLUGIN_Profiler_CollectData_Args;

typedef struct PLUGIN_Profiler_Api {
  size_t struct_size;
  void* priv;
  void (*error_destroy)(PLUGIN_Profiler_Error_Destroy_Args* args);
  void (*error_message)(PLUGIN_Profiler_Error_Message_Args* args);
  PLUGIN_Profiler_Error* (*error_get_code)(PLUGIN_Profiler_Error_GetCode_Args* args);
  PLUGIN_Profiler_Error* (*create)(PLUGIN_Profiler_Create_Args* args);
  PLUGIN_Profiler_Error* (*destroy)(PLUGIN_Profiler_Args* args);
  PLUGIN_Profiler_Error* (*start)(PLUGIN_Profiler_Args* args);
  PLUGIN_Profiler_Error* (*stop)(PLUGIN_Profiler_Args* args);
  PLUGIN_Profiler_Error* (*collect_data)(PLUGIN_Profiler_CollectData_Args* args);
} PLUGIN_Profiler_Api;

typedef struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;
  PLUGIN_Profiler_Api* profiler_api;
  int64_t traceme_context_id;
} PJRT_Profiler_Extension;

// NOLINTEND(readability-identifier-naming)

}  // extern "C"
