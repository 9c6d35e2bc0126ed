// Tools run as child processes with their output in a file, which becomes the text of the error.
#include "axle/codegen/emulation/cross_tools.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/core/temporary_folder.h"

namespace axle {

StatusOr<std::string> FindTool(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "" : variable;
  while (!folders.empty()) {
    const size_t colon = folders.find(':');
    std::string path = StrCat(folders.substr(0, colon), "/", name);
    if (access(path.c_str(), X_OK) == 0) return path;
    folders.remove_prefix(colon == folders.npos ? folders.size() : colon + 1);
  }
  return FailedPrecondition(StrCat("native: there is no ", name, "; scripts/deps.sh installs it"));
}

Status RunTool(const std::vector<std::string>& command) {
  AXLE_ASSIGN(const std::unique_ptr<TemporaryFolder> folder, TemporaryFolder::Create());
  const std::string output = folder->At("output");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  pid_t process = -1;
  const int error =
      posix_spawn(&process, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Internal(StrCat("native: ", command[0], ": ", std::strerror(error)));
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) {
  }
  if (ended != process) {  // whoever ignores SIGCHLD has no children to wait for
    return Internal(StrCat("native: ", command[0], ": ", std::strerror(errno)));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const StatusOr<std::string> text = ReadFile(output);
  return Internal(StrCat("native: ", command[0], ": ", text.ok() ? *text : "fails"));
}

}  // namespace axle
