#include "tests/distributed/drills/drill.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "axle/core/strings.h"
#include "tests/paths.h"

namespace axle {
namespace {

// Until all are there, where somebody is missing.
constexpr double kConnectLimit = 3;
// From a fault to the error of the others, beside the silence limit.
constexpr double kMostSeconds = 5;
// Until processes have started, and until they have come through.
constexpr double kPatience = 60;

void Sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::string NameOf(int process) {
  return StrCat("process ", process, " (", ThisHost(), ")");
}

bool ContainsAny(const std::string& text, const std::vector<std::string>& parts) {
  return parts.empty() || std::ranges::any_of(parts, [&text](const std::string& part) {
           return text.find(part) != text.npos;
         });
}

}  // namespace

bool RunsWithAnyProgram(Fault fault) {
  switch (fault) {
    case Fault::kFullDisk:
    case Fault::kNeverStarts:
    case Fault::kOtherFingerprint:
    case Fault::kOtherVersion:
    case Fault::kLeaves:
    case Fault::kFails:
    case Fault::kLate:
    case Fault::kKillWhileConnects:
      return false;
    default:
      return true;
  }
}

Drill::Drill(const Schedule& schedule, const DrillProgram& program)
    : schedule_(schedule),
      program_(program),
      processes_(static_cast<size_t>(schedule.num_processes)),
      codes_(static_cast<size_t>(schedule.num_processes)) {
  std::filesystem::create_directory(job_.folder() + "/tmp");
  TestProcess::Environment& environment = job_.environment();
  if (schedule_.has_tcp_store) {
    environment["AXLE_RENDEZVOUS"] = StrCat("tcp://127.77.0.1:", FreePort());
  }
  environment["AXLE_NUM_PROCESSES"] = std::to_string(schedule_.num_processes);
  environment[kRelayVariable] = std::to_string(relay_.port());
  environment["LD_PRELOAD"] = BuildFolder() / "lib" / "libaxle_divert.so";
  environment["TMPDIR"] = job_.folder() + "/tmp";
}

Drill::~Drill() {
  processes_.clear();
  if (!disk_.empty()) umount2(disk_.c_str(), MNT_DETACH);
}

std::string Drill::Task(int process) const {
  const bool is_victim = process == schedule_.victim;
  std::string task =
      StrCat("steps silence_limit=", schedule_.silence_limit, " bytes=", schedule_.bytes,
             " connect_limit=", schedule_.is_at_start() ? kConnectLimit : kPatience);
  // Without the fault it would go on for longer than anybody waits.
  int steps = 1'000'000;
  if (schedule_.all_finish()) steps = schedule_.is_whole_job() ? 10 : 60;
  StrAppend(task, " steps=", steps, " pause=0.01");
  if (!is_victim) return task;
  switch (schedule_.fault) {
    case Fault::kOtherFingerprint:
      return StrCat(task, " fingerprint=fast");
    case Fault::kOtherVersion:
      return StrCat(task, " version=0.0.9");
    case Fault::kLeaves:
      return StrCat(task, " leave_at=", schedule_.step);
    case Fault::kFails:
      return StrCat(task, " fail_at=", schedule_.step);
    case Fault::kLate:
      return StrCat(task, " late_at=", schedule_.step, " late=", schedule_.seconds);
    default:
      return task;
  }
}

void Drill::Start(int process) {
  std::vector<std::string> command;
  if (program_.is_own()) {
    command.push_back(ProcessProgram());
    std::istringstream words(Task(process));
    for (std::string word; words >> word;) command.push_back(word);
  } else {
    command = {"sh", "-c", StrCat("exec ", program_.command)};
  }
  TestProcess::Environment environment = job_.environment();
  environment["AXLE_PROCESS_ID"] = std::to_string(process);
  environment["AXLE_LISTEN_ADDRESS"] = StrCat("127.77.0.", process + 1);
  processes_[static_cast<size_t>(process)].emplace(command, environment);
}

bool Drill::WaitForText(int process, const std::string& text) {
  std::optional<TestProcess>& waited = processes_[static_cast<size_t>(process)];
  if (waited->WaitForText(text, kPatience)) return true;
  Problem(StrCat("process ", process, " has not printed \"", PrintableText(text), "\""));
  return false;
}

// Starts them, and waits until the fault can come.
bool Drill::StartAll() {
  const bool has_all = schedule_.fault != Fault::kNeverStarts;
  if (schedule_.is_whole_job()) BringFault();
  for (int p = 0; p < schedule_.num_processes; ++p) {
    if (has_all || p != schedule_.victim) Start(p);
  }
  if (schedule_.is_at_start() || schedule_.is_whole_job()) return true;
  // Own programs say when they are connected: connections for messages are made then.
  const bool is_early = program_.is_own() && schedule_.after == 0;
  for (int p = 0; p < schedule_.num_processes; ++p) {
    if (!WaitForText(p, is_early ? "connected after" : program_.ready)) return false;
  }
  Sleep(schedule_.after);
  return true;
}

// Some processes find room on the disk, the rest none.
bool Drill::StartWithFullDisk() {
  const std::string folder = job_.folder() + "/rendezvous";
  mkdir(folder.c_str(), 0700);
  if (mount("none", folder.c_str(), "tmpfs", 0, "size=256k") == 0) disk_ = folder;
  num_before_full_ = schedule_.victim;
  for (int p = 0; p < num_before_full_; ++p) {
    Start(p);
    const std::string file = StrCat(folder, "/axle.2f.2f0.2fprocess.2f", p);
    const auto start = Clock::now();
    while (access(file.c_str(), F_OK) != 0) {
      if (SecondsSince(start) > kPatience) {
        Problem(StrCat("process ", p, " has not said where it is"));
        return false;
      }
      Sleep(0.005);
    }
  }
  if (!disk_.empty()) {
    std::ofstream(folder + "/filler") << std::string(size_t{1} << 20, 'x');
  } else {
    job_.environment()[kFullDiskVariable] = folder;  // no tmpfs here: a disk that only seems full
  }
  fault_ = Clock::now();
  for (int p = num_before_full_; p < schedule_.num_processes; ++p) Start(p);
  return true;
}

// One process is killed while another one is not there yet.
bool Drill::StartAndKill() {
  for (int p = 0; p < schedule_.num_processes; ++p) {
    if (p != schedule_.other) Start(p);
  }
  Sleep(0.1 + schedule_.after);
  fault_ = Clock::now();
  processes_[static_cast<size_t>(schedule_.victim)]->Signal(SIGKILL);
  Start(schedule_.other);
  return true;
}

// All links of the victim.
void Drill::SetLinks(const LinkState& state) {
  for (int p = 0; p < schedule_.num_processes; ++p) {
    if (p != schedule_.victim) relay_.SetBothWays(schedule_.victim, p, state);
  }
}

// Waits until there are some, where the fault comes early.
void Drill::BreakConnections() {
  constexpr Relay::Kind kKinds[] = {Relay::kControl, Relay::kData, Relay::kBoth};
  const auto start = Clock::now();
  while (relay_.Break(schedule_.victim, schedule_.other,
                      kKinds[static_cast<size_t>(schedule_.connections)],
                      schedule_.fault == Fault::kReset) == 0) {
    if (SecondsSince(start) > 5) return Problem("there is no connection to break");
    Sleep(0.001);
  }
  fault_ = Clock::now();
}

void Drill::BringFault() {
  std::optional<TestProcess>& victim = processes_[static_cast<size_t>(schedule_.victim)];
  fault_ = Clock::now();
  switch (schedule_.fault) {
    case Fault::kKill:
      return victim->Signal(SIGKILL);
    case Fault::kKillTwo:
      victim->Signal(SIGKILL);
      Sleep(schedule_.after / 4);
      return processes_[static_cast<size_t>(schedule_.other)]->Signal(SIGKILL);
    case Fault::kStop:
      return victim->Signal(SIGSTOP);
    case Fault::kPause:
      victim->Signal(SIGSTOP);
      Sleep(schedule_.seconds);
      return victim->Signal(SIGCONT);
    case Fault::kCable:
      return SetLinks({.is_hole = true});
    case Fault::kLink:
      return relay_.SetBothWays(schedule_.victim, schedule_.other, {.is_hole = true});
    case Fault::kOneWay:
      return relay_.Set(schedule_.victim, schedule_.other, {.is_hole = true});
    case Fault::kStall:
      SetLinks({.is_held = true});
      Sleep(schedule_.seconds);
      return SetLinks({});
    case Fault::kDelay:
      return SetLinks({.delay = schedule_.seconds});
    case Fault::kThrottle:
      return SetLinks({.bytes_per_second = schedule_.bytes_per_second});
    case Fault::kReset:
    case Fault::kCut:
      return BreakConnections();
    default:
      return;  // the process itself is the fault
  }
}

// Waits for all that have started; for one that is stopped after the others.
void Drill::WaitForEnds() {
  const double limit = schedule_.all_finish()    ? kPatience
                       : schedule_.is_at_start() ? kConnectLimit + kMostSeconds
                                                 : schedule_.silence_limit + kMostSeconds;
  const bool is_stopped = schedule_.fault == Fault::kStop;
  bool waits = true;
  while (waits) {
    waits = false;
    for (int p = 0; p < schedule_.num_processes; ++p) {
      std::optional<TestProcess>& process = processes_[static_cast<size_t>(p)];
      std::optional<int>& code = codes_[static_cast<size_t>(p)];
      if (!process || code || (is_stopped && p == schedule_.victim)) continue;
      code = process->WaitForEnd(0);
      if (code) seconds_ = SecondsSince(fault_);
      waits = waits || !code;
    }
    if (!waits || SecondsSince(fault_) < limit) continue;
    for (int p = 0; p < schedule_.num_processes; ++p) {
      if (processes_[static_cast<size_t>(p)] && !codes_[static_cast<size_t>(p)] &&
          !(is_stopped && p == schedule_.victim)) {
        Problem(StrCat("process ", p, " is still there ", limit, " s after the fault"));
      }
    }
    break;
  }
  if (!is_stopped) return;
  TestProcess& victim = *processes_[static_cast<size_t>(schedule_.victim)];
  victim.Signal(SIGCONT);
  codes_[static_cast<size_t>(schedule_.victim)] = victim.WaitForEnd(kMostSeconds);
}

bool Drill::IsVictim(int process) const {
  return process == schedule_.victim ||
         (schedule_.fault == Fault::kKillTwo && process == schedule_.other);
}

Drill::Expected Drill::ExpectedAtStart(int process) const {
  const int victim = schedule_.victim;
  Expected expected = {.names = {StrCat("process ", victim)}};
  switch (schedule_.fault) {
    case Fault::kFullDisk: {
      if (process >= num_before_full_) {
        return {.statuses = {"RESOURCE_EXHAUSTED: rendezvous: cannot write "},
                .names = {"No space left on device"}};
      }
      expected.statuses = {"DEADLINE_EXCEEDED: connect: process"};
      const int rest = schedule_.num_processes - num_before_full_;
      expected.names = {StrCat(rest == 1 ? "process " : "processes ", num_before_full_)};
      return expected;
    }
    case Fault::kOtherFingerprint:
    case Fault::kOtherVersion:
      expected.statuses = {"FAILED_PRECONDITION: connect: "};
      expected.names = {NameOf(victim)};
      return expected;
    case Fault::kKillWhileConnects:
      if (process == victim) return {.code = 1000 + SIGKILL};
      // Nobody may have met it. Process 0 takes its store along.
      if (schedule_.has_tcp_store) expected.names.emplace_back("the store of process 0 ");
      expected.statuses = {"UNAVAILABLE: connect: ", "DEADLINE_EXCEEDED: connect: ",
                           "UNAVAILABLE: rendezvous: the store of process 0 at ",
                           "DEADLINE_EXCEEDED: rendezvous: the store of process 0 at "};
      return expected;
    default:
      expected.statuses = {"DEADLINE_EXCEEDED: connect: ",
                           "DEADLINE_EXCEEDED: rendezvous: the store of process 0 at "};
      return expected;
  }
}

Drill::Expected Drill::ExpectedOf(int process) const {
  if (schedule_.all_finish()) return {.code = 0, .statuses = {"OK"}};
  if (schedule_.is_at_start()) return ExpectedAtStart(process);
  Expected expected = {.statuses = {"UNAVAILABLE: "}, .names = {NameOf(schedule_.victim)}};
  expected.operations = program_.operations;
  const bool is_victim = IsVictim(process);
  switch (schedule_.fault) {
    case Fault::kKill:
    case Fault::kKillTwo:
      if (is_victim) return {.code = 1000 + SIGKILL};
      if (schedule_.fault == Fault::kKillTwo) expected.names.push_back(NameOf(schedule_.other));
      return expected;
    case Fault::kLink:
    case Fault::kOneWay:
    case Fault::kReset:
    case Fault::kCut:
      expected.names.push_back(NameOf(schedule_.other));
      return expected;
    case Fault::kLeaves:
      if (is_victim) return {.code = 0, .statuses = {"OK"}};
      return expected;
    case Fault::kFails:
      if (is_victim) return {.statuses = {"INVALID_ARGUMENT: the program is wrong"}};
      expected.statuses = {"INVALID_ARGUMENT: "};
      return expected;
    default:
      // Who is cut off, or was stopped, names those that it has lost.
      if (is_victim) expected.names = {"process "};
      return expected;
  }
}

void Drill::Check(int process) {
  const std::optional<TestProcess>& ended = processes_[static_cast<size_t>(process)];
  const std::optional<int> code = codes_[static_cast<size_t>(process)];
  if (!ended || !code) return;  // told already
  Expected expected = ExpectedOf(process);
  // The second one may have learned of the first one before it was killed itself.
  if (schedule_.fault == Fault::kKillTwo && process == schedule_.other && *code == 1) {
    expected = {.statuses = {"UNAVAILABLE: "},
                .names = {NameOf(schedule_.victim)},
                .operations = program_.operations};
  }
  const std::string name = StrCat("process ", process);
  const std::string last = ended->LastLine();
  const bool is_own = program_.is_own();
  const bool fails_as_expected = !is_own && expected.code == 1 && *code > 0 && *code < 126;
  if (*code != expected.code && !fails_as_expected) {
    Problem(StrCat(name, " has ended with ", *code, " in place of ", expected.code));
  }
  if (expected.code >= 1000) return;
  const std::string& text = is_own ? last : ended->output();
  if (is_own && std::ranges::none_of(expected.statuses, [&last](const std::string& status) {
        return last.starts_with(status);
      })) {
    Problem(StrCat(name, " has another status than \"", Join(expected.statuses, "\", \""),
                   "\": ", last));
  }
  if (!ContainsAny(text, expected.names)) {
    Problem(StrCat(name, " does not name \"", Join(expected.names, "\" or \""), "\": ", last));
  }
  if (!ContainsAny(text, expected.operations)) {
    Problem(StrCat(name, " does not name an operation: ", last));
  }
  const std::string& output = ended->output();
  if (is_own && output.find("left behind: 0 sockets, 0 threads\n") == output.npos) {
    Problem(StrCat(name, " has left something behind"));
  }
}

// A process that is killed leaves its address, and the secret if it has made that. One that is
// killed while it connects may have been about to write them.
void Drill::CheckFolder() {
  const std::string folder = job_.folder() + "/rendezvous";
  if (std::filesystem::exists(folder)) {
    bool has_any = false;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string file = entry.path().filename();
      if (file == "filler") continue;
      bool is_expected = false;
      for (int p = 0; p < schedule_.num_processes; ++p) {
        if (codes_[static_cast<size_t>(p)] != 1000 + SIGKILL) continue;
        is_expected = is_expected || file.ends_with(StrCat("process.2f", p)) ||
                      (file.starts_with("secret") && !file.ends_with(".new"));
        if (schedule_.fault != Fault::kKillWhileConnects) continue;
        is_expected = is_expected || file.starts_with("secret") ||
                      file.find(StrCat("process.2f", p, ".")) != file.npos;
      }
      if (!is_expected) Problem(StrCat("the file ", file, " is left in the rendezvous"));
      has_any = true;
    }
    const bool is_mine = schedule_.fault == Fault::kFullDisk;
    if (!has_any && !is_mine) Problem("the folder of the rendezvous is left");
  }
  for (const auto& entry : std::filesystem::directory_iterator(job_.folder() + "/tmp")) {
    Problem(StrCat("a file is left: ", entry.path().filename().string()));
  }
}

// What the processes have started would be children of this one by now.
void Drill::CheckChildren() {
  for (const std::optional<int>& code : codes_) {
    if (!code) return;
  }
  const pid_t left = waitpid(-1, nullptr, WNOHANG);
  if (left >= 0 || errno != ECHILD) Problem("a process is left");
}

const std::vector<std::string>& Drill::Run() {
  if (relay_.port() == 0) {
    Problem("there is no relay");
    return problems_;
  }
  fault_ = Clock::now();
  const bool has_started = schedule_.fault == Fault::kFullDisk            ? StartWithFullDisk()
                           : schedule_.fault == Fault::kKillWhileConnects ? StartAndKill()
                                                                          : StartAll();
  if (!has_started) {
    for (std::optional<TestProcess>& process : processes_) {
      if (process) process->WaitForEnd(0.2);  // reads what it has printed
    }
    return problems_;
  }
  if (!schedule_.is_at_start() && !schedule_.is_whole_job()) BringFault();
  WaitForEnds();
  for (int p = 0; p < schedule_.num_processes; ++p) Check(p);
  CheckFolder();
  CheckChildren();
  return problems_;
}

std::string Drill::Outputs() const {
  std::string text;
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (processes_[p]) StrAppend(text, "-- process ", p, "\n", processes_[p]->output());
  }
  return text;
}

}  // namespace axle
