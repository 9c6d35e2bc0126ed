// The verbs. Each is one file over the client API.
#pragma once
#include <span>
#include <string_view>

#include "tools/axle/session.h"

namespace axle::tool {

std::string_view Version();  // "axle 0.1.0"

// What the tool and the library read of the environment.
struct EnvironmentVariable {
  std::string_view name, meaning;
};
inline constexpr EnvironmentVariable kEnvironment[] = {
    {"AXLE_NUM_THREADS",
     "Number of worker threads, 1 to 1024, unless an option sets it; one per processor by "
     "default."},
    {"AXLE_CODEGEN_LIBRARY",
     "The library of the native engine, instead of the one beside libaxle.so."},
    {"AXLE_PROCESS_ID, AXLE_NUM_PROCESSES",
     "Which process of a job of how many this is, from 0; axle launch sets them."},
    {"AXLE_RENDEZVOUS", "Where the processes of a job meet: file:///FOLDER or tcp://HOST:PORT."},
    {"AXLE_JOB_SECRET", "What only the processes of a job know."},
    {"AXLE_JOB_ID", "Tells jobs with one rendezvous apart."},
    {"AXLE_LISTEN_ADDRESS", "An address of this machine that the other processes reach."},
    {"NO_COLOR", "If not empty: no colours on stderr, unless --color always is given."},
};

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::string_view examples;     // -h begins with them
  std::string_view description;  // paragraphs, with an empty line between them; may be ""
  std::span<const OptionUse> options;
  int (*run)(Session& session);
};

extern const Verb kRunVerb, kParseVerb, kPrintVerb, kInfoVerb, kBatchVerb, kCheckVerb, kConvertVerb,
    kCompileVerb, kOptVerb, kExplainVerb, kOpsVerb, kGenVerb, kReduceVerb, kCompletionVerb,
    kManVerb, kLaunchVerb, kSimulateVerb;

std::span<const Verb* const> AllVerbs();
const Verb* FindVerb(std::string_view name);
std::string Overview();  // what `axle help` prints
std::string UnknownVerb(std::string_view name);

}  // namespace axle::tool
