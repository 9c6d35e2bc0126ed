// How a gather is taken apart. Its map is one piece with offsets: without them the piece is an
// affine access of the table, and each offset is a term. An offset names an element of an index
// array for each position of the result, which is again a piece, of that array.
//
// Index vectors of several numbers are mostly concatenations of one array for each number. A term
// reads its array itself (Resolve), so that the concatenation need not be there at all.
//
// Numbers are clamped in their own type, where an unsigned one is never negative and a bound that
// the type cannot exceed needs no test. Distances are s32 if the table is small enough for that: a
// vector holds twice as many.
#include "axle/codegen/schedule/indexed_read.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "axle/codegen/schedule/small_size.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

// Index arrays of one read: more than programs have, and fewer than a loop may read.
constexpr size_t kMaxTerms = 8;

// The piece of `map` that has all the elements that `term` reads, if it moves them by whole steps;
// the term then reads them where the piece does.
bool ResolveIn(const IndexMap& map, IndexedRead::Term& term) {
  const Instruction& whole = *term.indices;
  const auto& dims = whole.shape().dims();
  for (const IndexPiece& piece : map) {
    if (piece.relinearize || !piece.offsets.empty()) return false;
    IndexPiece moved = term.piece;
    moved.source_begin = piece.source_begin;
    bool contains = true, is_plain = true, is_apart = false;
    std::vector<i64> source_of(dims.size(), kNoSourceDim);
    for (size_t d = 0; d < dims.size(); ++d) {
      const IndexPiece::Dim& dim = piece.dims[d];
      const bool moves = std::ranges::any_of(term.piece.dims, [&](const IndexPiece::Dim& from) {
        return from.source_dim == static_cast<i64>(d) && from.count > 1;
      });
      const i64 first = term.piece.source_begin[d];
      const i64 last = moves ? dims[d] - 1 : first;
      contains = contains && dim.begin <= first && last < dim.begin + dim.count;
      is_apart = is_apart || last < dim.begin || first >= dim.begin + dim.count;
      is_plain = is_plain && dim.step == 1;
      if (dim.source_dim == kNoSourceDim) continue;
      is_plain = is_plain && dim.source_step == 1;
      source_of[d] = dim.source_dim;
      moved.source_begin[dim.source_dim] += first - dim.begin;
    }
    if (is_apart) continue;
    if (!contains || !is_plain) return false;
    for (IndexPiece::Dim& dim : moved.dims) {
      if (dim.source_dim != kNoSourceDim) dim.source_dim = source_of[dim.source_dim];
    }
    term.indices = whole.operand(piece.operand);
    term.piece = std::move(moved);
    return true;
  }
  return false;
}

// Pieces lie above each other only in maps that begin with all of the result, as pads do.
bool ArePut(const IndexMap& map, const Instruction& inst) {
  if (map.size() < 2) return false;
  i64 count = 0;
  for (const IndexPiece& piece : map) {
    if (piece.relinearize) return false;
    i64 elements = 1;
    for (const IndexPiece::Dim& dim : piece.dims) elements *= dim.count;
    count += elements;
  }
  return count == inst.shape().num_elements();
}

void Resolve(IndexedRead::Term& term) {
  constexpr int kMaxSteps = 8;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Instruction& inst = *term.indices;
    const OpDef& def = GetOpDef(inst);
    // Index vectors are made of a few arrays; the map of a long concatenate would be a long one.
    if (inst.num_operands() > static_cast<i64>(kMaxTerms)) return;
    if (def.index_map == nullptr || !inst.shape().is_static()) return;
    const IndexMap map = def.index_map(inst);
    if (!ArePut(map, inst) || !ResolveIn(map, term)) return;
  }
}

}  // namespace

std::optional<IndexedRead> FindIndexedRead(const Instruction& inst, const IndexMap& map) {
  if (map.size() != 1 || map[0].relinearize || map[0].offsets.empty()) return std::nullopt;
  const Shape& result = inst.shape();
  const IndexPiece& piece = map[0];
  const Instruction& table = *inst.operand(piece.operand);
  if (result.num_elements() <= kMaxSmallElements) return std::nullopt;
  IndexPiece affine = piece;
  affine.offsets.clear();
  auto base = Compose({affine}, result.dims(), table.shape().dims(),
                      Access::Whole(table.shape().num_elements()));
  if (!base) return std::nullopt;
  IndexedRead read{&table, *std::move(base), {}};
  bool is_by_position = false;
  const Dims strides = RowMajorStrides(table.shape().dims());
  for (const DynamicOffset& offset : piece.offsets) {
    if (offset.side != DynamicOffset::Side::kSource) return std::nullopt;
    if (offset.max == 0) continue;
    IndexedRead::Term term{inst.operand(offset.operand), {}, offset.max, strides[offset.dim]};
    Dims source_dims(result.rank(), kNoSourceDim);
    for (size_t d = 0; d < offset.index_from.size(); ++d) {
      if (offset.index_from[d] == kNoSourceDim) continue;
      source_dims[offset.index_from[d]] = static_cast<i64>(d);
      is_by_position = true;
    }
    term.piece = WholeResult(result, 0, std::ssize(offset.index), source_dims);
    term.piece.source_begin = offset.index;
    Resolve(term);
    read.terms.push_back(std::move(term));
  }
  if (!is_by_position || read.terms.empty() || read.terms.size() > kMaxTerms) return std::nullopt;
  return read;
}

Lane DistanceOf(const IndexedRead& read, LaneBuilder& builder, const std::vector<Lane>& numbers) {
  const i64 parts = IsComplex(read.table->shape().type()) ? 2 : 1;
  const bool is_narrow =
      read.table->shape().num_elements() * parts <= std::numeric_limits<std::int32_t>::max();
  const LaneType type = is_narrow ? LaneType::kS32 : LaneType::kS64;
  std::optional<Lane> sum;
  for (size_t i = 0; i < numbers.size(); ++i) {
    Lane number = numbers[i];
    const int value_bits = BitsOf(number.type()) - (IsSigned(number.type()) ? 1 : 0);
    const i64 max = read.terms[i].max, stride = read.terms[i].stride;
    if (IsSigned(number.type())) number = Max(number, 0);
    if (value_bits >= 63 || max < (i64{1} << value_bits) - 1) number = Min(number, max);
    number = Resize(type, number);
    const auto magnitude = static_cast<std::uint64_t>(stride);
    if (std::has_single_bit(magnitude)) {
      if (stride > 1) number = number << std::countr_zero(magnitude);
    } else {
      number = number * stride;
    }
    sum = sum ? *sum + number : number;
  }
  return sum ? *sum : builder.Constant(type, 0);
}

}  // namespace axle
