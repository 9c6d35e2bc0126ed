// gzip and zstd decompression of inputs.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

// Whether the bytes begin as gzip or zstd do. Thread-safe, as Decompress is.
bool IsCompressed(std::string_view bytes);
// The decompressed bytes. Errors: INVALID_ARGUMENT for bytes that are damaged or not compressed;
// RESOURCE_EXHAUSTED if the content is longer than `max_bytes`, which bounds memory as well, or in
// more than kMaxMembers members (frames), which take time though they may be empty; those of the
// limits, unless they are null.
StatusOr<std::string> Decompress(std::string_view bytes, i64 max_bytes, Limits* limits = nullptr);
inline constexpr i64 kMaxMembers = i64{1} << 16;

}  // namespace axle
