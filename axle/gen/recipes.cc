// One table of generators for all operations. Most rows need no recipe: FindSignatures tries every
// combination of array or scalar, the type or pred, on the row's inference and keeps what it
// accepts (4^n combinations for n <= 3 operands and each element type, once per process). Rows with
// required attributes, callees or a declared shape have a recipe in recipes_*.cc. CheapOf draws
// operations with long lane programs less often, because most of the time of a check goes into code
// generation.
//
// The second half draws scalar functions: reducers (associative ones, argmax-like selections,
// arbitrary ones) and comparators (one key, several keys with tie breaking, and inconsistent
// orders).

#include "axle/gen/recipes.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "axle/core/strings.h"
#include "axle/gen/patterns.h"
#include "axle/ops/lanes/lane_compiler.h"

namespace axle {
namespace {

// One operand of a signature: the type under test or pred, as an array or a scalar.
struct OperandKind {
  bool is_pred = false;
  bool is_scalar = false;
};
struct Signature {
  ElementType type;
  std::vector<OperandKind> operands;
};

constexpr std::pair<Opcode, std::string_view> kNotDrawn[] = {
    {Opcode::kInfeed, "waits for values from the host"},
    {Opcode::kOutfeed, "waits for the host to take values"},
    {Opcode::kRecv, "waits for a send of another device or of the host"},
    {Opcode::kRecvDone, "waits for a send of another device or of the host"},
    {Opcode::kSend, "waits for a recv of another device or of the host"},
    {Opcode::kSendDone, "waits for a recv of another device or of the host"},
};

bool HasDefaultAttributes(const OpDef& def) {
  return std::ranges::none_of(
      def.attrs.specs, [](const AttrSpec& spec) { return spec.presence == Presence::kRequired; });
}

// An operation is generic if inference alone decides about it: no callees, no required attributes,
// no declared shape and a fixed number of operands.
bool IsGeneric(const OpDef& def) {
  return !def.declared_shape && def.callees.empty() && HasDefaultAttributes(def) &&
         def.operands.size() <= 3 && def.parens == ParenSyntax::kOperands &&
         std::ranges::none_of(def.operands, [](const OperandSpec& s) { return s.variadic; });
}

// Every combination of array or scalar, the type or pred, that the row accepts.
std::vector<Signature> FindSignatures(const OpDef& def) {
  std::vector<Signature> found;
  if (!IsGeneric(def)) return found;
  GeneratorState state("signatures", Random(0));
  Body body(state, state.module.AddComputation("c"), 1);
  const size_t count = def.operands.size();
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsArrayType(info.type)) continue;
    // Indexed by 2 * is_pred + is_scalar.
    const std::array<Instruction*, 4> choices = {
        body.Parameter(Shape(info.type, {2, 3}), 0), body.Parameter(Shape(info.type), 1),
        body.Parameter(Shape(PRED, {2, 3}), 2), body.Parameter(Shape(PRED), 3)};
    // Two bits of `code` choose the kind of one operand.
    for (int code = 0; code < 1 << (2 * count); ++code) {
      std::vector<Instruction*> operands;
      Signature signature = {info.type, {}};
      bool has_array = count == 0, has_type = count == 0;
      for (size_t i = 0; i < count; ++i) {
        const int choice = code >> (2 * i) & 3;
        operands.push_back(choices[choice]);
        signature.operands.push_back({choice >= 2, choice % 2 == 1});
        has_array = has_array || choice % 2 == 0;
        has_type = has_type || choice < 2;
      }
      // At least one operand must be an array and one must have the type, or the signature says
      // nothing about either.
      if (!has_array || !has_type || body.Add(def.opcode, operands, {}) == nullptr) continue;
      found.push_back(std::move(signature));
      if (count == 0) return found;
      // For pred the kinds "type" and "pred" are the same: the first accepted signature is enough.
      if (info.type == PRED) break;
    }
  }
  return found;
}

struct Table {
  std::array<std::vector<Signature>, kOpcodeCount> signatures;
  std::array<DrawFn, kOpcodeCount> recipes = {};
  std::vector<const OpDef*> drawn;
  std::vector<const OpDef*> lanes;  // elementwise, with signatures
};

// Built once per process, at its first use, and never freed. Its contents do not depend on a seed.
const Table& GetTable() {
  static const Table* const kTable = [] {
    auto* table = new Table;
    for (const auto recipes :
         {MovementRecipes(), NumericRecipes(), FoldRecipes(), ControlRecipes(), DeviceRecipes()}) {
      for (const Recipe& recipe : recipes) {
        table->recipes[static_cast<int>(recipe.opcode)] = recipe.draw;
      }
    }
    for (const OpDef* def : AllOpDefs()) {
      const auto i = static_cast<size_t>(def->opcode);
      if (table->recipes[i] == nullptr) table->signatures[i] = FindSignatures(*def);
      if (table->recipes[i] == nullptr && table->signatures[i].empty()) continue;
      table->drawn.push_back(def);
      if (!table->signatures[i].empty() && def->lowering == Lowering::kElementwise) {
        table->lanes.push_back(def);
      }
    }
    return table;
  }();
  return *kTable;
}

// Operands of one shape, with scalars where the signature has them. A value that the body prefers
// takes the place of an operand of its type and thereby decides about the dimensions of the others.
Instruction* DrawFromSignature(Body& body, const OpDef& def, ElementType type) {
  std::vector<const Signature*> fitting;
  for (const Signature& s : GetTable().signatures[static_cast<size_t>(def.opcode)]) {
    if (s.type == type || s.operands.empty()) fitting.push_back(&s);
  }
  if (fitting.empty()) {
    // Tried once more so that the body records the refusal.
    const std::vector<Instruction*> operands(def.operands.size(), body.Array(type));
    return body.Add(def.opcode, operands, {});
  }
  const Signature& signature = *body.random().Of(fitting);
  const auto type_of = [&](OperandKind kind) { return kind.is_pred ? PRED : type; };
  // The first array decides about the dimensions; the others follow.
  std::vector<Instruction*> operands(signature.operands.size());
  const Shape* lead = nullptr;
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandKind kind = signature.operands[i];
    const Instruction* preferred = body.preferred();
    const bool is_its = preferred != nullptr && preferred->shape().type() == type_of(kind);
    if (kind.is_scalar) {
      operands[i] = body.Value(Shape(type_of(kind)));
    } else if (lead == nullptr) {
      operands[i] = preferred == nullptr || is_its
                        ? body.Array(type_of(kind))
                        : body.Value(Shape(type_of(kind), preferred->shape().dims()));
      if (operands[i] != nullptr) lead = &operands[i]->shape();
    } else if (is_its && preferred->shape().dims() == lead->dims()) {
      operands[i] = body.Array(type_of(kind));
    } else {
      operands[i] = body.random().Percent(10) && type_of(kind) == lead->type()
                        ? operands[0]
                        : body.Value(Shape(type_of(kind), lead->dims()));
    }
  }
  return body.Add(def.opcode, operands, {});
}

// Operations of the lane program of an op on this type; 0 if it is none of GetTable().lanes.
// The cost is measured once per operation and type on a scrap module. Concurrent calls compute the
// same number, so that relaxed caching in atomics is enough.
i64 LaneCost(const OpDef& def, ElementType type) {
  static std::array<std::array<std::atomic<std::int32_t>, kNumElementTypes>, kOpcodeCount> costs;
  std::atomic<std::int32_t>& known = costs[static_cast<size_t>(def.opcode)][type];
  if (known == 0) {
    GeneratorState state("cost", Random(0));
    Body body(state, state.module.AddComputation("c"), 1);
    body.OnlyScalars();
    std::optional<LaneProgram> program;
    const bool is_lane = std::ranges::find(GetTable().lanes, &def) != GetTable().lanes.end();
    Instruction* inst = is_lane ? DrawFromSignature(body, def, type) : nullptr;
    if (inst != nullptr && body.Finish(inst).ok()) {
      program = CompileScalarComputation(*body.computation());
    }
    known = program ? static_cast<std::int32_t>(program->code.size()) + 1 : 1;
  }
  return known - 1;
}

// A random operation, seldom one with a long lane program for this type: every operation is the
// subject of enough modules anyway, and most of the time of a check goes into code generation.
const OpDef& CheapOf(Body& body, std::span<const OpDef* const> ops, ElementType type) {
  constexpr i64 kCheap = 32;
  const OpDef* def = body.random().Of(ops);
  for (int tries = 0; tries < 4; ++tries) {
    if (body.random().Below(std::max<i64>(LaneCost(*def, type), 1)) < kCheap) break;
    def = body.random().Of(ops);
  }
  return *def;
}

}  // namespace

std::span<const OpDef* const> DrawnOps() {
  return GetTable().drawn;
}

std::string_view WhyNotDrawn(Opcode opcode) {
  for (const auto& [op, reason] : kNotDrawn) {
    if (op == opcode) return reason;
  }
  return "";
}

// The elements of a tuple result become values of their own, at random, because a result of which
// some outputs are unused is a case of its own for the compiler.
Instruction* Draw(Body& body, const OpDef& def, ElementType type) {
  const DrawFn recipe = GetTable().recipes[static_cast<size_t>(def.opcode)];
  Instruction* inst = recipe != nullptr ? recipe(body, type) : DrawFromSignature(body, def, type);
  if (inst == nullptr || !inst->shape().is_tuple()) return inst;
  // All elements in the end, or only some.
  const bool all = body.random().Percent(60);
  const i64 count = inst->shape().num_tuple_elements();
  for (i64 i = 0; i < count; ++i) {
    const Shape& element = inst->shape().element(i);
    if (!element.is_array() || !(all || i == 0 || body.random().Percent(50))) continue;
    body.Element(inst, i);
  }
  return inst;
}

void DrawSome(Body& body, int count) {
  for (int i = 0; i < count && body.HasRoom(); ++i) {
    const ElementType type = body.AnyType();
    const OpDef& def = CheapOf(body, DrawnOps(), type);
    // Operations with callees are rare inside of callees.
    if (!def.callees.empty() && body.random().Percent(body.depth() == 0 ? 40 : 80)) continue;
    if (!def.callees.empty() && body.depth() >= 3) continue;
    Draw(body, def, type);
  }
}

void DrawLanes(Body& body, int count) {
  for (int i = 0; i < count && body.HasRoom(); ++i) {
    const ElementType type = body.AnyType();
    Draw(body, CheapOf(body, GetTable().lanes, type), type);
  }
}

// A conditional between two scalar functions, which the lane compiler turns into a select.
Instruction* DrawScalarBranch(Body& body, ElementType type) {
  Instruction* const operand = body.Value(Shape(type));
  Instruction* const pred = body.Value(Shape(PRED));
  HloComputation* callees[2];
  for (HloComputation*& callee : callees) {
    callee = DrawScalarFunction(body, {&type, 1}, {&type, 1});
    if (callee == nullptr) return nullptr;
  }
  Instruction* const operands[] = {pred, operand, operand};
  return body.Add(Opcode::kConditional, operands, {}, callees);
}

// A loop that applies a scalar function up to three times, for computations that reductions and
// maps apply.
Instruction* DrawScalarLoop(Body& body, ElementType type) {
  const i64 trips = body.random().Between(0, 3);
  const Shape state = Shape::Tuple({Shape(type), Shape(S32)});
  Body condition = body.Nested({&state, 1}, trips + 1);
  Instruction* whole = condition.computation()->instructions()[0];
  Instruction* const goes_on = condition.AddWith(
      Opcode::kCompare,
      {condition.Element(whole, 1), condition.Constant(S32, static_cast<double>(trips))},
      CompareAttrs{ComparisonDirection::kLt});
  if (!condition.Finish(goes_on).ok()) return nullptr;
  Body step = body.Nested({&state, 1}, std::max<i64>(trips, 1));
  whole = step.computation()->instructions()[0];
  HloComputation* const applied = DrawScalarFunction(step, {&type, 1}, {&type, 1});
  if (applied == nullptr) return nullptr;
  Instruction* const next =
      step.AddWith(Opcode::kCall, {step.Element(whole, 0)}, CallAttrs{}, {applied});
  Instruction* const counter =
      step.Add(Opcode::kAdd, {step.Element(whole, 1), step.Constant(S32, 1)});
  if (next == nullptr || !step.Finish(step.Add(Opcode::kTuple, {next, counter})).ok()) {
    return nullptr;
  }
  HloComputation* const callees[] = {condition.computation(), step.computation()};
  Instruction* const init[] = {
      body.Add(Opcode::kTuple, {body.Value(Shape(type)), body.Constant(S32, 0)})};
  Instruction* const loop = body.Add(Opcode::kWhile, init, {}, callees);
  return loop == nullptr ? nullptr : body.Element(loop, 0);
}

// The body works on scalars only, except in one case of twenty, where an array makes the function
// more than scalar arithmetic. The roots are the last values of the result types.
HloComputation* DrawScalarFunction(Body& body, std::span<const ElementType> parameters,
                                   std::span<const ElementType> results, bool as_tuple) {
  std::vector<Shape> shapes;
  for (const ElementType type : parameters) shapes.emplace_back(type);
  Body nested = body.Nested(shapes);
  if (nested.random().Percent(95)) nested.OnlyScalars();
  for (i64 i = nested.random().Between(1, 4); i > 0; --i) {
    const ElementType type = nested.random().Of(parameters);
    Draw(nested, CheapOf(nested, GetTable().lanes, type), type);
  }
  // 12 % of the functions have control flow, 6 % a chain of idioms.
  const i64 control = nested.random().Below(100);
  if (control < 8) DrawScalarBranch(nested, results[0]);
  if (control >= 8 && control < 12) DrawScalarLoop(nested, results[0]);
  if (control >= 12 && control < 18) {
    control < 16 ? DrawIntegers(nested) : DrawFloats(nested);
    nested.Convert(nested.values().back(), results[0]);
  }
  std::vector<Instruction*> roots;
  for (const ElementType type : results) {
    Instruction* last = nullptr;
    for (Instruction* value : nested.values()) {
      if (value->shape() == Shape(type)) last = value;
    }
    roots.push_back(last != nullptr ? last : nested.Value(Shape(type)));
  }
  Instruction* root = roots[0];
  if (roots.size() > 1 || as_tuple) root = nested.Add(Opcode::kTuple, roots, {});
  return nested.Finish(root).ok() ? nested.computation() : nullptr;
}

// 15 % are arbitrary functions. The others combine each component by a known operation or, with
// several components or complex types, may select by comparison, as argmax has it: these are the
// forms that ClassifyReducer knows (ops/lanes/reducer.h).
HloComputation* DrawReducer(Body& body, std::span<const ElementType> types) {
  constexpr Opcode kSimple[] = {Opcode::kAdd,     Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum,
                                Opcode::kMinimum, Opcode::kAnd, Opcode::kOr};
  std::vector<ElementType> both(types.begin(), types.end());
  both.insert(both.end(), types.begin(), types.end());
  Random& random = body.random();
  const i64 kind = random.Below(100);
  if (kind < 15) return DrawScalarFunction(body, both, types);
  std::vector<Shape> shapes;
  for (const ElementType type : both) shapes.emplace_back(type);
  Body nested = body.Nested(shapes);
  const std::vector<Instruction*> arguments = nested.values();
  const auto n = static_cast<i64>(types.size());
  std::vector<Instruction*> roots;
  const bool is_complex = IsComplex(types[0]);
  if ((n > 1 || is_complex) && kind < 60) {  // as argmax does
    Instruction *lhs = arguments[0], *rhs = arguments[n];
    if (is_complex) {
      const Opcode part = random.Of({Opcode::kReal, Opcode::kImag, Opcode::kAbs});
      lhs = nested.Add(part, {lhs}), rhs = nested.Add(part, {rhs});
    }
    Instruction* first =
        nested.AddWith(Opcode::kCompare, {lhs, rhs},
                       CompareAttrs{.direction = random.Percent(50) ? ComparisonDirection::kGe
                                                                    : ComparisonDirection::kLe});
    for (i64 i = 0; i < n && first != nullptr; ++i) {
      if (i > 0 && random.Percent(50))
        break;  // the other components are independent of the selection
      roots.push_back(nested.Add(Opcode::kSelect, {first, arguments[i], arguments[n + i]}));
    }
  }
  for (i64 i = static_cast<i64>(roots.size()); i < n; ++i) {
    Instruction* result = nullptr;
    for (int tries = 0; result == nullptr && tries < 20; ++tries) {
      const bool swapped = random.Percent(10);
      result = nested.Add(random.Of(kSimple),
                          {arguments[swapped ? n + i : i], arguments[swapped ? i : n + i]});
    }
    roots.push_back(result == nullptr ? arguments[i] : result);
  }
  Instruction* root = n > 1 ? nested.Add(Opcode::kTuple, roots, {}) : roots[0];
  return nested.Finish(root).ok() ? nested.computation() : nullptr;
}

// Half of the comparators compare one key. The others add up to two keys that break ties, computed
// from one element, from both, or by a call; some of them are no strict order on purpose, for which
// sort must still end and stay within its array.
HloComputation* DrawComparator(Body& body, std::span<const ElementType> types) {
  using enum ComparisonDirection;
  std::vector<Shape> shapes;
  for (const ElementType type : types) shapes.insert(shapes.end(), 2, Shape(type));
  Body nested = body.Nested(shapes);
  Random& random = body.random();
  const std::vector<Instruction*> arguments = nested.values();
  const auto compare = [&](i64 key, Instruction* lhs, Instruction* rhs,
                           ComparisonDirection direction) {
    const bool is_total = IsFloating(types[key]) && random.Percent(60);
    return nested.AddWith(
        Opcode::kCompare, {lhs, rhs},
        CompareAttrs{.direction = direction,
                     .type = is_total ? ComparisonType::kTotalOrder : ComparisonType::kDefault});
  };
  const auto any_key = [&] { return random.Below(static_cast<i64>(types.size())); };
  i64 key = any_key();
  Instruction *lhs = arguments[2 * key], *rhs = arguments[2 * key + 1];
  const bool is_simple = random.Percent(50);
  Instruction* root = compare(key, lhs, rhs, random.Of({kLt, kGt}));
  // More keys that break ties, or that make the order inconsistent; keys are computed from one
  // element or from both.
  for (i64 more = is_simple ? 0 : random.Between(1, 2); more > 0 && root != nullptr; --more) {
    Instruction* tie = compare(key, lhs, rhs, kEq);
    key = any_key();
    lhs = arguments[2 * key], rhs = arguments[2 * key + 1];
    const i64 kind = random.Below(10);
    if (kind < 3) {
      const Opcode op = random.Of({Opcode::kNegate, Opcode::kAbs});
      Instruction *left = nested.Add(op, {lhs}), *right = nested.Add(op, {rhs});
      if (left != nullptr && right != nullptr) lhs = left, rhs = right;
    } else if (kind == 3) {
      HloComputation* const of_key = DrawScalarFunction(nested, {&types[key], 1}, {&types[key], 1});
      if (of_key == nullptr) return nullptr;
      lhs = nested.AddWith(Opcode::kCall, {lhs}, CallAttrs{}, {of_key});
      rhs = nested.AddWith(Opcode::kCall, {rhs}, CallAttrs{}, {of_key});
    } else if (kind < 6) {
      if (Instruction* both = nested.Add(Opcode::kMultiply, {lhs, rhs})) lhs = both;
    }
    Instruction* next = compare(key, lhs, rhs, random.Of({kLt, kGt, kLe, kGe, kNe}));
    if (tie == nullptr || next == nullptr) return nullptr;
    if (random.Percent(70)) next = nested.Add(Opcode::kAnd, {tie, next});
    root = nested.Add(random.Percent(80) ? Opcode::kOr : Opcode::kXor, {root, next});
  }
  return root != nullptr && nested.Finish(root).ok() ? nested.computation() : nullptr;
}

}  // namespace axle
