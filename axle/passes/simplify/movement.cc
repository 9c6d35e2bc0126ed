// Rules for operations that move elements: broadcast, reshape, transpose, slice, concatenate,
// reverse, dynamic-slice. Bits are kept by any of them; the reasons in the rows say why the right
// elements are in the right places. Pairs compose to one operation, operations without effect
// disappear, and moves of a broadcast scalar are broadcasts of it.

#include <algorithm>
#include <limits>
#include <numeric>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/blocked_dot.h"
#include "axle/passes/constant_folding.h"
#include "axle/passes/simplify/rules.h"

namespace axle {
namespace {

const Dims& Dimensions(const Instruction& inst) {
  return inst.attrs<DimensionsAttrs>().dimensions;
}
bool IsIdentity(const Dims& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != static_cast<i64>(i)) return false;
  }
  return true;
}
// outer[inner[i]].
Dims Composed(const Dims& outer, const Dims& inner) {
  Dims dims;
  for (const i64 d : inner) dims.push_back(outer[static_cast<size_t>(d)]);
  return dims;
}
bool SameSizes(const Instruction& a, const Instruction& b) {
  return a.shape().dims() == b.shape().dims();
}

// Moving elements that are all equal gives the same array in another shape.
Instruction* OfRepeatedScalar(Maker& to, Instruction& inst) {
  Instruction* scalar = Under(inst, Opcode::kBroadcast);
  if (scalar == nullptr || !scalar->shape().is_scalar()) return nullptr;
  return to.Make(Opcode::kBroadcast, inst.shape(), {scalar}, DimensionsAttrs{});
}
constexpr std::string_view kRepeatedWhy = "all elements are the same one";

Instruction* BroadcastOfBroadcast(Maker& to, Instruction& inst) {
  Instruction* x = Under(inst, Opcode::kBroadcast);
  if (x == nullptr) return nullptr;
  return to.Make(Opcode::kBroadcast, inst.shape(), {x},
                 DimensionsAttrs{Composed(Dimensions(inst), Dimensions(*inst.operand(0)))});
}

// Dimension i of the result is dimension outer[i] of the operand, which is inner[outer[i]] of x.
Instruction* TransposeOfTranspose(Maker& to, Instruction& inst) {
  Instruction* x = Under(inst, Opcode::kTranspose);
  if (x == nullptr) return nullptr;
  return to.Make(Opcode::kTranspose, inst.shape(), {x},
                 DimensionsAttrs{Composed(Dimensions(*inst.operand(0)), Dimensions(inst))});
}

// From the slowest dimension in memory to the fastest.
Dims MajorToMinor(const Shape& shape) {
  const Dims& minor_to_major = shape.LayoutOrDefault().minor_to_major;
  return {minor_to_major.rbegin(), minor_to_major.rend()};
}

bool HasTiles(const Shape& shape) {
  const Layout layout = shape.LayoutOrDefault();
  return !layout.tiles.empty() || layout.element_size_in_bits != 0;
}

// A bitcast between layouts as transpose to memory order, bitcast-convert, reshape and transpose
// back. If the element sizes differ, a last dimension holds the elements that share one wider
// element.
Instruction* BitcastInOrder(Maker& to, Instruction& inst) {
  const Dims from_order = MajorToMinor(inst.operand(0)->shape());
  const Dims to_order = MajorToMinor(inst.shape());
  const ElementType from = TypeOf(*inst.operand(0)), type = TypeOf(inst);
  if (IsComplex(from) != IsComplex(type)) return nullptr;
  // Tiles are not an order of whole dimensions.
  if (HasTiles(inst.shape()) || HasTiles(inst.operand(0)->shape())) return nullptr;
  Dims dims = Composed(inst.operand(0)->shape().dims(), from_order);
  Instruction* value = inst.operand(0);
  if (!IsIdentity(from_order)) {
    value = to.Make(Opcode::kTranspose, Shape(from, dims), {value}, DimensionsAttrs{from_order});
  }
  if (from != type) {
    const i64 from_bytes = Info(from).bytes, to_bytes = Info(type).bytes;
    if (from_bytes > to_bytes) {
      dims.push_back(from_bytes / to_bytes);
    } else if (from_bytes < to_bytes) {
      const i64 ratio = to_bytes / from_bytes;
      dims = {value->shape().num_elements() / ratio};
      value = to.Make(Opcode::kReshape, Shape(from, {dims[0], ratio}), {value});
    }
    value = to.Make(Opcode::kBitcastConvert, Shape(type, dims), {value});
  }
  if (IsIdentity(to_order)) return to.Make(Opcode::kReshape, inst.shape(), {value});
  value = to.Make(Opcode::kReshape, Shape(type, Composed(inst.shape().dims(), to_order)), {value});
  Dims places(to_order.size());
  for (size_t i = 0; i < to_order.size(); ++i) {
    places[static_cast<size_t>(to_order[i])] = static_cast<i64>(i);
  }
  return to.Make(Opcode::kTranspose, inst.shape(), {value}, DimensionsAttrs{std::move(places)});
}

Instruction* IotaOfOneDimension(Maker& to, Instruction& inst) {
  if (inst.shape().rank() == 1) return nullptr;
  const i64 d = inst.attrs<IotaAttrs>().iota_dimension;
  Instruction* iota = to.Make(Opcode::kIota, Shape(TypeOf(inst), {inst.shape().dim(d)}), {},
                              IotaAttrs{.iota_dimension = 0});
  return to.Make(Opcode::kBroadcast, inst.shape(), {iota}, DimensionsAttrs{{d}});
}

// A long iota as a sum of digits in a mixed radix, each a short iota that is a constant, so that
// loops compute the elements they need. Not for sizes with a prime factor above kMaxFoldedIota.
Instruction* IotaOfDigits(Maker& to, Instruction& inst) {
  if (inst.shape().rank() != 1) return nullptr;
  Dims sizes;  // of the digits, lowest first
  for (i64 rest = inst.shape().dim(0); rest > 1; rest /= sizes.back()) {
    i64 size = std::min(rest, kMaxFoldedIota);
    while (rest % size != 0) --size;
    if (size == 1) return nullptr;
    sizes.push_back(size);
  }
  if (sizes.size() < 2) return nullptr;
  const Dims dims(sizes.rbegin(), sizes.rend());
  const bool is_short = inst.shape().dim(0) <= std::numeric_limits<std::int32_t>::max();
  const ElementType type = is_short ? S32 : S64;
  Instruction* sum = nullptr;
  const Dims weights = RowMajorStrides(dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    const Shape digit(type, {dims[d]});
    Instruction* iota = to.Make(Opcode::kIota, digit, {}, IotaAttrs{.iota_dimension = 0});
    iota = to.Make(Opcode::kMultiply, digit, {iota, to.Uniform(digit, weights[d])});
    iota = to.Make(Opcode::kBroadcast, Shape(type, dims), {iota},
                   DimensionsAttrs{{static_cast<i64>(d)}});
    sum = sum == nullptr ? iota : to.Make(Opcode::kAdd, Shape(type, dims), {sum, iota});
  }
  if (TypeOf(inst) != type) sum = to.Make(Opcode::kConvert, Shape(TypeOf(inst), dims), {sum});
  return to.Make(Opcode::kReshape, inst.shape(), {sum});
}

// A dot reads its operands without the transpose. The free dimensions must keep their order, which
// is that of the result; a dot with a vector stays, because its order of sums depends on which
// dimension is last.
Instruction* DotOfTranspose(Maker& to, Instruction& inst) {
  if (inst.num_operands() != 2) return nullptr;  // sparse ones
  DotAttrs attrs = inst.attrs<DotAttrs>();
  std::vector<Instruction*> operands = {inst.operand(0), inst.operand(1)};
  for (i64 side = 0; side < 2; ++side) {
    Dims& batch = side == 0 ? attrs.lhs_batch_dims : attrs.rhs_batch_dims;
    Dims& contracting = side == 0 ? attrs.lhs_contracting_dims : attrs.rhs_contracting_dims;
    const Shape& shape = inst.operand(side)->shape();
    Dims free = FreeDims(shape, batch, contracting);
    if (std::ranges::all_of(free, [&](i64 d) { return shape.dim(d) == 1; })) return nullptr;
    Instruction* x = Under(inst, Opcode::kTranspose, side);
    if (x == nullptr) continue;
    const Dims& order = Dimensions(*inst.operand(side));
    free = Composed(order, free);
    if (!std::ranges::is_sorted(free)) continue;
    batch = Composed(order, batch);
    contracting = Composed(order, contracting);
    operands[static_cast<size_t>(side)] = x;
  }
  if (operands[0] == inst.operand(0) && operands[1] == inst.operand(1)) return nullptr;
  return to.Make(Opcode::kDot, inst.shape(), operands, std::move(attrs));
}

// A dot that contracts nothing, of one type. The definition begins each sum with +0, which makes
// the product -0 of floats a +0; the product itself is rounded once either way.
// A factor of contracted dimensions alone, in another order than they lie in: to bring it into
// order is quicker than to read it across its rows. The order of the sum is that of the lists,
// which stay; that of a vector stays as well, because the last dimension is a contracted one as
// before.
Instruction* DotOutOfOrder(Maker& to, Instruction& inst) {
  DotAttrs attrs = inst.attrs<DotAttrs>();
  if (inst.num_operands() != 2 || !attrs.lhs_batch_dims.empty()) return nullptr;
  Instruction* factors[2] = {inst.operand(0), inst.operand(1)};
  for (const size_t side : {0, 1}) {
    Dims& contracting = side == 0 ? attrs.lhs_contracting_dims : attrs.rhs_contracting_dims;
    const Shape& shape = factors[side]->shape();
    if (shape.rank() != std::ssize(contracting) || std::ranges::is_sorted(contracting)) continue;
    Dims sizes;
    for (const i64 d : contracting) sizes.push_back(shape.dim(d));
    factors[side] = to.Make(Opcode::kTranspose, Shape(shape.type(), sizes), {factors[side]},
                            DimensionsAttrs{contracting});
    std::iota(contracting.begin(), contracting.end(), 0);
  }
  if (factors[0] == inst.operand(0) && factors[1] == inst.operand(1)) return nullptr;
  return to.Make(Opcode::kDot, inst.shape(), {factors[0], factors[1]}, std::move(attrs));
}

Instruction* DotOfNothing(Maker& to, Instruction& inst) {
  const auto& attrs = inst.attrs<DotAttrs>();
  const ElementType type = TypeOf(inst);
  if (inst.num_operands() != 2 || !attrs.lhs_contracting_dims.empty()) return nullptr;
  if (type != F32 && type != F64 && !IsIntegral(type)) return nullptr;
  Instruction* factors[2] = {inst.operand(0), inst.operand(1)};
  i64 next_free = std::ssize(attrs.lhs_batch_dims);
  for (const size_t side : {0, 1}) {
    const Instruction& x = *factors[side];
    if (TypeOf(x) != type) return nullptr;
    const Dims& batch = side == 0 ? attrs.lhs_batch_dims : attrs.rhs_batch_dims;
    Dims dimensions;
    for (i64 d = 0; d < x.shape().rank(); ++d) {
      const auto at = std::ranges::find(batch, d);
      dimensions.push_back(at != batch.end() ? at - batch.begin() : next_free++);
    }
    // A broadcast maps to increasing dimensions only where the batch is in front, in order.
    if (!std::ranges::is_sorted(dimensions)) {
      Dims order(dimensions.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::sort(order, {}, [&](i64 d) { return dimensions[static_cast<size_t>(d)]; });
      Dims sizes;
      for (const i64 d : order) sizes.push_back(x.shape().dim(d));
      factors[side] =
          to.Make(Opcode::kTranspose, Shape(type, sizes), {factors[side]}, DimensionsAttrs{order});
      std::ranges::sort(dimensions);
    }
    factors[side] =
        to.Make(Opcode::kBroadcast, inst.shape(), {factors[side]}, DimensionsAttrs{dimensions});
  }
  Instruction* product = to.Make(Opcode::kMultiply, inst.shape(), {factors[0], factors[1]});
  if (IsIntegral(type)) return product;
  const Literal zero = type == F32 ? Literal::Scalar(F32, 0.0F) : Literal::Scalar(F64, 0.0);
  Instruction* zeros = to.Uniform(inst.shape(), zero);
  const Shape bits(PRED, inst.shape().dims());
  Instruction* are_zero[2];
  for (const size_t side : {0, 1}) {
    are_zero[side] = to.Make(Opcode::kCompare, bits, {factors[side], zeros},
                             CompareAttrs{ComparisonDirection::kEq});
  }
  Instruction* is_either = to.Make(Opcode::kOr, bits, {are_zero[0], are_zero[1]});
  Instruction* without_sign = to.Make(Opcode::kAdd, inst.shape(), {product, zeros});
  return to.Make(Opcode::kSelect, inst.shape(), {is_either, without_sign, product});
}

Instruction* SliceOfSlice(Maker& to, Instruction& inst) {
  Instruction* x = Under(inst, Opcode::kSlice);
  if (x == nullptr) return nullptr;
  const SliceConfig& outer = inst.attrs<SliceAttrs>().slice;
  const SliceConfig& inner = inst.operand(0)->attrs<SliceAttrs>().slice;
  SliceConfig both;
  for (size_t d = 0; d < outer.size(); ++d) {
    const i64 count = inst.shape().dim(static_cast<i64>(d));
    SliceDim& range = both.emplace_back();
    if (count == 0) continue;  // [0:0]
    range.start = inner[d].start + outer[d].start * inner[d].stride;
    if (count > 1) range.stride = outer[d].stride * inner[d].stride;
    range.limit = range.start + (count - 1) * range.stride + 1;
  }
  return to.Make(Opcode::kSlice, inst.shape(), {x}, SliceAttrs{both});
}

// A range that lies in one operand of a concatenation.
Instruction* SliceOfConcatenate(Maker& to, Instruction& inst) {
  const Instruction& parts = *inst.operand(0);
  if (!Is(parts, Opcode::kConcatenate) || inst.shape().num_elements() == 0) return nullptr;
  const auto d = static_cast<size_t>(Dimensions(parts)[0]);
  SliceConfig slice = inst.attrs<SliceAttrs>().slice;
  i64 begin = 0;
  for (i64 i = 0; i < parts.num_operands(); ++i) {
    const i64 end = begin + parts.operand(i)->shape().dim(static_cast<i64>(d));
    if (slice[d].start >= begin && slice[d].limit <= end) {
      slice[d].start -= begin;
      slice[d].limit -= begin;
      return to.Make(Opcode::kSlice, inst.shape(), {parts.operand(i)}, SliceAttrs{slice});
    }
    begin = end;
  }
  return nullptr;
}

Instruction* WithoutEmptyOperands(Maker& to, Instruction& inst) {
  std::vector<Instruction*> operands;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    if (inst.operand(i)->shape().num_elements() > 0) operands.push_back(inst.operand(i));
  }
  if (operands.empty() || static_cast<i64>(operands.size()) == inst.num_operands()) return nullptr;
  return to.Again(inst, operands);
}

Instruction* ConcatenateOfConcatenate(Maker& to, Instruction& inst) {
  constexpr size_t kMaxOperands = 1024;
  std::vector<Instruction*> operands;
  bool found = false;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    Instruction* operand = inst.operand(i);
    if (!Is(*operand, Opcode::kConcatenate) || Dimensions(*operand) != Dimensions(inst)) {
      operands.push_back(operand);
      continue;
    }
    found = true;
    for (i64 k = 0; k < operand->num_operands(); ++k) operands.push_back(operand->operand(k));
  }
  return found && operands.size() <= kMaxOperands ? to.Again(inst, operands) : nullptr;
}

// The dimensions that are reversed by one of the two only.
Instruction* ReverseOfReverse(Maker& to, Instruction& inst) {
  Instruction* x = Under(inst, Opcode::kReverse);
  if (x == nullptr) return nullptr;
  const Dims &outer = Dimensions(inst), &inner = Dimensions(*inst.operand(0));
  Dims once;
  for (i64 d = 0; d < inst.shape().rank(); ++d) {
    const bool in_outer = std::ranges::find(outer, d) != outer.end();
    if (in_outer != (std::ranges::find(inner, d) != inner.end())) once.push_back(d);
  }
  return once.empty() ? x : to.Make(Opcode::kReverse, inst.shape(), {x}, DimensionsAttrs{once});
}

// The start indices of a dynamic-slice or dynamic-update-slice if all are constants, clamped so
// that `sizes` fit.
std::optional<Dims> KnownStarts(const Instruction& inst, i64 first, const Dims& sizes) {
  const Shape& operand = inst.operand(0)->shape();
  if (inst.num_operands() - first != operand.rank()) return {};
  Dims starts;
  for (i64 d = 0; d < operand.rank(); ++d) {
    const Instruction& index = *inst.operand(first + d);
    const auto value = index.shape().is_scalar() ? UniformInteger(index) : std::nullopt;
    if (!value) return {};
    const i64 last = operand.dim(d) - sizes[static_cast<size_t>(d)];
    const bool is_huge = IsUnsigned(TypeOf(index)) && *value < 0;
    starts.push_back(is_huge ? last : std::clamp<i64>(*value, 0, last));
  }
  return starts;
}

Instruction* DynamicSliceOfKnown(Maker& to, Instruction& inst) {
  const auto starts = KnownStarts(inst, 1, inst.shape().dims());
  if (!starts) return nullptr;
  SliceConfig slice;
  for (size_t d = 0; d < starts->size(); ++d) {
    const i64 start = (*starts)[d];
    slice.push_back({start, start + inst.shape().dim(static_cast<i64>(d)), 1});
  }
  return to.Make(Opcode::kSlice, inst.shape(), {inst.operand(0)}, SliceAttrs{slice});
}

constexpr Rule kRules[] = {
    {"broadcast-same", "broadcast(x) of the shape of x -> x", "each dimension stands for itself",
     Opcode::kBroadcast,
     [](Maker&, Instruction& inst) {
       return IsIdentity(Dimensions(inst)) && SameSizes(inst, *inst.operand(0)) ? inst.operand(0)
                                                                                : nullptr;
     },
     "x = f32[4,3] parameter(0)  ROOT r = f32[4,3] broadcast(x), dimensions={0,1}"},
    {"broadcast-broadcast", "broadcast(broadcast(x)) -> broadcast(x)",
     "the maps of dimensions are composed", Opcode::kBroadcast, BroadcastOfBroadcast,
     "x = f32[3] parameter(0)  b = f32[4,3] broadcast(x), dimensions={1}\n"
     "ROOT r = f32[3,2,4] broadcast(b), dimensions={2,0}"},
    {"reshape-same", "reshape(x) to the shape of x -> x", "row-major order is the same",
     Opcode::kReshape,
     [](Maker&, Instruction& inst) {
       return SameSizes(inst, *inst.operand(0)) ? inst.operand(0) : nullptr;
     },
     "x = f32[4,3] parameter(0)  ROOT r = f32[4,3] reshape(x)"},
    {"reshape-reshape", "reshape(reshape(x)) -> reshape(x)", "both keep the row-major order",
     Opcode::kReshape,
     [](Maker& to, Instruction& inst) -> Instruction* {
       Instruction* x = Under(inst, Opcode::kReshape);
       return x == nullptr ? nullptr : to.Make(Opcode::kReshape, inst.shape(), {x});
     },
     "x = f32[4,3] parameter(0)  y = f32[12] reshape(x)  ROOT r = f32[2,6] reshape(y)"},
    {"reshape-repeated", "reshape(broadcast(scalar)) -> broadcast(scalar)", kRepeatedWhy,
     Opcode::kReshape, OfRepeatedScalar,
     "x = f32[] parameter(0)  b = f32[4,3] broadcast(x), dimensions={}\n"
     "ROOT r = f32[12] reshape(b)"},
    {"bitcast-in-order",
     "bitcast(x) -> transpose(reshape(bitcast-convert(transpose(x)))), what is needed of it",
     "the bytes of x in the order of its layout are those of the result in the order of its own",
     Opcode::kBitcast, BitcastInOrder,
     "x = f32[4,3]{0,1} parameter(0)  ROOT r = s16[2,3,4]{1,0,2} bitcast(x)"},
    {"iota-one-dimension", "iota of several dimensions -> broadcast(iota)",
     "along the others all elements are the same", Opcode::kIota, IotaOfOneDimension,
     "ROOT r = f32[4,3,2] iota(), iota_dimension=1"},
    {"iota-digits", "long iota -> reshape(broadcast(a) + broadcast(b)), of short ones",
     "integers, which nothing rounds until the end", Opcode::kIota, IotaOfDigits,
     "ROOT r = f32[10000] iota(), iota_dimension=0"},
    {"transpose-same", "transpose(x) in the order of x -> x", "each dimension stays",
     Opcode::kTranspose,
     [](Maker&, Instruction& inst) {
       return IsIdentity(Dimensions(inst)) ? inst.operand(0) : nullptr;
     },
     "x = f32[4,3] parameter(0)  ROOT r = f32[4,3] transpose(x), dimensions={0,1}"},
    {"transpose-transpose", "transpose(transpose(x)) -> transpose(x)",
     "the permutations are composed", Opcode::kTranspose, TransposeOfTranspose,
     "x = f32[4,3,2] parameter(0)  t = f32[2,4,3] transpose(x), dimensions={2,0,1}\n"
     "ROOT r = f32[2,3,4] transpose(t), dimensions={0,2,1}"},
    {"transpose-repeated", "transpose(broadcast(scalar)) -> broadcast(scalar)", kRepeatedWhy,
     Opcode::kTranspose, OfRepeatedScalar,
     "x = f32[] parameter(0)  b = f32[4,3] broadcast(x), dimensions={}\n"
     "ROOT r = f32[3,4] transpose(b), dimensions={1,0}"},
    {"dot-transpose", "dot(transpose(x), y) -> dot(x, y) in other dimensions of x",
     "the same products in the same order; not where a factor is a vector", Opcode::kDot,
     DotOfTranspose,
     "x = f32[2,5,4,3] parameter(0)  t = f32[3,2,4,5] transpose(x), dimensions={3,0,2,1}\n"
     "y = f32[3,5,6] parameter(1)\n"
     "ROOT r = f32[3,2,4,6] dot(t, y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
     "lhs_contracting_dims={3}, rhs_contracting_dims={1}"},
    {"dot-order", "dot(x, y) that contracts all of x, in another order -> dot(transpose(x), y)",
     "the same products in the same order", Opcode::kDot, DotOutOfOrder,
     "x = f32[7,5] parameter(0)  y = f32[5,7] parameter(1)\n"
     "ROOT r = f32[] dot(x, y), lhs_contracting_dims={1,0}, rhs_contracting_dims={0,1}"},
    {"dot-nothing", "dot(x, y) that contracts nothing -> broadcast(x) * broadcast(y)",
     "one product per element, rounded once, with -0 + 0 where a factor is zero; f32, f64, "
     "integers",
     Opcode::kDot, DotOfNothing,
     "x = f32[5,3] parameter(0)  y = f32[4,3] parameter(1)\n"
     "ROOT r = f32[3,5,4] dot(x, y), lhs_batch_dims={1}, rhs_batch_dims={1}, "
     "lhs_contracting_dims={}, rhs_contracting_dims={}"},
    {"slice-all", "slice(x) of everything -> x", "nothing is left out: the sizes are those of x",
     Opcode::kSlice,
     [](Maker&, Instruction& inst) {
       return SameSizes(inst, *inst.operand(0)) ? inst.operand(0) : nullptr;
     },
     "x = f32[4,3] parameter(0)  ROOT r = f32[4,3] slice(x), slice={[0:4], [0:3]}"},
    {"slice-slice", "slice(slice(x)) -> slice(x)", "starts and strides are composed",
     Opcode::kSlice, SliceOfSlice,
     "x = f32[20,7] parameter(0)  s = f32[6,5] slice(x), slice={[1:19:3], [2:7]}\n"
     "ROOT r = f32[3,2] slice(s), slice={[1:6:2], [3:5]}"},
    {"slice-concatenate", "slice(concatenate(..., x, ...)) inside of x -> slice(x)",
     "the range moves by the size of the operands before x", Opcode::kSlice, SliceOfConcatenate,
     "x = f32[4,3] parameter(0)  y = f32[4,5] parameter(1)\n"
     "c = f32[4,8] concatenate(x, y), dimensions={1}\n"
     "ROOT r = f32[2,2] slice(c), slice={[1:3], [4:8:2]}"},
    {"slice-repeated", "slice(broadcast(scalar)) -> broadcast(scalar)", kRepeatedWhy,
     Opcode::kSlice, OfRepeatedScalar,
     "x = f32[] parameter(0)  b = f32[4,3] broadcast(x), dimensions={}\n"
     "ROOT r = f32[2,1] slice(b), slice={[0:4:2], [1:2]}"},
    {"pad-nothing", "pad(x) by nothing -> x", "no element is added or dropped", Opcode::kPad,
     [](Maker&, Instruction& inst) {
       const bool none = std::ranges::all_of(inst.attrs<PadAttrs>().padding,
                                             [](const PaddingDim& d) { return d == PaddingDim(); });
       return none ? inst.operand(0) : nullptr;
     },
     "x = f32[4,3] parameter(0)  v = f32[] parameter(1)\n"
     "ROOT r = f32[4,3] pad(x, v), padding=0_0x0_0"},
    {"concatenate-one", "concatenate(x) -> x", "x is the only operand", Opcode::kConcatenate,
     [](Maker&, Instruction& inst) { return inst.num_operands() == 1 ? inst.operand(0) : nullptr; },
     "x = f32[4,3] parameter(0)  ROOT r = f32[4,3] concatenate(x), dimensions={0}"},
    {"concatenate-empty", "concatenate(x, nothing, y) -> concatenate(x, y)",
     "an empty array has no elements", Opcode::kConcatenate, WithoutEmptyOperands,
     "x = f32[2,3] parameter(0)  e = f32[0,3] parameter(1)\n"
     "ROOT r = f32[4,3] concatenate(x, e, x), dimensions={0}"},
    {"concatenate-concatenate", "concatenate(x, concatenate(y, z)) -> concatenate(x, y, z)",
     "the order is the same; one dimension", Opcode::kConcatenate, ConcatenateOfConcatenate,
     "x = f32[2] parameter(0)  y = f32[3] parameter(1)\n"
     "c = f32[5] concatenate(y, x), dimensions={0}\n"
     "ROOT r = f32[7] concatenate(x, c), dimensions={0}"},
    {"reverse-one", "reverse(x) of dimensions of at most one element -> x",
     "there is one order only", Opcode::kReverse,
     [](Maker&, Instruction& inst) {
       const bool none =
           std::ranges::all_of(Dimensions(inst), [&](i64 d) { return inst.shape().dim(d) <= 1; });
       return none ? inst.operand(0) : nullptr;
     },
     "x = f32[1,3] parameter(0)  ROOT r = f32[1,3] reverse(x), dimensions={0}"},
    {"reverse-reverse", "reverse(reverse(x)) -> x, or of the dimensions that differ",
     "two reversals cancel", Opcode::kReverse, ReverseOfReverse,
     "x = f32[4,3] parameter(0)  y = f32[4,3] reverse(x), dimensions={0,1}\n"
     "ROOT r = f32[4,3] reverse(y), dimensions={1}"},
    {"reverse-repeated", "reverse(broadcast(scalar)) -> broadcast(scalar)", kRepeatedWhy,
     Opcode::kReverse, OfRepeatedScalar,
     "x = f32[] parameter(0)  b = f32[4,3] broadcast(x), dimensions={}\n"
     "ROOT r = f32[4,3] reverse(b), dimensions={1}"},
    {"dynamic-slice-known", "dynamic-slice(x, constants) -> slice(x)",
     "the start is moved into bounds as the op does it (N12)", Opcode::kDynamicSlice,
     DynamicSliceOfKnown,
     "x = f32[4,9] parameter(0)  i = s32[] constant(-3)  j = s32[] constant(8)\n"
     "ROOT r = f32[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3}"},
    {"dynamic-slice-all", "dynamic-slice(x) of everything -> x", "every start is clamped to 0",
     Opcode::kDynamicSlice,
     [](Maker&, Instruction& inst) {
       return SameSizes(inst, *inst.operand(0)) ? inst.operand(0) : nullptr;
     },
     "x = f32[4,9] parameter(0)  i = s32[] parameter(1)\n"
     "ROOT r = f32[4,9] dynamic-slice(x, i, i), dynamic_slice_sizes={4,9}"},
    {"dynamic-slice-repeated", "dynamic-slice(broadcast(scalar)) -> broadcast(scalar)",
     kRepeatedWhy, Opcode::kDynamicSlice, OfRepeatedScalar,
     "x = f32[] parameter(0)  i = s32[] parameter(1)\n"
     "b = f32[9] broadcast(x), dimensions={}\n"
     "ROOT r = f32[2] dynamic-slice(b, i), dynamic_slice_sizes={2}"},
    {"dynamic-update-slice-all", "dynamic-update-slice(x, u) of the sizes of x -> u",
     "every start is clamped to 0", Opcode::kDynamicUpdateSlice,
     [](Maker&, Instruction& inst) {
       return SameSizes(inst, *inst.operand(1)) ? inst.operand(1) : nullptr;
     },
     "x = f32[9] parameter(0)  u = f32[9] parameter(1)  i = s32[] parameter(2)\n"
     "ROOT r = f32[9] dynamic-update-slice(x, u, i)"},
    {"dynamic-update-slice-nothing", "dynamic-update-slice(x, nothing) -> x",
     "an empty array has no elements", Opcode::kDynamicUpdateSlice,
     [](Maker&, Instruction& inst) {
       return inst.operand(1)->shape().num_elements() == 0 ? inst.operand(0) : nullptr;
     },
     "x = f32[9] parameter(0)  u = f32[0] parameter(1)  i = s32[] parameter(2)\n"
     "ROOT r = f32[9] dynamic-update-slice(x, u, i)"},
};

}  // namespace

std::span<const Rule> MovementRules() {
  return kRules;
}

}  // namespace axle
