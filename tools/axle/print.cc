// axle print: a module as HLO text, as XLA prints it.
#include "axle/text/print.h"

#include "axle/client/save.h"
#include "axle/core/strings.h"
#include "tools/axle/json.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

int RunPrint(Session& session) {
  const Options& options = session.options();
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("print: ", file.status().message()));
  const auto module = session.Load(*file);
  if (!module.ok()) return session.Fail(module.status());
  if (const Status status = CheckCanBeWritten(**module); !status.ok()) return session.Fail(status);
  const PrintOptions::Style style =
      options.short_style ? PrintOptions::Style::kShort : PrintOptions::Style::kLong;
  std::string text = Print(**module, {.style = style,
                                      .operand_shapes = options.operand_shapes,
                                      .metadata = !options.no_metadata,
                                      .backend_config = !options.no_backend_config,
                                      .ids = !options.no_ids,
                                      .canonical_names = options.canonical_names,
                                      .indent = options.indent});
  if (options.json) {
    Json report = NewReport("print");
    report["text"] = text;
    text = ToLine(report);
  }
  return session.Write(text);
}

constexpr OptionUse kOptions[] = {
    {"style",
     "long (default): % before names, metadata, shapes of computations; short: none of them"},
    {"operand-shapes"},
    {"canonical-names"},
    {"no-ids"},
    {"no-metadata", "without metadata"},
    {"no-backend-config", "without backend_config"},
    {"indent"},
    {"strict-types"},
    {"output"},
    {"from"},
    {"json", "{\"schema\": ..., \"text\": ...}"},
    {"time-limit"},
    {"mem-limit"},
};

}  // namespace

const Verb kPrintVerb = {
    .name = "print",
    .summary = "the module as HLO text, as XLA prints it",
    .examples =
        "axle print model.hlo\n"
        "axle print model.hlo --style short\n"
        "axle print model.hlo.gz --output model.hlo\n",
    .description = "What is printed reads back as the same module and prints the same again.\n",
    .options = kOptions,
    .run = RunPrint};

}  // namespace axle::tool
