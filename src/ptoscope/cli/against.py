"""`ptoscope run --against`: where a run first departs from another, or from functions of its
lines; and the recording that this and `--expect` look into."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ptoscope.bounded_files import read_file
from ptoscope.cli.commands import REVISIONS
from ptoscope.cli.files import ArrayFile, readable
from ptoscope.cli.kernels import KernelWord, kernel_word, names_kernel, prepared_for
from ptoscope.cli.options import Request
from ptoscope.cli.words import Word
from ptoscope.diagnostics import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptoscope.kernel import Kernel
    from ptoscope.replay.departure import Departure
    from ptoscope.replay.run import RecordedRun

DEPARTS = "PTO0809"
_REVISION = "revision:"


class GivenRun(NamedTuple):
    """What a run was given, to run it again: its arguments, what arrays held before, its grid,
    and which arrays count as undefined."""

    arguments: list[Any]
    before: list[Any]
    words: list[Word]
    grid: int

    def copies(self) -> list[Any]:
        """The arguments as they were, arrays as copies."""
        import numpy as np

        found: list[Any] = []
        for argument, old in zip(self.arguments, self.before, strict=True):
            if isinstance(argument, ArrayFile):
                found.append(np.zeros_like(argument.seen) if old is None else old.copy())
            else:
                found.append(argument)
        return found

    def record(self, kernel: Kernel) -> RecordedRun | None:
        """The run again, recorded; None where it is too long to keep, or faults."""
        from ptoscope.replay.run import record_to_the_end

        undefined = [i for i, word in enumerate(self.words) if word.kind == "undefined"]
        return record_to_the_end(kernel, self.copies(), self.grid, undefined)


class Against(NamedTuple):
    """What a run is compared with: a revision, the file of a kernel, or one of functions."""

    text: str
    revision: str = ""
    kernel: KernelWord | None = None
    functions: Path | None = None


def against(request: Request) -> Against | None:
    """What a request asks for; UsageError for what is no such thing."""
    text = request.get("against")
    if text is None:
        return None
    if text.startswith(_REVISION):
        revision = text.removeprefix(_REVISION)
        if revision not in REVISIONS:
            known = " or ".join(f"{_REVISION}{name}" for name in REVISIONS)
            raise UsageError(f"--against {text}: write {known}")
        return Against(text, revision)
    if text.endswith(".py"):
        return Against(text, functions=readable(text))
    if names_kernel(text):
        return Against(text, kernel=kernel_word(text))
    raise UsageError(
        f"--against {text[:40]}: write a kernel (other.pto, file.py:name), revision:micro, or a "
        "file of Python functions (lines.py)"
    )


def departures(
    kernel: Kernel,
    wanted: Against,
    request: Request,
    given: GivenRun,
    rtol: float,
    atol: float,
    python: KernelWord | None = None,
) -> list[Diagnostic]:
    """A finding where the run departs from what it is compared with; `python` names the kernel
    where it is Python. UsageError where they cannot be compared."""
    if wanted.functions:
        other = _functions(wanted.functions)
    else:
        other = _other(kernel, python, wanted, request)
    run = given.record(kernel)
    if run is None:
        raise UsageError(f"--against {wanted.text}: the run is too long to be recorded")
    if not isinstance(other, dict):
        recorded = given.record(other)
        if recorded is None:
            raise UsageError(f"--against {wanted.text}: its run faults, or is too long")
        other = recorded
    found = run.departs_from(other, rtol, atol)
    if found is None:
        return []
    moment, other_moment = found.moment, found.other
    program, hint = kernel.signature.program, ""
    if moment is None:
        message = f"@{kernel.name} departs from {wanted.text}: {found}"
        return [program.diagnostic(DEPARTS, kernel.signature.function.span, message)]
    message = f"{moment.name}: departs from {wanted.text}"
    if moment.iteration_texts:
        message += f" (at {', '.join(moment.iteration_texts)})"
    if other_moment is not None and other_moment.text != moment.text:
        hint = f"line {other_moment.line} of {wanted.text}: {other_moment.text}"
    diagnostic = program.diagnostic(DEPARTS, moment.place.span, message, hint=hint)
    return [replace(diagnostic, **_values(found))]


def _values(found: Departure) -> dict[str, str]:
    """What the run has, and what it should have, for people."""
    if not found.name:
        return {"found": str(found.got), "expected": str(found.expected)}
    if not found.lanes:
        return {"found": f"{found.name} = {found.got!s}", "expected": f"{found.expected!s}"}
    got, expected = found.of_lane(0)
    lane = f"lane {found.lanes[0]} of {found.name} = {got!s}"
    more = f"; {len(found.lanes)} lanes differ" if len(found.lanes) > 1 else ""
    return {"found": lane + more, "expected": str(expected)}


def _other(kernel: Kernel, python: KernelWord | None, wanted: Against, request: Request) -> Kernel:
    """The kernel to compare with."""
    from ptoscope.kernel import prepare, sound

    target = kernel.target.name
    if wanted.kernel is None:
        entry, program = request.get("entry"), kernel.signature.program
        if python is None:
            other = prepare(program.text, program.file, target, wanted.revision, entry)
        else:
            other = prepared_for(python, target, wanted.revision, entry)
    else:
        other = prepared_for(wanted.kernel, target, request.get("revision"))
    sound(other, force=True)
    ours, theirs = (
        [k.signature.function.types[slot] for slot in k.signature.function.params]
        for k in (kernel, other)
    )
    if ours != theirs:
        raise UsageError(f"--against {wanted.text}: @{other.name} has other parameters")
    return other


def _functions(path: Path) -> dict[int, Callable[..., Any]]:
    """The functions of a file, by their lines."""
    scope: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    try:
        exec(compile(bytes(read_file(path)), str(path), "exec"), scope)
    except Exception as error:
        raise UsageError(f"--against {path}: {type(error).__name__}: {error}") from None
    named = {re.fullmatch(r"line_([0-9]{1,9})", name): value for name, value in scope.items()}
    found = {int(name[1]): value for name, value in named.items() if name and callable(value)}
    if not found:
        raise UsageError(f"--against {path}: it has no function line_71(a, b), or of another line")
    return found
