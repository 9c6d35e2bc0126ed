// Where the tests find files. Only paths.cc is compiled with absolute paths, so that the objects of
// all other tests are the same in every clone and ccache shares them.
#pragma once

#include <filesystem>

namespace axle {

// The root of the repository.
std::filesystem::path SourceFolder();
// The folder of this build.
std::filesystem::path BuildFolder();
// $AXLE_SHARED, or the folder `shared` beside the repository: reference vectors and real programs.
// It may not be there.
std::filesystem::path SharedFolder();

}  // namespace axle
