// Estimates what a program costs from its text alone; no data is looked at. The functions are
// thread-safe.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

class Module;  // ir/module.h

// Every computation counts once, however often it is called: the body of a loop counts as one
// iteration.
struct CostAnalysis {
  double flops = 0;           // floating-point operations; client/op_table.h says what counts
  double bytes_accessed = 0;  // bytes that instructions read and write, as if nothing were fused
  i64 instructions = 0;
  // True if a run does no more than these numbers say: the program has no loops and calls, nothing
  // that waits for other devices or calls functions of the user, and no operation whose work is not
  // counted.
  bool is_complete = true;
};

// Returns the cost of all computations of `module`, which is only read, and only during the call.
CostAnalysis AnalyzeCost(const Module& module);

// Sizes of values in bytes. Values are row-major, and dynamic sizes count as their bounds.
struct MemoryAnalysis {
  i64 argument_bytes = 0;
  i64 result_bytes = 0;
  i64 constant_bytes = 0;
  // The part of the result that shares memory with arguments if those are donated.
  i64 alias_bytes = 0;
  // The most memory that intermediate values take at any one time. Of a program alone: if
  // instructions run in its order, nothing is fused and nothing happens in place. Of native code
  // (Executable::memory_analysis): what a run takes. The result is not included.
  i64 peak_temporary_bytes = 0;
};

// Returns the memory that a run of the program needs. `module` is only read, and only during the
// call.
MemoryAnalysis AnalyzeMemory(const Module& module);

}  // namespace axle
