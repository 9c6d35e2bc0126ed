// PrecompiledWriter: makes the precompiled kernels (precompiled.h), when the library is built.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "axle/codegen/llvm/jit.h"

namespace axle {

class PrecompiledWriter {
 public:
  static StatusOr<PrecompiledWriter> Create(const JitTarget& target);
  const JitTarget& target() const { return jit_->target(); }

  // Adds a kernel unless it is there: `emit` adds the function of this name to a module.
  using Emit = std::function<void(const std::string& name, llvm::Module& module)>;
  Status Add(int codegen_level, const std::string& kernel_key, const Emit& emit);

  struct Object {
    std::string name;  // a file name without a folder
    std::string content;
  };
  // Compiles them: an object file for each level.
  StatusOr<std::vector<Object>> Finish();
  // Name of the function, by PrecompiledKeyOf.
  const std::map<std::string, std::string>& names() const { return names_; }

 private:
  explicit PrecompiledWriter(std::unique_ptr<Jit> jit) : jit_(std::move(jit)) {}

  std::unique_ptr<Jit> jit_;
  std::map<int, Jit::NewModule> modules_;  // by level
  std::map<std::string, std::string> names_;
};

// The C++ source of PrecompiledKernels().
std::string PrecompiledTable(const std::map<std::string, std::string>& names);

}  // namespace axle
