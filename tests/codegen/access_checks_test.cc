// Checked code: silent with the memory that kernels are given, and loud with an element less.
#include "axle/codegen/llvm/access_checks.h"

#include <gtest/gtest.h>

#include <numeric>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/codegen/choose_target.h"
#include "axle/codegen/llvm/jit.h"
#include "axle/codegen/llvm/lane_lowering.h"
#include "axle/codegen/llvm/small_lowering.h"
#include "axle/core/strings.h"
#include "axle/emit/lane_builder.h"
#include "axle/text/parse.h"
#include "tests/codegen/isas.h"

namespace axle {
namespace {

// One kernel with checks of its own.
template <typename Kernel>
class Checked {
 public:
  // emit(target, name, module) adds the kernel.
  template <typename Emit>
  Checked(NativeIsa isa, int level, const Emit& emit) {
    JitTarget target = *ChooseTarget(isa, level);
    target.checks = &checks_;
    jit_ = *Jit::Create(target);
    Jit::NewModule module = jit_->MakeModule("m");
    emit(target, "checked", *module.module);
    const Status added = jit_->Add(std::move(module));
    EXPECT_TRUE(added.ok()) << added.ToString();
    kernel = reinterpret_cast<Kernel*>(*jit_->Lookup("checked"));
  }
  Status status() const { return checks_.status(); }
  Kernel* kernel = nullptr;

 private:
  AccessChecks checks_;
  std::unique_ptr<Jit> jit_;
};

// x + y, where y is read as `inner` says.
struct AddLoop {
  InnerStride inner;
  static constexpr size_t kOperands = 3;

  // Runs on n positions; all of operand `cut` but its last element, or its first, is its memory.
  // -1: none.
  static Status Run(const AddLoop& loop, NativeIsa isa, int level, i64 n, int cut, bool at_front,
                    std::vector<float>* sum) {
    LaneBuilder b;
    const Lane x = b.Input(LaneType::kF32), y = b.Input(LaneType::kF32);
    const LaneProgram program = std::move(b).Finish(std::vector<Lane>{x + y});
    const LoopKernelSpec spec{&program, {InnerStride::kUnit, loop.inner}};
    const Checked<LoopKernel> checked(
        isa, level, [&](const JitTarget& target, const char* name, llvm::Module& module) {
          EmitLoopKernel(spec, target, name, module);
        });
    const i64 step = loop.inner == InnerStride::kUnit      ? 1
                     : loop.inner == InnerStride::kUniform ? 0
                                                           : 3;
    std::vector<float> a(n), c((n - 1) * step + 1);
    std::iota(a.begin(), a.end(), 1.f);
    std::iota(c.begin(), c.end(), 100.f);
    sum->assign(n, -1.f);
    std::vector<float>* const memory[kOperands] = {&a, &c, sum};
    void* pointers[NumCheckedPointers(kOperands)];
    for (size_t i = 0; i < kOperands; ++i) {
      const bool is_cut = static_cast<int>(i) == cut;
      const i64 bytes = std::ssize(*memory[i]) * 4;
      pointers[i] = memory[i]->data();
      SetBounds(pointers, kOperands, i, memory[i]->data() + (is_cut && at_front ? 1 : 0),
                bytes - (is_cut ? 4 : 0));
    }
    const i64 outer[kOperands] = {}, inner_bytes[kOperands] = {4, 4 * step, 4};
    checked.kernel(pointers, n, 1, outer, inner_bytes);
    for (i64 k = 0; k < n && cut < 0; ++k) {
      EXPECT_EQ((*sum)[k], static_cast<float>(k + 1) + static_cast<float>(100 + k * step));
    }
    return checked.status();
  }
};

class AccessChecksOfLoops : public testing::TestWithParam<std::tuple<NativeIsa, int>> {};

TEST_P(AccessChecksOfLoops, AnElementLessIsAnError) {
  const auto& [isa, level] = GetParam();
  AXLE_SKIP_UNLESS_IT_RUNS(isa);
  for (const InnerStride inner : {InnerStride::kUnit, InnerStride::kUniform, InnerStride::kAny}) {
    const AddLoop loop{inner};
    for (const i64 n : {1, 7, 16, 64, 67}) {
      if (isa == NativeIsa::kAarch64 && n != 67) continue;  // an emulator takes its time
      SCOPED_TRACE(StrCat(static_cast<int>(inner), " ", n));
      std::vector<float> sum;
      const Status whole = AddLoop::Run(loop, isa, level, n, -1, false, &sum);
      EXPECT_TRUE(whole.ok()) << whole.ToString();
      for (int operand = 0; operand < 3; ++operand) {
        for (const bool at_front : {false, true}) {
          const Status cut = AddLoop::Run(loop, isa, level, n, operand, at_front, &sum);
          EXPECT_EQ(cut.code(), StatusCode::kInternal);
          const std::string what =
              StrCat("checked: operand ", operand, operand == 2 ? ": writes " : ": reads ");
          EXPECT_NE(cut.message().find(what), cut.message().npos) << cut.ToString();
          if (operand == 2) {  // what may not be written is not
            EXPECT_EQ(at_front ? sum.front() : sum.back(), -1.f);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, AccessChecksOfLoops,
                         testing::Combine(testing::ValuesIn(kNativeIsas), testing::Values(0, 2)),
                         [](const auto& info) {
                           return StrCat(Name(std::get<0>(info.param)), "_level",
                                         std::get<1>(info.param));
                         });

// A function with a loop, numbers of its own, a large array that it reads and one that it changes.
constexpr std::string_view kSmall = R"(
cond {
  s = (s32[], f32[5], f32[300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT p = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[5], f32[300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[5] get-tuple-element(s), index=1
  a = f32[300] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  k = f32[5] constant({1, 2, 3, 4, 5})
  w = f32[5] add(v, k)
  b = f32[300] dynamic-update-slice(a, w, i)
  ROOT t = (s32[], f32[5], f32[300]) tuple(j, w, b)
}
ENTRY e {
  zero = s32[] constant(0)
  v = f32[5] parameter(0)
  a = f32[300] parameter(1)
  s = (s32[], f32[5], f32[300]) tuple(zero, v, a)
  ROOT w = (s32[], f32[5], f32[300]) while(s), condition=cond, body=body
})";

// The only region of kSmall, with one element less of operand `cut`.
Status RunSmallWith(int cut, size_t* num_operands) {
  const auto module = Parse(kSmall);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  Schedule schedule = *MakeSchedule(*(*module)->entry());
  const auto schedule_of =
      [](const HloComputation& computation) -> StatusOr<std::shared_ptr<Schedule>> {
    AXLE_ASSIGN(Schedule made, MakeSchedule(computation));
    return std::make_shared<Schedule>(std::move(made));
  };
  EXPECT_TRUE(GroupSmallRegions(schedule, schedule_of, /*wherever_possible=*/true).ok());
  EXPECT_EQ(schedule.regions.size(), 1u);
  const Region& region = schedule.regions[0];
  EXPECT_EQ(region.kind, RegionKind::kSmall);
  const Checked<SmallKernel> checked(
      NativeIsa::kAuto, 1, [&](const JitTarget& target, const char* name, llvm::Module& llvm) {
        EmitSmallKernel(region, schedule, target, name, llvm);
      });
  std::vector<ValueId> operands;
  for (const RegionInput& input : region.inputs) operands.push_back(input.value);
  operands.insert(operands.end(), region.outputs.begin(), region.outputs.end());
  const size_t n = *num_operands = operands.size();
  std::vector<std::vector<float>> memory;
  for (const ValueId operand : operands) memory.emplace_back(schedule.values[operand].bytes / 4);
  std::vector<void*> pointers(NumCheckedPointers(n));
  for (size_t i = 0; i < n; ++i) {
    pointers[i] = memory[i].data();
    const bool is_cut = static_cast<int>(i) == cut;
    SetBounds(pointers.data(), n, i, memory[i].data(),
              std::ssize(memory[i]) * 4 - (is_cut ? 4 : 0));
  }
  Fuel fuel{1000, nullptr};
  EXPECT_EQ(checked.kernel(&fuel, pointers.data()), kKernelOk);
  return checked.status();
}

TEST(AccessChecksOfSmallRegions, AnElementLessIsAnError) {
  size_t num_operands = 0;
  const Status whole = RunSmallWith(-1, &num_operands);
  EXPECT_TRUE(whole.ok()) << whole.ToString();
  ASSERT_GE(num_operands, 4u);
  for (size_t i = 0; i < num_operands; ++i) {
    const Status cut = RunSmallWith(static_cast<int>(i), &num_operands);
    EXPECT_EQ(cut.code(), StatusCode::kInternal);
    EXPECT_NE(cut.message().find(StrCat("operand ", i)), cut.message().npos) << cut.ToString();
  }
}

TEST(AccessChecks, AreInTheCodeOfWhoeverAsks) {
  const auto client = *Client::Create();
  for (const bool small : {false, true}) {
    for (const bool checked : {false, true}) {
      std::string code;
      const auto executable = client->Compile(
          kSmall, {.engine = EngineKind::kNative,
                   .debug = {.small_wherever_possible = small,
                             .check_accesses = checked,
                             .on_llvm = [&](std::string_view more) { code += more; }}});
      ASSERT_TRUE(executable.ok()) << executable.status().ToString();
      const bool is_checked = code.find(kCheckAccess) != code.npos;
      EXPECT_EQ(is_checked, checked || kAlwaysChecksAccesses);
      std::vector<Literal> arguments;
      for (const Shape& shape : ArgumentLeaves(*(*executable)->module().entry())) {
        arguments.push_back(*FakeLiteral(shape, "random:3", 0));
      }
      const auto result = (*executable)->Execute(arguments);
      EXPECT_TRUE(result.ok()) << result.status().ToString();
    }
  }
}

}  // namespace
}  // namespace axle
