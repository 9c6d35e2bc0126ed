// HLO text becomes a proto and text again, byte for byte; and what XLA itself wrote for a program
// is the same module as its text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/op_def.h"
#include "axle/proto/attributes.h"
#include "axle/proto/read.h"
#include "axle/proto/write.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tests/paths.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesBelow(const fs::path& folder, std::string_view suffix) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().string().ends_with(suffix)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string ReadOrFail(const fs::path& path) {
  const auto bytes = ReadFile(path.string());
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  return bytes.ok() ? *bytes : "";
}

void ExpectSameAfterProto(const Module& module) {
  const std::string text = Print(module);
  const std::string bytes = WriteModuleProto(module);
  const auto reread = ReadModuleProto(bytes);
  ASSERT_TRUE(reread.ok()) << reread.status().ToString() << "\nof\n" << text.substr(0, 2000);
  EXPECT_EQ(Print(**reread), text);
  EXPECT_EQ(WriteModuleProto(**reread), bytes);
}

TEST(ProtoRoundTrip, TestData) {
  int count = 0;
  for (const auto* suffix : {".hlo", ".hlo.txt"}) {
    for (const fs::path& file : FilesBelow(SourceFolder() / "tests/data", suffix)) {
      SCOPED_TRACE(file.string());
      const auto module = Parse(ReadOrFail(file));
      if (module.status().code() == StatusCode::kUnimplemented) continue;
      ASSERT_TRUE(module.ok()) << module.status().ToString();
      ExpectSameAfterProto(**module);
      ++count;
    }
  }
  EXPECT_GE(count, 12);
}

TEST(ProtoRoundTrip, Corpus) {
  std::vector<fs::path> files = OptimizedPrograms();
  for (const fs::path& folder : CorpusPrograms()) files.push_back(folder / "program.hlo.txt");
  int count = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const auto module = Parse(ReadOrFail(file));
    if (!module.ok()) {
      EXPECT_EQ(module.status().code(), StatusCode::kUnimplemented) << module.status().ToString();
      continue;
    }
    ExpectSameAfterProto(**module);
    ++count;
  }
  EXPECT_GE(count, 29);
}

// The bytes of XLA (jaxlib 0.10.2) for the programs of the corpus.
TEST(ProtoRoundTrip, WhatXlaWrites) {
  std::vector<fs::path> files;
  for (const fs::path& folder : CorpusPrograms()) {
    if (fs::exists(folder / "program.hlo.pb")) files.push_back(folder / "program.hlo.pb");
  }
  int count = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const auto from_text = Parse(ReadOrFail(file.parent_path() / "program.hlo.txt"));
    const auto module = ReadModuleProto(ReadOrFail(file));
    if (!from_text.ok()) {
      EXPECT_EQ(from_text.status().code(), StatusCode::kUnimplemented);
      EXPECT_EQ(module.status().code(), StatusCode::kUnimplemented) << module.status().ToString();
      continue;
    }
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    // The proto has no fields for these.
    (*module)->config().replica_count = (*from_text)->config().replica_count;
    (*module)->config().num_partitions = (*from_text)->config().num_partitions;
    (*module)->config().ends_with_empty_line = (*from_text)->config().ends_with_empty_line;
    EXPECT_EQ(Print(**module), Print(**from_text));
    ++count;
  }
  EXPECT_GE(count, 25);
}

// A module without parts that our writer orders in its own way is, but for ids, what XLA writes.
constexpr std::string_view kModule = R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[4,6] parameter(0)
  z = f32[] constant(0)
  p = f32[7,15] pad(x, z), padding=1_2x-1_0_2
  s = f32[2,3] slice(x), slice={[1:3], [0:6:2]}
  d = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  bd = f32[6] dot(x, x), lhs_batch_dims={1}, lhs_contracting_dims={0}, rhs_batch_dims={1}, rhs_contracting_dims={0}
  c = pred[4,6] compare(x, x), direction=GE
  t = f32[6,4] transpose(x), dimensions={1,0}
  r = f32[4] reduce(x, z), dimensions={1}, to_apply=sum
  i = s32[4,6] iota(), iota_dimension=0
  tu = (f32[4,6], f32[4]) tuple(x, r)
  ROOT g = f32[4] get-tuple-element(tu), index=1
})";

// The attribute fields of each instruction in jaxlib's bytes for kModule, without the precision of
// dots, which is absent here when it is the default.
const std::map<std::string_view, std::string_view> kBytes = {
    {"x", ""},
    {"p", "aa01150a04080110020a0d08ffffffffffffffffff011802"},
    {"s", "8a01060801100318018a010410061802"},
    {"d", "f201060a0101120101"},
    {"bd", "f2010c0a01001201001a0101220101"},
    {"c", "fa03024745"},
    {"t", "72020100"},
    {"r", "720101"},
    {"i", "720100"},
    {"g", "6801"},
};

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(ProtoAttributes, AreThoseOfXla) {
  const auto module = Parse(kModule);
  ASSERT_TRUE(module.ok()) << module.status().message();
  size_t count = 0;
  for (const Instruction* inst : (*module)->entry()->instructions()) {
    const auto row = kBytes.find(inst->name());
    if (row == kBytes.end()) continue;
    ++count;
    SCOPED_TRACE(inst->name());
    const OpDef& def = GetOpDef(*inst);
    WireWriter out;
    WriteAttributes(def, inst->attr_block(), inst->shape(), out);
    const std::string bytes = FromHex(row->second);
    // x is parameter 0, whose number is the default, and dots say an empty precision.
    std::string written = out.Take();
    if (written.ends_with(std::string_view("\x9a\x03\x00", 3))) {
      written.resize(written.size() - 3);
    }
    EXPECT_EQ(written, bytes);
    const auto attrs = def.attrs.create();
    WireReader in(bytes, "test");
    ASSERT_TRUE(ReadAttributes(def, inst->shape(), in, attrs.get()).ok());
    EXPECT_EQ((AttrBlock{def.attrs, attrs}), inst->attr_block());
  }
  EXPECT_EQ(count, kBytes.size());
}

// A message without fields would be a window to XLA, if one without dimensions.
TEST(ProtoAttributes, NoWindowOfACustomCallWithoutOne) {
  constexpr int kWindowField = 15;
  const auto module = Parse(R"(ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] custom-call(x), custom_call_target="t"
  ROOT z = f32[2] custom-call(y), window={size=2}, custom_call_target="t"
})");
  ASSERT_TRUE(module.ok()) << module.status().message();
  for (const Instruction* inst : (*module)->entry()->instructions()) {
    if (inst->name() == "x") continue;
    WireWriter out;
    WriteAttributes(GetOpDef(*inst), inst->attr_block(), inst->shape(), out);
    const std::string bytes = out.Take();
    WireReader in(bytes, "test");
    bool has_window = false;
    while (in.Next()) has_window |= in.field() == kWindowField;
    EXPECT_EQ(has_window, inst->name() == "z") << inst->name();
  }
}

// A field that says 0 is a field that is not there.
TEST(ProtoAttributes, AWrittenZeroIsTheDefault) {
  constexpr int kBatchGroupCountField = 58;
  const auto module = Parse(R"(ENTRY e {
  x = f32[2] parameter(0)
  ROOT y = f32[2] custom-call(x), batch_group_count=2, custom_call_target="t"
})");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Instruction& inst = *(*module)->entry()->root();
  WireWriter out;
  out.ExplicitInt(kBatchGroupCountField, 0);
  const std::string bytes = out.Take();
  WireReader in(bytes, "test");
  const auto attrs = GetOpDef(inst).attrs.create();
  ASSERT_TRUE(ReadAttributes(GetOpDef(inst), inst.shape(), in, attrs.get()).ok());
  EXPECT_EQ(static_cast<const CustomCallAttrs*>(attrs.get())->batch_group_count, 1);
}

TEST(ProtoRoundTrip, Containers) {
  const auto module = Parse("ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] negate(x) }");
  ASSERT_TRUE(module.ok());
  const Literal x = *ParseLiteral("f32[2] {1, 2}"), y = *ParseLiteral("f32[2] {-1, -2}");
  const std::string bytes = WriteModuleProto(**module);
  const std::string hlo = WriteHloProto(**module);
  const std::string snapshot = WriteHloSnapshot(**module, {&x, 1}, &y);
  EXPECT_EQ(DetectProto(bytes), ProtoKind::kModule);
  EXPECT_EQ(DetectProto(hlo), ProtoKind::kHlo);
  EXPECT_EQ(DetectProto(snapshot), ProtoKind::kSnapshot);
  EXPECT_EQ(DetectProto("HloModule m"), std::nullopt);
  EXPECT_EQ(DetectProto(""), std::nullopt);

  const auto from_hlo = ReadHloProto(hlo);
  ASSERT_TRUE(from_hlo.ok()) << from_hlo.status().ToString();
  EXPECT_EQ(Print(*from_hlo->module), Print(**module));
  const auto from_snapshot = ReadHloSnapshot(snapshot);
  ASSERT_TRUE(from_snapshot.ok()) << from_snapshot.status().ToString();
  EXPECT_EQ(Print(*from_snapshot->module), Print(**module));
  ASSERT_EQ(from_snapshot->arguments.size(), 1u);
  EXPECT_EQ(from_snapshot->arguments[0], x);
  ASSERT_TRUE(from_snapshot->result);
  EXPECT_EQ(*from_snapshot->result, y);
}

// Everything that an instruction or a module may carry, in one module.
TEST(ProtoRoundTrip, EveryCommonField) {
  const auto module = Parse(
      R"(HloModule all, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {0}, may-alias) }, buffer_donor={ (2, {}) }, alias_passthrough_params=true, entry_computation_layout={(f32[2,3]{0,1}, (s32[], token[]), f32[<=4]{0})->(f32[2,3]{0,1}, s32[])}, allow_spmd_sharding_propagation_to_parameters={false,true}, allow_spmd_sharding_propagation_to_output={true}, replica_count=2, num_partitions=4, frontend_attributes={a="1",b={"k":[1]}}

FileNames
1 "a.py"

FunctionNames
1 "f"
2 ""

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=4 end_column=20}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

fused {
  ROOT x = f32[2,3] parameter(0)
}, execution_thread="other"

ENTRY e {
  a = f32[2,3]{0,1:T(8,128)(2,*)L(4)E(32)S(2)} parameter(0), parameter_replication={true}, sharding={devices=[2,1]<=[2]}
  b = (s32[], token[]) parameter(1), sharding={{replicated}, {manual}}, parameter_replication={false,true}
  c = f32[<=4] parameter(2), statistics={visualizing_index=1,flops=0.5,bytes=3}
  f = f32[2,3]{0,1} fusion(a), kind=kLoop, calls=fused, backend_config={"x":[1,"}"]}, frontend_attributes={z="q\"\n"}
  t = f32[2,3]{0,1} tanh(f), result_accuracy={tolerance={atol=0.5,rtol=0.25,ulps=3}}, control-predecessors={%c, %b}, metadata={op_type="T" op_name="jit(f)/t" source_file="a.py" source_line=3 source_end_line=4 source_column=5 source_end_column=6 profile_type={1,2} deduplicated_name="d" scheduling_name="s" stack_frame_id=2 metadata_payload="p\001"}
  u = f32[2,3]{0,1} exponential(t), result_accuracy={mode=highest}, backend_config=""
  g = s32[] get-tuple-element(b), index=0, origin={{"orig" {1}}}
  ROOT r = (f32[2,3]{0,1}, s32[]) tuple(u, g), origin={({"x"}, {})}, sharding={{mesh['x'=2,'y'=2], [{'x'}, {'y':(1)2, ?}]}, {maximal device=3}}
}
)");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  ExpectSameAfterProto(**module);
}

TEST(ProtoRoundTrip, Shardings) {
  for (const char* sharding :
       {"{replicated}",
        "{manual}",
        "{unreduced}",
        "{unknown shard_like 1}",
        "{maximal device=3}",
        "{devices=[2,2]0,1,2,3}",
        "{devices=[2,2]3,1,2,0 shard_as 7}",
        "{devices=[4,1]<=[4]}",
        "{devices=[2,2]<=[2,2]T(1,0)}",
        "{devices=[4,6]<=[6,4]T(1,0)}",
        "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
        "{devices=[1,2,1,2]<=[4] last_tile_dims={manual, replicated}}",
        "{replicated metadata={op_type=\"y\" op_name=\"x\"}}",
        "{replicated metadata={{op_name=\"x\"}, {op_name=\"z\"}}}",
        "{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}], replicated={'y':(2)2}}",
        "{mesh['x'=2,'y'=2], device_ids=(0,2,1,3), [{}, {'x', 'y'}]}",
        "{mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)), [{?}, {}]}",
        "{mesh['x'=2,'y'=2], [{'x'}, {}], unreduced=max{'y'}}",
        "{mesh['x'=2,'y'=2], [{'x'}, {}], manual={'y'}, metadata={{op_name=\"m\"}}}",
        "{mesh['x'=2,'y'=2], replicated}",
        "{mesh['x'=2,'y'=2], manual}",
        "{mesh['x'=2,'y'=2], unreduced}",
        "{mesh['x'=2,'y'=2], unreduced=max}",
        "{mesh['x'=2,'y'=2], unreduced=min{'x'}}",
        "{maximal_mesh[device_id=3]}"}) {
    const auto module =
        Parse(StrCat("ENTRY e { ROOT x = f32[8,8] parameter(0), sharding=", sharding, " }"));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    SCOPED_TRACE(sharding);
    ExpectSameAfterProto(**module);
  }
}

TEST(ProtoRoundTrip, ConstantsOfAllTypes) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsArrayType(info.type)) continue;
    SCOPED_TRACE(info.text);
    const bool is_pred = info.type == PRED;
    const bool is_small = info.bits == 1;
    const std::string_view values = is_pred || is_small ? "{ { 0, 1, 0 }, { 1, 1, 0 } }"
                                    : info.bits == 2    ? "{ { 0, 1, 0 }, { 1, 1, 0 } }"
                                                        : "{ { 0, 1, 2 }, { 3, 4, 1 } }";
    std::string text(values);
    if (info.type == S1) text = "{ { 0, -1, 0 }, { -1, -1, 0 } }";
    if (info.type == F8E8M0FNU) text = "{ { 1, 1, 2 }, { 4, 4, 0.5 } }";
    if (IsComplex(info.type)) text = "{ { (0, 1), (1, -2), (2, 0) }, { (3, 0), (4, 1), (1, 1) } }";
    for (const char* layout : {"{1,0}", "{0,1}"}) {
      const auto module = Parse(
          StrCat("ENTRY e { ROOT c = ", info.text, "[2,3]", layout, " constant(", text, ") }"));
      ASSERT_TRUE(module.ok()) << module.status().ToString();
      ExpectSameAfterProto(**module);
    }
    const auto empty = Parse(StrCat("ENTRY e { ROOT c = ", info.text, "[0,3] constant({}) }"));
    ASSERT_TRUE(empty.ok()) << empty.status().ToString();
    ExpectSameAfterProto(**empty);
  }
}

TEST(ProtoRoundTrip, RunTimeSizes) {
  const auto module = Parse(
      "ENTRY e { a = f32[<=3,2] constant((2,2) { { 1, 2 }, { 3, 4 } })\n"
      "b = f32[<=3] constant({ 1, 2, 3 })\n"
      "ROOT c = (s32[2,<=4]{0,1}, pred[]) constant(( (2,1) { {1}, {2} }, true )) }");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  ExpectSameAfterProto(**module);
}

}  // namespace
}  // namespace axle
