// A report has a line for each run, "run", three numbers and the name; then "failed", the two
// numbers of a run, a code and the cause; then, for each run in which somebody waits, "in", the two
// numbers of the run, and lines of RunWaitsText.
#include "axle/client/begun_runs.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <new>
#include <utility>

#include "axle/core/strings.h"

namespace axle {
namespace {

// Waits that are shorter are nobody else's business.
constexpr std::chrono::milliseconds kLongWait{200};
// Those that are told to somebody who waits for long.
constexpr std::chrono::milliseconds kShortWait{20};

// Of the cause of a failure.
constexpr size_t kMostText = 4000;

// Takes a number and the space behind it from the front of a line.
bool TakeNumber(std::string_view& line, std::uint64_t& number) {
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<size_t>(rest - line.data()));
  if (line.starts_with(' ')) line.remove_prefix(1);
  return true;
}

}  // namespace

void BegunRuns::Watch(Transport* transport) {
  const std::lock_guard lock(mutex_);
  transport_ = transport;
  // What still runs ends with its connections.
  programs_.clear();
  groups_.clear();
  past_.clear();
  told_.clear();
  sent_at_once_.clear();
  own_failure_.reset();
  failure_ = Status();
}

Status BegunRuns::Add(std::string_view program, GroupRun& group) {
  constexpr size_t kMaxName = 200;
  const RunLink& link = *group.link();
  const Id id = {link.processes, link.run};
  const std::lock_guard lock(mutex_);
  const bool is_before = id.first == failed_.first && id.second < failed_.second;
  if (!failure_.ok() && !is_before) return failure_;
  programs_.push_back({id, link.program, PrintableText(program.substr(0, kMaxName)), ++num_begun_});
  if (programs_.size() > kMaxPrograms) programs_.pop_front();
  groups_[id] = {&group, num_begun_};
  return {};
}

void BegunRuns::End(const GroupRun* group, bool is_whole) noexcept {
  const std::lock_guard lock(mutex_);
  const Id id = {group->link()->processes, group->link()->run};
  const auto found = groups_.find(id);
  // The processes may have connected again, and begun to count again.
  if (found == groups_.end() || found->second.group != group) return;
  groups_.erase(found);
  if (!is_whole) return;
  try {
    const std::span<const int> process_of = group->link()->process_of;
    past_.push_back({id, {process_of.begin(), process_of.end()}, group->ArrivalsHere()});
    if (past_.size() > kMaxPast) past_.pop_front();
  } catch (const std::bad_alloc&) {
    // Those who wait for this run are not told.
  }
}

// The order of a run among those that this process has begun: none if it has not begun it.
std::optional<std::uint64_t> BegunRuns::OrderOf(const Id& id) const {
  const auto active = groups_.find(id);
  if (active != groups_.end()) return active->second.order;
  std::optional<std::uint64_t> order;
  for (const Program& program : programs_) {
    if (program.id == id) return program.order;
    // It was too long ago.
    if (program.id.first == id.first && program.id.second > id.second) order = 0;
  }
  return order;
}

void BegunRuns::EndFrom(std::uint64_t order, const Status& cause) {
  for (const auto& [id, active] : groups_) {
    if (active.order >= order) active.group->EndWith(cause);
  }
}

void BegunRuns::EndAll(const Status& cause) {
  const std::lock_guard lock(mutex_);
  EndFrom(0, cause);
}

// What runs get that begin later.
void BegunRuns::Keep(const Id& id, const Status& cause) {
  if (failure_.ok()) {
    failure_ = cause;
    failed_ = id;
  } else if (failed_.first == id.first) {
    failed_.second = std::min(failed_.second, id.second);
  }
}

void BegunRuns::Fail(const GroupRun& group, const Status& cause) noexcept {
  const std::lock_guard lock(mutex_);
  const Id id = {group.link()->processes, group.link()->run};
  const auto found = groups_.find(id);
  if (transport_ == nullptr || found == groups_.end() || found->second.group != &group) return;
  const std::uint64_t order = found->second.order;
  if (own_failure_ && own_failure_->order <= order) return;
  try {
    own_failure_ = {id, cause, order};
    Keep(id, cause);
    EndFrom(order + 1, cause);
    SendReport(OwnWaits());
  } catch (const std::bad_alloc&) {
    transport_->Abort({StatusCode::kResourceExhausted, "no memory"});
  }
}

// Those that this process has not begun fail when it begins them.
void BegunRuns::TakeFailure(int process, Told& told) {
  if (!told.failure || std::exchange(told.has_taken_failure, true)) return;
  const Status& cause = told.failure->cause;
  const Status status(cause.code(), StrCat("process ", process, " (", transport_->host(process),
                                           ") has failed: ", cause.message()));
  Keep(told.failure->id, status);
  const std::optional<std::uint64_t> order = OrderOf(told.failure->id);
  if (order) EndFrom(*order, status);
}

void BegunRuns::Compare() {
  const std::lock_guard lock(mutex_);
  if (transport_ == nullptr) return;
  for (int process = 0; process < transport_->num_processes(); ++process) {
    if (process == transport_->process_id()) continue;
    Told& told = told_[process];
    std::string report = transport_->report(process);
    if (report != told.report) {
      told.report = std::move(report);
      Parse(told);
      TakeFailure(process, told);
    }
  }
  const std::map<Id, RunWaits> waits = OwnWaits();
  SendReport(waits);
  for (const auto& [process, told] : told_) {
    const std::optional<Status> difference = Difference(process, told);
    if (difference) return transport_->Abort(*difference);
  }
  FindDeadlocks(waits);
}

// The places of a run where other processes wait for devices here.
std::set<MeetingPlace> BegunRuns::AskedOf(const Id& run, std::span<const int> process_of) const {
  std::set<MeetingPlace> asked;
  for (const auto& [process, told] : told_) {
    const auto found = told.waits.find(run);
    if (found == told.waits.end()) continue;
    for (const DeviceWait& wait : found->second.waits) {
      const bool is_for_here = std::ranges::any_of(wait.participants, [&](i64 device) {
        return device < std::ssize(process_of) &&
               process_of[static_cast<size_t>(device)] == transport_->process_id();
      });
      if (is_for_here) asked.insert(wait.place);
    }
  }
  return asked;
}

// What there is to say of runs.
std::map<BegunRuns::Id, RunWaits> BegunRuns::OwnWaits() const {
  std::map<Id, RunWaits> all;
  for (const auto& [id, active] : groups_) {
    const std::set<MeetingPlace> asked = AskedOf(id, active.group->link()->process_of);
    RunWaits waits = active.group->Waits(std::vector<MeetingPlace>(asked.begin(), asked.end()),
                                         asked.empty() ? kLongWait : kShortWait);
    if (!waits.arrivals.empty()) all[id] = std::move(waits);
  }
  for (const Past& past : past_) {
    const std::set<MeetingPlace> asked = AskedOf(past.id, past.process_of);
    if (asked.empty()) continue;
    RunWaits& waits = all[past.id];
    for (const MeetingPlace& place : asked) {
      waits.arrivals[place] = ArrivedAt(place, past.arrivals);
    }
    for (size_t d = 0; d < past.process_of.size(); ++d) {
      if (past.process_of[d] == transport_->process_id()) {
        waits.finished.push_back(static_cast<i64>(d));
      }
    }
  }
  return all;
}

void BegunRuns::SendReport(const std::map<Id, RunWaits>& waits) {
  std::string report;
  for (const Program& run : programs_) {
    StrAppend(report, "run ", run.id.first, " ", run.id.second, " ", run.program, " ", run.name,
              "\n");
  }
  std::string told;
  if (own_failure_) {
    const auto& [id, cause, order] = *own_failure_;
    StrAppend(told, "failed ", id.first, " ", id.second, " ", static_cast<int>(cause.code()), " ",
              PrintableText(std::string_view(cause.message()).substr(0, kMostText)), "\n");
  }
  for (const auto& [id, own] : waits) {
    std::string section = StrCat("in ", id.first, " ", id.second, "\n", RunWaitsText(own));
    // What is not told is not found.
    if (report.size() + told.size() + section.size() <= kMostReportBytes) told += section;
  }
  transport_->SetReport(report + told);
  if (told == sent_at_once_) return;
  sent_at_once_ = std::move(told);
  if (!sent_at_once_.empty()) transport_->SendReportNow();
}

void BegunRuns::FindDeadlocks(const std::map<Id, RunWaits>& waits) {
  for (const auto& [id, own] : waits) {
    const auto group = groups_.find(id);
    if (group == groups_.end() || own.waits.empty()) continue;
    std::map<int, const RunWaits*> processes = {{transport_->process_id(), &own}};
    for (const auto& [process, told] : told_) {
      const auto found = told.waits.find(id);
      if (found != told.waits.end()) processes[process] = &found->second;
    }
    const std::string deadlock = DeadlockOver(group->second.group->link()->process_of, processes);
    if (!deadlock.empty()) group->second.group->EndWith(InvalidArgument(deadlock));
  }
}

void BegunRuns::Parse(Told& told) {
  told.programs.clear();
  told.waits.clear();
  std::string_view report = told.report;
  while (!report.empty()) {
    std::string_view line = report.substr(0, report.find('\n'));
    report.remove_prefix(std::min(report.size(), line.size() + 1));
    const std::string_view what = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), what.size() + 1));
    Id id;
    if (!TakeNumber(line, id.first) || !TakeNumber(line, id.second)) return;
    std::uint64_t number = 0;
    if (what == "run") {
      if (!TakeNumber(line, number)) return;
      told.programs.push_back({id, number, std::string(line)});
      continue;
    }
    if (what == "failed") {
      if (!TakeNumber(line, number)) return;
      const Failure failure = {id, {static_cast<StatusCode>(number), std::string(line)}};
      // A second one is of an earlier run.
      if (told.failure && told.failure->id != id) told.has_taken_failure = false;
      told.failure = failure;
      continue;
    }
    if (what != "in") return;
    const size_t next = report.starts_with("in ") ? 0 : report.find("\nin ");
    const size_t size = next == 0 ? 0 : next == report.npos ? report.size() : next + 1;
    std::optional<RunWaits> waits = ParseRunWaits(report.substr(0, size));
    report.remove_prefix(size);
    if (waits) told.waits[id] = *std::move(waits);
  }
}

std::optional<Status> BegunRuns::Difference(int process, const Told& told) const {
  for (const Program& theirs : told.programs) {
    for (const Program& run : programs_) {
      if (run.id != theirs.id || run.program == theirs.program) continue;
      const int self = transport_->process_id();
      const std::string own = StrCat("process ", self, " runs \"", run.name, "\"");
      const std::string other = StrCat("process ", process, " runs \"", theirs.name, "\"");
      return FailedPrecondition(StrCat(
          "run ", run.id.second, " of the job: ", self < process ? own : other, " and ",
          self < process ? other : own,
          theirs.name == run.name
              ? ", another program of that name, for other devices, with other numerics or on "
                "another engine"
              : "",
          "; all processes run the same programs in the same order, with the same numerics and "
          "engine"));
    }
  }
  return std::nullopt;
}

}  // namespace axle
