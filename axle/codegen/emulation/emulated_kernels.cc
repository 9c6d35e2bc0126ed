// How a kernel runs in the emulator. When it is loaded, its IR goes through llc and the cross
// linker to a shared library, which the guest loads. A call then takes these steps under the
// emulator's lock:
//
// 1. The memory that each operand touches follows from the call's sizes and strides (Touched).
//    Operands that overlap become one block, so that a write to one is seen in the other.
// 2. Pointers, strides or fuel, and the blocks are copied into the shared memory. A block keeps its
//    alignment relative to kAlignment bytes.
// 3. The guest calls the kernel; its questions meanwhile (fuel, remainders, failed checks) are
//    answered here.
// 4. Rows of outputs are copied back, and no other bytes: other threads may write those.
//
// A call costs two switches between processes and the copies, which is why this is for tests only.
#include "axle/codegen/emulation/emulated_kernels.h"

#include <algorithm>
#include <cstring>

#include "axle/codegen/emulation/cross_tools.h"
#include "axle/codegen/spec/checked_kernel.h"
#include "axle/core/file.h"
#include "axle/core/kernel.h"
#include "axle/core/strings.h"
#include "axle/core/temporary_folder.h"
#include "axle/emit/executor.h"

namespace axle {
namespace {

// Arrays have the same address modulo this in the emulator as here.
constexpr i64 kAlignment = 64;
// Memory above this is given back after a call.
constexpr i64 kKeptBytes = i64{64} << 20;

// The bytes of an operand that a call touches: row_bytes of each row.
struct Touched {
  std::byte* first_row;
  i64 row_bytes, rows, stride;

  bool is_empty() const { return rows <= 0 || row_bytes <= 0; }
  std::byte* begin() const { return first_row + std::min<i64>(0, (rows - 1) * stride); }
  std::byte* end() const { return first_row + std::max<i64>(0, (rows - 1) * stride) + row_bytes; }
};

// The arguments of a LoopKernel or a SmallKernel.
struct KernelCall {
  const KernelOperands& operands;
  const std::uint64_t* arguments;

  template <typename T>
  T* Pointer(size_t i) const {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(arguments[i]));
  }
  size_t pointers_at() const { return operands.is_loop ? 0 : 1; }
  void* const* pointers() const { return Pointer<void* const>(pointers_at()); }
  size_t num_operands() const { return operands.operands.size(); }

  Touched TouchedBy(size_t i) const {
    const KernelOperand& operand = operands.operands[i];
    auto* const first = static_cast<std::byte*>(pointers()[i]);
    if (!operands.is_loop) return {first, operand.bytes, 1, 0};
    const i64 inner = static_cast<i64>(arguments[1]), outer = static_cast<i64>(arguments[2]);
    const i64 stride = Pointer<const i64>(3)[i];
    switch (operand.row) {
      case KernelOperand::Row::kNeighbours:
        return {first, inner * operand.bytes, outer, stride};
      case KernelOperand::Row::kApart: {
        if (inner <= 0) return {first, 0, outer, stride};
        const i64 last = (inner - 1) * Pointer<const i64>(4)[i];
        return {first + std::min<i64>(last, 0), std::abs(last) + operand.bytes, outer, stride};
      }
      case KernelOperand::Row::kTable: {
        auto* const begin = static_cast<std::byte*>(pointers()[num_operands() + 2 * i]);
        auto* const end = static_cast<std::byte*>(pointers()[num_operands() + 2 * i + 1]);
        return {begin, end - begin, 1, 0};
      }
      case KernelOperand::Row::kOne:
        break;
    }
    return {first, operand.bytes, outer, stride};
  }
};

// The layout of a call's memory in the emulator. Operands that overlap are one block.
class Placement {
 public:
  Placement(const KernelCall& call, i64 begin) : end_(begin) {
    for (size_t i = 0; i < call.num_operands(); ++i) touched_.push_back(call.TouchedBy(i));
    std::vector<const Touched*> by_begin;
    for (const Touched& touched : touched_) {
      if (!touched.is_empty()) by_begin.push_back(&touched);
    }
    std::ranges::sort(by_begin, {}, [](const Touched* touched) { return touched->begin(); });
    for (const Touched* touched : by_begin) {
      if (!blocks_.empty() && touched->begin() < blocks_.back().end) {
        blocks_.back().end = std::max(blocks_.back().end, touched->end());
      } else {
        blocks_.push_back({touched->begin(), touched->end(), 0});
      }
    }
    for (Block& block : blocks_) {
      const auto misaligned =
          static_cast<i64>(reinterpret_cast<std::uintptr_t>(block.begin) % kAlignment);
      block.offset = Aligned(end_) + misaligned;
      end_ = block.offset + (block.end - block.begin);
    }
  }

  i64 end() const { return end_; }
  const Touched& touched(size_t i) const { return touched_[i]; }

  void CopyTo(std::byte* memory) const {
    for (const Block& block : blocks_) {
      std::memcpy(memory + block.offset, block.begin, static_cast<size_t>(block.end - block.begin));
    }
  }
  // Operand i, whose other bytes other threads may write meanwhile.
  void CopyBack(const std::byte* memory, size_t i) const {
    const Touched& touched = touched_[i];
    if (touched.is_empty()) return;
    const std::byte* from = memory + OffsetOf(touched.first_row);
    for (i64 row = 0; row < touched.rows; ++row) {
      std::memcpy(touched.first_row + row * touched.stride, from + row * touched.stride,
                  static_cast<size_t>(touched.row_bytes));
    }
  }
  // The offset of an operand's first byte. For a place in no block, any offset will do: nothing is
  // read there.
  i64 OffsetOf(const std::byte* place) const {
    const auto block = std::ranges::find_if(
        blocks_, [&](const Block& b) { return b.begin <= place && place < b.end; });
    return block == blocks_.end() ? Aligned(end_) : block->offset + (place - block->begin);
  }
  static i64 Aligned(i64 offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

 private:
  struct Block {
    std::byte *begin, *end;
    i64 offset;
  };
  std::vector<Touched> touched_;
  std::vector<Block> blocks_;
  i64 end_;
};

template <typename T, typename Bits>
std::uint64_t RemainderBits(const AxleMessage& question) {
  return std::bit_cast<Bits>(
      FloatRemainder(std::bit_cast<T>(static_cast<Bits>(question.values[0])),
                     std::bit_cast<T>(static_cast<Bits>(question.values[1]))));
}

}  // namespace

StatusOr<std::unique_ptr<KernelEmulator>> EmulatedKernels::Create(const JitTarget& target,
                                                                  const std::string& llc) {
  AXLE_ASSIGN(std::string compiler, FindTool(llc));
  AXLE_ASSIGN(std::string linker, FindTool("aarch64-linux-gnu-ld"));
  AXLE_ASSIGN(std::shared_ptr<Emulator> emulator, Emulator::Shared());
  std::unique_ptr<EmulatedKernels> kernels(new EmulatedKernels(target, std::move(emulator)));
  kernels->compiler_ = std::move(compiler);
  kernels->linker_ = std::move(linker);
  return std::unique_ptr<KernelEmulator>(std::move(kernels));
}

EmulatedKernels::~EmulatedKernels() {
  for (const std::uint64_t library : libraries_) emulator_->Unload(library);
}

// Compiles to FOLDER/code; `kind` is obj or asm.
Status EmulatedKernels::Compile(const Code& code, const std::string& folder,
                                const std::string& kind) const {
  AXLE_TRY(WriteFile(StrCat(folder, "/code.ll"), code.llvm_ir));
  std::vector<std::string> command = {compiler_,
                                      "-mtriple=aarch64-linux-gnu",
                                      "-fp-contract=off",
                                      "-relocation-model=pic",
                                      StrCat("-filetype=", kind),
                                      "-o",
                                      StrCat(folder, "/code"),
                                      StrCat(folder, "/code.ll")};
  command.insert(command.end(), code.llc_options.begin(), code.llc_options.end());
  return RunTool(command);
}

StatusOr<std::string> EmulatedKernels::Assembly(const Code& code) const {
  AXLE_ASSIGN(const auto folder, TemporaryFolder::Create());
  AXLE_TRY(Compile(code, folder->At(""), "asm"));
  return ReadFile(folder->At("code"));
}

StatusOr<std::vector<const void*>> EmulatedKernels::Load(const Code& code,
                                                         std::span<const Function> functions) {
  AXLE_ASSIGN(const auto folder, TemporaryFolder::Create());
  AXLE_TRY(Compile(code, folder->At(""), "obj"));
  const std::string library_path = folder->At("code.so");
  AXLE_TRY(RunTool({linker_, "-shared", "-o", library_path, folder->At("code")}));
  AXLE_ASSIGN(const std::uint64_t library, emulator_->Load(library_path));
  {
    const std::lock_guard lock(mutex_);
    libraries_.push_back(library);
  }
  std::vector<const void*> handles;
  for (const Function& function : functions) {
    AXLE_ASSIGN(const std::uint64_t address, emulator_->Find(library, function.name));
    const std::lock_guard lock(mutex_);
    handles.push_back(kernels_
                          .emplace_back(std::make_unique<const Kernel>(
                              Kernel{this, function.name, function.operands, address}))
                          .get());
  }
  return handles;
}

Status EmulatedKernels::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::uint64_t EmulatedKernels::RunHandle(const void* handle, const std::uint64_t* arguments) {
  const auto* const kernel = static_cast<const Kernel*>(handle);
  EmulatedKernels& self = *kernel->owner;
  // Loops have no way to fail. A small kernel that did not run must not keep its caller in a loop.
  const std::uint64_t failed = kernel->operands.is_loop ? kKernelOk : kKernelFailed;
  if (!self.status().ok()) return failed;
  const StatusOr<std::uint64_t> result = self.Run(*kernel, arguments);
  if (result.ok()) return *result;
  const std::lock_guard lock(self.mutex_);
  if (self.status_.ok()) {
    self.status_ = {result.status().code(), StrCat(kernel->name, ": ", result.status().message())};
  }
  return failed;
}

// The shared memory holds pointers, then strides of a loop or fuel, then arrays.
// Bounds of checked code are moved by the same distance as the pointer that they belong to, so that
// the guest's checks compare what this machine's would.
StatusOr<std::uint64_t> EmulatedKernels::Run(const Kernel& kernel, const std::uint64_t* arguments) {
  const KernelCall call{kernel.operands, arguments};
  const size_t n = call.num_operands();
  const size_t num_pointers = target_.checks != nullptr ? NumCheckedPointers(n) : n;
  constexpr i64 kWord = sizeof(std::uint64_t), kPointersAt = 0;
  const auto bytes_of = [](size_t words) { return static_cast<i64>(words) * kWord; };
  const i64 strides_at = kPointersAt + bytes_of(num_pointers), fuel_at = strides_at;
  const i64 arrays_at = strides_at + std::max(bytes_of(2 * n), static_cast<i64>(sizeof(Fuel)));
  const Placement placement(call, arrays_at);
  if (placement.end() + kAlignment > Emulator::kMemoryBytes) {
    return ResourceExhausted(
        StrCat("native: the emulator cannot allocate ", placement.end(), " bytes"));
  }

  const auto lock = emulator_->Lock();
  std::byte* const memory = emulator_->memory();
  const auto write = [&](i64 offset, std::uint64_t word) {
    std::memcpy(memory + offset, &word, sizeof word);
  };
  placement.CopyTo(memory);
  for (size_t i = 0; i < n; ++i) {
    auto* const here = static_cast<std::byte*>(call.pointers()[i]);
    const std::byte* first =
        placement.touched(i).is_empty() ? here : placement.touched(i).first_row;
    const std::uint64_t there = emulator_->AddressOf(placement.OffsetOf(first) + (here - first));
    write(kPointersAt + bytes_of(i), there);
    for (size_t bound = n + 2 * i; bound < num_pointers && bound < n + 2 * i + 2; ++bound) {
      const auto distance = static_cast<std::byte*>(call.pointers()[bound]) - here;
      write(kPointersAt + bytes_of(bound), there + static_cast<std::uint64_t>(distance));
    }
  }
  std::vector<std::uint64_t> there(arguments, arguments + (kernel.operands.is_loop ? 5 : 2));
  there[call.pointers_at()] = emulator_->AddressOf(kPointersAt);
  Fuel* const fuel = kernel.operands.is_loop ? nullptr : call.Pointer<Fuel>(0);
  const auto write_fuel = [&] { write(fuel_at, static_cast<std::uint64_t>(fuel->left)); };
  const auto read_fuel = [&] { std::memcpy(&fuel->left, memory + fuel_at, sizeof fuel->left); };
  if (fuel != nullptr) {
    write_fuel();
    write(fuel_at + kWord, emulator_->more_fuel());
    there[0] = emulator_->AddressOf(fuel_at);
  } else {
    for (size_t s = 0; s < 2; ++s) {
      const i64 at = strides_at + bytes_of(s * n);
      std::memcpy(memory + at, call.Pointer<const i64>(3 + s), n * sizeof(i64));
      there[3 + s] = emulator_->AddressOf(at);
    }
  }
  there.insert(there.begin(), kernel.address);
  const auto answer = [&](const AxleMessage& question) -> std::uint64_t {
    const std::uint64_t* v = question.values;
    switch (question.kind) {
      case kAxleFuel: {
        read_fuel();
        const i64 more = fuel->more(fuel);
        write_fuel();
        return static_cast<std::uint64_t>(more);
      }
      case kAxleRemainderF32:
        return RemainderBits<float, std::uint32_t>(question);
      case kAxleRemainderF64:
        return RemainderBits<double, std::uint64_t>(question);
      default: {  // only the distances count
        const auto place = [](std::uint64_t offset) {
          return reinterpret_cast<std::byte*>(offset);
        };
        CheckAccess(target_.checks, kernel.name.c_str(), static_cast<i64>(v[0]), place(0),
                    place(v[2]), place(v[1]), static_cast<i64>(v[3]), static_cast<int>(v[4]));
        return 0;
      }
    }
  };
  AXLE_ASSIGN(const std::uint64_t result, emulator_->Call(there, answer));
  if (fuel != nullptr) read_fuel();
  for (size_t i = 0; i < n; ++i) {
    if (kernel.operands.operands[i].is_output) placement.CopyBack(memory, i);
  }
  if (placement.end() > kKeptBytes) emulator_->Forget(kKeptBytes, placement.end());
  return result;
}

}  // namespace axle
