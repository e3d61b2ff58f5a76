"""Unaligned store streams as LLVM IR: part of `runtime`."""

from __future__ import annotations

from ptoscope.native import layout

STREAM_STORE = """
define i32 @rt_stream_store(ptr %state, ptr %stream, i64 %address, ptr %data,
                            i64 %length) noinline {
  ; The stream is 32 pending bytes, how many there are, the address after them, and whether
  ; it has begun. The caller's memory has room for 256 bytes after the pending ones.
  %ub_at = getelementptr i64, ptr %state, i64 UB
  %ub = load i64, ptr %ub_at
  %ub_size_at = getelementptr i64, ptr %state, i64 UB_BYTES
  %ub_size = load i64, ptr %ub_size_at
  %count_at = getelementptr i8, ptr %stream, i64 32
  %count = load i64, ptr %count_at
  %end_at = getelementptr i8, ptr %stream, i64 40
  %end = load i64, ptr %end_at
  %begun_at = getelementptr i8, ptr %stream, i64 48
  %some = icmp ne i64 %count, 0
  %elsewhere = icmp ne i64 %address, %end
  %broken = and i1 %some, %elsewhere
  br i1 %broken, label %bad, label %look
look:
  %new_end = add i64 %address, %length
  %held = add i64 %count, %length
  %start = sub i64 %new_end, %held
  %below = icmp slt i64 %start, 0
  %above = icmp sgt i64 %new_end, %ub_size
  %huge = icmp sgt i64 %address, %ub_size
  %out = or i1 %below, %above
  %outside = or i1 %out, %huge
  br i1 %outside, label %bad, label %go
go:
  %joined = alloca [320 x i8], align 64
  %pending = load <32 x i8>, ptr %stream, align 1
  store <32 x i8> %pending, ptr %joined, align 64
  %after = getelementptr i8, ptr %joined, i64 %count
  %whole = load <256 x i8>, ptr %data, align 1
  store <256 x i8> %whole, ptr %after, align 1
  %border = and i64 %new_end, -32
  %full = sub i64 %border, %start
  %positive = icmp sgt i64 %full, 0
  %written = select i1 %positive, i64 %full, i64 0
  %to_number = add i64 %ub, %start
  %to = inttoptr i64 %to_number to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %joined, i64 %written, i1 false)
  %tail_at = getelementptr i8, ptr %joined, i64 %written
  %tail = load <32 x i8>, ptr %tail_at, align 1
  store <32 x i8> %tail, ptr %stream, align 1
  %kept = sub i64 %held, %written
  store i64 %kept, ptr %count_at
  store i64 %new_end, ptr %end_at
  store i64 1, ptr %begun_at
  ret i32 0
bad:
  ret i32 1
}
""".replace("i64 UB_BYTES", f"i64 {layout.UB_BYTES}").replace("i64 UB\n", f"i64 {layout.UB}\n")

STREAM_FLUSH = """
define i32 @rt_stream_flush(ptr %state, ptr %stream, i64 %address) noinline {
  %ub_at = getelementptr i64, ptr %state, i64 UB
  %ub = load i64, ptr %ub_at
  %ub_size_at = getelementptr i64, ptr %state, i64 UB_BYTES
  %ub_size = load i64, ptr %ub_size_at
  %count_at = getelementptr i8, ptr %stream, i64 32
  %count = load i64, ptr %count_at
  %end_at = getelementptr i8, ptr %stream, i64 40
  %end = load i64, ptr %end_at
  %begun_at = getelementptr i8, ptr %stream, i64 48
  %begun_word = load i64, ptr %begun_at
  %begun = icmp ne i64 %begun_word, 0
  %elsewhere = icmp ne i64 %address, %end
  %broken = and i1 %begun, %elsewhere
  %start = sub i64 %address, %count
  %below = icmp slt i64 %start, 0
  %above = icmp sgt i64 %address, %ub_size
  %out = or i1 %below, %above
  %wrong = or i1 %broken, %out
  br i1 %wrong, label %bad, label %go
go:
  %to_number = add i64 %ub, %start
  %to = inttoptr i64 %to_number to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %stream, i64 %count, i1 false)
  ret i32 0
bad:
  ret i32 1
}
""".replace("i64 UB_BYTES", f"i64 {layout.UB_BYTES}").replace("i64 UB\n", f"i64 {layout.UB}\n")
