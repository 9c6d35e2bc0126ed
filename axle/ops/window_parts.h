// Windows of sums and products with more than 512 positions (docs/numerics.md N8): the positions
// are numbered in row-major order and cut into parts of 16. A part is a chain; the first part's
// starts from init, the others from their first element. 16 consecutive parts are added in a chain,
// and these groups are joined by the binary tree t(0..n) = t(0..h) + t(h..n), h the largest power
// of two below n.
//
// A chain that starts from the exact identity, -0 of a sum and 1 of a product, is what taking the
// first element as it is gives, and joining an identity changes nothing: so results side by side
// may have no element in one part or another, and need no marks for that.
#pragma once
#include <bit>
#include <optional>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/reduce_kernels.h"

namespace axle {

// A window of so many positions is one chain.
inline constexpr i64 kShortWindow = 512;
inline constexpr i64 kWindowPart = 16;  // positions
inline constexpr i64 kPartsOfGroup = 16;

// How many positions a window has; nothing if that is more than 2^62, when it is one part.
inline std::optional<i64> WindowPositions(const Window& window) {
  constexpr i64 kMost = i64{1} << 62;
  i64 positions = 1;
  for (const WindowDim& dim : window) {
    if (dim.size > kMost / positions) return std::nullopt;
    positions *= dim.size;
  }
  return positions;
}

// Folds of results side by side, part after part.
class WindowParts {
 public:
  // `kind` and `type`, not a narrow one, are such that IsSumOrProduct holds. `most` results and
  // `positions` of a window are what there may be.
  WindowParts(ReducerKind kind, ElementType type, i64 most, i64 positions);

  static i64 Bytes(ElementType type, i64 most, i64 positions);

  // `count` results, whose accumulators begin as init. `memory` has Bytes.
  void Begin(void* accumulators, i64 count, void* memory);
  // To be called before elements at this position of the window are folded: positions increase.
  void MoveTo(i64 position) {
    if (position / kWindowPart != part_) EndPart(position / kWindowPart);
  }
  // The accumulators become the results.
  void End();

  // Sets `count` values to what leaves every other one as it is.
  void FillWithIdentity(void* values, i64 count) const;

 private:
  void EndPart(i64 next);
  void EndGroup(i64 next);
  void JoinLastTwo();
  std::byte* Slot(size_t i) const { return memory_ + static_cast<i64>(i) * slot_bytes_; }

  FoldKernel kernel_;
  std::uint64_t identity_;
  i64 element_bytes_, slot_bytes_;
  std::byte* accumulators_ = nullptr;
  std::byte* memory_ = nullptr;
  i64 width_ = 0;            // elements of the accumulators
  i64 part_ = 0;             // at hand
  std::vector<i64> groups_;  // the number of a group in each slot; the last one is at hand
};

}  // namespace axle
