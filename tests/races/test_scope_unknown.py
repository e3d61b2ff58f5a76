"""Where a run does not show which way a value came, it may have come every way."""

from __future__ import annotations

import pytest

from ptoscope.isa.targets import TARGETS
from ptoscope.races.find import list_races

from ..check.pipes import V, kernel, load, loop, program, scope, store
from .kernels import races, run

LOADS = (load("%u", "%b"), load("%t", "%c"))


@pytest.mark.parametrize("stored", ["%p", "%q"])
def test_a_loop_without_instructions_shows_no_iterations(stored: str) -> None:
    swap = (
        "%p, %q = scf.for %i = %i0 to %n step %i1 "
        f"iter_args(%one = %u, %two = %t) -> ({V}, {V}) {{\nscf.yield %two, %one : {V}, {V}\n}}"
    )
    assert races(kernel(scope(*LOADS, swap, store(stored, "%b")))) == []


@pytest.mark.parametrize("condition", ["%yes", "%no"])
def test_a_branch_without_instructions_shows_no_side(condition: str) -> None:
    chosen = (
        f"%r = scf.if {condition} -> ({V}) {{\nscf.yield %u : {V}\n}} else {{\n"
        f"scf.yield %t : {V}\n}}"
    )
    assert races(kernel(scope(*LOADS, chosen, store("%r", "%b")))) == []


def test_a_run_that_ends_inside_a_loop() -> None:
    """The load of the second iteration is outside UB; what came before it counts."""
    text = kernel(
        "%far = arith.constant 65536 : index",
        scope(
            load("%w", "%c"),
            "%end = scf.for %i = %i0 to %n step %i1 iter_args(%prev = %w) "
            f"-> ({V}) {{\n%at = arith.muli %i, %far : index",
            load("%u", "%b", "%at"),
            store("%prev", "%b", "%at"),
            f"scf.yield %u : {V}\n}}",
            store("%end", "%d"),
        ),
    )
    found = run(text)
    assert found.error is not None
    (race,) = list_races(found, program(text), TARGETS["a5"])
    assert (race.code, race.kind, race.count) == ("PTO0703", "WAR", 1)


def test_every_execution_of_a_vecscope_is_looked_at_for_itself() -> None:
    """The same instructions in two executions, and in each another number of iterations."""
    rows = (
        f"%end = scf.for %k = %i0 to %i step %i1 iter_args(%prev = %w) -> ({V}) {{\n"
        + "\n".join((load("%u", "%b", "%i0"), f"scf.yield %u : {V}"))
        + "\n}"
    )
    text = kernel(loop(scope(load("%w", "%c"), rows, store("%end", "%b"))))
    # With no iteration and with one all is ordered; with two the first load is not.
    (race,) = races(text)
    assert (race.kind, race.count) == ("WAR", 1)
    assert race.early.iteration == (("%i", 2), ("%k", 0))
