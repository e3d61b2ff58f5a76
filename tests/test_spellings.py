"""Every spelling of the language: an example, a mistake, and random programs written in it."""

from __future__ import annotations

from functools import cache

import pytest

import ptoscope
from ptoscope import PtoError, ir
from ptoscope.diagnostics import Diagnostic
from ptoscope.engines import ENGINES
from ptoscope.isa.types import Mask, Ptr, Scalar, VReg
from ptoscope.program import CALL
from tests.fuzz.clusters import any_program
from tests.fuzz.compare import outcome
from tests.fuzz.spelling.record import Spelling, as_file
from tests.fuzz.spelling.respell import SPELLINGS, Respelled, respell
from tests.fuzz.spelling.verdict import misread, misrun
from tests.ir.kernels import all_levels, round_trip

SEEDS = range(0, 90, 3)
EVERY = pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.name)


@EVERY
def test_it_is_read_and_printed(spelling: Spelling) -> None:
    text = as_file(spelling.good)
    printed = [line.strip() for line in round_trip(text).split("\n")]
    assert any(line.startswith(spelling.canonical) for line in (*printed, " ".join(printed)))
    all_levels(text)


@EVERY
def test_a_mistake_in_it_is_said(spelling: Spelling) -> None:
    first = _first(as_file(spelling.bad))
    assert first.code == spelling.code
    assert first.line > 0


def _first(text: str) -> Diagnostic:
    """The first error of a text, before what is wrong with the kernel."""
    try:
        ir.parse(text)
        ptoscope.load(text)
    except PtoError as error:
        return error.diagnostics[0]
    raise AssertionError(f"no error in {text}")


@cache
def _spelled(seed: int) -> Respelled:
    return respell(any_program(seed))


def test_every_spelling_is_drawn() -> None:
    drawn = frozenset[str]().union(*(_spelled(seed).drawn for seed in SEEDS))
    assert drawn == {spelling.name for spelling in SPELLINGS}


def test_helpers_take_and_give_values_of_all_kinds() -> None:
    """Scalars, pointers, vectors and masks, in and outside of vecscopes."""
    programs = [ir.parse(_spelled(seed).built.text).program for seed in range(60)]
    helpers = [f for p in programs for f in p.functions if not f.is_kernel]
    for slots in ([f.params for f in helpers], [f.body.yields for f in helpers]):
        pairs = zip(helpers, slots, strict=True)
        assert {type(f.types[slot]) for f, own in pairs for slot in own} >= {
            Scalar,
            Ptr,
            VReg,
            Mask,
        }
    calls = [op for p in programs for f in p.functions for op in f.ops() if op.name == CALL]
    assert len(calls) == len(helpers)


def test_names_are_different() -> None:
    assert len({spelling.name for spelling in SPELLINGS}) == len(SPELLINGS)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_in_other_spellings(seed: int) -> None:
    """They are read as the same program, all printers keep it, and engines run it alike."""
    spelled = _spelled(seed)
    assert spelled.written.text != any_program(seed).text
    assert (wrong := misread(spelled)) is None, wrong
    engines = ["reference", *(engine for engine in ENGINES if engine != "reference")]
    wrong = misrun(spelled.written, engines, outcome(any_program(seed), engines[0]))
    assert wrong is None, wrong


def test_a_text_that_means_something_else_is_reported() -> None:
    spelled, other = _spelled(SEEDS[0]), _spelled(SEEDS[1])
    said = misread(Respelled(spelled.flat, spelled.built, other.written, spelled.drawn))
    assert said is not None
    assert "it is read as another program" in said
    said = misread(Respelled(other.flat, spelled.built, spelled.written, spelled.drawn))
    assert said is not None
    assert "it is opened to another program" in said
    plain = outcome(any_program(SEEDS[1]), "reference")
    wrong = misrun(spelled.written, ["reference"], plain)
    assert wrong is not None
    assert f"seed {SEEDS[0]} in another spelling" in wrong


def test_a_printer_that_loses_something_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = ir.print_module
    spelled = _spelled(SEEDS[0])

    def lossy(module: ir.Module, generic: bool = False, level: ir.Level | None = "ssa") -> str:
        text = printed(module, generic, level)
        return text.replace("constant 1 :", "constant 2 :") if level == "asm" else text

    monkeypatch.setattr("tests.fuzz.spelling.verdict.ir.print_module", lossy)
    said = misread(spelled)
    assert said is not None
    assert "in level asm" in said
