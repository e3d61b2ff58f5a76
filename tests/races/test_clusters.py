"""Races between the pipes of the matrix core and between the cores of a cluster: kernels with and
without the mistake, what is said of it, and the smallest change that mends it."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope.diagnostics import edited
from ptoscope.races.race import Race
from ptoscope.watch import EVERYTHING, Seen, Watch, watch
from tests.machine.matrix_lines import (
    GM,
    L1,
    await_,
    cluster,
    flag,
    gm_l1,
    gm_ub,
    l0c_gm,
    l1_l0a,
    l1_l0b,
    l1_ub,
    line_of,
    loop,
    mad,
    signal,
    ub_gm,
    ub_l1,
)

RACES = Watch(races=True)


def seen(text: str, what: Watch = RACES) -> Seen:
    """What a run of a kernel shows."""
    arguments = np.arange(512).astype(np.float16), np.zeros(512, np.float16)
    kernel = ptoscope.load(text, "a5", "micro", force=True)
    return watch(kernel, [*arguments, np.zeros(256, np.float32)], what)


def the_race(text: str) -> Race:
    (race,) = seen(text).races
    return race


def lines(race: Race) -> tuple[int, int]:
    return race.early.line, race.late.line


# The matrix core by itself.

FILL = [gm_l1(), gm_l1("%l1b"), *flag("MTE2", "MTE1"), l1_l0a(), l1_l0b()]
TO_M, TO_FIX = flag("MTE1", "M"), flag("M", "FIX")
PRODUCT = [*FILL, *TO_M, mad(), *TO_FIX, l0c_gm()]
SET, CLEAR = "unit_flag(check_and_set)", "unit_flag(check_and_clear)"
AGAIN = [*flag("FIX", "M"), mad("mad_acc"), *flag("M", "FIX", 1), 'pto.pipe_barrier "PIPE_FIX"']


@pytest.mark.parametrize(
    "right",
    [
        PRODUCT,
        [*PRODUCT, *AGAIN, l0c_gm()],
        [*FILL, *TO_M, mad(more=SET), l0c_gm(CLEAR)],
        [*FILL, *TO_M, mad(more=SET), l0c_gm(CLEAR), mad(more=SET), l0c_gm(CLEAR)],
    ],
    ids=["product", "twice", "unit flag", "unit flag twice"],
)
def test_right_kernels_are_silent(right: list[str]) -> None:
    assert seen(cluster(right), EVERYTHING).diagnostics == []


@pytest.mark.parametrize(
    ("wrong", "space", "kind", "pipes"),
    [
        ([gm_l1(), l1_l0a()], "l1", "RAW", ("PIPE_MTE2", "PIPE_MTE1")),
        ([*FILL, mad(), *TO_FIX, l0c_gm()], "l0b", "RAW", ("PIPE_MTE1", "PIPE_M")),
        ([*FILL, *TO_M, mad(), l0c_gm()], "l0c", "RAW", ("PIPE_M", "PIPE_FIX")),
        ([*PRODUCT, mad()], "l0c", "WAR", ("PIPE_FIX", "PIPE_M")),
        ([*PRODUCT, l1_l0b()], "l0b", "WAR", ("PIPE_M", "PIPE_MTE1")),
        ([*FILL, gm_l1("%l1b")], "l1", "WAR", ("PIPE_MTE1", "PIPE_MTE2")),
    ],
    ids=["MTE2-MTE1", "MTE1-M", "M-FIX", "FIX-M", "M-MTE1", "MTE1-MTE2"],
)
def test_a_missing_flag(wrong: list[str], space: str, kind: str, pipes: tuple[str, str]) -> None:
    text = cluster(wrong)
    race = the_race(text)
    record = race.as_json()
    assert (record["code"], record["space"], record["kind"]) == ("PTO0701", space, kind)
    assert (race.early.pipe, race.late.pipe) == pipes
    assert race.early.core_title == race.late.core_title == "the matrix core"
    assert f'["{pipes[0]}", "{pipes[1]}"' in race.remedy


def test_the_flag_between_mte1_and_the_matrix_unit_is_the_fix() -> None:
    text = cluster([*FILL, mad(), *TO_FIX, l0c_gm()])
    race = the_race(text)
    assert lines(race) == (line_of(text, "pto.mte_l1_l0b"), line_of(text, "pto.mad"))
    assert seen(edited(text, race.fix), EVERYTHING).diagnostics == []


def test_a_unit_flag_that_nobody_checks_orders_nothing() -> None:
    text = cluster([*FILL, *TO_M, mad(more=SET), l0c_gm()])
    assert lines(the_race(text)) == (line_of(text, "pto.mad"), line_of(text, "pto.mte_l0c_gm"))


# Between cores: each vector core writes its half of L1, the matrix core hands it back.

HALF = [
    "%off = arith.muli %s, %n256 : i64",
    "%offi = arith.index_cast %off : i64 to index",
    f"%mine = pto.addptr %l1, %offi : {L1} -> {L1}",
    f"%yo = pto.addptr %y, %offi : {GM} -> {GM}",
]
VECTOR = [*HALF, gm_ub(), *flag("MTE2", "MTE3"), ub_l1("%mine"), signal("MTE3", 2)]
BACK = [await_("MTE3", 4), ub_gm("%yo")]
AWAIT = [await_("MTE1", 2), await_("MTE1", 18)]
CUBE = [l1_ub(0), l1_ub(1, "%half"), *flag("MTE1", "FIX")]
ANSWER = [signal("FIX", 4), signal("FIX", 20)]
OUTSIDE = [f"%half = pto.addptr %l1, %i256 : {L1} -> {L1}"]


def exchange(awaits: list[str] = AWAIT, answer: list[str] = ANSWER, back: list[str] = BACK) -> str:
    return cluster([*awaits, *CUBE, *answer], [*VECTOR, *back], OUTSIDE)


def test_signals_between_cores_order_them() -> None:
    assert seen(exchange(), EVERYTHING).diagnostics == []


def test_nobody_waits_for_the_vector_cores() -> None:
    """The matrix core writes UBs that the others still fill; what orders that orders L1 too."""
    text = exchange(awaits=[])
    found = seen(text).races
    assert {race.code for race in found} == {"PTO0706"}
    assert {race.as_json()["space"] for race in found} == {"ub", "ub1"}
    titles = [{race.early.core_title, race.late.core_title} for race in found]
    assert all("the matrix core" in pair for pair in titles)
    first = next(race for race in found if race.early.line == line_of(text, "cbuf_to_ubuf"))
    assert "pto.sync.wait <PIPE_MTE1>, 2 and pto.sync.wait <PIPE_MTE1>, 18" in first.remedy
    assert seen(edited(text, first.fix), EVERYTHING).diagnostics == []


def test_a_vector_core_does_not_wait() -> None:
    text = exchange(back=[ub_gm("%yo")])
    found = seen(text).races
    assert {race.as_json()["space"] for race in found} == {"ub", "ub1"}
    for race in found:
        assert race.remedy == f"put {await_('MTE3', 4)} before line {line_of(text, 'mte_ub_gm')}"
        assert seen(edited(text, race.fix), EVERYTHING).diagnostics == []


def test_the_semaphore_of_the_wrong_core() -> None:
    """It waits for vector core 0, and never for vector core 1."""
    text = exchange(awaits=[await_("MTE1", 2)])
    race = the_race(text)
    assert race.as_json()["space"] == "ub1"
    assert {race.early.core_title, race.late.core_title} == {"the matrix core", "vector core 1"}
    assert race.remedy == f"put {await_('MTE1', 18)} before line {line_of(text, 'ubuf', 1)}"


def test_l1_is_read_before_it_is_written() -> None:
    text = cluster([l1_l0a()], VECTOR[:-1])
    race = the_race(text)
    assert (race.code, race.as_json()["space"], race.first, race.last) == ("PTO0706", "l1", 0, 511)
    assert {race.early.core_title, race.late.core_title} == {"the matrix core", "vector core 0"}
    assert race.remedy.startswith(f"put {signal('MTE3', 0)} after line {line_of(text, 'ub_l1')}")
    assert seen(edited(text, race.fix)).diagnostics == []


def test_both_vector_cores_write_the_same_bytes() -> None:
    text = cluster([*AWAIT], [gm_ub(), *flag("MTE2", "MTE3"), ub_l1(), signal("MTE3", 2)])
    race = the_race(text)
    assert (race.code, race.kind, race.first, race.last) == ("PTO0706", "WAW", 0, 511)
    assert (race.early.core_title, race.late.core_title) == ("vector core 0", "vector core 1")
    assert "bytes of its own" in race.remedy
    assert race.fix == ()


def test_each_vector_core_has_a_ub_of_its_own() -> None:
    """Both fill and empty the same addresses of UB."""
    lines = [*HALF, gm_ub(), *flag("MTE2", "MTE3"), ub_gm("%yo")]
    assert seen(cluster(["pto.barrier #pto.pipe<PIPE_ALL>"], lines), EVERYTHING).diagnostics == []


def test_what_is_overwritten_too_early() -> None:
    """A vector core fills L1 again and again; it waits for nobody who still reads it."""
    first = ["%c = arith.cmpi eq, %s, %n0 : i64", "scf.if %c {"]
    vector = loop(
        [gm_ub(), *flag("MTE2", "MTE3"), ub_l1(), signal("MTE3", 2), *flag("MTE3", "MTE2")]
    )
    cube = loop([await_("MTE1", 2), l1_l0a()])
    text = cluster(cube, [*first, *vector, "}"])
    race = the_race(text)
    assert race.code == "PTO0706"
    assert {side.line for side in (race.early, race.late)} == {
        line_of(text, "pto.mte_ub_l1"),
        line_of(text, "pto.mte_l1_l0a"),
    }
    assert "signal once before the loop" in race.remedy
    assert seen(edited(text, race.fix), EVERYTHING).diagnostics == []


def test_cores_meet_in_gm() -> None:
    read = [gm_l1("%l1", "%y")]
    write = [*HALF[:2], gm_ub(), *flag("MTE2", "MTE3"), ub_gm("%y")]
    only = ["%c = arith.cmpi eq, %s, %n0 : i64", "scf.if %c {", *write, "}"]
    text = cluster(read, only)
    race = the_race(text)
    assert race.as_json()["space"] == "argument 1"
    assert {race.early.pipe, race.late.pipe} == {"PIPE_MTE2", "PIPE_MTE3"}
    mended = cluster([await_("MTE2", 0), *read], [*only[:-1], signal("MTE3", 0), "}"])
    assert seen(mended, EVERYTHING).diagnostics == []


@pytest.mark.parametrize("grid", [1, 2])
def test_blocks_have_cores_of_their_own(grid: int) -> None:
    """L1 and UBs of two blocks are not the same; signals stay inside a block."""
    text = cluster([*AWAIT, *CUBE, *ANSWER], [*VECTOR, await_("MTE3", 4)], OUTSIDE)
    kernel = ptoscope.load(text, "a5", "micro", force=True)
    arrays = [np.zeros(512, np.float16), np.zeros(512, np.float16), np.zeros(256, np.float32)]
    assert watch(kernel, arrays, RACES, grid).diagnostics == []
