// axle print: a module as HLO text, as XLA prints it.
#include "axle/text/print.h"

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

constexpr std::string_view kOptions[] = {
    "output", "style",       "operand-shapes", "canonical-names",
    "no-ids", "no-metadata", "indent",         "no-backend-config"};

}  // namespace

const Verb kPrintVerb = {
    "print", "the module as HLO text, as XLA prints it",
    "axle print model.hlo\n"
    "axle print model.hlo --style short\n"
    "axle print model.hlo.gz --output model.hlo\n"
    "\n"
    "What is printed reads back as the same module and prints the same again.\n"
    "\n"
    "  --style S        long (default): % before names, metadata, shapes of\n"
    "                   computations; short: none of them\n"
    "  --operand-shapes the shape of each operand in front of its name\n"
    "  --canonical-names  tmp_0, tmp_1, .. in place of the names\n"
    "  --no-ids         names end before their first '.', to compare texts; where\n"
    "                   names become the same, that does not read back\n"
    "  --no-metadata, --no-backend-config  without these\n"
    "  --indent N       2 N spaces in front of every line\n"
    "  --strict-types   refuse operations on floats of several types\n"
    "  --output FILE    where to; else, and for -, stdout\n"
    "  --from F         hlo or hlo.pb; the default is to find out from the content\n"
    "  --json           {\"schema\": ..., \"text\": ...}\n"
    "  --time-limit S   seconds, 8 by default; 0 for as long as it takes\n"
    "  --mem-limit B    bytes (K, M, G, T), 75 % of the machine by default; 0 for no limit\n",
    kOptions, RunPrint};

}  // namespace axle::tool
