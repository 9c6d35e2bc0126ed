; Bug: trunc(lshr(mul(sext i16 x, sext i16 y), n)) loses the upper half of the product
; Kind: wrong result
; What: Both factors have at most 16 significant bits and n is above 16. LLVM multiplies with
;   pmulhw or pmulhuw, which keep bits 16 to 31 of the product, and shifts those right by n - 16.
;   The bits that should come down from above bit 31 (the sign) are missing, and from n = 32 on
;   the shift amount is out of range. LLVM finds the pattern through extensions, truncations,
;   masks, divisions by powers of two, stores and loads in the same function.
; Expected: 0xffff in lanes with a negative product, as here with n = 24: bits 24 to 39 of -6 are
;   ones
; Got: 0x00ff in those lanes
; Component: X86 DAG combine combinePMULH; the form with a shift above 16 came with pull request
;   132548
; Wrong: v2 O0 O1 O2, v3 O0 O1 O2
; Present: 22-23
; Absent: 14-21
; Workaround: BarrierOnMultiply, HideWidth
; Remove when: The result is right at v2 and v3, or every supported LLVM is older than 22.

@x = global <8 x i16> <i16 -3, i16 5, i16 -7, i16 100, i16 -1, i16 2, i16 300, i16 -300>
@y = global <8 x i16> <i16 2, i16 6, i16 9, i16 -100, i16 -1, i16 1, i16 300, i16 300>
@expected = global <8 x i16> <i16 -1, i16 0, i16 -1, i16 -1, i16 0, i16 0, i16 0, i16 -1>
@out = global <8 x i16> <i16 85, i16 85, i16 85, i16 85, i16 85, i16 85, i16 85, i16 85>

define void @kernel(ptr %x, ptr %y, ptr %out) {
  %a = load <8 x i16>, ptr %x
  %b = load <8 x i16>, ptr %y
  %aw = sext <8 x i16> %a to <8 x i64>
  %bw = sext <8 x i16> %b to <8 x i64>
  %product = mul <8 x i64> %aw, %bw
  %shifted = lshr <8 x i64> %product, <i64 24, i64 24, i64 24, i64 24, i64 24, i64 24, i64 24, i64 24>
  %result = trunc <8 x i64> %shifted to <8 x i16>
  store <8 x i16> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @y, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 16)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
