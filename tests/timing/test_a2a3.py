"""A2/A3: the manual's formula for every instruction of its table, its bandwidths, and the
calibrated figures."""

from __future__ import annotations

from typing import Any

import pytest

from ptoscope.isa import TABLE as INSTRUCTIONS
from ptoscope.isa.dtypes import BF16, F16, F32, I8, I16, I32, DType
from ptoscope.isa.repeats import constants, measured
from tests.timing.kernels import MASK, REG, UB, lds, scope, sts, timed, unary

INTEGER = "!pto.vreg<64xi32>"

# (instruction, f32 or i32, completion, per repeat): startup 14 and interval 18 for all.
TABLE = [
    *((op, "f32", 19, 2) for op in ("vadd", "vsub", "vmax", "vmin")),
    *((op, "i32", 17, 2) for op in ("vadd", "vsub", "vmax", "vmin")),
    ("vmul", "i32", 18, 2),
    *((op, "i32", 17, 1) for op in ("vand", "vor", "vxor", "vshl", "vshr")),
    *((op, "f32", 19, 1) for op in ("vmaxs", "vmins")),
    ("vexp", "f32", 26, 2),
    ("vsqrt", "f32", 26, 2),
]


def _kernel(op: str, dtype: str) -> str:
    reg, ub = (text.replace("f32", dtype) for text in (REG, UB))
    one = op in ("vexp", "vsqrt")
    values, types = ("%a", reg) if one else ("%a, %a", f"{reg}, {reg}")
    if op in ("vmaxs", "vmins"):
        values, types = "%a, %one", f"{reg}, f32"
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
    """1295 by the formula; 10 + 64 * 2.11 + 14 by the calibrated figures, 160 measured."""
    text = _kernel("vadd", "f32")
    assert _scope_cycles(text, model="manual") == 1295
    assert _scope_cycles(text) == 159
    timing = timed(text, target="a2a3")
    assert timing.model.name == "calibrated"
    by_line = {line.text: line for line in timing.table()}
    (add,) = (line for text, line in by_line.items() if "vadd" in text)
    assert (add.cycles, add.others) == (159, {"manual": 1295})


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


def test_the_published_completion_is_that_of_f32() -> None:
    """The document's figure is for vadd and vsub of f32; of f16 it gives those of vexp, vsqrt."""
    for name in ("vadd", "vsub"):
        sources = {d: constants(INSTRUCTIONS[f"pto.{name}"], d)["completion"] for d in (F32, F16)}
        assert (sources[F32].source, sources[F32].name) == ("manual", "A2A3_COMPL_FP_BINOP")
        assert (sources[F16].source, sources[F16].name) == ("assumed", "")
        assert sources[F16].cycles == sources[F32].cycles == 19
    assert constants(INSTRUCTIONS["pto.vexp"], F16)["completion"].source == "manual"


def test_a_repeat_with_a_scalar_is_the_documents() -> None:
    """A2A3_RPT_1, for what has a scalar; vmax and vmin are binary."""
    for name, cycles in (("vmaxs", 1), ("vmins", 1), ("vadds", 1), ("vmax", 2), ("vmin", 2)):
        figure = constants(INSTRUCTIONS[f"pto.{name}"], F32)["per_repeat"]
        assert (figure.cycles, figure.source, figure.name) == (
            cycles, "manual", f"A2A3_RPT_{cycles}",
        )  # fmt: skip


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
