// Move steps: what an index map does. Maps whose places are known when they are compiled are cut
// into tiles of the result, and each tile takes its part of each piece in turn, so that threads
// share the work and what a later piece writes over is still in the cache. Others are one walk per
// piece.
#pragma once
#include <memory>

#include "axle/codegen/schedule/sub_views.h"
#include "axle/core/kernel.h"

namespace axle {

struct MovePlan {
  // Maps with places that are known at run time only:
  std::vector<PieceWalk> walks;
  // Maps with known places: positions begin + k * step, 0 <= k < count, of each dimension of the
  // result.
  struct BoxDim {
    i64 begin, count, step;
    i64 from_step;  // in bytes
  };
  struct Box {
    size_t operand;
    i64 from;  // in bytes
    std::vector<BoxDim> dims;
  };
  std::vector<Box> boxes;
  i64 element_bytes = 0;
  Dims sizes, steps;  // of the result; steps in bytes
  // A tile is `along` positions of this dimension, and all behind it.
  size_t tile_dim = 0;
  i64 along = 1;
  i64 num_tiles = 1;

  size_t num_operands = 0;
  i64 result_bytes = 0;
  i64 moved_bytes = 0;             // about
  bool starts_from_zeros = false;  // a map without pieces
  // The first piece is all of this operand: nothing has to move where the result took its place.
  int whole_operand = -1;
};

// The plan of a kMove region. Pieces that are sub-views of its result are there already.
std::shared_ptr<const MovePlan> PlanMove(const Region& region, const Schedule& schedule,
                                         const SubViews& sub_views = {});

// The KernelFunction of move steps: operands, then the result.
int RunMove(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
