// Whole files. Errors name the path and say what the system said.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

// NOT_FOUND if there is no such file; RESOURCE_EXHAUSTED above `max_bytes` (a device may never
// end).
StatusOr<std::string> ReadFile(const std::string& path,
                               std::int64_t max_bytes = std::int64_t{1} << 40);
// Replaces what was there.
Status WriteFile(const std::string& path, std::string_view bytes);

}  // namespace axle
