"""A fix touches only the operation that its finding speaks of.

Whatever else is wrong in a text, another operation gets no finding that it has not alone, and a
finding has the fix that it has alone, or none. Edits outside of the operation only insert lines,
or are those of the masks that it uses.
"""

from __future__ import annotations

import pytest

from ptoscope.check import OPERATION_RULES, catalogue
from ptoscope.check.text import Text
from ptoscope.cli.examine import examine_text
from ptoscope.diagnostics import Diagnostic, edited
from ptoscope.isa.types import Mask
from ptoscope.program import Op, Program
from ptoscope.sources import parse

from .kernels import HM, H, I, M, P, V, in_scope

WRONG_TYPE = (
    "%other = arith.constant 1 : i32",
    '%broken = pto.vcvt %other, %other {rnd = "R", sat = "SAT", part = "EVEN"} : '
    "!pto.vreg<128xbf16>, !pto.mask<b16> -> !pto.vreg<64xf32>",
)
UNKNOWN = ('%broken = pto.no_such_thing %nowhere {rnd = "R", part = "EVEN"} : !pto.mask<b16>',)
UNDEFINED = (
    '%broken = pto.vcvt %nowhere, %never {rnd = "R", part = "EVEN"} : '
    "!pto.vreg<128xbf16>, !pto.mask<b16> -> !pto.vreg<64xf32>",
)
MISCOUNTED = ('%broken = pto.vlds %nowhere {dist = "NORM"} : !pto.mask<b16>',)
BROKEN = (WRONG_TYPE, UNKNOWN, UNDEFINED, MISCOUNTED)

CODES = [r.code for r in OPERATION_RULES if r.code not in catalogue.NO_EXAMPLE]
NEIGHBOURS = in_scope(
    f'%a = pto.vcvt %v, %m {{rnd = "R", sat = "SAT"}} : {V}, {M} -> {I}',
    f'%b = pto.vcvt %v, %m {{rnd = "Z", sat = "SAT", part = "EVEN"}} : {V}, {M} -> {H}',
    f'%c = pto.vcvt %w, %h {{part = "ODD"}} : {H}, {HM} -> {V}',
    f'%d = pto.vlds %ub[%c0] {{dist = "NORM"}} : {P} -> {V}',
    f'pto.vsts %d, %ub[%c0], %m {{dist = "NORM_B32"}} : {V}, {P}, {M}',
    f"%e = pto.vadd %v, %d, %m : {V}, {V}, {M} -> {V}",
)


def texts(code: str) -> tuple[str, str]:
    """Returns the wrong and the right kernel of a code; for "none" a right one."""
    if code == "none":
        return NEIGHBOURS, NEIGHBOURS
    entry = catalogue.entry(code)
    return entry.bad, entry.fixed


def operations(text: str) -> list[Op]:
    return [op for f in parse(text, "k.pto").functions for op in f.ops() if op.span.line]


def found(code: str, text: str) -> list[Diagnostic]:
    """Returns the findings of a text, for the target and revision of the example of a code."""
    if code == "none":
        return examine_text(text, "k.pto", None, None)[1]
    entry = catalogue.entry(code)
    target = None if "pto.target_arch" in text else entry.target
    revision = None if "pto.revision" in text else entry.revision
    return examine_text(text, "k.pto", target, revision)[1]


def with_broken(text: str, line: int, broken: tuple[str, ...]) -> str:
    """Returns the text with broken lines inserted before one."""
    lines = text.split("\n")
    return "\n".join([*lines[: line - 1], *broken, *lines[line - 1 :]])


def without(text: str, broken: tuple[str, ...]) -> str:
    """Returns the text without the broken lines; each has to be there still, unchanged."""
    lines = text.split("\n")
    assert all(lines.count(line) == 1 for line in broken)
    return "\n".join(line for line in lines if line not in broken)


@pytest.mark.parametrize("code", ["none", *CODES])
@pytest.mark.parametrize("broken", BROKEN)
def test_another_mistake_changes_no_finding(code: str, broken: tuple[str, ...]) -> None:
    for text in texts(code):
        alone = {
            (d.code, d.line, d.column, d.message): edited(text, d.fix) for d in found(code, text)
        }
        for line in {op.span.line for op in operations(text)}:
            both = with_broken(text, line, broken)
            for d in found(code, both):
                at = d.line - len(broken) * (d.line >= line)
                if d.line < line or at >= line:
                    fixed = without(edited(both, d.fix), broken)
                    assert fixed in (text, alone[d.code, at, d.column, d.message]), d


@pytest.mark.parametrize("code", CODES)
def test_a_fix_rewrites_only_the_operation_and_its_masks(code: str) -> None:
    entry = catalogue.entry(code)
    program = parse(entry.bad, "k.pto")
    places = Text(program)
    for d in (d for d in found(code, entry.bad) if d.fix):
        own, masks = speaks_of(program, places, d)
        for edit in d.fix:
            at = places.offset(edit.span)
            is_line = edit.span[1:3] == (1, 0) and edit.text.endswith("\n")
            assert is_line or any(covers(places, op, at) for op in (own, *masks)), (d, edit)


def speaks_of(program: Program, places: Text, d: Diagnostic) -> tuple[Op, list[Op]]:
    """Returns the operation at a finding, and those that make its masks."""
    at = places.offset(d.span)
    ((function, own),) = [
        (f, op) for f in program.functions for op in f.ops() if covers(places, op, at)
    ]
    masks = {slot for slot in own.operands if isinstance(function.types[slot], Mask)}
    return own, [op for op in function.ops() if masks.intersection(op.results)]


def covers(places: Text, op: Op, at: int) -> bool:
    """Returns True if an operation is written at an offset, its bodies apart."""
    start, end = places.statement(op) if op.span.line else (0, 0)
    return start <= at < end
