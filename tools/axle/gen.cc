// axle gen: random valid modules.
#include <filesystem>

#include "axle/client/client.h"
#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/gen/coverage.h"
#include "axle/gen/generate.h"
#include "tools/axle/json.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

constexpr std::uint64_t kEnough = 100;  // modules that make a cell of the coverage

int RunGen(Session& session) {
  const Options& options = session.options();
  if (!options.files.empty()) return session.Usage("gen: takes no FILE; --output names the folder");
  std::error_code error;
  if (!options.output.empty() && !options.coverage) {
    std::filesystem::create_directories(options.output, error);
  }
  Coverage coverage;
  auto client = Client::Create({.num_threads = 1});
  if (!client.ok()) return session.Fail(client.status());
  for (std::uint64_t i = options.first; i < options.first + options.count; ++i) {
    if (const Status status = session.limits().CheckNow(); !status.ok())
      return session.Fail(status);
    session.limits().Progress(static_cast<double>(i - options.first) /
                              static_cast<double>(options.count));
    if (options.coverage) {
      const auto module = GenerateModule(options.seed, i);
      if (!module.ok()) return session.Fail(module.status());
      coverage.Add(**module);
      const Status added = coverage.AddRegions(**module, **client);
      if (!added.ok()) return session.Fail(added);
      continue;
    }
    const StatusOr<std::string> text = GenerateText(options.seed, i);
    if (!text.ok()) return session.Fail(text.status());
    if (options.output.empty()) {
      session.Out(*text);
      continue;
    }
    const Status written =
        WriteFile(StrCat(options.output, "/gen_", options.seed, "_", i, ".hlo"), *text);
    if (!written.ok()) return session.Fail(written);
  }
  if (!options.coverage) return kYes;
  const std::vector<std::string> missing = coverage.Missing();
  std::string page = coverage.Page(kEnough);
  if (options.json) {
    const Coverage::Totals totals = coverage.Total(kEnough);
    Json report = NewReport("gen");
    report["modules"] = coverage.modules();
    report["cells"] = totals.cells;
    report["enough"] = totals.enough;
    report["missing"] = missing;
    page = ToLine(report);
  }
  if (options.output.empty()) {
    session.Out(page);
  } else if (const Status written = WriteFile(options.output, page); !written.ok()) {
    return session.Fail(written);
  }
  for (const std::string& cell : missing) session.Say(StrCat("never drawn: ", cell));
  return missing.empty() ? kYes : kNo;
}

constexpr std::string_view kOptions[] = {"seed", "first", "count", "output", "coverage"};

}  // namespace

const Verb kGenVerb = {
    "gen", "random valid modules",
    "axle gen --seed 7                            one module to stdout\n"
    "axle gen --seed 7 --count 1000 --output DIR  gen_7_0.hlo, gen_7_1.hlo, ...\n"
    "axle gen --coverage --count 400000           which operations with which types\n"
    "\n"
    "A module is a function of the seed and its number. Module i is about operation i\n"
    "of those that are drawn, with one element type after another, and about whatever\n"
    "else was drawn with it.\n"
    "\n"
    "  --seed S         0 by default\n"
    "  --first I        number of the first module\n"
    "  --count N        how many, 1 by default\n"
    "  --output PATH    a folder; with --coverage a file\n"
    "  --coverage       no modules, but a table of what is in them; exit 1 if a pair of\n"
    "                   operation and type that could be there is not\n"
    "  --json           with --coverage: totals instead of the table\n"
    "  --time-limit S   seconds; none by default\n"
    "  --mem-limit B    bytes, 1G by default; K, M, G; 0 for no limit\n",
    kOptions, RunGen};

}  // namespace axle::tool
