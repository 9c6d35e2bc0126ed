#include "axle/runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <future>

#include "axle/runtime/serial_queue.h"

namespace axle {
namespace {

TEST(ThreadPool, RunsWhatIsScheduledBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    ThreadPool pool(3);
    for (int i = 0; i < 100; ++i) pool.Schedule([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

// A task that holds the last reference ends the pool on one of its own threads.
TEST(ThreadPool, ATaskMayEndItsPool) {
  for (int round = 0; round < 50; ++round) {
    auto pool = std::make_shared<ThreadPool>(3);
    std::promise<void> let_go;
    std::atomic<int> done = 0;
    for (int i = 0; i < 2; ++i) pool->Schedule([&] { ++done; });
    std::promise<void> ended;
    pool->Schedule([&ended, kept = pool, wait = let_go.get_future().share()]() mutable {
      wait.wait();
      kept = nullptr;
      ended.set_value();
    });
    pool = nullptr;
    let_go.set_value();
    ended.get_future().wait();
    EXPECT_EQ(done, 2);
  }
}

TEST(SerialQueue, KeepsTheOrder) {
  ThreadPool pool(4);
  SerialQueue queue(pool);
  std::vector<int> order;  // no lock: one task at a time
  std::promise<void> end;
  for (int i = 0; i < 1000; ++i) queue.Schedule([&, i](const Status&) { order.push_back(i); });
  queue.Schedule([&](const Status&) { end.set_value(); });
  end.get_future().wait();
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace axle
