// How long steps take, roughly: whether they are worth more than one thread.
#pragma once
#include "axle/emit/lane_program.h"
#include "axle/ir/module.h"

namespace axle {

// Nanoseconds that one thread takes: per operation of a lane program and position, per byte read or
// written, per product of numbers, per element that a merge puts into its place.
inline constexpr double kOpTime = 0.006, kByteTime = 0.03, kProductTime = 0.02, kMergeTime = 2;

// Below this, waking other threads costs more than they save.
inline constexpr double kMinSharedTime = 40'000;

inline bool IsWorthThreads(double nanoseconds) {
  return nanoseconds >= kMinSharedTime;
}

// The time that a record is told (runtime/program.h): 0 if it is not worth threads.
inline double ParallelTime(double nanoseconds) {
  return IsWorthThreads(nanoseconds) ? nanoseconds : 0;
}

// The time of the operations of `lanes` at so many positions.
inline double TimeOf(const LaneProgram& lanes, double count) {
  return count * static_cast<double>(lanes.code.size()) * kOpTime;
}

// The time of a dot or convolution, by its products or its bytes. The number of products is near
// the geometric mean of the sizes of the two operands and the result.
inline double ContractionTime(const Instruction& inst) {
  double sizes = static_cast<double>(inst.shape().num_elements());
  double bytes = static_cast<double>(inst.shape().num_bytes());
  for (i64 i = 0; i < 2; ++i) {
    sizes *= static_cast<double>(inst.operand(i)->shape().num_elements());
    bytes += static_cast<double>(inst.operand(i)->shape().num_bytes());
  }
  const double products = __builtin_sqrt(sizes) * kProductTime, moves = bytes * kByteTime;
  return products > moves ? products : moves;
}

}  // namespace axle
