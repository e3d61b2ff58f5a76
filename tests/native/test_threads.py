"""Threads of clusters: used again, on one processor, gone in a process that is forked."""

from __future__ import annotations

import os
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.native import threads
from ptoscope.native.threads import one_processor, run_on_thread

KERNEL = Path(__file__).parents[2] / "bench" / "kernels" / "flash_attention.pto"
linux = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such call")


@cache
def _kernel() -> ptoscope.Kernel:
    return ptoscope.load(KERNEL)


def _call(on: str, grid: int = 2) -> bytes:
    """A small attention, of 40 queries and keys."""
    dice = np.random.default_rng(0)
    q, k, v = (dice.standard_normal((40, 64)).astype(np.float16) for _ in range(3))
    out = np.zeros((40, 64), np.float32)
    _kernel()(q, k, v, out, 40, 40, grid=grid, engine=on)
    return out.tobytes()


def _idle() -> int:
    return sum(map(len, threads._IDLE.values()))


def test_threads_are_used_again() -> None:
    for _ in range(3):
        _call("native")
    before = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else _idle()
    for _ in range(20):
        _call("native")
    after = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else _idle()
    # One that ends its work may come a moment too late to be given more.
    assert after <= before + 6


@linux
def test_a_call_leaves_the_caller_where_it_may_run() -> None:
    before = os.sched_getaffinity(0)
    _call("native")
    assert os.sched_getaffinity(0) == before
    assert not threads._TAKEN


@linux
def test_two_at_once_have_two_processors() -> None:
    allowed = os.sched_getaffinity(0)
    with one_processor() as first, one_processor() as second:
        assert len(first) == 1
        if len(allowed) > 1:
            assert len(second) == 1
            assert not first & second
        else:
            assert second == allowed


@linux
def test_a_thread_keeps_to_its_processor_and_to_that_of_its_next_work() -> None:
    allowed = os.sched_getaffinity(0)
    found: list[Any] = []
    for wanted in ({min(allowed)}, allowed, {max(allowed)}):
        done = threading.Event()

        def look(done: threading.Event = done) -> None:
            found.append(os.sched_getaffinity(0))
            done.set()

        run_on_thread(look, 0, frozenset(wanted))
        assert done.wait(30)
    assert found == [{min(allowed)}, allowed, {max(allowed)}]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    expected = _call("native")
    child = os.fork()
    if child == 0:
        os._exit(0 if _call("native") == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_thread_that_cannot_be_started_leaves_no_other_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ptoscope.native import runner

    started: list[Any] = []

    def limited(work: Any, **how: Any) -> None:
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        ended = threading.Event()
        started.append(ended)

        def work_to_the_end() -> None:
            work()
            ended.set()

        run_on_thread(work_to_the_end, **how)

    monkeypatch.setattr(runner, "run_on_thread", limited)
    with pytest.raises(RuntimeError, match="can't start"):
        _call("native", grid=1)
    assert len(started) == 2
    assert all(ended.wait(30) for ended in started)
