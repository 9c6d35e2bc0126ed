// CustomCallApi: which kind of function the target of a custom call is.
#pragma once
#include <cstdint>

namespace axle {

// The value of api_version; the numbers are XLA's.
enum class CustomCallApi : std::uint8_t {
  kUnspecified,
  kOriginal,                // void f(void* out, const void** in)
  kStatusReturning,         // ... and a status
  kStatusReturningUnified,  // ... and the bytes of backend_config
  kTyped,                   // buffers with shapes, and attributes by name
};

}  // namespace axle
