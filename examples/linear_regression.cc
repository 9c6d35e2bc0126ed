// Fits a line through noisy points by gradient descent. One step of it is a computation, whose
// gradients are written by hand; the loop is C++, and passes the new parameters back in.
#include <axle/axle.h>

#include <cstdio>
#include <vector>

namespace {

using namespace axle;  // NOLINT(google-build-using-namespace): an example reads better so

constexpr i64 kPoints = 100;
constexpr float kSlope = 3, kIntercept = -1;  // of the line that the points lie around

XlaOp Mean(XlaOp x) {
  XlaBuilder* builder = x.builder();
  XlaBuilder add("add");
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  const auto sum = add.Build(Parameter(&add, 0, scalar, "x") + Parameter(&add, 1, scalar, "y"));
  if (!sum.ok()) return builder->ReportError(sum.status());
  return Reduce(x, ConstantR0<float>(builder, 0), *sum, {0}) / ConstantR0<float>(builder, kPoints);
}

// (slope, intercept, x, y) -> (slope, intercept, loss), where the loss is the mean squared error.
StatusOr<XlaComputation> BuildStep() {
  XlaBuilder builder("step");
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  const Shape points = ShapeUtil::MakeShape(F32, {kPoints});
  const XlaOp slope = Parameter(&builder, 0, scalar, "slope");
  const XlaOp intercept = Parameter(&builder, 1, scalar, "intercept");
  const XlaOp x = Parameter(&builder, 2, points, "x");
  const XlaOp y = Parameter(&builder, 3, points, "y");

  const XlaOp error = slope * x + intercept - y;  // scalars are broadcast
  const XlaOp two = ConstantR0<float>(&builder, 2), rate = ConstantR0<float>(&builder, 0.3f);
  const XlaOp slope_gradient = two * Mean(error * x);
  const XlaOp intercept_gradient = two * Mean(error);
  return builder.Build(Tuple(
      &builder,
      {slope - rate * slope_gradient, intercept - rate * intercept_gradient, Mean(error * error)}));
}

Status Run() {
  std::vector<float> x(kPoints), y(kPoints);
  for (size_t i = 0; i < x.size(); ++i) {
    const float noise = static_cast<float>((i * 37) % 11) / 50 - 0.1f;
    x[i] = static_cast<float>(i) / kPoints;
    y[i] = kSlope * x[i] + kIntercept + noise;
  }

  AXLE_ASSIGN(const XlaComputation computation, BuildStep());
  AXLE_ASSIGN(const auto client, Client::Create());
  AXLE_ASSIGN(const auto step, client->Compile(computation));
  std::vector<Literal> arguments = {
      LiteralUtil::CreateR0<float>(0), LiteralUtil::CreateR0<float>(0),
      LiteralUtil::CreateR1<float>(x), LiteralUtil::CreateR1<float>(y)};
  float loss = 0;
  for (int i = 1; i <= 300; ++i) {
    AXLE_ASSIGN(const Literal result, step->Execute(arguments));
    arguments[0] = result.element(0);
    arguments[1] = result.element(1);
    loss = result.element(2).data<float>()[0];
    if (i == 1 || i % 100 == 0) std::printf("step %3d: loss %.4f\n", i, loss);
  }
  const float slope = arguments[0].data<float>()[0], intercept = arguments[1].data<float>()[0];
  std::printf("y = %.2f x %+.2f\n", slope, intercept);
  if (loss > 0.01f) return Internal("the line does not fit the points");
  return {};
}

}  // namespace

int main() {
  const axle::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "linear_regression: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
