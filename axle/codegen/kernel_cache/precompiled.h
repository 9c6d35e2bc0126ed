// Kernels in stock: those that lie in the library, compiled when it was built, by the code that
// compiles them at run time. A module that needs no others starts without LLVM. Which they are:
// tools/stock.
#pragma once
#include <span>
#include <string_view>

#include "axle/codegen/llvm/jit.h"

namespace axle {

struct StockKernel {
  std::string_view key;  // StockKeyOf
  void (*code)();        // of the type that its plan calls
};

// Sorted by key. Made by StockWriter; empty where the library was built without.
std::span<const StockKernel> StockKernels();

// Of a kernel whose KernelKey is portable and has this text.
std::string StockKeyOf(NativeIsa isa, int codegen_level, std::string_view kernel_key);

// Null if it is not in stock.
void* FindStockKernel(NativeIsa isa, int codegen_level, std::string_view kernel_key);

}  // namespace axle
