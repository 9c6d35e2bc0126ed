// Indexed reads: what a gather does, as an access of a loop. The element that a position reads is
// at an affine place (as of any other access) plus a number that the loop computes from index
// arrays: the sum of their elements, each clamped, times a stride.
//
//   rows of t: f32[100,8] at i: s32[n,1], of n * 8 positions
//     base      {(n, 0), (8, 1)}
//     a term    i by {(n, 1), (8, 0)}, clamped to [0, 99], times 8
#pragma once
#include <optional>
#include <vector>

#include "axle/codegen/schedule/access.h"
#include "axle/emit/lane_builder.h"
#include "axle/ir/module.h"

namespace axle {

struct IndexedRead {
  struct Term {
    const Instruction* indices;  // an integer array
    // The piece of a map of one piece: the element of `indices` that each position of the result
    // reads.
    IndexPiece piece;
    i64 max;     // the number is clamped to [0, max]
    i64 stride;  // elements of the table
    // Where the loop reads `indices`: an instruction that is no view, and how. The schedule builder
    // sets both.
    const Instruction* source = nullptr;
    Access access = {};
  };
  const Instruction* table;
  Access base;
  std::vector<Term> terms;
};

// The read that an instruction with this map is; nothing if it is none, or is no good as a part of
// a loop. Terms whose index array is put together of several ones read the one that they need.
std::optional<IndexedRead> FindIndexedRead(const Instruction& inst, const IndexMap& map);

// The distance in elements from the affine place, where `numbers` are the indices of the terms.
Lane DistanceOf(const IndexedRead& read, LaneBuilder& builder, const std::vector<Lane>& numbers);

}  // namespace axle
