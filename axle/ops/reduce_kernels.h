// The folds behind reductions with a known reducer: plain loops per element type and operation,
// compiled for speed (axle/ops/CMakeLists.txt). The order of a sum is decided by the caller.
#pragma once
#include "axle/core/element_type.h"
#include "axle/ops/lanes/reducer.h"

namespace axle {

// acc[j] = f(acc[j], x[j + k * stride]) for k = 0 .. repeats - 1 and j = 0 .. width - 1, in this
// order of k. The arrays do not overlap.
using FoldFn = void (*)(void* acc, const void* x, i64 width, i64 repeats, i64 stride);

// *result = the fold of x[0 .. count - 1], 1 <= count <= kSumChunk, in `lanes` lanes of the
// canonical order: what FoldFn and JoinLanes give, in one call.
using FoldRowFn = void (*)(const void* x, i64 count, i64 lanes, void* result);

// acc[at[k]] = f(acc[at[k]], x[k * step]) for k = 0 .. count - 1, in this order; negative at[k] are
// skipped.
using FoldAtFn = void (*)(void* acc, const i64* at, const void* x, i64 step, i64 count);

// acc[at[k] + j] = f(acc[at[k] + j], x[from[k] + j]) for j = 0 .. width - 1, for k = 0 .. count -
// 1, in this order of k. The arrays do not overlap.
using FoldRowsAtFn = void (*)(void* acc, const i64* at, const void* x, const i64* from, i64 count,
                              i64 width);

// Running folds of rows `stride` apart: for each row r, acc[r] = f(acc[r], x) and out = acc[r] for
// the elements x and out at r * stride + k * step, k = 0 .. count - 1. x and out are other arrays.
using ScanRowsFn = void (*)(void* acc, const void* x, void* out, i64 rows, i64 stride, i64 count,
                            i64 step);

// How values of an element type are folded. Narrow floats are folded as f32; the parts of complex
// sums are independent, so a complex value is then two elements of its part type.
struct FoldKernel {
  FoldFn fold = nullptr;
  FoldRowFn fold_row = nullptr;               // for values of one part
  FoldAtFn fold_at = nullptr;                 // likewise
  FoldRowsAtFn fold_rows_at = nullptr;        // likewise
  ScanRowsFn scan_rows = nullptr;             // likewise
  ElementType type = PRIMITIVE_TYPE_INVALID;  // of the arrays
  int parts = 1;                              // elements of `type` per value
};

// `kind` is not kGeneral and one that ClassifyReducer gives for `type`.
FoldKernel FindFoldKernel(ReducerKind kind, ElementType type);

}  // namespace axle
