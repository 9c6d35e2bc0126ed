// Weights from files: safetensors beside .npz, by the names of the parameters.
#include "axle/core/safetensors.h"
#include "tests/tools/cli.h"

namespace axle {
namespace {

constexpr char kLayer[] = R"(HloModule layer
ENTRY main {
  w = f32[2] parameter(0)
  b.1 = bf16[2] parameter(1), metadata={op_name="bias"}
  wide = f32[2] convert(b.1)
  ROOT y = f32[2] add(w, wide)
}
)";

class CliWeights : public Cli {
 protected:
  using Members = std::vector<std::pair<std::string, std::string>>;
  static std::vector<std::pair<std::string, Literal>> Literals(const Members& members) {
    std::vector<std::pair<std::string, Literal>> all;
    for (const auto& [name, text] : members) all.emplace_back(name, *ParseLiteral(text));
    return all;
  }
  std::string Safetensors(const std::string& name, const Members& members) const {
    return Write(name, *WriteSafetensors(Literals(members)));
  }
  Result Layer(const std::string& inputs, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"run", Write("layer.hlo", kLayer), "--inputs", inputs};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }
};

TEST_F(CliWeights, ParametersGoByTheirNamesOrNumbers) {
  const std::string expected = "out_0 = f32[2] {11, 22}\n";
  const Members kFiles[] = {
      {{"in_0", "f32[2] {1, 2}"}, {"in_1", "bf16[2] {10, 20}"}},
      {{"w", "f32[2] {1, 2}"}, {"b.1", "bf16[2] {10, 20}"}, {"unused", "s4[3] {1, 2, 3}"}},
      {{"w", "f32[2] {1, 2}"}, {"bias", "bf16[2] {10, 20}"}},
  };
  for (Members members : kFiles) {
    const std::string npz = Write("w.npz", *WriteNpz(Literals(members), false));
    EXPECT_EQ(Layer(npz).out, expected) << Layer(npz).err;
    std::erase_if(members, [](const auto& member) { return member.first == "unused"; });
    const std::string file = Safetensors("w.safetensors", members);
    EXPECT_EQ(Layer(file).out, expected) << Layer(file).err;
    // What the file says counts, not its name.
    const std::string renamed = Safetensors("renamed.npz", members);
    EXPECT_EQ(Layer(renamed).out, expected) << Layer(renamed).err;
  }
}

TEST_F(CliWeights, WhatIsMissingOrWrongIsNamed) {
  const std::string some = Safetensors("some.safetensors", {{"w", "f32[2] {1, 2}"}});
  EXPECT_EQ(Layer(some).exit, 3);
  EXPECT_EQ(Layer(some).err,
            "NOT_FOUND: " + some +
                ": no array for argument 1 bf16[2]; there is w. An array has the name of a "
                "parameter, or in_ or arr_ and the number of an argument; it has w, b.1 (bias)\n");
  EXPECT_EQ(Layer(some, {"--arg", "bias=10,20"}).out, "out_0 = f32[2] {11, 22}\n");
  EXPECT_EQ(Layer(some, {"--fake=zeros"}).out, "out_0 = f32[2] {1, 2}\n");
  const std::string wrong =
      Safetensors("wrong.safetensors", {{"w", "f32[2] {1, 2}"}, {"bias", "f32[2] {1, 2}"}});
  EXPECT_EQ(Layer(wrong).err, "INVALID_ARGUMENT: " + wrong +
                                  ": bias: has float32 (2,), wanted uint16 (2,) for bf16[2]\n");
  const std::string damaged = Write("damaged.safetensors", ReadText(some).substr(0, 40));
  EXPECT_EQ(Layer(damaged).err, "INVALID_ARGUMENT: " + damaged +
                                    ": safetensors: the file ends inside its header of 56 bytes\n");
  const std::string large = Safetensors("large.safetensors", {{"w", "f32[2] {1, 2}"}});
  EXPECT_EQ(Layer(large, {"--mem-limit", "4"}).exit, 4);
}

TEST_F(CliWeights, ResultsAreWrittenAndCompared) {
  const std::string file =
      Safetensors("w.safetensors", {{"w", "f32[2] {1, 2}"}, {"bias", "bf16[2] {10, 20}"}});
  EXPECT_EQ(Layer(file, {"--output", Path("out.safetensors")}).out, "");
  const std::string written = ReadText(Path("out.safetensors"));
  const auto out = ReadSafetensors(written);
  ASSERT_TRUE(out.ok()) << out.status().message();
  EXPECT_EQ(*MemberLiteral(*out, "out_0"), *ParseLiteral("f32[2] {11, 22}"));
  const auto check = [&](const std::string& against) {
    return Run({"check", Path("layer.hlo"), "--inputs", file, "--against", against});
  };
  EXPECT_EQ(check(Path("out.safetensors")).exit, 0) << check(Path("out.safetensors")).err;
  EXPECT_EQ(check(Safetensors("no.safetensors", {{"out_0", "f32[2] {11, 23}"}})).exit, 1);
  const std::string narrow =
      Write("s4.hlo", "HloModule m\nENTRY e { ROOT c = s4[] constant(1) }\n");
  EXPECT_EQ(Run({"run", narrow, "--output", Path("s4.safetensors")}).err,
            "INVALID_ARGUMENT: safetensors: cannot write s4[] as \"out_0\"\n");
}

}  // namespace
}  // namespace axle
