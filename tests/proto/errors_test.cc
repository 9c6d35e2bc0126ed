// Damaged protos: an error that says where, and never a crash.
#include <gtest/gtest.h>

#include <random>

#include "axle/core/literal_wire.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/proto/fields.h"
#include "axle/proto/read.h"
#include "axle/proto/write.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

// An instruction of f32[2] by its parts.
struct Part {
  std::string_view name;
  std::string_view opcode;
  i64 id;
  Dims operands = {};
  Dims callees = {};
  i64 parameter = 0;
};

WireWriter InstructionOf(const Part& part) {
  WireWriter out;
  out.Text(field::kName, part.name);
  out.Text(field::kOpcode, part.opcode);
  out.Message(field::kShape, ShapeMessage(Shape(F32, {2})));
  out.Int(9, part.parameter);
  out.Int(field::kId, part.id);
  out.Ints(field::kOperandIds, part.operands);
  out.Ints(field::kCalledComputationIds, part.callees);
  return out;
}

WireWriter ComputationOf(std::string_view name, i64 id, const std::vector<Part>& parts, i64 root) {
  WireWriter out;
  out.Text(field::kComputationName, name);
  for (const Part& part : parts) out.Message(field::kInstructions, InstructionOf(part));
  out.Int(field::kComputationId, id);
  out.Int(field::kRootId, root);
  return out;
}

std::string ModuleOf(const std::vector<WireWriter>& computations, i64 entry = 1) {
  WireWriter out;
  out.Text(field::kModuleName, "m");
  for (const WireWriter& computation : computations) {
    out.Message(field::kComputations, computation);
  }
  out.Int(field::kEntryComputationId, entry);
  return out.Take();
}

std::string OneComputation(const std::vector<Part>& parts, i64 root = 1) {
  return ModuleOf({ComputationOf("e", 1, parts, root)});
}

TEST(ProtoErrors, Texts) {
  const Part x = {"x", "parameter", 1};
  const std::pair<std::string, std::string> rows[] = {
      {OneComputation({x}), "OK"},
      {"", "hlo proto: byte 0: the module has no computation"},
      {"\x0a", "hlo proto: byte 0, field 1: a length is cut off or too long"},
      {"\x0a\x05jit", "hlo proto: byte 0, field 1: has 5 bytes but only 3 are left"},
      {"\xff", "hlo proto: byte 0: the tag of a field is cut off"},
      {std::string("\x00\x01", 2), "hlo proto: byte 0: the tag has no valid field number"},
      {"\x0b", "hlo proto: byte 0, field 1: wire type 3 is not used by these messages"},
      {"\x08\x01", "hlo proto: byte 0, field 1: has wire type 0, not 2"},
      {OneComputation({x, {"y", "frobnicate", 2, {1}}}),
       "hlo proto: byte 50, field 3.2.2: unknown operation \"frobnicate\""},
      {OneComputation({x, {"y", "negat", 2, {1}}}),
       "hlo proto: byte 50, field 3.2.2: unknown operation \"negat\" (did you mean \"negate\"?)"},
      {OneComputation({x, {"y", "negate", 2, {3}}}),
       "hlo proto: byte 45, field 3.2: there is no instruction 3 before this place, which is an "
       "operand"},
      {OneComputation({x, {"y", "negate", 2, {2}}}),
       "hlo proto: byte 45, field 3.2: there is no instruction 2 before this place, which is an "
       "operand"},
      {OneComputation({x, {"x", "negate", 2, {1}}}),
       "hlo proto: byte 45, field 3.2: second instruction \"x\""},
      {OneComputation({x, {"y", "negate", 1, {1}}}),
       "hlo proto: byte 45, field 3.2: second instruction with id 1"},
      {OneComputation({x, {"a b", "negate", 2, {1}}}),
       "hlo proto: byte 45, field 3.2: \"a b\" is not a name"},
      {OneComputation({x, {"y", "add", 2, {1}}}),
       "hlo proto: byte 45, field 3.2: add: has 1 operands but takes (lhs, rhs); lhs f32[2]"},
      {OneComputation({x}, 9),
       "hlo proto: byte 3, field 3: there is no instruction 9 before this place, which is the "
       "root"},
      {OneComputation({x, {"y", "parameter", 2}}),
       "hlo proto: byte 3, field 3: computation \"e\": parameter 0 is there twice"},
      {OneComputation({{"x", "parameter", 1, {}, {}, 7}}),
       "hlo proto: byte 3, field 3: computation \"e\": parameter 0 is missing"},
      {ModuleOf({ComputationOf("e", 1, {x}, 1), ComputationOf("e", 2, {x}, 1)}),
       "hlo proto: byte 49, field 3: second computation \"e\""},
      {ModuleOf({ComputationOf("e", 1, {x}, 1), ComputationOf("f", 1, {x}, 1)}),
       "hlo proto: byte 49, field 3: second computation with id 1"},
      {ModuleOf({ComputationOf("e", 1, {x}, 1)}, 4),
       "hlo proto: byte 49, field 6: there is no computation 4, which is to be the entry"},
      {OneComputation({x, {"y", "call", 2, {1}, {1}}}),
       "hlo proto: byte 45, field 3.2: there is no computation 1 before this one; callees come "
       "first, and none calls itself"},
      {OneComputation({x, {"y", "add", 2, {1, 1, 1}}}),
       "hlo proto: byte 45, field 3.2: add: has 3 operands but takes (lhs, rhs); lhs f32[2], rhs "
       "f32[2], operand 2 f32[2]"},
      {OneComputation({}), "hlo proto: byte 3, field 3: \"e\" has no instructions"},
  };
  for (const auto& [bytes, expected] : rows) {
    const auto module = ReadModuleProto(bytes);
    EXPECT_EQ(module.ok() ? "OK" : module.status().message(), expected);
  }
}

TEST(ProtoErrors, LiteralsHaveAsManyElementsAsTheirShapes) {
  WireWriter literal;
  literal.Message(1, ShapeMessage(Shape(F32, {i64{1} << 40})));
  literal.Bytes(8, std::string(8, '\0'));
  WireWriter holder;
  holder.Message(8, literal);
  WireReader reader(holder.bytes(), "test");
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(ReadLiteral(reader).status().message(),
            "test: byte 0, field 8: a literal of shape f32[1099511627776] has 1099511627776 "
            "elements, but there are 2");
}

// A literal of f32[<=3,2] with these run-time sizes.
StatusOr<Literal> DynamicLiteral(const Dims& sizes) {
  Shape shape(F32, {3, 2});
  shape.set_dynamic(0, true);
  WireWriter literal;
  literal.Message(1, ShapeMessage(shape));
  literal.Bytes(8, std::string(6 * 4, '\0'));
  literal.Ints(34, sizes);
  WireWriter holder;
  holder.Message(8, literal);
  WireReader reader(holder.bytes(), "test");
  EXPECT_TRUE(reader.Next());
  return ReadLiteral(reader);
}

TEST(ProtoErrors, RunTimeSizesAreWithinTheirBounds) {
  EXPECT_EQ(DynamicLiteral({2, 2})->ShapeToString(), "f32[<=3,2](2,2)");
  EXPECT_EQ(DynamicLiteral({})->ShapeToString(), "f32[<=3,2](3,2)");
  const std::string begin = "test: byte 0, field 8: ";
  EXPECT_EQ(DynamicLiteral({2}).status().message(),
            begin + "a literal of shape f32[<=3,2] has 1 dynamic_sizes, not 2");
  EXPECT_EQ(DynamicLiteral({4, 2}).status().message(),
            begin + "dimension 0 of f32[<=3,2] cannot have size 4");
  EXPECT_EQ(DynamicLiteral({-1, 2}).status().message(),
            begin + "dimension 0 of f32[<=3,2] cannot have size -1");
  EXPECT_EQ(DynamicLiteral({3, 1}).status().message(),
            begin + "dimension 1 of f32[<=3,2] cannot have size 1");
}

// What rows say about who reads a result holds for protos too.
TEST(ProtoErrors, UsesAreChecked) {
  const auto module = Parse(R"(
ENTRY e {
  x = f32[2] parameter(0)
  s = (f32[2], f32[2]) all-gather-start(x), replica_groups={}, dimensions={0}
  ROOT d = f32[2] all-gather-done(s)
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  (*module)->entry()->set_root((*module)->entry()->instructions()[1]);
  const Status status = ReadModuleProto(WriteModuleProto(**module)).status();
  EXPECT_NE(status.message().find(
                "all-gather-start: \"s\" must be read by all-gather-done, not be the result"),
            std::string::npos)
      << status.message();
}

TEST(ProtoErrors, CallersOfWhatIsStartedAreChecked) {
  const auto module = Parse(R"(
f {
  x = f32[2] parameter(0)
  ROOT y = f32[2] negate(x)
}
ENTRY e {
  x = f32[2] parameter(0)
  s = ((f32[2]), f32[2]) async-start(x), calls=f
  ROOT d = f32[2] async-done(s)
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  HloComputation& entry = *(*module)->entry();
  Instruction* const operands[] = {entry.root()};
  HloComputation* const callees[] = {entry.instructions()[1]->callee(0)};
  const AttrSchema& schema = GetOpDef(Opcode::kCall).attrs;
  entry.set_root(entry.Add({.opcode = Opcode::kCall,
                            .name = "r",
                            .shape = Shape(F32, {2}),
                            .operands = operands,
                            .callees = callees,
                            .attrs = {schema, schema.create()}}));
  const Status status = ReadModuleProto(WriteModuleProto(**module)).status();
  EXPECT_NE(status.message().find("call: calls \"f\", which an async-start calls too"),
            std::string::npos)
      << status.message();
}

// Descriptors of sparse operands: the type and the operand.
TEST(ProtoErrors, SparsityDescriptors) {
  const auto error = [](const WireWriter& descriptor) {
    WireWriter dot;
    dot.Text(field::kName, "d");
    dot.Text(field::kOpcode, "dot");
    dot.Message(field::kShape, ShapeMessage(Shape(F32)));
    dot.Int(field::kId, 2);
    dot.Ints(field::kOperandIds, Dims{1, 1});
    dot.Message(86, descriptor);
    WireWriter computation = ComputationOf("e", 1, {{"x", "parameter", 1}}, 2);
    computation.Message(field::kInstructions, dot);
    const std::string text = ReadModuleProto(ModuleOf({computation})).status().ToString();
    return text.substr(text.rfind(": ") + 2);
  };
  WireWriter none, third;
  third.Int(1, 1);
  third.Int(2, 2);
  EXPECT_EQ(error(none), "there is no type of sparsity 0");
  EXPECT_EQ(error(third), "operand 2 cannot be sparse, only 0 and 1");
}

TEST(ProtoErrors, NestingIsBounded) {
  std::string shape = ShapeMessage(Shape()).Take();
  for (int i = 0; i < 5000; ++i) {
    WireWriter tuple;
    tuple.Int(2, TUPLE);
    tuple.Bytes(4, shape);
    shape = tuple.Take();
  }
  WireWriter holder;
  holder.Bytes(3, shape);
  WireReader reader(holder.bytes(), "test");
  ASSERT_TRUE(reader.Next());
  EXPECT_NE(ReadShape(reader).status().message().find("nested too deeply"), std::string::npos);
}

// Cut, flipped and spliced at random: a module that prints and reads again, or an error.
TEST(ProtoErrors, AnyBytes) {
  const auto module = Parse(R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[4,6] parameter(0), sharding={devices=[2,1]<=[2]}, metadata={op_name="x" source_line=3}
  z = f32[] constant(0)
  p = f32[7,15] pad(x, z), padding=1_2x-1_0_2, frontend_attributes={a="b"}
  r = f32[4] reduce(x, z), dimensions={1}, to_apply=sum, statistics={visualizing_index=1,a=2}
  ROOT tu = (f32[4,6], f32[4]) tuple(x, r), origin={({"x"}, {"r" {1}})}
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const std::string bytes = WriteModuleProto(**module);
  std::vector<std::string> damaged;
  for (size_t size = 0; size < bytes.size(); ++size) damaged.push_back(bytes.substr(0, size));
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string mutant = bytes;
    for (unsigned n = random() % 3 + 1; n > 0; --n) {
      const size_t at = random() % mutant.size();
      switch (random() % 3) {
        case 0:
          mutant[at] = static_cast<char>(random());
          break;
        case 1:
          mutant[at] = static_cast<char>(mutant[at] ^ (1 << (random() % 8)));
          break;
        default:
          mutant.erase(at, random() % 4);
          if (mutant.empty()) mutant = "x";
      }
    }
    damaged.push_back(std::move(mutant));
  }
  for (const std::string& mutant : damaged) {
    const auto read = ReadModuleProto(mutant);
    if (!read.ok()) {
      ASSERT_FALSE(read.status().message().empty());
      ASSERT_FALSE(IsBug(read.status())) << read.status().ToString();
      continue;
    }
    const std::string text = Print(**read);
    const auto reread = Parse(text);
    ASSERT_TRUE(reread.ok()) << reread.status().ToString() << "\n" << text;
    EXPECT_EQ(Print(**reread), text);
  }
}

}  // namespace
}  // namespace axle
