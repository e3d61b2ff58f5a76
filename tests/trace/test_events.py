"""The record of a run: its events, iterations and synchronisation, in the order of issue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.isa.parts import PIPE_NUMBERS
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.trace.trace import NONE, SYNC_KINDS, Trace, barrier_type
from ptoscope.tracing import trace

from ..check.pipes import (
    P,
    both,
    branch,
    copy_in,
    copy_out,
    kernel,
    load,
    loop,
    program,
    scope,
    sets,
    store,
    waits,
)

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(text: str, n: int = 3, grid: int = 1, size: int = 4096) -> tuple[Trace, Any]:
    """The trace of a kernel of `kernel`, and what is then in %y."""
    x, y = np.arange(4096, dtype=np.float32), np.zeros(size, np.float32)
    loaded = Kernel(program(text), TARGETS["a5"], "manual")
    return trace(loaded, [x, y, n, True, False], grid), y


def names(found: Trace) -> list[str]:
    """The instructions in the order of the events, scalar constants and casts left out."""
    all_names = [found.places[p].name for p in found.events.place]
    return [n.removeprefix("pto.") for n in all_names if n not in ("arith.constant", "pto.castptr")]


BODY = ["vecscope", "pset_b32", "vlds", "vsts"]


def test_every_instruction_is_an_event() -> None:
    found, _ = run(kernel(copy_in(), both("MTE2", "V"), scope(), both("V", "MTE3"), copy_out()))
    assert names(found) == [
        "mte_gm_ub",
        "set_flag",
        "wait_flag",
        *BODY,
        "set_flag",
        "wait_flag",
        "mte_ub_gm",
    ]


def test_a_scope_that_has_to_wait_stands_where_it_was_issued() -> None:
    late = [waits("MTE2", "V"), scope(), copy_in(), sets("MTE2", "V"), both("V", "MTE3")]
    found, y = run(kernel(*late, copy_out()))
    assert names(found) == [
        "wait_flag",
        *BODY,
        "mte_gm_ub",
        "set_flag",
        "set_flag",
        "wait_flag",
        "mte_ub_gm",
    ]
    assert y[:64].tolist() == list(range(64))
    # Accesses are in the order of their events too, although the load came after the copy.
    assert np.all(np.diff(found.accesses.event) >= 0)
    assert [found.places[found.events.place[e]].name for e in found.accesses.event] == [
        "pto.vlds",
        "pto.vsts",
        "pto.mte_gm_ub",
        "pto.mte_gm_ub",
        "pto.mte_ub_gm",
        "pto.mte_ub_gm",
    ]


def test_an_instruction_that_has_to_wait_keeps_its_accesses() -> None:
    text = kernel(
        "%numbers = pto.castptr %l8192 : i64 -> !pto.ptr<ui32, ub>",
        waits("MTE2", "V"),
        f"pto.vbitsort %b, %a, %numbers, %l1 : {P}, {P}, !pto.ptr<ui32, ub>, i64",
        copy_in(),
        sets("MTE2", "V"),
    )
    found, _ = run(text)
    (sort,) = [e for e, p in enumerate(found.events.place) if found.places[p].name[-4:] == "sort"]
    mine = found.accesses.event == sort
    assert found.accesses.start[mine].tolist()[:2] == [0, 8192]
    assert names(found) == ["wait_flag", "vbitsort", "mte_gm_ub", "set_flag"]


def test_scopes_that_wait_keep_the_iteration_that_issued_them() -> None:
    body = scope(loop(load("%v", "%a", "%j"), to="%i128", step="%i64", index="%j"))
    text = kernel(waits("MTE2", "V"), loop(body), copy_in(length="%l512"), sets("MTE2", "V"))
    found, _ = run(text)
    loads = [e for e, p in enumerate(found.events.place) if found.places[p].name == "pto.vlds"]
    iterations = [found.iteration(int(found.events.iteration[e])) for e in loads]
    assert iterations == [[("%i", i), ("%j", j)] for i in range(3) for j in (0, 64)]
    assert found.events.entry[loads].tolist() == [0, 0, 1, 1, 2, 2]


def test_iterations_of_nested_loops() -> None:
    found, _ = run(kernel(loop(loop(copy_in(), to="%i4", step="%i2", index="%j"))), n=2)
    copies = [e for e, p in enumerate(found.events.place) if found.places[p].pipe == "PIPE_MTE2"]
    values = [found.iteration(int(found.events.iteration[e])) for e in copies]
    assert values == [[("%i", i), ("%j", j)] for i in (0, 1) for j in (0, 2)]
    assert found.iterations.parent.tolist() == [NONE, 0, 0, NONE, 3, 3]
    assert found.iterations.value.tolist() == [0, 0, 2, 1, 0, 2]
    loops = [found.places[p].index for p in found.iterations.loop]
    assert len(set(loops)) == 2


def test_iterations_of_a_while_are_counted() -> None:
    text = kernel(
        "%last = scf.while (%k = %l4) : (i64) -> i64 {",
        "%more = arith.cmpi sgt, %k, %l0 : i64",
        "scf.condition(%more) %k : i64",
        "} do {",
        "^bb0(%k: i64):",
        copy_in(),
        "%k1 = arith.subi %k, %l2 : i64",
        "scf.yield %k1 : i64",
        "}",
    )
    found, _ = run(text)
    copies = [e for e, p in enumerate(found.events.place) if found.places[p].pipe == "PIPE_MTE2"]
    values = [found.iteration(int(found.events.iteration[e])) for e in copies]
    assert values == [[("scf.while", 0)], [("scf.while", 1)]]
    # The condition is looked at once more than the body.
    assert names(found).count("arith.cmpi") == 3


def test_only_the_branch_that_is_taken() -> None:
    found, _ = run(kernel(branch("%no", [copy_in()], [copy_out()]), branch("%yes", [scope()])))
    assert names(found) == ["mte_ub_gm", *BODY]


def test_blocks_follow_each_other() -> None:
    found, _ = run(kernel(loop(copy_in())), n=2, grid=3)
    blocks = found.events.block.tolist()
    assert blocks == sorted(blocks)
    assert [blocks.count(b) for b in range(3)] == [len(blocks) // 3] * 3
    assert found.grid == 3


def test_places_know_what_is_around_them() -> None:
    found, _ = run(kernel(loop(branch("%yes", [scope(loop(load(), index="%j"))]))))
    (place,) = [p for p in found.places if p.name == "pto.vlds"]
    scoped = found.places[place.scope]
    outer, inner = (found.places[i] for i in place.loops)
    assert (scoped.name, outer.name, inner.name) == ("pto.vecscope", "scf.for", "scf.for")
    assert place.parent == inner.index
    assert inner.parent == scoped.index
    assert found.places[scoped.parent].name == "scf.if"
    assert found.places[scoped.parent].parent == outer.index
    assert (place.pipe, scoped.pipe, outer.pipe) == ("PIPE_V", "PIPE_V", "")
    assert scoped.loops == (outer.index,)
    assert all(found.places[p.index] is p for p in found.places)


def test_synchronisation_in_all_its_forms() -> None:
    lines = [
        sets("MTE2", "V", 3),
        'pto.wait_flag["PIPE_MTE2", "PIPE_V", %n]',
        'pto.get_buf "PIPE_V", 5, 0',
        'pto.rls_buf "PIPE_V", %l4, %l1 : i64, i64',
        "pto.barrier #pto.pipe",
        'pto.pipe_barrier "PIPE_MTE3"',
        scope('pto.mem_bar "VST_VLD"'),
    ]
    lines.insert(2, 'pto.get_buf "PIPE_V", %l4, %l0 : i64, i64')
    found, _ = run(kernel(*lines))
    syncs = found.syncs
    pipes = {number: name.removeprefix("PIPE_") for name, number in PIPE_NUMBERS.items()}
    pipes[NONE] = ""
    columns = syncs.kind, syncs.src, syncs.dst, syncs.id, syncs.mode
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    assert [(SYNC_KINDS[k], pipes[s], pipes[d], i, m) for k, s, d, i, m in rows[:-1]] == [
        ("set", "MTE2", "V", 3, NONE),
        ("wait", "MTE2", "V", 3, NONE),
        ("get", "V", "", 4, 0),
        ("get", "V", "", 5, 0),
        ("release", "V", "", 4, 1),
        ("barrier", "ALL", "", NONE, NONE),
        ("barrier", "MTE3", "", NONE, NONE),
    ]
    assert SYNC_KINDS[syncs.kind[-1]] == "mem_bar"
    assert barrier_type(int(syncs.mode[-1])) == "VST_VLD"
    ops = [found.places[found.events.place[e]].name.removeprefix("pto.") for e in syncs.event]
    assert ops[:2] == ["set_flag", "wait_flag"]
    assert ops[-3:] == ["barrier", "pipe_barrier", "mem_bar"]


def test_results_are_as_without_it() -> None:
    loaded = ptoscope.load(EXAMPLES / "row_softmax.pto")
    x = np.random.default_rng(0).standard_normal((37, 128)).astype(np.float32)
    traced, plain = np.zeros_like(x), np.zeros_like(x)
    found = trace(loaded, [x, traced, 37], 3)
    loaded(x, plain, 37, grid=3, engine="reference")
    assert found.error is None
    assert traced.tobytes() == plain.tobytes()


def test_a_million_events_take_tens_of_megabytes() -> None:
    loaded = ptoscope.load(EXAMPLES / "vector_add.pto")
    n = 100_000
    x = np.zeros(n, np.float32)
    found = trace(loaded, [x, x.copy(), x.copy(), n], 2)
    assert found.nbytes / len(found.events) < 60


FAULTY = store("%v", "%b", "%far")
FAR = "%far = arith.constant 99968 : index"


def test_a_fault_ends_the_trace_there() -> None:
    found, _ = run(kernel(FAR, copy_in(), scope(load(), FAULTY, load("%u")), copy_out()), grid=2)
    assert found.error is not None
    assert [d.code for d in found.error.diagnostics] == ["PTO0901"]
    assert names(found)[-2:] == ["vlds", "vsts"]
    assert set(found.events.block.tolist()) == {0}
    # The store itself has touched nothing.
    assert int(found.accesses.event[-1]) == len(found.events) - 2


def test_a_fault_of_an_instruction_that_had_to_wait() -> None:
    text = kernel(FAR, waits("MTE2", "V"), scope(load(), FAULTY, load("%u")), sets("MTE2", "V"))
    found, _ = run(text)
    assert found.error is not None
    assert found.error.diagnostics[0].line == text.split("\n").index(FAULTY) + 1
    assert names(found) == ["wait_flag", "vecscope", "pset_b32", "vlds", "vsts", "set_flag"]


def test_a_deadlock_ends_the_trace() -> None:
    found, _ = run(kernel(copy_in(), waits("MTE2", "V"), scope()))
    assert found.error is not None
    assert found.error.diagnostics[0].code == "PTO0904"
    assert names(found) == ["mte_gm_ub", "wait_flag", "vecscope"]


def test_a_copy_past_the_end_of_an_array() -> None:
    found, _ = run(kernel(loop(copy_out()), copy_in()), size=32)
    assert found.error is not None
    assert names(found) == ["mte_ub_gm"]


def test_too_many_iterations_end_the_trace() -> None:
    loaded = Kernel(program(kernel(loop(copy_in()))), TARGETS["a5"], "manual")
    x = np.zeros(4096, np.float32)
    found = trace(loaded, [x, x.copy(), 10, True, False], max_steps=4)
    assert found.error is not None
    assert names(found) == ["mte_gm_ub"] * 4


def test_wrong_arguments_are_raised() -> None:
    loaded = Kernel(program(kernel(copy_in())), TARGETS["a5"], "manual")
    with pytest.raises(ptoscope.PtoError):
        trace(loaded, [np.zeros(1, np.float32)])
    with pytest.raises(ptoscope.UsageError):
        trace(loaded, [np.zeros(1, np.float32)], 0)
