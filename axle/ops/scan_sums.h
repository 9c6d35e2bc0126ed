// Scans that only compute running sums and products of floats: prefix folds (docs/numerics.md N8).
#pragma once
#include <optional>
#include <vector>

#include "axle/ops/lanes/reducer.h"
#include "axle/ops/op_def.h"

namespace axle {

struct ScanSums {
  struct Carry {
    ReducerKind kind;
    i64 input;  // whose slices are added
  };
  std::vector<Carry> carries;
  std::vector<i64> outputs;  // of each, the carry whose new value it is
};

// The sums of a scan in which every carry becomes the sum or product of itself and a slice of an
// input, of a type for which IsSumOrProduct holds, and every output is the new value of a carry.
// Calls, tuples, copies and computing in f32 do not matter. Nothing for any other scan, or if a
// dimension is dynamic.
std::optional<ScanSums> FindScanSums(const Instruction& scan);

}  // namespace axle
