// A line for each fact; lists of devices are ranges, "0-3,7":
//
//   finished 0-1
//   waits DEVICE LEADER PROCESS PLACE PARTICIPANTS TEXT
//   came PLACE DEVICES
//
// where PLACE is its four numbers.
#include "axle/runtime/run_waits.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "axle/core/strings.h"

namespace axle {
namespace {

// A name in a report: programs may have longer ones.
constexpr size_t kMostText = 200;
// Of a run: what a report from elsewhere may name.
constexpr i64 kMostDevices = i64{1} << 20;

std::string RangesText(const Dims& devices) {
  if (devices.empty()) return "-";
  std::string text;
  for (size_t i = 0; i < devices.size();) {
    size_t end = i + 1;
    while (end < devices.size() && devices[end] == devices[end - 1] + 1) ++end;
    StrAppend(text, text.empty() ? "" : ",", devices[i]);
    if (end > i + 1) StrAppend(text, "-", devices[end - 1]);
    i = end;
  }
  return text;
}

void AppendPlace(std::string& text, const MeetingPlace& place) {
  StrAppend(text, static_cast<int>(place.kind), " ", place.instruction, " ", place.execution, " ",
            place.group, " ");
}

// Takes words and numbers from the front of a line.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}
  std::string_view Word() {
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(std::min(rest_.size(), word.size() + 1));
    return word;
  }
  template <typename T>
  T Number() {
    T value = 0;
    const std::string_view word = Word();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    is_whole_ = is_whole_ && error == std::errc() && end == word.data() + word.size();
    return value;
  }
  MeetingPlace Place() {
    MeetingPlace place;
    const int kind = Number<int>();
    is_whole_ = is_whole_ && kind >= 0 && kind <= static_cast<int>(MeetingPlace::Kind::kTransfer);
    place.kind = static_cast<MeetingPlace::Kind>(kind);
    place.instruction = Number<std::uint64_t>();
    place.execution = Number<std::int64_t>();
    place.group = Number<std::uint64_t>();
    return place;
  }
  Dims Ranges() {
    Dims devices;
    std::string_view word = Word();
    if (word == "-") return devices;
    while (!word.empty()) {
      const std::string_view range = word.substr(0, word.find(','));
      word.remove_prefix(std::min(word.size(), range.size() + 1));
      const size_t dash = range.find('-');
      const i64 first = LineReader(range.substr(0, dash)).Device(is_whole_);
      const i64 last = dash == std::string_view::npos
                           ? first
                           : LineReader(range.substr(dash + 1)).Device(is_whole_);
      is_whole_ = is_whole_ && last - first < kMostDevices - std::ssize(devices);
      for (i64 device = first; device <= last && is_whole_; ++device) devices.push_back(device);
    }
    is_whole_ = is_whole_ && !devices.empty();
    return devices;
  }
  std::string_view rest() const { return rest_; }
  bool is_whole() const { return is_whole_; }

 private:
  i64 Device(bool& is_whole) {
    const i64 device = Number<i64>();
    is_whole = is_whole && is_whole_ && device >= 0 && device < kMostDevices;
    return is_whole ? device : 0;
  }
  std::string_view rest_;
  bool is_whole_ = true;
};

}  // namespace

std::string RunWaitsText(const RunWaits& waits) {
  std::string text;
  if (!waits.finished.empty()) StrAppend(text, "finished ", RangesText(waits.finished), "\n");
  for (const DeviceWait& wait : waits.waits) {
    StrAppend(text, "waits ", wait.device, " ", wait.leader, " ", wait.process, " ");
    AppendPlace(text, wait.place);
    StrAppend(text, RangesText(wait.participants), " ",
              PrintableText(std::string_view(wait.text).substr(0, kMostText)), "\n");
  }
  for (const auto& [place, devices] : waits.arrivals) {
    text += "came ";
    AppendPlace(text, place);
    StrAppend(text, RangesText(devices), "\n");
  }
  return text;
}

std::optional<RunWaits> ParseRunWaits(std::string_view text) {
  RunWaits waits;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    LineReader line(text.substr(0, end));
    text.remove_prefix(end + 1);
    const std::string_view what = line.Word();
    if (what == "finished") {
      waits.finished = line.Ranges();
    } else if (what == "waits") {
      DeviceWait wait;
      wait.device = line.Number<i64>();
      wait.leader = line.Number<i64>();
      wait.process = line.Number<int>();
      wait.place = line.Place();
      wait.participants = line.Ranges();
      wait.text = line.rest();
      waits.waits.push_back(std::move(wait));
    } else if (what == "came") {
      const MeetingPlace place = line.Place();
      waits.arrivals[place] = line.Ranges();
    } else {
      return std::nullopt;
    }
    if (!line.is_whole()) return std::nullopt;
  }
  return waits;
}

std::string DevicesText(std::span<const i64> devices) {
  const std::span<const i64> shown = devices.first(std::min(devices.size(), kMostInDeadlock));
  std::string text = StrCat(devices.size() == 1 ? "device " : "devices ", Join(shown, ", "));
  if (devices.size() > shown.size())
    StrAppend(text, " and ", devices.size() - shown.size(), " more");
  return text;
}

Dims ArrivedAt(const MeetingPlace& place, const Arrivals& arrivals) {
  Dims devices;
  MeetingPlace first = place;
  first.group = 0;
  // The last arrival of a device may be a later one. Of literals the group is not kept.
  for (auto it = std::ranges::lower_bound(arrivals, first, {}, &Arrival::place);
       it != arrivals.end() && it->place.kind == place.kind &&
       it->place.instruction == place.instruction;
       ++it) {
    if (it->place.group == place.group || place.kind == MeetingPlace::Kind::kLiterals) {
      devices.push_back(it->device);
    }
  }
  std::ranges::sort(devices);
  return devices;
}

namespace {

class DeadlockSearch {
 public:
  DeadlockSearch(std::span<const int> process_of, const std::map<int, const RunWaits*>& processes)
      : process_of_(process_of),
        processes_(processes),
        waits_(process_of.size()),
        progresses_(process_of.size(), true) {
    for (const auto& [process, known] : processes) {
      for (const i64 device : known->finished) {
        if (!IsOf(device, process)) continue;
        progresses_[static_cast<size_t>(device)] = false;
        finished_.push_back(device);
      }
      for (const DeviceWait& wait : known->waits) {
        if (!IsOf(wait.device, process)) continue;
        progresses_[static_cast<size_t>(wait.device)] = false;
        waits_[static_cast<size_t>(wait.device)] = &wait;
      }
    }
    std::ranges::sort(finished_);
  }

  std::string Run() {
    std::vector<Dims> needed(waits_.size());
    for (size_t d = 0; d < waits_.size(); ++d) {
      if (waits_[d] != nullptr) needed[d] = NeededBy(*waits_[d]);
    }
    for (bool changed = true; std::exchange(changed, false);) {
      for (size_t d = 0; d < waits_.size(); ++d) {
        if (progresses_[d] || waits_[d] == nullptr) continue;
        progresses_[d] = std::ranges::all_of(
            needed[d], [&](i64 device) { return progresses_[static_cast<size_t>(device)]; });
        changed = changed || progresses_[d];
      }
    }
    return Text();
  }

 private:
  bool IsOf(i64 device, int process) const {
    return device >= 0 && device < std::ssize(process_of_) &&
           process_of_[static_cast<size_t>(device)] == process;
  }
  // The participants that are known not to have come, of one process or of all.
  Dims Missing(const DeviceWait& wait, int of_process) const {
    Dims missing;
    for (const auto& [process, known] : processes_) {
      if (of_process != kAllProcesses && process != of_process) continue;
      const auto arrived = known->arrivals.find(wait.place);
      if (arrived == known->arrivals.end()) continue;
      for (const i64 device : wait.participants) {
        if (IsOf(device, process) && !std::ranges::binary_search(arrived->second, device)) {
          missing.push_back(device);
        }
      }
    }
    std::ranges::sort(missing);
    return missing;
  }
  Dims NeededBy(const DeviceWait& wait) const {
    if (wait.leader < 0) return Missing(wait, wait.process);
    return wait.leader < std::ssize(waits_) ? Dims{wait.leader} : Dims();
  }

  // Of devices that wait at the same place, the first one stands for all.
  std::string Text() const {
    std::string text;
    std::vector<MeetingPlace> told;
    for (size_t d = 0; d < waits_.size(); ++d) {
      const DeviceWait* const wait = waits_[d];
      if (progresses_[d] || wait == nullptr || told.size() == kMostInDeadlock ||
          std::ranges::find(told, wait->place) != told.end()) {
        continue;
      }
      StrAppend(text, told.empty() ? "deadlock: " : "; ", "device ", d, " waits ", wait->text,
                " for ", DevicesText(Missing(*wait, kAllProcesses)));
      told.push_back(wait->place);
    }
    if (!text.empty() && !finished_.empty()) {
      StrAppend(text, "; ", DevicesText(finished_), finished_.size() == 1 ? " has" : " have",
                " finished the program");
    }
    return text;
  }

  const std::span<const int> process_of_;
  const std::map<int, const RunWaits*>& processes_;
  std::vector<const DeviceWait*> waits_;  // by device
  std::vector<bool> progresses_;          // by device
  Dims finished_;
};

}  // namespace

std::string DeadlockOver(std::span<const int> process_of,
                         const std::map<int, const RunWaits*>& processes) {
  return DeadlockSearch(process_of, processes).Run();
}

}  // namespace axle
