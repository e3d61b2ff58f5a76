"""Signals between the cores of a block, and what they do to memory that they share."""

from __future__ import annotations

import pytest

from tests.check.clusters import (
    GM,
    UB,
    await_,
    cluster,
    codes,
    copy_in,
    copy_out,
    findings,
    flag,
    line_of,
    pointer,
    signal,
)

L1 = pointer("f32", "l1")
HERE = f"%m = pto.castptr %l0 : i64 -> {L1}"
TO_L1 = f"pto.mte_ub_l1 %a, %m, %l8 nburst(%l1, %l0, %l0) : {UB}, {L1}, i64, i64, i64, i64"
TO_UB = f"pto.mte_l1_ub %m, %b, %l8 nburst(%l1, %l0, %l0) : {L1}, {UB}, i64, i64, i64, i64"
FROM_GM = f"pto.mte_gm_l1 %x, %m, %l256 nburst(%l1, %l256, %l256) : {GM}, {L1}, i64, i64, i64, i64"
LOADED = flag("MTE2", "MTE3")
PASSED = flag("MTE1", "FIX")
GIVEN, TAKEN = signal("MTE3", 2), await_("MTE3", 3)
GOOD = cluster(
    cube=(await_("MTE1", 2), TO_UB, *PASSED, signal("FIX", 3)),
    vector=(
        "%zero = arith.cmpi eq, %s, %l0 : i64",
        "scf.if %zero {",
        copy_in(),
        *LOADED,
        TO_L1,
        signal("MTE3", 2),
        await_("MTE3", 3),
        copy_out("%b"),
        "}",
    ),
    outside=(HERE,),
)
"""Vector core 0 brings data to L1, the matrix core gives it back to UB."""


def broken(*changes: tuple[str, str]) -> str:
    """The kernel with lines replaced."""
    text = GOOD
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_a_kernel_whose_cores_pass_data_on_is_clean() -> None:
    assert findings(GOOD) == []


@pytest.mark.parametrize(
    ("text", "code", "what", "words"),
    [
        (broken((signal("FIX", 3), "")), "PTO0611", await_("MTE3", 3), "no sync.set of it"),
        (broken((signal("MTE3", 2), "")), "PTO0611", await_("MTE1", 2), "no sync.set of it"),
        (
            broken((signal("FIX", 3), signal("FIX", 19))),
            "PTO0611",
            await_("MTE3", 3),
            "semaphore 3 from the matrix core to vector core 1",
        ),
        (
            broken((await_("MTE1", 2), await_("MTE1", 18))),
            "PTO0611",
            await_("MTE1", 18),
            "semaphore 2 from vector core 0 to the matrix core",
        ),
        (broken((signal("FIX", 3), signal("FIX", 4))), "PTO0611", await_("MTE3", 3), ""),
        (
            broken((f"{GIVEN}\n{TAKEN}", f"{TAKEN}\n{GIVEN}")),
            "PTO0613",
            await_("MTE1", 2),
            "PIPE_MTE3 of vector core 0",
        ),
        (broken((await_("MTE1", 2), await_("MTE2", 2))), "PTO0614", TO_UB, "line"),
        (broken((await_("MTE3", 3), await_("V", 3))), "PTO0614", copy_out("%b"), "line"),
        (broken((PASSED[0] + "\n" + PASSED[1], "")), "PTO0614", copy_out("%b"), "line"),
    ],
)  # fmt: skip
def test_a_mistake_between_cores(text: str, code: str, what: str, words: str) -> None:
    found = [d for d in findings(text) if d.severity != "note"]
    assert [(d.code, d.line) for d in found] == [(code, line_of(text, what))]
    assert words in found[0].found


def test_a_signal_too_many_is_left() -> None:
    more = signal("FIX", 3) + "\n" + signal("FIX", 3)
    (found,) = findings(broken((signal("FIX", 3), more)))
    assert (found.code, found.severity) == ("PTO0612", "warning")
    assert "2 signals" in found.found


def test_a_signal_that_nobody_waits_for_is_noted() -> None:
    more = signal("FIX", 3) + "\n" + signal("FIX", 19)
    (found,) = findings(broken((signal("FIX", 3), more)))
    assert (found.code, found.severity) == ("PTO0612", "note")


def test_a_missing_wait_is_a_race_and_a_note() -> None:
    text = broken((await_("MTE3", 3), ""))
    assert [(d.code, d.severity) for d in findings(text)] == [
        ("PTO0612", "note"),
        ("PTO0614", "warning"),
    ]


def test_the_hint_says_how_each_core_names_the_semaphore() -> None:
    (short,) = findings(broken((signal("FIX", 3), "")))
    assert "pto.sync.set <a pipe of the matrix core>, 3" in short.hint
    second = cluster(
        cube=(FROM_GM, *flag("MTE2", "MTE1"), TO_UB, signal("FIX", 3)),
        vector=(await_("MTE3", 3),),
        outside=(HERE,),
    )
    (lacks,) = [d for d in findings(second) if d.code == "PTO0611"]
    assert "of vector core 1 waits" in lacks.message
    assert "pto.sync.set <a pipe of the matrix core>, 19" in lacks.hint


@pytest.mark.parametrize(
    ("text", "line", "most"),
    [
        (cluster(cube=(signal("FIX", "%l32"),), outside=(HERE,)), signal("FIX", "%l32"), 31),
        (
            cluster(vector=(signal("MTE3", "%l16"),), cube=(HERE, FROM_GM)),
            signal("MTE3", "%l16"),
            15,
        ),
    ],
)
def test_numbers_of_semaphores_by_core(text: str, line: str, most: int) -> None:
    (found,) = [d for d in findings(text) if d.code == "PTO0604"]
    assert (found.line, found.expected) == (line_of(text, line), f"0 to {most}")


def looped(cube_extra: tuple[str, ...] = (), vector_extra: tuple[str, ...] = ()) -> str:
    """The matrix core fills a UB again and again, after the vector core has emptied it."""
    return cluster(
        cube=(
            FROM_GM,
            *flag("MTE2", "MTE1"),
            "scf.for %i = %i0 to %n step %i1 {",
            *cube_extra,
            TO_UB,
            *PASSED,
            signal("FIX", 3),
            "}",
        ),
        vector=(
            "%zero = arith.cmpi eq, %s, %l0 : i64",
            "scf.if %zero {",
            *([signal("MTE3", 2)] if vector_extra else []),
            "scf.for %i = %i0 to %n step %i1 {",
            await_("MTE3", 3),
            copy_out("%b"),
            'pto.pipe_barrier "PIPE_MTE3"',
            *vector_extra,
            "}",
            "}",
        ),
        outside=(HERE,),
    )


def test_a_loop_over_a_buffer_needs_the_way_back() -> None:
    (found,) = findings(looped())
    assert (found.code, found.line) == ("PTO0614", line_of(looped(), "mte_l1_ub"))
    assert "may still read" in found.message


def test_with_the_way_back_one_signal_is_left() -> None:
    text = looped((await_("MTE1", 2),), (signal("MTE3", 2),))
    assert codes(text) == ["PTO0612"]


def test_with_the_way_back_and_a_last_wait_it_is_clean() -> None:
    text = looped((await_("MTE1", 2),), (signal("MTE3", 2),))
    last = text.rindex("pto.section.vector")
    cut = text.rindex("}", 0, text.rindex("}", 0, last))
    text = text[:cut] + "}\n" + await_("MTE1", 2) + "\n" + text[cut + 1 :]
    assert codes(text) == []


def test_vector_cores_that_write_the_same_twice_are_left_to_the_run() -> None:
    both = (copy_in(), *LOADED, TO_L1, signal("MTE3", 2))
    text = cluster(
        cube=(await_("MTE1", 2), await_("MTE1", 18), TO_UB, *PASSED, signal("FIX", 3)),
        vector=(
            *both,
            "%zero = arith.cmpi eq, %s, %l0 : i64",
            "scf.if %zero {",
            await_("MTE3", 3),
            copy_out("%b"),
            "}",
        ),
        outside=(HERE,),
    )
    assert codes(text) == []


def test_vector_cores_that_write_different_bytes_of_gm_are_clean_and_the_same_are_not() -> None:
    def made(offset: str) -> str:
        at = (
            "%si = arith.index_cast %s : i64 to index",
            f"%o = arith.muli %si, {offset} : index",
            f"%z = pto.addptr %y, %o : {GM} -> {GM}",
            "%e = arith.addi %s, %l1 : i64",
            "%w = arith.muli %e, %l256 : i64",
            copy_in(length="%w"),
            *flag("MTE2", "MTE3"),
            copy_out(to="%z", length="%w"),
        )
        return cluster(cube=("pto.barrier #pto.pipe<PIPE_ALL>",), vector=at)

    assert codes(made("%i64")) == []
    assert codes(made("%i32")) == ["PTO0614"]


def test_unwritten_memory_says_of_which_core_it_is() -> None:
    # What the matrix core gives back goes to vector core 0; the other one reads its own.
    text = broken(("arith.cmpi eq, %s, %l0", "arith.cmpi eq, %s, %l1"))
    (found,) = [d for d in findings(text) if d.code == "PTO0506"]
    assert found.found.endswith("of vector core 1")
