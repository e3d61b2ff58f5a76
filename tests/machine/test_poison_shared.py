"""Arrays that share memory share what is undefined in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.machine.shadow import observe, run_shadow
from tests.machine.harness import kernel
from tests.machine.poison import COPY_IN, COPY_OUT, HEAD, G, loaded, scope, stored

THROUGH = kernel(f"%x: {G}, %y: {G}", HEAD + COPY_IN + scope(stored("%d")) + COPY_OUT)
"""The first 64 elements of %x to %y."""
FIRST_DEFINED = kernel(
    f"%x: {G}, %y: {G}",
    HEAD
    + scope(stored("%seven_lanes")).replace(
        "%d = pto.vlds %in[%c0] : !pto.ptr<i32, ub>", "%seven_lanes = pto.vbr %seven : i32"
    )
    + COPY_OUT
    + COPY_IN.replace("%len", "%register")
    + scope(stored("%d"))
    + COPY_OUT,
)
"""Sevens to the first 64 elements of %y, then those of %x to %y."""
THREE = kernel(f"%x: {G}, %y: {G}, %z: {G}", "")


def _undefined(text: str, arrays: tuple[Any, ...], *positions: int) -> list[list[int]]:
    """The elements of each array that are undefined in the end."""
    seen = observe(loaded(text), arrays, undefined=positions).undefined
    return [sorted(set((np.flatnonzero(v) // 4).tolist())) for _, v in sorted(seen.items())]


def test_one_array_twice() -> None:
    array = np.zeros(128, np.int32)
    for undefined in ((0,), (1,), (0, 1)):
        (found,) = run_shadow(loaded(THROUGH), (array, array), undefined=undefined)
        assert (found.code, found.severity) == ("PTO0711", "error")
        assert f"of %{'xy'[undefined[-1]]}, never written" in found.found
        assert "256 bytes in one execution" in found.found


def test_apart() -> None:
    arrays = np.zeros(128, np.int32), np.zeros(128, np.int32)
    assert run_shadow(loaded(THROUGH), arrays, undefined=(1,)) == []
    assert [d.code for d in run_shadow(loaded(THROUGH), arrays, undefined=(0,))] == ["PTO0711"]


def test_what_one_defines_the_other_reads() -> None:
    array = np.zeros(128, np.int32)
    assert run_shadow(loaded(FIRST_DEFINED), (array, array), undefined=(0,)) == []
    assert (array[:64] == 7).all()
    apart = np.zeros(128, np.int32), np.zeros(128, np.int32)
    assert [d.code for d in run_shadow(loaded(FIRST_DEFINED), apart, undefined=(0,))] == ["PTO0711"]


def test_views() -> None:
    """%y begins 32 elements after %x, and all of it is undefined. Of the 64 elements that are
    read from %x those from 32 on are; they become 32 to 63 of %y. 0 to 31 of it, which are 32
    to 63 of %x, are defined by the copy."""
    base = np.zeros(160, np.int32)
    assert _undefined(THROUGH, (base[:128], base[32:]), 1) == [
        list(range(64, 128)),
        list(range(32, 128)),
    ]


def test_an_array_that_begins_before_the_first() -> None:
    """The last 32 elements of the first array are the third; the second ends before them."""
    base = np.zeros(160, np.int32)
    arrays = base[32:], base[:128], base[128:]
    assert _undefined(THREE, arrays, 2) == [list(range(96, 128)), [], list(range(32))]


def test_a_chain_of_views() -> None:
    """The first and the third share nothing with each other, both something with the second."""
    base = np.zeros(128, np.int32)
    arrays = base[:64], base[32:96], base[64:]
    assert _undefined(THREE, arrays, 2) == [[], list(range(32, 64)), list(range(64))]
    assert _undefined(THREE, arrays, 0) == [list(range(64)), list(range(32)), []]
    assert _undefined(THREE, arrays, 1) == [
        list(range(32, 64)),
        list(range(64)),
        list(range(32)),
    ]
