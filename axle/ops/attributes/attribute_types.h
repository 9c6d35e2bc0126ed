// The values of attributes that programs in C++ write: windows, paddings, dimension numbers and
// enumerations, with the names of XLA's messages besides. The structs of whole ops are in
// ops/attributes.h.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "axle/core/custom_call_api.h"
#include "axle/core/shape.h"

namespace axle {

// Element counts; low and high may be negative (elements are dropped).
struct PaddingDim {
  i64 low = 0;
  i64 high = 0;
  i64 interior = 0;
  bool operator==(const PaddingDim&) const = default;

  // XLA's names.
  i64 edge_padding_low() const { return low; }
  i64 edge_padding_high() const { return high; }
  i64 interior_padding() const { return interior; }
  void set_edge_padding_low(i64 count) { low = count; }
  void set_edge_padding_high(i64 count) { high = count; }
  void set_interior_padding(i64 count) { interior = count; }
};

// One entry per dimension: a list, with XLA's names for the same besides.
//
//   PaddingConfig padding = {{1, 1, 0}, {0, 2, 0}};
//   padding.add_dimensions()->set_edge_padding_low(1);
class PaddingConfig : public std::vector<PaddingDim> {
 public:
  using std::vector<PaddingDim>::vector;
  PaddingConfig() = default;
  PaddingDim* add_dimensions();
  const std::vector<PaddingDim>& dimensions() const { return *this; }
  const PaddingDim& dimensions(i64 d) const { return (*this)[static_cast<size_t>(d)]; }
  PaddingDim* mutable_dimensions(i64 d) { return &(*this)[static_cast<size_t>(d)]; }
  int dimensions_size() const { return static_cast<int>(size()); }
};

struct SliceDim {
  i64 start = 0;
  i64 limit = 0;
  i64 stride = 1;
  bool operator==(const SliceDim&) const = default;
};
using SliceConfig = std::vector<SliceDim>;

enum class ComparisonDirection : std::uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
// kDefault: what the operand's type implies; an explicit type that says the same becomes kDefault.
enum class ComparisonType : std::uint8_t { kDefault, kFloat, kTotalOrder, kSigned, kUnsigned };

enum class FusionKind : std::uint8_t { kLoop, kInput, kOutput, kCustom };

// One dimension of a window. Dilations are factors; a negative padding crops.
struct WindowDim {
  i64 size = 1;
  i64 stride = 1;
  i64 pad_low = 0;
  i64 pad_high = 0;
  i64 base_dilation = 1;    // lhs_dilate
  i64 window_dilation = 1;  // rhs_dilate
  bool reversal = false;    // rhs_reversal
  bool operator==(const WindowDim&) const = default;
};
using Window = std::vector<WindowDim>;

// Which dimension of each side plays which role, as text: position = dimension, character = role:
// b(atch), f(eature), i(nput feature), o(utput feature), digit = spatial number, ? = unused.
struct ConvolutionDimensionNumbers {
  std::string lhs;
  std::string rhs;
  std::string output;
  i64 num_spatial() const;
  // The dimension with a role, or -1.
  static i64 Find(const std::string& side, char role);
  bool operator==(const ConvolutionDimensionNumbers&) const = default;

  // XLA's names: `input` is lhs, `kernel` rhs. A dimension is set once for each role and has one
  // role; what is not so lacks a role, which the op refuses.
  i64 input_batch_dimension() const { return Find(lhs, 'b'); }
  void set_input_batch_dimension(i64 dim) { Place(lhs, dim, 'b'); }
  i64 input_feature_dimension() const { return Find(lhs, 'f'); }
  void set_input_feature_dimension(i64 dim) { Place(lhs, dim, 'f'); }
  void add_input_spatial_dimensions(i64 dim) { AddSpatial(lhs, dim); }
  std::vector<i64> input_spatial_dimensions() const { return Spatial(lhs); }
  i64 input_spatial_dimensions(i64 i) const { return Find(lhs, static_cast<char>('0' + i)); }
  int input_spatial_dimensions_size() const { return static_cast<int>(Spatial(lhs).size()); }
  i64 kernel_input_feature_dimension() const { return Find(rhs, 'i'); }
  void set_kernel_input_feature_dimension(i64 dim) { Place(rhs, dim, 'i'); }
  i64 kernel_output_feature_dimension() const { return Find(rhs, 'o'); }
  void set_kernel_output_feature_dimension(i64 dim) { Place(rhs, dim, 'o'); }
  void add_kernel_spatial_dimensions(i64 dim) { AddSpatial(rhs, dim); }
  std::vector<i64> kernel_spatial_dimensions() const { return Spatial(rhs); }
  i64 kernel_spatial_dimensions(i64 i) const { return Find(rhs, static_cast<char>('0' + i)); }
  int kernel_spatial_dimensions_size() const { return static_cast<int>(Spatial(rhs).size()); }
  i64 output_batch_dimension() const { return Find(output, 'b'); }
  void set_output_batch_dimension(i64 dim) { Place(output, dim, 'b'); }
  i64 output_feature_dimension() const { return Find(output, 'f'); }
  void set_output_feature_dimension(i64 dim) { Place(output, dim, 'f'); }
  void add_output_spatial_dimensions(i64 dim) { AddSpatial(output, dim); }
  std::vector<i64> output_spatial_dimensions() const { return Spatial(output); }
  i64 output_spatial_dimensions(i64 i) const { return Find(output, static_cast<char>('0' + i)); }
  int output_spatial_dimensions_size() const { return static_cast<int>(Spatial(output).size()); }

 private:
  static void Place(std::string& side, i64 dim, char role);
  static void AddSpatial(std::string& side, i64 dim);  // the next spatial number
  static std::vector<i64> Spatial(const std::string& side);
};

// Here and below the names of XLA's messages follow ours.
enum class Precision : std::uint8_t {
  kDefault,
  kHigh,
  kHighest,
  DEFAULT = kDefault,
  HIGH = kHigh,
  HIGHEST = kHighest,
};
using OperandPrecision = std::vector<Precision>;
// The names are XLA's without ALG_, in its order.
enum class DotAlgorithm : std::uint8_t {
  kUnset,
  kDotAnyF8AnyF8F32,
  kDotAnyF8AnyF8F32FastAccum,
  kDotF16F16F16,
  kDotF16F16F32,
  kDotBF16BF16BF16,
  kDotBF16BF16F32,
  kDotBF16BF16F32X3,
  kDotBF16BF16F32X6,
  kDotTF32TF32F32,
  kDotTF32TF32F32X3,
  kDotF32F32F32,
  kDotF64F64F64,
  kDotBF16BF16F32X9,
};
// The value of an attribute that not all releases of XLA know: unspecified, or one of the two.
enum class TriState : std::uint8_t { kUnspecified, kTrue, kFalse };
enum class ConvolutionKind : std::uint8_t { kUnset, kFprop, kWgrad, kDgrad };

enum class FftType : std::uint8_t {
  kFft,
  kIfft,
  kRfft,
  kIrfft,
  FFT = kFft,
  IFFT = kIfft,
  RFFT = kRfft,
  IRFFT = kIrfft,
};
// Which form of the matrix a triangular system has; kInvalid is what a program that says nothing
// has.
enum class TransposeOption : std::uint8_t {
  kInvalid,
  kNoTranspose,
  kTranspose,
  kAdjoint,
  TRANSPOSE_INVALID = kInvalid,
  NO_TRANSPOSE = kNoTranspose,
  TRANSPOSE = kTranspose,
  ADJOINT = kAdjoint,
};
enum class RandomDistribution : std::uint8_t {
  kInvalid,
  kUniform,
  kNormal,
  RNG_INVALID = kInvalid,
  RNG_UNIFORM = kUniform,
  RNG_NORMAL = kNormal,
};
enum class RandomAlgorithm : std::uint8_t {
  kDefault,
  kThreeFry,
  kPhilox,
  RNG_DEFAULT = kDefault,
  RNG_THREE_FRY = kThreeFry,
  RNG_PHILOX = kPhilox,
};

// Pairs of devices {source, target}: each source sends to its target.
using SourceTargetPairs = std::vector<std::pair<i64, i64>>;
using DimsList = std::vector<Dims>;
// Some dumps spell the mode; the other attributes imply it.
enum class CollectiveMode : std::uint8_t {
  kUnset,
  kCrossReplica,
  kCrossPartition,
  kCrossReplicaAndPartition,
  kFlattenedId,
};
// Result element `output_index` shares its buffer with an operand.
struct OperandAlias {
  Dims output_index;
  i64 operand = 0;
  Dims operand_index;
  bool operator==(const OperandAlias&) const = default;
};
using OperandAliasing = std::vector<OperandAlias>;

enum class PaddingType : std::uint8_t { kInvalid, kValid, kSame };
enum class CustomCallSchedule : std::uint8_t {
  kNone,
  kLatest,
  kEarliest,
  SCHEDULE_NONE = kNone,
  SCHEDULE_LATEST = kLatest,
  SCHEDULE_EARLIEST = kEarliest,
};

}  // namespace axle
