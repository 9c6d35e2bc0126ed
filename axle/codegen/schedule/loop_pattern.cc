// How groups are found. A loop that is split into sizes 1000 x 50 x 3 x 3 has rows of 3 positions:
// a call of its kernel would compute a fifth of a vector for each row. Its innermost sizes become a
// group instead, here 3 x 3, until the size before them is long enough to be the row: 50 groups of
// 9 positions. With one size of 1000 positions, of which one array reads every third element, a
// group is one position.
//
// A fold has groups of whole results: the sizes inside of a group cover the reduced elements and
// the columns.
//
// The code for groups is written out until a whole number of groups fills whole vectors: 16 groups
// of 9 positions are 9 vectors of 16. kMaxCode bounds that. Elements of an array that lie in a few
// vectors of neighbours are shuffled into place; others would be read one by one, which is no gain
// where rows are long.
#include "axle/codegen/schedule/loop_pattern.h"

#include <algorithm>
#include <numeric>

namespace axle {
namespace {

// Positions of a group, unless it has one size.
constexpr i64 kMaxGroup = 64;
// Smaller loops are done before it matters.
constexpr i64 kMinPositions = 512;
// Lanes of the widest vector.
constexpr i64 kLanes = 16;
// Vectors of neighbours that the elements of one vector lie in.
constexpr i64 kMaxSources = 10;
// The operations that the elements of one array take, mostly.
constexpr i64 kReadWeight = 4;
// Operations, times vectors that they are written for.
constexpr i64 kMaxCode = 640;
// Elements that are joined.
constexpr i64 kMaxReduced = 16;

// Whether the elements of neighbouring lanes lie in a few vectors of neighbours.
bool IsDense(const LoopPattern::Operand& operand, i64 group) {
  const i64 least = std::min<i64>(0, (kLanes - 1) / group * operand.stride);
  Dims vectors;
  for (i64 lane = 0; lane < kLanes; ++lane) {
    const i64 element = lane / group * operand.stride + operand.offsets[lane % group];
    vectors.push_back((element - least) / kLanes);
  }
  std::ranges::sort(vectors);
  return std::unique(vectors.begin(), vectors.end()) - vectors.begin() <= kMaxSources;
}

// The vectors that are written out for so many positions of each group.
i64 NumVectors(i64 positions) {
  return std::lcm(positions, kLanes) / kLanes;
}

// The elements of the positions of a group, by the strides of its dimensions.
Dims OffsetsOf(std::span<const i64> sizes, std::span<const i64> strides) {
  Dims offsets = {0};
  for (size_t d = 0; d < sizes.size(); ++d) {
    Dims next;
    next.reserve(offsets.size() * static_cast<size_t>(sizes[d]));
    for (const i64 offset : offsets) {
      for (i64 k = 0; k < sizes[d]; ++k) next.push_back(offset + k * strides[d]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

class Finder {
 public:
  Finder(const LaneProgram& program, const Dims& sizes, const FoldShape& shape,
         std::span<const Fold> folds)
      : program_(program), sizes_(sizes), shape_(shape), folds_(folds) {}

  std::optional<GroupedLoop> Find(std::span<const Access* const> inputs,
                                  std::span<const Access> outputs) {
    i64 positions = 1;
    for (const i64 size : sizes_) positions *= size;
    if (sizes_.empty() || positions < kMinPositions || !CanFold() || !ChooseGroup()) {
      return std::nullopt;
    }
    loop_.pattern.size = group_;
    for (const Access* input : inputs) AddInput(*input);
    const size_t num_stores = outputs.size() - folds_.size();
    for (size_t o = 0; o < num_stores; ++o) {
      if (!AddOutput(outputs[o], program_.outputs[o])) return std::nullopt;
    }
    for (size_t o = num_stores; o < outputs.size(); ++o) {
      if (!IsRunOfResults(outputs[o])) return std::nullopt;
      loop_.first.push_back(0);
    }
    if (!AreTablesFixed() || !IsWorthIt()) return std::nullopt;
    return std::move(loop_);
  }

 private:
  bool CanFold() {
    if (folds_.empty()) return true;
    if (!shape_.groups.empty() || shape_.reduced > kMaxReduced ||
        program_.outputs.size() > folds_.size()) {
      return false;
    }
    loop_.pattern.reduced = shape_.reduced;
    loop_.pattern.columns = shape_.columns;
    return std::ranges::all_of(folds_, [&](const Fold& fold) {
      const FoldOrder order = OrderOf(shape_, fold);
      return fold.kind != ReducerKind::kGeneral &&
             (order == FoldOrder::kAny || order == FoldOrder::kLeft);
    });
  }

  // Sets num_dims and group_.
  bool ChooseGroup() {
    size_t d = sizes_.size();
    const i64 folded = folds_.empty() ? 1 : shape_.reduced * shape_.columns;
    if (!folds_.empty() && shape_.columns >= kShortRow) return false;
    while (d > 0 && group_ < folded) group_ *= sizes_[--d];
    if (group_ != folded || group_ > kMaxGroup) return false;
    if (folds_.empty() && sizes_.back() < kShortRow) group_ = sizes_[--d];
    while (d > 1 && sizes_[d - 1] < kShortRow && group_ * sizes_[d - 1] <= kMaxGroup) {
      group_ *= sizes_[--d];
    }
    loop_.num_dims = d;
    return d > 0 && sizes_[d - 1] * group_ >= kMaxGroup;
  }

  struct Split {
    LoopPattern::Operand operand;
    i64 first;
    bool is_one;      // one element for all rows
    bool is_uniform;  // one element for the row
    bool is_unit;     // neighbours
  };
  // The access, with its groups.
  Split SplitOf(const Access& access) const {
    const Dims strides = StridesOn(access, sizes_);
    const size_t d = loop_.num_dims;
    Split split;
    split.operand.stride = strides[d - 1];
    Dims& offsets = split.operand.offsets;
    offsets = OffsetsOf(std::span(sizes_).subspan(d), std::span(strides).subspan(d));
    split.first = std::ranges::min(offsets);
    for (i64& offset : offsets) offset -= split.first;
    const auto is_zero = [](i64 stride) { return stride == 0; };
    split.is_one = std::ranges::all_of(strides, is_zero);
    split.is_uniform =
        std::all_of(strides.begin() + static_cast<std::ptrdiff_t>(d) - 1, strides.end(), is_zero);
    split.is_unit = split.operand.stride == group_;
    for (i64 p = 0; p < group_; ++p) split.is_unit &= offsets[p] == p;
    return split;
  }

  void AddInput(const Access& access) {
    Split split = SplitOf(access);
    loop_.first.push_back(split.first);
    // The lanes of a fold are results: their elements are no neighbours.
    const bool is_fold = !folds_.empty();
    const InnerStride kind = split.is_one                ? InnerStride::kOne
                             : split.is_uniform          ? InnerStride::kUniform
                             : split.is_unit && !is_fold ? InnerStride::kUnit
                                                         : InnerStride::kPattern;
    loop_.inputs.push_back(kind);
    loop_.pattern.operands.emplace_back();
    if (kind != InnerStride::kPattern) return;
    ++num_patterns_;
    if (IsDense(split.operand, group_)) ++num_dense_;
    loop_.pattern.operands.back() = std::move(split.operand);
  }

  bool AddOutput(const Access& access, const LaneArray& array) {
    Split split = SplitOf(access);
    if (split.operand.stride < 0) return false;
    loop_.first.push_back(split.first);
    loop_.pattern.operands.emplace_back();
    if (split.is_unit) return true;
    if (array.num_parts != 1 || !IsDense(split.operand, group_)) return false;
    ++num_patterns_;
    ++num_dense_;
    loop_.pattern.operands.back() = std::move(split.operand);
    return true;
  }

  // Whether the results of the groups of a row are neighbours.
  bool IsRunOfResults(const Access& access) const {
    const Dims strides = StridesOn(access, sizes_);
    const size_t d = loop_.num_dims;
    const i64 results = group_ / shape_.reduced;
    if (strides[d - 1] != results) return false;
    const Dims offsets = OffsetsOf(std::span(sizes_).subspan(d), std::span(strides).subspan(d));
    for (i64 p = 0; p < group_; ++p) {
      const i64 array = p / (shape_.reduced * shape_.columns);
      if (offsets[p] != array * shape_.columns + p % shape_.columns) return false;
    }
    return true;
  }

  // Elements by number count from one place, or from where the position is.
  bool AreTablesFixed() const {
    return std::ranges::none_of(program_.code, [&](const LaneOp& op) {
      return op.primitive == Primitive::kElement &&
             loop_.inputs[op.input()] == InnerStride::kPattern;
    });
  }

  bool IsWorthIt() const {
    if (group_ == 1 && (num_dense_ == 0 || num_dense_ < num_patterns_)) return false;
    const i64 reduced = loop_.pattern.reduced;
    return HasShortCode(group_ / reduced, reduced * program_.num_operations(),
                        reduced * num_patterns_);
  }

  const LaneProgram& program_;
  const Dims& sizes_;
  const FoldShape& shape_;
  const std::span<const Fold> folds_;
  GroupedLoop loop_{};
  i64 group_ = 1;
  i64 num_patterns_ = 0, num_dense_ = 0;
};

}  // namespace

std::optional<GroupedLoop> FindGroups(const LaneProgram& program, const Dims& sizes,
                                      std::span<const Access* const> inputs,
                                      std::span<const Access> outputs, const FoldShape& shape,
                                      std::span<const Fold> folds) {
  return Finder(program, sizes, shape, folds).Find(inputs, outputs);
}

bool HasShortCode(i64 positions, i64 num_operations, i64 num_patterns) {
  return NumVectors(positions) * (num_operations + kReadWeight * num_patterns) <= kMaxCode;
}

bool IsDenseRead(const Access& access) {
  // As in ChooseGroup, if the loop has the sizes of this access.
  LoopPattern::Operand operand{0, {0}};
  i64 group = 1;
  for (size_t f = access.factors.size(); f-- > 0;) {
    const auto [size, stride] = access.factors[f];
    operand.stride = stride;
    if (size >= kShortRow || group * size > kMaxGroup) break;
    Dims offsets;
    for (i64 k = 0; k < size; ++k) {
      for (const i64 offset : operand.offsets) offsets.push_back(offset + k * stride);
    }
    operand.offsets = std::move(offsets);
    group *= size;
  }
  return IsDense(operand, group);
}

}  // namespace axle
