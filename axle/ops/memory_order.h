// Where the elements of an array lie in memory: minor_to_major says which dimensions follow which,
// and each of the layout's tiles cuts the most minor dimensions into blocks that lie together, of
// which those at the edges are filled up.
#pragma once
#include <vector>

#include "axle/core/shape.h"

namespace axle {

class MemoryOrder {
 public:
  // The order of an array in its layout, or row-major order if it has none. Errors, which name no
  // instruction: UNIMPLEMENTED for what a layout can say beside an order, tiles, the memory space
  // and the size of elements; INVALID_ARGUMENT for tiles below 1, or if the places do not fit into
  // 64 bits.
  static StatusOr<MemoryOrder> Of(const Shape& shape);

  // How many elements there is room for, at least as many as the array has.
  i64 num_places() const { return num_places_; }
  // The place of the element at `index`, which is in bounds.
  i64 PlaceOf(const Dims& index) const;

 private:
  // The dimensions from the most major to the most minor one, before a tile.
  struct Level {
    Dims sizes;
    std::vector<bool> joins_next;  // which dimensions are joined with the next one
    Dims tile;  // sizes of the tile, for the last of the dimensions that are left
  };

  Dims major_to_minor_;
  std::vector<Level> levels_;  // one for each tile
  Dims sizes_;                 // after all tiles
  i64 num_places_ = 0;
};

}  // namespace axle
