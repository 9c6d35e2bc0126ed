// Emulator: a process that runs code of a processor that this machine does not have. For tests: the
// bits of results may not depend on the processor either. AArch64 under qemu-aarch64.
//
// The process has memory in common with this one, and does what it is told over a socket
// (emulator_protocol.h).
#pragma once
#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "axle/codegen/emulation/emulator_protocol.h"
#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

class Emulator {
 public:
  // The one of this process, which is started if there is none or if it has ended. A process that
  // forks gets one of its own. FAILED_PRECONDITION names what is not there.
  static StatusOr<std::shared_ptr<Emulator>> Shared();
  ~Emulator();

  // A shared library of that processor: a handle.
  StatusOr<std::uint64_t> Load(const std::string& path);
  void Unload(std::uint64_t library);
  StatusOr<std::uint64_t> Find(std::uint64_t library, const std::string& function);

  // Callers of functions hold this lock from before they fill the memory until they have read it.
  std::unique_lock<std::mutex> Lock() { return std::unique_lock(mutex_); }
  std::byte* memory() const { return memory_; }
  static constexpr i64 kMemoryBytes = kAxleMemoryBytes;
  // The guest's address of what is at memory() + offset.
  std::uint64_t AddressOf(i64 offset) const {
    return guest_memory_ + static_cast<std::uint64_t>(offset);
  }
  std::uint64_t more_fuel() const { return more_fuel_; }
  // Calls the function whose address is first, with the numbers behind it, and gives what it
  // returns; `answer` gives what it asks for meanwhile. INTERNAL: the process has ended, perhaps by
  // a signal that the function caused.
  StatusOr<std::uint64_t> Call(std::span<const std::uint64_t> function_and_arguments,
                               const std::function<std::uint64_t(const AxleMessage&)>& answer);
  // Gives memory back that a call needed.
  void Forget(i64 begin, i64 end);

 private:
  Emulator() = default;
  Status Start();
  Status Send(const AxleMessage& message);
  StatusOr<AxleMessage> Receive();
  StatusOr<std::uint64_t> Ask(AxleMessage question, const std::string& front);
  Status HasEnded();
  int EndProcess();

  std::mutex mutex_;
  pid_t owner_ = -1;
  int process_ = -1;  // a file that stands for it: its number may become another process's
  int socket_ = -1, file_ = -1;
  std::byte* memory_ = nullptr;
  std::uint64_t guest_memory_ = 0, more_fuel_ = 0;
  std::atomic<bool> has_ended_ = false;
};

}  // namespace axle
