#include "axle/runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "axle/core/blocked_signals.h"

namespace axle {
namespace {

// Of the cgroup of this process (version 2, then 1): CPU time per period over the period, rounded
// up; 0 without a quota.
int CgroupQuota() {
  if (std::ifstream file("/sys/fs/cgroup/cpu.max"); file) {
    std::string quota;
    double period = 0;
    if (file >> quota >> period && quota != "max" && period > 0) {
      return static_cast<int>(__builtin_ceil(std::strtod(quota.c_str(), nullptr) / period));
    }
    return 0;
  }
  double quota = 0, period = 0;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? static_cast<int>(__builtin_ceil(quota / period)) : 0;
}

}  // namespace

int AvailableProcessors() {
  int processors = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) processors = CPU_COUNT(&allowed);
  if (const int quota = CgroupQuota(); quota > 0) processors = std::min(processors, quota);
  return std::max(processors, 1);
}

// The threads of one process. Those of a parent are memory without threads in its child, and are
// left alone there: a mutex of theirs may be locked for ever.
struct ThreadPool::Crew : std::enable_shared_from_this<Crew> {
  std::shared_ptr<Crew> self;  // the pool's share; each thread has one too
  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  std::vector<std::thread> threads;
  int num_idle = 0;
  bool ending = false;

  void Work() {
    std::unique_lock lock(mutex);
    while (true) {
      ++num_idle;
      changed.wait(lock, [this] { return ending || !tasks.empty(); });
      --num_idle;
      if (tasks.empty()) return;
      std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
  }

  // Holds the mutex. False if the system has no thread or memory left and there is none at all.
  bool StartThread() {
    const ScopedBlockedSignals blocked;
    try {
      std::thread& thread = threads.emplace_back([crew = shared_from_this()] { crew->Work(); });
      char name[16];
      std::snprintf(name, sizeof(name), "axle-%zu", threads.size() - 1);
      pthread_setname_np(thread.native_handle(), name);
    } catch (const std::exception&) {  // system_error or bad_alloc
    }
    return !threads.empty();
  }
};

ThreadPool::ThreadPool(int num_threads) : num_threads_(std::max(num_threads, 1)) {}

ThreadPool::~ThreadPool() {
  if (Crew* last = crew_.load(); last == nullptr || last->process != getpid()) return;
  const std::shared_ptr<Crew> crew = std::move(crew_.load()->self);
  {
    const std::lock_guard lock(crew->mutex);
    crew->ending = true;
  }
  crew->changed.notify_all();
  for (std::thread& thread : crew->threads) {
    // A task may hold the last reference to its pool; its thread ends by itself then.
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

ThreadPool::Crew& ThreadPool::CrewOfThisProcess() {
  Crew* crew = crew_.load();
  while (crew == nullptr || crew->process != getpid()) {
    auto made = std::make_shared<Crew>();
    if (!crew_.compare_exchange_strong(crew, made.get())) continue;
    made->self = made;
    return *made;
  }
  return *crew;
}

bool ThreadPool::StartAll() {
  Crew& crew = CrewOfThisProcess();
  const std::lock_guard lock(crew.mutex);
  size_t before = 0;
  do {
    before = crew.threads.size();
    if (static_cast<int>(before) == num_threads_) return true;
    crew.StartThread();
  } while (crew.threads.size() > before);
  return false;
}

void ThreadPool::Schedule(std::function<void()> task) {
  Crew& crew = CrewOfThisProcess();
  std::unique_lock lock(crew.mutex);
  crew.tasks.push_back(std::move(task));
  const bool all_busy = static_cast<int>(crew.tasks.size()) > crew.num_idle;
  if (all_busy && static_cast<int>(crew.threads.size()) < num_threads_ && !crew.StartThread()) {
    // Late is better than never.
    std::function<void()> own = std::move(crew.tasks.back());
    crew.tasks.pop_back();
    lock.unlock();
    return own();
  }
  lock.unlock();
  crew.changed.notify_one();
}

}  // namespace axle
