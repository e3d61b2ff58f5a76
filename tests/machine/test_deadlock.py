"""What is said when nothing can go on, and of what is left over or set too often."""

from __future__ import annotations

import pytest

from ptoscope import Diagnostic
from ptoscope.isa.parts import MOST_PENDING
from tests.check.pipes import branch, kernel, loop, sets, waits
from tests.machine.runs import ORDERS, fault_as, line, run_as

ALL = "pto.barrier #pto.pipe<PIPE_ALL>"


def text(*lines: str) -> str:
    """A kernel of a number %n and two conditions %yes and %no."""
    return kernel(*lines).replace("%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, ", "")


def stuck(kernel: str, at: str, schedule: str) -> Diagnostic:
    """The deadlock of a run, led by the line with a marker."""
    said = fault_as(kernel, schedule, (3, 1, 0))
    assert said.code == "PTO0904"
    assert said.line == line(kernel, at)
    return said


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_cycle_of_two_pipes(schedule: str) -> None:
    """Each has what the other waits for behind its own wait."""
    case = text(
        f"{waits('V', 'MTE2')} // a",
        f"{sets('MTE2', 'V')} // b",
        f"{waits('MTE2', 'V')} // c",
        f"{sets('V', 'MTE2')} // d",
    )
    a, b, c, d = (line(case, name) for name in "abcd")
    said = stuck(case, "c", schedule)
    assert said.found.splitlines() == [
        f"blocked: PIPE_V at line {c} for event 0 from PIPE_MTE2: "
        f"the set_flag of line {b} is queued behind line {a}",
        f"    PIPE_MTE2 at line {a} for event 0 from PIPE_V: "
        f"the set_flag of line {d} is queued behind line {c}",
        "    flags set: none; buffers held: none",
    ]
    assert "the first iteration of a loop needs flags that are set before it" in said.hint


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_chain_of_three_pipes(schedule: str) -> None:
    """MTE3 waits for V, V for MTE2, MTE2 for MTE3."""
    pairs = (("V", "MTE3"), ("MTE2", "V"), ("MTE3", "MTE2"))
    case = text(
        *(f"{waits(*pair)} // wait{n}" for n, pair in enumerate(pairs)),
        *(f"{sets(*pair)} // set{n}" for n, pair in enumerate(pairs)),
    )
    found = stuck(case, "wait1", schedule).found
    for n, (src, dst) in enumerate(pairs):
        behind = next(m for m, pair in enumerate(pairs) if pair[1] == src)
        assert (
            f"PIPE_{dst} at line {line(case, f'wait{n}')} for event 0 from PIPE_{src}: "
            f"the set_flag of line {line(case, f'set{n}')} is queued behind "
            f"line {line(case, f'wait{behind}')}"
        ) in found


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_release_behind_a_wait(schedule: str) -> None:
    case = text(
        'pto.get_buf "PIPE_MTE2", 3, 0',
        f"{waits('V', 'MTE2')} // a",
        'pto.rls_buf "PIPE_MTE2", 3, 0 // b',
        'pto.get_buf "PIPE_V", 3, 0 // c',
        f"{sets('V', 'MTE2')} // d",
        f"{sets('MTE3', 'S', 7)}\n{sets('MTE3', 'S', 7)}",
    )
    a, b, c, d = (line(case, name) for name in "abcd")
    assert stuck(case, "c", schedule).found.splitlines() == [
        f"blocked: PIPE_V at line {c} for the release of buffer 3: "
        f"the rls_buf of line {b} is queued behind line {a}",
        f"    PIPE_MTE2 at line {a} for event 0 from PIPE_V: "
        f"the set_flag of line {d} is queued behind line {c}",
        "    flags set: PIPE_MTE3->PIPE_S event 7 (2); buffers held: 3 by PIPE_MTE2 (1)",
    ]


@pytest.mark.parametrize("schedule", ORDERS)
def test_nobody_sets_it(schedule: str) -> None:
    case = text(sets("MTE2", "V", 1), f"{waits('MTE2', 'V', 2)} // here")
    said = stuck(case, "here", schedule)
    assert "for event 2 from PIPE_MTE2: no set_flag of it in the kernel" in said.found
    assert "flags set: PIPE_MTE2->PIPE_V event 1 (1)" in said.found
    assert 'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID2"]' in said.hint


@pytest.mark.parametrize("schedule", ORDERS)
def test_consumed_already(schedule: str) -> None:
    case = text(
        loop(f"{sets('MTE2', 'V')} // a", f"{waits('MTE2', 'V')} // b", to="%n"),
        f"{waits('MTE2', 'V')} // c",
    )
    found = stuck(case, "c", schedule).found
    assert f"set 3 times (line {line(case, 'a')}), and consumed as often" in found


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_branch_that_was_not_taken(schedule: str) -> None:
    case = text(branch("%no", [f"{sets('MTE2', 'V')} // a"]), f"{waits('MTE2', 'V')} // b")
    told = f"the scalar unit passed the set_flag of line {line(case, 'a')} and did not issue it\n"
    assert told in stuck(case, "b", schedule).found


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_computed_event_that_is_another(schedule: str) -> None:
    case = text('pto.set_flag["PIPE_MTE2", "PIPE_V", %l4] // a', f"{waits('MTE2', 'V', 2)} // b")
    found = stuck(case, "b", schedule).found
    assert (
        f"the set_flag of line {line(case, 'a')} computes its event and has not set this one"
        in found
    )
    assert "flags set: PIPE_MTE2->PIPE_V event 4 (1)" in found


@pytest.mark.parametrize("schedule", ORDERS)
@pytest.mark.parametrize("stop", [ALL, waits("MTE3", "S", 5)], ids=["barrier", "scalar wait"])
def test_the_scalar_unit_stops_first(stop: str, schedule: str) -> None:
    """What it has not issued cannot happen."""
    case = text(f"{waits('MTE2', 'V')} // a", f"{stop} // b", f"{sets('MTE2', 'V')} // c")
    said = fault_as(case, schedule, (3, 1, 0))
    b, c = line(case, "b"), line(case, "c")
    assert said.code == "PTO0904"
    assert said.line == (line(case, "a") if stop == ALL else b)
    assert f"PIPE_V at line {line(case, 'a')} for event 0 from PIPE_MTE2" in said.found
    told = f"the set_flag of line {c} does not come before the scalar unit gets past line {b}, "
    assert told in said.found
    if stop == ALL:
        assert said.hint.startswith(f"the set_flag of line {c} has to come before line {b}, ")
    else:
        assert 'pto.set_flag["PIPE_MTE3", "PIPE_S", "EVENT_ID5"]' in said.hint


@pytest.mark.parametrize("schedule", ORDERS)
def test_iterations_of_loops(schedule: str) -> None:
    """Two iterations of three, set in two and waited for in all: the fifth wait has no set."""
    case = text(
        loop(
            loop(
                "%some = arith.cmpi slt, %j, %i2 : index",
                branch("%some", [f"{sets('MTE2', 'V')} // a"]),
                f"{waits('MTE2', 'V')} // b",
                index="%j",
            ),
            to="%i2",
        )
    )
    said = stuck(case, "b", schedule)
    assert said.message.endswith("(at %i = 1, %j = 1)")
    assert f"PIPE_V at line {line(case, 'b')} (%i = 1, %j = 1) for event 0" in said.found
    assert f"set 4 times (line {line(case, 'a')}), and consumed as often" in said.found


@pytest.mark.parametrize("schedule", ORDERS)
def test_iterations_of_a_while(schedule: str) -> None:
    case = text(
        "%end = scf.while (%k = %i0) : (index) -> index {",
        "%more = arith.cmpi slt, %k, %n : index",
        "scf.condition(%more) %k : index",
        "} do {\n^bb0(%k: index):",
        "%two = arith.cmpi ne, %k, %i2 : index",
        branch("%two", [f"{sets('V', 'S')} // a"]),
        f"{waits('V', 'S')} // b",
        "%next = arith.addi %k, %i1 : index\nscf.yield %next : index\n}",
    )
    said = stuck(case, "b", schedule)
    assert said.message.endswith("(at iteration 2 of scf.while)")
    assert (
        f"line {line(case, 'b')} (iteration 2 of scf.while) for event 0 from PIPE_V" in said.found
    )
    assert f"set 2 times (line {line(case, 'a')}), and consumed as often" in said.found


@pytest.mark.parametrize("schedule", ORDERS)
def test_events_at_run_time_may_be_the_one(schedule: str) -> None:
    case = text(
        "%e = arith.index_cast %n : index to i64",
        f"{sets('MTE2', 'V', '%e')} // a",
        f"{sets('MTE2', 'V', 6)}",
        f"{waits('MTE2', 'V', 4)} // b",
    )
    found = stuck(case, "b", schedule).found
    assert f"the set_flag of line {line(case, 'a')} " in found
    assert "flags set: PIPE_MTE2->PIPE_V event 3 (1), PIPE_MTE2->PIPE_V event 6 (1)" in found


# Flags that are left set.


@pytest.mark.parametrize("schedule", ORDERS)
def test_flags_left_set(schedule: str) -> None:
    case = text(
        f"{sets('V', 'MTE2', 1)} // a",
        loop(f"{sets('MTE2', 'V')} // b", to="%n"),
        f"{waits('MTE2', 'V')}",
        f"{sets('MTE2', 'V')} // c",
    )
    first, second = run_as(case, schedule, (3, 1, 0))
    assert (first.code, first.severity, first.line) == ("PTO0916", "warning", line(case, "c"))
    assert "PIPE_MTE2->PIPE_V event 0 is still set at the end" in first.message
    b, c = line(case, "b"), line(case, "c")
    assert first.found == f"set 3 times more than it was waited for; set at lines {b}, {c}"
    assert (second.code, second.line) == ("PTO0916", line(case, "a"))
    assert 'pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID1"]' in second.hint
    assert "set once more than it was waited for" in second.found


@pytest.mark.parametrize("schedule", ORDERS)
def test_flags_left_set_by_some_blocks(schedule: str) -> None:
    case = text(
        "%block = pto.get_block_idx",
        "%later = arith.cmpi sge, %block, %l1 : i64",
        branch("%later", [f"{sets('V', 'S', 2)} // a"]),
    )
    (warning,) = run_as(case, schedule, (3, 1, 0), grid=3)
    assert warning.line == line(case, "a")
    assert "in 2 of 3 blocks, first 1" in warning.found


@pytest.mark.parametrize("schedule", ORDERS)
def test_balanced_flags_are_not_mentioned(schedule: str) -> None:
    case = text(loop(sets("V", "S"), waits("V", "S"), to="%n"))
    assert run_as(case, schedule, (3, 1, 0)) == []


# Counters of flags are finite.

OVERFLOWING = text(loop(f"{sets('MTE2', 'V', 3)} // here", to="%n"))


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_counter_overflows(schedule: str) -> None:
    (warning,) = run_as(OVERFLOWING, schedule, (MOST_PENDING, 1, 0))
    assert f"set {MOST_PENDING} times" in warning.found
    said = fault_as(OVERFLOWING, schedule, (MOST_PENDING + 1, 1, 0))
    assert (said.code, said.line) == ("PTO0917", line(OVERFLOWING, "here"))
    assert said.message.endswith(f"overflows (at %i = {MOST_PENDING})")
    assert said.found == f"PIPE_MTE2->PIPE_V event 3 is set {MOST_PENDING} times and not waited for"


@pytest.mark.parametrize("schedule", [*ORDERS, "seed:2", "seed:3", "seed:4"])
def test_a_pipe_that_runs_ahead_waits_before_the_counter_overflows(schedule: str) -> None:
    """In program order it never counts beyond 1; no other order makes this a fault."""
    case = text(loop(sets("MTE2", "V"), waits("MTE2", "V"), to="%n"))
    assert run_as(case, schedule, (100, 1, 0)) == []
