"""Where an element comes from: through every kind of writer, back to the lane and its line."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import RecordedRun, UsageError
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.replay.origin import OriginChain

from ..check.pipes import G, M, P, V, copy_in, copy_out, kernel, load, program, scope, store

I = "!pto.vreg<64xi32>"  # noqa: E741
B = 4096
"""Where %b begins; %a begins at 0."""


def recorded(*lines: str) -> tuple[RecordedRun, list[str]]:
    text = kernel(*lines)
    x, y = np.arange(4096, dtype=np.float32) + 1, np.zeros(4096, np.float32)
    run = Kernel(program(text), TARGETS["a5"], "manual").record(x, y, 3, True, False)
    assert run.error is None, run.error
    return run, text.split("\n")


def whats(origin: OriginChain) -> list[str]:
    return [link.what for link in origin if not link.steers]


def line_of(text: list[str], part: str) -> int:
    (found,) = [number for number, line in enumerate(text, 1) if part in line]
    return found


WRITERS = {
    # name: instructions of a vecscope after %v was loaded, the byte of %b, the lanes.
    "a store": ([store("%v")], 12, ["lane 3 of %v"]),
    "a store under a mask": (
        [
            store("%v"),
            load("%u", "%b"),
            f"%w = pto.vadd %u, %v, %m : {V}, {V}, {M} -> {V}",
            f'%t = pto.pset_b32 "PAT_VL3" : {M}',
            store("%w", mask="%t"),
        ],
        12,
        ["lane 3 of %v"],
    ),
    "the lower half of each lane": (
        [f'pto.vsts %v, %b[%i0], %m {{dist = "PK_B32"}} : {V}, {P}, {M}'],
        20,
        ["lane 10 of %v", "lane 11 of %v"],
    ),
    "interleaved stores, the first": (
        [
            f"%w = pto.vadd %v, %v, %m : {V}, {V}, {M} -> {V}",
            f'pto.vstsx2 %v, %w, %b[%i0], "INTLV_B32", %m : {V}, {V}, {P}, index, {M}',
        ],
        40,
        ["lane 5 of %v"],
    ),
    "interleaved stores, the second": (
        [
            f"%w = pto.vadd %v, %v, %m : {V}, {V}, {M} -> {V}",
            f'pto.vstsx2 %v, %w, %b[%i0], "INTLV_B32", %m : {V}, {V}, {P}, index, {M}',
        ],
        44,
        ["lane 5 of %w", "lane 5 of %v"],
    ),
    "a scatter": (
        [
            "%last = arith.constant 63 : i32",
            f'%down = pto.vci %last {{order = "DESC"}} : i32 -> {I}',
            f"pto.vscatter %v, %b, %down, %m : {V}, {P}, {I}, {M}",
        ],
        12,
        ["lane 60 of %v"],
    ),
    "a stream, its first bytes": (
        [
            f"%p0 = pto.addptr %b, %i2 : {P} -> {P}",
            "%zero = arith.constant 0 : i32",
            "%s0 = pto.init_align : !pto.align",
            f'%s1, %p1 = pto.vstus %s0, %zero, %v, %p0, "POST_UPDATE" : !pto.align, i32, {V}, {P}'
            f" -> !pto.align, {P}",
            f"pto.vstas %s1, %p1, %zero : !pto.align, {P}, i32",
        ],
        8,
        ["lane 0 of %v"],
    ),
    "a stream, what a flush wrote": (
        [
            f"%p0 = pto.addptr %b, %i2 : {P} -> {P}",
            "%zero = arith.constant 0 : i32",
            "%s0 = pto.init_align : !pto.align",
            f'%s1, %p1 = pto.vstus %s0, %zero, %v, %p0, "POST_UPDATE" : !pto.align, i32, {V}, {P}'
            f" -> !pto.align, {P}",
            f"pto.vstas %s1, %p1, %zero : !pto.align, {P}, i32",
        ],
        260,
        ["lane 63 of %v"],
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_writer_in_a_vecscope(name: str) -> None:
    lines, byte, lanes = WRITERS[name]
    run, _ = recorded(copy_in("%a"), scope(load("%v", "%a"), *lines))
    origin = run.origin("ub", B + byte, 4)
    found = whats(origin)
    assert found[0] == f"bytes {B + byte} to {B + byte + 3} of ub"
    assert found[1 : 1 + len(lanes)] == lanes
    # The lane of %v is the number that x has there.
    lane = int(lanes[-1].split()[1])
    (value,) = [link for link in origin if link.what == f"lane {lane} of %v"]
    assert value.value == f"{lane + 1}"
    assert any(link.what == f"bytes {4 * lane} to {4 * lane + 3} of %x" for link in origin)


def test_a_strided_copy() -> None:
    run, _ = recorded(copy_in("%b", "%l32", "%l4", "%l64"))
    # The third row is at byte 128, and holds what is at byte 64 of x.
    origin = run.origin("ub", B + 2 * 64 + 8, 4)
    assert whats(origin) == [f"bytes {B + 136} to {B + 139} of ub", "bytes 72 to 75 of %x"]
    assert origin.links[1].data == np.float32(72 // 4 + 1).tobytes()
    between = run.origin("ub", B + 32, 4)
    assert str(between).endswith("undefined: nobody wrote it")


def test_a_copy_with_padding() -> None:
    run, text = recorded(
        "%g = arith.constant 7.0 : f32\n%l20 = arith.constant 20 : i64\n"
        "pto.mte_gm_ub %x, %b, %l0, %l20 nburst(%l2, %l32, %l64) pad(%g, %l1, %l1)"
        f" : {G}, {P}, i64, i64, i64, i64, i64, pad f32, i64, i64"
    )
    # One element of padding, five of data, then padding again.
    data = run.origin("ub", B + 64 + 8, 4)
    assert whats(data)[1:] == ["bytes 36 to 39 of %x"]
    for byte in (64, 64 + 24, 28):
        padding = run.origin("ub", B + byte, 4)
        assert whats(padding) == [f"bytes {B + byte} to {B + byte + 3} of ub"]
        assert padding.links[0].data == np.float32(7).tobytes()
        assert line_of(text, "arith.constant 7.0") in padding.lines


def test_a_scalar_store() -> None:
    run, text = recorded(
        "%f = arith.constant 1.5 : f32",
        f"%g = arith.addf %f, %f : f32\npto.store_scalar %g, %y[%i2] : {G}, f32",
    )
    origin = run.origin("%y", 8, 4)
    assert whats(origin) == ["bytes 8 to 11 of %y", "%g", "%f"]
    assert [link.line for link in origin if not link.steers] == [
        line_of(text, "pto.store_scalar"),
        line_of(text, "arith.addf"),
        line_of(text, "arith.constant 1.5"),
    ]
    assert [link.value for link in origin.links[1:3]] == ["3", "1.5"]
    # Bytes that nobody wrote are those of the caller.
    assert str(run.origin("%y", 16, 4)) == "bytes 16 to 19 of %y: given at the launch"


def test_a_sum_leads_to_all_that_it_adds() -> None:
    run, text = recorded(
        copy_in("%a"),
        scope(load("%v", "%a"), f"%s = pto.vcadd %v, %m : {V}, {M} -> {V}", store("%s")),
        copy_out(),
    )
    origin = run.origin("%y", 0, 4)
    assert whats(origin) == [
        "bytes 0 to 3 of %y",
        f"bytes {B} to {B + 3} of ub",
        "lane 0 of %s",
        "%v",
        "bytes 0 to 255 of ub",
        "bytes 0 to 255 of %x",
    ]
    assert origin.links[2].value == "2080"
    assert line_of(text, "pto.vcadd") in origin.data_lines


def test_values_that_loops_and_branches_pass_on() -> None:
    run, text = recorded(
        "%f = arith.constant 1.5 : f32\n%h = arith.constant 4.0 : f32",
        "%r = scf.for %k = %i0 to %i2 step %i1 iter_args(%e = %f) -> (f32) {\n"
        "%g = arith.addf %e, %e : f32\nscf.yield %g : f32\n}",
        "%q = scf.if %yes -> (f32) {\n%p = arith.subf %r, %h : f32\nscf.yield %p : f32\n} else {\n"
        "scf.yield %h : f32\n}",
        f"pto.store_scalar %q, %y[%i0] : {G}, f32",
    )
    origin = run.origin("%y", 0, 4)
    assert [(link.what, link.value) for link in origin if not link.steers][1:] == [
        ("%p", "2"),
        ("%g", "6"),
        ("%h", "4"),
        ("%g", "3"),
        ("%f", "1.5"),
    ]
    assert line_of(text, "arith.addf") in origin.lines


def test_bytes_that_are_not_there() -> None:
    run, _ = recorded(copy_in("%a"))
    with pytest.raises(UsageError, match=r"ub has bytes 0 to 262143"):
        run.origin("ub", 1 << 18)
    with pytest.raises(UsageError, match=r"there is no memory 'l1'"):
        run.origin("l1", 0)
