#include "axle/builder/xla_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

template <typename Attrs>
AttrBlock Block(Opcode opcode, Attrs attrs) {
  if constexpr (std::is_same_v<Attrs, NoAttrs>) return {};  // Append makes the row's default
  return {GetOpDef(opcode).attrs, std::make_shared<Attrs>(std::move(attrs))};
}

std::string At(const Location& location) {
  return StrCat(" at ", location.file_name(), ":", location.line());
}

// The builder of the first operand that has one; null only if all handles are empty.
XlaBuilder* BuilderOf(std::span<const XlaOp> operands) {
  for (const XlaOp& operand : operands) {
    if (operand.builder() != nullptr) return operand.builder();
  }
  return nullptr;
}

using Called = std::vector<const XlaComputation*>;

// The usual form of an op: operands of one builder, and attributes.
template <typename Attrs = NoAttrs>
XlaOp Emit(Opcode opcode, std::span<const XlaOp> operands, const Location& location,
           Attrs attrs = {}, const Called& called = {}, const Shape& declared = {}) {
  XlaBuilder* builder = BuilderOf(operands);
  if (builder == nullptr) return {};
  return builder->Append({.opcode = opcode,
                          .operands = operands,
                          .attrs = Block(opcode, std::move(attrs)),
                          .called = called,
                          .declared = declared},
                         location);
}

template <typename Attrs = NoAttrs>
XlaOp Emit(Opcode opcode, std::initializer_list<XlaOp> operands, const Location& location,
           Attrs attrs = {}, const Called& called = {}, const Shape& declared = {}) {
  return Emit(opcode, std::span<const XlaOp>(operands.begin(), operands.size()), location,
              std::move(attrs), called, declared);
}

bool AllValid(std::initializer_list<XlaOp> ops) {
  return std::ranges::all_of(ops, [](const XlaOp& op) { return op.valid(); });
}

// An invalid handle; the error, if it is a new one, is recorded in the builder of `operands`.
XlaOp Fail(std::initializer_list<XlaOp> operands, std::string message, const Location& location) {
  XlaBuilder* builder = BuilderOf({operands.begin(), operands.size()});
  if (builder == nullptr) return {};
  for (const XlaOp& operand : operands) {
    if (!operand.valid() && !builder->first_error().ok()) return {builder, nullptr};
  }
  return builder->ReportError(InvalidArgument(std::move(message)), location);
}

// The unsigned type of the same width; a type that has none, and pred, is given back.
PrimitiveType UnsignedOfWidth(PrimitiveType type) {
  for (PrimitiveType candidate : {U1, U2, U4, U8, U16, U32, U64}) {
    if (type != PRED && Info(type).bits == Info(candidate).bits) return candidate;
  }
  return type;
}

// `operand`, of shape [small], as [result dims]: dimension i goes to dims[i]; size 1 expands.
XlaOp Expand(XlaOp operand, const Dims& dims, const Dims& result, const Location& location) {
  const Shape& shape = operand.instruction()->shape();
  // HLO's broadcast does not expand size 1: those dimensions are dropped first.
  Dims kept, kept_dims;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 1 && result[dims[d]] != 1) continue;
    kept.push_back(shape.dim(d));
    kept_dims.push_back(dims[d]);
  }
  if (kept.size() != dims.size()) operand = Reshape(operand, kept, location);
  if (kept == result) return operand;
  Shape declared(shape.type(), result);
  return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{kept_dims}, {}, declared);
}

// Makes the operands of a binary op equal in shape.
Status BroadcastOperands(std::string_view op, XlaOp& lhs, XlaOp& rhs, BroadcastDims bd,
                         const Location& location) {
  const Shape &a = lhs.instruction()->shape(), &b = rhs.instruction()->shape();
  const auto fail = [&](std::string_view what) {
    return InvalidArgument(
        StrCat(op, ": ", what, "; lhs ", a.ToString(), ", rhs ", b.ToString(), At(location)));
  };
  if (!a.is_array() || !b.is_array()) return fail("expected arrays");
  const bool lhs_is_small = a.rank() <= b.rank();
  const Shape &small = lhs_is_small ? a : b, &large = lhs_is_small ? b : a;
  Dims small_dims(bd.begin(), bd.end()), large_dims(large.rank());
  std::iota(large_dims.begin(), large_dims.end(), 0);
  if (a.rank() == b.rank()) {
    if (!bd.empty() && small_dims != large_dims) {
      return fail("broadcast_dimensions of operands of one rank must be 0, 1, ...");
    }
    small_dims = large_dims;
  } else if (small.rank() == 0 && !bd.empty()) {
    return fail("a scalar takes no broadcast_dimensions");
  } else if (static_cast<i64>(bd.size()) != small.rank()) {
    return fail(bd.empty() ? "operands must have equal rank, or broadcast_dimensions"
                           : StrCat("broadcast_dimensions has ", bd.size(),
                                    " entries but the smaller operand has rank ", small.rank()));
  }
  Dims result = large.dims();
  for (i64 i = 0; i < small.rank(); ++i) {
    const i64 d = small_dims[i];
    if (d < 0 || d >= large.rank() || (i > 0 && d <= small_dims[i - 1])) {
      return fail(StrCat("broadcast_dimensions {", Join(bd, ","),
                         "} must increase and be dimensions of the larger operand"));
    }
  }
  for (i64 i = 0; i < small.rank(); ++i) {
    const i64 d = small_dims[i];
    const i64 x = small.dim(i), y = large.dim(d);
    if (x != y && x != 1 && y != 1) {
      return fail(StrCat("sizes ", lhs_is_small ? x : y, " and ", lhs_is_small ? y : x,
                         " of dimension ", d, " do not broadcast"));
    }
    if ((x == 1 && y != 1 && small.is_dynamic(i)) || (y == 1 && x != 1 && large.is_dynamic(d))) {
      return fail(StrCat("dynamic dimension ", d, " of bound 1 does not broadcast"));
    }
    if (y == 1) result[d] = x;
  }
  lhs = Expand(lhs, lhs_is_small ? small_dims : large_dims, result, location);
  rhs = Expand(rhs, lhs_is_small ? large_dims : small_dims, result, location);
  return {};
}

template <typename Attrs = NoAttrs>
XlaOp Binary(Opcode opcode, XlaOp lhs, XlaOp rhs, BroadcastDims bd, const Location& location,
             Attrs attrs = {}) {
  if (AllValid({lhs, rhs}) && lhs.builder() == rhs.builder()) {
    Status status = BroadcastOperands(GetOpDef(opcode).text, lhs, rhs, bd, location);
    if (!status.ok()) return lhs.builder()->ReportError(std::move(status), location);
  }
  return Emit(opcode, {lhs, rhs}, location, std::move(attrs));
}

// A scalar as an array of `like`'s dimensions; anything else as it is.
XlaOp ScalarLike(XlaOp op, XlaOp like, const Location& location) {
  const Shape &shape = op.instruction()->shape(), &target = like.instruction()->shape();
  if (!shape.is_scalar() || !target.is_array() || target.is_scalar()) return op;
  return Expand(op, {}, target.dims(), location);
}

Dims ToDims(std::span<const i64> list) {
  return {list.begin(), list.end()};
}

// Empty lists mean 1 everywhere; `what` names a list of the wrong length.
StatusOr<Window> MakeWindow(std::span<const i64> sizes, std::span<const i64> strides,
                            std::span<const std::pair<i64, i64>> padding,
                            std::span<const i64> base_dilations,
                            std::span<const i64> window_dilations) {
  const auto check = [&](std::string_view what, size_t count) -> Status {
    if (count == 0 || count == sizes.size()) return {};
    return InvalidArgument(
        StrCat("window has ", sizes.size(), " dimensions but ", what, " has ", count));
  };
  AXLE_TRY(check("window_strides", strides.size()));
  AXLE_TRY(check("padding", padding.size()));
  AXLE_TRY(check("lhs_dilation", base_dilations.size()));
  AXLE_TRY(check("rhs_dilation", window_dilations.size()));
  Window window(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    window[d].size = sizes[d];
    if (!strides.empty()) window[d].stride = strides[d];
    if (!padding.empty()) std::tie(window[d].pad_low, window[d].pad_high) = padding[d];
    if (!base_dilations.empty()) window[d].base_dilation = base_dilations[d];
    if (!window_dilations.empty()) window[d].window_dilation = window_dilations[d];
  }
  return window;
}

// A name that HLO text can spell and that is not in `taken`, to which it is added.
std::string UniqueName(std::string_view wish, std::unordered_set<std::string>& taken) {
  std::string name(wish);
  for (char& c : name) {
    const bool is_legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (!is_legal) c = '_';
  }
  const auto starts_well = [&] {
    const char c = name.empty() ? '\0' : name[0];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!starts_well()) name = "_" + name;
  if (ElementTypeFromName(name) != PRIMITIVE_TYPE_INVALID) name += '_';
  std::string unique = name;
  for (i64 number = 1; !taken.insert(unique).second; ++number) unique = StrCat(name, ".", number);
  return unique;
}

bool IsUniform(const Literal& literal) {
  const auto bytes = static_cast<size_t>(Info(literal.shape().type()).bytes);
  for (i64 i = 1; i < literal.num_elements(); ++i) {
    if (std::memcmp(literal.bytes(), literal.bytes() + i * bytes, bytes) != 0) return false;
  }
  return true;
}

}  // namespace

StatusOr<ProgramShape> XlaComputation::GetProgramShape() const {
  if (!valid()) return InvalidArgument("the computation is empty");
  ProgramShape program;
  for (const Instruction* p : module_->entry()->parameters())
    program.parameters.push_back(p->shape());
  program.result = module_->entry()->root()->shape();
  return program;
}

XlaBuilder::XlaBuilder(std::string_view name) : name_(name) {
  Reset();
}

void XlaBuilder::Reset() {
  copies_.clear();
  originals_.clear();
  names_.clear();
  computation_names_.clear();
  module_ = std::make_unique<Module>(name_);
  computation_ = module_->AddComputation(UniqueName(name_, computation_names_));
  module_->set_entry(computation_);
}

XlaOp XlaBuilder::ReportError(Status error, Location location) {
  if (error_.ok()) {
    std::string message = error.message();
    if (message.find(At(location)) == message.npos) message += At(location);
    error_ = Status(error.code(), std::move(message));
  }
  return {this, nullptr};
}

StatusOr<Shape> XlaBuilder::GetShape(XlaOp op) const {
  AXLE_TRY(error_);
  if (!op.valid() || op.builder() != this) {
    return InvalidArgument(StrCat("the handle is not of builder \"", name_, "\""));
  }
  return op.instruction()->shape();
}

Computation* XlaBuilder::CopyOf(const Computation& original) {
  const size_t before = module_->computations().size();
  Computation* copy = module_->CloneComputation(original, copies_);
  for (const auto& computation : module_->computations().subspan(before)) {
    computation->set_name(UniqueName(computation->name(), computation_names_));
  }
  return copy;
}

XlaOp XlaBuilder::Append(NewOp op, Location location) {
  if (!error_.ok()) return {this, nullptr};
  const OpDef& def = GetOpDef(op.opcode);
  std::vector<Instruction*> operands;
  for (const XlaOp& operand : op.operands) {
    if (operand.builder() != this || !operand.valid()) {
      const std::string whose =
          operand.builder() == nullptr ? "an empty handle"
          : operand.builder() == this
              ? "an invalid handle"
              : StrCat("of builder \"", operand.builder()->name(), "\", not of \"", name_, "\"");
      return ReportError(
          InvalidArgument(StrCat(def.text, ": operand ", operands.size(), " is ", whose)),
          location);
    }
    operands.push_back(operand.instruction());
  }
  std::vector<Computation*> callees;
  for (const XlaComputation* called : op.called) {
    if (called == nullptr || !called->valid()) {
      return ReportError(
          InvalidArgument(StrCat(def.text, ": a called computation failed to build")), location);
    }
    originals_.push_back(called->shared_module());
    callees.push_back(CopyOf(*called->module().entry()));
  }
  if (Status status = CheckShape(op.declared); !status.ok()) return ReportError(status, location);
  const std::string name = UniqueName(
      op.name.empty() ? StrCat(def.text, ".", computation_->instructions().size()) : op.name,
      names_);
  if (op.attrs.values == nullptr) op.attrs = {def.attrs, def.attrs.create()};
  if (def.canonicalize != nullptr) {
    // The block was made by a function of this file and is not shared yet.
    def.canonicalize(operands, const_cast<void*>(op.attrs.values.get()));
  }
  Metadata metadata;
  metadata.source_file = location.file_name();
  metadata.source_line = static_cast<std::int32_t>(location.line());
  Instruction* inst = computation_->Add({
      .opcode = op.opcode,
      .name = name,
      .shape = op.declared,
      .operands = operands,
      .callees = callees,
      .attrs = std::move(op.attrs),
      .metadata = metadata,
  });
  StatusOr<Shape> shape = InferShape(*inst);
  if (!shape.ok()) {
    Status error = shape.status();
    computation_->RemoveLast();
    return ReportError(std::move(error), location);
  }
  if (!EqualIgnoringLayout(*shape, inst->shape())) computation_->SetShape(inst, *shape);
  return {this, inst};
}

StatusOr<XlaComputation> XlaBuilder::Build(Location location) {
  AXLE_TRY(error_);
  if (computation_->root() == nullptr) {
    return Status(StatusCode::kInternal,
                  StrCat("build: computation \"", name_, "\" has no op", At(location)));
  }
  return Build(XlaOp(this, computation_->root()), location);
}

StatusOr<XlaComputation> XlaBuilder::Build(XlaOp root, Location location) {
  AXLE_TRY(error_);
  if (root.builder() != this || !root.valid()) {
    return InvalidArgument(
        StrCat("build: the root is not an op of builder \"", name_, "\"", At(location)));
  }
  computation_->set_root(root.instruction());
  AXLE_TRY(BindParameters(*computation_));
  std::shared_ptr<const Module> module = std::move(module_);
  Reset();
  return XlaComputation(std::move(module));
}

#define PLANNED(name, text)
#define OP(name)
#define UNARY(name, function)                          \
  XlaOp function(XlaOp operand, Location location) {   \
    return Emit(Opcode::k##name, {operand}, location); \
  }
#define BINARY(name, function)                                                \
  XlaOp function(XlaOp lhs, XlaOp rhs, BroadcastDims bd, Location location) { \
    return Binary(Opcode::k##name, lhs, rhs, bd, location);                   \
  }
#include "axle/ir/opcodes.def"
#undef OP
#undef PLANNED

XlaOp Parameter(XlaBuilder* builder, i64 number, const Shape& shape, std::string_view name,
                Location location) {
  return builder->Append({.opcode = Opcode::kParameter,
                          .attrs = Block(Opcode::kParameter, ParameterAttrs{number}),
                          .declared = shape,
                          .name = name},
                         location);
}

XlaOp ConstantLiteral(XlaBuilder* builder, const Literal& literal, Location location) {
  const Literal value = literal.ToRowMajor();
  const Shape& shape = value.shape();
  if (shape.is_array() && value.num_elements() > 1 && IsUniform(value)) {
    const Literal scalar = Literal::View(Shape(shape.type()), value.bytes());
    Literal owned{scalar.shape()};
    std::memcpy(owned.mutable_bytes(), scalar.bytes(), static_cast<size_t>(scalar.num_bytes()));
    return Expand(ConstantLiteral(builder, owned, location), {}, shape.dims(), location);
  }
  return builder->Append({.opcode = Opcode::kConstant,
                          .attrs = Block(Opcode::kConstant, ConstantAttrs{value}),
                          .declared = shape},
                         location);
}

XlaOp Iota(XlaBuilder* builder, const Shape& shape, i64 iota_dimension, Location location) {
  return builder->Append({.opcode = Opcode::kIota,
                          .attrs = Block(Opcode::kIota, IotaAttrs{iota_dimension}),
                          .declared = shape},
                         location);
}

XlaOp Iota(XlaBuilder* builder, PrimitiveType type, i64 size, Location location) {
  return Iota(builder, Shape(type, {size}), 0, location);
}

XlaOp operator>>(LocatedOp x, LocatedOp y) {
  if (!x.op.valid()) return ShiftRightLogical(x.op, y.op, {}, x.location);
  const ElementType type = x.op.instruction()->shape().type();
  if (IsSigned(type)) return ShiftRightArithmetic(x.op, y.op, {}, x.location);
  if (IsUnsigned(type)) return ShiftRightLogical(x.op, y.op, {}, x.location);
  return Fail({x.op, y.op}, StrCat("operator>>: takes integers only, not ", Name(type)),
              x.location);
}

XlaOp Conj(XlaOp operand, Location location) {
  return Complex(Real(operand, location), Neg(Imag(operand, location), location), {}, location);
}

XlaOp BitcastConvertType(XlaOp operand, PrimitiveType type, Location location) {
  return Emit(Opcode::kBitcastConvert, {operand}, location, NoAttrs{}, {}, Shape(type));
}

XlaOp ReducePrecision(XlaOp operand, i64 exponent_bits, i64 mantissa_bits, Location location) {
  return Emit(Opcode::kReducePrecision, {operand}, location,
              ReducePrecisionAttrs{exponent_bits, mantissa_bits});
}

XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType type, Location location) {
  return Emit(Opcode::kStochasticConvert, {operand, random}, location, NoAttrs{}, {}, Shape(type));
}

XlaOp ConvertElementType(XlaOp operand, PrimitiveType type, Location location) {
  if (operand.valid() && IsComplex(operand.instruction()->shape().type()) && IsArrayType(type) &&
      !IsComplex(type)) {
    operand = Real(operand, location);
  }
  Shape declared(type);
  if (operand.valid()) declared = operand.instruction()->shape().WithoutLayout().WithType(type);
  return Emit(Opcode::kConvert, {operand}, location, NoAttrs{}, {}, declared);
}

XlaOp Compare(XlaOp lhs, XlaOp rhs, BroadcastDims bd, ComparisonDirection direction,
              ComparisonType type, Location location) {
  return Binary(Opcode::kCompare, lhs, rhs, bd, location, CompareAttrs{direction, type});
}
XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction, Location location) {
  return Compare(lhs, rhs, {}, direction, ComparisonType::kDefault, location);
}
XlaOp Eq(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kEq, ComparisonType::kDefault, location);
}
XlaOp Ne(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kNe, ComparisonType::kDefault, location);
}
XlaOp Ge(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kGe, ComparisonType::kDefault, location);
}
XlaOp Gt(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kGt, ComparisonType::kDefault, location);
}
XlaOp Le(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kLe, ComparisonType::kDefault, location);
}
XlaOp Lt(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kLt, ComparisonType::kDefault, location);
}

namespace {

ComparisonType TotalOrderType(XlaOp operand) {
  const bool is_float = operand.valid() && IsFloating(operand.instruction()->shape().type());
  return is_float ? ComparisonType::kTotalOrder : ComparisonType::kDefault;
}

}  // namespace

XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kEq, TotalOrderType(lhs), location);
}
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kNe, TotalOrderType(lhs), location);
}
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kGe, TotalOrderType(lhs), location);
}
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kGt, TotalOrderType(lhs), location);
}
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kLe, TotalOrderType(lhs), location);
}
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kLt, TotalOrderType(lhs), location);
}

namespace {

// By a conditional whose branches give back their operand.
XlaOp SelectTuple(XlaOp pred, XlaOp on_true, XlaOp on_false, const Location& location) {
  const Shape &a = on_true.instruction()->shape(), &b = on_false.instruction()->shape();
  if (!Compatible(a, b)) {
    return pred.builder()->ReportError(
        Status(StatusCode::kInternal,
               StrCat("select: a tuple needs another one of its shape; on_true ", a.ToString(),
                      ", on_false ", b.ToString())),
        location);
  }
  XlaBuilder builder("selected");
  Parameter(&builder, 0, a, "operand", location);
  const StatusOr<XlaComputation> branch = builder.Build(location);
  if (!branch.ok()) return pred.builder()->ReportError(branch.status(), location);
  return Conditional(pred, on_true, *branch, on_false, *branch, location);
}

}  // namespace

XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false, Location location) {
  if (AllValid({pred, on_true, on_false}) && on_true.instruction()->shape().is_tuple()) {
    return SelectTuple(pred, on_true, on_false, location);
  }
  if (AllValid({pred, on_true, on_false})) {
    const XlaOp true_before = on_true;
    on_true = ScalarLike(on_true, on_false, location);
    on_false = ScalarLike(on_false, true_before, location);
    // Two scalars under an array of preds.
    on_true = ScalarLike(on_true, pred, location);
    on_false = ScalarLike(on_false, pred, location);
  }
  return Emit(Opcode::kSelect, {pred, on_true, on_false}, location);
}

XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max, Location location) {
  if (AllValid({min, operand, max})) {
    operand = ScalarLike(operand, min, location);
    if (operand.valid()) operand = ScalarLike(operand, max, location);
  }
  return Emit(Opcode::kClamp, {min, operand, max}, location);
}

XlaOp Broadcast(XlaOp operand, std::span<const i64> broadcast_sizes, Location location) {
  if (!operand.valid()) return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{});
  const Shape& shape = operand.instruction()->shape();
  Dims result = ToDims(broadcast_sizes), dims(shape.rank());
  result.insert(result.end(), shape.dims().begin(), shape.dims().end());
  std::iota(dims.begin(), dims.end(), static_cast<i64>(broadcast_sizes.size()));
  return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{dims}, {},
              Shape(shape.type(), result));
}

XlaOp BroadcastInDim(XlaOp operand, std::span<const i64> out_dims,
                     std::span<const i64> broadcast_dimensions, Location location) {
  const Dims dims = ToDims(broadcast_dimensions), result = ToDims(out_dims);
  if (!operand.valid()) return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{dims});
  const Shape& shape = operand.instruction()->shape();
  const auto fail = [&](std::string_view what) {
    return Fail({operand}, StrCat("broadcast: ", what, "; operand ", shape.ToString()), location);
  };
  if (static_cast<i64>(dims.size()) != shape.rank()) {
    return fail(StrCat("broadcast_dimensions has ", dims.size(), " entries but operand has rank ",
                       shape.rank()));
  }
  for (i64 i = 0; i < shape.rank(); ++i) {
    if (dims[i] < 0 || dims[i] >= static_cast<i64>(result.size())) {
      return fail(
          StrCat("broadcast_dimensions has ", dims[i], " but the result has rank ", result.size()));
    }
    if (i > 0 && dims[i] <= dims[i - 1]) return fail("broadcast_dimensions must increase");
    if (shape.dim(i) != 1 && shape.dim(i) != result[dims[i]]) {
      return fail(StrCat("operand dimension ", i, " has size ", shape.dim(i),
                         " but result dimension ", dims[i], " has size ", result[dims[i]]));
    }
  }
  return Expand(operand, dims, result, location);
}

XlaOp Reshape(XlaOp operand, std::span<const i64> dimensions, Location location) {
  Shape declared;
  if (operand.valid()) declared = Shape(operand.instruction()->shape().type(), ToDims(dimensions));
  return Emit(Opcode::kReshape, {operand}, location, ReshapeAttrs{}, {}, declared);
}

XlaOp Transpose(XlaOp operand, std::span<const i64> permutation, Location location) {
  return Emit(Opcode::kTranspose, {operand}, location, DimensionsAttrs{ToDims(permutation)});
}

XlaOp Rev(XlaOp operand, std::span<const i64> dimensions, Location location) {
  return Emit(Opcode::kReverse, {operand}, location, DimensionsAttrs{ToDims(dimensions)});
}

XlaOp Slice(XlaOp operand, std::span<const i64> start_indices, std::span<const i64> limit_indices,
            std::span<const i64> strides, Location location) {
  if (limit_indices.size() != start_indices.size() ||
      (!strides.empty() && strides.size() != start_indices.size())) {
    return Fail({operand},
                StrCat("slice: ", start_indices.size(), " start_indices, ", limit_indices.size(),
                       " limit_indices and ", strides.size(), " strides must be as many"),
                location);
  }
  SliceConfig slice;
  for (size_t d = 0; d < start_indices.size(); ++d) {
    slice.push_back({start_indices[d], limit_indices[d], strides.empty() ? 1 : strides[d]});
  }
  return Emit(Opcode::kSlice, {operand}, location, SliceAttrs{std::move(slice)});
}

XlaOp SliceInDim(XlaOp operand, i64 start_index, i64 limit_index, i64 stride, i64 dimension,
                 Location location) {
  if (!operand.valid()) return Emit(Opcode::kSlice, {operand}, location, SliceAttrs{});
  const Shape& shape = operand.instruction()->shape();
  if (dimension < 0 || dimension >= shape.rank()) {
    return Fail({operand},
                StrCat("slice: no dimension ", dimension, "; operand ", shape.ToString()),
                location);
  }
  SliceConfig slice;
  for (i64 size : shape.dims()) slice.push_back({0, size, 1});
  slice[dimension] = {start_index, limit_index, stride};
  return Emit(Opcode::kSlice, {operand}, location, SliceAttrs{std::move(slice)});
}

XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding, Location location) {
  return Emit(Opcode::kPad, {operand, padding_value}, location, PadAttrs{padding});
}

XlaOp ConcatInDim(XlaBuilder* builder, std::span<const XlaOp> operands, i64 dimension,
                  Location location) {
  return builder->Append({.opcode = Opcode::kConcatenate,
                          .operands = operands,
                          .attrs = Block(Opcode::kConcatenate, DimensionsAttrs{{dimension}})},
                         location);
}

XlaOp DynamicSlice(XlaOp operand, std::span<const XlaOp> start_indices,
                   std::span<const i64> slice_sizes, Location location) {
  std::vector<XlaOp> operands = {operand};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return Emit(Opcode::kDynamicSlice, operands, location, DynamicSliceAttrs{ToDims(slice_sizes)});
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, std::span<const XlaOp> start_indices,
                         Location location) {
  std::vector<XlaOp> operands = {operand, update};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return Emit(Opcode::kDynamicUpdateSlice, operands, location);
}

XlaOp Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dn,
             std::span<const i64> slice_sizes, bool indices_are_sorted, Location location) {
  return Emit(Opcode::kGather, {operand, start_indices}, location,
              GatherAttrs{.offset_dims = dn.offset_dims,
                          .collapsed_slice_dims = dn.collapsed_slice_dims,
                          .start_index_map = dn.start_index_map,
                          .operand_batching_dims = dn.operand_batching_dims,
                          .start_indices_batching_dims = dn.start_indices_batching_dims,
                          .index_vector_dim = dn.index_vector_dim,
                          .slice_sizes = ToDims(slice_sizes),
                          .indices_are_sorted = indices_are_sorted});
}

XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation, const ScatterDimensionNumbers& dn,
              bool indices_are_sorted, bool unique_indices, Location location) {
  return Emit(Opcode::kScatter, {operand, scatter_indices, updates}, location,
              ScatterAttrs{.update_window_dims = dn.update_window_dims,
                           .inserted_window_dims = dn.inserted_window_dims,
                           .scatter_dims_to_operand_dims = dn.scatter_dims_to_operand_dims,
                           .input_batching_dims = dn.input_batching_dims,
                           .scatter_indices_batching_dims = dn.scatter_indices_batching_dims,
                           .index_vector_dim = dn.index_vector_dim,
                           .indices_are_sorted = indices_are_sorted,
                           .unique_indices = unique_indices},
              {&update_computation});
}

XlaOp Dot(XlaOp lhs, XlaOp rhs, Location location) {
  return Dot(lhs, rhs, nullptr, std::nullopt, location);
}

XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config,
          std::optional<PrimitiveType> preferred_element_type, Location location) {
  if (!AllValid({lhs, rhs})) return Emit(Opcode::kDot, {lhs, rhs}, location, DotAttrs{});
  const i64 contracting = lhs.instruction()->shape().rank() == 1 ? 0 : 1;
  return DotGeneral(lhs, rhs, {{contracting}, {0}}, precision_config, preferred_element_type,
                    location);
}

namespace {

DotAttrs ToAttrs(const DotDimensionNumbers& dn, const PrecisionConfig* precision_config) {
  const PrecisionConfig config =
      precision_config == nullptr ? PrecisionConfig() : *precision_config;
  return {.lhs_batch_dims = dn.lhs_batch_dimensions,
          .lhs_contracting_dims = dn.lhs_contracting_dimensions,
          .rhs_batch_dims = dn.rhs_batch_dimensions,
          .rhs_contracting_dims = dn.rhs_contracting_dimensions,
          .operand_precision = config.operand_precision,
          .algorithm = config.algorithm};
}

// Says the type of the result; its dimensions follow.
Shape PreferredShape(std::optional<PrimitiveType> type) {
  return type ? Shape(*type) : Shape();
}

}  // namespace

XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dn,
                 std::optional<PrimitiveType> preferred_element_type, Location location) {
  return DotGeneral(lhs, rhs, dn, nullptr, preferred_element_type, location);
}

XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dn,
                 const PrecisionConfig* precision_config,
                 std::optional<PrimitiveType> preferred_element_type, Location location) {
  return Emit(Opcode::kDot, {lhs, rhs}, location, ToAttrs(dn, precision_config), {},
              PreferredShape(preferred_element_type));
}

XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes, const RaggedDotDimensionNumbers& dn,
                const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type, Location location) {
  const DotAttrs dot = ToAttrs(dn.dot_dimension_numbers, precision_config);
  return Emit(Opcode::kRaggedDot, {lhs, rhs, group_sizes}, location,
              RaggedDotAttrs{.lhs_batch_dims = dot.lhs_batch_dims,
                             .lhs_contracting_dims = dot.lhs_contracting_dims,
                             .rhs_batch_dims = dot.rhs_batch_dims,
                             .rhs_contracting_dims = dot.rhs_contracting_dims,
                             .operand_precision = dot.operand_precision,
                             .algorithm = dot.algorithm,
                             .lhs_ragged_dims = dn.lhs_ragged_dimensions,
                             .rhs_group_dims = dn.rhs_group_dimensions},
              {}, PreferredShape(preferred_element_type));
}

XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dn, const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type, Location location) {
  return Emit(Opcode::kScaledDot, {lhs, rhs, lhs_scale, rhs_scale}, location,
              ToAttrs(dn, precision_config), {}, PreferredShape(preferred_element_type));
}

std::vector<std::pair<i64, i64>> MakePadding(std::span<const i64> input_dimensions,
                                             std::span<const i64> window_dimensions,
                                             std::span<const i64> window_strides, Padding padding) {
  std::vector<std::pair<i64, i64>> result;
  const size_t rank =
      std::min({input_dimensions.size(), window_dimensions.size(), window_strides.size()});
  for (size_t d = 0; d < rank; ++d) {
    const i64 n = input_dimensions[d], stride = std::max<i64>(window_strides[d], 1);
    const i64 out = n / stride + (n % stride != 0 ? 1 : 0);
    const i64 total = std::max<i64>(0, (out - 1) * stride + window_dimensions[d] - n);
    const bool same = padding == Padding::kSame;
    result.emplace_back(same ? total / 2 : 0, same ? total - total / 2 : 0);
  }
  return result;
}

XlaOp Conv(XlaOp lhs, XlaOp rhs, std::span<const i64> window_strides, Padding padding,
           i64 feature_group_count, i64 batch_group_count, Location location) {
  ConvolutionDimensionNumbers numbers{"bf", "oi", "bf"};
  Dims input, window;
  if (AllValid({lhs, rhs})) {
    const Shape &l = lhs.instruction()->shape(), &r = rhs.instruction()->shape();
    if (l.rank() != r.rank() || l.rank() != static_cast<i64>(window_strides.size()) + 2 ||
        window_strides.size() > 10) {
      return Fail({lhs, rhs},
                  StrCat("convolution: ", window_strides.size(),
                         " window_strides need "
                         "operands of that rank plus 2; lhs ",
                         l.ToString(), ", rhs ", r.ToString()),
                  location);
    }
    for (i64 d = 2; d < l.rank(); ++d) {
      for (std::string* side : {&numbers.lhs, &numbers.rhs, &numbers.output}) {
        *side += static_cast<char>('0' + d - 2);
      }
      input.push_back(l.dim(d));
      window.push_back(r.dim(d));
    }
  }
  return ConvGeneralDilated(lhs, rhs, window_strides,
                            MakePadding(input, window, window_strides, padding), {}, {}, numbers,
                            feature_group_count, batch_group_count, location);
}

XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, std::span<const i64> window_strides,
                         std::span<const std::pair<i64, i64>> padding,
                         std::span<const i64> lhs_dilation, std::span<const i64> rhs_dilation,
                         const ConvolutionDimensionNumbers& numbers, i64 feature_group_count,
                         i64 batch_group_count, Location location) {
  Dims sizes;
  if (AllValid({lhs, rhs})) {
    const Shape& kernel = rhs.instruction()->shape();
    for (i64 s = 0; s < numbers.num_spatial(); ++s) {
      const i64 d = ConvolutionDimensionNumbers::Find(numbers.rhs, static_cast<char>('0' + s));
      if (d < 0 || d >= kernel.rank()) {
        return Fail({lhs, rhs},
                    StrCat("convolution: dimension numbers \"", numbers.rhs, "\" do not fit rhs ",
                           kernel.ToString()),
                    location);
      }
      sizes.push_back(kernel.dim(d));
    }
  }
  StatusOr<Window> window = MakeWindow(sizes, window_strides, padding, lhs_dilation, rhs_dilation);
  if (!window.ok() && AllValid({lhs, rhs})) {
    return Fail({lhs, rhs}, StrCat("convolution: ", window.status().message()), location);
  }
  return Emit(Opcode::kConvolution, {lhs, rhs}, location,
              ConvolutionAttrs{.window = window.ok() ? *window : Window(),
                               .dim_labels = numbers,
                               .feature_group_count = feature_group_count,
                               .batch_group_count = batch_group_count});
}

XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
             std::span<const i64> dimensions_to_reduce, Location location) {
  return Emit(Opcode::kReduce, {operand, init_value}, location,
              DimensionsAttrs{ToDims(dimensions_to_reduce)}, {&computation});
}

XlaOp Reduce(XlaBuilder* builder, std::span<const XlaOp> operands,
             std::span<const XlaOp> init_values, const XlaComputation& computation,
             std::span<const i64> dimensions_to_reduce, Location location) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  const Called called = {&computation};
  return builder->Append(
      {.opcode = Opcode::kReduce,
       .operands = all,
       .attrs = Block(Opcode::kReduce, DimensionsAttrs{ToDims(dimensions_to_reduce)}),
       .called = called},
      location);
}

XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                Location location) {
  Dims all;
  if (operand.valid()) all.resize(operand.instruction()->shape().rank());
  std::iota(all.begin(), all.end(), 0);
  return Reduce(operand, init_value, computation, all, location);
}

XlaOp ReduceWindowWithGeneralPadding(
    XlaOp operand, XlaOp init_value, const XlaComputation& computation,
    std::span<const i64> window_dimensions, std::span<const i64> window_strides,
    std::span<const i64> base_dilations, std::span<const i64> window_dilations,
    std::span<const std::pair<i64, i64>> padding, Location location) {
  StatusOr<Window> window =
      MakeWindow(window_dimensions, window_strides, padding, base_dilations, window_dilations);
  if (!window.ok()) {
    return Fail({operand, init_value}, StrCat("reduce-window: ", window.status().message()),
                location);
  }
  return Emit(Opcode::kReduceWindow, {operand, init_value}, location, WindowAttrs{*window},
              {&computation});
}

namespace {

// The padding of a window over all dimensions of `operand`; empty if the lists do not fit it.
std::vector<std::pair<i64, i64>> WindowPadding(XlaOp operand, std::span<const i64> sizes,
                                               std::span<const i64> strides, Padding padding) {
  if (!operand.valid()) return {};
  const Dims& dims = operand.instruction()->shape().dims();
  if (dims.size() != sizes.size() || dims.size() != strides.size()) return {};
  return MakePadding(dims, sizes, strides, padding);
}

}  // namespace

XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                   std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                   Padding padding, Location location) {
  return ReduceWindowWithGeneralPadding(
      operand, init_value, computation, window_dimensions, window_strides, {}, {},
      WindowPadding(operand, window_dimensions, window_strides, padding), location);
}

XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select,
                       std::span<const i64> window_dimensions, std::span<const i64> window_strides,
                       Padding padding, XlaOp source, XlaOp init_value,
                       const XlaComputation& scatter, Location location) {
  StatusOr<Window> window =
      MakeWindow(window_dimensions, window_strides,
                 WindowPadding(operand, window_dimensions, window_strides, padding), {}, {});
  if (!window.ok()) {
    return Fail({operand, source, init_value},
                StrCat("select-and-scatter: ", window.status().message()), location);
  }
  return Emit(Opcode::kSelectAndScatter, {operand, source, init_value}, location,
              WindowAttrs{*window}, {&select, &scatter});
}

XlaOp Sort(std::span<const XlaOp> operands, const XlaComputation& comparator, i64 dimension,
           bool is_stable, Location location) {
  if (dimension == -1 && !operands.empty() && operands[0].valid()) {
    dimension = operands[0].instruction()->shape().rank() - 1;
  }
  return Emit(Opcode::kSort, operands, location, SortAttrs{{dimension}, is_stable}, {&comparator});
}

XlaOp TopK(XlaOp operand, i64 k, bool largest, Location location) {
  return Emit(Opcode::kTopk, {operand}, location, TopkAttrs{.k = k, .largest = largest});
}

XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                      Location location) {
  Shape declared;
  if (initial_state.valid()) {
    const Shape& state = initial_state.instruction()->shape();
    declared = Shape::Tuple({state, shape.WithType(UnsignedOfWidth(shape.type()))});
  }
  return Emit(Opcode::kRngBitGenerator, {initial_state}, location, RngBitGeneratorAttrs{algorithm},
              {}, declared);
}

XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape, Location location) {
  return Emit(Opcode::kRng, {a, b}, location, RngAttrs{RandomDistribution::kUniform}, {}, shape);
}

XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, Location location) {
  return Emit(Opcode::kRng, {mu, sigma}, location, RngAttrs{RandomDistribution::kNormal}, {},
              shape);
}

XlaOp Cholesky(XlaOp a, bool lower, Location location) {
  return Emit(Opcode::kCholesky, {a}, location, CholeskyAttrs{lower});
}

XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TransposeOption transpose_a, Location location) {
  return Emit(Opcode::kTriangularSolve, {a, b}, location,
              TriangularSolveAttrs{left_side, lower, unit_diagonal, transpose_a});
}

XlaOp Fft(XlaOp operand, FftType fft_type, std::span<const i64> fft_length, Location location) {
  return Emit(Opcode::kFft, {operand}, location,
              FftAttrs{fft_type, Dims(fft_length.begin(), fft_length.end())});
}

XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon, i64 feature_index,
                        Location location) {
  return Emit(Opcode::kBatchNormTraining, {operand, scale, offset}, location,
              BatchNormAttrs{epsilon, feature_index});
}

XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, i64 feature_index, Location location) {
  return Emit(Opcode::kBatchNormInference, {operand, scale, offset, mean, variance}, location,
              BatchNormAttrs{epsilon, feature_index});
}

XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, i64 feature_index, Location location) {
  return Emit(Opcode::kBatchNormGrad, {operand, scale, batch_mean, batch_var, grad_output},
              location, BatchNormAttrs{epsilon, feature_index});
}

XlaOp Tuple(XlaBuilder* builder, std::span<const XlaOp> elements, Location location) {
  return builder->Append({.opcode = Opcode::kTuple, .operands = elements}, location);
}

XlaOp GetTupleElement(XlaOp tuple, i64 index, Location location) {
  return Emit(Opcode::kGetTupleElement, {tuple}, location, TupleIndexAttrs{index});
}

XlaOp Call(XlaBuilder* builder, const XlaComputation& computation, std::span<const XlaOp> operands,
           Location location) {
  const Called called = {&computation};
  return builder->Append({.opcode = Opcode::kCall, .operands = operands, .called = called},
                         location);
}

XlaOp Map(XlaBuilder* builder, std::span<const XlaOp> operands, const XlaComputation& computation,
          std::span<const i64> dimensions, Location location) {
  const Called called = {&computation};
  return builder->Append({.opcode = Opcode::kMap,
                          .operands = operands,
                          .attrs = Block(Opcode::kMap, DimensionsAttrs{ToDims(dimensions)}),
                          .called = called},
                         location);
}

namespace {

// Says how many steps a scan has, by the first output; inputs have that size already.
StatusOr<Shape> ScanShape(std::span<const XlaOp> inputs, const XlaComputation& computation, i64 dim,
                          i64 size) {
  for (const XlaOp& input : inputs) {
    if (!input.valid()) return Shape();
    const Shape& shape = input.instruction()->shape();
    if (dim >= 0 && dim < shape.rank() && shape.dim(dim) != size) {
      return InvalidArgument(StrCat("scan: scan_dimension_size is ", size, " but dimension ", dim,
                                    " of ", shape.ToString(), " has size ", shape.dim(dim)));
    }
  }
  if (!computation.valid()) return Shape();
  const Shape& given = computation.module().entry()->root()->shape();
  if (!given.is_tuple() || given.num_tuple_elements() == 0) return Shape();
  const Shape& output = given.element(0);
  if (!output.is_array() || dim < 0 || dim > output.rank()) return Shape();
  Dims dims = output.dims();
  dims.insert(dims.begin() + dim, size);
  return Shape::Tuple({Shape(output.type(), std::move(dims))});
}

}  // namespace

XlaOp Scan(std::span<const XlaOp> inputs, std::span<const XlaOp> inits,
           const XlaComputation& computation, i64 scan_dimension,
           std::optional<i64> scan_dimension_size, bool is_reverse, TriState is_associative,
           Location location) {
  std::vector<XlaOp> operands(inputs.begin(), inputs.end());
  operands.insert(operands.end(), inits.begin(), inits.end());
  StatusOr<Shape> declared = Shape();
  if (scan_dimension_size) {
    declared = ScanShape(inputs, computation, scan_dimension, *scan_dimension_size);
  }
  if (!declared.ok()) {
    return BuilderOf(operands)->ReportError(declared.status(), location);
  }
  return Emit(Opcode::kScan, operands, location,
              ScanAttrs{.dimensions = {scan_dimension},
                        .num_carries = static_cast<i64>(inits.size()),
                        .is_reverse = is_reverse,
                        .is_associative = is_associative},
              {&computation}, *declared);
}

XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
            Location location) {
  return Emit(Opcode::kWhile, {init}, location, NoAttrs{}, {&condition, &body});
}

XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation, Location location) {
  return Emit(Opcode::kConditional, {predicate, true_operand, false_operand}, location, NoAttrs{},
              {&true_computation, &false_computation});
}

XlaOp Conditional(XlaOp branch_index, std::span<const XlaComputation* const> branch_computations,
                  std::span<const XlaOp> branch_operands, Location location) {
  std::vector<XlaOp> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(), branch_operands.end());
  return Emit(Opcode::kConditional, operands, location, NoAttrs{},
              Called(branch_computations.begin(), branch_computations.end()));
}

XlaOp GetDimensionSize(XlaOp operand, i64 dimension, Location location) {
  if (operand.valid()) {
    const Shape& shape = operand.instruction()->shape();
    constexpr i64 kMax = std::numeric_limits<std::int32_t>::max();
    if (shape.is_array() && dimension >= 0 && dimension < shape.rank() &&
        !shape.is_dynamic(dimension) && shape.dim(dimension) <= kMax) {
      return ConstantR0(operand.builder(), static_cast<std::int32_t>(shape.dim(dimension)),
                        location);
    }
  }
  return Emit(Opcode::kGetDimensionSize, {operand}, location, DimensionsAttrs{{dimension}});
}

XlaOp SetDimensionSize(XlaOp operand, XlaOp size, i64 dimension, Location location) {
  Shape declared = operand.valid() ? operand.instruction()->shape() : Shape();
  if (dimension >= 0 && dimension < declared.rank()) declared.set_dynamic(dimension, true);
  return Emit(Opcode::kSetDimensionSize, {operand, size}, location, DimensionsAttrs{{dimension}},
              {}, declared);
}

XlaOp RemoveDynamicDimension(XlaOp operand, i64 dimension, Location location) {
  if (!operand.valid()) return operand;
  Shape declared = operand.instruction()->shape();
  i64 bound = 0;
  if (dimension >= 0 && dimension < declared.rank()) {
    declared.set_dynamic(dimension, false);
    bound = declared.dim(dimension);
  }
  // A bound beyond s32 is an error of the op.
  const XlaOp size = ConstantR0(operand.builder(), static_cast<std::int32_t>(bound), location);
  return Emit(Opcode::kSetDimensionSize, {operand, size}, location, DimensionsAttrs{{dimension}},
              {}, declared);
}

XlaOp DynamicReshape(XlaOp operand, std::span<const XlaOp> dim_sizes,
                     std::span<const i64> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic, Location location) {
  std::vector<XlaOp> operands = {operand};
  operands.insert(operands.end(), dim_sizes.begin(), dim_sizes.end());
  if (dims_are_dynamic.size() != new_size_bounds.size()) {
    return Fail({operand},
                StrCat("dynamic-reshape: there are ", new_size_bounds.size(),
                       " new_size_bounds but ", dims_are_dynamic.size(), " dims_are_dynamic"),
                location);
  }
  const ElementType type = operand.valid() ? operand.instruction()->shape().type() : F32;
  Shape declared(type, ToDims(new_size_bounds));
  for (size_t d = 0; d < dims_are_dynamic.size(); ++d) {
    declared.set_dynamic(static_cast<i64>(d), dims_are_dynamic[d]);
  }
  return Emit(Opcode::kDynamicReshape, operands, location, NoAttrs{}, {}, declared);
}

}  // namespace axle
