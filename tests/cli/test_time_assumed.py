"""`time` of an instruction that has no figure at all: assumed, marked, never an error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ptoscope.isa.record import Record
from tests.timing.kernels import lds, scope, sts, unary
from tests.timing.test_assumed import MODELLED, NEW

from .conftest import Cli


@pytest.mark.parametrize(("target", "model"), MODELLED)
def test_an_instruction_without_a_figure_is_marked(
    add_record: Callable[[Record], None],
    cli: Cli,
    write: Callable[[str, str], str],
    target: str,
    model: str,
) -> None:
    add_record(NEW)
    write("k.pto", scope(lds("x"), unary("vtwice", "y", "x"), sts("y")))
    outcome = cli("time", "k.pto", "--target", target, "--model", model)
    assert (outcome.code, outcome.err) == (0, "")
    (line,) = (text for text in outcome.out.splitlines() if "pto.vtwice" in text)
    assert line.split()[2].endswith("*")
    assert "vtwice" in outcome.out.split("rests on assumed figures: ")[1]
