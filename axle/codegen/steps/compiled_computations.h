// The computations of a module that are compiled so far, by how they are called.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "axle/codegen/schedule/regions.h"
#include "axle/codegen/steps/literal_run.h"

namespace axle {

// How a computation is called: the same computation may be called in more than one way.
struct CallForm {
  enum class Kind : std::uint8_t {
    kPlain,   // results in blocks of their own
    kEntry,   // as the module's aliases say
    kUpdate,  // results take the places of arguments: the body of a loop, a branch
    kLanes,   // straight-line code that others apply to elements: it has no program
  };
  Kind kind = Kind::kPlain;
  // Of kUpdate: by result, or -1 for one with a block of its own.
  std::vector<std::int32_t> argument_of_result = {};

  auto operator<=>(const CallForm&) const = default;
  static CallForm Entry() { return {Kind::kEntry}; }
  static CallForm Lanes() { return {Kind::kLanes}; }
  // Of callee i of a region that runs programs.
  static CallForm Of(const ControlRegion& control, size_t i) {
    if (control.updates.empty()) return {};
    const std::vector<std::int32_t>& updates = control.updates[i];
    const bool updates_any = std::ranges::any_of(updates, [](std::int32_t a) { return a >= 0; });
    return updates_any ? CallForm{Kind::kUpdate, updates} : CallForm();
  }
};

class CompiledComputations {
 public:
  // `owned` gets them, each behind its callees.
  explicit CompiledComputations(std::vector<std::unique_ptr<CompiledComputation>>& owned)
      : owned_(owned) {}

  CompiledComputation& Add(const HloComputation& computation, const CallForm& form) {
    CompiledComputation& compiled = *owned_.emplace_back(std::make_unique<CompiledComputation>());
    compiled.computation = &computation;
    by_form_[{&computation, form}] = &compiled;
    return compiled;
  }
  // One that was added.
  CompiledComputation& Get(const HloComputation& computation, const CallForm& form) const {
    return *by_form_.at({&computation, form});
  }
  // A computation that an instruction applies to elements, straight-line code or not.
  CompiledComputation& Applied(const HloComputation& computation) const {
    const auto plain = by_form_.find({&computation, CallForm()});
    return plain != by_form_.end() ? *plain->second : Get(computation, CallForm::Lanes());
  }
  // That of callee i of a region that runs programs.
  std::shared_ptr<const Program> ProgramOf(const Region& region, size_t i) const {
    const HloComputation& callee = *region.instructions[0]->callee(static_cast<i64>(i));
    return Get(callee, CallForm::Of(region.control(), i)).program;
  }

 private:
  std::vector<std::unique_ptr<CompiledComputation>>& owned_;
  std::map<std::pair<const HloComputation*, CallForm>, CompiledComputation*> by_form_;
};

}  // namespace axle
