"""Clusters, tiles and products: the record that generated code writes is the one of the reference
engine, also of runs that fault and where nothing orders the cores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import tracing
from ptoscope.trace.trace import SPACE_NUMBERS, UBS, Trace
from tests.engines import assert_same_trace
from tests.machine.matrix_lines import (
    L0A,
    L0B,
    L0C,
    OUT,
    UB,
    await_,
    cluster,
    flag,
    gm_l1,
    gm_ub,
    l1_l0a,
    l1_l0b,
    l1_ub,
    ptr,
    signal,
    ub_gm,
    ub_l1,
)
from tests.native.test_clusters import CELLS, random_kernel

MAD = f"pto.mad %l0a, %l0b, %l0c, %n16, %n16, %n16 : {L0A}, {L0B}, {L0C}, i64, i64, i64"
MAD_ACC = MAD.replace("pto.mad ", "pto.mad_acc ")
DRAIN = (
    f"pto.mte_l0c_gm %l0c, %z, %n16, %n16, %n16, %n16, %n0, %n0, nz2nd : {L0C}, {OUT}, "
    "i64, i64, i64, i64, i64, i64"
)
ADDED = DRAIN.replace(", nz2nd", ", nz2nd, atomic(type = f32, op = add)")
SPLIT = (
    f"pto.mte_l0c_ub %l0c, %ubf, %n16, %n16, %n16, %n16, dst_mode(split_m), nz2nd : {L0C}, "
    "!pto.ptr<f32, ub>, i64, i64, i64, i64"
)
_UBF = "%ubf = pto.castptr %n8192 : i64 -> !pto.ptr<f32, ub>"
LOADED = [gm_l1(), gm_l1("%l1b", "%y"), *flag("MTE2", "MTE1"), l1_l0a(), l1_l0b()]
PRODUCT = [*LOADED, *flag("MTE1", "M"), MAD, MAD_ACC, *flag("M", "FIX")]


def traces(text: str, arguments: list[Any], grid: int = 1) -> Trace:
    """The trace that both engines give."""
    kernel = ptoscope.load(text, force=True)
    found, expected = (
        tracing._trace(kernel, [a.copy() for a in arguments], grid, None, engine)
        for engine in ("native", "reference")
    )
    assert_same_trace(found, expected)
    return found


def arrays() -> list[Any]:
    noise = np.random.default_rng(1)
    halves = [noise.standard_normal(4096).astype(np.float16) for _ in range(2)]
    return [*halves, np.zeros(4096, np.float32)]


@pytest.mark.parametrize("target", ["a5", "a2a3"])
@pytest.mark.parametrize("orderly", [True, False], ids=["orderly", "any"])
def test_random_clusters(target: str, orderly: bool) -> None:
    faulted = 0
    for seed in range(20):
        text = random_kernel(seed, target, orderly)
        found = traces(text, [np.arange(CELLS, dtype=np.int32)], grid=2)
        faulted += found.error is not None
    assert not (orderly and faulted)
    assert orderly or faulted


def test_a_product() -> None:
    found = traces(cluster([*PRODUCT, DRAIN], kind="cube"), arrays())
    assert found.error is None
    touched = [
        (int(space), bool(writes), int(length * count))
        for space, writes, length, count in zip(
            found.accesses.space, found.accesses.writes, found.accesses.length,
            found.accesses.count, strict=True,
        )
    ]  # fmt: skip
    l0c, bytes_of = SPACE_NUMBERS["l0c"], 16 * 16 * 4
    # The first product writes, the second reads and writes, the drain reads.
    assert [one for one in touched if one[0] == l0c] == [
        (l0c, True, bytes_of), (l0c, False, bytes_of), (l0c, True, bytes_of), (l0c, False, bytes_of)
    ]  # fmt: skip
    assert (2, True, bytes_of) in touched


def test_scales_and_a_bias_at_the_same_address_are_in_memories_of_their_own() -> None:
    factors = [ptr("f8e4m3", space) for space in ("l0a", "l0b")]
    types = [*factors, L0C, ptr("f32", "bt")]
    names = ["%a", "%b", "%l0c", "%bias"]
    outside = ["%n64 = arith.constant 64 : i64", "%n128 = arith.constant 128 : i64"]
    outside += [
        f"{name} = pto.castptr %n0 : i64 -> {kind}" for name, kind in zip(names, types, strict=True)
        if name != "%l0c"
    ]  # fmt: skip
    product = (
        f"pto.mad_mx_bias {', '.join(names)}, %n16, %n64, %n128 : {', '.join(types)}, i64, i64, i64"
    )
    found = traces(cluster([product], outside=outside, kind="cube"), arrays())
    assert found.error is None
    touched = {
        int(space): (bool(writes), int(start), int(length * count))
        for space, writes, start, length, count in zip(
            found.accesses.space, found.accesses.writes, found.accesses.start,
            found.accesses.length, found.accesses.count, strict=True,
        )
    }  # fmt: skip
    # A byte for every 32 of k, and an f32 for every column.
    assert touched[SPACE_NUMBERS["l0a_scale"]] == (False, 0, 16 * 4)
    assert touched[SPACE_NUMBERS["l0b_scale"]] == (False, 0, 64 * 4)
    assert touched[SPACE_NUMBERS["bt"]] == (False, 0, 64 * 4)


def test_updates_have_their_mode() -> None:
    found = traces(cluster([*PRODUCT, ADDED], kind="cube"), arrays(), grid=2)
    assert (found.accesses.atomic != 0).sum() == 2


@pytest.mark.parametrize("wrong", ["%l0c, %z", "%l0a, %l0b"])
def test_a_tile_outside_of_its_memory(wrong: str) -> None:
    far = "%far = pto.castptr %n262144 : i64 -> " + (L0C if "%z" in wrong else L0A)
    lines = [line.replace(wrong, "%far" + wrong[4:]) for line in [*PRODUCT, DRAIN]]
    outside = ["%n262144 = arith.constant 262144 : i64", far]
    found = traces(cluster(lines, outside=outside, kind="cube"), arrays())
    assert found.error is not None


def test_cores_touch_their_own_ub_and_that_which_is_named() -> None:
    cube = [*PRODUCT, SPLIT, l1_ub(0), l1_ub(1), *flag("MTE1", "FIX", 1)]
    cube += [signal("FIX", number) for number in (0, 16)]
    cube += [await_("FIX", number) for number in (2, 18)]
    vector = [await_("MTE3", 0), ub_gm("%y"), *flag("MTE3", "MTE2"), gm_ub()]
    vector += [*flag("MTE2", "MTE3"), ub_l1(), signal("MTE3", 2)]
    found = traces(cluster(cube, vector, outside=[_UBF]), arrays(), grid=2)
    assert found.error is None
    assert sorted(set(found.events.core.tolist())) == [0, 1, 2]
    core = found.events.core[found.accesses.event]
    ubs = {
        int(one): set(found.accesses.space[core == one].tolist()) & set(UBS) for one in (0, 1, 2)
    }
    assert ubs == {0: set(UBS), 1: {UBS[0]}, 2: {UBS[1]}}


def test_more_notes_than_there_is_room_for() -> None:
    """Cores take turns while the log goes on to another page."""
    cube = ["scf.for %i = %i0 to %i8192 step %i1 {", signal("FIX", 0), await_("FIX", 1), "}"]
    vector = [
        "%first = arith.cmpi eq, %s, %n0 : i64", "scf.if %first {",
        "scf.for %i = %i0 to %i8192 step %i1 {", await_("MTE3", 0), signal("MTE3", 1), "}", "}",
    ]  # fmt: skip
    found = traces(cluster(cube, vector), arrays())
    assert found.error is None
    assert len(found.iterations) == 2 * 8192


def test_where_a_run_ends_in_a_core() -> None:
    wrong = gm_ub().replace("%ub,", "%far,")
    far = [
        "%n262144 = arith.constant 262144 : i64", f"%far = pto.castptr %n262144 : i64 -> {UB}"
    ]  # fmt: skip
    found = traces(cluster([gm_l1(), await_("FIX", 0)], [wrong], far), arrays())
    assert found.error is not None
