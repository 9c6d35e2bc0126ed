// Whole files in MLIR bytecode: what is written is read back, for every row and version; hand-made
// files of every version of the container; the corpus.
#include "axle/stablehlo/mlir/bytecode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "axle/core/file.h"
#include "axle/stablehlo/mlir/bytecode_entries.h"
#include "axle/stablehlo/mlir/bytecode_writer.h"
#include "axle/stablehlo/mlir/compare.h"
#include "axle/stablehlo/mlir/dialect.h"
#include "axle/stablehlo/mlir/print.h"
#include "axle/stablehlo/mlir/text.h"
#include "tests/paths.h"
#include "tests/stablehlo/bytecode_builder.h"

namespace axle::mlir {
namespace {

std::unique_ptr<MlirModule> Parsed(std::string_view text) {
  auto module = ParseMlirText(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  return module.ok() ? *std::move(module) : nullptr;
}

std::unique_ptr<MlirModule> Read(std::string_view bytes) {
  auto module = ReadMlirBytecode(bytes, {.label = "f.bc"});
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  return module.ok() ? *std::move(module) : nullptr;
}

// All operations of a module, each before what is in it.
std::vector<const Operation*> Operations(const MlirModule& module) {
  std::vector<const Operation*> all{module.top()};
  for (size_t i = 0; i < all.size(); ++i) {
    for (const Region& region : all[i]->regions) {
      for (const Block& block : region.blocks) {
        all.insert(all.end(), block.operations.begin(), block.operations.end());
      }
    }
  }
  return all;
}

// Builds a function with one operation of a row, all attributes stated.
class RowModule {
 public:
  // `version`: of the VHLO operation.
  RowModule(const OpSyntax& syntax, int version) : syntax_(syntax), version_(version) {
    Operation* top = module_->NewOperation("builtin.module", 0, 0, 1);
    top->syntax = FindSyntax("builtin.module");
    module_->set_top(top);
    Operation* function = Add(*module_->NewBlock(top->regions[0], 0), "func.func", 0, 0, 1);
    tensor_ = module_->Tensor({2, 3}, module_->Element(F32));
    const size_t num_operands = Count(syntax.operands, version_ == 1 && IsCollective() ? 1 : 2);
    Block* body = module_->NewBlock(function->regions[0], num_operands);
    Type type{.kind = TypeKind::kFunction};
    for (Value& argument : body->arguments) {
      argument.type = tensor_;
      type.inputs.push_back(tensor_);
    }
    const Type* function_type = module_->Get(std::move(type));
    const Attribute type_attribute{.kind = AttributeKind::kType, .type = function_type};
    Set(*function, {{"function_type", module_->NewAttribute(type_attribute)},
                    {"sym_name", MakeString(*module_, "main")}});
    const bool has_regions = syntax.name != "stablehlo.composite" || version_ > 1;
    Operation* op = Add(*body, syntax.name, num_operands,
                        Count(syntax.results, version_ == 1 && IsCollective() ? 1 : 2),
                        has_regions ? Count(syntax.regions, 2) : 0);
    for (size_t i = 0; i < num_operands; ++i) op->operands[i] = &body->arguments[i];
    for (Value& result : op->results) result.type = tensor_;
    std::vector<NamedAttribute> attributes;
    for (const AttributeSyntax& attribute : syntax.attributes) {
      if (attribute.since > version_ || attribute.until < version_) continue;
      attributes.push_back({attribute.name, ValueOf(attribute.kind)});
    }
    attributes.push_back({"mhlo.note", MakeString(*module_, "a \"note\"")});
    Set(*op, attributes);
    for (Region& region : op->regions) {
      Block* block = module_->NewBlock(region, 1);
      block->arguments[0].type = tensor_;
      Operation* end = Add(*block, "stablehlo.return", 1, 0, 0);
      end->operands[0] = &block->arguments[0];
    }
    if (syntax.name != "func.return") Add(*body, "func.return", 0, 0, 0);
  }

  const MlirModule& module() const { return *module_; }

 private:
  bool IsCollective() const {
    return syntax_.operands.size() == 1 && syntax_.FindAttribute("replica_groups") != nullptr;
  }
  static size_t Count(const std::vector<OperandSyntax>& names, size_t variadic) {
    size_t count = 0;
    for (const OperandSyntax& name : names) count += name.variadic ? variadic : 1;
    return count;
  }
  Operation* Add(Block& block, std::string_view name, size_t operands, size_t results,
                 size_t regions) {
    Operation* op = module_->NewOperation(name, operands, results, regions);
    op->syntax = FindSyntax(name);
    op->block = &block;
    block.operations.push_back(op);
    return op;
  }
  void Set(Operation& op, const std::vector<NamedAttribute>& attributes) {
    op.attributes = module_->Copy(attributes);
  }
  const Attribute* Elements(Dims dims, ElementType type) {
    const Type* of = module_->Tensor(dims, module_->Element(type));
    Literal literal(Shape(type, dims));
    literal.mutable_bytes()[0] = std::byte{1};
    return module_->NewAttribute({.kind = AttributeKind::kElements,
                                  .type = of,
                                  .literal = module_->Keep(std::move(literal))});
  }
  // Something of that kind that is not the default.
  const Attribute* ValueOf(std::string_view kind) {
    MlirModule& m = *module_;
    if (kind == "int") return MakeInteger(m, -7, m.Element(S64));
    if (kind == "i32") return MakeInteger(m, 5, m.Element(S32));
    if (kind == "ints") return Elements({3}, S64);
    if (kind == "bool" || kind == "unit") return MakeBool(m, true);
    if (kind == "bools") return Elements({3}, PRED);
    if (kind == "string") return MakeString(m, "text");
    if (kind == "any") return MakeString(m, "any\n");
    if (kind == "symbol") {
      return m.NewAttribute({.kind = AttributeKind::kSymbol, .text = "callee"});
    }
    if (kind == "symbols") return MakeArray(m, {ValueOf("symbol"), ValueOf("symbol")});
    if (kind == "type") {
      return m.NewAttribute({.kind = AttributeKind::kType, .type = m.Element(BF16)});
    }
    if (kind == "elements") return Elements({2, 2}, S64);
    if (kind == "dict") {
      const std::vector<NamedAttribute> fields{{"a", MakeBool(m, true)}, {"b", ValueOf("int")}};
      return m.NewAttribute({.kind = AttributeKind::kDictionary, .fields = m.Copy(fields)});
    }
    if (kind == "array") return MakeArray(m, {Elements({2}, S64), ValueOf("dict")});
    if (kind == "float") {
      return m.NewAttribute(
          {.kind = AttributeKind::kFloat, .type = m.Element(F32), .number = 0.125});
    }
    if (kind == "accuracy") {
      const auto number = [&](double value) {
        return m.NewAttribute(
            {.kind = AttributeKind::kFloat, .type = m.Element(F64), .number = value});
      };
      return MakeStruct(m, "result_accuracy",
                        {{"atol", number(1e-5)},
                         {"rtol", number(0)},
                         {"ulps", MakeI64(m, 1)},
                         {"mode", ValueOf("result_accuracy_mode")}});
    }
    if (EnumValues(kind).empty() && kind.ends_with('s')) {
      const std::string_view one = kind.substr(0, kind.size() - 1);
      return MakeArray(m, {ValueOf(one), ValueOf(one)});
    }
    const std::span<const std::string_view> values = EnumValues(kind);
    EXPECT_FALSE(values.empty()) << "no value of the kind " << kind;
    if (values.empty()) return MakeString(m, "?");
    return m.NewAttribute({.kind = AttributeKind::kEnum, .text = values.back(), .mnemonic = kind});
  }

  const OpSyntax& syntax_;
  const int version_;
  std::unique_ptr<MlirModule> module_ = std::make_unique<MlirModule>();
  const Type* tensor_ = nullptr;
};

TEST(Bytecode, EveryRowIsWrittenAndReadInItsOldestAndNewestVersion) {
  size_t num_rows = 0;
  for (const OpSyntax* syntax : AllSyntax()) {
    if (syntax->versions.empty()) continue;
    ++num_rows;
    // These are in each of the modules.
    if (syntax->name == "func.func" || syntax->name == "stablehlo.return") continue;
    const auto newest = static_cast<int>(syntax->versions.size());
    for (const int version : std::set<int>{1, newest}) {
      SCOPED_TRACE(std::string(syntax->name) + " version " + std::to_string(version));
      const StableHloVersion stablehlo =
          version == newest
              ? kNewestStableHlo
              : *ParseStableHloVersion(syntax->versions[static_cast<size_t>(version) - 1]);
      const RowModule made(*syntax, version);
      const StatusOr<std::string> bytes =
          WriteMlirBytecode(made.module(), {.stablehlo_version = stablehlo});
      ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
      const std::string name = std::string(syntax->name.substr(syntax->name.find('.') + 1)) + "_v" +
                               std::to_string(version);
      EXPECT_NE(bytes->find(name), std::string::npos) << name;
      const auto read = Read(*bytes);
      ASSERT_NE(read, nullptr);
      EXPECT_EQ(FirstDifference(made.module(), *read), "");
    }
  }
  EXPECT_GE(num_rows, 115u);
}

TEST(Bytecode, OperationsOfTooNewVersionsAreNotWritten) {
  const auto error = [](std::string_view name, StableHloVersion version) {
    const OpSyntax* syntax = FindSyntax(name);
    const RowModule made(*syntax, static_cast<int>(syntax->versions.size()));
    const Status status = WriteMlirBytecode(made.module(), {.stablehlo_version = version}).status();
    EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
    return status.message();
  };
  EXPECT_EQ(error("stablehlo.tan", {1, 3, 9}),
            ": StableHLO 1.3.9 has no operation stablehlo.tan, which 1.4.0 brought; in "
            "stablehlo.tan (operation 0)");
  EXPECT_EQ(error("stablehlo.tan", {1, 4, 0}),
            ": StableHLO 1.4.0 has no attribute result_accuracy in stablehlo.tan, which 1.10.0 "
            "brought; in stablehlo.tan (operation 0)");
  EXPECT_EQ(error("stablehlo.all_reduce", {1, 4, 9}),
            ": StableHLO 1.4.9 has no second operand in stablehlo.all_reduce, which 1.5.0 "
            "brought; in stablehlo.all_reduce (operation 0)");
  EXPECT_EQ(error("stablehlo.composite", {1, 13, 0}),
            ": StableHLO 1.13.0 has no regions in stablehlo.composite, which 1.14.0 brought; in "
            "stablehlo.composite (operation 0)");
  EXPECT_EQ(error("stablehlo.add", {0, 8, 0}),
            "bytecode: StableHLO 0.8.0 cannot be written; versions from 0.9.0 to 1.20.0 can");
}

TEST(Bytecode, TypesAndAttributesOfTooNewVersionsAreNotWritten) {
  const auto error = [](std::string_view body, StableHloVersion version) {
    const auto module = Parsed(body);
    return WriteMlirBytecode(*module, {.stablehlo_version = version}).status().message();
  };
  EXPECT_NE(error("func.func @f(%a: tensor<2xf8E3M4>) { return }", {1, 6, 0})
                .find("bytecode: StableHLO 1.6.0 has no type f8E3M4, which 1.7.0 brought"),
            std::string::npos);
  EXPECT_NE(error("func.func @f(%a: !stablehlo.future<tensor<f32>>) { return }", {1, 14, 0})
                .find("has no type future, which 1.15.0 brought"),
            std::string::npos);
  EXPECT_NE(error(R"(func.func @f() { stablehlo.custom_call @g() {api_version = 4 : i32,
            backend_config = {a = 1 : i32}} : () -> () return })",
                  {1, 2, 0})
                .find("has no backend_config that is a dictionary, which 1.3.0 brought"),
            std::string::npos);
  EXPECT_NE(error("func.func @f(%a: tensor<f32>) { %0 = chlo.erf %a : tensor<f32> -> "
                  "tensor<f32> return }",
                  kNewestStableHlo)
                .find("VHLO, which portable artifacts are made of, has no form of this operation"),
            std::string::npos);
}

constexpr std::string_view kEveryKind = R"(
module @m attributes {mhlo.num_replicas = 1 : i32, a.array = [1, "x", @f, @g::@h, unit],
    a.dense = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, a.flags = array<i1: true, false>,
    a.ints = array<i32: 1, -2>, a.type = tensor<4x?xf8E4M3FN>, a.half = 0.5 : f16,
    a.true = true, a.byte = -3 : i8, a.big = 18446744073709551615 : ui64,
    a.enum = #stablehlo<precision HIGH>, a.other = #foo.bar<"x">} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<4xf32> {mhlo.layout_mode = "default",
      sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<?xi4, #stablehlo.bounds<8>>,
      %arg2: tuple<tensor<2xui2>, !stablehlo.token>, %arg3: tensor<*xcomplex<f64>>,
      %arg4: tensor<2x!quant.uniform<i8:f32, 0.5:3>>,
      %arg5: tensor<2x!quant.uniform<u8<1:200>:f32:0, {0.5:3, 0.25}>>, %arg6: tensor<2xindex>,
      %arg7: memref<4xf32>, %arg8: !stablehlo.future<tensor<f32>>) -> (tensor<4xf32>
      {jax.result_info = "result"}) {
    %0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %1 = stablehlo.constant dense<true> : tensor<30xi1>
    %2 = stablehlo.constant dense<1.5> : tensor<1000xbf16>
    %3 = stablehlo.constant dense<[1, -2, 7]> : tensor<3xi4>
    %4 = stablehlo.constant dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>
    %5 = stablehlo.constant dense<> : tensor<0x4xf64>
    %6 = sdy.sharding_constraint %arg0 <@mesh, [{"y", ?}]> : tensor<4xf32>
    %11 = sdy.propagation_barrier %6 allowed_direction=FORWARD : tensor<4xf32>
    %7 = stablehlo.add %6, %arg0 : tensor<4xf32>
    %8:2 = "stablehlo.while"(%7, %7) ({
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %9 = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %10 = stablehlo.add %b, %arg0 : tensor<4xf32>
      stablehlo.return %10, %a : tensor<4xf32>, tensor<4xf32>
    }) {x.replicas = [[0, 1], [2.5, "s"]], x.type = tensor<2xf32>} :
      (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %12 = stablehlo.subtract %8#0, %8#1 : tensor<4xf32>
    return %12 : tensor<4xf32>
  }
  func.func private @none()
}
)";

TEST(Bytecode, EveryKindOfTypeAndAttributeIsReadBack) {
  const auto module = Parsed(kEveryKind);
  ASSERT_NE(module, nullptr);
  const StatusOr<std::string> bytes = WriteMlirBytecode(*module);
  ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  const auto read = Read(*bytes);
  ASSERT_NE(read, nullptr);
  // The value that sdy takes and the one that it gives go through casts.
  std::string text = PrintMlirText(*read);
  size_t casts = 0;
  for (const Operation* op : Operations(*read)) {
    casts += op->name == "builtin.unrealized_conversion_cast" ? 1 : 0;
  }
  EXPECT_EQ(casts, 2u) << text;
  // Written once more, nothing changes: not even the casts.
  const StatusOr<std::string> again = WriteMlirBytecode(*read);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  const auto reread = Read(*again);
  ASSERT_NE(reread, nullptr);
  EXPECT_EQ(FirstDifference(*read, *reread, {.locations = true}), "");
  // Apart from the casts it is the program.
  const auto find = [](const MlirModule& of, std::string_view name) -> const Operation* {
    for (const Operation* op : Operations(of)) {
      if (op->name == name) return op;
    }
    return nullptr;
  };
  for (const std::string_view name :
       {"builtin.module", "sdy.mesh", "func.func", "sdy.sharding_constraint",
        "sdy.propagation_barrier", "stablehlo.while"}) {
    const Operation* a = find(*module, name);
    const Operation* b = find(*read, name);
    ASSERT_TRUE(a != nullptr && b != nullptr) << name;
    ASSERT_EQ(a->attributes.size(), b->attributes.size()) << name;
    for (const NamedAttribute& entry : a->attributes) {
      const Attribute* other = b->Find(entry.name);
      ASSERT_NE(other, nullptr) << entry.name;
      EXPECT_EQ(entry.value->ToString(), other->ToString());
    }
  }
}

TEST(Bytecode, SplatsStaySplats) {
  const auto module = Parsed(R"(func.func @f() {
      %0 = stablehlo.constant dense<1.5> : tensor<1000xf32>
      %1 = stablehlo.constant dense<true> : tensor<1000xi1>
      %2 = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
      return })");
  const auto read = Read(*WriteMlirBytecode(*module));
  std::vector<const Attribute*> values;
  for (const Operation* op : Operations(*read)) {
    if (op->name == "stablehlo.constant") values.push_back(op->Find("value"));
  }
  ASSERT_EQ(values.size(), 3u);
  EXPECT_TRUE(values[0]->is_splat);
  EXPECT_EQ(values[0]->literal->num_bytes(), 4);
  EXPECT_TRUE(values[1]->is_splat);
  EXPECT_EQ(values[1]->literal->num_bytes(), 1);
  EXPECT_EQ(Ints(*values[2]), (Dims{2, 2}));
}

TEST(Bytecode, LocationsAreReadBack) {
  const auto module = Parsed(R"(
#f = loc("model.py":3:4)
#range = loc("model.py":3:4 to :9)
#lines = loc("model.py":3:4 to 5:6)
module {
  func.func @f(%a: tensor<f32> loc("a"(#f))) -> tensor<f32> {
    %0 = stablehlo.abs %a : tensor<f32> loc(callsite("jit(f)/abs"(#range) at fused[#lines, "x"]))
    %1 = stablehlo.abs %0 : tensor<f32> loc(fused<"meta">[#f, unknown])
    return %1 : tensor<f32> loc(unknown)
  } loc(#f)
} loc(unknown)
)");
  ASSERT_NE(module, nullptr);
  const auto read = Read(*WriteMlirBytecode(*module));
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(FirstDifference(*module, *read, {.locations = true}), "");
  // Before 1.9 there were no ranges.
  const auto old = Read(*WriteMlirBytecode(*module, {.stablehlo_version = {1, 8, 0}}));
  EXPECT_NE(FirstDifference(*module, *old, {.locations = true}), "");
  EXPECT_EQ(FirstDifference(*module, *old), "");
}

// The same program in each version of the container: attributes in one dictionary or in properties,
// regions in sections of their own or not, arguments with locations or not.
std::string ContainerFile(int version) {
  BytecodeBuilder b(version);
  const std::uint64_t unknown = b.UnknownLocation();
  const std::uint64_t f32 = b.Type("vhlo", Varint(4));
  const std::uint64_t tensor = b.Type("vhlo", Varint(20) + Varint(1) + Svarint(2) + Varint(f32));
  const std::uint64_t scalar = b.Type("vhlo", Varint(20) + Varint(0) + Varint(f32));
  const std::uint64_t i64 = b.Type("vhlo", Varint(14));
  const std::uint64_t list = b.Type("vhlo", Varint(20) + Varint(1) + Svarint(1) + Varint(i64));
  const std::uint64_t function =
      b.Type("vhlo", Varint(8) + Varints(2, tensor, scalar) + Varints(1, scalar));
  const std::uint64_t none = b.Vhlo(1, Varint(0));
  const std::uint64_t type = b.Vhlo(17, Varint(function));
  const std::uint64_t name = b.VhloString("main");
  const std::uint64_t visibility = b.VhloString("public");
  const std::uint64_t dims = b.Vhlo(15, Varint(list) + Blob(std::string(8, '\0')));
  const std::uint64_t note = b.VhloString("a note");
  const std::uint64_t module_op = b.OpName("builtin", "module");
  const std::uint64_t func_op = b.OpName("vhlo", "func_v1");
  const std::uint64_t reduce_op = b.OpName("vhlo", "reduce_v1");
  const std::uint64_t add_op = b.OpName("vhlo", "add_v1");
  const std::uint64_t return_op = b.OpName("vhlo", "return_v1");

  OpParts add{.name = add_op, .location = unknown, .results = {scalar}, .operands = {0, 1}};
  const OpParts end{.name = return_op, .location = unknown, .operands = {2}};
  // One value, two uses.
  if (version >= 3) add.use_orders = Flagged(2, false) + Varints(1, 0);
  OpParts reduce{.name = reduce_op,
                 .location = unknown,
                 .results = {scalar},
                 .operands = {0, 1},
                 .regions = {b.Region(3, {scalar, scalar}, {b.Op(add), b.Op(end)}, unknown)},
                 .isolated = true};
  OpParts func{.name = func_op, .location = unknown};
  OpParts module{.name = module_op, .location = unknown};
  const std::vector<std::pair<std::string, std::uint64_t>> attributes = {
      {"arg_attrs", none},
      {"function_type", type},
      {"res_attrs", none},
      {"sym_name", name},
      {"sym_visibility", visibility}};
  if (version >= 5) {
    func.properties = b.Properties(Varints(none, type, none, name, visibility));
    module.properties = b.Properties(Varints(0, 0));
    reduce.properties = b.Properties(Varint(dims));
    reduce.attributes = b.Dictionary({{"mhlo.note", note}});
  } else {
    func.attributes = b.Dictionary(attributes);
    reduce.attributes = b.Dictionary({{"dimensions", dims}, {"mhlo.note", note}});
  }
  func.regions = {b.Region(3, {tensor, scalar}, {b.Op(reduce), b.Op(end)}, unknown)};
  func.isolated = version >= 2;
  module.regions = {b.Region(0, {}, {b.Op(func)}, unknown)};
  module.isolated = true;
  return b.BuildOf(b.Op(module));
}

TEST(Bytecode, EveryVersionOfTheContainerIsRead) {
  const auto expected = Parsed(R"(
func.func public @main(%a: tensor<2xf32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 0>, mhlo.note = "a note"} :
    (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})");
  ASSERT_NE(expected, nullptr);
  for (int version = 0; version <= 6; ++version) {
    SCOPED_TRACE(version);
    const auto read = Read(ContainerFile(version));
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(FirstDifference(*expected, *read), "");
  }
}

TEST(Bytecode, TheHeadOfAFileIsRead) {
  const StatusOr<BytecodeInfo> info = ReadBytecodeInfo(ContainerFile(3));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->container_version, 3);
  EXPECT_EQ(info->producer, "StableHLO_v1.13.7");
  EXPECT_EQ(info->stablehlo_version, "1.13.7");
  const BytecodeBuilder plain(6, "MLIR23.0.0git");
  const StatusOr<BytecodeInfo> other = ReadBytecodeInfo(plain.Build(""));
  ASSERT_TRUE(other.ok()) << other.status().ToString();
  EXPECT_EQ(other->producer, "MLIR23.0.0git");
  EXPECT_EQ(other->stablehlo_version, "");
  EXPECT_TRUE(IsMlirBytecode(ContainerFile(0)));
  EXPECT_FALSE(IsMlirBytecode("module {}"));
  EXPECT_FALSE(IsMlirBytecode("ML"));
}

// Names of operations with how many there are.
std::map<std::string, int> Census(const MlirModule& module) {
  std::map<std::string, int> census;
  for (const Operation* op : Operations(module)) ++census[std::string(op->name)];
  return census;
}

// Plain bytecode is the text exactly. On the way to an artifact jaxlib shares constants, drops what
// is not used or is there twice, and expands chlo and functions of complex numbers.
void ExpectReadAndWrittenBack(const std::filesystem::path& file,
                              const std::filesystem::path& program) {
  SCOPED_TRACE(file);
  const StatusOr<std::string> bytes = ReadFile(file.string());
  const StatusOr<std::string> text = ReadFile((program / "program.stablehlo.mlir").string());
  ASSERT_TRUE(bytes.ok() && text.ok());
  const auto module = Read(*bytes);
  const auto expected = Parsed(*text);
  ASSERT_TRUE(module != nullptr && expected != nullptr);
  const std::string stablehlo = ReadBytecodeInfo(*bytes)->stablehlo_version;
  if (stablehlo.empty()) {
    EXPECT_EQ(FirstDifference(*module, *expected), "");
    return;
  }
  std::map<std::string, int> there = Census(*module), in_text = Census(*expected);
  there.erase("stablehlo.constant");
  const bool is_expanded =
      text->find("chlo.") != std::string::npos || text->find("complex<") != std::string::npos;
  if (!is_expanded) {
    for (const auto& [name, count] : there) EXPECT_LE(count, in_text[name]) << name;
  }
  const StatusOr<std::string> again =
      WriteMlirBytecode(*module, {.stablehlo_version = *ParseStableHloVersion(stablehlo)});
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  const auto reread = Read(*again);
  ASSERT_NE(reread, nullptr);
  EXPECT_EQ(FirstDifference(*module, *reread, {.locations = true}), "");
}

TEST(Bytecode, TheCorpusIsReadAndWrittenBack) {
  size_t num_programs = 0;
  std::map<std::string, std::filesystem::path> programs;
  for (const std::filesystem::path& program : CorpusPrograms()) {
    programs[program.filename()] = program;
    const std::filesystem::path file = program / "program.stablehlo.bc";
    if (!std::filesystem::exists(file)) continue;
    ++num_programs;
    ExpectReadAndWrittenBack(file, program);
  }
  EXPECT_GE(num_programs, 10u);
  // A few programs in other versions, and in plain bytecode: NAME.v1.0.0.bc, NAME.stablehlo.mlirbc.
  std::error_code error;
  const std::filesystem::path more = SharedFolder() / "corpus/_bytecode";
  for (const auto& entry : std::filesystem::directory_iterator(more, error)) {
    const std::string name = entry.path().filename();
    const auto program = programs.find(name.substr(0, name.find('.')));
    if (program != programs.end()) ExpectReadAndWrittenBack(entry.path(), program->second);
  }
}

}  // namespace
}  // namespace axle::mlir
