; Bug: a chain of shuffles of <8 x i64> reads a wrong lane with AVX-512
; Kind: wrong result
; What: Several shuffles in sequence, which share their operands, are merged into one vpermq or
;   vpermt2q with a wrong index.
; Expected: 1, 3, 5, 7, 2, 4, 6
; Got: 1, 3, 5, 7, 1, 4, 6
; Component: X86 shuffle combining (combineX86ShufflesRecursively)
; Wrong: v4 O0 O1 O2
; Present: 21-22
; Absent: 14-20, 23
; Assembly: \[0,2,4,6,0,3,
; Workaround: ForSmallValues
; Remove when: Every supported LLVM is 23 or newer: functions of few elements may then use
;   registers of 64 bytes, if they are faster.

@x = global <8 x i64> <i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8>
@narrow = global <8 x i16> zeroinitializer
@expected = global [7 x i64] [i64 1, i64 3, i64 5, i64 7, i64 2, i64 4, i64 6]
@out = global <8 x i64> <i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85, i64 85>

define void @kernel(ptr %x, ptr %narrow, ptr %out) {
  %a = load <8 x i64>, ptr %x, align 8
  br label %begin

begin:
  %even = shufflevector <8 x i64> %a, <8 x i64> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %a1 = extractelement <8 x i64> %a, i64 1
  %a3 = extractelement <8 x i64> %a, i64 3
  %a5 = extractelement <8 x i64> %a, i64 5
  %v0 = shufflevector <4 x i64> %even, <4 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison>
  %i1 = insertelement <8 x i64> poison, i64 %a1, i64 0
  %s1 = shufflevector <8 x i64> %i1, <8 x i64> poison, <8 x i32> zeroinitializer
  %v1 = shufflevector <8 x i64> %v0, <8 x i64> %s1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 poison, i32 poison, i32 poison>
  %i3 = insertelement <8 x i64> poison, i64 %a3, i64 0
  %s3 = shufflevector <8 x i64> %i3, <8 x i64> poison, <8 x i32> zeroinitializer
  %v2 = shufflevector <8 x i64> %v1, <8 x i64> %s3, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 13, i32 poison, i32 poison>
  %i5 = insertelement <8 x i64> poison, i64 %a5, i64 0
  %s5 = shufflevector <8 x i64> %i5, <8 x i64> poison, <8 x i32> zeroinitializer
  %moved = shufflevector <8 x i64> %v2, <8 x i64> %s5, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 14, i32 poison>
  %e0 = shufflevector <4 x i64> %even, <4 x i64> poison, <8 x i32> <i32 0, i32 poison, i32 1, i32 poison, i32 2, i32 poison, i32 3, i32 poison>
  %e1 = shufflevector <8 x i64> %e0, <8 x i64> zeroinitializer, <8 x i32> <i32 0, i32 9, i32 2, i32 11, i32 4, i32 13, i32 6, i32 poison>
  %o1 = shufflevector <8 x i64> zeroinitializer, <8 x i64> %s1, <8 x i32> <i32 0, i32 9, i32 2, i32 poison, i32 4, i32 poison, i32 6, i32 poison>
  %o3 = shufflevector <8 x i64> %o1, <8 x i64> %s3, <8 x i32> <i32 0, i32 1, i32 2, i32 11, i32 4, i32 poison, i32 6, i32 poison>
  %o5 = shufflevector <8 x i64> %o3, <8 x i64> %s5, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 13, i32 6, i32 poison>
  %both = xor <8 x i64> %e1, %o5
  %t = trunc <8 x i64> %both to <8 x i16>
  store <8 x i16> %t, ptr %narrow
  %r0 = shufflevector <8 x i64> %moved, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x i64> %r0, ptr %out, align 8
  %r1 = shufflevector <8 x i64> %moved, <8 x i64> poison, <2 x i32> <i32 4, i32 5>
  %o4 = getelementptr i64, ptr %out, i64 4
  store <2 x i64> %r1, ptr %o4, align 8
  %r2 = extractelement <8 x i64> %moved, i64 6
  %o6 = getelementptr i64, ptr %out, i64 6
  store i64 %r2, ptr %o6, align 8
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @narrow, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 56)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
