// Rows steps: loops and folds that run one after the other over a few rows at a time, so that what
// one of them writes is still in the cache when the next one reads it.
#pragma once
#include <memory>
#include <vector>

#include "axle/core/kernel.h"

namespace axle {

struct RowsPlan {
  // An operand of a step: a place of the record, or memory for a block of rows.
  struct Operand {
    bool is_local = false;
    size_t place = 0;   // not local
    i64 offset = 0;     // local: in the scratch memory,
    i64 row_bytes = 0;  // where each row has so much
  };
  struct Step {
    KernelFunction function;
    const void* plan;
    std::vector<Operand> operands;
    i64 tiles_per_row;  // tiles of this step
  };
  std::vector<Step> steps;
  i64 rows = 0, rows_per_block = 1;
  i64 positions_per_row = 0;  // sum over all steps
  size_t scratch_place = 0;
  i64 num_tiles() const { return (rows + rows_per_block - 1) / rows_per_block; }
};

// The KernelFunction of rows steps; its plan is a RowsPlan. Tiles are blocks of rows. Buffers:
// places of the operands, scratch memory.
int RunRowSteps(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
