#include "axle/core/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace axle {
namespace {

TEST(TemporaryFolder, GoesWithTheObject) {
  auto folder = TemporaryFolder::Create(), other = TemporaryFolder::Create();
  ASSERT_TRUE(folder.ok() && other.ok());
  const std::string path = (*folder)->At("");
  EXPECT_NE(path, (*other)->At(""));
  std::ofstream((*folder)->At("file")) << "text";
  EXPECT_TRUE(std::filesystem::exists((*folder)->At("file")));
  folder->reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists((*other)->At("")));
}

TEST(TemporaryFolder, OfAProcessThatWasKilled) {
  const auto own = TemporaryFolder::Create();
  ASSERT_TRUE(own.ok());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto folder = TemporaryFolder::Create();
    const std::string path = folder.ok() ? (*folder)->At("") : "";
    if (write(ends[1], path.data(), path.size()) < 0) _exit(1);
    kill(getpid(), SIGKILL);
  }
  close(ends[1]);
  char path[4096] = {};
  ASSERT_GT(read(ends[0], path, sizeof path - 1), 0);
  close(ends[0]);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(std::filesystem::exists(path));
  RemoveTemporaryFoldersOf(child);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists((*own)->At("")));
}

}  // namespace
}  // namespace axle
