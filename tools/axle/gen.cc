// axle gen: random valid modules.
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/gen/coverage.h"
#include "axle/gen/generate.h"
#include "axle/gen/on_devices.h"
#include "tools/axle/json.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

constexpr std::uint64_t kEnough = 100;  // modules that make a cell of the coverage

// Of one module.
Status AddTo(Coverage& coverage, std::uint64_t seed, std::uint64_t index, Client& client) {
  AXLE_ASSIGN(const auto module, GenerateModule(seed, index));
  coverage.Add(*module);
  return coverage.AddRegions(*module, client);
}

// Of all that are asked for, by several threads, of which one looks at the limits.
StatusOr<Coverage> CountModules(Session& session) {
  const Options& options = session.options();
  AXLE_ASSIGN(const auto client,
              Client::Create({.num_devices = kMaxCheckedDevices, .num_threads = 1}));
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  Coverage coverage;
  Status status;  // the first that is not OK
  const auto count_some = [&](Coverage& own, Limits* limits) -> Status {
    for (std::uint64_t i; (i = next++) < options.count;) {
      if (limits != nullptr) {
        AXLE_TRY(limits->CheckNow());
        limits->Progress(static_cast<double>(i) / static_cast<double>(options.count));
      }
      AXLE_TRY(AddTo(own, options.seed, options.first + i, *client));
    }
    return {};
  };
  const auto count = [&](Limits* limits) {
    Status made;
    try {
      Coverage own;
      made = count_some(own, limits);
      const std::lock_guard lock(mutex);
      coverage.Add(own);
    } catch (const std::bad_alloc&) {  // must not leave a thread
      made = ResourceExhausted("gen: no memory");
    } catch (const std::exception& exception) {
      made = Internal(StrCat("gen: exception: ", exception.what()));
    }
    if (made.ok()) return;
    next = options.count;
    const std::lock_guard lock(mutex);
    if (status.ok()) status = std::move(made);
  };
  std::vector<std::jthread> others;
  for (int job = 1; job < options.jobs; ++job) {
    try {
      others.emplace_back(count, nullptr);
    } catch (const std::exception&) {  // no thread, or no memory for one
      break;                           // fewer do it too
    }
  }
  count(&session.limits());
  others.clear();  // waits for them
  if (!status.ok()) return status;
  return coverage;
}

int WriteCoverage(Session& session) {
  const Options& options = session.options();
  const StatusOr<Coverage> counted = CountModules(session);
  if (!counted.ok()) return session.Fail(counted.status());
  const Coverage& coverage = *counted;
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
  for (const std::string& cell : missing) session.Say(StrCat("never generated: ", cell));
  return missing.empty() ? kYes : kNo;
}

int RunGen(Session& session) {
  const Options& options = session.options();
  if (!options.files.empty()) return session.Usage("gen: takes no FILE; --output names the folder");
  if (options.coverage) return WriteCoverage(session);
  std::error_code error;
  if (!options.output.empty()) std::filesystem::create_directories(options.output, error);
  for (std::uint64_t i = options.first; i < options.first + options.count; ++i) {
    if (const Status status = session.limits().CheckNow(); !status.ok())
      return session.Fail(status);
    session.limits().Progress(static_cast<double>(i - options.first) /
                              static_cast<double>(options.count));
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
  return kYes;
}

constexpr OptionUse kOptions[] = {
    {"seed", "0 by default"},
    {"first"},
    {"count"},
    {"output", "a folder; with --coverage a file"},
    {"coverage",
     "no modules, but a table of their contents; exit 1 if a pair of operation and type that "
     "is possible does not occur"},
    {"jobs", "with --coverage: threads, 1 by default"},
    {"json", "with --coverage: totals instead of the table"},
    {"time-limit", "seconds; none by default"},
    {"mem-limit"},
};

}  // namespace

const Verb kGenVerb = {
    .name = "gen",
    .summary = "random valid modules",
    .examples =
        "axle gen --seed 7                            one module to stdout\n"
        "axle gen --seed 7 --count 1000 --output DIR  gen_7_0.hlo, gen_7_1.hlo, ...\n"
        "axle gen --coverage --count 400000           which operations with which types\n",
    .description =
        "A module is a function of the seed and its number. Three of four test one operation\n"
        "on one element type, in turn, in a random context; one of four puts its operation\n"
        "into each place where the compiler generates different code for it.\n",
    .options = kOptions,
    .run = RunGen};

}  // namespace axle::tool
