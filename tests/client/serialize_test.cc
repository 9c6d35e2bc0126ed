// Compiled programs as bytes: they come back with the same bits, start without compiling, and
// damage is found.
#include <gtest/gtest.h>

#include "axle/client/client.h"
#include "axle/client/executable_file.h"
#include "axle/client/load.h"
#include "axle/runtime/compile_report.h"
#include "axle/text/print.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

// A few kernels that no library has ready.
constexpr std::string_view kProgram = R"(HloModule several

ENTRY main {
  x = f32[37,5] parameter(0)
  y = f32[37,5] parameter(1)
  s = f32[37,5] sine(x)
  e = f32[37,5] exponential(y)
  m = f32[37,5] multiply(s, e)
  a = f32[37,5] atan2(m, x)
  d = f32[37,37] dot(a, e), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  c = f32[37,37] cosine(d)
  ROOT t = (f32[37,37], f32[37,5]) tuple(c, a)
}
)";

std::unique_ptr<Client> NewClient(const ClientOptions& options = {}) {
  auto client = Client::Create(options);
  EXPECT_TRUE(client.ok()) << client.status().ToString();
  return *std::move(client);
}

std::vector<Literal> Arguments() {
  std::vector<Literal> arguments;
  for (int k = 0; k < 2; ++k) {
    Literal argument(Shape(F32, {37, 5}));
    float value = -2.0F + static_cast<float>(k);
    for (float& element : argument.mutable_data<float>()) element = value += 0.021F;
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::shared_ptr<Executable> Compiled(Client& client, const CompileOptions& options = {}) {
  auto executable = client.Compile(kProgram, options);
  EXPECT_TRUE(executable.ok()) << executable.status().ToString();
  return *std::move(executable);
}

std::string Serialized(const Executable& executable) {
  auto bytes = executable.Serialize();
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  return bytes.ok() ? *std::move(bytes) : "";
}

TEST(Serialize, ComesBackWithTheSameBitsAndOptions) {
  const auto client = NewClient();
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    for (const Numerics numerics : {Numerics::kStrict, Numerics::kFast}) {
      const auto before = Compiled(*client, {.engine = engine, .numerics = numerics});
      const std::string bytes = Serialized(*before);
      ASSERT_TRUE(IsExecutableFile(bytes));
      const auto file = ReadExecutableFile(bytes);
      ASSERT_TRUE(file.ok()) << file.status().ToString();
      EXPECT_EQ(file->options.engine, before->engine());
      if (before->engine() == EngineKind::kNative) {
        EXPECT_EQ(file->options.numerics, numerics);
      }
      // Another client has nothing of the first one.
      const auto after = NewClient()->Load(bytes);
      ASSERT_TRUE(after.ok()) << after.status().ToString();
      EXPECT_EQ((*after)->engine(), before->engine());
      EXPECT_EQ((*after)->name(), "several");
      const auto expected = before->Execute(Arguments());
      const auto found = (*after)->Execute(Arguments());
      ASSERT_TRUE(expected.ok() && found.ok());
      EXPECT_EQ(*expected, *found);
    }
  }
}

TEST(Serialize, LayoutsComeBack) {
  const auto client = NewClient();
  Shape argument(F32, {37, 5});
  Layout column_major;
  column_major.minor_to_major = {0, 1};
  argument.set_layout(column_major);
  const auto before = Compiled(*client, {.argument_layouts = {argument, Shape(F32, {37, 5})}});
  const auto after = client->Load(Serialized(*before));
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_EQ((*after)->program_shape().parameters, before->program_shape().parameters);
}

// The kernels of the file are linked: LLVM emits nothing.
TEST(Serialize, KernelsAreNotCompiledAgain) {
  const auto client = NewClient();
  auto before = Compiled(*client);
  if (before->engine() != EngineKind::kNative) GTEST_SKIP() << "built without LLVM";
  const auto file = ReadExecutableFile(Serialized(*before));
  ASSERT_TRUE(file.ok());
  const Literal expected = *before->Execute(Arguments());
  before.reset();  // programs of one process share kernels as long as one of them lives
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "all code is compiled with checks";
  EXPECT_FALSE(file->build_id.empty());
  EXPECT_FALSE(file->kernels.functions.empty());
  EXPECT_FALSE(file->kernels.objects.empty());
  // A file whose functions are all named wrongly fails in the linker: its code is what runs.
  ExecutableFile wrong = *file;
  for (auto& [key, name] : wrong.kernels.functions) name = "no_such_function";
  const auto refused = client->Load(WriteExecutableFile(wrong));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("no_such_function"), std::string::npos)
      << refused.status().ToString();
  // Code of another build is not looked at.
  wrong.build_id = "another";
  const auto compiled = client->Load(WriteExecutableFile(wrong));
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  EXPECT_EQ(*(*compiled)->Execute(Arguments()), expected);
}

TEST(Serialize, DamageIsFound) {
  const auto client = NewClient();
  const std::string bytes = Serialized(*Compiled(*client));
  const auto refuse = [&](std::string_view damaged, std::string_view why) {
    const auto loaded = client->Load(damaged);
    ASSERT_FALSE(loaded.ok()) << why;
    EXPECT_EQ(loaded.status().ToString(), why);
  };
  refuse("", "INVALID_ARGUMENT: compiled program: the bytes are not a file of a compiled program");
  refuse(kProgram,
         "INVALID_ARGUMENT: compiled program: the bytes are not a file of a compiled program");
  refuse(bytes.substr(0, 20),
         "DATA_LOSS: compiled program: the file is damaged: it ends in its header");
  refuse(bytes.substr(0, bytes.size() - 1),
         "DATA_LOSS: compiled program: the file is damaged: it should have " +
             std::to_string(bytes.size() - 28) + " bytes behind its header, and has " +
             std::to_string(bytes.size() - 29));
  std::string newer = bytes;
  newer[8] = 2;
  refuse(
      newer,
      "UNIMPLEMENTED: compiled program: the file has format 2, known here is 1: it was written by "
      "another version of Axle");
  for (size_t at = 20; at < bytes.size(); at += 1 + bytes.size() / 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    refuse(damaged, "DATA_LOSS: compiled program: the file is damaged: its checksum is wrong");
  }
}

// Bytes with a right checksum whose message is not one.
TEST(Serialize, WrongMessages) {
  const auto client = NewClient();
  ExecutableFile file;
  const auto empty = client->Load(WriteExecutableFile(file));
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.status().code(), StatusCode::kInvalidArgument) << empty.status().ToString();
  file.options.codegen_level = 7;
  const auto level = client->Load(WriteExecutableFile(file));
  ASSERT_FALSE(level.ok());
  EXPECT_EQ(
      level.status().ToString(),
      "INVALID_ARGUMENT: compiled program: byte 2, field 6: the number is not one of the choices");
}

TEST(Serialize, ItsProgramCanBeRead) {
  const auto client = NewClient();
  const auto executable = Compiled(*client);
  const auto module = LoadModule(Serialized(*executable));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(Print(**module), Print(executable->module()));
}

TEST(Serialize, OtherDevice) {
  const auto client = NewClient({.num_devices = 2});
  const auto loaded = client->Load(Serialized(*Compiled(*client)), {.devices = {1}});
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ((*loaded)->devices()[0]->ordinal(), 1);
}

}  // namespace
}  // namespace axle
