#include "axle/core/temporary_folder.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "axle/core/strings.h"

namespace axle {
namespace {

std::string NamesOf(pid_t process) {
  return StrCat("axle-", process, "-");
}

}  // namespace

StatusOr<std::unique_ptr<TemporaryFolder>> TemporaryFolder::Create() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string path = (parent / (NamesOf(getpid()) + "XXXXXX")).string();
  if (error || mkdtemp(path.data()) == nullptr) {
    return FailedPrecondition(StrCat("cannot make a folder like ", path));
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void RemoveTemporaryFoldersOf(pid_t process) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::filesystem::directory_iterator entry(parent, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    const bool is_its = entry->path().filename().string().starts_with(NamesOf(process));
    if (is_its && entry->is_directory(ignored)) std::filesystem::remove_all(*entry, ignored);
  }
}

}  // namespace axle
