// Threads of the library that take no signals.
#pragma once
#include <pthread.h>

#include <csignal>

namespace axle {

// While one is alive, its thread takes no signals. A thread that it starts then takes none for all
// of its life, so that the handlers of the program run on the threads of the program.
class ScopedBlockedSignals {
 public:
  ScopedBlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~ScopedBlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ScopedBlockedSignals(const ScopedBlockedSignals&) = delete;
  ScopedBlockedSignals& operator=(const ScopedBlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace axle
