"""Functions that generated code calls: what is too long to repeat at each use.

They are written in the compiled part of Python (`native.subset`) and become modules of machine
code, compiled once: this one, and that of `tile_functions`. Those whose names begin with `rt_`
are called by generated code. Most give 0, or 1 when a block has to end. Where a check fails they
do nothing but ask the engine, which runs the instruction again with the reference engine's own
code: that either faults, with all that people need to know, or does the work.
"""

from __future__ import annotations

from ptoscope.native.cpu import Host
from ptoscope.native.runtime import blocks, floats
from ptoscope.native.runtime.copies import rt_through, rt_transfer
from ptoscope.native.runtime.deferred import rt_meet, rt_settle
from ptoscope.native.runtime.issue import (
    rt_acquire,
    rt_consume,
    rt_issue,
    rt_raise,
    rt_release,
    rt_service,
)
from ptoscope.native.runtime.log import rt_log, rt_log_words
from ptoscope.native.runtime.regions import rt_gm_scalar, rt_own_scalar
from ptoscope.native.runtime.signals import (
    rt_give,
    rt_give_all,
    rt_take,
    rt_take_all,
    rt_unit_flag,
)
from ptoscope.native.runtime.streams import rt_stream_flush
from ptoscope.native.runtime.ub_transpose import rt_transpose
from ptoscope.native.subset.compiled import CompiledFunction, module_text
from ptoscope.native.subset.compiled import declared as declaration

FUNCTIONS: dict[str, CompiledFunction] = {
    function.name: function
    for function in (
        rt_service,
        rt_issue,
        rt_raise,
        rt_consume,
        rt_acquire,
        rt_release,
        rt_give,
        rt_take,
        rt_give_all,
        rt_take_all,
        rt_unit_flag,
        rt_gm_scalar,
        rt_own_scalar,
        rt_transfer,
        rt_through,
        rt_settle,
        rt_meet,
        rt_stream_flush,
        rt_transpose,
        rt_log,
        rt_log_words,
    )
}
"""What any generated code may call."""

ENTRY = "rt_enter"
"""Enters a kernel: runs its `main` on its state, and gives its status."""

NAMES = (*FUNCTIONS, ENTRY, blocks.LOOP)


# As LLVM text: the control register of a processor, and a fence, cannot be said in Python.
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


# The same, of the control register of AArch64.
_ENTER_ARM = """
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
define i32 @rt_enter(ptr %main, ptr %state) {
  %found = call i64 @llvm.aarch64.get.fpcr()
  call void @llvm.aarch64.set.fpcr(i64 0)
  %status = call i32 %main(ptr %state)
  call void @llvm.aarch64.set.fpcr(i64 %found)
  fence seq_cst
  ret i32 %status
}
"""
_ENTRIES = {"x86_64": _ENTER_X86, "aarch64": _ENTER_ARM}


def names(host: Host) -> tuple[str, ...]:
    """What the module for a processor has."""
    return (*NAMES, *(floats.NAMES if host.lacks_floats else ()))


def text(host: Host) -> str:
    """The whole module for a processor."""
    entry = _ENTRIES.get(host.architecture, _ENTER)
    lacking = floats.text() if host.lacks_floats else ""
    return module_text(FUNCTIONS.values()) + entry + blocks.text() + lacking


def declared(names: set[str]) -> str:
    """Declarations of functions by name."""
    known = FUNCTIONS
    if not names <= set(known):
        from ptoscope.native.runtime import tile_functions

        known = known | tile_functions.FUNCTIONS
    return "\n".join(declaration(known[name]) for name in sorted(names))
