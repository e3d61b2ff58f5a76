"""The page on the cycle models: its errors are those that the bench finds, its figures exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bench import dispatch, points, points_a2a3

from ptoscope.timing.a5 import A5
from ptoscope.timing.figures import Overrides

TEXT = (Path(__file__).parents[2] / "docs" / "timing.md").read_text(encoding="utf-8")


def _rows(head: str) -> list[list[str]]:
    """The rows of the table that begins so."""
    lines = TEXT[TEXT.index(f"| {head} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]


def test_errors_on_a5() -> None:
    found = points.points()
    shown = {row[0]: (int(row[1]), row[2], row[3]) for row in _rows("vecscope on A5")}
    assert shown == {
        family: (sum(p.family == family for p in found), f"{mean:.1%}", f"{worst:.1%}")
        for family, (mean, worst) in points.errors(found).items()
    }
    mean = sum(abs(p.error) for p in found) / len(found)
    assert f"All {len(found)} points: {mean:.1%}." in TEXT


def test_the_log() -> None:
    found, whole = dispatch.moments()
    sent = sum(abs(m.modelled_dispatch - m.dispatch) <= 2 for m in found) / len(found)
    began = sum(abs(m.modelled_start - m.start) <= 2 for m in found) / len(found)
    said = " ".join(TEXT.split())
    assert f"Of the log's {len(found)} instructions {sent:.1%} are dispatched" in said
    assert f"and {began:.1%} start within two cycles" in said
    assert f"the whole takes {whole} cycles, {dispatch.WHOLE} in the log" in said


@pytest.mark.parametrize(
    ("row", "family"),
    list(
        zip(_rows("operation on A2/A3"), ("binary", "scalar", "load", "copy", "unary"), strict=True)
    ),
)
def test_errors_on_a2a3(row: list[str], family: str) -> None:
    errors = [abs(point.error) for point in points_a2a3.points() if point.family == family]
    mean, worst = sum(errors) / len(errors), max(errors)
    assert row[1:] == [str(len(errors)), f"{mean:.1%}", f"{worst:.0%}"]


def test_figures_exist() -> None:
    named = set(re.findall(r"`core\.(\w+)`", TEXT))
    assert named == set(A5(Overrides()).core_figures())
