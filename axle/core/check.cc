#include "axle/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace axle {

void CheckFailed(const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "axle: %s (%s:%d)\n", message.c_str(), file, line);
  std::abort();
}

}  // namespace axle
