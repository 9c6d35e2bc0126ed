#include "tests/paths.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace axle {

std::filesystem::path SourceFolder() {
  return AXLE_SOURCE_DIR;
}

std::filesystem::path BuildFolder() {
  return AXLE_BINARY_DIR;
}

std::filesystem::path SharedFolder() {
  const char* shared = std::getenv("AXLE_SHARED");
  return shared != nullptr ? std::filesystem::path(shared) : SourceFolder() / "../shared";
}

// The paths in these folders that `is_wanted`, in the order of their names, each name once: the
// first folder's.
template <typename Function>
static std::vector<std::filesystem::path> Entries(const std::vector<std::filesystem::path>& folders,
                                                  Function is_wanted) {
  std::vector<std::filesystem::path> paths;
  std::set<std::filesystem::path> names;
  for (const std::filesystem::path& folder : folders) {
    std::vector<std::filesystem::path> here;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (is_wanted(entry.path()) && names.insert(entry.path().filename()).second)
        here.push_back(entry.path());
    }
    std::ranges::sort(here);
    paths.insert(paths.end(), here.begin(), here.end());
  }
  return paths;
}

static std::vector<std::filesystem::path> CorpusFolders() {
  return {SourceFolder() / "tests/data/corpus", SharedFolder() / "corpus"};
}

std::vector<std::filesystem::path> CorpusPrograms() {
  return Entries(CorpusFolders(), [](const std::filesystem::path& path) {
    return std::filesystem::exists(path / "program.hlo.txt");
  });
}

std::vector<std::filesystem::path> OptimizedPrograms() {
  std::vector<std::filesystem::path> folders = CorpusFolders();
  for (std::filesystem::path& folder : folders) folder /= "_optimized";
  return Entries(folders,
                 [](const std::filesystem::path& path) { return path.extension() == ".txt"; });
}

}  // namespace axle
