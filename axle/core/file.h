// Whole files. Errors name the path and say what the system said.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

class Limits;

// NOT_FOUND if there is no such file; INVALID_ARGUMENT for a name with a NUL byte;
// RESOURCE_EXHAUSTED above `max_bytes` (a device may never end). A pipe is waited for as long as
// the limits, unless null, say nothing.
StatusOr<std::string> ReadFile(const std::string& path,
                               std::int64_t max_bytes = std::int64_t{1} << 40,
                               Limits* limits = nullptr);
// The same of a file that is open, to its end; `name` is for messages.
StatusOr<std::string> ReadDescriptor(int file, const std::string& name,
                                     std::int64_t max_bytes = std::int64_t{1} << 40,
                                     Limits* limits = nullptr);
// Replaces what was there.
Status WriteFile(const std::string& path, std::string_view bytes);

}  // namespace axle
