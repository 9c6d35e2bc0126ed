// NativeEngine: compiled execution as client/ sees it. codegen/ implements it in a shared object of
// its own, libaxle_codegen.so, which client/ loads at the first compilation and asks for
// `axle_codegen_create`. Nothing here knows LLVM or the IR.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/argument.h"
#include "axle/core/device_context.h"
#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/core/status.h"
#include "axle/core/step_description.h"
#include "axle/runtime/compile_report.h"
#include "axle/runtime/debug_options.h"
#include "axle/runtime/native_isa.h"
#include "axle/runtime/saved_kernels.h"

namespace axle {

class Module;
class StepProfile;  // core/step_profile.h

struct NativeOptions {
  NativeIsa isa = NativeIsa::kAuto;
  int codegen_level = 1;  // effort of the code generator: 0, 2, or by kind of kernel; no bits
  int num_threads = 1;    // that each device may use, at least 1; the bits do not depend on it
  int num_devices = 1;    // of this process that run it, at least 1; each has workers of its own
  // Their numbers in the run, ascending; empty: 0, 1, and so on.
  std::vector<std::int64_t> device_numbers = {};
  Limits* limits = nullptr;  // of the compilation
  bool fast = false;         // round less often than docs/numerics.md says; else bit for bit
  // Kernels that need not be compiled, from SaveKernels; they live until Compile returns.
  const SavedKernels* saved = nullptr;
  DebugOptions debug = {};
};

// A compiled module. Thread-safe.
class NativeExecutable {
 public:
  virtual ~NativeExecutable() = default;
  // `arguments` are row-major and fit the parameters of the entry; the run may take over the
  // storage of its own that nobody else holds. The result is row-major. The caller has set the
  // floating-point mode (core/float_environment.h) and made a StorageScope. `profile`, which may be
  // null, gets the times of the steps.
  virtual StatusOr<Literal> Execute(std::span<const Argument> arguments, DeviceContext* device,
                                    Limits* limits, StepProfile* profile) const = 0;
  // What the steps are that profiles have times of. It plans the program once more, without making
  // code. The keys are valid as long as the executable.
  virtual StatusOr<std::vector<StepGroupDescription>> DescribeSteps() const = 0;
  // Of what it is made; without programs if the options did not ask for it.
  virtual const CompileReport& report() const = 0;
  // Memory that a run takes for temporary values, and steps for their own, on each device.
  virtual std::int64_t temporary_bytes() const = 0;
};

// Compiles modules. Thread-safe.
class NativeEngine {
 public:
  virtual ~NativeEngine() = default;
  // False in a build without LLVM: modules are compiled for their reports alone
  // (DebugOptions::code).
  virtual bool makes_code() const = 0;
  // `module` is verified and need not outlive the executable. UNIMPLEMENTED names an op that
  // cannot be compiled; FAILED_PRECONDITION an instruction set that this CPU does not have, or that
  // there is no LLVM.
  virtual StatusOr<std::unique_ptr<NativeExecutable>> Compile(const Module& module,
                                                              const NativeOptions& options) = 0;
  // Tells builds of the code generator apart: code that one has saved is for the same one. Empty if
  // it has no id; nothing is to be saved then.
  virtual std::string build_id() const = 0;
  // The code of the kernels that Compile would compile for the module and that are the same in
  // every process; those that lie in the library are not among them. The errors are those of
  // Compile.
  virtual StatusOr<SavedKernels> SaveKernels(const Module& module,
                                             const NativeOptions& options) = 0;
};

// Goes up when anything above changes: client/ refuses a library of another version.
inline constexpr int kNativeEngineVersion = 16;

}  // namespace axle

// The one symbol of libaxle_codegen.so: a new engine, which the caller deletes, or null if
// `version` is not the kNativeEngineVersion that the library was built with.
extern "C" axle::NativeEngine* axle_codegen_create(int version);
