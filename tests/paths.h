// Where the tests find files. Only paths.cc is compiled with absolute paths, so that the objects of
// all other tests are the same in every clone and ccache shares them.
#pragma once

#include <filesystem>
#include <vector>

namespace axle {

// The root of the repository.
std::filesystem::path SourceFolder();
// The folder of this build.
std::filesystem::path BuildFolder();
// Whether results are right is tested with what tests/data has; its README.md says what that is.
// $AXLE_SHARED, or the folder `shared` beside the repository, may have more of it: large programs,
// cases from public reports. It may not be there.
std::filesystem::path SharedFolder();
// The folders of the programs exported from JAX, sorted by name: those of tests/data/corpus, then
// those that only SharedFolder() / "corpus" has. An index.json lies beside each folder.
std::vector<std::filesystem::path> CorpusPrograms();
// What XLA:CPU's passes make of some of them, to be read only: HLO text files, from the same two
// places.
std::vector<std::filesystem::path> OptimizedPrograms();

}  // namespace axle
