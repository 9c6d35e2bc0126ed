// How precompiled kernels are written: one LLVM module per level collects the functions, each
// becomes an object file, and a C++ source maps keys to their names. std::map keeps the keys sorted
// as FindPrecompiledKernel needs them.
#include "axle/codegen/kernel_cache/precompiled_writer.h"

#include "axle/codegen/kernel_cache/precompiled.h"
#include "axle/core/strings.h"

namespace axle {

StatusOr<PrecompiledWriter> PrecompiledWriter::Create(const JitTarget& target) {
  AXLE_ASSIGN(std::unique_ptr<Jit> jit, Jit::Create(target));
  return PrecompiledWriter(std::move(jit));
}

Status PrecompiledWriter::Add(int codegen_level, const std::string& kernel_key, const Emit& emit) {
  const auto [kernel, is_new] =
      names_.emplace(PrecompiledKeyOf(target().isa, codegen_level, kernel_key),
                     StrCat("axle_precompiled_", Name(target().isa), "_", names_.size()));
  if (!is_new) return {};
  const auto made = modules_.find(codegen_level);
  Jit::NewModule& module =
      made != modules_.end()
          ? made->second
          : modules_.emplace(codegen_level, jit_->MakeModule("precompiled", codegen_level))
                .first->second;
  emit(kernel->second, *module.module);
  return {};
}

StatusOr<std::vector<PrecompiledWriter::Object>> PrecompiledWriter::Finish() {
  std::vector<Object> objects;
  for (auto& [level, module] : modules_) {
    AXLE_ASSIGN(std::string content, jit_->ObjectOf(std::move(module)));
    objects.push_back(
        {StrCat("precompiled_", Name(target().isa), "_", level, ".o"), std::move(content)});
  }
  modules_.clear();
  return objects;
}

namespace {

// Three octal digits for each byte: no digit that follows belongs to it.
std::string Quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += '\\';
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (value >> shift & 7));
  }
  return text + "\"";
}

}  // namespace

std::string PrecompiledTable(const std::map<std::string, std::string>& names) {
  std::string functions, rows;
  for (const auto& [key, name] : names) {
    functions += StrCat("void ", name, "();\n");
    rows += StrCat("    {{", Quoted(key), ", ", key.size(), "}, &", name, "},\n");
  }
  return StrCat(
      "// Made by axle_precompile.\n#include \"axle/codegen/kernel_cache/precompiled.h\"\n\nextern "
      "\"C\" {\n",
      functions,
      "}\n\nnamespace axle {\n\nstd::span<const PrecompiledKernel> PrecompiledKernels() {\n",
      names.empty() ? "  return {};\n"
                    : StrCat("  static constexpr PrecompiledKernel kKernels[] = {\n", rows,
                             "  };\n  return kKernels;\n"),
      "}\n\n}  // namespace axle\n");
}

}  // namespace axle
