"""A fix that a watched run offers was tried: the run made again with it has no such race."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import Seen
from ptoscope.diagnostics import Edit, Span, edited
from ptoscope.program import Launchable
from ptoscope.races import trial
from ptoscope.races.find import list_races
from ptoscope.races.race import Race, Remedy
from ptoscope.trace.trace import Trace
from ptoscope.tracing import trace

from ..check.pipes import G, P, copy_in, copy_out, kernel

BAR = "pto.barrier #pto.pipe<PIPE_ALL>"
CALL = f"func.call @fill(%y, %u, %one, %n) : ({G}, {P}, i64, i64) -> ()"
FILLED = f"""func.func private @fill(%y: {G}, %u: {P}, %one: i64, %n: i64) {{
  %zero = arith.constant 0 : i64
  pto.mte_gm_ub %y, %u, %zero, %n nburst(%one, %n, %n) : {G}, {P}, i64, i64, i64, i64, i64
  return
}}
func.func @kernel(%x: {G}, %y: {G}) attributes {{pto.kernel}} {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 256 : i64
  %u = pto.castptr %zero : i64 -> {P}
  {CALL}
  pto.mte_ub_gm %u, %x, %n nburst(%one, %n, %n) : {P}, {G}, i64, i64, i64, i64
  {BAR}
  {CALL}
  {BAR}
  return
}}
"""
"""A flag set in @fill is waited for after the first call alone."""


def arguments(text: str) -> list[Any]:
    x, y = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    return [x, y] if "private" in text else [x, y, 3, True, False]


def seen(text: str) -> Seen:
    loaded = ptoscope.load(text, force=True)
    return loaded.watch(*arguments(text), poison=False, schedules=0)


def test_a_flag_that_another_call_sets_in_vain_is_not_offered() -> None:
    (finding,) = seen(FILLED).diagnostics
    assert finding.code == "PTO0701"
    assert [edit.text.strip() for edit in finding.fix] == [BAR]
    mended = edited(FILLED, finding.fix)
    assert ptoscope.load(mended).findings == []
    assert seen(mended).diagnostics == []


def test_a_smallest_fix_that_helps_is_the_one() -> None:
    text = kernel(copy_in(), copy_out("%a"))
    (finding,) = seen(text).diagnostics
    assert [edit.text.split("[")[0].strip() for edit in finding.fix] == [
        "pto.set_flag",
        "pto.wait_flag",
    ]
    assert seen(edited(text, finding.fix)).diagnostics == []


@pytest.mark.parametrize(
    "lines",
    [
        # Nothing has written what is read.
        [copy_out("%a"), copy_in(), BAR, copy_out("%a")],
        # Nothing reads what is written.
        [copy_in(), BAR, copy_out("%a"), copy_in()],
    ],
)
def test_a_read_that_may_be_meant_to_come_later_gets_no_fix(lines: list[str]) -> None:
    text = kernel(*lines)
    (race,) = seen(text).races
    assert race.kind == "WAR"
    assert race.fix == ()
    assert f"is line {race.early.line} meant to read" in race.remedy


def test_one_between_two_that_write_and_read_does() -> None:
    text = kernel(copy_in(), BAR, copy_out("%a"), copy_in(), BAR, copy_out("%a"))
    (finding,) = seen(text).diagnostics
    assert seen(edited(text, finding.fix)).diagnostics == []


def retried(text: str, *remedies: Remedy) -> Race:
    """The one race of a text, after some remedies were tried."""
    loaded = ptoscope.load(text, force=True)

    def run(kernel: Launchable) -> Trace:
        return trace(kernel, arguments(text))

    record = run(loaded)
    (race,) = list_races(record, loaded.program, loaded.target)
    (after,) = trial.tried(loaded, record, [replace(race, remedies=remedies)], run)
    return after


TWO = kernel(copy_in(), copy_out("%a"))
LAST = Span(TWO[: TWO.index(copy_out("%a"))].count("\n") + 1, 1, 0)
HELPS = Remedy("a barrier", (Edit(LAST, f"{BAR}\n"),))


@pytest.mark.parametrize(
    "line",
    [
        "// nothing",
        "no such operation",
        # It never ends.
        'pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID5"]',
        # One that is not there, and a race in the place of the other.
        f"{BAR}\n{copy_in()}",
        # The race is gone, but the flag stays set.
        f'{BAR}\npto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID5"]',
    ],
)
def test_what_does_not_help_or_breaks_something_is_not_offered(line: str) -> None:
    useless = Remedy("something", (Edit(LAST, f"{line}\n"),))
    after = retried(TWO, useless)
    assert after.fix == ()
    assert after.remedy == "something; that alone does not put this run right"
    assert retried(TWO, useless, HELPS).remedies == (HELPS,)


def test_a_run_that_is_too_long_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    events = len(trace(ptoscope.load(TWO, force=True), arguments(TWO)).events.place)
    monkeypatch.setattr(trial, "EVENTS", events)
    assert retried(TWO, HELPS).fix
    monkeypatch.setattr(trial, "EVENTS", events - 1)
    after = retried(TWO, HELPS)
    assert (after.fix, after.remedy) == ((), "a barrier; there is too much in this run to try it")


def test_a_fault_that_was_there_keeps_no_fix_away() -> None:
    far = "%far = arith.constant 1000000 : index"
    beyond = f"%z = pto.addptr %y, %far : {G} -> {G}"
    text = kernel(copy_in(), copy_out("%a"), BAR, far, beyond, copy_out("%a", to="%z"))
    found = seen(text)
    assert [d.code for d in found.diagnostics] == ["PTO0701", "PTO0902"]
    assert found.races[0].fix
    after = seen(edited(text, found.races[0].fix))
    assert [d.code for d in after.diagnostics] == ["PTO0902"]
