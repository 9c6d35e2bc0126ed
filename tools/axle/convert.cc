// axle convert: a module in another format.
#include "axle/core/strings.h"
#include "axle/proto/write.h"
#include "axle/text/print.h"
#include "tools/axle/module_formats.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

int RunConvert(Session& session) {
  const Options& options = session.options();
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("convert: ", file.status().message()));
  if (options.to == OutputFormat::kUnset) {
    return session.Usage("convert: --to is missing; there are hlo, hlo.pb, dot, json");
  }
  if (options.to == OutputFormat::kHloProto && session.WritesToTerminal()) {
    const bool is_stdout = options.output.empty() || options.output == "-";
    return session.Usage(StrCat("convert: hlo.pb is binary and ",
                                is_stdout ? "stdout" : PrintableText(options.output),
                                " is a terminal; give --output FILE"));
  }
  const auto module = session.Load(*file);
  if (!module.ok()) return session.Fail(module.status());
  std::string bytes;
  switch (options.to) {
    case OutputFormat::kHloText:
      bytes = Print(**module, {.style = options.short_style ? PrintOptions::Style::kShort
                                                            : PrintOptions::Style::kLong});
      break;
    case OutputFormat::kHloProto:
      bytes = WriteModuleProto(**module);
      break;
    case OutputFormat::kDot:
      bytes = ToDot(**module);
      break;
    case OutputFormat::kJson:
      bytes = ToJson(**module);
      break;
    case OutputFormat::kUnset:
      break;  // was refused
  }
  return session.Write(bytes);
}

constexpr std::string_view kOptions[] = {"output", "style", "to"};

}  // namespace

const Verb kConvertVerb = {
    "convert", "a module in another format",
    "axle convert model.hlo --to hlo.pb --output model.hlo.pb\n"
    "axle convert model.hlo.pb --to hlo\n"
    "axle convert model.hlo --to dot | dot -Tsvg > model.svg\n"
    "\n"
    "  --to F           hlo: HLO text; hlo.pb: a serialized HloModuleProto;\n"
    "                   dot: a graph for Graphviz; json: one line for scripts\n"
    "  --style S        of HLO text: long (default) or short\n"
    "  --output FILE    where to; else, and for -, stdout\n"
    "  --from F         hlo or hlo.pb (HloModuleProto, HloProto, HloSnapshot);\n"
    "                   the default is to find out from the content\n"
    "  --time-limit S   seconds, 8 by default; 0 for as long as it takes\n"
    "  --mem-limit B    bytes (K, M, G, T), 75 % of the machine by default; 0 for no limit\n",
    kOptions, RunConvert};

}  // namespace axle::tool
