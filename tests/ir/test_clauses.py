"""Clauses: numbers in them, and how compilers write them in generic form."""

from __future__ import annotations

import pytest

from tests.ir.kernels import error, function, program, round_trip

G, U = "!pto.ptr<f32, gm>", "!pto.ptr<f32, ub>"
PARAMETERS = f"%g: {G}, %u: {U}, %f: f32, " + ", ".join(f"%x{i}: i64" for i in range(12))
ENDS = f"{G}, {U}"
NUMBERS = "i64, i64, i64, i64, i64"


def copy(written: str) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
    """The operands by name and the clauses of the copy in a text, which prints and reads back."""
    text = function(written, PARAMETERS)
    round_trip(text)
    body = program(text).functions[0]
    (op,) = [op for op in body.body.ops if op.name.startswith("pto.mte")]
    return tuple(body.names[slot] for slot in op.operands), op.segments


def generic(sizes: str, operands: str, before: str = "<{", after: str = "}>") -> str:
    count = operands.count("%x")
    pad = ", f32" if "%f" in operands else ""
    late = operands.partition("%f")[2].count("%x")
    types = ", ".join([ENDS, *["i64"] * (count - late)]) + pad + ", i64" * late
    values = f"%g, %u, {operands}"
    sized = f"{before}operandSegmentSizes = array<i32: {sizes}>{after}"
    return f'"pto.mte_gm_ub"({values}) {sized} : ({types}) -> ()'


@pytest.mark.parametrize(("before", "after"), [("<{", "}>"), ("{", "}")])
def test_sizes_of_each_operand_say_the_clauses(before: str, after: str):
    written = generic(
        "1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0", "%x0, %x1, %x2, %x3, %x4", before, after
    )
    operands, clauses = copy(written)
    assert operands == ("g", "u", "x0", "x1", "x2", "x3", "x4")
    assert clauses == (("nburst", 3),)


def test_of_several_loops_the_counts_stand_first():
    """Compilers list all counts, then all strides of the source, then all of the destination."""
    loops = "%x5, %x6, %x7, %x8, %x9, %x10"
    written = generic("1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 0, 0, 0", f"%x0, %x1, %x2, %x3, %x4, {loops}")
    operands, clauses = copy(written)
    assert operands[7:] == ("x5", "x7", "x9", "x6", "x8", "x10")
    assert clauses == (("nburst", 3), ("loop", 3), ("loop", 3))


@pytest.mark.parametrize(
    ("sizes", "written", "count"), [("1, 0, 0", "%f", 1), ("1, 1, 1", "%f, %x5, %x6", 3)]
)
def test_padding(sizes: str, written: str, count: int):
    _, clauses = copy(
        generic(f"1, 1, 1, 1, 1, 1, 1, 0, 0, 0, {sizes}", f"%x0, %x1, %x2, %x3, %x4, {written}")
    )
    assert clauses == (("nburst", 3), ("pad", count))


@pytest.mark.parametrize(
    "sizes",
    [
        "1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0",
        "1, 1, 1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0",
        "1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0",
        "2, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0",
        "1, 1, 1, 1, 1, 1, 1, -1, 1, 0, 0, 0, 0",
    ],
)
def test_sizes_that_no_form_has(sizes: str):
    text = function(generic(sizes, "%x0, %x1, %x2, %x3, %x4"), PARAMETERS)
    assert error(text).message.startswith("no form of mte_gm_ub takes 7 operands")


@pytest.mark.parametrize(
    "written",
    [
        f"pto.mte_gm_ub %g, %u, %x0, %x1 nburst(1, %x3, 256) : {ENDS}, {NUMBERS}",
        "mte_gm_ub %g, %u, %x0, %x1 nburst(1, %x3, 256)",
        f"pto.mte_gm_ub ins(%g, %u, %x0, %x1 nburst(1, %x3, 256) : {ENDS}, {NUMBERS})",
    ],
)
def test_numbers_in_clauses(written: str):
    text = function(written, PARAMETERS)
    round_trip(text)
    one, many, op, _ = program(text).functions[0].body.ops
    assert (one.attrs["value"], many.attrs["value"]) == (1, 256)
    (slot,), (other,) = one.results, many.results
    assert (op.operands[4], op.operands[6]) == (slot, other)
    assert op.segments == (("nburst", 3),)


def test_numbers_everywhere():
    written = f"pto.mte_gm_ub %g, %u, 0, 256 nburst(1, 256, 256) pad(1.5) : {ENDS}, i64, i64, i64, "
    operands, clauses = copy(written + "i64, i64, pad f32")
    assert operands[2:] == ("c0", "c256", "c1", "c256_0", "c256_1", "cst")
    assert clauses == (("nburst", 3), ("pad", 1))


@pytest.mark.parametrize(
    "written",
    [
        f"pto.mte_gm_ub %g, %u, %x0, %x1 nburst(%x2, %x3, %x4) pad(%f, %x5) : {ENDS}, {NUMBERS}, "
        "f32, i64",
        "mte_gm_ub %g, %u, %x0, %x1 nburst(%x2, %x3, %x4) pad(%f, %x5)",
    ],
)
def test_padding_on_one_side_alone(written: str):
    """The page asks for both counts or for neither."""
    found = error(function(written, PARAMETERS))
    assert found.message == "pad(pad_value, left, right) takes 1 or 3 operands, found 2"
    sizes = "1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0"
    found = error(function(generic(sizes, "%x0, %x1, %x2, %x3, %x4, %f, %x5"), PARAMETERS))
    assert found.message.startswith("no form of mte_gm_ub takes 9 operands")


def test_a_number_of_the_wrong_kind():
    written = f"pto.mte_gm_ub %g, %u, %x0, %x1 nburst(1.5, %x3, %x4) : {ENDS}, {NUMBERS}"
    found = error(function(written, PARAMETERS))
    assert (found.code, found.found) == ("PTO0001", "1.5")


ENDS_OUT = "!pto.ptr<f32, ub>, !pto.ptr<f32, gm>"


@pytest.mark.parametrize(
    ("sizes", "count", "clauses"),
    [
        ("1, 1, 1, 1, 1, 1, 1, 0, 0, 0", 5, (("nburst", 3), ("l2_cache_ctl", 1))),
        ("1, 1, 1, 1, 1, 1, 0, 0, 0, 0", 4, (("nburst", 3),)),
        ("1, 1, 1, 1, 1, 1, 0, 0, 0", 4, (("nburst", 3),)),
        ("1, 1, 1, 1, 1, 1, 1, 1, 1", 7, (("nburst", 3), ("loop", 3))),
    ],
)
def test_a_clause_that_older_compilers_do_not_know(
    sizes: str, count: int, clauses: tuple[tuple[str, int], ...]
):
    values = ", ".join(["%u", "%g", *(f"%x{n}" for n in range(count))])
    types = ", ".join([ENDS_OUT, *["i64"] * count])
    sized = f"<{{operandSegmentSizes = array<i32: {sizes}>}}>"
    assert copy(f'"pto.mte_ub_gm"({values}) {sized} : ({types}) -> ()')[1] == clauses


def test_the_hint_of_a_store_is_a_clause_of_its_own():
    line = "pto.mte_ub_gm %u, %g, %x0 nburst(%x1, %x2, %x3) l2_cache_ctl(%x4) loop(%x5, %x6, %x7)"
    types = f"{ENDS_OUT}, i64, i64, i64, i64, i64, loop i64, i64, i64"
    operands, clauses = copy(f"{line} : {types}")
    assert operands == ("u", "g", *(f"x{n}" for n in range(8)))
    assert clauses == (("nburst", 3), ("l2_cache_ctl", 1), ("loop", 3))
