// Move steps: what an index map does, one walk per piece.
#pragma once
#include <memory>

#include "axle/codegen/regions.h"
#include "axle/core/kernel.h"

namespace axle {

struct MovePlan {
  std::vector<PieceWalk> pieces;
  size_t num_operands = 0;
  i64 result_bytes = 0;
  bool starts_from_zeros = false;  // a map without pieces
  // The first piece is all of this operand: nothing has to move where the result took its place.
  int whole_operand = -1;
};

// Of a kMove region.
std::shared_ptr<const MovePlan> PlanMove(const Region& region, const Schedule& schedule);

// The KernelFunction of move steps: operands, then the result.
int RunMove(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
