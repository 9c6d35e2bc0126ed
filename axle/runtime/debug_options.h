// DebugOptions: what tests and tools ask of native code beside the program. Nothing here changes a
// bit of a result.
#pragma once
#include <functional>
#include <string_view>

namespace axle {

struct DebugOptions {
  bool run_passes = true;  // false: the module has had its passes (axle/passes/)
  bool report = false;     // keep a report of what was compiled (compile_report.h)
  bool code = true;        // false: no kernels are compiled, and runs fail: for the report alone
  // Kernels that came with the library are taken from it; false: all are compiled.
  bool use_precompiled = true;
  // Few elements are computed in one function wherever they can be, also where that is not faster.
  bool small_wherever_possible = false;
  // Checked code: a run fails, with INTERNAL, if a kernel reads or writes outside of the memory of
  // its operands, and does not do it. Always on where the library is built with AddressSanitizer.
  bool check_accesses = false;
  // Get the code of each group of kernels, as LLVM IR before the code generator and as assembly.
  // Both cost time.
  std::function<void(std::string_view text)> on_llvm = {};
  std::function<void(std::string_view text)> on_assembly = {};
};

}  // namespace axle
