// Elements of short arrays in other orders: strided slices, rotations, concatenations, pads,
// interleaved and repeated elements, transposes, some combined by arithmetic. In small regions (few
// elements as one function) LLVM merges several of these into one shuffle, which is where it has
// been wrong. Divisions and conversions are applied to such values too, but their results are not
// reordered further.

#include <algorithm>
#include <iterator>
#include <vector>

#include "axle/gen/patterns.h"

namespace axle {
namespace {

// Larger values would not be compiled as small regions.
constexpr i64 kMaxElements = 40;

// Values are rows, arrays of one dimension and one type; each step makes a row from earlier ones.
class Shuffles {
 public:
  explicit Shuffles(Body& body)
      : body_(body), random_(body.random()), type_(AnyType()), made_({Row(), Row()}) {}

  void Draw() {
    if (std::ranges::find(made_, nullptr) != made_.end()) return;
    for (i64 n = random_.Between(8, 24); n > 0; --n) {
      Instruction* const x = random_.Percent(40) ? made_.back() : random_.Of(made_);
      if (Instruction* next = Next(x)) made_.push_back(next);
    }
  }

 private:
  using Step = Instruction* (Shuffles::*)(Instruction* x);

  // Mostly 64-bit types: a register holds few of them, so shuffles span registers.
  ElementType AnyType() {
    return random_.Percent(60) ? random_.Of({S64, U64, F64, F64}) : body_.AnyType();
  }

  Instruction* Row() { return body_.Value(Shape(type_, {random_.Between(2, 17)})); }
  static i64 SizeOf(const Instruction* x) { return x->shape().dim(0); }

  // A row of the same type made of `x` and others; null if an operation refuses them, or if the
  // result is no such row.
  Instruction* Next(Instruction* x) {
    constexpr Step kSteps[] = {&Shuffles::Strided,  &Shuffles::Strided,  &Shuffles::Rotated,
                               &Shuffles::Joined,   &Shuffles::Joined,   &Shuffles::Padded,
                               &Shuffles::Padded,   &Shuffles::Woven,    &Shuffles::Repeated,
                               &Shuffles::Turned,   &Shuffles::Reversed, &Shuffles::Combined,
                               &Shuffles::Combined, &Shuffles::Combined, &Shuffles::Divided,
                               &Shuffles::Divided,  &Shuffles::Converted};
    return (this->*random_.Of(kSteps))(x);
  }

  Instruction* Part(Instruction* x, i64 start, i64 limit, i64 stride) {
    return body_.AddWith(Opcode::kSlice, {x}, SliceAttrs{{{start, limit, stride}}});
  }

  Instruction* Strided(Instruction* x) {
    const i64 size = SizeOf(x);
    if (size == 0) return nullptr;
    const i64 stride = random_.Between(1, 3);
    const i64 start = random_.Below(std::min<i64>(size, 3));
    const i64 limit = random_.Percent(70) ? size : random_.Between(start, size);
    return Part(x, start, limit, stride);
  }

  // Concatenations are what make rows longer, hence the limit here.
  Instruction* Concatenated(Instruction* x, Instruction* y) {
    if (x == nullptr || y == nullptr || SizeOf(x) + SizeOf(y) > kMaxElements) return nullptr;
    return body_.AddWith(Opcode::kConcatenate, {x, y}, DimensionsAttrs{{0}});
  }

  Instruction* Rotated(Instruction* x) {
    const i64 size = SizeOf(x);
    const i64 first = random_.Between(0, size);
    Instruction* const end = Part(x, first, size, 1);
    return Concatenated(end, Part(x, 0, first, 1));
  }

  Instruction* Joined(Instruction* x) { return Concatenated(x, random_.Of(made_)); }

  Instruction* Padded(Instruction* x) {
    const i64 low = random_.Between(-1, 2), high = random_.Between(-1, 2);
    const i64 interior = random_.Between(0, 2);
    if (SizeOf(x) * (interior + 1) > kMaxElements) return nullptr;
    PaddingConfig padding(1);
    padding[0] = PaddingDim{low, high, interior};
    return body_.AddWith(Opcode::kPad, {x, body_.Constant(type_)}, PadAttrs{padding});
  }

  Instruction* Flat(Instruction* x) {
    if (x == nullptr) return nullptr;
    return body_.Add(Opcode::kReshape, {x}, Shape(type_, {x->shape().num_elements()}));
  }

  // x0 y0 x1 y1 ...
  // Two columns side by side, read row by row.
  Instruction* Woven(Instruction* x) {
    const i64 size = SizeOf(x);
    Instruction* const y = OfSize(size);
    if (y == nullptr || 2 * size > kMaxElements) return nullptr;
    const Shape column(type_, {size, 1});
    Instruction* const left = body_.Add(Opcode::kReshape, {x}, column);
    Instruction* const right = body_.Add(Opcode::kReshape, {y}, column);
    return Flat(body_.AddWith(Opcode::kConcatenate, {left, right}, DimensionsAttrs{{1}}));
  }

  // Each element several times (0 0 1 1), or the whole row several times (0 1 0 1).
  Instruction* Repeated(Instruction* x) {
    const i64 times = random_.Between(2, 3);
    if (SizeOf(x) * times > kMaxElements) return nullptr;
    const bool is_each = random_.Percent(50);
    return Flat(is_each ? body_.BroadcastTo(x, {SizeOf(x), times}, {0})
                        : body_.BroadcastTo(x, {times, SizeOf(x)}, {1}));
  }

  // Reshaped to a matrix and transposed.
  Instruction* Turned(Instruction* x) {
    const i64 rows = random_.Between(2, 4);
    if (SizeOf(x) % rows != 0) return nullptr;
    Instruction* const matrix =
        body_.Add(Opcode::kReshape, {x}, Shape(type_, {rows, SizeOf(x) / rows}));
    return Flat(body_.AddWith(Opcode::kTranspose, {matrix}, DimensionsAttrs{{1, 0}}));
  }

  Instruction* Reversed(Instruction* x) {
    return body_.AddWith(Opcode::kReverse, {x}, DimensionsAttrs{{0}});
  }

  // An existing row of this size, or a slice of a longer one.
  Instruction* OfSize(i64 size) {
    std::vector<Instruction*> enough;
    std::ranges::copy_if(made_, std::back_inserter(enough),
                         [&](const Instruction* value) { return SizeOf(value) >= size; });
    Instruction* const value = random_.Of(enough);
    if (SizeOf(value) == size) return value;
    const i64 start = random_.Between(0, SizeOf(value) - size);
    return Part(value, start, start + size, 1);
  }

  // An operation of two rows of one size keeps the shuffles of both alive in one expression.
  Instruction* Combined(Instruction* x) {
    constexpr Opcode kOps[] = {Opcode::kAdd,      Opcode::kSubtract, Opcode::kXor,
                               Opcode::kMultiply, Opcode::kMaximum,  Opcode::kDivide};
    const Opcode op = random_.Of(kOps);
    return body_.Add(op, {x, OfSize(SizeOf(x))});
  }

  // Divides integers by its bits, or these by integers. No further step reads it.
  Instruction* Divided(Instruction* x) {
    const int bits = Info(type_).bits;
    if (bits < 8 || bits > 64) return nullptr;
    const ElementType integer = bits == 8 ? U8 : bits == 16 ? S16 : bits == 32 ? U32 : S64;
    const Shape shape(integer, {SizeOf(x)});
    Instruction* const number = body_.Add(Opcode::kBitcastConvert, {x}, shape);
    Instruction* const other = body_.Value(shape);
    const Opcode op = random_.Percent(70) ? Opcode::kDivide : Opcode::kRemainder;
    const bool is_divisor = random_.Percent(70);
    body_.Add(op, {is_divisor ? other : number, is_divisor ? number : other});
    return nullptr;
  }

  // No further step reads it.
  Instruction* Converted(Instruction* x) {
    body_.Convert(x, body_.AnyType());
    return nullptr;
  }

  Body& body_;
  Random& random_;
  const ElementType type_;
  std::vector<Instruction*> made_;
};

}  // namespace

void DrawShuffles(Body& body) {
  Shuffles(body).Draw();
}

}  // namespace axle
