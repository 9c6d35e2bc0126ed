; Bug: llvm.vector.insert of a narrow vector is not legalised
; Kind: compiler crash
; What: A <4 x i8> is inserted into a <8 x i8>. Both types are narrower than a register, and the
;   legaliser has no rule for the operand.
; Expected: compiles
; Got: LLVM ERROR: Don't know how to widen the operands for INSERT_SUBVECTOR
; Component: SelectionDAG type legalisation
; Wrong: v2 O0 O1 O2, v3 O0 O1 O2, v4 O0 O1 O2
; Present: 15-19
; Absent: 20-23
; Workaround: InsertVector
; Remove when: LLVM 19 is not supported any more.

@x = global <8 x i8> <i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8>
@y = global <4 x i8> <i8 9, i8 10, i8 11, i8 12>
@expected = global <8 x i8> <i8 1, i8 2, i8 3, i8 4, i8 9, i8 10, i8 11, i8 12>
@out = global <8 x i8> <i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85, i8 85>

define void @kernel(ptr %x, ptr %y, ptr %out) {
  %a = load <8 x i8>, ptr %x
  %b = load <4 x i8>, ptr %y
  %result = call <8 x i8> @llvm.vector.insert.v8i8.v4i8(<8 x i8> %a, <4 x i8> %b, i64 4)
  store <8 x i8> %result, ptr %out
  ret void
}

declare <8 x i8> @llvm.vector.insert.v8i8.v4i8(<8 x i8>, <4 x i8>, i64 immarg)

define i32 @main() {
  call void @kernel(ptr @x, ptr @y, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 8)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
