; Bug: select(c, shuffle(select(c, load, y)), y) drops the inner select
; Kind: wrong result
; What: With AVX-512 both selects become masked instructions. LLVM folds the load into the masked
;   shuffle and drops the inner mask: lanes that the inner select takes from y come from memory.
; Expected: 2, 2, 1, 1
; Got: 12, 2, 14, 1
; Component: PeepholeOptimizer, folding of loads; right with -disable-peephole
; Wrong: v4 O1 O2
; Present: 22
; Absent: 14-21, 23
; Assembly: vpermq\s+\$57, \(%rdx\), %ymm0 \{%k1\}
; Workaround: kPassOptions, disable-peephole
; Remove when: Every supported LLVM is 23 or newer: then delete the option, not only this file.

@x = global <4 x i64> <i64 1, i64 2, i64 3, i64 4>
@y = global <4 x i64> <i64 5, i64 2, i64 9, i64 1>
@z = global <4 x i64> <i64 11, i64 12, i64 13, i64 14>
@expected = global <4 x i64> <i64 2, i64 2, i64 1, i64 1>
@out = global <4 x i64> <i64 85, i64 85, i64 85, i64 85>

define void @kernel(ptr %x, ptr %y, ptr %z, ptr %out) {
  %a = load <4 x i64>, ptr %x
  %b = load <4 x i64>, ptr %y
  %d = load <4 x i64>, ptr %z
  %condition = icmp ult <4 x i64> %a, %b
  %inner = select <4 x i1> %condition, <4 x i64> %d, <4 x i64> %b
  %moved = shufflevector <4 x i64> %inner, <4 x i64> poison, <4 x i32> <i32 1, i32 2, i32 3, i32 0>
  %result = select <4 x i1> %condition, <4 x i64> %moved, <4 x i64> %b
  store <4 x i64> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @y, ptr @z, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 32)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
