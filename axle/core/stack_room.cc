#include "axle/core/stack_room.h"

#include <pthread.h>

#include <cstdint>
#include <limits>

#include "axle/core/strings.h"

namespace axle {
namespace {

struct Stack {
  std::uintptr_t low = 0, high = 0;  // both 0: not known
};

Stack StackOfThisThread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* address = nullptr;
  size_t size = 0, guard = 0;
  Stack stack;
  if (pthread_attr_getstack(&attributes, &address, &size) == 0) {
    pthread_attr_getguardsize(&attributes, &guard);
    const auto low = reinterpret_cast<std::uintptr_t>(address);
    stack = {low + guard, low + size};
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

i64 StackBytesLeft() {
  static thread_local const Stack stack = StackOfThisThread();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here < stack.low || here >= stack.high) return std::numeric_limits<i64>::max();
  return static_cast<i64>(here - stack.low);
}

Status CheckDeepCall(int depth, std::string_view name) {
  if (depth >= kMaxCallDepth) {
    return ResourceExhausted(
        StrCat("execute: calls are nested more than ", kMaxCallDepth, " deep at \"", name, "\""));
  }
  const i64 left = StackBytesLeft();
  if (left >= kStackReserve) return {};
  return ResourceExhausted(StrCat(
      "execute: calls are nested ", depth, " deep at \"", name, "\", and the thread has ",
      left / 1024, " KiB of its stack left; a thread with 2 MiB holds ", kMaxCallDepth, " calls"));
}

}  // namespace axle
