"""Random programs: legal ones run, faulty ones say where, and every engine agrees."""

from __future__ import annotations

import random
import re
from functools import cache

import numpy as np
import pytest

import ptoscope
from ptoscope import ir
from ptoscope.engines import ENGINES
from ptoscope.isa.targets import TARGETS
from tests.fuzz import compare, stages
from tests.fuzz.clusters import any_program
from tests.fuzz.compare import Outcome, difference, differing, load, mistake, outcome
from tests.fuzz.drawn import FORMS, form, missing, summary
from tests.fuzz.kernel import Kernel
from tests.fuzz.minimise import reduced
from tests.fuzz.programs import ALL_FAULTS, Program
from tests.fuzz.spelling.respell import SPELLINGS
from tests.fuzz.stages import Parts
from tests.fuzz.text import Block, Stage

SEEDS = range(100)
REFERENCE = "reference"
OTHERS = [engine for engine in ENGINES if engine != REFERENCE]


@cache
def _on_reference(seed: int) -> tuple[Program, ptoscope.Kernel, Outcome]:
    program = any_program(seed)
    kernel = load(program)
    return program, kernel, outcome(program, REFERENCE, kernel)


@pytest.mark.parametrize("first", range(0, len(SEEDS), 10))
def test_programs_do_what_they_are_made_for(first: int) -> None:
    """They check clean; legal ones run, the others stop with their fault at its line."""
    for seed in SEEDS[first : first + 10]:
        program, _, done = _on_reference(seed)
        assert mistake(program, done) is None, program.text


@pytest.mark.parametrize("first", range(0, len(SEEDS), 10))
@pytest.mark.parametrize("engine", OTHERS)
def test_engines_agree(engine: str, first: int) -> None:
    for seed in SEEDS[first : first + 10]:
        program, kernel, done = _on_reference(seed)
        found = differing(program, (REFERENCE, engine), kernel, done)
        assert found is None, found


def test_a_seed_gives_one_program() -> None:
    for seed in SEEDS[::10]:
        once, again = any_program(seed), any_program(seed)
        assert once.text == again.text
        assert repr(once) == repr(again)
        arrays = [[np.array(a).tobytes() for a in p.arguments()] for p in (once, once, again)]
        assert arrays[0] == arrays[1] == arrays[2]


def test_most_forms_are_drawn() -> None:
    """Every form of an instruction and every fault may occur; a few hundred programs may lack a
    rare one."""
    programs = [any_program(seed) for seed in range(400)]
    ops = [op for p in programs for f in ir.parse(p.text).program.functions for op in f.ops()]
    rare = set(FORMS) - {form(op.name, op.form) for op in ops}
    assert len(rare) <= 0.02 * len(FORMS), sorted(rare)
    absent = {fault.code for fault in ALL_FAULTS} - {p.fault_code for p in programs}
    assert len(absent) <= 2, absent
    faulty = sum(not p.legal for p in programs)
    assert 50 <= faulty <= 110


def test_what_is_not_drawn_is_named() -> None:
    everything = {*FORMS, *(spelling.name for spelling in SPELLINGS)}
    assert missing(everything) == []
    assert "never" not in summary(everything)
    assert missing(everything - {FORMS[3], "labels"}) == [FORMS[3], "labels"]
    assert f"never drawn: {FORMS[3]}, labels" in summary(everything - {FORMS[3], "labels"})


def test_no_stage_holds_the_buffer_that_a_fault_releases() -> None:
    for seed in range(300):
        kernel = Kernel(random.Random(seed), TARGETS["a5"], "manual", 1)
        root = Block(kernel, Stage(0))
        stages.with_buffers(Parts(root, 1))
        held = [re.search(r'"PIPE_\w+", (\d+), 0', line) for line in root.lines]
        assert str(kernel.apart) not in [match[1] for match in held if match]


def _legal() -> Program:
    return next(p for p in map(any_program, SEEDS) if p.legal)


def test_other_bits_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    program = _legal()
    right = outcome(program, REFERENCE)
    name, content = right.arrays[-1]
    size = next(p.dtype.bytes for p in program.parameters if p.name == name)
    flipped = bytes([content[0] ^ 0x80, *content[1:]])
    wrong = Outcome((*right.arrays[:-1], (name, flipped)))
    monkeypatch.setattr(compare, "outcome", lambda p, e, k: right if e == REFERENCE else wrong)
    said = difference(program, (REFERENCE, "other"))
    assert said is not None
    assert f"seed {program.seed}, {program.target}" in said
    assert f"%{name} (" in said
    assert f"1 of {len(content) // size} elements differ, first element 0" in said
    assert program.text in said
    assert difference(program, (REFERENCE, REFERENCE)) is None


def test_another_fault_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    program = next(p for p in map(any_program, SEEDS) if not p.legal)
    right = outcome(program, REFERENCE)
    (said,) = right.diagnostics
    assert set(said) >= {"code", "line", "message", "hint"}
    wrong = Outcome(diagnostics=({**said, "message": "in another iteration"},))
    monkeypatch.setattr(compare, "outcome", lambda p, e, k: right if e == REFERENCE else wrong)
    report = difference(program, (REFERENCE, "other"))
    assert report is not None
    assert "in another iteration" in report
    assert str(said["code"]) in report


def test_a_wrong_outcome_is_a_mistake() -> None:
    program = _legal()
    right = outcome(program, REFERENCE)
    faulty = next(p for p in map(any_program, SEEDS) if not p.legal)
    stopped = outcome(faulty, REFERENCE)
    assert mistake(program, right) is None
    assert mistake(program, stopped) is not None
    assert mistake(faulty, right) is not None
    (said,) = stopped.diagnostics
    elsewhere = Outcome(diagnostics=({**said, "line": 1, "found": ""},))
    assert mistake(faulty, elsewhere) is not None


def test_reduction_keeps_what_matters() -> None:
    lines = ["a", "x {", "  b", "  y {", "    c", "  }", "} else {", "  d", "}", "e", "f"]
    assert reduced(lines, lambda rows: "e" in rows) == ["e"]
    kept = reduced(lines, lambda rows: "    c" in rows and rows.count("}") == 1)
    assert "    c" in kept
    assert len(kept) <= 3
