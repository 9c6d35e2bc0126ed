#include "tests/codegen/random_kernels/generate.h"

#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

constexpr Primitive kIntegerJoins[] = {Primitive::kAdd, Primitive::kSub, Primitive::kMul,
                                       Primitive::kOr,  Primitive::kMin, Primitive::kMax};
constexpr Primitive kPredJoins[] = {Primitive::kAnd, Primitive::kOr,  Primitive::kXor,
                                    Primitive::kEq,  Primitive::kMin, Primitive::kMax};

void AddGather(ProgramGenerator& g) {
  const LaneType type = g.AnyType();
  const i64 num_elements = g.AnySize();
  const Term x = g.Gathered(type, num_elements);
  if (type == LaneType::kPred || g.Percent(50)) return;
  const Term y = g.Gathered(type, num_elements);
  const Primitive join = IsFloat(type) ? Primitive::kAdd : g.random().Of(kIntegerJoins);
  g.Keep(Apply2(join, x, y));
}

void AddChoice(ProgramGenerator& g) {
  const i64 num_elements = g.AnySize();
  const Term x = g.Condition(num_elements);
  const Term y = g.Condition(num_elements);
  const Term condition = Apply2(g.random().Of(kPredJoins), x, y);
  const LaneType type = g.AnyType();
  const Term on_true = g.Value(type, num_elements);
  g.Keep(Select(condition, on_true, g.AnyLike(on_true)));
}

// A choice by the condition by which elements of it were chosen before they were moved.
void AddChoiceOfMoved(ProgramGenerator& g) {
  const LaneType type = g.AnyType();
  const i64 num_elements = g.AnySize();
  const Term condition = g.Condition(num_elements);
  const Term x = g.Percent(50) ? g.Input(type, num_elements) : g.Value(type, num_elements);
  const Term y = g.Any(type, num_elements);
  const Term moved = g.Moved(Select(condition, x, y));
  const Term other = g.Percent(60) ? y : g.AnyLike(x);
  g.Keep(g.Percent(80) ? Select(condition, moved, other) : Select(condition, other, moved));
}

std::span<const Idiom> IdiomsFor(ProgramGenerator& g, LaneType type) {
  if (IsFloat(type)) return FloatIdioms();
  switch (g.random().Below(4)) {
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
Term Where(ProgramGenerator& g, const Term& computed, const Term& operand) {
  const Term condition = g.Condition(computed.num_elements());
  return g.Percent(80) ? Select(condition, computed, operand)
                       : Select(condition, operand, computed);
}

void AddIdiom(ProgramGenerator& g, LaneType type) {
  const i64 num_elements = g.AnySize();
  const Term x = g.Value(type, num_elements);
  const Term y = g.AnyLike(x);
  const Idiom idiom = g.random().Of(IdiomsFor(g, type));
  const Term result = g.Percent(15) ? idiom(g, y, x) : idiom(g, x, y);
  g.Keep(result.type() == type && g.Percent(12) ? Where(g, result, g.Percent(60) ? x : y) : result);
}

void AddStep(ProgramGenerator& g);

void AddLoop(ProgramGenerator& g) {
  g.BeginLoop();
  for (i64 k = g.random().Between(2, 7); k > 0; --k) AddStep(g);
  g.EndLoop();
}

// What only functions of few elements have; false: something else is to be added.
bool AddElementStep(ProgramGenerator& g) {
  const i64 k = g.random().Below(100);
  if (k < 7) {
    AddGather(g);
  } else if (k < 9) {
    const LaneType type = g.AnyType();
    g.Zeros(type, g.AnySize());
  } else if (k < 11) {
    const LaneType type = g.AnyType();
    g.Keep(Stored(g.Value(type, g.AnySize())));
  } else if (k < 14) {
    g.AddSliceOrUpdate();
  } else if (k < 15 && !g.is_in_loop()) {
    AddLoop(g);
  } else {
    return false;
  }
  return true;
}

void AddOperations(ProgramGenerator& g) {
  if (g.is_small() && g.Percent(1)) return AddChoiceOfMoved(g);
  const LaneType type = g.AnyType();
  if (type == LaneType::kPred) {
    AddChoice(g);
  } else {
    AddIdiom(g, type);
  }
}

void AddStep(ProgramGenerator& g) {
  if (g.is_small() && AddElementStep(g)) return;
  const size_t num_visible = g.num_visible();
  AddOperations(g);
  if (g.Percent(40)) g.HideAfter(num_visible);
}

}  // namespace

RandomProgram Generate(std::uint64_t seed, std::uint64_t index, KernelForm form) {
  ProgramGenerator g(Random(seed, index), form);
  for (i64 k = g.random().Between(1, 3); k > 0; --k) {
    const LaneType type = g.AnyType();
    g.AddInput(type, g.AnySize());
  }
  const i64 more = g.Percent(10) ? 25 : 0;
  for (i64 k = g.random().Between(3, 16) + more; k > 0; --k) AddStep(g);
  return std::move(g).Finish();
}

}  // namespace axle
