// axle reduce: reduce a failing module.
#include "axle/gen/reduce.h"

#include <cstdlib>
#include <filesystem>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/gen/fuzz_run.h"
#include "axle/ops/open_sizes.h"
#include "axle/text/print.h"
#include "tools/axle/checking.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

// The exit status of the command with the module as a file behind it.
int StatusOf(const std::string& command, const Module& module, const std::string& file) {
  if (!WriteFile(file, Print(module)).ok()) return -1;
  // NOLINTNEXTLINE(bugprone-command-processor): it is the user's command
  return std::system(StrCat(command, " '", file, "' >/dev/null 2>&1 </dev/null").c_str());
}

int RunReduce(Session& session) {
  const Options& options = session.options();
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("reduce: ", file.status().message()));
  auto loaded = session.Load(*file);
  if (!loaded.ok()) return session.Fail(loaded.status());
  const std::unique_ptr<Module> module = *std::move(loaded);
  const Status whole = session.CheckNothingIsElided(*module);
  if (!whole.ok()) return session.Fail(whole);
  const Status sizes = CheckSizesAreKnown(*module);
  if (!sizes.ok()) return session.Fail(sizes);

  CheckOptions check = CheckOptionsOf(options);
  check.step_limit = kMaxSteps;
  check.time_limit = kMaxSeconds;
  auto checker = Checker::Create(check);
  if (!checker.ok()) return session.Fail(checker.status());
  std::string folder;
  int original = 0;
  if (!options.command.empty()) {
    std::string name = (std::filesystem::temp_directory_path() / "axle-reduce-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      return session.Fail(NotFound("reduce: no temporary folder"));
    folder = name;
    original = StatusOf(options.command, *module, folder + "/module.hlo");
  }
  const auto fails = [&](const Module& candidate) {
    if (!folder.empty()) {
      return original != 0 &&
             StatusOf(options.command, candidate, folder + "/module.hlo") == original;
    }
    return IsFailure(CheckIsolated(**checker, candidate.Clone(), kHangSeconds).outcome);
  };
  KeepWhatThereIsWhenInterrupted();
  i64 attempts = 0;
  const auto progress = [&](i64 instructions, i64 so_far) {
    attempts = so_far;
    if (options.verbose) {
      session.Say(StrCat(instructions, " instructions after ", so_far, " attempts"));
    }
  };
  const auto reduced =
      ReduceModule(*module, fails, {.on_progress = progress, .limits = &session.limits()});
  std::error_code error;
  if (!folder.empty()) std::filesystem::remove_all(folder, error);
  if (!reduced.ok()) return session.Fail(reduced.status());

  std::string text = Print(**reduced);
  session.Say(StrCat(PrintableText(*file), ": ", module->num_instructions(), " instructions, ",
                     (*reduced)->num_instructions(), " left"));
  if (folder.empty()) {
    session.Say(CheckIsolated(**checker, (*reduced)->Clone(), kHangSeconds).message);
  }
  if (options.json) {
    Json report = NewReport("reduce");
    report["instructions"] = (*reduced)->num_instructions();
    report["text"] = text;
    text = ToLine(report);
  }
  const int written = session.Write(text);
  return written == kYes && Interrupted() ? kLimit : written;
}

constexpr OptionUse kOptions[] = {
    {"command"},
    {"output"},
    {"isas"},
    {"levels"},
    {"thread-list"},
    {"seeds"},
    {"time-limit", "seconds, none by default; then the smallest module so far is the result"},
    {"mem-limit"},
    {"json", "{\"schema\": ..., \"instructions\": ..., \"text\": ...}"},
    {"verbose", "report every step"},
    Brief("seed"),
    Brief("repeats"),
    Brief("concurrent"),
    Brief("numerics"),
    Brief("from"),
    Brief("strict-types"),
    Brief("allow-elided"),
};

}  // namespace

const Verb kReduceVerb = {
    .name = "reduce",
    .summary = "reduce a failing module",
    .examples =
        "axle reduce failing.hlo --output small.hlo\n"
        "axle reduce failing.hlo --isa avx512 --levels 0 --seeds 10\n"
        "axle reduce crashing.hlo --command 'axle opt --passes loops'\n",
    .description =
        "A module fails if `axle check` with these options finds a difference, a crash or a\n"
        "hang; with --command, if `CMD FILE` ends as it ends for the module that is given,\n"
        "which is not with 0. Instructions are left out or replaced by parameters, zeros and\n"
        "operands, loops and calls by what they call, sizes by smaller ones, as long as it\n"
        "fails. Exit 3 if the module does not fail.\n",
    .options = kOptions,
    .run = RunReduce};

}  // namespace axle::tool
