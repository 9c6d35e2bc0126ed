#include "axle/client/job.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "axle/client/begun_runs.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// The numbers of devices of all processes, which they tell each other in the store. A process that
// does not say it is lost, which ends the transport.
StatusOr<std::vector<i64>> FirstDevices(Transport& transport, int epoch, i64 num_devices,
                                        double connect_limit, Limits* limits) {
  const auto key = [&](int process) { return StrCat("devices/", epoch, "/", process); };
  AXLE_TRY(transport.store().Set(key(transport.process_id()), StrCat(num_devices)));
  std::vector<i64> first = {0};
  for (int process = 0; process < transport.num_processes(); ++process) {
    AXLE_ASSIGN(const std::string text, transport.store().Get(key(process), connect_limit, limits));
    i64 count = 0;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, count).ptr != end || count < 1 || count > (1 << 20)) {
      return Status(StatusCode::kDataLoss,
                    StrCat("connect: process ", process, " says that it has \"",
                           PrintableText(text), "\" devices"));
    }
    first.push_back(first.back() + count);
  }
  // A process removes its values from a folder when it leaves: none does before all have read.
  AXLE_TRY(transport.Barrier(limits));
  return first;
}

}  // namespace

Job::Job(TransportOptions options)
    : options_(std::move(options)), runs_(std::make_shared<BegunRuns>()) {
  options_.on_heartbeat = [runs = runs_, more = std::move(options_.on_heartbeat)] {
    runs->Compare();
    if (more) more();
  };
}

Job::~Job() {
  runs_->Watch(nullptr);
}

// The transport that it makes is watched for as long as it exists.
StatusOr<std::shared_ptr<Transport>> Job::ConnectAgain(Limits* limits) {
  AXLE_ASSIGN(std::unique_ptr<Transport> transport, ConnectTransport(options_, limits));
  runs_->Watch(transport.get());
  return std::shared_ptr<Transport>(std::move(transport));
}

StatusOr<std::shared_ptr<Job>> Job::Connect(const TransportOptions& options, i64 num_devices,
                                            Limits* limits) {
  const std::shared_ptr<Job> job(new Job(options));
  AXLE_ASSIGN(std::shared_ptr<Transport> transport, job->ConnectAgain(limits));
  job->process_id_ = transport->process_id();
  AXLE_ASSIGN(job->first_,
              FirstDevices(*transport, options.epoch, num_devices, options.connect_limit, limits));
  job->transport_ = std::move(transport);
  return job;
}

Status Job::Reconnect(Limits* limits) {
  const std::lock_guard lock(mutex_);
  // The others may still be in runs in which this process has done its part.
  runs_->EndAll(Cancelled("the process connects again"));
  runs_->Watch(nullptr);
  if (transport_ != nullptr) {
    transport_.reset();
    ++options_.epoch;
  }
  num_runs_.clear();
  AXLE_ASSIGN(std::shared_ptr<Transport> transport, ConnectAgain(limits));
  const i64 num_devices = FirstDeviceOf(process_id_ + 1) - first_device();
  AXLE_ASSIGN(const std::vector<i64> first, FirstDevices(*transport, options_.epoch, num_devices,
                                                         options_.connect_limit, limits));
  if (first != first_) {
    return FailedPrecondition("connect: the processes have other numbers of devices than before");
  }
  transport_ = std::move(transport);
  return {};
}

void Job::Leave() {
  std::shared_ptr<Transport> left;
  {
    const std::lock_guard lock(mutex_);
    runs_->Watch(nullptr);
    left.swap(transport_);
    if (left != nullptr) ++options_.epoch;
  }
  // The thread of a run that has just ended may still hold it, and the process end before that.
  constexpr int kMilliseconds = 200;
  for (int i = 0; i < kMilliseconds && left.use_count() > 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int Job::ProcessOf(i64 device) const {
  return static_cast<int>(std::ranges::upper_bound(first_, device) - first_.begin()) - 1;
}

std::shared_ptr<Transport> Job::transport() const {
  const std::lock_guard lock(mutex_);
  return transport_;
}

Status Job::NextRun(RunLink& link, std::string_view program, GroupRun& group) {
  const std::lock_guard lock(mutex_);
  link.run = ++num_runs_[link.processes];
  return runs_->Add(program, group);
}

void Job::FailRun(const GroupRun& group, const Status& cause) noexcept {
  runs_->Fail(group, cause);
}

void Job::EndRun(const GroupRun& group, bool is_whole) noexcept {
  runs_->End(&group, is_whole);
}

}  // namespace axle
