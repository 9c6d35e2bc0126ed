// Building graphs of 10,000 ops with XlaBuilder, per kind of op. Bound: 50 ms for a graph, which is
// 5 us for an op; what an op costs is its checks, its names and its place in the module's tables.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "axle/builder/xla_builder.h"
#include "bench/baselines/measure.h"

namespace axle::bench {
namespace {

constexpr int kOps = 10'000;

// Builds a graph whose ops `step` makes, one from another.
void Build(const std::function<XlaOp(XlaOp x, XlaOp y)>& step) {
  XlaBuilder b("graph");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {64, 64}), "x");
  XlaOp y = x;
  for (int i = 0; i < kOps; ++i) y = step(x, y);
  const StatusOr<XlaComputation> built = b.Build();
  if (built.ok()) return;
  std::fprintf(stderr, "%s\n", built.status().ToString().c_str());
  std::exit(1);
}

void PrintRow(const char* name, const std::function<XlaOp(XlaOp x, XlaOp y)>& step) {
  const Timing time = Measure([&] { Build(step); });
  std::printf("| %-12s | %8.2f | %8.0f | %4.0f %% |\n", name, time.median * 1e3,
              time.median * 1e9 / kOps, (time.high - time.low) / time.median * 100);
}

void Main() {
  std::printf("%d calls, bar 50 ms\n\n| calls | ms | ns a call | spread |\n|---|---|---|---|\n",
              kOps);
  PrintRow("Add", [](XlaOp x, XlaOp y) { return Add(x, y); });
  PrintRow("Tanh", [](XlaOp, XlaOp y) { return Tanh(y); });
  PrintRow("Transpose", [](XlaOp, XlaOp y) { return Transpose(y, {1, 0}); });
  PrintRow("Reshape", [](XlaOp, XlaOp y) { return Reshape(y, {64, 64}); });
  PrintRow("Dot", [](XlaOp x, XlaOp y) { return Dot(x, y); });
  PrintRow("Slice", [](XlaOp, XlaOp y) { return Slice(y, {0, 0}, {64, 64}, {1, 1}); });
}

}  // namespace
}  // namespace axle::bench

int main() {
  axle::bench::Main();
}
