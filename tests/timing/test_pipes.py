"""Whole kernels: what overlaps, what waits, and what the report promises."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from ptoscope.diagnostics import PtoError, UsageError
from tests.check.pipes import copy_in, kernel, load
from tests.check.pipes import scope as scopes
from tests.timing.kernels import FLOATS, pipeline, scope, tiles, timed

TILES = 8
BYTES = 4 * FLOATS // 32
TRANSFER = 1 + 477 + BYTES
"""Issue, start-up and bytes of one tile, by the log of A5."""
AROUND = 5
"""The waits of MTE2 and V, a cycle each, and the launch of the vecscope, for one tile."""


def _timed(text: str, **options: Any) -> Any:
    return timed(text, tiles(TILES), **options)


def _scope_cycles(timing: Any) -> int:
    """Of one tile; all take the same."""
    entries = {s["cycles"] for s in timing.as_json()["vecscopes"]}
    assert len(entries) == 1
    return entries.pop()


@pytest.mark.parametrize("style", ["flags", "bufs"])
def test_one_buffer_serialises_and_two_overlap(style: str) -> None:
    one, two = (_timed(pipeline(TILES, n, style)) for n in (1, 2))
    work = _scope_cycles(one)
    serial = TILES * (TRANSFER + work + AROUND)
    assert serial - 40 <= one.total_cycles <= serial + 40
    # Each buffer is filled and worked on in turns; the second begins behind the bytes of the first.
    overlapped = TILES // 2 * (TRANSFER + work + AROUND) + BYTES
    assert overlapped - 40 <= two.total_cycles <= overlapped + 40


@pytest.mark.parametrize(
    ("style", "cause", "name"),
    [("flags", "flag wait", "wait_flag"), ("bufs", "buffer wait", "get_buf")],
)
def test_a_wait_shows_as_such(style: str, cause: str, name: str) -> None:
    """With one buffer, the vector core waits for every transfer."""
    text = pipeline(TILES, 1, style)
    timing = _timed(text)
    lines = text.split("\n")
    on_vector = [s for s in timing.as_json()["stalls"] if s["cause"] == cause]
    assert on_vector
    for stall in on_vector:
        assert name in lines[stall["line"] - 1]
    firsts = [s for s in on_vector if "mte_gm_ub" in lines[s["on"] - 1]]
    # All but the first also wait for the scalar unit's issue of nothing else.
    assert sum(s["cycles"] for s in firsts) >= TILES * TRANSFER - 10


def test_pipes_add_up_and_so_does_the_critical_path() -> None:
    for model in ("calibrated", "manual"):
        timing = _timed(pipeline(TILES, 2), model=model)
        found = timing.as_json()
        for pipe in found["pipes"]:
            assert pipe["busy"] + pipe["waiting"] + pipe["idle"] == found["total_cycles"]
            assert all(v >= 0 for v in pipe.values() if isinstance(v, int))
        assert sum(step["cycles"] for step in found["critical_path"]) == found["total_cycles"]
        # With one buffer no start hides; each wait takes a cycle, one is behind the last transfer.
        found = _timed(pipeline(TILES, 1), model=model).as_json()
        transfers = next(p for p in found["pipes"] if p["pipe"] == "PIPE_MTE2")
        assert transfers["busy"] == TILES * (TRANSFER + 1) + 1


def test_lines_add_up_to_the_vecscopes() -> None:
    text = pipeline(1, 1)
    timing = timed(text, tiles(1))
    inside = [line for line in timing.table() if "pto.v" in line.text or "pset" in line.text]
    assert sum(line.cycles for line in inside) == _scope_cycles(timing)


def test_blocks_run_side_by_side() -> None:
    text = pipeline(2, 1)
    one, four = (timed(text, tiles(2), grid=grid) for grid in (1, 4))
    assert four.total_cycles == one.total_cycles
    assert four.as_json()["blocks"] == [one.total_cycles] * 4
    assert [s["entries"] for s in four.as_json()["vecscopes"]] == [4, 4]


def test_a_barrier_of_all_pipes_waits_for_them() -> None:
    text = pipeline(1, 1).replace("    return", "    pto.barrier #pto.pipe<PIPE_ALL>\n    return")
    timing = timed(text, tiles(1))
    (barrier,) = (s for s in timing.as_json()["stalls"] if s["cause"] == "barrier")
    scalar = next(p for p in timing.as_json()["pipes"] if p["pipe"] == "PIPE_S")
    assert barrier["cycles"] == scalar["waiting"] > TRANSFER


def test_loops_and_their_bounds() -> None:
    text = pipeline(1, 1)
    (loop,) = timed(text, tiles(1)).as_json()["loops"]
    assert loop["iterations"] == FLOATS // 64
    # One vexp on each of two ports every four cycles.
    assert (loop["by"], loop["bound"]) == ("execution ports", 2.0)
    # The first results come after the latencies of load and vexp, the last are stored behind them.
    filled = 9 + 16 + 9
    assert 2.0 <= loop["cycles_per_iteration"] <= 2.0 + filled / loop["iterations"]


def test_cpu_has_no_cycles() -> None:
    with pytest.raises(UsageError, match="no cycles are defined for cpu"):
        timed(scope(), target="cpu")


def test_unknown_models_are_named() -> None:
    with pytest.raises(UsageError, match="calibrated, manual"):
        timed(scope(), model="guess")


def test_a_fault_ends_timing_too() -> None:
    with pytest.raises(PtoError):
        timed(pipeline(2, 1), np.ones(FLOATS, np.float32))


def test_json_is_json() -> None:
    found = _timed(pipeline(TILES, 2)).as_json()
    assert json.loads(json.dumps(found)) == found
    for key in ("total_cycles", "pipes", "vecscopes", "stalls", "assumed_share"):
        assert key in found
    for one in found["vecscopes"]:
        assert set(one) == {"line", "entries", "cycles"}
        assert isinstance(one["cycles"], int)
    # The transfers are assumed, and half of the work hides behind them or they behind it.
    assert 0 < found["assumed_share"] <= 1


@pytest.mark.parametrize("mode", [0, 1])
def test_a_deferred_release_waits_for_the_others_that_hold_the_buffer(mode: int) -> None:
    """V holds the buffer; MTE2 acquires it when MTE3 has released it."""
    text = kernel(
        'pto.get_buf "PIPE_V", 5, 1',
        scopes(*[load(f"%v{i}", "%b") for i in range(40)]),
        'pto.get_buf "PIPE_MTE3", 5, 1',
        f'pto.rls_buf "PIPE_MTE3", 5, {mode}',
        'pto.get_buf "PIPE_MTE2", 5, 0',
        copy_in(),
        'pto.rls_buf "PIPE_MTE2", 5, 0',
        'pto.rls_buf "PIPE_V", 5, 0',
    )
    x = np.zeros(4096, np.float32)
    timing = timed(text, x, x.copy(), 3, True, False)
    scope_cycles, copy_cycles = _scope_cycles(timing), 1 + 477 + 256 // 32
    serial = scope_cycles + copy_cycles
    waits = [s for s in timing.as_json()["stalls"] if s["cause"] == "buffer wait"]
    if mode == 0:
        assert timing.total_cycles < max(scope_cycles, copy_cycles) + 40 < serial
        assert not waits
    else:
        assert serial <= timing.total_cycles < serial + 40
        at = text.split("\n").index('pto.rls_buf "PIPE_MTE3", 5, 1') + 1
        assert at in [s["line"] for s in waits]
