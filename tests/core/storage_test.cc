#include "axle/core/storage.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "axle/core/literal.h"

namespace axle {
namespace {

Status CreateBytes(i64 bytes) {
  return Literal::Create(Shape(U8, {bytes})).status();
}

TEST(Storage, ValuesAndReservationsShareOneBudget) {
  Limits limits;
  limits.set_memory_cap(1000000);
  const StorageScope scope(&limits);
  ASSERT_TRUE(limits.Reserve(600000).ok());  // tables of an op, say
  EXPECT_TRUE(CreateBytes(300000).ok());
  EXPECT_EQ(CreateBytes(500000).ToString(),
            "RESOURCE_EXHAUSTED: a value of 488.2 KiB beside 585.9 KiB in use is above the "
            "memory limit of 976.5 KiB");
  limits.Release(600000);
  std::optional<Literal> value = *Literal::Create(Shape(U8, {700000}));
  EXPECT_FALSE(limits.Reserve(400000).ok());
  value.reset();
  StorageLimits();  // settles
  EXPECT_TRUE(limits.Reserve(400000).ok());
  limits.Release(400000);
  EXPECT_EQ(limits.live_bytes(), 0);
  EXPECT_GE(limits.peak_bytes(), 900000);
}

TEST(Storage, ScopesOfOneTaskAddUp) {
  Limits limits;
  limits.set_memory_cap(1000000);
  const StorageScope outer(&limits);
  const Literal value = *Literal::Create(Shape(U8, {600000}));
  {
    const StorageScope inner(&limits);
    EXPECT_TRUE(CreateBytes(300000).ok());
    EXPECT_FALSE(CreateBytes(500000).ok());
  }
  EXPECT_GE(limits.live_bytes(), 600000);
}

TEST(Storage, WhatLivesOnIsNotCounted) {
  Limits limits;
  limits.set_memory_cap(1000000);
  std::optional<Literal> value;
  {
    const StorageScope scope(&limits);
    value = *Literal::Create(Shape(U8, {600000}));
    EXPECT_GE(limits.live_bytes(), 600000);
  }
  EXPECT_EQ(limits.live_bytes(), 0);
  EXPECT_EQ(StorageLimits(), nullptr);
  std::thread([&] { value.reset(); }).join();
  EXPECT_EQ(limits.live_bytes(), 0);
}

TEST(Storage, OtherThreadsGiveBack) {
  Limits limits;
  limits.set_memory_cap(1000000);
  const StorageScope scope(&limits);
  for (int i = 0; i < 20; ++i) {
    auto value = Literal::Create(Shape(U8, {900000}));
    ASSERT_TRUE(value.ok()) << value.status().message();
    std::thread([moved = *std::move(value)]() mutable { moved = Literal(); }).join();
  }
}

TEST(Storage, PlacesAreTakenOnceByWhatFits) {
  alignas(64) std::byte blocks[2][64];
  const Shape shape(U8, {64});
  blocks[0][5] = std::byte{7};
  {
    const StoragePlaces places({{blocks[0], 64}, {blocks[1], 64}});
    const Literal other = Literal::Uninitialized(Shape(U8, {63}));
    EXPECT_NE(other.bytes(), blocks[0]);
    Literal first = Literal::Uninitialized(shape);  // as it was
    EXPECT_EQ(first.bytes(), blocks[0]);
    EXPECT_EQ(first.data<std::uint8_t>()[5], 7);
    EXPECT_TRUE(first.is_unique());
    {
      const StoragePlaces none({});
      EXPECT_NE(Literal(shape).bytes(), blocks[1]);
    }
    std::thread([&] { EXPECT_NE(Literal(shape).bytes(), blocks[1]); }).join();
    blocks[1][5] = std::byte{7};
    const Literal zeros(shape);
    EXPECT_EQ(zeros.bytes(), blocks[1]);
    EXPECT_EQ(zeros.data<std::uint8_t>()[5], 0);
    const Literal third(shape);
    EXPECT_NE(third.bytes(), blocks[0]);
    // A copy on write is a new literal too.
    first = Literal();
    EXPECT_NE(Literal(shape).bytes(), blocks[0]);
  }
  const StoragePlaces places({{blocks[0], 64}});
  const float borrowed[16] = {1, 2};
  Literal view = Literal::View(Shape(F32, {16}), borrowed);
  EXPECT_EQ(view.mutable_bytes(), blocks[0]);
  EXPECT_EQ(view.data<float>()[1], 2);
}

}  // namespace
}  // namespace axle
