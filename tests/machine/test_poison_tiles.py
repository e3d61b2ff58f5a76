"""Undefined data in the memories of the matrix core: it goes with tiles, through conversions and
into products, and is told where it reaches GM."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope.diagnostics import Diagnostic
from ptoscope.machine.shadow import observe, run_shadow
from tests.machine.matrix_lines import (
    L0C,
    cluster,
    flag,
    gm_l1,
    l0c_gm,
    l1_l0a,
    l1_l0b,
    line_of,
    mad,
    ptr,
)

TO_L0 = [*flag("MTE2", "MTE1"), l1_l0a(), l1_l0b(), *flag("MTE1", "M")]
OUT_OF_L0C = [*flag("M", "FIX"), l0c_gm()]


def arrays() -> list[np.ndarray]:
    return [np.ones(512, np.float16), np.zeros(512, np.float16), np.zeros(256, np.float32)]


def found(*cube: str) -> tuple[str, list[Diagnostic]]:
    text = cluster(cube)
    return text, run_shadow(ptoscope.load(text, "a5", "micro", force=True), arrays())


def undefined(*cube: str) -> np.ndarray:
    """Which elements of %z are undefined in the end, by the run; where it says that they are not,
    garbage in memory changes nothing."""
    kernel = ptoscope.load(cluster(cube), "a5", "micro", force=True)
    given = arrays()
    marks = observe(kernel, given).undefined[2].reshape(16, 16, 4).any(axis=2)
    others = arrays()
    observe(kernel, others, garbage=3)
    kept = ~marks.reshape(-1)
    assert (given[2][kept] == others[2][kept]).all()
    return marks


def test_a_right_product_is_silent() -> None:
    _, said = found(gm_l1(), gm_l1("%l1b"), *TO_L0, mad(), *OUT_OF_L0C)
    assert said == []


def test_l0c_that_nobody_wrote() -> None:
    """The first product adds to it."""
    text, (said,) = found(gm_l1(), gm_l1("%l1b"), *TO_L0, mad("mad_acc"), *OUT_OF_L0C)
    assert (said.code, said.severity) == ("PTO0711", "error")
    assert said.line == line_of(text, "pto.mte_l0c_gm")
    mad_line = line_of(text, "pto.mad_acc")
    assert f"element (0, 0) of pto.mad_acc at line {mad_line}" in said.found
    assert "byte 0 of L0C, never written" in said.found


def test_nothing_was_multiplied() -> None:
    _, (said,) = found(l0c_gm())
    assert said.severity == "error"
    assert "byte 0 of L0C, never written; 1024 bytes" in said.found


@pytest.mark.parametrize(
    ("left", "right", "rows", "columns"),
    [
        # 256 bytes of a fractal are 8 of its 16 rows.
        ("%n256", "%n512", slice(8, 16), slice(0, 16)),
        ("%n512", "%n256", slice(0, 16), slice(8, 16)),
        ("%n32", "%n512", slice(1, 16), slice(0, 16)),
    ],
)
def test_an_operand_in_part(left: str, right: str, rows: slice, columns: slice) -> None:
    """Rows of the left operand are rows of the result, those of the right one its columns."""
    expected = np.zeros((16, 16), bool)
    expected[rows, columns] = True
    fill = gm_l1("%l1", "%x", left), gm_l1("%l1b", "%x", right)
    assert (undefined(*fill, *TO_L0, mad(), *OUT_OF_L0C) == expected).all()


def test_bytes_of_l1_that_nobody_wrote_are_named() -> None:
    fill = gm_l1(), gm_l1("%l1b", "%x", "%n256")
    _, (said,) = found(*fill, *TO_L0, mad(), *OUT_OF_L0C)
    assert "element (0, 8) of pto.mad" in said.found
    assert "byte 4352 of L1, never written" in said.found


BIAS = "!pto.ptr<f32, bt>"
TABLE = [
    f"%wide = pto.castptr %n4096 : i64 -> {ptr('f32', 'l1')}",
    f"%bt = pto.castptr %n0 : i64 -> {BIAS}",
]


def test_a_bias_in_part() -> None:
    """The table has 16 of f32; L1 holds only 8 of them."""
    load = (
        f"pto.mte_l1_bt %wide, %bt, %n2 nburst(%n1, %n0, %n0)"
        f" : {ptr('f32', 'l1')}, {BIAS}, i64, i64, i64, i64"
    )
    product = (
        f"pto.mad_bias %l0a, %l0b, %l0c, %bt, %n16, %n16, %n16"
        f" : {ptr('f16', 'l0a')}, {ptr('f16', 'l0b')}, {L0C}, {BIAS}, i64, i64, i64"
    )
    lines = [*TABLE, gm_l1(), gm_l1("%l1b", "%x", "%n32"), *flag("MTE2", "MTE1")]
    lines += [l1_l0a(), l1_l0b("%l1"), load, *flag("MTE1", "M"), product, *OUT_OF_L0C]
    expected = np.zeros((16, 16), bool)
    expected[:, 8:] = True
    assert (undefined(*lines) == expected).all()


def test_what_is_converted_on_the_way() -> None:
    """Results as f16, of which the last 8 rows are undefined: so are their elements in GM."""
    drain = (
        f"pto.mte_l0c_gm %l0c, %y, %n16, %n16, %n16, %n16, %n0, %n0, nz2nd"
        f" : {L0C}, {ptr('f16', 'gm')}, i64, i64, i64, i64, i64, i64"
    )
    fill = gm_l1("%l1", "%x", "%n256"), gm_l1("%l1b")
    text = cluster([*fill, *TO_L0, mad(), *flag("M", "FIX"), drain])
    kernel = ptoscope.load(text, "a5", "micro", force=True)
    marks = observe(kernel, arrays()).undefined[1].reshape(-1, 2).any(axis=1)
    assert marks.tolist() == [False] * 128 + [True] * 128 + [False] * 256


def test_what_is_overwritten_is_defined_again() -> None:
    lines = [gm_l1(), gm_l1("%l1b"), *TO_L0, mad("mad_acc"), mad(), *OUT_OF_L0C]
    assert found(*lines)[1] == []
