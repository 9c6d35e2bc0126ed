// Sparse operands of dot and convolution: read, kept and printed, and refused when they are to run.
#include <gtest/gtest.h>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/proto/read.h"
#include "axle/proto/write.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

std::string Program(std::string_view op) {
  return StrCat(
      "HloModule m, entry_computation_layout={(f32[1,4]{1,0}, f32[1,2]{1,0}, "
      "s32[1,2]{1,0})->f32[1,2]{1,0}}\n\n"
      "ENTRY %e (x: f32[1,4], w: f32[1,2], i: s32[1,2]) -> f32[1,2] {\n"
      "  %x = f32[1,4]{1,0} parameter(0)\n"
      "  %w = f32[1,2]{1,0} parameter(1)\n"
      "  %i = s32[1,2]{1,0} parameter(2)\n"
      "  ROOT %r = f32[1,2]{1,0} ",
      op, "\n}\n\n");
}

constexpr std::string_view kSparse[] = {
    "convolution(%x, %w, %i), dim_labels=bf_io->bf, sparsity_config={rhs={sparsity=1x4 "
    "dimension=0 stride=1 idx=2}}",
    "convolution(%x, %w), dim_labels=bf_io->bf, sparsity_config={lhs={sparsity=1x4 dimension=1 "
    "stride=1} rhs={sparsity=3x4 dimension=0 stride=1}}",
    "dot(%x, %w, %i), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sparsity_config={rhs={sparsity=1x4 dimension=0 stride=1 idx=2}}",
    "dot(%x, %w, %i), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sparsity=R.0@1:4",
    "dot(%x, %w, %i, %i), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sparsity=L.1@2:4_R.0@2:4",
};

TEST(Sparsity, IsKept) {
  for (const std::string_view op : kSparse) {
    SCOPED_TRACE(op);
    const auto module = ParseOrFail(Program(op));
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(Print(*module), Program(op));
    ExpectStable(*module);
    const auto reread = ReadModuleProto(WriteModuleProto(*module));
    ASSERT_TRUE(reread.ok()) << reread.status().ToString();
    EXPECT_EQ(Print(**reread), Program(op));
  }
}

TEST(Sparsity, DoesNotRun) {
  const auto client = *Client::Create();
  for (const std::string_view op : kSparse) {
    const auto executable = client->Compile(Program(op), {.engine = EngineKind::kInterpret});
    EXPECT_EQ(executable.status().code(), StatusCode::kUnimplemented) << op;
    const std::string text = executable.status().message().substr(0, op.find('('));
    EXPECT_EQ(text, op.substr(0, op.find('(')));
    EXPECT_NE(executable.status().message().find(
                  ": sparse operands do not run; give the dense array, with zeros for the elements "
                  "that are not stored, and no sparsity; lhs f32[1,4], rhs f32[1,2]"),
              std::string::npos)
        << executable.status().message();
  }
}

// What says nothing is dropped.
TEST(Sparsity, OfNothingIsNone) {
  const auto module = ParseOrFail(
      "ENTRY e { x = f32[1,4] parameter(0)  w = f32[4,2] parameter(1)\n"
      "ROOT r = f32[1,2] convolution(x, w), dim_labels=bf_io->bf, sparsity_config={} }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Print(*module).find("sparsity"), std::string::npos);
}

std::string ErrorOf(std::string_view op) {
  const Status status = Parse(Program(op)).status();
  const std::string message(status.message());
  const size_t begin = message.find(": ") + 2;
  return message.substr(begin, message.find('\n') - begin);
}

TEST(Sparsity, Errors) {
  constexpr std::string_view kDot =
      "dot(%x, %w, %i), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  EXPECT_EQ(ErrorOf(kDot),
            "dot: has 3 operands but takes (lhs, rhs); more are the indices of sparse operands, "
            "which need sparsity_config; lhs f32[1,4], rhs f32[1,2], indices s32[1,2]");
  EXPECT_EQ(ErrorOf(StrCat(kDot, ", sparsity_config={both={}}")), "expected lhs= or rhs=");
  EXPECT_EQ(ErrorOf(StrCat(kDot, ", sparsity_config={lhs={} lhs={}}")), "second value for \"lhs\"");
  EXPECT_EQ(ErrorOf(StrCat(kDot, ", sparsity_config={lhs={sparsity=4}}")),
            "sparsity is two sizes, as in 2x4");
  EXPECT_EQ(ErrorOf(StrCat(kDot, ", sparsity_config={lhs={idx=1 idx=1}}")),
            "second value for \"idx\"");
  EXPECT_EQ(ErrorOf(StrCat(kDot, ", sparsity_config={lhs={block=1}}")),
            "expected one of: sparsity, dimension, stride, idx, each with '='");
  for (const std::string_view wrong :
       {"L", "L.", "M.1@2:4", "L.1@2:4_", "L.1@2", "L.99999999999@2:4"}) {
    EXPECT_EQ(ErrorOf(StrCat(kDot, ", sparsity=", wrong)),
              "expected sparsity as in L.1@2:4 or L.1@2:4_R.0@2:4")
        << wrong;
  }
}

// Attributes that only some releases of XLA print are printed where they were read.
TEST(StatedAttributes, AreKept) {
  for (const std::string_view stable : {"", ", is_stable=true", ", is_stable=false"}) {
    const std::string text = StrCat(
        "HloModule m, entry_computation_layout={(f32[4]{0})->(f32[2]{0}, s32[2]{0})}\n\n"
        "ENTRY %e (x: f32[4]) -> (f32[2], s32[2]) {\n"
        "  %x = f32[4]{0} parameter(0)\n"
        "  ROOT %t = (f32[2]{0}, s32[2]{0}) topk(%x), k=2, largest=true",
        stable, "\n}\n\n");
    const auto module = ParseOrFail(text);
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(Print(*module), text);
    const auto reread = ReadModuleProto(WriteModuleProto(*module));
    ASSERT_TRUE(reread.ok());
    EXPECT_EQ(Print(**reread), text);
  }
  for (const std::string_view root : {"", ", has_dynamic_root=false", ", has_dynamic_root=true"}) {
    const std::string text = StrCat(
        "HloModule m, entry_computation_layout={(f32[4]{0}, s32[1]{0})->f32[4]{0}}\n\n"
        "ENTRY %e (x: f32[4], i: s32[1]) -> f32[4] {\n"
        "  %x = f32[4]{0} parameter(0)\n"
        "  %i = s32[1]{0} parameter(1)\n"
        "  ROOT %t = f32[4]{0} collective-broadcast(%x",
        root == ", has_dynamic_root=true" ? ", %i" : "", "), replica_groups={{0}}", root,
        "\n}\n\n");
    const auto module = ParseOrFail(text);
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(Print(*module), text);
    const auto reread = ReadModuleProto(WriteModuleProto(*module));
    ASSERT_TRUE(reread.ok());
    EXPECT_EQ(Print(**reread), text);
  }
}

}  // namespace
}  // namespace axle
