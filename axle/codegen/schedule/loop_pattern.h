// Groups of positions: which loops run over groups (LoopPattern in spec/kernel_spec.h), because the
// dimensions that their arrays agree on are short, or because neighbours lie a few elements apart.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "axle/codegen/schedule/access.h"
#include "axle/codegen/schedule/fold.h"
#include "axle/codegen/spec/kernel_spec.h"

namespace axle {

// Rows below this waste their vectors.
inline constexpr i64 kShortRow = 32;

struct GroupedLoop {
  LoopPattern pattern;
  std::vector<InnerStride> inputs;
  size_t num_dims;  // sizes of the loop that are outside of groups; the last one counts groups
  Dims first;       // by operand: the element of a group that its offsets count from
};

// The groups of a loop over positions split into `sizes`, CommonSizes of its accesses; nothing if
// it has none, or is no faster for them. `outputs`: where those of `program` lie, folds last. A
// fold is grouped only if few elements are joined, one after the other or in any order.
std::optional<GroupedLoop> FindGroups(const LaneProgram& program, const Dims& sizes,
                                      std::span<const Access* const> inputs,
                                      std::span<const Access> outputs, const FoldShape& shape,
                                      std::span<const Fold> folds);

// Whether groups of so many positions, with so many operations and reads of patterns for each, are
// not too much code.
bool HasShortCode(i64 positions, i64 num_operations, i64 num_patterns);

// Whether a grouped loop would read these elements with a few loads of neighbours.
bool IsDenseRead(const Access& access);

}  // namespace axle
