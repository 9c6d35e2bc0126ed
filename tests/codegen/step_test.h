// Fixture of steps that are tested against the interpreter, bit for bit.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/ir/module.h"
#include "tests/codegen/isas.h"

namespace axle {

// Numbers of some sizes, many of them equal, zeros of both signs; with odd seeds NaNs and
// infinities among `special_every` of them.
inline Literal Numbers(const Shape& shape, std::uint32_t seed, std::uint32_t special_every = 512) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Literal wide{Shape(F32, shape.dims())};
  std::uint32_t state = seed;
  for (float& x : wide.mutable_data<float>()) {
    state = state * 1664525 + 1013904223;
    const std::uint32_t kind = state >> 20;
    x = static_cast<float>(static_cast<std::int32_t>(state << 3) >> 28) *
        static_cast<float>(1 << (state >> 9 & 3));
    if (kind % 4 == 1) x = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-28F;
    if (kind % 16 == 7) x = -0.0F;
    if (seed % 2 == 0) continue;
    if (kind % special_every == 9) x = std::numeric_limits<float>::quiet_NaN();
    if (kind % special_every == 10) x = kInfinity;
    if (kind % special_every == 12) x = -kInfinity;
  }
  return *Convert(wide, shape.type());
}

// ISA, threads, whether kernels check what they access.
using StepParameter = std::tuple<NativeIsa, int, bool>;

class StepTest : public testing::TestWithParam<StepParameter> {
 protected:
  void SetUp() override {
    AXLE_SKIP_UNLESS_IT_RUNS(std::get<0>(GetParam()));
    auto client = Client::Create({.num_threads = std::get<1>(GetParam())});
    ASSERT_TRUE(client.ok()) << client.status().message();
    client_ = *std::move(client);
  }

  // `look` sees what was compiled.
  void ExpectSameBits(const std::string& text, std::uint32_t seed, std::uint32_t special_every,
                      const std::function<void(const CompileReport&)>& look) {
    SCOPED_TRACE(text);
    std::vector<Literal> results, arguments;
    for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kNative}) {
      CompileOptions options;
      options.engine = engine;
      options.isa = std::get<0>(GetParam());
      options.debug.report = true;
      options.debug.run_passes = run_passes_;
      options.debug.check_accesses = std::get<2>(GetParam());
      const auto executable = client_->Compile(text, options);
      ASSERT_TRUE(executable.ok()) << executable.status().message();
      if (arguments.empty()) {
        for (const Instruction* parameter : (*executable)->module().entry()->parameters()) {
          arguments.push_back(Numbers(parameter->shape().WithoutLayout(), seed++, special_every));
        }
      }
      if (engine == EngineKind::kNative) look(*(*executable)->report());
      auto result = (*executable)->Execute(arguments);
      ASSERT_TRUE(result.ok()) << result.status().message();
      results.push_back(*std::move(result));
    }
    const auto difference = FirstDifference(results[0], results[1]);
    EXPECT_FALSE(difference) << difference->ToString();
  }

  std::unique_ptr<Client> client_;
  // Otherwise the steps are those of the module as it is written: passes know what few elements
  // come to.
  bool run_passes_ = false;
};

// "avx2_threads3_checked".
inline std::string StepParameterName(const testing::TestParamInfo<StepParameter>& info) {
  const auto& [isa, threads, is_checked] = info.param;
  return StrCat(Name(isa), "_threads", threads, is_checked ? "_checked" : "");
}
inline const auto kStepParameters = testing::Values(StepParameter(NativeIsa::kV2, 1, false),
                                                    StepParameter(NativeIsa::kAvx2, 3, true),
                                                    StepParameter(NativeIsa::kAvx512, 1, false));

}  // namespace axle
