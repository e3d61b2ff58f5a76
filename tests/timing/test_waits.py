"""What waits are worth: those that nothing needs, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ptoscope.kernel import load
from ptoscope.timing import waits as timed_waits
from tests.timing.kernels import FLOATS, GM, UB, looped, pipeline, tiles, timed, whole

TILES = 8
EXAMPLES = Path(__file__).parents[2] / "examples"
_COPY = "nburst(%burst, %bytes, %bytes)"
_IN = f"{_COPY} : {GM}, {UB}, i64, i64, i64, i64, i64"
_OUT = f"{_COPY} : {UB}, {GM}, i64, i64, i64, i64"
UNRELATED = whole(
    f"%bytes = arith.constant {4 * FLOATS} : i64",
    "%burst = arith.constant 1 : i64",
    f"%floats = arith.constant {FLOATS} : index",
    f"%out = pto.addptr %gm, %floats : {GM} -> {GM}",
    f"%there = pto.castptr %bytes : i64 -> {UB}",
    "pto.mte_gm_ub %gm, %ub, %zero, %bytes " + _IN,
    'pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]',
    "pto.mte_gm_ub %gm, %there, %zero, %bytes " + _IN,
    'pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID1"]',
    'pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]',
    'pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID1"]',
    "pto.mte_ub_gm %ub, %out, %bytes " + _OUT,
)
"""What is stored was loaded first; the second load, which nobody reads, is waited for too."""


def _numbers(text: str, part: str) -> list[int]:
    return [n for n, line in enumerate(text.split("\n"), 1) if part in line]


def _less(text: str, lines: list[int]) -> str:
    return "\n".join(line for n, line in enumerate(text.split("\n"), 1) if n not in lines)


@pytest.mark.parametrize("style", ["flags", "bufs"])
@pytest.mark.parametrize("buffers", [1, 2])
@pytest.mark.parametrize("kernel", [pipeline, looped])
def test_a_wait_that_is_needed_is_not_offered(kernel: Any, buffers: int, style: str) -> None:
    """Every flag and every buffer of these keeps a copy apart from the work on its bytes."""
    timing = timed(kernel(TILES, buffers, style), tiles(TILES))
    waits = timing.as_json()["waits"]
    assert waits
    assert not [wait for wait in waits if wait["removable"] or wait["fewer"] or wait["lines"]]


def test_a_wait_for_a_copy_that_nobody_reads() -> None:
    """The store may begin a copy earlier: 32 bytes a cycle, started while the first moved."""
    timing = timed(UNRELATED, tiles(2))
    (wait,) = (wait for wait in timing.as_json()["waits"] if wait["removable"])
    assert wait["lines"] == _numbers(UNRELATED, "EVENT_ID1")
    assert wait["fewer"] == 4 * FLOATS // 32
    shorter = timed(_less(UNRELATED, wait["lines"]), tiles(2))
    # Two instructions fewer are issued, which the store does not wait for.
    assert timing.total_cycles - shorter.total_cycles == wait["fewer"]


def test_a_barrier_that_flags_make_superfluous() -> None:
    """It is one line; without it copies and work overlap. With it some of the flags could go
    instead, but not together with it: the one that costs more is offered."""
    barrier = "pto.barrier #pto.pipe<PIPE_ALL>"
    text = looped(TILES, 2)
    at = text.index("    pto.set_flag", text.index("scf.for %i"))
    text = f"{text[:at]}    {barrier}\n{text[at:]}"
    timing = timed(text, tiles(TILES))
    (wait,) = (wait for wait in timing.as_json()["waits"] if wait["removable"])
    assert wait["lines"] == _numbers(text, barrier)
    shorter = timed(_less(text, wait["lines"]), tiles(TILES))
    assert timing.total_cycles - shorter.total_cycles == wait["fewer"] > TILES * 20


@pytest.mark.parametrize(
    ("name", "sizes", "target"),
    [("vector_add", (64, 64, 64), "a2a3"), ("row_softmax", (128, 128), "a2a3")],
)
def test_what_further_iterations_need_is_not_offered(
    name: str, sizes: tuple[int, ...], target: str
) -> None:
    """With one tile nothing of the run needs the flag by which an iteration tells the next one
    that the buffer is free, which is waited for behind the loop; with two tiles all do."""
    kernel = load(EXAMPLES / f"{name}.pto", target)
    arrays = [np.zeros(size, np.float32) for size in sizes]
    count = 64 if name == "vector_add" else 1
    found = kernel.time(*arrays, count).reasons.waits
    assert found
    assert not [wait for wait in found if wait.removable]


def test_of_a_run_with_races_nothing_is_offered() -> None:
    """Where order is missing nobody can say that a wait is one too many."""
    load = next(line for line in UNRELATED.split("\n") if "mte_gm_ub %gm, %ub" in line)
    racing = UNRELATED.replace("    return", f"{load}\n    return")
    assert any(wait.removable for wait in timed(UNRELATED, tiles(2)).reasons.waits)
    assert not any(wait.removable for wait in timed(racing, tiles(2)).reasons.waits)


def test_a_very_long_run_says_that_nobody_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_waits, "MOST_SYNCS", 2)
    found = timed(UNRELATED, tiles(2)).as_json()
    assert not found["advised"]
    assert found["waits"]
    assert not [wait for wait in found["waits"] if wait["removable"]]
