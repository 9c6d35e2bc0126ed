// Cumulative sums in one pass. The order (header) is a scan over blocks of 16 at several levels:
// level 0 is the chain inside the block at hand, level 1 the chain over totals of blocks inside a
// block of blocks, and so on. For each level the state is `chain` and `carry`, what lies before
// that block; an output is carry + chain of level 0. EndBlock passes the total of a finished block
// upwards and renews the carries below, so a step touches one level in 15 of 16 cases: about 2
// operations per element.
//
// A sequential chain has the latency of an addition per element, so independent chains run side by
// side:
//
// - columns (inner > 1): loops over up to 1,024 adjacent columns, two rows at a time;
// - one row: 2 to 8 blocks at once, one per lane, after a transpose of squares (FoldBlocks);
// - 4 rows at once (FoldTogether), transposed the same way.
//
// Narrow floats are widened to f32 piece by piece and rounded once. All three forms give the same
// bits.

#include "axle/ops/prefix_fold.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "axle/ops/contraction_kernels.h"

namespace axle {
namespace {

constexpr i64 kBlock = 16;
constexpr int kBlockBits = 4;
// Columns of a tile, so that their chains and carries stay in the cache.
constexpr i64 kColumns = 1024;

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Multiply {
  template <typename T>
  T operator()(T a, T b) const {
    return a * b;
  }
};

// The number of levels: blocks of elements, blocks of their totals, and so on.
i64 NumLevels(i64 size) {
  i64 levels = 2;
  for (i64 blocks = size / kBlock; blocks > 0; blocks /= kBlock) ++levels;
  return levels;
}

// The state of `columns` columns: for each level, the chain inside the present block and the carry,
// the total before that block.
template <typename T>
struct Levels {
  T* values;
  i64 columns;
  T* chain(i64 level) const { return values + 2 * level * columns; }
  T* carry(i64 level) const { return chain(level) + columns; }
};

// Elementwise helpers. __restrict lets the compiler vectorise them.
template <typename Op, typename T>
void JoinTo(T* __restrict to, const T* __restrict a, const T* __restrict b, i64 n) {
  const Op op;
  for (i64 j = 0; j < n; ++j) to[j] = op(a[j], b[j]);
}
template <typename Op, typename T>
void JoinInto(T* __restrict acc, const T* __restrict x, i64 n) {
  const Op op;
  // The accumulator is the left operand.
  for (i64 j = 0; j < n; ++j) acc[j] = op(acc[j], x[j]);
}

// Block `block` is finished and its total is the chain of level 0: adds it to the chain of the
// level above, and so on as far as blocks are finished there. The value that a level reaches is the
// carry of the level below.
template <typename Op, i64 kNumColumns = 0, typename T>
void EndBlock(const Levels<T>& levels, i64 block) {
  const i64 n = kNumColumns != 0 ? kNumColumns : levels.columns;
  for (i64 level = 1;; ++level, block >>= kBlockBits) {
    const T* const total = levels.chain(level - 1);
    T* const chain = levels.chain(level);
    T* const below = levels.carry(level - 1);
    // The first block of a level begins its chain, later ones are added to it.
    if (block % kBlock == 0) {
      for (i64 j = 0; j < n; ++j) chain[j] = total[j];
    } else {
      JoinInto<Op>(chain, total, n);
    }
    // The first 16 blocks have no carry of the level above.
    if (block < kBlock) {
      for (i64 j = 0; j < n; ++j) below[j] = chain[j];
    } else {
      JoinTo<Op>(below, levels.carry(level), chain, n);
    }
    if (block % kBlock != kBlock - 1) return;
  }
}

// Rows `row` to `row` + kRows - 1 of the columns, `step` apart, which are in one block.
template <typename Op, i64 kRows, typename T>
void FoldRows(const Levels<T>& levels, i64 row, const T* __restrict x, T* __restrict out,
              i64 step) {
  T* __restrict chains = levels.chain(0);
  const T* __restrict carries = levels.carry(0);
  const i64 n = levels.columns;
  const Op op;
  if (row < kBlock) {
    for (i64 j = 0; j < n; ++j) {
      T chain = chains[j];
      for (i64 k = 0; k < kRows; ++k) out[j + k * step] = chain = op(chain, x[j + k * step]);
      chains[j] = chain;
    }
  } else if (row % kBlock == 0) {
    for (i64 j = 0; j < n; ++j) {
      const T carry = carries[j];
      T chain = x[j];
      out[j] = op(carry, chain);
      for (i64 k = 1; k < kRows; ++k) {
        chain = op(chain, x[j + k * step]);
        out[j + k * step] = op(carry, chain);
      }
      chains[j] = chain;
    }
  } else {
    for (i64 j = 0; j < n; ++j) {
      const T carry = carries[j];
      T chain = chains[j];
      for (i64 k = 0; k < kRows; ++k) {
        chain = op(chain, x[j + k * step]);
        out[j + k * step] = op(carry, chain);
      }
      chains[j] = chain;
    }
  }
  if ((row + kRows) % kBlock == 0) EndBlock<Op>(levels, row / kBlock);
}

// `count` rows from row `begin` on.
// Two rows at a time where the block allows it.
template <typename Op, typename T>
void FoldColumns(const Levels<T>& levels, i64 begin, const T* x, T* out, i64 count, i64 step) {
  constexpr i64 kSome = 2;  // a divisor of a block
  for (i64 k = 0; k < count;) {
    const bool are_some = (begin + k) % kSome == 0 && count - k >= kSome;
    if (are_some) {
      FoldRows<Op, kSome>(levels, begin + k, x + k * step, out + k * step, step);
    } else {
      FoldRows<Op, 1>(levels, begin + k, x + k * step, out + k * step, step);
    }
    k += are_some ? kSome : 1;
  }
}

// Several blocks at a time, one per lane of a vector: squares of elements are transposed, so that a
// vector holds one element of each block and a chain step adds whole vectors.
template <typename T>
struct Blocks {
  typedef T Vector __attribute__((vector_size(16)));
  static constexpr i64 kLanes = 16 / sizeof(T);
  static Vector Load(const T* from) {
    Vector v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }
  static void Store(Vector v, T* to) { std::memcpy(to, &v, sizeof(v)); }

  // Transposes a square of 4 x 4 or 2 x 2 elements in registers.
  static void Turn(Vector (&square)[kLanes]) {
    if constexpr (kLanes == 4) {
      const Vector a = __builtin_shufflevector(square[0], square[1], 0, 4, 1, 5);
      const Vector b = __builtin_shufflevector(square[2], square[3], 0, 4, 1, 5);
      const Vector c = __builtin_shufflevector(square[0], square[1], 2, 6, 3, 7);
      const Vector d = __builtin_shufflevector(square[2], square[3], 2, 6, 3, 7);
      square[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
      square[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
      square[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
      square[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    } else {
      const Vector a = __builtin_shufflevector(square[0], square[1], 0, 2);
      square[1] = __builtin_shufflevector(square[0], square[1], 1, 3);
      square[0] = a;
    }
  }

  // The chains of kLanes * kVectors independent blocks, and their totals.
  template <typename Op, i64 kVectors>
  static void Chains(const T* x, T* chains, T* totals) {
    const Op op;
    Vector acc[kVectors];
    for (i64 begin = 0; begin < kBlock; begin += kLanes) {
      for (i64 v = 0; v < kVectors; ++v) {
        const i64 first = v * kLanes * kBlock + begin;
        Vector square[kLanes];
        for (i64 lane = 0; lane < kLanes; ++lane) square[lane] = Load(x + first + lane * kBlock);
        Turn(square);
        for (i64 k = 0; k < kLanes; ++k) {
          acc[v] = begin + k == 0 ? square[k] : op(acc[v], square[k]);
          square[k] = acc[v];
        }
        Turn(square);
        for (i64 lane = 0; lane < kLanes; ++lane) {
          Store(square[lane], chains + first + lane * kBlock);
        }
      }
    }
    for (i64 v = 0; v < kVectors; ++v) Store(acc[v], totals + v * kLanes);
  }
};

// Folds the adjacent elements of kVectors vectors of blocks, from element `row` on.
template <typename Op, i64 kVectors, typename T>
void FoldBlocks(const Levels<T>& levels, i64 row, const T* x, T* out, i64 step) {
  constexpr i64 kElements = Blocks<T>::kLanes * kVectors * kBlock;
  const Op op;
  // Buffers of a few kilobytes on the stack; their size is a constant.
  T chains[kElements], totals[kElements / kBlock], turned[kElements];
  // A reverse scan is a forward scan over the elements in reverse order.
  if (step < 0) {
    const T* const last = x - (kElements - 1);
    for (i64 j = 0; j < kElements; ++j) turned[j] = last[kElements - 1 - j];
    x = turned;
  }
  Blocks<T>::template Chains<Op, kVectors>(x, chains, totals);
  T* const to = step < 0 ? turned : out;
  for (i64 b = 0; b < kElements / kBlock; ++b) {
    const T carry = *levels.carry(0);
    for (i64 j = 0; j < kBlock; ++j) to[b * kBlock + j] = op(carry, chains[b * kBlock + j]);
    *levels.chain(0) = totals[b];
    EndBlock<Op, 1>(levels, row / kBlock + b);
  }
  if (step < 0) {
    T* const last = out - (kElements - 1);
    for (i64 j = 0; j < kElements; ++j) last[j] = turned[kElements - 1 - j];
  }
}

// Folds the rest of a block, at most `count` elements, from element `row` on; returns how many.
template <typename Op, typename T>
i64 FoldRestOfBlock(const Levels<T>& levels, i64 row, const T* x, T* out, i64 count, i64 step) {
  const i64 n = std::min(count, kBlock - row % kBlock);
  const Op op;
  const T carry = *levels.carry(0);
  T chain = *levels.chain(0);
  for (i64 k = 0; k < n; ++k) {
    chain = row >= kBlock && (row + k) % kBlock == 0 ? x[k * step] : op(chain, x[k * step]);
    out[k * step] = row < kBlock ? chain : op(carry, chain);
  }
  *levels.chain(0) = chain;
  if ((row + n) % kBlock == 0) EndBlock<Op, 1>(levels, row / kBlock);
  return n;
}

// `count` elements of one row from element `begin` on, `step` apart: 1 or -1.
template <typename Op, typename T>
void FoldNeighbours(const Levels<T>& levels, i64 begin, const T* x, T* out, i64 count, i64 step) {
  // Two vectors, so that one need not wait for the other.
  constexpr i64 kSome = Blocks<T>::kLanes * kBlock, kMore = 2 * kSome;
  for (i64 k = 0; k < count;) {
    const i64 row = begin + k, left = count - k;
    const bool is_at_block = row >= kBlock && row % kBlock == 0;
    if (is_at_block && left >= kMore) {
      FoldBlocks<Op, 2>(levels, row, x + k * step, out + k * step, step);
      k += kMore;
    } else if (is_at_block && left >= kSome) {
      FoldBlocks<Op, 1>(levels, row, x + k * step, out + k * step, step);
      k += kSome;
    } else {
      k += FoldRestOfBlock<Op>(levels, row, x + k * step, out + k * step, left, step);
    }
  }
}

// Rows that are folded together. Not more: row pitches are often a power of two, so that rows
// compete for cache sets.
constexpr i64 kRows = 4;

// `count` elements of kRows rows, which are `stride` apart, from element `begin` on.
template <typename Op, i64 step, typename T>
void FoldTogether(const Levels<T>& levels, i64 begin, const T* x, T* out, i64 stride, i64 count) {
  using Some = Blocks<T>;
  using Vector = typename Some::Vector;
  constexpr i64 kLanes = Some::kLanes;
  const Op op;
  for (i64 k = 0; k < count;) {
    const i64 row = begin + k;
    if (row % kLanes != 0 || count - k < kLanes) {
      T elements[kRows], results[kRows];
      for (i64 r = 0; r < kRows; ++r) elements[r] = x[r * stride + k * step];
      FoldRows<Op, 1>(levels, row, elements, results, 0);
      for (i64 r = 0; r < kRows; ++r) out[r * stride + k * step] = results[r];
      ++k;
      continue;
    }
    // In memory, the first of these elements is the last one if they are taken downwards.
    const i64 lowest = step < 0 ? -(k + kLanes - 1) : k;
    const bool begins = row >= kBlock && row % kBlock == 0;
    for (i64 first = 0; first < kRows; first += kLanes) {
      Vector square[kLanes];
      for (i64 lane = 0; lane < kLanes; ++lane) {
        square[lane] = Some::Load(x + (first + lane) * stride + lowest);
      }
      Some::Turn(square);
      Vector chain = Some::Load(levels.chain(0) + first);
      const Vector carry = Some::Load(levels.carry(0) + first);
      for (i64 q = 0; q < kLanes; ++q) {
        Vector& at = square[step < 0 ? kLanes - 1 - q : q];
        chain = begins && q == 0 ? at : op(chain, at);
        at = row < kBlock ? chain : op(carry, chain);
      }
      Some::Store(chain, levels.chain(0) + first);
      Some::Turn(square);
      for (i64 lane = 0; lane < kLanes; ++lane) {
        Some::Store(square[lane], out + (first + lane) * stride + lowest);
      }
    }
    k += kLanes;
    if ((row + kLanes) % kBlock == 0) EndBlock<Op, kRows>(levels, row / kBlock);
  }
}

bool IsWide(ElementType type) {
  return !IsNarrowFloat(type);
}

// Rounded to a cache line.
i64 AlignedBytes(i64 bytes) {
  return (bytes + 63) / 64 * 64;
}
i64 ComputedBytes(ElementType type) {
  return IsWide(type) ? Info(type).bytes : static_cast<i64>(sizeof(float));
}
// Chains and carries of all levels for the columns of a tile.
i64 LevelBytes(const PrefixFold& fold) {
  const i64 columns = fold.inner == 1 ? kRows : std::min(kColumns, fold.inner);
  return AlignedBytes(2 * NumLevels(fold.size) * columns * ComputedBytes(fold.type));
}
// The buffer of narrow floats widened at a time, and the one of their results.
i64 WideBytes() {
  return AlignedBytes(PrefixFolder::kStepElements * static_cast<i64>(sizeof(float)));
}

}  // namespace

PrefixFold PrefixFold::Make(ReducerKind kind, ElementType type, i64 outer, i64 size, i64 inner,
                            bool is_reverse) {
  PrefixFold fold = {.kind = kind, .type = type, .outer = outer, .size = size, .inner = inner};
  fold.is_reverse = is_reverse;
  if (IsComplex(type)) {
    fold.type = PartOf(type);
    fold.parts = 2;
    fold.inner *= 2;
  }
  return fold;
}

i64 PrefixFold::num_tiles() const {
  if (inner == 1) return (outer + kRows - 1) / kRows;
  return outer * ((inner + kColumns - 1) / kColumns);
}

i64 PrefixFold::scratch_bytes() const {
  return LevelBytes(*this) + (IsWide(type) ? 0 : 2 * WideBytes());
}

PrefixFolder::PrefixFolder(const PrefixFold& fold, const void* operand, const void* init,
                           bool init_by_column, void* result, void* scratch)
    : fold_(fold),
      operand_(static_cast<const std::byte*>(operand)),
      init_(static_cast<const std::byte*>(init)),
      init_by_column_(init_by_column),
      result_(static_cast<std::byte*>(result)),
      levels_(static_cast<std::byte*>(scratch)),
      wide_elements_(levels_ + LevelBytes(fold)),
      wide_results_(wide_elements_ + WideBytes()) {}

namespace {

// Calls fn<T, Op>() with the type and operation of the fold.
template <typename Fn>
void DispatchFold(const PrefixFold& fold, const Fn& fn) {
  const bool is_add = fold.kind == ReducerKind::kAdd;
  if (fold.type == F64) {
    is_add ? fn.template operator()<double, Add>() : fn.template operator()<double, Multiply>();
  } else {
    is_add ? fn.template operator()<float, Add>() : fn.template operator()<float, Multiply>();
  }
}

}  // namespace

// A tile is a set of rows (inner == 1) or a range of columns of one outer position. Tiles are
// independent, so that threads can share them.
void PrefixFolder::Start(i64 tile) {
  if (fold_.inner == 1) {
    outer_ = tile * kRows;
    rows_left_ = std::min(kRows, fold_.outer - outer_);
    column_ = 0;
    columns_ = rows_left_ == kRows ? kRows : 1;
  } else {
    const i64 tiles = (fold_.inner + kColumns - 1) / kColumns;
    outer_ = tile / tiles;
    rows_left_ = 1;
    column_ = tile % tiles * kColumns;
    columns_ = std::min(kColumns, fold_.inner - column_);
  }
  Begin();
}

void PrefixFolder::Begin() {
  done_ = 0;
  DispatchFold(fold_, [&]<typename T, typename Op>() { BeginAs<T>(); });
}

// The chain of level 0 begins with the initial value, so that it is the leftmost operand of every
// result.
template <typename T>
void PrefixFolder::BeginAs() {
  T* const chain = Levels<T>{reinterpret_cast<T*>(levels_), columns_}.chain(0);
  const i64 bytes = Info(fold_.type).bytes;
  for (i64 j = 0; j < columns_; ++j) {
    const i64 at =
        init_by_column_ ? outer_ * fold_.inner + column_ + j : (column_ + j) % fold_.parts;
    if constexpr (std::is_same_v<T, float>) {
      if (!IsWide(fold_.type)) {
        WidenElements(fold_.type, init_ + at * bytes, chain + j, 1);
        continue;
      }
    }
    std::memcpy(chain + j, init_ + at * bytes, sizeof(T));
  }
}

// Runs some rows and returns how many elements that were; 0 at the end of the tile. The caller
// checks its limits between steps.
i64 PrefixFolder::Step() {
  if (done_ == fold_.size) {
    if (columns_ == kRows && fold_.inner == 1) return 0;
    if (--rows_left_ <= 0) return 0;
    ++outer_;
    Begin();
  }
  const i64 rows = std::min(std::max<i64>(1, kStepElements / columns_), fold_.size - done_);
  DispatchFold(fold_, [&]<typename T, typename Op>() { StepAs<T, Op>(rows); });
  done_ += rows;
  return rows * columns_;
}

// Picks one of the three forms by the shape of the fold.
template <typename T, typename Op>
void PrefixFolder::StepAs(i64 rows) {
  const Levels<T> levels = {reinterpret_cast<T*>(levels_), columns_};
  const i64 bytes = Info(fold_.type).bytes;
  const i64 step = fold_.is_reverse ? -fold_.inner : fold_.inner;
  const i64 first =
      (outer_ * fold_.size + (fold_.is_reverse ? fold_.size - 1 - done_ : done_)) * fold_.inner +
      column_;
  if (IsWide(fold_.type)) {
    const T* const x = reinterpret_cast<const T*>(operand_) + first;
    T* const out = reinterpret_cast<T*>(result_) + first;
    if (fold_.inner != 1) return FoldColumns<Op>(levels, done_, x, out, rows, step);
    if (columns_ == 1) return FoldNeighbours<Op>(levels, done_, x, out, rows, step);
    if (step > 0) return FoldTogether<Op, 1>(levels, done_, x, out, fold_.size, rows);
    return FoldTogether<Op, -1>(levels, done_, x, out, fold_.size, rows);
  }
  if constexpr (std::is_same_v<T, float>) {
    auto* const x = reinterpret_cast<float*>(wide_elements_);
    auto* const out = reinterpret_cast<float*>(wide_results_);
    // Pieces of memory, `piece` elements each and `apart` from each other, lie one behind the other
    // when they are widened. Rows whose columns are all there are one piece.
    const bool is_whole = columns_ == fold_.inner;
    const bool is_row = fold_.inner == 1;
    const i64 pieces = is_row ? columns_ : is_whole ? 1 : rows;
    const i64 piece = is_row ? rows : is_whole ? rows * columns_ : columns_;
    const i64 apart = is_row ? fold_.size : step;
    const bool goes_down = fold_.is_reverse && (is_row || is_whole);
    const i64 lowest = goes_down ? first + (rows - 1) * step : first;
    for (i64 p = 0; p < pieces; ++p) {
      WidenElements(fold_.type, operand_ + (lowest + p * apart) * bytes, x + p * piece, piece);
    }
    const i64 at = first - lowest;
    if (is_row && columns_ == 1) {
      FoldNeighbours<Op>(levels, done_, x + at, out + at, rows, step);
    } else if (is_row && step > 0) {
      FoldTogether<Op, 1>(levels, done_, x + at, out + at, piece, rows);
    } else if (is_row) {
      FoldTogether<Op, -1>(levels, done_, x + at, out + at, piece, rows);
    } else {
      FoldColumns<Op>(levels, done_, x + at, out + at, rows, is_whole ? step : columns_);
    }
    for (i64 p = 0; p < pieces; ++p) {
      RoundElements(out + p * piece, fold_.type, result_ + (lowest + p * apart) * bytes, piece);
    }
  }
}

// Runs all tiles one after the other, for the interpreter.
Status RunPrefixFold(const PrefixFold& fold, const void* operand, const void* init,
                     bool init_by_column, void* result, const std::function<Status()>& check) {
  std::vector<std::byte> scratch(static_cast<size_t>(fold.scratch_bytes()));
  PrefixFolder folder(fold, operand, init, init_by_column, result, scratch.data());
  for (i64 tile = 0; tile < fold.num_tiles(); ++tile) {
    folder.Start(tile);
    do {
      AXLE_TRY(check());
    } while (folder.Step() > 0);
  }
  return {};
}

}  // namespace axle
