"""Copies of one pipe to the same bytes of GM: only a barrier orders them, or a wait between."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope.machine import pipes
from ptoscope.machine.try_schedules import try_schedules
from tests.check.pipes import G, P, both, copy_in, copy_out, kernel, sets, waits
from tests.machine.harness import prepared
from tests.machine.runs import run_as

FENCE = 'pto.pipe_barrier "PIPE_MTE3"'
ALL = "pto.barrier #pto.pipe<PIPE_ALL>"
FIRST = [copy_in(), both("MTE2", "MTE3"), copy_out("%a")]
LAST = [copy_out("%b"), ALL]


def get(pipe: str, mode: int = 1, buffer: int = 5) -> str:
    return f'pto.get_buf "PIPE_{pipe}", {buffer}, {mode}'


def release(pipe: str, mode: int = 0, buffer: int = 5) -> str:
    return f'pto.rls_buf "PIPE_{pipe}", {buffer}, {mode}'


def arrays() -> tuple[Any, Any, int]:
    return np.arange(1, 129, dtype=np.float32), np.full(128, -1, np.float32), 0


def tried(*lines: str, count: int) -> Any:
    return try_schedules(prepared(kernel(*lines, params="%n: index")), arrays(), count=count)


OPEN = {
    "nothing": [],
    "a flag": [both("MTE3", "V")],
    "a flag to the scalar unit, not waited for": [sets("MTE3", "S")],
    "two flags": [sets("MTE3", "V", 1), sets("MTE3", "MTE2", 1)],
    "a release": [release("MTE3")],
    "a release in mode 1": [release("MTE3", 1)],
    "a release that another pipe waits for": [release("MTE3"), get("V", 0)],
    "a release, a flag and another copy": [
        release("MTE3"),
        sets("MTE3", "V"),
        copy_out("%c", to="%y2"),
    ],
    "a barrier of another pipe": ['pto.pipe_barrier "PIPE_MTE2"'],
}
ORDERED = {
    "a barrier": [FENCE],
    "a barrier behind a flag": [sets("MTE3", "V"), FENCE],
    "a barrier of all": [sets("MTE3", "V"), ALL],
    "an answer": [both("MTE3", "V"), both("V", "MTE3")],
    "an answer of the scalar unit": [both("MTE3", "S"), both("S", "MTE3")],
    "the scalar unit waits": [both("MTE3", "S")],
    "acquired again": [release("MTE3"), get("MTE3", 0)],
    "acquired by another and answered": [release("MTE3"), get("V", 0), both("V", "MTE3", 2)],
}
HEAD = [f"%y2 = pto.addptr %y, %i64 : {G} -> {G}", get("MTE3")]


@pytest.mark.parametrize("name", OPEN)
def test_what_does_not_order_them(name: str) -> None:
    """%a holds the numbers of %x, %b zeros: in program order these come last."""
    found = tried(*HEAD, *FIRST, *OPEN[name], *LAST, count=40)
    assert found is not None
    assert (found.expected, found.found, found.differing) == ("0.0", "1.0", 64)


@pytest.mark.parametrize("name", ORDERED)
def test_what_orders_them(name: str) -> None:
    assert tried(*HEAD, *FIRST, *ORDERED[name], *LAST, count=100) is None


def test_a_signal_stays_behind_its_copies() -> None:
    """What V or the scalar unit does after it comes after the copy, however far that lags."""
    half = f"%half = arith.constant 0.5 : f32\npto.store_scalar %half, %a[%i0] : {P}, f32"
    between = [sets("MTE3", "S"), copy_out("%b", to="%y2"), sets("MTE3", "V"), waits("MTE3", "S")]
    assert tried(*HEAD, *FIRST, *between, half, ALL, count=100) is None
    unsignalled = [op for op in between if op not in (sets("MTE3", "S"), waits("MTE3", "S"))]
    assert tried(*HEAD, *FIRST, *unsignalled, half, ALL, count=100) is not None


def test_far_apart() -> None:
    """The first and the last of twelve copies, each of the others to a place of its own."""
    numbers = [f"%o{k} = arith.constant {64 * k} : index" for k in range(1, 11)]
    moves = [f"%p{k} = pto.addptr %y, %o{k} : {G} -> {G}" for k in range(1, 11)]
    others = [f"{copy_out('%a', to=f'%p{k}')}\n{both('MTE3', 'V')}" for k in range(1, 11)]
    text = kernel(*numbers, *moves, *FIRST, *others, *LAST, params="%n: index")
    x, y = np.arange(1, 65, dtype=np.float32), np.zeros(64 * 11, np.float32)
    found = try_schedules(prepared(text), (x, y, 0), count=40)
    assert found is not None
    assert (found.element, found.expected, found.found, found.differing) == (0, "0.0", "1.0", 64)


def test_how_far_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two instructions to overtake at most, a copy gets past another and one flag."""
    monkeypatch.setattr(pipes, "OVERTAKEN", 2)
    assert tried(*FIRST, sets("MTE3", "V", 1), *LAST, count=60) is not None
    two = [sets("MTE3", "V", 1), sets("MTE3", "V", 2)]
    assert tried(*FIRST, *two, *LAST, count=60) is None


@pytest.mark.parametrize("schedule", ["program", "lazy", "eager"])
def test_orders_with_a_name_keep_them(schedule: str) -> None:
    x, y, n = arrays()
    text = kernel(*FIRST, both("MTE3", "V"), *LAST, params="%n: index")
    run_as(text, schedule, (x, y, n))
    assert y[:64].tolist() == [0] * 64
