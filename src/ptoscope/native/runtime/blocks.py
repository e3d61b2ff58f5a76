"""The loop over the blocks of a launch, as LLVM text: Python cannot say what is atomic.

It takes the next block from a counter that all threads share, makes its core begin anew (UB as
zeros, no flags, no buffers held, its variables as at launch), runs it, and looks at what it left.
Only what the engine has to know of ends the loop.
"""

from __future__ import annotations

from ptoscope.native import layout

LOOP = "rt_blocks"

NONE_LEFT, SO_MANY, LEFT_SOMETHING, STOPPED = range(4)
"""Why the loop ended: there is no further block; it has run as many as it may; a block has ended
that the engine wants to look at, or that left flags set or buffers held; one has stopped."""

NEXT, END, MOST_TAKEN, SHARED_WORDS = 0, 16, 17, 32
"""The words that all threads share: the next block that nobody has taken; and, on another line of
the cache, the one before which all are run, and how many a thread may take at once."""
_SHARES = 5
"""A thread takes one of 2**5 parts of the blocks that are left."""

_LANES = 8
_WORDS = layout.TILES - layout.FLAGS
_FLAGS = layout.HELD - layout.FLAGS
assert _FLAGS % _LANES == 0
assert _WORDS % _LANES == 0


def _at(name: str, word: int | str, base: str = "%state") -> str:
    return f"%{name} = getelementptr i64, ptr {base}, i64 {word}"


def text() -> str:
    """The function: `main` of a kernel, the words of a core, those that are shared, and how many
    blocks it may run."""
    row = f"<{_LANES} x i64>"
    count = ", ".join([f"i64 {layout.COUNT}"] * _LANES)
    reset = (layout.VARIABLES - layout.FLAGS) * layout.WORD_BYTES
    return f"""
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.vector.reduce.or.v{_LANES}i64({row})
define i32 @{LOOP}(ptr %main, ptr %state, ptr %shared, i64 %most) {{
  {_at("next", NEXT, "%shared")}
  {_at("end.at", END, "%shared")}
  {_at("most.at", MOST_TAKEN, "%shared")}
  {_at("taken.at", layout.TAKEN_END)}
  {_at("index.at", layout.BLOCK_INDEX)}
  {_at("count.at", layout.BLOCK_COUNT)}
  {_at("ub.at", layout.UB)}
  {_at("top.at", layout.UB_TOP)}
  {_at("least.at", layout.UB_LEAST_TOP)}
  {_at("asked.at", layout.ASKED)}
  {_at("queued.at", layout.QUEUED)}
  {_at("granted.at", layout.GRANTED)}
  {_at("iterations.at", layout.ITERATIONS)}
  {_at("flags", layout.FLAGS)}
  {_at("variables", layout.VARIABLES)}
  {_at("first.at", layout.FIRST_VARIABLES)}
  {_at("size.at", layout.VARIABLES_BYTES)}
  %count = load i64, ptr %count.at, align 8
  %ub = load ptr, ptr %ub.at, align 8
  %least = load i64, ptr %least.at, align 8
  %first = load ptr, ptr %first.at, align 8
  %size = load i64, ptr %size.at, align 8
  %granted = load i64, ptr %granted.at, align 8
  %grants = icmp sge i64 %granted, 0
  br label %again
again:
  %done = phi i64 [ 0, %0 ], [ %more, %settled ]
  %enough = icmp sge i64 %done, %most
  br i1 %enough, label %so_many, label %look
look:
  %last = load i64, ptr %index.at, align 8
  %following = add i64 %last, 1
  %taken = load i64, ptr %taken.at, align 8
  %has_one = icmp slt i64 %following, %taken
  br i1 %has_one, label %check, label %take
take:
  %free = load atomic i64, ptr %next monotonic, align 8
  %free.count = sub i64 %count, %free
  %share = ashr i64 %free.count, {_SHARES}
  %most.taken = load atomic i64, ptr %most.at monotonic, align 8
  %some.taken = call i64 @llvm.smin.i64(i64 %share, i64 %most.taken)
  %number = call i64 @llvm.smax.i64(i64 %some.taken, i64 1)
  %first.taken = atomicrmw add ptr %next, i64 %number seq_cst
  %end.taken = add i64 %first.taken, %number
  %end.inside = call i64 @llvm.smin.i64(i64 %end.taken, i64 %count)
  store i64 %end.inside, ptr %taken.at, align 8
  br label %check
check:
  %block = phi i64 [ %following, %look ], [ %first.taken, %take ]
  %end = load atomic i64, ptr %end.at seq_cst, align 8
  %is_one = icmp slt i64 %block, %end
  br i1 %is_one, label %begin, label %none_left
begin:
  store atomic i64 %block, ptr %index.at seq_cst, align 8
  %top = load i64, ptr %top.at, align 8
  call void @llvm.memset.p0.i64(ptr %ub, i8 0, i64 %top, i1 false)
  store i64 %least, ptr %top.at, align 8
  store i64 0, ptr %asked.at, align 8
  store i64 0, ptr %queued.at, align 8
  call void @llvm.memset.p0.i64(ptr align 8 %flags, i8 0, i64 {reset}, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %variables, ptr align 8 %first, i64 %size, i1 false)
  br i1 %grants, label %grant, label %run
grant:
  store i64 %granted, ptr %iterations.at, align 8
  br label %run
run:
  %status = call i32 @rt_enter(ptr %main, ptr %state)
  %good = icmp eq i32 %status, 0
  br i1 %good, label %left, label %stopped
left:
  %i = phi i64 [ 0, %run ], [ %i.next, %left ]
  %seen = phi {row} [ zeroinitializer, %run ], [ %seen.next, %left ]
  {_at("row.at", "%i", "%flags")}
  %row = load {row}, ptr %row.at, align 8
  %is_flag = icmp slt i64 %i, {_FLAGS}
  %counted = and {row} %row, <{count}>
  %counts = select i1 %is_flag, {row} %counted, {row} %row
  %seen.next = or {row} %seen, %counts
  %i.next = add i64 %i, {_LANES}
  %over = icmp sge i64 %i.next, {_WORDS}
  br i1 %over, label %ended, label %left
ended:
  %some = call i64 @llvm.vector.reduce.or.v{_LANES}i64({row} %seen.next)
  %asked = load i64, ptr %asked.at, align 8
  %any = or i64 %some, %asked
  %nothing = icmp eq i64 %any, 0
  br i1 %nothing, label %settled, label %left_something
settled:
  %more = add i64 %done, 1
  br label %again
none_left:
  ret i32 {NONE_LEFT}
so_many:
  ret i32 {SO_MANY}
left_something:
  ret i32 {LEFT_SOMETHING}
stopped:
  ret i32 {STOPPED}
}}
"""
