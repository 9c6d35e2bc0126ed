#include "axle/emit/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace axle {
namespace {

template <typename T>
void CopyRow(const StridedDim& dim, std::byte* to, const std::byte* from) {
  constexpr i64 kSize = sizeof(T);
  if (dim.to_step == kSize && dim.from_step == kSize) {
    std::memcpy(to, from, static_cast<size_t>(dim.count * kSize));
  } else if (dim.to_step == kSize && dim.from_step == 0) {
    std::fill_n(reinterpret_cast<T*>(to), dim.count, *reinterpret_cast<const T*>(from));
  } else {
    for (i64 k = 0; k < dim.count; ++k) {
      *reinterpret_cast<T*>(to + k * dim.to_step) =
          *reinterpret_cast<const T*>(from + k * dim.from_step);
    }
  }
}

template <typename T>
void Copy(std::span<const StridedDim> dims, std::byte* to, const std::byte* from) {
  if (dims.size() == 1) return CopyRow<T>(dims[0], to, from);
  for (i64 k = 0; k < dims[0].count; ++k) {
    Copy<T>(dims.subspan(1), to + k * dims[0].to_step, from + k * dims[0].from_step);
  }
}

}  // namespace

std::vector<StridedDim> MergeStridedDims(std::span<const StridedDim> dims) {
  std::vector<StridedDim> merged;
  for (const StridedDim& dim : dims) {
    if (dim.count == 1) continue;
    if (!merged.empty() && merged.back().to_step == dim.count * dim.to_step &&
        merged.back().from_step == dim.count * dim.from_step) {
      merged.back() = {merged.back().count * dim.count, dim.to_step, dim.from_step};
    } else {
      merged.push_back(dim);
    }
  }
  if (merged.empty()) merged.push_back({1, 0, 0});
  return merged;
}

void StridedCopy(std::span<const StridedDim> dims, std::byte* to, const std::byte* from,
                 i64 element_bytes) {
  DispatchBytes(static_cast<int>(element_bytes), [&]<typename T>() { Copy<T>(dims, to, from); });
}

}  // namespace axle
