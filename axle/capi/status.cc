// Compiled for plain x86-64 (CMakeLists.txt): what runs before it is known that the processor can
// run the rest. No templates and no inline functions, of which the linker might take the copy of
// another file.
#include "axle/capi/status.h"

#include <stdlib.h>
#include <string.h>

#include "axle/core/processor.h"

namespace axle {

axle_status* OutOfMemoryStatus() {
  static axle_status status = {
      AXLE_RESOURCE_EXHAUSTED, 0, 0, 1, "there is no memory to go on", "",
  };
  return &status;
}

axle_status* NewStatus(axle_code code, const char* message, const char* file, std::int32_t line,
                       std::int32_t column) {
  if (code == AXLE_OK) return nullptr;
  const size_t message_size = strlen(message) + 1;
  const size_t file_size = strlen(file) + 1;
  void* const memory = malloc(sizeof(axle_status) + message_size + file_size);
  if (memory == nullptr) return OutOfMemoryStatus();
  axle_status* const status = static_cast<axle_status*>(memory);
  char* const texts = static_cast<char*>(memory) + sizeof(axle_status);
  memcpy(texts, message, message_size);
  memcpy(texts + message_size, file, file_size);
  *status = {code, line, column, 0, texts, texts + message_size};
  return status;
}

// Null, or UNIMPLEMENTED on a processor that cannot run the library.
static axle_status* CheckProcessor() {
  if (HasBaselineProcessor()) return nullptr;
  return NewStatus(AXLE_UNIMPLEMENTED, kProcessorTooOld, "", 0, 0);
}

}  // namespace axle

axle_code axle_status_code(const axle_status* status) {
  return status == nullptr ? static_cast<axle_code>(AXLE_OK) : status->code;
}

const char* axle_status_message(const axle_status* status) {
  return status == nullptr ? "" : status->message;
}

const char* axle_status_file(const axle_status* status) {
  return status == nullptr ? "" : status->file;
}

std::int32_t axle_status_line(const axle_status* status) {
  return status == nullptr ? 0 : status->line;
}

std::int32_t axle_status_column(const axle_status* status) {
  return status == nullptr ? 0 : status->column;
}

void axle_status_destroy(axle_status* status) {
  if (status != nullptr && status->is_constant == 0) free(status);
}

axle_status* axle_status_create(axle_code code, const char* message) {
  return axle::NewStatus(code, message == nullptr ? "" : message, "", 0, 0);
}

std::int32_t axle_c_api_version(void) {
  return AXLE_C_API_VERSION;
}

axle_status* axle_client_create(const axle_client_options* options, axle_client** client) {
  if (axle_status* status = axle::CheckProcessor()) return status;
  return axle::CreateClient(options, client);
}

axle_status* axle_builder_create(const char* name, axle_builder** builder) {
  if (axle_status* status = axle::CheckProcessor()) return status;
  return axle::CreateBuilder(name, builder);
}

axle_status* axle_module_parse(const void* bytes, size_t size, const axle_parse_options* options,
                               axle_module** module) {
  if (axle_status* status = axle::CheckProcessor()) return status;
  return axle::ParseModule(bytes, size, options, module);
}

axle_status* axle_arrays_read(const void* bytes, size_t size, axle_limits* limits,
                              axle_arrays** arrays) {
  if (axle_status* status = axle::CheckProcessor()) return status;
  return axle::ReadArrayFile(bytes, size, limits, arrays);
}

axle_status* axle_arrays_write(const char* format, const char* const* names,
                               const axle_array* const* arrays, size_t num_arrays,
                               axle_bytes** file) {
  if (axle_status* status = axle::CheckProcessor()) return status;
  return axle::WriteArrayFile(format, names, arrays, num_arrays, file);
}
