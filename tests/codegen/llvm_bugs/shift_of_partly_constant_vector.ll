; Bug: y - ((y ^ x) >> 1) of a vector with some constant lanes is 0
; Kind: wrong result
; What: The vector x has constants in some lanes and variables in others. LLVM loses the constant
;   lanes where the vector is shifted and combined, and one lane is read.
; Expected: 2^57 in lane 2, the lane that was constant
; Got: 0
; Component: DAG combine of vector shifts, SimplifyDemandedVectorElts with known lanes
; Wrong: v3 O0 O1 O2, v4 O0 O1 O2
; Present: 19-23
; Absent: 14-18
; Workaround: MixesConstantLanes, BarrierOnConstant
; Remove when: The result is right at v3 and v4.

@x = global <4 x i64> <i64 1, i64 2, i64 3, i64 4>
@y = global <4 x i64> <i64 5, i64 6, i64 7, i64 8>
@expected = global <4 x i64> <i64 6, i64 7, i64 144115188075855872, i64 8>
@out = global <4 x i64> <i64 85, i64 85, i64 85, i64 85>

define void @kernel(ptr %x, ptr %y, ptr %out) {
  %a = load <4 x i64>, ptr %x
  %b = load <4 x i64>, ptr %y
  %some = shufflevector <4 x i64> <i64 -1, i64 -1, i64 undef, i64 undef>, <4 x i64> %a, <4 x i32> <i32 0, i32 1, i32 5, i32 4>
  %complement = sub <4 x i64> <i64 -1, i64 -1, i64 -1, i64 -1>, %some
  %high = lshr <4 x i64> %complement, <i64 29, i64 29, i64 29, i64 29>
  %both = xor <4 x i64> %high, %some
  %half = ashr <4 x i64> %both, <i64 1, i64 1, i64 1, i64 1>
  %average = sub <4 x i64> %high, %half
  %shifted = shl <4 x i64> %average, <i64 57, i64 57, i64 57, i64 57>
  %result = shufflevector <4 x i64> %b, <4 x i64> %shifted, <4 x i32> <i32 1, i32 2, i32 4, i32 3>
  store <4 x i64> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @y, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 32)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
