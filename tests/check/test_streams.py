"""Unaligned streams through loops and branches: what is legal stays silent."""

from __future__ import annotations

import pytest

from ptoscope import ir
from ptoscope.check import check
from ptoscope.isa.targets import TARGETS, Revision

V, P, A = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>", "!pto.align"
BEGIN = f"%a = pto.init_align : {A}"


def append(result: str, state: str, base: str = "%odd") -> str:
    return f"{result} = pto.vstur {state}, %v, {base} : {A}, {V}, {P} -> {A}"


def flush(state: str, base: str = "%odd") -> str:
    return f"pto.vstar {state}, {base} : {A}, {P}"


def codes(*lines: str, revision: Revision = "manual") -> list[str]:
    body = "\n".join(lines)
    text = f"""\
func.func @kernel(%n: index, %yes: i1) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %ub = pto.castptr %zero : i64 -> {P}
  %odd = pto.castptr %four : i64 -> {P}
  pto.vecscope {{
    %v = pto.vlds %ub[%c0] : {P} -> {V}
{body}
  }}
  return
}}
"""
    return [d.code for d in check(ir.lower(ir.parse(text)), TARGETS["a5"], revision)]


LOOP = f"%b = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> ({A}) {{"


def test_a_stream_through_a_loop() -> None:
    assert codes(BEGIN, LOOP, append("%t", "%s"), f"scf.yield %t : {A}", "}", flush("%b")) == []


def test_a_loop_that_does_not_thread_its_stream() -> None:
    lines = ("scf.for %i = %c0 to %n step %c1 {", append("%t", "%a"), flush("%t"), "}")
    assert codes(BEGIN, *lines) == ["PTO0403"]


def test_a_stream_of_its_own_in_every_turn() -> None:
    lines = ("scf.for %i = %c0 to %n step %c1 {", BEGIN, append("%t", "%a"), flush("%t"), "}")
    assert codes(*lines) == []


def test_a_stream_that_leaves_its_loop_unflushed() -> None:
    found = codes(BEGIN, LOOP, append("%t", "%s"), f"scf.yield %t : {A}", "}")
    # The last state is carried by the loop: whether it is used afterwards is not followed.
    assert found == []


def test_branches_may_each_use_a_state() -> None:
    lines = (
        append("%t", "%a"),
        "scf.if %yes {",
        flush("%t"),
        "} else {",
        flush("%t"),
        "}",
    )
    assert codes(BEGIN, *lines) == []


def test_a_state_chosen_by_a_branch_is_followed() -> None:
    lines = (
        f"%t = scf.if %yes -> ({A}) {{",
        append("%x", "%a"),
        f"scf.yield %x : {A}",
        "} else {",
        f"scf.yield %a : {A}",
        "}",
        flush("%t"),
    )
    assert codes(BEGIN, *lines) == []


@pytest.mark.parametrize(("base", "owed"), [("%ub", []), ("%odd", ["PTO0402"])])
def test_a_flush_is_owed_unless_the_stream_ends_a_block(base: str, owed: list[str]) -> None:
    assert codes(BEGIN, append("%t", "%a", base)) == owed


def test_in_revision_micro_the_length_is_not_known() -> None:
    assert codes(BEGIN, append("%t", "%a", "%ub"), revision="micro") == ["PTO0402"]


@pytest.mark.parametrize(("offset", "owed"), [("%eight", []), ("%one", ["PTO0402"])])
def test_an_offset_counts(offset: str, owed: list[str]) -> None:
    lines = (
        "%eight = arith.constant 8 : i32",
        "%one = arith.constant 1 : i32",
        f"%t, %n2 = pto.vstus %a, %ub, %v, %ub, {offset} : {A}, {P}, {V}, {P}, i32 -> {A}, {P}",
    )
    assert codes(BEGIN, *lines) == owed


def test_a_primed_load_through_a_loop() -> None:
    prime = f"%a = pto.vldas %odd : {P} -> {A}"
    lines = (
        f"%b = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> ({A}) {{",
        f"%r, %t = pto.vldus %odd, %s : {P}, {A} -> {V}, {A}",
        f"scf.yield %t : {A}",
        "}",
    )
    assert codes(prime, *lines) == []
    assert codes(BEGIN, *lines) == ["PTO0401"]
