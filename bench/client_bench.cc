// What a call costs beside the work: Execute of a program that does nothing, with literals, with
// buffers, asynchronously; and Compile of a small program.
//
//   bench_client
//
// CPU nanoseconds per call, the fastest of several rounds: a lower one would have to leave work
// out. Bound once programs are compiled: 300 ns per call of a one-kernel program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "axle/client/client.h"

namespace axle {
namespace {

double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename T>
T Value(StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::exit(1);
}

template <typename Fn>
void Measure(const char* what, int calls, Fn fn) {
  double fastest = 1e9;
  for (int round = 0; round < 9; ++round) {
    const double begin = CpuSeconds();
    for (int i = 0; i < calls; ++i) fn();
    fastest = std::min(fastest, CpuSeconds() - begin);
  }
  std::printf("%-46s %10.0f ns\n", what, 1e9 * fastest / calls);
}

int Main() {
  const auto client = Value(Client::Create());
  const std::string_view kEmpty = "ENTRY e { ROOT t = () tuple() }";
  const std::string_view kPass = "ENTRY e { ROOT x = f32[] parameter(0) }";
  const std::string_view kAdd = "ENTRY e { x = f32[] parameter(0) ROOT y = f32[] add(x, x) }";
  const auto empty = Value(client->Compile(kEmpty));
  const auto pass = Value(client->Compile(kPass));
  const auto add = Value(client->Compile(kAdd));
  const Literal one = Literal::Scalar<float>(F32, 1);
  const BufferPtr buffer = Value(client->BufferFromLiteral(one));
  Measure("Execute(literals), no instruction", 20000, [&] { (void)empty->Execute({}); });
  Measure("Execute(literals), one parameter", 20000, [&] { (void)pass->Execute({one}); });
  Measure("Execute(literals), one addition", 20000, [&] { (void)add->Execute({one}); });
  Measure("Execute(buffers), one parameter", 20000, [&] { (void)pass->Execute({buffer}); });
  Measure("Execute(buffers), one addition", 20000, [&] { (void)add->Execute({buffer}); });
  Measure("ExecuteAsync, one addition, and wait", 5000,
          [&] { (void)Value(add->ExecuteAsync({buffer})).done.Await(); });
  Measure("Compile, one addition, from text", 2000, [&] { (void)Value(client->Compile(kAdd)); });
  return 0;
}

}  // namespace
}  // namespace axle

int main() {
  return axle::Main();
}
