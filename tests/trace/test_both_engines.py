"""The record that generated code writes is the one of the reference engine."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from ptoscope import PtoError, UsageError, tracing
from ptoscope.engines import ENGINES
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.native import layout
from ptoscope.trace.trace import REGISTERS, UB, Trace
from ptoscope.tracing import trace
from tests.engines import assert_same_trace
from tests.fuzz.compare import load as load_program
from tests.fuzz.programs import Program, generate

from ..check.pipes import (
    M,
    P,
    V,
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
from ..races.pairs_flags import dynamic

TRACE = tracing._trace


def run(text: str, n: int = 3, grid: int = 1, max_steps: int | None = None) -> Trace:
    """The trace of a kernel of `kernel`, which both engines agree about."""
    x, y = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    loaded = Kernel(program(text), TARGETS["a5"], "manual")
    return trace(loaded, [x, y, n, True, False], grid, max_steps)


def _faulty(count: int) -> list[Program]:
    """Random programs that fault somewhere."""
    found: list[Program] = []
    seed = 0
    while len(found) < count:
        made = generate(seed)
        found += [] if made.legal else [made]
        seed += 1
    return found


@pytest.mark.parametrize("made", _faulty(24), ids=lambda p: f"seed {p.seed}")
def test_runs_that_fault(made: Program) -> None:
    found = trace(load_program(made), made.arguments(), made.grid)
    assert found.error is not None
    assert found.error.diagnostics[0].code == made.fault_code


def test_more_notes_than_the_engine_gives_room_for() -> None:
    iterations = layout.LOG_ROOM
    found = run(kernel(loop(scope(load("%v", "%a"), store("%v", "%b")), to="%n")), iterations)
    assert len(found.iterations) == iterations
    assert found.iterations.value.tolist() == list(range(iterations))
    assert found.events.entry.max() == iterations - 1
    mine = found.accesses.writes
    assert len(mine) == 2 * iterations
    assert not mine[::2].any()
    assert mine[1::2].all()


def test_more_kept_words_than_the_engine_gives_room_for() -> None:
    # A mask of 256 lanes is four words, so that their room ends many times.
    iterations = layout.LOG_ROOM
    text = kernel(
        "%bytes = pto.castptr %l4096 : i64 -> !pto.ptr<i8, ub>",
        "pto.vecscope {",
        "%zero = arith.constant 0 : i8",
        '%all = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>',
        "%v = pto.vdup %zero, %all : i8, !pto.mask<b8> -> !pto.vreg<256xi8>",
        "scf.for %i = %i0 to %n step %i1 {",
        "%k = arith.index_cast %i : index to i32",
        "%low = arith.constant 255 : i32",
        "%some = arith.andi %k, %low : i32",
        "%m, %rest = pto.plt_b8 %some : i32 -> !pto.mask<b8>, i32",
        "pto.vsts %v, %bytes[%i0], %m : !pto.vreg<256xi8>, !pto.ptr<i8, ub>, !pto.mask<b8>",
        "}",
        "}",
    )
    found = run(text, iterations).accesses
    # Iteration i writes i modulo 256 bytes; where that is none there is no row.
    assert found.length.tolist() == [i % 256 for i in range(iterations) if i % 256]
    assert set(found.start.tolist()) == {4096}


def test_the_notes_of_blocks_follow_each_other() -> None:
    text = kernel(copy_in(), both("MTE2", "V"), scope(), both("V", "MTE3"), copy_out())
    found = run(text, grid=5)
    alone = run(text)
    assert found.events.block.tolist() == [b for b in range(5) for _ in range(len(alone.events))]
    assert found.events.place.tolist() == alone.events.place.tolist() * 5
    assert found.accesses.start.tolist() == alone.accesses.start.tolist() * 5


def test_scopes_that_wait_keep_their_iterations() -> None:
    late = [waits("MTE2", "V"), scope(), copy_in(), sets("MTE2", "V")]
    found = run(kernel(loop(*late)))
    inside = found.events.entry >= 0
    assert found.iterations.value[found.events.iteration[inside]].tolist() == [
        iteration for iteration in range(3) for _ in range(4)
    ]


def test_branches_and_loops_that_do_not_run() -> None:
    nothing = branch("%no", [scope()], [copy_in()])
    found = run(kernel(nothing, loop(scope(), to="%i0"), branch("%yes", [copy_in("%c")])))
    names = [found.places[p].name for p in found.events.place]
    assert names.count("pto.mte_gm_ub") == 2
    assert "pto.vecscope" not in names


def test_gathers_that_take_no_part() -> None:
    text = kernel(
        scope(
            f'%t = pto.pset_b32 "PAT_VL3" : {M}',
            f'%none = pto.pset_b32 "PAT_ALLF" : {M}',
            "%start = arith.constant 5 : i32",
            "%o = pto.vci %start : i32 -> !pto.vreg<64xi32>",
            "%u = pto.vbitcast %o : !pto.vreg<64xi32> -> !pto.vreg<64xui32>",
            f"%g = pto.vgather2_bc %b, %u, %t : {P}, !pto.vreg<64xui32>, {M} -> {V}",
            f"%h = pto.vgather2_bc %b, %u, %none : {P}, !pto.vreg<64xui32>, {M} -> {V}",
        )
    )
    rows = run(text).accesses
    assert (rows.start.tolist(), rows.length.tolist()) == ([4096 + 4 * 5], [12])


def test_special_registers_that_a_pipe_writes() -> None:
    text = kernel(
        "%lists = arith.constant 3841 : i64",
        f"pto.vmrgsort4 %b, %a, %a, %a, %a, %l1, %lists : {P}, {P}, {P}, {P}, {P}, i64, i64",
        both("V", "S"),
        "%k0, %k1, %k2, %k3 = pto.get_vms4_sr : i16, i16, i16, i16",
    )
    found = run(text)
    mine = found.accesses.space == REGISTERS
    names = [found.registers[at // 8] for at in found.accesses.start[mine].tolist()]
    written = [n for n, w in zip(names, found.accesses.writes[mine], strict=True) if w]
    read = [n for n, w in zip(names, found.accesses.writes[mine], strict=True) if not w]
    counts = [f"VMS4_{k}" for k in range(4)]
    assert read == counts
    assert written[:4] == counts
    assert set(found.accesses.space.tolist()) == {UB, REGISTERS}


def test_a_kernel_that_does_nothing() -> None:
    found = trace(Kernel(program("func.func @k() {\nreturn\n}\n"), TARGETS["a5"], "manual"), [], 3)
    assert (len(found.events), len(found.accesses), len(found.syncs)) == (0, 0, 0)


def test_too_many_iterations() -> None:
    found = run(kernel(loop(scope())), max_steps=2)
    assert found.error is not None
    assert len(found.iterations) == 2


@pytest.mark.parametrize("event", ["%big", "%least"])
def test_an_event_beyond_all_numbers(event: str) -> None:
    text = kernel(
        "%big = arith.constant 1099511627776 : index",
        "%least = arith.constant -9223372036854775808 : index",
        dynamic("set_flag", "MTE2", "V", event),
    )
    found = run(text)
    assert isinstance(found.error, PtoError)
    assert len(found.syncs) == 1
    assert found.syncs.id[0] not in range(8)


def test_a_kernel_is_compiled_once_for_all_its_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptoscope import native

    made: list[object] = []
    real = native.assemble

    def assemble(module: native.CompiledModule) -> native.Compiled:
        made.append(module)
        return real(module)

    monkeypatch.setattr(native, "assemble", assemble)
    loaded = Kernel(program(kernel(scope())), TARGETS["a5"], "manual")
    x = np.zeros(64, np.float32)
    for _ in range(3):
        trace(loaded, [x, x, 3, True, False], engine="native")
    assert len(made) == 1
    assert trace(loaded, [x, x, 3, True, False], engine="native").engine == "native"


def test_without_llvm_the_reference_engine_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptoscope import native

    def none() -> None:
        raise native.NotCovered("LLVM is not there")

    text = kernel(copy_in(), both("MTE2", "V"), scope())
    loaded = Kernel(program(text), TARGETS["a5"], "manual")
    x = np.zeros(64, np.float32)
    arguments = [x, x, 3, True, False]
    expected = trace(loaded, arguments, engine="reference")
    monkeypatch.setattr(native, "machine_features", none)
    # What the fixture of all tests would compare has no native side here.
    monkeypatch.setattr(tracing, "_trace", TRACE)
    assert_same_trace(trace(loaded, arguments), expected)
    assert trace(loaded, arguments).engine == "reference"
    with pytest.raises(UsageError, match="LLVM is not there"):
        trace(loaded, arguments, engine="native")


EXTREME = {
    "a stride that leaves all memory": ("%least", "%l2", "%l1"),
    "more rows than there is memory": ("%l1024", "%many", "%many"),
}


@pytest.mark.parametrize("how", EXTREME)
def test_copies_that_leave_memory(how: str) -> None:
    """They fault; what they would have touched is not listed."""
    stride, rows, loop_count = EXTREME[how]
    copy = (
        f"pto.mte_gm_ub %x, %a, %l0, %l32 nburst({rows}, {stride}, %l32)"
        f" loop({loop_count}, {stride}, %l0)"
        " : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, i64, i64, i64"
    )
    text = kernel(
        "%least = arith.constant -9223372036854775808 : i64",
        "%many = arith.constant 60000 : i64",
        copy,
    )
    found = run(text)
    assert found.error is not None
    assert len(found.accesses) == 0
    assert len(found.events) == len(found.places)


@pytest.mark.parametrize("at", [1 << 43, 5 << 44, -(3 << 44), 2 << 44], ids=str)
def test_copies_from_where_no_array_is(at: int) -> None:
    """%n, a number, is an argument too, but no memory."""
    text = kernel(
        f"%far = arith.constant {at // 4} : index",
        "%z = pto.addptr %x, %far : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>",
        copy_in().replace("%x,", "%z,"),
    )
    found = run(text)
    assert found.error is not None
    assert len(found.accesses) == 0


def test_levels_that_meet_again() -> None:
    """Rows at 0, 64, 128 and, one loop further, at 64, 128, 192."""
    text = kernel(
        "%l192 = arith.constant 192 : i64",
        "pto.mte_gm_ub %x, %a, %l0, %l32 nburst(%l4, %l64, %l64) loop(%l2, %l64, %l64)"
        " : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, i64, i64, i64",
    )
    rows = run(text).accesses
    columns = rows.start, rows.length, rows.count, rows.stride
    assert [c.tolist() for c in columns] == [[0, 0], [32, 32], [5, 5], [64, 64]]


def test_loops_that_are_written_more_than_once() -> None:
    """A carried register that is one number at first and others after an iteration."""
    text = kernel(
        "pto.vecscope {",
        f'%all = pto.pset_b32 "PAT_ALL" : {M}',
        "%f = arith.constant 1.0 : f32",
        f"%one = pto.vdup %f, %all : f32, {M} -> {V}",
        "scf.for %i = %i0 to %n step %i1 {",
        f"%last = scf.for %j = %i0 to %n step %i1 iter_args(%v = %one) -> ({V}) {{",
        f"%w = pto.vlds %a[%i0] : {P} -> {V}",
        f"%s = pto.vadd %v, %w, %all : {V}, {V}, {M} -> {V}",
        f"scf.yield %s : {V}",
        "}",
        f"pto.vsts %last, %b[%i0], %all : {V}, {P}, {M}",
        "}",
        "}",
    )
    found = run(text)
    inner = [t for t in range(len(found.iterations)) if found.iterations.parent[t] >= 0]
    assert len(inner) == 9
    assert found.iterations.value[found.iterations.parent[inner]].tolist() == [
        0,
        0,
        0,
        1,
        1,
        1,
        2,
        2,
        2,
    ]


def test_a_mask_of_fewer_lanes_than_a_word_has_bits() -> None:
    text = kernel(
        "%words = pto.castptr %l4096 : i64 -> !pto.ptr<i64, ub>",
        "pto.vecscope {",
        "%k = arith.index_cast %n : index to i32",
        "%m, %rest = pto.plt_b32 %k : i32 -> !pto.mask<b32>, i32",
        "%v = pto.vlds %words[%i0] : !pto.ptr<i64, ub> -> !pto.vreg<32xi64>",
        "pto.vsts %v, %words[%i0], %m : !pto.vreg<32xi64>, !pto.ptr<i64, ub>, !pto.mask<b32>",
        "}",
    )
    loaded = Kernel(program(text), TARGETS["cpu"], "micro")
    assert not loaded.findings
    x = np.zeros(64, np.float32)
    rows = trace(loaded, [x, x, 3, True, False]).accesses
    # A lane of 64 bits goes by the first of two of the mask: of 0, 1, 2 by 0 and 2.
    assert (rows.writes.tolist(), rows.length.tolist()) == ([False, True], [256, 16])


@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("grid", [1, 3])
def test_notes_that_just_fit(more: int, grid: int) -> None:
    # An iteration of an empty loop is one row of the log, the constants before it are one segment.
    text = "func.func @k(%n: index) {\n" + "\n".join(
        [
            "%i0 = arith.constant 0 : index",
            "%i1 = arith.constant 1 : index",
            "scf.for %i = %i0 to %n step %i1 {",
            "}",
            "return",
            "}\n",
        ]
    )
    iterations = layout.LOG_ROOM - 1 + more
    found = trace(Kernel(program(text), TARGETS["a5"], "manual"), [iterations], grid)
    assert len(found.iterations) == iterations * grid


def test_a_trace_does_not_keep_the_arrays() -> None:
    x = np.zeros(4096, np.float32)
    loaded = Kernel(program(kernel(copy_in())), TARGETS["a5"], "manual")
    trace(loaded, [x, x, 3, True, False], engine="native")
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_no_room_for_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the run ends soon, and says why."""
    from ptoscope.native.log import LogPages

    real = LogPages._fresh
    calls: list[int] = []

    def fresh(self: LogPages) -> object:
        calls.append(1)
        if len(calls) > 4:
            raise MemoryError
        return real(self)

    monkeypatch.setattr(LogPages, "_fresh", fresh)
    loaded = Kernel(program(kernel(loop(scope(), to="%n"))), TARGETS["a5"], "manual")
    x = np.zeros(64, np.float32)
    with pytest.raises(MemoryError):
        trace(loaded, [x, x, 1 << 40, True, False], engine="native")


@pytest.mark.parametrize("wrong", [{"grid": 0}, {"grid": 1.5}, {"max_steps": 0}])
@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_that_are_none(wrong: dict[str, Any], engine: str) -> None:
    loaded = Kernel(program(kernel(scope())), TARGETS["a5"], "manual")
    x = np.zeros(64, np.float32)
    with pytest.raises(UsageError, match="at least 1"):
        trace(loaded, [x, x, 3, True, False], engine=engine, **wrong)
