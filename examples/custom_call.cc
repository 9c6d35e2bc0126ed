// A custom call: a program that calls a function of yours, here the distances between points of a
// plane.
#include <axle/axle.h>

#include <cmath>
#include <cstdio>

namespace {

using namespace axle;  // NOLINT(google-build-using-namespace): an example reads better so

constexpr i64 kPoints = 3;

// in[0]: f32[kPoints,2], row-major; out: f32[kPoints,kPoints].
void Distances(void* out, void** in) {
  const auto* points = static_cast<const float*>(in[0]);
  auto* distances = static_cast<float*>(out);
  for (i64 i = 0; i < kPoints; ++i) {
    for (i64 j = 0; j < kPoints; ++j) {
      distances[i * kPoints + j] =
          std::hypot(points[2 * i] - points[2 * j], points[2 * i + 1] - points[2 * j + 1]);
    }
  }
}

Status Run() {
  XlaBuilder builder("distances");
  const XlaOp points = Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {kPoints, 2}), "points");
  const XlaOp distances =
      CustomCall(&builder, "my_distances", {points}, ShapeUtil::MakeShape(F32, {kPoints, kPoints}));
  // What comes back is a value like any other.
  AXLE_ASSIGN(const XlaComputation computation, builder.Build(distances * distances));

  AXLE_ASSIGN(const auto client, Client::Create());
  AXLE_TRY(client->RegisterCustomCall("my_distances", Distances));
  AXLE_ASSIGN(const auto executable, client->Compile(computation));
  const Literal points_of_a_triangle = LiteralUtil::CreateR2<float>({{0, 0}, {3, 4}, {0, 8}});
  AXLE_ASSIGN(const Literal result, executable->Execute({points_of_a_triangle}));
  std::printf("squared distances: %s\n", result.ToStringWithShape().c_str());
  return {};
}

}  // namespace

int main() {
  const axle::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "custom_call: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
