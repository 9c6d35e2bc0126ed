// The id that the linker gave to the library or program that contains a function: equal for equal
// bytes.
#pragma once
#include <string>

namespace axle {

// Empty if it has none.
std::string BuildIdOf(const void* function);

}  // namespace axle
