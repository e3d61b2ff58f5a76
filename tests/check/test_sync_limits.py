"""Large programs: nothing is dropped without a word, and the time grows with the program."""

from __future__ import annotations

import time

import pytest

from ptoscope.check import check
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS

from .pipes import both, branch, copy_in, copy_out, kernel, load, loop, program, scope, store

SYNCHRONISATION = ("PTO0601", "PTO0602", "PTO0603", "PTO0607", "PTO0608", "PTO0610")


def found(text: str) -> list[Diagnostic]:
    """What is said about synchronisation."""
    return [d for d in check(program(text), TARGETS["a5"], "manual") if d.code in SYNCHRONISATION]


def stage(missing: bool, event: object = 0) -> list[str]:
    """In, through the vector core and out; without the flag to the vector core it races."""
    return [
        copy_in("%a"),
        *([] if missing else [both("MTE2", "V", event)]),
        scope(load("%v", "%a"), store("%v", "%b")),
        both("V", "MTE3", event),
        copy_out("%b"),
        both("MTE3", "MTE2", event),
        'pto.pipe_barrier "PIPE_MTE3"',
    ]


def nest(sizes: list[int], body: list[str]) -> str:
    """Loops of so many iterations, the outermost first."""
    numbers = [f"%size{i} = arith.constant {size} : index" for i, size in enumerate(sizes)]
    for i in reversed(range(len(sizes))):
        body = [loop(*body, to=f"%size{i}", index=f"%at{i}")]
    return kernel(*numbers, *body)


@pytest.mark.parametrize(
    "sizes", [[12, 12], [13, 13], [14, 14], [24, 24], [2, 3, 4, 5], [1000, 1000], [7] * 5]
)
def test_a_missing_flag_in_a_nest_of_loops_is_found(sizes: list[int]) -> None:
    assert {d.code for d in found(nest(sizes, stage(missing=True)))} == {"PTO0607"}
    assert found(nest(sizes, stage(missing=False))) == []


@pytest.mark.parametrize("period", [2, 3, 5, 7])
@pytest.mark.parametrize("size", [11, 14, 50, 51, 52])
def test_events_in_turn_end_where_they_end(period: int, size: int) -> None:
    """One flag more is set than waited for: the event of the iteration after the last."""
    lines = [
        f"%size = arith.constant {size} : index",
        f"%period = arith.constant {period} : index",
        'pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]',
        "scf.for %i = %i0 to %size step %i1 {",
        "%now = arith.remui %i, %period : index",
        'pto.wait_flag["PIPE_V", "PIPE_MTE2", %now]',
        "%next = arith.addi %i, %i1 : index",
        "%then = arith.remui %next, %period : index",
        'pto.set_flag["PIPE_V", "PIPE_MTE2", %then]',
        "}",
    ]
    last = f'pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID{size % period}"]'
    assert found(kernel(*lines, last)) == []
    wrong = f'pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID{(size + 1) % period}"]'
    assert [d.code for d in found(kernel(*lines, wrong))] == ["PTO0603", "PTO0601"]


@pytest.mark.parametrize("size", [5, 40, 1500])
def test_the_first_and_the_last_iteration_may_differ(size: int) -> None:
    """Every iteration but the first waits for the one before, every one but the last signals."""
    lines = [
        f"%size = arith.constant {size} : index",
        f"%last = arith.constant {size - 1} : index",
        "scf.for %i = %i0 to %size step %i1 {",
        "%later = arith.cmpi ne, %i, %i0 : index",
        branch("%later", ['pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]']),
        "%more = arith.cmpi slt, %i, %last : index",
        branch("%more", ['pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]']),
        "}",
    ]
    assert found(kernel(*lines)) == []
    always = [line.replace("slt, %i, %last", "sle, %i, %last") for line in lines]
    assert [d.code for d in found(kernel(*always))] == ["PTO0603"]


def test_what_is_given_up_names_the_loop_and_the_way_out() -> None:
    text = nest([7] * 12, stage(missing=True))
    race, *others = sorted(found(text), key=lambda d: d.code)
    (note,) = [d for d in others if d.code == "PTO0610"]
    assert race.code == "PTO0607"
    assert note.severity == "note"
    assert "%at0" in text.split("\n")[note.span.line - 1]
    assert "run --races" in note.hint


def test_many_conditions_are_said_and_what_none_of_them_changes_is_found() -> None:
    conditions = [branch(f"%c{i}", [both("V", "MTE2", 1)]) for i in range(6)]
    params = ", ".join(f"%c{i}: i1" for i in range(6))
    codes = [d.code for d in found(kernel(*conditions, *stage(missing=True), params=params))]
    assert sorted(codes) == ["PTO0607", "PTO0610"]


def test_what_is_given_up_on_every_path_is_said_once() -> None:
    endless = ["scf.while : () -> () {", "scf.condition(%yes)", "} do {", both("V", "MTE2")]
    text = kernel(*endless, "scf.yield\n}", branch("%yes", [both("V", "MTE2")]))
    assert [d.code for d in found(text)] == ["PTO0610"]


@pytest.mark.parametrize(("target", "notes"), [("a5", ["PTO0610"]), ("a2a3", []), ("cpu", [])])
def test_the_inside_of_a_vecscope_is_followed_where_it_matters(
    target: str, notes: list[str]
) -> None:
    """Only A5 needs mem_bars."""
    read = program(kernel(scope(nest_in_scope(20))))
    assert [d.code for d in check(read, TARGETS[target], "manual") if d.severity == "note"] == notes


def seconds(text: str) -> float:
    read = program(text)
    begin = time.process_time()
    check(read, TARGETS["a5"], "manual")
    return time.process_time() - begin


def test_time_grows_with_the_text_and_not_with_the_depth() -> None:
    assert seconds(nest([4] * 20, stage(missing=True))) < 5
    assert seconds(kernel(scope(nest_in_scope(20)))) < 5


def test_time_does_not_double_with_every_loop_or_product() -> None:
    strides = "pto.set_loop2_stride_outtoub %l{0}, %l{0} : i64, i64"
    body = [strides.format(256), copy_in("%a"), strides.format(512)]
    assert seconds(nest([4] * 30, body)) < 5
    products = [f"%v{i + 1} = arith.muli %v{i}, %v{i} : index" for i in range(40)]
    assert seconds(kernel("%v0 = arith.addi %n, %i1 : index", *products)) < 5


def test_loops_that_carry_numbers_and_touch_nothing() -> None:
    body = ["%r = arith.addi %c0, %i1 : index"]
    for depth in range(25):
        outside = "%i0" if depth == 24 else f"%c{depth + 1}"
        body = [
            f"%r{depth} = scf.for %at{depth} = %i0 to %i4 step %i1 "
            f"iter_args(%c{depth} = {outside}) -> (index) {{",
            *body,
            f"scf.yield {'%r' if depth == 0 else f'%r{depth - 1}'} : index",
            "}",
        ]
    assert seconds(kernel(copy_in("%a"), *body)) < 20


def nest_in_scope(depth: int) -> str:
    body = [load("%v", "%a"), store("%v", "%b")]
    for i in range(depth):
        body = [loop(*body, to="%i4", index=f"%at{i}")]
    return body[0]


def test_one_finding_for_each_missing_flag() -> None:
    stages = 160
    lines = [copy_in("%a"), scope(load("%v", "%a"), store("%v", "%b")), copy_out("%b")]
    text = kernel(*lines * stages)
    begin = time.process_time()
    races = found(text)
    taken = time.process_time() - begin
    # In to vector, out of it, and back, for each stage and between two; copies out overlap.
    assert len(races) <= 6 * stages
    assert {d.code for d in races} == {"PTO0607", "PTO0608"}
    assert taken < 5
