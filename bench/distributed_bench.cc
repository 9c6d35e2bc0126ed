// bench_distributed: messages between two processes, beside Gloo's own. Two processes run it:
//
//   axle launch -n 2 -- bench_distributed
//
// Each round has an exchange of our transport (both send and receive a message of the size), one of
// Gloo's unbound buffers, and an all-reduce of Gloo by its ring, one after the other, so that what
// else the machine does meets all three. Prints medians in microseconds, and their ratios.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "axle/distributed/transport.h"
#include "gloo/allreduce.h"
#include "gloo/rendezvous/context.h"
#include "gloo/rendezvous/store.h"
#include "gloo/transport/tcp/device.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

// Gloo's rendezvous, over the store of the job.
class GlooStore : public gloo::rendezvous::Store {
 public:
  explicit GlooStore(KeyValueStore& store) : store_(store) {}
  void set(const std::string& key, const std::vector<char>& data) override {
    static_cast<void>(store_.Set("bench/" + key, std::string_view(data.data(), data.size())));
  }
  std::vector<char> get(const std::string& key) override {
    const StatusOr<std::string> value = store_.Get("bench/" + key, 30);
    return value.ok() ? std::vector<char>(value->begin(), value->end()) : std::vector<char>();
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) get(key);
  }

 private:
  KeyValueStore& store_;
};

double Median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2] * 1e6;
}

Status Measure(Transport& transport) {
  const int self = transport.process_id(), other = 1 - self;
  gloo::transport::tcp::attr attr;
  attr.hostname = "127.0.0.1";
  auto device = gloo::transport::tcp::CreateDevice(attr);
  auto context = std::make_shared<gloo::rendezvous::Context>(self, 2);
  GlooStore store(transport.store());
  context->connectFullMesh(store, device);
  std::uint64_t run = 0;
  std::uint32_t tag = 0;
  for (const size_t size : {size_t{1} << 10, size_t{64} << 10, size_t{4} << 20}) {
    std::vector<std::byte> out(size), in(size);
    std::vector<float> values(size / sizeof(float), 1);
    const auto exchange = [&]() -> Status {
      const MessageKey key = {.run = ++run};
      AXLE_ASSIGN(auto pending, transport.StartReceive(other, key, in));
      AXLE_TRY(transport.Send(other, key, out, nullptr));
      return pending->Wait(nullptr);
    };
    const auto gloo_exchange = [&] {
      auto to = context->createUnboundBuffer(out.data(), size);
      auto from = context->createUnboundBuffer(in.data(), size);
      const std::uint64_t slot = std::uint64_t{1} << 40 | ++tag;
      from->recv(other, slot);
      to->send(other, slot);
      to->waitSend();
      from->waitRecv();
    };
    const auto gloo_all_reduce = [&] {
      gloo::AllreduceOptions options(context);
      options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
      options.setTag(++tag);
      options.setOutput(values.data(), values.size());
      options.setReduceFunction([](void* c, const void* a, const void* b, size_t n) {
        for (size_t i = 0; i < n; ++i) {
          static_cast<float*>(c)[i] =
              static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i];
        }
      });
      gloo::allreduce(options);
    };
    std::vector<double> times[3];
    const int rounds = size > (1 << 20) ? 60 : 400;
    for (int round = -10; round < rounds; ++round) {
      for (int kind = 0; kind < 3; ++kind) {
        AXLE_TRY(transport.Barrier(nullptr));
        const auto start = Clock::now();
        if (kind == 0) AXLE_TRY(exchange());
        if (kind == 1) gloo_exchange();
        if (kind == 2) gloo_all_reduce();
        const std::chrono::duration<double> time = Clock::now() - start;
        if (round >= 0) times[kind].push_back(time.count());
      }
    }
    if (self != 0) continue;
    const double ours = Median(times[0]), theirs = Median(times[1]), ring = Median(times[2]);
    std::printf(
        "%8zu bytes: axle %.1f us, Gloo exchange %.1f us (%.2f), Gloo ring %.1f us (%.2f)\n", size,
        ours, theirs, theirs / ours, ring, ring / ours);
    std::fflush(stdout);
  }
  return transport.Barrier(nullptr);
}

int Main() {
  const auto start = Clock::now();
  StatusOr<std::unique_ptr<Transport>> transport = ConnectTransport({});
  if (!transport.ok() || (*transport)->num_processes() != 2) {
    std::fprintf(stderr, "bench_distributed: %s\n",
                 transport.ok() ? "takes two processes" : transport.status().ToString().c_str());
    return 1;
  }
  const std::chrono::duration<double> time = Clock::now() - start;
  std::printf("connected after %.1f ms\n", time.count() * 1e3);
  const Status status = Measure(**transport);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace axle

int main() {
  return axle::Main();
}
