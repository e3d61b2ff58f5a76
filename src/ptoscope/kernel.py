"""Kernels for Python: load a text, call it with arrays."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ptoscope.arguments import Argument, bind
from ptoscope.check import check, check_operations
from ptoscope.diagnostics import Diagnostic, PtoError, Span, UsageError
from ptoscope.isa.targets import DEFAULT_TARGET, REVISIONS, TARGETS, Revision, Target
from ptoscope.program import Function, Program

ENGINES = ("reference",)
DEFAULT_ENGINE = "reference"


def load(
    source: str | os.PathLike[str],
    target: str | None = None,
    revision: str = "manual",
    *,
    entry: str | None = None,
) -> Kernel:
    """Reads, checks and prepares a kernel.

    A PathLike, or a string without a newline, is a path; any other string is kernel text.
    `target` defaults to the module's `pto.target_arch`, else a5. `entry` names the function
    where there are several. Raises PtoError with every finding.
    """
    file, text = read(source)
    program = parse(text, file, target, revision)
    kernel = Kernel(program, choose_target(program, target), choose_revision(revision))
    errors = [d for d in kernel.findings if d.severity == "error"]
    if errors:
        raise PtoError(errors)
    kernel.function = choose_entry(program, entry)
    return kernel


def read(source: str | os.PathLike[str]) -> tuple[str, str]:
    """The name and the text of a source; UsageError if the file cannot be read."""
    if isinstance(source, str) and "\n" in source:
        return "<string>", source
    path = Path(source)
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"cannot read {path}: {reason}") from None
    try:
        # Some editors put a byte order mark before UTF-8; it is no part of the text.
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise PtoError(
            [
                Diagnostic(
                    "PTO0007",
                    "the file is not UTF-8 text",
                    file=str(path),
                    span=Span(before.count(b"\n") + 1, column),
                    found=f"byte {data[error.start]:#04x} at offset {error.start}",
                    expected="kernel text",
                )
            ]
        ) from None
    return str(path), text


def parse(text: str, file: str, target: str | None = None, revision: str = "manual") -> Program:
    """Text to program. Raises PtoError with all errors of the text, and with what is wrong
    in the operations that could be read, for the target and revision."""
    from ptoscope import ir

    try:
        return ir.lower(ir.parse(text, file))
    except ir.Unread as error:
        readable = ir.lower(error.module, partly=True)
        named = target or readable.target_arch or DEFAULT_TARGET
        more = (
            check_operations(readable, TARGETS[named], choose_revision(revision))
            if named in TARGETS
            else []
        )
        found = sorted([*error.diagnostics, *more], key=lambda d: (d.span, d.code))
        raise PtoError(found) from None


def choose_target(program: Program, target: str | None) -> Target:
    """The target asked for, else the module's, else the default."""
    if target is not None:
        if target not in TARGETS:
            raise UsageError(f"unknown target '{target}'; there are {', '.join(TARGETS)}")
        return TARGETS[target]
    named = program.target_arch or DEFAULT_TARGET
    if named not in TARGETS:
        span = _attribute_span(program.text, "pto.target_arch")
        raise PtoError(
            [
                program.diagnostic(
                    "PTO0011",
                    span,
                    f"the module names an unknown target '{named}'",
                    found=named,
                    expected=", ".join(TARGETS),
                    hint="change pto.target_arch, or pass a target",
                )
            ]
        )
    return TARGETS[named]


def _attribute_span(text: str, name: str) -> Any:
    from ptoscope.diagnostics import NOWHERE

    for number, line in enumerate(text.split("\n"), 1):
        if name in line:
            return Span(number, line.index(name) + 1, len(name))
    return NOWHERE


def choose_revision(revision: str) -> Revision:
    """The revision by name."""
    for known in REVISIONS:
        if known == revision:
            return known
    raise UsageError(f"unknown revision '{revision}'; there are {', '.join(REVISIONS)}")


def choose_entry(program: Program, entry: str | None) -> Function:
    """The function by name, else the only one, else the only one marked as a kernel."""
    functions = program.functions
    names = ", ".join(f"@{f.name}" for f in functions) or "none"
    if entry is not None:
        for function in functions:
            if function.name == entry.removeprefix("@"):
                return function
        raise UsageError(f"there is no function @{entry.removeprefix('@')}; there are {names}")
    kernels = [f for f in functions if f.is_kernel] if len(functions) > 1 else functions
    if len(kernels) != 1:
        raise UsageError(f"which function? name one with entry (--entry): {names}")
    return kernels[0]


class Kernel:
    """A kernel ready to run: call it with one argument per parameter.

    Pointer parameters take NumPy arrays (with ml_dtypes types) or anything with
    `__array_interface__` or DLPack, and are written in place; scalar parameters take numbers.
    """

    def __init__(self, program: Program, target: Target, revision: Revision) -> None:
        self.program = program
        self.target = target
        self.revision: Revision = revision
        self.findings = check(program, target, revision)
        self.function: Function = program.functions[0]
        self._walker: Any = None

    @property
    def name(self) -> str:
        return self.function.name

    def __call__(self, *arguments: Any, grid: int = 1, engine: str = DEFAULT_ENGINE) -> None:
        """Runs the kernel on `grid` blocks. Raises PtoError for wrong arguments and faults;
        after a fault the contents of pointer arguments are undefined."""
        choose_engine(engine)
        if not isinstance(grid, int) or grid < 1:
            raise UsageError(f"the grid has {grid} blocks; it needs at least 1")
        bound = bind(self.program, self.function, arguments)
        self._launch(bound, grid)

    def _launch(self, bound: list[Argument], grid: int) -> None:
        from ptoscope.machine import launch
        from ptoscope.machine.walker import Walker

        if self._walker is None:
            self._walker = Walker(self.function, self.target, self.revision)
        try:
            launch(self.program, self._walker, self.target, bound, grid)
        finally:
            for argument in bound:
                argument.write_back()


def choose_engine(engine: str) -> str:
    """The engine by name; UsageError if it cannot run kernels."""
    if engine not in ENGINES:
        raise UsageError(f"there is no engine '{engine}'; there are {', '.join(ENGINES)}")
    return engine
