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

  // The last plain Infeed and the token of the last plain Outfeed, for builder/side_effects.h: the
  // next one follows them.
  XlaOp& last_infeed() { return last_infeed_; }
  XlaOp& last_outfeed() { return last_outfeed_; }

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
  XlaOp last_infeed_, last_outfeed_;
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

}  // namespace axle

#include "axle/builder/collectives.h"
#include "axle/builder/contractions.h"
#include "axle/builder/control_flow.h"
#include "axle/builder/library_ops.h"
#include "axle/builder/movement.h"
#include "axle/builder/reductions.h"
#include "axle/builder/side_effects.h"
