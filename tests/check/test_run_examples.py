"""Every code of a run has its bad example, which the check cannot see and a run reports as it
says, and a right twin of which every kind of run finds nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.check import catalogue
from ptoscope.check.catalogue import Entry, Use
from ptoscope.cli.against import GivenRun, against, departures
from ptoscope.cli.expect import differences, expectations
from ptoscope.cli.files import ArrayFile, read_word
from ptoscope.cli.options import Request, read
from ptoscope.cli.run import read_arguments
from ptoscope.diagnostics import Diagnostic, edited
from ptoscope.engines import ENGINES
from ptoscope.kernel import Kernel
from ptoscope.watch import EVERYTHING, Watch, watch

WITH_EXAMPLE = [
    code for code in (*catalogue.RUN, *catalogue.ARGUMENTS) if code not in catalogue.NO_EXAMPLE
]
WATCHED = ("PTO0701", "PTO0702", "PTO0703", "PTO0704", "PTO0705", "PTO0706")
WATCHED += ("PTO0711", "PTO0712", "PTO0713", "PTO0714")
RECORDED_NATIVELY = ("PTO0701", "PTO0702", "PTO0703", "PTO0704", "PTO0706")


def load(entry: Entry, text: str) -> Kernel:
    return ptoscope.load(text, entry.target, entry.revision, force=True)


def request(use: Use) -> Request:
    """The options of a use, as the command line reads them."""
    return read(["run", "k.pto", *(use.run or "").split()])


def read_given(kernel: Kernel, use: Use) -> list[Any]:
    """Fresh arguments as they were read; PtoError where they are wrong."""
    if use.call is not None:
        return list(eval(f"({use.call},)", {"np": np}))
    return read_arguments(kernel, [read_word(word) for word in request(use).args[1:]])


def passed(given: list[Any]) -> list[Any]:
    """What the kernel takes of them."""
    return [a.seen if isinstance(a, ArrayFile) else a for a in given]


def watched(use: Use) -> Watch:
    asked = request(use)
    return Watch(asked.has("races"), asked.has("poison"), int(asked.get("schedules") or 0))


def found_by_run(kernel: Kernel, use: Use, engine: str) -> list[Diagnostic]:
    """What a plain run on an engine reports."""
    limit = request(use).get("max-steps")
    grid = int(request(use).get("grid") or 1)
    steps = int(limit) if limit else None
    try:
        taken = read_given(kernel, use)
        before = [a.seen.copy() if isinstance(a, ArrayFile) else None for a in taken]
        kernel(*passed(taken), engine=engine, grid=grid, max_steps=steps)
    except ptoscope.PtoError as error:
        return list(error.diagnostics)
    words = [read_word(word) for word in request(use).args[1:]]
    given, other = GivenRun(taken, before, words, grid), against(request(use))
    departing = [] if other is None else departures(kernel, other, request(use), given, 0.0, 0.0)
    differing = differences(kernel, expectations(request(use)), given)
    return [*kernel.warnings, *differing.findings, *departing]


def found_by_watch(
    kernel: Kernel, use: Use, what: Watch, engine: str = "reference"
) -> list[Diagnostic]:
    """What a watched run reports; `engine` is the one that races are looked for on."""
    grid = int(request(use).get("grid") or 1)
    return watch(kernel, passed(read_given(kernel, use)), what, grid, engine=engine).diagnostics


def compare(entry: Entry, found: list[Diagnostic]) -> None:
    """The findings are those that the example expects, at its lines, in its words."""
    assert sorted((d.line, d.code) for d in found) == [(e.line, e.code) for e in entry.expected]
    for expected in entry.expected:
        said = [f"{d.message} {d.found}" for d in found if d.line == expected.line]
        assert any(expected.words in words for words in said), said
    assert {d.severity for d in found} == {entry.severity}
    assert all(d.source_line and d.column for d in found)


def test_the_codes_that_need_a_watch() -> None:
    assert tuple(c for c in WITH_EXAMPLE if watched(catalogue.entry(c).use)) == WATCHED


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_check_finds_nothing_in_either(code: str) -> None:
    entry = catalogue.entry(code)
    assert entry.use
    assert {e.code for e in entry.expected} == {code}
    assert load(entry, entry.bad).findings == []
    assert load(entry, entry.fixed).findings == []
    assert len(entry.bad.split("\n")) <= 25
    # Only one of the two is wrong: the kernel or its arguments.
    assert (entry.bad == entry.fixed) == (entry.use != entry.fixed_use)


@pytest.mark.parametrize(
    ("code", "engine"),
    [
        (code, engine)
        for code in WATCHED
        for engine in (ENGINES if code in RECORDED_NATIVELY else ("reference",))
    ],
)
def test_the_bad_example_is_reported_by_its_watch(code: str, engine: str) -> None:
    entry = catalogue.entry(code)
    kernel = load(entry, entry.bad)
    compare(entry, found_by_watch(kernel, entry.use, watched(entry.use), engine))


@pytest.mark.parametrize("code", WATCHED)
def test_every_fix_of_an_example_fixes(code: str) -> None:
    entry = catalogue.entry(code)
    found = found_by_watch(load(entry, entry.bad), entry.use, watched(entry.use))
    offered = [d for d in found if d.fix]
    assert bool(offered) == (code in ("PTO0701", "PTO0702", "PTO0703", "PTO0706"))
    for diagnostic in offered:
        kernel = load(entry, edited(entry.bad, diagnostic.fix))
        assert kernel.findings == []
        assert found_by_watch(kernel, entry.use, EVERYTHING) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("code", WATCHED)
def test_what_needs_a_watch_is_not_seen_without(code: str, engine: str) -> None:
    entry = catalogue.entry(code)
    assert found_by_run(load(entry, entry.bad), entry.use, engine) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("code", [c for c in WITH_EXAMPLE if c not in WATCHED])
def test_the_bad_example_is_reported_by_a_run(code: str, engine: str) -> None:
    entry = catalogue.entry(code)
    compare(entry, found_by_run(load(entry, entry.bad), entry.use, engine))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_right_twin_runs(code: str, engine: str) -> None:
    entry = catalogue.entry(code)
    assert found_by_run(load(entry, entry.fixed), entry.fixed_use, engine) == []


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_no_watch_finds_anything_in_the_right_twin(code: str) -> None:
    entry = catalogue.entry(code)
    kernel = load(entry, entry.fixed)
    assert found_by_watch(kernel, entry.fixed_use, EVERYTHING) == []
