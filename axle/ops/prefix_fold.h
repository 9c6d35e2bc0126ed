// Prefix folds: running sums and products of floats, in the order of docs/numerics.md (N8).
//
//   Elements are taken in blocks of 16. Inside a block the fold is a chain; the first block's
//   starts from init, the others from their first element. The totals of the blocks are scanned by
//   the same rule, without an init, and a result is carry + local: what the scan has come to before
//   the block, and the chain inside it.
//
// Blocks do not wait for each other, so that neighbours in a row are folded several blocks at a
// time, or those of several rows; columns side by side are folded row by row. Either way the
// numbers of all levels of blocks are kept, and elements are taken as they come: a fold is one pass
// over its operand. Narrow floats are widened to f32 piece by piece, and results are rounded once.
#pragma once
#include <functional>

#include "axle/core/element_type.h"
#include "axle/core/status.h"
#include "axle/ops/lanes/reducer.h"

namespace axle {

// Arrays of [outer, size, inner], folded along `size`.
struct PrefixFold {
  // `kind` and `type` are such that IsSumOrProduct holds. `inner` counts elements of `type`.
  static PrefixFold Make(ReducerKind kind, ElementType type, i64 outer, i64 size, i64 inner,
                         bool is_reverse);

  ReducerKind kind = ReducerKind::kAdd;
  ElementType type = F32;  // of the arrays; of complex ones, that of their parts
  i64 parts = 1;           // elements of `type` per value
  i64 outer = 1, size = 1, inner = 1;
  bool is_reverse = false;

  // The number of independent tiles; tiles write different results.
  i64 num_tiles() const;
  // For one PrefixFolder, aligned for any number.
  i64 scratch_bytes() const;
};

// Folds tile after tile.
class PrefixFolder {
 public:
  // `init` is one value, or with `init_by_column` one for each of [outer, inner].
  PrefixFolder(const PrefixFold& fold, const void* operand, const void* init, bool init_by_column,
               void* result, void* scratch);

  void Start(i64 tile);
  // Folds some more rows of the tile, about kStepElements elements, and gives how many elements
  // that were; 0: the tile is done.
  i64 Step();

  static constexpr i64 kStepElements = 4096;

 private:
  void Begin();
  template <typename T>
  void BeginAs();
  template <typename T, typename Op>
  void StepAs(i64 rows);

  const PrefixFold& fold_;
  const std::byte *operand_, *init_;
  bool init_by_column_;
  std::byte* result_;
  std::byte *levels_, *wide_elements_, *wide_results_;
  // The tile: columns from `column_` on of one outer position; or rows of single columns, which are
  // folded one after the other, or together and then count as columns.
  i64 outer_ = 0, rows_left_ = 0, column_ = 0, columns_ = 0;
  i64 done_ = 0;  // along `size`
};

// All tiles, of a fold with elements. `check` is asked now and then whether to go on.
Status RunPrefixFold(const PrefixFold& fold, const void* operand, const void* init,
                     bool init_by_column, void* result, const std::function<Status()>& check);

}  // namespace axle
