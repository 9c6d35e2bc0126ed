// XlaBuilder: makes computations from C++, with XLA's names.
//
//   XlaBuilder b("axpy");
//   XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4}), "x");
//   XlaOp y = Add(Mul(x, x), ConstantR0<float>(&b, 1));
//   StatusOr<XlaComputation> axpy = b.Build();
//
// Every call checks its op at once. The first error is kept with the caller's file and line; after
// it every call does nothing and returns an invalid handle, and Build returns the error. Nothing
// aborts. A builder is used by one thread at a time; finished computations by any number.
#pragma once
#include <memory>
#include <source_location>
#include <unordered_map>
#include <unordered_set>

#include "axle/builder/shape_util.h"
#include "axle/ops/op_def.h"

namespace axle {

using Location = std::source_location;

class XlaBuilder;

// A handle of one value, valid while its builder lives.
class XlaOp {
 public:
  XlaOp() = default;
  XlaOp(XlaBuilder* builder, Instruction* inst) : builder_(builder), inst_(inst) {}
  XlaBuilder* builder() const { return builder_; }
  Instruction* instruction() const { return inst_; }  // null after an error
  bool valid() const { return inst_ != nullptr; }
  // Of handles, not of values; Eq() compares values.
  bool operator==(const XlaOp&) const = default;

 private:
  XlaBuilder* builder_ = nullptr;
  Instruction* inst_ = nullptr;
};

// A finished computation: immutable, shared by copies. The entry of module().
class XlaComputation {
 public:
  XlaComputation() = default;
  explicit XlaComputation(std::shared_ptr<const Module> module) : module_(std::move(module)) {}
  bool valid() const { return module_ != nullptr; }
  const std::string& name() const { return module_->name(); }
  const Module& module() const { return *module_; }
  std::shared_ptr<const Module> shared_module() const { return module_; }
  StatusOr<ProgramShape> GetProgramShape() const;

 private:
  std::shared_ptr<const Module> module_;
};

class XlaBuilder {
 public:
  explicit XlaBuilder(std::string_view name);
  XlaBuilder(const XlaBuilder&) = delete;
  XlaBuilder& operator=(const XlaBuilder&) = delete;

  const std::string& name() const { return name_; }
  // The root is `root`, or else the op added last. The builder is empty afterwards.
  StatusOr<XlaComputation> Build(Location location = Location::current());
  StatusOr<XlaComputation> Build(XlaOp root, Location location = Location::current());
  const Status& first_error() const { return error_; }
  StatusOr<Shape> GetShape(XlaOp op) const;
  // Records an error of the caller's own unless there is one already.
  XlaOp ReportError(Status error, Location location = Location::current());

  // Appends an op; every free function below is calls of this. `declared` is the result shape of
  // ops whose shape is not implied. `called` are copied into this builder's module, each once.
  struct NewOp {
    Opcode opcode;
    std::span<const XlaOp> operands = {};
    AttrBlock attrs = {};
    std::span<const XlaComputation* const> called = {};
    Shape declared = {};
    std::string_view name = {};
  };
  XlaOp Append(NewOp op, Location location);

 private:
  void Reset();
  // The copy of a called computation, made if there is none yet, under a name of its own.
  Computation* CopyOf(const Computation& original);

  std::string name_;
  Status error_;
  std::unique_ptr<Module> module_;
  Computation* computation_ = nullptr;
  // Copies of called computations, by the original. The shared pointers keep the originals alive.
  std::unordered_map<const Computation*, Computation*> copies_;
  std::vector<std::shared_ptr<const Module>> originals_;
  std::unordered_set<std::string> names_, computation_names_;  // in use
};

// The dimensions of an implicit broadcast: dimension i of the operand of lower rank becomes
// dimension broadcast_dimensions[i] of the result (00-conventions section 6 of the reference).
using BroadcastDims = std::span<const i64>;

// An operand that remembers where an operator was written.
struct LocatedOp {
  LocatedOp(XlaOp op,
            Location location =
                Location::current())  // NOLINT(google-explicit-constructor): an operand converts
      : op(op), location(location) {}
  XlaOp op;
  Location location;
};

// One function per op without attributes, from the opcode list: Exp(operand), Add(lhs, rhs), ...
// Binary ops broadcast implicitly: scalars with anything, size 1 with any size, and by
// `broadcast_dimensions` an operand of lower rank.
#define PLANNED(name, text)
#define OP(name)
#define UNARY(name, function) \
  XlaOp function(XlaOp operand, Location location = Location::current());
#define BINARY(name, function)                                                  \
  XlaOp function(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions = {}, \
                 Location location = Location::current());
#include "axle/ir/opcodes.def"
#undef OP
#undef PLANNED

inline XlaOp operator-(LocatedOp x) {
  return Neg(x.op, x.location);
}
inline XlaOp operator+(LocatedOp x, LocatedOp y) {
  return Add(x.op, y.op, {}, x.location);
}
inline XlaOp operator-(LocatedOp x, LocatedOp y) {
  return Sub(x.op, y.op, {}, x.location);
}
inline XlaOp operator*(LocatedOp x, LocatedOp y) {
  return Mul(x.op, y.op, {}, x.location);
}
inline XlaOp operator/(LocatedOp x, LocatedOp y) {
  return Div(x.op, y.op, {}, x.location);
}
inline XlaOp operator%(LocatedOp x, LocatedOp y) {
  return Rem(x.op, y.op, {}, x.location);
}
inline XlaOp operator&(LocatedOp x, LocatedOp y) {
  return And(x.op, y.op, {}, x.location);
}
inline XlaOp operator|(LocatedOp x, LocatedOp y) {
  return Or(x.op, y.op, {}, x.location);
}
inline XlaOp operator^(LocatedOp x, LocatedOp y) {
  return Xor(x.op, y.op, {}, x.location);
}
inline XlaOp operator~(LocatedOp x) {
  return Not(x.op, x.location);
}
inline XlaOp operator<<(LocatedOp x, LocatedOp y) {
  return ShiftLeft(x.op, y.op, {}, x.location);
}
// Arithmetic for signed integers, logical for unsigned ones; other types are an error.
XlaOp operator>>(LocatedOp x, LocatedOp y);
// a & (b & (c & ...)), and the same with |.
template <std::same_as<XlaOp>... Rest>
XlaOp And(XlaOp first, XlaOp second, XlaOp third, Rest... rest) {
  return And(first, And(second, third, rest...));
}
template <std::same_as<XlaOp>... Rest>
XlaOp Or(XlaOp first, XlaOp second, XlaOp third, Rest... rest) {
  return Or(first, Or(second, third, rest...));
}
// re - i im; of a float, a complex number.
XlaOp Conj(XlaOp operand, Location location = Location::current());

// Parameter `number` of the computation. Numbers must be 0, 1, ... when it is built.
XlaOp Parameter(XlaBuilder* builder, i64 number, const Shape& shape, std::string_view name,
                Location location = Location::current());

// A constant. An array whose elements are all the same becomes a broadcast scalar.
XlaOp ConstantLiteral(XlaBuilder* builder, const Literal& literal,
                      Location location = Location::current());
template <typename T>
XlaOp ConstantR0(XlaBuilder* builder, T value, Location location = Location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR0<T>(value), location);
}
template <typename T>
XlaOp ConstantR1(XlaBuilder* builder, std::initializer_list<T> values,
                 Location location = Location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<T>(values), location);
}
template <typename T>
XlaOp ConstantR1(XlaBuilder* builder, i64 length, T value,
                 Location location = Location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateFull<T>({length}, value), location);
}
template <typename T>
XlaOp ConstantR2(XlaBuilder* builder, std::initializer_list<std::initializer_list<T>> rows,
                 Location location = Location::current()) {
  return ConstantLiteral(builder, LiteralUtil::CreateR2<T>(rows), location);
}

// [size] or `shape` with the position along `iota_dimension` at each element.
XlaOp Iota(XlaBuilder* builder, PrimitiveType type, i64 size,
           Location location = Location::current());
XlaOp Iota(XlaBuilder* builder, const Shape& shape, i64 iota_dimension,
           Location location = Location::current());

// Complex numbers lose their imaginary part on the way to a real type.
XlaOp ConvertElementType(XlaOp operand, PrimitiveType type,
                         Location location = Location::current());
// The bits as another type: [dims], [dims, parts] if it is narrower, without the last if wider.
XlaOp BitcastConvertType(XlaOp operand, PrimitiveType type,
                         Location location = Location::current());
// Rounded to a float format of so many bits; the type stays.
XlaOp ReducePrecision(XlaOp operand, i64 exponent_bits, i64 mantissa_bits,
                      Location location = Location::current());
// To one of the two signed integers around each float, by unsigned random numbers of its width.
XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType type,
                            Location location = Location::current());

// Comparisons give pred and broadcast as binary ops do.
XlaOp Compare(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions,
              ComparisonDirection direction, ComparisonType type = ComparisonType::kDefault,
              Location location = Location::current());
XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction,
              Location location = Location::current());
XlaOp Eq(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp Ne(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp Ge(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp Gt(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp Le(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp Lt(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
// By IEEE 754's total order if the operands are floats, else as the functions above.
// clang-format off
XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = Location::current());
// clang-format on
// pred [] or [dims] ? on_true : on_false; a scalar among on_true and on_false is broadcast. Of two
// tuples, pred [] selects one as a whole, which is a conditional.
XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false, Location location = Location::current());
// minimum(max, maximum(min, operand)); min and max are scalars or of operand's shape.
XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max, Location location = Location::current());

// New dimensions `broadcast_sizes` in front: [sizes..., dims...].
XlaOp Broadcast(XlaOp operand, std::span<const i64> broadcast_sizes,
                Location location = Location::current());
// [out_dims]: operand dimension i goes to result dimension broadcast_dimensions[i]; size 1 expands.
XlaOp BroadcastInDim(XlaOp operand, std::span<const i64> out_dims,
                     std::span<const i64> broadcast_dimensions,
                     Location location = Location::current());
// The same elements in row-major order as [dimensions].
XlaOp Reshape(XlaOp operand, std::span<const i64> dimensions,
              Location location = Location::current());
// Result dimension i is operand dimension permutation[i].
XlaOp Transpose(XlaOp operand, std::span<const i64> permutation,
                Location location = Location::current());
XlaOp Rev(XlaOp operand, std::span<const i64> dimensions, Location location = Location::current());
XlaOp Slice(XlaOp operand, std::span<const i64> start_indices, std::span<const i64> limit_indices,
            std::span<const i64> strides, Location location = Location::current());
XlaOp SliceInDim(XlaOp operand, i64 start_index, i64 limit_index, i64 stride, i64 dimension,
                 Location location = Location::current());
XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding,
          Location location = Location::current());
XlaOp ConcatInDim(XlaBuilder* builder, std::span<const XlaOp> operands, i64 dimension,
                  Location location = Location::current());
// Start indices are integer scalars, one per dimension, and are clamped so that the slice fits.
XlaOp DynamicSlice(XlaOp operand, std::span<const XlaOp> start_indices,
                   std::span<const i64> slice_sizes, Location location = Location::current());
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, std::span<const XlaOp> start_indices,
                         Location location = Location::current());

struct GatherDimensionNumbers {
  Dims offset_dims;
  Dims collapsed_slice_dims;
  Dims start_index_map;
  i64 index_vector_dim = 0;
  Dims operand_batching_dims = {};
  Dims start_indices_batching_dims = {};
};
XlaOp Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             std::span<const i64> slice_sizes, bool indices_are_sorted = false,
             Location location = Location::current());

struct ScatterDimensionNumbers {
  Dims update_window_dims;
  Dims inserted_window_dims;
  Dims scatter_dims_to_operand_dims;
  i64 index_vector_dim = 0;
  Dims input_batching_dims = {};
  Dims scatter_indices_batching_dims = {};
};
XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false, Location location = Location::current());

// lhs [m, k, ...] . rhs [k, ...], or [k] . [k, ...]: dimension 1 of lhs, or its only one, with the
// first of rhs.
XlaOp Dot(XlaOp lhs, XlaOp rhs, Location location = Location::current());

struct DotDimensionNumbers {
  Dims lhs_contracting_dimensions;
  Dims rhs_contracting_dimensions;
  Dims lhs_batch_dimensions = {};
  Dims rhs_batch_dimensions = {};
};
// [batch..., lhs free..., rhs free...]. `preferred_element_type` is the type of the result.
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                 Location location = Location::current());

// Hints that change no bit (docs/numerics.md N5): they are kept and printed.
struct PrecisionConfig {
  OperandPrecision operand_precision = {};  // one of each operand, or none
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
};
// With hints; null: none.
XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config,
          std::optional<PrimitiveType> preferred_element_type = std::nullopt,
          Location location = Location::current());
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                 Location location = Location::current());

struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot_dimension_numbers;
  Dims lhs_ragged_dimensions;      // one
  Dims rhs_group_dimensions = {};  // one if the ragged dimension is free
};
// A dot whose lhs is cut into groups of group_sizes along one dimension.
XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                Location location = Location::current());
// A dot of lhs * lhs_scale and rhs * rhs_scale, whose elements are for blocks; a scalar is no
// scale.
XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                Location location = Location::current());

enum class Padding { kSame, kValid };
// low and high padding per dimension of a window (00-conventions section 7 of the reference).
std::vector<std::pair<i64, i64>> MakePadding(std::span<const i64> input_dimensions,
                                             std::span<const i64> window_dimensions,
                                             std::span<const i64> window_strides, Padding padding);

// lhs [batch, feature, spatial...], rhs [output feature, input feature, spatial...].
XlaOp Conv(XlaOp lhs, XlaOp rhs, std::span<const i64> window_strides, Padding padding,
           i64 feature_group_count = 1, i64 batch_group_count = 1,
           Location location = Location::current());
// Everything a convolution has. Empty lists mean stride 1, padding 0, dilation 1.
XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, std::span<const i64> window_strides,
                         std::span<const std::pair<i64, i64>> padding,
                         std::span<const i64> lhs_dilation, std::span<const i64> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         i64 feature_group_count = 1, i64 batch_group_count = 1,
                         Location location = Location::current());

// Folds `dimensions_to_reduce` of the operand with a computation of two scalars.
XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             std::span<const i64> dimensions_to_reduce, Location location = Location::current());
// n operands at once, with a computation of 2n scalars; the result is a tuple if n > 1.
XlaOp Reduce(XlaBuilder* builder, std::span<const XlaOp> operands,
             std::span<const XlaOp> init_values, const XlaComputation& computation,
             std::span<const i64> dimensions_to_reduce, Location location = Location::current());
XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                Location location = Location::current());
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                   Padding padding, Location location = Location::current());
XlaOp ReduceWindowWithGeneralPadding(
    XlaOp operand, XlaOp init_value, const XlaComputation& computation,
    std::span<const i64> window_dimensions, std::span<const i64> window_strides,
    std::span<const i64> base_dilations, std::span<const i64> window_dilations,
    std::span<const std::pair<i64, i64>> padding, Location location = Location::current());
XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                       Padding padding, XlaOp source, XlaOp init_value,
                       const XlaComputation& scatter, Location location = Location::current());

// Sorts all operands by a comparator of 2n scalars; stable always, whatever is_stable says.
XlaOp Sort(std::span<const XlaOp> operands, const XlaComputation& comparator, i64 dimension = -1,
           bool is_stable = false, Location location = Location::current());
// The k largest (or smallest) along the last dimension: (values, s32 indices).
XlaOp TopK(XlaOp operand, i64 k, bool largest, Location location = Location::current());

// (new state, bits): `shape` with its element type replaced by the unsigned integer of its width.
XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                      Location location = Location::current());
// `shape` filled with numbers of [a, b), or of a normal distribution.
XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape, Location location = Location::current());
XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, Location location = Location::current());

XlaOp Cholesky(XlaOp a, bool lower, Location location = Location::current());
// Solves op(a) x = b, or x op(a) = b if not left_side.
XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TransposeOption transpose_a, Location location = Location::current());
XlaOp Fft(XlaOp operand, FftType fft_type, std::span<const i64> fft_length,
          Location location = Location::current());

// (output, batch_mean, batch_var).
XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon, i64 feature_index,
                        Location location = Location::current());
XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, i64 feature_index, Location location = Location::current());
// (grad_operand, grad_scale, grad_offset).
XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, i64 feature_index,
                    Location location = Location::current());

XlaOp Tuple(XlaBuilder* builder, std::span<const XlaOp> elements,
            Location location = Location::current());
XlaOp GetTupleElement(XlaOp tuple, i64 index, Location location = Location::current());

XlaOp Call(XlaBuilder* builder, const XlaComputation& computation, std::span<const XlaOp> operands,
           Location location = Location::current());
XlaOp Map(XlaBuilder* builder, std::span<const XlaOp> operands, const XlaComputation& computation,
          std::span<const i64> dimensions, Location location = Location::current());
// Steps along `scan_dimension`: `computation` takes the inputs' slices and the carries, and gives a
// tuple of outputs and the next carries. The result is a tuple of the stacked outputs and the last
// carries. scan_dimension_size is needed without inputs.
XlaOp Scan(std::span<const XlaOp> inputs, std::span<const XlaOp> inits,
           const XlaComputation& computation, i64 scan_dimension,
           std::optional<i64> scan_dimension_size = std::nullopt, bool is_reverse = false,
           TriState is_associative = TriState::kUnspecified,
           Location location = Location::current());
XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
            Location location = Location::current());
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation,
                  Location location = Location::current());
XlaOp Conditional(XlaOp branch_index, std::span<const XlaComputation* const> branch_computations,
                  std::span<const XlaOp> branch_operands, Location location = Location::current());

// The run-time size of a dimension, s32[]; of a static one, a constant.
XlaOp GetDimensionSize(XlaOp operand, i64 dimension, Location location = Location::current());
// Makes a dimension dynamic: its size becomes `size`, s32[], clamped to [0, bound].
XlaOp SetDimensionSize(XlaOp operand, XlaOp size, i64 dimension,
                       Location location = Location::current());
// Makes a dimension static: its size is the bound again, and what was padding is in the buffer.
XlaOp RemoveDynamicDimension(XlaOp operand, i64 dimension, Location location = Location::current());
// The elements in row-major order as [new_size_bounds], dimension d with dim_sizes[d] of them where
// dims_are_dynamic[d].
XlaOp DynamicReshape(XlaOp operand, std::span<const XlaOp> dim_sizes,
                     std::span<const i64> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic,
                     Location location = Location::current());

}  // namespace axle
