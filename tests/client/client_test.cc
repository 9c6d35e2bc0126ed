#include "axle/client/client.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "axle/client/arguments.h"
#include "axle/client/load.h"
#include "axle/client/save.h"
#include "axle/ops/implied.h"
#include "axle/proto/write.h"
#include "axle/text/print.h"
#include "tests/paths.h"

namespace axle {
namespace {

constexpr std::string_view kAdd = R"(HloModule add

ENTRY main {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT sum = f32[2] add(x, y)
}
)";

Literal Parsed(std::string_view text) {
  auto literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status().ToString();
  return literal.ok() ? *std::move(literal) : Literal();
}

std::unique_ptr<Client> NewClient(ClientOptions options = {}) {
  auto client = Client::Create(options);
  EXPECT_TRUE(client.ok());
  return *std::move(client);
}

std::string Gzip(std::string_view text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Client, RunsText) {
  for (const EngineKind engine : {EngineKind::kDefault, EngineKind::kInterpret}) {
    const auto executable = NewClient()->Compile(kAdd, {.engine = engine});
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    const Literal arguments[] = {Parsed("f32[2] {1, 2}"), Parsed("f32[2] {10, 20}")};
    const auto sum = (*executable)->Execute(arguments);
    ASSERT_TRUE(sum.ok()) << sum.status().ToString();
    EXPECT_EQ(*sum, Parsed("f32[2] {11, 22}"));
  }
}

TEST(Client, TheDefaultIsNativeCodeWhereThereIsAny) {
#ifdef AXLE_HAS_CODEGEN
  constexpr EngineKind kHere = EngineKind::kNative;
#else
  constexpr EngineKind kHere = EngineKind::kInterpret;
#endif
  EXPECT_EQ((*NewClient()->Compile(kAdd))->engine(), kHere);
}

// A library that is named and does not load is an error, not the interpreter.
TEST(Client, ANamedNativeEngineThatIsNotThereIsAnError) {
  const auto expect = [](const Client& client_of, std::string_view where) {
    auto& client = const_cast<Client&>(client_of);
    for (const EngineKind engine : {EngineKind::kDefault, EngineKind::kNative}) {
      const auto executable = client.Compile(kAdd, {.engine = engine});
      ASSERT_FALSE(executable.ok()) << where;
      EXPECT_EQ(executable.status().code(), StatusCode::kUnavailable) << where;
      EXPECT_NE(executable.status().message().find("/nowhere/"), std::string::npos)
          << executable.status().message();
    }
    EXPECT_TRUE(client.Compile(kAdd, {.engine = EngineKind::kInterpret}).ok()) << where;
  };
  expect(*NewClient({.codegen_library = "/nowhere/libaxle_codegen.so"}), "options");
  setenv("AXLE_CODEGEN_LIBRARY", "/nowhere/lib.so", 1);
  expect(*NewClient(), "environment");
  unsetenv("AXLE_CODEGEN_LIBRARY");
}

TEST(Client, TheEnvironmentSaysHowManyThreads) {
  for (const char* const wrong : {"0", "-1", "1025", "many", "4 ", "1e2"}) {
    setenv("AXLE_NUM_THREADS", wrong, 1);
    const auto client = Client::Create();
    ASSERT_FALSE(client.ok()) << wrong;
    EXPECT_EQ(client.status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(client.status().message(), "client: the environment variable AXLE_NUM_THREADS is \"" +
                                             std::string(wrong) +
                                             "\", must be a number from 1 to 1024");
    EXPECT_TRUE(Client::Create({.num_threads = 2}).ok()) << "the option goes before it";
  }
  for (const char* const right : {"1", "3", "1024", ""}) {
    setenv("AXLE_NUM_THREADS", right, 1);
    EXPECT_TRUE(Client::Create().ok()) << right;
  }
  unsetenv("AXLE_NUM_THREADS");
}

TEST(Client, ExecutablesOutliveTheirClient) {
  auto client = NewClient();
  const auto executable = client->Compile(kAdd);
  client.reset();
  const Literal arguments[] = {Parsed("f32[2] {1, 2}"), Parsed("f32[2] {10, 20}")};
  EXPECT_TRUE((*executable)->Execute(arguments).ok());
}

// Arguments and results are arrays of elements, whatever tiles the program's have.
TEST(Client, TilesOfTheEntryChangeNothing) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[2,2]{1,0:T(8,128)})->f32[2,2]{0,1:T(2)}}\n\n"
      "ENTRY main {\n  x = f32[2,2]{1,0:T(8,128)} parameter(0)\n"
      "  ROOT y = f32[2,2]{0,1:T(2)} copy(x)\n}\n";
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    const auto executable = NewClient()->Compile(text, {.engine = engine});
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    const auto result = (*executable)->Execute({Parsed("f32[2,2] {{1, 2}, {3, 4}}")});
    EXPECT_EQ(result->ToStringWithShape(), "f32[2,2] { { 1, 2 }, { 3, 4 } }");
  }
  const auto wanted =
      NewClient()->Compile(text, {.result_layout = *ParseShape("f32[2,2]{1,0:T(2)}")});
  EXPECT_EQ(wanted.status().ToString(),
            "UNIMPLEMENTED: compile: arguments and results have no tiles; the result is "
            "f32[2,2]{1,0:T(2)}");
}

TEST(Client, AMissingNativeEngineIsUnavailable) {
  const auto client = NewClient({.codegen_library = "/nowhere/libaxle_codegen.so"});
  const auto executable = client->Compile(kAdd, {.engine = EngineKind::kNative});
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(executable.status().message().find("/nowhere/libaxle_codegen.so"), std::string::npos);
}

TEST(Client, CodegenLevelsAreZeroToTwo) {
  const auto executable = NewClient()->Compile(kAdd, {.codegen_level = 3});
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.status().message(), "compile: codegen level is 3, must be 0, 1 or 2");
}

#ifdef AXLE_HAS_CODEGEN
TEST(Client, NativeCodeGivesTheSameBits) {
  const auto client = NewClient();
  const auto native = client->Compile(kAdd, {.engine = EngineKind::kNative});
  ASSERT_TRUE(native.ok()) << native.status().ToString();
  const Literal arguments[] = {Parsed("f32[2] {1, 2}"), Parsed("f32[2] {0.1, nan}")};
  const auto a = (*native)->Execute(arguments);
  const auto b =
      (*client->Compile(kAdd, {.engine = EngineKind::kInterpret}).value()).Execute(arguments);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(SameValue(*a, *b));
  const Literal wrong[] = {Parsed("f32[2] {1, 2}"), Parsed("s32[2] {1, 2}")};
  EXPECT_EQ((*native)->Execute(wrong).status().message(),
            "execute: argument 1 is s32[2] but \"main\" expects f32[2] for parameter 1 \"y\"");
}
#endif

TEST(Load, DetectsTheFormat) {
  EXPECT_EQ(DetectFormat(kAdd), InputFormat::kHloText);
  EXPECT_EQ(DetectFormat("// x\n /* y */ HloModule m"), InputFormat::kHloText);
  EXPECT_EQ(DetectFormat("module @jit_f {"), InputFormat::kStablehlo);
  EXPECT_EQ(DetectFormat("#loc = loc(unknown)\nmodule {"), InputFormat::kStablehlo);
  EXPECT_EQ(DetectFormat("\n#loc = loc(unknown)\nmodule {"), InputFormat::kStablehlo);
  EXPECT_EQ(DetectFormat("ML\xefR\x06"), InputFormat::kStablehlo);
  // The length of a name can be any character.
  for (const size_t length : {size_t{32}, size_t{35}, size_t{47}, size_t{109}}) {
    Module module(std::string(length, 'o'));
    HloComputation& entry = *module.AddComputation("main");
    AddParameter(entry, 0, Shape(F32), "x");
    EXPECT_TRUE(BindParameters(entry).ok());
    module.set_entry(&entry);
    EXPECT_EQ(DetectFormat(WriteModuleProto(module)), InputFormat::kHloProto) << length;
  }
  EXPECT_EQ(DetectFormat(std::string_view("\x0a\x05jit_f\x12\x04main", 13)),
            InputFormat::kHloProto);
  EXPECT_EQ(DetectFormat(""), InputFormat::kHloText);
  EXPECT_EQ(DetectFormat("\n\nHloModule m"), InputFormat::kHloText);
}

// {"r": sin(p["w"]) + y}, written by JAX 0.10.2.
TEST(Load, AFileOfJaxExport) {
  std::ifstream file(SourceFolder() / "tests/data/jax_export/f.bin", std::ios::binary);
  ASSERT_TRUE(file);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const auto executable = NewClient()->Compile(bytes.str(), {.engine = EngineKind::kInterpret});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  EXPECT_EQ((*executable)->module().entry()->parameters()[0]->name(), "p__w__");
  const auto result =
      (*executable)->Execute({Parsed("f32[3] {0, -0.0, 0}"), Parsed("f32[3] {1, 2, 3}")});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->ToString(), "{1, 2, 3}");
}

// What jax.export's serialize() writes: a root table with the program as field 13, here with a
// vtable in front of it and the program at the end.
TEST(Load, FilesOfJaxExport) {
  const auto module = LoadModule(kAdd);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto program = ModuleToStablehlo(**module, {.bytecode = true});
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  const auto file = [&](std::uint16_t fields, std::uint16_t place, std::uint32_t root) {
    std::string bytes;
    const auto append = [&](auto number) {
      bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    append(root);
    append(static_cast<std::uint16_t>(4 + 2 * fields));  // the vtable, at 4
    append(std::uint16_t{8});
    for (int field = 0; field < 13; ++field) append(std::uint16_t{0});
    append(place);
    append(std::int32_t{32});  // the table, at 36
    append(std::uint32_t{4});  // the program follows
    append(static_cast<std::uint32_t>(program->size()));
    return bytes + *program;
  };
  const std::string good = file(14, 4, 36);
  EXPECT_EQ(DetectFormat(good), InputFormat::kStablehlo);
  for (const LoadOptions& options :
       {LoadOptions(), LoadOptions{.format = InputFormat::kStablehlo}}) {
    const auto loaded = LoadModule(good, options);
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    EXPECT_EQ(ModuleToText(**loaded), ModuleToText(**LoadModule(*program)));
  }
  // Cut off: in the program, or in what leads to it.
  EXPECT_EQ(LoadModule(good.substr(0, good.size() - 1)).status().ToString(),
            "INVALID_ARGUMENT: stablehlo, the program in it: byte 304: 10 bytes of a section are "
            "announced, but only 9 are left");
  for (size_t size = 0; size < 48; ++size) {
    EXPECT_EQ(DetectFormat(good.substr(0, size)), InputFormat::kHloText) << size;
  }
  // No field 13, an empty one, places outside of the file.
  EXPECT_EQ(DetectFormat(file(13, 4, 36)), InputFormat::kHloText);
  EXPECT_EQ(DetectFormat(file(14, 0, 36)), InputFormat::kHloText);
  EXPECT_EQ(DetectFormat(file(14, 0xffff, 36)), InputFormat::kHloText);
  EXPECT_EQ(DetectFormat(file(14, 4, 0xffffffff)), InputFormat::kHloText);
  EXPECT_EQ(DetectFormat(file(14, 4, 0)), InputFormat::kHloText);
}

TEST(Load, StableHlo) {
  constexpr std::string_view kText =
      "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
  for (const std::string& text :
       {std::string(kText), "module @m {\n" + std::string(kText) + "}\n",
        "#loc = loc(unknown)\n" + std::string(kText), "// A comment.\n" + std::string(kText)}) {
    EXPECT_EQ(DetectFormat(text), InputFormat::kStablehlo) << text;
    const auto module = LoadModule(text);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    EXPECT_EQ((*module)->entry()->root()->shape(), Shape(F32, {2}));
  }
  EXPECT_EQ(LoadModule("module @f {}", {.label = "f.mlir"}).status().ToString(),
            "INVALID_ARGUMENT: f.mlir 1:1: the module has no function\nmodule @f {}\n^");
  EXPECT_EQ(LoadModule("ML\xefR\x3f", {.label = "f.bc"}).status().code(),
            StatusCode::kUnimplemented);
}

TEST(Load, SaysWhatIsNoProgram) {
  const auto refusal = [](std::string_view bytes) {
    const auto module = LoadModule(bytes);
    EXPECT_FALSE(module.ok());
    EXPECT_EQ(module.status().code(), StatusCode::kInvalidArgument);
    return module.status().message();
  };
  using std::string_view_literals::operator""sv;
  constexpr std::pair<std::string_view, std::string_view> kCases[] = {
      {"PK\x03\x04\x14\0\0\0\0\0"sv, "a zip archive, as NumPy's .npz and PyTorch's .pt are"},
      {"\x93NUMPY\x01\0v\0{'descr'"sv, "an array in NumPy's .npy format"},
      {"\x40\0\0\0\0\0\0\0{\"w\":{}"sv, "a safetensors file"},
      {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
      {"\x80\x04\x95\x10\0"sv, "a pickle of Python"},
      {"\x08\x07\x12\x07pytorch"sv, "an ONNX model"},
      {"\x08\x08\x3a\x40"sv, "an ONNX model"},
      {"\x08\x01\x12\x40"sv, "a SavedModel of TensorFlow"},
      {"\x1c\0\0\0TFL3\0\0\0\0"sv, "a TensorFlow Lite model"},
      {"\x7f"
       "ELF\x02\x01"sv,
       "a program or a library of this machine"},
  };
  for (const auto& [bytes, what] : kCases) {
    EXPECT_TRUE(refusal(bytes).starts_with(StrCat("the input: this is ", what, "; ")))
        << refusal(bytes);
  }
  for (const std::string_view name :
       {"model.hlo", "a/model", "./x.pb", "/tmp/my models/x.hlo", "C.txt"}) {
    EXPECT_EQ(refusal(StrCat(name, "\n")),
              StrCat("the input: \"", name,
                     "\" is the name of a file, not a program; pass what is in the file"));
  }
}

TEST(Load, WhatCouldBeAProgramIsReadAsOne) {
  for (const std::string_view text :
       {"", "HloModule a.b", "hello world.", "ENTRY", "two words.hlo", "ROOT x = a/b", "1.5 2"}) {
    const auto module = LoadModule(text);
    ASSERT_FALSE(module.ok());
    EXPECT_TRUE(module.status().message().starts_with("hlo text ")) << module.status().message();
  }
  EXPECT_TRUE(LoadModule("a.b { ROOT c = s32[] constant(1) }").ok());
  EXPECT_TRUE(LoadModule("ENTRY a.b { ROOT c = s32[] constant(1) }").ok());
}

TEST(Load, ReadsGzip) {
  EXPECT_TRUE(LoadModule(Gzip(kAdd)).ok());
  const auto twice = LoadModule(Gzip(Gzip(kAdd)));
  EXPECT_EQ(twice.status().message(), "the input is compressed twice");
  const std::string whole = Gzip(kAdd);
  EXPECT_EQ(LoadModule(whole.substr(0, whole.size() / 2)).status().message(),
            "the gzip input is damaged or cut off");
}

// A zstd frame with one block that is not compressed.
std::string Zstd(std::string_view text) {
  const auto little_endian = [](size_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
  };
  constexpr char kSingleSegmentAndFourByteSize = '\xa0';
  return std::string("\x28\xb5\x2f\xfd") + kSingleSegmentAndFourByteSize +
         little_endian(text.size(), 4) + little_endian(text.size() << 3 | 1, 3) + std::string(text);
}

TEST(Load, ReadsZstd) {
  const auto module = LoadModule(Zstd(kAdd));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(LoadModule(Zstd(Gzip(kAdd))).status().message(), "the input is compressed twice");
  const std::string whole = Zstd(kAdd);
  EXPECT_EQ(LoadModule(whole.substr(0, whole.size() / 2)).status().message(),
            "the zstd input is damaged or cut off");
}

TEST(Load, ReadsProtos) {
  const auto module = *LoadModule(kAdd);
  const std::string text = Print(*module);
  const std::vector<Literal> arguments = {Parsed("f32[2] {1, 2}"), Parsed("f32[2] {10, 20}")};
  const Literal result = Parsed("f32[2] {11, 22}");
  const std::string hlo = WriteHloProto(*module);
  const std::string snapshot = WriteHloSnapshot(*module, arguments, &result);
  for (const std::string& bytes : {WriteModuleProto(*module), hlo, snapshot}) {
    EXPECT_EQ(DetectFormat(bytes), InputFormat::kHloProto);
    for (const std::string& packed : {bytes, Gzip(bytes), Zstd(bytes)}) {
      const auto loaded = LoadModule(packed);
      ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
      EXPECT_EQ(Print(**loaded), text);
    }
  }
  const auto program = LoadProgram(snapshot);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  EXPECT_EQ(program->arguments, arguments);
  EXPECT_EQ(program->result, result);
  EXPECT_TRUE(LoadProgram(hlo)->arguments.empty());
}

// A device of the caller's, which does what nobody should.
class ThrowingDevice : public DeviceContext {
 public:
  StatusOr<Literal> Infeed(const Shape&, std::string_view, Limits*) override {
    throw std::out_of_range("infeed");
  }
  bool HasCustomCall(std::string_view) const override { throw std::out_of_range("custom call"); }
};

TEST(Client, NothingThatIsThrownLeavesTheLibrary) {
  auto client = NewClient();
  ThrowingDevice device;
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    const auto call = client->Compile(
        "HloModule m ENTRY e { ROOT y = f32[] custom-call(), custom_call_target=\"f\" }",
        {.engine = engine, .device = &device});
    EXPECT_EQ(call.status().ToString(), Internal("compile: exception: custom call").ToString());
    const auto infeed = client->Compile(
        "HloModule m ENTRY e { t = token[] after-all() ROOT y = (f32[2], token[]) infeed(t) }",
        {.engine = engine, .device = &device});
    ASSERT_TRUE(infeed.ok()) << infeed.status().message();
    const auto result = (*infeed)->Execute(ArraySlice<Literal>(), {.device = &device});
    EXPECT_EQ(result.status().ToString(), Internal("execute: exception: infeed").ToString());
  }
}

TEST(Load, AFormatThatIsGivenIsNotGuessed) {
  EXPECT_EQ(LoadModule(kAdd, {.format = InputFormat::kHloProto}).status().message().substr(0, 20),
            "hlo proto: byte 2, f");
  const std::string bytes = WriteModuleProto(**LoadModule(kAdd));
  EXPECT_FALSE(LoadModule(bytes, {.format = InputFormat::kHloText}).ok());
}

TEST(Load, ASnapshotHoldsTheArgumentsOfItsProgram) {
  const auto module = *LoadModule(kAdd);
  const std::vector<Literal> one = {Parsed("f32[2] {1, 2}")};
  // Behind the place in the message.
  const auto reason = [](const StatusOr<LoadedProgram>& program) {
    const std::string message = program.status().message();
    return message.substr(message.find(", field 2: ") + 11);
  };
  EXPECT_EQ(reason(LoadProgram(WriteHloSnapshot(*module, one))),
            "the snapshot has 1 arguments but the entry has 2 parameters");
  const std::vector<Literal> other = {Parsed("f32[2] {1, 2}"), Parsed("s32[2] {1, 2}")};
  EXPECT_EQ(reason(LoadProgram(WriteHloSnapshot(*module, other))),
            "argument 1 of the snapshot has shape s32[2] but the parameter f32[2]");
}

TEST(Load, ACompressedInputIsUnpackedWithinTheMemoryLimit) {
  Limits limits;
  limits.set_memory_cap(1 << 20);
  const auto module = LoadModule(Gzip(std::string(1 << 24, ' ')), {.limits = &limits});
  EXPECT_EQ(module.status().code(), StatusCode::kResourceExhausted);
}

TEST(Arguments, FakeValuesAreTheSameEverywhere) {
  EXPECT_EQ(*FakeLiteral(Shape(S32, {2, 2}), "iota", 0), Parsed("s32[2,2] {{0, 1}, {2, 3}}"));
  EXPECT_EQ(*FakeLiteral(Shape(F32, {2}), "zeros", 0), Parsed("f32[2] {0, 0}"));
  const Literal a = *FakeLiteral(Shape(F32, {1000}), "random:7", 0);
  EXPECT_EQ(a, *FakeLiteral(Shape(F32, {1000}), "random:7", 0));
  EXPECT_FALSE(a == *FakeLiteral(Shape(F32, {1000}), "random:8", 0));
  EXPECT_FALSE(a == *FakeLiteral(Shape(F32, {1000}), "random:7", 1));
  for (float x : a.data<float>()) EXPECT_TRUE(x >= -1 && x < 1) << x;
  EXPECT_EQ(FakeLiteral(Shape(F32), "ones", 0).status().message(),
            "fake: unknown kind of values \"ones\"; there are random, random:SEED, iota and zeros");
}

TEST(Arguments, ToleranceIsAbsolutePlusRelativeToTheSecond) {
  const auto differ = [](const char* a, const char* b, Tolerance tolerance) {
    return FirstDifference(Parsed(a), Parsed(b), tolerance).has_value();
  };
  EXPECT_FALSE(differ("f32[] 101", "f32[] 100", {.rtol = 0.01}));
  EXPECT_TRUE(differ("f32[] 102", "f32[] 100", {.rtol = 0.01}));
  EXPECT_FALSE(differ("f32[] 1", "f32[] 0", {.atol = 1}));
  EXPECT_FALSE(differ("f32[] nan", "f32[] nan", {.atol = 1}));
  EXPECT_TRUE(differ("f32[] nan", "f32[] 0", {.atol = 1}));
  EXPECT_FALSE(differ("f32[] inf", "f32[] inf", {.atol = 1}));
  EXPECT_TRUE(differ("f32[] inf", "f32[] 1", {.rtol = 1e30}));
  EXPECT_TRUE(differ("f32[] -0", "f32[] 0", {}));
  EXPECT_FALSE(differ("f32[] 1.0000001", "f32[] 1", {.ulp = 1}));
  EXPECT_TRUE(differ("f32[] 1.0000004", "f32[] 1", {.ulp = 1}));
  EXPECT_TRUE(differ("s32[] 1", "s32[] 2", {.rtol = 10, .ulp = 10}));
  EXPECT_FALSE(differ("c64[] (3, 4)", "c64[] (3, 5)", {.atol = 1}));
}

}  // namespace
}  // namespace axle
