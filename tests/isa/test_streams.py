"""Unaligned loads and stores of whole vectors, against a stream of single bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import (
    REVISIONS,
    SIZE,
    TARGETS,
    UB_BYTES,
    fault,
    kernel,
    memory,
    of_width,
    run,
)
from tests.isa.stream import AREA, MOST, expected, stream_kernel, vectors

TYPES = ("f32", "f16", "ui8", "si64", "hif8")

# Loads.


def _load_kernel(e: Element, count: int, results: int, target: str, revision: str) -> Any:
    """`count` registers from `%o` elements on, stored one after the other from `%d` on."""
    t, v, p, g = e.name, vreg(e), f"!pto.ptr<{e.name}, ub>", e.granularity
    lines = [
        f'%whole = pto.pset_b{g} "PAT_ALL" : !pto.mask<b{g}>',
        f"%lanes = arith.constant {e.lanes} : index",
        "%d0 = arith.addi %d, %c0 : index",
        f"%p0 = pto.addptr %ub, %o : {p} -> {p}",
        f"%a0 = pto.vldas %p0 : {p} -> !pto.align",
    ]
    for k in range(count):
        if results == 3:
            lines.append(
                f"%v{k}, %a{k + 1}, %p{k + 1} = pto.vldus %p{k}, %a{k}"
                f" : {p}, !pto.align -> {v}, !pto.align, {p}"
            )
        else:
            lines += [
                f"%v{k}, %b{k} = pto.vldus %p{k}, %a{k} : {p}, !pto.align -> {v}, !pto.align",
                f"%p{k + 1} = pto.addptr %p{k}, %lanes : {p} -> {p}",
                f"%a{k + 1} = pto.vldas %p{k + 1} : {p} -> !pto.align",
            ]
        lines += [
            f"pto.vsts %v{k}, %ub[%d{k}], %whole : {v}, {p}, !pto.mask<b{g}>",
            f"%d{k + 1} = arith.addi %d{k}, %lanes : index",
        ]
    return kernel(t, "\n".join(lines), "%o: index, %d: index", target, revision)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("results", [2, 3])
def test_loads(results: int, target: str) -> None:
    for seed, name in enumerate(of_width(0, target)):
        e = Element(name)
        before = memory(seed)
        move = _load_kernel(e, 3, results, target, REVISIONS[seed % 2])
        for offset in (0, 1, 7, 32 // e.bytes + 5, 101):
            at = offset * e.bytes
            after = before[:4096] + before[at : at + 768] + before[4096 + 768 :]
            assert run(move, before, offset, 4096 // e.bytes) == after, (name, offset)


@given(st.integers(0, 3000), st.integers(1, 4), st.sampled_from((2, 3)))
@settings(max_examples=40, deadline=None)
def test_any_loads(offset: int, count: int, results: int) -> None:
    before = memory(offset)
    move = _load_kernel(Element("ui8"), count, results, "a5", "manual")
    after = before[:5120] + before[offset : offset + 256 * count] + before[5120 + 256 * count :]
    assert run(move, before, offset, 5120) == after


@pytest.mark.parametrize("target", TARGETS)
def test_a_load_stays_inside_ub(target: str) -> None:
    move = _load_kernel(Element("f32"), 1, 3, target, "manual")
    last = UB_BYTES[target] // 4 - 64
    run(move, bytes(SIZE), last, 0)
    for outside in (last + 1, -1):
        assert fault(move, outside, 0).code == "PTO0901"


# Stores: every form as a chain of stores that ends with the state %aN and the pointer %pN.


def _advance(e: Element, k: int) -> str:
    p = f"!pto.ptr<{e.name}, ub>"
    return f"%p{k + 1} = pto.addptr %p{k}, %lanes : {p} -> {p}"


def _vstu_base(e: Element, k: int) -> str:
    v, p = vreg(e), f"!pto.ptr<{e.name}, ub>"
    return f"""%post{k} = arith.constant 1 : index
      %a{k + 1}, %p{k + 1} = pto.vstu %a{k}, %p{k}, %v{k}, %ub, %post{k}
        : !pto.align, {p}, {v}, {p}, index -> !pto.align, {p}"""


def _vstu_base_stays(e: Element, k: int) -> str:
    v, p = vreg(e), f"!pto.ptr<{e.name}, ub>"
    return f"""%post{k} = arith.constant 0 : index
      %a{k + 1}, %same{k} = pto.vstu %a{k}, %p{k}, %v{k}, %ub, %post{k}
        : !pto.align, {p}, {v}, {p}, index -> !pto.align, {p}
      %p{k + 1} = pto.addptr %same{k}, %lanes : {p} -> {p}"""


def _vstu_offset(mode: str) -> Callable[[Element, int], str]:
    def store(e: Element, k: int) -> str:
        v, p = vreg(e), f"!pto.ptr<{e.name}, ub>"
        stays = "NO_" in mode
        out = f"%same{k}" if stays else f"%o{k + 1}"
        add = f"%o{k + 1} = arith.addi {out}, %lanes : index" if stays else ""
        return f"""%a{k + 1}, {out} = pto.vstu %a{k}, %o{k}, %v{k}, %ub{mode}
        : !pto.align, index, {v}, {p} -> !pto.align, index
      {add}
      %p{k + 1} = pto.addptr %ub, %o{k + 1} : {p} -> {p}"""

    return store


def _vstus_base(e: Element, k: int) -> str:
    """Displaced: the base is 3 elements before the place."""
    v, p = vreg(e), f"!pto.ptr<{e.name}, ub>"
    return f"""%back{k} = arith.constant -3 : index
      %three{k} = arith.constant 3 : i32
      %q{k} = pto.addptr %p{k}, %back{k} : {p} -> {p}
      %a{k + 1}, %p{k + 1} = pto.vstus %a{k}, %q{k}, %v{k}, %ub, %three{k}
        : !pto.align, {p}, {v}, {p}, i32 -> !pto.align, {p}"""


def _vstus_moded(mode: str) -> Callable[[Element, int], str]:
    def store(e: Element, k: int) -> str:
        v, p = vreg(e), f"!pto.ptr<{e.name}, ub>"
        out = f"%same{k}" if "NO_" in mode else f"%p{k + 1}"
        add = f"%p{k + 1} = pto.addptr {out}, %lanes : {p} -> {p}" if "NO_" in mode else ""
        return f"""%a{k + 1}, {out} = pto.vstus %a{k}, %zero32, %v{k}, %p{k}{mode}
        : !pto.align, i32, {v}, {p} -> !pto.align, {p}
      {add}"""

    return store


def _vstus_plain(e: Element, k: int) -> str:
    """The displacement of the store from one base."""
    v, p = vreg(e), f"!pto.ptr<{e.name}, ub>"
    return f"""%far{k} = arith.constant {k * e.lanes} : i32
      %a{k + 1} = pto.vstus %a{k}, %far{k}, %v{k}, %p0 : !pto.align, i32, {v}, {p} -> !pto.align
      {_advance(e, k)}"""


def _vstur(mode: str) -> Callable[[Element, int], str]:
    def store(e: Element, k: int) -> str:
        v, p = vreg(e), f"!pto.ptr<{e.name}, ub>"
        return f"""%a{k + 1} = pto.vstur %a{k}, %v{k}, %p0{mode}
        : !pto.align, {v}, {p} -> !pto.align
      {_advance(e, k)}"""

    return store


FORMS: dict[str, Callable[[Element, int], str]] = {
    "vstu form A, mode 1": _vstu_base,
    "vstu form A, mode 0": _vstu_base_stays,
    "vstu form B, POST_UPDATE": _vstu_offset(', "POST_UPDATE"'),
    "vstu form B, NO_POST_UPDATE": _vstu_offset(', "NO_POST_UPDATE"'),
    "vstu without a mode": _vstu_offset(""),
    "vstus form A": _vstus_base,
    "vstus form B, POST_UPDATE": _vstus_moded(', "POST_UPDATE"'),
    "vstus form B, NO_POST_UPDATE": _vstus_moded(', "NO_POST_UPDATE"'),
    "vstus with a displacement": _vstus_plain,
    "vstur form A": _vstur(""),
    "vstur form B, POST_UPDATE": _vstur(', "POST_UPDATE"'),
    "vstur form B, NO_POST_UPDATE": _vstur(', "NO_POST_UPDATE"'),
}
IN_BOTH = tuple(form for form in FORMS if form.startswith("vstu "))
"""Forms that the revisions do not see differently."""


def _flush(op: str, form: str, e: Element, count: int) -> str:
    p = f"!pto.ptr<{e.name}, ub>"
    # The base that the stores name: form A's dest, form B's base.
    base = "%ub" if form.startswith("vstu ") or form == "vstus form A" else "%p0"
    return {
        "vsta": f"pto.vsta %a{count}, %p{count}[%c0] : !pto.align, {p}, index",
        "vstas": f"pto.vstas %a{count}, %p{count}, %zero32 : !pto.align, {p}, i32",
        "vstar": f"pto.vstar %a{count}, {base} : !pto.align, {p}",
    }[op]


@cache
def _store_kernel(form: str, name: str, count: int, flush: str, revision: str) -> Any:
    e = Element(name)
    stores = "\n".join(FORMS[form](e, k) for k in range(count))
    return stream_kernel(e, stores, _flush(flush, form, e, count), revision=revision)


@pytest.mark.parametrize("flush", ["vsta", "vstas", "vstar"])
@pytest.mark.parametrize("form", FORMS)
def test_stores(form: str, flush: str) -> None:
    """Up to the last border the bytes are in UB before the flush, the rest after it."""
    for seed, name in enumerate(TYPES):
        e = Element(name)
        before = memory(seed)
        for count, start in ((1, 0), (1, 1), (2, 32 // e.bytes - 1), (3, 5)):
            wanted = expected(before, AREA + start * e.bytes, vectors(before, count))
            move = _store_kernel(form, name, count, flush, "manual")
            assert run(move, before, start) == wanted, (name, count, start)
            if form in IN_BOTH and flush != "vstar":
                move = _store_kernel(form, name, count, flush, "micro")
                assert run(move, before, start) == wanted, (name, count, start)


@given(st.sampled_from(list(FORMS)), st.integers(0, 31), st.integers(1, MOST), st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_any_stores(form: str, start: int, count: int, seed: int) -> None:
    before = memory(seed)
    move = _store_kernel(form, "ui8", count, "vstas", "manual")
    wanted = expected(before, AREA + start, vectors(before, count))
    assert run(move, before, start) == wanted


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("revision", REVISIONS)
def test_flush_offsets(revision: str, name: str) -> None:
    """vsta counts elements; vstas bytes in the manual and elements in the micro text."""
    e = Element(name)
    p = f"!pto.ptr<{name}, ub>"
    unit = 1 if revision == "manual" else e.bytes
    flushes = (
        f"pto.vsta %a2, %p0[%two] : !pto.align, {p}, index",
        f"pto.vstas %a2, %p0, %far : !pto.align, {p}, i32",
    )
    for flush in flushes:
        stores = f"""%two = arith.constant {2 * e.lanes} : index
        %far = arith.constant {512 // unit} : i32
        {_vstu_base(e, 0)}
        {_vstu_base(e, 1)}"""
        before = memory(7)
        move = stream_kernel(e, stores, flush, revision=revision)
        assert run(move, before, 3) == expected(before, AREA + 3 * e.bytes, vectors(before, 2))
