"""The flag that a remedy suggests: of an event that the kernel uses in no launch."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope.diagnostics import edited
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.races.find import list_races
from ptoscope.races.fixes import FULL_BARRIER
from ptoscope.races.race import Race
from ptoscope.tracing import trace

from ..check.pipes import copy_in, kernel, loop, program, scope, sets, waits

BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"
ITERATION = (sets("MTE2", "V", "%ev"), copy_in(), scope(), waits("MTE2", "V", "%ev"), BARRIER)
"""The flag is set before the copy: it orders nothing."""


def races(text: str, iterations: int) -> list[Race]:
    loaded = Kernel(program(text), TARGETS["a5"], "manual")
    x, y = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    found = trace(loaded, [x, y, iterations, True, False])
    assert found.error is None, found.error
    return list_races(found, program(text), TARGETS["a5"])


def carried(*lines: str) -> str:
    """A loop that carries the event."""
    body = "\n".join((*ITERATION, *lines))
    head = "%end = scf.for %i = %i0 to %n step %i1 iter_args(%ev = %i0) -> (index)"
    return f"{head} {{\n{body}\nscf.yield %next : index\n}}"


@pytest.mark.parametrize(
    ("lines", "event"),
    [
        (["%ev = arith.remsi %i, %i4 : index"], 4),
        (["%ev = arith.remui %i, %i2 : index"], 2),
        (["%ev = arith.andi %i, %i1 : index"], 2),
        (["%r = arith.remsi %i, %i4 : index", "%ev = arith.addi %r, %i1 : index"], 5),
        (["%r = arith.andi %i, %i2 : index", "%ev = arith.select %yes, %r, %i1 : index"], 3),
        (["%r = arith.andi %i, %i1 : index", "%ev = arith.index_cast %r : index to i64"], 2),
        (["%two = arith.andi %i, %i4 : index", "%ev = arith.ori %two, %i2 : index"], 0),
        # All eight, and one that only the launch knows.
        (["%eight = arith.constant 8 : index", "%ev = arith.remsi %i, %eight : index"], None),
        (["%ev = arith.minsi %n, %i4 : index"], None),
    ],
)
def test_a_computed_event_is_not_free(lines: list[str], event: int | None) -> None:
    check(kernel(loop(*lines, *ITERATION)), event)


@pytest.mark.parametrize(
    ("lines", "event"),
    [
        (["%next = arith.subi %i1, %ev : index"], 2),
        (["%next = arith.xori %ev, %i2 : index"], 1),
        (["%up = arith.addi %ev, %i1 : index", "%next = arith.remui %up, %i4 : index"], 4),
        (["%next = arith.addi %ev, %i1 : index"], None),
    ],
)
def test_nor_is_one_that_a_loop_carries(lines: list[str], event: int | None) -> None:
    check(kernel(carried(*lines)), event)


def test_nor_is_the_index_of_a_loop() -> None:
    iterations = loop(*ITERATION, to="%i2", index="%ev")
    check(kernel(loop(iterations)), 2)
    check(kernel(loop(*ITERATION, index="%ev")), None)


def check(text: str, event: int | None) -> None:
    """The remedy found in a run of one iteration also helps in all runs."""
    (race,) = races(text, 1)
    said = FULL_BARRIER if event is None else f'"EVENT_ID{event}"'
    assert said in race.remedy
    mended = edited(text, race.fix)
    assert mended != text
    for iterations in range(1, 8):
        assert races(mended, iterations) == []
