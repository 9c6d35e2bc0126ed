// Parsing and printing at scale: a module's entry repeated to 10^4, 10^5 and 10^6 instructions.
//
//   bench_text [FILE [NUM_INSTRUCTIONS...]]
//
// Bounds: 100,000 instructions parse and verify in under 0.6 s and print in under 0.3 s; at most
// 500 bytes of memory per instruction; time per instruction does not grow with the module.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "bench/repeat_module.h"

namespace axle {
namespace {

double UserSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::string ReadFileOrDie(const std::string& path) {
  std::ifstream in(path);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename T>
T Value(StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
    std::exit(1);
  }
  return *std::move(value);
}

// CPU seconds of the fastest of `repetitions` runs: other programs on the machine do not count.
template <typename Fn>
double Fastest(int repetitions, Fn fn) {
  double fastest = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const double begin = UserSeconds();
    fn();
    fastest = std::min(fastest, UserSeconds() - begin);
  }
  return fastest;
}

void Measure(const std::string& source, i64 num_instructions) {
  std::string text;
  {
    const auto module = Value(Parse(source));
    RepeatEntry(*module, num_instructions);
    text = Print(*module);
  }
  const size_t before = HeapBytes();
  std::unique_ptr<Module> module = Value(Parse(text));
  const size_t bytes = HeapBytes() - before;
  const auto count = static_cast<double>(module->num_instructions());
  const int repetitions = num_instructions > 500000 ? 2 : 5;
  const bool same = Print(*module) == text;
  const double print = Fastest(repetitions, [&] { same ? Print(*module) : std::string(); });
  const double parse = Fastest(repetitions, [&] { module = Value(Parse(text)); });
  std::printf("%9.0f %9.1f %9.3f %9.3f %9.2f %9.2f %9.0f %s\n", count,
              static_cast<double>(text.size()) / 1e6, parse, print, parse / count * 1e6,
              print / count * 1e6, static_cast<double>(bytes) / count,
              same ? "" : "ROUND TRIP DIFFERS");
}

int Main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : AXLE_SOURCE_DIR "/tests/data/text/repeated.hlo";
  const std::string source = ReadFileOrDie(file);
  std::printf("%s\n", file.c_str());
  std::printf("%9s %9s %9s %9s %9s %9s %9s\n", "insts", "MB", "parse s", "print s", "us/parse",
              "us/print", "B/inst");
  if (argc > 2) {
    for (int i = 2; i < argc; ++i) Measure(source, std::atoll(argv[i]));
  } else {
    for (i64 count : {10000, 100000, 1000000}) Measure(source, count);
  }
  return 0;
}

}  // namespace
}  // namespace axle

int main(int argc, char** argv) {
  return axle::Main(argc, argv);
}
