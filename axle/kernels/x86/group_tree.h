// Sums of groups of parts (core/product_parts.h), joined by the tree of canonical sums: of n
// groups, those below the largest power of two below n are one side of the last addition. Sums of
// rows and columns are joined side by side; those that wait for others lie in scratch memory.
#pragma once
#include "axle/kernels/x86/vector.h"

namespace axle::AXLE_ISA {

// to[row][column] = from[row][column] + to[row][column], or only the former.
template <typename T, bool kAdds>
[[gnu::noinline]] inline void JoinSums(const T* from, i64 from_row, T* to, i64 to_row, i64 rows,
                                       i64 columns) {
  constexpr i64 kLanes = kLanesOf<T>;
  for (i64 i = 0; i < rows; ++i, from += from_row, to += to_row) {
    i64 j = 0;
    for (; j + kLanes <= columns; j += kLanes) {
      Store(to + j, kAdds ? Load(from + j) + Load(to + j) : Load(from + j));
    }
    for (; j < columns; ++j) to[j] = kAdds ? from[j] + to[j] : from[j];
  }
}

template <typename T>
class GroupTree {
 public:
  // `waiting` has room for `size` numbers of each group that waits.
  GroupTree(T* waiting, i64 size) : waiting_(waiting), size_(size) {}

  void Clear() { num_groups_ = num_waiting_ = 0; }
  // Takes over the sums of the next group, rows x columns numbers; in place of those of the last
  // one, the total is left.
  void Add(T* sums, i64 row_step, i64 rows, i64 columns, bool is_last) {
    ++num_groups_;
    for (i64 n = num_groups_; num_waiting_ > 0 && (is_last || n % 2 == 0); n /= 2) {
      --num_waiting_;
      JoinSums<T, true>(Waiting(), columns, sums, row_step, rows, columns);
    }
    if (is_last) return;
    JoinSums<T, false>(sums, row_step, Waiting(), columns, rows, columns);
    ++num_waiting_;
  }

 private:
  T* Waiting() const { return waiting_ + num_waiting_ * size_; }

  T* waiting_;
  i64 size_, num_groups_ = 0, num_waiting_ = 0;
};

}  // namespace axle::AXLE_ISA
