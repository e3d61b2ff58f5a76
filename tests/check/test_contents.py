"""What memory holds: read before it is written, written and never read, copied for nothing."""

from __future__ import annotations

import pytest

from .pipes import M, P, V, codes, copy_in, copy_out, findings, kernel, load, loop, scope, store

BARRIER = "pto.barrier #pto.pipe"


def tile(*lines: str) -> str:
    """A copy of 64 elements in, some lines in a vecscope, a copy out."""
    return kernel(copy_in("%a"), BARRIER, scope(*lines), BARRIER, copy_out("%b"))


@pytest.mark.parametrize(
    ("offset", "expected"),
    [(0, []), (8, ["warning"]), (56, ["warning"]), (64, ["error"]), (128, ["error"])],
)
def test_all_undefined_is_an_error_and_some_a_warning(offset: int, expected: list[str]) -> None:
    """The load begins so many elements after those that were copied in."""
    at = f"%off = arith.constant {offset} : index"
    found = findings(tile(at, load("%v", "%a", "%off"), store("%v", "%b")))
    assert [d.severity for d in found if d.code == "PTO0506"] == expected
    if expected == ["warning"]:
        assert found[0].found == f"bytes 256 to {4 * offset + 255}"


def test_the_last_iteration_may_be_undefined_in_part() -> None:
    lines = ["%at = arith.muli %i, %i64 : index", load("%v", "%a", "%at"), store("%v", "%b")]
    for size in ("%l512", "%l1024"):
        text = kernel(copy_in("%a", size), BARRIER, scope(loop(*lines, to="%i2")), copy_out("%b"))
        assert "PTO0506" not in codes(text)
    short = kernel(
        "%some = arith.constant 288 : i64",
        copy_in("%a", "%some"),
        BARRIER,
        scope(loop(*lines, to="%i2")),
    )
    (found,) = [d for d in findings(short) if d.code == "PTO0506"]
    assert (found.severity, found.found) == ("warning", "bytes 288 to 511")


@pytest.mark.parametrize(
    ("length", "expected"), [(264, []), (260, []), (256, ["warning"]), (4, ["error"])]
)
def test_what_lies_around_an_unaligned_vector_need_not_be_written(
    length: int, expected: list[str]
) -> None:
    """Whole blocks are read, bytes 4 to 259 are in the vector."""
    text = kernel(
        f"%some = arith.constant {length} : i64",
        copy_in("%a", "%some"),
        BARRIER,
        scope(
            f"%p = pto.addptr %a, %i1 : {P} -> {P}",
            f"%s = pto.vldas %p : {P} -> !pto.align",
            f"%v, %t = pto.vldus %p, %s : {P}, !pto.align -> {V}, !pto.align",
            store("%v", "%b"),
        ),
        BARRIER,
        copy_out("%b"),
    )
    assert [d.severity for d in findings(text) if d.code == "PTO0506"] == expected


def test_a_copy_out_of_more_than_was_stored_is_usual() -> None:
    text = kernel(
        copy_in("%a"), BARRIER, scope(load("%v", "%a"), store("%v", "%b")), BARRIER
    ).replace("return", copy_out("%b", "%l512") + "\nreturn")
    assert codes(text) == []


@pytest.mark.parametrize(("stored", "expected"), [("%b", []), ("%c", ["PTO0508"]), ("%a", [])])
def test_what_nobody_reads_is_said(stored: str, expected: list[str]) -> None:
    """Besides what goes out, the same is stored somewhere else; what is read there before counts,
    too: it could be read in a next round."""
    text = kernel(
        copy_in("%a"),
        BARRIER,
        scope(load("%v", "%a"), store("%v", "%b"), 'pto.mem_bar "VV_ALL"', store("%v", stored)),
        BARRIER,
        copy_out("%b"),
    )
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("end", "length", "expected"),
    [
        # Of 4 iterations, 256 bytes each: all go out, some bytes of the last, none of it.
        ("%i256", "%l1024", []),
        ("%i256", "%l800", []),
        ("%i256", "%l512", ["pto.vsts: nothing reads what it writes to UB (at %i = 192)"]),
        # How far it goes the launch says.
        ("%n", "%l256", []),
    ],
)
def test_iterations_whose_stores_nobody_reads_are_said(
    end: str, length: str, expected: list[str]
) -> None:
    text = kernel(
        "%l800 = arith.constant 800 : i64",
        copy_in("%a", "%l1024"),
        BARRIER,
        scope(loop(load("%v", "%a", "%i"), store("%v", "%b", "%i"), to=end, step="%i64")),
        BARRIER,
        copy_out("%b", length),
    )
    assert [d.message for d in findings(text) if d.code == "PTO0508"] == expected


def test_a_kernel_that_gives_nothing_back_is_not_finished() -> None:
    assert codes(kernel(copy_in("%a"), copy_in("%c"))) == []


@pytest.mark.parametrize(("length", "rows"), [("%l0", "%l1"), ("%l256", "%l0"), ("%l0", "%l0")])
def test_a_copy_of_nothing(length: str, rows: str) -> None:
    assert codes(kernel(copy_in("%a", length, rows, "%l256"))) == ["PTO0509"]
    assert codes(kernel(copy_in("%a", "%l256", "%l1", "%l256"))) == []


@pytest.mark.parametrize(
    ("stride", "expected"), [("%l0", []), ("%l32", ["PTO0510"]), ("%l255", ["PTO0510"])]
)
def test_rows_that_overlap_in_the_source(stride: str, expected: list[str]) -> None:
    """The same row again and again is a way to repeat it."""
    dense = kernel(copy_in("%a", "%l256", "%l4", "%l512"))
    assert codes(dense) == []
    assert codes(dense.replace("nburst(%l4, %l256,", f"nburst(%l4, {stride},")) == expected


BLOCKS = f"{P}, i16, i16, !pto.mask<b32>"


@pytest.mark.parametrize(
    ("repeat", "expected"), [(0, {}), (1, {"PTO0506": "warning"}), (8, {"PTO0506": "error"})]
)
def test_blocks_that_nothing_has_written_are_a_part_of_what_is_read(
    repeat: int, expected: dict[str, str]
) -> None:
    """The eight blocks of a load, so many after those that were copied in."""
    found = findings(
        tile(
            "%one16 = arith.constant 1 : i16",
            f"%repeat = arith.constant {repeat} : i16",
            f"%v = pto.vsldb %a, %one16, %repeat, %m : {BLOCKS} -> {V}",
            store("%v", "%b"),
        )
    )
    assert {d.code: d.severity for d in found if d.code != "PTO0508"} == expected


@pytest.mark.parametrize(("repeat", "expected"), [(0, set()), (7, set()), (8, {"PTO0508"})])
def test_a_store_of_blocks_is_read_where_one_of_them_is(repeat: int, expected: set[str]) -> None:
    lines = (
        "%one16 = arith.constant 1 : i16",
        f"%repeat = arith.constant {repeat} : i16",
        load("%v", "%a"),
        f"pto.vsstb %v, %d, %one16, %repeat, %m : {V}, {BLOCKS}",
        'pto.mem_bar "VST_VLD"',
        load("%w", "%d"),
        store("%w", "%b"),
    )
    assert {code for code in codes(tile(*lines)) if code == "PTO0508"} == expected


@pytest.mark.parametrize(("lanes", "expected"), [(16, []), (17, ["PTO0506"])])
def test_lanes_that_no_use_takes_may_be_undefined(lanes: int, expected: list[str]) -> None:
    """16 numbers are copied, 64 loaded; a mask says which are used."""
    used = f"%few, %rest = pto.plt_b32 %count : i32 -> {M}, i32"
    double = f"%w = pto.vadd %v, %v, %few : {V}, {V}, {M} -> {V}"
    text = kernel(
        f"%count = arith.constant {lanes} : i32",
        copy_in(length="%l64"),
        BARRIER,
        scope(used, load(), double, store("%w")),
        BARRIER,
        copy_out(),
    )
    assert codes(text) == expected


def counted_off(count: int, end: str = "%i1024") -> str:
    """The overview's loop over 64 elements at a time, whose mask has those that remain; so many
    are copied in and out."""
    return kernel(
        f"%count = arith.constant {count} : i32",
        f"%bytes = arith.constant {4 * count} : i64",
        copy_in("%a", "%bytes"),
        BARRIER,
        scope(
            f"%end = scf.for %i = %i0 to {end} step %i64 iter_args(%left = %count) -> (i32) {{",
            f"%tail, %next = pto.plt_b32 %left : i32 -> {M}, i32",
            load("%v", "%a", "%i"),
            f"%w = pto.vabs %v, %tail : {V}, {M} -> {V}",
            store("%w", "%b", "%i", "%tail"),
            "scf.yield %next : i32",
            "}",
        ),
        BARRIER,
        copy_out("%b", "%bytes"),
    )


@pytest.mark.parametrize("count", [1024, 1000, 961, 960, 65, 64, 1])
def test_what_the_masks_of_the_last_iterations_drop_need_not_be_written(count: int) -> None:
    """Nothing of a vector whose mask is empty either, nor is what such a store writes read."""
    assert codes(counted_off(count)) == []


@pytest.mark.parametrize(
    ("count", "copied", "where", "found"),
    [
        (1000, 992, "at %i = 960", "bytes 3968 to 3999"),
        # The last iteration that has lanes left.
        (130, 128, "at %i = 128", "bytes 512 to 767"),
    ],
)
def test_what_the_masks_keep_has_to_be_written(
    count: int, copied: int, where: str, found: str
) -> None:
    few = f"%few = arith.constant {4 * copied} : i64"
    text = counted_off(count).replace("pto.mte_gm_ub %x, %a, %l0, %bytes", f"{few}\n" + FEW)
    (said,) = [d for d in findings(text) if d.code == "PTO0506"]
    assert where in said.message
    assert said.found == found


FEW = "pto.mte_gm_ub %x, %a, %l0, %few"
