// ProgramGenerator: a random program that is being generated. It has the values so far, and ways to
// add others.
// others.
//
// Of the faults that LLVM had, most need a number that is the same whatever the inputs are, which
// it finds out after it has chosen a form for the operations around it. So in many programs integer
// constants are written as such numbers: "late" ones.
#pragma once
#include <vector>

#include "axle/gen/random.h"
#include "tests/codegen/random_kernels/term.h"

namespace axle {

class ProgramGenerator {
 public:
  ProgramGenerator(Random random, KernelForm form);
  Random& random() { return random_; }
  bool Percent(i64 percent) { return random_.Percent(percent); }
  bool is_small() const { return program_.form == KernelForm::kSmall; }

  // Types and sizes that this program has.
  LaneType AnyType() { return random_.Of(types_); }
  LaneType AnyInteger();
  i64 AnySize() { return random_.Of(sizes_); }

  // A value that is there, mostly one of the last; or a fresh one.
  Term Value(LaneType type, i64 num_elements);
  // That, or constants.
  Term Any(LaneType type, i64 num_elements);
  Term AnyLike(const Term& x) { return Any(x.type(), x.num_elements()); }
  Term Condition(i64 num_elements);
  // A comparison of two values in any direction.
  Term Ordered(const Term& x, const Term& y);
  // Bits that are special for the type.
  std::uint64_t SpecialBits(LaneType type) { return SpecialBitsOf(type, random_); }
  static std::uint64_t SpecialBitsOf(LaneType type, Random& random);
  Term Special(const Term& x) {
    const std::uint64_t bits = SpecialBits(x.type());
    return Bits(x.type(), x.num_elements(), bits);
  }
  // 0, of an integer type: LLVM may find that out late.
  Term LateZero(LaneType type, i64 num_elements);

  // Adds the operations of a term; the value is the last one.
  int Keep(const Term& term);
  Term Kept(int value) const;
  // Hides the values behind the first so many, but for the last one, from operations to come: much
  // is combined only where a value has one use.
  void HideAfter(size_t num_visible);
  size_t num_visible() const { return visible_.size(); }
  // A value of elements of others, or of zeros.
  Term Gathered(LaneType type, i64 num_elements);
  Term Zeros(LaneType type, i64 num_elements);
  // As many elements of x, in another order or some of them several times.
  Term Moved(const Term& x);
  // A part of a value at a place that is computed, read or replaced.
  void AddSliceOrUpdate();
  // Begins a loop over values that are there, and ends it. Loops do not nest.
  void BeginLoop();
  void EndLoop();
  bool is_in_loop() const { return loop_ >= 0; }

  void AddInput(LaneType type, i64 num_elements);
  Term Input(LaneType type, i64 num_elements) {
    AddInput(type, num_elements);
    return Kept(visible_.back());
  }
  RandomProgram Finish() &&;

 private:
  int Add(KernelOp op);
  int KeepConstant(const KernelOp& op);
  Term LateConstant(const KernelOp& op);
  bool IsLate(LaneType type);
  std::vector<int> Visible(LaneType type, i64 num_elements) const;
  Term Fresh(LaneType type, i64 num_elements);
  // Elements of these values by one pattern.
  Term GatheredFrom(const std::vector<int>& sources, LaneType type, i64 num_elements);
  // One of the last few, of a list that is not empty.
  int OneOfLast(const std::vector<int>& values, i64 most);

  Random random_;
  RandomProgram program_;
  std::vector<LaneType> types_;
  std::vector<i64> sizes_;
  std::vector<int> visible_;  // values that operations may use
  i64 late_percent_ = 0;      // of integer constants
  bool keeps_late_ = false;   // the constants of late numbers are early ones
  int loop_ = -1;
  std::vector<int> visible_behind_loop_;
};

}  // namespace axle
