"""Where an address is, scalars there, and the rows of copies, as LLVM IR: part of `runtime`."""

from __future__ import annotations

from ptoscope.isa.targets import DMA_ALIGNMENT
from ptoscope.native import layout


def located(side: str, address: str, gm: str) -> str:
    """Lines that find the region of an address: its entry in the table (UB's stands before the
    first), its bytes, and the offset in it. `%{side}_lost` says that there is none."""
    return f"""
  %{side}_is_gm = icmp ne i64 {gm}, 0
  %{side}_high = ashr i64 {address}, 44
  %{side}_position = sub i64 %{side}_high, 1
  %{side}_unknown = icmp uge i64 %{side}_position, %region_count
  %{side}_found = select i1 %{side}_unknown, i64 -1, i64 %{side}_position
  %{side}_index = select i1 %{side}_is_gm, i64 %{side}_found, i64 -1
  %{side}_entry = mul i64 %{side}_index, 3
  %{side}_row = getelementptr i64, ptr %regions, i64 %{side}_entry
  %{side}_data = load i64, ptr %{side}_row
  %{side}_scalar = icmp eq i64 %{side}_data, 0
  %{side}_none = or i1 %{side}_unknown, %{side}_scalar
  %{side}_lost = and i1 %{side}_none, %{side}_is_gm
  %{side}_size_at = getelementptr i64, ptr %{side}_row, i64 1
  %{side}_size = load i64, ptr %{side}_size_at
  %{side}_free_at = getelementptr i64, ptr %{side}_row, i64 2
  %{side}_free = load i64, ptr %{side}_free_at
  %{side}_stretch = shl i64 %{side}_high, 44
  %{side}_middle = add i64 %{side}_stretch, {1 << 43}
  %{side}_base = select i1 %{side}_is_gm, i64 %{side}_middle, i64 0
  %{side}_offset = sub i64 {address}, %{side}_base
"""


REGIONS = f"""
  %region_count_at = getelementptr i64, ptr %state, i64 {layout.REGION_COUNT}
  %region_count = load i64, ptr %region_count_at
  %regions_at = getelementptr i64, ptr %state, i64 {layout.REGIONS}
  %regions = load ptr, ptr %regions_at
"""

SCALAR = f"""
define ptr @rt_scalar(ptr %state, i64 %gm, i64 %address, i64 %bytes, i64 %write) noinline {{
{REGIONS}{located("it", "%address", "%gm")}
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
