// bench_exchange: the messages of collectives between all processes of a job, without the folds,
// beside which `axle simulate` puts what its model says of them:
//
//   axle launch -n 4 -- bench_exchange
//
// Each process has one device. A line for each collective and size: the median and the least time
// of a run in microseconds, of four that follow each other. The least is that of a machine that
// does nothing else.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "axle/distributed/transport.h"
#include "axle/ops/exchange_rounds.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

struct Case {
  const char* name;
  ExchangeForm form;
};
constexpr Case kCases[] = {{"all-reduce", ExchangeForm::kReduce},
                           {"all-gather", ExchangeForm::kGather},
                           {"all-to-all", ExchangeForm::kAllToAll}};

// One run of a plan; `bytes` has room for all messages of a round, out and in.
Status Exchange(Transport& transport, const ExchangePlan& plan, std::uint64_t run,
                std::span<std::byte> bytes) {
  const i64 self = transport.process_id();
  for (size_t round = 0; round < plan.rounds.size(); ++round) {
    const MessageKey key = {.run = run, .instruction = round, .operation = "bench"};
    std::vector<std::unique_ptr<PendingReceive>> receives;
    size_t at = 0;
    const auto take = [&](i64 size) {
      const auto part = bytes.subspan(at, static_cast<size_t>(size));
      at += static_cast<size_t>(size);
      return part;
    };
    for (i64 k = 1; k < std::ssize(plan.processes); ++k) {
      const i64 from = (self + k) % std::ssize(plan.processes);
      for (const ExchangeMessage& message : MessagesFrom(plan.rounds[round], from)) {
        if (message.to != self) continue;
        AXLE_ASSIGN(auto receive,
                    transport.StartReceive(static_cast<int>(from), key, take(message.bytes)));
        receives.push_back(std::move(receive));
      }
    }
    for (const ExchangeMessage& message : MessagesFrom(plan.rounds[round], self)) {
      AXLE_TRY(transport.Send(static_cast<int>(message.to), key, take(message.bytes), nullptr));
    }
    for (const auto& receive : receives) AXLE_TRY(receive->Wait(nullptr));
  }
  return {};
}

Status Measure(Transport& transport) {
  std::vector<i64> processes;
  for (i64 p = 0; p < transport.num_processes(); ++p) processes.push_back(p);
  constexpr int kFollowing = 4;
  std::uint64_t run = 0;
  for (const auto& [name, form] : kCases) {
    for (const i64 size : {i64{1} << 10, i64{16} << 10, i64{256} << 10, i64{4} << 20}) {
      const ExchangePlan plan =
          PlanExchange({.form = form, .processes = processes, .bytes = size, .is_tree = true});
      std::vector<std::byte> bytes(static_cast<size_t>(2 * size * std::ssize(processes)));
      std::vector<double> times;
      const int rounds = size > (1 << 20) ? 12 : 60;
      for (int round = -3; round < rounds; ++round) {
        AXLE_TRY(transport.Barrier(nullptr));
        const auto start = Clock::now();
        for (int i = 0; i < kFollowing; ++i) AXLE_TRY(Exchange(transport, plan, ++run, bytes));
        const std::chrono::duration<double> time = Clock::now() - start;
        if (round >= 0) times.push_back(time.count() / kFollowing);
      }
      if (transport.process_id() != 0) continue;
      std::ranges::sort(times);
      std::printf("%d processes, %s of %ld bytes: %.1f us, least %.1f us\n",
                  transport.num_processes(), name, static_cast<long>(size),
                  times[times.size() / 2] * 1e6, times[0] * 1e6);
      std::fflush(stdout);
    }
  }
  return transport.Barrier(nullptr);
}

int Main() {
  StatusOr<std::unique_ptr<Transport>> transport = ConnectTransport({});
  const Status status = transport.ok() ? Measure(**transport) : transport.status();
  if (!status.ok()) std::fprintf(stderr, "bench_exchange: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace axle

int main() {
  return axle::Main();
}
