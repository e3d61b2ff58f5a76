"""Errors of the levels beside SSA form: code, place, message."""

from __future__ import annotations

import pytest

from tests.ir.kernels import error, errors, function

V, M, UB = "!pto.vreg<64xf32>", "!pto.mask<b32>", "!pto.ptr<f32, ub>"
P = f"%a: {V}, %b: {V}, %m: {M}, %p: {UB}, %j: index, %n: i64, %i: i32"
IN = f"%a, %b, %m : {V}, {V}, {M}"


@pytest.mark.parametrize(
    ("body", "code", "column", "message"),
    [
        (f"pto.vadd ins({IN})", "PTO0008", 1, "vadd needs outs( ) for its 1 result"),
        ("vadd %d, %a, %b, %m -> ()", "PTO0008", 1, "vadd has 1 result, but 0 types behind '->'"),
        (
            f"vadd %d, %a, %b, %m -> {V}, {V}",
            "PTO0008",
            1,
            "vadd has 1 result, but 2 types behind '->'",
        ),
        (
            f"pto.vaddc ins({IN}) outs(%d : {V})",
            "PTO0010",
            87,
            "pto.vaddc has 2 results, but 1 is named",
        ),
        (
            f"pto.vaddc ins({IN}) outs(%d, %e : {V})",
            "PTO0008",
            96,
            "outs names 2 results, but lists 1 type",
        ),
        (f"pto.vadd ins({IN}) outs()", "PTO0001", 86, "expected the names of the results"),
        (f"pto.vadd ins({IN}) outs(%a : {V})", "PTO0004", 86, "%a is already defined in line 1"),
        (f"pto.vadd ins({IN} outs(%d : {V})", "PTO0001", 80, "expected ')'"),
        (
            f"pto.vadd ins(%a, %b : {V}, {V}) outs(%d : {V})",
            "PTO0008",
            1,
            "vadd takes 3 operands (lhs, rhs, mask), found 2",
        ),
        (
            f"pto.vadd ins(%a, %q, %m : {V}, {V}, {M}) outs(%d : {V})",
            "PTO0003",
            18,
            "%q is not defined",
        ),
        (
            f"pto.vadd ins(%a, %i, %m : {V}, {V}, {M}) outs(%d : {V})",
            "PTO0009",
            46,
            f"%i is i32, not {V}",
        ),
        (
            f'pto.vstsx2 ins(%a, %b, %p[%j], "INTLV_B32", %m : {V}, {V}, {UB}, index, {M})'
            f" outs(%d : {V})",
            "PTO0010",
            135,
            "pto.vstsx2 has no results, but 1 is named",
        ),
        (
            f"%d = pto.vadd ins({IN}) outs(%d : {V})",
            "PTO0001",
            15,
            "the results of this form are named in outs( ), not before '='",
        ),
        (
            f"pto.vecscope ins(%a : {V}) {{\n}}",
            "PTO0001",
            14,
            "pto.vecscope has a body and is written in one way only",
        ),
        (f"vadd %a, %a, %b, %m : {V}", "PTO0004", 6, "%a is already defined in line 1"),
        (f"vadd %d, %a, %q, %m : {V}", "PTO0003", 14, "%q is not defined"),
        ("vadd %d, %a, %b, %m : i32", "PTO0009", 23, "no operand or result of vadd is i32"),
        (
            f"vadd %d, %a : {V}",
            "PTO0008",
            1,
            "vadd takes 1 result and 3 operands (result, lhs, rhs, mask), found 2",
        ),
        ('vadd %d, "x", %b, %m', "PTO0008", 10, "expected a value for 'lhs'"),
        ("vlds %d, %p, %j", "PTO0008", 10, "vlds takes an address 'source[offset]'"),
        ('vlds %d, %p[%j] {dits = "NORM"}', "PTO0008", 1, "vlds has no attribute 'dits'"),
        (
            "vlds %d, %p[%j] #dist=NORM #dist=NORM",
            "PTO0001",
            28,
            "attribute 'dist' is written twice",
        ),
        ("castptr %d, %n", "PTO0009", 9, "the type of %d does not follow; write it after ':'"),
        (
            "plt_b32 %d:3, %i",
            "PTO0008",
            1,
            "plt_b32 takes 2 results and 1 operand (mask, rest, scalar), found 4",
        ),
        ("vad %d, %a, %b", "PTO0002", 1, "unknown operation 'vad'"),
        (f"%d = vadd %a, %b, %m : {V}", "PTO0002", 6, "unknown operation 'vadd'"),
        ("vecscope {\n}", "PTO0002", 1, "unknown operation 'vecscope'"),
        # With `pto.` and no new name, SSA form is meant.
        (
            f"pto.vadd %a, %b, %m : {V}, {V}, {M}",
            "PTO0008",
            1,
            "vadd needs '->' and its result types",
        ),
        (
            f"pto.vsts %a, %p[%j] : {V}, {UB}",
            "PTO0008",
            1,
            "vsts takes 3 operands (value, dest[offset], mask), found 2",
        ),
    ],
)
def test_errors(body: str, code: str, column: int, message: str):
    found = error(function(body, P))
    assert (found.code, found.line, found.column, found.message) == (code, 2, column, message)
    assert found.source_line == body.splitlines()[0]


def test_hints():
    assert error(function("vad %d, %a, %b", P)).hint == "did you mean 'vadd'?"
    assert error(function("vecscope {\n}", P)).hint == "did you mean 'pto.vecscope'?"
    assert error(function("vadd %d, %a", P)).hint == "vadd result, lhs, rhs, mask"
    assert error(function(f"pto.vadd ins({IN})", P)).expected == "outs(%result : !pto.vreg<NxT>)"
    assert error(function("castptr %d, %n", P)).expected == "!pto.ptr<T, space> or i64"
    assert "results stand before" in error(function("vadd %a, %a, %b, %m", P)).hint


@pytest.mark.parametrize(
    "bad",
    [
        "vad %d, %a, %b",
        "vadd %d, %a",
        f"pto.vadd ins(%a, %b) outs(%d : {V})",
        f"pto.vadd ins(%a, %b %m : {V}, {V}, {M}) outs(%d : {V})",
    ],
)
def test_results_of_a_bad_line_are_not_reported_again(bad: str):
    found = errors(function(f"{bad}\nvexp %e, %d, %m\n%x = arith.addi %nothing, %i : i32", P))
    assert [d.line for d in found] == [2, 4]
