"""All who know which bytes a copy touches say the same: what the engines change, what their
traces tell, what the analysis works out before a run, and nested loops written out here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope import ir
from ptoscope.check.analysis import analyse
from ptoscope.check.analysis.nodes import Touch, flat
from ptoscope.engines import ENGINES
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.trace.trace import UB
from ptoscope.tracing import trace

SIZE, MIDDLE = 8192, 4096
"""Bytes of each array, and of UB that are looked at; where copies begin."""
FULL = np.arange(SIZE, dtype=np.int64) % 251 + 1
GM_PTR, UB_PTR = "!pto.ptr<ui8, gm>", "!pto.ptr<ui8, ub>"
Bytes = set[int]


@dataclass(frozen=True)
class Copy:
    """Bytes of a row; count, step in GM and step in UB of each loop, innermost first; elements
    of one byte before and after the data of a row in UB, if it is padded."""

    length: int
    loops: tuple[tuple[int, int, int], ...]
    pad: tuple[int, int] | None = None

    @property
    def numbers(self) -> list[int]:
        return [self.length, *(self.pad or (0, 0)), *(n for loop in self.loops for n in loop)]

    def touched(self) -> tuple[Bytes, Bytes]:
        """In GM and in UB, from the middle on."""
        row = self.length
        if self.pad is not None:
            filled = sum(self.pad) + self.length
            row = max(next(n for n in range(0, SIZE, 32) if n >= filled), self.loops[0][2])
        gm, ub = Bytes(), Bytes()
        for index in product(*(range(count) for count, _, _ in self.loops)):
            there = sum(i * s for i, (_, s, _) in zip(index, self.loops, strict=True))
            here = sum(i * d for i, (_, _, d) in zip(index, self.loops, strict=True))
            gm |= set(range(MIDDLE + there, MIDDLE + there + self.length))
            ub |= set(range(MIDDLE + here, MIDDLE + here + row))
        return gm, ub


@st.composite
def copies(draw: st.DrawFn, inward: bool) -> Copy:
    counts = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    loops = tuple(
        (count, draw(st.integers(0, 150)), 32 * draw(st.integers(0, 6))) for count in counts
    )
    pad = st.none() | st.tuples(st.integers(0, 20), st.integers(0, 20))
    return Copy(draw(st.integers(0, 200)), loops, draw(pad) if inward else None)


def text(inward: bool, loops: int, padded: bool, numbers: list[int] | None = None) -> str:
    """A kernel that copies between %gm and UB; UB begins as %full or ends in %full. Without
    numbers they are parameters."""
    names = ["length", "left", "right", *(f"{n}{i}" for i in range(loops) for n in "csd")]
    if numbers is None:
        params, constants = "".join(f", %{name}: i64" for name in names), []
    else:
        pairs = zip(names, numbers, strict=True)
        params, constants = "", [f"%{name} = arith.constant {n} : i64" for name, n in pairs]
    strides = "%s{0}, %d{0}" if inward else "%d{0}, %s{0}"
    clauses = [f"{'loop' if i else 'nburst'}(%c{i}, {strides.format(i)})" for i in range(loops)]
    types = "".join(f", {'loop ' if i else ''}i64, i64, i64" for i in range(loops))
    if padded:
        clauses.append("pad(%fill, %left, %right)")
        types += ", pad i8, i64, i64"
    written = " ".join(clauses)
    into = f"pto.mte_gm_ub {{}}, {{}}, %zero, {{}} {{}} : {GM_PTR}, {UB_PTR}, i64, i64"
    out = f"pto.mte_ub_gm {{}}, {{}}, {{}} {{}} : {UB_PTR}, {GM_PTR}, i64"
    whole = "nburst(%one, %size, %size)"
    if inward:
        moves = [
            into.format("%from", "%to", "%length", written) + types,
            'pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]',
            'pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]',
            out.format("%ub", "%full", "%size", whole) + ", i64, i64, i64",
        ]
    else:
        moves = [
            into.format("%full", "%ub", "%size", whole) + ", i64, i64, i64",
            'pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]',
            'pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]',
            out.format("%to", "%from", "%length", written) + types,
        ]
    lines = [
        *constants,
        "%zero = arith.constant 0 : i64",
        "%one = arith.constant 1 : i64",
        "%fill = arith.constant 7 : i8",
        f"%size = arith.constant {SIZE} : i64",
        f"%middle = arith.constant {MIDDLE} : i64",
        f"%begin = arith.constant {MIDDLE} : index",
        f"%ub = pto.castptr %zero : i64 -> {UB_PTR}",
        f"%to = pto.castptr %middle : i64 -> {UB_PTR}",
        f"%from = pto.addptr %gm, %begin : {GM_PTR} -> {GM_PTR}",
        *moves,
        "return",
    ]
    body = "\n    ".join(lines)
    head = f"func.func @copy(%gm: {GM_PTR}, %full: {GM_PTR}{params})"
    return f"module {{\n  {head} {{\n    {body}\n  }}\n}}\n"


def name(inward: bool) -> str:
    return "pto.mte_gm_ub" if inward else "pto.mte_ub_gm"


@cache
def compiled(inward: bool, loops: int, padded: bool) -> Kernel:
    return Kernel(ir.parse(text(inward, loops, padded)).program, TARGETS["a5"], "manual")


def changed(copy: Copy, inward: bool, engine: str) -> tuple[Bytes, dict[tuple[int, bool], Bytes]]:
    """What a run changes, and what its trace says that the copy reads and writes by space."""
    gm, other = np.zeros((2, SIZE), np.uint8)
    (gm if inward else other)[:] = FULL
    made = compiled(inward, len(copy.loops), copy.pad is not None)
    found = trace(made, [gm, other, *copy.numbers], engine=engine)
    assert found.error is None, found.error
    rows = found.accesses
    places = [
        p.index for p in found.places if p.name == f"pto.mte_{'gm_ub' if inward else 'ub_gm'}"
    ]
    said: dict[tuple[int, bool], Bytes] = {}
    for event, space, writes, atomic, start, length, count, stride in zip(
        *(column.tolist() for column in vars(rows).values()), strict=True
    ):
        assert atomic == 0
        if found.events.place[event] in places:
            for run in range(count):
                at = start + run * stride
                said.setdefault((space, writes), set()).update(range(at, at + length))
    return set(np.flatnonzero(other if inward else gm).tolist()), said


def known(copy: Copy, inward: bool) -> dict[tuple[str, bool], Bytes]:
    """What the analysis says of the copy, by memory; GM from the begin of the argument on."""
    padded = copy.pad is not None
    function = ir.parse(text(inward, len(copy.loops), padded, copy.numbers)).program.functions[0]
    said: dict[tuple[str, bool], Bytes] = {}
    for node in flat(analyse(function, TARGETS["a5"], "manual").nodes):
        if isinstance(node, Touch) and node.op.name == name(inward):
            assert node.sure is not None
            rows = node.sure.rows(1 << 12)
            said[node.space, node.writes] = {b for low, high in rows for b in range(low, high)}
    return said


@pytest.mark.parametrize("inward", [True, False], ids=["to UB", "to GM"])
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_everybody_agrees_on_the_bytes_of_a_copy(inward: bool, data: st.DataObject) -> None:
    copy = data.draw(copies(inward))
    gm, ub = copy.touched()
    ends = ("gm", not inward, gm), ("ub", inward, ub)
    expected = {(space, writes): touched for space, writes, touched in ends if touched}
    assert known(copy, inward) == expected
    numbers = {"gm": 0, "ub": UB}
    for engine in ENGINES:
        made, said = changed(copy, inward, engine)
        assert made == (ub if inward else gm)
        assert said == {(numbers[space], writes): b for (space, writes), b in expected.items()}
