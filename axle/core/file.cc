#include "axle/core/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

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

// Bytes of one read, and of what is copied between two looks at the clock.
constexpr size_t kMinRead = 1 << 16, kMaxRead = 1 << 20;
constexpr size_t kPiece = size_t{64} << 20;

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
  // What has no size, as pipes and devices, is kept in pieces until the end is known: a string that
  // grows would be copied in one go, while nobody looks at the clock.
  const auto known = static_cast<size_t>(std::max<std::int64_t>(info.st_size, 0));
  std::string buffer(std::clamp(known + 1, kMinRead, kMaxRead), '\0');
  std::vector<std::string> pieces(1);
  pieces[0].reserve(known);
  std::int64_t size = 0;
  while (true) {
    if (limits != nullptr) AXLE_TRY(WaitForInput(file, *limits));
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return SystemError("read", name);
    if (count == 0) break;
    size += count;
    if (size > max_bytes) return too_large();
    if (pieces.back().size() >= std::max(known, kPiece)) pieces.emplace_back();
    pieces.back().append(buffer, 0, static_cast<size_t>(count));
  }
  if (pieces.size() == 1) return std::move(pieces[0]);
  std::string bytes;
  bytes.reserve(static_cast<size_t>(size));
  for (std::string& piece : pieces) {
    if (limits != nullptr) AXLE_TRY(limits->CheckNow());
    bytes += piece;
    std::string().swap(piece);
  }
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
