// The attribute structs of all ops. A default is a member initialiser; the spelling is in the row.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "axle/core/literal.h"
#include "axle/ops/attributes/attribute_types.h"
#include "axle/ops/attributes/device_lists.h"

namespace axle {

struct NoAttrs {};

// The groups of devices of a collective, in one of three forms: explicit groups (no group at all:
// one of everything), an iota cut into num_groups x group_size, or the axes of a mesh along which
// the devices of a group differ.
struct ReplicaGroups {
  std::vector<Dims> groups;
  i64 num_groups = 0;
  i64 group_size = 0;
  std::optional<IotaDevices> iota;
  std::optional<DeviceMesh> mesh;
  std::vector<MeshAxisRef> axes;
  bool operator==(const ReplicaGroups&) const = default;
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

// The attributes of collectives follow. Without a channel_id, devices of one partition meet.
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

struct CompareAttrs {
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType type = ComparisonType::kDefault;
};

struct FusionAttrs {
  FusionKind kind = FusionKind::kLoop;
  OperandAliasing output_to_operand_aliasing;
};

// The sparsity of an operand that holds num_non_zero elements for every block of block_size, stride
// apart along a dimension; operand idx says which ones they are.
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

// The attributes of convolutions are for the function that implements the target.
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

// The attributes of send, recv and their second halves.
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
