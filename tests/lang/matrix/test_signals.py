"""The signals between cores that are inserted: data is ready, a buffer is free; and no more."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ptoscope import PtoError, load, pto
from tests.lang.matrix import kernels
from tests.lang.matrix.attention import flash_attention
from tests.lang.matrix.kernels import f16


def _signals(kernel: pto.PythonKernel) -> dict[str, list[tuple[str, str, int]]]:
    """By section: what signals and waits, the pipe and the semaphore, in order."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for section in kernel.text.split("pto.section.")[1:]:
        lines = re.findall(r"sync\.(set|wait) #pto\.pipe<PIPE_(\w+)>, (\d+)", section)
        found[section.split()[0]] = [(what, pipe, int(n)) for what, pipe, n in lines]
    return found


def test_results_are_ready_and_ub_is_free() -> None:
    """Rows have two copies: the cube may be two ahead, so there are two signals before the first,
    which are awaited at the end. The vector cores signal behind their stores, which read last."""
    assert _signals(kernels.exponentials) == {
        "cube": [
            *(("wait", "FIX", 0), ("wait", "FIX", 16), ("set", "FIX", 0), ("set", "FIX", 16)),
            *(("wait", "FIX", 0), ("wait", "FIX", 16)) * 2,
        ],
        "vector": [
            *(("set", "MTE3", 0),) * 2,
            ("wait", "V", 0),
            ("set", "MTE3", 0),
        ],
    }


def test_the_pipe_that_reads_a_tile_signals_that_it_is_free() -> None:
    """L1 is free when MTE1 has read it."""
    found = _signals(kernels.halved)
    assert ("set", "MTE3", 0) in found["vector"]
    assert ("wait", "MTE1", 0) in found["cube"]
    assert ("set", "MTE1", 0) in found["cube"]
    assert ("wait", "MTE3", 0) in found["vector"]


def test_no_signal_can_be_left_out() -> None:
    """Without a pair of them there is a race, or an order in which the results are others."""
    lines = kernels.exponentials.text.splitlines()
    a, b = f16((128, 64), 1), f16((64, 64), 2)
    for giver, taker in (("FIX", "V"), ("MTE3", "FIX")):
        kept = [
            line
            for line in lines
            if f"sync.set #pto.pipe<PIPE_{giver}>" not in line
            and f"sync.wait #pto.pipe<PIPE_{taker}>" not in line
        ]
        assert len(kept) < len(lines)
        broken = load("\n".join(kept), force=True)
        seen = broken.watch(a, b, np.zeros((128, 64), np.float32))
        assert any(d.severity == "error" for d in (*broken.findings, *seen.diagnostics))


@pytest.mark.parametrize("target", ["a5", "a2a3"])
def test_data_goes_through_gm_on_every_target(target: str) -> None:
    """On A2/A3 one signal reaches both vector cores, and every pipe can give one."""
    kernel = kernels.through_gm.on(target)
    assert [str(found) for found in kernel.findings] == []
    cube = kernel.text.split("pto.section.")[1]
    assert cube.count("sync.set") == (2 if target == "a5" else 1)
    a, b = f16((128, 64), 3), f16((64, 64), 4)
    room, y = np.zeros((32, 64), np.float32), np.zeros((128, 64), np.float32)
    for run in kernels.ways(kernels.through_gm):
        run(a, b, room, y, target=target)
        assert np.array_equal(y, 2 * kernels.product(a, b))
        y[:] = 0
    assert kernel.watch(a, b, room, y, schedules=8).diagnostics == []


def test_scalar_units_wait_for_each_other() -> None:
    text = kernels.counted.text
    assert "pto.set_intra_block" in text
    assert "pto.wait_intra_core" in text
    assert [str(found) for found in kernels.counted.findings] == []
    x, y = np.zeros(1, np.int32), np.zeros(5, np.int32)
    for run in kernels.ways(kernels.counted):
        x[:] = 0
        run(x, y, 5)
        assert list(y) == [2, 4, 6, 8, 10]
    assert kernels.counted.watch(x, y, 5, schedules=8).diagnostics == []


@pytest.mark.parametrize("keys", [64, 192])
def test_attention(keys: int) -> None:
    """Over all three cores, with as many keys as take one iteration, and several."""
    assert [str(found) for found in flash_attention.findings] == []
    rng = np.random.default_rng(keys)
    q, k, v = (rng.standard_normal((n, 64)).astype(np.float16) for n in (128, keys, keys))
    scores = q.astype(np.float64) @ k.astype(np.float64).T / 8
    powers = np.exp(scores - scores.max(1, keepdims=True))
    expected = powers / powers.sum(1, keepdims=True) @ v.astype(np.float64)
    found: list[Any] = []
    for run in kernels.ways(flash_attention):
        out = np.full((128, 64), np.nan, np.float32)
        run(q, k, v, out, 0.125, 128, keys)
        found.append(out)
    assert np.abs(found[0] - expected).max() < 2e-3
    assert all(out.tobytes() == found[0].tobytes() for out in found)
    if keys == 64:
        seen = flash_attention.watch(q, k, v, found[0], 0.125, 128, keys, schedules=4)
        assert [str(d) for d in seen.diagnostics] == []


def test_what_no_core_is_named_for_cannot_be_ordered() -> None:
    @pto.kernel(target="a5")
    def read(x: pto.gm[pto.f32], y: pto.gm[pto.i32]):
        xs = pto.ub(pto.f32, 64)
        with pto.cube():
            pto.load(xs, pto.load(x[0:64], to="l1"))
        with pto.vector():
            pto.store(x[0:64], xs)
        if x[0] > 0.0:
            with pto.vector():
                y[0] = 1

    with pytest.raises(PtoError, match="nothing can order the two here"):
        _ = read.text
