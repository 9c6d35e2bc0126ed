// How the emulator's process is kept. It is started with the first compilation for it, shares a
// memfd of kAxleMemoryBytes with us, of which only touched pages take memory, and answers messages
// over a socket of type SOCK_SEQPACKET, so a message is whole or not there. It is held by a pidfd
// and not by its number, which could become another process's.
//
// If a kernel crashes, the socket closes: the call fails with the signal's name, and Shared()
// starts another process for the next compilation. A forked child does not use its parent's
// process. The guest ends by itself when the socket closes (emulator_guest.c).
#include "axle/codegen/emulation/emulator.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "axle/codegen/emulation/cross_tools.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

Status SystemError(std::string_view what) {
  return FailedPrecondition(StrCat("native: emulator: ", what, ": ", std::strerror(errno)));
}

// The program that the build puts beside this library if there is a cross compiler.
StatusOr<std::string> GuestPath() {
  constexpr std::string_view kName = "axle_emulator_guest";
  Dl_info info = {};
  std::string path(kName);
  if (dladdr(reinterpret_cast<const void*>(&GuestPath), &info) != 0 && info.dli_fname != nullptr) {
    const std::string_view self = info.dli_fname;
    path = StrCat(self.substr(0, self.rfind('/') + 1), kName);
  }
  if (access(path.c_str(), R_OK) == 0) return path;
  return FailedPrecondition(StrCat(
      "native: there is no ", path,
      "; it is part of a build that finds a cross compiler, which scripts/deps.sh installs"));
}

// Moves a file descriptor above those that the guest has.
int MoveUp(int file) {
  constexpr int kLowest = 10;
  if (file < 0) return file;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, kLowest);
  close(file);
  return moved;
}

// glibc 2.36 declares these for C only.
int OpenProcess(pid_t process) {
  return static_cast<int>(syscall(SYS_pidfd_open, process, 0));
}
void SignalProcess(int file, int number) {
  syscall(SYS_pidfd_send_signal, file, number, nullptr, 0);
}

}  // namespace

StatusOr<std::shared_ptr<Emulator>> Emulator::Shared() {
  static std::mutex mutex;
  static std::shared_ptr<Emulator> shared;
  const std::lock_guard lock(mutex);
  if (shared != nullptr && shared->owner_ == getpid() && !shared->has_ended_) return shared;
  std::shared_ptr<Emulator> started(new Emulator());
  AXLE_TRY(started->Start());
  shared = started;
  // A process that ends without destructors leaves none behind either.
  [[maybe_unused]] static const int registered = std::at_quick_exit([] { shared = nullptr; });
  return started;
}

// The guest gets its socket and memory as fixed file descriptors, and none of ours but the standard
// ones. Ours are moved above these numbers first, because a dup2 onto one of them would close it.
Status Emulator::Start() {
  AXLE_ASSIGN(const std::string emulator, FindTool("qemu-aarch64"));
  AXLE_ASSIGN(const std::string guest, GuestPath());
  owner_ = getpid();
  file_ = MoveUp(memfd_create("axle_emulator", MFD_CLOEXEC));
  if (file_ < 0 || ftruncate(file_, kMemoryBytes) != 0) return SystemError("memory");
  void* const memory =
      mmap(nullptr, kMemoryBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (memory == MAP_FAILED) return SystemError("memory");
  memory_ = static_cast<std::byte*>(memory);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return SystemError("socket");
  socket_ = MoveUp(ends[0]);
  const int other = MoveUp(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, other, kAxleGuestSocket);
  posix_spawn_file_actions_adddup2(&actions, file_, kAxleGuestMemory);
  posix_spawn_file_actions_addclosefrom_np(&actions, kAxleGuestMemory + 1);
  std::string words[] = {emulator, guest};
  char* arguments[] = {words[0].data(), words[1].data(), nullptr};
  pid_t process = -1;
  const int error = posix_spawn(&process, arguments[0], &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(other);
  if (error != 0) {
    return FailedPrecondition(StrCat("native: ", emulator, ": ", std::strerror(error)));
  }
  process_ = MoveUp(OpenProcess(process));
  if (process_ < 0) {
    const Status failed = SystemError("process");
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    return failed;
  }
  AXLE_ASSIGN(const AxleMessage hello, Receive());
  guest_memory_ = hello.values[0];
  more_fuel_ = hello.values[1];
  return {};
}

// A process that was forked from the owner only lets go of what it has inherited.
Emulator::~Emulator() {
  if (socket_ >= 0) close(socket_);
  if (file_ >= 0) close(file_);
  if (memory_ != nullptr) munmap(memory_, kMemoryBytes);
  EndProcess();
}

// Ends the process and gives the signal that ended it, before this or now; 0 if there is none, or
// if the process is another one's.
int Emulator::EndProcess() {
  if (process_ < 0) return 0;
  siginfo_t info = {};
  if (owner_ == getpid()) {
    SignalProcess(process_, SIGKILL);  // changes nothing if it has ended
    while (waitid(P_PIDFD, static_cast<id_t>(process_), &info, WEXITED) < 0 && errno == EINTR) {
    }
  }
  close(process_);
  process_ = -1;
  return info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED ? info.si_status : 0;
}

// The error for a process that does not answer any more.
Status Emulator::HasEnded() {
  has_ended_ = true;
  if (owner_ != getpid()) return Internal("native: the emulator belongs to another process");
  if (const int number = EndProcess(); number != 0) {
    return Internal(
        StrCat("native: the emulator was ended by signal ", number, " (", strsignal(number), ")"));
  }
  return Internal("native: the emulator has ended");
}

Status Emulator::Send(const AxleMessage& message) {
  if (has_ended_ || owner_ != getpid()) return HasEnded();
  while (send(socket_, &message, sizeof message, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return HasEnded();
  }
  return {};
}

StatusOr<AxleMessage> Emulator::Receive() {
  for (;;) {
    AxleMessage message;
    const ssize_t got = recv(socket_, &message, sizeof message, 0);
    if (got == sizeof message) return message;
    if (got >= 0 || errno != EINTR) return HasEnded();
  }
}

StatusOr<std::uint64_t> Emulator::Ask(AxleMessage question, const std::string& front) {
  const std::lock_guard lock(mutex_);
  if (front.size() >= kAxleFrontBytes)
    return InvalidArgument("native: emulator: the function name is too long");
  std::memcpy(memory_, front.c_str(), front.size() + 1);
  AXLE_TRY(Send(question));
  AXLE_ASSIGN(const AxleMessage answer, Receive());
  if (question.kind == kAxleLoad && answer.values[0] == 0) {
    return Internal(StrCat("native: emulator: ", reinterpret_cast<const char*>(memory_)));
  }
  return answer.values[0];
}

StatusOr<std::uint64_t> Emulator::Load(const std::string& path) {
  return Ask({kAxleLoad, {}}, path);
}

void Emulator::Unload(std::uint64_t library) {
  if (owner_ == getpid()) static_cast<void>(Ask({kAxleUnload, {library}}, ""));
}

StatusOr<std::uint64_t> Emulator::Find(std::uint64_t library, const std::string& function) {
  AXLE_ASSIGN(const std::uint64_t address, Ask({kAxleFind, {library}}, function));
  if (address == 0) return Internal(StrCat("native: emulator: no function ", function));
  return address;
}

// Messages alternate strictly: a question of the guest is answered before it goes on, and kAxleDone
// ends the call.
StatusOr<std::uint64_t> Emulator::Call(
    std::span<const std::uint64_t> function_and_arguments,
    const std::function<std::uint64_t(const AxleMessage&)>& answer) {
  AxleMessage message = {kAxleCall, {}};
  std::ranges::copy(function_and_arguments, message.values);
  AXLE_TRY(Send(message));
  for (;;) {
    AXLE_ASSIGN(message, Receive());
    if (message.kind == kAxleDone) return message.values[0];
    AXLE_TRY(Send({kAxleDone, {answer(message)}}));
  }
}

void Emulator::Forget(i64 begin, i64 end) {
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, end - begin);
}

}  // namespace axle
