"""Runs a kernel on both engines and compares: every bit, and every word of a fault."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ptoscope import PtoError
from ptoscope.arguments import bind, copies
from ptoscope.kernel import Kernel
from ptoscope.machine.prints import Prints
from ptoscope.trace.trace import Trace


def run_on_both(call: Callable[..., None]) -> Callable[..., None]:
    """A kernel's call that runs the reference engine on copies first."""

    def run(self: Kernel, *arguments: Any, engine: str | None = None, **options: Any) -> None:
        if (
            engine is not None
            or "schedule" in options
            or not all(_can_be_copied(a) for a in arguments)
        ):
            call(self, *arguments, engine=engine, **options)
            return
        copies = [_copied(a) for a in arguments]
        expected = _fault(lambda: call(self, *copies, engine="reference", **options))
        warned = self.warnings
        found = _fault(lambda: call(self, *arguments, engine="native", **options))
        assert _told(found) == _told(expected), "the engines disagree about a fault"
        if found is not None:
            raise found
        assert self.warnings == warned, "the engines disagree about a warning"
        for position, (ours, theirs) in enumerate(zip(arguments, copies, strict=True)):
            if isinstance(ours, np.ndarray):
                same = ours.tobytes() == theirs.tobytes()
                assert same, f"the engines disagree about argument {position}"

    return functools.update_wrapper(run, call)


def trace_on_both(trace: Callable[..., Trace]) -> Callable[..., Trace]:
    """A trace that is also taken on the reference engine, from copies: both are the same,
    column by column."""

    def run(
        kernel: Kernel,
        arguments: Any,
        grid: int,
        max_steps: int | None,
        engine: str | None,
        prints: Prints | None = None,
    ) -> Trace:
        if engine is not None or not all(_can_be_copied(a) for a in arguments):
            return trace(kernel, arguments, grid, max_steps, engine, prints)
        others = copies(bind(kernel.program, kernel.function, arguments))
        expected = trace(kernel, others, grid, max_steps, "reference")
        found = trace(kernel, arguments, grid, max_steps, "native", prints)
        assert_same_trace(found, expected)
        return found

    return run


def assert_same_trace(found: Trace, expected: Trace) -> None:
    """Every column of every table, what it is about, and what ended the run."""
    assert_same_columns(found, expected)
    assert (found.grid, found.function) == (expected.grid, expected.function)
    ours, theirs = ([(p.index, p.op) for p in t.places] for t in (found, expected))
    assert ours == theirs, "the engines disagree about places"


def assert_same_columns(found: Trace, expected: Trace) -> None:
    """Every column of every table, and what ended the run."""
    for table in ("events", "iterations", "accesses", "syncs"):
        for name, column in vars(getattr(expected, table)).items():
            ours = getattr(getattr(found, table), name)
            same = ours.dtype == column.dtype and np.array_equal(ours, column)
            assert same, f"the engines disagree about {table}.{name}"
    assert found.registers == expected.registers, "the engines disagree about registers"
    assert _told(found.error) == _told(expected.error), "the engines disagree about a fault"


def _can_be_copied(argument: Any) -> bool:
    return isinstance(argument, (np.ndarray, np.generic, int, float, str, type(None)))


def _copied(argument: Any) -> Any:
    if not isinstance(argument, np.ndarray):
        return argument
    copy = argument.copy()
    copy.flags.writeable = argument.flags.writeable
    return copy


def _fault(run: Callable[[], None]) -> PtoError | None:
    try:
        run()
    except PtoError as error:
        return error
    return None


def _told(error: PtoError | None) -> list[dict[str, object]]:
    return [] if error is None else [d.as_json() for d in error.diagnostics]
