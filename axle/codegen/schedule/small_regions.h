// Small regions: neighbouring regions on few elements become one function that keeps their arrays
// in registers. Loops and branches over such regions are part of it: a while whose state are some
// numbers is a loop of machine code. Larger arrays may take part where they are: some elements of
// them are read, or replaced in place.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "axle/codegen/schedule/regions.h"
#include "axle/codegen/schedule/small_size.h"

namespace axle {

inline bool IsSmall(const Value& value) {
  return value.num_elements() <= kMaxSmallElements;
}

// A large output of a part, and the input whose elements it has, but for those that are replaced.
struct LargeOutput {
  std::uint32_t output, input;
  bool is_written;  // else it is the input
};
// The large outputs of a part of a small region, or of a region that may become one; nothing if it
// makes a large array in another way.
std::optional<std::vector<LargeOutput>> LargeOutputs(const Schedule& schedule, const Region& part);

// The linear index, in elements, of what a piece without run-time offsets reads for each result
// element that it fills.
struct PieceElements {
  std::vector<i64> result, source;
};
PieceElements ElementsOf(const IndexPiece& piece, const Shape& result, const Shape& source);
// The elements that an access reads, by position.
std::vector<i64> ElementsOf(const Access& access);

// Puts regions of `schedule` together. `schedule_of` gives the schedules of called computations,
// not grouped; those that become part of a region get their callees. `wherever_possible`: also
// where it is not faster.
using ScheduleOf =
    std::function<StatusOr<std::shared_ptr<Schedule>>(const HloComputation& computation)>;
Status GroupSmallRegions(Schedule& schedule, const ScheduleOf& schedule_of,
                         bool wherever_possible = false);

}  // namespace axle
