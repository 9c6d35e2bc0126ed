// IndexMap: what an op that only moves elements does, as data.
//
// A list of pieces, applied in order: each fills a strided box of the result from a walk through
// one operand. Padding is a first piece that walks a scalar operand. Everything is in logical
// indices; layouts turn them into addresses at the very end. The evaluator below, code generation,
// in-place planning and the bounds checker all read the same list.
//
//   slice      one piece, source_begin = start, source_step = stride
//   reshape    one piece with `relinearize`: element k of the operand is element k of the result
//   dynamic-slice, gather   one piece with offsets that are read from index operands and clamped
//   dynamic-update-slice    the operand, then the update in a box whose place is read and clamped
#pragma once
#include <span>
#include <vector>

#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/emit/strided_copy.h"

namespace axle {

inline constexpr i64 kNoSourceDim = -1;  // all positions of the result dimension read one element

// A number that an index operand holds at run time, added to a begin.
struct DynamicOffset {
  enum class Side : std::uint8_t { kSource, kResult };
  Side side = Side::kSource;
  i64 dim = 0;      // of the source operand, or of the result
  int operand = 0;  // an integer array
  Dims index;       // which element of it: one entry per dimension of the index operand, ...
  Dims index_from;  // ... plus the position along this result dimension, unless kNoSourceDim
  i64 max = 0;      // the number is clamped to [0, max]
};

struct IndexPiece {
  // One per result dimension: position begin + k * step, for 0 <= k < count, reads the operand at
  // source_begin[source_dim] + k * source_step.
  struct Dim {
    i64 begin = 0;
    i64 count = 0;
    i64 step = 1;
    i64 source_dim = kNoSourceDim;
    i64 source_step = 1;
  };
  int operand = 0;
  std::vector<Dim> dims;
  Dims source_begin;  // one per operand dimension
  // The whole operand, in row-major order, is the whole result; dims and source_begin are unused.
  bool relinearize = false;
  std::vector<DynamicOffset> offsets;
};

using IndexMap = std::vector<IndexPiece>;

// The piece that covers all of `result` and reads operand dimension source_dims[d] along d.
IndexPiece WholeResult(const Shape& result, int operand, i64 operand_rank,
                       std::span<const i64> source_dims);
// The piece that reads all of operand `operand` of this shape into the result at `begin`.
IndexPiece WholeOperand(const Shape& source, int operand, const Dims& begin);

// One piece with its numbers worked out: moves the elements between row-major arrays at any
// addresses.
class PieceWalk {
 public:
  // Prepares a piece of a map whose result and operands have these shapes.
  PieceWalk(const IndexPiece& piece, const Shape& result, std::span<const Shape* const> operands);
  // Fills the result, row-major, from a walk through the one operand that begins at element `from`;
  // the steps of `dims` count elements.
  PieceWalk(std::span<const StridedDim> dims, i64 from, i64 element_bytes);

  // The operand that elements come from.
  int operand() const { return operand_; }
  // Limits may be null.
  Status Run(const void* const* operands, std::byte* result, Limits* limits) const;

 private:
  struct Offset {
    bool on_result;
    i64 stride;  // bytes per unit of the number
    int operand;
    ElementType type;  // of the index operand
    i64 first;         // the element that is read at position 0 of all dimensions
    std::vector<std::pair<size_t, i64>> steps;  // position in outer_, elements
    i64 max;
  };
  void AddOffset(const DynamicOffset& offset, const Shape& result,
                 std::span<const Shape* const> operands);

  int operand_ = 0;
  bool is_empty_ = false;
  i64 element_bytes_;
  i64 to_ = 0, from_ = 0;  // in bytes
  std::vector<i64> outer_dims_;
  // Dimensions that choose elements of index operands are walked one by one; the rest is a box at
  // a place of its own each time.
  std::vector<StridedDim> outer_, inner_;
  std::vector<Offset> offsets_;
};

// Moves the elements. `operands` are row-major; if the first piece is the whole of an operand whose
// storage nobody else holds, the result is made in place. The map must cover the result, except
// that a map without pieces gives zeros.
StatusOr<Literal> EvaluateIndexMap(const IndexMap& map, const Shape& result,
                                   std::span<Literal> operands);

// Element `position` of an integer array of any type, for reading index operands; unsigned values
// beyond i64 saturate.
i64 IndexValue(const Literal& literal, i64 position);
i64 IndexValue(ElementType type, const void* array, i64 position);

// Checks that every element a piece reads or writes exists, whatever the index operands hold. For
// tests of definitions.
Status VerifyIndexMap(const IndexMap& map, const Shape& result,
                      std::span<const Shape* const> operands);

}  // namespace axle
