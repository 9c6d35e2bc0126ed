#include "axle/client/profile_text.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

#include "axle/core/strings.h"

namespace axle {
namespace {

template <typename... Values>
std::string Formatted(const char* format, Values... values) {
  char text[96];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string Time(double seconds) {
  if (seconds >= 1) return Formatted("%.3f s", seconds);
  if (seconds >= 1e-3) return Formatted("%.3f ms", seconds * 1e3);
  return Formatted("%.2f us", seconds * 1e6);
}

// "1.05 M", for a unit behind it.
std::string Scaled(double value) {
  constexpr std::pair<double, const char*> kUnits[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto& [unit, name] : kUnits) {
    if (value >= unit) return Formatted("%.3g %s", value / unit, name);
  }
  return Formatted("%.3g ", value);
}

std::string Percent(double part) {
  return Formatted("%.1f %%", part * 100);
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

i64 Bytes(const ProfileRecord& record) {
  return record.bytes_read < 0 || record.bytes_written < 0
             ? -1
             : record.bytes_read + record.bytes_written;
}

// The different operations of a record, in the order in which they first come.
std::vector<std::string> DifferentOps(const ProfileRecord& record) {
  std::set<std::string> seen;
  std::vector<std::string> ops;
  for (const std::string& op : record.ops) {
    if (seen.insert(op).second) ops.push_back(op);
  }
  return ops;
}

// "contraction add.3 in body: dot, add (net.py:17)"
std::string StepText(const ProfileRecord& record) {
  constexpr size_t kMaxOps = 4;
  std::string text = StrCat(record.kind, " ", PrintableText(record.name));
  if (!record.callers.empty()) StrAppend(text, " in ", PrintableText(record.computation));
  std::vector<std::string> ops = DifferentOps(record);
  if (ops.size() > kMaxOps) {
    ops.resize(kMaxOps);
    ops.back() = "...";
  }
  if (ops.size() > 1 || (ops.size() == 1 && ops[0] != record.kind)) {
    StrAppend(text, ": ", Join(ops, ", "));
  }
  if (!record.sources.empty()) {
    StrAppend(text, " (", PrintableText(BaseName(record.sources.back())), ")");
  }
  return text;
}

// Columns that are as wide as their widest text: the last one to the left, the others to the right.
class Columns {
 public:
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string ToText() const {
    std::vector<size_t> widths(rows_[0].size());
    for (const auto& row : rows_) {
      for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      for (size_t c = 0; c + 1 < row.size(); ++c) {
        text.append(2 + widths[c] - row[c].size(), ' ');
        text += row[c];
      }
      StrAppend(text, "  ", row.back(), "\n");
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

bool IsEstimated(const ProfileRecord& record) {
  return record.timed_turns < record.turns;
}

void AppendProgram(const ProfileProgram& program, bool names_device, i64 max_rows,
                   std::string& text) {
  const auto runs = static_cast<double>(std::max<std::uint64_t>(program.runs, 1));
  StrAppend(text, "profile of \"", PrintableText(program.name), "\"");
  if (names_device) StrAppend(text, " on device ", program.device);
  StrAppend(text, ": ", program.runs, program.runs == 1 ? " run, " : " runs, ",
            Time(program.seconds / runs), program.runs == 1 ? "" : " each", "; ",
            Percent(program.seconds > 0 ? program.outside_seconds / program.seconds : 0),
            " outside of steps\n");
  if (program.records.empty()) return;
  Columns columns;
  columns.Add({"share", "self/run", "turns/run", "min/turn", "threads", "bytes/turn", "flops/turn",
               "roofline", "step"});
  double rest = 0;
  i64 row = 0;
  for (const ProfileRecord& record : program.records) {
    if (row++ >= max_rows) {
      rest += record.share;
      continue;
    }
    const i64 bytes = Bytes(record);
    columns.Add({Percent(record.share),
                 StrCat(IsEstimated(record) ? "~" : "", Time(record.self_seconds / runs)),
                 Formatted("%.6g", static_cast<double>(record.turns) / runs),
                 Time(record.min_seconds), ToText(record.threads),
                 bytes < 0 ? "-" : StrCat(Scaled(static_cast<double>(bytes)), "B"),
                 record.flops < 0 ? "-" : Scaled(record.flops),
                 record.roofline < 0 ? "-" : Formatted("%.0f %%", record.roofline * 100),
                 StepText(record)});
  }
  text += columns.ToText();
  if (row > max_rows) {
    StrAppend(text, "  and ", row - max_rows, " more steps, ", Percent(rest), "\n");
  }
}

// Text between double quotes.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : PrintableText(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\t') {
      quoted += "\\t";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string QuotedList(const std::vector<std::string>& texts) {
  return StrCat("[", Join(texts, ",", [](const std::string& text) { return Quoted(text); }), "]");
}

// Adds a member to an object that is not closed yet. `value` is JSON.
void AddMember(std::string& object, std::string_view name, std::string_view value) {
  if (object.back() != '{') object += ',';
  object += '"';
  object += name;
  object += "\":";
  object += value;
}
void AddNumber(std::string& object, std::string_view name, double value) {
  AddMember(object, name, ToText(value));
}
void AddCount(std::string& object, std::string_view name, std::uint64_t value) {
  AddMember(object, name, ToText(value));
}
void AddText(std::string& object, std::string_view name, std::string_view value) {
  AddMember(object, name, Quoted(value));
}
// Negative: not known.
void AddKnown(std::string& object, std::string_view name, double value) {
  AddMember(object, name, value < 0 ? "null" : ToText(value));
}
void AddKnownBytes(std::string& object, std::string_view name, i64 value) {
  AddMember(object, name, value < 0 ? "null" : ToText(value));
}

std::string ToJson(const ProfileRecord& record) {
  std::string object = "{";
  AddText(object, "computation", record.computation);
  AddText(object, "name", record.name);
  AddText(object, "kind", record.kind);
  AddText(object, "engine", record.engine);
  AddMember(object, "ops", QuotedList(record.ops));
  AddMember(object, "sources", QuotedList(record.sources));
  AddMember(object, "callers", StrCat("[", Join(record.callers, ","), "]"));
  AddCount(object, "turns", record.turns);
  AddCount(object, "timed_turns", record.timed_turns);
  AddNumber(object, "seconds", record.seconds);
  AddNumber(object, "self_seconds", record.self_seconds);
  AddNumber(object, "min_seconds", record.min_seconds);
  AddNumber(object, "share", record.share);
  AddKnownBytes(object, "bytes_read", record.bytes_read);
  AddKnownBytes(object, "bytes_written", record.bytes_written);
  AddKnown(object, "flops", record.flops);
  AddKnown(object, "roofline", record.roofline);
  AddCount(object, "threads", static_cast<std::uint64_t>(record.threads));
  return object += '}';
}

template <typename T>
std::string ListOf(const std::vector<T>& values, std::string (*to_json)(const T&)) {
  std::string list = "[";
  for (const T& value : values) {
    if (list.size() > 1) list += ',';
    list += to_json(value);
  }
  return list += ']';
}

std::string ToJson(const ProfileProgram& program) {
  std::string object = "{";
  AddText(object, "name", program.name);
  AddCount(object, "device", static_cast<std::uint64_t>(program.device));
  AddCount(object, "runs", program.runs);
  AddNumber(object, "seconds", program.seconds);
  AddNumber(object, "outside_seconds", program.outside_seconds);
  AddMember(object, "records", ListOf<ProfileRecord>(program.records, ToJson));
  return object += '}';
}

std::string ToJson(const MachineRates& machine) {
  std::string object = "{";
  AddCount(object, "threads", static_cast<std::uint64_t>(machine.threads));
  AddNumber(object, "bytes_per_second", machine.bytes_per_second);
  AddNumber(object, "flops_per_second", machine.flops_per_second);
  return object += '}';
}

// The microseconds of a trace, from whole nanoseconds, so that what is inside of an event stays
// inside.
std::string Microseconds(i64 nanoseconds) {
  return Formatted("%lld.%03lld", static_cast<long long>(nanoseconds / 1000),
                   static_cast<long long>(nanoseconds % 1000));
}

std::string Metadata(std::string_view what, i64 device, int thread, const std::string& name) {
  std::string args = "{", object = "{";
  AddText(args, "name", name);
  AddText(object, "ph", "M");
  AddText(object, "name", what);
  AddCount(object, "pid", static_cast<std::uint64_t>(device));
  AddCount(object, "tid", static_cast<std::uint64_t>(thread));
  AddMember(object, "args", args += '}');
  return object += "},\n";
}

std::string ArgumentsOf(const ProfileRecord& record) {
  std::string object = "{";
  AddText(object, "computation", record.computation);
  AddText(object, "ops", Join(DifferentOps(record), ", "));
  if (!record.sources.empty()) AddText(object, "source", record.sources.back());
  if (const i64 bytes = Bytes(record); bytes >= 0) AddKnownBytes(object, "bytes", bytes);
  if (record.flops >= 0) AddNumber(object, "flops", record.flops);
  return object += '}';
}

std::string ToJson(const ProfileReport& report, const ProfileEvent& event) {
  const ProfileProgram& program = report.programs[event.program];
  const bool is_run = event.record == ProfileEvent::kRun;
  const ProfileRecord* const record = is_run ? nullptr : &program.records[event.record];
  std::string object = "{";
  AddText(object, "ph", "X");
  AddText(object, "name", is_run ? program.name : record->name);
  AddText(object, "cat", is_run ? "run" : record->kind);
  AddCount(object, "pid", static_cast<std::uint64_t>(program.device));
  AddCount(object, "tid", static_cast<std::uint64_t>(event.thread));
  AddMember(object, "ts", Microseconds(event.begin));
  AddMember(object, "dur", Microseconds(event.end - event.begin));
  if (!is_run) AddMember(object, "args", ArgumentsOf(*record));
  return object += "},\n";
}

// What a reader sees at the end of a trace that is not whole.
std::string LeftOut(std::uint64_t count, i64 end) {
  std::string object = "{";
  AddText(object, "ph", "i");
  AddText(object, "s", "g");
  AddText(object, "name", StrCat("the trace is full: ", count, " later events are left out"));
  AddCount(object, "pid", 0);
  AddCount(object, "tid", 0);
  AddMember(object, "ts", Microseconds(end));
  return object += "},\n";
}

}  // namespace

std::string ProfileTable(const ProfileReport& report, i64 max_rows) {
  std::string text;
  bool is_estimated = false;
  std::set<i64> devices;
  for (const ProfileProgram& program : report.programs) devices.insert(program.device);
  for (const ProfileProgram& program : report.programs) {
    AppendProgram(program, devices.size() > 1, max_rows, text);
    is_estimated |= std::ranges::any_of(program.records, IsEstimated);
  }
  if (is_estimated) text += "~ is estimated from the turns that were timed\n";
  for (const MachineRates& machine : report.machine) {
    StrAppend(text, "roofline of ", machine.threads,
              machine.threads == 1 ? " thread: " : " threads: ", Scaled(machine.bytes_per_second),
              "B/s, ", Scaled(machine.flops_per_second), "flop/s of f32\n");
  }
  return text;
}

std::string ProfileJson(const ProfileReport& report) {
  std::string object = "{";
  AddText(object, "schema", "axle.profile/1");
  AddMember(object, "programs", ListOf<ProfileProgram>(report.programs, ToJson));
  AddMember(object, "machine", ListOf<MachineRates>(report.machine, ToJson));
  return object += '}';
}

std::string ProfileTrace(const ProfileReport& report) {
  std::string text = "[\n";
  std::set<i64> devices;
  std::set<std::pair<i64, int>> threads;
  for (const ProfileEvent& event : report.events) {
    const i64 device = report.programs[event.program].device;
    devices.insert(device);
    threads.insert({device, event.thread});
  }
  for (const i64 device : devices) {
    text += Metadata("process_name", device, 0, StrCat("device ", device));
  }
  for (const auto& [device, thread] : threads) {
    text += Metadata("thread_name", device, thread, StrCat("thread ", thread));
  }
  i64 end = 0;
  for (const ProfileEvent& event : report.events) {
    text += ToJson(report, event);
    end = std::max(end, event.end);
  }
  if (report.events_left_out > 0) text += LeftOut(report.events_left_out, end);
  if (text.ends_with(",\n")) text.resize(text.size() - 2);
  text += "\n]\n";
  return text;
}

}  // namespace axle
