#include "axle/runtime/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cfenv>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/sanitizers.h"

namespace axle {
namespace {

struct Counts {
  std::array<std::atomic<int>, 16> calls = {};
  std::array<std::thread::id, 16> threads = {};
};

void Count(void* argument, int part) {
  auto& counts = *static_cast<Counts*>(argument);
  ++counts.calls[static_cast<size_t>(part)];
  counts.threads[static_cast<size_t>(part)] = std::this_thread::get_id();
}

// Time of one thread that is worth sharing in any case.
constexpr double kMuch = 1e9;

// On a busy machine a pool may have a rest before it takes the work.
bool RunAtLast(WorkerPool& pool, int num_parts, void (*work)(void*, int), void* argument) {
  for (int i = 0; i < 10'000; ++i) {
    if (pool.TryRun(num_parts, work, argument, kMuch)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(WorkerPool, EachPartRunsOnce) {
  WorkerPool pool(4);
  Counts counts;
  for (int run = 1; run <= 100; ++run) {
    ASSERT_TRUE(RunAtLast(pool, 4, &Count, &counts));
    for (size_t part = 0; part < 4; ++part) ASSERT_EQ(counts.calls[part], run);
  }
  EXPECT_EQ(counts.threads[0], std::this_thread::get_id());
}

// No part is over before all have begun.
struct Together {
  int num_parts;
  std::atomic<int> num_begun = 0;
  Counts counts = {};

  static void Run(void* argument, int part) {
    auto& together = *static_cast<Together*>(argument);
    Count(&together.counts, part);
    ++together.num_begun;
    while (together.num_begun < together.num_parts) std::this_thread::yield();
  }
};

TEST(WorkerPool, PartsRunAtTheSameTime) {
  WorkerPool pool(4);
  Together together{4};
  ASSERT_TRUE(pool.TryRun(4, &Together::Run, &together, kMuch));
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = 0; b < a; ++b) {
      EXPECT_NE(together.counts.threads[a], together.counts.threads[b]);
    }
  }
}

// Part 1 keeps its worker for 20 ms that the caller does not need.
struct Late {
  std::atomic<bool> has_begun = false;
  static void Run(void* argument, int part) {
    auto& late = *static_cast<Late*>(argument);
    if (part == 0) {
      while (!late.has_begun) std::this_thread::yield();
    } else {
      late.has_begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
};

TEST(WorkerPool, AfterALossThePoolRests) {
  WorkerPool pool(2);
  Counts counts;
  Late late;
  ASSERT_TRUE(pool.TryRun(2, &Late::Run, &late, kMuch));
  EXPECT_FALSE(pool.TryRun(2, &Count, &counts, kMuch));
  EXPECT_EQ(counts.calls[0] + counts.calls[1], 0);
  EXPECT_TRUE(RunAtLast(pool, 2, &Count, &counts));
}

TEST(WorkerPool, WorkersSleepOnForWhatIsOverBeforeTheyAreAwake) {
  WorkerPool pool(2, /*spin_microseconds=*/0);
  Counts counts;
  ASSERT_TRUE(RunAtLast(pool, 2, &Count, &counts));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(pool.TryRun(2, &Count, &counts, 50'000));
  EXPECT_TRUE(RunAtLast(pool, 2, &Count, &counts));
}

TEST(WorkerPool, FewerPartsLeaveTheOtherWorkersAlone) {
  WorkerPool pool(4);
  Counts counts;
  ASSERT_TRUE(pool.TryRun(0, &Count, &counts, kMuch));
  ASSERT_TRUE(pool.TryRun(1, &Count, &counts, kMuch));
  ASSERT_TRUE(RunAtLast(pool, 2, &Count, &counts));
  EXPECT_EQ(counts.calls[0], 2);
  EXPECT_EQ(counts.calls[1], 1);
  EXPECT_EQ(counts.calls[2], 0);
}

TEST(WorkerPool, SleepingWorkersWakeUp) {
  WorkerPool pool(2, /*spin_microseconds=*/0);
  Counts counts;
  for (int run = 0; run < 20; ++run) {
    ASSERT_TRUE(RunAtLast(pool, 2, &Count, &counts));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(counts.calls[1], 20);
}

TEST(WorkerPool, ABusyPoolRefuses) {
  WorkerPool pool(2);
  struct Nested {
    WorkerPool& pool;
    bool accepted = true;
    Counts counts = {};
  } nested{pool};
  const auto work = [](void* argument, int part) {
    auto& nested = *static_cast<Nested*>(argument);
    if (part == 0) nested.accepted = nested.pool.TryRun(2, &Count, &nested.counts, kMuch);
  };
  ASSERT_TRUE(pool.TryRun(2, work, &nested, kMuch));
  EXPECT_FALSE(nested.accepted);
  EXPECT_EQ(nested.counts.calls[0] + nested.counts.calls[1], 0);
}

TEST(WorkerPool, ManyCallersShareIt) {
  WorkerPool pool(2);
  std::atomic<int> done = 0;
  const auto work = [](void* argument, int) { ++*static_cast<std::atomic<int>*>(argument); };
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int run = 0; run < 50; ++run) {
        if (pool.TryRun(2, work, &done, kMuch)) continue;
        work(&done, 0);
        work(&done, 1);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 4 * 50 * 2);
}

TEST(WorkerPool, WorkersComputeInTheDefaultMode) {
  WorkerPool pool(2);
  std::fesetround(FE_UPWARD);
  struct Modes {
    std::atomic<int> mode = -1;
    static void Run(void* argument, int part) {
      auto& modes = *static_cast<Modes*>(argument);
      if (part == 1) modes.mode = std::fegetround();
      while (modes.mode == -1) std::this_thread::yield();  // so that a worker takes part 1
    }
  } modes;
  const bool ran = pool.TryRun(2, &Modes::Run, &modes, kMuch);
  std::fesetround(FE_TONEAREST);
  ASSERT_TRUE(ran);
  EXPECT_EQ(modes.mode, FE_TONEAREST);
}

TEST(WorkerPool, AChildOfForkHasWorkersOfItsOwn) {
  if (kThreadSanitizer) GTEST_SKIP() << "it does not follow threads of a forked child";
  WorkerPool pool(2);
  Counts counts;
  ASSERT_TRUE(RunAtLast(pool, 2, &Count, &counts));
  const pid_t child = fork();
  if (child == 0) {
    Counts own;
    const bool ran = RunAtLast(pool, 2, &Count, &own);
    _exit(ran && own.calls[0] == 1 && own.calls[1] == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(RunAtLast(pool, 2, &Count, &counts));
}

}  // namespace
}  // namespace axle
