// Names and forms of arguments of XLA's client library that programs written for it use.
#include <gtest/gtest.h>

#include <regex>

#include "axle/axle.h"
#include "tests/builder/built.h"

namespace axle {
namespace {

TEST(Names, OfMessages) {
  EXPECT_EQ(FftType::FFT, FftType::kFft);
  EXPECT_EQ(FftType::IRFFT, FftType::kIrfft);
  EXPECT_EQ(TriangularSolveOptions::ADJOINT, TransposeOption::kAdjoint);
  const TriangularSolveOptions::Transpose transpose = TriangularSolveOptions::TRANSPOSE;
  EXPECT_EQ(transpose, TransposeOption::TRANSPOSE);
  EXPECT_EQ(RandomAlgorithm::RNG_DEFAULT, RandomAlgorithm::kDefault);
  EXPECT_EQ(RandomDistribution::RNG_NORMAL, RandomDistribution::kNormal);
  EXPECT_EQ(CustomCallSchedule::SCHEDULE_EARLIEST, CustomCallSchedule::kEarliest);
  PrecisionConfig precision;
  precision.add_operand_precision(PrecisionConfig::HIGHEST);
  precision.add_operand_precision(PrecisionConfig::DEFAULT);
  precision.set_algorithm(DotAlgorithm::kDotF32F32F32);
  EXPECT_EQ(precision.operand_precision,
            (OperandPrecision{Precision::kHighest, Precision::kDefault}));
}

TEST(Names, ProgramShapesAreCalled) {
  XlaBuilder b("b");
  const XlaOp x = Parameter(&b, 0, Shape(F32, {2}), "x");
  const ProgramShape shape =
      *Eq(x, Parameter(&b, 1, Shape(F32, {2}), "y")).builder()->GetProgramShape();
  EXPECT_EQ(shape.parameters_size(), 2);
  EXPECT_EQ(shape.parameters(1), Shape(F32, {2}));
  EXPECT_EQ(shape.parameters(), shape.parameters);
  EXPECT_EQ(shape.result(), Shape(PRED, {2}));
  EXPECT_DEATH((void)shape.parameters(2), "no such parameter");
}

// The text of what `build` makes of f32[2,2] and s32[], without its places in this file.
std::string TextOf(const std::function<XlaOp(XlaBuilder&, XlaOp, XlaOp)>& build) {
  XlaBuilder b("b");
  const XlaOp x = Parameter(&b, 0, Shape(F32, {2, 2}), "x");
  const XlaOp root = build(b, x, Parameter(&b, 1, Shape(S32), "i"));
  const auto computation = b.Build(root);
  if (!computation.ok()) return computation.status().ToString();
  static const std::regex metadata(R"(, metadata=\{[^}]*\})");
  return std::regex_replace(Print(computation->module()), metadata, "");
}

TEST(Names, GroupsAreListsInAnyForm) {
  const auto sum = [](auto&& groups) {
    return TextOf([&](XlaBuilder&, XlaOp x, XlaOp) { return CrossReplicaSum(x, groups); });
  };
  const std::string one = TextOf([](XlaBuilder&, XlaOp x, XlaOp) {
    return CrossReplicaSum(x, {{0, 1}});
  });
  EXPECT_NE(one.find("replica_groups={{0,1}}"), std::string::npos) << one;
  const std::string two = TextOf([](XlaBuilder&, XlaOp x, XlaOp) {
    return CrossReplicaSum(x, {{0, 3}, {1, 2}});
  });
  EXPECT_NE(two.find("replica_groups={{0,3},{1,2}}"), std::string::npos) << two;
  EXPECT_EQ(sum(std::vector<std::vector<std::int64_t>>{{0, 3}, {1, 2}}), two);
  EXPECT_EQ(sum(std::vector<ReplicaGroup>{{0, 3}, {1, 2}}), two);
  // Entry i is the group of replica i.
  EXPECT_EQ(sum(std::vector<std::int64_t>{0, 1, 1, 0}), two);
  EXPECT_EQ(TextOf([](XlaBuilder&, XlaOp x, XlaOp) {
              return CrossReplicaSum(x, {0, 1, 1, 0});
            }),
            two);
}

TEST(Names, ChannelsAreNumbers) {
  ChannelHandle handle;
  handle.set_handle(3);
  const auto gather = [](auto channel) {
    return TextOf([&](XlaBuilder&, XlaOp x, XlaOp) { return AllGather(x, 0, 1, {{0}}, channel); });
  };
  EXPECT_NE(gather(3).find("channel_id=3"), std::string::npos) << gather(3);
  EXPECT_EQ(gather(std::int64_t{3}), gather(handle));
  EXPECT_EQ(gather(std::optional<std::int64_t>(3)), gather(handle));
}

TEST(Names, EmptyListsOfIndicesAreLists) {
  EXPECT_NE(TextOf([](XlaBuilder&, XlaOp, XlaOp i) {
              return DynamicSlice(i, {}, {});
            }).find("s32[] dynamic-slice(%i), dynamic_slice_sizes={}"),
            std::string::npos);
  EXPECT_NE(TextOf([](XlaBuilder&, XlaOp, XlaOp i) {
              return DynamicUpdateSlice(i, i, {});
            }).find("s32[] dynamic-update-slice(%i, %i)"),
            std::string::npos);
  const auto in_braces = TextOf([](XlaBuilder&, XlaOp x, XlaOp i) {
    return DynamicSlice(x, {i, i}, {1, 1});
  });
  EXPECT_EQ(in_braces, TextOf([](XlaBuilder&, XlaOp x, XlaOp i) {
              const std::vector<XlaOp> starts = {i, i};
              return DynamicSlice(x, starts, {1, 1});
            }));
}

TEST(Names, BranchesAreComputationsOrPointers) {
  XlaBuilder b("negate");
  Neg(Parameter(&b, 0, Shape(F32, {2, 2}), "x"));
  XlaComputation negate = *b.Build();
  const auto branches = [](auto&& list) {
    return TextOf([&](XlaBuilder&, XlaOp x, XlaOp i) { return Conditional(i, list, {x, x}); });
  };
  const std::string text = TextOf([&](XlaBuilder&, XlaOp x, XlaOp i) {
    return Conditional(i, {&negate, &negate}, {x, x});
  });
  EXPECT_NE(text.find("branch_computations={"), std::string::npos) << text;
  EXPECT_EQ(TextOf([&](XlaBuilder&, XlaOp x, XlaOp i) {
              return Conditional(i, {negate, negate}, {x, x});
            }),
            text);
  EXPECT_EQ(branches(std::vector<XlaComputation*>{&negate, &negate}), text);
  EXPECT_EQ(branches(std::vector<const XlaComputation*>{&negate, &negate}), text);
  EXPECT_EQ(branches(std::vector<XlaComputation>{negate, negate}), text);
}

TEST(Names, ConcatenateIsConcatInDim) {
  EXPECT_EQ(TextOf([](XlaBuilder& b, XlaOp x, XlaOp) {
              return Concatenate(&b, {x, x}, 1);
            }),
            TextOf([](XlaBuilder& b, XlaOp x, XlaOp) {
              return ConcatInDim(&b, {x, x}, 1);
            }));
}

TEST(Names, NumbersAreOperands) {
  const auto result = [](const std::function<XlaOp(XlaOp)>& build, std::string_view argument) {
    XlaBuilder b("b");
    const XlaOp root = build(Parameter(&b, 0, Value(argument).shape(), "x"));
    const auto computation = b.Build(root);
    if (!computation.ok()) return computation.status().message();
    return Evaluate(computation->module(), std::vector<Literal>{Value(argument)})
        ->ToStringWithShape();
  };
  EXPECT_EQ(result([](XlaOp x) { return 2.0F * x + 1; }, "f32[2] {1, 2}"), "f32[2] {3, 5}");
  EXPECT_EQ(result([](XlaOp x) { return (x - 1) / 2.0; }, "f64[2] {1, 2}"), "f64[2] {0, 0.5}");
  EXPECT_EQ(result([](XlaOp x) { return 12 / (5 - x); }, "s32[2] {1, 2}"), "s32[2] {3, 4}");
  EXPECT_EQ(result([](XlaOp x) { return x * bfloat16(0.5F); }, "f16[1] {3}"), "f16[1] {1.5}");
  EXPECT_EQ(result([](XlaOp x) { return 1 + x; }, "c64[] (1, 2)"), "c64[] (2, 2)");
  const std::string lost = result([](XlaOp x) { return x * 0.5F; }, "s32[2] {1, 2}");
  EXPECT_EQ(lost.substr(0, lost.find(" at ")), "constant: 0.5 is not an integer, as s32 needs");
}

TEST(Names, ErrorsOfSubBuildersAreNoted) {
  XlaBuilder outer("outer");
  const auto inner = outer.CreateSubBuilder("inner");
  Neg(Parameter(inner.get(), 0, Shape(F32), "x"));
  EXPECT_TRUE(inner->BuildAndNoteError().valid());
  EXPECT_TRUE(outer.first_error().ok());
  Parameter(inner.get(), 1, Shape(F32), "x");  // 0 is missing
  EXPECT_FALSE(inner->BuildAndNoteError().valid());
  EXPECT_FALSE(outer.first_error().ok());
  std::unique_ptr<XlaBuilder> orphan;
  {
    XlaBuilder gone("gone");
    orphan = gone.CreateSubBuilder("orphan");
  }
  EXPECT_FALSE(orphan->BuildAndNoteError().valid());
  EXPECT_FALSE(XlaBuilder("alone").BuildAndNoteError().valid());
}

TEST(Names, DonorsAreRemoved) {
  XlaBuilder b("b");
  Neg(Parameter(&b, 0, Shape(F32), "x"));
  b.AddBufferDonor(0, {});
  b.RemoveBufferDonor(1, {});
  b.RemoveBufferDonor(0, {});
  EXPECT_EQ(b.Build()->module().config().buffer_donor.size(), 0u);
}

}  // namespace
}  // namespace axle
