"""How many orders are tried, and how long: some kernels do not end in every order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope import PtoError
from ptoscope.diagnostics import UsageError
from ptoscope.machine import try_schedules as module
from ptoscope.machine.try_schedules import Difference, try_schedules
from tests.check.pipes import P, both, copy_in, copy_out, kernel, loop, scope, waits
from tests.machine.harness import prepared
from tests.machine.runs import line

DUMMY = "%sum = arith.addi %i, %i1 : index"


def polling(*lines: str, iterations: str = "%n") -> str:
    """A loop of so many iterations, then one that reads what a copy brings until it is not 0."""
    return kernel(
        loop(DUMMY, to=iterations),
        copy_in(),
        *lines,
        "%zero = arith.constant 0.0 : f32",
        "%end = scf.while (%k = %i0) : (index) -> index { // here",
        f"%s = pto.load_scalar %a[%i0] : {P} -> f32",
        "%more = arith.cmpf oeq, %s, %zero : f32\nscf.condition(%more) %k : index",
        "} do {\n^bb0(%k: index):",
        "%next = arith.addi %k, %i1 : index\nscf.yield %next : index\n}",
        params="%n: index",
    )


def arrays(n: int = 0) -> tuple[Any, Any, int]:
    return np.arange(1, 65, dtype=np.float32), np.full(64, -1, np.float32), n


@pytest.mark.parametrize("n", [0, 7])
def test_a_loop_that_does_not_end(n: int) -> None:
    """Program order begins n iterations of the first loop and one of the other."""
    text = polling()
    found = try_schedules(prepared(text), arrays(n), count=4)
    assert found is not None
    limit = 4 * (n + 1) + 1000
    assert found == Difference("lazy", limit=limit, iterations=n + 1, line=line(text, "here"))
    assert str(found) == (
        f"schedule lazy does not end within {limit} iterations of its loops (it is in that of line "
        f"{line(text, 'here')}), where program order takes {n + 1}"
    )
    assert found.as_json() == {
        "schedule": "lazy",
        "limit": limit,
        "iterations": n + 1,
        "line": line(text, "here"),
    }


def test_a_loop_that_is_ordered_ends() -> None:
    assert try_schedules(prepared(polling(both("MTE2", "S"))), arrays(7), count=20) is None


def test_a_limit_of_the_caller() -> None:
    """It holds for program order, too; then it is a fault."""
    found = try_schedules(prepared(polling()), arrays(7), count=4, max_steps=20)
    assert found is not None
    assert (found.schedule, found.limit, found.iterations) == ("lazy", 20, 8)
    with pytest.raises(PtoError, match="PTO0915"):
        try_schedules(prepared(polling()), arrays(7), count=4, max_steps=7)
    assert try_schedules(prepared(polling(both("MTE2", "S"))), arrays(7), 1, 4, 8) is None


def test_the_block_with_most_iterations_counts() -> None:
    """Block 2 of 3 begins 2 iterations of a loop that block 0 does not enter."""
    text = polling(iterations="%many").replace(
        loop(DUMMY, to="%many"),
        "%block = pto.get_block_idx\n%many = arith.index_cast %block : i64 to index\n"
        + loop(DUMMY, to="%many"),
    )
    found = try_schedules(prepared(text), arrays(), grid=3, count=1)
    assert found is not None
    assert (found.iterations, found.limit) == (3, 1012)


def test_more_iterations_than_program_order_are_no_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As many as are allowed: the iterations of a loop depend on the order, its result does not."""
    text = kernel(
        copy_in(),
        f"%s = pto.load_scalar %a[%i0] : {P} -> f32",
        "%zero = arith.constant 0.0 : f32\n%late = arith.cmpf oeq, %s, %zero : f32",
        "%iterations = arith.select %late, %i4, %i1 : index",
        loop(DUMMY, to="%iterations"),
        params="%n: index",
    )
    for more, ends in ((0, True), (-1, False)):
        # Program order takes 1 iteration, lazy 4, which is what is allowed, or one too many.
        monkeypatch.setattr(module, "_MORE", more)
        assert (try_schedules(prepared(text), arrays(), count=1) is None) == ends


def test_one_is_another_order() -> None:
    """The first that is tried besides program order is lazy."""
    racy = kernel(copy_in(), copy_out("%a"), params="%n: index")
    found = try_schedules(prepared(racy), arrays(), count=1)
    assert found is not None
    assert (found.schedule, found.expected, found.found) == ("lazy", "1.0", "0.0")


def test_two_are_two_others() -> None:
    """That copies out run ahead of vector work shows in eager, the second, and not in lazy."""
    racy = kernel(copy_in(), both("MTE2", "V"), scope(), copy_out(), params="%n: index")
    assert try_schedules(prepared(racy), arrays(), count=1) is None
    found = try_schedules(prepared(racy), arrays(), count=2)
    assert found is not None
    assert found.schedule == "eager"


def test_none_cannot_be_tried() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        try_schedules(prepared(kernel(waits("V", "S"), params="%n: index")), arrays(), count=0)
