"""Clusters: the cores of a block side by side, and signals between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope.timing.export import chrome_trace
from tests.timing.kernels import timed

BYTES = 16384
LOAD = 1 + 477 + BYTES // 32
"""GM to L1, as GM to UB in the log of A5: issue, start-up, bytes."""
ACROSS = 1 + BYTES // 128
"""L1 to UB."""
STARTED = 1 + 317
STORE = STARTED + BYTES // 32
"""UB to GM."""
SLACK = 40
"""Issue of what is around it."""
L1, UB, GM = "!pto.ptr<f32, l1>", "!pto.ptr<f32, ub>", "!pto.ptr<f32, gm>"


def _cluster(cube: str, vector: str) -> str:
    """A kernel of a matrix core and two vector cores."""
    return f"""module {{
  func.func @k(%x: {GM}, %y: {GM}) attributes {{pto.aicore}} {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %size = arith.constant {BYTES} : i64
    %blocks = arith.constant {BYTES // 32} : i64
    %l1 = pto.castptr %zero : i64 -> {L1}
    %ub = pto.castptr %zero : i64 -> {UB}
    pto.section.cube {{
{cube}
    }}
    pto.section.vector {{
{vector}
    }}
    return
  }}
}}
"""


LOADS = f"pto.mte_gm_l1 %x, %l1, %size nburst(%one, %size, %size) : {GM}, {L1}, i64, i64, i64, i64"
FLAG = '["PIPE_MTE2", "PIPE_MTE1", "EVENT_ID0"]'
MOVES = (
    f"pto.mte_l1_ub %l1, %ub, %blocks nburst(%one, %zero, %zero) : {L1}, {UB}, i64, i64, i64, i64"
)
STORES = f"pto.mte_ub_gm %ub, %y, %size nburst(%one, %size, %size) : {UB}, {GM}, i64, i64, i64, i64"
LOADED = '["PIPE_MTE2", "PIPE_FIX", "EVENT_ID0"]'
MOVED = '["PIPE_MTE1", "PIPE_FIX", "EVENT_ID0"]'
SIGNAL = f"pto.set_flag{MOVED}\npto.wait_flag{MOVED}\npto.sync.set <PIPE_FIX>, 0\n"
TAKEN = "pto.sync.wait <PIPE_MTE3>, 0\n"
FIRST_ONLY = f"""%me = pto.get_subblock_idx
%first = arith.cmpi eq, %me, %zero : i64
scf.if %first {{
{TAKEN}{STORES}
}}"""
CHAIN = _cluster(f"{LOADS}\npto.set_flag{FLAG}\npto.wait_flag{FLAG}\n{MOVES}\n{SIGNAL}", FIRST_ONLY)


def _timed(text: str, **options: Any) -> Any:
    x, y = np.zeros(BYTES // 4, np.float32), np.zeros(BYTES // 4, np.float32)
    return timed(text, x, y, **options)


def _line(text: str, part: str) -> int:
    (found,) = (n for n, line in enumerate(text.split("\n"), 1) if part in line)
    return found


def test_a_signal_makes_a_core_wait_for_another() -> None:
    """Loaded, moved and stored one after the other, though by two cores."""
    timing = _timed(CHAIN)
    serial = LOAD + ACROSS + STORE
    assert serial <= timing.total_cycles <= serial + SLACK
    (stall,) = (s for s in timing.as_json()["stalls"] if s["cause"] == "core wait")
    assert stall["line"] == _line(CHAIN, "sync.wait")
    assert stall["on"] == _line(CHAIN, "mte_l1_ub")
    assert abs(stall["cycles"] - LOAD - ACROSS) <= SLACK
    (row,) = (r for r in timing.table() if "sync.wait" in r.text)
    assert row.why == f"core wait, for line {_line(CHAIN, 'mte_l1_ub')}"


def test_cores_that_do_not_wait_run_side_by_side() -> None:
    """Without the signal both begin at once."""
    apart = _timed(CHAIN.replace(SIGNAL, "\n").replace(TAKEN, "\n"))
    longest = max(LOAD + ACROSS, STORE)
    assert longest <= apart.total_cycles <= longest + SLACK


def test_the_critical_path_crosses_cores() -> None:
    timing = _timed(CHAIN)
    steps = [step for step in timing.reasons.path if step.cycles > 50]
    load, across, store = (_line(CHAIN, copy) for copy in ("gm_l1", "l1_ub", "mte_ub_gm"))
    assert [(step.core, step.pipe, step.line, step.what, step.cycles) for step in steps] == [
        ("cube", "PIPE_MTE2", load, "start-up", 477),
        ("cube", "PIPE_MTE2", load, "transfer", 1 + BYTES // 32),
        ("cube", "PIPE_MTE1", across, "transfer", ACROSS),
        ("vector 0", "PIPE_MTE3", store, "start-up", 317),
        ("vector 0", "PIPE_MTE3", store, "transfer", 1 + BYTES // 32),
    ]
    assert sum(step.cycles for step in timing.reasons.path) == timing.total_cycles


def test_each_core_has_its_pipes() -> None:
    timing = _timed(CHAIN)
    used = {(p.core, p.pipe): p for p in timing.reasons.pipes}
    assert used["cube", "PIPE_MTE2"].busy == LOAD
    # With the wait for the other core, a cycle.
    assert used["vector 0", "PIPE_MTE3"].busy == 1 + STORE
    assert used["vector 1", "PIPE_S"].busy > 0
    assert ("vector 1", "PIPE_MTE3") not in used
    assert ("cube", "PIPE_MTE3") not in used
    for one in used.values():
        assert one.busy + one.waiting + one.idle == timing.total_cycles


def test_what_a_wait_for_another_core_is_worth() -> None:
    """Nothing if it is needed; if the other core touches other bytes, what both take less side
    by side."""
    wait = _timed(CHAIN).reasons.waits[0]
    assert (wait.line, wait.removable, wait.fewer) == (_line(CHAIN, "sync.wait"), False, 0)
    apart = CHAIN.replace("mte_ub_gm %ub,", "mte_ub_gm %other,").replace(
        "    pto.section.cube",
        f"    %other = pto.castptr %size : i64 -> {UB}\n    pto.section.cube",
    )
    wait = _timed(apart).reasons.waits[0]
    assert wait.line == _line(apart, "sync.wait")
    assert wait.lines == [_line(apart, "sync.set"), _line(apart, "sync.wait")]
    longest = max(LOAD + ACROSS, STORE)
    assert wait.removable
    assert abs(wait.fewer - (LOAD + ACROSS + STORE - longest)) <= SLACK


def test_the_export_has_a_process_for_each_core() -> None:
    document = chrome_trace(_timed(CHAIN, grid=2))
    events = document["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    cores = ("cube", "vector 0", "vector 1")
    assert list(names.values()) == [f"block {b}, {core}" for b in range(2) for core in cores]
    (first, *_) = (e for e in events if e.get("ph") == "s" and "sync" in e["name"])
    (last,) = (e for e in events if e.get("ph") == "f" and e["id"] == first["id"])
    assert (names[first["pid"]], names[last["pid"]]) == ("block 0, cube", "block 0, vector 0")


@pytest.mark.parametrize("target", ["a5", "a2a3"])
def test_both_vector_cores_hear_the_matrix_core(target: str) -> None:
    """On A5 by two signals, on A2/A3 by one; each waits for the load, and the matrix core for
    both stores."""
    second = "pto.sync.set <PIPE_FIX>, 16\n" if target == "a5" else ""
    again = "pto.sync.wait <PIPE_FIX>, 17\n" if target == "a5" else ""
    text = _cluster(
        f"{LOADS}\npto.set_flag{LOADED}\npto.wait_flag{LOADED}\npto.sync.set <PIPE_FIX>, 0\n"
        f"{second}pto.sync.wait <PIPE_FIX>, 1\n{again}",
        f"{TAKEN}{STORES}\npto.sync.set <PIPE_MTE3>, 1",
    )
    timing = _timed(text, target=target)
    used = {(p.core, p.pipe): p for p in timing.reasons.pipes}
    store = used["vector 0", "PIPE_MTE3"]
    load = used["cube", "PIPE_MTE2"].busy
    assert store.busy == used["vector 1", "PIPE_MTE3"].busy
    assert abs(store.waiting - load) <= SLACK
    # For the load, and then for the stores.
    assert abs(used["cube", "PIPE_FIX"].waiting - load - store.busy) <= SLACK
    assert abs(timing.total_cycles - load - store.busy) <= SLACK


def test_a_loop_of_cores_that_agree_is_told_once() -> None:
    """Four stores by either vector core, and then twice as many by the second."""
    loop = f"""%first = arith.constant 0 : index
%next = arith.constant 1 : index
%end = arith.constant 4 : index
scf.for %i = %first to %end step %next {{
{STORES}
}}"""
    (found,) = _timed(_cluster(LOADS, loop)).reasons.loops
    assert (found.core, found.iterations) == ("vector 0, vector 1", 4)
    assert found.bound == BYTES // 32
    more = """%me = pto.get_subblock_idx
%mine = arith.index_cast %me : i64 to index
%twice = arith.muli %mine, %end : index
%last = arith.addi %end, %twice : index
scf.for"""
    apart = loop.replace("scf.for", more).replace("to %end", "to %last")
    loops = _timed(_cluster(LOADS, apart)).reasons.loops
    assert [(one.core, one.iterations) for one in loops] == [("vector 0", 4), ("vector 1", 8)]
    assert all(one.bound == BYTES // 32 for one in loops)
