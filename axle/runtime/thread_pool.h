// ThreadPool: the executor that a client owns.
//
// Threads start with the first task, are called axle-0, axle-1, ..., and block all signals, so that
// a host's handlers run on its own threads. A process that forks gets new threads in the child with
// the child's first task; tasks of the parent do not exist there. Thread-safe.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>

#include "axle/core/executor.h"

namespace axle {

// The processors that this process may use: by its affinity and the quota of its cgroup, at
// least 1.
int AvailableProcessors();

class ThreadPool : public Executor {
 public:
  explicit ThreadPool(int num_threads);
  // Runs what is scheduled already, then ends the threads.
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Schedule(std::function<void()> task) override;
  int num_threads() const override { return num_threads_; }
  // Starts all threads now. False if the system has not as many; no task waits for the others.
  bool StartAll();

 private:
  struct Crew;
  Crew& CrewOfThisProcess();

  const int num_threads_;
  std::atomic<Crew*> crew_ = nullptr;
};

}  // namespace axle
