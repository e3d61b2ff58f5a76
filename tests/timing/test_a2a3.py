"""A2/A3: the manual's formula for every instruction of its table, its bandwidths, and the
calibrated figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope.isa import TABLE as INSTRUCTIONS
from ptoscope.isa.dtypes import BF16, F16, F32, I8, I16, I32, DType
from ptoscope.isa.repeats import constants, measured
from tests.timing.kernels import GM, MASK, REG, UB, lds, scope, sts, timed, unary

INTEGER = "!pto.vreg<64xi32>"

# (instruction, f32 or i32, completion, per repeat): startup 14 and interval 18 for all.
TABLE = [
    *((op, "f32", 19, 2) for op in ("vadd", "vsub", "vmax", "vmin")),
    *((op, "i32", 17, 2) for op in ("vadd", "vsub", "vmax", "vmin")),
    ("vmul", "i32", 18, 2),
    *((op, "i32", 17, 1) for op in ("vand", "vor", "vxor", "vshl", "vshr")),
    ("vexp", "f32", 26, 2),
    ("vsqrt", "f32", 26, 2),
]


def _kernel(op: str, dtype: str) -> str:
    reg, ub = (text.replace("f32", dtype) for text in (REG, UB))
    one = op in ("vexp", "vsqrt")
    values, types = ("%a", reg) if one else ("%a, %a", f"{reg}, {reg}")
    return scope(
        f"%u = pto.castptr %zero : i64 -> {ub}" if dtype != "f32" else "",
        "scf.for %i = %c0 to %n step %c1 {",
        f"%a = pto.vlds %{'u' if dtype != 'f32' else 'ub'}[%c0] : {ub} -> {reg}",
        f"%r = pto.{op} {values}, %all : {types}, {MASK} -> {reg}",
        f"pto.vsts %r, %{'u' if dtype != 'f32' else 'ub'}[%c0], %all : {reg}, {ub}, {MASK}",
        "}",
        n=64,
    )


def _scope_cycles(text: str, **options: Any) -> int:
    (found,) = timed(text, target="a2a3", **options).as_json()["vecscopes"]
    return found["cycles"]


@pytest.mark.parametrize(("op", "dtype", "completion", "each"), TABLE)
def test_the_manuals_formula(op: str, dtype: str, completion: int, each: int) -> None:
    """startup + completion + repeats * per_repeat + (repeats - 1) * interval, 64 repeats."""
    expected = 14 + completion + 64 * each + 63 * 18
    assert _scope_cycles(_kernel(op, dtype), model="manual") == expected


def test_64_by_64_by_both_models() -> None:
    """1295 by the formula; 10 + 64 * 2 + 14 by the calibrated figures, 160 measured."""
    text = _kernel("vadd", "f32")
    assert _scope_cycles(text, model="manual") == 1295
    assert _scope_cycles(text) == 152
    timing = timed(text, target="a2a3")
    assert timing.model.name == "calibrated"
    by_line = {line.text: line for line in timing.table()}
    (add,) = (line for text, line in by_line.items() if "vadd" in text)
    assert (add.cycles, add.others) == (152, {"manual": 1295})


def test_a_vecscope_that_only_copies_is_moves() -> None:
    """vmov has interval 13; the calibrated copy takes head 11, 1 per repeat, tail 13."""
    text = scope("scf.for %i = %c0 to %n step %c1 {", lds("a"), sts("a"), "}", n=10)
    assert _scope_cycles(text, model="manual") == 14 + 19 + 10 * 1 + 9 * 13
    assert _scope_cycles(text) == 11 + 10 + 13


def test_a_gather_is_an_instruction() -> None:
    """Measured: head 24, 2 per repeat."""
    text = scope(
        "%z = arith.constant 0 : i32",
        "%lanes = pto.vci %z : i32 -> !pto.vreg<64xi32>",
        "scf.for %i = %c0 to %n step %c1 {",
        f"%g = pto.vgather2 %ub, %lanes, %c64 : {UB}, !pto.vreg<64xi32>, index -> {REG}",
        "}",
        n=20,
    )
    # vci comes first, as a copy: its head, and 1 for its only repeat.
    assert _scope_cycles(text) == 11 + 1 + 20 * 2


def test_instructions_follow_one_another() -> None:
    """The head counts once, before the first; the tail once, after the last."""
    text = scope(lds("x"), unary("vexp", "e", "x"), unary("vabs", "a", "e"))
    assert _scope_cycles(text) == 13 + 2 + 1 + 16
    assert _scope_cycles(text, model="manual") == (14 + 26 + 2) + (14 + 19 + 1)


def test_an_instruction_without_a_figure_takes_its_nearest_class_and_says_so() -> None:
    text = scope(lds("x"), unary("vcmax", "e", "x"))
    timing = timed(text, target="a2a3", model="manual")
    assert _scope_cycles(text, model="manual") == 14 + 19 + 2
    names = {(row["name"], row["figure"]) for row in timing.as_json()["assumed"]}
    assert ("vcmax", "completion") in names


def _copy(nbytes: int, back: bool = False) -> str:
    head, tail = scope().split("    pto.vecscope {")
    tail = tail[tail.index("    return") :]
    head = head.replace("@k()", f"@k(%gm: {GM})")
    lines = f"    %bytes = arith.constant {nbytes} : i64\n    %burst = arith.constant 1 : i64\n"
    ends, types = ("%ub, %gm, ", f"{UB}, {GM}") if back else ("%gm, %ub, %zero, ", f"{GM}, {UB}")
    integers = ", ".join(["i64"] * (4 if back else 5))
    lines += (
        f"    pto.mte_{'ub_gm' if back else 'gm_ub'} {ends}%bytes "
        f"nburst(%burst, %bytes, %bytes) : {types}, {integers}\n"
    )
    return head + lines + tail


def _busy(text: str, pipe: str, nbytes: int, **options: Any) -> int:
    timing = timed(text, np.zeros(nbytes // 4, np.float32), **options)
    (found,) = (p for p in timing.as_json()["pipes"] if p["pipe"] == pipe)
    return found["busy"]


@pytest.mark.parametrize(("nbytes", "expected"), [(4096, 32), (128, 1), (132, 2), (32, 1)])
def test_4096_bytes_are_32_cycles(nbytes: int, expected: int) -> None:
    options = {"target": "a2a3", "model": "manual"}
    assert _busy(_copy(nbytes), "PIPE_MTE2", nbytes, **options) == expected


def test_calibrated_bandwidths() -> None:
    assert _busy(_copy(4096), "PIPE_MTE2", 4096, target="a2a3") == -(-4096 * 10 // 586)
    assert _busy(_copy(4096, back=True), "PIPE_MTE3", 4096, target="a2a3") == -(-40960 // 1094)


def test_a5_transfers_are_assumed_and_can_be_set() -> None:
    """64 cycles of start-up and 128 bytes a cycle, unless given."""
    assert _busy(_copy(4096), "PIPE_MTE2", 4096) == 64 + 32
    given = {"dma.gm_to_ub.startup": 10.0, "dma.gm_to_ub.bytes_per_cycle": 64.0}
    assert _busy(_copy(4096), "PIPE_MTE2", 4096, overrides=given) == 10 + 64
    timing = timed(_copy(4096), np.zeros(1024, np.float32))
    names = {(row["name"], row["figure"]) for row in timing.as_json()["assumed"]}
    assert {("gm_to_ub", "startup"), ("gm_to_ub", "bytes_per_cycle")} <= names


@pytest.mark.parametrize("dtype", [F32, F16, BF16, I32, I16, I8], ids=str)
def test_every_instruction_has_figures_in_both_models(dtype: DType) -> None:
    """Those that compute; whatever is not of its own is assumed."""
    for record in INSTRUCTIONS.values():
        if record.where != "vecscope" or "a2a3" not in record.targets:
            continue
        if record.group in ("load/store", "predicate load/store", "predicates", "synchronisation"):
            continue
        if record.short == "vbitcast":
            continue
        found = constants(record, dtype)
        assert found["startup"].cycles == 14, record.short
        assert 17 <= found["completion"].cycles <= 29, record.short
        assert found["per_repeat"].cycles in (1, 2, 4), record.short
        assert found["interval"].cycles in (13, 18), record.short
        for figure in found.values():
            assert figure.name if figure.source == "manual" else figure.note
        for figure in measured(record, {}):
            assert figure.cycles >= 0
            assert figure.source == "measured" or figure.note
