#include "tools/axle/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>

#include "axle/core/memory_room.h"
#include "axle/core/strings.h"
#include "axle/passes/pipeline.h"

namespace axle::tool {
namespace {

constexpr std::string_view kCommon[] = {"json",  "quiet",      "verbose",
                                        "color", "time-limit", "mem-limit",
                                        "from",  "threads",    "strict-types"};

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

constexpr std::string_view kFormats[] = {"hlo", "hlo.pb", "stablehlo", "stablehlo.bc"};

std::string UnknownValue(std::string_view text, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return StrCat("unknown value \"", text, "\"", DidYouMean(text, views), "; there are ",
                Join(names, ", "));
}

template <typename T>
std::vector<std::string> NamesOf(const std::map<std::string, T>& values) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : values) names.push_back(name);
  return names;
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
    if (value == values.end()) return UnknownValue(text, NamesOf(values));
    text = std::to_string(static_cast<int>(value->second));
    return {};
  };
  return {replace, ""};
}

// Where options leave their values, beside Options.
struct RawOptions {
  std::string time_limit, mem_limit, from;
  std::uint64_t random = 0;
};

// Adds options to the parser of a verb, those that it takes, and describes them.
class OptionAdder {
 public:
  OptionAdder(CLI::App& app, std::span<const std::string_view> accepted)
      : app_(app), accepted_(accepted) {}

  void Files(std::vector<std::string>& files) { app_.add_option("files", files); }
  void Flag(const char* name, const char* spelling, bool& value) {
    if (Takes(name)) Describe(*app_.add_flag(spelling, value), /*takes_value=*/false);
  }
  // Null if the verb does not take it, here and below.
  template <typename T>
  CLI::Option* Value(const char* name, T& value, const char* spelling = nullptr) {
    if (!Takes(name)) return nullptr;
    const std::string dashes = StrCat("--", name);
    CLI::Option* added = app_.add_option(spelling == nullptr ? dashes : spelling, value);
    Describe(*added, /*takes_value=*/true);
    return added;
  }
  void Path(const char* name, std::string& value, const char* spelling = nullptr) {
    if (Value(name, value, spelling) != nullptr) last().is_path = true;
  }
  // One value each, any number of times.
  void Paths(const char* name, std::vector<std::string>& values) {
    CLI::Option* added = Value(name, values);
    if (added == nullptr) return;
    added->allow_extra_args(false);
    last().is_path = true;
  }
  template <typename T, typename V>
  void OneOfThese(const char* name, T& value, const std::map<std::string, V>& values) {
    CLI::Option* added = Value(name, value);
    if (added == nullptr) return;
    added->transform(OneOf(values));
    last().values = NamesOf(values);
  }
  void Suggest(const CLI::Option* added, std::vector<std::string> values) {
    if (added != nullptr) last().values = std::move(values);
  }

  OptionInfo& last() { return infos_.back(); }
  std::vector<OptionInfo> Take() { return std::move(infos_); }

 private:
  bool Takes(std::string_view name) const {
    return std::ranges::find(kCommon, name) != std::end(kCommon) ||
           std::ranges::find(accepted_, name) != accepted_.end();
  }
  void Describe(const CLI::Option& added, bool takes_value) {
    OptionInfo& info = infos_.emplace_back();
    for (const std::string& name : added.get_lnames()) info.spellings.push_back("--" + name);
    for (const std::string& name : added.get_snames()) info.spellings.push_back("-" + name);
    info.takes_value = takes_value;
  }

  CLI::App& app_;
  const std::span<const std::string_view> accepted_;
  std::vector<OptionInfo> infos_;
};

// Every option of every verb.
void AddOptions(OptionAdder& add, Options& o, RawOptions& raw) {
  add.Files(o.files);
  add.Flag("json", "--json", o.json);
  add.Flag("quiet", "-q,--quiet", o.quiet);
  add.Flag("verbose", "-v,--verbose", o.verbose);
  add.OneOfThese("color", o.color,
                 std::map<std::string, ColorMode>{{"auto", ColorMode::kAuto},
                                                  {"always", ColorMode::kAlways},
                                                  {"never", ColorMode::kNever}});
  add.Value("time-limit", raw.time_limit);
  add.Value("mem-limit", raw.mem_limit);
  add.Suggest(add.Value("from", raw.from), {std::begin(kFormats), std::end(kFormats)});
  // A list in verbs that compare.
  if (auto* list = add.Value("thread-list", o.thread_list, "--threads")) {
    list->delimiter(',')->allow_extra_args(false)->check(CLI::Range(0, 4096));
  } else if (auto* threads = add.Value("threads", o.threads)) {
    threads->check(CLI::Range(0, 4096));
  }
  add.Path("output", o.output, "-o,--output");
  add.OneOfThese("engine", o.engine,
                 std::map<std::string, EngineKind>{{"interpret", EngineKind::kInterpret},
                                                   {"native", EngineKind::kNative}});
  std::map<std::string, NativeIsa> isa_of;
  for (const NativeIsa isa : kNativeIsas) isa_of[std::string(Name(isa))] = isa;
  add.OneOfThese("isa", o.isa, isa_of);
  if (auto* level = add.Value("codegen-level", o.codegen_level)) level->check(CLI::Range(0, 2));
  add.Path("inputs", o.inputs);
  add.Paths("arg", o.args);
  add.Suggest(add.Value("fake", o.fake), {"random", "iota", "zeros"});
  add.Path("infeed", o.infeed);
  add.Path("outfeed", o.outfeed);
  add.Paths("recv", o.recvs);
  add.Paths("send", o.sends);
  add.Flag("full", "--full", o.full);
  add.Flag("operand-shapes", "--operand-shapes", o.operand_shapes);
  add.Flag("canonical-names", "--canonical-names", o.canonical_names);
  add.Flag("no-ids", "--no-ids", o.no_ids);
  add.Flag("no-metadata", "--no-metadata", o.no_metadata);
  add.Flag("no-backend-config", "--no-backend-config", o.no_backend_config);
  if (auto* indent = add.Value("indent", o.indent)) indent->check(CLI::Range(0, 100));
  add.Flag("strict-types", "--strict-types", o.strict_types);
  add.Value("seed", o.seed);
  if (auto* repeat = add.Value("repeat", o.repeat)) repeat->check(CLI::Range(1, 1000000000));
  add.Flag("time", "--time", o.time);
  if (auto* replicas = add.Value("replicas", o.replicas)) replicas->check(CLI::Range(1, 1 << 20));
  add.OneOfThese(
      "numerics", o.numerics,
      std::map<std::string, Numerics>{{"strict", Numerics::kStrict}, {"fast", Numerics::kFast}});
  add.OneOfThese("style", o.short_style,
                 std::map<std::string, bool>{{"long", false}, {"short", true}});
  add.OneOfThese("to", o.to,
                 std::map<std::string, OutputFormat>{{"hlo", OutputFormat::kHloText},
                                                     {"hlo.pb", OutputFormat::kHloProto},
                                                     {"dot", OutputFormat::kDot},
                                                     {"json", OutputFormat::kJson}});
  if (auto* passes = add.Value("passes", o.passes)) {
    passes->delimiter(',')->allow_extra_args(false);
    for (const Pass& pass : AllPasses()) add.last().values.emplace_back(pass.name);
    add.last().is_list = true;
  }
  add.Suggest(add.Value("stage", o.stage, "--to"), {std::begin(kStages), std::end(kStages)});
  add.Value("print-after", o.print_after);
  add.Flag("list", "--list", o.list);
  add.Flag("timing", "--timing", o.timing);
  add.Flag("verify-each", "--verify-each", o.verify_each);
  add.Flag("memory", "--memory", o.memory);
  add.Flag("allow-elided", "--allow-elided", o.allow_elided);
  add.Path("against", o.against);
  if (auto* rtol = add.Value("rtol", o.rtol)) rtol->check(CLI::NonNegativeNumber);
  if (auto* atol = add.Value("atol", o.atol)) atol->check(CLI::NonNegativeNumber);
  add.Value("ulp", o.ulp);
  if (auto* isas = add.Value("isas", o.isas, "--isa")) {
    add.last().values = {"auto", "all", "v2", "avx2", "avx512", "aarch64"};
    add.last().is_list = true;
    isas->delimiter(',')->allow_extra_args(false)->check(OneOf(add.last().values));
  }
  if (auto* levels = add.Value("levels", o.levels)) {
    levels->delimiter(',')->allow_extra_args(false)->check(CLI::Range(0, 2));
  }
  if (auto* seeds = add.Value("seeds", o.seeds)) seeds->check(CLI::Range(1, 1000000));
  if (auto* repeats = add.Value("repeats", o.repeats, "--repeat")) {
    repeats->check(CLI::Range(1, 1000000));
  }
  if (auto* variants = add.Value("variants", o.variants)) variants->check(CLI::Range(0, 1000));
  add.Flag("concurrent", "--concurrent", o.concurrent);
  add.Flag("per-op", "--per-op", o.per_op);
  add.Flag("allow-unimplemented", "--allow-unimplemented", o.allow_unimplemented);
  add.Value("random", raw.random);
  add.Value("first", o.first);
  if (auto* jobs = add.Value("jobs", o.jobs, "-j,--jobs")) jobs->check(CLI::Range(1, 1024));
  if (auto* most = add.Value("max-failures", o.max_failures)) most->check(CLI::Range(1, 1000000));
  add.Value("command", o.command);
  add.Value("count", o.count);
  add.Flag("coverage", "--coverage", o.coverage);
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

std::vector<OptionInfo> OptionsOf(std::span<const std::string_view> accepted) {
  CLI::App app;
  Options options;
  RawOptions raw;
  OptionAdder add(app, accepted);
  AddOptions(add, options, raw);
  return add.Take();
}

ParsedOptions ParseOptions(std::string_view verb, std::span<const std::string_view> accepted,
                           std::span<const char* const> arguments) {
  ParsedOptions parsed;
  CLI::App app;
  app.set_help_flag("-h,--help");
  RawOptions raw;
  OptionAdder add(app, accepted);
  AddOptions(add, parsed.options, raw);
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
  if (given("--random")) options.random = raw.random;
  if (parsed.error.empty() && given("--output") && options.output.empty()) {
    parsed.error = "--output: the name is empty";
  }
  options.is_time_default = !given("--time-limit");
  options.is_mem_default = !given("--mem-limit");
  if (!options.is_time_default) {
    if (parsed.error.empty()) parsed.error = ParseSeconds(raw.time_limit, options.time_limit);
  } else if (given("--random") || verb == "run" || verb == "gen" || verb == "reduce") {
    options.time_limit = 0;  // what takes as long as it takes
  }
  if (options.is_mem_default) {
    options.mem_limit = DefaultMemory();
  } else if (parsed.error.empty()) {
    parsed.error = ParseBytes(raw.mem_limit, options.mem_limit);
  }
  if (parsed.error.empty() && !raw.from.empty()) {
    options.from = FormatFromName(raw.from);
    if (!options.from) {
      parsed.error = StrCat("--from: unknown format \"", PrintableText(raw.from), "\"",
                            DidYouMean(raw.from, kFormats), "; there are ", Join(kFormats, ", "));
    }
  }
  return parsed;
}

}  // namespace axle::tool
