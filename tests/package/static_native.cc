// A program with libaxle.a and libaxle_native.a inside: compiles its program to machine code and
// prints the result, by which engine, and whether the interpreter gives the same bits. With an
// argument the client is asked for that library of native code instead.
#include <axle/axle.h>

#include <cstdio>

static axle::Status Run(const char* codegen_library) {
  AXLE_ASSIGN(const auto client, axle::Client::Create({.codegen_library = codegen_library}));
  constexpr std::string_view kProgram =
      "HloModule m\nENTRY main {\n  x = f32[8,64] parameter(0)\n  w = f32[64,8] parameter(1)\n"
      "  d = f32[8,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT y = f32[8,8] tanh(d)\n}\n";
  axle::Literal x(axle::ShapeUtil::MakeShape(axle::F32, {8, 64}));
  axle::Literal w(axle::ShapeUtil::MakeShape(axle::F32, {64, 8}));
  for (int i = 0; i < 512; ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(i % 7 - 3) / 16;
    w.mutable_data<float>()[i] = static_cast<float>(i % 5 - 2) / 8;
  }
  AXLE_ASSIGN(const auto native, client->Compile(kProgram, {.engine = axle::EngineKind::kNative}));
  AXLE_ASSIGN(const auto other,
              client->Compile(kProgram, {.engine = axle::EngineKind::kInterpret}));
  AXLE_ASSIGN(const auto by_default, client->Compile(kProgram));
  AXLE_ASSIGN(const axle::Literal a, native->Execute({x, w}));
  AXLE_ASSIGN(const axle::Literal b, other->Execute({x, w}));
  std::printf("%g %d %s\n", a.Get<float>({1, 2}),
              by_default->engine() == axle::EngineKind::kNative ? 1 : 0,
              a == b ? "same bits" : "other bits");
  return {};
}

int main(int argc, char** argv) {
  const axle::Status status = Run(argc > 1 ? argv[1] : "");
  if (!status.ok()) std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
