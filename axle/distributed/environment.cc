#include "axle/distributed/environment.h"

#include <sys/random.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "axle/core/strings.h"

namespace axle {
namespace {

struct Launcher {
  const char* process;
  const char* number;
};
// From the closest to the process outwards: srun starts mpirun, and mpirun the process.
constexpr Launcher kLaunchers[] = {
    {"AXLE_PROCESS_ID", "AXLE_NUM_PROCESSES"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
};
// Whole numbers that name processes are below this.
constexpr int kMost = 1 << 20;

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Reads the number of a variable, nullopt if it is not set.
StatusOr<std::optional<int>> NumberOf(const char* name, int least) {
  const std::string_view text = Variable(name);
  if (text.empty()) return std::optional<int>();
  int value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || rest != end || value < least || value > kMost) {
    return InvalidArgument(StrCat("environment: ", name, " is \"", PrintableText(text),
                                  "\", must be a number from ", least, " to ", kMost));
  }
  return std::optional<int>(value);
}

// "a[01-04,7],b" -> "a01", the first name of a list of Slurm.
std::string FirstHost(std::string_view list) {
  const size_t end = list.find_first_of(",[");
  std::string host(list.substr(0, end));
  if (end == list.npos || list[end] == ',') return host;
  const std::string_view numbers = list.substr(end + 1);
  host += numbers.substr(0, numbers.find_first_of(",-]"));
  return host;
}

}  // namespace

StatusOr<LaunchEnvironment> ReadLaunchEnvironment() {
  LaunchEnvironment found;
  const Launcher* source = nullptr;
  for (const Launcher& launcher : kLaunchers) {
    AXLE_ASSIGN(const auto process, NumberOf(launcher.process, 0));
    AXLE_ASSIGN(const auto number, NumberOf(launcher.number, 1));
    if (!process && !number) continue;
    // A batch script has the number of tasks of Slurm and is none of them.
    if (!process && &launcher != kLaunchers) continue;
    if (!process || !number) {
      return InvalidArgument(StrCat("environment: ", process ? launcher.process : launcher.number,
                                    " is set and ", process ? launcher.number : launcher.process,
                                    " is not"));
    }
    if (*process >= *number) {
      return InvalidArgument(StrCat("environment: ", launcher.process, " is ", *process,
                                    ", must be below ", launcher.number, ", which is ", *number));
    }
    if (source == nullptr) {
      source = &launcher;
      found.process_id = *process;
      found.num_processes = *number;
      found.source = launcher.process;
    } else if (source != kLaunchers && *number > 1 &&
               (*process != found.process_id || *number != found.num_processes)) {
      return InvalidArgument(StrCat("environment: ", source->process, " and ", source->number,
                                    " say process ", found.process_id, " of ", found.num_processes,
                                    ", ", launcher.process, " and ", launcher.number,
                                    " say process ", *process, " of ", *number,
                                    "; AXLE_PROCESS_ID and AXLE_NUM_PROCESSES decide"));
    }
  }
  found.rendezvous = Variable("AXLE_RENDEZVOUS");
  found.secret = Variable("AXLE_JOB_SECRET");
  found.listen_address = Variable("AXLE_LISTEN_ADDRESS");
  found.job = Variable("AXLE_JOB_ID");
  if (found.job.empty() && !Variable("SLURM_JOB_ID").empty()) {
    // A step of a job, and a job that was started again, are jobs of their own.
    found.job = StrCat("slurm-", Variable("SLURM_JOB_ID"), "-", Variable("SLURM_STEP_ID"), "-",
                       Variable("SLURM_RESTART_COUNT"));
  }
  found.first_host = FirstHost(Variable("SLURM_JOB_NODELIST"));
  const std::string_view nodes = Variable("SLURM_JOB_NUM_NODES");
  found.has_several_hosts = !nodes.empty() && nodes != "1";
  return found;
}

StatusOr<std::string> NewJobSecret() {
  std::array<unsigned char, 32> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return FailedPrecondition("the system gives no random bytes for the secret of a job");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace axle
