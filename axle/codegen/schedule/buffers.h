// Buffers: where the values of a schedule are: in blocks of the caller, in the constants, or in the
// frame, where values that are never needed at the same time share memory.
#pragma once
#include <vector>

#include "axle/codegen/schedule/sub_views.h"
#include "axle/runtime/program.h"

namespace axle {

// What a program may assume about the blocks that its caller hands over.
struct BlockUse {
  // By result: the argument whose block is the result's too, or -1: the result has a block of its
  // own. Arguments that no result replaces are only read.
  std::vector<std::int32_t> argument_of_result;
};

struct BufferPlan {
  // A copy after the last region.
  struct Copy {
    Place from, to;
    i64 bytes;
  };
  std::vector<Place> places;         // by value; a sub-view's place is that of its first element
  SubViews sub_views;                // those that lie inside of their wholes
  std::vector<i64> scratch_offsets;  // by region: offset in the frame
  std::vector<Copy> copies;
  i64 constant_bytes = 0;
  // Bytes for values and scratch memory, behind the pointers of the program: offsets count from
  // there.
  i64 frame_bytes = 0;
  // The most that values in the frame need at any one time: what frame_bytes would be at best.
  i64 live_bytes = 0;
  size_t peak_region = 0;  // the region at which they need it
};

// `scratch_bytes` has what each region needs for itself, by region. All of the parts lie inside of
// their wholes, or, if that took more memory, none.
BufferPlan PlanBuffers(const Schedule& schedule, const BlockUse& blocks,
                       std::span<const i64> scratch_bytes, const SubViews& sub_views = {});

// Where blocks of these sizes lie that are needed from step `begin` to step `end`, both included.
// What is not needed at the same time may overlap. Deterministic.
struct LifeSpan {
  i64 bytes;
  i64 begin, end;
};
std::vector<i64> PackBlocks(std::span<const LifeSpan> blocks, i64* total_bytes);

}  // namespace axle
