; Bug: select(trunc(p) > 1, p, 1) becomes p + (trunc(p) == 0)
; Kind: wrong result
; What: x > 1 ? x : 1 of an unsigned scalar is x + (x == 0). LLVM looks through the truncation or
;   mask of the compared value and uses this form although the upper bits of p are not compared.
; Expected: 1 for p = 2^32
; Got: 2^32 + 1
; Component: X86 DAG combine of a scalar select (cmp, adc)
; Wrong: v2 O1 O2, v3 O1 O2, v4 O1 O2
; Present: 17-23
; Absent: 14-16
; Workaround: MayCompareTruncation, BarrierOnTruncations
; Remove when: The result is right in all configurations.

@p = global i64 4294967296
@expected = global i64 1
@out = global i64 85

define void @kernel(ptr %p, ptr %out) {
  %a = load i64, ptr %p
  %low = trunc i64 %a to i32
  %above = icmp ugt i32 %low, 1
  %result = select i1 %above, i64 %a, i64 1
  store i64 %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @p, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 8)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
