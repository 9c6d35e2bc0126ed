// Jit: LLVM IR to machine code in memory. All that chooses instruction sets is in jit.cc; what
// differs between LLVM versions in llvm_versions.h.
#pragma once
#include <memory>
#include <string>

#include "axle/core/status.h"
#include "axle/runtime/native_engine.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace axle {

class AccessChecks;

// What code is generated for. Never a guess from the CPU's name: the features come from CPUID.
struct JitTarget {
  NativeIsa isa;                   // not kAuto
  int codegen_level;               // 0 to 2, of modules that ask for none of their own
  int vector_bytes;                // of the widest register that code should use
  AccessChecks* checks = nullptr;  // code is checked, and this gets what is wrong (access_checks.h)
  // For tests: false leaves what LLVM compiles wrongly (llvm_faults.h) as it is.
  bool avoids_llvm_faults = true;
  bool has_avx512() const { return isa == NativeIsa::kAvx512; }
  bool has_fma() const { return isa != NativeIsa::kV2; }
  // This machine cannot run the code: an emulator does.
  bool is_emulated() const { return isa == NativeIsa::kAarch64 && !kIsAarch64; }

#if defined(__aarch64__)
  static constexpr bool kIsAarch64 = true;
#else
  static constexpr bool kIsAarch64 = false;
#endif
};

// The target for these options on this CPU; FAILED_PRECONDITION if the CPU cannot run it. Code that
// is to be emulated may still lack what it takes: Jit::Create says so.
StatusOr<JitTarget> ChooseTarget(NativeIsa isa, int codegen_level);

// What code is compiled with here, as options of LLVM's own tools: which passes are off.
std::vector<std::string> PassOptions();

// The level at which a module of Jit::MakeModule is to be compiled.
int CodegenLevelOf(const llvm::Module& module);

// The machine code of some modules; freed with the object. Thread-safe.
class Jit {
 public:
  // Of the options only on_llvm and on_assembly are looked at; they live as long as the object.
  static StatusOr<std::unique_ptr<Jit>> Create(const JitTarget& target,
                                               const NativeOptions& options = {});
  ~Jit();
  const JitTarget& target() const { return target_; }

  // An empty module with the target's data layout, in a context of its own.
  struct NewModule {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    NewModule();
    ~NewModule();
    NewModule(NewModule&&) noexcept;
  };
  NewModule MakeModule(const std::string& name) const {
    return MakeModule(name, target_.codegen_level);
  }
  // At this level instead of the target's.
  NewModule MakeModule(const std::string& name, int codegen_level) const;
  // Verifies, optimises and takes over a module.
  Status Add(NewModule module);
  // What Add would link at level 0 or 1, as an object file.
  StatusOr<std::string> ObjectOf(NewModule module) const;
  // Compiles what is not compiled yet.
  StatusOr<void*> Lookup(const std::string& function);
  // Why code could not run; always OK but for emulated code.
  Status status() const;

 private:
  struct State;
  Jit(const JitTarget& target, std::unique_ptr<State> state);
  JitTarget target_;
  std::unique_ptr<State> state_;
};

}  // namespace axle
