#include "axle/core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

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

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path, std::int64_t max_bytes) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info = {};
  if (file.get() < 0 || fstat(file.get(), &info) != 0) return SystemError("read", path);
  const auto too_large = [&] {
    return ResourceExhausted(
        StrCat("cannot read ", PrintableText(path), ": more than ", HumanBytes(max_bytes)));
  };
  if (info.st_size > max_bytes) return too_large();
  // The size is a hint: pipes and devices have none. One byte more shows the end.
  constexpr std::int64_t kPiece = 1 << 16;
  std::string bytes(std::max<std::int64_t>(info.st_size + 1, kPiece), '\0');
  size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(size * 2);
    const ssize_t count = read(file.get(), bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("read", path);
    if (count == 0) break;
    size += static_cast<size_t>(count);
    if (static_cast<std::int64_t>(size) > max_bytes) return too_large();
  }
  bytes.resize(size);
  return bytes;
}

Status WriteFile(const std::string& path, std::string_view bytes) {
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
