#include "axle/core/float_environment.h"

namespace axle {

#if defined(__x86_64__)

namespace {
constexpr std::uint32_t kDefaultMxcsr = 0x1f80;  // all exceptions masked, nearest, no FTZ, no DAZ
constexpr std::uint16_t kDefaultX87 = 0x037f;

std::uint32_t ReadMxcsr() {
  return __builtin_ia32_stmxcsr();
}
void WriteMxcsr(std::uint32_t value) {
  __builtin_ia32_ldmxcsr(value);
}
std::uint16_t ReadX87() {
  std::uint16_t value;
  asm volatile("fnstcw %0" : "=m"(value));
  return value;
}
void WriteX87(std::uint16_t value) {
  asm volatile("fldcw %0" : : "m"(value));
}
}  // namespace

// Writing costs more than reading, and there is mostly nothing to change.
ScopedFloatEnvironment::ScopedFloatEnvironment()
    : saved_(ReadMxcsr() | static_cast<std::uint64_t>(ReadX87()) << 32) {
  if (static_cast<std::uint32_t>(saved_) != kDefaultMxcsr) WriteMxcsr(kDefaultMxcsr);
  if (static_cast<std::uint16_t>(saved_ >> 32) != kDefaultX87) WriteX87(kDefaultX87);
}

ScopedFloatEnvironment::~ScopedFloatEnvironment() {
  const auto mxcsr = static_cast<std::uint32_t>(saved_);
  const auto x87 = static_cast<std::uint16_t>(saved_ >> 32);
  if (ReadMxcsr() != mxcsr) WriteMxcsr(mxcsr);
  if (ReadX87() != x87) WriteX87(x87);
}

#elif defined(__aarch64__)

ScopedFloatEnvironment::ScopedFloatEnvironment() {
  asm volatile("mrs %0, fpcr" : "=r"(saved_));
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
}

ScopedFloatEnvironment::~ScopedFloatEnvironment() {
  asm volatile("msr fpcr, %0" : : "r"(saved_));
}

#else
#error "axle: no floating-point environment for this architecture"
#endif

}  // namespace axle
