// What LLVM compiles wrongly, and code with the same meaning in its place. Each was found by random
// modules, by such as were written by hand, or by random kernels (tests/codegen/random_kernels),
// and is a module in tests/data/found, or a test of tests/codegen/llvm_workarounds_test.cc or of
// that folder's found_kernels_test.cc.
#pragma once
#include <llvm/IR/Module.h>

#include "axle/codegen/llvm/jit.h"

namespace axle {

// Changes the functions of `module`, which nothing combines any more before it is compiled.
//
// Products of narrow numbers (LLVM 22, x86): of trunc(lshr(mul(x, y), n)), or ashr, from 64 bits or
// more to 16, where x and y have no more than 16, LLVM makes a product of 16 bits, shifted by
// n - 16 within them: the bits that come down from above are lost, and behind 32 any may come. Of
// lshr(mul(x, y), 16) it makes the same with zeros above 32. It sees these also where extensions,
// truncations, masks, divisions by powers of two, stores and loads are between, so here it cannot
// know of any product that both sides are so narrow.
//
// High products (LLVM 22, x86): of the upper half of x * y, where it finds out late that y is 1, it
// makes x shifted by all of its bits, which may be anything; 1 is a power of two like any other to
// it. Here it cannot find out anything of a side, except how many bits it was extended from; or,
// where both sides have 64 bits, of the product.
//
// Quotients (LLVM 22, all processors): where it finds out late that x and y are 0, of the bits of
// fdiv(x, y), a NaN, it makes 0. Here it cannot know that y is.
//
// Distances (LLVM 22, x86 without AVX-512): of max(x, y) - min(x, y) and x > y ? x - y : y - x of
// vectors of 64 bits without a sign, where it knows in the end that x >= y, it makes abs(x - y)
// with a sign, which is wrong from 2^63 on. Here it does not see that what is compared is what is
// chosen.
//
// Parts (LLVM 22, x86): of t > 1 ? p : 1, where t has the lower bits of p (by a truncation or a
// mask), it makes p + (t == 0), as if t were p; of numbers alone, not of vectors. Here it does not
// see whose bits are compared.
//
// Quotients of integers (LLVM 22, all processors): where lanes of a quotient of vectors are moved
// or left out, it moves those of x and y instead; a y that has no number in some lane makes all of
// the quotient anything, also where it has the same number in all others. Here it cannot move
// anything past a quotient.
//
// Rotations (LLVM 22, x86 without an instruction for them): where it finds out late that the count
// is 0, it takes for the other half a number shifted by all of its bits. Here it cannot find out
// anything of a count.
//
// Bits (LLVM 22, x86): of (x & (1 << n)) != 0 and ((x >> n) & 1) != 0, numbers of 64 bits alone
// where it knows that n is below 32, it makes code that it cannot select, and ends the process.
// Here it knows nothing of n.
//
// Constants among other lanes (LLVM 22, x86): of vectors some of whose lanes are constants and
// others are not, it makes 0 where they are shifted and combined, as in y - ((y ^ x) >> 1), of
// which one lane is read. Here constants that shuffles put between other lanes are numbers of which
// it knows nothing.
//
// Absorbed lanes (LLVM 22, x86): of x | y, vectors whose lanes come from several, where it finds
// out late that a lane of y is all ones, it takes that lane of x for anything, and then that of y
// for anything too, because x may be all ones there; the lane becomes 0. x & y is alike. Here it
// knows nothing of one of the two.
//
// Joined bits (LLVM 22, x86 with AVX-512): of c ? (x & m) | (y & ~m) : x, m a constant of more than
// whole bytes, it makes an instruction that joins other bits; however the two parts are joined.
// Here it does not see what is chosen.
//
// Not here: of a choice by c of what a shuffle of another choice by c gives, where that one is of
// what was loaded, LLVM 22 reads memory without the inner choice (AVX-512): its pass for that does
// not run (jit.cc). Of several shuffles of eight numbers of 64 bits, one behind the other, LLVM 22
// may make one that takes a wrong number (AVX-512). Functions of few elements, which have such
// shuffles, have no registers of 64 bytes (small_lowering.cc); loops have only those that take
// complex numbers apart and put them together. And at O0, for AVX2, LLVM (19 and 22)
// may call itself until there is no stack left, where several shuffles repeat elements of what was
// loaded and are then narrowed: functions of few elements, which alone have such shuffles, are
// compiled with more (kernel_table.cc).
void WorkAroundLlvm(llvm::Module& module, const JitTarget& target);

}  // namespace axle
