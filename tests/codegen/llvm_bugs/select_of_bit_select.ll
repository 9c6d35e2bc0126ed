; Bug: select(c, (x & m) | (y & ~m), y) with AVX-512 merges the wrong bits
; Kind: wrong result
; What: A bit-select under a lane mask becomes one masked vpternlog. LLVM computes its truth table
;   for the operands in another order than it passes them. m is a constant that is not made of
;   whole bytes; sums, differences and xors that LLVM recognises as a bit-select are affected too.
; Expected: the sign of x (m is the sign bit) with the rest of y
; Got: m ^ (x & (y ^ m)): for x = 31 and y = -65536 that is 0x80000000 instead of 0x7fff0000
; Component: X86 instruction selection of masked vpternlog
; Wrong: v4 O1 O2
; Present: 14-22
; Absent: 23
; Assembly: vpternlogd\s+\$228, \(%rsi\), %xmm1, %xmm0 \{%k1\}
; Workaround: MayWriteMaskedLanes, BarrierOnSelected
; Remove when: Every supported LLVM is 23 or newer.

@c = global <4 x i8> <i8 1, i8 0, i8 1, i8 1>
@x = global <4 x i32> <i32 -4, i32 1, i32 1507946221, i32 31>
@y = global <4 x i32> <i32 -4, i32 23, i32 1, i32 -65536>
@expected = global <4 x i32> <i32 -4, i32 23, i32 1, i32 2147418112>
@out = global <4 x i32> <i32 85, i32 85, i32 85, i32 85>

define void @kernel(ptr %c, ptr %x, ptr %y, ptr %out) {
  %m = load <4 x i8>, ptr %c
  %condition = icmp ne <4 x i8> %m, zeroinitializer
  %a = load <4 x i32>, ptr %x, align 16
  %b = load <4 x i32>, ptr %y, align 16
  %sign = and <4 x i32> %a, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>
  %rest = and <4 x i32> %b, <i32 2147483647, i32 2147483647, i32 2147483647, i32 2147483647>
  %joined = or <4 x i32> %sign, %rest
  %result = select <4 x i1> %condition, <4 x i32> %joined, <4 x i32> %b
  store <4 x i32> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @c, ptr @x, ptr @y, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 16)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
