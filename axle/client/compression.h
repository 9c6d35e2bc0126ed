// gzip and zstd, for inputs.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

// Whether the bytes begin as gzip or zstd do. Thread-safe, as Decompress is.
bool IsCompressed(std::string_view bytes);
// The content. Errors: INVALID_ARGUMENT for damaged bytes and for what is not compressed;
// RESOURCE_EXHAUSTED if it is longer than `max_bytes`, which bounds memory as well.
StatusOr<std::string> Decompress(std::string_view bytes, i64 max_bytes);

}  // namespace axle
