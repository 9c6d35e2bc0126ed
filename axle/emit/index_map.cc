#include "axle/emit/index_map.h"

#include <algorithm>

#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/emit/strided_copy.h"

namespace axle {
namespace {

// Elements that are moved between two looks at the limits.
constexpr i64 kSliceSize = i64{1} << 20;

// StridedCopy, in slices.
Status LimitedCopy(std::span<const StridedDim> dims, std::byte* to, const std::byte* from,
                   i64 element_bytes, Limits* limits) {
  i64 count = 1;
  for (const StridedDim& dim : dims) count *= dim.count;
  if (limits == nullptr || count <= kSliceSize) {
    StridedCopy(dims, to, from, element_bytes);
    return {};
  }
  const StridedDim& outer = dims[0];
  const i64 inner_count = count / outer.count;
  std::vector<StridedDim> part(dims.begin(), dims.end());
  const i64 most = std::max<i64>(1, kSliceSize / inner_count);
  for (i64 begin = 0; begin < outer.count; begin += most) {
    AXLE_TRY(limits->CheckNow());
    std::byte* const part_to = to + begin * outer.to_step;
    const std::byte* const part_from = from + begin * outer.from_step;
    if (inner_count > kSliceSize) {
      AXLE_TRY(LimitedCopy(dims.subspan(1), part_to, part_from, element_bytes, limits));
      continue;
    }
    part[0].count = std::min(most, outer.count - begin);
    StridedCopy(part, part_to, part_from, element_bytes);
  }
  return {};
}

// Evaluates one piece into `out`, which is row-major. The limits are those of the thread's storage
// scope: every run has one.
class PieceEvaluator {
 public:
  PieceEvaluator(const IndexPiece& piece, std::span<const Literal> operands, Literal& out)
      : piece_(piece),
        operands_(operands),
        source_(operands[piece.operand]),
        bytes_(Info(out.shape().type()).bytes),
        to_strides_(RowMajorStrides(out.shape().dims())),
        from_strides_(RowMajorStrides(source_.shape().dims())),
        to_(out.mutable_bytes()),
        limits_(StorageLimits()) {}

  Status Run() {
    const auto rank = static_cast<i64>(piece_.dims.size());
    i64 to = 0, from = 0;
    std::vector<StridedDim> walk;
    for (size_t d = 0; d < piece_.source_begin.size(); ++d) {
      from += piece_.source_begin[d] * from_strides_[d];
    }
    for (i64 d = 0; d < rank; ++d) {
      const IndexPiece::Dim& dim = piece_.dims[d];
      if (dim.count <= 0) return {};
      to += dim.begin * to_strides_[d];
      if (dim.count == 1) {  // the steps lead nowhere, however large they are
        walk.push_back({1, 0, 0});
        continue;
      }
      const i64 from_step =
          dim.source_dim == kNoSourceDim ? 0 : dim.source_step * from_strides_[dim.source_dim];
      walk.push_back({dim.count, dim.step * to_strides_[d] * bytes_, from_step * bytes_});
    }
    // Result dimensions that choose an element of an index operand are walked one by one; the rest
    // is a plain box at a place of its own each time.
    std::vector<i64> outer;
    std::vector<StridedDim> inner;
    for (i64 d = 0; d < rank; ++d) {
      const auto chooses = [d](const DynamicOffset& o) {
        return std::ranges::find(o.index_from, d) != o.index_from.end();
      };
      if (std::ranges::any_of(piece_.offsets, chooses)) {
        outer.push_back(d);
      } else {
        inner.push_back(walk[d]);
      }
    }
    inner = MergeStridedDims(inner);
    std::vector<i64> position(rank, 0);
    while (true) {
      i64 to_offset = to * bytes_, from_offset = from * bytes_;
      for (i64 d : outer) {
        to_offset += position[d] * walk[d].to_step;
        from_offset += position[d] * walk[d].from_step;
      }
      for (const DynamicOffset& offset : piece_.offsets) {
        const i64 value = OffsetValue(offset, position);
        if (offset.side == DynamicOffset::Side::kSource) {
          from_offset += value * from_strides_[offset.dim] * bytes_;
        } else {
          to_offset += value * to_strides_[offset.dim] * bytes_;
        }
      }
      AXLE_TRY(LimitedCopy(inner, to_ + to_offset, source_.bytes() + from_offset, bytes_, limits_));
      if (limits_ != nullptr) AXLE_TRY(limits_->Check());
      size_t next = outer.size();
      while (next > 0 && ++position[outer[next - 1]] == walk[outer[next - 1]].count) {
        position[outer[--next]] = 0;
      }
      if (next == 0) return {};
    }
  }

 private:
  i64 OffsetValue(const DynamicOffset& offset, std::span<const i64> position) const {
    const Literal& indices = operands_[offset.operand];
    i64 element = 0;
    for (size_t d = 0; d < offset.index.size(); ++d) {
      const i64 from = offset.index_from[d];
      const i64 at = offset.index[d] + (from == kNoSourceDim ? 0 : position[from]);
      element = element * indices.shape().dim(static_cast<i64>(d)) + at;
    }
    return std::clamp<i64>(IndexValue(indices, element), 0, offset.max);
  }

  const IndexPiece& piece_;
  std::span<const Literal> operands_;
  const Literal& source_;
  i64 bytes_;
  Dims to_strides_, from_strides_;
  std::byte* to_;
  Limits* limits_;
};

// The piece is the identity: the operand is the result, as far as this piece goes.
bool IsWholeCopy(const IndexPiece& piece, const Shape& source, const Shape& result) {
  if (piece.relinearize) return true;
  if (!SameDims(source, result) || !piece.offsets.empty()) return false;
  for (i64 d = 0; d < result.rank(); ++d) {
    const IndexPiece::Dim& dim = piece.dims[d];
    if (dim.begin != 0 || dim.count != result.dim(d) || dim.step != 1 || dim.source_dim != d ||
        dim.source_step != 1 || piece.source_begin[d] != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

i64 IndexValue(const Literal& literal, i64 position) {
  return DispatchElementType(literal.shape().type(), [&]<ElementType kType>() -> i64 {
    if constexpr (IsIntegral(kType) || kType == PRED) {
      const auto value = literal.data<StorageOf<kType>>()[position];
      if constexpr (kType == U64)
        return static_cast<i64>(std::min<std::uint64_t>(value, INT64_MAX));
      return static_cast<i64>(value);
    } else {
      return 0;
    }
  });
}

IndexPiece WholeResult(const Shape& result, int operand, i64 operand_rank,
                       std::span<const i64> source_dims) {
  IndexPiece piece;
  piece.operand = operand;
  piece.source_begin = Dims(operand_rank, 0);
  for (i64 d = 0; d < result.rank(); ++d) {
    piece.dims.push_back({.count = result.dim(d), .source_dim = source_dims[d]});
  }
  return piece;
}

IndexPiece WholeOperand(const Shape& source, int operand, const Dims& begin) {
  IndexPiece piece;
  piece.operand = operand;
  piece.source_begin = Dims(source.rank(), 0);
  for (i64 d = 0; d < source.rank(); ++d) {
    piece.dims.push_back({.begin = begin[d], .count = source.dim(d), .source_dim = d});
  }
  return piece;
}

StatusOr<Literal> EvaluateIndexMap(const IndexMap& map, const Shape& result,
                                   std::span<Literal> operands) {
  const Shape shape = result.WithoutLayout();
  size_t first = 0;
  Literal out;
  if (!map.empty() && IsWholeCopy(map[0], operands[map[0].operand].shape(), shape)) {
    // Shares the operand's storage; writing a further piece copies it if somebody else reads it.
    const int operand = map[0].operand;
    const auto reads_it = [operand](const IndexPiece& piece) {
      return piece.operand == operand ||
             std::ranges::any_of(piece.offsets, [operand](const DynamicOffset& offset) {
               return offset.operand == operand;
             });
    };
    out = operands[operand].WithShape(shape);
    first = 1;
    if (std::none_of(map.begin() + 1, map.end(), reads_it)) operands[operand] = Literal();
  } else if (map.empty()) {
    return Literal::Create(shape);
  } else {
    AXLE_ASSIGN(out, Literal::CreateUninitialized(shape));
  }
  if (shape.num_elements() == 0) return out;
  for (const IndexPiece& piece : std::span(map).subspan(first)) {
    AXLE_TRY(PieceEvaluator(piece, operands, out).Run());
  }
  return out;
}

Status VerifyIndexMap(const IndexMap& map, const Shape& result,
                      std::span<const Shape* const> operands) {
  for (size_t p = 0; p < map.size(); ++p) {
    const IndexPiece& piece = map[p];
    const Shape& source = *operands[piece.operand];
    const auto fail = [&](std::string_view what, i64 d) {
      return Internal(StrCat("index map: piece ", p, " ", what, " dimension ", d, " of ",
                             result.ToString(), " from ", source.ToString()));
    };
    if (piece.relinearize) {
      if (source.num_elements() != result.num_elements()) return fail("has other elements in", 0);
      continue;
    }
    Dims source_last = piece.source_begin, source_first = piece.source_begin;
    Dims result_extra(result.rank(), 0);
    for (const DynamicOffset& offset : piece.offsets) {
      if (offset.side == DynamicOffset::Side::kSource) {
        source_last[offset.dim] += offset.max;
      } else {
        result_extra[offset.dim] += offset.max;
      }
    }
    bool empty = false;
    for (const IndexPiece::Dim& dim : piece.dims) empty = empty || dim.count <= 0;
    if (empty) continue;
    for (i64 d = 0; d < result.rank(); ++d) {
      const IndexPiece::Dim& dim = piece.dims[d];
      const i64 last = dim.begin + (dim.count - 1) * dim.step + result_extra[d];
      if (dim.begin < 0 || last >= result.dim(d)) return fail("writes outside", d);
      if (dim.source_dim == kNoSourceDim) continue;
      const i64 reach = (dim.count - 1) * dim.source_step;
      (reach < 0 ? source_first : source_last)[dim.source_dim] += reach;
    }
    for (i64 d = 0; d < source.rank(); ++d) {
      if (source_first[d] < 0 || source_last[d] >= source.dim(d)) return fail("reads outside", d);
    }
  }
  return {};
}

}  // namespace axle
