// Launcher: what runs on several devices of a client share.
//
// Each device has a thread: a run on one may wait for the others, so that none may wait for a
// thread. The mutex is held while a run is put into the queues of its devices: any two runs are in
// the same order on all devices that they share, and neither waits for a device on which the other
// one is first.
#pragma once
#include <mutex>

#include "axle/core/strings.h"
#include "axle/runtime/thread_pool.h"

namespace axle {

// One for a client. Thread-safe, but for what the mutex is for.
struct Launcher {
  explicit Launcher(int num_devices) : threads(num_devices) {}

  // RESOURCE_EXHAUSTED if the system has not as many threads.
  Status StartThreads() {
    if (threads.StartAll()) return {};
    return ResourceExhausted(StrCat("execute: ", threads.num_threads(),
                                    " devices need a thread each, and the system has no more"));
  }

  ThreadPool threads;
  std::mutex mutex;
};

}  // namespace axle
