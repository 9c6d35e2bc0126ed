// The native engine: what client/ gets from libaxle_codegen.so.
#include "axle/runtime/native_engine.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "axle/codegen/choose_target.h"
#include "axle/codegen/compiler.h"
#include "axle/codegen/describe_steps.h"
#include "axle/core/device_context.h"
#include "axle/kernels/block_kernels.h"
#include "axle/runtime/build_id.h"
#include "axle/runtime/worker_pool.h"

namespace axle {
namespace {

class NativeProgram : public NativeExecutable {
 public:
  // `workers`: of each device.
  NativeProgram(CompiledModule compiled, const JitTarget& target, const NativeOptions& options,
                std::vector<std::shared_ptr<WorkerPool>> workers)
      : compiled_(std::move(compiled)),
        target_(target),
        options_(OptionsToKeep(options)),
        workers_(std::move(workers)) {}

  StatusOr<Literal> Execute(std::span<const Argument> arguments, DeviceContext* device,
                            Limits* limits, StepProfile* profile) const override {
    if (!options_.debug.code)
      return FailedPrecondition("native: this program was compiled for its report only");
    HostRun run;
    run.limits = limits;
    run.device = device;
    run.workers = workers_[PositionOf(device)].get();
    run.num_threads = run.workers->num_threads();
    run.profile = profile;
    StatusOr<Literal> result = RunOnLiterals(*compiled_.entry, arguments, run);
    if (Status status = CodeStatus(); !status.ok()) result = std::move(status);
    return result;
  }

  const CompileReport& report() const override { return compiled_.report; }
  std::int64_t temporary_bytes() const override {
    return compiled_.entry->program->frame_bytes - compiled_.entry->program->pointer_bytes();
  }

  // Plans depend on nothing but the module and the options, so these are of the same records.
  StatusOr<std::vector<StepGroupDescription>> DescribeSteps() const override {
    NativeOptions options = options_;
    options.debug.run_passes = false;  // they have run
    options.debug.report = true;
    options.debug.code = false;
    AXLE_ASSIGN(const CompiledModule planned, CompileModule(*compiled_.module, target_, options));
    return axle::DescribeSteps(compiled_, planned.report);
  }

 private:
  // Without what lives only as long as the compilation.
  static NativeOptions OptionsToKeep(NativeOptions options) {
    options.limits = nullptr;
    options.saved = nullptr;
    options.debug.on_llvm = nullptr;
    options.debug.on_assembly = nullptr;
    return options;
  }
  // A device of the caller's own may be one of several, though the program has workers for one.
  size_t PositionOf(DeviceContext* device) const {
    if (workers_.size() == 1) return 0;
    const std::vector<std::int64_t>& numbers = options_.device_numbers;
    if (numbers.empty()) return static_cast<size_t>(device->device_id());
    const auto found = std::ranges::lower_bound(numbers, device->device_id());
    return static_cast<size_t>(found - numbers.begin());
  }
  // The first failure of code that is checked or emulated.
  Status CodeStatus() const {
    if (compiled_.checks != nullptr) AXLE_TRY(compiled_.checks->status());
    return compiled_.code == nullptr ? Status() : compiled_.code->status();
  }

  CompiledModule compiled_;
  const JitTarget target_;
  const NativeOptions options_;
  const std::vector<std::shared_ptr<WorkerPool>> workers_;
};

class Engine : public NativeEngine {
 public:
  bool makes_code() const override { return kHasKernelCompiler; }

  StatusOr<std::unique_ptr<NativeExecutable>> Compile(const Module& module,
                                                      const NativeOptions& options) override {
    AXLE_ASSIGN(const JitTarget target, ChooseTarget(options.isa, options.codegen_level));
    AXLE_ASSIGN(CompiledModule compiled, CompileModule(module, target, options));
    const int num_threads = std::clamp(options.num_threads, 1, kMaxThreads);
    return std::unique_ptr<NativeExecutable>(
        new NativeProgram(std::move(compiled), target, options,
                          WorkersFor(num_threads, std::max(options.num_devices, 1))));
  }

  std::string build_id() const override {
    return BuildIdOf(reinterpret_cast<const void*>(&axle_codegen_create));
  }

  StatusOr<SavedKernels> SaveKernels(const Module& module, const NativeOptions& options) override {
    AXLE_ASSIGN(const JitTarget target, ChooseTarget(options.isa, options.codegen_level));
    SavedKernels saved;
    const auto save = [&](KernelTable& kernels, const JitTarget& kernel_target,
                          const NativeOptions&) -> StatusOr<std::unique_ptr<MachineCode>> {
      AXLE_ASSIGN(saved, axle::SaveKernels(kernels, kernel_target));
      return std::unique_ptr<MachineCode>();
    };
    AXLE_TRY(CompileModule(module, target, options, save).status());
    return saved;
  }

 private:
  // One pool for all programs that use as many threads, and of those that run on several devices
  // one for each device: a pool serves one caller at a time. The threads start with the first work.
  std::vector<std::shared_ptr<WorkerPool>> WorkersFor(int num_threads, int num_devices) {
    std::vector<std::shared_ptr<WorkerPool>> workers;
    const std::lock_guard lock(mutex_);
    for (int d = 0; d < num_devices; ++d) {
      std::shared_ptr<WorkerPool>& pool = pools_[{num_threads, d}];
      if (pool == nullptr) pool = std::make_shared<WorkerPool>(num_threads);
      workers.push_back(pool);
    }
    return workers;
  }

  std::mutex mutex_;
  std::map<std::pair<int, int>, std::shared_ptr<WorkerPool>> pools_;  // by threads and position
};

}  // namespace
}  // namespace axle

extern "C" axle::NativeEngine* axle_codegen_create(int version) {
  if (version != axle::kNativeEngineVersion) return nullptr;
  const axle::InstructionSet set = axle::HostInstructionSet();
  const auto* const f32 = axle::BlockKernelsOf<float>(set);
  const auto* const f64 = axle::BlockKernelsOf<double>(set);
  if (f32 != nullptr && f64 != nullptr) axle::UseBlockKernels(*f32, *f64);
  return new axle::Engine;
}
