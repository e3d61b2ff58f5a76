"""Every code of the check has its bad example, reported as it says, and a fixed twin that is
clean; every fix that is offered fixes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ptoscope
from ptoscope.check import RULES, catalogue
from ptoscope.check.revisions import ONLY_IN_ANOTHER, UNNAMED
from ptoscope.cli.examine import examine_text
from ptoscope.diagnostics import Diagnostic, edited
from ptoscope.isa.targets import Revision

WITH_EXAMPLE = [
    code
    for code in catalogue.codes()
    if code not in (*catalogue.NO_EXAMPLE, *catalogue.PYTHON) and not catalogue.entry(code).use
]
"""Those that the check reports; `test_run_examples` has those of a run, `tests/lang/test_errors`
those of Python."""
WITH_FIX = ("PTO0101", "PTO0103", "PTO0104", "PTO0105", "PTO0108")
WITH_FIX += ("PTO0401", "PTO0402", "PTO0403", "PTO0404", "PTO0405", "PTO0408")
WITH_FIX += ("PTO0512",)
WITH_FIX += ("PTO0601", "PTO0602", "PTO0603", "PTO0605", "PTO0606")
WITH_FIX += ("PTO0607", "PTO0608", "PTO0609", "PTO0615")


def findings(text: str, target: str | None, revision: Revision | None) -> list[Diagnostic]:
    """All that is wrong with a text."""
    return examine_text(text, "k.pto", target, revision)[1]


def of_entry(entry: catalogue.Entry, text: str) -> list[Diagnostic]:
    named, says = "pto.target_arch" in text, "pto.revision" in text
    says = says or entry.code in (UNNAMED, ONLY_IN_ANOTHER)
    target, revision = None if named else entry.target, None if says else entry.revision
    return findings(text, target, revision)


def test_every_rule_has_a_file_and_every_file_a_rule() -> None:
    files = sorted(path.stem for path in catalogue.EXAMPLES.iterdir())
    assert files == list(catalogue.codes())


def test_codes_are_unique() -> None:
    others = (
        catalogue.READER,
        catalogue.RUN,
        catalogue.ARGUMENTS,
        catalogue.PYTHON,
        catalogue.COMMAND,
    )
    every = [*(rule.code for rule in RULES), *(code for group in others for code in group)]
    assert sorted(every) == list(catalogue.codes())


def test_the_catalogue_has_every_code_that_the_source_names() -> None:
    root = Path(ptoscope.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in root.rglob("*.py")]
    named = {code for text in texts for code in re.findall(r"PTO\d{4}", text)}
    assert sorted(named) == list(catalogue.codes())


@pytest.mark.parametrize("code", catalogue.codes())
def test_an_entry_says_why_and_by_which_document(code: str) -> None:
    entry = catalogue.entry(code)
    assert entry.why.endswith(".")
    assert len(entry.source) > 20
    assert not entry.title.endswith(".")
    assert entry.severity in ("error", "warning", "note")


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_bad_example_is_reported_where_it_says(code: str) -> None:
    entry = catalogue.entry(code)
    assert {e.code for e in entry.expected} == {code}
    found = of_entry(entry, entry.bad)
    assert sorted((d.line, d.code) for d in found) == [(e.line, e.code) for e in entry.expected]
    for expected in entry.expected:
        said = [f"{d.message} {d.found}" for d in found if d.line == expected.line]
        assert any(expected.words in words for words in said), said
    assert {d.severity for d in found} == {entry.severity}
    assert all(d.source_line and d.column for d in found)


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_fixed_twin_is_clean(code: str) -> None:
    entry = catalogue.entry(code)
    assert of_entry(entry, entry.fixed) == []


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_every_fix_of_an_example_fixes(code: str) -> None:
    entry = catalogue.entry(code)
    offered = [d for d in of_entry(entry, entry.bad) if d.fix]
    assert bool(offered) == (code in WITH_FIX)
    for diagnostic in offered:
        text = edited(entry.bad, diagnostic.fix)
        assert of_entry(entry, text) == [], text
