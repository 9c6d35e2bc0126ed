// gzip and zstd, for inputs.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

bool IsCompressed(std::string_view bytes);
// RESOURCE_EXHAUSTED if the content is longer than `max_bytes`, which bounds memory as well.
StatusOr<std::string> Decompress(std::string_view bytes, i64 max_bytes);

}  // namespace axle
