"""What stops dispatch, and what is said to help: applied to the kernel, it does."""

from __future__ import annotations

import pytest

from ptoscope.timing import holds as timed_holds
from tests.timing.kernels import MASK, REG, UB, lds, scope, sts, timed, unary

ITERATIONS = 64


def _chain(ops: list[str], copy: int, at: str) -> list[str]:
    """An iteration: loaded, one result made of the one before, stored."""
    lines = [f"%v{copy}_0 = pto.vlds %ub[{at}] : {UB} -> {REG}"]
    names = [f"v{copy}_{n}" for n in range(len(ops) + 1)]
    lines += [unary(op, names[n + 1], names[n]) for n, op in enumerate(ops)]
    return [*lines, f"pto.vsts %{names[-1]}, %ub[{at}], %all : {REG}, {UB}, {MASK}"]


def _kernel(ops: list[str], copies: int) -> str:
    """A loop over iterations, or over pairs of them whose instructions alternate."""
    bodies = [_chain(ops, copy, "%i" if not copy else "%j") for copy in range(copies)]
    return scope(
        f"%end = arith.constant {64 * ITERATIONS} : index",
        f"%step = arith.constant {64 * copies} : index",
        "scf.for %i = %c0 to %end step %step {",
        "%j = arith.addi %i, %c64 : index",
        *(line for group in zip(*bodies, strict=True) for line in group),
        "}",
    )


@pytest.mark.parametrize(
    "ops",
    [
        ["vabs"] * 6,
        ["vabs"] * 20,
        ["vexp", "vabs"] * 2,
        ["vexp", *["vabs"] * 8],
        ["vcadd", "vabs", "vabs"],
        ["vcadd", "vabs", "vcmax"],
    ],
)
def test_unrolling_is_worth_what_is_said(ops: list[str]) -> None:
    """The kernel written out so is shorter by just that; where it is not, nothing is said."""
    timing, unrolled = timed(_kernel(ops, 1)), timed(_kernel(ops, 2))
    most = timing.reasons.holds[0]
    assert most.cause == "no free vector register"
    fewer = timing.total_cycles - unrolled.total_cycles
    assert most.helps.startswith("unroll by 2") == (fewer > 0)
    if fewer > 0:
        assert most.fewer == fewer
        assert most.helps.endswith(f": {fewer} cycles fewer")


def test_a_carried_sum_is_not_interleaved() -> None:
    """Each iteration begins with what the one before makes: two of them cannot alternate."""
    loop = f"%sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> ({REG}) {{"
    body = [unary("vexp", "a", "acc"), *(unary("vabs", f"b{n}", "a") for n in range(12))]
    lines = (lds("x"), loop, *body, sts("b0"), f"scf.yield %a : {REG}", "}")
    timing = timed(scope(*lines, n=ITERATIONS))
    assert timing.reasons.holds
    assert not [hold for hold in timing.reasons.holds if "unroll" in hold.helps]


def test_pointers_of_their_own_help_accesses_that_advance_one() -> None:
    loop = f"%last = scf.for %i = %c0 to %n step %c1 iter_args(%p0 = %ub) -> ({UB}) {{"
    loads = [f"%v{i}, %p{i + 1} = pto.vlds %p{i}[%c0] : {UB} -> {REG}, {UB}" for i in range(3)]
    timing = timed(scope(loop, *loads, f"scf.yield %p3 : {UB}", "}", n=ITERATIONS))
    most = timing.reasons.holds[0]
    assert most.cause == "pointer advanced once a cycle"
    assert "pointers of their own" in most.helps
    apart = scope(
        "scf.for %i = %c0 to %n step %c1 {", *(lds(f"v{i}") for i in range(3)), "}", n=ITERATIONS
    )
    assert timed(apart).total_cycles < timing.total_cycles


def test_in_a_very_long_run_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_holds, "MOST_INSTRUCTIONS", 10)
    most = timed(_kernel(["vabs"] * 20, 1)).reasons.holds[0]
    assert (most.helps, most.fewer) == ("", 0)
