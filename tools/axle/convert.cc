// axle convert: a module in another format.
#include <algorithm>

#include "axle/client/save.h"
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
    const auto name = [](const OutputFormatName& entry) { return std::string(entry.name); };
    return session.Usage(
        StrCat("convert: --to is missing; there are ", Join(kOutputFormats, ", ", name)));
  }
  const OutputFormatName& format =
      *std::ranges::find(kOutputFormats, options.to, &OutputFormatName::format);
  if (format.is_binary && session.WritesToTerminal()) {
    const bool is_stdout = options.output.empty() || options.output == "-";
    return session.Usage(StrCat("convert: ", format.name, " is binary and ",
                                is_stdout ? "stdout" : PrintableText(options.output),
                                " is a terminal; give --output FILE"));
  }
  const auto module = session.Load(*file);
  if (!module.ok()) return session.Fail(module.status());
  if (const Status status = CheckCanBeWritten(**module); !status.ok()) return session.Fail(status);
  std::string bytes;
  switch (options.to) {
    case OutputFormat::kHloText:
      bytes = Print(**module, {.style = options.short_style ? PrintOptions::Style::kShort
                                                            : PrintOptions::Style::kLong});
      break;
    case OutputFormat::kHloProto:
      bytes = WriteModuleProto(**module);
      break;
    case OutputFormat::kStablehloText:
    case OutputFormat::kStablehloBytecode: {
      StatusOr<std::string> written = ModuleToStablehlo(
          **module, {.bytecode = format.is_binary, .locations = !options.short_style});
      if (!written.ok()) return session.Fail(written.status());
      bytes = *std::move(written);
      break;
    }
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
     "hlo, hlo.pb (HloModuleProto, HloProto, HloSnapshot) or stablehlo; detected by default from "
     "the "
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
                               "axle convert model.hlo --to stablehlo --output model.mlir\n"
                               "axle convert model.hlo --to dot | dot -Tsvg > model.svg\n",
                           .description = "",
                           .options = kOptions,
                           .run = RunConvert};

}  // namespace axle::tool
