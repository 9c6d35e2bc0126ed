// A program with libaxle.a inside: interprets, and is refused the native engine of the libaxle.so
// that lies beside it, whose tables are others. Prints both; the argument is libaxle_codegen.so.
#include <axle/axle.h>

#include <cstdio>

static axle::Status Run(const char* codegen_library) {
  AXLE_ASSIGN(const auto client, axle::Client::Create({.codegen_library = codegen_library}));
  constexpr std::string_view kProgram =
      "HloModule m\nENTRY main {\n  x = f32[] parameter(0)\n  ROOT y = f32[] add(x, x)\n}\n";
  AXLE_ASSIGN(const auto interpreted,
              client->Compile(kProgram, {.engine = axle::EngineKind::kInterpret}));
  const axle::Literal three = axle::LiteralUtil::CreateR0<float>(3);
  AXLE_ASSIGN(const axle::Literal result, interpreted->Execute({three}));
  std::printf("%s\n", result.ToStringWithShape().c_str());
  return client->Compile(kProgram, {.engine = axle::EngineKind::kNative}).status();
}

int main(int, char** argv) {
  std::printf("%s\n", Run(argv[1]).ToString().c_str());
}
