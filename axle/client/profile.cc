// Each run is measured on its own and added to the sums when it is over, so that runs do not wait
// for each other. What the steps are is asked when somebody wants to see them: that takes as long
// as a compilation without code, which no run should pay for.
//
// Times of a step include the steps inside of it. What those took is subtracted here, group by
// group: the time of a group, of which some turns may not have been timed, is divided among the
// steps that called it by their numbers of turns, which are exact.
#include "axle/client/profile.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "axle/client/executable.h"
#include "axle/core/profile_clock.h"
#include "axle/core/step_description.h"
#include "axle/core/step_profile.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// A step, by the key of its group.
using StepKey = std::pair<const void*, std::uint32_t>;
constexpr StepKey kNoStep = {nullptr, 0};

struct GroupSums {
  std::uint64_t turns = 0, timed_turns = 0;
  std::uint64_t ticks = 0;
  std::vector<StepProfile::Step> steps;
  std::map<StepKey, std::uint64_t> callers;

  // The ticks of `timed`, scaled to all turns.
  double OfAllTurns(std::uint64_t timed) const {
    if (timed_turns == 0) return 0;
    return static_cast<double>(timed) * static_cast<double>(turns) /
           static_cast<double>(timed_turns);
  }
};

struct EventSums {
  StepKey step;  // kNoStep: the run
  std::uint32_t thread;
  std::uint64_t begin, end;  // ticks
};

// The runs of an executable on a device.
struct Entry {
  std::shared_ptr<const Executable> executable;
  i64 device;
  std::uint64_t runs = 0, ticks = 0;
  std::map<const void*, GroupSums> groups;
  std::vector<EventSums> events;
  mutable std::optional<std::vector<StepGroupDescription>> descriptions;  // when first asked for
};

void Add(const StepProfile::Group& group, std::span<const std::unique_ptr<StepProfile::Group>> all,
         GroupSums& to) {
  to.turns += group.turns;
  to.timed_turns += group.timed_turns;
  to.ticks += group.ticks;
  to.steps.resize(group.steps.size());
  for (size_t i = 0; i < group.steps.size(); ++i) {
    to.steps[i].ticks += group.steps[i].ticks;
    to.steps[i].min_ticks = std::min(to.steps[i].min_ticks, group.steps[i].min_ticks);
    to.steps[i].num_threads = std::max(to.steps[i].num_threads, group.steps[i].num_threads);
  }
  for (const auto& [caller, turns] : group.callers) {
    const bool is_none = caller.group == StepProfile::StepId::kNone;
    to.callers[is_none ? kNoStep : StepKey{all[caller.group]->key, caller.step}] += turns;
  }
}

// Makes the records of one entry.
class Records {
 public:
  Records(const Entry& entry, double seconds_per_tick)
      : entry_(entry), seconds_per_tick_(seconds_per_tick) {}

  // To be called once.
  ProfileProgram Make() {
    program_.name = entry_.executable->name();
    program_.device = entry_.device;
    program_.runs = entry_.runs;
    program_.seconds = static_cast<double>(entry_.ticks) * seconds_per_tick_;
    program_.outside_seconds = program_.seconds;
    for (const StepGroupDescription& group : *entry_.descriptions) AddGroup(group);
    SubtractInner();
    for (ProfileRecord& record : program_.records) {
      record.share = program_.seconds > 0 ? record.self_seconds / program_.seconds : 0;
    }
    Sort();
    return std::move(program_);
  }
  // Where the records of steps have come to be.
  const std::map<StepKey, size_t>& positions() const { return positions_; }

 private:
  void AddGroup(const StepGroupDescription& description) {
    const auto found = entry_.groups.find(description.key);
    if (found == entry_.groups.end() || found->second.timed_turns == 0) return;
    const GroupSums& group = found->second;
    for (size_t i = 0; i < std::min(group.steps.size(), description.steps.size()); ++i) {
      positions_[{description.key, static_cast<std::uint32_t>(i)}] = program_.records.size();
      program_.records.push_back(
          RecordOf(description.computation, description.steps[i], group, group.steps[i]));
    }
  }

  ProfileRecord RecordOf(const std::string& computation, const StepDescription& step,
                         const GroupSums& group, const StepProfile::Step& sums) const {
    ProfileRecord record;
    record.computation = computation;
    record.name = step.name;
    record.kind = step.kind;
    record.engine = step.engine;
    std::set<std::string> seen = {""};
    for (const StepDescription::Op& op : step.ops) {
      record.ops.push_back(op.op);
      if (seen.insert(op.source).second) record.sources.push_back(op.source);
    }
    record.turns = group.turns;
    record.timed_turns = group.timed_turns;
    record.seconds = record.self_seconds = group.OfAllTurns(sums.ticks) * seconds_per_tick_;
    record.min_seconds = static_cast<double>(sums.min_ticks) * seconds_per_tick_;
    record.bytes_read = step.bytes_read;
    record.bytes_written = step.bytes_written;
    record.flops = step.flops;
    record.threads = static_cast<int>(sums.num_threads);
    return record;
  }

  void SubtractInner() {
    for (const auto& [key, group] : entry_.groups) {
      if (group.turns == 0) continue;
      const double seconds = group.OfAllTurns(group.ticks) * seconds_per_tick_;
      for (const auto& [caller, turns] : group.callers) {
        const double part = seconds * static_cast<double>(turns) / static_cast<double>(group.turns);
        if (caller == kNoStep) {
          program_.outside_seconds = std::max(program_.outside_seconds - part, 0.0);
          continue;
        }
        const auto outer = positions_.find(caller);
        if (outer == positions_.end()) continue;
        double& self = program_.records[outer->second].self_seconds;
        self = std::max(self - part, 0.0);
        for (std::uint32_t i = 0; i < group.steps.size(); ++i) {
          const auto inner = positions_.find({key, i});
          if (inner == positions_.end()) break;
          program_.records[inner->second].callers.push_back(outer->second);
        }
      }
    }
  }

  void Sort() {
    std::vector<ProfileRecord>& records = program_.records;
    std::vector<size_t> order(records.size()), position(records.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](size_t a, size_t b) {
      return records[a].self_seconds != records[b].self_seconds
                 ? records[a].self_seconds > records[b].self_seconds
                 : a < b;
    });
    std::vector<ProfileRecord> sorted;
    for (size_t i = 0; i < order.size(); ++i) {
      position[order[i]] = i;
      sorted.push_back(std::move(records[order[i]]));
    }
    for (ProfileRecord& record : sorted) {
      for (size_t& caller : record.callers) caller = position[caller];
      std::ranges::sort(record.callers);
    }
    for (auto& [step, at] : positions_) at = position[at];
    records = std::move(sorted);
  }

  const Entry& entry_;
  const double seconds_per_tick_;
  ProfileProgram program_;
  std::map<StepKey, size_t> positions_;
};

// Sets the rooflines of all records, and the rates of the machine that they come from.
void CompareWithMachine(ProfileReport& report) {
  std::map<int, MachineRates> rates;
  for (ProfileProgram& program : report.programs) {
    for (ProfileRecord& record : program.records) {
      const bool is_known = record.bytes_read >= 0 && record.flops >= 0;
      const auto bytes = static_cast<double>(record.bytes_read + record.bytes_written);
      if (!is_known || bytes + record.flops <= 0 || record.self_seconds <= 0) continue;
      MachineRates& machine = rates.try_emplace(record.threads).first->second;
      if (machine.flops_per_second == 0) machine = MeasuredRates(record.threads);
      double best = record.flops / machine.flops_per_second;
      if (machine.bytes_per_second > 0) best = std::max(best, bytes / machine.bytes_per_second);
      record.roofline = best * static_cast<double>(record.turns) / record.self_seconds;
    }
  }
  for (const auto& [threads, machine] : rates) report.machine.push_back(machine);
}

}  // namespace

struct Profile::State {
  explicit State(const ProfileOptions& options) : events_left(options.max_events) {}

  Entry& EntryOf(const Executable& executable, i64 device) {
    const auto found = std::ranges::find_if(entries, [&](const auto& entry) {
      return entry->executable.get() == &executable && entry->device == device;
    });
    if (found != entries.end()) return **found;
    auto made = std::make_unique<Entry>();
    made->executable = executable.shared_from_this();
    made->device = device;
    return *entries.emplace_back(std::move(made));
  }

  // The events of a run, as far as there is room.
  void AddEvents(const StepProfile& steps, Entry& entry, std::uint64_t begin, std::uint64_t end) {
    left_out += steps.num_left_out();
    if (events_left == 0) return;
    --events_left;
    const auto thread_of = [&](std::uint64_t thread) {
      std::map<std::uint64_t, std::uint32_t>& known = threads[entry.device];
      return known.emplace(thread, static_cast<std::uint32_t>(known.size())).first->second;
    };
    std::vector<std::uint32_t> numbers;
    for (const std::uint64_t thread : steps.event_threads()) numbers.push_back(thread_of(thread));
    entry.events.push_back({kNoStep, numbers[0], begin, end});
    for (const StepProfile::Event& event : steps.events()) {
      if (events_left == 0) {
        ++left_out;
        continue;
      }
      --events_left;
      const void* const key = steps.groups()[event.step.group]->key;
      entry.events.push_back({{key, event.step.step},
                              numbers[event.thread],
                              event.begin,
                              std::max(event.begin, event.end)});
    }
  }

  mutable std::mutex mutex;
  std::uint64_t events_left, left_out = 0;
  std::vector<std::unique_ptr<Entry>> entries;
  // The numbers of pthread_self's, by device.
  std::map<i64, std::map<std::uint64_t, std::uint32_t>> threads;
};

Profile::Profile(const ProfileOptions& options) : state_(std::make_unique<State>(options)) {}
Profile::~Profile() = default;

Profile::Recording::Recording(Profile& profile)
    : profile_(profile),
      steps_([&] {
        const std::lock_guard lock(profile.state_->mutex);
        return std::make_unique<StepProfile>(profile.state_->events_left);
      }()),
      begin_(ProfileClock::Now()) {}

Profile::Recording::~Recording() = default;

void Profile::Recording::Finish(const Executable& executable, i64 device) {
  const std::uint64_t end = ProfileClock::Now();
  State& state = *profile_.state_;
  const std::lock_guard lock(state.mutex);
  Entry& entry = state.EntryOf(executable, device);
  ++entry.runs;
  entry.ticks += end - begin_;
  for (const auto& group : steps_->groups()) {
    Add(*group, steps_->groups(), entry.groups[group->key]);
  }
  state.AddEvents(*steps_, entry, begin_, end);
}

StatusOr<ProfileReport> Profile::Report() const {
  const double nanoseconds = ProfileClock::NanosecondsPerTick();
  const std::lock_guard lock(state_->mutex);
  ProfileReport report;
  report.events_left_out = state_->left_out;
  std::uint64_t first = ~std::uint64_t{0};
  for (const auto& entry : state_->entries) {
    for (const EventSums& event : entry->events) first = std::min(first, event.begin);
  }
  if (first != ~std::uint64_t{0}) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const double passed = static_cast<double>(ProfileClock::Now() - first) * nanoseconds;
    report.first_event = now / std::chrono::nanoseconds(1) - static_cast<i64>(passed);
  }
  const auto since_first = [&](std::uint64_t ticks) {
    return static_cast<i64>(static_cast<double>(ticks - first) * nanoseconds);
  };
  for (const auto& entry : state_->entries) {
    if (!entry->descriptions) {
      AXLE_ASSIGN(entry->descriptions, entry->executable->DescribeSteps());
    }
    Records records(*entry, nanoseconds * 1e-9);
    report.programs.push_back(records.Make());
    for (const EventSums& event : entry->events) {
      size_t record = ProfileEvent::kRun;
      if (event.step != kNoStep) {
        const auto found = records.positions().find(event.step);
        if (found == records.positions().end()) continue;
        record = found->second;
      }
      report.events.push_back({report.programs.size() - 1, record, static_cast<int>(event.thread),
                               since_first(event.begin), since_first(event.end)});
    }
  }
  CompareWithMachine(report);
  return report;
}

}  // namespace axle
