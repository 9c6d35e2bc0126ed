// The native engine: what client/ gets from libaxle_codegen.so.
#include "axle/runtime/native_engine.h"

#include "axle/codegen/compiler.h"

namespace axle {
namespace {

class NativeProgram : public NativeExecutable {
 public:
  explicit NativeProgram(CompiledModule compiled) : compiled_(std::move(compiled)) {}

  StatusOr<Literal> Execute(std::vector<Literal> arguments, DeviceContext* device,
                            Limits* limits) const override {
    HostRun run;
    run.limits = limits;
    run.device = device;
    return RunOnLiterals(*compiled_.entry, arguments, run);
  }

  const CompileReport& report() const override { return compiled_.report; }

 private:
  CompiledModule compiled_;
};

class Engine : public NativeEngine {
 public:
  StatusOr<std::unique_ptr<NativeExecutable>> Compile(const Module& module,
                                                      const NativeOptions& options) override {
    AXLE_ASSIGN(const JitTarget target, ChooseTarget(options.isa, options.codegen_level));
    AXLE_ASSIGN(CompiledModule compiled, CompileModule(module, target, options));
    return std::unique_ptr<NativeExecutable>(new NativeProgram(std::move(compiled)));
  }
};

}  // namespace
}  // namespace axle

extern "C" axle::NativeEngine* axle_codegen_create(int version) {
  return version == axle::kNativeEngineVersion ? new axle::Engine : nullptr;
}
