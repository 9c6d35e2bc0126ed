; Bug: lshr(mul(sext i16 x, sext i16 y), 16) in i64 loses bits 32 and above of the product
; Kind: wrong result
; What: The product of two sign-extended i16 values is shifted right logically by 16 in i64. LLVM
;   multiplies with pmulhw, which keeps bits 16 to 31 of the product, and extends those with
;   zeros, although the bits above are copies of the sign.
; Expected: 0x0000ffffffffffff in a lane with product -6
; Got: 0x000000000000ffff in that lane
; Component: DAGCombiner combineShiftToMULH
; Wrong: v2 O0 O1 O2, v3 O0 O1 O2, v4 O1 O2
; Present: 14-23
; Absent: none
; Workaround: BarrierOnMultiply, HideWidth
; Remove when: The result is right in all configurations.

@x = global <8 x i16> <i16 -3, i16 5, i16 -7, i16 100, i16 -1, i16 2, i16 300, i16 -300>
@y = global <8 x i16> <i16 2, i16 6, i16 9, i16 -100, i16 -1, i16 1, i16 300, i16 300>
@expected = global <8 x i64> <i64 281474976710655, i64 0, i64 281474976710655, i64 281474976710655, i64 0, i64 0, i64 1, i64 281474976710654>
@out = global <8 x i64> <i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85>

define void @kernel(ptr %x, ptr %y, ptr %out) {
  %a = load <8 x i16>, ptr %x
  %b = load <8 x i16>, ptr %y
  %aw = sext <8 x i16> %a to <8 x i64>
  %bw = sext <8 x i16> %b to <8 x i64>
  %product = mul <8 x i64> %aw, %bw
  %result = lshr <8 x i64> %product, <i64 16, i64 16, i64 16, i64 16, i64 16, i64 16, i64 16, i64 16>
  store <8 x i64> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @y, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 64)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
