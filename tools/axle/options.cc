#include "tools/axle/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <tuple>

#include "axle/core/memory_room.h"
#include "axle/core/strings.h"
#include "axle/passes/pipeline.h"

namespace axle::tool {
namespace {

// Of every verb, whatever its list says.
constexpr OptionUse kEverywhere[] = {Brief("time-limit"), Brief("mem-limit"), Brief("color"),
                                     Brief("quiet")};

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

// Those that are read; the others get a message that says what to do instead (LoadProgram).

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

// A whole number between these, or an error that says what it must be.
CLI::Validator Whole(std::uint64_t low, std::uint64_t high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value >= low && value <= high) return {};
    return StrCat("\"", text, "\" is not a whole number from ", low, " to ", high);
  };
  return {check, ""};
}

// A tolerance.
std::string CheckNotNegative(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && value >= 0 && value - value == 0) return {};
  return StrCat("\"", text, "\" is not a number like 0, 0.001 or 1e-5");
}

// Where options leave their values, beside Options.
struct RawOptions {
  std::string time_limit, mem_limit, from;
  std::uint64_t random = 0;
};

// Adds options to the parser of a verb, those that it takes, and describes them. Each has a name, a
// word for its value, and a text for verbs that say nothing else.
class OptionAdder {
 public:
  OptionAdder(CLI::App& app, std::span<const OptionUse> uses)
      : app_(app), uses_(uses.begin(), uses.end()) {
    for (const OptionUse& use : kEverywhere) {
      if (std::ranges::find(uses_, use.name, &OptionUse::name) == uses_.end()) {
        uses_.push_back(use);
      }
    }
    infos_.resize(uses_.size());
  }

  void Files(std::vector<std::string>& files) { app_.add_option("files", files); }
  void Flag(const char* name, bool& value, std::string_view text, const char* letter = "") {
    if (!Takes(name)) return;
    const std::string spelling = *letter == 0 ? StrCat("--", name) : StrCat(letter, ",--", name);
    Describe(*app_.add_flag(spelling, value)->disable_flag_override(), "", text);
  }
  // Null if the verb does not take it, here and below. `word` is for help, "FILE" or "[=KIND]".
  template <typename T>
  CLI::Option* Value(const char* name, std::string_view word, T& value, std::string_view text,
                     const char* spelling = nullptr) {
    if (!Takes(name)) return nullptr;
    const std::string dashes = StrCat("--", name);
    CLI::Option* added = app_.add_option(spelling == nullptr ? dashes : spelling, value);
    Describe(*added, word, text);
    return added;
  }
  void Path(const char* name, std::string_view word, std::string& value, std::string_view text,
            const char* spelling = nullptr) {
    if (Value(name, word, value, text, spelling) != nullptr) last().is_path = true;
  }
  // One value each, any number of times.
  void Paths(const char* name, std::string_view word, std::vector<std::string>& values,
             std::string_view text) {
    CLI::Option* added = Value(name, word, values, text);
    if (added == nullptr) return;
    added->allow_extra_args(false);
    last().is_path = true;
  }
  // A whole number, or a list of them with commas.
  template <typename T>
  void Number(const char* name, std::string_view word, T& value, std::uint64_t low,
              std::uint64_t high, std::string_view text, const char* spelling = nullptr) {
    CLI::Option* added = Value(name, word, value, text, spelling);
    if (added == nullptr) return;
    if constexpr (!std::is_integral_v<T>) added->delimiter(',')->allow_extra_args(false);
    added->check(Whole(low, high));
  }
  template <typename T, typename V>
  void OneOfThese(const char* name, std::string_view word, T& value,
                  const std::map<std::string, V>& values, std::string_view text) {
    CLI::Option* added = Value(name, word, value, text);
    if (added == nullptr) return;
    added->transform(OneOf(values));
    last().values = NamesOf(values);
  }
  void Suggest(const CLI::Option* added, std::vector<std::string> values) {
    if (added != nullptr) last().values = std::move(values);
  }

  OptionInfo& last() { return *last_; }
  std::vector<OptionInfo> Take() { return std::move(infos_); }

 private:
  bool Takes(std::string_view name) {
    const auto use = std::ranges::find(uses_, name, &OptionUse::name);
    if (use == uses_.end()) return false;
    last_ = &infos_[static_cast<size_t>(use - uses_.begin())];
    last_->name = use->name;
    last_->text = use->text;
    last_->is_brief = use->is_brief;
    return true;
  }
  void Describe(const CLI::Option& added, std::string_view word, std::string_view text) {
    OptionInfo& info = *last_;
    for (const std::string& name : added.get_lnames()) info.spellings.push_back("--" + name);
    for (const std::string& name : added.get_snames()) {
      info.spellings.push_back("-" + name);
      info.term = StrCat("-", name, ", ");
    }
    StrAppend(info.term, info.spellings[0], word.empty() || word[0] == '[' ? "" : " ", word);
    if (info.text.empty()) info.text = text;
    info.takes_value = !word.empty();
  }

  CLI::App& app_;
  std::vector<OptionUse> uses_;
  std::vector<OptionInfo> infos_;  // of uses_
  OptionInfo* last_ = nullptr;
};

constexpr std::uint64_t kAny64 = std::numeric_limits<std::uint64_t>::max();

// What all verbs have in common.
void AddGeneralOptions(OptionAdder& add, Options& o, RawOptions& raw) {
  add.Value("time-limit", "S", raw.time_limit, "seconds, 8 by default; 0: no limit");
  add.Value("mem-limit", "B", raw.mem_limit,
            "bytes (K, M, G, T), 75 % of the machine by default; 0 for no limit");
  add.OneOfThese(
      "color", "WHEN", o.color,
      std::map<std::string, ColorMode>{
          {"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}},
      "colours on stderr: auto (default), always, never");
  add.Flag("quiet", o.quiet, "no notes and no progress on stderr", "-q");
  add.Flag("verbose", o.verbose, "more on stderr", "-v");
  add.Flag("json", o.json, "JSON on stdout");
  add.Suggest(add.Value("from", "F", raw.from,
                        "hlo, hlo.pb or stablehlo; detected from the content by default"),
              {std::begin(kFormatNames), std::end(kFormatNames)});
  add.Flag("strict-types", o.strict_types, "refuse operations on floats of several types");
  add.Number("threads", "N", o.threads, 0, 4096,
             "worker threads; 0, the default: AXLE_NUM_THREADS or all processors");
  add.Flag("allow-elided", o.allow_elided,
           "for tests: constant({...}) is a counting pattern, not an error");
  add.Path("output", "FILE", o.output, "where to; else, and for -, stdout", "-o,--output");
  add.OneOfThese("style", "S", o.short_style,
                 std::map<std::string, bool>{{"long", false}, {"short", true}},
                 "of HLO text: long (default) or short");
}

// Of the verbs that compile and run.
void AddRunOptions(OptionAdder& add, Options& o) {
  add.OneOfThese("engine", "E", o.engine,
                 std::map<std::string, EngineKind>{{"interpret", EngineKind::kInterpret},
                                                   {"native", EngineKind::kNative}},
                 "native (default, where there is any) or interpret");
  std::map<std::string, NativeIsa> isa_of;
  for (const NativeIsa isa : kNativeIsas) isa_of[std::string(Name(isa))] = isa;
  add.OneOfThese("isa", "I", o.isa, isa_of,
                 "of native code: auto, v2, avx2, avx512; aarch64, under qemu");
  add.Number("codegen-level", "N", o.codegen_level, 0, 2,
             "effort of native compilation: 0, 2, or 1 (default)");
  add.OneOfThese(
      "numerics", "N", o.numerics,
      std::map<std::string, Numerics>{{"strict", Numerics::kStrict}, {"fast", Numerics::kFast}},
      "strict (default), or fast: native code may round less often");
  add.Path("inputs", "X", o.inputs,
           ".npz, .safetensors, or a folder of .npy files, with the arguments: in_0, in_1, ... "
           "depth first, or by the names of parameters");
  add.Paths("arg", "N=VALUE", o.args,
            "an argument, by number or name: 1,2 or [[1,2],[3,4]] or \"f32[2] 1,2\" as text, "
            "@F.npy from a file");
  add.Suggest(add.Value("fake", "[=KIND]", o.fake,
                        "values for the other arguments: random, random:SEED, iota, zeros"),
              {"random", "iota", "zeros"});
  add.Number("seed", "N", o.seed, 0, kAny64, "seed of random values; 0 by default");
  add.Path("infeed", "F.npz", o.infeed, "arrays in_0, ... for infeeds");
  add.Path("outfeed", "F.npz", o.outfeed, "file for the arrays of outfeeds");
  add.Paths("recv", "C=F.npz", o.recvs, "arrays in_0, ... for channel C");
  add.Paths("send", "C=F.npz", o.sends, "file for the arrays that channel C sends");
  add.Flag("full", o.full, "print all elements, as --arg reads them; --json always does");
  add.Number("repeat", "N", o.repeat, 1, 1000000000, "run N times");
  add.Flag("time", o.time, "print the times");
  if (auto* profile =
          add.Value("profile", "[=KIND]", o.profile,
                    "times of the steps: table (default), json, trace (docs/profiling.md)")) {
    add.last().values.assign(std::begin(kProfileKinds), std::end(kProfileKinds));
    profile->check(OneOf(add.last().values));
  }
  add.Path("profile-file", "FILE", o.profile_file,
           "where --profile goes; by default a table to stderr, else to stdout, without results");
  add.Number("replicas", "N", o.replicas, 1, 1 << 20,
             "replicas of the program; as it says by default. 1: one runs alone");
  add.Number("partitions", "N", o.partitions, 1, 1 << 20, "partitions, in the same way");
  add.OneOfThese("distributed", "T", o.distributed,
                 std::map<std::string, TransportKind>{{"gloo", TransportKind::kGloo},
                                                      {"mpi", TransportKind::kMpi}},
                 "run as one process of a job, over gloo or mpi (docs/distributed.md)");
  add.Number("process", "I", o.process, 0, 1 << 20,
             "of --distributed: which one this is, from 0; by default as the launcher says");
  add.Number("local-devices", "N", o.local_devices, 1, kMaxClientDevices,
             "of --distributed: devices of this process; an equal part of all by default");
}

// Of the verbs that show and change programs.
void AddProgramOptions(OptionAdder& add, Options& o) {
  add.Flag("operand-shapes", o.operand_shapes, "the shape of each operand in front of its name");
  add.Flag("canonical-names", o.canonical_names, "tmp_0, tmp_1, .. instead of the names");
  add.Flag("no-ids", o.no_ids,
           "names end before their first '.', to compare texts; where names become the same, that "
           "does not read back");
  add.Flag("no-metadata", o.no_metadata, "without it");
  add.Flag("no-backend-config", o.no_backend_config, "without it");
  add.Number("indent", "N", o.indent, 0, 100, "2 N spaces in front of every line");
  std::map<std::string, OutputFormat> formats;
  for (const OutputFormatName& entry : kOutputFormats) formats.emplace(entry.name, entry.format);
  add.OneOfThese("to", "F", o.to, formats,
                 "hlo: HLO text; hlo.pb: a serialized HloModuleProto; stablehlo: MLIR text; "
                 "stablehlo.bc: a portable artifact, which is MLIR bytecode; dot: a graph for "
                 "Graphviz; json: one line for scripts");
  if (auto* passes = add.Value("passes", "A,B", o.passes, "run these passes, in this order")) {
    passes->delimiter(',')->allow_extra_args(false);
    for (const Pass& pass : AllPasses()) add.last().values.emplace_back(pass.name);
    add.last().is_list = true;
  }
  add.Suggest(add.Value("stage", "STAGE", o.stage,
                        "where to stop: hlo (as read), opt-hlo (default); of native code fusions, "
                        "buffers, llvm, asm",
                        "--to"),
              {std::begin(kStages), std::end(kStages)});
  add.Value("print-after", "R", o.print_after,
            "the module after each pass whose name R matches, to stderr");
  add.Flag("list", o.list, "list the passes and the default order");
  add.Flag("timing", o.timing, "time, changes and size after each pass, to stderr");
  add.Flag("verify-each", o.verify_each, "check the module after each pass");
  add.Flag("memory", o.memory, "buffers of values, their live ranges, and the peak");
}

// Of the verbs that compare, and that draw programs to compare.
void AddCheckOptions(OptionAdder& add, Options& o, RawOptions& raw) {
  add.Number("thread-list", "L", o.thread_list, 0, 4096, "numbers of threads: 1,2,7; 1 by default",
             "--threads");
  add.Path("against", "F.npz", o.against, "or .safetensors: expected out_0, out_1, ...");
  for (const auto& [name, value, text] :
       {std::tuple{"rtol", &o.rtol,
                   "|a - b| <= A + R * |b| is equal; without --rtol, --atol and "
                   "--ulp all bits count, and NaN equals NaN"},
        std::tuple{"atol", &o.atol, "the A of it"}}) {
    CLI::Option* added = add.Value(name, name[0] == 'r' ? "R" : "A", *value, text);
    if (added != nullptr) added->check(CLI::Validator(CheckNotNegative, ""));
  }
  add.Number("ulp", "N", o.ulp, 0, kAny64, "floats N steps apart are equal");
  if (auto* isas = add.Value("isas", "L", o.isas,
                             "v2,avx2,avx512, or all; aarch64, whose kernels run under qemu; auto "
                             "by default",
                             "--isa")) {
    add.last().values = {"auto", "all", "v2", "avx2", "avx512", "aarch64"};
    add.last().is_list = true;
    isas->delimiter(',')->allow_extra_args(false)->check(OneOf(add.last().values));
  }
  add.Number("levels", "L", o.levels, 0, 2, "codegen levels: 0,1,2; 2 by default");
  add.Number("seeds", "N", o.seeds, 1, 1000000, "sets of random arguments, 3 by default");
  add.Number("repeats", "N", o.repeats, 1, 1000000, "run again", "--repeat");
  add.Number("variants", "N", o.variants, 0, 1000,
             "check N random combinations of isas, levels and threads; 0, the default: all");
  add.Flag("concurrent", o.concurrent, "run twice at the same time");
  add.Flag("per-op", o.per_op, "name the first instruction whose own result differs");
  add.Flag("allow-unimplemented", o.allow_unimplemented,
           "operations that native code lacks are no failure");
  add.Number("random", "[=N]", raw.random, 0, kAny64,
             "N random modules (`axle gen`), or until --time-limit");
  add.Number("first", "I", o.first, 0, kAny64, "number of the first module");
  add.Number("jobs", "J", o.jobs, 1, 1024, "processes, 1 by default", "-j,--jobs");
  add.Number("max-failures", "M", o.max_failures, 1, 1000000,
             "--random: stop after so many, 10 by default");
  add.Value("command", "CMD", o.command, "a shell command");
  add.Number("count", "N", o.count, 0, kAny64, "how many, 1 by default");
  add.Flag("coverage", o.coverage, "a coverage table instead of the modules");
}

// Of launch.
void AddLaunchOptions(OptionAdder& add, Options& o) {
  add.Number("processes", "N", o.processes, 1, 4096, "how many processes", "-n,--processes");
  add.Value("rendezvous", "R", o.rendezvous,
            "where they meet: file:///FOLDER or tcp://HOST:PORT; a folder of its own by default");
}

// Of simulate. It reads the times and rates itself.
void AddSimulateOptions(OptionAdder& add, Options& o) {
  add.Number("replica-list", "L", o.replica_list, 1, 1 << 20,
             "replicas of the program, as it says by default; 2,16,1024 for a row each",
             "--replicas");
  add.Number("devices-per-process", "N", o.devices_per_process, 1, 1 << 20,
             "how many devices each process has, 1 by default");
  add.Value("latency", "T", o.latency, "of a message, 5us by default");
  add.Value("bandwidth", "R", o.bandwidth,
            "of the link of a process, in each direction, 10GB/s by default");
  add.Value("overhead", "T", o.overhead,
            "for which a message keeps a link beside its bytes, 1us by default");
  add.Path("topology", "FILE", o.topology,
           "levels of the network (docs/distributed.md), instead of these three");
  add.Value("flops", "R", o.flops, "operations of a device, 20Gflop/s by default");
  add.Value("memory-bandwidth", "R", o.memory_bandwidth,
            "of the memory of a device, 10GB/s by default");
  add.Value("compute", "T", o.compute,
            "what a step takes without collectives, where that has been measured");
}

// Every option of every verb.
void AddOptions(OptionAdder& add, Options& o, RawOptions& raw) {
  add.Files(o.files);
  AddGeneralOptions(add, o, raw);
  AddRunOptions(add, o);
  AddProgramOptions(add, o);
  AddCheckOptions(add, o, raw);
  AddLaunchOptions(add, o);
  AddSimulateOptions(add, o);
}

// The message for an option that the verb does not take, or that takes no value and has one; or "".
std::string WrongOption(std::string_view verb, const CLI::App& app,
                        std::span<const std::string> arguments) {
  std::map<std::string, bool, std::less<>> takes_value;  // by spelling
  std::vector<std::string_view> names;                   // without dashes
  for (const CLI::Option* option : app.get_options()) {
    const bool takes = option->get_items_expected_max() > 0;
    for (const std::string& name : option->get_lnames()) {
      takes_value["--" + name] = takes;
      names.emplace_back(name);
    }
    for (const std::string& name : option->get_snames()) takes_value["-" + name] = takes;
  }
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    const std::string_view flag = std::string_view(argument).substr(0, equals);
    if (flag == "--") break;
    if (flag.size() < 2 || flag[0] != '-' || IsDigit(flag[1]) || flag[1] == '.') continue;
    const auto known = takes_value.find(flag);
    if (known == takes_value.end()) {
      const auto nearest =
          ClosestMatch(flag.substr(std::min(flag.size(), flag.find_first_not_of('-'))), names);
      return StrCat("unknown option \"", PrintableText(flag), "\" for \"", verb, "\"",
                    nearest ? StrCat(" (did you mean \"--", *nearest, "\"?)")
                            : StrCat("; `axle ", verb, " -h` lists its options"));
    }
    if (equals != argument.npos && !known->second) {
      return StrCat(verb, ": ", flag, " takes no value");
    }
  }
  return {};
}

}  // namespace

std::vector<OptionInfo> OptionsOf(std::span<const OptionUse> uses) {
  CLI::App app;
  Options options;
  RawOptions raw;
  OptionAdder add(app, uses);
  AddOptions(add, options, raw);
  return add.Take();
}

ParsedOptions ParseOptions(std::string_view verb, std::span<const OptionUse> uses,
                           std::span<const char* const> arguments) {
  ParsedOptions parsed;
  CLI::App app;
  app.set_help_flag("-h,--help");
  RawOptions raw;
  OptionAdder add(app, uses);
  AddOptions(add, parsed.options, raw);
  std::vector<std::string> texts(arguments.begin(), arguments.end());
  // --fake alone means random, --profile a table, and --random no number; what follows them is
  // never their value.
  for (std::string& text : texts) {
    if (text == "--fake") text = "--fake=random";
    if (text == "--profile") text = "--profile=table";
    if (text == "--random") text = "--random=0";
  }
  parsed.error = WrongOption(verb, app, texts);
  if (!parsed.error.empty()) return parsed;
  try {
    std::reverse(texts.begin(), texts.end());  // as CLI11 wants them
    app.parse(texts);
  } catch (const CLI::CallForHelp&) {
    parsed.help = true;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view what = error.what();  // "--repeat: 1 required INT missing"
    parsed.error = StrCat(verb, ": ", what.substr(0, what.find(':')), ": the value is missing");
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
  } else if (given("--random") || verb == "run" || verb == "gen" || verb == "reduce" ||
             verb == "launch" || verb == "simulate") {
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
      parsed.error =
          StrCat("--from: unknown format \"", PrintableText(raw.from), "\"",
                 DidYouMean(raw.from, kFormatNames), "; there are ", Join(kFormatNames, ", "));
    }
  }
  return parsed;
}

}  // namespace axle::tool
