// A report has a line for each run: three numbers and the name.
#include "axle/client/begun_runs.h"

#include <charconv>

#include "axle/core/strings.h"

namespace axle {

void BegunRuns::Watch(Transport* transport) {
  const std::lock_guard lock(mutex_);
  transport_ = transport;
  runs_.clear();
}

void BegunRuns::Add(std::uint64_t processes, std::uint64_t number, std::uint64_t program,
                    std::string_view name) {
  constexpr size_t kMaxName = 200;
  const std::lock_guard lock(mutex_);
  runs_.push_back({processes, number, program, PrintableText(name.substr(0, kMaxName))});
  if (runs_.size() > kMaxRuns) runs_.pop_front();
}

void BegunRuns::Compare() {
  const std::lock_guard lock(mutex_);
  if (transport_ == nullptr) return;
  transport_->SetReport(Report());
  for (int process = 0; process < transport_->num_processes(); ++process) {
    if (process == transport_->process_id()) continue;
    const std::optional<Status> difference = Difference(process, transport_->report(process));
    if (difference) return transport_->Abort(*difference);
  }
}

std::string BegunRuns::Report() const {
  std::string report;
  for (const Run& run : runs_) {
    StrAppend(report, run.processes, " ", run.number, " ", run.program, " ", run.name, "\n");
  }
  return report;
}

std::optional<Status> BegunRuns::Difference(int process, std::string_view report) const {
  while (!report.empty()) {
    std::string_view line = report.substr(0, report.find('\n'));
    report.remove_prefix(std::min(report.size(), line.size() + 1));
    std::uint64_t numbers[3] = {};
    for (std::uint64_t& number : numbers) {
      const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
      if (error != std::errc() || rest == line.data() + line.size()) return std::nullopt;
      line.remove_prefix(static_cast<size_t>(rest - line.data()) + 1);
    }
    for (const Run& run : runs_) {
      if (run.processes != numbers[0] || run.number != numbers[1] || run.program == numbers[2]) {
        continue;
      }
      const int self = transport_->process_id();
      const std::string own = StrCat("process ", self, " runs \"", run.name, "\"");
      const std::string other = StrCat("process ", process, " runs \"", line, "\"");
      return FailedPrecondition(StrCat(
          "run ", run.number, " of the job: ", self < process ? own : other, " and ",
          self < process ? other : own,
          line == run.name ? ", another program of that name or for other devices" : "",
          "; all processes run the same programs in the same order, with the same numerics"));
    }
  }
  return std::nullopt;
}

}  // namespace axle
