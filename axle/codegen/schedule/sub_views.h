// Sub-views: values that lie inside of another one from the start. What a concatenation puts
// together, or a pad surrounds, need not be moved if the region that computes it writes it where it
// belongs.
//
// How far apart the elements may lie depends on who writes them: those in one run are an array at
// another place, which almost every kind of region can write; rows of them need a step that takes
// strides for its results.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "axle/codegen/schedule/regions.h"

namespace axle {

struct SubView {
  ValueId whole;  // the value that it lies inside of; no view itself
  // Where in `whole` its elements are, in order.
  Access access;
  // The piece of whose map it is; that is not moved any more.
  const Region* move;
  size_t piece;

  bool is_run() const;
  // The same access, counted from its first element, where its Place is.
  Access from_first() const { return {0, access.factors}; }
};

// Sub-views by value. One that is no run is read by `move` alone.
using SubViews = std::map<ValueId, SubView>;

// A value that a region is to write as a sub-view.
struct SubViewWrite {
  const SubViews& views;  // those found so far, with this one
  const SubView& view;
  const Value& value;
  ValueId id;
  size_t output;  // number of the output in the region
};
// RegionKindDef::can_write of kMove, kLoop and kRows.
bool CanWriteMove(const Region& region, const SubViewWrite& write);
bool CanWriteLoop(const Region& region, const SubViewWrite& write);
bool CanWriteRows(const Region& region, const SubViewWrite& write);

// Whether the places of what the region, a kMove, moves are known, by pieces of a map.
bool HasStaticMap(const Region& region);

// The values that can be sub-views: they are no results, and the regions that compute them can
// write them so. The schedule has its last kinds of regions; the result points into it.
SubViews FindSubViews(const Schedule& schedule);

// Where the outputs of a loop lie, by position, those of its folds included.
std::vector<Access> OutputAccesses(const Region& loop, const SubViews& sub_views);
// The sizes of a loop that writes them there. With `rows`, it works by rows of a region of kind
// kRows.
Dims SizesOf(const Region& loop, const SubViews& sub_views, i64 rows);

}  // namespace axle
