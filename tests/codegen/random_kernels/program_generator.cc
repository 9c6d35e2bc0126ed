#include "tests/codegen/random_kernels/program_generator.h"

#include <algorithm>
#include <set>

namespace axle {
namespace {

constexpr i64 kSizes[] = {1, 1, 1, 2, 3, 4, 4, 5, 6, 8, 8, 13, 16, 16, 20};
constexpr Primitive kJoins[] = {Primitive::kAdd, Primitive::kAdd, Primitive::kMul, Primitive::kMin,
                                Primitive::kMax, Primitive::kAnd, Primitive::kOr};
constexpr i64 kInnerSizes[] = {5, 16, 53, 64, 64, 130};

LaneType TypeOf(i64 number) {
  return static_cast<LaneType>(number);
}
bool IsInteger(LaneType type) {
  return type != LaneType::kPred && !IsFloat(type);
}
bool IsConstant(const KernelOp& op) {
  return op.kind == KernelOpKind::kConstant || op.kind == KernelOpKind::kNumbers;
}

std::vector<LaneType> SomeTypes(Random& random) {
  std::vector<LaneType> types;
  if (random.Percent(20)) {
    for (int type = 0; type < kNumLaneTypes; ++type) types.push_back(TypeOf(type));
    return types;
  }
  for (i64 k = random.Between(1, 4); k > 0; --k) {
    LaneType type = TypeOf(random.Below(kNumLaneTypes));
    if (random.Percent(15)) type = random.Percent(50) ? LaneType::kU64 : LaneType::kS64;
    types.push_back(type);
  }
  if (std::none_of(types.begin(), types.end(), IsInteger)) {
    types.push_back(TypeOf(random.Between(1, 8)));
  }
  return types;
}

InnerStride AnyStride(Random& random) {
  const i64 k = random.Below(20);
  if (k < 13) return InnerStride::kUnit;
  return k < 16 ? InnerStride::kUniform : k < 18 ? InnerStride::kOne : InnerStride::kAny;
}

}  // namespace

ProgramGenerator::ProgramGenerator(Random random, KernelForm form) : random_(random) {
  program_.form = form;
  types_ = SomeTypes(random_);
  if (form == KernelForm::kLoop) {
    sizes_ = {1};
    program_.inner = random_.Of(kInnerSizes);
    program_.rows = random_.Of({1, 3, 5});
    if (Percent(40)) program_.join = random_.Of(kJoins);
    program_.lanes = random_.Of({16, 16, 32, 64});
  } else {
    sizes_ = {random_.Of(kSizes)};
    if (Percent(50)) sizes_.push_back(random_.Of(kSizes));
    if (Percent(25)) sizes_.push_back(1);
    program_.loads_apart = Percent(50);
  }
  late_percent_ = random_.Of({0, 0, 20, 50, 50});
}

LaneType ProgramGenerator::AnyInteger() {
  while (true) {
    const LaneType type = AnyType();
    if (IsInteger(type)) return type;
  }
}

Term ProgramGenerator::Kept(int value) const {
  return Term::Make(program_.ops[value], {}, value);
}

int ProgramGenerator::Add(KernelOp op) {
  program_.ops.push_back(std::move(op));
  const int value = static_cast<int>(program_.ops.size()) - 1;
  visible_.push_back(value);
  return value;
}

void ProgramGenerator::AddInput(LaneType type, i64 num_elements) {
  KernelOp op{KernelOpKind::kInput, type, num_elements};
  if (!is_small()) op.stride = AnyStride(random_);
  Add(std::move(op));
}

void ProgramGenerator::HideAfter(size_t num_visible) {
  if (visible_.size() <= num_visible + 1) return;
  visible_.erase(visible_.begin() + static_cast<i64>(num_visible), visible_.end() - 1);
}

int ProgramGenerator::Keep(const Term& term) {
  const Term::Node& node = term.node();
  if (node.value >= 0) return node.value;
  KernelOp op = node.op;
  for (const Term& operand : node.operands) op.operands.push_back(Keep(operand));
  node.value = op.kind == KernelOpKind::kConstant ? KeepConstant(op) : Add(std::move(op));
  return node.value;
}

int ProgramGenerator::KeepConstant(const KernelOp& op) {
  if (!IsLate(op.type)) return Add(op);
  keeps_late_ = true;
  const int value = Keep(LateConstant(op));
  keeps_late_ = false;
  return value;
}

bool ProgramGenerator::IsLate(LaneType type) {
  return !keeps_late_ && IsInteger(type) && Percent(late_percent_);
}

std::vector<int> ProgramGenerator::Visible(LaneType type, i64 num_elements) const {
  std::vector<int> values;
  for (const int value : visible_) {
    const KernelOp& op = program_.ops[value];
    if (op.type == type && op.num_elements == num_elements && !IsConstant(op)) {
      values.push_back(value);
    }
  }
  return values;
}

int ProgramGenerator::OneOfLast(const std::vector<int>& values, i64 most) {
  const i64 size = static_cast<i64>(values.size());
  return values[size - 1 - random_.Below(std::min(size, most))];
}

Term ProgramGenerator::Value(LaneType type, i64 num_elements) {
  const std::vector<int> values = Visible(type, num_elements);
  if (values.empty() || Percent(4)) return Fresh(type, num_elements);
  return Kept(Percent(65) ? OneOfLast(values, 4) : random_.Of(values));
}

Term ProgramGenerator::Fresh(LaneType type, i64 num_elements) {
  if (!Percent(40)) {
    if (type == LaneType::kPred) {
      const Term x = Value(AnyInteger(), num_elements);
      return x == AnyLike(x);
    }
    if (IsFloat(type)) return FloatOf(type, Value(AnyInteger(), num_elements));
    std::vector<int> others;
    for (const int value : visible_) {
      const KernelOp& op = program_.ops[value];
      if (op.num_elements == num_elements && IsInteger(op.type)) others.push_back(value);
    }
    if (!others.empty()) {
      const Term x = Kept(OneOfLast(others, 6));
      return BytesOf(x.type()) == BytesOf(type) ? Cast(type, x) : Resized(type, x);
    }
  }
  return Input(type, num_elements);
}

Term ProgramGenerator::Any(LaneType type, i64 num_elements) {
  if (!Percent(25)) return Value(type, num_elements);
  if (!is_small() || Percent(70)) return Bits(type, num_elements, SpecialBits(type));
  KernelOp op{KernelOpKind::kNumbers, type, num_elements};
  for (i64 k = 0; k < num_elements; ++k) op.numbers.push_back(SpecialBits(type));
  return Kept(Add(std::move(op)));
}

Term ProgramGenerator::Ordered(const Term& x, const Term& y) {
  const i64 k = random_.Below(4);
  return k == 0 ? x < y : k == 1 ? x <= y : k == 2 ? y < x : y <= x;
}

Term ProgramGenerator::Condition(i64 num_elements) {
  if (Percent(40)) return Value(LaneType::kPred, num_elements);
  LaneType type = AnyInteger();
  if (Percent(25)) type = Percent(70) ? LaneType::kF32 : LaneType::kF64;
  const Term x = Value(type, num_elements);
  const Term y = AnyLike(x);
  const Term compared = Percent(25) ? x == y : Ordered(x, y);
  return Percent(20) ? !compared : compared;
}

void ProgramGenerator::BeginLoop() {
  KernelOp op{KernelOpKind::kLoop};
  for (i64 k = random_.Between(1, 3); k > 0; --k) {
    const LaneType type = AnyType();
    op.operands.push_back(Keep(Any(type, AnySize())));
  }
  op.immediate = static_cast<std::uint64_t>(random_.Between(1, RandomProgram::kMaxTurns));
  const std::vector<int> initial = op.operands;
  loop_ = Add(std::move(op));
  visible_.pop_back();
  for (const int value : initial) {
    Add({KernelOpKind::kState, program_.ops[value].type, program_.ops[value].num_elements});
  }
  visible_behind_loop_ = visible_;
}

void ProgramGenerator::EndLoop() {
  KernelOp op{KernelOpKind::kNext};
  const size_t num_states = program_.ops[loop_].operands.size();
  for (size_t k = 1; k <= num_states; ++k) {
    const KernelOp state = program_.ops[loop_ + k];
    op.operands.push_back(Keep(Value(state.type, state.num_elements)));
  }
  Add(std::move(op));
  visible_ = visible_behind_loop_;
  loop_ = -1;
}

RandomProgram ProgramGenerator::Finish() && {
  std::vector<int> values;
  for (const int value : visible_) {
    if (program_.ops[value].kind >= KernelOpKind::kPrimitive) values.push_back(value);
  }
  if (values.empty()) values.push_back(visible_.back());
  std::set<int> results = {values.back()};
  for (i64 k = random_.Below(3); k > 0; --k) results.insert(OneOfLast(values, 12));
  program_.results.assign(results.begin(), results.end());
  return Trimmed(program_);
}

}  // namespace axle
