"""`ptoscope run --expect`: whether arguments end as they should."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ptoscope.cli.files import ArrayFile, BadData, read_buffer, read_word
from ptoscope.cli.options import Request
from ptoscope.cli.words import Word, pieces
from ptoscope.diagnostics import Diagnostic, UsageError

if TYPE_CHECKING:
    from ptoscope.cli.against import GivenRun
    from ptoscope.isa.dtypes import DType
    from ptoscope.kernel import Kernel
    from ptoscope.replay.run import RecordedRun


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
        if (request.has("rtol") or request.has("atol")) and not request.has("against"):
            raise UsageError("--rtol and --atol belong to --expect and --against")
        return Expectations((), rtol, atol)
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


class Differing(NamedTuple):
    """What differs after a run: a finding for each argument, and of the first element of each
    that was traced back where it comes from, for JSON."""

    findings: list[Diagnostic]
    origins: list[dict[str, Any]]


def differences(kernel: Kernel, wanted: Expectations, given: GivenRun) -> Differing:
    """What differs after a run, and which lines made it: the run is recorded again for that."""
    function, program = kernel.signature.function, kernel.signature.program
    found = Differing([], [])
    recorded: list[RecordedRun | None] = []
    for position, (_, word) in zip(positions(kernel, wanted), wanted.all, strict=True):
        slot = function.params[position]
        kind: Any = function.types[slot]
        where = f"argument {position} (%{function.names[slot]})"
        hint, element = "", -1
        try:
            expected = read_buffer(word, kind.dtype, position)
            wrong, element = _difference(given.arguments[position], expected, kind.dtype, wanted)
        except BadData as error:
            wrong = error
        if wrong is not None and element >= 0:
            recorded = recorded or [given.record(kernel)]
            hint, record = _origin(recorded[0], given.arguments[position], position, element)
            found.origins.extend(record)
        if wrong is not None:
            found.findings.append(
                program.diagnostic(
                    wrong.code,
                    function.span,
                    f"{where}: {wrong.message}",
                    found=wrong.found,
                    expected=wrong.expected or word.text,
                    hint=hint or wrong.hint,
                )
            )
    return found


def _origin(
    run: RecordedRun | None, got: ArrayFile, position: int, element: int
) -> tuple[str, list[dict[str, Any]]]:
    """Where an element comes from, in a sentence and for JSON."""
    if run is None:
        return "the run is too long to trace the element back", []
    from ptoscope.replay.difference import element_origin

    origin = element_origin(run, position, element)
    if origin.links[0].data != got.seen[element].tobytes():
        return "in program order, and on the reference engine, the element is another", []
    links = [
        {"line": link.line, "what": link.what, "value": link.value, "undefined": link.undefined}
        for link in origin.shown
    ]
    record = {"argument": position, "element": element, "lines": origin.lines, "origin": links}
    return f"element {element} comes from: {origin.sentence}", [record]


def _difference(
    got: ArrayFile, expected: ArrayFile, dtype: DType, wanted: Expectations
) -> tuple[BadData | None, int]:
    """What is wrong, and the first element that differs, or -1."""
    from ptoscope.replay.apart import apart
    from ptoscope.replay.difference import UNEXPECTED
    from ptoscope.replay.elements import as_compared

    ours, theirs = (as_compared(dtype, array.seen) for array in (got, expected))
    if ours.size != theirs.size:
        message = "it has another number of elements than what is expected"
        sizes = f"{ours.size} elements", f"{theirs.size} elements"
        return BadData(UNEXPECTED, message, *sizes), -1
    count, first, largest = 0, -1, 0.0
    for piece in pieces(ours.size):
        places, far = apart(ours[piece], theirs[piece], wanted.rtol, wanted.atol)
        if len(places):
            first = first if count else piece.start + int(places[0])
            count += len(places)
            largest = max(largest, *far.tolist(), key=lambda x: (math.isnan(x), x))
    if not count:
        return None, -1
    return BadData(
        UNEXPECTED,
        f"{count} of {ours.size} elements differ from what is expected",
        f"{ours[first]} in element {first}; differences of up to {largest:.6g}",
        f"{theirs[first]}",
    ), first
