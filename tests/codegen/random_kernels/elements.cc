// Values of elements of other values: what shuffles and memory are for.
#include <algorithm>

#include "tests/codegen/random_kernels/program_generator.h"

namespace axle {
namespace {

// Patterns that code generators know, and any element.
enum class Pattern { kSame, kEven, kOdd, kReversed, kTwice, kNext, kFirst, kAny };
constexpr i64 kNumPatterns = 8;

i64 ElementOf(Pattern pattern, i64 k, i64 size, Random& random) {
  switch (pattern) {
    case Pattern::kSame:
      return k;
    case Pattern::kEven:
      return 2 * k;
    case Pattern::kOdd:
      return 2 * k + 1;
    case Pattern::kReversed:
      return size - 1 - k % size;
    case Pattern::kTwice:
      return k / 2;
    case Pattern::kNext:
      return k + 1;
    case Pattern::kFirst:
      return 0;
    case Pattern::kAny:
      return random.Below(size);
  }
  return 0;
}

}  // namespace

Term ProgramGenerator::Zeros(LaneType type, i64 num_elements) {
  return Kept(Add({KernelOpKind::kGather, type, num_elements}));
}

Term ProgramGenerator::Gathered(LaneType type, i64 num_elements) {
  std::vector<int> values;
  for (const int value : visible_) {
    if (program_.ops[value].type == type) values.push_back(value);
  }
  if (values.empty()) values.push_back(Keep(Value(type, AnySize())));
  std::vector<int> sources;
  for (i64 k = random_.Between(1, 3); k > 0; --k) {
    sources.push_back(Percent(60) ? OneOfLast(values, 5) : random_.Of(values));
  }
  return GatheredFrom(sources, type, num_elements);
}

Term ProgramGenerator::Moved(const Term& x) {
  return GatheredFrom({Keep(x)}, x.type(), x.num_elements());
}

Term ProgramGenerator::GatheredFrom(const std::vector<int>& sources, LaneType type,
                                    i64 num_elements) {
  const auto pattern = static_cast<Pattern>(random_.Below(kNumPatterns));
  const i64 num_sources = static_cast<i64>(sources.size());
  KernelOp op{KernelOpKind::kGather, type, num_elements};
  for (i64 k = 0; k < num_elements; ++k) {
    int source = sources[k * num_sources / num_elements];
    if (pattern == Pattern::kTwice) source = sources[k % num_sources];
    if (pattern == Pattern::kAny) source = random_.Of(sources);
    const i64 size = program_.ops[source].num_elements;
    op.operands.push_back(source);
    op.elements.push_back(ElementOf(pattern, k, size, random_) % size);
  }
  return Kept(Add(std::move(op)));
}

void ProgramGenerator::AddSliceOrUpdate() {
  const LaneType type = AnyType();
  const i64 a = AnySize();
  const i64 b = AnySize();
  const Term operand = Value(type, std::max(a, b));
  const i64 size = std::min(a, b);
  const Term start_index = Any(LaneType::kU64, size);
  if (Percent(60)) {
    KernelOp op{KernelOpKind::kUpdate, type, std::max(a, b)};
    Keep(Term::Make(op, {operand, Value(type, size), start_index}));
  } else {
    Keep(Term::Make({KernelOpKind::kSlice, type, size}, {operand, start_index}));
  }
}

}  // namespace axle
