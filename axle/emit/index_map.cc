// Runs an index map piece by piece. PieceWalk turns the logical indices of a piece into byte
// strides and splits the dimensions in two: those along which an index operand is read (outer_) are
// walked one by one, because every position may lead to another place, and the rest (inner_) is a
// strided box that StridedCopy moves at once. A gather of rows from f32[1000,64] with indices
// s32[8] is thus 8 reads of an index, each clamped, and 8 copies of a run of 64 elements.
//
// Clamping to [0, max] is what keeps every access in bounds: VerifyIndexMap proves a map from its
// begins, counts and maxima alone, whatever the index operands hold. The limits are checked between
// boxes and, in a large box, after every 2^20 elements.

#include "axle/emit/index_map.h"

#include <algorithm>

#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/emit/strided_copy.h"

namespace axle {
namespace {

// How many elements are moved between two checks of the limits.
constexpr i64 kSliceSize = i64{1} << 20;

// StridedCopy in slices along the outermost dimension that is long enough.
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

// Whether the piece is the identity. The result can then start as the operand itself.
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
  return IndexValue(literal.shape().type(), literal.bytes(), position);
}

i64 IndexValue(ElementType type, const void* array, i64 position) {
  return DispatchElementType(type, [&]<ElementType kType>() -> i64 {
    if constexpr (IsIntegral(kType) || kType == PRED) {
      const auto value = static_cast<const StorageOf<kType>*>(array)[position];
      if constexpr (kType == U64)
        return static_cast<i64>(std::min<std::uint64_t>(value, INT64_MAX));
      return static_cast<i64>(value);
    } else {
      return 0;
    }
  });
}

PieceWalk::PieceWalk(std::span<const StridedDim> dims, i64 from, i64 element_bytes)
    : element_bytes_(element_bytes), from_(from * element_bytes) {
  for (const StridedDim& dim : dims) {
    is_empty_ |= dim.count == 0;
    inner_.push_back({dim.count, dim.to_step * element_bytes, dim.from_step * element_bytes});
  }
  inner_ = MergeStridedDims(inner_);
}

PieceWalk::PieceWalk(const IndexPiece& piece, const Shape& result,
                     std::span<const Shape* const> operands)
    : operand_(piece.operand), element_bytes_(Info(result.type()).bytes) {
  const Shape& source = *operands[operand_];
  if (piece.relinearize) {
    is_empty_ = result.num_elements() == 0;
    inner_ = {{result.num_elements(), element_bytes_, element_bytes_}};
    return;
  }
  const Dims to_strides = RowMajorStrides(result.dims());
  const Dims from_strides = RowMajorStrides(source.dims());
  for (size_t d = 0; d < piece.source_begin.size(); ++d) {
    from_ += piece.source_begin[d] * from_strides[d] * element_bytes_;
  }
  for (size_t d = 0; d < piece.dims.size(); ++d) {
    const IndexPiece::Dim& dim = piece.dims[d];
    is_empty_ |= dim.count <= 0;
    if (is_empty_) return;
    to_ += dim.begin * to_strides[d] * element_bytes_;
    StridedDim walk = {dim.count, 0, 0};
    if (dim.count > 1) {  // else the steps lead nowhere, however large they are
      const i64 from =
          dim.source_dim == kNoSourceDim ? 0 : dim.source_step * from_strides[dim.source_dim];
      walk = {dim.count, dim.step * to_strides[d] * element_bytes_, from * element_bytes_};
    }
    const auto chooses = [d](const DynamicOffset& o) {
      return std::ranges::find(o.index_from, static_cast<i64>(d)) != o.index_from.end();
    };
    if (std::ranges::any_of(piece.offsets, chooses)) {
      outer_dims_.push_back(static_cast<i64>(d));
      outer_.push_back(walk);
    } else {
      inner_.push_back(walk);
    }
  }
  inner_ = MergeStridedDims(inner_);
  for (const DynamicOffset& offset : piece.offsets) AddOffset(offset, result, operands);
}

void PieceWalk::AddOffset(const DynamicOffset& offset, const Shape& result,
                          std::span<const Shape* const> operands) {
  const bool on_result = offset.side == DynamicOffset::Side::kResult;
  const Dims strides = RowMajorStrides((on_result ? result : *operands[operand_]).dims());
  const Shape& indices = *operands[offset.operand];
  Offset made{
      on_result, strides[offset.dim] * element_bytes_, offset.operand, indices.type(), 0, {},
      offset.max};
  const Dims index_strides = RowMajorStrides(indices.dims());
  for (size_t d = 0; d < offset.index.size(); ++d) {
    made.first += offset.index[d] * index_strides[d];
    if (offset.index_from[d] == kNoSourceDim) continue;
    const auto at = std::ranges::find(outer_dims_, offset.index_from[d]);
    made.steps.emplace_back(at - outer_dims_.begin(), index_strides[d]);
  }
  offsets_.push_back(std::move(made));
}

Status PieceWalk::Run(const void* const* operands, std::byte* result, Limits* limits) const {
  if (is_empty_) return {};
  const auto* const source = static_cast<const std::byte*>(operands[operand_]);
  std::vector<i64> position(outer_.size(), 0);
  while (true) {
    i64 to = to_, from = from_;
    for (size_t d = 0; d < outer_.size(); ++d) {
      to += position[d] * outer_[d].to_step;
      from += position[d] * outer_[d].from_step;
    }
    for (const Offset& offset : offsets_) {
      i64 element = offset.first;
      for (const auto& [d, step] : offset.steps) element += position[d] * step;
      const i64 value = std::clamp<i64>(IndexValue(offset.type, operands[offset.operand], element),
                                        0, offset.max);
      (offset.on_result ? to : from) += value * offset.stride;
    }
    AXLE_TRY(LimitedCopy(inner_, result + to, source + from, element_bytes_, limits));
    if (limits != nullptr) AXLE_TRY(limits->Check());
    size_t next = outer_.size();
    while (next > 0 && ++position[next - 1] == outer_[next - 1].count) position[--next] = 0;
    if (next == 0) return {};
  }
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
  std::vector<const Shape*> shapes;
  std::vector<const void*> arrays;
  for (const Literal& operand : operands) {
    shapes.push_back(&operand.shape());
    arrays.push_back(operand.bytes());
  }
  // The limits of the thread's storage scope: every run has one.
  Limits* const limits = StorageLimits();
  std::byte* const to = out.mutable_bytes();
  for (const IndexPiece& piece : std::span(map).subspan(first)) {
    AXLE_TRY(PieceWalk(piece, shape, shapes).Run(arrays.data(), to, limits));
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
