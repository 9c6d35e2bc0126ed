// From a logical index to a place in memory, through the tiles of a layout.
//
// The dimensions are put in order from the most major to the most minor one. Each tile is then a
// level: it first joins the dimensions that it combines, and then splits the last ones: with a tile
// (2, 4), [5, 6] becomes [3, 2, 2, 4], which are the tiles, rounded up, and the elements in a tile.
// Element (4, 5) lies at tile (2, 1), position (0, 1). A further tile splits the result again. The
// place is the row-major position in the sizes after the last level; padding at the edges makes
// num_places() larger than the number of elements. The sizes are worked out once in Of, with checks
// for overflow; PlaceOf costs a division per tiled dimension and level.

#include "axle/ops/memory_order.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle {
namespace {

// Joins each dimension that `joins_next` marks with the next one; the sizes multiply.
Dims JoinSizes(const Dims& sizes, const std::vector<bool>& joins_next) {
  Dims joined;
  i64 size = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    size *= sizes[d];
    if (joins_next[d]) continue;
    joined.push_back(size);
    size = 1;
  }
  return joined;
}

// The index counterpart of JoinSizes: row-major within the joined dimensions.
Dims JoinIndex(const Dims& index, const Dims& sizes, const std::vector<bool>& joins_next) {
  Dims joined;
  i64 at = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    at = at * sizes[d] + index[d];
    if (joins_next[d]) continue;
    joined.push_back(at);
    at = 0;
  }
  return joined;
}

// [.., a, b] and a tile (s, t) become [.., a / s, b / t, s, t], quotients rounded up.
Dims SplitSizes(const Dims& sizes, const Dims& tile) {
  Dims split = sizes;
  const size_t first = sizes.size() - tile.size();
  for (size_t i = 0; i < tile.size(); ++i) {
    i64& size = split[first + i];
    size = size / tile[i] + (size % tile[i] != 0);
  }
  split.insert(split.end(), tile.begin(), tile.end());
  return split;
}

Dims SplitIndex(const Dims& index, const Dims& tile) {
  Dims split = index;
  const size_t first = index.size() - tile.size();
  for (size_t i = 0; i < tile.size(); ++i) {
    split.push_back(split[first + i] % tile[i]);
    split[first + i] /= tile[i];
  }
  return split;
}

}  // namespace

// A layout with any property besides order, tiles, memory space and element size is refused.
StatusOr<MemoryOrder> MemoryOrder::Of(const Shape& shape) {
  const Layout layout = shape.LayoutOrDefault();
  Layout known = Layout::RowMajor(shape.rank());
  known.minor_to_major = layout.minor_to_major;
  known.tiles = layout.tiles;
  known.memory_space = layout.memory_space;
  known.element_size_in_bits = layout.element_size_in_bits;
  if (layout != known) {
    return Unimplemented(
        StrCat("the layout of ", shape.ToStringWithLayout(), " says more than an order and tiles"));
  }
  MemoryOrder order;
  order.major_to_minor_.assign(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
  for (const i64 d : order.major_to_minor_) order.sizes_.push_back(shape.dim(d));
  for (const Dims& written : layout.tiles) {
    Level level;
    // A tile of more dimensions than the array has applies to the array with dimensions of size 1
    // in front.
    level.sizes.assign(std::max(written.size(), order.sizes_.size()) - order.sizes_.size(), 1);
    level.sizes.insert(level.sizes.end(), order.sizes_.begin(), order.sizes_.end());
    level.joins_next.resize(level.sizes.size());
    for (size_t i = 0; i < written.size(); ++i) {
      const bool joins = written[i] == Layout::kCombineTileDim;
      if ((joins && i + 1 == written.size()) || (!joins && written[i] < 1)) {
        return InvalidArgument(StrCat(shape.ToStringWithLayout(), " has no tiles of such sizes"));
      }
      level.joins_next[level.sizes.size() - written.size() + i] = joins;
      if (!joins) level.tile.push_back(written[i]);
    }
    order.sizes_ = SplitSizes(JoinSizes(level.sizes, level.joins_next), level.tile);
    std::optional<i64> places = 1;
    for (const i64 size : order.sizes_) places = places ? CheckedMul(*places, size) : places;
    if (!places) {
      return InvalidArgument(StrCat(shape.ToStringWithLayout(), " takes too many bytes in tiles"));
    }
    order.levels_.push_back(std::move(level));
  }
  order.num_places_ = 1;
  for (const i64 size : order.sizes_) order.num_places_ *= size;
  return order;
}

// Applies the levels to the index as Of applied them to the sizes.
i64 MemoryOrder::PlaceOf(const Dims& index) const {
  Dims at;
  for (const i64 d : major_to_minor_) at.push_back(index[d]);
  for (const Level& level : levels_) {
    at.insert(at.begin(), level.sizes.size() - at.size(), 0);
    at = SplitIndex(JoinIndex(at, level.sizes, level.joins_next), level.tile);
  }
  i64 place = 0;
  for (size_t d = 0; d < at.size(); ++d) place = place * sizes_[d] + at[d];
  return place;
}

}  // namespace axle
