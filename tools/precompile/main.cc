// axle_precompile FOLDER: makes the kernels that libaxle_codegen.so brings with it
// (codegen/kernel_cache/precompiled.h). Part of the build. Writes FOLDER/precompiled.cc and, for
// each of the processors that code is made for here and each codegen level,
// FOLDER/precompiled_PROCESSOR_LEVEL.o.
//
// Precompiled are programs of one operation, as they come from runtimes that compile operation by
// operation: every elementwise op on every type that it takes, on arrays, scalars and a number for
// each row, and reductions of whole arrays, rows and columns. Beside them there are the steps of
// loops that count, and the programs of compositions.h.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "axle/codegen/compiler.h"
#include "axle/codegen/kernel_cache/precompiled_writer.h"
#include "axle/core/strings.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tools/precompile/compositions.h"

namespace {

using axle::StrCat;

// Others are seldom computed with one operation at a time.
constexpr axle::ElementType kTypes[] = {axle::PRED, axle::S32,  axle::S64, axle::U8, axle::U32,
                                        axle::F16,  axle::BF16, axle::F32, axle::F64};
// Kernels do not depend on them.
constexpr char kSizes[] = "[5,7]", kRows[] = "[5]";

std::string NameOf(axle::ElementType type) {
  return std::string(axle::Name(type));
}

class Programs {
 public:
  // The op on all types that it takes together: what it does not take, the parser refuses.
  void AddElementwise(const axle::OpDef& op) {
    const size_t n = op.operands.size();
    for (const axle::ElementType type : kTypes) {
      for (const axle::ElementType other : kTypes) {
        const std::string name = NameOf(type), from = NameOf(other);
        if (n == 1) AddForms(op, name, {from});
        if (n == 2 && (type == other || type == axle::PRED)) AddForms(op, name, {from, from});
        if (n == 3 && type == other) AddForms(op, name, {name, name, name});
        if (n == 3 && type == other) AddForms(op, name, {"pred", name, name});
      }
    }
  }

  // Of scalars alone, as in the condition and the body of a loop that counts: of what loops count
  // with.
  void AddScalars(const axle::OpDef& op) {
    if (op.operands.size() < 2) return;
    for (const char* type : {"pred", "s32", "u32", "f32"}) {
      for (const std::string& attributes : Attributes()) {
        for (const char* result : {type, "pred"}) {
          std::string text = "HloModule m\nENTRY e {\n", list;
          for (size_t i = 0; i < op.operands.size(); ++i) {
            const bool is_chosen_by = op.operands.size() == 3 && i == 0;
            text +=
                StrCat("  p", i, " = ", is_chosen_by ? "pred" : type, "[] parameter(", i, ")\n");
            list += StrCat(i > 0 ? ", p" : "p", i);
          }
          AddText(StrCat(text, "  ROOT r = ", result, "[] ", op.text, "(", list, ")", attributes,
                         "\n}\n"));
        }
      }
    }
  }

  void AddCompositions() {
    for (const std::string& text : axle::PrecompiledCompositions()) AddText(text);
  }

  // With an op that has reductions of a kind of their own, from an argument, or from the 0 that
  // sums begin with; other constants that reductions begin with change nothing.
  void AddReductions(const axle::OpDef& op) {
    for (const axle::ElementType type : kTypes) {
      const std::string name = NameOf(type);
      const axle::ReducerKind kind = KindOf(op, type);
      if (kind == axle::ReducerKind::kGeneral) continue;
      const std::string_view join = op.text;
      for (const char* init : {"parameter(1)", "constant(0)"}) {
        for (const auto& [dims, result, over] : kReductions) {
          AddText(StrCat("HloModule m\nj {\n  x = ", name, "[] parameter(0)\n  y = ", name,
                         "[] parameter(1)\n  ROOT r = ", name, "[] ", join,
                         "(x, y)\n}\nENTRY e {\n  x = ", name, dims, " parameter(0)\n  i = ", name,
                         "[] ", init, "\n  ROOT r = ", name, result, " reduce(x, i), dimensions={",
                         over, "}, to_apply=j\n}\n"));
        }
        if (kind != axle::ReducerKind::kAdd) break;
      }
    }
  }

  const std::vector<std::unique_ptr<axle::Module>>& modules() const { return modules_; }

 private:
  struct Reduction {
    const char *dims, *result, *over;
  };
  static constexpr Reduction kReductions[] = {
      {"[5]", "[]", "0"},        {"[100000]", "[]", "0"},    {"[100,100]", "[]", "0,1"},
      {"[70,100]", "[70]", "1"}, {"[7,5000]", "[7]", "1"},   {"[70,5]", "[70]", "1"},
      {"[70,20]", "[70]", "1"},  {"[70,100]", "[100]", "0"}, {"[5000,100]", "[100]", "0"}};

  // What reductions with the op of two scalars are; kGeneral, too, of what it does not take.
  static axle::ReducerKind KindOf(const axle::OpDef& op, axle::ElementType type) {
    const std::string name = NameOf(type);
    const auto module =
        axle::Parse(StrCat("HloModule m\nENTRY e {\n  x = ", name, "[] parameter(0)\n  y = ", name,
                           "[] parameter(1)\n  ROOT r = ", name, "[] ", op.text, "(x, y)\n}\n"));
    if (!module.ok()) return axle::ReducerKind::kGeneral;
    const auto program = axle::CompileScalarComputation(*(*module)->entry());
    return program ? axle::ClassifyReducer(*program, {&type, 1})[0] : axle::ReducerKind::kGeneral;
  }

  // Nothing, and what elementwise ops ask for.
  static std::vector<std::string> Attributes() {
    std::vector<std::string> attributes = {""};
    for (const std::string_view text : axle::EnumTexts<axle::ComparisonDirection>::kTexts) {
      attributes.push_back(StrCat(", direction=", text));
    }
    return attributes;
  }

  // Each operand an array, a scalar or, of two, a number for each row; not all of several scalars.
  void AddForms(const axle::OpDef& op, const std::string& type,
                const std::vector<std::string>& operands) {
    const size_t n = operands.size(), num_kinds = n == 1 ? 1 : n == 2 ? 3 : 2;
    size_t num_forms = 1;
    for (size_t i = 0; i < n; ++i) num_forms *= num_kinds;
    for (const std::string& attributes : Attributes()) {
      for (size_t form = 0; form < num_forms; ++form) {
        std::string text = "HloModule m\nENTRY e {\n", list;
        bool is_array = false;
        for (size_t i = 0, rest = form; i < n; ++i, rest /= num_kinds) {
          const size_t kind = rest % num_kinds;
          is_array = is_array || kind == 0;
          const char* const sizes[] = {kSizes, "[]", kRows};
          const char* const dims[] = {"0,1", "", "0"};
          text += StrCat("  p", i, " = ", operands[i], sizes[kind], " parameter(", i, ")\n  b", i,
                         " = ", operands[i], kSizes, " broadcast(p", i, "), dimensions={",
                         dims[kind], "}\n");
          list += StrCat(i > 0 ? ", b" : "b", i);
        }
        if (!is_array) continue;
        AddText(StrCat(text, "  ROOT r = ", type, kSizes, " ", op.text, "(", list, ")", attributes,
                       "\n}\n"));
      }
    }
  }

  void AddText(const std::string& text) {
    auto module = axle::Parse(text);
    if (module.ok()) modules_.push_back(*std::move(module));
  }

  std::vector<std::unique_ptr<axle::Module>> modules_;
};

// Each of them names what code may use, whatever this machine has.
constexpr axle::JitTarget kTargets[] = {{axle::NativeIsa::kAvx2, 1, 32},
                                        {axle::NativeIsa::kAvx512, 1, 64}};

axle::Status WriteFile(const std::filesystem::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  return file ? axle::Status() : axle::Internal(StrCat("cannot write ", path.string()));
}

axle::Status Precompile(const std::filesystem::path& folder) {
  Programs programs;
  for (const axle::OpDef* op : axle::AllOpDefs()) {
    if (op->lowering != axle::Lowering::kElementwise) continue;
    programs.AddElementwise(*op);
    programs.AddScalars(*op);
    if (op->operands.size() == 2) programs.AddReductions(*op);
  }
  programs.AddCompositions();
  std::map<std::string, std::string> names;
  for (const axle::JitTarget& target : kTargets) {
    AXLE_ASSIGN(axle::PrecompiledWriter writer, axle::PrecompiledWriter::Create(target));
    for (const auto& module : programs.modules()) {
      const auto add =
          [&](axle::KernelTable& kernels, const axle::JitTarget&,
              const axle::NativeOptions&) -> axle::StatusOr<std::unique_ptr<axle::MachineCode>> {
        AXLE_TRY(axle::PrecompileKernels(kernels, writer));
        return std::unique_ptr<axle::MachineCode>();
      };
      const axle::Status added = axle::CompileModule(*module, target, {}, add).status();
      if (added.ok() || added.code() == axle::StatusCode::kUnimplemented) continue;
      return {added.code(), StrCat(added.message(), "; of ", axle::Print(*module))};
    }
    AXLE_ASSIGN(const auto objects, writer.Finish());
    for (const auto& object : objects) AXLE_TRY(WriteFile(folder / object.name, object.content));
    names.insert(writer.names().begin(), writer.names().end());
  }
  return WriteFile(folder / "precompiled.cc", axle::PrecompiledTable(names));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: axle_precompile FOLDER\n";
    return 2;
  }
  const axle::Status status = Precompile(argv[1]);
  if (!status.ok()) std::cerr << "axle_precompile: " << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
