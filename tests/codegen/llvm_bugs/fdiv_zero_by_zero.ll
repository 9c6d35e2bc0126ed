; Bug: fdiv of two vectors that turn out to be zero late is taken for zero instead of NaN
; Kind: wrong result
; What: SimplifyDemandedVectorElts treats fdiv and frem like fadd: a lane counts as zero if it is
;   zero in both operands. 0 / 0 is NaN, so that operations on the bits of the quotient lose them.
; Expected: 0x7fc0, the upper half of a quiet NaN
; Got: 0x0040: the shift of the bits became 0, and the or with 64 stayed
; Component: TargetLowering SimplifyDemandedVectorElts, case ISD::FDIV; also without
;   CodeGenPrepare (-disable-cgp) at O1 and O2, as here
; Flags: -disable-cgp
; Wrong: v2 O0 O1 O2, v3 O0 O1 O2
; Present: 15-23
; Absent: 14
; Workaround: MayDivideByZero
; Remove when: The result is right with -disable-cgp at all levels.

@x = global <4 x i32> <i32 1, i32 1, i32 1, i32 1>
@flags = global <4 x i8> <i8 0, i8 0, i8 0, i8 0>
@expected = global <4 x i16> <i16 32704, i16 32704, i16 32704, i16 32704>
@out = global <4 x i16> <i16 85, i16 85, i16 85, i16 85>

define void @kernel(ptr %x, ptr %flags, ptr %out) {
  %a = load <4 x i32>, ptr %x
  br label %begin

begin:
  %few = lshr <4 x i32> %a, <i32 31, i32 31, i32 31, i32 31>
  %zero = lshr <4 x i32> %few, <i32 1, i32 1, i32 1, i32 1>
  %f = bitcast <4 x i32> %zero to <4 x float>
  %nan = fdiv <4 x float> %f, %f
  %bits = bitcast <4 x float> %nan to <4 x i32>
  %high = lshr <4 x i32> %bits, <i32 16, i32 16, i32 16, i32 16>
  %quiet = or <4 x i32> %high, <i32 64, i32 64, i32 64, i32 64>
  %t = trunc <4 x i32> %quiet to <4 x i16>
  %less = fcmp olt <4 x float> %f, %f
  br label %end

end:
  %byte = zext <4 x i1> %less to <4 x i8>
  store <4 x i8> %byte, ptr %flags
  %result = and <4 x i16> %t, <i16 32767, i16 32767, i16 32767, i16 32767>
  store <4 x i16> %result, ptr %out
  ret void
}

define i32 @main() {
  call void @kernel(ptr @x, ptr @flags, ptr @out)
  %difference = call i32 @memcmp(ptr @out, ptr @expected, i64 8)
  %is_wrong = icmp ne i32 %difference, 0
  %code = zext i1 %is_wrong to i32
  ret i32 %code
}

declare i32 @memcmp(ptr, ptr, i64)
