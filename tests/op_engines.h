// What runs the modules of case tables and test vectors. The first engine is the reference. A new
// engine is one more entry in Engines().
#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "axle/client/client.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/passes/pipeline.h"
#include "axle/passes/rebuild.h"

namespace axle {

// The module with `arguments` in the place of the parameters of its entry.
class Closed : public Rebuilder {
 public:
  Closed(const Module& module, std::span<const Literal> arguments)
      : Rebuilder(module, nullptr), arguments_(arguments) {}
  static StatusOr<std::unique_ptr<Module>> Make(const Module& module,
                                                std::span<const Literal> arguments) {
    AXLE_ASSIGN(std::unique_ptr<Module> closed, Closed(module, arguments).Run());
    closed->entry()->set_parameters({});
    closed->config().entry_computation_layout.reset();
    closed->config().input_output_alias.clear();
    closed->config().buffer_donor.clear();
    return closed;
  }

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (inst.parent() != from().entry() || !IsParameter(inst)) return Copy(inst);
    const Literal& value = arguments_[inst.attrs<ParameterAttrs>().number];
    const bool fits = value.shape().is_array() && !value.is_padded() &&
                      EqualIgnoringLayout(value.shape(), inst.shape());
    if (!fits) return Unimplemented("no constant of this shape");
    const Literal literal = value.Relayout(inst.shape().LayoutOrDefault());
    return Rebuilder::Make(inst, Opcode::kConstant, inst.shape(), {},
                           Block(Opcode::kConstant, ConstantAttrs{literal}));
  }

  std::span<const Literal> arguments_;
};

struct Engine {
  std::string_view name;
  bool is_reference = false;
  // Whether it may refuse, by this status, what the reference runs.
  StatusCode may_refuse_by = StatusCode::kOk;
  std::function<StatusOr<Literal>(const Module&, std::span<const Literal> arguments)> run;

  bool Refuses(const Status& status) const {
    return !status.ok() && status.code() == may_refuse_by;
  }
};

inline const std::vector<Engine>& Engines() {
  static const auto* const kEngines = new std::vector<Engine>{
      {"interpreter", true, StatusCode::kOk,
       [](const Module& module, std::span<const Literal> arguments) {
         return Evaluate(module, arguments);
       }},
      // A build without LLVM has none.
      {"native", false, StatusCode::kUnavailable,
       [](const Module& module, std::span<const Literal> arguments) -> StatusOr<Literal> {
         static Client* const kClient = Client::Create()->release();
         const auto executable = kClient->Compile(std::shared_ptr<const Module>(module.Clone()),
                                                  {.engine = EngineKind::kNative});
         AXLE_TRY(executable.status());
         return (*executable)->Execute(arguments);
       }},
      {"interpreter after the passes", false, StatusCode::kOk,
       [](const Module& module, std::span<const Literal> arguments) -> StatusOr<Literal> {
         AXLE_ASSIGN(const std::unique_ptr<Module> after,
                     RunPipeline(module, {.verify_each = true}));
         return Evaluate(*after, arguments);
       }},
      // Constants give the passes more to do than parameters.
      {"interpreter after the passes on constants", false, StatusCode::kUnimplemented,
       [](const Module& module, std::span<const Literal> arguments) -> StatusOr<Literal> {
         AXLE_ASSIGN(const std::unique_ptr<Module> closed, Closed::Make(module, arguments));
         AXLE_ASSIGN(const std::unique_ptr<Module> after,
                     RunPipeline(*closed, {.verify_each = true}));
         return Evaluate(*after, std::span<const Literal>());
       }},
  };
  return *kEngines;
}

}  // namespace axle
