"""The catalogue and the portability table."""

from __future__ import annotations

from ptoscope.check import catalogue
from ptoscope.check.portability import obstacles
from ptoscope.diagnostics import Diagnostic, Span


def test_near_codes() -> None:
    assert catalogue.near("PTO0112") == ["PTO0107", "PTO0108", "PTO0109", "PTO0110", "PTO0111"]
    assert catalogue.near("pto0300") == ["PTO0301", "PTO0302", "PTO0303", "PTO0304", "PTO0305"]
    assert catalogue.near("PTO0710") == ["PTO0706", "PTO0711", "PTO0712", "PTO0713", "PTO0714"]
    assert "PTO0917" in catalogue.near("PTO0918")
    assert catalogue.near("mask") == []


def test_groups_of_codes() -> None:
    groups = catalogue.groups()
    assert (groups[0], groups[-1]) == ("PTO0000 to PTO0016", "PTO9999")
    assert "PTO0901 to PTO0918" in groups


def test_how_an_example_is_run() -> None:
    assert not catalogue.entry("PTO0101").use
    entry = catalogue.entry("PTO0704")
    assert entry.use == entry.fixed_use == catalogue.Use("zeros:2 --grid 2 --races")
    assert entry.bad != entry.fixed
    entry = catalogue.entry("PTO0801")
    assert (entry.use.run, entry.fixed_use.run) == ("zeros:4", "zeros:4 7")
    assert entry.bad == entry.fixed
    assert "np.float64" in (catalogue.entry("PTO0802").use.call or "")
    assert catalogue.entry("PTO0916").severity == "warning"


def test_an_entry_shows_no_expectations() -> None:
    entry = catalogue.entry("PTO0101")
    assert "expect" not in entry.bad
    assert (entry.target, entry.revision) == ("a5", "manual")
    (expected,) = entry.expected
    assert entry.bad.split("\n")[expected.line - 1].strip().startswith("%sum = pto.vadd")


def test_obstacles_are_lines_with_errors() -> None:
    def found(code: str, line: int, severity: str = "error") -> Diagnostic:
        return Diagnostic(code, f"{code} here", severity, "k.pto", Span(line, 3), source_line=" x ")

    rows = obstacles(
        {
            "cpu": [found("PTO0201", 7), found("PTO0202", 7), found("PTO0305", 2, "warning")],
            "a2a3": [found("PTO0201", 7), found("PTO0205", 3)],
            "a5": [],
        }
    )
    assert [(r.line, r.codes("cpu"), r.codes("a2a3"), r.codes("a5")) for r in rows] == [
        (3, "", "PTO0205", ""),
        (7, "PTO0201, PTO0202", "PTO0201", ""),
    ]
    assert (rows[0].message, rows[0].source) == ("PTO0205 here", "x")
