"""A release in mode 1 waits for all pipes that hold the buffer, and its own pipe with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope import PtoError
from ptoscope.machine.try_schedules import try_schedules
from tests.check.pipes import G, both, copy_in, copy_out, kernel, scope, sets, waits
from tests.machine.harness import prepared
from tests.machine.runs import ORDERS, fault_as, line, run_as

NEXT_X = f"%x2 = pto.addptr %x, %i64 : {G} -> {G}"
NEXT_IN = copy_in().replace("%x,", "%x2,")
FIRST, SECOND, NOTHING = range(1, 65), range(65, 129), [0] * 64


def get(pipe: str, mode: int = 1) -> str:
    return f'pto.get_buf "PIPE_{pipe}", 5, {mode}'


def release(pipe: str, mode: int = 0) -> str:
    return f'pto.rls_buf "PIPE_{pipe}", 5, {mode}'


def text(*lines: str) -> str:
    return kernel(NEXT_X, *lines, params="%n: index")


def arrays() -> tuple[Any, Any, int]:
    return np.arange(1, 129, dtype=np.float32), np.full(64, -1, np.float32), 0


def result(case: str, schedule: str) -> list[float]:
    """What a kernel leaves in %y; `native` is the other engine."""
    x, y, n = arrays()
    if schedule == "native":
        prepared(case)(x, y, n)
    else:
        run_as(case, schedule, (x, y, n))
    return y.tolist()


def overwritten(mode: int) -> str:
    """MTE3 releases a buffer that V holds, too; MTE2 acquires it and overwrites what V reads."""
    return text(
        copy_in(),
        both("MTE2", "V"),
        get("V"),
        scope(),
        get("MTE3"),
        release("MTE3", mode),
        get("MTE2", 0),
        NEXT_IN,
        release("MTE2"),
        release("V"),
        both("V", "MTE3"),
        copy_out(),
    )


def filled(mode: int) -> str:
    """MTE3 releases a buffer that MTE2 holds, too; V acquires it and reads what MTE2 brings."""
    return text(
        get("MTE2"),
        copy_in(),
        get("MTE3"),
        release("MTE3", mode),
        get("V", 0),
        scope(),
        release("V"),
        release("MTE2"),
        both("V", "MTE3"),
        copy_out(),
    )


@pytest.mark.parametrize(
    ("case", "schedule", "otherwise"),
    [(overwritten, "eager", SECOND), (filled, "lazy", NOTHING)],
    ids=["overwritten", "filled"],
)
def test_it_orders_what_mode_0_leaves_open(case: Any, schedule: str, otherwise: Any) -> None:
    assert result(case(0), schedule) == list(otherwise)
    assert result(case(0), "program") == list(FIRST)
    for order in (*ORDERS, "native"):
        assert result(case(1), order) == list(FIRST), order
    assert try_schedules(prepared(case(0)), arrays(), count=20) is not None
    assert try_schedules(prepared(case(1)), arrays(), count=60) is None


def held_up(*buffers: str) -> str:
    """V cannot read %a before a flag is set at the very end. MTE3 releases the buffer in mode
    1, MTE2 acquires it and overwrites %a."""
    return text(
        copy_in(),
        both("MTE2", "V"),
        get("V"),
        waits("S", "V"),
        scope(),
        *buffers,
        get("MTE3"),
        release("MTE3", 1),
        get("MTE2", 0),
        NEXT_IN,
        sets("S", "V"),
        both("V", "MTE3"),
        copy_out(),
    )


@pytest.mark.parametrize("engine", ["program", "native"])
def test_a_pipe_that_has_to_wait_is_waited_for(engine: str) -> None:
    """V acquired it before anything had to wait."""
    assert result(held_up(), engine) == list(FIRST)


@pytest.mark.parametrize("order", [*ORDERS, "native"])
def test_two_acquisitions_need_two_releases(order: str) -> None:
    """In revision micro: in the manual the second one is a fault."""
    case = held_up().replace(get("V"), "\n".join((get("V"), get("V"), release("V"))))
    micro = f'module attributes {{pto.revision = "micro"}} {{\n{case}}}\n'
    assert result(micro, order) == list(FIRST)


@pytest.mark.parametrize("engine", ["program", "native"])
def test_a_pipe_that_does_not_hold_the_buffer_is_not_waited_for(engine: str) -> None:
    """It held another one, or released this one with nobody to wait for the release."""
    other = held_up().replace('get_buf "PIPE_V", 5', 'get_buf "PIPE_V", 6')
    assert result(other, engine) == list(SECOND)
    released = held_up(release("V")).replace(get("MTE2", 0), get("MTE2", 1))
    assert result(released, engine) == list(SECOND)


@pytest.mark.parametrize("order", [*ORDERS, "native"])
def test_what_is_issued_after_it_is_not_waited_for(order: str) -> None:
    """V goes on only after MTE3, which by then has to have come past its release."""
    case = text(
        get("V"),
        get("MTE3"),
        waits("S", "MTE3", 1),
        release("MTE3", 1),
        waits("S", "V", 2),
        sets("S", "MTE3", 1),
        both("MTE3", "S"),
        sets("S", "V", 2),
        copy_out(),
    )
    assert result(case, order) == NOTHING


@pytest.mark.parametrize("order", [*ORDERS, "native"])
def test_its_own_pipe_waits_with_it(order: str) -> None:
    """MTE2 acquires nothing afterwards, but its copy is behind its release."""
    case = text(
        copy_in(),
        both("MTE2", "V"),
        get("V"),
        waits("S", "V"),
        scope(),
        get("MTE2"),
        release("MTE2", 1),
        NEXT_IN,
        sets("S", "V"),
        both("V", "MTE3"),
        copy_out(),
    )
    assert result(case, order) == list(FIRST)


# When it can never go on.


def circle(mode: int) -> str:
    """V, which holds the buffer, waits for what MTE2 does after its release."""
    return text(
        get("V"),
        f"{waits('MTE2', 'V')} // a",
        get("MTE2"),
        f"{release('MTE2', mode)} // b",
        f"{sets('MTE2', 'V')} // c",
    )


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_circle(schedule: str) -> None:
    run_as(circle(0), schedule, arrays())
    case = circle(1)
    a, b, c = (line(case, name) for name in "abc")
    said = fault_as(case, schedule, arrays())
    assert (said.code, said.line) == ("PTO0904", a)
    assert said.found.splitlines() == [
        f"blocked: PIPE_V at line {a} for event 0 from PIPE_MTE2: "
        f"the set_flag of line {c} is queued behind line {b}",
        f"    PIPE_MTE2 at line {b} for the other pipes that hold buffer 5: "
        f"PIPE_V does not get past line {a}",
        "    flags set: none; buffers held: 5 by PIPE_MTE2 (1), 5 by PIPE_V (1)",
    ]
    assert said.hint.startswith("release in mode 0")


def test_both_engines_report_the_same() -> None:
    x, y, n = arrays()
    with pytest.raises(PtoError, match="waits for something that never happens") as error:
        prepared(circle(1))(x, y, n)
    assert str(error.value) == str(fault_as(circle(1), "program", arrays()))


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_release_that_waits_is_waited_for(schedule: str) -> None:
    """The cause is a flag that nobody sets; that comes first, and the advice is about it."""
    case = text(
        get("MTE3"),
        f"{waits('S', 'MTE3', 3)} // a",
        get("MTE2"),
        f"{release('MTE2', 1)} // b",
        f"{get('V', 0)} // c",
    )
    a, b, c = (line(case, name) for name in "abc")
    said = fault_as(case, schedule, arrays())
    assert (said.code, said.line) == ("PTO0904", a)
    assert said.found.startswith(f"blocked: PIPE_MTE3 at line {a} for event 3 from PIPE_S")
    for told in (
        f"PIPE_V at line {c} for the release of buffer 5: the rls_buf of line {b} waits itself\n",
        f"PIPE_MTE2 at line {b} for the other pipes that hold buffer 5: "
        f"PIPE_MTE3 does not get past line {a}\n",
        f"PIPE_MTE3 at line {a} for event 3 from PIPE_S: no set_flag of it in the kernel\n",
    ):
        assert told in said.found
    assert 'pto.set_flag["PIPE_S", "PIPE_MTE3", "EVENT_ID3"]' in said.hint


@pytest.mark.parametrize("schedule", ORDERS)
def test_the_scalar_unit_releases_too_early(schedule: str) -> None:
    """Nobody is left to set the flag; two pipes are in the way."""
    case = text(
        get("V"),
        f"{waits('S', 'V')} // a",
        get("MTE3"),
        f"{waits('S', 'MTE3')} // b",
        get("S"),
        f"{release('S', 1)} // c",
        f"{sets('S', 'V')}\n{sets('S', 'MTE3')}",
    )
    a, b, c = (line(case, name) for name in "abc")
    said = fault_as(case, schedule, arrays())
    assert (said.code, said.line) == ("PTO0904", c)
    assert (
        f"PIPE_S at line {c} for the other pipes that hold buffer 5: "
        f"PIPE_V does not get past line {a}; PIPE_MTE3 does not get past line {b}\n"
    ) in said.found
    assert said.expected.startswith("the other pipes that hold the buffer to finish")


@pytest.mark.parametrize("schedule", ORDERS)
def test_a_release_of_what_is_not_held_does_not_wait(schedule: str) -> None:
    case = text(get("V"), waits("S", "V"), f"{release('MTE2', 1)} // here", sets("S", "V"))
    said = fault_as(case, schedule, arrays())
    assert (said.code, said.line) == ("PTO0905", line(case, "here"))
