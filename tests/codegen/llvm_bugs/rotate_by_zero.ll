; Bug: a vector rotate by a count that turns out to be 0 late ors in an undefined value
; Kind: wrong result
; What: shl(x, n) | lshr(x, -n & mask) with n = 0 is x | x. LLVM expands the rotate without an
;   instruction for it, finds out late that n is 0, and computes the other half as a shift by the
;   full width. AVX-512 rotates i32 and i64 with one instruction.
; Expected: the low 5 bits of x
; Got: an unrelated register is combined into them, here all ones
; Component: DAGCombiner and X86 lowering of vector rotates
; Wrong: v3 O0 O1 O2
; Present: 19-23
; Absent: 14-18
; Workaround: MayRotate, BarrierOnCount
; Remove when: The result is right at v3.

@x = global <8 x i32> <i32 2202592363, i32 91455042, i32 3394559917, i32 3878122510, i32 1780008647, i32 2521421308, i32 2120790315, i32 164274784>
@f = global <8 x i32> <i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1>
@g = global <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
@expected = global <8 x i32> <i32 28, i32 2, i32 20, i32 2, i32 24, i32 8, i32 28, i32 0>
@out = global <8 x i32> <i32 85, i32 85, i32 85, i32 85, i32 85, i32 85, i32 85, i32 85>

define void @kernel(ptr %x, ptr %f, ptr %g, ptr %out) {
  %a = load <8 x i32>, ptr %x
  %other = load <8 x i32>, ptr %f
  br label %begin

begin:
  %square = mul <8 x i32> %a, %a
  %half = ashr <8 x i32> %square, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %not = xor <8 x i32> %half, <i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1>
  %top = shl <8 x i32> %not, <i32 30, i32 30, i32 30, i32 30, i32 30, i32 30, i32 30, i32 30>
  %small = icmp ult <8 x i32> %top, <i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32>
  %count = select <8 x i1> %small, <8 x i32> <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>, <8 x i32> zeroinitializer
  %left = shl <8 x i32> %half, %count
  %negated = sub <8 x i32> zeroinitializer, %count
  %back = and <8 x i32> %negated, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  %right = lshr <8 x i32> %half, %back
  %rotated = or <8 x i32> %left, %right
  %result = and <8 x i32> %rotated, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  store <8 x i32> %result, ptr %out
  store <8 x i32> %other, ptr %g
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @f, ptr @g, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 32)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
