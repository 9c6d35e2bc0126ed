// AXLE_CHECK: a defined end for C++ code that misuses an interface whose return type leaves no room
// for an error: an accessor that gives a reference or a number, or the value of a failed StatusOr.
//
//   AXLE_CHECK(0 <= d && d < rank(), StrCat("dim(", d, ") of ", ToString()));
//
// It is the one place where the library stops a program: it prints the message to stderr and calls
// std::abort, in every build. What a user's data can reach (programs, files, arguments of the C
// interface and of Python) is checked before and answered with a Status. A broken invariant of the
// library's own is AXLE_INVARIANT, never this.
#pragma once
#include <string>

namespace axle {

// Prints "axle: <message> (<file>:<line>)" and ends the process.
[[noreturn]] void CheckFailed(const char* file, int line, const std::string& message);

}  // namespace axle

// `message`, a std::string, is made only if the condition fails.
#define AXLE_CHECK(condition, message)                  \
  do {                                                  \
    if (!(condition)) [[unlikely]] {                    \
      ::axle::CheckFailed(__FILE__, __LINE__, message); \
    }                                                   \
  } while (false)
