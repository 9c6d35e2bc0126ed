// Jit: LLVM IR to machine code in memory. All that chooses instruction sets is in jit.cc; what
// differs between LLVM versions in llvm_versions.h.
#pragma once
#include <memory>
#include <string>

#include "axle/codegen/spec/jit_target.h"
#include "axle/codegen/spec/machine_code.h"
#include "axle/core/status.h"
#include "axle/runtime/native_engine.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace axle {

// The level at which a module of Jit::MakeModule is to be compiled.
int CodegenLevelOf(const llvm::Module& module);

// The machine code of some modules; freed with the object. Thread-safe.
class Jit : public MachineCode {
 public:
  // The only options that count are on_llvm and on_assembly; they live as long as the object.
  static StatusOr<std::unique_ptr<Jit>> Create(const JitTarget& target,
                                               const NativeOptions& options = {});
  ~Jit() override;
  const JitTarget& target() const { return target_; }

  // An empty module with the target's data layout, in a context of its own.
  struct NewModule {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    NewModule();
    ~NewModule();
    NewModule(NewModule&&) noexcept;
    unsigned num_instructions() const;
  };
  NewModule MakeModule(const std::string& name) const {
    return MakeModule(name, target_.codegen_level);
  }
  // At this level instead of the target's.
  NewModule MakeModule(const std::string& name, int codegen_level) const;
  // Verifies and compiles a module, and takes over its code.
  Status Add(NewModule module);
  // The code that Add would link at level 0 or 1, as an object file.
  StatusOr<std::string> ObjectOf(NewModule module) const;
  // Takes over an object file that ObjectOf made for this target.
  Status AddObject(const std::string& object);
  // Links what is not linked yet.
  StatusOr<void*> Lookup(const std::string& function);
  Status status() const override;

 private:
  struct State;
  Jit(const JitTarget& target, std::unique_ptr<State> state);
  JitTarget target_;
  std::unique_ptr<State> state_;
};

}  // namespace axle
