; Bug: a shuffle of an integer division becomes a division of shuffled operands with undefined
;   divisors
; Kind: wrong result
; What: Lanes of a quotient or remainder are moved, repeated or dropped. LLVM shuffles the
;   operands instead and leaves divisors undefined in lanes that nobody reads. A division by an
;   undefined value is undefined, so that the whole vector is dropped. A divisor that is equal in
;   all lanes does not help.
; Expected: the moved remainders, times y
; Got: 0 in all lanes
; Component: DAGCombiner: binary operations moved across vector shuffles, no exception for sdiv,
;   udiv, srem and urem; on all targets by design, seen on x86
; Wrong: v3 O0 O1 O2, v4 O0 O1 O2
; Present: 14-22
; Absent: 23
; Workaround: MayShuffleDivisors
; Remove when: Every supported LLVM is 23 or newer.

@x = global <4 x i8> <i8 100, i8 -100, i8 50, i8 7>
@y = global <8 x i8> <i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8>
@expected = global <8 x i8> <i8 156, i8 14, i8 212, i8 144, i8 244, i8 44, i8 49, i8 32>
@out = global <8 x i8> <i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85>

define void @kernel(ptr %x, ptr %y, ptr %out) {
  %a = load <4 x i8>, ptr %x
  %b = load <8 x i8>, ptr %y
  %rest = srem <4 x i8> %a, <i8 127, i8 127, i8 127, i8 127>
  %moved = shufflevector <4 x i8> %rest, <4 x i8> poison, <8 x i32> <i32 1, i32 3, i32 1, i32 0, i32 0, i32 2, i32 3, i32 0>
  %result = mul <8 x i8> %moved, %b
  store <8 x i8> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @y, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 8)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
