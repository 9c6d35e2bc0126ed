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

template <typename Number>
std::string OrNull(Number value) {
  return value < 0 ? "null" : ToText(value);
}

void AppendJson(const ProfileRecord& record, std::string& text) {
  StrAppend(text, "{\"computation\":", Quoted(record.computation),
            ",\"name\":", Quoted(record.name), ",\"kind\":", Quoted(record.kind),
            ",\"engine\":", Quoted(record.engine), ",\"ops\":", QuotedList(record.ops),
            ",\"sources\":", QuotedList(record.sources), ",\"callers\":[",
            Join(record.callers, ","), "],\"turns\":", record.turns,
            ",\"timed_turns\":", record.timed_turns);
  StrAppend(text, ",\"seconds\":", record.seconds, ",\"self_seconds\":", record.self_seconds,
            ",\"min_seconds\":", record.min_seconds, ",\"share\":", record.share,
            ",\"bytes_read\":", OrNull(record.bytes_read),
            ",\"bytes_written\":", OrNull(record.bytes_written),
            ",\"flops\":", OrNull(record.flops), ",\"roofline\":", OrNull(record.roofline),
            ",\"threads\":", record.threads, "}");
}

void AppendJson(const ProfileProgram& program, std::string& text) {
  StrAppend(text, "{\"name\":", Quoted(program.name), ",\"device\":", program.device,
            ",\"runs\":", program.runs, ",\"seconds\":", program.seconds,
            ",\"outside_seconds\":", program.outside_seconds, ",\"records\":[");
  for (bool first = true; const ProfileRecord& record : program.records) {
    if (!std::exchange(first, false)) text += ',';
    AppendJson(record, text);
  }
  text += "]}";
}

// The microseconds of a trace, from whole nanoseconds, so that what is inside of an event stays
// inside.
std::string Microseconds(i64 nanoseconds) {
  return Formatted("%lld.%03lld", static_cast<long long>(nanoseconds / 1000),
                   static_cast<long long>(nanoseconds % 1000));
}

void AppendMetadata(std::string_view what, i64 device, int thread, std::string_view name,
                    std::string& text) {
  StrAppend(text, "{\"ph\":\"M\",\"name\":\"", what, "\",\"pid\":", device, ",\"tid\":", thread,
            ",\"args\":{\"name\":", Quoted(name), "}},\n");
}

void AppendEvent(const ProfileReport& report, const ProfileEvent& event, std::string& text) {
  const ProfileProgram& program = report.programs[event.program];
  const bool is_run = event.record == ProfileEvent::kRun;
  const ProfileRecord* const record = is_run ? nullptr : &program.records[event.record];
  StrAppend(text, "{\"ph\":\"X\",\"name\":", Quoted(is_run ? program.name : record->name),
            ",\"cat\":", Quoted(is_run ? "run" : record->kind), ",\"pid\":", program.device,
            ",\"tid\":", event.thread, ",\"ts\":", Microseconds(event.begin),
            ",\"dur\":", Microseconds(event.end - event.begin));
  if (!is_run) {
    StrAppend(text, ",\"args\":{\"computation\":", Quoted(record->computation),
              ",\"ops\":", Quoted(Join(DifferentOps(*record), ", ")));
    if (!record->sources.empty()) {
      StrAppend(text, ",\"source\":", Quoted(record->sources.back()));
    }
    if (const i64 bytes = Bytes(*record); bytes >= 0) StrAppend(text, ",\"bytes\":", bytes);
    if (record->flops >= 0) StrAppend(text, ",\"flops\":", record->flops);
    text += '}';
  }
  text += "},\n";
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
  std::string text = "{\"schema\":\"axle.profile/1\",\"programs\":[";
  for (bool first = true; const ProfileProgram& program : report.programs) {
    if (!std::exchange(first, false)) text += ',';
    AppendJson(program, text);
  }
  text += "],\"machine\":[";
  for (bool first = true; const MachineRates& machine : report.machine) {
    if (!std::exchange(first, false)) text += ',';
    StrAppend(text, "{\"threads\":", machine.threads,
              ",\"bytes_per_second\":", machine.bytes_per_second,
              ",\"flops_per_second\":", machine.flops_per_second, "}");
  }
  text += "]}";
  return text;
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
    AppendMetadata("process_name", device, 0, StrCat("device ", device), text);
  }
  for (const auto& [device, thread] : threads) {
    AppendMetadata("thread_name", device, thread, StrCat("thread ", thread), text);
  }
  i64 end = 0;
  for (const ProfileEvent& event : report.events) {
    AppendEvent(report, event, text);
    end = std::max(end, event.end);
  }
  if (report.events_left_out > 0) {
    StrAppend(
        text, "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"the trace is full: ", report.events_left_out,
        " later events are left out\",\"pid\":0,\"tid\":0,\"ts\":", Microseconds(end), "},\n");
  }
  if (text.ends_with(",\n")) text.resize(text.size() - 2);
  text += "\n]\n";
  return text;
}

}  // namespace axle
