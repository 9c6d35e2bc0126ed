// A function in a process of its own, so that a crash or an endless loop is an answer.
#pragma once
#include <functional>
#include <string>

namespace axle {

struct IsolatedResult {
  bool crashed = false;  // ended in a signal, or with an exit code that is not 0
  bool hung = false;     // was ended after the time limit
  int signal = 0;        // of a crash; 0: an exit code
  int exit_code = 0;     // likewise
  std::string output;    // what the function returned
};

// Forks; `function` runs in the child, which ends with it without running anybody's destructors.
// `seconds` is the time limit, 0 for none. What the child writes to stdout and stderr is dropped if
// `quiet`. The caller has no threads that hold locks which the function needs.
IsolatedResult RunIsolated(const std::function<std::string()>& function, double seconds,
                           bool quiet = true);

}  // namespace axle
