"""What is not a race, what a finding says, and which remedy it offers."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope.diagnostics import edited
from ptoscope.isa.parts import EVENTS
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.races.find import find_races, list_races
from ptoscope.tracing import trace

from ..check.pipes import (
    G,
    M,
    P,
    V,
    both,
    branch,
    copy_in,
    copy_out,
    kernel,
    load,
    loop,
    program,
    scope,
    sets,
    store,
    waits,
)
from .kernels import races, run
from .pairs_flags import MADE, read, write

ABS = f"%w = pto.vabs %u, %m : {V}, {M} -> {V}"
SILENT = {
    "two loads": [scope(load("%u"), load("%v"))],
    "copies of one pipe that meet in UB": [copy_in(), copy_in()],
    "two copies out of the same bytes": [copy_out(to="%y"), copy_out(to="%x")],
    "two vecscopes after each other": [write(""), read("")],
    "a store over its own bytes of the iteration before": [scope(MADE, loop(store("%w")))],
    "a store of what was made from the load": [scope(load("%u", "%b"), ABS, store("%w"))],
    "one value stored twice": [scope(MADE, store("%w"), store("%w"))],
    "a wait before its set in the text": [
        waits("MTE2", "V"),
        scope(),
        copy_in(),
        sets("MTE2", "V"),
    ],
    "a chain over a third pipe": [copy_in(), both("MTE2", "MTE3"), both("MTE3", "V"), read("")],
    "a scalar store before a copy is issued": [
        f"%one = arith.constant 1.0 : f32\npto.store_scalar %one, %y[%i0] : {G}, f32",
        copy_in().replace("%x", "%y"),
    ],
    "the scalar unit waits, then issues": [copy_in(), both("MTE2", "S"), read("")],
    "halves of UB in turn": [
        copy_in("%a"),
        sets("MTE2", "V"),
        copy_in("%b"),
        sets("MTE2", "V"),
        waits("MTE2", "V"),
        read(""),
        waits("MTE2", "V"),
        read("", "%b"),
    ],
}


@pytest.mark.parametrize("name", SILENT)
def test_not_a_race(name: str) -> None:
    assert races(kernel(*SILENT[name])) == []


def test_only_a5_needs_a_mem_bar() -> None:
    text = kernel(scope(MADE, store("%w"), load("%u", "%b")))
    found = {target: len(races(text, target=target)) for target in TARGETS}
    assert found == {"cpu": 0, "a2a3": 0, "a5": 1}


def test_one_missing_wait_is_one_finding() -> None:
    copies = [copy_in("%a"), copy_in("%c")]
    uses = [scope(load("%u"), load("%v", "%c")), read(""), read("", "%c")]
    (race,) = races(kernel(*copies, *uses))
    # The fix stands after the last copy and before the first use: it orders all of them.
    assert race.early.line == race.late.anchor.span.line - 1


def test_of_two_stores_the_last_is_named() -> None:
    stores = scope(MADE, store("%w"), 'pto.mem_bar "VST_VST"', store("%w"))
    text = kernel(stores, copy_out())
    (race,) = races(text)
    assert (race.early.line, race.late.line) == (
        text[: text.rindex(store("%w"))].count("\n") + 1,
        text[: text.index(copy_out())].count("\n") + 1,
    )


def test_without_a_free_event_a_barrier_is_offered() -> None:
    used = [both("MTE2", "V", event) for event in range(len(EVENTS))]
    text = kernel(*used, copy_in(), read(""))
    (race,) = races(text)
    assert "pto.barrier #pto.pipe<PIPE_ALL>" in race.remedy
    assert races(edited(text, race.fix)) == []


def test_an_event_of_a_branch_that_is_not_taken_is_not_free() -> None:
    text = kernel(f"scf.if %no {{\n{both('MTE2', 'V', 0)}\n}}", copy_in(), read(""))
    (race,) = races(text)
    assert '"EVENT_ID1"' in race.remedy


def test_an_operation_that_shares_its_line_gets_no_edit() -> None:
    two = f"{copy_in()} {scope(load())}"
    (race,) = races(kernel(two))
    assert race.fix == ()
    assert "pto.set_flag" in race.remedy


def test_races_before_a_fault_are_found() -> None:
    far = "%far = arith.constant 99968 : index"
    text = kernel(far, copy_in(), read(""), scope(load("%v", "%a", "%far")))
    found = run(text)
    assert found.error is not None
    assert [r.kind for r in list_races(found, program(text), TARGETS["a5"])] == ["RAW"]


@pytest.mark.parametrize("stop", [(), ("pto.barrier #pto.pipe<PIPE_ALL>",)], ids=["end", "all"])
def test_races_before_a_release_that_never_happens_are_found(stop: tuple[str, ...]) -> None:
    """V waits for MTE2, whose release in mode 1 waits for V: the reads and copies behind these
    are never made, and race with nothing."""
    lines = [copy_in("%b"), read("", "%b"), 'pto.get_buf "PIPE_V", 0, 0', waits("MTE2", "V")]
    lines += [read(""), 'pto.get_buf "PIPE_MTE2", 0, 1', 'pto.rls_buf "PIPE_MTE2", 0, 1']
    lines += [copy_in(), sets("MTE2", "V"), 'pto.get_buf "PIPE_MTE3", 0, 0', copy_out("%a"), *stop]
    text = kernel(*lines)
    found = run(text, grid=2)
    assert found.error is not None
    assert "PTO0904" in str(found.error)
    (race,) = list_races(found, program(text), TARGETS["a5"])
    assert (race.kind, race.first, race.count) == ("RAW", 4096, 1)


def test_what_never_happened_does_not_race() -> None:
    text = kernel(copy_in(), both("MTE2", "V"), waits("MTE3", "V"), read(""), copy_in())
    found = run(text)
    assert found.error is not None
    assert list_races(found, program(text), TARGETS["a5"]) == []


def test_a_race_as_json() -> None:
    text = kernel(loop(copy_in(), read(""), both("V", "MTE2")))
    (race,) = races(text)
    record = race.as_json()
    first = text.split("\n").index(copy_in()) + 1
    assert record == {
        "code": "PTO0701",
        "kind": "RAW",
        "space": "ub",
        "first_byte": 0,
        "last_byte": 255,
        "runs": 1,
        "count": 3,
        "early": {
            "line": first,
            "instruction": "pto.mte_gm_ub",
            "pipe": "PIPE_MTE2",
            "block": 0,
            "core": "",
            "iteration": [{"loop": "%i", "value": 0}],
            "writes": True,
        },
        "late": {
            "line": first + 3,
            "instruction": "pto.vlds",
            "pipe": "PIPE_V",
            "block": 0,
            "core": "",
            "iteration": [{"loop": "%i", "value": 0}],
            "writes": False,
        },
        "remedy": race.remedy,
    }


def test_a_race_in_words() -> None:
    text = kernel(loop(copy_in(), read(""), both("V", "MTE2")))
    (finding,) = find_races(run(text), program(text), TARGETS["a5"])
    line = finding.line - 3
    assert finding.message == (
        f"pto.vlds: PIPE_V reads UB bytes 0 to 255, which PIPE_MTE2 may still write (line {line})"
    )
    assert finding.found == (
        f"read after write (RAW), PIPE_MTE2 line {line} at %i = 0, then PIPE_V line {line + 3} at "
        "%i = 0; 3 times in this run"
    )
    assert finding.hint == (
        f'put pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"] after line {line} and '
        f'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"] before the vecscope of line {line + 1}'
    )


def test_an_array_given_twice_is_one_memory() -> None:
    text = kernel(copy_out(), copy_in())
    loaded = Kernel(program(text), TARGETS["a5"], "manual")
    x = np.zeros(4096, np.float32)
    apart = trace(loaded, [x, x.copy(), 3, True, False])
    assert list_races(apart, loaded.program, loaded.target) == []
    together = trace(loaded, [x, x, 3, True, False])
    (race,) = list_races(together, loaded.program, loaded.target)
    assert (race.code, race.kind, race.space) == ("PTO0701", "RAW", 0)
    (finding,) = find_races(together, loaded.program, loaded.target)
    assert (
        "PIPE_MTE2 reads bytes 0 to 255 of %x (which shares memory with %y), which PIPE_MTE3 may "
        "still write" in finding.message
    )


def test_bytes_of_arrays_that_share_memory_count_from_the_first() -> None:
    moved = f"%p = pto.addptr %y, %i64 : {G} -> {G}"
    text = kernel(moved, copy_out(to="%p"), copy_out(to="%p"))
    loaded = Kernel(program(text), TARGETS["a5"], "manual")
    x = np.zeros(4096, np.float32)
    shared = trace(loaded, [x[:1024], x[512:], 3, True, False], engine="reference")
    (finding,) = find_races(shared, loaded.program, loaded.target)
    # 512 elements from one array to the other, and 64 of the pointer.
    first = 4 * (512 + 64)
    assert f"bytes {first} to {first + 255} of %x (which shares memory with %y)" in finding.message


def test_a_pointer_to_one_array_or_another_is_not_named() -> None:
    either = branch("%yes", ["scf.yield %x : " + G], ["scf.yield %y : " + G])
    text = kernel(
        f"%p = {either.replace(' {', f' -> ({G}) {{', 1)}", copy_out(to="%p"), copy_out(to="%p")
    )
    (finding,) = find_races(run(text), program(text), TARGETS["a5"])
    assert "bytes 0 to 255 of %x, which" in finding.message


def test_a_pointer_that_a_loop_moves_on_is_named() -> None:
    carried = f"%e = scf.for %i = %i0 to %n step %i1 iter_args(%p = %y) -> ({G}) {{"
    moved = f"%q = pto.addptr %p, %i64 : {G} -> {G}"
    text = kernel(carried, copy_out(to="%p"), copy_out(to="%p"), moved, f"scf.yield %q : {G}", "}")
    (finding,) = find_races(run(text), program(text), TARGETS["a5"])
    assert "bytes 0 to 255 of %y, which" in finding.message


def test_the_bytes_of_a_race_are_all_in_which_the_two_meet() -> None:
    x2 = f'pto.vstsx2 %w, %w, %b[%i0], "INTLV_B32", %m : {V}, {V}, {P}, index, {M}'
    (race,) = races(kernel(scope(MADE, x2, load("%u", "%b", "%i64"))))
    # Element k of each register is at 8 * k and 8 * k + 4, so all 512 bytes are stored.
    assert (race.first, race.last, race.runs) == (4096 + 256, 4096 + 511, 1)


def test_bytes_with_gaps_between_them_are_said_to_be_runs() -> None:
    text = kernel(copy_in(length="%l32", rows="%l4", step="%l64"), read(""))
    (race,) = races(text)
    # Four rows of 32 bytes, 64 apart.
    assert (race.first, race.last, race.runs) == (0, 3 * 64 + 31, 4)
    assert (race.as_json()["last_byte"], race.as_json()["runs"]) == (223, 4)
    (finding,) = find_races(run(text), program(text), TARGETS["a5"])
    assert "PIPE_V reads UB bytes 0 to 223, in 4 runs, which PIPE_MTE2" in finding.message


def test_blocks_that_race_are_named() -> None:
    text = kernel(copy_out())
    (finding,) = find_races(run(text, grid=2), program(text), TARGETS["a5"])
    assert finding.code == "PTO0704"
    line = finding.line
    assert finding.message == (
        "pto.mte_ub_gm: block 1 writes bytes 0 to 255 of %y, which block 0 writes at the same time "
        f"(line {line})"
    )
    assert finding.found == (
        f"two writes (WAW), PIPE_MTE3 line {line} at block 0 and PIPE_MTE3 line {line} at block 1, "
        "both at the same time"
    )
    assert finding.fix == ()
