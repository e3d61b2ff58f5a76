"""A pipe that waits while the kernel goes on issuing to it: its queue has an end, and what is said
names the pipe and what it waits for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import Diagnostic, PtoError
from ptoscope.machine.pipes import MOST_QUEUED
from tests.check.pipes import copy_in, kernel, loop, scope, sets, waits
from tests.machine.runs import ORDERS, fault_as, line, run_as

ENDLESS = 1 << 40
WORK = {"MTE2": copy_in(), "V": scope()}
LEFT = {"MTE2": "V", "V": "MTE2"}


def arguments(count: int) -> tuple[Any, ...]:
    return (np.zeros(4096, "f4"), np.zeros(4096, "f4"), count, 1, 0)


def behind(pipe: str, *after: str) -> str:
    """Work for a pipe that waits."""
    work, other = WORK[pipe], LEFT[pipe]
    return kernel(f"{waits(other, pipe)} // wait", loop(f"{work} // work"), *after)


def expect_full(said: Diagnostic, text: str, pipe: str) -> None:
    assert (said.code, said.line) == ("PTO0904", line(text, "wait"))
    first, full, *_ = said.found.splitlines()
    assert first.startswith(
        f"blocked: PIPE_{pipe} at line {said.line} for event 0 from PIPE_{LEFT[pipe]}: "
    )
    assert full.strip().endswith(f"{MOST_QUEUED} instructions of PIPE_{pipe} wait to be executed")


@pytest.mark.parametrize("schedule", ORDERS)
@pytest.mark.parametrize("pipe", WORK)
def test_work_without_end(pipe: str, schedule: str) -> None:
    text = behind(pipe)
    expect_full(fault_as(text, schedule, arguments(ENDLESS)), text, pipe)


def test_work_without_end_in_native_code() -> None:
    text = behind("MTE2")
    with pytest.raises(PtoError) as error:
        ptoscope.load(text, force=True)(*arguments(ENDLESS), engine="native")
    (said,) = error.value.diagnostics
    expect_full(said, text, "MTE2")


def test_a_loop_that_never_ends() -> None:
    """A wait in it, too: they come one behind the other."""
    turn = f"scf.condition(%yes) %k : index\n}} do {{\n^bb0(%j: index):\n{waits('V', 'MTE2')} // w"
    text = kernel(
        f"{waits('V', 'MTE2', 1)} // wait",
        f"%end = scf.while (%k = %i0) : (index) -> index {{\n{turn}\nscf.yield %j : index\n}}",
    )
    said = fault_as(text, "program", arguments(0))
    assert (said.code, said.line) == ("PTO0904", line(text, "wait"))
    assert f"{MOST_QUEUED} instructions of PIPE_MTE2" in said.found


def test_what_would_come_is_named() -> None:
    text = behind("MTE2", f"{sets('V', 'MTE2')} // set")
    said = fault_as(text, "program", arguments(ENDLESS))
    expect_full(said, text, "MTE2")
    assert f"the set_flag of line {line(text, 'set')} does not come before" in said.found
    assert "has to come before" in said.hint


@pytest.mark.parametrize("schedule", ORDERS)
def test_fewer_run_once_the_flag_is_set(schedule: str) -> None:
    """With the wait itself the queue is one short of its end."""
    text = behind("MTE2", sets("V", "MTE2"))
    assert run_as(text, schedule, arguments(MOST_QUEUED - 2)) == []


def test_a_short_program_is_told_as_before() -> None:
    said = fault_as(behind("MTE2"), "program", arguments(10))
    assert said.code == "PTO0904"
    assert "wait to be executed" not in said.found
