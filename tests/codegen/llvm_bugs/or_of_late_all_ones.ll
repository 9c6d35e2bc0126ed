; Bug: x | y loses lanes in which y turns out to be all ones late
; Kind: wrong result
; What: The lanes of x and y come from several vectors. Where a lane of y is all ones, LLVM drops
;   that lane of x; then it drops the lane of y as well, because x could be all ones there. The
;   lane becomes 0. x & y with a lane of zeros is alike.
; Expected: all ones in lanes 11 to 15
; Got: 0 in lane 11
; Component: TargetLowering SimplifyDemandedVectorElts of or and and
; Wrong: v2 O0 O1 O2, v3 O0 O1 O2
; Present: 22-23
; Absent: 14-21
; Workaround: MayAbsorbLanes, BarrierOnOneSide
; Remove when: The result is right at v2 and v3.

@x = global <16 x i64> <i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15, i64 16>
@y = global <16 x i64> <i64 100, i64 101, i64 102, i64 103, i64 104, i64 105, i64 106, i64 107, i64 108, i64 109, i64 110, i64 111, i64 112, i64 113, i64 114, i64 115>
@n = global i64 5
@expected = global <16 x i64> <i64 63, i64 62, i64 62, i64 61, i64 61, i64 61, i64 0, i64 0, i64 0, i64 0, i64 0, i64 18446744073709551615, i64 18446744073709551615, i64 18446744073709551615, i64 18446744073709551615, i64 18446744073709551615>
@out = global <16 x i64> <i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85>

define void @kernel(ptr %x, ptr %y, ptr %n, ptr %out) {
  %p = load <16 x i64>, ptr %x, align 8
  %q = load <16 x i64>, ptr %y, align 8
  %i = load <1 x i64>, ptr %n
  br label %begin

begin:
  %a = call <16 x i64> @llvm.ctlz.v16i64(<16 x i64> %p, i1 false)
  %zero = lshr <16 x i64> %a, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %b = call <16 x i64> @llvm.ctlz.v16i64(<16 x i64> %q, i1 false)
  %bzero = lshr <16 x i64> %b, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %ones = xor <16 x i64> %bzero, <i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1>
  %l1 = shufflevector <16 x i64> %a, <16 x i64> %zero, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 22, i32 23, i32 24, i32 25, i32 26, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %l2 = shufflevector <16 x i64> %l1, <16 x i64> %ones, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 27, i32 28, i32 29, i32 30, i32 31>
  %none = sub <1 x i64> %i, %i
  %r1 = shufflevector <16 x i64> %a, <16 x i64> poison, <16 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %none1 = extractelement <1 x i64> %none, i64 0
  %s1 = insertelement <16 x i64> poison, i64 %none1, i64 0
  %s = shufflevector <16 x i64> %s1, <16 x i64> poison, <16 x i32> zeroinitializer
  %r2 = shufflevector <16 x i64> %r1, <16 x i64> %s, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 22, i32 23, i32 24, i32 25, i32 26, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %r3 = shufflevector <16 x i64> %p, <16 x i64> poison, <16 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 4, i32 3, i32 2, i32 1, i32 0>
  %r4 = shufflevector <16 x i64> %r2, <16 x i64> %r3, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 27, i32 28, i32 29, i32 30, i32 31>
  %result = or <16 x i64> %l2, %r4
  store <16 x i64> %result, ptr %out, align 8
  ret void
}
declare <16 x i64> @llvm.ctlz.v16i64(<16 x i64>, i1 immarg)

define i32 @main() {
  call void @kernel(ptr @x, ptr @y, ptr @n, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 128)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
