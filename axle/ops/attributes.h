// The attribute structs of all ops. A default is a member initialiser; the spelling is in the row.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "axle/core/custom_call.h"
#include "axle/core/literal.h"
#include "axle/ops/device_lists.h"

namespace axle {

struct NoAttrs {};

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
  PaddingDim* add_dimensions() { return &emplace_back(); }
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
// What an attribute says that releases of XLA do not all know: nothing, or one of the two.
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

// Who takes part in a collective, in one of three forms: explicit groups (no group at all: one of
// everything), an iota cut into num_groups x group_size, or the axes of a mesh along which the
// devices of a group differ.
struct ReplicaGroups {
  std::vector<Dims> groups;
  i64 num_groups = 0;
  i64 group_size = 0;
  std::optional<IotaDevices> iota;
  std::optional<DeviceMesh> mesh;
  std::vector<MeshAxisRef> axes;
  bool operator==(const ReplicaGroups&) const = default;
};

// Who sends to whom: {source, target}.
using SourceTargetPairs = std::vector<std::pair<i64, i64>>;
using DimsList = std::vector<Dims>;
// Spelled by some dumps, and implied by the other attributes.
enum class CollectiveMode : std::uint8_t {
  kUnset,
  kCrossReplica,
  kCrossPartition,
  kCrossReplicaAndPartition,
  kFlattenedId,
};
// A computation that is only mentioned; the text is its name.
struct ComputationName {
  std::string name;
  bool operator==(const ComputationName&) const = default;
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

// clang-format off
struct ParameterAttrs  { i64 number = 0; };
struct ConstantAttrs   { Literal literal; };
struct TupleIndexAttrs { i64 index = 0; };
struct IotaAttrs       { i64 iota_dimension = 0; };
struct ReshapeAttrs    { i64 inferred_dimension = -1; };
struct DimensionsAttrs { Dims dimensions; };
struct PadAttrs        { PaddingConfig padding; };
struct SliceAttrs      { SliceConfig slice; };
struct DynamicSliceAttrs { Dims dynamic_slice_sizes; };
struct WindowAttrs     { Window window; };
struct CallAttrs       { bool is_composite = false; };
struct CholeskyAttrs   { bool lower = false; };
struct BatchNormAttrs  { float epsilon = 0; i64 feature_index = 0; };
struct RngAttrs        { RandomDistribution distribution = RandomDistribution::kInvalid; };
struct RngBitGeneratorAttrs { RandomAlgorithm algorithm = RandomAlgorithm::kDefault; };
struct RngStateAttrs   { i64 delta = 0; };
struct ReducePrecisionAttrs { i64 exponent_bits = 1, mantissa_bits = 0; };
// clang-format on

// Of collectives; without a channel_id, devices of one partition meet.
struct AllReduceAttrs {
  std::optional<i64> channel_id;
  ReplicaGroups replica_groups;
  bool constrain_layout = false;
  bool use_global_device_ids = false;
  CollectiveMode mode = CollectiveMode::kUnset;
};

struct AllGatherAttrs {
  std::optional<i64> channel_id;
  ReplicaGroups replica_groups;
  bool constrain_layout = false;
  Dims dimensions;
  bool use_global_device_ids = false;
};

struct ReduceScatterAttrs {
  std::optional<i64> channel_id;
  ReplicaGroups replica_groups;
  bool constrain_layout = false;
  bool use_global_device_ids = false;
  Dims dimensions;
  CollectiveMode mode = CollectiveMode::kUnset;
};

struct AllToAllAttrs {
  std::optional<i64> channel_id;
  ReplicaGroups replica_groups;
  bool constrain_layout = false;
  Dims dimensions;  // empty: the tuple form
};

struct RaggedAllToAllAttrs {
  std::optional<i64> channel_id;
  ReplicaGroups replica_groups;
  Dims dimensions;  // says nothing
};

struct CollectiveBroadcastAttrs {
  std::optional<i64> channel_id;
  ReplicaGroups replica_groups;
  TriState has_dynamic_root = TriState::kUnspecified;  // no, unless it is said
};

struct CollectivePermuteAttrs {
  std::optional<i64> channel_id;
  SourceTargetPairs source_target_pairs;
  DimsList slice_sizes;  // empty, or of the form that updates in place
};

struct AsyncStartAttrs {
  std::string async_execution_thread;  // "": the main one
  OperandAliasing output_to_operand_aliasing;
};

// Of async-update and async-done: what old dumps repeat of the start.
struct AsyncChainAttrs {
  std::string async_execution_thread;
  ComputationName calls;
};

struct CompareAttrs {
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType type = ComparisonType::kDefault;
};

struct FusionAttrs {
  FusionKind kind = FusionKind::kLoop;
  OperandAliasing output_to_operand_aliasing;
};

// Of an operand that holds num_non_zero elements for every block of block_size, stride apart along
// a dimension; operand idx says which ones they are.
struct TensorSparsityConfig {
  i64 num_non_zero = 0;
  i64 block_size = 0;
  i64 dimension = 0;
  i64 stride = 0;
  i64 idx = 0;
  bool operator==(const TensorSparsityConfig&) const = default;
};
struct SparsityConfig {
  std::optional<TensorSparsityConfig> lhs, rhs;
  bool operator==(const SparsityConfig&) const = default;
};

// The same in older dumps: n of m elements along a dimension of operand `index`, 0 or 1. The
// operands behind rhs say which ones, one for each descriptor.
struct SparsityDescriptor {
  i64 index = 0;
  i64 dimension = 0;
  i64 n = 0;
  i64 m = 0;
  bool operator==(const SparsityDescriptor&) const = default;
};
using SparsityDescriptors = std::vector<SparsityDescriptor>;

struct DotAttrs {
  Dims lhs_batch_dims;
  Dims lhs_contracting_dims;
  Dims rhs_batch_dims;
  Dims rhs_contracting_dims;
  OperandPrecision operand_precision = {};  // empty: all default
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
  SparsityConfig sparsity_config = {};
  SparsityDescriptors sparsity = {};
};

struct RaggedDotAttrs {
  Dims lhs_batch_dims;
  Dims lhs_contracting_dims;
  Dims rhs_batch_dims;
  Dims rhs_contracting_dims;
  OperandPrecision operand_precision = {};
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
  Dims lhs_ragged_dims;
  Dims rhs_group_dims;
};

struct ConvolutionAttrs {
  Window window;
  ConvolutionDimensionNumbers dim_labels;
  i64 feature_group_count = 1;
  i64 batch_group_count = 1;
  OperandPrecision operand_precision = {};
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
  ConvolutionKind convolution_kind = ConvolutionKind::kUnset;
  SparsityConfig sparsity_config = {};
};

struct TriangularSolveAttrs {
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  TransposeOption transpose_a = TransposeOption::kInvalid;
};

struct FftAttrs {
  FftType fft_type = FftType::kFft;
  Dims fft_length;
};

// Who implements a custom-call's target understands what convolutions have beside it.
struct CustomCallAttrs {
  Window window = {};
  ConvolutionDimensionNumbers dim_labels = {};
  i64 feature_group_count = 1;
  i64 batch_group_count = 1;
  OperandPrecision operand_precision = {};
  PaddingType padding_type = PaddingType::kInvalid;
  std::string custom_call_target;
  // With layouts, one per operand; nothing if the layouts are not constrained.
  std::optional<std::vector<Shape>> operand_layout_constraints;
  bool custom_call_has_side_effect = false;
  std::optional<Literal> literal;
  OperandAliasing output_to_operand_aliasing;
  CustomCallSchedule schedule = CustomCallSchedule::kNone;
  CustomCallApi api_version = CustomCallApi::kOriginal;
};

struct InfeedAttrs {
  std::string infeed_config;
};

struct OutfeedAttrs {
  std::optional<Shape> outfeed_shape;  // with layout; the operand's unless it is written
  std::string outfeed_config;
};

// Of send, recv and their second halves.
struct TransferAttrs {
  std::optional<i64> channel_id;  // 0 is a channel
  bool is_host_transfer = false;
};

struct CopyStartAttrs {
  std::optional<i64> cross_program_prefetch_index;
};

// The shardings on the two sides, as text: entry is the side of the users.
struct DomainSharding {
  std::string entry;
  std::string exit;
  bool operator==(const DomainSharding&) const = default;
};
struct DomainAttrs {
  DomainSharding domain;
};

struct GatherAttrs {
  Dims offset_dims;
  Dims collapsed_slice_dims;
  Dims start_index_map;
  Dims operand_batching_dims;
  Dims start_indices_batching_dims;
  i64 index_vector_dim = 0;
  Dims slice_sizes;
  bool indices_are_sorted = false;
};

struct ScatterAttrs {
  Dims update_window_dims;
  Dims inserted_window_dims;
  Dims scatter_dims_to_operand_dims;
  Dims input_batching_dims;
  Dims scatter_indices_batching_dims;
  i64 index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
};

struct ScanAttrs {
  Dims dimensions;
  i64 num_carries = 0;
  bool is_reverse = false;
  TriState is_associative = TriState::kUnspecified;
};

struct SortAttrs {
  Dims dimensions;
  bool is_stable = false;
};

struct TopkAttrs {
  i64 k = 0;
  bool largest = true;
  TriState is_stable = TriState::kUnspecified;  // yes, unless it is said
};

}  // namespace axle
