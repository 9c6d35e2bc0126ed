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

constexpr OptionUse kOptions[] = {
    {"to"},
    {"style"},
    {"output"},
    {"from",
     "hlo or hlo.pb (HloModuleProto, HloProto, HloSnapshot); detected by default from the "
     "content"},
    {"strict-types"},
    {"time-limit"},
    {"mem-limit"},
};

}  // namespace

const Verb kConvertVerb = {.name = "convert",
                           .summary = "a module in another format",
                           .examples =
                               "axle convert model.hlo --to hlo.pb --output model.hlo.pb\n"
                               "axle convert model.hlo.pb --to hlo\n"
                               "axle convert model.hlo --to dot | dot -Tsvg > model.svg\n",
                           .description = "",
                           .options = kOptions,
                           .run = RunConvert};

}  // namespace axle::tool
