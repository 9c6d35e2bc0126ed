#include "axle/runtime/worker_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "axle/core/blocked_signals.h"
#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/runtime/fork_count.h"

namespace axle {
namespace {

// Processors fetch two cache lines at a time: what two threads write lies further apart.
constexpr size_t kApart = 256;
// Turns of a waiting caller before it lets others run.
constexpr int kTurnsBeforeYield = 1 << 10;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

// The threads of one process. Those of a parent are memory without threads in its child, and are
// left alone there.
struct WorkerPool::Crew {
  struct Worker {
    alignas(kApart) std::atomic<std::uint32_t> asked = 0;  // number of the last work given
    alignas(kApart) std::atomic<std::uint32_t> done = 0;   // and of the last one finished
    std::thread thread;
  };

  explicit Crew(int num_workers) : workers(static_cast<size_t>(num_workers)) {}

  const std::uint32_t forks_before = ForkCount();
  std::vector<Worker> workers;
  int num_started = 0;
  alignas(kApart) std::atomic<bool> is_busy = false;
  // Of the work under way, written before workers are asked.
  void (*work)(void*, int) = nullptr;
  void* argument = nullptr;
  bool is_ending = false;

  void Start(int spin_microseconds) {
    const ScopedBlockedSignals blocked;
    try {
      for (Worker& worker : workers) {
        const int part = num_started + 1;
        worker.thread = std::thread([this, &worker, part, spin_microseconds] {
          const ScopedFloatEnvironment float_environment;
          Serve(worker, part, spin_microseconds);
        });
        pthread_setname_np(worker.thread.native_handle(), StrCat("axle-w", part).c_str());
        ++num_started;
      }
    } catch (const std::exception&) {  // fewer will do
    }
  }

  void Serve(Worker& worker, int part, int spin_microseconds) {
    std::uint32_t seen = 0;
    while (true) {
      Await(worker, seen, spin_microseconds);
      seen = worker.asked.load(std::memory_order_acquire);
      if (is_ending) return;
      work(argument, part);
      worker.done.store(seen, std::memory_order_release);
    }
  }

  static void Await(const Worker& worker, std::uint32_t seen, int spin_microseconds) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::microseconds(spin_microseconds);
    do {
      for (int turn = 0; turn < 64; ++turn) {
        if (worker.asked.load(std::memory_order_acquire) != seen) return;
        Pause();
      }
    } while (Clock::now() < until);
    worker.asked.wait(seen, std::memory_order_acquire);
  }

  static std::uint32_t Ask(Worker& worker) {
    const std::uint32_t number = worker.asked.fetch_add(1, std::memory_order_acq_rel) + 1;
    worker.asked.notify_one();
    return number;
  }

  void End() {
    is_ending = true;
    for (int i = 0; i < num_started; ++i) Ask(workers[static_cast<size_t>(i)]);
    for (int i = 0; i < num_started; ++i) workers[static_cast<size_t>(i)].thread.join();
  }
};

WorkerPool::WorkerPool(int num_threads, int spin_microseconds)
    : num_threads_(std::max(num_threads, 1)), spin_microseconds_(spin_microseconds) {}

WorkerPool::~WorkerPool() {
  Crew* const crew = crew_.load();
  if (crew == nullptr || crew->forks_before != ForkCount()) return;
  crew->End();
  delete crew;
}

// Null if another thread is making it just now.
WorkerPool::Crew* WorkerPool::CrewOfThisProcess() {
  Crew* crew = crew_.load(std::memory_order_acquire);
  if (crew != nullptr && crew->forks_before == ForkCount()) return crew;
  auto* const made = new Crew(num_threads_ - 1);
  made->is_busy = true;
  if (!crew_.compare_exchange_strong(crew, made, std::memory_order_acq_rel)) {
    delete made;
    return nullptr;
  }
  made->Start(spin_microseconds_);
  made->is_busy.store(false, std::memory_order_release);
  return made;
}

bool WorkerPool::TryRun(int num_parts, void (*work)(void*, int), void* argument) {
  if (num_parts <= 1) {
    if (num_parts == 1) work(argument, 0);
    return true;
  }
  Crew* const crew = CrewOfThisProcess();
  if (crew == nullptr || crew->is_busy.exchange(true, std::memory_order_acquire)) return false;
  const int num_workers = num_parts - 1;
  if (num_workers > crew->num_started) {
    crew->is_busy.store(false, std::memory_order_release);
    return false;
  }
  crew->work = work;
  crew->argument = argument;
  for (int i = 0; i < num_workers; ++i) Crew::Ask(crew->workers[static_cast<size_t>(i)]);
  work(argument, 0);
  for (int i = 0; i < num_workers; ++i) {
    const Crew::Worker& worker = crew->workers[static_cast<size_t>(i)];
    const std::uint32_t number = worker.asked.load(std::memory_order_relaxed);
    for (int turn = 0; worker.done.load(std::memory_order_acquire) != number; ++turn) {
      Pause();
      if (turn >= kTurnsBeforeYield) sched_yield();
    }
  }
  crew->is_busy.store(false, std::memory_order_release);
  return true;
}

}  // namespace axle
