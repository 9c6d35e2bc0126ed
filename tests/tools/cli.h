// The command line as its users meet it: the binary is run, its outputs and exit code are read.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths.h"
#include "tests/skips.h"

namespace axle {

namespace fs = std::filesystem;

struct Result {
  int exit = -1;  // 128 + n for signal n
  std::string out;
  std::string err;
};

inline std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Cli : public testing::Test {
 protected:
  Cli() {
    char name[] = "/tmp/axle-cli-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Cli() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return Path(name);
  }

  // Starts the binary with its outputs in files, so that no pipe can fill up; `out`, if there is
  // one, is its stdout instead.
  pid_t Start(const std::vector<std::string>& arguments, std::string_view input = "",
              int out = -1) const {
    Write("stdin", input);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const auto redirect = [&](const char* name, int flags, int to) {
      const int file = open(Path(name).c_str(), flags, 0600);
      dup2(file, to);
    };
    redirect("stdin", O_RDONLY, 0);
    redirect("stdout", O_WRONLY | O_CREAT | O_TRUNC, 1);
    if (out >= 0) dup2(out, 1);
    redirect("stderr", O_WRONLY | O_CREAT | O_TRUNC, 2);
    std::vector<char*> argv = {const_cast<char*>("axle")};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv((BuildFolder() / "bin/axle").c_str(), argv.data());
    _exit(99);
  }
  Result Finish(pid_t pid) const {
    int status = 0;
    waitpid(pid, &status, 0);
    const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {exit, ReadText(folder_ / "stdout"), ReadText(folder_ / "stderr")};
  }
  Result Run(const std::vector<std::string>& arguments, std::string_view input = "") const {
    return Finish(Start(arguments, input));
  }

  fs::path folder_;
};

inline constexpr std::string_view kAdd =
    R"(HloModule add, entry_computation_layout={(f32[2]{0}, f32[2]{0})->f32[2]{0}}

ENTRY main {
  x = f32[2]{0} parameter(0)
  y = f32[2]{0} parameter(1)
  ROOT sum = f32[2]{0} add(x, y)
}
)";

// Loops until it is stopped.
inline constexpr std::string_view kForever = R"(HloModule forever

always {
  state = s32[] parameter(0)
  ROOT yes = pred[] constant(true)
}

step {
  state = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT next = s32[] add(state, one)
}

ENTRY main {
  start = s32[] constant(0)
  ROOT end = s32[] while(start), condition=always, body=step
}
)";

}  // namespace axle
