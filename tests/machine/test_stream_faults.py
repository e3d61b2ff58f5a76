"""Streams that are broken off, flushed elsewhere or stored where the target has none."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from ptoscope import PtoError
from tests.isa.elements import Element
from tests.isa.memory import SIZE, UB_BYTES, fault, kernel, memory, run
from tests.isa.stream import AREA, expected, stream_kernel, vectors

V, P = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>"
E = Element("f32")


def _store(k: int, base: str) -> str:
    return f"""%a{k + 1}, %p{k + 1} = pto.vstu %a{k}, {base}, %v{k}, %ub, %post
      : !pto.align, {P}, {V}, {P}, index -> !pto.align, {P}"""


POST = "%post = arith.constant 1 : index"
FLUSHES = {
    "vsta": f"pto.vsta %a1, %p0[%at] : !pto.align, {P}, index",
    "vstas": f"%at32 = arith.index_cast %at : index to i32\n"
    f"pto.vstas %a1, %p0, %at32 : !pto.align, {P}, i32",
}


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("flush", FLUSHES)
def test_flush_at_another_address(flush: str, revision: str) -> None:
    """The address is the one after the last byte, also where nothing is held."""
    text = FLUSHES[flush]
    move = stream_kernel(E, f"{POST}\n{_store(0, '%p0')}", text, "%at: index", revision)
    unit = 4 if flush == "vsta" or revision == "micro" else 1
    for start in (3, 0):
        right = 256 // unit
        run(move, bytes(SIZE), start, right)
        for wrong in (0, right - 1, right + 1, 2 * right, -right):
            said = fault(move, start, wrong)
            assert said.code == "PTO0912"
            first = 1024 + 4 * start
            assert str(first + wrong * unit) in said.found
            assert str(first + 256) in said.expected


def test_vstar_in_micro_flushes_at_ar() -> None:
    """AR says where the stream goes on; a base of another stream gives another address."""
    stores = f"""pto.sprclr "AR"
      %q = pto.vsqz %v0, %mask : {V}, !pto.mask<b32> -> {V}
      %a1 = pto.vstur %a0, %q, %p0, "POST_UPDATE" : !pto.align, {V}, {P} -> !pto.align
      %q1 = pto.addptr %p0, %by : {P} -> {P}"""
    flush = f"pto.vstar %a1, %q1 : !pto.align, {P}"
    move = stream_kernel(E, stores, flush, "%by: index", "micro", mask=32)
    run(move, bytes(SIZE), 3, 0)
    for by in (1, -1, 64):
        assert fault(move, 3, by).code == "PTO0912"


@pytest.mark.parametrize("by", [-64, -1, 1, 8])
def test_store_elsewhere_while_bytes_are_held(by: int) -> None:
    stores = f"""{POST}
      {_store(0, "%p0")}
      %q1 = pto.addptr %p1, %by : {P} -> {P}
      {_store(1, "%q1")}"""
    flush = f"pto.vsta %a2, %p2[%c0] : !pto.align, {P}, index"
    move = stream_kernel(E, stores, flush, "%by: index")
    run(move, bytes(SIZE), 5, 0)
    said = fault(move, 5, by)
    assert said.code == "PTO0912"
    # 20 bytes past a border are held: 5 elements from the area's first.
    assert "20 bytes" in said.message
    assert str(1024 + 20 + 256) in said.expected
    # On a border nothing is held: the stream may go on anywhere.
    run(move, bytes(SIZE), 0, by)


@pytest.mark.parametrize("mode", [-1, 2, 7])
def test_the_mode_of_form_a(mode: int) -> None:
    flush = f"pto.vsta %a1, %p0[%lanes] : !pto.align, {P}, index"
    move = stream_kernel(E, _store(0, "%p0"), flush, "%post: index")
    run(move, bytes(SIZE), 1, 0)
    run(move, bytes(SIZE), 1, 1)
    assert fault(move, 1, mode).code == "PTO0910"


@pytest.mark.parametrize("length", [-1, 65, 1000])
def test_vstus_advances_by_at_most_a_vector(length: int) -> None:
    stores = f"%a1 = pto.vstus %a0, %n, %v0, %p0 : !pto.align, i32, {V}, {P} -> !pto.align"
    flush = f"pto.vstas %a1, %p0, %n : !pto.align, {P}, i32"
    move = stream_kernel(E, stores, flush, "%n: i32", "micro")
    for legal in (0, 1, 64):
        run(move, bytes(SIZE), 1, legal)
    assert fault(move, 1, length).code == "PTO0910"


def _at_the_end() -> Any:
    body = f"""%p0 = pto.castptr %base : i64 -> {P}
      %v0 = pto.vlds %ub[%c0] : {P} -> {V}
      {POST}
      %a0 = pto.init_align : !pto.align
      {_store(0, "%p0")}
      pto.vstas %a1, %p1, %zero32 : !pto.align, {P}, i32"""
    return kernel("f32", f"%zero32 = arith.constant 0 : i32\n{body}", "%base: i64")


def test_a_stream_stays_inside_ub() -> None:
    move = _at_the_end()
    last = UB_BYTES["a5"] - 256
    for base in (0, 4, last - 4, last):
        run(move, bytes(SIZE), base)
    for base in (-4, last + 4, 2**40):
        assert fault(move, base).code == "PTO0901"


VSTUR = f"pto.vstur %a{{}}, %v{{}}, {{}} : !pto.align, {V}, {P} -> !pto.align"
OTHER = f"%other = pto.addptr %p0, %by : {P} -> {P}"


@pytest.mark.parametrize("start", [0, 5])
def test_a_second_base_in_vstur(start: int) -> None:
    """It is an error also where nothing is held."""
    stores = f"""{OTHER}
      %a1 = {VSTUR.format(0, 0, "%p0")}
      %a2 = {VSTUR.format(1, 1, "%other")}"""
    move = stream_kernel(E, stores, f"pto.vstar %a2, %p0 : !pto.align, {P}", "%by: index")
    run(move, bytes(SIZE), start, 0)
    for by in (1, -1, 64, 1024):
        said = fault(move, start, by)
        first = 1024 + 4 * start
        assert (said.code, said.expected) == ("PTO0912", f"base {first}")
        assert said.found == f"base {first + 4 * by}"


@pytest.mark.parametrize("start", [0, 5])
def test_vstar_with_another_base(start: int) -> None:
    """It takes the base of the stores, or the place where the stream ended."""
    stores = f"""{OTHER}
      %a1 = {VSTUR.format(0, 0, "%p0")}"""
    move = stream_kernel(E, stores, f"pto.vstar %a1, %other : !pto.align, {P}", "%by: index")
    for by in (0, 64):
        run(move, bytes(SIZE), start, by)
    for by in (1, -1, 63, 1024):
        said = fault(move, start, by)
        assert said.code == "PTO0912"
        assert f"the stream is one of base {1024 + 4 * start}" in said.message


@pytest.mark.parametrize("op", ["vstu", "vstus"])
def test_a_dest_that_is_not_the_stream_s(op: str) -> None:
    """It is the same in all stores, and not after what they store."""
    last, kind = ("%post", "index") if op == "vstu" else ("%zero32", "i32")
    lines = [
        f"%a{k + 1}, %p{k + 1} = pto.{op} %a{k}, %p{k}, %v{k}, %dest{k}, {last}"
        f" : !pto.align, {P}, {V}, {P}, {kind} -> !pto.align, {P}"
        for k in range(2)
    ]
    stores = f"""{POST}
      %dest0 = pto.addptr %p0, %first : {P} -> {P}
      %dest1 = pto.addptr %p0, %second : {P} -> {P}
      {lines[0]}
      {lines[1]}"""
    flush = f"pto.vstar %a2, %dest0 : !pto.align, {P}"
    move = stream_kernel(E, stores, flush, "%first: index, %second: index")
    for start in (0, 5):
        run(move, bytes(SIZE), start, 0, 0)
        run(move, bytes(SIZE), start, -5, -5)
        for one, two in ((0, 1), (-5, 0), (0, 64)):
            said = fault(move, start, one, two)
            assert (said.code, said.found) == ("PTO0912", f"base {1024 + 4 * (start + two)}")
        assert "not in a stream of base" in fault(move, start, 1, 1).message


def _one_path(flushes: str) -> Any:
    stores = f"""%a1 = {VSTUR.format(0, 0, "%p0")}
      {flushes}"""
    return stream_kernel(E, stores, "", "%yes: i1")


FLUSH = f"pto.vstar %a1, %p0 : !pto.align, {P}"


@pytest.mark.parametrize(
    "flushes",
    [f"scf.if %yes {{\n{FLUSH}\n}}", f"scf.if %yes {{\n{FLUSH}\n}} else {{\nscf.yield\n}}"],
)
def test_a_stream_that_one_path_loses(flushes: str) -> None:
    move = _one_path(flushes)
    run(move, bytes(SIZE), 3, True)
    # From a border on, whole vectors leave nothing behind.
    run(move, bytes(SIZE), 0, False)
    said = fault(move, 3, False)
    assert said.code == "PTO0912"
    assert "pto.vstur: the stream is lost" in said.message
    assert said.found.startswith("12 bytes")
    assert "flush on every path" in said.expected


def test_of_two_streams_the_lost_one_is_named() -> None:
    stores = f"""%a1 = {VSTUR.format(0, 0, "%p0")}
      %far = arith.constant 256 : index
      %q = pto.addptr %p0, %far : {P} -> {P}
      %b0 = pto.init_align : !pto.align
      %b1 = pto.vstur %b0, %v1, %q : !pto.align, {V}, {P} -> !pto.align
      scf.if %yes {{
        pto.vstar %b1, %q : !pto.align, {P}
      }}"""
    move = stream_kernel(E, stores, FLUSH, "%yes: i1")
    run(move, bytes(SIZE), 3, True)
    said = fault(move, 3, False)
    assert "%b1 = pto.vstur" in said.source_line


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("start", [0, 3])
def test_after_no_post_update_the_flush_is_at_its_own_position(start: int, revision: str) -> None:
    """Of the offset, of the base, and in revision micro of AR: the tail is where it belongs."""
    stay = "%stay = arith.constant 0 : index"
    offset = f"""%a1, %same = pto.vstu %a0, %o0, %v0, %ub, "NO_POST_UPDATE"
      : !pto.align, index, {V}, {P} -> !pto.align, index"""
    base = f"""{stay}
      %a1, %same = pto.vstu %a0, %p0, %v0, %ub, %stay
      : !pto.align, {P}, {V}, {P}, index -> !pto.align, {P}"""
    cases = [
        (offset, f"pto.vsta %a1, %ub[%same] : !pto.align, {P}, index", ""),
        (base, f"pto.vstas %a1, %same, %zero32 : !pto.align, {P}, i32", ""),
    ]
    if revision == "micro":
        squeezed = f"""pto.sprclr "AR"
      %q = pto.vsqz %v0, %mask : {V}, !pto.mask<b32> -> {V}
      %a1 = pto.vstur %a0, %q, %p0, "NO_POST_UPDATE" : !pto.align, {V}, {P} -> !pto.align"""
        cases.append((squeezed, FLUSH, "mask"))
    before = memory(start)
    for stores, flush, mask in cases:
        move = stream_kernel(E, stores, flush, revision=revision, mask=32 if mask else 0)
        assert run(move, before, start) == expected(before, AREA + 4 * start, vectors(before, 1))


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("start", [0, 3, 8])
def test_without_a_post_update_a_store_at_the_same_place_is_refused(
    start: int, engine: str
) -> None:
    """Also from a border on, where the vector before left nothing behind."""
    store = "pto.vstu {}, {}, {}, %ub, {} : " + f"!pto.align, {P}, {V}, {P}, index"
    stores = f"""{POST}
      %a1, %p1 = {store.format("%a0", "%p0", "%v0", "%mode")} -> !pto.align, {P}
      %a2, %p2 = {store.format("%a1", "%p1", "%v1", "%post")} -> !pto.align, {P}"""
    flush = f"pto.vstar %a2, %ub : !pto.align, {P}"
    move = partial(stream_kernel(E, stores, flush, "%mode: index"), engine=engine)
    before = memory(start)
    wanted = expected(before, AREA + 4 * start, vectors(before, 2))
    assert run(move, before, start, 1) == wanted
    assert fault(move, start, 0).code == "PTO0912"


STORES = {
    "vstu": f"%a1, %p1 = pto.vstu %a0, %ub, %v0, %ub, %c1"
    f" : !pto.align, {P}, {V}, {P}, index -> !pto.align, {P}",
    "vstus": f"%a1 = pto.vstus %a0, %z, %v0, %ub : !pto.align, i32, {V}, {P} -> !pto.align",
    "vstur": f"%a1 = pto.vstur %a0, %v0, %ub : !pto.align, {V}, {P} -> !pto.align",
}
ENDS = {
    "vsta": f"pto.vsta %a1, %ub[%c64] : !pto.align, {P}, index",
    "vstas": f"pto.vstas %a1, %ub, %end : !pto.align, {P}, i32",
    "vstar": f"pto.vstar %a1, %ub : !pto.align, {P}",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("store", STORES)
def test_streams_are_of_a5_only(store: str, end: str) -> None:
    body = f"""%z = arith.constant 0 : i32
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %end = arith.constant 256 : i32
      %v0 = pto.vlds %ub[%c0] : {P} -> {V}
      pto.sprclr "AR"
      %a0 = pto.init_align : !pto.align
      {STORES[store]}
      {ENDS[end]}"""
    run(kernel("f32", body), bytes(SIZE))
    for target in ("a2a3", "cpu"):
        with pytest.raises(PtoError) as error:
            kernel("f32", body, target=target)
        found = [d for d in error.value.diagnostics if d.code == "PTO0201"]
        for op, one in zip(("sprclr", "init_align", store, end), found, strict=True):
            assert f"pto.{op} does not exist on {target}" in one.message
