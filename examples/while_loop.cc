// A while loop: Euclid's greatest common divisor. The condition and the body are computations of
// their own, which take and give the loop's state, here a tuple of two integers.
//
//   example_while_loop [a b]
#include <axle/axle.h>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace axle;  // NOLINT(google-build-using-namespace): an example reads better so

// while (b != 0) { a, b = b, a % b }
StatusOr<XlaComputation> BuildGcd() {
  const Shape integer = ShapeUtil::MakeShape(S64, {});
  const Shape state = ShapeUtil::MakeTupleShape({integer, integer});

  XlaBuilder condition("b_is_not_zero");
  const XlaOp before = Parameter(&condition, 0, state, "state");
  Ne(GetTupleElement(before, 1), ConstantR0<std::int64_t>(&condition, 0));
  AXLE_ASSIGN(const XlaComputation b_is_not_zero, condition.Build());

  XlaBuilder body("step");
  const XlaOp now = Parameter(&body, 0, state, "state");
  const XlaOp a = GetTupleElement(now, 0), b = GetTupleElement(now, 1);
  Tuple(&body, {b, a % b});
  AXLE_ASSIGN(const XlaComputation step, body.Build());

  XlaBuilder builder("gcd");
  const XlaOp init =
      Tuple(&builder, {Parameter(&builder, 0, integer, "a"), Parameter(&builder, 1, integer, "b")});
  GetTupleElement(While(b_is_not_zero, step, init), 0);
  return builder.Build();  // the op added last is the result
}

Status Run(std::int64_t a, std::int64_t b) {
  AXLE_ASSIGN(const XlaComputation gcd, BuildGcd());
  AXLE_ASSIGN(const auto client, Client::Create());
  AXLE_ASSIGN(const auto executable, client->Compile(gcd));
  AXLE_ASSIGN(const Literal result,
              executable->Execute({LiteralUtil::CreateR0(a), LiteralUtil::CreateR0(b)}));
  std::printf("gcd(%lld, %lld) = %s\n", static_cast<long long>(a), static_cast<long long>(b),
              result.ToString().c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const axle::Status status =
      argc == 3 ? Run(std::atoll(argv[1]), std::atoll(argv[2])) : Run(1071, 462);
  if (!status.ok()) std::fprintf(stderr, "while_loop: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
