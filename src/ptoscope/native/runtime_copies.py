"""Copies between GM and UB, and scalars in either, as LLVM IR: part of `runtime`."""

from __future__ import annotations

from ptoscope.isa.targets import DMA_ALIGNMENT
from ptoscope.native import layout


def _located(side: str, address: str, gm: str) -> str:
    """Lines that find the region of an address: its entry in the table (UB's stands before the
    first), its bytes, and the offset in it. `%{side}_lost` says that there is none."""
    return f"""
  %{side}_is_gm = icmp ne i64 {gm}, 0
  %{side}_high = ashr i64 {address}, 44
  %{side}_position = sub i64 %{side}_high, 1
  %{side}_unknown = icmp uge i64 %{side}_position, %region_count
  %{side}_lost = and i1 %{side}_unknown, %{side}_is_gm
  %{side}_found = select i1 %{side}_unknown, i64 -1, i64 %{side}_position
  %{side}_index = select i1 %{side}_is_gm, i64 %{side}_found, i64 -1
  %{side}_entry = mul i64 %{side}_index, 3
  %{side}_row = getelementptr i64, ptr %regions, i64 %{side}_entry
  %{side}_data = load i64, ptr %{side}_row
  %{side}_size_at = getelementptr i64, ptr %{side}_row, i64 1
  %{side}_size = load i64, ptr %{side}_size_at
  %{side}_free_at = getelementptr i64, ptr %{side}_row, i64 2
  %{side}_free = load i64, ptr %{side}_free_at
  %{side}_stretch = shl i64 %{side}_high, 44
  %{side}_middle = add i64 %{side}_stretch, {1 << 43}
  %{side}_base = select i1 %{side}_is_gm, i64 %{side}_middle, i64 0
  %{side}_offset = sub i64 {address}, %{side}_base
"""


_REGIONS = f"""
  %region_count_at = getelementptr i64, ptr %state, i64 {layout.REGION_COUNT}
  %region_count = load i64, ptr %region_count_at
  %regions_at = getelementptr i64, ptr %state, i64 {layout.REGIONS}
  %regions = load ptr, ptr %regions_at
"""

SCALAR = f"""
define ptr @rt_scalar(ptr %state, i64 %gm, i64 %address, i64 %bytes, i64 %write) noinline {{
{_REGIONS}{_located("it", "%address", "%gm")}
  %less = sub i64 %bytes, 1
  %low = and i64 %it_offset, %less
  %crooked = icmp ne i64 %low, 0
  %end = add i64 %it_offset, %bytes
  %negative = icmp slt i64 %it_offset, 0
  %beyond = icmp sgt i64 %end, %it_size
  %reads = icmp eq i64 %write, 0
  %free = icmp ne i64 %it_free, 0
  %may = or i1 %reads, %free
  %fixed = xor i1 %may, true
  %a = or i1 %crooked, %negative
  %b = or i1 %beyond, %fixed
  %c = or i1 %a, %b
  %wrong = or i1 %c, %it_lost
  %at = add i64 %it_data, %it_offset
  %number = select i1 %wrong, i64 0, i64 %at
  %pointer = inttoptr i64 %number to ptr
  ret ptr %pointer
}}
"""
# The fields of a transfer.
SRC, DST, LENGTH, PADDED, LEFT, RIGHT, PATTERN, LEVELS = range(8)

FILL = """
define void @rt_fill(ptr %at, i64 %bytes, i64 %pattern) noinline {
entry:
  br label %wide
wide:
  %i = phi i64 [ 0, %entry ], [ %next, %go ]
  %left = sub i64 %bytes, %i
  %enough = icmp sge i64 %left, 8
  br i1 %enough, label %go, label %tail
go:
  %place = getelementptr i8, ptr %at, i64 %i
  store i64 %pattern, ptr %place, align 1
  %next = add i64 %i, 8
  br label %wide
tail:
  %j = phi i64 [ %i, %wide ], [ %k, %byte ]
  %rest = phi i64 [ %pattern, %wide ], [ %shifted, %byte ]
  %more = icmp slt i64 %j, %bytes
  br i1 %more, label %byte, label %done
byte:
  %spot = getelementptr i8, ptr %at, i64 %j
  %one = trunc i64 %rest to i8
  store i8 %one, ptr %spot
  %shifted = lshr i64 %rest, 8
  %k = add i64 %j, 1
  br label %tail
done:
  ret void
}
"""

PAST_CACHE = 12 << 20
"""Bytes of an array in GM from which on copies to it go past the cache: it would not stay
there, and a line that is only written need not be read first."""

PAST = """
define void @rt_past(ptr %to, ptr %from, i64 %bytes) noinline {
entry:
  %number = ptrtoint ptr %to to i64
  %negative = sub i64 0, %number
  %head = and i64 %negative, 63
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %head, i1 false)
  %left = sub i64 %bytes, %head
  %whole = and i64 %left, -256
  %last = add i64 %head, %whole
  br label %each
each:
  %i = phi i64 [ %head, %entry ], [ %next, %copy ]
  %more = icmp slt i64 %i, %last
  br i1 %more, label %copy, label %tail
copy:
  %f0 = getelementptr i8, ptr %from, i64 %i
  %f1 = getelementptr i8, ptr %f0, i64 64
  %f2 = getelementptr i8, ptr %f0, i64 128
  %f3 = getelementptr i8, ptr %f0, i64 192
  %v0 = load <64 x i8>, ptr %f0, align 1
  %v1 = load <64 x i8>, ptr %f1, align 1
  %v2 = load <64 x i8>, ptr %f2, align 1
  %v3 = load <64 x i8>, ptr %f3, align 1
  %t0 = getelementptr i8, ptr %to, i64 %i
  %t1 = getelementptr i8, ptr %t0, i64 64
  %t2 = getelementptr i8, ptr %t0, i64 128
  %t3 = getelementptr i8, ptr %t0, i64 192
  store <64 x i8> %v0, ptr %t0, align 64, !nontemporal !0
  store <64 x i8> %v1, ptr %t1, align 64, !nontemporal !0
  store <64 x i8> %v2, ptr %t2, align 64, !nontemporal !0
  store <64 x i8> %v3, ptr %t3, align 64, !nontemporal !0
  %next = add i64 %i, 256
  br label %each
tail:
  %rest = sub i64 %bytes, %last
  %from_rest = getelementptr i8, ptr %from, i64 %last
  %to_rest = getelementptr i8, ptr %to, i64 %last
  call void @llvm.memcpy.p0.p0.i64(ptr %to_rest, ptr %from_rest, i64 %rest, i1 false)
  ret void
}
!0 = !{i32 1}
"""

SIDE = f"""
define i32 @rt_side(i64 %size, i64 %start, ptr %levels, i64 %count,
                   i64 %column, i64 %row, i64 %ub) noinline {{
entry:
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %next, %fine ]
  %first = phi i64 [ %start, %entry ], [ %lower, %fine ]
  %last = phi i64 [ %start, %entry ], [ %upper, %fine ]
  %mixed = phi i64 [ %start, %entry ], [ %mixed_next, %fine ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %level, label %judge
level:
  %base = mul i64 %i, 3
  %repeats_at = getelementptr i64, ptr %levels, i64 %base
  %repeats = load i64, ptr %repeats_at
  %stride_index = add i64 %base, %column
  %stride_at = getelementptr i64, ptr %levels, i64 %stride_index
  %stride = load i64, ptr %stride_at
  %shifted = add i64 %stride, {1 << 40}
  %huge = icmp uge i64 %shifted, {1 << 41}
  %times = sub i64 %repeats, 1
  %moves = icmp ne i64 %times, 0
  %matters = and i1 %huge, %moves
  br i1 %matters, label %doubt, label %fine
fine:
  %span = mul i64 %stride, %times
  %negative = icmp slt i64 %span, 0
  %down = select i1 %negative, i64 %span, i64 0
  %up = select i1 %negative, i64 0, i64 %span
  %lower = add i64 %first, %down
  %upper = add i64 %last, %up
  %seen = select i1 %moves, i64 %stride, i64 0
  %mixed_next = or i64 %mixed, %seen
  %next = add i64 %i, 1
  br label %each
judge:
  %below = icmp slt i64 %first, 0
  %end = add i64 %last, %row
  %above = icmp sgt i64 %end, %size
  %low = and i64 %mixed, {DMA_ALIGNMENT - 1}
  %odd = icmp ne i64 %low, 0
  %local = icmp ne i64 %ub, 0
  %crooked = and i1 %odd, %local
  %outside = or i1 %below, %above
  %wrong = or i1 %outside, %crooked
  %status = zext i1 %wrong to i32
  ret i32 %status
doubt:
  ret i32 1
}}
"""

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
{_REGIONS}{_located("src", "%src", "%src_gm")}{_located("dst", "%dst", "%dst_gm")}
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
