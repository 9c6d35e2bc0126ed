// What check and reduce share: the ways to run a module that the command line asks for.
#pragma once
#include "axle/gen/check.h"
#include "tools/axle/json.h"
#include "tools/axle/session.h"

namespace axle::tool {

inline constexpr double kHangSeconds = 60;
inline constexpr double kMaxSeconds = 20;           // of a compilation or run of such a module
inline constexpr std::int64_t kMaxSteps = 200'000;  // of a random or reduced module

// Of --threads, --isa, --levels, --seeds, --seed, --repeat and --concurrent.
CheckOptions CheckOptionsOf(const Options& options);
// UNIMPLEMENTED for a program of several devices.
Status CheckIsForOneDevice(const Session& session, const Module& module);
// The exit code that an outcome means.
int ExitCodeOf(const Options& options, Outcome outcome);

// One file on all engines, with arguments from the command line or drawn ones.
StatusOr<int> CheckOnEngines(Session& session, const Checker& checker, const std::string& file);
// check --random: so many modules, or as many as there is time for if 0.
int CheckRandom(Session& session, std::uint64_t count);

}  // namespace axle::tool
