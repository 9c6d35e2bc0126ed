#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/distributed/engine/sha256.h"
#include "axle/distributed/engine/sockets.h"
#include "axle/distributed/engine/stores.h"

namespace axle {
namespace {

Status SystemError(std::string_view what, const std::string& path, int error) {
  const bool is_room = error == ENOSPC || error == EDQUOT;
  return {is_room ? StatusCode::kResourceExhausted : StatusCode::kUnavailable,
          StrCat("rendezvous: cannot ", what, " ", path, ": ", std::strerror(error))};
}

Status MakeFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return SystemError("make the folder", folder, errno);
}

// Writes a new file into the folder, which is made, for its owner alone.
Status WriteNew(const std::string& folder, const std::string& path, std::string_view bytes) {
  constexpr int kTries = 100;
  AXLE_TRY(MakeFolder(folder));
  const auto create = [&] {
    return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  };
  Descriptor file(create());
  // A process that has just left the job may have removed the folder behind the first step.
  for (int tries = 0; !file.valid() && errno == ENOENT && tries < kTries; ++tries) {
    AXLE_TRY(MakeFolder(folder));
    file = Descriptor(create());
  }
  if (!file.valid()) return SystemError("write", path, errno);
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(file.get(), bytes.data() + written, bytes.size() - written);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      return SystemError("write", path, errno);
    }
  }
  // Some file systems say only now that there is no room.
  return fsync(file.get()) == 0 ? Status() : SystemError("write", path, errno);
}

// A name for a file that nobody else has.
std::string Temporary(const std::string& path) {
  return StrCat(path, ".", HexText(RandomBytes(8)), ".new");
}

class FileStore : public KeyValueStore {
 public:
  explicit FileStore(std::string folder) : folder_(std::move(folder)) {}
  ~FileStore() override {
    for (const std::string& path : written_) unlink(path.c_str());
    rmdir(folder_.c_str());  // fails while others have files there
  }

  Status Set(std::string_view key, std::string_view value) override {
    const std::string path = PathOf(key), temporary = Temporary(path);
    Status status = WriteNew(folder_, temporary, value);
    if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
      status = SystemError("write", path, errno);
    }
    if (!status.ok()) {
      unlink(temporary.c_str());
      return status;
    }
    const std::lock_guard lock(mutex_);
    written_.insert(path);
    return {};
  }

  StatusOr<std::optional<std::string>> TryGet(std::string_view key) override {
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 24;
    StatusOr<std::string> bytes = ReadFile(PathOf(key), kMostBytes);
    if (bytes.ok()) return std::optional<std::string>(*std::move(bytes));
    if (bytes.status().code() == StatusCode::kNotFound) return std::optional<std::string>();
    return bytes.status();
  }

  // The secret of a job that was given none.
  StatusOr<std::string> Secret(std::string_view name) {
    const std::string path = PathOf(name), temporary = Temporary(path);
    if (access(path.c_str(), F_OK) != 0) {
      Status status = WriteNew(folder_, temporary, HexText(RandomBytes(kDigestBytes)));
      // The first one makes the file, and removes it in the end; the others find it there.
      if (status.ok() && link(temporary.c_str(), path.c_str()) == 0) {
        written_.insert(path);
      } else if (status.ok() && errno != EEXIST) {
        status = SystemError("write", path, errno);
      }
      unlink(temporary.c_str());
      AXLE_TRY(status);
    }
    struct stat about = {};
    if (lstat(path.c_str(), &about) != 0) return SystemError("read", path, errno);
    if (!S_ISREG(about.st_mode) || about.st_uid != geteuid() || (about.st_mode & 077) != 0) {
      return Status(StatusCode::kPermissionDenied,
                    StrCat("rendezvous: ", path, " is not a file that only its owner, user ",
                           geteuid(), ", can read"));
    }
    return ReadFile(path, 4096);
  }

 private:
  // Keys have slashes; a name of a file has none.
  std::string PathOf(std::string_view key) const {
    std::string name;
    for (const char c : key) {
      if (IsAlnum(c) || c == '-' || c == '_') {
        name += c;
      } else {
        StrAppend(name, ".", HexText(std::string_view(&c, 1)));
      }
    }
    return StrCat(folder_, "/", name);
  }

  const std::string folder_;
  std::mutex mutex_;
  std::set<std::string> written_;
};

}  // namespace

StatusOr<std::unique_ptr<KeyValueStore>> OpenFileStore(const std::string& folder,
                                                       std::string_view secret_name,
                                                       std::string* secret) {
  AXLE_TRY(MakeFolder(folder));
  auto store = std::make_unique<FileStore>(folder);
  if (secret != nullptr) {
    AXLE_ASSIGN(*secret, store->Secret(secret_name));
  }
  return std::unique_ptr<KeyValueStore>(std::move(store));
}

}  // namespace axle
