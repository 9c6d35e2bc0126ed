// How a random computation gets its values. Every operand is asked for by shape (Value) or type
// (Array). The order of preference is random with fixed weights: a value that exists, one adapted
// from a value of another shape by slice, pad, reshape, broadcast or convert, or a fresh parameter,
// constant or iota. Sizes come from a table of the places where vector registers, their tails,
// tiles and the chunks of canonical sums begin and end. Add checks the row's inference, declared
// shape and check_run, and takes a refused instruction back, so no rule about operations is
// repeated here. state_.work sums the elements that a run computes, weighted by trip counts;
// HasRoom stops generation at the limit.

#include "axle/gen/body.h"

#include <algorithm>

#include "axle/core/convert.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Most sizes are small, and 1 is frequent because broadcasting and dimensions of size 1 are special
// cases of many passes. 0 makes empty arrays. The others are one below, at and one above the number
// of elements of a vector register or of an unrolled loop.
constexpr i64 kSizes[] = {0, 1,  1,  1,  2,  2,  3,  3,  4,  5,  7, 8,
                          9, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65};
// The sizes of large modules lie on both sides of the blocks of canonical sums (512 elements of a
// dot, 4,096 of a reduction), with incomplete last blocks.
constexpr i64 kLargeSizes[] = {65,  100, 127,  129,  255,  256,  257,  511,
                               513, 777, 1000, 1025, 4096, 4097, 5003, 8193};

}  // namespace

Shape WithAnyLayout(Random& random, const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements())
      elements.push_back(WithAnyLayout(random, element));
    return Shape::Tuple(std::move(elements));
  }
  Shape result = shape;
  if (!shape.is_array() || shape.rank() < 2) return result;
  Layout layout = Layout::RowMajor(shape.rank());
  random.Shuffle(layout.minor_to_major);
  result.set_layout(std::move(layout));
  return result;
}

std::string Body::Name(std::string_view base) {
  return StrCat(base, ".", ++state_.next_name);
}

// The trip counts of all loops around a computation multiply, so that work in an inner loop is
// charged for every iteration.
Body Body::Nested(std::span<const Shape> parameters, i64 weight) {
  Body body(state_, state_.module.AddComputation(Name("f")), depth_ + 1, weight_ * weight);
  for (const Shape& shape : parameters) body.Parameter(shape, body.num_parameters_);
  return body;
}

// Adds by trial. The instruction is appended first, because InferShape needs it in place with its
// operands; if a rule refuses it, it is the last one of its computation and can be removed again.
// `refusal_` keeps the reason for the caller.
Instruction* Body::Add(Opcode opcode, std::span<Instruction* const> operands, AttrBlock attrs,
                       std::span<HloComputation* const> callees, const Shape& declared) {
  const OpDef& def = GetOpDef(opcode);
  if (std::ranges::find(operands, nullptr) != operands.end()) return nullptr;
  if (attrs.values == nullptr) attrs = {def.attrs, def.attrs.create()};
  if (def.canonicalize != nullptr) {
    // The struct is shared by nobody yet.
    def.canonicalize(operands, const_cast<void*>(attrs.values.get()));
  }
  Instruction* inst = computation_->Add({.opcode = opcode,
                                         .name = Name(def.text),
                                         .shape = declared,
                                         .operands = operands,
                                         .callees = callees,
                                         .attrs = std::move(attrs)});
  const StatusOr<Shape> shape = InferShape(*inst);
  refusal_ = shape.status();
  if (shape.ok() && def.declared_shape && !EqualIgnoringLayout(*shape, declared)) {
    refusal_ =
        OpError(*inst, StrCat("has shape ", shape->ToString(), ", not ", declared.ToString()));
  }
  if (refusal_.ok() && def.check_run != nullptr) refusal_ = def.check_run(*inst);
  if (!refusal_.ok()) {
    computation_->RemoveLast();
    return nullptr;
  }
  if (!def.declared_shape) computation_->SetShape(inst, *shape);
  if (state_.has_layouts && inst->shape().is_array() && state_.layout_random.Percent(50)) {
    computation_->SetShape(inst, WithAnyLayout(state_.layout_random, inst->shape()));
  }
  // Four bytes count as one element, so that a wide type costs what it costs to compute.
  state_.work += weight_ * std::max<i64>(inst->shape().num_bytes() / 4, 1);
  if (def.check_uses == nullptr) Use(inst);  // otherwise only its done instruction may read it
  return inst;
}

void Body::Use(Instruction* value) {
  if (value->shape().is_array()) values_.push_back(value);
}

i64 Body::AnySize() {
  return state_.is_large && random().Percent(50) ? random().Of(kLargeSizes) : random().Of(kSizes);
}

// Half of the time the dimensions of an existing value are reused, which is what makes values of
// one shape meet. Fresh dimensions are halved until the number of elements fits.
Dims Body::AnyDims(i64 min_rank, i64 max_rank, i64 max_elements) {
  if (only_scalars_ && min_rank == 0) return {};
  if (max_elements == 0) max_elements = state_.is_large ? 20'000 : 1'500;
  // Dimensions of a value that is there, more often than not: then the two can be combined.
  if (!values_.empty() && random().Percent(50)) {
    const Shape& shape = random().Of(values_)->shape();
    if (shape.rank() >= min_rank && shape.rank() <= max_rank &&
        shape.num_elements() <= max_elements) {
      return shape.dims();
    }
  }
  const i64 most = random().Percent(5) ? max_rank : std::min<i64>(max_rank, 3);
  const i64 rank = random().Between(min_rank, std::max(min_rank, most));
  Dims dims;
  i64 elements = 1;
  for (i64 d = 0; d < rank; ++d) {
    i64 size = AnySize();
    if (size == 0 && random().Percent(60)) size = 1;
    while (size > 1 && elements * size > max_elements) size /= 2;
    dims.push_back(size);
    elements *= std::max<i64>(size, 1);
  }
  random().Shuffle(dims);
  return dims;
}

ElementType Body::AnyType() {
  constexpr ElementType kCommon[] = {F32, F32, F32, F64, BF16, F16, S32,
                                     S32, S64, U8,  S8,  PRED, U32, C64};
  if (!values_.empty() && random().Percent(50)) return random().Of(values_)->shape().type();
  if (random().Percent(70)) return random().Of(kCommon);
  while (true) {
    const ElementType type = random().Of(kElementTypes).type;
    if (IsArrayType(type)) return type;
  }
}

// An existing static array of the type, preferably one of the last three; Value makes a new one if
// none fits or in a quarter of the cases.
Instruction* Body::Array(ElementType type, i64 min_rank, i64 max_rank) {
  const auto fits = [&](const Instruction* value) {
    const Shape& shape = value->shape();
    return shape.type() == type && shape.rank() >= min_rank && shape.rank() <= max_rank;
  };
  if (preferred_ != nullptr && fits(preferred_)) return std::exchange(preferred_, nullptr);
  if (random().Percent(75)) {
    std::vector<Instruction*> found;
    for (Instruction* value : values_) {
      if (fits(value) && value->shape().is_static()) found.push_back(value);
    }
    // Recent ones more often, so that chains grow.
    if (!found.empty()) {
      const i64 size = static_cast<i64>(found.size());
      return random().Percent(50) ? found[size - 1 - random().Below(std::min<i64>(size, 3))]
                                  : random().Of(found);
    }
  }
  return Value(Shape(type, AnyDims(min_rank, max_rank)));
}

// Weights: 70 % an existing value of the shape, then in half of the cases a value adapted from
// another shape, then again an existing one, and a fresh value at the end. A fresh value always
// exists, so that this function returns null only if a row refuses it.
Instruction* Body::Value(const Shape& shape) {
  if (shape.is_token()) return Add(Opcode::kAfterAll, {});
  if (shape.is_tuple()) {
    std::vector<Instruction*> elements;
    for (const Shape& element : shape.elements()) elements.push_back(Value(element));
    return Add(Opcode::kTuple, elements, {});
  }
  if (prefers_arguments_ && is_entry() && !shape.is_scalar() && random().Percent(60)) {
    return Parameter(shape, num_parameters_);
  }
  std::vector<Instruction*> same, other;
  for (Instruction* value : values_) {
    if (!value->shape().is_static()) continue;
    (EqualIgnoringLayout(value->shape(), shape) ? same : other).push_back(value);
  }
  if (!same.empty() && random().Percent(70)) return random().Of(same);
  if (!other.empty() && random().Percent(50)) {
    if (Instruction* made = Adapted(random().Of(other), shape)) return made;
  }
  if (!same.empty() && random().Percent(50)) return random().Of(same);
  return Fresh(shape);
}

// Makes `shape` from a value of another shape by broadcast, slice, pad, reshape and conversion;
// null if that takes more than these.
Instruction* Body::Adapted(Instruction* value, const Shape& shape) {
  if (value->shape().type() != shape.type()) {
    // A bitcast between types of one width is as good as a conversion here and meets other code.
    if (Info(value->shape().type()).bits == Info(shape.type()).bits && random().Percent(50)) {
      Instruction* cast =
          Add(Opcode::kBitcastConvert, {value}, value->shape().WithType(shape.type()));
      if (cast != nullptr) value = cast;
    }
    if (value->shape().type() != shape.type()) value = Convert(value, shape.type());
  }
  const Shape& from = value->shape();
  if (EqualIgnoringLayout(from, shape)) return value;
  if (from.num_elements() == shape.num_elements()) return Add(Opcode::kReshape, {value}, shape);
  if (from.is_scalar()) return BroadcastTo(value, shape.dims());
  if (from.rank() == shape.rank()) {
    SliceConfig slice;
    PaddingConfig padding;
    bool drops = false, adds = false;
    // Each dimension is cut or padded to the wanted size, at a random place; no dimension needs
    // both.
    for (i64 d = 0; d < from.rank(); ++d) {
      const i64 less = std::max<i64>(from.dim(d) - shape.dim(d), 0);
      const i64 start = random().Between(0, less);
      slice.push_back({start, start + from.dim(d) - less, 1});
      const i64 more = std::max<i64>(shape.dim(d) - from.dim(d), 0);
      const i64 low = random().Between(0, more);
      padding.push_back({low, more - low, 0});
      drops = drops || less > 0;
      adds = adds || more > 0;
    }
    if (drops) value = AddWith(Opcode::kSlice, {value}, SliceAttrs{slice});
    if (adds && value != nullptr) {
      value = AddWith(Opcode::kPad, {value, Constant(shape.type())}, PadAttrs{padding});
    }
    return value;
  }
  if (from.rank() < shape.rank()) {
    // Each dimension to one of its size, in order.
    Dims dimensions;
    i64 at = 0;
    for (i64 d = 0; d < from.rank(); ++d, ++at) {
      while (at < shape.rank() && shape.dim(at) != from.dim(d)) ++at;
      if (at == shape.rank()) return nullptr;
      dimensions.push_back(at);
    }
    return BroadcastTo(value, shape.dims(), dimensions);
  }
  return nullptr;
}

// Parameters of the entry are the most frequent fresh values, because the passes fold constants.
// Callees get parameters only when they are declared (Nested).
Instruction* Body::Fresh(const Shape& shape) {
  if (is_entry() && random().Percent(shape.is_scalar() ? 50 : 75)) {
    return Parameter(shape, num_parameters_);
  }
  if (shape.is_scalar()) return Constant(shape.type());
  if (shape.num_elements() <= 32 && random().Percent(30)) {
    Literal numbers(shape.WithType(S32));
    for (std::int32_t& number : numbers.mutable_data<std::int32_t>()) {
      number = static_cast<std::int32_t>(random().Between(-3, 9));
    }
    auto literal = axle::Convert(numbers, shape.type());
    if (literal.ok()) return ConstantOf(*std::move(literal));
  }
  if (random().Percent(30)) {
    // iota is not defined on pred and on types of less than a byte: they count in s32.
    const Shape counted =
        IsSubByte(shape.type()) || shape.type() == PRED ? shape.WithType(S32) : shape;
    Instruction* iota =
        AddWith(Opcode::kIota, {}, IotaAttrs{random().Below(shape.rank())}, {}, counted);
    if (iota != nullptr) return Convert(iota, shape.type());
  }
  return BroadcastTo(Constant(shape.type()), shape.dims());
}

// Integers are extreme ones in two of five cases; the numbers below are exact in most formats, so
// that a wrong result is no rounding error.
Instruction* Body::Constant(ElementType type) {
  if (IsIntegral(type) && random().Percent(40)) return EdgeConstant(type);
  return Constant(type, random().Of({0.0, 1.0, 1.0, 2.0, 3.0, -1.0, 0.5, -0.0, 7.0, 100.0}));
}

// Extremes of the type, powers of two and their neighbours, bit counts, masks.
Instruction* Body::EdgeConstant(ElementType type) {
  const i64 bits = Info(type).bits;
  const std::uint64_t power = std::uint64_t{1} << random().Below(bits);
  const std::uint64_t value =
      random().Of({power, power - 1, ~power, ~power + 1, power + 1,
                   static_cast<std::uint64_t>(random().Between(0, bits + 1)), random().Bits()});
  auto literal = axle::Convert(Literal::Scalar(U64, value), type);
  return literal.ok() ? ConstantOf(*std::move(literal)) : nullptr;
}

Instruction* Body::Constant(ElementType type, double value) {
  auto literal = axle::Convert(Literal::Scalar(F64, value), type);
  return literal.ok() ? ConstantOf(*std::move(literal)) : nullptr;
}

Instruction* Body::ConstantOf(Literal literal) {
  const Shape shape = literal.shape();
  return AddWith(Opcode::kConstant, {}, ConstantAttrs{std::move(literal)}, {}, shape);
}

Instruction* Body::Parameter(const Shape& shape, i64 number) {
  num_parameters_ = std::max(num_parameters_, number + 1);
  return AddWith(Opcode::kParameter, {}, ParameterAttrs{number}, {}, shape);
}

Instruction* Body::Element(Instruction* tuple, i64 i) {
  if (tuple == nullptr) return nullptr;
  return AddWith(Opcode::kGetTupleElement, {tuple}, TupleIndexAttrs{i});
}

Instruction* Body::Convert(Instruction* value, ElementType type) {
  if (value == nullptr || value->shape().type() == type) return value;
  return Add(Opcode::kConvert, {value}, value->shape().WithoutLayout().WithType(type));
}

Instruction* Body::BroadcastTo(Instruction* value, const Dims& dims, Dims dimensions) {
  if (value == nullptr) return nullptr;
  return AddWith(Opcode::kBroadcast, {value}, DimensionsAttrs{std::move(dimensions)}, {},
                 Shape(value->shape().type(), dims));
}

Status Body::Finish(Instruction* root) {
  if (root == nullptr) return refusal_;
  computation_->set_root(root);
  return BindParameters(*computation_);
}

}  // namespace axle
