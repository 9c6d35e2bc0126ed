// axle parse: does a file parse and verify?
#include "axle/core/strings.h"
#include "tools/axle/json.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

int Parse(Session& session) {
  const StatusOr<std::vector<std::string>> files = session.Modules();
  if (!files.ok()) return session.Fail(files.status());
  if (files->empty()) return session.Usage("parse: takes a FILE or a folder");
  int worst = kYes;
  i64 failed = 0;
  for (size_t i = 0; i < files->size(); ++i) {
    if (files->size() > 1) {
      session.limits().Progress(static_cast<double>(i) / static_cast<double>(files->size()));
    }
    const std::string& file = (*files)[i];
    const auto module = session.Load(file);
    if (session.options().json) {
      Json report = NewReport("parse");
      report["file"] = file;
      report["exit"] = session.ExitCodeOf(module.status());
      report["message"] = module.status().message();
      if (module.ok()) report["instructions"] = (*module)->num_instructions();
      session.Out(ToLine(report));
    } else if (module.ok() && session.options().verbose) {
      session.Say(StrCat(PrintableText(file), ": ", (*module)->num_instructions(),
                         " instructions in ", (*module)->computations().size(), " computations"));
    }
    if (module.ok()) continue;
    ++failed;
    worst = std::max<int>(worst, session.ExitCodeOf(module.status()));
    if (!session.options().json) session.Fail(module.status());
    if (session.ExitCodeOf(module.status()) == kLimit) break;
  }
  if (failed > 0 && files->size() > 1) {
    session.Say(StrCat(failed, " of ", files->size(), " files do not parse"));
  }
  return worst;
}

constexpr OptionUse kOptions[] = {
    {"from"},
    {"strict-types"},
    {"json", "one object per file"},
    {"verbose", "say how large each module is"},
    {"time-limit"},
    {"mem-limit"},
};

}  // namespace

const Verb kParseVerb = {
    .name = "parse",
    .summary = "exit 0 if the files parse and verify; else say where not",
    .examples =
        "axle parse model.hlo\n"
        "axle parse FOLDER            every .hlo and .hlo.txt in it and below\n"
        "cat model.hlo | axle parse -\n",
    .description =
        "Diagnostics on stderr have line, column and a caret. Exit codes: 0 all\n"
        "parse, 3 one does not, 5 one has what is not supported.\n",
    .options = kOptions,
    .run = Parse};

}  // namespace axle::tool
