"""`ptoscope run --expect`: whether arguments end as they should."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ptoscope.cli.files import ArrayFile, BadData, read_buffer, read_word
from ptoscope.cli.options import Request
from ptoscope.cli.words import Word, pieces
from ptoscope.diagnostics import Diagnostic, UsageError

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel

UNEXPECTED = "PTO0808"


class Expectation(NamedTuple):
    """What an argument, by its number or its name, should hold."""

    argument: str
    word: Word


class Expectations(NamedTuple):
    """All of them, and by how much the others may differ: `rtol` of the expected value, and
    `atol`."""

    all: tuple[Expectation, ...] = ()
    rtol: float = 0.0
    atol: float = 0.0


def expectations(request: Request) -> Expectations:
    """Those of a request; UsageError if they say nothing."""
    given = request.get("expect")
    rtol, atol = (_tolerance(name, request.get(name)) for name in ("rtol", "atol"))
    if given is None:
        if request.has("rtol") or request.has("atol"):
            raise UsageError("--rtol and --atol belong to --expect")
        return Expectations()
    found: list[Expectation] = []
    for text in given.split(","):
        argument, equals, file = text.partition("=")
        word = read_word(file) if equals and argument and file else None
        if word is None or word.kind == "number":
            raise UsageError(f"--expect {text}: write ARG=FILE, such as 1=expected.npy")
        found.append(Expectation(argument.removeprefix("%"), word))
    return Expectations(tuple(found), rtol, atol)


def _tolerance(name: str, text: str | None) -> float:
    try:
        value = float(text or "0")
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UsageError(f"--{name} needs a number from 0 on, not '{(text or '')[:40]}'")
    return value


def positions(kernel: Kernel, wanted: Expectations) -> list[int]:
    """The arguments that expectations are about; UsageError for one that is no pointer's."""
    from ptoscope.isa.types import Ptr

    function = kernel.signature.function
    names = [function.names[slot] for slot in function.params]
    found: list[int] = []
    for argument, _ in wanted.all:
        number = names.index(argument) if argument in names else -1
        if argument.isascii() and argument.isdigit() and len(argument) < 9:
            number = int(argument)
        if not 0 <= number < len(names):
            raise UsageError(f"--expect {argument}: @{kernel.name} has no such parameter")
        if not isinstance(function.types[function.params[number]], Ptr):
            raise UsageError(f"--expect {argument}: %{names[number]} is no pointer")
        found.append(number)
    return found


def golden(kernel: Kernel, wanted: Expectations) -> dict[int | str, Any]:
    """By position what arguments should end as; UsageError for a file that cannot be read so."""
    function = kernel.signature.function
    found: dict[int | str, Any] = {}
    for position, (argument, word) in zip(positions(kernel, wanted), wanted.all, strict=True):
        kind: Any = function.types[function.params[position]]
        try:
            found[position] = read_buffer(word, kind.dtype, position).seen
        except BadData as error:
            raise UsageError(f"--expect {argument}={word.text}: {error.message}") from error
    return found


def differences(kernel: Kernel, wanted: Expectations, arguments: list[Any]) -> list[Diagnostic]:
    """What differs after a run, a finding for each argument."""
    function, program = kernel.signature.function, kernel.signature.program
    found: list[Diagnostic] = []
    for position, (_, word) in zip(positions(kernel, wanted), wanted.all, strict=True):
        slot = function.params[position]
        kind: Any = function.types[slot]
        where = f"argument {position} (%{function.names[slot]})"
        try:
            expected = read_buffer(word, kind.dtype, position)
            wrong = _difference(arguments[position], expected, wanted)
        except BadData as error:
            wrong = error
        if wrong is not None:
            found.append(
                program.diagnostic(
                    wrong.code,
                    function.span,
                    f"{where}: {wrong.message}",
                    found=wrong.found,
                    expected=wrong.expected or word.text,
                    hint=wrong.hint,
                )
            )
    return found


def _difference(got: ArrayFile, expected: ArrayFile, wanted: Expectations) -> BadData | None:
    ours, theirs = got.seen, expected.seen
    if ours.size != theirs.size:
        message = "it has another number of elements than what is expected"
        return BadData(UNEXPECTED, message, f"{ours.size} elements", f"{theirs.size} elements")
    count, first, largest = 0, -1, 0.0
    for piece in pieces(ours.size):
        places, apart = _apart(ours[piece], theirs[piece], wanted)
        if len(places):
            first = first if count else piece.start + int(places[0])
            count += len(places)
            largest = max(largest, *apart.tolist(), key=lambda x: (math.isnan(x), x))
    if not count:
        return None
    return BadData(
        UNEXPECTED,
        f"{count} of {ours.size} elements differ from what is expected",
        f"{ours[first]} in element {first}; differences of up to {largest:.6g}",
        f"{theirs[first]}",
    )


def _apart(ours: Any, theirs: Any, wanted: Expectations) -> tuple[Any, Any]:
    """Where elements differ by more than they may, and by how much."""
    import numpy as np

    with np.errstate(all="ignore"):
        if ours.dtype.kind in "iu":
            # As Python has them: the difference of two 64-bit integers has 65 bits.
            a, b = ours.astype(object), theirs.astype(object)
            apart = abs(a - b)
            differs = apart > wanted.atol + wanted.rtol * abs(b)
        else:
            a, b = ours.astype(np.float64), theirs.astype(np.float64)
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            apart = np.where(same, 0.0, abs(a - b))
            differs = ~same & ~(apart <= wanted.atol + wanted.rtol * abs(b))
    places = np.flatnonzero(differs)
    return places, apart[places]
