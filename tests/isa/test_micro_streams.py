"""Unaligned stores as the micro specification has them: parts of vectors, and the AR register."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import FULL, bit, image_of, memory, run
from tests.isa.stream import AREA, MOST, expected, stream_kernel, vectors

TYPES = ("f32", "f16", "ui8")


@cache
def _vstus_kernel(name: str, count: int, flush: str) -> Any:
    """Store k appends the first `%lenK` elements of a vector; the pointer follows by hand."""
    e = Element(name)
    v, p = vreg(e), f"!pto.ptr<{name}, ub>"
    lines = []
    for k in range(count):
        lines += [
            f"%a{k + 1} = pto.vstus %a{k}, %len{k}, %v{k}, %p{k}"
            f" : !pto.align, i32, {v}, {p} -> !pto.align",
            f"%step{k} = arith.index_cast %len{k} : i32 to index",
            f"%p{k + 1} = pto.addptr %p{k}, %step{k} : {p} -> {p}",
        ]
    places = {
        "at the end": f"%p{count}, %zero32",
        "at an offset": f"%p{count - 1}, %len{count - 1}",
    }
    end = f"pto.vstas %a{count}, {places[flush]} : !pto.align, {p}, i32"
    params = ", ".join(f"%len{k}: i32" for k in range(count))
    return stream_kernel(e, "\n".join(lines), end, params, "micro")


@given(
    st.sampled_from(TYPES),
    st.lists(st.integers(0, 256), min_size=1, max_size=MOST),
    st.integers(0, 31),
    st.sampled_from(("at the end", "at an offset")),
)
@settings(max_examples=120, deadline=None)
def test_vstus_appends_as_many_elements_as_it_advances(
    name: str, lengths: list[int], start: int, flush: str
) -> None:
    e = Element(name)
    lengths = [min(n, e.lanes) for n in lengths]
    start = start // e.bytes
    before = memory(sum(lengths))
    pieces = [
        vector[: n * e.bytes]
        for vector, n in zip(vectors(before, len(lengths)), lengths, strict=True)
    ]
    move = _vstus_kernel(name, len(lengths), flush)
    assert run(move, before, start, *lengths) == expected(before, AREA + start * e.bytes, pieces)


@cache
def _vstur_kernel(name: str, count: int, mode: str, clear: str) -> Any:
    """Store k appends the active elements of a vector: under %mask, then the first %tailK."""
    e = Element(name)
    v, p, g = vreg(e), f"!pto.ptr<{name}, ub>", e.granularity
    lines = [clear]
    for k in range(count):
        mask = "%mask" if k == 0 else f"%m{k}"
        if k:
            lines.append(f"{mask}, %r{k} = pto.plt_b{g} %tail{k} : i32 -> !pto.mask<b{g}>, i32")
        lines += [
            f"%q{k} = pto.vsqz %v{k}, {mask} : {v}, !pto.mask<b{g}> -> {v}",
            f"%a{k + 1} = pto.vstur %a{k}, %q{k}, %p0{mode} : !pto.align, {v}, {p} -> !pto.align",
        ]
    flush = f"pto.vstar %a{count}, %p0 : !pto.align, {p}"
    params = ", ".join(f"%tail{k}: i32" for k in range(1, count))
    return stream_kernel(e, "\n".join(lines), flush, params, "micro", mask=g)


@given(
    st.sampled_from(TYPES),
    st.binary(min_size=32, max_size=32),
    st.lists(st.integers(0, 256), max_size=MOST - 1),
    st.integers(0, 31),
    st.sampled_from((', "POST_UPDATE"', "")),
)
@settings(max_examples=120, deadline=None)
def test_vstur_appends_what_vsqz_left(
    name: str, image: bytes, tails: list[int], start: int, mode: str
) -> None:
    """SQZN bytes at base + AR, which then advances."""
    e = Element(name)
    tails = [min(n, e.lanes) for n in tails]
    start = start // e.bytes
    before = memory(sum(tails))
    first, *others = vectors(before, 1 + len(tails))
    active = [i for i in range(e.lanes) if bit(image, i * e.bytes)]
    pieces = [b"".join(first[i * e.bytes :][: e.bytes] for i in active)]
    pieces += [vector[: n * e.bytes] for vector, n in zip(others, tails, strict=True)]
    move = _vstur_kernel(name, len(pieces), mode, 'pto.sprclr "AR"')
    wanted = expected(before, AREA + start * e.bytes, pieces)
    assert run(move, before, start, *tails, image=image) == wanted


@pytest.mark.parametrize("name", TYPES)
def test_ar_is_zero_at_launch(name: str) -> None:
    e = Element(name)
    before = memory(1)
    move = _vstur_kernel(name, 1, ', "POST_UPDATE"', "")
    assert run(move, before, 1) == expected(before, AREA + e.bytes, vectors(before, 1))


def test_sprclr_begins_a_new_stream() -> None:
    """The first stream is whole when it is flushed; without the clear the second would follow."""
    e = Element("f32")
    v, p = vreg(e), "!pto.ptr<f32, ub>"
    store = '%a{0} = pto.vstur %{1}, %q{2}, %p0, "POST_UPDATE" : !pto.align, V, P -> !pto.align'
    store = store.replace("V", v).replace(" P ", f" {p} ")
    stores = f"""pto.sprclr "AR"
      %q0 = pto.vsqz %v0, %mask : {v}, !pto.mask<b32> -> {v}
      {store.format(1, "a0", 0)}
      pto.vstar %a1, %p0 : !pto.align, {p}
      pto.sprclr "AR"
      %q1 = pto.vsqz %v1, %mask : {v}, !pto.mask<b32> -> {v}
      %b0 = pto.init_align : !pto.align
      {store.format(2, "b0", 1)}"""
    flush = f"pto.vstar %a2, %p0 : !pto.align, {p}"
    move = stream_kernel(e, stores, flush, revision="micro", mask=32)
    before = memory(2)
    first, second = vectors(before, 2)
    over = bytearray(before)
    over[AREA + 4 : AREA + 4 + 256] = first
    wanted = expected(bytes(over), AREA + 4, [second])
    assert run(move, before, 1, image=FULL) == wanted


def test_no_post_update_leaves_ar() -> None:
    """Two streams that each store at the same place: AR has not moved in between."""
    e = Element("f32")
    v, p = vreg(e), "!pto.ptr<f32, ub>"
    stores = f"""pto.sprclr "AR"
      %q0 = pto.vsqz %v0, %mask : {v}, !pto.mask<b32> -> {v}
      %a1 = pto.vstur %a0, %q0, %p0, "NO_POST_UPDATE" : !pto.align, {v}, {p} -> !pto.align
      pto.vstar %a1, %p0 : !pto.align, {p}
      %b0 = pto.init_align : !pto.align
      %q1 = pto.vsqz %v1, %mask : {v}, !pto.mask<b32> -> {v}
      %a2 = pto.vstur %b0, %q1, %p0, "POST_UPDATE" : !pto.align, {v}, {p} -> !pto.align"""
    flush = f"pto.vstar %a2, %p0 : !pto.align, {p}"
    move = stream_kernel(e, stores, flush, revision="micro", mask=32)
    before = memory(3)
    image = image_of([1] * 16 + [0] * 48)
    _, second = vectors(before, 2)
    assert run(move, before, 0, image=image) == expected(before, AREA, [second[:64]])
