// Array<T> and its classes of 2 to 4 dimensions.
#include "axle/core/array.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace axle {
namespace {

TEST(Array, ListsGiveSizesAndElements) {
  const Array2D<float> a({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(a.n1(), 2);
  EXPECT_EQ(a.n2(), 3);
  EXPECT_EQ(a(1, 0), 4);
  const Array3D<int> b({{{1}, {2}}, {{3}, {4}}});
  EXPECT_EQ(b.dimensions(), (std::vector<std::int64_t>{2, 2, 1}));
  EXPECT_EQ(b(1, 0, 0), 3);
  const Array4D<int> c({{{{1, 2}}}, {{{3, 4}}}});
  EXPECT_EQ(c.planes(), 2);
  EXPECT_EQ(c.width(), 2);
  EXPECT_EQ(c(1, 0, 0, 1), 4);
  const Array<bool> flags({true, false});
  EXPECT_EQ(flags.num_dimensions(), 1);
  EXPECT_TRUE(*flags.data());
}

TEST(Array, RaggedListsAreFilledUpAndCut) {
  const Array2D<int> a({{1, 2}, {3}, {4, 5, 6}});
  EXPECT_EQ(a, Array2D<int>({{1, 2}, {3, 0}, {4, 5}}));
  EXPECT_EQ(Array2D<int>({}).num_elements(), 0);
}

TEST(Array, SizesWithAndWithoutAValue) {
  Array2D<int> a(2, 3);
  EXPECT_EQ(a, Array2D<int>({{0, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(Array3D<int>(1, 1, 2, 7), Array3D<int>({{{7, 7}}}));
  EXPECT_EQ(Array2D<int>(-1, 3).num_elements(), 0);
  EXPECT_EQ(Array<int>().num_elements(), 1);  // a scalar
  EXPECT_THROW(Array2D<int>(INT64_MAX, INT64_MAX), std::bad_alloc);
  a.FillIota(1);
  EXPECT_EQ(a, Array2D<int>({{1, 2, 3}, {4, 5, 6}}));
  a.Fill(2);
  EXPECT_EQ(a(1, 2), 2);
  a.SetValues({9, 8});
  EXPECT_EQ(a(0, 1), 8);
}

TEST(Array, CopiesAreDeep) {
  Array2D<int> a({{1, 2}});
  Array2D<int> b = a;
  b(0, 0) = 5;
  EXPECT_EQ(a(0, 0), 1);
  a = b;
  EXPECT_EQ(a(0, 0), 5);
}

TEST(Array, EachVisitsInOrder) {
  Array3D<std::int64_t> a(2, 1, 2);
  a.Each([](ArraySlice<std::int64_t> index, std::int64_t* element) {
    *element = index[0] * 100 + index[1] * 10 + index[2];
  });
  EXPECT_EQ(a, Array3D<std::int64_t>({{{0, 1}}, {{100, 101}}}));
  Array4D<int> planes(2, 1, 1, 2);
  planes.FillWithYX({{3, 4}});
  EXPECT_EQ(planes, Array4D<int>({{{{3, 4}}}, {{{3, 4}}}}));
}

}  // namespace
}  // namespace axle
