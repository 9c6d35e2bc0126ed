// Access: where a loop finds the element of an array that it needs at each of its positions.
//
// A loop over n positions counts them row-major, whatever dimensions a program gives them: an
// access is a function of that one number. It is written as factors, outermost first, whose sizes
// multiply to n; each has a stride, in elements. What only moves elements (a broadcast, a slice, a
// reverse, a transpose) changes the factors, a reshape nothing, and most of them are read in place:
//
//   whole array of 12 elements          {(12, 1)}
//   f32[3] broadcast to f32[4,3]        {(4, 0), (3, 1)}
//   f32[3,4] transposed to f32[4,3]     {(4, 1), (3, 4)}
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "axle/emit/index_map.h"

namespace axle {

struct AccessFactor {
  i64 size;
  i64 stride;
  bool operator==(const AccessFactor&) const = default;
};

struct Access {
  i64 offset = 0;
  // No factor of size 1, no two neighbours that are one run: equal accesses are equal as data.
  std::vector<AccessFactor> factors;
  bool operator==(const Access&) const = default;

  static Access Whole(i64 n);
  static Access Uniform(i64 n);  // element 0 at every position
  // Position k reads element k.
  bool IsWhole() const;
  bool IsUniform() const;
  // The stride between neighbouring positions; 0 if all read one element.
  i64 inner_stride() const { return factors.empty() ? 0 : factors.back().stride; }
};

// The access of a map with a single piece that covers a result of these dimensions, to an array
// that is itself read by `source` and has dimensions `source_dims`. Nothing if no factors describe
// it, or if it depends on index operands.
std::optional<Access> Compose(const IndexMap& map, const Dims& result_dims, const Dims& source_dims,
                              const Access& source);

// The sizes into which n positions must be split so that every one of these accesses has one stride
// per size; empty for n == 1. Nothing if there are none.
std::optional<Dims> CommonSizes(std::span<const Access* const> accesses, i64 n);

// The strides of an access on such sizes.
Dims StridesOn(const Access& access, const Dims& sizes);

// An access by n positions as `rows` equal parts: the first of part r reads around element
// r * stride, all of them between that + low and that + high. Nothing if it has no such form; n is
// a multiple of rows.
struct RowRead {
  i64 stride, low, high;
};
std::optional<RowRead> SplitIntoRows(const Access& access, i64 n, i64 rows);

// The strides along these dimensions, none of which is 0, of an access that has one for each;
// nothing otherwise.
std::optional<Dims> StridesAlong(const Access& access, const Dims& dims);

}  // namespace axle
