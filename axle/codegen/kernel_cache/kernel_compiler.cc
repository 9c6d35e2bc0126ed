// How the kernels of a module get their code. A kernel with a portable key is looked up among the
// precompiled ones first, then among those of other programs of the process. The others are
// compiled in batches of up to kMaxKernelsPerModule kernels of one level, the slow levels first, so
// that threads end at about the same time. A thread takes the next batch, emits IR for its kernels
// until the module has kMaxInstructions instructions, and lets LLVM compile that before it goes on.
//
// LLVM ends the process when an allocation fails, so memory is reserved before it begins:
// Gate::enter asks the limits, and the machine, for an estimate from the number of instructions. A
// thread that gets none waits until another one leaves; only if none is inside does the compilation
// fail with RESOURCE_EXHAUSTED. A thread beside the first stops quietly without memory, and the
// first one goes on alone.
//
// The number of threads changes only which kernels share a module, so the code of a kernel is the
// same for any number of threads.
#include "axle/codegen/kernel_cache/kernel_compiler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <thread>

#include "axle/codegen/kernel_cache/precompiled.h"
#include "axle/codegen/kernel_cache/precompiled_writer.h"
#include "axle/codegen/kernel_cache/shared_kernels.h"
#include "axle/codegen/llvm/jit.h"
#include "axle/codegen/llvm/lane_lowering.h"
#include "axle/codegen/llvm/merge_lowering.h"
#include "axle/codegen/llvm/small_lowering.h"
#include "axle/core/blocked_signals.h"
#include "axle/core/memory_room.h"
#include "axle/core/strings.h"
#include "axle/runtime/program.h"

namespace axle {
namespace {

// Kernels that are compiled together: fewer modules cost less, more can be compiled at a time.
constexpr size_t kMaxKernelsPerModule = 16;
// A module with as many LLVM instructions gets no more kernels, so that the limits are checked
// often enough, and that LLVM needs little memory at a time.
constexpr size_t kMaxInstructions = 4000;
// Memory that is reserved for LLVM, in bytes: for each thread that compiles a module, a few times
// what the largest of our programs took; and for each instruction of a larger module, where 0.5
// to 4.2 KB were measured. LLVM ends the process or leaks if it runs out of memory, so it must not.
constexpr i64 kRoomPerThread = i64{16} << 20;
constexpr i64 kRoomPerInstruction = i64{12} << 10;

i64 RoomFor(const Jit::NewModule& module) {
  return kRoomPerInstruction * static_cast<i64>(module.num_instructions());
}
constexpr int kMaxLevel = 2;  // the highest level

// Kernels of one level that one thread takes at a time.
struct Batch {
  int codegen_level;
  std::vector<size_t> kernels = {};
};

// Asked between modules, with the bytes that LLVM will want for the next one; what `leave` gets is
// what `enter` was asked for.
struct Gate {
  std::function<Status(i64 bytes)> enter;
  std::function<void(i64 bytes)> leave;
};

void Emit(const KernelTable::Kernel& kernel, const JitTarget& target, const std::string& name,
          llvm::Module& module) {
  if (kernel.loop) {
    EmitLoopKernel(*kernel.loop, target, name, module);
  } else if (kernel.merge) {
    EmitMergeKernel(*kernel.merge, target, name, module);
  } else {
    EmitSmallKernel(*kernel.small, *kernel.schedule, target, name, module);
  }
}

// Code that was made before has no text to show, no checks and no other target.
bool TakesReadyCode(const JitTarget& target, const NativeOptions& options) {
  return options.debug.on_llvm == nullptr && options.debug.on_assembly == nullptr &&
         target.checks == nullptr && !target.is_emulated();
}

// Gives the numbers of the kernels that are not precompiled; the addresses of the others are set.
std::vector<size_t> TakePrecompiled(std::span<KernelTable::Kernel> kernels, const JitTarget& target,
                                    const NativeOptions& options) {
  const bool takes_any =
      options.debug.use_precompiled && target.codegen_level == 1 && TakesReadyCode(target, options);
  std::vector<size_t> left;
  for (size_t k = 0; k < kernels.size(); ++k) {
    KernelTable::Kernel& kernel = kernels[k];
    void* const code =
        takes_any && kernel.key.is_portable
            ? FindPrecompiledKernel(target.isa, kernel.CodegenLevel(target), kernel.key.text)
            : nullptr;
    if (code != nullptr) kernel.SetAddress(code);
    if (code == nullptr) left.push_back(k);
  }
  return left;
}

// Sets the addresses of those kernels whose code is in options.saved, and takes their numbers out
// of `left`.
Status TakeSaved(Jit& jit, std::span<KernelTable::Kernel> kernels, const NativeOptions& options,
                 std::vector<size_t>& left) {
  const SavedKernels& saved = *options.saved;
  const auto function_of = [&](size_t k) {
    const KernelTable::Kernel& kernel = kernels[k];
    const int level = kernel.CodegenLevel(jit.target());
    return kernel.key.is_portable
               ? saved.functions.find(PrecompiledKeyOf(jit.target().isa, level, kernel.key.text))
               : saved.functions.end();
  };
  const auto is_saved = [&](size_t k) { return function_of(k) != saved.functions.end(); };
  if (std::ranges::none_of(left, is_saved)) return {};
  for (const std::string& object : saved.objects) AXLE_TRY(jit.AddObject(object));
  for (const size_t k : left) {
    if (!is_saved(k)) continue;
    AXLE_ASSIGN(void* const address, jit.Lookup(function_of(k)->second));
    kernels[k].SetAddress(address);
  }
  std::erase_if(left, is_saved);
  return {};
}

// Whether kernels of other programs are taken, and others may take those that are compiled here.
bool SharesKernels(const JitTarget& target, const NativeOptions& options) {
  return options.debug.use_precompiled && TakesReadyCode(target, options);
}

// Sets the addresses of those kernels that other programs have, and takes their numbers out of
// `left`. Gives their code.
std::unique_ptr<JoinedCode> TakeShared(std::span<KernelTable::Kernel> kernels,
                                       const JitTarget& target, std::vector<size_t>& left) {
  auto code = std::make_unique<JoinedCode>();
  std::erase_if(left, [&](size_t k) {
    const std::optional<std::string> key = SharedKeyOf(kernels[k], target);
    std::optional<SharedKernel> shared = key ? FindSharedKernel(*key) : std::nullopt;
    if (!shared) return false;
    kernels[k].SetAddress(shared->address);
    code->Add(std::move(shared->code));
    return true;
  });
  return code;
}

// Batches in the order in which threads take them: levels that take longer to compile come first.
std::vector<Batch> Batches(std::span<const KernelTable::Kernel> kernels, const JitTarget& target,
                           std::span<const size_t> numbers, size_t num_threads) {
  const size_t most =
      std::clamp<size_t>((numbers.size() + num_threads - 1) / num_threads, 1, kMaxKernelsPerModule);
  std::vector<Batch> batches;
  for (int level = kMaxLevel; level >= 0; --level) {
    bool is_new = true;
    for (const size_t k : numbers) {
      if (kernels[k].CodegenLevel(target) != level) continue;
      if (is_new || batches.back().kernels.size() == most) batches.push_back({level});
      is_new = false;
      batches.back().kernels.push_back(k);
    }
  }
  return batches;
}

Status CompileBatch(Jit& jit, std::span<KernelTable::Kernel> kernels, const Batch& batch,
                    const Gate& gate) {
  for (size_t begin = 0, end; begin < batch.kernels.size(); begin = end) {
    Jit::NewModule module =
        jit.MakeModule(StrCat("kernels", batch.kernels[begin]), batch.codegen_level);
    for (end = begin; end < batch.kernels.size(); ++end) {
      if (end > begin && module.num_instructions() >= kMaxInstructions) break;
      const size_t k = batch.kernels[end];
      Emit(kernels[k], jit.target(), KernelTable::NameOf(k), *module.module);
    }
    const i64 room = RoomFor(module);
    AXLE_TRY(gate.enter(room));
    const struct Inside {
      ~Inside() { gate.leave(room); }
      const Gate& gate;
      const i64 room;
    } inside{gate, room};
    Status status = jit.Add(std::move(module));
    for (size_t i = begin; i < end && status.ok(); ++i) {
      const StatusOr<void*> address = jit.Lookup(KernelTable::NameOf(batch.kernels[i]));
      if (address.ok()) kernels[batch.kernels[i]].SetAddress(*address);
      status = address.status();
    }
    AXLE_TRY(status);
  }
  return {};
}

bool HasRoomForThreads(size_t num_threads) {
  return HasRoomFor(kRoomPerThread * static_cast<i64>(num_threads));
}

Status NoRoom(i64 bytes) {
  return ResourceExhausted(StrCat("compile: no memory for kernels: LLVM needs ", bytes, " bytes"));
}

Status CompileBatches(Jit& jit, std::span<KernelTable::Kernel> kernels,
                      std::span<const Batch> batches, size_t num_threads, Limits* limits) {
  size_t num_kernels = 0;
  for (const Batch& batch : batches) num_kernels += batch.kernels.size();
  std::atomic<size_t> next = 0, num_compiled = 0;
  std::mutex mutex, room_mutex;
  Status status;  // the first that is not OK
  const auto fail = [&](Status why) {
    const std::lock_guard lock(mutex);
    if (status.ok()) status = std::move(why);
    next = batches.size();
  };
  const auto has_room = [&] {  // one asks at a time: to ask takes the memory for a moment
    const std::lock_guard lock(room_mutex);
    return HasRoomForThreads(1);
  };
  // One thread at a time changes the limits. Meanwhile all may look at the clock. What does not fit
  // beside the work of other threads waits until they are done with it.
  std::condition_variable has_left;
  int num_inside = 0;
  const auto reserve = [&](i64 bytes) -> Status {
    if (!HasRoomFor(std::max(bytes, kRoomPerThread))) return NoRoom(bytes);
    return limits == nullptr ? Status() : limits->Reserve(bytes);
  };
  const Gate gate = {[&](i64 bytes) -> Status {
                       std::unique_lock lock(room_mutex);
                       for (;;) {
                         if (limits != nullptr) AXLE_TRY(limits->CheckNow());
                         Status reserved = reserve(bytes);
                         if (reserved.ok()) ++num_inside;
                         if (reserved.ok() || num_inside == 0) return reserved;
                         has_left.wait_for(lock, std::chrono::milliseconds(100));
                       }
                     },
                     [&](i64 bytes) {
                       const std::lock_guard lock(room_mutex);
                       if (limits != nullptr) limits->Release(bytes);
                       --num_inside;
                       has_left.notify_all();
                     }};
  // Only the thread that was asked says that there is no memory for any kernels: the others leave
  // the rest to it.
  const auto work = [&](bool is_first) {
    Limits* const own_limits = is_first ? limits : nullptr;
    for (;;) {
      const bool has_memory = has_room();
      if (!has_memory && !is_first) return;
      const size_t b = next++;
      if (b >= batches.size()) return;
      try {
        Status made = own_limits == nullptr ? Status() : own_limits->CheckNow();
        if (made.ok() && !has_memory) made = NoRoom(kRoomPerThread);
        if (made.ok()) made = CompileBatch(jit, kernels, batches[b], gate);
        if (!made.ok()) return fail(std::move(made));
      } catch (const std::bad_alloc&) {
        return fail(ResourceExhausted("compile: no memory for kernels"));
      } catch (const std::exception& exception) {  // must not leave a thread
        return fail(Internal(StrCat("compile: exception: ", exception.what())));
      }
      num_compiled += batches[b].kernels.size();
      if (own_limits != nullptr) {
        own_limits->Progress(static_cast<double>(num_compiled) / static_cast<double>(num_kernels));
      }
    }
  };
  std::vector<std::thread> others;
  others.reserve(num_threads);
  for (size_t t = 1; t < std::min(num_threads, batches.size()); ++t) {
    const ScopedBlockedSignals blocked;
    try {
      others.emplace_back(work, false);
    } catch (const std::exception&) {  // no thread, or no memory for one
      break;                           // fewer do it too
    }
  }
  work(true);
  for (std::thread& other : others) other.join();
  return status;
}

}  // namespace

const bool kHasKernelCompiler = true;

Status PrecompileKernels(const KernelTable& table, PrecompiledWriter& writer) {
  for (const KernelTable::Kernel& kernel : table.kernels()) {
    if (!kernel.key.is_portable) continue;
    const int level = kernel.CodegenLevel(writer.target());
    if (FindPrecompiledKernel(writer.target().isa, level, kernel.key.text) != nullptr) continue;
    KernelTable::Kernel any = kernel;
    if (any.loop) any.loop->row_sizes = {};
    AXLE_TRY(writer.Add(level, any.key.text, [&](const std::string& name, llvm::Module& module) {
      Emit(any, writer.target(), name, module);
    }));
  }
  return {};
}

StatusOr<SavedKernels> SaveKernels(const KernelTable& table, const JitTarget& target) {
  if (!HasRoomForThreads(1)) return NoRoom(kRoomPerThread);
  AXLE_ASSIGN(PrecompiledWriter writer, PrecompiledWriter::Create(target));
  AXLE_TRY(PrecompileKernels(table, writer));
  SavedKernels saved;
  AXLE_ASSIGN(std::vector<PrecompiledWriter::Object> objects, writer.Finish());
  for (PrecompiledWriter::Object& object : objects) {
    saved.objects.push_back(std::move(object.content));
  }
  saved.functions.insert(writer.names().begin(), writer.names().end());
  return saved;
}

StatusOr<std::unique_ptr<MachineCode>> CompileKernels(KernelTable& table, const JitTarget& target,
                                                      const NativeOptions& options) {
  const std::span<KernelTable::Kernel> kernels = table.kernels();
  std::vector<size_t> left = TakePrecompiled(kernels, target, options);
  if (left.empty()) return std::unique_ptr<MachineCode>();
  auto code = std::make_unique<JoinedCode>();
  if (SharesKernels(target, options)) code = TakeShared(kernels, target, left);
  if (left.empty()) return std::unique_ptr<MachineCode>(std::move(code));
  if (!HasRoomForThreads(1)) return NoRoom(kRoomPerThread);
  AXLE_ASSIGN(std::unique_ptr<Jit> made, Jit::Create(target, options));
  const std::shared_ptr<Jit> jit = std::move(made);
  code->Add(jit);
  if (options.saved != nullptr && TakesReadyCode(target, options)) {
    AXLE_TRY(TakeSaved(*jit, kernels, options, left));
    if (left.empty()) return std::unique_ptr<MachineCode>(std::move(code));
  }
  // The order of the texts that on_llvm and on_assembly get must not depend on threads.
  const bool is_read = options.debug.on_llvm != nullptr || options.debug.on_assembly != nullptr;
  const auto most_threads =
      static_cast<size_t>(is_read ? 1 : std::clamp(options.num_threads, 1, kMaxThreads));
  const std::vector<Batch> batches = Batches(kernels, target, left, most_threads);
  size_t num_threads = std::min(most_threads, batches.size());
  while (num_threads > 1 && !HasRoomForThreads(num_threads)) num_threads /= 2;
  AXLE_TRY(CompileBatches(*jit, kernels, batches, num_threads, options.limits));
  if (!SharesKernels(target, options)) return std::unique_ptr<MachineCode>(std::move(code));
  for (const size_t k : left) {
    if (const auto key = SharedKeyOf(kernels[k], target))
      ShareKernel(*key, kernels[k].address, jit);
  }
  return std::unique_ptr<MachineCode>(std::move(code));
}

}  // namespace axle
