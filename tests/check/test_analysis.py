"""The analysis: what it knows of numbers and addresses is what a run of them gives."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope.check.analysis import Analysis, analyse
from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import LoopNode, Sync, Touch, flat
from ptoscope.isa.order.rules import BARRIER, WAIT
from ptoscope.isa.targets import TARGETS
from ptoscope.program import Function

from .pipes import P, V, copy_in, copy_out, kernel, load, loop, program, scope, store, waits

VECTOR = 256


def analysed(*lines: str, params: str = "%n: index, %k: i64") -> tuple[Function, Analysis]:
    function = program(kernel(*lines, params=params)).functions[0]
    return function, analyse(function, TARGETS["a5"], "manual")


def touches(analysis: Analysis) -> list[Touch]:
    return [node for node in flat(analysis.nodes) if isinstance(node, Touch)]


def loops(analysis: Analysis) -> list[LoopNode]:
    return [node for node in flat(analysis.nodes) if isinstance(node, LoopNode)]


def param(function: Function, name: str) -> Symbol:
    return Symbol("param", function.names.index(name))


# Addresses in loops: against the loops written out.


@st.composite
def nests(draw: st.DrawFn) -> tuple[list[tuple[int, int, int, int]], int]:
    """Loops as (first, end, step, factor), outermost first, and a constant."""
    one = st.tuples(st.integers(0, 4), st.integers(5, 12), st.integers(1, 4), st.integers(-3, 3))
    return draw(st.lists(one, min_size=1, max_size=3)), draw(st.integers(0, 64))


def nested(levels: list[tuple[int, int, int, int]], const: int) -> list[str]:
    """Loads at base + 32 * (const + sum of factor * index) bytes."""
    lines = [f"%base = arith.constant {const * 8} : index"]
    begin: list[str] = []
    for i, (first, end, step, factor) in enumerate(levels):
        numbers = {"low": first, "high": end, "step": step, "factor": factor * 8}
        lines += [f"%{name}{i} = arith.constant {v} : index" for name, v in numbers.items()]
        begin.append(f"scf.for %j{i} = %low{i} to %high{i} step %step{i} {{")
    at = "%base"
    inner: list[str] = []
    for i in range(len(levels)):
        inner.append(f"%p{i} = arith.muli %j{i}, %factor{i} : index")
        inner.append(f"%s{i} = arith.addi {at}, %p{i} : index")
        at = f"%s{i}"
    return [*lines, scope(*begin, *inner, load("%v", "%d", at), *["}"] * len(levels))]


def addresses(levels: list[tuple[int, int, int, int]], const: int) -> list[int]:
    ranges = [range(first, end, step) for first, end, step, _ in levels]
    factors = [factor for *_, factor in levels]
    return [
        12288 + 32 * (const + sum(f * i for f, i in zip(factors, indices, strict=True)))
        for indices in product(*ranges)
    ]


@settings(max_examples=60, deadline=None)
@given(nests())
def test_addresses_of_loops_are_just_what_the_loops_give(
    nest: tuple[list[tuple[int, int, int, int]], int],
) -> None:
    _, analysis = analysed(*nested(*nest))
    (touch,) = touches(analysis)
    expected = addresses(*nest)
    assert touch.may.bounds() == (min(expected), max(expected) + VECTOR)
    found = loops(analysis)
    iterations = product(*(range(item.trips.const) for item in found))
    seen = [
        touch.may.start.substitute(
            {item.iteration: Expr(iteration) for item, iteration in zip(found, each, strict=True)}
        ).number
        for each in iterations
    ]
    assert seen == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 9), st.integers(1, 5), st.integers(1, 300))
def test_an_end_that_a_launch_gives(first: int, step: int, end: int) -> None:
    lines = [
        f"%low = arith.constant {first} : index",
        f"%by = arith.constant {step} : index",
        "scf.for %j = %low to %n step %by {",
        "%at = arith.muli %j, %i64 : index",
        scope(load("%v", "%a", "%at")),
        "}",
    ]
    function, analysis = analysed(*lines)
    (touch,), (found,) = touches(analysis), loops(analysis)
    known = {param(function, "n"): Expr(end)}
    assert found.trips.substitute(known).number == len(range(first, end, step))
    low, high = touch.may.bounds()
    for iteration, index in enumerate(range(first, end, step)):
        at = touch.may.start.substitute({found.iteration: Expr(iteration)})
        assert at.number == index * 64 * 4
        assert low <= index * 64 * 4 <= high


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 50), st.integers(-4, 9), st.integers(1, 6))
def test_a_pointer_that_a_loop_carries(start: int, growth: int, trips: int) -> None:
    lines = [
        f"%by = arith.constant {growth * 64} : index",
        f"%begin = arith.constant {start * 256} : i64",
        f"%end = arith.constant {trips} : index",
        f"%first = pto.castptr %begin : i64 -> {P}",
        f"%last = scf.for %j = %i0 to %end step %i1 iter_args(%p = %first) -> ({P}) {{",
        scope(load("%v", "%p")),
        f"%next = pto.addptr %p, %by : {P} -> {P}",
        f"scf.yield %next : {P}",
        "}",
    ]
    function, analysis = analysed(*lines)
    (touch,) = touches(analysis)
    visited = [start * 256 + growth * 256 * iteration for iteration in range(trips)]
    assert touch.may.bounds() == (min(visited), max(visited) + VECTOR)
    last = analysis.number(function.names.index("last"))
    assert last.number == start * 256 + growth * 256 * trips


# Scalar arithmetic: against Python's.

Word = Callable[[int, int], int]


def cut(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS: dict[str, Word] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "minsi": min,
    "maxsi": max,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "shrsi": lambda a, b: a >> (b if 0 <= b < 64 else 64),
    "divsi": lambda a, b: cut(a, b) if b else 0,
    "remsi": lambda a, b: a - cut(a, b) * b if b else 0,
    "floordivsi": lambda a, b: a // b if b else 0,
    "ceildivsi": lambda a, b: -(-a // b) if b else 0,
}


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(OPERATIONS)), st.integers(0, 7), st.integers(0, 7)),
        min_size=1,
        max_size=6,
    ),
    st.lists(st.integers(-9, 9), min_size=2, max_size=2),
    st.integers(-20, 20),
)
def test_numbers_that_a_launch_gives(
    steps: list[tuple[str, int, int]], constants: list[int], given_: int
) -> None:
    """Bounds hold the value; with the scalar known, it is the value."""
    lines = [f"%v{i} = arith.constant {c} : i64" for i, c in enumerate(constants)]
    lines.append("%v2 = arith.addi %k, %l0 : i64")
    values = [*constants, given_]
    for name, a, b in steps:
        left, right = a % len(values), b % len(values)
        if name[-5:] in ("divsi", "remsi") and values[right] == 0:
            name = "addi"
        lines.append(f"%v{len(values)} = arith.{name} %v{left}, %v{right} : i64")
        values.append(OPERATIONS[name](values[left], values[right]))
    function, analysis = analysed(*lines)
    known = {param(function, "k"): Expr(given_)}
    for i, value in enumerate(values):
        number = analysis.number(function.names.index(f"v{i}"))
        low, high = number.bounds()
        assert low <= value <= high
        assert number.substitute(known).number == value


def test_the_lesser_of_two_numbers_has_the_bounds_of_both() -> None:
    function, analysis = analysed(
        "%m = arith.minsi %k, %l64 : i64", "%o = arith.maxsi %m, %l4 : i64"
    )
    assert analysis.number(function.names.index("m")).bounds()[1] == 64
    assert analysis.number(function.names.index("o")).bounds() == (4, 64)


def test_the_same_computation_is_the_same_number() -> None:
    function, analysis = analysed(
        "%p = arith.andi %k, %l1 : i64",
        "%q = arith.andi %k, %l1 : i64",
        "%r = arith.subi %p, %q : i64",
    )
    assert analysis.number(function.names.index("r")).number == 0


def test_a_long_chain_of_numbers_is_cut_short() -> None:
    lines = ["%v0 = arith.addi %k, %l0 : i64"]
    for i in range(300):
        lines.append(f"%w{i} = arith.divsi %v{i}, %l4 : i64")
        lines.append(f"%v{i + 1} = arith.muli %w{i}, %k : i64")
    function, analysis = analysed(*lines)
    last = analysis.number(function.names.index("v300"))
    assert last.symbols & {param(function, "k")}


# What instructions touch: against their loops in the documents.


def bytes_of(touch: Touch) -> set[int]:
    assert touch.sure is not None
    assert not touch.sure.start.terms
    return {b for start, end in touch.sure.rows(1 << 12) for b in range(start, end)}


def lanes(place: Callable[[int], int], width: int, count: int, at: int = 0) -> set[int]:
    return {at + place(i) * width + b for i in range(count) for b in range(width)}


def typed(bits: int) -> tuple[str, str, str]:
    return f"!pto.ptr<ui{bits}, ub>", f"!pto.vreg<{2048 // bits}xui{bits}>", f"!pto.mask<b{bits}>"


@pytest.mark.parametrize(
    ("mode", "bits", "expected"),
    [
        ("NORM", 32, lanes(lambda i: i, 4, 64)),
        ("BRC_B16", 16, lanes(lambda i: 0, 2, 128)),
        ("US_B8", 8, lanes(lambda i: i // 2, 1, 256)),
        ("DS_B16", 16, lanes(lambda i: 2 * i, 2, 128)),
        ("UNPK_B16", 16, lanes(lambda i: i // 2, 2, 128)),
        ("SPLT4CHN_B8", 8, lanes(lambda i: 4 * i, 1, 256)),
    ],
)
def test_loads_touch_the_bytes_of_their_mode(mode: str, bits: int, expected: set[int]) -> None:
    pointer, vector, _ = typed(bits)
    line = f'%v = pto.vlds %p[%i0] {{dist = "{mode}"}} : {pointer} -> {vector}'
    _, analysis = analysed(f"%p = pto.castptr %l0 : i64 -> {pointer}", scope(line))
    (touch,) = touches(analysis)
    assert (bytes_of(touch), touch.writes, touch.pipe) == (expected, False, "PIPE_V")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("PAT_ALL", lanes(lambda i: i, 4, 64)),
        ("PAT_VL3", lanes(lambda i: i, 4, 3)),
        ("PAT_H", lanes(lambda i: i, 4, 32)),
        ("PAT_M4", lanes(lambda i: 4 * i, 4, 16)),
    ],
)
def test_stores_touch_the_bytes_of_active_lanes(pattern: str, expected: set[int]) -> None:
    mask = f'%q = pto.pset_b32 "{pattern}" : !pto.mask<b32>'
    value = f"%f = arith.constant 1.0 : f32\n%v = pto.vbr %f : f32 -> {V}"
    _, analysis = analysed(scope(mask, value, store("%v", "%a", "%i0", "%q")))
    (touch,) = touches(analysis)
    assert (bytes_of(touch), touch.writes) == (expected, True)


def test_a_store_without_active_lanes_touches_nothing() -> None:
    mask = '%q = pto.pset_b32 "PAT_ALLF" : !pto.mask<b32>'
    value = f"%f = arith.constant 1.0 : f32\n%v = pto.vbr %f : f32 -> {V}"
    assert touches(analysed(scope(mask, value, store("%v", "%a", "%i0", "%q")))[1]) == []


def test_a_copy_touches_its_rows_on_both_sides() -> None:
    _, analysis = analysed(copy_in("%b", "%l64", "%l4", "%l128"), copy_out("%b"))
    read, write, out, _ = touches(analysis)
    assert (read.space, read.writes, read.pipe) == ("gm", False, "PIPE_MTE2")
    assert read.may.rows() == [(0, 4 * 64)]
    assert write.may.rows() == [(4096 + 128 * i, 4096 + 128 * i + 64) for i in range(4)]
    assert (out.space, out.writes, out.pipe) == ("ub", False, "PIPE_MTE3")


def test_block_strides_make_addresses() -> None:
    """Block i at 32 * (repeat + i * block)."""
    lines = [
        "%block = arith.constant 3 : i16",
        "%repeat = arith.constant 5 : i16",
        f"%v = pto.vsldb %a, %block, %repeat, %m : {P}, i16, i16, !pto.mask<b32> -> {V}",
    ]
    found = touches(analysed(scope(*lines))[1])
    assert [t.may.start.number for t in found] == [32 * (5 + 3 * i) for i in range(8)]


def test_synchronisation_stands_in_the_tree() -> None:
    _, analysis = analysed(loop(waits("V", "S", "%k"), "pto.barrier #pto.pipe"))
    flag, barrier = (n for n in flat(analysis.nodes) if isinstance(n, Sync))
    assert (flag.rule, flag.src, flag.dst) == (WAIT, "PIPE_V", "PIPE_S")
    assert (barrier.rule, barrier.pipe) == (BARRIER, "PIPE_ALL")
