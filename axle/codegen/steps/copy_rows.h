// Copies of rows of bytes.
#pragma once
#include <cstddef>
#include <cstring>

#include "axle/core/element_type.h"

namespace axle {

template <i64 kRun>
void CopyShortRows(std::byte* to, i64 to_step, const std::byte* from, i64 from_step, i64 rows) {
  for (i64 row = 0; row < rows; ++row) {
    std::memcpy(to + row * to_step, from + row * from_step, static_cast<size_t>(kRun));
  }
}

// Rows of `run` bytes, whose beginnings are so far apart.
inline void CopyRows(std::byte* to, i64 to_step, const std::byte* from, i64 from_step, i64 rows,
                     i64 run) {
  if (rows == 0 || run == 0) return;
  if (rows == 1 || (to_step == run && from_step == run)) {
    std::memcpy(to, from, static_cast<size_t>(rows * run));
    return;
  }
  switch (run) {
    case 1:
      return CopyShortRows<1>(to, to_step, from, from_step, rows);
    case 2:
      return CopyShortRows<2>(to, to_step, from, from_step, rows);
    case 4:
      return CopyShortRows<4>(to, to_step, from, from_step, rows);
    case 8:
      return CopyShortRows<8>(to, to_step, from, from_step, rows);
    case 16:
      return CopyShortRows<16>(to, to_step, from, from_step, rows);
    default:
      for (i64 row = 0; row < rows; ++row) {
        std::memcpy(to + row * to_step, from + row * from_step, static_cast<size_t>(run));
      }
  }
}

}  // namespace axle
