; Bug: llc -O0 recurses without end on shuffles that repeat lanes of a load
; Kind: compiler crash
; What: Two shuffles repeat the lanes of one loaded vector and are then truncated. The combines
;   turn each into the other until the stack is used up.
; Expected: compiles
; Got: a segmentation fault of the compiler
; Component: X86 shuffle lowering and DAG combine at O0, for AVX2
; Wrong: v3 O0
; Present: 16-23
; Absent: 14-15
; Workaround: CodegenLevel
; Remove when: llc -O0 compiles it for v3.

@x = global <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>
@expected = global <32 x i8> <i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 1, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 2, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 3, i8 4, i8 4, i8 4, i8 4, i8 4, i8 4, i8 4, i8 4>
@out = global <32 x i8> zeroinitializer

define void @kernel(ptr %x, ptr %out) {
  %a = load <8 x i32>, ptr %x, align 4
  %s0 = shufflevector <8 x i32> %a, <8 x i32> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %s1 = shufflevector <8 x i32> %a, <8 x i32> poison, <16 x i32> <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %t0 = trunc <16 x i32> %s0 to <16 x i8>
  store <16 x i8> %t0, ptr %out
  %t1 = trunc <16 x i32> %s1 to <16 x i8>
  %next = getelementptr i8, ptr %out, i64 16
  store <16 x i8> %t1, ptr %next
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 32)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
