// axle_status: what a C caller gets of a Status. One block of memory, texts included, or a
// constant.
#pragma once
#include <cstdint>

#include "axle/c_api.h"

struct axle_status {
  axle_code code;
  std::int32_t line;
  std::int32_t column;
  std::int32_t is_constant;  // never freed
  const char* message;
  const char* file;
};

namespace axle {

// Both never fail: without memory the result is a constant that says so. OK is null.
axle_status* NewStatus(axle_code code, const char* message, const char* file, std::int32_t line,
                       std::int32_t column);
axle_status* OutOfMemoryStatus();

// What the entry points of these names do once they know the processor.
axle_status* CreateClient(const axle_client_options* options, axle_client** client);
axle_status* CreateBuilder(const char* name, axle_builder** builder);
axle_status* ParseModule(const void* bytes, size_t size, const axle_parse_options* options,
                         axle_module** module);
axle_status* ReadArrayFile(const void* bytes, size_t size, axle_limits* limits,
                           axle_arrays** arrays);
axle_status* WriteArrayFile(const char* format, const char* const* names,
                            const axle_array* const* arrays, size_t num_arrays, axle_bytes** file);

}  // namespace axle
