#include "tests/codegen/random_kernels/generate.h"

#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

constexpr Primitive kIntegerJoins[] = {Primitive::kAdd, Primitive::kSub, Primitive::kMul,
                                       Primitive::kOr,  Primitive::kMin, Primitive::kMax};
constexpr Primitive kPredJoins[] = {Primitive::kAnd, Primitive::kOr,  Primitive::kXor,
                                    Primitive::kEq,  Primitive::kMin, Primitive::kMax};

void AddGather(Drawing& d) {
  const LaneType type = d.AnyType();
  const i64 num_elements = d.AnySize();
  const Term x = d.Gathered(type, num_elements);
  if (type == LaneType::kPred || d.Percent(50)) return;
  const Term y = d.Gathered(type, num_elements);
  const Primitive join = IsFloat(type) ? Primitive::kAdd : d.random().Of(kIntegerJoins);
  d.Keep(Apply2(join, x, y));
}

void AddChoice(Drawing& d) {
  const i64 num_elements = d.AnySize();
  const Term x = d.Condition(num_elements);
  const Term y = d.Condition(num_elements);
  const Term condition = Apply2(d.random().Of(kPredJoins), x, y);
  const LaneType type = d.AnyType();
  const Term on_true = d.Value(type, num_elements);
  d.Keep(Select(condition, on_true, d.AnyLike(on_true)));
}

// A choice by the condition by which elements of it were chosen before they were moved.
void AddChoiceOfMoved(Drawing& d) {
  const LaneType type = d.AnyType();
  const i64 num_elements = d.AnySize();
  const Term condition = d.Condition(num_elements);
  const Term x = d.Percent(50) ? d.Input(type, num_elements) : d.Value(type, num_elements);
  const Term y = d.Any(type, num_elements);
  const Term moved = d.Moved(Select(condition, x, y));
  const Term other = d.Percent(60) ? y : d.AnyLike(x);
  d.Keep(d.Percent(80) ? Select(condition, moved, other) : Select(condition, other, moved));
}

std::span<const Idiom> IdiomsFor(Drawing& d, LaneType type) {
  if (IsFloat(type)) return FloatIdioms();
  switch (d.random().Below(4)) {
    case 0:
      return IntegerArithmeticIdioms();
    case 1:
      return ChoiceIdioms();
    case 2:
      return BitIdioms();
    default:
      return WidthIdioms();
  }
}

// A choice between what was computed and a number that it was computed from: processors with
// AVX-512 have that of most operations as one instruction.
Term Where(Drawing& d, const Term& computed, const Term& operand) {
  const Term condition = d.Condition(computed.num_elements());
  return d.Percent(80) ? Select(condition, computed, operand)
                       : Select(condition, operand, computed);
}

void AddIdiom(Drawing& d, LaneType type) {
  const i64 num_elements = d.AnySize();
  const Term x = d.Value(type, num_elements);
  const Term y = d.AnyLike(x);
  const Idiom idiom = d.random().Of(IdiomsFor(d, type));
  const Term result = d.Percent(15) ? idiom(d, y, x) : idiom(d, x, y);
  d.Keep(result.type() == type && d.Percent(12) ? Where(d, result, d.Percent(60) ? x : y) : result);
}

void AddStep(Drawing& d);

void AddLoop(Drawing& d) {
  d.BeginLoop();
  for (i64 k = d.random().Between(2, 7); k > 0; --k) AddStep(d);
  d.EndLoop();
}

// What only functions of few elements have; false: something else is to be added.
bool AddElementStep(Drawing& d) {
  const i64 k = d.random().Below(100);
  if (k < 7) {
    AddGather(d);
  } else if (k < 9) {
    const LaneType type = d.AnyType();
    d.Zeros(type, d.AnySize());
  } else if (k < 11) {
    const LaneType type = d.AnyType();
    d.Keep(Stored(d.Value(type, d.AnySize())));
  } else if (k < 14) {
    d.AddSliceOrUpdate();
  } else if (k < 15 && !d.is_in_loop()) {
    AddLoop(d);
  } else {
    return false;
  }
  return true;
}

void AddOperations(Drawing& d) {
  if (d.is_small() && d.Percent(1)) return AddChoiceOfMoved(d);
  const LaneType type = d.AnyType();
  if (type == LaneType::kPred) {
    AddChoice(d);
  } else {
    AddIdiom(d, type);
  }
}

void AddStep(Drawing& d) {
  if (d.is_small() && AddElementStep(d)) return;
  const size_t num_visible = d.num_visible();
  AddOperations(d);
  if (d.Percent(40)) d.HideAfter(num_visible);
}

}  // namespace

RandomProgram Generate(std::uint64_t seed, std::uint64_t index, KernelForm form) {
  Drawing d(Random(seed, index), form);
  for (i64 k = d.random().Between(1, 3); k > 0; --k) {
    const LaneType type = d.AnyType();
    d.AddInput(type, d.AnySize());
  }
  const i64 more = d.Percent(10) ? 25 : 0;
  for (i64 k = d.random().Between(3, 16) + more; k > 0; --k) AddStep(d);
  return std::move(d).Finish();
}

}  // namespace axle
