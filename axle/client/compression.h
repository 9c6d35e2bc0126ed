// gzip and zstd decompression of inputs.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

// Returns whether the bytes begin as gzip or zstd do. Both functions are thread-safe.
bool IsCompressed(std::string_view bytes);
// Returns the decompressed bytes. Errors: INVALID_ARGUMENT for bytes that are damaged or not
// compressed; RESOURCE_EXHAUSTED if the content is longer than `max_bytes`, which bounds memory as
// well, or has more than kMaxMembers members (frames), which take time even if they are empty;
// those of the limits, unless they are null.
StatusOr<std::string> Decompress(std::string_view bytes, i64 max_bytes, Limits* limits = nullptr);
inline constexpr i64 kMaxMembers = i64{1} << 16;

}  // namespace axle
