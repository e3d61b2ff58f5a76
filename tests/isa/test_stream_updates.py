"""Streams that give the advanced base as a result, against copies of bytes."""

from __future__ import annotations

import pytest

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import codes, kernel, memory, run

TYPES = ("f32", "f16", "ui8")
COUNT = 4


def _copy(e: Element, step: int, loads: str, stores: str, flush: str) -> str:
    """Copies vectors between unaligned addresses `%from` and `%to`, `step` elements of each."""
    p = f"!pto.ptr<{e.name}, ub>"
    return f"""%src = pto.castptr %from : i64 -> {p}
      %dst = pto.castptr %to : i64 -> {p}
      %c1 = arith.constant 1 : index
      %count = arith.constant {COUNT} : index
      %lanes = arith.constant {e.lanes} : index
      %step = arith.constant {step} : i32
      %none = arith.constant 0 : i32
      %l0 = pto.vldas %src : {p} -> !pto.align
      %s0 = pto.init_align : !pto.align
      %l, %s, %a, %b = scf.for %i = %c0 to %count step %c1
          iter_args(%la = %l0, %sa = %s0, %pa = %src, %pb = %dst)
          -> (!pto.align, !pto.align, {p}, {p}) {{
        {loads}
        {stores}
        scf.yield %lb, %sb, %qa, %qb : !pto.align, !pto.align, {p}, {p}
      }}
      {flush}"""


def _lines(e: Element) -> tuple[str, str, str]:
    p, v = f"!pto.ptr<{e.name}, ub>", vreg(e)
    return (
        f"%v, %lb, %qa = pto.vldus %pa, %la, %lanes : {p}, !pto.align, index "
        f"-> {v}, !pto.align, {p}",
        f"%sb, %qb = pto.vstus %sa, %step, %v, %pb : !pto.align, i32, {v}, {p} -> !pto.align, {p}",
        f"%end = pto.vstas %s, %b, %none : !pto.align, {p}, i32 -> {p}",
    )


@pytest.mark.parametrize("name", TYPES)
def test_a_loop_of_post_updates(name: str) -> None:
    """As many elements of each vector as the store says follow each other."""
    e = Element(name)
    before = memory(7)
    for step in (e.lanes, e.lanes // 2 + 1, 1):
        move = kernel(name, _copy(e, step, *_lines(e)), "%from: i64, %to: i64", revision="micro")
        for start, to in ((40, 4104), (64, 4096), (4 * 9, 4 * 1031)):
            part = step * e.bytes
            rows = [before[start + 256 * i :][:part] for i in range(COUNT)]
            expected = before[:to] + b"".join(rows) + before[to + COUNT * part :]
            assert run(move, before, start, to) == expected, (step, start, to)


@pytest.mark.parametrize("name", TYPES)
def test_the_flush_gives_where_the_stream_ended(name: str) -> None:
    """A second stream begins there."""
    e = Element(name)
    p, v = f"!pto.ptr<{name}, ub>", vreg(e)
    before = memory(8)
    body = f"""%dst = pto.castptr %to : i64 -> {p}
      %n = arith.constant 3 : i32
      %v = pto.vlds %ub[%c0] : {p} -> {v}
      %s0 = pto.init_align : !pto.align
      %s1 = pto.vstus %s0, %n, %v, %dst : !pto.align, i32, {v}, {p} -> !pto.align
      %next = pto.vstas %s1, %dst, %n : !pto.align, {p}, i32 -> {p}
      pto.mem_bar "VV_ALL"
      %s2 = pto.init_align : !pto.align
      %s3, %last = pto.vstus %s2, %n, %v, %next : !pto.align, i32, {v}, {p} -> !pto.align, {p}
      %none = arith.constant 0 : i32
      pto.vstas %s3, %last, %none : !pto.align, {p}, i32"""
    move = kernel(name, body, "%to: i64", revision="micro")
    part = before[: 3 * e.bytes]
    expected = before[:4108] + part + part + before[4108 + 2 * len(part) :]
    assert run(move, before, 4108) == expected


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("%qa = pto.vldus %pa, %la, %lanes : P, !pto.align, index -> V, !pto.align, P", "P2"),
        ("%qb = pto.vstus %sa, %step, %v, %pb : !pto.align, i32, V, P -> !pto.align, P", "P2"),
        ("%end = pto.vstas %s, %b, %none : !pto.align, P, i32 -> P", "P2"),
    ],
)
def test_the_base_keeps_its_type(written: str, instead: str) -> None:
    e = Element("f32")
    names = {"P2": "!pto.ptr<i32, ub>", "P": "!pto.ptr<f32, ub>", "V": vreg(e)}
    right = written
    wrong = written[:-1] + instead
    for short, long in names.items():
        right = right.replace(f" {short}", f" {long}") if short != "P2" else right
        wrong = wrong.replace(f" {short}", f" {long}")
    body = _copy(e, 64, *_lines(e))
    assert right in body
    found = codes("f32", body.replace(right, wrong), "%from: i64, %to: i64", revision="micro")
    assert found & {"PTO0101", "PTO0009"}
