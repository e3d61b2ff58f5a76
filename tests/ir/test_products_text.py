"""Products and copies into fractals: words behind the operands, and what compilers write."""

from __future__ import annotations

import pytest

from ptoscope import ir
from ptoscope.program import Op
from tests.ir.kernels import error, function, program, round_trip

TILES = "!pto.ptr<f32, l0a>, !pto.ptr<f32, l0b>, !pto.ptr<f32, l0c>"
PARAMETERS = (
    "%a: !pto.ptr<f32, l0a>, %b: !pto.ptr<f32, l0b>, %c: !pto.ptr<f32, l0c>, "
    "%g: !pto.ptr<f16, gm>, %l: !pto.ptr<f16, l1>, %f: i1, "
    + ", ".join(f"%x{i}: i64" for i in range(10))
)
NOTHING = {
    "unit_flag": "off", "disable_gemv": 0, "sat_mode": "unset", "tf32_mode": "off", "n_dir": 0
}  # fmt: skip


def read(written: str) -> tuple[Op, tuple[str, ...]]:
    """The instruction of a text that prints and reads back, and the names of its operands."""
    text = function(written, PARAMETERS)
    round_trip(text)
    body = program(text).functions[0]
    op = body.body.ops[0]
    return op, tuple(body.names[slot] for slot in op.operands)


def product(words: str) -> str:
    return f"pto.mad %a, %b, %c, %x0, %x1, %x2{words} : {TILES}, i64, i64, i64"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", {}),
        (" unit_flag(check_only)", {"unit_flag": "check_only"}),
        (" disable_gemv sat n_dir", {"disable_gemv": 1, "sat_mode": "sat", "n_dir": 1}),
        (" nosat tf32_mode(round_away)", {"sat_mode": "nosat", "tf32_mode": "round_away"}),
        (
            " unit_flag(check_and_set) disable_gemv sat tf32_mode(round_even) n_dir",
            {
                "unit_flag": "check_and_set",
                "disable_gemv": 1,
                "sat_mode": "sat",
                "tf32_mode": "round_even",
                "n_dir": 1,
            },
        ),
    ],
)
def test_words_of_products(words: str, said: dict[str, str | int]):
    op, operands = read(product(words))
    assert op.attrs == NOTHING | said
    assert operands == ("a", "b", "c", "x0", "x1", "x2")
    printed = ir.print_module(ir.parse(function(product(words), PARAMETERS)))
    assert " ".join(printed.split()).count(words.strip()) == 1 if words else "sat" not in printed


def test_words_as_compilers_write_them_in_generic_form():
    entries = (
        "disable_gemv, n_dir, sat_mode = #pto<mad_sat_mode nosat>, "
        "tf32_mode = #pto<tf32_mode round_even>, "
        "unit_flag_mode = #pto<mad_unit_flag_mode check_and_set>"
    )
    written = (
        f'"pto.mad"(%a, %b, %c, %x0, %x1, %x2) <{{{entries}}}> : ({TILES}, i64, i64, i64) -> ()'
    )
    op, _ = read(written)
    assert op.attrs == {
        "unit_flag": "check_and_set",
        "disable_gemv": 1,
        "sat_mode": "nosat",
        "tf32_mode": "round_even",
        "n_dir": 1,
    }


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (" n_dir sat", "sat"),
        (" unit_flag(check_and_clear)", "check_and_clear"),
        (" unit_flag(off)", "off"),
        (" tf32_mode(nearest)", "nearest"),
    ],
)
def test_words_that_no_product_has(words: str, found: str):
    said = error(function(product(words), PARAMETERS))
    assert said.found == found


CLAUSES = "shape(%x0, %x1), src_layout({}), dst_group(%x3, %x4, %x5, %x6), ctrl(%x7, %f)"
ENDS = "!pto.ptr<f16, gm>, !pto.ptr<f16, l1>"


def frac(inner: str, mode: str = "nd2nz", again: str = "nd2nz") -> str:
    kinds = ", ".join(["i64"] * (inner.count(",") + 1))
    types = f"shape i64, i64, src_layout({kinds}), dst_group i64, i64, i64, i64, ctrl i64, i1"
    return f"pto.mte_gm_l1_frac %g, %l, {mode}, {CLAUSES.format(inner)} : {ENDS}, {again}, {types}"


@pytest.mark.parametrize("mode", ["nd2nz", "dn2nz"])
@pytest.mark.parametrize("inner", ["%x2", "%x2, %x8"])
def test_copies_into_fractals(inner: str, mode: str):
    op, operands = read(frac(inner, mode, mode))
    strides = tuple(name[1:] for name in inner.split(", "))
    assert operands == ("g", "l", "x0", "x1", *strides, "x3", "x4", "x5", "x6", "x7", "f")
    assert op.attrs == {"mode": mode}
    printed = ir.print_module(ir.parse(function(frac(inner, mode, mode), PARAMETERS)))
    assert " ".join(frac(inner, mode, mode).split()) in " ".join(printed.split())


@pytest.mark.parametrize("outer", ["", ", %x8"])
def test_copies_into_fractals_as_compilers_write_them(outer: str):
    """The stride that may be missing stands last, without sizes."""
    values = "%g, %l, %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %f" + outer
    types = f"{ENDS}, i64, i64, i64, i64, i64, i64, i64, i64, i1" + ", i64" * bool(outer)
    mode = "<{mode = #pto<cube_load_frac_mode dn2nz>}>"
    op, operands = read(f'"pto.mte_gm_l1_frac"({values}) {mode} : ({types}) -> ()')
    strides = ("x2", "x8") if outer else ("x2",)
    assert operands == ("g", "l", "x0", "x1", *strides, "x3", "x4", "x5", "x6", "x7", "f")
    assert op.attrs == {"mode": "dn2nz"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (frac("%x2", again="dn2nz"), "nd2nz"),
        (frac("%x2").replace(" nd2nz, shape(", " shape("), '{mode = "nd2nz"}'),
        (frac("%x2").replace("src_layout(%x2), ", ""), "src_layout"),
        (frac("%x2").replace("ctrl(%x7, %f)", "shape(%x7, %x8)"), "nd2nz"),
    ],
)
def test_copies_into_fractals_that_do_not_fit(written: str, expected: str):
    assert expected in error(function(written, PARAMETERS)).expected
