// The files that jax.export's Exported.serialize() writes.
#pragma once
#include <optional>
#include <string_view>

namespace axle {

// The program in such a file, MLIR bytecode, which ends where the bytes do if they are cut off;
// nothing if the bytes are no such file. Never fails.
std::optional<std::string_view> ProgramInJaxExport(std::string_view bytes);

}  // namespace axle
