#include "axle/core/block_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/sanitizers.h"

namespace axle {
namespace {

constexpr size_t kMega = size_t{1} << 20;

// Whether blocks are kept at all: not under AddressSanitizer.
bool Keeps() {
  BlockPool pool(kMega);
  pool.Give(pool.Take(BlockPool::kSmallest, false), BlockPool::kSmallest);
  return pool.kept_bytes() > 0;
}

TEST(BlockPool, ABlockComesBackForTheSameSize) {
  if (!Keeps()) GTEST_SKIP() << "nothing is kept under AddressSanitizer";
  BlockPool pool(64 * kMega);
  for (const size_t bytes : {BlockPool::kSmallest, BlockPool::kSmallest + 1, 100'000 * size_t{1},
                             2 * kMega, 2 * kMega + 1, 17 * kMega}) {
    std::byte* const first = pool.Take(bytes, false);
    ASSERT_NE(first, nullptr);
    std::memset(first, 7, bytes);
    pool.Give(first, bytes);
    EXPECT_GE(pool.kept_bytes(), bytes);
    EXPECT_LE(pool.kept_bytes(), bytes + bytes / 8 + BlockPool::kSmallest / 8);
    std::byte* const second = pool.Take(bytes, true);
    EXPECT_EQ(first, second);
    EXPECT_EQ(pool.kept_bytes(), 0u);
    for (const size_t at : {size_t{0}, bytes / 2, bytes - 1}) EXPECT_EQ(second[at], std::byte{0});
    pool.Give(second, bytes);
    pool.Trim(0);
    EXPECT_EQ(pool.kept_bytes(), 0u);
  }
}

TEST(BlockPool, EveryBlockIsAlignedWritableAndZeroedIfAskedFor) {
  BlockPool pool(8 * kMega);
  std::mt19937 random(1);
  struct Block {
    std::byte* data;
    size_t bytes;
    std::byte mark;
  };
  std::vector<Block> blocks;
  for (int i = 0; i < 400; ++i) {
    const size_t bytes = BlockPool::kSmallest + random() % (i % 20 == 0 ? 3 * kMega : 60'000);
    const bool zeroed = random() % 2 == 0;
    std::byte* const data = pool.Take(bytes, zeroed, i % 7 == 0 ? 0 : 4 * kMega);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % BlockPool::kAlignment, 0u);
    if (zeroed) {
      for (size_t at = 0; at < bytes; at += 61) ASSERT_EQ(data[at], std::byte{0}) << bytes;
    }
    const auto mark = static_cast<std::byte>(1 + i % 255);
    std::memset(data, static_cast<int>(mark), bytes);
    blocks.push_back({data, bytes, mark});
    if (blocks.size() < 20) continue;
    std::swap(blocks[random() % blocks.size()], blocks.back());
    const Block& given = blocks.back();
    for (size_t at = 0; at < given.bytes; at += 61) ASSERT_EQ(given.data[at], given.mark);
    pool.Give(given.data, given.bytes);
    blocks.pop_back();
    EXPECT_LE(pool.kept_bytes(), 8 * kMega);
  }
  for (const Block& block : blocks) pool.Give(block.data, block.bytes);
}

TEST(BlockPool, WhatWasNotNeededForLongestGoesFirst) {
  if (!Keeps()) GTEST_SKIP() << "nothing is kept under AddressSanitizer";
  BlockPool pool(3 * kMega);
  std::byte* const old = pool.Take(kMega, false);
  std::byte* const other = pool.Take(kMega + kMega / 8, false);
  std::byte* const young = pool.Take(kMega, false);
  pool.Give(old, kMega);
  pool.Give(other, kMega + kMega / 8);
  pool.Give(young, kMega);  // too much for all three
  EXPECT_EQ(pool.kept_bytes(), 2 * kMega + kMega / 8);
  EXPECT_EQ(pool.Take(kMega, false), young);
  std::byte* const fresh = pool.Take(2 * kMega, false, 0);  // nothing may be kept beside it
  EXPECT_EQ(pool.kept_bytes(), 0u);
  pool.Give(young, kMega);
  pool.Give(fresh, 2 * kMega);
  std::byte* const huge = pool.Take(4 * kMega, false);  // more than may be kept
  pool.Give(huge, 4 * kMega);
  EXPECT_EQ(pool.kept_bytes(), 3 * kMega);
}

TEST(BlockPool, MoreThanThereIs) {
  EXPECT_EQ(BlockPool::Get().Take(size_t{1} << 60, false), nullptr);
  EXPECT_EQ(BlockPool::Get().Take((size_t{1} << 47) - 1, false), nullptr);
}

TEST(BlockPool, ThreadsShareItAndChildrenGoOn) {
  const auto work = [] {
    for (int i = 0; i < 300; ++i) {
      const size_t bytes = BlockPool::kSmallest << (i % 3);
      std::byte* const block = BlockPool::Get().Take(bytes, false);
      ASSERT_NE(block, nullptr);
      block[0] = block[bytes - 1] = std::byte{1};
      BlockPool::Get().Give(block, bytes);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  // The thread sanitizer wants a child to have ended its parent's threads.
  for (int i = 0; i < 5 && !kThreadSanitizer; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // a mutex that stays locked ends the child, not the test
      work();
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace axle
