// Convolution by prebuilt kernels against the interpreter: random windows, padding, dilations,
// groups and dimension labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "axle/core/strings.h"
#include "tests/kernels/contraction_check.h"

namespace axle {
namespace {

struct Types {
  std::string lhs, rhs, result;
};

// Features and spatial sizes up to about these.
struct Extent {
  i64 features = 6, size = 9, window = 3;
  i64 groups = 0;  // of features, at most; 0: sometimes a few
};

class RandomConvolution {
 public:
  RandomConvolution(std::mt19937& random, const Extent& extent)
      : random_(random), extent_(extent) {}

  std::string Text(const Types& types) {
    const i64 rank = Uniform(random_, 0, 10) == 0 ? 0 : Uniform(random_, 1, 3);
    const i64 kind = Uniform(random_, 0, 5);
    const i64 feature_groups = extent_.groups > 0 ? Uniform(random_, 8, extent_.groups)
                               : kind == 0        ? Uniform(random_, 2, 4)
                                                  : 1;
    const i64 batch_groups = feature_groups == 1 && kind == 1 ? Uniform(random_, 2, 3) : 1;
    const i64 in = Size(extent_.features),
              out = Size(extent_.features) * feature_groups * batch_groups;
    const i64 batch = Size(3);
    std::string window;
    std::vector<i64> lhs_sizes, rhs_sizes, output_sizes;
    for (const char* name : {"size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"}) {
      texts_[name].clear();
    }
    for (i64 s = 0; s < rank; ++s) AddSpatial(rank, lhs_sizes, rhs_sizes, output_sizes);
    for (const auto& [name, text] : texts_) {
      if (!text.empty()) StrAppend(window, window.empty() ? "" : " ", name, "=", text);
    }
    std::string labels;
    const auto lhs = Side("bf", batch * batch_groups, in * feature_groups, lhs_sizes, labels);
    labels += "_";
    const auto rhs = Side("io", in, out, rhs_sizes, labels);
    labels += "->";
    const auto result = Side("bf", batch, out, output_sizes, labels);
    return StrCat("HloModule m\nENTRY main {\n  a = ", ShapeText(types.lhs, lhs),
                  " parameter(0)\n  b = ", ShapeText(types.rhs, rhs),
                  " parameter(1)\n  ROOT r = ", ShapeText(types.result, result),
                  " convolution(a, b), window={", window, "}, dim_labels=", labels,
                  ", feature_group_count=", feature_groups, ", batch_group_count=", batch_groups,
                  "\n}\n");
  }

 private:
  i64 Size(i64 most) {
    const i64 kind = Uniform(random_, 0, 40);
    return kind == 0 ? 0 : kind < 6 ? 1 : Uniform(random_, 1, most);
  }
  void AddText(const char* name, const std::string& text) {
    StrAppend(texts_[name], texts_[name].empty() ? "" : "x", text);
  }
  // One more dimension, whose result is not too large.
  void AddSpatial(i64 rank, std::vector<i64>& lhs, std::vector<i64>& rhs,
                  std::vector<i64>& output) {
    const i64 size = rank == 1 ? Size(5 * extent_.size) : rank == 2 ? Size(extent_.size) : Size(4);
    const i64 window = Uniform(random_, 1, rank == 1 ? 3 * extent_.window : extent_.window);
    const i64 stride = Uniform(random_, 0, 2) == 0 ? Uniform(random_, 1, 3) : 1;
    const i64 lhs_dilation = Uniform(random_, 0, 3) == 0 ? Uniform(random_, 1, 4) : 1;
    const i64 rhs_dilation = Uniform(random_, 0, 3) == 0 ? Uniform(random_, 1, 4) : 1;
    const i64 dilated = size == 0 ? 0 : (size - 1) * lhs_dilation + 1;
    const i64 covered = (window - 1) * rhs_dilation + 1;
    const i64 least = Uniform(random_, 0, 4) == 0 ? -std::min<i64>(2, dilated / 2) : 0;
    const bool is_padded = Uniform(random_, 0, 3) > 0;
    const i64 low = is_padded ? Uniform(random_, least, covered) : 0;
    const i64 high = is_padded ? Uniform(random_, least, covered) : 0;
    const i64 positions = low + dilated + high;
    lhs.push_back(size);
    rhs.push_back(window);
    output.push_back(positions < covered ? 0 : (positions - covered) / stride + 1);
    AddText("size", StrCat(window));
    AddText("stride", StrCat(stride));
    AddText("pad", StrCat(low, "_", high));
    AddText("lhs_dilate", StrCat(lhs_dilation));
    AddText("rhs_dilate", StrCat(rhs_dilation));
    AddText("rhs_reversal", StrCat(Uniform(random_, 0, 4) == 0 ? 1 : 0));
  }
  // The sizes of one side in a random order, whose labels are appended.
  std::vector<i64> Side(const std::string& names, i64 first, i64 second,
                        const std::vector<i64>& spatial, std::string& labels) {
    std::vector<std::pair<char, i64>> dims = {{names[0], first}, {names[1], second}};
    for (size_t s = 0; s < spatial.size(); ++s) {
      dims.insert(dims.end() - 1, {static_cast<char>('0' + s), spatial[s]});
    }
    if (Uniform(random_, 0, 1) == 0) std::ranges::shuffle(dims, random_);
    std::vector<i64> sizes;
    for (const auto& [label, size] : dims) {
      labels += label;
      sizes.push_back(size);
    }
    return sizes;
  }

  std::mt19937& random_;
  Extent extent_;
  std::map<std::string, std::string> texts_;
};

void CheckRandom(const Types& types, int count, const Extent& extent, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const Values values = std::array{Values::kPlain, Values::kWide, Values::kTiny,
                                     Values::kSpecial}[static_cast<size_t>(Uniform(random, 0, 3))];
    std::string reason;
    EXPECT_TRUE(
        CheckContraction(RandomConvolution(random, extent).Text(types), values, random, &reason))
        << reason;
  }
}

TEST(ConvolutionKernels, AnyWindowsOfF32) {
  CheckRandom({"f32", "f32", "f32"}, 2000, {}, 1);
}

TEST(ConvolutionKernels, AnyTypes) {
  const Types all[] = {
      {"f64", "f64", "f64"},    {"bf16", "bf16", "bf16"},      {"bf16", "bf16", "f32"},
      {"f16", "f16", "f16"},    {"f8e5m2", "f8e4m3fn", "f32"}, {"f32", "f32", "bf16"},
      {"s8", "s8", "s32"},      {"u8", "s8", "s32"},           {"s8", "s8", "s8"},
      {"s16", "s16", "s16"},    {"s32", "s32", "s32"},         {"u64", "u64", "u64"},
      {"s4", "s4", "s4"},       {"pred", "pred", "pred"},      {"c64", "c64", "c64"},
      {"c128", "c128", "c128"}, {"s32", "s32", "f32"},         {"f8e8m0fnu", "f8e8m0fnu", "f32"},
  };
  unsigned seed = 100;
  for (const Types& types : all) {
    SCOPED_TRACE(StrCat(types.lhs, " ", types.rhs, " ", types.result));
    CheckRandom(types, 60, {}, ++seed);
    if (testing::Test::HasFailure()) return;
  }
}

// Features around the block of 32 of the tile order, and beyond one slice.
TEST(ConvolutionKernels, ManyFeatures) {
  unsigned seed = 200;
  for (const Types& types : {Types{"f32", "f32", "f32"}, Types{"bf16", "bf16", "bf16"},
                             Types{"s8", "s8", "s32"}, Types{"c64", "c64", "c64"}}) {
    CheckRandom(types, 60, {.features = 70, .size = 6, .window = 3}, ++seed);
    CheckRandom(types, 4, {.features = 700, .size = 3, .window = 3}, ++seed);
  }
}

// Windows of more positions than a part, a group of parts and several groups have, most of which
// are padding for some outputs: parts and groups without elements.
TEST(ConvolutionKernels, LargeWindows) {
  std::mt19937 random(600);
  const auto check = [&](const std::string& type, const std::string& result, i64 in, i64 out,
                         i64 groups, i64 size, i64 window, i64 stride, i64 dilation) {
    const i64 dilated = (size - 1) * dilation + 1, positions = dilated + 2 * (window - 1);
    EXPECT_TRUE(CheckContraction(
        StrCat("HloModule m\nENTRY main {\n  a = ", ShapeText(type, {1, size, 2, in * groups}),
               " parameter(0)\n  b = ", ShapeText(type, {window, 3, in, out * groups}),
               " parameter(1)\n  ROOT r = ",
               ShapeText(result, {1, (positions - window) / stride + 1, 2, out * groups}),
               " convolution(a, b), window={size=", window, "x3 stride=", stride,
               "x1 pad=", window - 1, "_", window - 1, "x1_1 lhs_dilate=", dilation,
               "x1}, dim_labels=b01f_01io->b01f, feature_group_count=", groups, "\n}\n"),
        Uniform(random, 0, 1) == 0 ? Values::kPlain : Values::kTiny, random));
  };
  using Case = std::array<std::string, 2>;
  for (const auto& [type, result] :
       {Case{"f32", "f32"}, Case{"bf16", "f32"}, Case{"c64", "c64"}, Case{"s8", "s32"}}) {
    SCOPED_TRACE(type);
    check(type, result, 1, 2, 1, 300, 400, 70, 1);
    check(type, result, 3, 17, 1, 40, 300, 30, 5);
    check(type, result, 40, 3, 1, 12, 60, 9, 1);
    check(type, result, 530, 2, 1, 3, 25, 5, 1);
    check(type, result, 1, 1, 12, 300, 400, 70, 1);
    check(type, result, 1, 2, 1, 3, 23000, 7000, 1);
    check(type, result, 1, 1, 12, 3, 23000, 7000, 1);
    check(type, result, 3, 1, 12, 300, 400, 70, 1);
    check(type, result, 1, 2, 1, 23000, 23000, 23000, 1);
  }
}

// A group for every feature, or for few.
TEST(ConvolutionKernels, Depthwise) {
  unsigned seed = 400;
  for (const Types& types : {Types{"f32", "f32", "f32"}, Types{"f64", "f64", "f64"}}) {
    CheckRandom(types, 120, {.features = 1, .groups = 200}, ++seed);
    CheckRandom(types, 120, {.features = 4, .groups = 40}, ++seed);
  }
}

// Outputs and the elements that they meet are neighbours: vectors run along lines.
TEST(ConvolutionKernels, AlongLines) {
  std::mt19937 random(700);
  const auto check = [&](const std::string& type, i64 batch, i64 in, i64 out, i64 groups,
                         i64 height, i64 width, i64 window, i64 low, i64 high, i64 dilation,
                         i64 batch_groups = 1) {
    const i64 rows = std::min<i64>(height, 3), covered = (window - 1) * dilation + 1;
    const i64 result = low + width + high - covered + 1;
    const Values values = std::array{Values::kPlain, Values::kWide, Values::kTiny,
                                     Values::kSpecial}[static_cast<size_t>(Uniform(random, 0, 3))];
    std::string reason;
    EXPECT_TRUE(CheckContraction(
        StrCat("HloModule m\nENTRY main {\n  a = ",
               ShapeText(type, {batch * batch_groups, in * groups, height, width}),
               " parameter(0)\n  b = ",
               ShapeText(type, {out * groups * batch_groups, in, rows, window}),
               " parameter(1)\n  ROOT r = ",
               ShapeText(type, {batch, out * groups * batch_groups, height, result}),
               " convolution(a, b), window={size=", rows, "x", window, " pad=", (rows - 1) / 2, "_",
               rows / 2, "x", low, "_", high, " rhs_dilate=1x", dilation,
               " rhs_reversal=", Uniform(random, 0, 1), "x", Uniform(random, 0, 1),
               "}, dim_labels=bf01_oi01->bf01, feature_group_count=", groups,
               ", batch_group_count=", batch_groups, "\n}\n"),
        values, random, &reason))
        << reason;
  };
  for (const char* type : {"f32", "f64"}) {
    SCOPED_TRACE(type);
    // Every number of features of a register tile, every number of vectors, lanes that are left.
    for (const i64 out : {1, 2, 3, 4, 7, 8, 13, 17}) {
      for (const i64 width : {7, 12, 16, 31, 33, 47, 64, 97, 150}) {
        check(type, 2, Uniform(random, 1, 3), out, 1, 3, width, 5, 2, 2, 1);
      }
    }
    check(type, 2, 1, 1, 9, 4, 40, 3, 1, 1, 1);              // a group for every feature
    check(type, 1, 2, 3, 2, 4, 40, 3, 1, 1, 1, 1);           // several groups
    check(type, 2, 2, 3, 1, 4, 40, 3, 1, 1, 1, 2);           // of the batch
    check(type, 1, 2, 2, 1, 2, 60, 7, 0, 0, 3);              // dilation
    check(type, 1, 1, 2, 1, 1, 60, 3, 40, 40, 20);           // the window is larger than the line
    check(type, 1, 1, 1, 1, 2, 3, 40, 39, 39, 1);            // and so that few positions are met
    check(type, 1, 1, 2, 1, 2, 90, 5, -3, -20, 1);           // less than the line
    check(type, 1, 1, 1, 1, 2, 20, 3, 60, 70, 1);            // outputs that meet nothing
    check(type, 1, 1, 1, 1, 1, 5000, 9, 4, 4, 1);            // segments
    check(type, 1, 40, 5, 1, 5, 33, 9, 4, 4, 1);             // several parts
    check(type, 1, 300, 3, 1, 2, 33, 3, 1, 1, 2);            // of single positions
    check(type, 1, 1, 2, 1, 1, 700, 1500, 900, 900, 1);      // empty parts for some
    check(type, 1, 2, 1, 1, 1, 12, 20000, 20000, 20000, 1);  // and groups of parts
  }
}

// Products of matrices in disguise.
TEST(ConvolutionKernels, SinglePlaces) {
  unsigned seed = 500;
  for (const Types& types : {Types{"f32", "f32", "f32"}, Types{"bf16", "bf16", "bf16"},
                             Types{"s8", "s8", "s32"}, Types{"c64", "c64", "c64"}}) {
    CheckRandom(types, 60, {.features = 40, .size = 6, .window = 1}, ++seed);
  }
}

// More outputs than a block, and columns than a panel: sums of a tile and panels that are kept.
TEST(ConvolutionKernels, ManyOutputs) {
  std::mt19937 random(300);
  const auto check = [&](const std::string& type, const std::string& result, i64 size, i64 in,
                         i64 out, const std::string& labels) {
    const std::vector<i64> lhs = labels[1] == 'f' ? std::vector<i64>{2, in, size, size}
                                                  : std::vector<i64>{2, size, size, in};
    const std::vector<i64> output = labels[1] == 'f' ? std::vector<i64>{2, out, size, size}
                                                     : std::vector<i64>{2, size, size, out};
    EXPECT_TRUE(CheckContraction(
        StrCat("HloModule m\nENTRY main {\n  a = ", ShapeText(type, lhs),
               " parameter(0)\n  b = ", ShapeText(type, {3, 3, in, out}),
               " parameter(1)\n  ROOT r = ", ShapeText(result, output),
               " convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=", labels, "\n}\n"),
        Values::kPlain, random));
  };
  for (const char* labels : {"b01f_01io->b01f", "bf01_01io->bf01"}) {
    check("f32", "f32", 20, 5, 70, labels);
    check("f32", "f32", 17, 70, 33, labels);
    check("f32", "f32", 15, 3, 600, labels);
    check("bf16", "bf16", 16, 40, 40, labels);
    check("bf16", "bf16", 16, 3, 40, labels);
    check("s8", "s32", 17, 9, 40, labels);
  }
}

}  // namespace
}  // namespace axle
