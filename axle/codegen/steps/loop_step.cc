// How a loop of any rank becomes calls of a kernel of two dimensions. A loop of sizes 8 x 3 x 1000
// has 24 rows of 1000 positions. A tile is 4 rows, about kTilePositions positions, so there are 6
// tiles. One call of the kernel takes neighbouring rows as long as they are one stride apart, here
// the 3 rows of the second dimension; RunRows finds the first element of the next call from the
// row's number by division. A loop of a single row is cut into tiles of kTilePositions positions
// instead.
//
// A call takes at most kSlicePositions positions, or one row if rows are longer; in between, the
// limits are asked.
//
// A kernel that streams writes whole vectors past the caches. IsWorthStreaming allows that for few
// and large outputs whose rows, in every tile, begin at cache lines; after its tiles a thread puts
// a fence behind these stores.
#include "axle/codegen/steps/loop_step.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace axle {
namespace {

// Positions of a tile: enough to hide the cost of a call.
constexpr i64 kTilePositions = 4096;
// Groups that the kernel of a grouped loop takes at a time, or a multiple.
constexpr i64 kBlockGroups = 64;
static_assert(kTilePositions % kBlockGroups == 0);
// Outputs that are streamed together: a processor fills a few lines at a time.
constexpr size_t kMaxStreams = 4;
// Alignment of rows that a kernel streams: at least that of its vectors.
constexpr i64 kStreamAlignment = 64;

// Whether the arrays are aligned, so that their rows are as the plan says.
bool AreAligned(const LoopPlan& plan, void* const* buffers) {
  const size_t num_operands = plan.offsets.size();
  for (size_t i = num_operands - plan.num_streamed; i < num_operands; ++i) {
    if (reinterpret_cast<std::uintptr_t>(buffers[i]) % kStreamAlignment != 0) return false;
  }
  return true;
}

// Makes streamed stores visible to other threads.
void Fence() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
}

}  // namespace

std::vector<InnerStride> InnerStrides(std::span<const Access* const> inputs, const Dims& sizes) {
  std::vector<InnerStride> inner;
  for (const Access* input : inputs) {
    const Dims strides = sizes.empty() ? Dims{1} : StridesOn(*input, sizes);
    const i64 stride = strides.back();
    const bool is_one = std::ranges::all_of(strides, [](i64 s) { return s == 0; });
    inner.push_back(is_one        ? InnerStride::kOne
                    : stride == 0 ? InnerStride::kUniform
                    : stride == 1 ? InnerStride::kUnit
                                  : InnerStride::kAny);
  }
  return inner;
}

std::shared_ptr<LoopPlan> PlanLoop(const Dims& sizes, std::span<const LoopOperand> operands,
                                   size_t num_dims) {
  auto plan = std::make_shared<LoopPlan>();
  plan->sizes.assign(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(num_dims));
  for (size_t d = num_dims; d < sizes.size(); ++d) plan->group *= sizes[d];
  while (plan->sizes.size() < 2) plan->sizes.insert(plan->sizes.begin(), 1);
  const size_t rank = plan->sizes.size();
  for (const LoopOperand& operand : operands) {
    Dims strides = StridesOn(operand.access, sizes);
    strides.resize(num_dims);
    while (strides.size() < rank) strides.insert(strides.begin(), 0);
    for (i64& stride : strides) stride *= operand.element_bytes;
    plan->outer_strides.push_back(strides[rank - 2]);
    plan->inner_strides.push_back(strides[rank - 1]);
    plan->strides.insert(plan->strides.end(), strides.begin(), strides.end());
    plan->offsets.push_back(operand.access.offset * operand.element_bytes);
  }
  i64 rows = 1;
  for (size_t d = 0; d + 1 < rank; ++d) rows *= plan->sizes[d];
  const i64 inner = plan->sizes.back();
  if (rows == 1) {
    plan->positions_per_tile =
        (kTilePositions / plan->group + kBlockGroups - 1) / kBlockGroups * kBlockGroups;
    plan->num_tiles = (inner + plan->positions_per_tile - 1) / plan->positions_per_tile;
  } else {
    plan->rows_per_tile = std::max<i64>(1, kTilePositions / std::max<i64>(inner * plan->group, 1));
    plan->num_tiles = (rows + plan->rows_per_tile - 1) / plan->rows_per_tile;
  }
  return plan;
}

i64 PassedBytes(const LoopPlan& plan, std::span<const LoopOperand> operands, size_t i) {
  i64 bytes = operands[i].element_bytes;
  for (size_t d = 0; d < plan.sizes.size(); ++d) {
    if (plan.strides[i * plan.sizes.size() + d] != 0) bytes *= plan.sizes[d];
  }
  return bytes;
}

bool IsWorthStreaming(const LoopPlan& plan, std::span<const LoopOperand> operands,
                      size_t num_outputs, i64 passed_bytes) {
  if (num_outputs == 0 || num_outputs > kMaxStreams) return false;
  i64 positions = 1;
  for (const i64 size : plan.sizes) positions *= size;
  const i64 least = passed_bytes >= kMinStreamedPass ? kMinStreamedInPass : kMinStreamedBytes;
  const i64 row = plan.positions_per_tile > 0 ? plan.positions_per_tile : plan.sizes.back();
  for (size_t i = operands.size() - num_outputs; i < operands.size(); ++i) {
    const i64 bytes = operands[i].element_bytes;
    if (positions * bytes < least || plan.offsets[i] % kStreamAlignment != 0 ||
        row * bytes % kStreamAlignment != 0) {
      return false;
    }
    const auto outer =
        std::span(plan.strides).subspan(i * plan.sizes.size(), plan.sizes.size() - 1);
    if (std::ranges::any_of(outer, [](i64 stride) { return stride % kStreamAlignment != 0; })) {
      return false;
    }
  }
  return true;
}

// Tiles become single rows of the kernel, whose number is a multiple of `rows` because the sizes
// have the boundary between rows, or `rows` parts of its only row.
void TileByRows(LoopPlan& plan, i64 rows) {
  if (plan.positions_per_tile > 0) {
    plan.positions_per_tile = plan.sizes.back() / rows;
    plan.num_tiles = rows;
  } else {
    plan.num_tiles = 1;
    for (size_t d = 0; d + 1 < plan.sizes.size(); ++d) plan.num_tiles *= plan.sizes[d];
    plan.rows_per_tile = 1;
  }
}

RowSizes RowSizesOf(const LoopPlan& plan) {
  constexpr i64 kWhole = RowSizes::kWhole;
  static_assert(kSlicePositions % kWhole == 0);
  const i64 row = plan.sizes.back();
  return {.are_whole = row % kWhole == 0 && plan.positions_per_tile % kWhole == 0, .most = row};
}

void SetLoopBounds(const LoopPlan& plan, void* const* buffers, void** pointers) {
  const size_t num_operands = plan.memory_bytes.size();
  for (size_t i = 0; i < num_operands; ++i) {
    SetBounds(pointers, num_operands, i, buffers[i], plan.memory_bytes[i]);
  }
}

int RunRows(const RunContext* run, const LoopPlan& plan, void* const* buffers, i64 begin, i64 end) {
  const size_t num_operands = plan.offsets.size(), rank = plan.sizes.size();
  const i64 inner = plan.sizes[rank - 1], outer = plan.sizes[rank - 2];
  void* pointers[kMaxLoopPointers];
  SetLoopBounds(plan, buffers, pointers);
  i64 rows = outer;
  for (size_t d = 0; d + 2 < rank; ++d) rows *= plan.sizes[d];
  i64 row = begin * plan.rows_per_tile;
  const i64 last = std::min(rows, end * plan.rows_per_tile);
  const i64 of_row = inner * plan.group;
  const i64 most = std::max<i64>(1, kSlicePositions / std::max<i64>(of_row, 1));
  i64 since_look = 0;
  while (row < last) {
    const i64 first = row % outer;
    const i64 count = std::min({last - row, outer - first, most});
    for (size_t i = 0; i < num_operands; ++i) {
      const i64* strides = plan.strides.data() + i * rank;
      i64 offset = plan.offsets[i] + first * strides[rank - 2];
      i64 rest = row / outer;
      for (size_t d = rank - 2; d-- > 0 && rest > 0; rest /= plan.sizes[d]) {
        offset += rest % plan.sizes[d] * strides[d];
      }
      pointers[i] = static_cast<std::byte*>(buffers[i]) + offset;
    }
    plan.kernel(pointers, inner, count, plan.outer_strides.data(), plan.inner_strides.data());
    row += count;
    since_look += count * of_row;
    if (since_look >= kSlicePositions && row < last) {
      if (run->stopped(run)) return kKernelStopped;
      since_look = 0;
    }
  }
  return kKernelOk;
}

namespace {

// Runs parts of the only row.
int RunRow(const RunContext* run, const LoopPlan& plan, void* const* buffers, i64 begin, i64 end) {
  const size_t num_operands = plan.offsets.size();
  void* pointers[kMaxLoopPointers];
  SetLoopBounds(plan, buffers, pointers);
  const i64* strides = plan.inner_strides.data();
  i64 position = begin * plan.positions_per_tile;
  const i64 last = std::min(plan.sizes[1], end * plan.positions_per_tile);
  while (position < last) {
    const i64 count = std::min(last - position, kSlicePositions / plan.group);
    for (size_t i = 0; i < num_operands; ++i) {
      pointers[i] = static_cast<std::byte*>(buffers[i]) + plan.offsets[i] + position * strides[i];
    }
    plan.kernel(pointers, count, 1, plan.outer_strides.data(), strides);
    position += count;
    if (position < last && run->stopped(run)) return kKernelStopped;
  }
  return kKernelOk;
}

}  // namespace

int RunLoop(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  const LoopPlan& plan = *static_cast<const LoopPlan*>(data);
  const bool is_one_row = plan.sizes.size() == 2 && plan.sizes[0] == 1;
  const auto run_part = is_one_row ? &RunRow : &RunRows;
  if (plan.num_streamed == 0) return run_part(run, plan, buffers, begin, end);
  if (!AreAligned(plan, buffers)) return kKernelFailed;  // no caller does that
  const int result = run_part(run, plan, buffers, begin, end);
  Fence();
  return result;
}

}  // namespace axle
