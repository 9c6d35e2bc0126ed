; Bug: umax(x, y) - umin(x, y) of vectors of i64 becomes a signed absolute difference
; Kind: wrong result
; What: LLVM makes an absolute difference of the two, and, when x turns out to be all ones late,
;   takes the signed form. From 2^63 on that is wrong. select(x > y, x - y, y - x) has the same
;   fault. AVX-512 has instructions for the maximum and minimum and is not affected.
; Expected: 2^64 - 1 - q, the complement of q
; Got: q + 1
; Component: DAGCombiner: abdu of umax and umin, turned into abds by known bits
; Wrong: v2 O0 O1 O2, v3 O1 O2
; Present: 20-23
; Absent: 14-19
; Workaround: MayFormAbsoluteDifference
; Remove when: The result is right at v2 and v3.

@q = global <4 x i64> <i64 1, i64 1099511627776, i64 3, i64 4611686018427387909>
@expected = global <4 x i64> <i64 18446744073709551614, i64 18446742974197923839, i64 18446744073709551612, i64 13835058055282163706>
@out = global <4 x i64> <i64 85, i64 85, i64 85, i64 85>

define void @kernel(ptr %q, ptr %out) {
  %a = load <4 x i64>, ptr %q
  %few = lshr <4 x i64> %a, <i64 8, i64 8, i64 8, i64 8>
  %zero = lshr <4 x i64> %few, <i64 56, i64 56, i64 56, i64 56>
  %ones = xor <4 x i64> %zero, <i64 -1, i64 -1, i64 -1, i64 -1>
  %max = call <4 x i64> @llvm.umax.v4i64(<4 x i64> %ones, <4 x i64> %a)
  %min = call <4 x i64> @llvm.umin.v4i64(<4 x i64> %ones, <4 x i64> %a)
  %result = sub <4 x i64> %max, %min
  store <4 x i64> %result, ptr %out
  ret void
}
declare <4 x i64> @llvm.umax.v4i64(<4 x i64>, <4 x i64>)
declare <4 x i64> @llvm.umin.v4i64(<4 x i64>, <4 x i64>)

define i32 @main() {
  call void @kernel(ptr @q, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 32)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
