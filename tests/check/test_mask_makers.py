"""A mask made with the wrong width is made with that of its uses, where all of them agree."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ptoscope.check.apply import fixed
from ptoscope.check.mistyped import TRIED
from ptoscope.diagnostics import Edit

from .test_value_fixes import found

F, H = "!pto.vreg<64xf32>", "!pto.vreg<128xf16>"
B8, B16, B32 = (f"!pto.mask<b{bits}>" for bits in (8, 16, 32))


def scope(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"  pto.vecscope {{\n{body}\n  }}\n"


def kernel(*scopes: str) -> str:
    return f"func.func @k(%x: f32, %h: f16, %n: i32) {{\n{''.join(scopes)}  return\n}}\n"


def pattern(bits: int, kind: str) -> str:
    return f'%w = pto.pset_b{bits} "PAT_H" : {kind}'


def count(bits: int, kind: str) -> str:
    return f"%w, %rest = pto.plt_b{bits} %n : i32 -> {kind}, i32"


FLOATS = (
    f"%f = pto.vbr %x : f32 -> {F}",
    f"%f1 = pto.vabs %f, %w : {F}, {B32} -> {F}",
    f"%f2 = pto.vneg %f1, %w : {F}, {B32} -> {F}",
)
HALVES = (f"%g = pto.vbr %h : f16 -> {H}", f"%g1 = pto.vabs %g, %w : {H}, {B16} -> {H}")


@pytest.mark.parametrize("made", [pattern, count])
@pytest.mark.parametrize(("name", "kind"), [(16, B16), (8, B8), (32, B16)])
def test_the_maker_gets_the_width_that_all_uses_have(
    made: Callable[[int, str], str], name: int, kind: str
) -> None:
    text = kernel(scope(made(name, kind), *FLOATS))
    fixes = {d.fix for d in found(text) if d.code == "PTO0009"}
    assert len(fixes) == 1
    after = fixed(text, found)
    assert after.text == kernel(scope(made(32, B32), *FLOATS))
    assert (after.applied, after.left) == (1, [])


def fixes(text: str) -> set[tuple[Edit, ...]]:
    return {d.fix for d in found(text)}


@pytest.mark.parametrize(
    "lines",
    [
        # One use needs it as it is.
        (pattern(16, B16), *FLOATS, *HALVES),
        # The uses of it want two widths.
        (pattern(8, B8), *FLOATS, *HALVES),
        # The type written at the use is not the one that the instruction takes.
        (pattern(16, B16), FLOATS[0], f"%f1 = pto.vabs %f, %w : {F}, {B8} -> {F}"),
        # It is made of lanes that are compared, as many as they are.
        (
            f'%all = pto.pset_b16 "PAT_ALL" : {B16}\n    {HALVES[0]}',
            f'%w = pto.vcmp %g, %g, %all, "lt" : {H}, {H}, {B16} -> {B16}',
            *FLOATS,
        ),
    ],
)
def test_no_maker_is_changed_that_some_use_would_not_fit(lines: tuple[str, ...]) -> None:
    text = kernel(scope(*lines))
    assert {d.code for d in found(text)} == {"PTO0009"}
    assert fixes(text) == {()}


def test_what_else_is_wrong_stays_and_keeps_no_fix_away() -> None:
    wrong = f"%f9 = pto.vabs %nothing, %w : {F}, {B32} -> {F}"
    right = kernel(scope(pattern(32, B32), *FLOATS, wrong))
    after = fixed(kernel(scope(pattern(16, B16), *FLOATS, wrong)), found)
    assert after.text == right
    assert [d.code for d in after.left] == ["PTO0003"]


def test_many_makers_are_put_right_step_by_step() -> None:
    many = 3 * TRIED
    text = kernel(*[scope(pattern(16, B16), *FLOATS)] * many)
    assert sum(bool(d.fix) for d in found(text)) == 2 * TRIED
    after = fixed(text, found)
    assert after.text == kernel(*[scope(pattern(32, B32), *FLOATS)] * many)
    assert after.left == []
