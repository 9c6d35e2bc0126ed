// What a program costs, as far as its text tells: no data is looked at. Thread-safe.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

class Module;  // ir/module.h

// Every computation counts once, however often it is called: the body of a loop counts as one turn.
struct CostAnalysis {
  double flops = 0;           // floating-point operations; client/op_table.h says what counts
  double bytes_accessed = 0;  // bytes that instructions read and write, as if nothing were fused
  i64 instructions = 0;
  // Whether a run does no more than these numbers say: no loops and calls, nothing that waits for
  // others or calls functions of the user's, no operation whose work is not counted.
  bool is_complete = true;
};

// The cost of all computations of `module`, which is only read, and only during the call.
CostAnalysis AnalyzeCost(const Module& module);

// Bytes of values, row-major, dynamic sizes at their bounds.
struct MemoryAnalysis {
  i64 argument_bytes = 0;
  i64 result_bytes = 0;
  i64 constant_bytes = 0;
  // The part of the result that shares memory with arguments if those are donated.
  i64 alias_bytes = 0;
  // The most that intermediate values take at any one time if instructions run in the order of the
  // program, nothing is fused and nothing happens in place; the result is not among them.
  i64 peak_temporary_bytes = 0;
};

// The memory that a run of the program needs. `module` is only read, and only during the call.
MemoryAnalysis AnalyzeMemory(const Module& module);

}  // namespace axle
