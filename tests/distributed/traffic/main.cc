// axle_traffic_process DEVICES FILE...: one process of a job, which runs each of the programs once
// on DEVICES devices of every process. It prints a line for each: how many bytes and messages the
// run has sent to the other processes. traffic_test.py compares them with `axle simulate`.
#include <charconv>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "axle/client/client.h"
#include "axle/client/job.h"
#include "axle/client/load.h"

namespace axle {
namespace {

SentMessages SentToAll(const Transport& transport) {
  SentMessages sum;
  for (int p = 0; p < transport.num_processes(); ++p) {
    sum.count += transport.sent(p).count;
    sum.bytes += transport.sent(p).bytes;
  }
  return sum;
}

Status RunFiles(i64 devices, const std::vector<std::string>& files) {
  ClientOptions options;
  options.num_devices = devices;
  options.distributed = TransportOptions{};
  AXLE_ASSIGN(const std::unique_ptr<Client> client, Client::Create(options));
  const std::shared_ptr<Transport> transport = client->job()->transport();
  for (const std::string& file : files) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    AXLE_ASSIGN(std::unique_ptr<Module> module, LoadModule(text.str()));
    CompileOptions compile;
    compile.engine = EngineKind::kNative;
    compile.replicas = client->job()->num_devices();
    AXLE_ASSIGN(const std::shared_ptr<Executable> program,
                client->Compile(std::move(module), compile));
    const SentMessages before = SentToAll(*transport);
    const std::vector<std::vector<BufferPtr>> arguments(static_cast<size_t>(devices));
    AXLE_TRY(program->ExecuteReplicated(arguments).status());
    const SentMessages after = SentToAll(*transport);
    std::printf("%lld %lld\n", static_cast<long long>(after.bytes - before.bytes),
                static_cast<long long>(after.count - before.count));
  }
  return {};
}

int Main(int argc, char** argv) {
  i64 devices = 0;
  const std::string_view first = argc > 1 ? argv[1] : "";
  std::from_chars(first.data(), first.data() + first.size(), devices);
  const Status status = RunFiles(devices, {argv + std::min(argc, 2), argv + argc});
  if (!status.ok()) std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace axle

int main(int argc, char** argv) {
  return axle::Main(argc, argv);
}
