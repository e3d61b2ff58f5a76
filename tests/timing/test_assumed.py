"""An instruction without any figure is timed by an assumed one, and the report says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ptoscope.isa import TABLE
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import F16, F32
from ptoscope.isa.families import unary
from ptoscope.isa.record import NO_FIGURE, Record, Types
from ptoscope.timing import MODELS
from tests.timing.kernels import MASK, REG, UB, lds, pipeline, scope, sts, tiles, timed

NEW = unary(
    "vtwice",
    lambda input: input + input,
    doc="Lane-wise double.",
    types=Types((F32, F16)),
    formula="2 * input[i]",
    cost=NO_FIGURE,
)
MODELLED = [(target, model) for target, models in MODELS.items() for model in models]


@pytest.mark.parametrize(("target", "model"), MODELLED)
def test_an_instruction_without_a_figure(
    add_record: Callable[[Record], None], target: str, model: str
) -> None:
    """As vadd, whose figures are published, and marked."""
    add_record(NEW)
    line = f"%y = pto.NAME %x, %all : {REG}, {MASK} -> {REG}"
    kernel = scope(lds("x"), line.replace("NAME", "vtwice"), sts("y"))
    timing = timed(kernel, target=target, model=model)
    (shown,) = (row for row in timing.table() if "vtwice" in row.text)
    assert shown.assumed
    assumed = [row for row in timing.as_json()["assumed"] if row["name"].startswith("vtwice")]
    assert assumed
    assert all("as vadd" in row["note"] for row in assumed)
    sums = f"%y = pto.vadd %x, %x, %all : {REG}, {REG}, {MASK} -> {REG}"
    like = timed(scope(lds("x"), sums, sts("y")), target=target, model=model)
    assert timing.total_cycles == like.total_cycles
    assert not any(row.assumed for row in like.table() if "vadd" in row.text)


@pytest.mark.parametrize(("target", "model"), MODELLED)
def test_a_load_and_a_store_without_figures(
    add_record: Callable[[Record], None], target: str, model: str
) -> None:
    """On A5 as vlds and vsts; on A2/A3 loads cost nothing and a copying store is a move."""
    expected = timed(scope(lds("x"), sts("x")), target=target, model=model).total_cycles
    for name, cost in (("vlds", Cost("load")), ("vsts", Cost("store"))):
        add_record(replace(TABLE[f"pto.{name}"], cost=cost))
    timing = timed(scope(lds("x"), sts("x")), target=target, model=model)
    assert timing.total_cycles == expected
    notes = {row["note"] for row in timing.as_json()["assumed"]}
    if target == "a5":
        assert {"vlds: as vlds", "vsts: as vsts"} <= notes
        assert [row.assumed for row in timing.table() if UB in row.text] == [True, True]


def _on_one_line(text: str) -> str:
    """The same program with all operations of the body on the line of the first."""
    head, body = text.split("{\n", 2)[:2], text.split("{\n", 2)[2]
    return "{\n".join(head) + "{\n" + " ".join(body.split("\n"))


@pytest.mark.parametrize(("target", "model"), MODELLED)
def test_the_share_does_not_depend_on_lines(target: str, model: str) -> None:
    """An operation of Python may be several of text, which then stand in one line."""
    text = pipeline(4, 2)
    spread, dense = (
        timed(kernel, tiles(4), target=target, model=model) for kernel in (text, _on_one_line(text))
    )
    assert dense.total_cycles == spread.total_cycles
    assert {place.span.line for place in dense.trace.places} == {3}
    assert dense.reasons.assumed_cycles == pytest.approx(spread.reasons.assumed_cycles)
    assert 0 < spread.reasons.assumed_cycles < spread.total_cycles
