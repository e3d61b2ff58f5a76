"""Copies between GM and UB, as LLVM IR: part of `runtime`."""

from __future__ import annotations

from ptoscope.isa.targets import DMA_ALIGNMENT
from ptoscope.native import layout
from ptoscope.native.runtime_memory import REGIONS, located

# The fields of a transfer.
SRC, DST, LENGTH, PADDED, LEFT, RIGHT, PATTERN, LEVELS = range(8)

PAST_CACHE = 12 << 20
"""Bytes of an array in GM from which on copies to it go past the cache: it would not stay
there, and a line that is only written need not be read first."""

TRANSFER = f"""
define i32 @rt_transfer(ptr %state, i64 %stop, ptr %args, i64 %count, i64 %src_gm, i64 %dst_gm,
                        i64 %size, i64 %limit) noinline {{
entry:
  %queued_at = getelementptr i64, ptr %state, i64 {layout.QUEUED}
  %queued = load i64, ptr %queued_at
  %busy = icmp ne i64 %queued, 0
  %length_at = getelementptr i64, ptr %args, i64 {LENGTH}
  %length = load i64, ptr %length_at
  %long = icmp uge i64 %length, %limit
  %doubt = or i1 %busy, %long
  br i1 %doubt, label %ask, label %look
look:
  %levels = getelementptr i64, ptr %args, i64 {LEVELS}
  %src_at = getelementptr i64, ptr %args, i64 {SRC}
  %src = load i64, ptr %src_at
  %dst_at = getelementptr i64, ptr %args, i64 {DST}
  %dst = load i64, ptr %dst_at
{REGIONS}{located("src", "%src", "%src_gm")}{located("dst", "%dst", "%dst_gm")}
  %src_first = add i64 %src_data, %src_offset
  %dst_first = add i64 %dst_data, %dst_offset
  %fixed = icmp eq i64 %dst_free, 0
  %lost = or i1 %src_lost, %dst_lost
  %nowhere = or i1 %lost, %fixed
  %src_ub = xor i64 %src_gm, 1
  %dst_ub = xor i64 %dst_gm, 1
  %across_word = xor i64 %src_gm, %dst_gm
  %across = icmp ne i64 %across_word, 0
  %padded_at = getelementptr i64, ptr %args, i64 {PADDED}
  %padded_word = load i64, ptr %padded_at
  %padded = icmp ne i64 %padded_word, 0
  %not_padded = xor i1 %padded, true
  %rows_now = load i64, ptr %levels
  %step_src_at = getelementptr i64, ptr %levels, i64 1
  %step_src = load i64, ptr %step_src_at
  %step_dst_at = getelementptr i64, ptr %levels, i64 2
  %step_dst = load i64, ptr %step_dst_at
  %same_src = icmp eq i64 %step_src, %length
  %same_dst = icmp eq i64 %step_dst, %length
  %same = and i1 %same_src, %same_dst
  %one_row = icmp eq i64 %rows_now, 1
  %run = or i1 %one_row, %same
  %few = icmp ult i64 %rows_now, {1 << 16}
  %more_than_none = icmp ne i64 %rows_now, 0
  %one_level = icmp eq i64 %count, 1
  %some_bytes = icmp ne i64 %length, 0
  ; The common case at once: one dense run between GM and UB, inside both.
  %all_bytes = mul i64 %rows_now, %length
  %src_end = add i64 %src_offset, %all_bytes
  %dst_end = add i64 %dst_offset, %all_bytes
  %src_fits = icmp sle i64 %src_end, %src_size
  %dst_fits = icmp sle i64 %dst_end, %dst_size
  %offsets = or i64 %src_offset, %dst_offset
  %not_below = icmp sge i64 %offsets, 0
  %src_local = select i1 %src_is_gm, i64 0, i64 %src_offset
  %dst_local = select i1 %dst_is_gm, i64 0, i64 %dst_offset
  %local = or i64 %src_local, %dst_local
  %stride_counts = select i1 %one_row, i64 0, i64 %length
  %places = or i64 %local, %stride_counts
  %odd_places = and i64 %places, {DMA_ALIGNMENT - 1}
  %straight = icmp eq i64 %odd_places, 0
  %somewhere = xor i1 %nowhere, true
  %q1 = and i1 %run, %few
  %q2 = and i1 %more_than_none, %one_level
  %q3 = and i1 %some_bytes, %src_fits
  %q4 = and i1 %dst_fits, %not_below
  %q5 = and i1 %straight, %somewhere
  %q6 = and i1 %across, %not_padded
  %q7 = and i1 %q1, %q2
  %q8 = and i1 %q3, %q4
  %q9 = and i1 %q5, %q6
  %q10 = and i1 %q7, %q8
  %quick = and i1 %q9, %q10
  br i1 %quick, label %at_once, label %counts
at_once:
  %quick_from = inttoptr i64 %src_first to ptr
  %quick_to = inttoptr i64 %dst_first to ptr
  %far = icmp sge i64 %dst_size, {PAST_CACHE}
  %much = icmp sge i64 %all_bytes, 1024
  %past = and i1 %far, %much
  br i1 %past, label %go_past, label %go_near
go_past:
  call void @rt_past(ptr %quick_to, ptr %quick_from, i64 %all_bytes)
  ret i32 0
go_near:
  call void @llvm.memcpy.p0.p0.i64(ptr %quick_to, ptr %quick_from, i64 %all_bytes, i1 false)
  ret i32 0
counts:
  %i = phi i64 [ 0, %look ], [ %i_next, %counted ]
  %empty = phi i1 [ false, %look ], [ %empty_next, %counted ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %one_count, label %padding
one_count:
  %base = mul i64 %i, 3
  %repeats_at = getelementptr i64, ptr %levels, i64 %base
  %repeats = load i64, ptr %repeats_at
  %outermost = icmp ne i64 %i, 0
  %bound = select i1 %outermost, i64 {1 << 21}, i64 {1 << 16}
  %wide = icmp uge i64 %repeats, %bound
  br i1 %wide, label %ask, label %counted
counted:
  %none = icmp eq i64 %repeats, 0
  %empty_next = or i1 %empty, %none
  %i_next = add i64 %i, 1
  br label %counts
padding:
  br i1 %empty, label %nothing, label %pads
pads:
  %left_at = getelementptr i64, ptr %args, i64 {LEFT}
  %left_count = load i64, ptr %left_at
  %right_at = getelementptr i64, ptr %args, i64 {RIGHT}
  %right_count = load i64, ptr %right_at
  %pattern_at = getelementptr i64, ptr %args, i64 {PATTERN}
  %pattern = load i64, ptr %pattern_at
  br i1 %padded, label %with_pad, label %without_pad
with_pad:
  %left_wide = icmp uge i64 %left_count, 256
  %right_wide = icmp uge i64 %right_count, 256
  %pad_wide = or i1 %left_wide, %right_wide
  br i1 %pad_wide, label %ask, label %pad_row
pad_row:
  %pad_left = mul i64 %left_count, %size
  %pad_right = mul i64 %right_count, %size
  %part = add i64 %pad_left, %length
  %filled = add i64 %part, %pad_right
  %up = add i64 %filled, {DMA_ALIGNMENT - 1}
  %rounded = and i64 %up, {-DMA_ALIGNMENT}
  %stride_at = getelementptr i64, ptr %levels, i64 2
  %stride = load i64, ptr %stride_at
  %longer = icmp sgt i64 %stride, %rounded
  %pad_end = select i1 %longer, i64 %stride, i64 %rounded
  br label %locate
without_pad:
  %no_bytes = icmp eq i64 %length, 0
  br i1 %no_bytes, label %nothing, label %locate
locate:
  %left = phi i64 [ %pad_left, %pad_row ], [ 0, %without_pad ]
  %row = phi i64 [ %pad_end, %pad_row ], [ %length, %without_pad ]
  br label %collapse
collapse:
  %c = phi i64 [ 0, %locate ], [ %c_next, %collapsed ]
  %c_more = icmp ult i64 %c, %count
  br i1 %c_more, label %this_level, label %find
this_level:
  %c_base = mul i64 %c, 3
  %c_at = getelementptr i64, ptr %levels, i64 %c_base
  %c_src_at = getelementptr i64, ptr %c_at, i64 1
  %c_src = load i64, ptr %c_src_at
  %c_dst_at = getelementptr i64, ptr %c_at, i64 2
  %c_dst = load i64, ptr %c_dst_at
  %c_both = or i64 %c_src, %c_dst
  %still = icmp eq i64 %c_both, 0
  %c_old = load i64, ptr %c_at
  %c_new = select i1 %still, i64 1, i64 %c_old
  store i64 %c_new, ptr %c_at
  br label %collapsed
collapsed:
  %c_next = add i64 %c, 1
  br label %collapse
find:
  %src_bad = call i32 @rt_side(i64 %src_size, i64 %src_offset, ptr %levels, i64 %count,
                               i64 1, i64 %length, i64 %src_ub)
  %dst_bad = call i32 @rt_side(i64 %dst_size, i64 %dst_offset, ptr %levels, i64 %count,
                               i64 2, i64 %row, i64 %dst_ub)
  %bad_word = or i32 %src_bad, %dst_bad
  %bad = icmp ne i32 %bad_word, 0
  %wrong = or i1 %bad, %nowhere
  br i1 %wrong, label %ask, label %start
start:
  %counters_index = mul i64 %count, 3
  %counters = getelementptr i64, ptr %levels, i64 %counters_index
  %single = load i64, ptr %levels
  %dense_plain = and i1 %same, %not_padded
  %dense = and i1 %dense_plain, %across
  br i1 %dense, label %merge, label %rows
merge:
  %all = mul i64 %single, %length
  store i64 1, ptr %levels
  br label %rows
rows:
  %bytes = phi i64 [ %length, %start ], [ %all, %merge ]
  br label %clear
clear:
  %z = phi i64 [ 0, %rows ], [ %z_next, %clear ]
  %z_at = getelementptr i64, ptr %counters, i64 %z
  store i64 0, ptr %z_at
  %z_next = add i64 %z, 1
  %z_more = icmp ult i64 %z_next, %count
  br i1 %z_more, label %clear, label %copy
copy:
  %from = phi i64 [ %src_first, %clear ], [ %from_step, %again ]
  %to = phi i64 [ %dst_first, %clear ], [ %to_step, %again ]
  %turn = phi i64 [ 1, %clear ], [ %turn_next, %again ]
  %from_row = inttoptr i64 %from to ptr
  %to_row = inttoptr i64 %to to ptr
  br i1 %padded, label %padded_row, label %plain_row
padded_row:
  call void @rt_fill(ptr %to_row, i64 %left, i64 %pattern)
  %to_data = getelementptr i8, ptr %to_row, i64 %left
  call void @llvm.memcpy.p0.p0.i64(ptr %to_data, ptr %from_row, i64 %length, i1 false)
  %to_rest = getelementptr i8, ptr %to_data, i64 %length
  %rest_left = sub i64 %row, %left
  %rest = sub i64 %rest_left, %length
  call void @rt_fill(ptr %to_rest, i64 %rest, i64 %pattern)
  br label %advance
plain_row:
  br i1 %across, label %apart, label %inside
apart:
  call void @llvm.memcpy.p0.p0.i64(ptr %to_row, ptr %from_row, i64 %bytes, i1 false)
  br label %advance
inside:
  call void @llvm.memmove.p0.p0.i64(ptr %to_row, ptr %from_row, i64 %bytes, i1 false)
  br label %advance
advance:
  %turn_next = add i64 %turn, 1
  %turn_low = and i64 %turn, {(1 << 20) - 1}
  %pause = icmp eq i64 %turn_low, 0
  br i1 %pause, label %poll, label %next_level
poll:
  %polled = call i32 @rt_service(ptr %state, i64 -1, ptr null)
  %halt = icmp ne i32 %polled, 0
  br i1 %halt, label %stopped, label %next_level
next_level:
  %n = phi i64 [ 0, %advance ], [ 0, %poll ], [ %n_next, %wrap ]
  %n_from = phi i64 [ %from, %advance ], [ %from, %poll ], [ %from_back, %wrap ]
  %n_to = phi i64 [ %to, %advance ], [ %to, %poll ], [ %to_back, %wrap ]
  %finished = icmp uge i64 %n, %count
  br i1 %finished, label %nothing, label %step
step:
  %n_base = mul i64 %n, 3
  %n_at = getelementptr i64, ptr %levels, i64 %n_base
  %n_repeats = load i64, ptr %n_at
  %n_src_at = getelementptr i64, ptr %n_at, i64 1
  %n_src = load i64, ptr %n_src_at
  %n_dst_at = getelementptr i64, ptr %n_at, i64 2
  %n_dst = load i64, ptr %n_dst_at
  %counter_at = getelementptr i64, ptr %counters, i64 %n
  %counter = load i64, ptr %counter_at
  %counter_next = add i64 %counter, 1
  store i64 %counter_next, ptr %counter_at
  %n_more = icmp ult i64 %counter_next, %n_repeats
  br i1 %n_more, label %again, label %wrap
again:
  %from_step = add i64 %n_from, %n_src
  %to_step = add i64 %n_to, %n_dst
  br label %copy
wrap:
  store i64 0, ptr %counter_at
  %src_span = mul i64 %n_src, %counter
  %dst_span = mul i64 %n_dst, %counter
  %from_back = sub i64 %n_from, %src_span
  %to_back = sub i64 %n_to, %dst_span
  %n_next = add i64 %n, 1
  br label %next_level
ask:
  %asked = call i32 @rt_service(ptr %state, i64 %stop, ptr %args)
  ret i32 %asked
stopped:
  ret i32 1
nothing:
  ret i32 0
}}
"""
