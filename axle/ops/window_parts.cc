// Summation of a long window, for many adjacent results at once. Elements arrive in increasing
// window position. The accumulators hold the chain of the present part; when the position enters
// another part of 16, EndPart adds the accumulators to the slot of their group and resets them to
// the identity. Slots form a stack of subtrees, as in a binary counter: EndGroup joins the last two
// while the smallest tree that covers both does not contain the next group. Positions that meet no
// element are simply skipped, since joining an identity changes nothing. At most log2(groups) + 2
// slots are in use.

#include "axle/ops/window_parts.h"

#include <algorithm>
#include <cstring>

#include "axle/emit/lane_program.h"

namespace axle {
namespace {

// The maximum number of slots in use: one per level of the tree, and the present group.
i64 NumSlots(i64 positions) {
  const i64 groups = positions / (kWindowPart * kPartsOfGroup) + 1;
  return std::bit_width(static_cast<std::uint64_t>(groups)) + 2;
}

}  // namespace

// The identity is kept as bits, because a fill must keep the sign of -0.
WindowParts::WindowParts(ReducerKind kind, ElementType type, i64 most, i64 positions)
    : kernel_(FindFoldKernel(kind, type)),
      identity_(IdentityBits(kind, StorageType(kernel_.type))),
      element_bytes_(Info(kernel_.type).bytes),
      slot_bytes_(most * Info(type).bytes) {
  groups_.reserve(static_cast<size_t>(NumSlots(positions)));
}

i64 WindowParts::Bytes(ElementType type, i64 most, i64 positions) {
  return NumSlots(positions) * most * Info(type).bytes;
}

// `memory` has room for the slots, Bytes() of them.
void WindowParts::Begin(void* accumulators, i64 count, void* memory) {
  accumulators_ = static_cast<std::byte*>(accumulators);
  memory_ = static_cast<std::byte*>(memory);
  width_ = count * kernel_.parts;
  part_ = 0;
  groups_.clear();
}

void WindowParts::FillWithIdentity(void* values, i64 count) const {
  const i64 n = count * kernel_.parts;
  if (element_bytes_ == 4) {
    std::fill_n(static_cast<std::uint32_t*>(values), n, static_cast<std::uint32_t>(identity_));
  } else {
    std::fill_n(static_cast<std::uint64_t*>(values), n, identity_);
  }
}

// The first part of a group is taken as it is.
void WindowParts::EndPart(i64 next) {
  const i64 group = part_ / kPartsOfGroup;
  if (groups_.empty() || groups_.back() != group) {
    EndGroup(group);
    groups_.push_back(group);
    std::memcpy(Slot(groups_.size() - 1), accumulators_,
                static_cast<size_t>(width_ * element_bytes_));
  } else {
    kernel_.fold(Slot(groups_.size() - 1), accumulators_, width_, 1, 0);
  }
  FillWithIdentity(accumulators_, width_ / kernel_.parts);
  part_ = next;
}

// Joins the last two subtrees while the smallest tree with both does not contain group `next`.
// Group numbers are leaves of a tree whose halves are powers of two, so the height of the smallest
// common tree is the bit width of the exclusive or.
void WindowParts::EndGroup(i64 next) {
  const auto height = [](i64 a, i64 b) {
    return std::bit_width(static_cast<std::uint64_t>(a ^ b));
  };
  while (groups_.size() >= 2 &&
         height(groups_[groups_.size() - 2], groups_.back()) < height(groups_.back(), next)) {
    JoinLastTwo();
  }
}

void WindowParts::JoinLastTwo() {
  kernel_.fold(Slot(groups_.size() - 2), Slot(groups_.size() - 1), width_, 1, 0);
  groups_.pop_back();
}

// A window of a single part never left the accumulators.
void WindowParts::End() {
  if (groups_.empty()) return;  // one part
  EndPart(part_);
  while (groups_.size() >= 2) JoinLastTwo();
  std::memcpy(accumulators_, Slot(0), static_cast<size_t>(width_ * element_bytes_));
}

}  // namespace axle
