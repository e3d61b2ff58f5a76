"""Notes that a traced kernel makes of its run, as LLVM IR: part of `runtime`."""

from __future__ import annotations

from ptoscope.native import layout

_LAST = layout.ROOM - 1

NOTE = f"""
define i64 @rt_note(ptr %state, i64 %mark, i64 %a, i64 %b, i64 %c) noinline {{
  %count_at = getelementptr i64, ptr %state, i64 {layout.NOTE_COUNT}
  %count = load i64, ptr %count_at
  %notes_at = getelementptr i64, ptr %state, i64 {layout.NOTES}
  %notes = load ptr, ptr %notes_at
  %place = and i64 %count, {_LAST}
  %row0 = getelementptr [{layout.NOTE_WORDS} x i64], ptr %notes, i64 %place
  %row1 = getelementptr i64, ptr %row0, i64 1
  %row2 = getelementptr i64, ptr %row0, i64 2
  %row3 = getelementptr i64, ptr %row0, i64 3
  store i64 %mark, ptr %row0
  store i64 %a, ptr %row1
  store i64 %b, ptr %row2
  store i64 %c, ptr %row3
  %next = add i64 %count, 1
  store i64 %next, ptr %count_at
  %over = icmp eq i64 %place, {_LAST}
  br i1 %over, label %full, label %done
full:
  %asked = call i32 @rt_service(ptr %state, i64 {layout.NOTES_FULL}, ptr null)
  br label %done
done:
  ret i64 %count
}}
"""
"""Makes a note; its number."""

KEEP = f"""
define i64 @rt_keep(ptr %state, ptr %words, i64 %bytes) noinline {{
entry:
  %count_at = getelementptr i64, ptr %state, i64 {layout.KEPT_COUNT}
  %count = load i64, ptr %count_at
  %place = and i64 %count, {_LAST}
  %length = lshr i64 %bytes, 3
  %end = add i64 %place, %length
  %over = icmp uge i64 %end, {layout.ROOM}
  br i1 %over, label %full, label %write
full:
  ; Words of one note stand together: the rest of the room stays empty.
  %up = or i64 %count, {_LAST}
  %fresh = add i64 %up, 1
  %asked = call i32 @rt_service(ptr %state, i64 {layout.KEPT_FULL}, ptr null)
  br label %write
write:
  %first = phi i64 [ %count, %entry ], [ %fresh, %full ]
  %kept_at = getelementptr i64, ptr %state, i64 {layout.KEPT}
  %kept = load ptr, ptr %kept_at
  %local = and i64 %first, {_LAST}
  %at = getelementptr i64, ptr %kept, i64 %local
  call void @llvm.memcpy.p0.p0.i64(ptr %at, ptr %words, i64 %bytes, i1 false)
  %next = add i64 %first, %length
  store i64 %next, ptr %count_at
  ret i64 %first
}}
"""
"""Keeps words, fewer than ROOM; the number of the first."""
