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
            "RESOURCE_EXHAUSTED: a value of 488.2 KiB beside 585.9 KiB of live ones is above the "
            "limit of 976.5 KiB");
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

}  // namespace
}  // namespace axle
