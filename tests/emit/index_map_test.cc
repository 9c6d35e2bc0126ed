// The index map evaluator against a walk over every element, and the checker of maps.
#include "axle/emit/index_map.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/emit/strided_copy.h"

namespace axle {
namespace {

Literal Counting(ElementType type, Dims dims, int first = 0) {
  Literal literal{Shape(type, std::move(dims))};
  std::int32_t value = first;
  for (std::int32_t& element : literal.mutable_data<std::int32_t>()) element = value++;
  return literal;
}

std::vector<std::int32_t> Values(const Literal& literal) {
  return {literal.data<std::int32_t>().begin(), literal.data<std::int32_t>().end()};
}

i64 Linear(const Dims& dims, const Dims& index) {
  i64 linear = 0;
  for (size_t d = 0; d < dims.size(); ++d) linear = linear * dims[d] + index[d];
  return linear;
}

// What index_map.h says, one element at a time.
std::vector<std::int32_t> Walk(const IndexMap& map, const Shape& result,
                               std::span<const Literal> operands) {
  std::vector<std::int32_t> out(result.num_elements(), -1);
  for (const IndexPiece& piece : map) {
    const Literal& source = operands[piece.operand];
    if (piece.relinearize) {
      out = Values(source);
      continue;
    }
    Dims position(piece.dims.size(), 0);
    for (bool more = std::ranges::all_of(piece.dims, [](const auto& d) { return d.count > 0; });
         more;) {
      Dims to(position.size()), from = piece.source_begin;
      for (size_t d = 0; d < position.size(); ++d) {
        const IndexPiece::Dim& dim = piece.dims[d];
        to[d] = dim.begin + position[d] * dim.step;
        if (dim.source_dim != kNoSourceDim) from[dim.source_dim] += position[d] * dim.source_step;
      }
      for (const DynamicOffset& offset : piece.offsets) {
        Dims index = offset.index;
        for (size_t k = 0; k < index.size(); ++k) {
          if (offset.index_from[k] != kNoSourceDim) index[k] += position[offset.index_from[k]];
        }
        const Literal& indices = operands[offset.operand];
        const i64 value = indices.data<std::int32_t>()[Linear(indices.shape().dims(), index)];
        (offset.side == DynamicOffset::Side::kSource ? from : to)[offset.dim] +=
            std::clamp<i64>(value, 0, offset.max);
      }
      out[Linear(result.dims(), to)] =
          source.data<std::int32_t>()[Linear(source.shape().dims(), from)];
      more = false;
      for (size_t d = position.size(); d-- > 0 && !more;) {
        more = ++position[d] < piece.dims[d].count;
        if (!more) position[d] = 0;
      }
    }
  }
  return out;
}

void ExpectAsWalked(const IndexMap& map, const Shape& result, std::vector<Literal> operands) {
  std::vector<const Shape*> shapes;
  for (const Literal& operand : operands) shapes.push_back(&operand.shape());
  ASSERT_TRUE(VerifyIndexMap(map, result, shapes).ok());
  const std::vector<std::int32_t> expected = Walk(map, result, operands);
  const auto actual = EvaluateIndexMap(map, result, operands);
  ASSERT_TRUE(actual.ok());
  EXPECT_EQ(actual->shape(), result);
  EXPECT_EQ(Values(*actual), expected);
}

TEST(IndexMap, SliceReverseTransposeBroadcast) {
  const Literal x = Counting(S32, {4, 6});
  IndexPiece slice = WholeResult(Shape(S32, {2, 3}), 0, 2, Dims{0, 1});
  slice.source_begin = {1, 0};
  slice.dims[0].source_step = 2;
  slice.dims[1].source_step = 2;
  ExpectAsWalked({slice}, Shape(S32, {2, 3}), {x});
  IndexPiece reverse = WholeResult(Shape(S32, {4, 6}), 0, 2, Dims{0, 1});
  reverse.source_begin = {0, 5};
  reverse.dims[1].source_step = -1;
  ExpectAsWalked({reverse}, Shape(S32, {4, 6}), {x});
  ExpectAsWalked({WholeResult(Shape(S32, {6, 4}), 0, 2, Dims{1, 0})}, Shape(S32, {6, 4}), {x});
  const Shape wide(S32, {3, 4, 2, 6});
  ExpectAsWalked({WholeResult(wide, 0, 2, Dims{kNoSourceDim, 0, kNoSourceDim, 1})}, wide, {x});
  // A diagonal: two steps along one result dimension are not expressible, one dimension twice is.
  ExpectAsWalked({WholeResult(Shape(S32, {2, 3}), 0, 1, Dims{0, 0})}, Shape(S32, {2, 3}),
                 {Counting(S32, {4})});
}

TEST(IndexMap, PiecesAreAppliedInOrder) {
  const Shape result(S32, {7});
  IndexPiece fill = WholeResult(result, 1, 0, Dims{kNoSourceDim});
  IndexPiece spread = WholeOperand(Shape(S32, {3}), 0, {1});
  spread.dims[0].step = 2;
  const std::vector<Literal> operands = {Counting(S32, {3}, 10), Literal::Scalar(S32, 99)};
  ExpectAsWalked({fill, spread}, result, operands);
  std::vector<Literal> copy = operands;
  EXPECT_EQ(Values(*EvaluateIndexMap({fill, spread}, result, copy)),
            (std::vector<std::int32_t>{99, 10, 99, 11, 99, 12, 99}));
}

TEST(IndexMap, RelinearizeSharesTheStorage) {
  std::vector<Literal> operands = {Counting(S32, {2, 6})};
  IndexPiece piece;
  piece.relinearize = true;
  const std::byte* bytes = operands[0].bytes();
  const auto result = EvaluateIndexMap({piece}, Shape(S32, {3, 4}), operands);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->bytes(), bytes);
  EXPECT_EQ(result->shape(), Shape(S32, {3, 4}));
}

// operand, then update {100, 101} where the index says.
IndexMap UpdateMap() {
  IndexPiece update = WholeOperand(Shape(S32, {2}), 1, {0});
  DynamicOffset offset;
  offset.side = DynamicOffset::Side::kResult;
  offset.operand = 2;
  offset.max = 3;
  update.offsets.push_back(offset);
  return {WholeOperand(Shape(S32, {5}), 0, {0}), update};
}

TEST(IndexMap, UpdatesInPlaceWhenNobodyElseReads) {
  for (int index : {-7, 0, 2, 3, 1000}) {
    std::vector<Literal> operands = {Counting(S32, {5}), Counting(S32, {2}, 100),
                                     Literal::Scalar(S32, index)};
    ExpectAsWalked(UpdateMap(), Shape(S32, {5}), operands);
  }
  std::vector<Literal> operands = {Counting(S32, {5}), Counting(S32, {2}, 100),
                                   Literal::Scalar(S32, 1)};
  const std::byte* bytes = operands[0].bytes();
  EXPECT_EQ(EvaluateIndexMap(UpdateMap(), Shape(S32, {5}), operands)->bytes(), bytes);
  operands[0] = Counting(S32, {5});
  const Literal shared = operands[0];
  const auto result = EvaluateIndexMap(UpdateMap(), Shape(S32, {5}), operands);
  EXPECT_NE(result->bytes(), shared.bytes());
  EXPECT_EQ(Values(shared), (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
}

TEST(IndexMap, AnOperandThatALaterPieceReadsIsNotOverwritten) {
  // x, then its own first three elements two places further on.
  IndexPiece shifted;
  shifted.dims = {{.begin = 2, .count = 3, .source_dim = 0}};
  shifted.source_begin = {0};
  const IndexMap map = {WholeOperand(Shape(S32, {5}), 0, {0}), shifted};
  std::vector<Literal> operands = {Counting(S32, {5})};
  EXPECT_EQ(Values(*EvaluateIndexMap(map, Shape(S32, {5}), operands)),
            (std::vector<std::int32_t>{0, 1, 0, 1, 2}));
}

TEST(IndexMap, RowsByIndices) {
  // result[i, j] = operand[clamp(indices[i]), j]
  const Shape result(S32, {4, 3});
  IndexPiece rows = WholeResult(result, 0, 2, Dims{kNoSourceDim, 1});
  DynamicOffset offset;
  offset.operand = 1;
  offset.index = {0};
  offset.index_from = {0};
  offset.max = 4;
  rows.offsets.push_back(offset);
  Literal indices = Counting(S32, {4});
  const std::int32_t values[] = {3, -1, 9, 0};
  std::ranges::copy(values, indices.mutable_data<std::int32_t>().begin());
  ExpectAsWalked({rows}, result, {Counting(S32, {5, 3}), indices});
}

TEST(IndexMap, RandomMaps) {
  std::mt19937 random(7);
  const auto pick = [&](i64 low, i64 high) {
    return std::uniform_int_distribution<i64>(low, high)(random);
  };
  for (int trial = 0; trial < 2000; ++trial) {
    const i64 rank = pick(0, 3), source_rank = pick(0, 3);
    Dims sizes;
    for (i64 d = 0; d < rank; ++d) sizes.push_back(pick(1, 4));
    const Shape result(S32, sizes);
    Dims source_dims(rank, kNoSourceDim), source_sizes(source_rank, 1);
    for (i64& d : source_dims) d = source_rank == 0 ? kNoSourceDim : pick(-1, source_rank - 1);
    IndexPiece piece = WholeResult(result, 0, source_rank, source_dims);
    for (i64 d = 0; d < rank; ++d) {
      if (source_dims[d] == kNoSourceDim) continue;
      const i64 step = pick(-2, 2), reach = step * (sizes[d] - 1);
      piece.dims[d].source_step = step;
      source_sizes[source_dims[d]] += std::abs(reach);
      if (reach < 0) piece.source_begin[source_dims[d]] -= reach;
    }
    std::vector<Literal> operands(1);
    if (source_rank > 0) {
      DynamicOffset offset;
      offset.dim = pick(0, source_rank - 1);
      offset.operand = 1;
      offset.max = pick(0, 2);
      source_sizes[offset.dim] += offset.max;
      Dims index_sizes;
      for (i64 d = 0; d < rank; ++d) {
        if (pick(0, 1) == 0) continue;
        offset.index.push_back(pick(0, 1));
        offset.index_from.push_back(d);
        index_sizes.push_back(sizes[d] + offset.index.back());
      }
      piece.offsets.push_back(offset);
      Literal indices{Shape(S32, index_sizes)};
      for (std::int32_t& value : indices.mutable_data<std::int32_t>()) {
        value = static_cast<std::int32_t>(pick(-1, 4));
      }
      operands.push_back(indices);
    }
    operands[0] = Counting(S32, source_sizes);
    ExpectAsWalked({piece}, result, operands);
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

TEST(IndexMap, EveryElementSize) {
  for (ElementType type : {PRED, F16, F32, C64, C128}) {
    std::vector<Literal> operands = {Literal(Shape(type, {2, 3}))};
    std::byte* bytes = operands[0].mutable_bytes();
    const i64 size = Info(type).bytes;
    for (i64 i = 0; i < 6 * size; ++i) bytes[i] = static_cast<std::byte>(i / size * 16 + i % size);
    const Literal x = operands[0];
    const Shape result(type, {3, 2});
    const auto y = EvaluateIndexMap({WholeResult(result, 0, 2, Dims{1, 0})}, result, operands);
    ASSERT_TRUE(y.ok());
    for (i64 i = 0; i < 6; ++i) {
      EXPECT_EQ(std::memcmp(y->bytes() + i * size, x.bytes() + (i % 2 * 3 + i / 2) * size, size),
                0);
    }
  }
}

TEST(IndexMap, IndicesOfEveryType) {
  const auto at = [](ElementType type, auto value) {
    return IndexValue(Literal::Scalar(type, value), 0);
  };
  EXPECT_EQ(at(S8, std::int8_t{-128}), -128);
  EXPECT_EQ(at(U8, std::uint8_t{255}), 255);
  EXPECT_EQ(at(S16, std::int16_t{-5}), -5);
  EXPECT_EQ(at(U32, std::uint32_t{4294967295}), 4294967295);
  EXPECT_EQ(at(S64, INT64_MIN), INT64_MIN);
  EXPECT_EQ(at(U64, UINT64_MAX), INT64_MAX);
  EXPECT_EQ(at(S4, std::int8_t{-8}), -8);
}

TEST(IndexMap, NoPiecesGiveZeros) {
  EXPECT_EQ(Values(*EvaluateIndexMap({}, Shape(S32, {3}), {})),
            (std::vector<std::int32_t>{0, 0, 0}));
}

TEST(IndexMap, EmptyResults) {
  const Shape result(S32, {0, 3});
  std::vector<Literal> operands = {Counting(S32, {0, 3})};
  const auto y = EvaluateIndexMap({WholeResult(result, 0, 2, Dims{0, 1})}, result, operands);
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(y->num_elements(), 0);
}

std::string VerifyError(const IndexMap& map, const Shape& result, const Shape& source) {
  const Shape* shapes[] = {&source, &source};
  return VerifyIndexMap(map, result, shapes).message();
}

TEST(VerifyIndexMap, FindsWhatIsOutside) {
  const Shape x(S32, {4}), y(S32, {3});
  EXPECT_EQ(VerifyError({WholeOperand(y, 0, {1})}, x, y), "");
  EXPECT_EQ(VerifyError({WholeOperand(y, 0, {2})}, x, y),
            "index map: piece 0 writes outside dimension 0 of s32[4] from s32[3] (this is a bug in "
            "axle)");
  EXPECT_EQ(VerifyError({WholeOperand(y, 0, {0}), WholeResult(x, 0, 1, Dims{0})}, x, y),
            "index map: piece 1 reads outside dimension 0 of s32[4] from s32[3] (this is a bug in "
            "axle)");
  IndexPiece backwards = WholeResult(y, 0, 1, Dims{0});
  backwards.dims[0].source_step = -1;
  EXPECT_NE(VerifyError({backwards}, y, y), "");
  backwards.source_begin = {2};
  EXPECT_EQ(VerifyError({backwards}, y, y), "");
  IndexPiece moved = WholeResult(y, 0, 1, Dims{0});
  moved.offsets.emplace_back();
  moved.offsets[0].max = 1;
  EXPECT_EQ(VerifyError({moved}, y, x), "");
  moved.offsets[0].max = 2;
  EXPECT_NE(VerifyError({moved}, y, x), "");
  moved.offsets[0].side = DynamicOffset::Side::kResult;
  EXPECT_NE(VerifyError({moved}, y, y), "");
  IndexPiece reshape;
  reshape.relinearize = true;
  EXPECT_EQ(VerifyError({reshape}, Shape(S32, {2, 2}), x), "");
  EXPECT_NE(VerifyError({reshape}, y, x), "");
}

TEST(StridedCopy, MergesWhatIsOneRun) {
  const StridedDim whole[] = {{2, 48, 48}, {3, 16, 16}, {4, 4, 4}};
  EXPECT_EQ(MergeStridedDims(whole).size(), 1u);
  EXPECT_EQ(MergeStridedDims(whole)[0].count, 24);
  const StridedDim transposed[] = {{2, 12, 4}, {3, 4, 8}};
  EXPECT_EQ(MergeStridedDims(transposed).size(), 2u);
  const StridedDim ones[] = {{1, 7, 9}, {1, 7, 9}};
  EXPECT_EQ(MergeStridedDims(ones).size(), 1u);
  EXPECT_EQ(MergeStridedDims({}).size(), 1u);
  const StridedDim with_one[] = {{3, 8, 16}, {1, 99, 99}, {2, 4, 8}};
  EXPECT_EQ(MergeStridedDims(with_one).size(), 1u);
}

// The limits are those of the storage scope; elements are moved in slices between two looks.
TEST(IndexMap, CanBeCancelled) {
  Literal operand(Shape(F32, {2048, 2048}));
  const IndexMap transpose = {WholeResult(operand.shape(), 0, 2, Dims{1, 0})};
  Limits limits;
  const StorageScope scope(&limits);
  const Literal whole = *EvaluateIndexMap(transpose, operand.shape(), {&operand, 1});
  EXPECT_EQ(whole, operand);
  limits.Cancel();
  EXPECT_EQ(EvaluateIndexMap(transpose, operand.shape(), {&operand, 1}).status().code(),
            StatusCode::kCancelled);
}

// Copies in slices give what one copy gives.
TEST(IndexMap, SlicesOfLargeBoxes) {
  Limits limits;
  const StorageScope scope(&limits);
  for (const Dims& dims : {Dims{3, 1500, 1000}, Dims{1500, 1000, 3}, Dims{1, 3000001, 1}}) {
    Literal operand(Shape(S32, dims));
    for (i64 i = 0; i < operand.num_elements(); ++i) {
      operand.mutable_data<int>()[i] = static_cast<int>(i);
    }
    const Shape result(S32, {dims[2], dims[0], dims[1]});
    const IndexMap map = {WholeResult(result, 0, 3, Dims{2, 0, 1})};
    const Literal moved = *EvaluateIndexMap(map, result, {&operand, 1});
    for (i64 i = 0; i < operand.num_elements(); i += 997) {
      const Dims index = {i / (dims[1] * dims[2]), i / dims[2] % dims[1], i % dims[2]};
      ASSERT_EQ(moved.Get<int>(Dims{index[2], index[0], index[1]}), i);
    }
  }
}

}  // namespace
}  // namespace axle
