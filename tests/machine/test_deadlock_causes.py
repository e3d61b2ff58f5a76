"""Which wait a deadlock is blamed on, and whether what it waits for can still come."""

from __future__ import annotations

from typing import Any

import pytest

from ptoscope import Diagnostic, PtoError
from ptoscope.machine.deadlock import left_over
from ptoscope.machine.shadow import run_shadow
from tests.check.pipes import branch, kernel, loop, sets, waits
from tests.machine.harness import prepared
from tests.machine.runs import ORDERS, fault_as, line

ALL = "pto.barrier #pto.pipe<PIPE_ALL>"
ARGUMENTS = (3, 1, 0)
WAIT, SET = waits("MTE2", "V"), sets("MTE2", "V")


def text(*lines: str) -> str:
    """A kernel of a number %n, which is 3, and two conditions %yes and %no."""
    return kernel(*lines).replace("%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, ", "")


def fates(said: Diagnostic) -> dict[str, str]:
    """What is told of each blocked pipe, by its name."""
    rows = said.found.removeprefix("blocked: ").split("\n    ")[:-1]
    return {row.split(" at ")[0]: row.split(": ", 1)[1] for row in rows}


PASSED = "the scalar unit passed the set_flag of line {a} and did not issue it"
AGAIN = (
    "the scalar unit passed the set_flag of line {a} in every iteration so far and did not issue "
    "it; no other iteration begins before the scalar unit gets past line {stop}, where it waits"
)
AHEAD = (
    "the set_flag of line {a} does not come before the scalar unit gets past line {stop}, "
    "where it waits"
)
ITERATION = "%next = arith.addi %k, %i1 : index\nscf.yield %next : index\n}"

# Where a set of the flag (a), the wait for it and the place where the scalar unit stops stand.
PLACES: dict[str, tuple[list[str], str]] = {
    "a branch that was not taken": (
        [branch("%no", [f"{SET} // a"]), WAIT, f"{ALL} // stop"],
        PASSED,
    ),
    "the other branch": (
        [WAIT, branch("%yes", [f"{ALL} // stop"], [f"{SET} // a"])],
        PASSED,
    ),
    "the branch before": (
        [WAIT, branch("%no", [f"{SET} // a"], [f"{ALL} // stop"])],
        PASSED,
    ),
    "a loop without iterations": (
        [loop(f"{SET} // a", to="%i0"), WAIT, f"{ALL} // stop"],
        PASSED,
    ),
    "a loop that is over": (
        [loop(branch("%no", [f"{SET} // a"])), loop(WAIT, f"{ALL} // stop")],
        PASSED,
    ),
    "behind the barrier": ([WAIT, f"{ALL} // stop", f"{SET} // a"], AHEAD),
    "in a branch behind it": (
        [branch("%yes", [WAIT, f"{ALL} // stop"]), branch("%no", [f"{SET} // a"])],
        AHEAD,
    ),
    "behind it in its branch": (
        [branch("%yes", [WAIT, f"{ALL} // stop", f"{SET} // a"])],
        AHEAD,
    ),
    "behind it in its loop": ([loop(WAIT, f"{ALL} // stop", f"{SET} // a")], AHEAD),
    "before it in its loop": (
        [loop(branch("%no", [f"{SET} // a"]), WAIT, f"{ALL} // stop")],
        AGAIN,
    ),
    "the other branch in a loop": (
        [WAIT, loop(branch("%yes", [f"{ALL} // stop"], [f"{SET} // a"]))],
        AGAIN,
    ),
    "what is done in a while": (
        [
            WAIT,
            f"%end = scf.while (%k = %i0) : (index) -> index {{\n{ALL} // stop",
            "%more = arith.cmpi slt, %k, %n : index\nscf.condition(%more) %k : index",
            f"}} do {{\n^bb0(%k: index):\n{SET} // a",
            ITERATION,
        ],
        AHEAD,
    ),
    "what is tested in a while": (
        [
            WAIT,
            "%end = scf.while (%k = %i0) : (index) -> index {",
            branch("%no", [f"{SET} // a"]),
            "%more = arith.cmpi slt, %k, %n : index\nscf.condition(%more) %k : index",
            f"}} do {{\n^bb0(%k: index):\n{ALL} // stop",
            ITERATION,
        ],
        AGAIN,
    ),
}


@pytest.mark.parametrize("schedule", [*ORDERS, "native"])
@pytest.mark.parametrize("name", PLACES)
def test_whether_it_can_still_come(name: str, schedule: str) -> None:
    lines, told = PLACES[name]
    case = text(*lines)
    said = fault_of(case, schedule)
    expected = told.format(a=line(case, "a"), stop=line(case, "stop"))
    assert fates(said) == {"PIPE_V": expected}
    moved = said.hint.startswith(f"the set_flag of line {line(case, 'a')} has to come before line")
    assert moved == (told is AHEAD)
    looped = name in ("behind it in its loop", "what is done in a while")
    assert ("the first iteration of a loop needs flags" in said.hint) == looped


def fault_of(case: str, schedule: str) -> Diagnostic:
    if schedule != "native":
        return fault_as(case, schedule, ARGUMENTS)
    with pytest.raises(PtoError) as error:
        prepared(case)(*ARGUMENTS)
    return error.value.diagnostics[0]


@pytest.mark.parametrize("schedule", ORDERS)
def test_some_are_passed_and_some_are_ahead(schedule: str) -> None:
    sets_ = [branch("%no", [f"{SET} // {name}"]) for name in "ab"]
    case = text(*sets_, WAIT, f"{ALL} // stop", f"{SET} // c")
    a, b, c, stop = (line(case, name) for name in ("a", "b", "c", "stop"))
    assert fates(fault_as(case, schedule, ARGUMENTS))["PIPE_V"] == (
        f"the scalar unit passed the set_flag of lines {a}, {b} and did not issue it; "
        + AHEAD.format(a=c, stop=stop)
    )


@pytest.mark.parametrize("schedule", ORDERS)
def test_what_is_ahead_has_not_been_consumed(schedule: str) -> None:
    """The flag was set once, by the line before and not by the one behind."""
    case = text(f"{SET} // a", WAIT, WAIT, f"{ALL} // stop", f"{SET} // c")
    a, c, stop = (line(case, name) for name in ("a", "c", "stop"))
    assert fates(fault_as(case, schedule, ARGUMENTS))["PIPE_V"] == (
        f"set once (line {a}), and consumed as often; " + AHEAD.format(a=c, stop=stop)
    )


# Which wait is to blame.


@pytest.mark.parametrize("schedule", [*ORDERS, "native"])
def test_the_one_that_nobody_can_end(schedule: str) -> None:
    """V waits for MTE2, which in turn 2 waits for a flag that V set only twice."""
    case = text(
        sets("V", "MTE2"),
        loop(
            f"{waits('V', 'MTE2')} // cause",
            SET,
            f"{WAIT} // behind",
            "%first = arith.cmpi slt, %i, %i1 : index",
            branch("%first", [sets("V", "MTE2")]),
        ),
    )
    said = fault_of(case, schedule)
    assert said.line == line(case, "cause")
    assert said.message.endswith("(at %i = 2)")
    assert list(fates(said)) == ["PIPE_MTE2", "PIPE_V"]
    assert 'pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]' in said.hint


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_circle_and_not_who_waits_for_it(schedule: str) -> None:
    """V waits for MTE2, which waits for MTE3, which waits for MTE2."""
    case = text(
        f"{waits('MTE3', 'MTE2', 1)} // circle",
        f"{waits('MTE2', 'MTE3', 1)}",
        f"{waits('MTE2', 'V', 1)} // outside",
        sets("MTE3", "MTE2", 1),
        sets("MTE2", "MTE3", 1),
        sets("MTE2", "V", 1),
    )
    said = fault_as(case, schedule, ARGUMENTS)
    assert said.line == line(case, "circle")
    assert list(fates(said)) == ["PIPE_MTE2", "PIPE_V", "PIPE_MTE3"]
    assert said.hint.startswith("let the pipe that others wait for")


@pytest.mark.parametrize("schedule", ORDERS)
def test_the_scalar_unit_is_to_blame_where_it_could_still_set_the_flag(schedule: str) -> None:
    lost = f"{waits('V', 'S', 4)} // scalar"
    ahead = text(f"{WAIT} // vector", lost, SET)
    assert fault_as(ahead, schedule, ARGUMENTS).line == line(ahead, "scalar")
    held_up = text(f"{WAIT} // vector", sets("V", "S", 4), lost, SET)
    said = fault_as(held_up, schedule, ARGUMENTS)
    assert said.line == line(held_up, "scalar")
    assert said.hint.startswith("let the pipe that others wait for")
    never = text(f"{WAIT} // vector", sets("V", "S", 4), lost)
    assert fault_as(never, schedule, ARGUMENTS).line == line(never, "vector")


@pytest.mark.parametrize(
    "lines", [[SET, WAIT, WAIT], PLACES["behind the barrier"][0], PLACES["the other branch"][0]]
)
def test_a_run_that_follows_undefined_data_says_the_same(lines: list[str]) -> None:
    case = text(*lines)
    with pytest.raises(PtoError) as error:
        run_shadow(prepared(case), ARGUMENTS)
    assert str(error.value.diagnostics[-1]) == str(fault_as(case, "program", ARGUMENTS))


# Buffers that are still held.


def test_buffers_still_held() -> None:
    case = text(
        'pto.get_buf "PIPE_MTE2", 7, 0 // a',
        'pto.get_buf "PIPE_MTE2", %l1, %l0 : i64, i64 // b',
        'pto.get_buf "PIPE_MTE2", 6, 0\npto.get_buf "PIPE_V", 7, 0',
    )
    loaded = prepared(case)
    held: dict[int, dict[Any, int]] = {0: {}, 1: {("PIPE_MTE2", 7): 2}, 2: {("PIPE_MTE2", 7): 1}}
    (said,) = left_over(loaded.program, loaded.function, {}, 3, held)
    a, b = line(case, "a"), line(case, "b")
    assert (said.code, said.severity, said.line) == ("PTO0916", "warning", b)
    assert said.message == "pto.get_buf: PIPE_MTE2 still holds buffer 7 at the end"
    assert said.found == (
        f"acquired 2 times more than it was released in 2 of 3 blocks, first 1; "
        f"acquired at lines {a}, {b}"
    )
    assert 'put pto.rls_buf "PIPE_MTE2", 7, 0 after the last use' in said.hint
