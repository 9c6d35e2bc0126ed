// WorkerPool: threads that take parts of one kernel's work while its caller does another part.
//
// Sharing must never cost more than it gains, whatever else runs on the machine:
//
// * A part belongs to whoever takes it first. The caller does part 0 and then every part that its
//   worker has not begun, so it waits for threads that run, never for one that is to be woken.
// * A worker may lose its processor in the midst of a part. The caller compares the time of each
//   kernel with what it would have taken alone. Gains pay for losses; if they do not any more, it
//   gives the pool a rest, twenty times as long as what is left of the loss: such losses cost at
//   most one twentieth of the time.
// * Workers spin for a while after their last part, because what follows mostly comes within
//   microseconds, and sleep after that. For a kernel that is over before they are awake they are
//   only woken if one came right before it, as in a loop. They do not spin if the pool has more
//   threads than the process has processors.
//
// The pool serves one caller at a time: whoever finds it busy does all of the work himself, so that
// there are never more threads at work than processors. Workers block all signals, are called
// axle-w1, axle-w2, ..., and compute in the default floating-point mode. A child of fork gets new
// ones with its first work. Thread-safe.
#pragma once
#include <atomic>
#include <memory>

namespace axle {

class WorkerPool {
 public:
  // With the caller, `num_threads` threads, at least 1. They spin for `spin_microseconds`.
  explicit WorkerPool(int num_threads, int spin_microseconds = 50);
  // Not while work is under way.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int num_threads() const { return num_threads_; }

  // Calls work(argument, part) once for each part from 0 to num_parts - 1, part 0 on this thread,
  // the others on any of the pool's at the same time, and returns when all are done. num_parts is
  // at most num_threads(). `nanoseconds` is about what one thread would take for all of them.
  // False, and nothing has been called, if sharing does not pay now: the pool is busy, rests or
  // sleeps, or the system has no threads left. `work` does not throw.
  bool TryRun(int num_parts, void (*work)(void* argument, int part), void* argument,
              double nanoseconds);

 private:
  struct Crew;
  Crew* CrewOfThisProcess();

  const int num_threads_;
  const int spin_microseconds_;
  std::atomic<Crew*> crew_ = nullptr;
};

}  // namespace axle
