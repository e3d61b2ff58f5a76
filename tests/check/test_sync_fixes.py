"""Fixes of synchronisation: tried before they are offered, many of them together."""

from __future__ import annotations

import pytest

from ptoscope.check import check
from ptoscope.check.apply import Fixed, fixed
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS

from .pipes import copy_in, copy_out, kernel, load, loop, program, scope, store

STAGE = [copy_in("%a"), scope(load("%v", "%a"), store("%v", "%b")), copy_out("%b")]


def found(text: str) -> list[Diagnostic]:
    return check(program(text), TARGETS["a5"], "manual")


def mended(text: str) -> Fixed:
    return fixed(text, found)


@pytest.mark.parametrize("stages", [1, 2, 10, 100])
@pytest.mark.parametrize("around", [lambda *body: "\n".join(body), loop], ids=["once", "loop"])
def test_stages_without_synchronisation_get_all_of_it(around, stages: int) -> None:
    text = kernel(around(*STAGE * stages))
    assert found(text)
    after = mended(text)
    assert after.left == []
    # Only synchronisation was added.
    new = [line for line in after.text.splitlines() if "_flag[" in line or "barrier" in line]
    assert len(after.text.splitlines()) == len(text.splitlines()) + len(new)


def test_many_races_are_mended_by_one_fix_that_the_others_point_to() -> None:
    races = found(kernel(*STAGE * 10))
    (fix,) = [d for d in races if d.fix]
    assert f"for all of {len(races)} findings together" in fix.hint
    assert all(f"the fix of line {fix.span.line}" in d.hint for d in races if d is not fix)
