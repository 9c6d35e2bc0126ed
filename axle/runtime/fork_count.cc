#include "axle/runtime/fork_count.h"

#include <pthread.h>

#include <atomic>

namespace axle {
namespace {

std::atomic<std::uint32_t> forks = 0;

}  // namespace

std::uint32_t ForkCount() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  static_cast<void>(registered);
  return forks.load(std::memory_order_relaxed);
}

}  // namespace axle
