"""Undefined data is followed exactly as far as values depend on it, and no further."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope.machine.shadow import observe
from tests.machine.harness import kernel
from tests.machine.poison import (
    COPY_IN,
    COPY_OUT,
    HEAD,
    G,
    M,
    P,
    V,
    arguments,
    findings,
    loaded,
    origin_lines,
    scope,
    stored,
)

W, WM = "!pto.vreg<128xui16>", "!pto.mask<b16>"
NEVER = f"%p = pto.vlds %later[%c0] : {P} -> {V}"
TAIL = f"""%n = arith.constant 40 : i32
%few, %rest = pto.plt_b32 %n : i32 -> {M}, i32"""
POINTER = f"""%s = pto.load_scalar %later[%c0] : {P} -> i32
%i = arith.index_cast %s : i32 to index
%b = pto.addptr %in, %i : {P} -> {P}"""
HALF = f'%low = pto.pset_b32 "PAT_H" : {M}'


def _gm(*lines: str) -> str:
    body = HEAD + COPY_IN + scope(*lines) + COPY_OUT
    return kernel(f"%x: {G}, %y: {G}", body)


def _undefined(text: str) -> list[int]:
    """The words of the result that are undefined in the end."""
    bits = observe(loaded(text), arguments()).undefined[1]
    return sorted(set((np.flatnonzero(bits) // 4).tolist()))


ALL = list(range(64))
LATE = list(range(40, 64))
# The code, and which of the 64 words of the result are undefined.
FLOWS: dict[str, tuple[tuple[str, ...], list[int]]] = {
    "a sum": ((NEVER, f"%r = pto.vadd %p, %d, %all : {V}, {V}, {M} -> {V}"), ALL),
    "a mask switches lanes off": (
        (NEVER, TAIL, stored("%d"), f"%r = pto.vadds %p, %seven, %few : {V}, i32, {M} -> {V}"),
        list(range(40)),
    ),
    "stored with its mask": (
        (
            TAIL,
            stored("%d"),
            f"%q = pto.vadd %d, %d, %few : {V}, {V}, {M} -> {V}",
            stored("%q", "%few"),
            f"%r = pto.vlds %out[%c0] : {P} -> {V}",
        ),
        [],
    ),
    "a selection drops it": (
        (NEVER, f"%r = pto.vsel %d, %p, %low : {V}, {V}, {M} -> {V}"),
        list(range(32, 64)),
    ),
    "inactive lanes merged": (
        (
            TAIL,
            f"%q = pto.vadd %d, %d, %few : {V}, {V}, {M} -> {V}",
            f"%r = pto.vsel %q, %d, %few : {V}, {V}, {M} -> {V}",
        ),
        [],
    ),
    "a selection of equals": (
        (
            NEVER,
            f'%m = pto.vcmps %p, %seven, %all, "lt" : {V}, i32, {M} -> {M}',
            f"%r = pto.vsel %d, %d, %m : {V}, {V}, {M} -> {V}",
        ),
        [],
    ),
    "a selection by it": (
        (
            NEVER,
            f"%e = pto.vbr %seven : i32 -> {V}",
            f"%z = pto.vbr %nought : i32 -> {V}",
            f'%m = pto.vcmps %p, %seven, %all, "lt" : {V}, i32, {M} -> {M}',
            f"%r = pto.vsel %e, %z, %m : {V}, {V}, {M} -> {V}",
        ),
        ALL,
    ),
    "a comparison that lanes outside its seed do not join": (
        (
            NEVER,
            TAIL,
            f"%q = pto.vsel %d, %p, %few : {V}, {V}, {M} -> {V}",
            f'%m = pto.vcmps %q, %seven, %few, "lt" : {V}, i32, {M} -> {M}',
            f"%e = pto.vbr %seven : i32 -> {V}",
            f"%r = pto.vsel %e, %d, %m : {V}, {V}, {M} -> {V}",
        ),
        [],
    ),
    "and with zero": (
        (NEVER, f"%z = pto.vbr %nought : i32 -> {V}",
         f"%r = pto.vand %p, %z, %all : {V}, {V}, {M} -> {V}"),
        [],
    ),
    "or with ones": (
        (NEVER, f"%z = pto.vbr %ones : i32 -> {V}",
         f"%r = pto.vor %p, %z, %all : {V}, {V}, {M} -> {V}"),
        [],
    ),
    "times zero": (
        (NEVER, f"%r = pto.vmuls %p, %nought, %all : {V}, i32, {M} -> {V}"),
        [],
    ),
    "with itself": ((NEVER, f"%r = pto.vxor %p, %p, %all : {V}, {V}, {M} -> {V}"), []),
    "a sum of the active lanes": (
        (NEVER, TAIL, f"%q = pto.vsel %d, %p, %few : {V}, {V}, {M} -> {V}",
         f"%r = pto.vcadd %q, %few : {V}, {M} -> {V}"),
        [],
    ),
    "a sum of one lane too many": (
        (NEVER, TAIL, f"%q = pto.vsel %p, %d, %low : {V}, {V}, {M} -> {V}",
         f"%r = pto.vcadd %q, %all : {V}, {M} -> {V}"),
        [0],
    ),
    "the highest of the active lanes": (
        (NEVER, TAIL, f"%q = pto.vsel %d, %p, %few : {V}, {V}, {M} -> {V}",
         f"%r = pto.vcmax %q, %few : {V}, {M} -> {V}"),
        [],
    ),
    "squeezed": (
        (NEVER, TAIL, f"%q = pto.vsel %d, %p, %few : {V}, {V}, {M} -> {V}",
         f"%r = pto.vsqz %q, %third : {V}, {M} -> {V}"),
        # Every third lane: of 0, 3, ..., 63 those from 42 on, the places from 14 to 21.
        list(range(14, 22)),
    ),
    "slid": (
        (NEVER, "%two = arith.constant 60 : i16",
         f"%r = pto.vslide %p, %d, %two : {V}, {V}, i16 -> {V}"),
        list(range(4, 64)),
    ),
    "interleaved": (
        (NEVER, f"%r, %high = pto.vintlv %d, %p : {V}, {V} -> {V}, {V}"),
        list(range(1, 64, 2)),
    ),
    "packed": (
        (NEVER, f"%q = pto.vsel %d, %p, %low : {V}, {V}, {M} -> {V}",
         f'%k = pto.vpack %q, "LOWER" : {V} -> {W}',
         f"%r = pto.vbitcast %k : {W} -> {V}"),
        # Lanes 32 to 63 are the half words 32 to 63: the words 16 to 31.
        list(range(16, 32)),
    ),
    "gathered by defined lanes": (
        (NEVER, TAIL, f"%q = pto.vsel %d, %p, %few : {V}, {V}, {M} -> {V}",
         f"%r = pto.vgather2 %in, %q, %few : {P}, {V}, {M} -> {V}"),
        [],
    ),
    "broadcast from one lane": (
        (NEVER, f"%q = pto.vintlvv2 %d, %p, \"LOWER\" : {V}, {V} -> {V}",
         f'%r = pto.vdup %q, %all {{position = "HIGHEST"}} : {V}, {M} -> {V}'),
        ALL,
    ),
    "stored under a mask that is undefined": (
        (NEVER, stored("%d"), f'%m = pto.vcmps %p, %seven, %low, "lt" : {V}, i32, {M} -> {M}',
         f"%e = pto.vbr %seven : i32 -> {V}", stored("%e", "%m"),
         f"%r = pto.vlds %out[%c0] : {P} -> {V}"),
        list(range(32)),
    ),
    "gathered by it": (
        (NEVER, f"%q = pto.vsel %d, %p, %low : {V}, {V}, {M} -> {V}",
         f"%r = pto.vgather2 %in, %q, %all : {P}, {V}, {M} -> {V}"),
        list(range(32, 64)),
    ),
    "gathered under a mask that is undefined": (
        (NEVER, f'%m = pto.vcmps %p, %seven, %low, "lt" : {V}, i32, {M} -> {M}',
         f"%r = pto.vgather2 %in, %d, %m : {P}, {V}, {M} -> {V}"),
        list(range(32)),
    ),
    "loaded from an address that is undefined": (
        (POINTER, f"%r = pto.vlds %b[%c0] : {P} -> {V}"),
        ALL,
    ),
    "gathered from an address that is undefined": (
        (POINTER, f"%r = pto.vgather2 %b, %d, %low : {P}, {V}, {M} -> {V}"),
        list(range(32)),
    ),
    "scattered by it": (
        (NEVER, stored("%d"), f'%one_lane = pto.pset_b32 "PAT_VL1" : {M}',
         f"pto.vscatter %d, %out, %p, %one_lane : {V}, {P}, {V}, {M}",
         f"%r = pto.vlds %out[%c0] : {P} -> {V}"),
        [0],
    ),
    "an alias that its lowest lane defines": (
        (NEVER, stored("%d"), f'%one_lane = pto.pset_b32 "PAT_VL1" : {M}',
         f"%q = pto.vsel %d, %p, %one_lane : {V}, {V}, {M} -> {V}",
         f"%z = pto.vbr %nought : i32 -> {V}",
         f"pto.vscatter %q, %out, %z, %all : {V}, {P}, {V}, {M}",
         f"%r = pto.vlds %out[%c0] : {P} -> {V}"),
        [],
    ),
    "an alias that its lowest lane leaves undefined": (
        (NEVER, stored("%d"), f'%one_lane = pto.pset_b32 "PAT_VL1" : {M}',
         f"%q = pto.vsel %p, %d, %one_lane : {V}, {V}, {M} -> {V}",
         f"%z = pto.vbr %nought : i32 -> {V}",
         f"pto.vscatter %q, %out, %z, %all : {V}, {P}, {V}, {M}",
         f"%r = pto.vlds %out[%c0] : {P} -> {V}"),
        [0],
    ),
    "a tail kept by its mask": (
        (TAIL, f"%r = pto.vadd %d, %d, %few : {V}, {V}, {M} -> {V}"),
        LATE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FLOWS)
def test_flow(name: str) -> None:
    lines, undefined = FLOWS[name]
    assert _undefined(_gm(HALF, *lines, stored("%r"))) == undefined


def test_low_bits_stay_defined() -> None:
    """Seven bits to the left: of the lowest byte one bit is undefined, and a mask drops it."""
    code = (
        NEVER,
        f"%q = pto.vshls %p, %seven, %all : {V}, i32, {M} -> {V}",
        "%x7f = arith.constant {} : i32",
        f"%k = pto.vbr %x7f : i32 -> {V}",
        f"%r = pto.vand %q, %k, %all : {V}, {V}, {M} -> {V}",
        stored("%r"),
    )
    assert _undefined(_gm(*(line.replace("{}", "127") for line in code))) == []
    text = _gm(*(line.replace("{}", "255") for line in code))
    bits = observe(loaded(text), arguments()).undefined[1]
    assert bits.view(np.uint32)[:64].tolist() == [0x80] * 64


def test_a_spread_load_reads_zeros_between() -> None:
    """Of each wider lane the lower half is read, the upper is zero."""
    wide = f'%u = pto.vlds %later16[%c0] {{dist = "UNPK_B16"}} : !pto.ptr<ui16, ub> -> {W}'
    body = (
        f"%later16 = pto.castptr %later : {P} -> !pto.ptr<ui16, ub>",
        wide,
        f"%r = pto.vbitcast %u : {W} -> {V}",
        stored("%r"),
    )
    bits = observe(loaded(_gm(*body)), arguments()).undefined[1]
    assert bits.view(np.uint32)[:64].tolist() == [0xFFFF] * 64


def test_a_padded_row_keeps_what_is_undefined_in_it() -> None:
    """57 elements of an undefined array and seven of padding."""
    body = f"""{HEAD}%part = arith.constant 228 : i64
pto.mte_gm_ub %x, %out, %zero, %part nburst(%one, %len, %zero) pad(%seven)
: {G}, {P}, i64, i64, i64, i64, i64, pad i32
{COPY_OUT}"""
    seen = observe(loaded(kernel(f"%x: {G}, %y: {G}", body)), arguments(), undefined=(0,))
    assert np.flatnonzero(seen.undefined[1]).tolist() == list(range(228))


def test_a_gather_under_an_undefined_mask_names_the_mask() -> None:
    text = _gm(
        NEVER,
        f'%m = pto.vcmps %p, %seven, %all, "lt" : {V}, i32, {M} -> {M}',
        f"%r = pto.vgather2 %in, %d, %m : {P}, {V}, {M} -> {V}",
        stored("%r"),
    )
    (line,) = (i for i, row in enumerate(text.splitlines(), 1) if NEVER in row)
    found = findings(text)
    assert [d.code for d in found] == ["PTO0713", "PTO0711"]
    assert all(origin_lines(d) == [line] for d in found)


def test_what_no_lane_stores_has_no_address() -> None:
    """Inactive lanes access nothing, wherever they point."""
    store = f"pto.vsts %d, %b[%c0], %m : {V}, {P}, {M}"
    none = f'%m = pto.pset_b32 "PAT_ALLF" : {M}'
    some = none.replace("ALLF", "VL1")
    assert findings(_gm(POINTER, none, store, stored("%d"))) == []
    assert [d.code for d in findings(_gm(POINTER, some, store, stored("%d")))] == ["PTO0712"]


def test_a_mask_in_memory_keeps_its_bits() -> None:
    """One undefined lane of a mask, stored eight bits to the byte: no neighbour suffers."""
    text = _gm(
        NEVER,
        f'%one_lane = pto.pset_b32 "PAT_VL1" : {M}',
        f"%q = pto.vsel %p, %d, %one_lane : {V}, {V}, {M} -> {V}",
        f'%m = pto.vcmps %q, %seven, %all, "lt" : {V}, i32, {M} -> {M}',
        f'pto.psts %m, %out[%c0], "NORM" : {M}, {P}, index',
    )
    bits = observe(loaded(text), arguments()).undefined[1]
    assert bits[:32].tolist() == [1] + [0] * 31
