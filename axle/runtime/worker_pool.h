// WorkerPool: threads that take parts of one kernel's work while its caller does another part.
//
// Workers spin for a while after their last part, because what follows mostly comes within
// microseconds, and sleep after that. The pool serves one caller at a time: whoever finds it busy
// does all of the work himself, so that there are never more threads at work than processors.
// Workers block all signals, are called axle-w1, axle-w2, ..., and compute in the default
// floating-point mode. A child of fork gets new ones with its first work. Thread-safe.
#pragma once
#include <atomic>
#include <memory>

namespace axle {

class WorkerPool {
 public:
  // With the caller, `num_threads` threads, at least 1. They spin for `spin_microseconds`, which is
  // 0 where the processors are rationed.
  explicit WorkerPool(int num_threads, int spin_microseconds = 50);
  // Not while work is under way.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int num_threads() const { return num_threads_; }

  // Calls work(argument, part) for each part from 0 to num_parts - 1, at the same time: part 0 on
  // this thread, and returns when all are done. num_parts is at most num_threads(). False, and
  // nothing has been called, if the pool is busy or the system has no threads left. `work` does not
  // throw.
  bool TryRun(int num_parts, void (*work)(void* argument, int part), void* argument);

 private:
  struct Crew;
  Crew* CrewOfThisProcess();

  const int num_threads_;
  const int spin_microseconds_;
  std::atomic<Crew*> crew_ = nullptr;
};

}  // namespace axle
