"""How what drains L0C is written: clauses with words, attributes, and what compilers print."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope.diagnostics import PtoError
from ptoscope.program import Op
from tests.ir.kernels import error, function, program, round_trip

L0C, UB, GM, FB = (f"!pto.ptr<{t}>" for t in ("f32, l0c", "f16, ub", "f16, gm", "f32, fb"))
PARAMETERS = (
    f"%c: {L0C}, %u: {UB}, %g: {GM}, %w: {FB}, %x: !pto.ptr<f32, ub>, %s: f32, %h: f16, "
    + ", ".join(f"%n{i}: i64" for i in range(10))
)
SIZES = "%n0, %n1, %n2, %n3"
FOUR = "i64, i64, i64, i64"


def drain(written: str) -> Op:
    """The instruction of a text, which prints and reads back in every form."""
    text = function(written, PARAMETERS)
    round_trip(text)
    (op,) = [op for op in program(text).functions[0].body.ops if "l0c" in op.name]
    return op


@pytest.mark.parametrize(
    ("clauses", "types", "attrs", "segments"),
    [
        ("dst_mode(%n4)", "i64", {}, (("dst_mode", 1),)),
        ("dst_mode(split_m), nz2nd, sat", "", {"dst_split": "split_m", "layout": "nz2nd"}, ()),
        (
            "dst_mode(%n4), unit_flag(check_and_clear), nz2dn(%n5), loop3(%n6, %n7, %n8), nosat",
            "i64, i64, i64, i64, i64",
            {"unit_flag": "check_and_clear", "layout": "nz2dn", "sat": "nosat"},
            (("dst_mode", 1), ("nz2dn", 1), ("loop3", 3)),
        ),
        (
            "dst_mode(%n4), pre_quant(%w, mode = qf322f16_pre_vec), "
            "pre_relu(mode = normal_relu, clip = %h), sat(preserve_nan)",
            f"i64, {FB}, f16",
            {"pre_quant_mode": "qf322f16_pre_vec", "sat": "sat_preserve_nan"},
            (("dst_mode", 1), ("pre_quant", 1), ("clip", 1)),
        ),
        (
            "dst_mode(%n4), pre_relu(%s, mode = scalar_relu), nz2nz(%n5)",
            "i64, f32, i64",
            {"pre_relu_mode": "scalar_relu", "layout": "nz2nz"},
            (("dst_mode", 1), ("pre_relu", 1), ("nz2nz", 1)),
        ),
    ],
)
def test_clauses(
    clauses: str, types: str, attrs: dict[str, str], segments: tuple[tuple[str, int], ...]
):
    listed = f"{L0C}, {UB}, {FOUR}" + (f", {types}" if types else "")
    op = drain(f"pto.mte_l0c_ub %c, %u, {SIZES}, {clauses} : {listed}")
    assert {name: op.attrs[name] for name in attrs} == attrs
    assert op.segments == segments


def test_an_update_of_gm():
    clauses = "pre_quant(%s, mode = qf322f16_pre_scalar), nz2nd, atomic(type = f16, op = max)"
    listed = f"{L0C}, {GM}, {FOUR}, i64, i64, f32"
    op = drain(f"pto.mte_l0c_gm %c, %g, {SIZES}, %n4, %n5, {clauses} : {listed}")
    assert (op.attrs["atomic_type"], op.attrs["atomic_op"]) == ("f16", "max")


def test_without_commas_and_as_attributes():
    written = f"pto.mte_l0c_ub %c, %u, {SIZES} dst_mode(%n4) nz2nd sat : {L0C}, {UB}, {FOUR}, i64"
    other = (
        f"pto.mte_l0c_ub %c, %u, {SIZES} dst_mode(%n4) "
        f'{{mode = #pto.acc_store_mode<nz2nd>, sat_mode = "sat"}} : {L0C}, {UB}, {FOUR}, i64'
    )
    assert drain(written).attrs == drain(other).attrs


def test_as_compilers_print_it():
    """Operands in their order: payloads before the core, and one size for each operand."""
    written = (
        f'"pto.mte_l0c_ub"(%c, %u, {SIZES}, %s, %h, %n4, %n5, %n6, %n7) '
        "<{dst_mode = #pto.acc_store_ub_dst_mode<single>, mode = #pto.acc_store_mode<nz2nd>, "
        "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1>, "
        "pre_quant_mode = #pto.quant_pre_mode<qf322f16_pre_scalar>, "
        "pre_relu_mode = #pto.relu_pre_mode<no_relu>}> : "
        f"({L0C}, {UB}, {FOUR}, f32, f16, i64, i64, i64, i64) -> ()"
    )
    text = function(written, PARAMETERS)
    body = program(text).functions[0]
    op = next(op for op in body.body.ops if "l0c" in op.name)
    assert op.segments == (("dst_mode", 1), ("pre_quant", 1), ("clip", 1), ("loop3", 3))
    names = [body.names[slot] for slot in op.operands[6:]]
    assert names == ["n4", "s", "h", "n5", "n6", "n7"]
    assert (op.attrs["dst_split"], op.attrs["layout"]) == ("none", "nz2nd")


def test_as_compilers_print_a_store_to_gm():
    written = (
        f'"pto.mte_l0c_gm"(%c, %g, {SIZES}, %s, %n4, %n5, %n6) '
        "<{mode = #pto.acc_store_mode<nz2dn>, "
        "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0>, "
        "pre_quant_mode = #pto.quant_pre_mode<f32_f16>}> : "
        f"({L0C}, {GM}, {FOUR}, f32, i64, i64, i64) -> ()"
    )
    body = program(function(written, PARAMETERS)).functions[0]
    op = next(op for op in body.body.ops if "l0c" in op.name)
    assert op.segments == (("pre_quant", 1), ("nz2dn", 1))
    names = [body.names[slot] for slot in op.operands[6:]]
    assert names == ["n4", "n5", "s", "n6"]


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        ("dst_mode(%n4), sat, nz2nd", "'nz2nd' has to stand before 'sat'"),
        ("dst_mode(%n4), nz2nd, nz2dn(%n5)", "'nz2dn' contradicts 'nz2nd'"),
        ("dst_mode(%n4), nz2nd, nz2nd", "'nz2nd' is written twice"),
        ("dst_mode(%n4), nosat, sat", "'sat' contradicts 'nosat'"),
        ("dst_mode(%n4), sat(preserve_nan), sat", "'sat' contradicts 'sat(preserve_nan)'"),
        ("dst_mode(%n4), unit_flag", "unit_flag needs a word"),
        ("dst_mode(%n4), unit_flag(), nz2nd", "unit_flag needs a word"),
        ("dst_mode(%n4), atomic(type = f32, op = add)", "mte_l0c_ub takes no clause 'atomic' here"),
        ("dst_mode(%n4), nz2nd turned : i64", "mte_l0c_ub takes no clause 'turned' here"),
        ("dst_mode(%n4), unit_flag(check)", "unit_flag( ) has no word 'check'"),
        ("dst_mode(%n4), pre_quant(%s, how = f32_f16)", "pre_quant( ) has no part 'how'"),
        ("dst_mode(%n4), pre_relu(mode = normal_relu, top = %h)", "pre_relu( ) has no part 'top'"),
        ("dst_mode(%n4), post_relu(%s)", "mte_l0c_ub takes no clause 'post_relu' here"),
        ("dst_mode(%n4), loop3(%n5, %n6)", "loop3(count, src_stride3, dst_stride3) takes 3"),
        ("dst_mode(%n4), 7", "expected a clause"),
    ],
)
def test_clauses_that_are_wrong(clauses: str, message: str):
    found = error(function(f"pto.mte_l0c_ub %c, %u, {SIZES}, {clauses}", PARAMETERS))
    assert message in found.message


@pytest.mark.parametrize(
    ("line", "message", "expected"),
    [
        ("mad %c, %c, %c, %n0, %n1, %n2 fast :", "mad takes no clause 'fast' here", "disable_gemv"),
        (
            "mad %c, %c, %c, %n0, %n1, %n2 tf32_mode",
            "tf32_mode needs a word",
            "tf32_mode(round_even | round_away)",
        ),
        (
            f"mte_l0c_gm %c, %g, {SIZES}, %n4, %n5, nz3nd, sat",
            "mte_l0c_gm takes no clause 'nz3nd' here",
            "nz2nd",
        ),
        (
            f"mte_l0c_gm %c, %g, {SIZES}, %n4, %n5, atomic()",
            "atomic needs a word",
            "op = add | max | min)",
        ),
    ],
)
def test_clauses_that_say_nothing_are_told_what_they_could_say(
    line: str, message: str, expected: str
):
    found = error(function(f"pto.{line}", PARAMETERS))
    assert message in found.message
    assert expected in found.expected


@pytest.mark.parametrize(
    ("destination", "clauses", "types", "said"),
    [
        ("%u", "dst_mode(%n4), pre_quant(%s, mode = req4_scalar)", "i64, f32", "4-bit integers"),
        (
            "%u",
            "dst_mode(%n4), pre_quant(%w, mode = qf322hif8_pre_hybrid_vec)",
            f"i64, {FB}",
            "no document says",
        ),
        ("%u", "dst_mode(%n4), pre_quant(%s, mode = qf322f16_pre_vec)", "i64, f32", "pointer"),
        ("%u", "dst_mode(%n4), pre_quant(mode = f32_f16)", "i64", "other modes of pre_quant and"),
        ("%u", "dst_mode(%n4), pre_relu(clip = %h)", "i64, f16", "and clip a mode of pre_relu"),
        ("%u", "dst_mode(%n4), pre_relu(%s, mode = normal_relu)", "i64, f32", "payload"),
        ("%x", "dst_mode(%n4), pre_relu(mode = no_relu, clip = %h)", "i64, f16", "a clip of f16"),
        ("%u", "dst_mode(%n4), loop3(%n5, %n6, %n7)", "i64, i64, i64, i64", "loop3 without"),
        ("%u", "nz2nd", "", "no dst_mode"),
        ("%u", "dst_mode(split_n), pre_relu(mode = normal_relu)", "", "split_n with"),
    ],
)
def test_what_does_not_go_together(destination: str, clauses: str, types: str, said: str):
    kind = "!pto.ptr<f32, ub>" if destination == "%x" else UB
    listed = f"{L0C}, {kind}, {FOUR}" + (f", {types}" if types else "")
    line = f"pto.mte_l0c_ub %c, {destination}, {SIZES}, {clauses} : {listed}"
    body = "\n".join(
        [
            "%zero = arith.constant 0 : i64",
            f"%c = pto.castptr %zero : i64 -> {L0C}",
            f"%u = pto.castptr %zero : i64 -> {UB}",
            "%x = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>",
            f"%w = pto.castptr %zero : i64 -> {FB}",
            line,
            "return",
        ]
    )
    numbers = ", ".join(f"%n{i}: i64" for i in range(10))
    text = (
        'module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<cube>} {\n'
        f"func.func @k(%s: f32, %h: f16, {numbers}) attributes {{pto.aicore}} {{\n{body}\n}}\n}}\n"
    )
    with pytest.raises(PtoError) as found:
        ptoscope.load(text, revision="micro")
    assert said in str(found.value)
