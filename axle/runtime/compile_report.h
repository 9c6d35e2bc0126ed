// CompileReport: what a compiled module is made of, for people and for tests: plain data that knows
// neither the IR nor LLVM. `axle explain` prints it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/element_type.h"

namespace axle {

struct CompileReport {
  struct Instruction {
    std::string name;
    std::string op;
    std::string source;  // "model.py:12" of its metadata; "" if it has none
  };

  // One step of a program.
  struct Record {
    std::string name;  // of its last instruction
    // loop, reduce, rows, small, move, contraction, scatter, sort, window, evaluate, call,
    // while, conditional
    std::string kind;
    std::string engine;  // compiled, library (a routine of axle's own), evaluator, program
    // Of compiled code, in the order in which they run; those of the same name are the same.
    std::vector<std::string> kernels;
    std::string note;  // why an evaluator does it; what a move finds in its place
    std::vector<Instruction> instructions;
    i64 num_tiles = 1;      // parts that threads could share
    i64 bytes_read = 0;     // of different elements
    i64 bytes_written = 0;  // without what stays in place
    double flops = -1;      // without those of the programs that it runs; -1: they are not known
    std::vector<std::string> programs = {};  // that it runs
    i64 position = -1;                       // among the records of the compiled program
  };

  // A record that reads what an earlier one writes, and why one record does not do both.
  struct Boundary {
    i64 producer, consumer;  // positions in `records`
    std::string value;       // that goes from one to the other
    std::string reason;
  };

  struct Value {
    std::string name;
    i64 bytes = 0;
    std::string place;  // frame, constants, argument 0, result 1: blocks of the caller by number
    i64 offset = 0;     // in that
    i64 first = 0, last = 0;  // positions in `records` between which it is needed; -1: from the
                              // start; records.size(): to the end
  };

  // An instruction, and in what kind of code it is computed: a name of kPlacementKinds. Those that
  // are part of a caller's function are among the caller's.
  struct Placement {
    std::string computation, instruction;
    std::string kind;
  };

  // A computation in the way in which something calls it.
  struct Program {
    std::string name;
    std::vector<Record> records;  // in order
    std::vector<Boundary> boundaries;
    std::vector<Placement> placements;
    std::vector<Value> values;
    i64 num_copies = 0;      // of results, at the end
    i64 constant_bytes = 0;  // of its own
    // What a run needs beside arguments, results and constants: values, and the frames of the
    // programs that it runs. live_bytes is the most that is needed at any one time, a lower bound
    // of frame_bytes; that is at the record `peak`.
    i64 frame_bytes = 0;
    i64 live_bytes = 0;
    i64 pointer_bytes = 0;  // of places, beside those
    std::string peak;
    i64 position = -1;  // among all programs that were compiled, with those that are left out here
  };

  // What a pass decided about an instruction: "reads "x" as b01f, transposed once, and writes bf01;
  // ...".
  struct Note {
    std::string computation, instruction;
    std::string text;
  };

  struct Stage {
    std::string name;
    double seconds = 0;
  };

  std::string target;             // v2, avx2 or avx512
  i64 num_loops = 0;              // compiled code of records
  i64 num_kernels = 0;            // that were compiled for them
  std::vector<Program> programs;  // callees first, the entry last
  std::vector<Note> layouts;      // orders of dimensions that are not as written
  std::vector<Stage> stages;      // of the compilation, in order
};

// The kinds of code, finer than those of records, and what can be in each: region_kinds.def.
struct PlacementKind {
  std::string_view name;
  std::string_view what;
};
inline constexpr PlacementKind kPlacementKinds[] = {
#define REGION_KIND(enumerator, name, what) {name, what},
#define FOLD_FORM(name, what) {name, what},
#include "axle/runtime/region_kinds.def"
#undef REGION_KIND
#undef FOLD_FORM
};

}  // namespace axle
