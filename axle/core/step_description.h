// What the steps of compiled and of interpreted programs are, for profiles: plain data.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/element_type.h"

namespace axle {

struct StepDescription {
  struct Op {
    std::string instruction;  // "add.3"
    std::string op;           // "add"
    std::string source;       // "model.py:12" of its metadata; "" if it has none
  };
  std::string name;              // of its last instruction, or of what it does
  std::string kind = "";         // as `axle explain` names it: loop, contraction, evaluate, ...
  std::string_view engine = "";  // compiled, library, evaluator, program, interpreter
  std::vector<Op> ops = {};      // in the order in which they are computed
  // Of one turn. Without what the programs that it runs read, write and compute; -1: not known.
  i64 bytes_read = -1;
  i64 bytes_written = -1;
  double flops = -1;
};

// The steps of one computation in one of the ways in which it runs.
struct StepGroupDescription {
  const void* key = nullptr;  // what StepProfile::Turn got
  std::string computation;    // its name
  std::vector<StepDescription> steps;
};

}  // namespace axle
