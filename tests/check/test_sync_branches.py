"""Accesses that are executed on a condition, without synchronisation beside them."""

from __future__ import annotations

import pytest

from .pipes import V, branch, codes, copy_in, copy_out, findings, kernel, load, loop, scope, store

MADE = f"%f = arith.constant 1.0 : f32\n%w = pto.vbr %f : f32 -> {V}"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            [branch("%yes", [copy_in("%b")]), copy_out("%b")], ["PTO0607"], id="it and the next"
        ),
        pytest.param(
            [branch("%yes", [copy_in("%b")], [copy_in("%b")]), copy_out("%b")],
            ["PTO0607"],
            id="both sides and the next",
        ),
        pytest.param([copy_in("%b"), branch("%yes", [], [copy_out("%b")])], ["PTO0607"], id="else"),
        pytest.param(
            [branch("%yes", [copy_in("%b"), copy_out("%b")])], ["PTO0607"], id="on one side"
        ),
        pytest.param(
            [branch("%yes", [copy_in("%b")]), branch("%yes", [copy_out("%b")])],
            ["PTO0607"],
            id="twice the same condition",
        ),
        pytest.param(
            [branch("%yes", [branch("%no", [copy_in("%b")])]), branch("%yes", [copy_out("%b")])],
            ["PTO0607"],
            id="one needs more",
        ),
        pytest.param(
            [loop(branch("%yes", [copy_in("%b")]), to="%i4"), copy_out("%b")],
            ["PTO0607"],
            id="in a loop",
        ),
        pytest.param(
            [branch("%yes", [copy_in("%b")], [copy_out("%b")])], [], id="one or the other"
        ),
        pytest.param(
            [branch("%yes", [copy_in("%b")]), branch("%yes", [], [copy_out("%b")])],
            [],
            id="one or the other, in two branches",
        ),
        pytest.param(
            [branch("%yes", [branch("%yes", [], [copy_in("%b")])]), copy_out("%b")],
            [],
            id="never",
        ),
        pytest.param(
            [branch("%yes", [copy_in("%b")]), branch("%no", [copy_out("%b")])],
            [],
            id="conditions that may exclude each other",
        ),
    ],
)
def test_two_pipes(lines: list[str], expected: list[str]) -> None:
    found = findings(kernel(*lines))
    assert sorted({d.code for d in found if d.code.startswith("PTO06")}) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([branch("%yes", [store("%w")]), load("%u", "%b")], ["PTO0609"]),
        ([branch("%yes", [store("%w")], [load("%u", "%b")])], []),
        (
            [store("%w"), branch("%yes", [store("%w", mask="%m")]), load("%u", "%b")],
            ["PTO0609"],
        ),
        ([branch("%yes", [store("%w"), 'pto.mem_bar "VST_VLD"']), load("%u", "%b")], []),
    ],
)
def test_in_a_vecscope(lines: list[str], expected: list[str]) -> None:
    assert codes(kernel(scope(MADE, *lines))) == expected


def test_the_way_of_a_watched_run() -> None:
    """The finding names both lines."""
    text = kernel(branch("%yes", [copy_in("%b")]), copy_out("%b"))
    (race,) = [d for d in findings(text) if d.code == "PTO0607"]
    lines = text.split("\n")
    assert "mte_ub_gm" in lines[race.span.line - 1]
    early = next(i for i, line in enumerate(lines, 1) if "mte_gm_ub" in line)
    assert f"line {early}" in race.message
