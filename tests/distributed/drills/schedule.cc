#include "tests/distributed/drills/schedule.h"

#include <array>

#include "axle/core/strings.h"

namespace axle {
namespace {

// Random numbers that are the same everywhere (splitmix64).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }
  // From `least` to `most`, both included.
  int Whole(int least, int most) {
    return least + static_cast<int>(Next() % static_cast<std::uint64_t>(most - least + 1));
  }
  // In thousandths.
  double Seconds(double least, double most) {
    return Whole(static_cast<int>(least * 1000), static_cast<int>(most * 1000)) / 1000.0;
  }

 private:
  std::uint64_t state_;
};

// The limit where a process is only slow: that of the product.
constexpr double kProductLimit = 5;

constexpr std::array<std::string_view, kNumFaults> kNames = {
    "kill",          "stop",
    "pause",         "cable",
    "link",          "one way",
    "stall",         "delay",
    "slow",          "reset",
    "cut",           "full disk",
    "never starts",  "other fingerprint",
    "other version", "leaves early",
    "fails",         "late",
    "kill two",      "kill while connecting"};

}  // namespace

std::string_view FaultName(Fault fault) {
  return kNames[static_cast<size_t>(fault)];
}

bool Schedule::all_finish() const {
  return fault == Fault::kPause || fault == Fault::kStall || fault == Fault::kDelay ||
         fault == Fault::kThrottle || fault == Fault::kLate;
}

bool Schedule::is_at_start() const {
  return fault == Fault::kFullDisk || fault == Fault::kNeverStarts ||
         fault == Fault::kOtherFingerprint || fault == Fault::kOtherVersion ||
         fault == Fault::kKillWhileConnects;
}

std::string Schedule::ToText() const {
  constexpr std::array<std::string_view, 3> kWhich = {"control", "data", "all"};
  std::string text = StrCat(FaultName(fault), ": ", num_processes, " processes, ",
                            has_tcp_store ? "tcp" : "file", ", process ", victim);
  switch (fault) {
    case Fault::kLink:
    case Fault::kOneWay:
    case Fault::kKillTwo:
      StrAppend(text, " and ", other);
      break;
    case Fault::kReset:
    case Fault::kCut:
      StrAppend(text, " and ", other, ", ", kWhich[static_cast<size_t>(connections)],
                " connections");
      break;
    case Fault::kPause:
    case Fault::kStall:
    case Fault::kDelay:
      StrAppend(text, ", for ", seconds, " s");
      break;
    case Fault::kLate:
      StrAppend(text, ", at step ", step, " for ", seconds, " s");
      break;
    case Fault::kThrottle:
      StrAppend(text, ", ", bytes_per_second, " bytes/s");
      break;
    case Fault::kLeaves:
    case Fault::kFails:
      StrAppend(text, ", at step ", step);
      break;
    default:
      break;
  }
  if (!is_at_start() && !is_whole_job() && step == 0) StrAppend(text, ", after ", after, " s");
  return StrCat(text, ", messages of ", bytes, " bytes, silence limit ", silence_limit, " s");
}

Schedule DrawSchedule(std::uint64_t seed, int index, double silence_limit) {
  Draw draw(seed * 1000003 + static_cast<std::uint64_t>(index));
  Schedule schedule = {.seed = seed, .index = index};
  schedule.fault = static_cast<Fault>(index % kNumFaults);
  schedule.silence_limit = schedule.all_finish() ? kProductLimit : silence_limit;
  // A third process learns of what happens between two.
  schedule.num_processes = draw.Whole(schedule.fault == Fault::kKillTwo ? 3 : 2, 5);
  // A full disk is that of files.
  schedule.has_tcp_store = draw.Whole(0, 1) == 1 && schedule.fault != Fault::kFullDisk;
  schedule.victim = draw.Whole(0, schedule.num_processes - 1);
  schedule.other =
      (schedule.victim + draw.Whole(1, schedule.num_processes - 1)) % schedule.num_processes;
  // One in three comes while the connections for messages are made.
  schedule.after = draw.Whole(0, 2) == 0 ? 0 : draw.Seconds(0.02, 0.6);
  constexpr std::array<int, 4> kSizes = {8, 3000, 100'000, 2'000'000};
  schedule.bytes = kSizes[static_cast<size_t>(draw.Whole(0, 3))];
  schedule.connections = static_cast<Connections>(draw.Whole(0, 2));
  const bool acts_at_a_step = schedule.fault == Fault::kLeaves || schedule.fault == Fault::kFails ||
                              schedule.fault == Fault::kLate;
  if (acts_at_a_step) schedule.step = draw.Whole(1, 15);
  // Many steps with long messages would take long.
  if (acts_at_a_step || schedule.all_finish()) schedule.bytes = std::min(schedule.bytes, 100'000);
  if (schedule.fault == Fault::kPause || schedule.fault == Fault::kStall) {
    schedule.seconds = draw.Seconds(0.1, 0.5 * schedule.silence_limit);
  } else if (schedule.fault == Fault::kDelay) {
    schedule.seconds = 0.05;
  } else if (schedule.fault == Fault::kThrottle) {
    // Of messages that all together take a few seconds.
    schedule.bytes_per_second = draw.Whole(20, 200) * 1000;
    schedule.bytes = static_cast<int>(schedule.bytes_per_second / 10);
  } else if (schedule.fault == Fault::kLate) {
    schedule.silence_limit = silence_limit;
    schedule.seconds = draw.Seconds(silence_limit, 2 * silence_limit);
  }
  return schedule;
}

}  // namespace axle
