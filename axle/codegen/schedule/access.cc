// How accesses are composed and split. An access maps a position to an element as a number in mixed
// radix: the digits of the position, by the sizes of the factors, times the strides.
//
// Compose() lets a piece of an index map read through another access. Rows 1 and 2 of the transpose
// of x: f32[3,4]:
//
//   transpose(x)     f32[4,3]    {(4, 1), (3, 4)}
//   its slice        f32[2,3]    offset 1, {(2, 1), (3, 4)}
//
// SplitAtDims finds which factors make up each dimension. There is no result if a factor lies
// across two dimensions whose sizes do not divide it, or if a dimension of several factors is read
// in part only; the caller then copies the array into order.
//
// CommonSizes() splits n positions so that each access has one stride per size. It works from the
// innermost size outwards and takes the smallest factor at hand, which has to divide the others:
// {(12, 1)} and {(4, 0), (3, 1)} give 4 x 3, while inner factors 3 and 4 have no common split. The
// factors of each access multiply to n, which is why no list runs out before the others do.
//
// Factors are kept merged (no size 1, no two neighbours that are one run), so equal accesses are
// equal as data.
#include "axle/codegen/schedule/access.h"

#include <algorithm>

namespace axle {
namespace {

// Brings factors into their one form.
std::vector<AccessFactor> Merged(std::span<const AccessFactor> factors) {
  std::vector<AccessFactor> merged;
  for (const AccessFactor& factor : factors) {
    if (factor.size == 1) continue;
    if (!merged.empty() && merged.back().stride == factor.size * factor.stride) {
      merged.back() = {merged.back().size * factor.size, factor.stride};
    } else {
      merged.push_back(factor);
    }
  }
  return merged;
}

// The factors that make up each dimension; nothing if a factor lies across two of them.
std::optional<std::vector<std::vector<AccessFactor>>> SplitAtDims(const Access& access,
                                                                  const Dims& dims) {
  std::vector<std::vector<AccessFactor>> split(dims.size());
  std::vector<AccessFactor> left = access.factors;
  for (size_t d = dims.size(); d-- > 0;) {
    for (i64 need = dims[d]; need > 1;) {
      AccessFactor& inner = left.back();
      const i64 taken = std::min(need, inner.size);
      if (need % taken != 0 || inner.size % taken != 0) return std::nullopt;
      split[d].insert(split[d].begin(), {taken, inner.stride});
      need /= taken;
      inner = {inner.size / taken, inner.stride * taken};
      if (inner.size == 1) left.pop_back();
    }
  }
  return split;
}

// The element at `index` of a dimension with these factors.
i64 OffsetAt(std::span<const AccessFactor> factors, i64 index) {
  i64 offset = 0;
  for (size_t f = factors.size(); f-- > 0; index /= factors[f].size) {
    offset += (f == 0 ? index : index % factors[f].size) * factors[f].stride;
  }
  return offset;
}

}  // namespace

Access Access::Whole(i64 n) {
  Access access;
  if (n != 1) access.factors.push_back({n, 1});
  return access;
}

Access Access::Uniform(i64 n) {
  Access access;
  if (n != 1) access.factors.push_back({n, 0});
  return access;
}

bool Access::IsWhole() const {
  if (offset != 0 || factors.size() > 1) return false;
  return factors.empty() || factors[0].stride == 1;
}

bool Access::IsUniform() const {
  return factors.empty() || (factors.size() == 1 && factors[0].stride == 0);
}

std::optional<Access> Compose(const IndexMap& map, const Dims& result_dims, const Dims& source_dims,
                              const Access& source) {
  if (map.size() != 1 || !map[0].offsets.empty()) return std::nullopt;
  const IndexPiece& piece = map[0];
  if (piece.relinearize) return source;
  if (std::ranges::find(result_dims, 0) != result_dims.end()) return std::nullopt;
  const auto split = SplitAtDims(source, source_dims);
  if (!split) return std::nullopt;
  Access access;
  access.offset = source.offset;
  for (size_t s = 0; s < source_dims.size(); ++s) {
    access.offset += OffsetAt((*split)[s], piece.source_begin[s]);
  }
  std::vector<AccessFactor> factors;
  for (size_t d = 0; d < result_dims.size(); ++d) {
    const IndexPiece::Dim& dim = piece.dims[d];
    if (dim.begin != 0 || dim.step != 1 || dim.count != result_dims[d]) return std::nullopt;
    if (dim.count == 1) continue;
    if (dim.source_dim == kNoSourceDim) {
      factors.push_back({dim.count, 0});
      continue;
    }
    const std::vector<AccessFactor>& from = (*split)[dim.source_dim];
    const i64 begin = piece.source_begin[dim.source_dim];
    const i64 size = source_dims[dim.source_dim];
    if (from.size() == 1) {
      factors.push_back({dim.count, from[0].stride * dim.source_step});
    } else if (dim.count == size && dim.source_step == 1 && begin == 0) {
      factors.insert(factors.end(), from.begin(), from.end());
    } else if (dim.count == size && dim.source_step == -1 && begin == size - 1) {
      for (const AccessFactor& factor : from) factors.push_back({factor.size, -factor.stride});
    } else {
      return std::nullopt;
    }
  }
  access.factors = Merged(factors);
  return access;
}

std::optional<Dims> CommonSizes(std::span<const Access* const> accesses, i64 n) {
  std::vector<std::vector<AccessFactor>> left;
  for (const Access* access : accesses) left.push_back(access->factors);
  Dims sizes;
  while (n > 1) {
    i64 size = n;
    for (const auto& factors : left) size = std::min(size, factors.back().size);
    if (n % size != 0) return std::nullopt;
    for (auto& factors : left) {
      AccessFactor& inner = factors.back();
      if (inner.size % size != 0) return std::nullopt;
      inner = {inner.size / size, inner.stride * size};
      if (inner.size == 1) factors.pop_back();
    }
    sizes.insert(sizes.begin(), size);
    n /= size;
  }
  return sizes;
}

Dims StridesOn(const Access& access, const Dims& sizes) {
  Dims strides(sizes.size(), 0);
  std::vector<AccessFactor> left = access.factors;
  for (size_t d = sizes.size(); d-- > 0;) {
    AccessFactor& inner = left.back();
    strides[d] = inner.stride;
    inner = {inner.size / sizes[d], inner.stride * sizes[d]};
    if (inner.size == 1) left.pop_back();
  }
  return strides;
}

std::optional<RowRead> SplitIntoRows(const Access& access, i64 n, i64 rows) {
  RowRead read{0, access.offset, access.offset};
  std::vector<AccessFactor> left = access.factors;
  for (i64 need = n / rows; need > 1;) {
    AccessFactor& inner = left.back();
    const i64 taken = std::min(need, inner.size);
    if (need % taken != 0 || inner.size % taken != 0) return std::nullopt;
    (inner.stride < 0 ? read.low : read.high) += (taken - 1) * inner.stride;
    need /= taken;
    inner = {inner.size / taken, inner.stride * taken};
    if (inner.size == 1) left.pop_back();
  }
  if (left.size() > 1) return std::nullopt;
  if (!left.empty()) read.stride = left[0].stride;
  return read;
}

std::optional<Dims> StridesAlong(const Access& access, const Dims& dims) {
  const auto split = SplitAtDims(access, dims);
  if (!split) return std::nullopt;
  Dims strides;
  for (const std::vector<AccessFactor>& factors : *split) {
    const std::vector<AccessFactor> merged = Merged(factors);
    if (merged.size() > 1) return std::nullopt;
    strides.push_back(merged.empty() ? 0 : merged[0].stride);
  }
  return strides;
}

}  // namespace axle
