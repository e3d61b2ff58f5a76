"""Cores that wait for what never comes: who waits where for which signal, and who could have given
it; the same from both engines."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.diagnostics import Diagnostic
from tests.machine.matrix_lines import (
    await_,
    cluster,
    flag,
    gm_l1,
    l0c_gm,
    l1_l0a,
    l1_l0b,
    line_of,
    loop,
    mad,
    signal,
)


def deadlock(text: str, target: str = "a5") -> Diagnostic:
    """What is said of a kernel that does not end; both engines say the same."""
    kernel = ptoscope.load(text, target, "micro", force=True)
    said: list[Diagnostic] = []
    for engine in ("reference", "native"):
        arrays = [np.zeros(512, np.float16), np.zeros(512, np.float16), np.zeros(256, np.float32)]
        with pytest.raises(PtoError) as error:
            kernel(*arrays, engine=engine)
        said += error.value.diagnostics
    assert str(said[0]) == str(said[1])
    assert said[0].code == "PTO0904"
    return said[0]


def test_nobody_gives_it() -> None:
    text = cluster([await_("MTE1", 3)], ["pto.barrier #pto.pipe<PIPE_ALL>"])
    said = deadlock(text)
    assert said.line == line_of(text, "pto.sync.wait")
    assert "at the matrix core" in said.message
    assert "semaphore 3 from vector core 0 to the matrix core" in said.found
    assert "no sync.set of vector core 0 gives it" in said.found


def test_another_number_is_given() -> None:
    text = cluster([await_("MTE1", 3), await_("MTE1", 19)], [signal("MTE3", 2)])
    said = deadlock(text)
    assert "signals that nobody awaited: semaphore 2 from vector core 0" in said.found
    assert "semaphore 2 from vector core 0 to the matrix core was given" in said.hint


def test_the_semaphore_of_the_wrong_core() -> None:
    """It signals vector core 0 twice; vector core 1 waits in vain."""
    text = cluster([signal("FIX", 4), signal("FIX", 4)], [await_("MTE2", 4)])
    said = deadlock(text)
    assert "at vector core 1" in said.message
    assert "semaphore 4 from the matrix core to vector core 1" in said.found
    assert "no sync.set of the matrix core gives it" in said.found
    assert "semaphore 4 from the matrix core to vector core 0 (1)" in said.found
    assert "number + 16 * s" in said.hint


def test_a_circle_of_two_cores() -> None:
    """Each waits before it signals."""
    cube = [await_("FIX", 1), await_("FIX", 17), signal("FIX", 2), signal("FIX", 18)]
    vector = [await_("MTE3", 2), signal("MTE3", 1)]
    text = cluster(cube, vector)
    said = deadlock(text)
    set_line, wait_line = (line_of(text, f"pto.sync.{what}", 2) for what in ("set", "wait"))
    assert f"the sync.set of line {set_line} on vector core 0 is queued" in said.found
    assert f"vector core 0, PIPE_MTE3 at line {wait_line} for semaphore 2" in said.found
    assert "let one of them signal before it waits" in said.hint


def test_given_too_rarely() -> None:
    text = cluster([*loop([await_("MTE1", 0), await_("MTE1", 16)])], [signal("MTE3", 0)])
    said = deadlock(text)
    assert "%i = 1" in said.message
    assert f"given once (line {line_of(text, 'pto.sync.set')})" in said.found
    assert "vector core 0 has ended" in said.found


def test_a_semaphore_that_nobody_takes_is_full() -> None:
    """It counts to 15."""
    text = cluster([signal("FIX", 20)] * 16, ["pto.barrier #pto.pipe<PIPE_ALL>"])
    said = deadlock(text)
    assert said.line == line_of(text, "pto.sync.set") + 15
    assert "waits for room to raise a semaphore" in said.message
    assert said.found == (
        "semaphore 4 from the matrix core to vector core 1 is raised 15 times and not waited for"
    )
    assert said.expected == "one sync.wait of vector core 1 for every sync.set"


def test_a_computed_number_is_not_said_to_be_passed_by() -> None:
    cube = ["%two = arith.constant 2 : i64", "pto.sync.set #pto.pipe<PIPE_FIX>, %two"]
    said = deadlock(cluster(cube, [await_("MTE3", 3)]))
    assert ", or raised another one; the matrix core has ended" in said.found


def test_the_scalar_unit_waits_itself() -> None:
    """Signals of the scalar unit: the other core stands before the one that is awaited."""
    cube = ["pto.wait_intra_core %n0, %n1 : i64, i64", "pto.set_intra_block %n0, %n2 : i64, i64"]
    vector = ["pto.wait_intra_core %n0, %n2 : i64, i64", "pto.set_intra_block %n0, %n1 : i64, i64"]
    text = cluster(cube, vector)
    said = deadlock(text)
    waits = line_of(text, "wait_intra_core", 1)
    gives = line_of(text, "set_intra_block", 1)
    assert f"vector core 0 does not come to line {gives}: it waits at line {waits}" in said.found


def test_one_signal_for_both_on_a2a3() -> None:
    text = cluster([await_("FIX", 1)], [signal("MTE3", 2)])
    said = deadlock(text, "a2a3")
    assert "semaphore 1 from vector core 0 to the matrix core and semaphore 1 from" in said.found


def test_a_tile_that_nobody_publishes() -> None:
    """The unit flag is unset: what drains the tile waits for it."""
    fill = [gm_l1(), gm_l1("%l1b"), *flag("MTE2", "MTE1"), l1_l0a(), l1_l0b(), *flag("MTE1", "M")]
    text = cluster([*fill, mad(), l0c_gm("unit_flag(check_and_clear)")])
    said = deadlock(text)
    assert said.line == line_of(text, "pto.mte_l0c_gm")
    assert "tile 0 of L0C to be published: nothing that gives it was issued" in said.found
    assert "unit_flag(check_and_set)" in said.hint
