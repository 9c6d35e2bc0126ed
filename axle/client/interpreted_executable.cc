#include "axle/client/interpreted_executable.h"

#include <new>
#include <utility>
#include <vector>

#include "axle/client/executable_file.h"
#include "axle/eval/evaluate.h"
#include "axle/eval/plan.h"
#include "axle/ir/module.h"

namespace axle {
namespace {

class InterpretedExecutable : public Executable {
 public:
  InterpretedExecutable(std::shared_ptr<const Module> module, ProgramShape shape,
                        RunDevices devices)
      : Executable(std::move(module), std::move(shape), std::move(devices)) {}

  EngineKind engine() const override { return EngineKind::kInterpret; }

 private:
  StatusOr<ExecutableFile> Save() const override {
    ExecutableFile file;
    file.options.engine = EngineKind::kInterpret;
    return file;
  }

  StatusOr<Literal> Run(std::span<const Argument> arguments, DeviceContext* device, Limits* limits,
                        StepProfile* profile) const override {
    std::vector<Literal> values;
    try {
      values.reserve(arguments.size());
      for (const Argument& argument : arguments) {
        if (argument.own != nullptr) {
          values.push_back(std::move(*argument.own));
        } else {
          values.push_back(*argument.value);
        }
      }
    } catch (const std::bad_alloc&) {
      return ResourceExhausted("execute: no memory for the arguments");
    }
    return Evaluate(*module().entry(), std::move(values),
                    {.limits = limits, .device = device, .plans = &plans_, .profile = profile});
  }

  StatusOr<std::vector<StepGroupDescription>> DescribeSteps() const override {
    return plans_.DescribeSteps();
  }

  mutable PlanCache plans_;
};

}  // namespace

std::shared_ptr<Executable> MakeInterpreted(std::shared_ptr<const Module> module,
                                            ProgramShape shape, RunDevices devices) {
  return std::make_shared<InterpretedExecutable>(std::move(module), std::move(shape),
                                                 std::move(devices));
}

}  // namespace axle
