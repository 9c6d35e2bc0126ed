// Attributes, types and locations in MLIR bytecode: each encoding of each dialect, in files of one
// module whose attributes they are.
#include <gtest/gtest.h>

#include "axle/stablehlo/mlir/bytecode.h"
#include "tests/stablehlo/bytecode_builder.h"

namespace axle::mlir {
namespace {

// A module with the attribute x, made by `make`.
class OneAttribute {
 public:
  template <typename Function>
  explicit OneAttribute(Function make) {
    const std::uint64_t unknown = b_.UnknownLocation();
    const std::uint64_t x = make(b_);
    Finish(unknown, x);
  }
  // "" if it was not read; then the test has failed.
  std::string Text() const { return x_ == nullptr ? "" : x_->ToString(); }
  const Attribute* attribute() const { return x_; }

 private:
  void Finish(std::uint64_t unknown, std::uint64_t x) {
    const std::uint64_t all = b_.Dictionary({{"x", x}});
    OpParts module{.name = b_.OpName("builtin", "module"), .location = unknown};
    module.attributes = all;
    module.regions = {b_.Region(0, {}, {})};
    module.isolated = true;
    bytes_ = b_.BuildOf(b_.Op(module));
    auto read = ReadMlirBytecode(bytes_, {.label = "f.bc"});
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    if (!read.ok()) return;
    module_ = *std::move(read);
    bytes_.assign(bytes_.size(), '?');  // nothing may refer to it
    x_ = module_->top()->Find("x");
  }

  BytecodeBuilder b_{6};
  std::string bytes_;
  std::unique_ptr<MlirModule> module_;
  const Attribute* x_ = nullptr;
};

template <typename Function>
std::string TextOf(Function make) {
  return OneAttribute(make).Text();
}

// The text of a type, in an attribute that is one.
template <typename Function>
std::string TypeText(Function make) {
  return TextOf([&](BytecodeBuilder& b) { return b.Builtin(6, Varint(make(b))); });
}
std::string BuiltinType(std::uint64_t code, const std::string& rest = "") {
  return TypeText([&](BytecodeBuilder& b) {
    b.Type("builtin", Varint(5));                            // 0: f32
    b.Type("builtin", Varints(0, 32));                       // 1: i8
    b.Attribute("builtin", Varint(8) + Varint(1) + "\x03");  // 1: 3 : i8
    return b.Type("builtin", Varint(code) + rest);
  });
}
std::string VhloType(std::uint64_t code, const std::string& rest = "") {
  return TypeText([&](BytecodeBuilder& b) {
    b.Type("vhlo", Varint(4));                                        // 0: f32
    b.Type("vhlo", Varint(11));                                       // 1: i8
    b.Type("vhlo", Varint(20) + Varint(1) + Svarint(2) + Varint(0));  // 2: tensor<2xf32>
    b.Attribute("vhlo", Varint(18) + Varint(2) + Svarints(-1, 8));
    return b.Type("vhlo", Varint(code) + rest);
  });
}
constexpr i64 kOpen = kDynamic;

TEST(BytecodeValues, TypesOfBuiltin) {
  EXPECT_EQ(BuiltinType(0, Varint(1 << 2)), "i1");
  EXPECT_EQ(BuiltinType(0, Varint(4 << 2)), "i4");
  EXPECT_EQ(BuiltinType(0, Varint(64 << 2)), "i64");
  EXPECT_EQ(BuiltinType(0, Varint(16 << 2 | 2)), "ui16");
  EXPECT_EQ(BuiltinType(0, Varint(16 << 2 | 1)), "si16");
  EXPECT_EQ(BuiltinType(0, Varint(128 << 2)), "i128");
  EXPECT_EQ(BuiltinType(1), "index");
  EXPECT_EQ(BuiltinType(2, Varints(2, 0, 1) + Varints(1, 0)), "(f32, i8) -> f32");
  EXPECT_EQ(BuiltinType(3), "bf16");
  EXPECT_EQ(BuiltinType(4), "f16");
  EXPECT_EQ(BuiltinType(5), "f32");
  EXPECT_EQ(BuiltinType(6), "f64");
  EXPECT_EQ(BuiltinType(7), "f80");
  EXPECT_EQ(BuiltinType(8), "f128");
  EXPECT_EQ(BuiltinType(9, Varint(0)), "complex<f32>");
  EXPECT_EQ(BuiltinType(9, Varint(1)), "complex<i8>");
  EXPECT_EQ(BuiltinType(12), "none");
  EXPECT_EQ(BuiltinType(13, Varint(2) + Svarints(4, kOpen) + Varint(0)), "tensor<4x?xf32>");
  EXPECT_EQ(BuiltinType(15, Varints(2, 0, 1)), "tuple<f32, i8>");
  EXPECT_EQ(BuiltinType(16, Varint(0)), "memref<*xf32>");
  EXPECT_EQ(BuiltinType(17, Varints(1, 0)), "memref<*xf32, 3>");
  EXPECT_EQ(BuiltinType(18, Varint(0)), "tensor<*xf32>");
  EXPECT_EQ(BuiltinType(19, Varint(1) + Svarint(4) + Varint(0)), "vector<4xf32>");
  EXPECT_EQ(
      BuiltinType(20, Varint(2) + std::string("\0\1", 2) + Varint(2) + Svarints(2, 4) + Varint(0)),
      "vector<2x[4]xf32>");
  // Types without an encoding are text.
  const auto text = [](std::string_view dialect, std::string_view type) {
    return TypeText([&](BytecodeBuilder& b) { return b.Type(dialect, std::string(type), false); });
  };
  EXPECT_EQ(text("builtin", "f8E4M3FN"), "f8E4M3FN");
  EXPECT_EQ(text("builtin", "tensor<2xf4E2M1FN>"), "tensor<2xf4E2M1FN>");
  EXPECT_EQ(text("stablehlo", "!stablehlo.token"), "!stablehlo.token");
  EXPECT_EQ(text("foo", "!foo.bar<2>"), "!foo.bar<2>");
}

TEST(BytecodeValues, BuffersHaveLayoutsAndSpaces) {
  const auto memref = [](bool has_space, std::string_view layout) {
    return TypeText([&](BytecodeBuilder& b) {
      b.Type("builtin", Varint(5));
      const std::uint64_t map = b.Attribute("builtin", std::string(layout), false);
      const std::uint64_t space = b.BuiltinString("x");
      const std::string rest = Varint(1) + Svarint(4) + Varint(0) + Varint(map);
      return b.Type("builtin", has_space ? Varint(11) + Varint(space) + rest : Varint(10) + rest);
    });
  };
  EXPECT_EQ(memref(false, "affine_map<(d0) -> (d0)>"), "memref<4xf32>");
  EXPECT_EQ(memref(false, "affine_map<(d0) -> (d0 * 2)>"),
            "memref<4xf32, affine_map<(d0) -> (d0 * 2)>>");
  EXPECT_EQ(memref(false, "strided<[2], offset: 1>"), "memref<4xf32, strided<[2], offset: 1>>");
  EXPECT_EQ(memref(true, "affine_map<(d0) -> (d0)>"), "memref<4xf32, x>");
}

TEST(BytecodeValues, TypesOfVhlo) {
  constexpr std::string_view kNames[] = {"i1",
                                         "",
                                         "bf16",
                                         "f16",
                                         "f32",
                                         "f64",
                                         "f8E4M3FN",
                                         "f8E5M2",
                                         "",
                                         "index",
                                         "i4",
                                         "i8",
                                         "i16",
                                         "i32",
                                         "i64",
                                         "ui4",
                                         "ui8",
                                         "ui16",
                                         "ui32",
                                         "ui64",
                                         "",
                                         "",
                                         "!stablehlo.token",
                                         "",
                                         "",
                                         "",
                                         "!shape.witness",
                                         "f8E4M3FNUZ",
                                         "f8E5M2FNUZ",
                                         "f8E4M3B11FNUZ",
                                         "",
                                         "i2",
                                         "ui2",
                                         "none",
                                         "tf32",
                                         "f8E4M3",
                                         "f8E3M4",
                                         "f4E2M1FN",
                                         "f6E2M3FN",
                                         "f6E3M2FN",
                                         "f8E8M0FNU"};
  for (size_t code = 0; code < std::size(kNames); ++code) {
    if (kNames[code].empty()) continue;
    EXPECT_EQ(VhloType(code), kNames[code]) << code;
  }
  EXPECT_EQ(VhloType(1, Varint(0)), "complex<f32>");
  EXPECT_EQ(VhloType(8, Varints(1, 0) + Varints(2, 1, 2)), "(f32) -> (i8, tensor<2xf32>)");
  EXPECT_EQ(VhloType(20, Varint(0) + Varint(1)), "tensor<i8>");
  EXPECT_EQ(VhloType(21, Varint(1) + Varint(2) + Svarints(3, kOpen) + Varint(0)),
            "tensor<3x?xf32, #stablehlo.bounds<-1, 8>>");
  EXPECT_EQ(VhloType(23, Varints(2, 2, 0)), "tuple<tensor<2xf32>, f32>");
  EXPECT_EQ(VhloType(25, Varint(0)), "tensor<*xf32>");
  EXPECT_EQ(VhloType(41, Varint(1) + Svarint(4) + Varint(0)), "memref<4xf32>");
  EXPECT_EQ(VhloType(42, Varints(1, 2)), "!stablehlo.future<tensor<2xf32>>");
}

// "storage min:max -> expressed, axis, {scale:zero point, ...}"
std::string QuantizationText(std::string_view dialect, const std::string& bytes) {
  const OneAttribute one([&](BytecodeBuilder& b) {
    b.Type("builtin", Varint(5));
    b.Type("builtin", Varint(0) + Varint(8 << 2));
    return b.Builtin(6, Varint(b.Type(dialect, bytes)));
  });
  if (one.attribute() == nullptr) return "";
  const Quantization& q = one.attribute()->type->quantization;
  std::string text = std::string(Name(q.storage)) + " " + std::to_string(q.storage_min) + ":" +
                     std::to_string(q.storage_max) + " -> " + std::string(Name(q.expressed)) +
                     ", " + std::to_string(q.axis) + ", {";
  for (size_t i = 0; i < q.scales.size(); ++i) {
    text +=
        (i > 0 ? ", " : "") + std::to_string(q.scales[i]) + ":" + std::to_string(q.zero_points[i]);
  }
  return text + "}";
}

TEST(BytecodeValues, QuantizedTypes) {
  const std::string half = Svarint(0x3fe0000000000000);
  EXPECT_EQ(QuantizationText("vhlo", Varints(24, 1, 1, 0) + half + Svarints(3, -128, 127)),
            "s8 -128:127 -> f32, -1, {0.500000:3}");
  EXPECT_EQ(QuantizationText("vhlo", Varints(24, 0, 1, 0) + half + Svarints(0, 1, 200)),
            "u8 1:200 -> f32, -1, {0.500000:0}");
  EXPECT_EQ(QuantizationText("vhlo", Varints(30, 1, 1, 0, 2) + Svarints(-128, 127) + Varint(2) +
                                         half + half + Varint(2) + Svarints(0, 1)),
            "s8 -128:127 -> f32, 2, {0.500000:0, 0.500000:1}");
  EXPECT_EQ(QuantizationText("quant", Varints(4, 1, 1, 0) + half + Svarints(3, -128, 127)),
            "s8 -128:127 -> f32, -1, {0.500000:3}");
  EXPECT_EQ(QuantizationText("quant", Varints(5, 1, 1, 0, 0) + Svarints(-7, 7) + Varint(1) + half +
                                          Varint(1) + Svarint(1)),
            "s8 -7:7 -> f32, 0, {0.500000:1}");
}

TEST(BytecodeValues, TypesOfPlainStablehlo) {
  const auto type = [](std::string_view dialect, const std::string& bytes) {
    return TypeText([&](BytecodeBuilder& b) {
      b.Type("builtin", Varint(5));
      b.Type("builtin", Varint(0) + Varint(8 << 2));
      return b.Type(dialect, bytes);
    });
  };
  EXPECT_EQ(type("stablehlo", Varint(0)), "!stablehlo.token");
  EXPECT_EQ(type("stablehlo", Varints(1, 1, 0)), "!stablehlo.future<f32>");
}

// Attributes that refer to type 0, f32, type 1, i32, and type 2, i8.
std::string Builtin(std::uint64_t code, const std::string& rest = "") {
  return TextOf([&](BytecodeBuilder& b) {
    b.Type("builtin", Varint(5));
    b.Type("builtin", Varint(0) + Varint(32 << 2));
    b.Type("builtin", Varint(0) + Varint(8 << 2));
    b.Type("builtin", Varint(13) + Varint(1) + Svarint(2) + Varint(1));
    b.String("s0");
    b.String("s1");
    b.BuiltinString("s0");                                     // 1
    b.Builtin(4, Varint(1));                                   // 2: @s0
    b.Builtin(8, Varint(1) + Svarint(-7));                     // 3: -7 : i32
    b.Builtin(18, Varint(3) + Blob({"\1\0\0\0\2\0\0\0", 8}));  // 4: dense<[1, 2]>
    return b.Builtin(code, rest);
  });
}

TEST(BytecodeValues, AttributesOfBuiltin) {
  EXPECT_EQ(Builtin(0, Varints(2, 1, 3)), R"(["s0", -7 : i32])");
  EXPECT_EQ(Builtin(1, Varints(1, 1, 3)), "{s0 = -7 : i32}");
  EXPECT_EQ(Builtin(2, Varint(1)), "\"s1\"");
  EXPECT_EQ(Builtin(3, Varints(1, 0)), "\"s1\"");
  EXPECT_EQ(Builtin(4, Varint(1)), "@s0");
  EXPECT_EQ(Builtin(5, Varints(1, 2, 2, 2)), "@s0::@s0::@s0");
  EXPECT_EQ(Builtin(6, Varint(0)), "f32");
  EXPECT_EQ(Builtin(7), "unit");
  EXPECT_EQ(Builtin(8, Varint(2) + "\xfe"), "-2 : i8");
  EXPECT_EQ(Builtin(8, Varint(1) + Svarint(0xffffffff)), "-1 : i32");
  EXPECT_EQ(Builtin(9, Varint(0) + Svarint(0x3fc00000)), "1.500000e+00 : f32");
  EXPECT_EQ(Builtin(9, Varint(0) + Svarint(static_cast<std::int32_t>(0xbfc00000))),
            "-1.500000e+00 : f32");
  EXPECT_EQ(Builtin(17, Varints(1, 2) + Blob({"\1\0\0\0\2\0\0\0", 8})), "array<i32: 1, 2>");
  EXPECT_EQ(Builtin(18, Varint(3) + Blob({"\1\0\0\0\2\0\0\0", 8})),
            "dense<[1, 2]> : tensor<2xi32>");
  EXPECT_EQ(Builtin(18, Varint(3) + Blob({"\5\0\0\0", 4})), "dense<5> : tensor<2xi32>");
  EXPECT_EQ(Builtin(19, Varint(3) + Flagged(2, false) + Varints(0, 1)),
            R"(dense<["s0", "s1"]> : tensor<2xi32>)");
  EXPECT_EQ(Builtin(19, Varint(3) + Flagged(1, true) + Varint(0)),
            R"(dense<"s0"> : tensor<2xi32>)");
  EXPECT_EQ(Builtin(20, Varints(3, 4, 4)), "sparse<[1, 2], [1, 2]> : tensor<2xi32>");
  EXPECT_TRUE(Builtin(21, Varint(1)).starts_with("distinct["));
}

TEST(BytecodeValues, LocationsOfBuiltin) {
  const auto location = [](std::uint64_t code, auto make) {
    const OneAttribute one([&](BytecodeBuilder& b) {
      const std::string rest = make(b);
      return b.Builtin(code, rest);
    });
    return one.attribute() == nullptr ? Location() : *one.attribute()->location;
  };
  const auto file = [&](std::uint64_t code, const std::string& rest) {
    return location(code,
                    [&](BytecodeBuilder& b) { return Varint(b.BuiltinString("f.py")) + rest; });
  };
  const auto place = [](const Location& at) {
    return std::vector<i64>{at.line, at.column, at.end_line, at.end_column};
  };
  EXPECT_EQ(place(file(11, Varints(3, 4))), (std::vector<i64>{3, 4, 0, 0}));
  EXPECT_EQ(place(file(22, Varint(0))), (std::vector<i64>{0, 0, 0, 0}));
  EXPECT_EQ(place(file(22, Varints(1, 3))), (std::vector<i64>{3, 0, 0, 0}));
  EXPECT_EQ(place(file(22, Varints(2, 3, 4))), (std::vector<i64>{3, 4, 0, 0}));
  EXPECT_EQ(place(file(22, Varints(3, 3, 4, 9))), (std::vector<i64>{3, 4, 3, 9}));
  EXPECT_EQ(place(file(22, Varints(4, 3, 4, 5, 6))), (std::vector<i64>{3, 4, 5, 6}));
  const auto leaf = [](BytecodeBuilder& b) {
    return b.Builtin(11, Varint(b.BuiltinString("f.py")) + Varints(3, 4));
  };
  const Location call = location(10, [&](BytecodeBuilder& b) {
    const std::uint64_t at = leaf(b);
    return Varints(at, 0);
  });
  EXPECT_EQ(call.kind, Location::Kind::kCallSite);
  const Location fused = location(13, [&](BytecodeBuilder& b) {
    const std::uint64_t at = leaf(b);
    return Varints(2, at, 0) + Varint(b.BuiltinString("meta"));
  });
  EXPECT_EQ(fused.kind, Location::Kind::kFused);
  const Location name = location(14, [&](BytecodeBuilder& b) {
    const std::uint64_t at = leaf(b);
    return Varint(b.BuiltinString("op")) + Varint(at);
  });
  EXPECT_EQ(name.kind, Location::Kind::kName);
  EXPECT_EQ(location(12, [](BytecodeBuilder&) { return Varints(1, 0); }).kind,
            Location::Kind::kFused);
  EXPECT_EQ(location(15, [](BytecodeBuilder&) { return ""; }).kind, Location::Kind::kUnknown);
}

TEST(BytecodeValues, AttributesOfVhlo) {
  const auto vhlo = [](std::uint64_t code, const std::string& rest) {
    return TextOf([&](BytecodeBuilder& b) {
      b.Type("vhlo", Varint(4));
      b.Type("vhlo", Varint(16));  // ui8
      b.String("s0");
      b.VhloString("s0");                  // 1
      b.Vhlo(19, Varint(2));               // 2: TOLERANCE
      b.Vhlo(24, Varint(1) + Svarint(4));  // 3: mesh axis
      b.Vhlo(21, Svarints(2, 4));          // 4: part of an axis
      b.Vhlo(1, Varints(1, 3));            // 5: axes
      return b.Vhlo(code, rest);
    });
  };
  EXPECT_EQ(vhlo(1, Varints(2, 1, 1)), R"(["s0", "s0"])");
  EXPECT_EQ(vhlo(2, Varint(1)), "true");
  EXPECT_EQ(vhlo(3, Varint(5)), "#stablehlo<comparison_direction LT>");
  EXPECT_EQ(vhlo(4, Varint(2)), "#stablehlo<comparison_type TOTALORDER>");
  EXPECT_EQ(vhlo(6, Varints(1, 1, 1)), R"({s0 = "s0"})");
  EXPECT_EQ(vhlo(7, Varint(3)), "#stablehlo<fft_type IRFFT>");
  EXPECT_EQ(vhlo(8, Varint(0) + Svarint(0x3f800000)), "1.000000e+00 : f32");
  EXPECT_EQ(vhlo(9, Varint(1) + "\xff"), "255 : ui8");
  EXPECT_EQ(vhlo(10, Varint(1) + Svarint(0) + Svarint(1) + Varint(0)),
            "#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, "
            "operand_tuple_indices = []>");
  EXPECT_EQ(vhlo(11, Varint(2)), "#stablehlo<precision HIGHEST>");
  EXPECT_EQ(vhlo(12, Varint(2)), "#stablehlo<rng_algorithm PHILOX>");
  EXPECT_EQ(vhlo(13, Varint(1)), "#stablehlo<rng_distribution UNIFORM>");
  EXPECT_EQ(vhlo(14, Varint(0)), "\"s0\"");
  EXPECT_EQ(vhlo(16, Varint(3)), "#stablehlo<transpose ADJOINT>");
  EXPECT_EQ(vhlo(17, Varint(0)), "f32");
  EXPECT_EQ(vhlo(20, Svarint(0x3ff0000000000000) + Svarint(0) + Svarint(5) + Varint(2)),
            "#stablehlo.result_accuracy<atol = 1.000000e+00, ulps = 5, mode = "
            "#stablehlo.result_accuracy_mode<TOLERANCE>>");
  EXPECT_EQ(vhlo(22, Varints(1, 0)), "#stablehlo.axis_ref<name = \"s0\">");
  EXPECT_EQ(vhlo(22, Varints(1, 1, 4)), "#stablehlo.axis_ref<name = \"s0\", sub_axis_info = (2)4>");
  EXPECT_EQ(vhlo(23, Varints(1, 1)),
            "#stablehlo.replica_group_mesh_axes<mesh = @s0, axes = \"s0\">");
  EXPECT_EQ(vhlo(25, Varint(5) + Varint(0)), "#stablehlo.mesh<axes = [<name = \"s0\", size = 4>]>");
}

TEST(BytecodeValues, AttributesOfShardy) {
  const auto sdy = [](std::uint64_t code, const std::string& rest) {
    return TextOf([&](BytecodeBuilder& b) {
      const auto add = [&](std::uint64_t kind, const std::string& bytes) {
        return b.Attribute("sdy", Varint(kind) + bytes);
      };
      b.String("x");
      b.String("y");
      b.BuiltinString("x");                                             // 1
      b.Builtin(4, Varint(1));                                          // 2: @x
      add(1, Varint(0) + Svarint(2));                                   // 3: "x"=2
      add(2, Varints(1, 3) + Varint(0));                                // 4: mesh
      add(3, Svarints(1, 2));                                           // 5: (1)2
      add(4, Varint(0) + Varint(0));                                    // 6: "x"
      add(4, Varint(1) + Flagged(5, true));                             // 7: "y":(1)2
      add(5, Varints(1, 6) + "\1" + Varint(0));                         // 8: {"x"}
      add(5, Varints(1, 7) + std::string(1, '\0') + Flagged(3, true));  // 9: {"y":(1)2, ?}p3
      add(6, Varint(2) + Varints(2, 8, 9) + Varint(0));                 // 10
      add(8, Varint(2) + Svarints(0, 18));                              // 11: iz_1
      add(9, Varints(2, 11, 11));                                       // 12
      add(11, Varints(2, 6, 7));                                        // 13
      add(13, Varints(1, 6) + Svarints(0, 1));                          // 14
      return add(code, rest);
    });
  };
  EXPECT_EQ(sdy(0, Varints(2, 1, 1)), R"(#sdy<manual_axes{"x", "x"}>)");
  EXPECT_EQ(sdy(0, Varint(0)), "#sdy<manual_axes{}>");
  EXPECT_EQ(sdy(2, Varints(2, 3, 3) + Varint(2) + Svarints(1, 0)),
            R"(#sdy.mesh<["x"=2, "x"=2], device_ids=[1, 0]>)");
  EXPECT_EQ(sdy(5, Varint(0) + std::string(1, '\0') + Varint(0)), "#sdy<dimension_sharding{?}>");
  EXPECT_EQ(sdy(6, Varint(2) + Varints(2, 8, 9) + Varints(1, 6)),
            R"(#sdy.sharding<@x, [{"x"}, {"y":(1)2, ?}p3], replicated={"x"}>)");
  EXPECT_EQ(sdy(6, Varint(4) + Varint(0) + Varint(0)), R"(#sdy.sharding<mesh<["x"=2]>, []>)");
  EXPECT_EQ(sdy(6, Varint(2) + Varint(0) + Varint(0) + Varints(1, 6)),
            R"(#sdy.sharding<@x, [], unreduced={"x"}>)");
  EXPECT_EQ(sdy(15, Varint(2) + Varint(0) + Varints(1, 7) + Varints(1, 6)),
            R"(#sdy.sharding<@x, [], replicated={"y":(1)2}, unreduced={"x"}>)");
  EXPECT_EQ(sdy(17, Varint(2) + Varint(0) + Varint(0) + Varints(1, 6) + Svarint(1)),
            R"(#sdy.sharding<@x, [], unreduced=max{"x"}>)");
  EXPECT_EQ(sdy(7, Varints(2, 10, 10)),
            R"(#sdy.sharding_per_value<[<@x, [{"x"}, {"y":(1)2, ?}p3]>, <@x, [{"x"}, )"
            R"({"y":(1)2, ?}p3]>]>)");
  EXPECT_EQ(sdy(16, Varint(0)), "#sdy.sharding_per_value<[]>");
  EXPECT_EQ(sdy(10, Varint(2) + Svarints(4, 2) + Varints(1, 12) + Varints(2, 12, 12) + Varint(1) +
                        Svarint(1) + Varint(0) + Varint(0) + Varint(1) + Svarint(0) + "\1"),
            "#sdy.op_sharding_rule<([iz_1, iz_1])->([iz_1, iz_1], [iz_1, iz_1]) {i=4, j=2} "
            "reduction={j} blocked_propagation={i}, custom>");
  EXPECT_EQ(sdy(12, Varints(1, 13)), R"(#sdy<list_of_axis_ref_lists[{"x", "y":(1)2}]>)");
  EXPECT_EQ(sdy(14, Varints(1, 14)), R"(#sdy<all_to_all_param_list[{"x"}: 0->1]>)");
}

TEST(BytecodeValues, ElementsOfBooleansArePackedOrNot) {
  const auto bools = [](i64 count, std::string_view bytes) {
    const OneAttribute one([&](BytecodeBuilder& b) {
      b.Type("vhlo", Varint(0));
      const std::uint64_t tensor =
          b.Type("vhlo", Varint(20) + Varint(1) + Svarint(count) + Varint(0));
      return b.Vhlo(15, Varint(tensor) + Blob(bytes));
    });
    std::string text = one.attribute()->is_splat ? "all " : "";
    for (i64 i = 0; i < one.attribute()->literal->num_elements(); ++i) {
      text += one.attribute()->literal->UncheckedData<std::uint8_t>()[static_cast<size_t>(i)] == 1
                  ? '1'
                  : '0';
    }
    return text;
  };
  EXPECT_EQ(bools(1, {"\1", 1}), "1");
  EXPECT_EQ(bools(1, "\xff"), "1");
  EXPECT_EQ(bools(1, {"\0", 1}), "0");
  EXPECT_EQ(bools(3, "\5"), "101");           // packed
  EXPECT_EQ(bools(3, {"\1\0\1", 3}), "101");  // a byte each
  EXPECT_EQ(bools(3, "\xff"), "all 1");
  EXPECT_EQ(bools(3, {"\0", 1}), "all 0");
  EXPECT_EQ(bools(8, "\x81"), "10000001");
  EXPECT_EQ(bools(9, {"\x81\1", 2}), "100000011");
  EXPECT_EQ(bools(9, "\xff"), "all 1");
  EXPECT_EQ(bools(9, "\1"), "all 1");  // one byte for all
  EXPECT_EQ(bools(0, ""), "");
}

TEST(BytecodeValues, ElementsOfLessThanAByteLoseTheOtherBits) {
  const auto elements = [](std::uint64_t type, std::string_view bytes) {
    return TextOf([&](BytecodeBuilder& b) {
      b.Type("vhlo", Varint(type));
      const std::uint64_t tensor = b.Type("vhlo", Varint(20) + Varint(1) + Svarint(3) + Varint(0));
      return b.Vhlo(15, Varint(tensor) + Blob(bytes));
    });
  };
  EXPECT_EQ(elements(10, "\x0f\xff\x07"), "dense<[-1, -1, 7]> : tensor<3xi4>");
  EXPECT_EQ(elements(15, "\x0f\xff\x07"), "dense<[15, 15, 7]> : tensor<3xui4>");
  EXPECT_EQ(elements(31, "\x03\x01\x02"), "dense<[-1, 1, -2]> : tensor<3xi2>");
  EXPECT_EQ(elements(32, "\x03"), "dense<3> : tensor<3xui2>");
}

TEST(BytecodeValues, ResourcesAreElements) {
  const OneAttribute one([](BytecodeBuilder& b) {
    b.Type("builtin", Varint(5));
    const std::uint64_t tensor = b.Type("builtin", Varint(13) + Varint(1) + Svarint(2) + Varint(0));
    b.Resource("builtin", "first", "????");
    const std::uint64_t handle = b.Resource("builtin", "second", {"\0\0\x80\x3f\0\0\0\x40", 8});
    return b.Builtin(16, Varints(tensor, handle));
  });
  EXPECT_EQ(one.Text(), "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>");
}

TEST(BytecodeValues, TextFormsAreRead) {
  const auto text = [](std::string_view dialect, std::string_view attribute) {
    return TextOf(
        [&](BytecodeBuilder& b) { return b.Attribute(dialect, std::string(attribute), false); });
  };
  EXPECT_EQ(text("stablehlo", "#stablehlo<precision HIGH>"), "#stablehlo<precision HIGH>");
  EXPECT_EQ(text("builtin", "dense<[1, 2]> : tensor<2xi32>"), "dense<[1, 2]> : tensor<2xi32>");
  EXPECT_EQ(text("foo", "#foo.bar<1 -> 2>"), "#foo.bar<1 -> 2>");
}

}  // namespace
}  // namespace axle::mlir
