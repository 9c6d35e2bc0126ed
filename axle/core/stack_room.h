// How much of a thread's stack is left: for code that calls itself as deep as a user's program is
// nested, on threads that others have made, whose stacks may be small.
#pragma once
#include <string_view>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

// What a call nested in others must find free, for the operations inside of it.
inline constexpr i64 kStackReserve = 96 << 10;

// Bytes below the caller's frame; INT64_MAX where the system does not say, as on stacks that a
// program switches to by itself. Any thread; the first call on each takes some microseconds.
i64 StackBytesLeft();

inline constexpr int kMaxCallDepth = 500;
Status CheckDeepCall(int depth, std::string_view name);
// Whether a computation called `name` may be called inside of `depth` others. RESOURCE_EXHAUSTED if
// they are more than kMaxCallDepth, or the thread's stack has no room for it.
inline Status CheckCallDepth(int depth, std::string_view name) {
  constexpr int kFew = 16;  // fit into every stack that fits the library
  return depth < kFew ? Status() : CheckDeepCall(depth, name);
}

}  // namespace axle
