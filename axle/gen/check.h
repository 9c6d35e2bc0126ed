// Checker: does a module give the same bits in every way in which it can be run? The oracle is the
// interpreter on the module as written. It is compared with the interpreter after the passes, and
// with native code of every instruction set, codegen level and number of threads that is asked for,
// also run again, at the same time, and with donated arguments.
//
// With Numerics::kFast: is native code within the bounds of error_bound.h of the oracle's result?
//
//   AXLE_ASSIGN(auto checker, Checker::Create({.isas = {NativeIsa::kAvx2, NativeIsa::kAvx512}}));
//   const CheckResult result = checker->Check(module);
//   if (result.outcome == Outcome::kDifferent) ... result.message
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "axle/client/client.h"
#include "axle/gen/error_bound.h"

namespace axle {

enum class Outcome : std::uint8_t {
  kEqual,
  kDifferent,      // other bits, or an error where the interpreter gives a value
  kUnimplemented,  // native code does not have an op; what could be compared is equal
  kUndefined,      // the interpreter gives an error, or bits that depend on those of a NaN that was
                   // computed: others may give anything
  kOverLimit,      // takes more time or memory than allowed
  kCrashed,        // ended in a signal; only where modules run in processes of their own
  kHung,           // so did this, after it took too long
};
inline constexpr int kNumOutcomes = 7;
std::string_view OutcomeName(Outcome outcome);  // "equal", "different", ...
// Different, crashed or hung.
bool IsFailure(Outcome outcome);

struct CheckOptions {
  Numerics numerics = Numerics::kStrict;  // of native code; kFast goes without the passes alone
  bool passes = true;                     // the passes with the interpreter behind them
  bool native = true;
  std::vector<NativeIsa> isas = {NativeIsa::kAuto};
  std::vector<int> levels = {2};
  std::vector<int> threads = {1};  // of the client
  int seeds = 2;                   // sets of arguments
  std::uint64_t first_seed = 0;
  // Ways to compile, drawn for each module from all combinations of instruction sets, levels,
  // threads, small functions or not, checked code or not; 0: all of them.
  int variants = 0;
  int repeats = 1;          // runs of each executable on the same arguments
  bool concurrent = false;  // and two at the same time; with `variants` half of them, likewise
  i64 memory_cap = i64{1} << 30;
  double time_limit = 30;  // seconds for each compilation and run; 0: none
  // Loop iterations and calls of a run. Reduction makes endless loops, which must end soon.
  i64 step_limit = std::numeric_limits<i64>::max();
};

struct CheckResult {
  Outcome outcome = Outcome::kEqual;
  std::string message;            // who differs where, or what is not implemented; "" if equal
  int runs = 0;                   // that were compared
  BoundedElements elements = {};  // kFast: of all runs
};

class Checker {
 public:
  // Errors: those of Client::Create; FAILED_PRECONDITION if code for AArch64 cannot be run. Other
  // instruction sets that this machine does not have are left out; isas() says which are left.
  static StatusOr<std::unique_ptr<Checker>> Create(CheckOptions options);

  // `module` is verified. On drawn arguments, or on these; those of several devices stand one
  // after the other. Not thread-safe.
  CheckResult Check(const std::shared_ptr<const Module>& module) const;
  CheckResult Check(const std::shared_ptr<const Module>& module,
                    std::span<const std::vector<Literal>> arguments) const;
  const std::vector<NativeIsa>& isas() const { return options_.isas; }
  const CheckOptions& options() const { return options_; }

  struct Runner;  // internal

 private:
  struct Variant {
    size_t client;  // position in clients_
    NativeIsa isa;
    int level;
    bool small = false;    // CompileOptions::small_wherever_possible
    bool checked = false;  // CompileOptions::check_accesses
    bool repeated = true;  // as often as the options say, and at the same time
    std::string NameIn(const CheckOptions& options) const;
  };
  explicit Checker(CheckOptions options) : options_(std::move(options)) {}
  void SetLimits(Limits& limits) const;
  std::vector<Variant> VariantsFor(const Module& module) const;
  std::string FirstWrongRun(const Runner& runner, std::span<const Literal> arguments,
                            const StatusOr<Literal>& expected, CheckResult& result) const;

  CheckOptions options_;
  std::unique_ptr<Client> interpreter_;           // for modules of several devices
  std::vector<std::unique_ptr<Client>> clients_;  // by position in options_.threads
};

}  // namespace axle
