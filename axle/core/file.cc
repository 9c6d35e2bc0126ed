#include "axle/core/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "axle/core/limits.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Owns a descriptor; closes it once.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool Close() {
    if (fd_ < 0) return true;
    const int result = close(fd_);
    fd_ = -1;
    return result == 0;
  }

 private:
  int fd_;
};

Status SystemError(std::string_view what, const std::string& path) {
  const int code = errno;
  std::string message = StrCat("cannot ", what, " ", PrintableText(path), ": ",
                               std::generic_category().message(code));
  if (code == ENOENT) return NotFound(std::move(message));
  return {code == EACCES || code == EPERM ? StatusCode::kPermissionDenied
                                          : StatusCode::kInvalidArgument,
          std::move(message)};
}

// How often a wait for a pipe looks at its limits.
constexpr int kPollMilliseconds = 20;

Status CheckPath(const std::string& path) {
  if (path.find('\0') == path.npos) return {};
  return InvalidArgument(StrCat("there is a NUL byte in the name ", PrintableText(path)));
}

// Waits until there is something to read, or the end, or an error that read will find.
Status WaitForInput(int file, Limits& limits) {
  while (true) {
    AXLE_TRY(limits.CheckNow());
    pollfd waiting = {file, POLLIN, 0};
    if (poll(&waiting, 1, kPollMilliseconds) > 0) return {};
  }
}

}  // namespace

StatusOr<std::string> ReadDescriptor(int file, const std::string& name, std::int64_t max_bytes,
                                     Limits* limits) {
  struct stat info = {};
  if (fstat(file, &info) != 0) return SystemError("read", name);
  const auto too_large = [&] {
    return ResourceExhausted(
        StrCat("cannot read ", PrintableText(name), ": more than ", HumanBytes(max_bytes)));
  };
  if (info.st_size > max_bytes) return too_large();
  // The size is a hint: pipes and devices have none. One byte more shows the end.
  constexpr std::int64_t kPiece = 1 << 16;
  std::string bytes(std::max<std::int64_t>(info.st_size + 1, kPiece), '\0');
  size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(size * 2);
    if (limits != nullptr) AXLE_TRY(WaitForInput(file, *limits));
    const ssize_t count = read(file, bytes.data() + size, bytes.size() - size);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return SystemError("read", name);
    if (count == 0) break;
    size += static_cast<size_t>(count);
    if (static_cast<std::int64_t>(size) > max_bytes) return too_large();
  }
  bytes.resize(size);
  return bytes;
}

StatusOr<std::string> ReadFile(const std::string& path, std::int64_t max_bytes, Limits* limits) {
  AXLE_TRY(CheckPath(path));
  // With limits a FIFO without a writer is waited for in poll, not in open.
  const int wait = limits != nullptr ? O_NONBLOCK : 0;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | wait));
  if (file.get() < 0) return SystemError("read", path);
  return ReadDescriptor(file.get(), path, max_bytes, limits);
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  AXLE_TRY(CheckPath(path));
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) return SystemError("write", path);
  while (!bytes.empty()) {
    const ssize_t count = write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("write", path);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return file.Close() ? Status() : SystemError("write", path);
}

}  // namespace axle
