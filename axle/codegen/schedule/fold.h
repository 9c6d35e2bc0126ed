// Folds: reductions as loops compute them. A fold gives one value per result element, from elements
// in the order that docs/numerics.md defines (N4, and the canonical order of long sums).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "axle/codegen/schedule/access.h"
#include "axle/codegen/spec/kernel_spec.h"
#include "axle/ir/module.h"
#include "axle/ops/lanes/reducer.h"

namespace axle {

// A reduction whose operand is [rows, reduced, columns], row-major: `reduced` elements that are
// `columns` apart become one.
struct FoldShape {
  i64 rows = 1, reduced = 1, columns = 1;
  // Set if kept and reduced dimensions alternate more often: the factors of ResultAccess. `columns`
  // are then the kept dimensions after the last reduced one, `rows` all others that are kept.
  std::vector<AccessFactor> groups = {};
  i64 num_results() const { return rows * columns; }
  bool operator==(const FoldShape&) const = default;
};

struct Fold {
  ReducerKind kind;
  ElementType type;  // element type of the operand
  // kGeneral: this fold and the next ones are the accumulators of one reducer, which the first of
  // them holds. Each starts from an input of the region, or from init_bits if init_input is
  // negative.
  std::shared_ptr<const LaneProgram> reducer = nullptr;
  i64 init_input = -1;
  std::uint64_t init_bits = 0;
  // Of a known kind: true if it starts from init_bits, and so gives the value of the reduction.
  bool has_init = false;
  // A complex sum is two sums, which the loop has as folds of their own.
  int num_parts() const { return IsComplex(type) ? 2 : 1; }
};

// The form in which `inst`, a reduction, can be compiled; nothing if it has none. A fold for each
// operand: one of a known kind, or any number of kind kGeneral.
struct FoldOf {
  FoldShape shape;
  std::vector<Fold> folds;
};
std::optional<FoldOf> FindFold(const Instruction& inst);

// Which result each position of the operand belongs to.
Access ResultAccess(const FoldShape& shape);

// How a loop with folds runs.
enum class FoldPath : std::uint8_t {
  kInOrder,  // fold_step.h: the reduced elements, and the columns, are one dimension of the loop
  kRuns,     // run_fold_step.h: the reduced elements are several dimensions, the last one long
  kStaged,   // staged_fold_step.h
};
// The path of these folds, at least one, in a loop over positions split into `sizes`; nothing if
// there is none.
std::optional<FoldPath> PathOf(const FoldShape& shape, std::span<const Fold> folds,
                               const Dims& sizes);
// Whether the folds are staged whatever the sizes are.
bool IsStaged(const FoldShape& shape, std::span<const Fold> folds);

// Folds of one loop.
inline constexpr size_t kMaxFolds = 8;
// The most dimensions of a loop with folds.
inline constexpr size_t kMaxFoldRank = 32;

// In which order a fold takes its elements.
enum class FoldOrder : std::uint8_t {
  kAny,     // it is exact
  kLanes,   // the canonical order, in several lanes
  kChunks,  // the canonical order, one after the other inside a chunk; there are several chunks
  kLeft,    // one after the other
};
FoldOrder OrderOf(const FoldShape& shape, const Fold& fold);
// Whether one loop can do both: their orders are the same, or go together.
bool CanFoldTogether(const FoldShape& shape, const Fold& a, const Fold& b);
// Whether its sum or product has the canonical order.
bool IsCanonical(const Fold& fold);

// In which of the two forms of kernels a loop with these folds is compiled.
FoldForm FormOf(const FoldShape& shape, std::span<const Fold> folds, FoldPath path);

// The most bytes of a value, if a fold has partial results.
inline constexpr i64 kMaxFoldBytes = 8;
// Columns that are folded at a time, so that their accumulators stay in the first-level cache.
inline constexpr i64 kColumnsPerTile = 1024;

// How many Partials of so many elements hold at most: a binary tree of chunks has one per bit of
// their number, and the next one.
i64 NumPartials(i64 num_reduced);
// Bytes of the partial results of one fold of columns.
i64 PartialBytes(const FoldShape& shape);
// Scratch memory that one call of a step with so many folds needs, if it is not staged.
i64 FoldScratchBytes(const FoldShape& shape, size_t num_folds);

}  // namespace axle
