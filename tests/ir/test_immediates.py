"""Numbers and labels of the assembly grammar: a number is a constant before its instruction."""

from __future__ import annotations

import pytest

from tests.ir.kernels import error, errors, function, program, round_trip

V, W, M = "!pto.vreg<64xf32>", "!pto.vreg<64xi32>", "!pto.mask<b32>"
PARAMETERS = f"%v: {V}, %w: {W}, %m: {M}, %n: i64"


@pytest.mark.parametrize(
    ("written", "constant", "used"),
    [
        (f"%r = pto.vadds %v, 1.5, %m : {V}, f32, {M} -> {V}", "1.5 : f32", "%v, %cst, %m"),
        (f"%r = pto.vadds %v, 0x3F800000, %m : {V}, f32, {M} -> {V}", "1.0 : f32", "%v, %cst, %m"),
        (f"%r = pto.vadds %w, -3, %m : {W}, i32, {M} -> {W}", "-3 : i32", "%w, %cst, %m"),
        (f"vadds %r, %v, 1.5, %m : {V}", "1.5 : f32", "%v, %cst, %m"),
        (f"vadds %r, %v, 1.5 : {V}", "1.5 : f32", "%v, %cst, %all_b32"),
        ("vadds %r, %v, 2.5e-1, %m", "0.25 : f32", "%v, %cst, %m"),
        (f"pto.vadds %r, %v, 1.5, %m : {V}", "1.5 : f32", "%v, %cst, %m"),
        ("%r = pto.absi -3 unsigned : i8", "-3 : i8", "%cst unsigned : i8"),
        ("vshls %r, %w, 16, %m", "16 : i32", "%w, %c16, %m"),
        (f"%r = pto.vshls %w, 16, %m : {W}, i16, {M} -> {W}", "16 : i16", "%w, %c16, %m"),
        (
            f"pto.vadds ins(%v, 1.5, %m : {V}, f32, {M}) outs(%r : {V})",
            "1.5 : f32",
            "%v, %cst, %m",
        ),
        ('pto.set_flag["PIPE_V", "PIPE_S", 3]', "3 : i64", '["PIPE_V", "PIPE_S", %c3]'),
    ],
)
def test_a_number_is_a_constant(written: str, constant: str, used: str):
    lines = [line.strip() for line in round_trip(function(written, PARAMETERS)).splitlines()]
    (at,) = [k for k, line in enumerate(lines) if line.startswith("%c")]
    assert lines[at].partition("arith.constant ")[2] == constant
    assert used in " ".join(lines[at + 1 :])


G, P = "!pto.vreg<64xui32>", "!pto.ptr<f32, ub>"


@pytest.mark.parametrize(
    "written",
    [
        f"%r = pto.vgather2_bc %p, %o, 16 : {P}, {G}, index -> {V}",
        f"pto.vgather2_bc ins(%p, %o, 16 : {P}, {G}, index) outs(%r : {V})",
        f"vgather2_bc %r, %p, %o, 16 : {V}",
    ],
)
def test_a_number_is_no_mask(written: str):
    """Of two forms that differ in one operand, a number chooses the one with a scalar."""
    ops = program(function(written, f"%p: {P}, %o: {G}")).functions[0].body.ops
    assert [op.name for op in ops][:2] == ["arith.constant", "pto.vgather2_bc"]
    assert ops[1].form == 1


def test_names_are_new():
    written = "%cst = arith.constant 1.0 : f32\nvadds %r, %v, 2.0, %m\nvmuls %s, %r, %cst, %m"
    names = program(function(written, PARAMETERS)).functions[0].names
    assert len(names) == len(set(names))


def test_tokens_that_are_numbers_stay_tokens():
    """Where the instruction has a number of its own, that is what is meant."""
    (op, _) = program(function('pto.get_buf "PIPE_V", 3, 1', PARAMETERS)).functions[0].body.ops
    assert (op.attrs["id"], op.attrs["mode"], op.operands) == (3, 1, ())


@pytest.mark.parametrize(
    ("written", "code", "found", "message"),
    [
        (f"vadds %r, %v, 1, %m : {V}", "PTO0001", "1", "expected a float such as 1.0 for f32"),
        (f"vadds %r, %w, 1.5, %m : {W}", "PTO0001", "1.5", "expected an integer for i32"),
        (f"vadds %r, %w, 4294967296, %m : {W}", "PTO0001", "4294967296", "4294967296 does not fit"),
        (f"vadd %r, %v, 1.5, %m : {V}", "PTO0009", "1.5", "1.5 cannot be !pto.vreg<64xf32>"),
        (
            f"%r = pto.vadds %v, 1.5 : {V}, f32 -> {V}",
            "PTO0008",
            "2",
            "vadds takes 3 operands (input, scalar, mask), found 2",
        ),
        ("%r = pto.castptr 0 : !pto.ptr<f32, ub>", "PTO0008", "", "castptr needs '->'"),
        # A digit, but none that a number is written with.
        ('pto.set_flag["PIPE_V", "PIPE_S", \u0663]', "PTO0001", "\u0663", "expected an operand"),
        ('pto.get_buf "PIPE_V", \u0663, 1', "PTO0001", "\u0663", "expected an operand"),
    ],
)
def test_wrong_numbers(written: str, code: str, found: str, message: str):
    said = errors(function(written, PARAMETERS))[0]
    assert (said.code, said.found) == (code, found)
    assert message in said.message


def test_beside_an_undefined_value_a_number_is_not_in_doubt():
    said = error(function("vadds %r, %none, 1.5, %m", PARAMETERS))
    assert (said.code, said.found) == ("PTO0003", "%none")


def test_labels():
    written = f"first: vadds %r, %v, %f, %m : {V}\nsecond_2:\nvmuls %s, %r, %f, %m"
    text = round_trip(function(written, f"{PARAMETERS}, %f: f32"))
    assert "first" not in text
    assert [op.name for op in program(text).functions[0].body.ops][:2] == ["pto.vadds", "pto.vmuls"]


def test_a_label_without_an_instruction():
    said = error("func.func @k() attributes {pto.aicore} {\nreturn\nlast:\n}")
    assert (said.code, said.found, said.expected) == ("PTO0001", "}", "an operation")


def test_a_label_stands_before_results_and_not_behind_them():
    assert error(function("%r = here: pto.get_block_idx")).code == "PTO0002"


def test_a_value_stands_on_the_line_of_its_name():
    text = function("vlds %v, %p[%i], %n #dist=\nreturn", "%p: !pto.ptr<f32, ub>, %i: index")
    found = error(text)
    assert (found.code, found.message) == ("PTO0001", "expected a value")
