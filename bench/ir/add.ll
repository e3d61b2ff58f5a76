; The work of add.pto, written by hand: what compiling a kernel is measured against.
@ub = internal global [98304 x i8] zeroinitializer, align 64

declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1)

define void @add(ptr noalias %a, ptr noalias %b, ptr noalias %out, i32 %n) {
entry:
  %end = sext i32 %n to i64
  %any = icmp sgt i64 %end, 0
  br i1 %any, label %tile, label %done

tile:
  %start = phi i64 [ 0, %entry ], [ %next_start, %leave ]
  %gm_a = getelementptr float, ptr %a, i64 %start
  %gm_b = getelementptr float, ptr %b, i64 %start
  %gm_out = getelementptr float, ptr %out, i64 %start
  %ub_b = getelementptr i8, ptr @ub, i64 32768
  %ub_out = getelementptr i8, ptr @ub, i64 65536
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 @ub, ptr align 4 %gm_a, i64 32768, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %ub_b, ptr align 4 %gm_b, i64 32768, i1 false)
  br label %vector

vector:
  %i = phi i64 [ 0, %tile ], [ %next_i, %vector ]
  %at_a = getelementptr float, ptr @ub, i64 %i
  %at_b = getelementptr float, ptr %ub_b, i64 %i
  %at_out = getelementptr float, ptr %ub_out, i64 %i
  %lhs = load <64 x float>, ptr %at_a, align 64
  %rhs = load <64 x float>, ptr %at_b, align 64
  %sum = fadd <64 x float> %lhs, %rhs
  store <64 x float> %sum, ptr %at_out, align 64
  %next_i = add i64 %i, 64
  %more = icmp slt i64 %next_i, 8192
  br i1 %more, label %vector, label %leave

leave:
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %gm_out, ptr align 64 %ub_out, i64 32768, i1 false)
  %next_start = add i64 %start, 8192
  %again = icmp slt i64 %next_start, %end
  br i1 %again, label %tile, label %done

done:
  ret void
}
