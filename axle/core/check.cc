#include "axle/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace axle {

void CheckFailed(const char* file, int line, std::string_view message) {
  std::fprintf(stderr, "axle: %.*s (%s:%d)\n", static_cast<int>(message.size()), message.data(),
               file, line);
  std::abort();
}

}  // namespace axle
