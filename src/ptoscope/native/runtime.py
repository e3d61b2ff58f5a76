"""Functions that generated code calls: what is too long to repeat at each use.

One module of its own, compiled once. Each gives 0, or 1 when a block has to stop. Where a
check fails they do nothing but ask the engine, which runs the instruction again with the
reference engine's own code: that either faults, with all that people need to know, or does
the work.
"""

from __future__ import annotations

from ptoscope.isa.pipes import BUFFERS, EVENTS, MOST_PENDING
from ptoscope.native import layout
from ptoscope.native import runtime_copies as copies
from ptoscope.native import runtime_memory as memory
from ptoscope.native import runtime_notes as notes
from ptoscope.native import runtime_streams as streams

_SERVICE = f"""
define i32 @rt_service(ptr %state, i64 %stop, ptr %args) cold noinline {{
  %at = getelementptr i64, ptr %state, i64 {layout.SERVICE}
  %function = load ptr, ptr %at
  %status = call i32 %function(i64 %stop, ptr %args)
  ret i32 %status
}}
"""

_ISSUE = f"""
define i32 @rt_issue(ptr %state, i64 %stop, ptr %args) noinline {{
  %at = getelementptr i64, ptr %state, i64 {layout.QUEUED}
  %queued = load i64, ptr %at
  %busy = icmp ne i64 %queued, 0
  br i1 %busy, label %ask, label %go
go:
  %function = load ptr, ptr %args
  %captured = getelementptr i64, ptr %args, i64 1
  %status = call i32 %function(ptr %state, ptr %captured)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %ask, label %done
ask:
  %asked = call i32 @rt_service(ptr %state, i64 %stop, ptr %args)
  ret i32 %asked
done:
  ret i32 0
}}
"""


def _counter(name: str, limit: int, step: int, end: int) -> str:
    """A flag or a buffer: a word whose lower half counts up or down, but not beyond an end;
    the upper half of a flag says how often it was set."""
    return f"""
define i32 @{name}(ptr %state, i64 %stop, ptr %args, i64 %first, i64 %number,
                   i64 %given, i64 %place) noinline {{
  %at = getelementptr i64, ptr %state, i64 {layout.QUEUED}
  %queued = load i64, ptr %at
  %busy = icmp ne i64 %queued, 0
  %outside = icmp uge i64 %number, {limit}
  %doubt = or i1 %busy, %outside
  br i1 %doubt, label %ask, label %look
look:
  %index = add i64 %first, %number
  %counter = getelementptr i64, ptr %state, i64 %index
  %before = load i64, ptr %counter
  %count = and i64 %before, {layout.COUNT}
  %ended = icmp eq i64 %count, {end}
  br i1 %ended, label %ask, label %go
go:
  %after = add i64 %before, {step}
  store i64 %after, ptr %counter
  ret i32 0
ask:
  %spot = getelementptr i64, ptr %args, i64 %place
  store i64 %given, ptr %spot
  %asked = call i32 @rt_service(ptr %state, i64 %stop, ptr %args)
  ret i32 %asked
}}
"""


_MEMCPY = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
_MEMMOVE = "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n"

FUNCTIONS = {
    "rt_service": "i32 (ptr, i64, ptr)",
    "rt_issue": "i32 (ptr, i64, ptr)",
    "rt_raise": "i32 (ptr, i64, ptr, i64, i64, i64, i64)",
    "rt_consume": "i32 (ptr, i64, ptr, i64, i64, i64, i64)",
    "rt_acquire": "i32 (ptr, i64, ptr, i64, i64, i64, i64)",
    "rt_release": "i32 (ptr, i64, ptr, i64, i64, i64, i64)",
    "rt_scalar": "ptr (ptr, i64, i64, i64, i64)",
    "rt_transfer": "i32 (ptr, i64, ptr, i64, i64, i64, i64, i64)",
    "rt_stream_store": "i32 (ptr, ptr, i64, ptr, i64)",
    "rt_stream_flush": "i32 (ptr, ptr, i64)",
    "rt_note": "i64 (ptr, i64, i64, i64, i64)",
    "rt_keep": "i64 (ptr, ptr, i64)",
}
"""What generated code may call, with their types."""

ENTRY = "rt_enter"
_ENTER = """
define i32 @rt_enter(ptr %main, ptr %state) {
  %status = call i32 %main(ptr %state)
  fence seq_cst
  ret i32 %status
}
"""

# Another library may have left denormals switched off; what kernels mean does not depend on
# that, and what is found is put back.
_ENTER_X86 = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.x86.sse.sfence()
define i32 @rt_enter(ptr %main, ptr %state) {
  %found = alloca i32
  %plain = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %found)
  store i32 8064, ptr %plain
  call void @llvm.x86.sse.ldmxcsr(ptr %plain)
  %status = call i32 %main(ptr %state)
  call void @llvm.x86.sse.ldmxcsr(ptr %found)
  ; What went past the cache is there before anybody is told that the block is done.
  call void @llvm.x86.sse.sfence()
  ret i32 %status
}
"""

_TEXT = "".join(
    (
        _MEMCPY,
        _MEMMOVE,
        _SERVICE,
        _ISSUE,
        _counter("rt_raise", len(EVENTS), (1 << 32) + 1, MOST_PENDING),
        _counter("rt_consume", len(EVENTS), -1, 0),
        _counter("rt_acquire", BUFFERS, 1, layout.COUNT),
        _counter("rt_release", BUFFERS, -1, 0),
        memory.SCALAR,
        memory.FILL,
        memory.PAST,
        memory.SIDE,
        copies.TRANSFER,
        streams.STREAM_STORE,
        streams.STREAM_FLUSH,
        notes.NOTE,
        notes.KEEP,
    )
)


def text(x86: bool) -> str:
    """The whole module."""
    return _TEXT + (_ENTER_X86 if x86 else _ENTER)


def declared(names: set[str]) -> str:
    """Declarations of functions by name."""
    lines: list[str] = []
    for name in sorted(names):
        result, _, rest = FUNCTIONS[name].partition(" ")
        lines.append(f"declare {result} @{name}{rest}")
    return "\n".join(lines)
