"""Random programs through every model: what has to hold whatever the program."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from ptoscope.kernel import prepare
from ptoscope.timing import MODELS, Timing, time_trace
from ptoscope.timing.export import chrome_trace
from ptoscope.tracing import trace
from tests.fuzz.programs import generate
from tests.native.test_clusters import CELLS, random_kernel
from tests.timing.kernels import MASK, REG, binary, lds, scope, sts, timed, unary
from tests.timing.validity import problems

SEEDS = range(120)


@pytest.mark.parametrize("first", range(0, len(SEEDS), 40))
def test_what_always_holds(first: int) -> None:
    timed = 0
    for seed in SEEDS[first : first + 40]:
        program = generate(seed)
        if not program.legal or not MODELS[program.target]:
            continue
        kernel = prepare(program.text, f"seed {seed}", program.target, program.revision)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = trace(kernel, program.arguments(), program.grid)
        assert run.error is None
        for model in MODELS[program.target]:
            _check(time_trace(run, kernel.program, kernel.target, model))
            timed += 1
    assert timed > 20


@pytest.mark.parametrize("target", ["a5", "a2a3"])
def test_what_always_holds_of_clusters(target: str) -> None:
    """Three cores with signals between them, in two blocks, also where nothing but luck lets
    every wait find its signal."""
    timed = 0
    for seed in range(40):
        text = random_kernel(seed, target, orderly=seed % 2 == 0)
        kernel = prepare(text, f"seed {seed}", target, "manual")
        run = trace(kernel, [np.arange(CELLS, dtype=np.int32)], 2)
        if run.error is not None:
            continue
        for model in MODELS[target]:
            timing = time_trace(run, kernel.program, kernel.target, model)
            _check(timing)
            cores = {pipe.core for pipe in timing.reasons.pipes}
            assert cores == {"cube", "vector 0", "vector 1"}
            timed += 1
    assert timed > 40


BODIES = (
    ("%a = {lds}", "%b = {lds}", "{sts}"),
    ("%a = {lds}", "%b = pto.vdiv %a, %a, %all : {reg}, {reg}, {mask} -> {reg}", "{sts}"),
    ("%b = pto.vexp %x, %all : {reg}, {mask} -> {reg}",) * 3,
)


@pytest.mark.parametrize("trips", [2, 3, 5, 17, 60])
def test_no_loop_is_faster_than_its_bound(trips: int) -> None:
    """Also those that end before they have settled: stores that come when all loads are done."""
    words = {
        "lds": lds("").partition("= ")[2],
        "sts": sts("b"),
        "reg": REG,
        "mask": MASK,
    }
    for body in BODIES:
        lines = [line.replace("%b", f"%b{n}") if "vexp" in line else line
                 for n, line in enumerate(body)]  # fmt: skip
        text = scope(
            lds("x"),
            "scf.for %i = %c0 to %n step %c1 {",
            *(line.format(**words) for line in lines),
            "}",
            n=trips,
        )
        for model in MODELS["a5"]:
            (loop,) = timed(text, model=model).as_json()["loops"]
            assert loop["iterations"] == trips
            assert 0 < loop["bound"] <= loop["cycles_per_iteration"]


def test_a_chain_from_outside_is_no_chain_of_the_loop() -> None:
    """In each iteration one value moves on: the second iteration reads what a long chain before
    the loop made, which was there when the loop began. One division an iteration is left."""
    long = [binary("vdiv", f"d{n + 1}", f"d{n}", f"d{n}") for n in range(40)]
    text = scope(
        lds("d0"),
        *long,
        "%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %d0, %q = %d40) "
        f"-> ({REG}, {REG}) {{",
        unary("vexp", "e", "p"),
        f"scf.yield %q, %q : {REG}, {REG}",
        "}",
        n=4,
    )
    for model in MODELS["a5"]:
        loop = timed(text, model=model).as_json()["loops"][-1]
        assert loop["bounds"]["dependency chain"] < 17
        assert loop["bound"] <= loop["cycles_per_iteration"]


def _check(timing: Timing) -> None:
    found: Any = timing.as_json()
    total = found["total_cycles"]
    assert total == max(found["blocks"])
    for pipe in found["pipes"]:
        assert pipe["busy"] + pipe["waiting"] + pipe["idle"] == total
        assert min(pipe["busy"], pipe["waiting"], pipe["idle"]) >= 0
    assert sum(step["cycles"] for step in found["critical_path"]) == total
    assert 0 <= found["assumed_share"] <= 1
    # Inside vecscopes, every cycle belongs to a line.
    inside = timing.scopes.busy.sum() + timing.scopes.stall.sum()
    entries = sum(scope["entries"] for scope in found["vecscopes"])
    around = entries * (timing.scopes.startup + timing.scopes.drain)
    assert inside + around == sum(scope["cycles"] for scope in found["vecscopes"])
    for loop in found["loops"]:
        assert loop["cycles_per_iteration"] >= loop["bound"] - 1e-9, loop
    for wait in found["waits"]:
        assert 0 <= wait["fewer"] < total
        assert wait["removable"] == (wait["fewer"] > 0) == bool(wait["lines"])
    # A wait ends when what it waited for is done; nothing starts before it was issued.
    size = len(timing.events)
    waited = np.flatnonzero(timing.schedule.wait[:size])
    by = timing.schedule.by[waited]
    assert (timing.schedule.start[waited] == timing.schedule.done[by]).all()
    assert (timing.schedule.start[:size] >= timing.schedule.issued[:size]).all()
    assert problems(chrome_trace(timing)) == []
