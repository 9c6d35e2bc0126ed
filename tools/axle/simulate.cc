// axle simulate: how long a step of a program takes on many processes, by a model (job_model.h).
#include <algorithm>
#include <cmath>

#include "axle/core/strings.h"
#include "axle/ops/open_sizes.h"
#include "tools/axle/job_model.h"
#include "tools/axle/json.h"
#include "tools/axle/quantities.h"
#include "tools/axle/report_text.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

constexpr i64 kMaxDevices = 1 << 20;
// Rows of the tables of one job; the JSON has all.
constexpr size_t kMaxRows = 20;

std::string HumanBytes(double bytes) {
  return axle::HumanBytes(static_cast<i64>(std::min(bytes, 9e18)));
}

// Columns as wide as their widest cell, two spaces apart; the last one is not padded.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { Add(std::move(head)); }
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string Text() const {
    std::vector<size_t> widths(rows_[0].size());
    for (const auto& row : rows_) {
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      text += "  ";
      for (size_t i = 0; i + 1 < row.size(); ++i) text += Padded(row[i], widths[i] + 2);
      StrAppend(text, row.back(), "\n");
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string Plural(i64 count, std::string_view what, std::string_view ending = "s") {
  return StrCat(count, " ", what, count == 1 ? "" : ending);
}

// A number that is whole, but perhaps too large for an integer.
std::string Count(double count) {
  return count < 1e15 ? StrCat(std::llround(count)) : "more than 1e15";
}

struct Simulated {
  JobOptions options;
  JobCost cost;
};

std::string CollectivesText(const JobCost& cost) {
  std::vector<const CollectiveCost*> rows;
  for (const CollectiveCost& collective : cost.costs) rows.push_back(&collective);
  const auto total = [](const CollectiveCost* c) { return c->seconds * c->runs; };
  std::ranges::sort(rows, [&](const auto* a, const auto* b) {
    return total(a) != total(b) ? total(a) > total(b) : a->name < b->name;
  });
  Table table({"time", "of step", "runs", "rounds", "sent", "messages", "most", "collective"});
  for (size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    const CollectiveCost& c = *rows[i];
    table.Add({TimeText(total(rows[i])), PercentText(total(rows[i]), cost.step), Count(c.runs),
               StrCat(c.rounds), HumanBytes(c.sent), Count(c.messages), c.bound,
               StrCat(c.op, " \"", c.name, "\" of ", c.shape, ", ", Plural(c.groups, "group"),
                      " of ", Plural(c.group_size, "device"), " in ",
                      Plural(c.group_processes, "process", "es"))});
  }
  std::string text =
      StrCat("\ncollectives (sent and messages: of one process, each run):\n", table.Text());
  if (rows.size() > kMaxRows) StrAppend(text, "  and ", rows.size() - kMaxRows, " more\n");
  return text;
}

std::string LinksText(const JobCost& cost) {
  Table table({"level", "links", "latency", "bandwidth", "all links", "busiest", "messages", "busy",
               "of step"});
  for (const LinkCost& link : cost.links) {
    table.Add({link.level.name, StrCat(link.links), TimeText(link.level.latency),
               ByteRateText(link.level.bandwidth), HumanBytes(link.bytes), HumanBytes(link.busiest),
               Count(link.messages), TimeText(link.seconds), PercentText(link.seconds, cost.step)});
  }
  return StrCat("\nlinks, over a step:\n", table.Text());
}

std::string PathText(const JobCost& cost) {
  Table table({"time", "of step", "instruction"});
  std::vector<const PathStep*> rows;
  for (const PathStep& step : cost.path) rows.push_back(&step);
  std::ranges::sort(rows, [](const auto* a, const auto* b) {
    return a->seconds != b->seconds ? a->seconds > b->seconds : a->name < b->name;
  });
  for (size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    table.Add({TimeText(rows[i]->seconds), PercentText(rows[i]->seconds, cost.step),
               StrCat(rows[i]->op, " \"", rows[i]->name, "\"")});
  }
  std::string text = StrCat("\ncritical path, longest first:\n", table.Text());
  if (rows.size() > kMaxRows) StrAppend(text, "  and ", rows.size() - kMaxRows, " more\n");
  return text;
}

std::string NotesText(const JobCost& cost) {
  std::string text;
  if (cost.unknown_loops > 0) {
    StrAppend(text, "  note           ", Plural(cost.unknown_loops, "loop"),
              " of unknown length: one iteration counts\n");
  }
  if (cost.transfers > 0) {
    StrAppend(text, "  note           ", cost.transfers,
              cost.transfers == 1 ? " send or recv does" : " sends and recvs do", " not count\n");
  }
  return text;
}

std::string OneText(const std::string& name, const Simulated& job) {
  const JobCost& cost = job.cost;
  std::string text = StrCat(name, " on ", Plural(job.options.replicas, "replica"), " x ",
                            Plural(job.options.partitions, "partition"), " in ",
                            Plural(cost.processes, "process", "es"), " of ",
                            Plural(job.options.devices_per_process, "device"), "\n");
  StrAppend(text, "  step           ", TimeText(cost.step), ": computing ", TimeText(cost.compute),
            ", collectives ", TimeText(cost.collectives), "\n");
  StrAppend(text, "  critical path  ", TimeText(cost.critical_path),
            ", if all that it does not need overlaps\n");
  StrAppend(text, "  memory         ", axle::HumanBytes(cost.memory_bytes()),
            " of a process: ", axle::HumanBytes(cost.value_bytes), " of values, ",
            axle::HumanBytes(cost.message_bytes), " of messages\n");
  StrAppend(text, NotesText(cost));
  if (!cost.costs.empty()) StrAppend(text, CollectivesText(cost), LinksText(cost));
  return StrCat(text, PathText(cost));
}

std::string SweepText(const std::string& name, std::span<const Simulated> jobs) {
  Table table({"replicas", "processes", "step", "computing", "collectives", "critical path",
               "memory", "busiest link"});
  for (const auto& [options, cost] : jobs) {
    const LinkCost* busiest = cost.links.data();
    for (const LinkCost& link : cost.links) {
      if (link.seconds > busiest->seconds) busiest = &link;
    }
    table.Add({StrCat(options.replicas), StrCat(cost.processes), TimeText(cost.step),
               TimeText(cost.compute), TimeText(cost.collectives), TimeText(cost.critical_path),
               axle::HumanBytes(cost.memory_bytes()),
               StrCat(busiest->level.name, ", ", HumanBytes(busiest->busiest), ", ",
                      PercentText(busiest->seconds, cost.step), " of the step")});
  }
  return StrCat(name, " in processes of ", Plural(jobs[0].options.devices_per_process, "device"),
                "\n", table.Text(), NotesText(jobs[0].cost));
}

Json ToJson(const Simulated& job) {
  const auto& [options, cost] = job;
  Json json = {{"replicas", options.replicas},
               {"partitions", options.partitions},
               {"devices_per_process", options.devices_per_process},
               {"processes", cost.processes},
               {"step_seconds", cost.step},
               {"compute_seconds", cost.compute},
               {"collective_seconds", cost.collectives},
               {"critical_path_seconds", cost.critical_path},
               {"flops", cost.flops},
               {"moved_bytes", cost.bytes},
               {"memory_bytes", cost.memory_bytes()},
               {"value_bytes", cost.value_bytes},
               {"message_bytes", cost.message_bytes},
               {"unknown_loops", cost.unknown_loops},
               {"transfers", cost.transfers},
               {"collectives", Json::array()},
               {"links", Json::array()},
               {"critical_path", Json::array()}};
  for (const CollectiveCost& c : cost.costs) {
    json["collectives"].push_back({{"name", c.name},
                                   {"op", c.op},
                                   {"shape", c.shape},
                                   {"runs", c.runs},
                                   {"groups", c.groups},
                                   {"group_devices", c.group_size},
                                   {"group_processes", c.group_processes},
                                   {"rounds", c.rounds},
                                   {"sent_bytes", c.sent},
                                   {"messages", c.messages},
                                   {"seconds", c.seconds},
                                   {"network_seconds", c.network},
                                   {"bound", c.bound}});
  }
  for (const LinkCost& link : cost.links) {
    json["links"].push_back({{"level", link.level.name},
                             {"links", link.links},
                             {"bytes", link.bytes},
                             {"busiest_bytes", link.busiest},
                             {"busiest_messages", link.messages},
                             {"busy_seconds", link.seconds}});
  }
  for (const PathStep& step : cost.path) {
    json["critical_path"].push_back(
        {{"name", step.name}, {"op", step.op}, {"seconds", step.seconds}});
  }
  return json;
}

StatusOr<Topology> WantedTopology(Session& session) {
  const Options& o = session.options();
  if (o.topology.empty()) {
    const auto or_else = [](const std::string& text, const char* otherwise) {
      return text.empty() ? std::string(otherwise) : text;
    };
    NetworkLevel level = {.name = "network"};
    AXLE_ASSIGN(level.latency, ParseTime("--latency", or_else(o.latency, "5us")));
    AXLE_ASSIGN(level.bandwidth, ParseByteRate("--bandwidth", or_else(o.bandwidth, "10GB/s")));
    AXLE_ASSIGN(level.overhead, ParseTime("--overhead", or_else(o.overhead, "1us")));
    return Topology{{level}};
  }
  if (!o.latency.empty() || !o.bandwidth.empty() || !o.overhead.empty()) {
    return InvalidArgument("--topology has latencies, bandwidths and overheads of its own");
  }
  AXLE_ASSIGN(const std::string text, session.Read(o.topology));
  return ParseTopology(o.topology, text);
}

// The options that do not depend on the program.
StatusOr<JobOptions> WantedJob(const Options& o) {
  JobOptions job = {.devices_per_process = o.devices_per_process};
  AXLE_ASSIGN(job.flops, ParseFlopRate("--flops", o.flops.empty() ? "20Gflop/s" : o.flops));
  AXLE_ASSIGN(job.memory_bandwidth,
              ParseByteRate("--memory-bandwidth",
                            o.memory_bandwidth.empty() ? "10GB/s" : o.memory_bandwidth));
  if (!o.compute.empty()) {
    AXLE_ASSIGN(job.compute, ParseTime("--compute", o.compute));
  }
  return job;
}

StatusOr<Simulated> Simulate(Session& session, const Module& module, const Topology& topology,
                             const JobOptions& job) {
  const auto devices = CheckedMul(job.replicas, job.partitions);
  if (!devices || *devices > kMaxDevices) {
    return InvalidArgument(StrCat("simulate: ", job.replicas, " replicas x ", job.partitions,
                                  " partitions are more than ", kMaxDevices, " devices"));
  }
  i64 places = 1;
  for (size_t level = 0; level < topology.levels.size(); ++level) {
    places = topology.SwitchSize(level, *devices);
  }
  const i64 processes = (*devices + job.devices_per_process - 1) / job.devices_per_process;
  if (places < processes) {
    return InvalidArgument(StrCat("simulate: the topology has places for ", places,
                                  " processes, and the job has ", processes));
  }
  AXLE_ASSIGN(const std::unique_ptr<Module> placed, ForDevices(module, job, &session.limits()));
  AXLE_ASSIGN(JobCost cost, Predict(*placed, job, topology, &session.limits()));
  return Simulated{job, std::move(cost)};
}

int SimulateVerb(Session& session) {
  const Options& options = session.options();
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("simulate: ", file.status().message()));
  StatusOr<JobOptions> job = WantedJob(options);
  if (!job.ok()) return session.Usage(StrCat("simulate: ", job.status().message()));
  const StatusOr<Topology> topology = WantedTopology(session);
  if (!topology.ok()) return session.Usage(StrCat("simulate: ", topology.status().message()));
  const auto module = session.Load(*file);
  if (!module.ok()) return session.Fail(module.status());
  session.NoteWhatIsElided(**module);
  if (HasOpenSize(**module)) {
    return session.Fail(Unimplemented("simulate: the program leaves sizes open"));
  }
  const ModuleConfig& config = (*module)->config();
  job->partitions = options.partitions != 0 ? options.partitions : config.num_partitions;
  std::vector<i64> counts(options.replica_list.begin(), options.replica_list.end());
  if (counts.empty()) counts.push_back(config.replica_count);
  std::vector<Simulated> jobs;
  session.Begin("the simulation of", (*module)->name());
  for (const i64 count : counts) {
    job->replicas = count;
    StatusOr<Simulated> simulated = Simulate(session, **module, *topology, *job);
    if (!simulated.ok()) return session.Fail(simulated.status());
    jobs.push_back(*std::move(simulated));
  }
  const std::string name((*module)->name());
  if (options.json) {
    Json report = NewReport("simulate");
    report["file"] = *file;
    report["module"] = name;
    report["jobs"] = Json::array();
    for (const Simulated& simulated : jobs) report["jobs"].push_back(ToJson(simulated));
    session.Out(ToLine(report));
  } else {
    session.Out(jobs.size() == 1 ? OneText(name, jobs[0]) : SweepText(name, jobs));
  }
  return kYes;
}

constexpr OptionUse kOptions[] = {
    {"replica-list"},
    {"partitions", "partitions, as the program says by default"},
    {"devices-per-process"},
    {"latency"},
    {"bandwidth"},
    {"overhead"},
    {"topology"},
    {"flops"},
    {"memory-bandwidth"},
    {"compute"},
    {"json", "everything, with all collectives and the whole critical path"},
    Brief("from"),
    Brief("strict-types"),
    Brief("allow-elided"),
};

}  // namespace

const Verb kSimulateVerb = {
    .name = "simulate",
    .summary = "predict the time of a step on many processes",
    .examples =
        "axle simulate step.hlo --replicas 1024 --latency 5us --bandwidth 10GB/s\n"
        "axle simulate step.hlo --replicas 2,16,1024,10000 --topology cluster.txt\n",
    .description =
        "Nothing runs: a model takes the messages of the collectives, as they are sent, over\n"
        "the network, and the operations and bytes of the other instructions.\n",
    .options = kOptions,
    .run = SimulateVerb};

}  // namespace axle::tool
