"""Where buffers of whole kernels lie, and what is said where they do not fit."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptoscope.diagnostics import PtoError
from ptoscope.lang.memory.map import MemoryMap
from tests.lang.memory.kernels import (
    FIRST_LINE,
    allocations,
    buffer,
    load,
    loop,
    planned,
    program_of,
    store,
)

KIB = 1024
UB = 256 * KIB


def lives(shown: MemoryMap) -> dict[str, tuple[int, int]]:
    """The lines of each buffer's life, counted from the first of the body."""
    return {p.name: (p.first_line - FIRST_LINE, p.last_line - FIRST_LINE) for p in shown}


def addresses(shown: MemoryMap) -> dict[str, int]:
    return {p.name: p.address for p in shown}


def mapped(*lines: str, bytes_: int = 256, **changes: dict[str, Any]) -> MemoryMap:
    program = program_of(*lines)
    return planned(program, allocations(program, bytes_, **changes))


def test_a_buffer_lives_from_the_first_to_the_last_access() -> None:
    shown = mapped(buffer("a"), buffer("b"), load("a"), load("b"), store("a"), store("b"))
    assert lives(shown) == {"a": (2, 4), "b": (3, 5)}


def test_an_access_in_a_loop_takes_the_whole_loop_for_what_was_made_before_it() -> None:
    body = loop(load("b"), store("a"), store("b"))
    shown = mapped(buffer("a"), buffer("b"), load("a"), *body)
    assert lives(shown) == {"a": (2, 6), "b": (3, 6)}


def test_what_is_made_in_a_loop_lives_in_its_iteration() -> None:
    shown = mapped(*loop(buffer("a"), load("a"), store("a"), buffer("b"), load("b"), store("b")))
    assert lives(shown) == {"a": (2, 3), "b": (5, 6)}


def test_an_inner_loop_counts_whole_also_for_what_is_made_in_the_outer_one() -> None:
    inner = ["scf.for %j = %c0 to %n step %c1 {", load("b"), store("a"), "}"]
    shown = mapped(*loop(buffer("a"), buffer("b"), load("a"), *inner, store("b")))
    assert lives(shown) == {"a": (3, 6), "b": (4, 8)}


def test_the_outermost_loop_counts_for_what_is_made_before_it() -> None:
    inner = ["scf.for %j = %c0 to %n step %c1 {", store("a"), "}"]
    shown = mapped(buffer("a"), buffer("b"), load("a"), *loop(load("b"), *inner, store("b")))
    assert lives(shown) == {"a": (2, 8), "b": (3, 8)}


def test_several_copies_take_the_whole_loop() -> None:
    lines = loop(buffer("a"), buffer("b"), load("a"), store("a"), load("b"), store("b"))
    shown = mapped(*lines, a={"copies": 2})
    assert lives(shown) == {"a": (0, 6), "b": (5, 6)}
    assert (shown["a"].end - shown["a"].address, shown["b"].end - shown["b"].address) == (512, 256)


def test_a_pointer_that_may_be_two_buffers_keeps_both() -> None:
    kind = "!pto.ptr<f32, ub>"
    choice = [f"%p = scf.if %which -> ({kind}) {{", f"scf.yield %a : {kind}", "} else {"]
    choice += [f"scf.yield %b : {kind}", "}"]
    shown = mapped(buffer("a"), buffer("b"), load("a"), load("b"), *choice, store("p"))
    assert lives(shown) == {"a": (2, 9), "b": (3, 9)}


def test_where_all_fit_none_share_and_addresses_follow_the_program() -> None:
    lines = [line for name in "abc" for line in (buffer(name), load(name), store(name))]
    assert addresses(mapped(*lines, bytes_=400)) == {"a": 0, "b": 512, "c": 1024}


def test_dead_buffers_are_used_again_where_not_all_fit() -> None:
    lines = [line for name in "abc" for line in (buffer(name), load(name), store(name))]
    shown = mapped(*lines, bytes_=100 * KIB)
    assert addresses(shown) == {"a": 0, "b": 100 * KIB, "c": 0}
    assert (shown.used, shown.reused) == (200 * KIB, 100 * KIB)


def test_buffers_of_a_pipelined_loop_share_with_others_first() -> None:
    """By their accesses c and d could share; iterations overlap, so a takes it upon itself, which
    is dead when the loop begins."""
    body = loop(*(line for n in "bcd" for line in (buffer(n), load(n), store(n))))
    lines = (buffer("a"), load("a"), store("a"), *body)
    shown = mapped(*lines, bytes_=60 * KIB, b={"copies": 2})
    pairs = {p.name + q.name for p, q in combinations(shown, 2) if p.shares(q)}
    assert pairs
    assert all(pair.startswith("a") for pair in pairs)
    # With less room they do, too: better slow than not at all.
    shown = mapped(*lines, bytes_=80 * KIB, b={"copies": 2})
    assert addresses(shown)["c"] == addresses(shown)["d"]


def test_decided_addresses_stay_and_nobody_else_comes_there() -> None:
    names = "abc"
    lines = [*map(buffer, names), *map(load, names), *map(store, names)]
    shown = mapped(*lines, b={"at": 0x100}, bytes_=512)
    assert addresses(shown) == {"a": 0x300, "b": 0x100, "c": 0x500}


def test_a_buffer_that_nobody_touches_has_a_place() -> None:
    shown = mapped(buffer("a"), buffer("b"), load("b"))
    assert addresses(shown) == {"a": 0, "b": 256}
    assert lives(shown)["a"] == (0, 0)


def test_what_does_not_fit_is_said_at_its_allocation() -> None:
    lines = [*map(buffer, "abc"), *map(load, "abc"), *map(store, "abc")]
    with pytest.raises(PtoError) as caught:
        mapped(*lines, bytes_=100 * KIB)
    assert str(caught.value) == (
        "kernel.py:9:6: error[PTO0309]: the buffer c does not fit UB\n"
        "  9 | %c = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>\n"
        "    |      ^^^^^^^^^^^\n"
        "  found: 307200 bytes are live at line 12\n"
        "  expected: at most 262144 bytes (256 KiB on a5)\n"
        "  hint: live at line 12: a 102400 bytes (line 7), b 102400 bytes (line 8), c 102400 bytes "
        "(line 9); make them smaller, take fewer stages, or let one end before another begins"
    )


def test_copies_and_the_target_are_named() -> None:
    program = program_of(*loop(buffer("a"), load("a"), store("a"), buffer("b"), load("b")))
    asked = allocations(program, 64 * KIB, a={"copies": 3})
    assert planned(program, asked).end == UB
    with pytest.raises(PtoError) as caught:
        planned(program, asked, "a2a3")
    (said,) = caught.value.diagnostics
    assert said.expected == "at most 196608 bytes (192 KiB on a2a3)"
    assert "a 3 x 65536 bytes (line 8), b 65536 bytes (line 11)" in said.hint


def test_of_many_buffers_the_largest_are_named() -> None:
    names = [f"b{i}" for i in range(20)]
    lines = [*map(buffer, names), *map(load, names), *map(store, names)]
    with pytest.raises(PtoError) as caught:
        mapped(*lines, bytes_=14 * KIB)
    (said,) = caught.value.diagnostics
    assert said.message == "the buffer b18 does not fit UB"
    assert "b7 14336 bytes (line 14), 12 smaller buffers of 172032 bytes; make" in said.hint


def test_a_decided_address_may_leave_no_room_side_by_side() -> None:
    lines = [*map(buffer, "ab"), *map(load, "ab"), *map(store, "ab")]
    program = program_of(*lines)
    changes: dict[str, Any] = {"a": {"at": 128 * KIB, "shape": (64,)}}
    with pytest.raises(PtoError) as caught:
        planned(program, allocations(program, 200 * KIB, **changes))
    (said,) = caught.value.diagnostics
    assert (said.code, said.line) == ("PTO0309", FIRST_LINE + 1)
    assert said.message == "no 204800 bytes side by side are left for the buffer b"


@pytest.mark.parametrize("at", [-256, UB, UB - 255])
def test_a_decided_address_outside_ub_is_refused(at: int) -> None:
    with pytest.raises(PtoError) as caught:
        mapped(buffer("a"), load("a"), a={"at": at})
    (said,) = caught.value.diagnostics
    assert (said.code, said.message) == ("PTO0309", "the buffer a lies outside UB")
    assert (said.found, said.expected) == (f"bytes {at} to {at + 255}", "bytes 0 to 262143")


@given(st.data())
def test_no_live_bytes_are_lost_in_any_order_of_accesses(data: st.DataObject) -> None:
    """The accesses of straight code, replayed: nobody else writes between two of a buffer."""
    names = [f"b{i}" for i in range(data.draw(st.integers(1, 8)))]
    order = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=20))
    sizes = {name: data.draw(st.integers(1, 48)) * 2 * KIB for name in names}
    program = program_of(*map(buffer, names), *map(load, order))
    changes: dict[str, Any] = {name: {"shape": (size // 4,)} for name, size in sizes.items()}
    asked = allocations(program, **changes)
    try:
        shown = planned(program, asked)
    except PtoError:
        assert sum(sizes.values()) > UB
        return
    assert shown.end <= min(UB, sum(sizes.values()))
    for p, q in combinations(shown, 2):
        if p.shares(q):
            uses = [name for name in order if name in (p.name, q.name)]
            changes_of_hand = sum(a != b for a, b in pairwise(uses))
            assert changes_of_hand <= 1
