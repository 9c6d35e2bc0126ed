// What the fuzz targets share.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "axle/core/limits.h"

namespace axle::fuzz {

// Reports a finding.
[[noreturn]] inline void Fail(const char* what, const std::string& first,
                              const std::string& second) {
  std::fprintf(stderr, "fuzz: %s\n--- first\n%s\n--- second\n%s\n", what, first.c_str(),
               second.c_str());
  std::abort();
}

// The limits of the command line.
inline void SetLimits(Limits& limits) {
  limits.set_memory_cap(std::int64_t{1} << 30);
  limits.set_time_limit(8);
}

}  // namespace axle::fuzz
