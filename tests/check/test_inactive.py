"""Inactive lanes that reach GM: the overview forbids to rely on them, revision micro has zeros."""

from __future__ import annotations

import pytest

from ptoscope.check.inactive import RULES
from ptoscope.check.rule import Context
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS, Revision

from .pipes import M, V, copy_in, copy_out, kernel, load, program, scope, store

BARRIER = "pto.barrier #pto.pipe"
HALF = f'%half = pto.pset_b32 "PAT_H" : {M}'
ABS = f"%w = pto.vabs %v, %half : {V}, {M} -> {V}"


def found(text: str, revision: Revision = "manual") -> list[Diagnostic]:
    read = program(text)
    (rule,) = RULES
    return list(rule.diagnostics(Context(read, read.functions[0], TARGETS["a5"], revision)))


def whole(*lines: str, after: str = "", length: str = "%l256") -> str:
    """Lines between a copy in and a copy out, the latter of so many bytes."""
    out = copy_out("%b", length)
    return kernel(copy_in("%a", "%l512"), BARRIER, scope(*lines), BARRIER, after, out)


def test_a_store_of_lanes_outside_the_mask() -> None:
    text = whole(HALF, load(), ABS, store("%w"))
    (said,) = found(text)
    assert (said.code, said.severity) == ("PTO0514", "warning")
    assert "pto.vabs" in said.message
    assert "GM" in said.message
    assert found(text, "micro") == []


OTHER = load("%o", offset="%i64")


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([HALF, load(), ABS, store("%w", mask="%half")], id="stored with its mask"),
        pytest.param(
            [HALF, load(), ABS, f"%u = pto.vsel %w, %v, %half : {V}, {V}, {M} -> {V}", store("%u")],
            id="merged",
        ),
        pytest.param(
            [
                HALF,
                load(),
                "%k = arith.constant 2.0 : f32",
                f"%w = pto.vmuls %v, %k, %half : {V}, f32, {M} -> {V}",
                store("%w"),
            ],
            id="vector-scalar: its document makes them zero",
        ),
        pytest.param(
            [
                "%k = arith.index_cast %n : index to i32",
                f"%half, %rest = pto.plt_b32 %k : i32 -> {M}, i32",
                load(),
                ABS,
                store("%w"),
            ],
            id="a count of the launch may be all of them",
        ),
        pytest.param(
            [HALF, load(), ABS, f"%s = pto.vcadd %w, %half : {V}, {M} -> {V}", store("%s")],
            id="a sum of the active lanes",
        ),
        pytest.param([HALF, load(), ABS, store("%w", "%c")], id="stored where no copy reads"),
        pytest.param(
            [HALF, load(), ABS, store("%w"), 'pto.mem_bar "VST_VST"', store("%v")],
            id="overwritten",
        ),
    ],
)
def test_what_does_not_rely_on_them_is_silent(lines: list[str]) -> None:
    assert found(whole(*lines)) == []


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            [HALF, load(), ABS, f"%u = pto.vexp %w, %m : {V}, {M} -> {V}", store("%u")],
            id="through a chain",
        ),
        pytest.param(
            [HALF, load(), ABS, f"%s = pto.vcadd %w, %m : {V}, {M} -> {V}", store("%s")],
            id="through a sum of all lanes",
        ),
        pytest.param(
            [HALF, load(), ABS, f"%u = pto.vsel %v, %w, %half : {V}, {V}, {M} -> {V}", store("%u")],
            id="merged the wrong way",
        ),
    ],
)
def test_what_relies_on_them_is_said(lines: list[str]) -> None:
    assert [d.code for d in found(whole(*lines))] == ["PTO0514"]


@pytest.mark.parametrize(("length", "expected"), [("%l128", 0), ("%l256", 1)])
def test_a_copy_of_the_active_lanes_alone_is_silent(length: str, expected: int) -> None:
    assert len(found(whole(HALF, load(), ABS, store("%w"), length=length))) == expected


@pytest.mark.parametrize(("mask", "expected"), [("%m", 1), ("%half", 0)])
def test_a_kernel_that_copies_nothing_out_leaves_them_in_ub(mask: str, expected: int) -> None:
    text = kernel(copy_in(), BARRIER, scope(HALF, load(), ABS, store("%w", mask=mask)))
    assert len(found(text)) == expected


@pytest.mark.parametrize(("count", "expected"), [(1000, ["at %i = 960"]), (1024, [])])
def test_the_tail_of_a_loop(count: int, expected: list[str]) -> None:
    """The last iteration computes 40 lanes and stores 64, and all of them are copied out."""
    text = kernel(
        f"%count = arith.constant {count} : i32",
        "%l4000 = arith.constant 4096 : i64",
        copy_in("%a", "%l4000"),
        BARRIER,
        scope(
            "%e = scf.for %i = %i0 to %i1024 step %i64 iter_args(%left = %count) -> (i32) {",
            f"%half, %next = pto.plt_b32 %left : i32 -> {M}, i32",
            load("%v", "%a", "%i"),
            ABS,
            store("%w", "%b", "%i"),
            "scf.yield %next : i32",
            "}",
        ),
        BARRIER,
        copy_out("%b", "%l4000"),
    )
    said = found(text)
    assert len(said) == len(expected)
    assert all(where in d.message for d, where in zip(said, expected, strict=True))
