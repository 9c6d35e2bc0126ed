#include "axle/runtime/worker_pool.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "axle/core/blocked_signals.h"
#include "axle/core/element_type.h"
#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/runtime/fork_count.h"
#include "axle/runtime/thread_pool.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// Processors fetch two cache lines at a time: what two threads write lies further apart.
constexpr size_t kApart = 256;
// A caller spins for so long for a worker that is at work, then it sleeps.
constexpr microseconds kCallerSpins{50};
// Until a worker that sleeps is at work, and the time after which work is not part of a loop.
constexpr double kWakeNanoseconds = 150'000;
constexpr microseconds kLoopGap{100};
// What sharing has gained pays for what it loses, up to kMaxCredit. A rest is kRestFactor times
// the loss that is left, which is at least kMinLoss, and longer each time that sharing loses
// again.
constexpr microseconds kMinLoss{50}, kMaxCredit{5000};
constexpr int kRestFactor = 20, kMaxRestFactor = 160;
constexpr std::chrono::milliseconds kMaxRest{500};
// If workers have come too late so many times, they rest as after a loss.
constexpr int kMaxTooLate = 8;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// What a worker is asked for and does, in one word: the number of the work above, its phase in two
// bits. The caller offers a part; the worker takes it, or the caller takes it back.
enum Phase : std::uint32_t { kNothing = 0, kOffered = 1, kTaken = 2, kDone = 3 };
Phase PhaseOf(std::uint32_t state) {
  return static_cast<Phase>(state & 3);
}
std::uint32_t WithPhase(std::uint32_t state, Phase phase) {
  return (state & ~std::uint32_t{3}) | phase;
}

// Spins until `is_over()`, for `time` at most; true if it is.
template <typename IsOver>
bool Spin(microseconds time, IsOver is_over) {
  if (time.count() == 0) return is_over();
  const auto until = Clock::now() + time;
  do {
    for (int turn = 0; turn < 64; ++turn) {
      if (is_over()) return true;
      Pause();
    }
  } while (Clock::now() < until);
  return false;
}

}  // namespace

// The threads of one process. Those of a parent are memory without threads in its child, and are
// left alone there.
struct WorkerPool::Crew {
  struct Worker {
    alignas(kApart) std::atomic<std::uint32_t> state = kNothing;
    alignas(kApart) std::atomic<bool> sleeps = false;
    std::thread thread;
  };

  Crew(int num_workers, int spin_microseconds)
      : spins(spin_microseconds), workers(static_cast<size_t>(num_workers)) {}

  const std::uint32_t forks_before = ForkCount();
  const microseconds spins;
  std::vector<Worker> workers;
  int num_started = 0;
  alignas(kApart) std::atomic<bool> is_busy = false;
  // Of the work under way, written before a part is offered.
  void (*work)(void*, int) = nullptr;
  void* argument = nullptr;
  bool is_ending = false;
  // For the caller that has made the crew busy.
  Clock::time_point rests_until, last_end;
  Clock::duration credit{};
  int rest_factor = kRestFactor, num_too_late = 0;

  void Start() {
    const ScopedBlockedSignals blocked;
    try {
      for (Worker& worker : workers) {
        const int part = num_started + 1;
        worker.thread = std::thread([this, &worker, part] {
          const ScopedFloatEnvironment float_environment;
          Serve(worker, part);
        });
        pthread_setname_np(worker.thread.native_handle(), StrCat("axle-w", part).c_str());
        ++num_started;
      }
    } catch (const std::exception&) {  // fewer will do
    }
  }

  void Serve(Worker& worker, int part) {
    while (true) {
      std::uint32_t state = AwaitOffer(worker);
      const std::uint32_t taken = WithPhase(state, kTaken);
      if (!worker.state.compare_exchange_strong(state, taken, std::memory_order_acq_rel)) continue;
      if (is_ending) return;
      work(argument, part);
      worker.state.store(WithPhase(taken, kDone), std::memory_order_release);
      worker.state.notify_one();  // the caller may sleep
    }
  }

  std::uint32_t AwaitOffer(Worker& worker) const {
    std::uint32_t state = kNothing;
    const auto is_offered = [&] {
      state = worker.state.load(std::memory_order_acquire);
      return PhaseOf(state) == kOffered;
    };
    while (!Spin(spins, is_offered)) {
      worker.sleeps.store(true, std::memory_order_relaxed);
      worker.state.wait(state, std::memory_order_acquire);
      worker.sleeps.store(false, std::memory_order_relaxed);
      // If it has come too late, it is awake for the next part.
    }
    return state;
  }

  static void Offer(Worker& worker) {
    const std::uint32_t before = worker.state.load(std::memory_order_relaxed);
    worker.state.store(WithPhase(before + 4, kOffered), std::memory_order_release);
    worker.state.notify_one();
  }

  // True if the worker has not begun, and will not any more.
  static bool TakeBack(Worker& worker) {
    std::uint32_t state = WithPhase(worker.state.load(std::memory_order_relaxed), kOffered);
    return worker.state.compare_exchange_strong(state, WithPhase(state, kNothing),
                                                std::memory_order_acq_rel);
  }

  void AwaitDone(const Worker& worker) const {
    std::uint32_t state = kNothing;
    const auto is_done = [&] {
      state = worker.state.load(std::memory_order_acquire);
      return PhaseOf(state) == kDone;
    };
    if (Spin(spins.count() == 0 ? microseconds(0) : kCallerSpins, is_done)) return;
    while (!is_done()) worker.state.wait(state, std::memory_order_acquire);
  }

  // Whether workers are likely to be of use for work of so many nanoseconds.
  bool Pays(Clock::time_point now, int num_workers, double nanoseconds) {
    if (now < rests_until) return false;
    if (nanoseconds >= kWakeNanoseconds) return true;
    const bool is_in_a_loop = now - last_end < kLoopGap;
    last_end =
        now + std::chrono::nanoseconds(static_cast<i64>(nanoseconds));  // if it is not shared
    if (is_in_a_loop) return true;
    for (int i = 0; i < num_workers; ++i) {
      if (workers[static_cast<size_t>(i)].sleeps.load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

  void Rest(Clock::time_point now, Clock::duration loss) {
    credit = {};
    rests_until = now + std::min<Clock::duration>(loss * rest_factor, kMaxRest);
    rest_factor = std::min(2 * rest_factor, kMaxRestFactor);
    num_too_late = 0;
  }

  void Run(int num_workers, double nanoseconds) {
    for (int i = 0; i < num_workers; ++i) Offer(workers[static_cast<size_t>(i)]);
    const auto begin = Clock::now();
    work(argument, 0);
    const auto own = Clock::now() - begin;
    int num_taken = 0;
    for (int i = num_workers - 1; i >= 0; --i) {
      if (!TakeBack(workers[static_cast<size_t>(i)])) {
        ++num_taken;
      } else {
        work(argument, i + 1);
      }
    }
    for (int i = 0; i < num_workers && num_taken > 0; ++i) {
      const Worker& worker = workers[static_cast<size_t>(i)];
      if (PhaseOf(worker.state.load(std::memory_order_acquire)) != kNothing) AwaitDone(worker);
    }
    const auto end = Clock::now();
    last_end = end;
    // Against one thread, which takes as long for each part as this one did for its own. If that
    // was interrupted it is no measure: a gain is not more than is to be expected.
    const auto most = std::chrono::nanoseconds(static_cast<i64>(nanoseconds));
    const Clock::duration gain = own * (num_workers + 1) - (end - begin);
    if (num_taken > 0) {
      credit =
          std::min<Clock::duration>(credit + std::min<Clock::duration>(gain, most), kMaxCredit);
    }
    if (credit < -kMinLoss) {
      Rest(end, -credit);
    } else if (num_taken > 0 && gain > Clock::duration()) {
      rest_factor = kRestFactor;
      num_too_late = 0;
    } else if (num_taken == 0 && ++num_too_late >= kMaxTooLate) {
      Rest(end, kMinLoss);
    }
  }

  void End() {
    is_ending = true;
    for (int i = 0; i < num_started; ++i) Offer(workers[static_cast<size_t>(i)]);
    for (int i = 0; i < num_started; ++i) workers[static_cast<size_t>(i)].thread.join();
  }
};

WorkerPool::WorkerPool(int num_threads, int spin_microseconds)
    : num_threads_(std::max(num_threads, 1)),
      spin_microseconds_(num_threads > AvailableProcessors() ? 0 : spin_microseconds) {}

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
  auto* const made = new Crew(num_threads_ - 1, spin_microseconds_);
  made->is_busy = true;
  if (!crew_.compare_exchange_strong(crew, made, std::memory_order_acq_rel)) {
    delete made;
    return nullptr;
  }
  made->Start();
  made->is_busy.store(false, std::memory_order_release);
  return made;
}

bool WorkerPool::TryRun(int num_parts, void (*work)(void*, int), void* argument,
                        double nanoseconds) {
  if (num_parts <= 1) {
    if (num_parts == 1) work(argument, 0);
    return true;
  }
  Crew* const crew = CrewOfThisProcess();
  if (crew == nullptr || crew->is_busy.exchange(true, std::memory_order_acquire)) return false;
  const int num_workers = num_parts - 1;
  const bool pays =
      num_workers <= crew->num_started && crew->Pays(Clock::now(), num_workers, nanoseconds);
  if (pays) {
    crew->work = work;
    crew->argument = argument;
    crew->Run(num_workers, nanoseconds);
  }
  crew->is_busy.store(false, std::memory_order_release);
  return pays;
}

}  // namespace axle
