// How modules become machine code. LLJIT links; what it would choose by itself is set here:
//
//   target      the CPU is x86-64-v2, -v3 or -v4 by name, not the host, so that the code depends on
//               the instruction set alone; on AArch64, the host
//   fma         only those that we write (FPOpFusion::Strict)
//   passes      the code generator alone, without the passes of kPassOptions
//   symbols     RuntimeSymbols and nothing else of the process: code for which LLVM would call libm
//               does not link, instead of giving other bits
//   threads     none of LLVM's: the caller's thread compiles and links
//
// A module is verified, gets its workarounds, is shown to on_llvm and on_assembly, and is compiled
// to an object file; LLJIT gets that file. The level is a flag of the module.
//
// An emulated target takes a detour: the module's text goes to the emulator, and what is compiled
// here are functions that call it (emulated_callers.h).
//
// Target machines and LLVM's lists of passes cost as much as a small kernel and are kept for the
// process, a few per instruction set and level (CompilerPool).
#include "axle/codegen/llvm/jit.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstring>
#include <map>
#include <mutex>

#include "axle/codegen/llvm/access_checks.h"
#include "axle/codegen/llvm/emulated_callers.h"
#include "axle/codegen/llvm/exact_fma.h"
#include "axle/codegen/llvm/lane_emitter.h"
#include "axle/codegen/llvm/llvm_versions.h"
#include "axle/codegen/llvm/llvm_workarounds.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr char kLevelFlag[] = "axle.codegen_level";

Status ToStatus(llvm::Error error) {
  return Internal("llvm: " + llvm::toString(std::move(error)));
}

// Passes of LLVM that do not run, because they find nothing to do in our IR or gain nothing. Loop
// strength reduction would take a quarter of the compile time (addresses are already incremental),
// the others together 7 %. The peephole optimizer is off because it is wrong:
// select_of_shuffled_select.ll.
constexpr std::pair<const char*, const char*> kPassOptions[] = {
    {"disable-lsr", "true"},
    {"disable-cgp", "true"},                       // CodeGenPrepare
    {"disable-mergeicmps", "true"},                // comparisons to memcmp
    {"disable-partial-libcall-inlining", "true"},  // there is no libm
    {"disable-constant-hoisting", "true"},         // of large integers
    {"disable-x86-domain-reassignment", "true"},   // scalar to mask registers
    {"disable-early-taildup", "true"},
    {"disable-early-ifcvt", "true"},
    {"disable-ssc", "true"},       // stack slot coloring
    {"disable-peephole", "true"},  // select_of_shuffled_select.ll
    {"x86-cmov-converter", "false"},
    {"x86-disable-avoid-SFB", "true"},  // copies behind narrower stores
    {"disable-postra-machine-sink", "true"},
    {"enable-shrink-wrap", "false"},
    {"disable-post-ra", "true"},  // scheduling after register allocation
};

// Calls `use` with each option that this LLVM knows, its name and its value. An option that it does
// not know costs compile time only; disable-peephole is known to all versions that need it.
template <typename Use>
void ForEachPassOption(const Use& use) {
  auto& known = llvm::cl::getRegisteredOptions();
  for (const auto& [name, value] : kPassOptions) {
    const auto option = known.find(name);
    if (option != known.end()) use(*option->second, name, value);
  }
}

void InitializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    // This LLVM is ours alone.
    ForEachPassOption([](llvm::cl::Option& option, const char* name, const char* value) {
      option.addOccurrence(0, name, value);
    });
  });
}

llvm::CodeGenOptLevel LevelOf(int codegen_level) {
  switch (codegen_level) {
    case 0:
      return llvm::CodeGenOptLevel::None;
    case 1:
      return llvm::CodeGenOptLevel::Less;
    default:
      return llvm::CodeGenOptLevel::Default;
  }
}

llvm::orc::JITTargetMachineBuilder MachineBuilder(NativeIsa isa, int codegen_level) {
#if defined(__x86_64__)
  llvm::orc::JITTargetMachineBuilder builder((llvm::Triple(llvm::sys::getProcessTriple())));
  builder.setCPU(isa == NativeIsa::kAvx512 ? "x86-64-v4"
                 : isa == NativeIsa::kV2   ? "x86-64-v2"
                                           : "x86-64-v3");
#else
  llvm::orc::JITTargetMachineBuilder builder =
      llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
#endif
  builder.setCodeGenOptLevel(LevelOf(codegen_level));
  // Constants lie beside the code, wherever that is, and are found from there.
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;  // no fma but those we write
  return builder;
}

// Makes object files of modules, one after the other, with the same target machine and the same
// list of passes. To make the two, with the tables that they compute at their first function, costs
// as much as to compile a small kernel. What they keep of a module goes when the module is deleted:
// the thread that compiled it deletes it before it gives the compiler away.
class ObjectCompiler {
 public:
  static StatusOr<std::unique_ptr<ObjectCompiler>> Create(NativeIsa isa, int codegen_level) {
    auto machine = MachineBuilder(isa, codegen_level).createTargetMachine();
    if (!machine) return ToStatus(machine.takeError());
    std::unique_ptr<ObjectCompiler> made(new ObjectCompiler(std::move(*machine)));
    llvm::MCContext* context = nullptr;
    if (made->machine_->addPassesToEmitMC(made->passes_, context, made->stream_)) {
      return Internal("llvm: the target has no object files");
    }
    return made;
  }

  std::string Compile(llvm::Module& module) {
    passes_.run(module);
    std::string object(bytes_.begin(), bytes_.end());
    llvm::SmallVector<char, 0>().swap(bytes_);
    return object;
  }

 private:
  explicit ObjectCompiler(std::unique_ptr<llvm::TargetMachine> machine)
      : machine_(std::move(machine)), stream_(bytes_) {}

  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::SmallVector<char, 0> bytes_;
  llvm::raw_svector_ostream stream_;
  llvm::legacy::PassManager passes_;
};

// Unused compilers of one instruction set and level.
class CompilerPool {
 public:
  using Compiler = std::unique_ptr<ObjectCompiler>;

  static CompilerPool& For(NativeIsa isa, int codegen_level) {
    static std::mutex mutex;
    static auto* const pools = new std::map<std::pair<NativeIsa, int>, CompilerPool>;
    const std::lock_guard lock(mutex);
    return pools->try_emplace({isa, codegen_level}, isa, codegen_level).first->second;
  }

  CompilerPool(NativeIsa isa, int codegen_level) : isa_(isa), codegen_level_(codegen_level) {}

  StatusOr<Compiler> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!compilers_.empty()) {
        Compiler compiler = std::move(compilers_.back());
        compilers_.pop_back();
        return compiler;
      }
    }
    return ObjectCompiler::Create(isa_, codegen_level_);
  }
  void GiveBack(Compiler compiler) {
    const std::lock_guard lock(mutex_);
    if (compilers_.size() < kMaxKept) compilers_.push_back(std::move(compiler));
  }

 private:
  // A compiler takes about a megabyte, and a compilation may use as many as it has threads.
  static constexpr size_t kMaxKept = 4;
  const NativeIsa isa_;
  const int codegen_level_;
  std::mutex mutex_;
  std::vector<Compiler> compilers_;
};

// The object file of a module, compiled with a compiler of the pool for its level, on any thread.
StatusOr<std::string> CompileObject(Jit::NewModule made, NativeIsa isa) {
  CompilerPool& pool = CompilerPool::For(isa, CodegenLevelOf(*made.module));
  AXLE_ASSIGN(CompilerPool::Compiler compiler, pool.Take());
  std::string object = compiler->Compile(*made.module);
  made.module = nullptr;
  pool.GiveBack(std::move(compiler));
  return object;
}

// LLJIT asks for a compiler of modules; it gets object files only.
class NoModules : public llvm::orc::IRCompileLayer::IRCompiler {
 public:
  NoModules() : IRCompiler({}) {}
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module&) override {
    return llvm::createStringError("modules are compiled before they are linked");
  }
};

// The functions that compiled code can call. No other symbol of the process is visible, so that
// code for which LLVM calls libm does not link.
llvm::orc::SymbolMap RuntimeSymbols(llvm::orc::LLJIT& jit) {
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const char* name, auto* function) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  add(kCheckAccess, &CheckAccess);
  add("memcpy", &std::memcpy);  // LLVM's own way to say copy
  add(kRemainderF32, &axle_remainder_f32);
  add(kRemainderF64, &axle_remainder_f64);
  add(kFmaF32, static_cast<float (*)(float, float, float)>(&ExactFma));
  add(kFmaF64, static_cast<double (*)(double, double, double)>(&ExactFma));
  return symbols;
}

Status Verify(const llvm::Module& module) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  return llvm::verifyModule(module, &stream) ? Internal("llvm: " + problem) : Status();
}

// The assembly of a module, for users.
StatusOr<std::string> Assembly(const llvm::Module& module, const JitTarget& target) {
  auto machine = MachineBuilder(target.isa, CodegenLevelOf(module)).createTargetMachine();
  if (!machine) return ToStatus(machine.takeError());
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);  // it is changed
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile)) {
    return Internal("llvm: the target has no assembly");
  }
  passes.run(*copy);
  return std::string(text.begin(), text.end());
}

}  // namespace

int CodegenLevelOf(const llvm::Module& module) {
  const auto* const level =
      llvm::mdconst::extract<llvm::ConstantInt>(module.getModuleFlag(kLevelFlag));
  return static_cast<int>(level->getZExtValue());
}

unsigned Jit::NewModule::num_instructions() const {
  return module->getInstructionCount();
}

// The module as an emulator gets it, with the options that this file sets for its own code.
static KernelEmulator::Code CodeOf(const llvm::Module& module) {
  KernelEmulator::Code code;
  llvm::raw_string_ostream(code.llvm_ir) << module;
  code.llc_options = {StrCat("-O", CodegenLevelOf(module))};
  ForEachPassOption([&](const llvm::cl::Option&, const char* name, const char* value) {
    code.llc_options.push_back(StrCat("-", name, "=", value));
  });
  return code;
}

struct Jit::State {
  // Why a lookup failed, which its own error does not say; any thread may.
  std::mutex mutex;
  Status reason;
  std::unique_ptr<KernelEmulator> emulator;  // for code that this machine cannot run
  std::unique_ptr<llvm::orc::LLJIT> jit;

  void Note(llvm::Error error) {
    bool has_memory = true;
    llvm::handleAllErrors(llvm::joinErrors(std::move(error), llvm::Error::success()),
                          [&](const llvm::ErrorInfoBase& info) {
                            const std::error_code code = info.convertToErrorCode();
                            has_memory = has_memory && code != std::errc::not_enough_memory;
                            const std::lock_guard lock(mutex);
                            if (reason.ok()) reason = Internal("llvm: " + info.message());
                          });
    const std::lock_guard lock(mutex);
    if (!has_memory) reason = ResourceExhausted("compile: no memory for machine code");
  }
  std::function<void(std::string_view)> on_llvm, on_assembly;
};

Jit::Jit(const JitTarget& target, std::unique_ptr<State> state)
    : target_(target), state_(std::move(state)) {}
Jit::~Jit() = default;

Jit::NewModule::NewModule() = default;
Jit::NewModule::NewModule(NewModule&&) noexcept = default;
// The module goes before the context that it lives in.
Jit::NewModule::~NewModule() {
  module = nullptr;
}

StatusOr<std::unique_ptr<Jit>> Jit::Create(const JitTarget& target, const NativeOptions& options) {
  InitializeOnce();
  // Code is linked by the thread that looks it up: LLVM starts none.
  auto here = llvm::orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!here) return ToStatus(here.takeError());
  auto jit = llvm::orc::LLJITBuilder()
                 .setExecutorProcessControl(std::move(*here))
                 .setJITTargetMachineBuilder(MachineBuilder(target.isa, target.codegen_level))
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .setLinkProcessSymbolsByDefault(false)
                 .setSupportConcurrentCompilation(false)
                 .setCompileFunctionCreator([](const llvm::orc::JITTargetMachineBuilder&) {
                   return std::make_unique<NoModules>();
                 })
                 .create();
  if (!jit) return ToStatus(jit.takeError());
  auto state = std::make_unique<State>();
  state->jit = std::move(*jit);
  state->jit->getExecutionSession().setErrorReporter(
      [noted = state.get()](llvm::Error error) { noted->Note(std::move(error)); });
  if (target.is_emulated()) {
    if (target.emulate == nullptr) return FailedPrecondition("native: there is no emulator");
    AXLE_ASSIGN(state->emulator, target.emulate(target, StrCat("llc-", LLVM_VERSION_MAJOR)));
  }
  state->on_llvm = options.debug.on_llvm;
  state->on_assembly = options.debug.on_assembly;
  llvm::orc::JITDylib& library = state->jit->getMainJITDylib();
  if (auto error = library.define(llvm::orc::absoluteSymbols(RuntimeSymbols(*state->jit)))) {
    return ToStatus(std::move(error));
  }
  return std::unique_ptr<Jit>(new Jit(target, std::move(state)));
}

Jit::NewModule Jit::MakeModule(const std::string& name, int codegen_level) const {
  NewModule made;
  made.context = std::make_unique<llvm::LLVMContext>();
  made.module = std::make_unique<llvm::Module>(name, *made.context);
  made.module->addModuleFlag(llvm::Module::Error, kLevelFlag,
                             static_cast<std::uint32_t>(codegen_level));
  made.module->setDataLayout(state_->jit->getDataLayout());
  return made;
}

StatusOr<std::string> Jit::ObjectOf(NewModule made) const {
  AXLE_TRY(Verify(*made.module));
  if (target_.works_around_llvm) WorkAroundLlvm(*made.module, target_);
  return CompileObject(std::move(made), target_.isa);
}

Status Jit::Add(NewModule made) {
  AXLE_TRY(Verify(*made.module));
  const int codegen_level = CodegenLevelOf(*made.module);
  if (target_.works_around_llvm) WorkAroundLlvm(*made.module, target_);
  if (state_->on_llvm) {
    std::string text;
    llvm::raw_string_ostream(text) << *made.module;
    state_->on_llvm(text);
  }
  if (state_->on_assembly) {
    AXLE_ASSIGN(const std::string text, state_->emulator != nullptr
                                            ? state_->emulator->Assembly(CodeOf(*made.module))
                                            : Assembly(*made.module, target_));
    state_->on_assembly(text);
  }
  if (state_->emulator != nullptr) {
    NewModule callers = MakeModule(made.module->getName().str(), codegen_level);
    AXLE_TRY(AddEmulated(CodeOf(*made.module), *made.module, *state_->emulator, *callers.module));
    made.module = std::move(callers.module);
    made.context = std::move(callers.context);
  }
  AXLE_ASSIGN(const std::string object, CompileObject(std::move(made), target_.isa));
  return AddObject(object);
}

Status Jit::AddObject(const std::string& object) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "kernels");
  if (auto error = state_->jit->addObjectFile(std::move(buffer))) return ToStatus(std::move(error));
  return {};
}

StatusOr<void*> Jit::Lookup(const std::string& function) {
  auto address = state_->jit->lookup(function);
  if (!address) {
    Status failed = ToStatus(address.takeError());
    const std::lock_guard lock(state_->mutex);
    return state_->reason.ok() ? failed : state_->reason;
  }
  return address->toPtr<void*>();
}

Status Jit::status() const {
  return state_->emulator == nullptr ? Status() : state_->emulator->status();
}

}  // namespace axle
