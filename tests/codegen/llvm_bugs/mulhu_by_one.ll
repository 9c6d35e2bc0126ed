; Bug: the unsigned high half of x * 1 becomes a shift by the full width when the 1 is discovered
;   late
; Kind: wrong result
; What: A factor of a high multiplication simplifies to the constant 1 after mulhu was formed. 1
;   counts as the power of two 1 << 0, so that the high half becomes lshr x, width - 0, which is
;   poison.
; Expected: 0 in all lanes
; Got: an undefined register, so that the store disappears
; Component: DAGCombiner visitMULHU: mulhu x, (1 << c) to lshr x, (width - c)
; Wrong: v2 O0 O1 O2, v3 O1 O2, v4 O1 O2
; Present: 14-23
; Absent: none
; Workaround: BarrierOnFactors
; Remove when: The result is right in all configurations.

@x = global <16 x i8> <i8 107, i8 66, i8 173, i8 14, i8 199, i8 252, i8 43, i8 96, i8 101, i8 141, i8 67, i8 237, i8 133, i8 33, i8 206, i8 194>
@q = global <16 x i8> <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8, i8 9, i8 10, i8 11, i8 12, i8 13, i8 14, i8 15>
@expected = global <16 x i8> <i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0>
@out = global <16 x i8> <i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85>

define void @kernel(ptr %x, ptr %q, ptr %out) {
  %a = load <16 x i8>, ptr %x
  %b = load <16 x i8>, ptr %q
  br label %begin

begin:
  %few = lshr <16 x i8> %b, <i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3>
  %zero = lshr <16 x i8> %few, <i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5, i8 5>
  %below = icmp ult <16 x i8> %a, %zero
  %one = select <16 x i1> %below, <16 x i8> <i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2>, <16 x i8> <i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1>
  %ow = zext <16 x i8> %one to <16 x i16>
  %aw = zext <16 x i8> %a to <16 x i16>
  %product = mul <16 x i16> %aw, %ow
  %high = lshr <16 x i16> %product, <i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8, i16 8>
  %result = trunc <16 x i16> %high to <16 x i8>
  store <16 x i8> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @q, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 16)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
