"""Every mistake is found with its two lines and a fix that helps; its fixed twin is silent."""

from __future__ import annotations

import pytest

from ptoscope.diagnostics import edited
from ptoscope.isa.targets import TARGETS
from ptoscope.races.find import find_races
from ptoscope.races.race import BLOCKS_RACE

from ..check.pipes import findings, program
from .kernels import EARLY, LATE, Pair, marked, races, run
from .pairs_flags import FLAGS
from .pairs_loops import BARRIERS, LOOPS
from .pairs_others import BUFFERS, OTHERS, SCALARS
from .pairs_registers import REGISTERS
from .pairs_scopes import SCOPES

BYTES = "bytes {0.first} to {0.last}"
PAIRS = {**FLAGS, **LOOPS, **BARRIERS, **BUFFERS, **SCALARS, **SCOPES, **OTHERS, **REGISTERS}
each_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))


def test_there_are_enough() -> None:
    assert len(PAIRS) >= 40


@each_pair
def test_the_faulty_one_is_found(pair: Pair) -> None:
    text = pair.faulty()
    (race,) = races(text, pair.grid)
    assert (race.code, race.kind, race.count) == (pair.code, pair.kind, pair.times)
    if EARLY in text:
        lines = race.early.line, race.late.line
        assert lines == (marked(text, EARLY), marked(text, LATE))


@each_pair
def test_the_fixed_twin_is_silent(pair: Pair) -> None:
    assert races(pair.fixed(), pair.grid) == []


@each_pair
def test_the_suggested_fix_helps(pair: Pair) -> None:
    text = pair.faulty()
    (race,) = races(text, pair.grid)
    if race.code == BLOCKS_RACE:
        # Nothing that can be written into a kernel orders its blocks.
        assert race.fix == ()
        return
    assert race.fix
    mended = edited(text, race.fix)
    for edit in race.fix:
        assert edit.text.strip() in race.remedy
    assert races(mended, pair.grid) == []


@each_pair
def test_the_rules_find_nothing_in_the_fixed_twin(pair: Pair) -> None:
    """But for data that nobody has filled in: the pairs are about order alone."""
    found = [d for d in findings(pair.fixed()) if d.code != "PTO0506"]
    assert [d for d in found if d.severity == "error"] == []


@each_pair
def test_the_finding_says_it_all(pair: Pair) -> None:
    text = pair.faulty()
    (finding,) = find_races(run(text, pair.grid), program(text), TARGETS["a5"])
    (race,) = races(text, pair.grid)
    assert (finding.code, finding.severity, finding.fix) == (race.code, "error", race.fix)
    assert finding.line == race.late.line
    assert f"({race.kind})" in finding.found
    for side in (race.early, race.late):
        assert f"{side.pipe} line {side.line}" in finding.found
        assert all(
            f"{name} = {value}" in finding.found for name, value in side.iteration if "%" in name
        )
    assert (f"{race.count} times" in finding.found) == (race.count > 1)
    assert finding.hint == race.remedy
    bytes_ = "the special register VMS4_0" if pair in REGISTERS.values() else BYTES.format(race)
    assert bytes_ in finding.message
