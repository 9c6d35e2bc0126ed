// Folders for files that another process has to read.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>

#include "axle/core/status.h"

namespace axle {

// A folder that goes with the object.
class TemporaryFolder {
 public:
  // FAILED_PRECONDITION if there is no place for one.
  static StatusOr<std::unique_ptr<TemporaryFolder>> Create();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // The path of a file in it.
  std::string At(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Removes what a process has left that was ended by a signal. For its parent, right after it has
// waited for it: numbers come round late, or another process would lose its folders.
void RemoveTemporaryFoldersOf(pid_t process);

}  // namespace axle
