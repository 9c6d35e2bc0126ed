#include "tools/axle/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>

#include "axle/core/memory_room.h"
#include "axle/core/strings.h"

namespace axle::tool {
namespace {

constexpr std::string_view kCommon[] = {"json",       "quiet",     "verbose", "color",
                                        "time-limit", "mem-limit", "from",    "threads"};

// "64M": bytes, with an optional power of 1024.
std::string ParseBytes(const std::string& text, std::int64_t& bytes) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  constexpr std::string_view kUnits = "KMGT";
  const size_t power = unit.empty() ? 0 : unit.size() == 1 ? kUnits.find(unit[0]) + 1 : 0;
  const bool is_unit = unit.empty() || power != 0;
  const size_t shift = 10 * power;
  if (error != std::errc() || !is_unit || value < 0 || value > (INT64_MAX >> shift)) {
    return StrCat("--mem-limit: \"", PrintableText(text),
                  "\" is not a number of bytes like 4096, 512K, 64M, 4G or 1T, or 0 for no limit");
  }
  bytes = value << shift;
  return {};
}

// A number of seconds; 0 is no limit.
std::string ParseSeconds(const std::string& text, double& seconds) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seconds);
  constexpr double kMost = 1e9;
  if (error == std::errc() && rest == end && seconds >= 0 && seconds <= kMost) return {};
  return StrCat("--time-limit: \"", PrintableText(text),
                "\" is not a number of seconds from 0, for no limit, to 1e9");
}

// What a process may take that was not told how much: other programs need some too.
std::int64_t DefaultMemory() {
  return MachineMemory() / 4 * 3;
}

std::string UnknownValue(std::string_view text, const std::vector<std::string>& names) {
  return StrCat("unknown value \"", text, "\"; there are ", Join(names, ", "));
}

// One of these names, in the error if it is none.
CLI::Validator OneOf(const std::vector<std::string>& names) {
  const auto check = [names](const std::string& text) {
    return std::ranges::find(names, text) == names.end() ? UnknownValue(text, names) : "";
  };
  return {check, ""};
}

// The same, and the name becomes the number of what it stands for.
template <typename T>
CLI::Validator OneOf(const std::map<std::string, T>& values) {
  const auto replace = [values](std::string& text) -> std::string {
    const auto value = values.find(text);
    if (value == values.end()) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : values) names.push_back(name);
      return UnknownValue(text, names);
    }
    text = std::to_string(static_cast<int>(value->second));
    return {};
  };
  return {replace, ""};
}

// Adds every option of every verb; `takes` says whether this verb has it.
template <typename Takes>
void AddOptions(CLI::App& app, Options& o, std::string& time_limit, std::string& mem_limit,
                std::string& from, std::uint64_t& random, Takes takes) {
  const auto flag = [&](const char* name, const char* spelling, bool& value) {
    if (takes(name)) app.add_flag(spelling, value);
  };
  const auto option = [&](const char* name, auto& value, const char* spelling = nullptr) {
    const std::string dashes = StrCat("--", name);
    return takes(name) ? app.add_option(spelling == nullptr ? dashes : spelling, value) : nullptr;
  };
  const auto one_of = [&](const char* name, auto& value, const auto& values) {
    if (auto* added = option(name, value)) added->transform(OneOf(values));
  };
  app.add_option("files", o.files);
  flag("json", "--json", o.json);
  flag("quiet", "-q,--quiet", o.quiet);
  flag("verbose", "-v,--verbose", o.verbose);
  one_of("color", o.color,
         std::map<std::string, ColorMode>{{"auto", ColorMode::kAuto},
                                          {"always", ColorMode::kAlways},
                                          {"never", ColorMode::kNever}});
  option("time-limit", time_limit);
  option("mem-limit", mem_limit);
  option("from", from);
  // A list in verbs that compare.
  if (auto* list = option("thread-list", o.thread_list, "--threads")) {
    list->delimiter(',')->allow_extra_args(false)->check(CLI::Range(0, 4096));
  } else if (auto* threads = option("threads", o.threads)) {
    threads->check(CLI::Range(0, 4096));
  }
  option("output", o.output, "-o,--output");
  one_of("engine", o.engine,
         std::map<std::string, EngineKind>{{"interpret", EngineKind::kInterpret},
                                           {"native", EngineKind::kNative}});
  std::map<std::string, NativeIsa> isa_of;
  for (const NativeIsa isa : kNativeIsas) isa_of[std::string(Name(isa))] = isa;
  one_of("isa", o.isa, isa_of);
  if (auto* level = option("codegen-level", o.codegen_level)) level->check(CLI::Range(0, 2));
  option("inputs", o.inputs);
  if (auto* args = option("arg", o.args)) args->allow_extra_args(false);  // one value each
  option("fake", o.fake);
  option("seed", o.seed);
  if (auto* repeat = option("repeat", o.repeat)) repeat->check(CLI::Range(1, 1000000000));
  flag("time", "--time", o.time);
  if (auto* replicas = option("replicas", o.replicas)) replicas->check(CLI::Range(1, 1 << 20));
  one_of("numerics", o.numerics,
         std::map<std::string, Numerics>{{"strict", Numerics::kStrict}, {"fast", Numerics::kFast}});
  one_of("style", o.short_style, std::map<std::string, bool>{{"long", false}, {"short", true}});
  one_of("to", o.to,
         std::map<std::string, OutputFormat>{{"hlo", OutputFormat::kHloText},
                                             {"hlo.pb", OutputFormat::kHloProto},
                                             {"dot", OutputFormat::kDot},
                                             {"json", OutputFormat::kJson}});
  if (auto* passes = option("passes", o.passes)) passes->delimiter(',')->allow_extra_args(false);
  option("stage", o.stage, "--to");
  option("print-after", o.print_after);
  flag("list", "--list", o.list);
  flag("timing", "--timing", o.timing);
  flag("verify-each", "--verify-each", o.verify_each);
  flag("memory", "--memory", o.memory);
  flag("allow-elided", "--allow-elided", o.allow_elided);
  option("against", o.against);
  if (auto* rtol = option("rtol", o.rtol)) rtol->check(CLI::NonNegativeNumber);
  if (auto* atol = option("atol", o.atol)) atol->check(CLI::NonNegativeNumber);
  option("ulp", o.ulp);
  if (auto* isas = option("isas", o.isas, "--isa")) {
    isas->delimiter(',')->allow_extra_args(false)->check(
        OneOf({"auto", "all", "v2", "avx2", "avx512", "aarch64"}));
  }
  if (auto* levels = option("levels", o.levels)) {
    levels->delimiter(',')->allow_extra_args(false)->check(CLI::Range(0, 2));
  }
  if (auto* seeds = option("seeds", o.seeds)) seeds->check(CLI::Range(1, 1000000));
  if (auto* repeats = option("repeats", o.repeats, "--repeat")) {
    repeats->check(CLI::Range(1, 1000000));
  }
  if (auto* variants = option("variants", o.variants)) variants->check(CLI::Range(0, 1000));
  flag("concurrent", "--concurrent", o.concurrent);
  flag("per-op", "--per-op", o.per_op);
  flag("allow-unimplemented", "--allow-unimplemented", o.allow_unimplemented);
  option("random", random);
  option("first", o.first);
  if (auto* jobs = option("jobs", o.jobs, "-j,--jobs")) jobs->check(CLI::Range(1, 1024));
  if (auto* most = option("max-failures", o.max_failures)) most->check(CLI::Range(1, 1000000));
  option("command", o.command);
  option("count", o.count);
  flag("coverage", "--coverage", o.coverage);
}

// The message for a flag that the verb does not have, or "".
std::string UnknownFlag(std::string_view verb, const CLI::App& app,
                        std::span<const std::string> arguments) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string& argument : arguments) {
    const std::string_view flag = std::string_view(argument).substr(0, argument.find('='));
    if (flag == "--") break;
    if (flag.size() < 2 || flag[0] != '-' || IsDigit(flag[1]) || flag[1] == '.') continue;
    if (std::ranges::find(views, flag) != views.end()) continue;
    return StrCat("unknown option \"", PrintableText(flag), "\" for \"", verb, "\"",
                  DidYouMean(flag, views));
  }
  return {};
}

}  // namespace

ParsedOptions ParseOptions(std::string_view verb, std::span<const std::string_view> accepted,
                           std::span<const char* const> arguments) {
  ParsedOptions parsed;
  CLI::App app;
  app.set_help_flag("-h,--help");
  std::string time_limit, mem_limit, from;
  std::uint64_t random = 0;
  AddOptions(app, parsed.options, time_limit, mem_limit, from, random, [&](std::string_view name) {
    return std::ranges::find(kCommon, name) != std::end(kCommon) ||
           std::ranges::find(accepted, name) != accepted.end();
  });
  std::vector<std::string> texts(arguments.begin(), arguments.end());
  // --fake alone means random, and --random no number; what follows them is never their value.
  for (std::string& text : texts) {
    if (text == "--fake") text = "--fake=random";
    if (text == "--random") text = "--random=0";
  }
  parsed.error = UnknownFlag(verb, app, texts);
  if (!parsed.error.empty()) return parsed;
  try {
    std::reverse(texts.begin(), texts.end());  // as CLI11 wants them
    app.parse(texts);
  } catch (const CLI::CallForHelp&) {
    parsed.help = true;
  } catch (const CLI::Error& error) {
    parsed.error = StrCat(verb, ": ", PrintableText(error.what()));
  }
  Options& options = parsed.options;
  const auto given = [&](const char* name) {
    const CLI::Option* option = app.get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
  };
  if (given("--random")) options.random = random;
  if (parsed.error.empty() && given("--output") && options.output.empty()) {
    parsed.error = "--output: the name is empty";
  }
  options.is_time_default = !given("--time-limit");
  options.is_mem_default = !given("--mem-limit");
  if (!options.is_time_default) {
    if (parsed.error.empty()) parsed.error = ParseSeconds(time_limit, options.time_limit);
  } else if (given("--random") || verb == "run" || verb == "gen" || verb == "reduce") {
    options.time_limit = 0;  // what takes as long as it takes
  }
  if (options.is_mem_default) {
    options.mem_limit = DefaultMemory();
  } else if (parsed.error.empty()) {
    parsed.error = ParseBytes(mem_limit, options.mem_limit);
  }
  if (parsed.error.empty() && !from.empty()) {
    options.from = FormatFromName(from);
    if (!options.from) {
      parsed.error = StrCat("--from: unknown format \"", PrintableText(from),
                            "\"; there are hlo, hlo.pb, stablehlo, stablehlo.bc");
    }
  }
  return parsed;
}

}  // namespace axle::tool
