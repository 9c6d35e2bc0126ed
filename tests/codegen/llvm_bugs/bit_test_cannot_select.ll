; Bug: a test of one bit of an i64 that x86 narrows to i32 cannot be selected
; Kind: compiler crash
; What: (x & (1 << n)) != 0 or ((x >> n) & 1) != 0 of a scalar i64 with n known to be below 32.
;   X86 narrows the test to bt with an i32 operand, whose truncation is left without a pattern.
; Expected: compiles, and gives x if the bit is set
; Got: LLVM ERROR: Cannot select: i32 = any_extend, which ends the process
; Component: X86 DAG combine to BT, then instruction selection; also at O1 and O2 without
;   CodeGenPrepare (-disable-cgp) for AVX-512
; Wrong: v2 O0, v3 O0, v4 O0
; Present: 14-23
; Absent: none
; Workaround: MayTestBit, BarrierOnScalarCount
; Remove when: llc compiles it at O0.

@x = global i64 6
@p = global i8 1
@expected = global i64 6
@out = global i64 85

define void @kernel(ptr %x, ptr %p, ptr %out) {
  %a = load <1 x i64>, ptr %x
  %byte = load <1 x i8>, ptr %p
  %bool = icmp ne <1 x i8> %byte, zeroinitializer
  br label %begin

begin:
  %n = zext <1 x i1> %bool to <1 x i64>
  %sum = add <1 x i64> %a, %n
  %masked = and <1 x i64> %n, <i64 63>
  %one = shl <1 x i64> <i64 1>, %masked
  %bit = and <1 x i64> %sum, %one
  %zero = icmp eq <1 x i64> %bit, zeroinitializer
  %result = select <1 x i1> %zero, <1 x i64> <i64 7>, <1 x i64> %a
  store <1 x i64> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @p, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 8)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
