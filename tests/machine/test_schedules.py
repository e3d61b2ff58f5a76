"""Other legal orders: a race gives another result, a kernel without one never does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope import PtoError
from ptoscope.diagnostics import UsageError
from ptoscope.machine import pipes
from ptoscope.machine.schedule import Schedule, schedules
from ptoscope.machine.try_schedules import try_schedules
from tests.check.pipes import G, P, both, copy_in, copy_out, kernel, scope, sets, waits
from tests.check.pipes import load as vload
from tests.check.pipes import store as vstore
from tests.machine.harness import prepared
from tests.machine.runs import fault_as, line, run_as

ALL = "pto.barrier #pto.pipe<PIPE_ALL>"
FENCE = 'pto.pipe_barrier "PIPE_MTE3"'
NEXT = [
    f"%x2 = pto.addptr %x, %i64 : {G} -> {G}",
    f"%y2 = pto.addptr %y, %i64 : {G} -> {G}",
    "%half = arith.constant 0.5 : f32",
]
OTHER_IN = copy_in().replace("%x,", "%x2,")
READ = f"%s = pto.load_scalar %b[%i0] : {P} -> f32\npto.store_scalar %s, %y[%i0] : {G}, f32"
ZEROS = scope(vload(at="%c"), vstore())


def get(pipe: str, mode: int = 0) -> str:
    return f'pto.get_buf "PIPE_{pipe}", 5, {mode}'


def release(pipe: str) -> str:
    return f'pto.rls_buf "PIPE_{pipe}", 5, 0'


# Lines before what orders two accesses, what does, and the lines after it.
RACES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "V reads what MTE2 writes": (
        [copy_in()],
        [both("MTE2", "V")],
        [scope(), both("V", "MTE3"), copy_out()],
    ),
    "MTE3 reads what V writes": (
        [copy_in(), both("MTE2", "V"), scope()],
        [both("V", "MTE3")],
        [copy_out()],
    ),
    "MTE2 writes what V reads": (
        [copy_in(), both("MTE2", "V"), scope()],
        [both("V", "MTE2")],
        [OTHER_IN, both("V", "MTE3"), copy_out()],
    ),
    "V writes what MTE3 reads": (
        [copy_in(), both("MTE2", "V"), scope(), both("V", "MTE3"), copy_out()],
        [both("MTE3", "V")],
        [ZEROS],
    ),
    "V writes what MTE2 writes": (
        [copy_in("%b")],
        [both("MTE2", "V")],
        [ZEROS, ALL, copy_out()],
    ),
    "MTE3 reads what MTE2 writes": ([copy_in()], [both("MTE2", "MTE3")], [copy_out("%a")]),
    "MTE2 writes what MTE3 reads": (
        [copy_in(), both("MTE2", "MTE3"), copy_out("%a")],
        [both("MTE3", "MTE2")],
        [OTHER_IN],
    ),
    "MTE2 reads what MTE3 writes to GM": (
        [copy_in(), both("MTE2", "MTE3"), copy_out("%a")],
        [both("MTE3", "MTE2")],
        [copy_in("%b").replace("%x,", "%y,"), ALL, copy_out(to="%y2")],
    ),
    "the scalar unit reads what MTE2 writes": ([copy_in("%b")], [both("MTE2", "S")], [READ]),
    "the scalar unit reads what V writes": (
        [copy_in(), both("MTE2", "V"), scope()],
        [both("V", "S")],
        [READ],
    ),
    "the scalar unit writes what MTE3 reads": (
        [copy_out("%a")],
        [both("MTE3", "S")],
        [f"pto.store_scalar %half, %a[%i0] : {P}, f32"],
    ),
    "two copies of MTE3 to the same bytes": (
        [copy_in(), both("MTE2", "MTE3"), copy_out("%a")],
        [FENCE],
        [copy_out("%b")],
    ),
    "ids of buffers": (
        [get("MTE2"), copy_in(), release("MTE2")],
        [get("MTE3"), release("MTE3")],
        [get("MTE3", 1), copy_out("%a"), release("MTE3")],
    ),
}


def arrays() -> tuple[Any, Any, int]:
    return np.arange(1, 129, dtype=np.float32), np.full(128, -1, np.float32), 0


@pytest.mark.parametrize("name", RACES)
def test_a_race_gives_another_result(name: str) -> None:
    before, order, after = RACES[name]
    racy = prepared(kernel(*NEXT, *before, *after, params="%n: index"))
    difference = try_schedules(racy, arrays(), count=20)
    assert difference is not None
    assert difference.argument == "y"
    assert difference.expected != difference.found
    # The schedule it names gives that result again, and program order the other.
    results: list[Any] = []
    for schedule in ("program", difference.schedule):
        x, y, n = arrays()
        run_as(racy, schedule, (x, y, n))
        results.append(y)
    values = [str(y[difference.element]) for y in results]
    assert values == [difference.expected, difference.found]
    assert difference.differing == np.count_nonzero(results[0] != results[1])
    ordered = prepared(kernel(*NEXT, *before, *order, *after, params="%n: index"))
    assert try_schedules(ordered, arrays(), count=40) is None


@pytest.mark.parametrize(
    ("name", "schedule"),
    [("V reads what MTE2 writes", "lazy"), ("MTE3 reads what V writes", "eager")],
)
def test_what_the_named_schedules_do(name: str, schedule: str) -> None:
    """Late copies in leave the zeros of UB; early copies out take them."""
    before, _, after = RACES[name]
    x, y, n = arrays()
    run_as(kernel(*NEXT, *before, *after, params="%n: index"), schedule, (x, y, n))
    assert y[:64].tolist() == [0] * 64
    x, y, n = arrays()
    run_as(kernel(*NEXT, *before, *after, params="%n: index"), "program", (x, y, n))
    assert y[:64].tolist() == x[:64].tolist()


@pytest.mark.parametrize("schedule", ["lazy", "eager", "seed:0", "seed:1", "seed:2"])
def test_a_scope_keeps_the_values_it_was_launched_with(schedule: str) -> None:
    """However late it runs."""
    text = """func.func @kernel(%y: !pto.ptr<i64, gm>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %wide = arith.index_cast %i : index to i64
      pto.vecscope {
        pto.store_scalar %wide, %y[%i] : !pto.ptr<i64, gm>, i64
      }
    }
    return
    }
    """
    y = np.full(3, -1)
    run_as(text, schedule, (y,))
    assert y.tolist() == [0, 1, 2]


def test_a_seed_gives_one_order() -> None:
    """The same every time; and not all seeds the same."""
    before, _, after = RACES["two copies of MTE3 to the same bytes"]
    racy = prepared(kernel(*NEXT, *before, *after, params="%n: index"))
    results: list[list[bytes]] = [[], []]
    for result in results:
        for seed in range(8):
            x, y, n = arrays()
            run_as(racy, f"seed:{seed}", (x, y, n))
            result.append(y.tobytes())
    assert results[0] == results[1]
    assert len(set(results[0])) == 2


def test_blocks_run_in_any_order() -> None:
    """All blocks write one element, or each its own."""
    text = """func.func @kernel(%y: !pto.ptr<i64, gm>) {{
    %c0 = arith.constant 0 : index
    %b = pto.get_block_idx
    %i = arith.index_cast %b : i64 to index
    pto.store_scalar %b, %y[{}] : !pto.ptr<i64, gm>, i64
    return
    }}
    """
    y = np.full(4, -1)
    found = try_schedules(prepared(text.format("%c0")), (y,), grid=4, count=3)
    assert found is not None
    assert (found.schedule, found.element, found.expected, found.found) == ("eager", 0, "3", "0")
    assert try_schedules(prepared(text.format("%i")), (y,), grid=4, count=20) is None


def test_a_difference_says_what_and_where() -> None:
    before, _, after = RACES["MTE3 reads what MTE2 writes"]
    text = kernel(*NEXT, *before, *after, params="%n: index")
    found = try_schedules(prepared(text), arrays(), count=5)
    assert found is not None
    assert str(found) == (
        "schedule lazy: element 0 of %y is 0.0, in program order 1.0 (64 of 128 elements differ)"
    )
    assert found.as_json() == {
        "schedule": "lazy",
        "argument": "y",
        "position": 1,
        "element": 0,
        "expected": "1.0",
        "found": "0.0",
        "differing": 64,
        "elements": 128,
    }


def test_a_fault_under_another_schedule_is_a_difference() -> None:
    """The scalar unit reads an element number that a late copy has not brought yet."""
    text = kernel(
        f"%less = arith.constant -1.0 : f32\npto.store_scalar %less, %b[%i0] : {P}, f32",
        copy_in("%b"),
        f"%s = pto.load_scalar %b[%i0] : {P} -> f32",
        "%k = arith.fptosi %s : f32 to i64\n%at = arith.index_cast %k : i64 to index",
        f"pto.store_scalar %s, %y[%at] : {G}, f32 // here",
        params="%n: index",
    )
    found = try_schedules(prepared(text), arrays(), count=3)
    assert found is not None
    assert found.fault is not None
    assert (found.schedule, found.fault.code) == ("lazy", "PTO0902")
    assert found.fault.line == line(text, "here")
    assert "schedule lazy stops" in str(found)
    assert found.as_json()["fault"] == found.fault.as_json()


def test_a_fault_in_program_order_is_raised() -> None:
    x, y, n = arrays()
    with pytest.raises(PtoError, match="PTO0902"):
        try_schedules(prepared(kernel(copy_in(), params="%n: index")), (x[:3], y, n))


def test_arguments_that_share_memory_still_do() -> None:
    """In place: what is copied out to %y is what is copied in from %x again."""
    again = [copy_out("%a"), ALL, copy_in("%b"), ALL, copy_out("%b", to="%y2")]
    text = kernel(*NEXT, copy_in("%a").replace("%x,", "%x2,"), ALL, *again, params="%n: index")
    both_arrays = np.arange(256, dtype=np.float32)
    expected = both_arrays.copy()
    run_as(text, "program", (both_arrays, both_arrays, 0))
    assert both_arrays[:64].tolist() == both_arrays[64:128].tolist() == expected[64:128].tolist()
    racy = text.replace(f"{ALL}\n{copy_in('%b')}", copy_in("%b"))
    assert try_schedules(prepared(text), (expected, expected, 0), count=20) is None
    assert try_schedules(prepared(racy), (expected, expected, 0), count=20) is not None
    apart = try_schedules(prepared(racy), (expected, expected.copy(), 0), count=20)
    assert apart is None
    assert expected.tolist() == list(range(256))


def test_a_queued_fault_names_its_own_iteration() -> None:
    """The copy of iteration 1 runs when the loop is over."""
    step = f"%p = pto.addptr %x, %at : {G} -> {G}"
    text = kernel(
        "scf.for %i = %i0 to %i2 step %i1 {\n%at = arith.muli %i, %i64 : index",
        step,
        f"{copy_in().replace('%x,', '%p,')} // here",
        "}",
        params="%n: index",
    )
    x, y, n = arrays()
    for schedule in ("lazy", "eager", "seed:3"):
        said = fault_as(text, schedule, (x[:100], y, n))
        assert (said.code, said.line) == ("PTO0902", line(text, "here"))
        assert said.message.endswith("(at %i = 1)")


def test_a_long_queue_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held back are at most so many; a pipe that has to wait for more keeps them all."""
    monkeypatch.setattr(pipes, "DEPTH", 4)
    longest = 0
    issue = pipes.Pipes.issue

    def noting(self: pipes.Pipes, *given: Any, **more: Any) -> None:
        nonlocal longest
        issue(self, *given, **more)
        longest = max(longest, len(self._queues["PIPE_MTE2"]))  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setattr(pipes.Pipes, "issue", noting)
    x, y, n = arrays()
    text = kernel(*[copy_in()] * 20, ALL, copy_out("%a"), params="%n: index")
    run_as(text, "lazy", (x, y, n))
    assert longest == 4
    assert y[:64].tolist() == x[:64].tolist()
    waiting = [waits("V", "MTE2"), *[copy_in()] * 20, sets("V", "MTE2"), ALL, copy_out("%a")]
    run_as(kernel(*waiting, params="%n: index"), "lazy", (x, y, n))
    assert longest == 21


@pytest.mark.parametrize("name", ["program", "lazy", "eager", "seed:0", "seed:12"])
def test_names(name: str) -> None:
    assert str(Schedule.parse(name)) == name


@pytest.mark.parametrize(
    "name", ["", "random", "seed", "seed:", "seed:-1", "seed:x", "Lazy", "seed:²"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"no schedule '{name}'.*program, lazy, eager and seed:N"):
        Schedule.parse(name)


def test_what_is_tried() -> None:
    assert list(map(str, schedules(5))) == ["program", "lazy", "eager", "seed:0", "seed:1"]
    assert list(map(str, schedules(2))) == ["program", "lazy"]
    for schedule in schedules(6):
        assert sorted(schedule.blocks(7)) == list(range(7))
