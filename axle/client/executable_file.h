// A compiled program as bytes: what Executable::Serialize writes and Client::Load reads.
//
//   bytes 0 to 7     "AXLEPRG" and a zero
//   8 to 11          version of the format, little-endian
//   12 to 19         size of what follows the header, little-endian
//   20 to 27         its XXH3 hash, 64 bits, little-endian
//   28 ...           a message in protobuf's wire format, by the field numbers of
//   executable_file.cc
//
// The program is in it as an HloModuleProto, so that it can be compiled anew. The machine code of
// its kernels is beside it, with the id of the build that made it; another build compiles them
// again.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/program_shape.h"
#include "axle/runtime/saved_kernels.h"

namespace axle {

struct ExecutableFile {
  std::string module;      // HloModuleProto
  CompileOptions options;  // engine, numerics, isa, codegen_level, layouts
  std::string build_id;    // of the code generator
  SavedKernels kernels;
};

// Whether the bytes begin as such a file does.
bool IsExecutableFile(std::string_view bytes);
std::string WriteExecutableFile(const ExecutableFile& file);
// Errors: INVALID_ARGUMENT for bytes that are no such file; DATA_LOSS for one that is damaged or
// was cut off; UNIMPLEMENTED for a newer version of the format.
StatusOr<ExecutableFile> ReadExecutableFile(std::string_view bytes);

}  // namespace axle
