"""`time --compare`: two kernels on the same arguments."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.timing.kernels import looped, pipeline

from .conftest import Cli, store

ARGS = ("zeros:2048",)


def test_two_kernels_line_by_line(cli: Cli, write: Callable[[str, str], str]) -> None:
    write("one.pto", pipeline(2, 1))
    write("two.pto", pipeline(2, 2).replace("@k", "@overlapping"))
    outcome = cli("time", "--compare", "one.pto", "two.pto", *ARGS)
    assert (outcome.code, outcome.err) == (0, "")
    alone = [
        json.loads(cli("time", name, *ARGS, "--json").out)["total_cycles"]
        for name in ("one.pto", "two.pto")
    ]
    lines = outcome.out.splitlines()
    assert lines[0] == f"A: @k of one.pto, {alone[0]} cycles"
    assert lines[1] == f"B: @overlapping of two.pto, {alone[1]} cycles"
    assert lines[2] == "on a5, 1 block (calibrated model)"
    faster = alone[1] - alone[0]
    assert faster < 0
    assert lines[-1].split()[:4] == ["total", *map(str, alone), str(faster)]
    found = json.loads(cli("time", "--compare", "one.pto", "two.pto", *ARGS, "--json").out)
    assert [found[side]["total_cycles"] for side in "ab"] == alone
    assert (found["a"]["entry"], found["b"]["entry"]) == ("k", "overlapping")
    assert (found["difference"], found["ratio"]) == (faster, alone[1] / alone[0])
    assert {line["difference"] for line in found["lines"]} > {0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a.pto",), "--compare takes two kernels, and there is one"),
        (("a.pto", "zeros:4", "1"), "--compare takes two kernels, and 'zeros:4' is an argument"),
        (("a.pto", "b.pto", "zeros:4", "1"), "compared on the same arguments"),
        (("a.pto", "a.pto", "zeros:4", "1", "--trace", "t.json"), "leave out --compare"),
    ],
)
def test_what_cannot_be_compared(
    cli: Cli, write: Callable[[str, str], str], words: tuple[str, ...], message: str
) -> None:
    write("a.pto", store("i32"))
    write("b.pto", store("f32"))
    outcome = cli("time", "--compare", *words)
    assert outcome.code == 2
    assert message in outcome.err


def test_the_page_has_advice(cli: Cli, write: Callable[[str, str], str]) -> None:
    """A line for a barrier that flags make superfluous, and one for a second buffer."""
    barrier = "pto.barrier #pto.pipe<PIPE_ALL>"
    two, one = looped(8, 2), looped(8, 1)
    at = two.index("    pto.set_flag", two.index("scf.for %i"))
    write("barrier.pto", f"{two[:at]}    {barrier}\n{two[at:]}")
    number = two[:at].count("\n") + 1
    shown = cli("time", "barrier.pto", "zeros:8192").out
    assert f"nothing needs the synchronisation of line {number}: " in shown
    assert "without the wait" not in shown
    write("one.pto", one)
    shown = cli("time", "one.pto", "zeros:8192").out
    made = one[: one.index("%ub0 = pto.castptr")].count("\n") + 1
    loop = one[: one.index("scf.for %tile")].count("\n") + 1
    assert f"double-buffering %ub0 (line {made}) in the loop of line {loop}: up to " in shown
    assert "nothing needs" not in shown
    assert "start-up" in shown.split("critical path")[1].split("\n")[0]
