// The computations of a module that are compiled so far, by how they are called.
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "axle/codegen/steps/literal_run.h"

namespace axle {

// How a computation is called: the same computation may be called in more than one way.
enum class CallForm : std::uint8_t {
  kPlain,   // results in blocks of their own
  kEntry,   // as the module's aliases say
  kUpdate,  // result i takes the place of argument i: the body of a loop
  kLanes,   // straight-line code that others apply to elements: it has no program
};

class CompiledComputations {
 public:
  // `owned` gets them, each behind its callees.
  explicit CompiledComputations(std::vector<std::unique_ptr<CompiledComputation>>& owned)
      : owned_(owned) {}

  CompiledComputation& Add(const HloComputation& computation, CallForm form) {
    CompiledComputation& compiled = *owned_.emplace_back(std::make_unique<CompiledComputation>());
    compiled.computation = &computation;
    by_form_[{&computation, form}] = &compiled;
    return compiled;
  }
  // One that was added.
  CompiledComputation& Get(const HloComputation& computation, CallForm form) const {
    return *by_form_.at({&computation, form});
  }
  // A computation that an instruction applies to elements, straight-line code or not.
  CompiledComputation& Applied(const HloComputation& computation) const {
    const auto plain = by_form_.find({&computation, CallForm::kPlain});
    return plain != by_form_.end() ? *plain->second : Get(computation, CallForm::kLanes);
  }
  std::shared_ptr<const Program> ProgramOf(const Instruction& inst, i64 i,
                                           CallForm form = CallForm::kPlain) const {
    return Get(*inst.callee(i), form).program;
  }

 private:
  std::vector<std::unique_ptr<CompiledComputation>>& owned_;
  std::map<std::pair<const HloComputation*, CallForm>, CompiledComputation*> by_form_;
};

}  // namespace axle
