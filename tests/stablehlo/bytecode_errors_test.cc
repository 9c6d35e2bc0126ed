// Damaged MLIR bytecode: every message, files cut off anywhere, every byte changed, and nesting.
#include <gtest/gtest.h>

#include <filesystem>

#include "axle/core/file.h"
#include "axle/stablehlo/mlir/bytecode.h"
#include "axle/stablehlo/mlir/bytecode_writer.h"
#include "axle/stablehlo/mlir/text.h"
#include "tests/paths.h"
#include "tests/stablehlo/bytecode_builder.h"

namespace axle::mlir {
namespace {

std::string ErrorOf(std::string_view bytes) {
  const auto module = ReadMlirBytecode(bytes, {.label = "f.bc"});
  return module.ok() ? "no error" : module.status().ToString();
}

// A module with what `make` returns in it: operations, whose values are `num_values`.
struct Content {
  std::vector<std::string> ops;
  std::uint64_t num_values = 0;
};
template <typename Function>
std::string FileOf(Function make, int version = 6) {
  BytecodeBuilder b(version);
  b.UnknownLocation();
  b.Type("vhlo", Varint(4));                                        // 0: f32
  b.Type("vhlo", Varint(20) + Varint(0) + Varint(0));               // 1: tensor<f32>
  b.Type("vhlo", Varint(20) + Varint(1) + Svarint(2) + Varint(0));  // 2: tensor<2xf32>
  OpParts module{.name = b.OpName("builtin", "module")};
  const Content content = make(b);
  module.regions = {b.Region(content.num_values, {}, content.ops)};
  module.isolated = true;
  return b.BuildOf(b.Op(module));
}
// The same with one operation without results.
template <typename Function>
std::string OpFile(Function make, int version = 6) {
  return FileOf(
      [&](BytecodeBuilder& b) {
        const OpParts parts = make(b);
        return Content{{b.Op(parts)}, parts.results.size()};
      },
      version);
}
// The error of an attribute or type that is made so, without the head "f.bc: byte N: ".
std::string Tail(const std::string& error) {
  const size_t at = error.find(": ", error.find("byte "));
  return at == std::string::npos ? error : error.substr(at + 2);
}
std::string VhloAttributeError(const std::string& bytes) {
  return Tail(ErrorOf(FileOf([&](BytecodeBuilder& b) {
    b.Attribute("vhlo", bytes);
    return Content();
  })));
}
std::string BuiltinAttributeError(const std::string& bytes) {
  return Tail(ErrorOf(FileOf([&](BytecodeBuilder& b) {
    b.Attribute("builtin", bytes);
    return Content();
  })));
}
std::string TypeError(std::string_view dialect, const std::string& bytes) {
  return Tail(ErrorOf(FileOf([&](BytecodeBuilder& b) {
    b.Type(dialect, bytes);
    return Content();
  })));
}

const std::string kHead = std::string("ML\xefR") + Varint(6) + "p" + '\0';

TEST(BytecodeErrors, Containers) {
  EXPECT_EQ(ErrorOf("module {}"),
            "INVALID_ARGUMENT: f.bc: byte 0: MLIR bytecode begins with the bytes 4D 4C EF 52, "
            "which are not here");
  EXPECT_EQ(ErrorOf("ML\xefR"),
            "INVALID_ARGUMENT: f.bc: byte 4: the bytes end here, but more were expected");
  EXPECT_EQ(ErrorOf("ML\xefR" + Varint(7)),
            "UNIMPLEMENTED: f.bc: byte 4: version 7 of MLIR bytecode is newer than 6, the newest "
            "that is known");
  EXPECT_EQ(ErrorOf("ML\xefR" + Varint(6) + "StableHLO"),
            "INVALID_ARGUMENT: f.bc: byte 5: the name of the producer does not end with a byte 0");
  EXPECT_EQ(ErrorOf(kHead),
            "INVALID_ARGUMENT: f.bc: byte 7: the file ends without the section of IR");
  EXPECT_EQ(ErrorOf(kHead + Section(4, "")),
            "INVALID_ARGUMENT: f.bc: byte 9: the file ends without the section of strings");
  EXPECT_EQ(ErrorOf(kHead + Section(9, "")),
            "INVALID_ARGUMENT: f.bc: byte 7: a section with the number 9, where 0 to 8 are known");
  EXPECT_EQ(ErrorOf(kHead + Section(4, "") + Section(4, "")),
            "INVALID_ARGUMENT: f.bc: byte 9: a second section of IR");
  EXPECT_EQ(ErrorOf(kHead + "\4" + Varint(1000)),
            "INVALID_ARGUMENT: f.bc: byte 10: 1000 bytes of a section are announced, but only 0 "
            "are left");
  EXPECT_EQ(ErrorOf(kHead + "\x84" + Varint(0) + Varint(3)),
            "INVALID_ARGUMENT: f.bc: byte 10: an alignment of 3 bytes, where a power of two up to "
            "1048576 was expected");
  EXPECT_EQ(ErrorOf(kHead + "\x84" + Varint(0) + Varint(16) + "abcdef"),
            "INVALID_ARGUMENT: f.bc: byte 10: a byte that is not 0xCB fills the space up to an "
            "alignment");
  const std::string ir = Section(4, "");
  EXPECT_EQ(ErrorOf(kHead + ir + Section(0, Varint(500))),
            "INVALID_ARGUMENT: f.bc: byte 13: 500 strings are announced, but only 0 bytes are "
            "left");
  EXPECT_EQ(ErrorOf(kHead + ir + Section(0, Varints(1, 2) + "ab")),
            "INVALID_ARGUMENT: f.bc: byte 13: string 0 does not end with a byte 0");
  EXPECT_EQ(ErrorOf(kHead + ir + Section(0, Varints(1, 1) + std::string("\0x", 2))),
            "INVALID_ARGUMENT: f.bc: byte 14: 1 bytes follow the last string");
  const std::string strings = Section(0, Varints(1, 2) + std::string("d\0", 2));
  EXPECT_EQ(ErrorOf(kHead + ir + strings + Section(1, Varint(1) + Flagged(3, false))),
            "INVALID_ARGUMENT: f.bc: byte 18: string 3 is asked for, of 1");
  EXPECT_EQ(ErrorOf(kHead + ir + strings + Section(1, Varints(0, 1, 2, 0))),
            "INVALID_ARGUMENT: f.bc: byte 19: dialect 2 is asked for, of 0");
  const std::string dialects = Section(1, Varint(1) + Flagged(0, false));
  EXPECT_EQ(ErrorOf(kHead + ir + strings + dialects + Section(3, Varints(5, 0)) + Section(2, "")),
            "INVALID_ARGUMENT: f.bc: byte 22: 5 attributes are announced, but only 1 bytes are "
            "left");
  EXPECT_EQ(ErrorOf(kHead + ir + strings + dialects +
                    Section(3, Varints(1, 0, 0, 1) + Flagged(9, true)) + Section(2, "")),
            "INVALID_ARGUMENT: f.bc: byte 25: 9 bytes of an attribute or type are announced, but "
            "only 0 are left");
  EXPECT_EQ(
      ErrorOf(kHead + ir + strings + dialects + Section(3, Varints(0, 0)) + Section(2, "abc")),
      "INVALID_ARGUMENT: f.bc: byte 25: bytes follow the last attribute or type");
}

TEST(BytecodeErrors, AttributesAndTypes) {
  EXPECT_EQ(VhloAttributeError(Varint(99)), "attribute 99 of the dialect vhlo is not known");
  EXPECT_EQ(BuiltinAttributeError(Varint(23)), "attribute 23 of the dialect builtin is not known");
  EXPECT_EQ(TypeError("vhlo", Varint(43)), "type 43 of the dialect vhlo is not known");
  EXPECT_EQ(TypeError("builtin", Varint(21)), "type 21 of the dialect builtin is not known");
  EXPECT_EQ(TypeError("foo", Varint(0)), "the encoding of types of the dialect foo is not known");
  EXPECT_EQ(VhloAttributeError(Varints(2, 1, 1)),
            "1 bytes follow this attribute of the dialect "
            "vhlo");
  EXPECT_EQ(VhloAttributeError(Varints(1, 1, 50)), "attribute 50 is asked for, of 2");
  EXPECT_EQ(VhloAttributeError(Varints(17, 50)), "type 50 is asked for, of 3");
  EXPECT_EQ(VhloAttributeError(Varints(14, 50)), "string 50 is asked for, of 3");
  EXPECT_EQ(VhloAttributeError(Varints(1, 1, 1)), "this attribute or type contains itself");
  EXPECT_EQ(VhloAttributeError(Varints(3, 6)),
            "value 6 of comparison_direction, where 0 to 5 are known");
  EXPECT_EQ(VhloAttributeError(Varints(13, 0)),
            "value 0 of rng_distribution, where 1 to 2 are known");
  // Attribute 0 is no mode, and no part of an axis.
  EXPECT_EQ(VhloAttributeError(Varint(20) + Svarint(0) + Svarint(0) + Svarint(0) + Varint(0)),
            "an attribute result_accuracy_mode was expected, not one of another kind");
  const auto named = [](BytecodeBuilder& b) {
    const auto name = b.Attribute("vhlo", Varints(14, 0));
    b.Attribute("vhlo", Varints(22, name, 1, name));
    return Content();
  };
  EXPECT_EQ(Tail(ErrorOf(FileOf(named))),
            "an attribute sub_axis_info was expected, not one of another kind");
  for (const bool vhlo : {false, true}) {
    const auto twice = [vhlo](BytecodeBuilder& b) {
      const auto name = vhlo ? b.Attribute("vhlo", Varints(14, 0)) : b.Builtin(2, Varint(0));
      b.Attribute(vhlo ? "vhlo" : "builtin", Varints(vhlo ? 6 : 1, 2, name, name, name, name));
      return Content();
    };
    EXPECT_EQ(Tail(ErrorOf(FileOf(twice))), "the attribute \"module\" is given twice") << vhlo;
  }
  EXPECT_EQ(VhloAttributeError(Varints(9, 0)),
            "a number of type f32, where an integer was expected");
  EXPECT_EQ(VhloAttributeError(Varints(15, 2) + Blob("abc")),
            "3 bytes of elements, where 2 of f32 were expected");
  EXPECT_EQ(VhloAttributeError(Varints(15, 0) + Blob("abc")),
            "elements of the type f32, where a tensor of numbers with static dimensions was "
            "expected");
  EXPECT_EQ(VhloAttributeError(Varints(15, 2, 100)),
            "100 bytes of elements are announced, but only 0 are left");
  EXPECT_EQ(VhloAttributeError(Varint(1) + Varint(1 << 20)),
            "1048576 attributes are announced, but only 0 bytes are left");
  EXPECT_EQ(BuiltinAttributeError(Varints(4, 0)),
            "a string was expected, not an attribute of another kind");
  EXPECT_EQ(BuiltinAttributeError(Varints(16, 1, 0)),
            "resource 0 with elements is asked for, of 0");
  EXPECT_EQ(BuiltinAttributeError(Varint(22) + Varint(0) + Varints(5, 0, 0, 0, 0, 0)),
            "a string was expected, not an attribute of another kind");
  EXPECT_EQ(TypeError("vhlo", Varint(20) + Varint(1) + Svarint(-2) + Varint(0)),
            "a dimension of size -2");
  EXPECT_EQ(TypeError("vhlo", Varints(1, 1)),
            "complex<tensor<f32>>, where f32 or f64 was expected");
  EXPECT_EQ(TypeError("builtin", Varint(0) + Varint(8 << 2 | 3)),
            "an integer type of 8 bits with the sign 3");
  EXPECT_EQ(TypeError("vhlo", Varints(24, 1, 0, 0) + Svarints(0, 0, 0, 0)),
            "a quantized type that stores f32 for f32, with 1 scales and 1 zero points");
}

TEST(BytecodeErrors, Operations) {
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "constant_v99")};
            }))),
            "the operation vhlo.constant_v99 of StableHLO_v1.13.7 is not known; what StableHLO "
            "1.20.0 and older versions have is read");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder&) { return OpParts{.name = 7}; }))),
            "the name of operation 7 is asked for, of 1");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "add_v1"), .location = 9};
            }))),
            "attribute 9 is asked for, of 1");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "add_v1"), .results = {1}};
            }))),
            "stablehlo.add has 0 operands, where 2 were expected");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "create_token_v1"), .results = {1, 1}};
            }))),
            "stablehlo.create_token has 2 results, where 1 were expected");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "abs_v1"), .results = {1}, .operands = {5}};
            }))),
            "operand 0 of stablehlo.abs is value 5, of 1");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "abs_v1"), .results = {1}, .operands = {0}};
            }))),
            "operand 0 of stablehlo.abs is value 0, which is defined behind it");
  EXPECT_EQ(
      Tail(ErrorOf(FileOf([](BytecodeBuilder& b) {
        return Content{{b.Op({.name = b.OpName("vhlo", "create_token_v1"), .results = {1}})}, 0};
      }))),
      "a region of builtin.module defines more values than the 0 that it announced");
  EXPECT_EQ(
      Tail(ErrorOf(FileOf([](BytecodeBuilder& b) {
        return Content{{b.Op({.name = b.OpName("vhlo", "create_token_v1"), .results = {1}})}, 2};
      }))),
      "a region of builtin.module defines 1 values, where it announced 2");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "transpose_v1"),
                             .properties = b.Properties("")};
            }))),
            "the bytes end here, but more were expected");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              const std::uint64_t text = b.VhloString("x");
              return OpParts{.name = b.OpName("vhlo", "transpose_v1"),
                             .properties = b.Properties(Varint(text))};
            }))),
            "stablehlo.transpose: the attribute permutation has a value of another kind than "
            "ints");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              const std::uint64_t text = b.VhloString("x");
              return OpParts{.name = b.OpName("vhlo", "abs_v1"),
                             .properties = b.Properties(Varint(text))};
            }))),
            "1 bytes follow the properties of stablehlo.abs");
  EXPECT_EQ(Tail(ErrorOf(OpFile(
                [](BytecodeBuilder& b) {
                  return OpParts{.name = b.OpName("vhlo", "transpose_v1"),
                                 .attributes = b.Dictionary({})};
                },
                4))),
            "stablehlo.transpose lacks the attribute permutation");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              const std::uint64_t text = b.VhloString("x");
              return OpParts{.name = b.OpName("vhlo", "abs_v1"),
                             .attributes = b.Dictionary({{"a", text}, {"a", text}})};
            }))),
            "the attribute \"a\" is given twice");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "abs_v1"), .attributes = 0};
            }))),
            "the attributes of an operation are no dictionary");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("vhlo", "abs_v1"), .properties = 9};
            }))),
            "properties 9 are asked for, of 0");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("arith", "constant"),
                             .properties = b.Properties(Varint(0))};
            }))),
            "the form of the properties of arith.constant is not known; write the program as "
            "text, or as a portable artifact");
  EXPECT_EQ(Tail(ErrorOf(OpFile([](BytecodeBuilder& b) {
              return OpParts{.name = b.OpName("stablehlo", "transpose"),
                             .properties = b.Properties(Varints(0, 0, 0))};
            }))),
            "the properties of stablehlo.transpose are 3 values, where 1 were expected");
  // Regions in another section than IR, and bytes behind them.
  EXPECT_EQ(Tail(ErrorOf(FileOf([](BytecodeBuilder& b) {
              const std::uint64_t name = b.OpName("vhlo", "func_v1");
              return Content{
                  {Varint(name) + "\x10" + Varint(0) + Flagged(1, true) + Section(5, Varint(0))}};
            }))),
            "func.func lacks the attribute function_type");
  EXPECT_EQ(Tail(ErrorOf(FileOf([](BytecodeBuilder& b) {
              const std::uint64_t name = b.OpName("foo", "bar");
              return Content{
                  {Varint(name) + "\x10" + Varint(0) + Flagged(1, true) + Section(5, Varint(0))}};
            }))),
            "the regions of foo.bar were expected, not another section");
  EXPECT_EQ(Tail(ErrorOf(FileOf([](BytecodeBuilder& b) {
              const std::uint64_t name = b.OpName("foo", "bar");
              return Content{{Varint(name) + "\x10" + Varint(0) + Flagged(1, true) +
                              Section(4, Varints(0, 0))}};
            }))),
            "bytes follow the last region of an operation");
  EXPECT_EQ(Tail(ErrorOf(FileOf([](BytecodeBuilder& b) {
              const std::uint64_t name = b.OpName("foo", "bar");
              return Content{{Varint(name) + "\x08" + Varint(0) + Varints(1, 0)}};
            }))),
            "an operation with successors, which StableHLO has none of");
}

// Little files that would take much memory.
TEST(BytecodeErrors, SizesThatAreAnnouncedAreHeldAgainstTheBytesLeft) {
  const auto nested = [](bool values) {
    return FileOf([&](BytecodeBuilder& b) {
      const std::uint64_t bar = b.OpName("foo", "bar");
      std::string op = std::string(1000, '\0');
      for (int i = 0; i < 2; ++i) {
        const std::string regions = values ? Flagged(1, false) + Varint(1) + Varint(900)
                                           : Flagged(900, false) + Varint(1) + Varint(0);
        std::string around = Varint(bar) + "\x10" + Varint(0);
        around.append(regions).append(Flagged(1, false)).append(op);
        op = std::move(around);
      }
      return Content{{op}};
    });
  };
  EXPECT_EQ(Tail(ErrorOf(nested(true))),
            "900 values are announced, and 900 of the regions around, but only 1001 bytes are "
            "left");
  EXPECT_EQ(Tail(ErrorOf(nested(false))),
            "900 regions are announced, and 899 of the operations around, but only 1003 bytes are "
            "left");
  const std::string shared = FileOf([](BytecodeBuilder& b) {
    std::vector<std::pair<std::string, std::uint64_t>> entries;
    for (int i = 0; i < 2000; ++i) entries.emplace_back("a" + std::to_string(i), 0);
    const std::uint64_t all = b.Dictionary(entries);
    const std::uint64_t bar = b.OpName("foo", "bar");
    Content content;
    for (int i = 0; i < 200; ++i) content.ops.push_back(b.Op({.name = bar, .attributes = all}));
    return content;
  });
  EXPECT_EQ(Tail(ErrorOf(shared)),
            "the operations have more than 32 attributes for each of their bytes");
  EXPECT_EQ(TypeError("vhlo", Varint(20) + Varint(257) + std::string(257, '\1') + Varint(0)),
            "a type with 257 dimensions, where 256 are the most");
}

TEST(BytecodeErrors, ValuesOfAnIsolatedRegionAreItsOwn) {
  const auto file = [](bool isolated) {
    return FileOf([&](BytecodeBuilder& b) {
      const std::uint64_t token = b.OpName("vhlo", "create_token_v1");
      const std::uint64_t bar = b.OpName("foo", "bar");
      const std::string inner = b.Op({.name = bar, .operands = {0}});
      return Content{
          {b.Op({.name = token, .results = {1}}),
           b.Op({.name = bar, .regions = {b.Region(0, {}, {inner})}, .isolated = isolated})},
          1};
    });
  };
  EXPECT_EQ(ErrorOf(file(false)), "no error");
  EXPECT_EQ(Tail(ErrorOf(file(true))), "operand 0 of foo.bar is value 0, of 0");
}

TEST(BytecodeErrors, ResultsAreNotForTheRegionsOfTheirOperation) {
  const auto file = [](bool is_used) {
    return FileOf([&](BytecodeBuilder& b) {
      const std::uint64_t bar = b.OpName("foo", "bar");
      // Value 1 is the result of the operation around, 0 that of the one before it.
      const std::string use = b.Op({.name = bar, .operands = {is_used ? 1U : 0U}});
      return Content{{b.Op({.name = bar, .results = {1}}),
                      b.Op({.name = bar, .results = {1}, .regions = {b.Region(0, {}, {use})}})},
                     2};
    });
  };
  EXPECT_EQ(ErrorOf(file(false)), "no error");
  EXPECT_EQ(Tail(ErrorOf(file(true))),
            "operand 0 of foo.bar is value 1, which is defined behind it");
}

TEST(BytecodeErrors, UsesBeforeTheDefinitionNeedBlocksThatBranch) {
  const auto file = [](bool two_blocks) {
    return FileOf([&](BytecodeBuilder& b) {
      const std::uint64_t bar = b.OpName("foo", "bar");
      const std::string use = b.Op({.name = bar, .operands = {0}});
      const std::string definition = b.Op({.name = bar, .results = {1}});
      const std::string region =
          two_blocks
              ? Varint(2) + Varint(1) + Flagged(1, false) + use + Flagged(1, false) + definition
              : Varint(1) + Varint(1) + Flagged(2, false) + use + definition;
      return Content{{b.Op({.name = bar, .regions = {region}})}};
    });
  };
  const auto module = ReadMlirBytecode(file(true));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const Region& region = (*module)->top()->regions[0].blocks[0].operations[0]->regions[0];
  EXPECT_EQ(region.blocks[0].operations[0]->operands[0],
            &region.blocks[1].operations[0]->results[0]);
  EXPECT_EQ(Tail(ErrorOf(file(false))),
            "operand 0 of foo.bar is value 0, which is defined behind it");
}

TEST(BytecodeErrors, RegionsNestAsDeepAsTheFileHasThem) {
  for (const bool isolated : {false, true}) {
    constexpr int kDepth = 3000;
    const std::string bytes = FileOf([&](BytecodeBuilder& b) {
      const std::uint64_t bar = b.OpName("foo", "bar");
      std::string op = b.Op({.name = bar});
      for (int i = 0; i < kDepth; ++i) {
        op = b.Op({.name = bar, .regions = {b.Region(0, {}, {op})}, .isolated = isolated});
      }
      return Content{{op}};
    });
    const auto module = ReadMlirBytecode(bytes);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    int depth = 0;
    const Operation* op = (*module)->top()->regions[0].blocks[0].operations[0];
    for (; !op->regions.empty(); ++depth) op = op->regions[0].blocks[0].operations[0];
    EXPECT_EQ(depth, kDepth);
  }
}

TEST(BytecodeErrors, TypesAndAttributesNestTo256) {
  const auto file = [](bool types, int depth) {
    return FileOf([&](BytecodeBuilder& b) {
      std::uint64_t last = types ? 0 : b.VhloString("x");
      for (int i = 0; i < depth; ++i) {
        last = types ? b.Type("vhlo", Varints(23, 1, last)) : b.Vhlo(1, Varints(1, last));
      }
      return Content();
    });
  };
  for (const bool types : {true, false}) {
    EXPECT_EQ(ErrorOf(file(types, 255)), "no error");
    EXPECT_EQ(Tail(ErrorOf(file(types, 256))),
              "attributes, types or locations are nested more than 256 deep");
    EXPECT_EQ(Tail(ErrorOf(file(types, 100000))),
              "attributes, types or locations are nested more than 256 deep");
  }
  // Of which each is twice in the next.
  const std::string shared = FileOf([](BytecodeBuilder& b) {
    std::uint64_t last = 0;
    for (int i = 0; i < 60; ++i) last = b.Type("vhlo", Varints(23, 2, last, last));
    return Content();
  });
  EXPECT_EQ(Tail(ErrorOf(shared)), "this attribute or type is made of more than 1048576 others");
}

TEST(BytecodeErrors, LocationsNestTo4096) {
  const auto file = [](int depth) {
    return FileOf([&](BytecodeBuilder& b) {
      const std::uint64_t name = b.BuiltinString("f");
      std::uint64_t last = 0;
      for (int i = 0; i < depth; ++i) last = b.Builtin(14, Varints(name, last));
      return Content();
    });
  };
  EXPECT_EQ(ErrorOf(file(4095)), "no error");
  EXPECT_EQ(Tail(ErrorOf(file(4097))),
            "attributes, types or locations are nested more than 4096 deep");
}

TEST(BytecodeErrors, LimitsStopTheReader) {
  Limits limits;
  limits.Cancel();
  const auto module = ReadMlirBytecode(FileOf([](BytecodeBuilder&) { return Content(); }),
                                       {.label = "f.bc", .limits = &limits});
  EXPECT_EQ(module.status().code(), StatusCode::kCancelled);
}

constexpr std::string_view kProgram = R"(
module @m attributes {mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
      %arg1: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %1 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<2x3xf32> loc(callsite("f"("a.py":3:4) at "b.py":5:6))
    %3 = "stablehlo.reduce"(%2, %arg1) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %4 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.custom_call @f(%3) {api_version = 4 : i32, backend_config = {a = 1 : i64},
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
      operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}
)";

// Several files: ours, hand-made ones, and one of jaxlib's.
std::vector<std::string> Files() {
  std::vector<std::string> files;
  const auto module = ParseMlirText(kProgram);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  const auto bytes = WriteMlirBytecode(**module);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  files.push_back(*bytes);
  for (const int version : {0, 3, 6}) {
    files.push_back(FileOf(
        [](BytecodeBuilder& b) {
          const std::uint64_t token = b.OpName("vhlo", "create_token_v1");
          const std::uint64_t bar = b.OpName("foo", "bar", false);
          b.Resource("builtin", "blob", "12345678");
          const std::uint64_t dense = b.Builtin(16, Varints(2, 0));
          const std::uint64_t all = b.Dictionary({{"a", dense}});
          return Content{
              {b.Op({.name = token, .results = {1}}), b.Op({.name = bar,
                                                            .attributes = all,
                                                            .operands = {0},
                                                            .regions = {b.Region(1, {1}, {})},
                                                            .isolated = true})},
              1};
        },
        version));
  }
  const StatusOr<std::string> jaxlib =
      ReadFile((SourceFolder() / "tests/data/corpus/axpy_tanh/program.stablehlo.bc").string());
  EXPECT_TRUE(jaxlib.ok());
  if (jaxlib.ok()) files.push_back(*jaxlib);
  return files;
}

TEST(BytecodeErrors, FilesThatAreCutOffAreErrors) {
  for (const std::string& file : Files()) {
    ASSERT_EQ(ErrorOf(file), "no error");
    for (size_t size = 0; size < file.size(); ++size) {
      // A copy of that size, so that reads behind its end are found by sanitizers.
      const std::string part = file.substr(0, size);
      const auto module = ReadMlirBytecode(part);
      if (module.ok()) {
        // What is cut off is the last section, of properties, of which the file has none.
        ASSERT_EQ(size + 3, file.size());
      }
    }
  }
}

TEST(BytecodeErrors, AnyByteMayBeAnother) {
  size_t num_errors = 0, num_modules = 0;
  for (const std::string& file : Files()) {
    for (size_t i = 0; i < file.size(); ++i) {
      for (const int change : {0x01, 0x02, 0x04, 0x10, 0x80, 0xff}) {
        std::string changed = file;
        changed[i] = static_cast<char>(changed[i] ^ change);
        const auto module = ReadMlirBytecode(changed);
        ++(module.ok() ? num_modules : num_errors);
        if (!module.ok()) {
          const StatusCode code = module.status().code();
          ASSERT_TRUE(code == StatusCode::kInvalidArgument || code == StatusCode::kUnimplemented)
              << module.status().ToString();
        }
      }
    }
  }
  // Most changes are noticed; letters of names and values of constants are not.
  EXPECT_GT(num_errors, 1000u);
  EXPECT_GT(num_modules, 1000u);
}

}  // namespace
}  // namespace axle::mlir
