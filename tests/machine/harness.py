"""Runs a kernel that has to fault, and gives back what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ptoscope import Diagnostic, PtoError
from ptoscope.isa.targets import DEFAULT_REVISION
from ptoscope.kernel import Kernel
from ptoscope.sources import asked_revision, choose_target, parse


def kernel(params: str, body: str) -> str:
    """A kernel text with constants `%c0` ... `%c3`, `%zero`, `%one` and a UB pointer."""
    lines = "\n".join(f"    {line.strip()}" for line in body.strip().splitlines())
    return f"""module {{
  func.func @case({params}) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
{lines}
    return
  }}
}}
"""


def scope(body: str, mask: str = '%mask = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>') -> str:
    """Vector code with a mask `%mask`."""
    return f"pto.vecscope {{\n{mask}\n{body}\n}}"


def prepared(text: str, target: str | None = None) -> Kernel:
    """The kernel, also one that the check refuses: here it has to run."""
    program = parse(text, "<string>", target)
    return Kernel(
        program, choose_target(program, target), asked_revision(program, None) or DEFAULT_REVISION
    )


def run(text: str, arguments: Sequence[Any] = (), target: str = "a5", grid: int = 1) -> None:
    """Runs."""
    prepared(text, target)(*arguments, grid=grid)


def fault(
    text: str, at: str, arguments: Sequence[Any] = (), target: str = "a5", grid: int = 1
) -> Diagnostic:
    """The one fault of a run, which has to be at the line that contains `at`."""
    loaded = prepared(text, target)
    with pytest.raises(PtoError) as error:
        loaded(*arguments, grid=grid)
    (diagnostic,) = error.value.diagnostics
    lines = text.splitlines()
    (line,) = (i for i, content in enumerate(lines, 1) if at in content)
    assert diagnostic.line == line, str(diagnostic)
    assert diagnostic.source_line == lines[line - 1]
    assert diagnostic.severity == "error"
    assert diagnostic.hint
    return diagnostic
