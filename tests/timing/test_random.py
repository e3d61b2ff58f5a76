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
        assert wait["fewer"] <= total
    # A wait ends when what it waited for is done; nothing starts before it was issued.
    size = len(timing.events)
    waited = np.flatnonzero(timing.schedule.wait[:size])
    by = timing.schedule.by[waited]
    assert (timing.schedule.start[waited] == timing.schedule.done[by]).all()
    assert (timing.schedule.start[:size] >= timing.schedule.issued[:size]).all()
    assert problems(chrome_trace(timing)) == []
