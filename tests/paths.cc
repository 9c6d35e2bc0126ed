#include "tests/paths.h"

#include <cstdlib>

namespace axle {

std::filesystem::path SourceFolder() {
  return AXLE_SOURCE_DIR;
}

std::filesystem::path BuildFolder() {
  return AXLE_BINARY_DIR;
}

std::filesystem::path SharedFolder() {
  const char* shared = std::getenv("AXLE_SHARED");
  return shared != nullptr ? std::filesystem::path(shared) : SourceFolder() / "../shared";
}

}  // namespace axle
