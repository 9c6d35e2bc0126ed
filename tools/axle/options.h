// The options of all verbs, read from the command line. A name means the same in every verb; each
// verb says which it takes, in one list, from which help, completion and manual pages are made too.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/client/client.h"
#include "axle/client/load.h"

namespace axle::tool {

// What --profile gives.
inline constexpr std::string_view kProfileKinds[] = {"table", "json", "trace"};

// Of convert.
enum class OutputFormat : std::uint8_t {
  kUnset,
  kHloText,
  kHloProto,
  kStablehloText,
  kStablehloBytecode,
  kDot,
  kJson,
};
struct OutputFormatName {
  std::string_view name;
  OutputFormat format;
  bool is_binary = false;
};
inline constexpr OutputFormatName kOutputFormats[] = {
    {"hlo", OutputFormat::kHloText},
    {"hlo.pb", OutputFormat::kHloProto, true},
    {"stablehlo", OutputFormat::kStablehloText},
    {"stablehlo.bc", OutputFormat::kStablehloBytecode, true},
    {"dot", OutputFormat::kDot},
    {"json", OutputFormat::kJson},
};
enum class ColorMode : std::uint8_t { kAuto, kAlways, kNever };

struct Options {
  std::vector<std::string> files;
  std::optional<InputFormat> from;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  ColorMode color = ColorMode::kAuto;
  double time_limit = 8;                               // seconds; 0: none
  std::int64_t mem_limit = 0;                          // bytes; 0: none
  bool is_time_default = true, is_mem_default = true;  // nobody asked for them
  int threads = 0;
  std::string output;

  EngineKind engine = EngineKind::kDefault;
  NativeIsa isa = NativeIsa::kAuto;
  int codegen_level = 1;

  std::string inputs;                     // .npz, .safetensors, or a folder of .npy
  std::vector<std::string> args;          // 0=@x.npy, x=1,2
  std::string infeed, outfeed;            // .npz
  std::vector<std::string> recvs, sends;  // CHANNEL=FILE.npz
  bool full = false;
  std::string fake;  // random, random:SEED, iota, zeros
  std::uint64_t seed = 0;
  int repeat = 1;
  bool time = false;
  std::string profile;               // table, json, trace; "": no profile
  std::string profile_file;          // "": stderr for a table, else stdout
  int replicas = 0, partitions = 0;  // 0: as the program says
  Numerics numerics = Numerics::kStrict;

  bool short_style = false;                              // print, convert
  bool operand_shapes = false, canonical_names = false;  // print
  bool no_ids = false, no_metadata = false, no_backend_config = false;
  int indent = 0;
  OutputFormat to = OutputFormat::kUnset;

  std::vector<std::string> passes;  // opt
  std::string stage;                // --to of opt
  std::string print_after;
  bool list = false;
  bool timing = false;
  bool verify_each = false;
  bool memory = false;  // explain
  bool allow_elided = false;
  bool strict_types = false;

  std::string against;                 // check: .npz, .safetensors
  std::vector<int> thread_list = {1};  // check, reduce: --threads 1,2,7
  std::vector<std::string> isas = {"auto"};
  std::vector<int> levels = {2};
  int seeds = 3;
  int repeats = 1;
  int variants = 0;
  bool concurrent = false;
  bool per_op = false;
  bool allow_unimplemented = false;
  std::optional<std::uint64_t> random;  // how many modules; 0: until the time limit
  std::uint64_t first = 0;
  int jobs = 1;
  int max_failures = 10;
  std::string command;  // reduce

  std::uint64_t count = 1;  // gen
  bool coverage = false;
  std::vector<int> replica_list = {};  // simulate; empty: as the program says
  int devices_per_process = 1;
  std::string latency, bandwidth, overhead, topology, flops, memory_bandwidth, compute;
  int processes = 0;  // launch, run
  std::string rendezvous;
  std::optional<TransportKind> distributed;  // run
  int process = -1;
  int local_devices = 0;  // 0: an equal part of all
  double rtol = 0;
  double atol = 0;
  std::uint64_t ulp = 0;
};

struct ParsedOptions {
  Options options;
  bool help = false;
  std::string error;  // "" if the command line is right
};

// Where `axle opt --to` can stop, in the order of compilation; those after opt-hlo are of native
// code.
inline constexpr std::string_view kStages[] = {"hlo",     "opt-hlo", "fusions",
                                               "buffers", "llvm",    "asm"};

// A row of a verb's list of options: what the list has not, the verb does not take. Parsing, help,
// completion and manual pages are made from it.
struct OptionUse {
  std::string_view name;       // in the table of options.cc: "inputs"
  std::string_view text = {};  // what it does; "": what options.cc says for all verbs
  bool is_brief = false;       // -h names it, with others, on its last lines, without its text
};
constexpr OptionUse Brief(std::string_view name, std::string_view text = {}) {
  return {name, text, true};
}

// One option of a verb as help, completion and manual pages need it.
struct OptionInfo {
  std::string name;                    // of OptionUse
  std::vector<std::string> spellings;  // "--quiet", "-q"
  std::string term;                    // "-q, --quiet", "--fake[=KIND]"
  std::string text;                    // what it does
  bool takes_value = false;
  std::vector<std::string> values = {};  // all that there are; none: any
  bool is_list = false;                  // of values with commas between them
  bool is_path = false;                  // the value is, or ends in, the name of a file
  bool is_brief = false;
};
// Those that a verb with this list takes, in its order, and behind them those of every verb.
std::vector<OptionInfo> OptionsOf(std::span<const OptionUse> uses);

// Reads what follows the verb.
ParsedOptions ParseOptions(std::string_view verb, std::span<const OptionUse> uses,
                           std::span<const char* const> arguments);

}  // namespace axle::tool
