"""Functions that generated code calls: what is too long to repeat at each use.

They are written in the compiled part of Python (`native.subset`) and become one module of
machine code, compiled once. Those whose names begin with `rt_` are called by generated code.
Most give 0, or 1 when a block has to end. Where a check fails they do nothing but ask the
engine, which runs the instruction again with the reference engine's own code: that either
faults, with all that people need to know, or does the work.
"""

from __future__ import annotations

from ptoscope.native.runtime.copies import rt_transfer
from ptoscope.native.runtime.entry import ENTRY, entry_text
from ptoscope.native.runtime.issue import (
    rt_acquire,
    rt_consume,
    rt_issue,
    rt_raise,
    rt_release,
    rt_service,
)
from ptoscope.native.runtime.log import rt_log, rt_log_words
from ptoscope.native.runtime.regions import rt_scalar
from ptoscope.native.runtime.streams import rt_stream_flush, rt_stream_store
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
        rt_scalar,
        rt_transfer,
        rt_stream_store,
        rt_stream_flush,
        rt_log,
        rt_log_words,
    )
}
"""What generated code may call."""

NAMES = (*FUNCTIONS, ENTRY)


def text(x86: bool) -> str:
    """The whole module."""
    return module_text(FUNCTIONS.values()) + entry_text(x86)


def declared(names: set[str]) -> str:
    """Declarations of functions by name."""
    return "\n".join(declaration(FUNCTIONS[name]) for name in sorted(names))
