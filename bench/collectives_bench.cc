// All-reduce between the devices of a process: per execution inside of a program, per run of a
// program that does nothing else, and how fast as many threads copy as many bytes.
//
//   bench_collectives
//
// Microseconds of the wall clock, the median of several rounds. The last column is the time in
// which each device copies an operand, divided by that of the all-reduce in the program: with two
// devices both read and write as many bytes. Bounds on 2 processors: 1 KB at 10 us in a program, 16
// MB at 60 %.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr int kRounds = 15;

template <typename T>
T Value(StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::exit(1);
}

double Now() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <typename Fn>
double Median(const Fn& fn) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = Now();
    fn();
    times.push_back(Now() - begin);
  }
  std::ranges::sort(times);
  return times[kRounds / 2];
}

std::string Loop(std::string_view type, i64 size, i64 count) {
  const std::string shape = StrCat(type, "[", size, "]"), state = StrCat("(s32[], ", shape, ")");
  return StrCat(
      "HloModule m\nsum { a = ", type, "[] parameter(0) b = ", type,
      "[] parameter(1) ROOT s = ", type, "[] add(a, b) }\ncond { s = ", state,
      " parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(", count,
      ") ROOT c = pred[] compare(i, n), direction=LT }\nbody { s = ", state,
      " parameter(0) i = s32[] get-tuple-element(s), index=0 x = ", shape,
      " get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one) r = ", shape,
      " all-reduce(x), replica_groups={}, to_apply=sum ROOT t = ", state,
      " tuple(j, r) }\nENTRY e { x = ", shape, " parameter(0) z = s32[] constant(0) t = ", state,
      " tuple(z, x) w = ", state, " while(t), condition=cond, body=body ROOT r = ", shape,
      " get-tuple-element(w), index=1 }");
}

double TimeOfRun(Client& client, i64 devices, ElementType type, i64 size, i64 count) {
  CompileOptions options;
  options.replicas = devices;
  const auto executable = Value(client.Compile(Loop(Name(type), size, count), options));
  std::vector<std::vector<BufferPtr>> arguments;
  for (i64 d = 0; d < devices; ++d) {
    arguments.push_back({Value(client.BufferFromLiteral(Literal(Shape(type, {size})), d))});
  }
  (void)Value(executable->ExecuteReplicated(arguments));
  return Median([&] { (void)Value(executable->ExecuteReplicated(arguments)); });
}

// Each thread copies its own array to another one, `count` times.
double TimeOfCopies(i64 devices, i64 bytes, i64 count) {
  std::vector<double> begins(static_cast<size_t>(devices)), times;
  for (int round = 0; round < kRounds; ++round) {
    std::barrier barrier(devices);
    std::vector<std::thread> threads;
    std::vector<double> ends(static_cast<size_t>(devices));
    for (size_t d = 0; d < ends.size(); ++d) {
      threads.emplace_back([&, d] {
        const auto size = static_cast<size_t>(bytes);
        std::vector<char> from(size, 1), to(size, 2);
        barrier.arrive_and_wait();
        begins[d] = Now();
        for (i64 i = 0; i < count; ++i) {
          std::memcpy(to.data(), from.data(), size);
          asm volatile("" : : "r"(to.data()) : "memory");
        }
        ends[d] = Now();
      });
    }
    for (std::thread& thread : threads) thread.join();
    times.push_back((std::ranges::max(ends) - std::ranges::min(begins)) /
                    static_cast<double>(count));
  }
  std::ranges::sort(times);
  return times[kRounds / 2];
}

struct Case {
  ElementType type;
  i64 bytes;
  i64 count;  // executions in the program
};
constexpr Case kCases[] = {{F32, i64{1} << 10, 1000},
                           {F32, i64{1} << 16, 200},
                           {F32, i64{1} << 24, 8},
                           {BF16, i64{1} << 24, 8}};

int Main() {
  const auto client = Value(Client::Create({.num_devices = 4}));
  std::printf("%-26s %13s %13s %13s %8s\n", "all-reduce", "in a program", "a run", "a copy",
              "ratio");
  for (const i64 devices : {2, 4}) {
    for (const auto& [type, bytes, count] : kCases) {
      const i64 size = bytes / Info(type).bytes;
      const double run = TimeOfRun(*client, devices, type, size, 1);
      const double loop =
          (TimeOfRun(*client, devices, type, size, count + 1) - run) / static_cast<double>(count);
      const double copy = TimeOfCopies(devices, bytes, count);
      const std::string what = StrCat(devices, " devices, ", bytes, " B ", Name(type));
      std::printf("%-26s %10.2f us %10.2f us %10.2f us %7.0f%%\n", what.c_str(), loop, run, copy,
                  100 * copy / loop);
    }
  }
  return 0;
}

}  // namespace
}  // namespace axle

int main() {
  return axle::Main();
}
