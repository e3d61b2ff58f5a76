"""A kernel's text on its way to a checked program: read, parsed, its target and entry chosen."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ptoscope.bounded_files import read_file
from ptoscope.diagnostics import NOWHERE, Diagnostic, PtoError, Span, UsageError
from ptoscope.isa.targets import (
    ACCUMULATE,
    AUTO,
    DEFAULT_TARGET,
    REVISIONS,
    TARGETS,
    Revision,
    Target,
)
from ptoscope.isa.types import Mask, can_be_passed
from ptoscope.program import Function, Program

if TYPE_CHECKING:
    from ptoscope.ir import Unread


class HasMlirText(Protocol):
    """A kernel of another front end, which prints it."""

    def mlir_text(self) -> str: ...


class HasText(Protocol):
    """A kernel of another front end, which has its text."""

    @property
    def text(self) -> str: ...


Loadable = str | os.PathLike[str] | HasMlirText | HasText
"""What a kernel is loaded from."""


def read(source: Loadable) -> tuple[str, str]:
    """The name and the text of a source; UsageError if the file cannot be read, or if it is no
    source."""
    if not isinstance(source, (str, os.PathLike)):
        return f"<{type(source).__name__}>", _offered(source)
    if isinstance(source, str) and "\n" in source:
        return "<string>", source
    path = Path(source)
    try:
        data = bytes(read_file(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"cannot read {path}: {reason}") from None
    return str(path), decoded(data, str(path))


def _offered(source: object) -> str:
    """The text of a kernel of another front end."""
    # What a class has is its objects' and not its own.
    offers = not isinstance(source, type)
    make = getattr(source, "mlir_text", None) if offers else None
    text = make() if callable(make) else getattr(source, "text", None) if offers else None
    if isinstance(text, str):
        return text
    given = f"a {type(source).__name__}"
    if text is not None:
        where = "mlir_text()" if callable(make) else "text"
        given += f" whose {where} is a {type(text).__name__}"
    raise UsageError(
        f"cannot read a kernel from {given}: pass a path, a text, or an object with mlir_text() or "
        "text; of a module that prints as its text, pass str(module)"
    )


def decoded(data: bytes, file: str) -> str:
    """The text of a file; PtoError if it is none."""
    try:
        # Some editors put a byte order mark before UTF-8; it is no part of the text.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise PtoError(
            [
                Diagnostic(
                    "PTO0007",
                    "the file is not UTF-8 text",
                    file=file,
                    span=Span(before.count(b"\n") + 1, column),
                    found=f"byte {data[error.start]:#04x} at offset {error.start}",
                    expected="kernel text",
                )
            ]
        ) from None


def parse(text: str, file: str, target: str | None = None, revision: str | None = None) -> Program:
    """Text to program. Raises PtoError with all errors of the text, and with what is wrong
    in the operations that could be read, for the target and revision."""
    # A kernel that was compiled before is not read: a warm run pays for no reader.
    from ptoscope import ir
    from ptoscope.expansion import expanded

    try:
        return expanded(ir.parse(text, file).program)
    except ir.Unread as error:
        from ptoscope.check.revisions import legal_in

        chosen = None
        with contextlib.suppress(PtoError, UsageError):
            on = choose_target(error.program, target)
            named = asked_revision(error.program, revision)
            chosen = on, named or legal_in(_scoped(error), on)
        found = list(error.diagnostics) if chosen is None else _unread(error, *chosen)
        raise PtoError(sorted(found, key=lambda d: (d.span, d.code))) from None


def _unread(error: Unread, target: Target, revision: Revision) -> list[Diagnostic]:
    """The errors of a text, and what is wrong in the operations that could be read."""
    from ptoscope import ir
    from ptoscope.check import check_operations

    def examine(text: str) -> list[Diagnostic]:
        try:
            return check_operations(ir.parse(text, error.program.file).program, target, revision)
        except ir.Unread as again:
            return [*again.diagnostics, *check_operations(_scoped(again), target, revision)]

    program = _scoped(error)
    found = [*error.diagnostics, *check_operations(program, target, revision)]
    masks = [(use, use.written) for use in error.mistyped if isinstance(use.written, Mask)]
    if not masks:
        return found
    from ptoscope.check.mistyped import MisusedMask, with_makers_fixed
    from ptoscope.check.rule import list_contexts

    contexts = list_contexts(program, target, revision)
    misused = [
        MisusedMask(contexts[use.function], use.slot, mask.bits, use.span) for use, mask in masks
    ]
    return with_makers_fixed(found, misused, examine)


def _scoped(error: Unread) -> Program:
    """Returns what could be read of a program, with vecscopes around its vector instructions: a
    text need not have them, whatever else is wrong with it."""
    from ptoscope.expansion import with_scopes

    return replace(error.program, functions=[with_scopes(f) for f in error.program.functions])


def named_target(name: str) -> Target:
    """The target of a name that a caller gives; UsageError if there is none."""
    if name not in TARGETS:
        raise UsageError(f"unknown target '{name}'; there are {', '.join(TARGETS)}")
    return TARGETS[name]


def named_revision(name: str) -> Revision:
    """The revision of a name that a caller gives; UsageError if there is none."""
    for known in REVISIONS:
        if known == name:
            return known
    raise UsageError(f"unknown revision '{name}'; there are {', '.join((AUTO, *REVISIONS))}")


def choose_target(program: Program, target: str | None) -> Target:
    """The target asked for, else the module's, else the default."""
    if target is not None:
        return named_target(target)
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


def _attribute_span(text: str, name: str) -> Span:
    for number, line in enumerate(text.split("\n"), 1):
        if name in line:
            return Span(number, line.index(name) + 1, len(name))
    return NOWHERE


def choose_sums(target: Target, how: str | None) -> Target:
    """The target with a matrix unit that adds so (see `isa.targets.ACCUMULATE`); None leaves it
    as it is. UsageError for a way that there is not."""
    for known in ACCUMULATE:
        if how == known:
            return replace(target, accumulate=known)
    if how is not None:
        raise UsageError(f"accumulate is {' or '.join(ACCUMULATE)}, not {how!r}")
    return target


def asked_revision(program: Program, revision: str | None) -> Revision | None:
    """The revision asked for, else the module's; None where neither names one: the text decides
    (`check.revisions`)."""
    if revision not in (None, AUTO):
        return named_revision(revision)
    wanted = program.revision
    if not wanted:
        return None
    for known in REVISIONS:
        if known == wanted:
            return known
    raise PtoError(
        [
            program.diagnostic(
                "PTO0012",
                _attribute_span(program.text, "pto.revision"),
                f"the module names an unknown revision '{wanted}'",
                found=wanted,
                expected=", ".join(REVISIONS),
                hint="change pto.revision, or pass a revision",
            )
        ]
    )


def choose_entry(program: Program, entry: str | None) -> Function:
    """The function by name, else the only one, else the only one marked as a kernel, else the
    only one that a launch can pass its parameters. PtoError where it cannot."""
    chosen = _named(program, entry)
    wrong = [slot for slot in chosen.params if not can_be_passed(chosen.types[slot])]
    if wrong:
        raise PtoError(
            [
                program.diagnostic(
                    "PTO0303",
                    chosen.span,
                    f"@{chosen.name} cannot be launched",
                    found=", ".join(f"%{chosen.names[s]}: {chosen.types[s]}" for s in wrong),
                    expected="scalars and pointers to gm",
                    hint="call it from a kernel that makes these values",
                )
            ]
        )
    return chosen


def _can_be_launched(function: Function) -> bool:
    return all(can_be_passed(function.types[slot]) for slot in function.params)


def _named(program: Program, entry: str | None) -> Function:
    functions = program.functions
    names = ", ".join(f"@{f.name}" for f in functions) or "none"
    if entry is not None:
        for function in functions:
            if function.name == entry.removeprefix("@"):
                return function
        raise UsageError(f"there is no function @{entry.removeprefix('@')}; there are {names}")
    kernels = functions
    if len(functions) > 1:
        marked = [f for f in functions if f.is_kernel]
        kernels = marked or [f for f in functions if _can_be_launched(f)]
    if len(kernels) != 1:
        raise UsageError(f"which function? name one with entry (--entry): {names}")
    return kernels[0]
