"""Traces of clusters: events core after core, bytes of tiles and products, signals."""

from __future__ import annotations

import numpy as np

import ptoscope
from ptoscope.isa.order.kinds import NUMBERS
from ptoscope.machine.faults import DEADLOCK
from ptoscope.trace.trace import SPACE_NAMES, SPACE_NUMBERS, UBS, Trace
from ptoscope.tracing import trace
from tests.machine.matrix_lines import (
    await_,
    cluster,
    flag,
    gm_l1,
    gm_ub,
    l0c_gm,
    l1_l0a,
    l1_l0b,
    l1_ub,
    mad,
    signal,
    ub_gm,
    ub_l1,
)

FILL = [gm_l1(), gm_l1("%l1b"), *flag("MTE2", "MTE1"), l1_l0a(), l1_l0b(), *flag("MTE1", "M")]
HAND_OVER = [gm_ub(), *flag("MTE2", "MTE3"), ub_l1(), signal("MTE3", 2)]


def traced(text: str, grid: int = 1) -> Trace:
    kernel = ptoscope.load(text, "a5", "micro", force=True)
    arrays = [np.ones(512, np.float16), np.zeros(512, np.float16), np.zeros(256, np.float32)]
    return trace(kernel, arrays, grid)


def touched(found: Trace, name: str, core: int = 0) -> list[tuple[str, bool, int, int]]:
    """What the executions of an instruction touch: memory, whether it writes, first and last."""
    a, events = found.accesses, found.events
    rows = [
        row
        for row, event in enumerate(a.event.tolist())
        if found.places[events.place[event]].name == name and events.core[event] == core
    ]
    return [
        (
            SPACE_NAMES.get(int(a.space[row]), f"argument {a.space[row]}"),
            bool(a.writes[row]),
            int(a.start[row]),
            int(a.start[row] + (a.count[row] - 1) * a.stride[row] + a.length[row] - 1),
        )
        for row in rows
    ]


def test_what_tiles_and_products_touch() -> None:
    found = traced(cluster([*FILL, mad("mad_acc"), *flag("M", "FIX"), l0c_gm()]))
    assert touched(found, "pto.mte_l1_l0b") == [
        ("l1", False, 4096, 4607),
        ("l0b", True, 0, 511),
    ]
    assert touched(found, "pto.mad_acc") == [
        ("l0a", False, 0, 511),
        ("l0b", False, 0, 511),
        ("l0c", False, 0, 1023),
        ("l0c", True, 0, 1023),
    ]
    assert touched(found, "pto.mte_l0c_gm") == [
        ("l0c", False, 0, 1023),
        ("argument 2", True, 0, 1023),
    ]


def test_events_are_in_order_core_after_core() -> None:
    text = cluster([await_("MTE1", 2), l1_ub(0)], HAND_OVER)
    found = traced(text, grid=2)
    keys = list(zip(found.events.block.tolist(), found.events.core.tolist(), strict=True))
    assert keys == sorted(keys)
    assert set(keys) == {(block, core) for block in range(2) for core in range(3)}
    assert [core.title for core in found.cores] == [
        "the matrix core",
        "vector core 0",
        "vector core 1",
    ]
    vectors = [found.events.place[found.events.core == n].tolist() for n in (1, 2)]
    assert vectors[0] == vectors[1]


def test_each_vector_core_has_its_own_ub() -> None:
    text = cluster([await_("MTE1", 2), await_("MTE1", 18), l1_ub(0), l1_ub(1)], HAND_OVER)
    found = traced(text)
    assert touched(found, "pto.mte_gm_ub", 1)[1] == ("ub", True, 0, 511)
    assert touched(found, "pto.mte_gm_ub", 2)[1] == ("ub1", True, 0, 511)
    copies = [memory for memory, writes, _, _ in touched(found, "pto.copy_cbuf_to_ubuf") if writes]
    assert copies == ["ub", "ub1"]
    assert SPACE_NUMBERS["ub"] == UBS[0]


def test_signals_between_cores_are_synchronisations() -> None:
    found = traced(cluster([await_("MTE1", 2), await_("MTE1", 18)], HAND_OVER))
    syncs, cores = found.syncs, found.events.core
    rows = np.flatnonzero(syncs.kind == NUMBERS["wait_core"])
    assert syncs.id[rows].tolist() == [2, 18]
    assert set(cores[syncs.event[rows]].tolist()) == {0}
    rows = np.flatnonzero(syncs.kind == NUMBERS["set_core"])
    assert cores[syncs.event[rows]].tolist() == [1, 2]


def test_vecscopes_of_two_cores_keep_their_numbers() -> None:
    scope = """pto.vecscope {
    %m = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>
    %v = pto.vlds %ub[%i0] : !pto.ptr<f16, ub> -> !pto.vreg<128xf16>
    pto.vsts %v, %ub[%i256], %m : !pto.vreg<128xf16>, !pto.ptr<f16, ub>, !pto.mask<b16>
    }"""
    wait, answer = await_("V", 3), [signal("FIX", 3), signal("FIX", 19)]
    found = traced(cluster(answer, [gm_ub(), *flag("MTE2", "V"), scope, wait, scope]))
    entries, cores = found.events.entry, found.events.core
    inside = np.flatnonzero(entries >= 0)
    assert (np.diff(entries[inside]) >= 0).all()
    by_core = [set(entries[inside][cores[inside] == n].tolist()) for n in (1, 2)]
    assert by_core == [{0, 1}, {2, 3}]
    stores = touched(found, "pto.vsts", 2)
    assert stores == [("ub1", True, 512, 767)] * 2


def test_a_run_that_stops_has_what_each_core_did() -> None:
    """The matrix core waits in vain; the vector cores came to their ends."""
    found = traced(cluster([l1_ub(0), await_("MTE1", 3), l1_ub(1)], [*HAND_OVER, ub_gm()]))
    assert found.error is not None
    assert found.error.diagnostics[0].code == DEADLOCK
    names = {n: [found.places[p].name for p in found.events.place[found.events.core == n]]
             for n in range(3)}  # fmt: skip
    assert names[1][-1] == names[2][-1] == "pto.mte_ub_gm"
