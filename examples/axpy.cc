// alpha * x + y: the first program. docs/api.md goes through it line by line.
#include <axle/axle.h>

#include <cstdio>

namespace {

axle::Status Run() {
  axle::XlaBuilder builder("axpy");
  const axle::Shape vector = axle::ShapeUtil::MakeShape(axle::F32, {4});
  const axle::XlaOp alpha = axle::ConstantR0<float>(&builder, 2);
  const axle::XlaOp x = axle::Parameter(&builder, 0, vector, "x");
  const axle::XlaOp y = axle::Parameter(&builder, 1, vector, "y");
  AXLE_ASSIGN(const axle::XlaComputation axpy, builder.Build(alpha * x + y));

  AXLE_ASSIGN(const auto client, axle::Client::Create());
  AXLE_ASSIGN(const auto executable, client->Compile(axpy));
  AXLE_ASSIGN(const axle::Literal result,
              executable->Execute({axle::LiteralUtil::CreateR1<float>({1, 2, 3, 4}),
                                   axle::LiteralUtil::CreateR1<float>({10, 20, 30, 40})}));
  std::printf("%s\n", result.ToStringWithShape().c_str());
  return {};
}

}  // namespace

int main() {
  const axle::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "axpy: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
