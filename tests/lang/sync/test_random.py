"""Random programs of copies, vecscopes, scalar accesses, loops and branches: what is inserted
leaves no race in any run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope import sources
from ptoscope.isa.parts import EVENTS
from ptoscope.isa.types import Ptr
from ptoscope.kernel import Kernel
from ptoscope.lang.sync import events as event_numbers
from ptoscope.program import For, Function
from ptoscope.watch import Watch, watch
from tests.check.pipes import (
    branch,
    copy_in,
    copy_out,
    kernel,
    load,
    loop,
    scope,
    store,
)

from .support import PlacedBuffer, buffers, done, synchronised, without_each

POINTER = "!pto.ptr<f32, ub>"
ARRAY = "!pto.ptr<f32, gm>"
BUFFERS = st.sampled_from(["%a", "%b", "%c"])
IN_TURN = st.sampled_from(["%p", "%q", "%a"])
"""In a pipelined loop: two buffers of several copies, and one of one."""
OFFSETS = st.sampled_from(["%i0", "%i64", "%i128"])
ROWS = st.sampled_from(["%i0", "%i64", "%at"])
"""Elements of an array: fixed ones, and those of the iteration of the innermost loop."""


def at(pointer: str, offset: str, kind: str, name: str) -> tuple[str, str]:
    """A pointer moved on: the line and the name of the result."""
    return f"{name} = pto.addptr {pointer}, {offset} : {kind} -> {kind}", name


@st.composite
def copies_in(draw: st.DrawFn, them: st.SearchStrategy[str] = BUFFERS) -> str:
    source, from_ = at("%x", draw(ROWS), ARRAY, "%from")
    target, to = at(draw(them), draw(OFFSETS), POINTER, "%to")
    return "\n".join([source, target, copy_in(to).replace("%x,", f"{from_},")])


@st.composite
def copies_out(draw: st.DrawFn, them: st.SearchStrategy[str] = BUFFERS) -> str:
    target, to = at(draw(st.sampled_from(["%x", "%y"])), draw(ROWS), ARRAY, "%to")
    source, from_ = at(draw(them), draw(OFFSETS), POINTER, "%from")
    return "\n".join([target, source, copy_out(from_, to=to)])


@st.composite
def scopes(draw: st.DrawFn, them: st.SearchStrategy[str] = BUFFERS) -> str:
    lines: list[str] = []
    for number in range(draw(st.integers(1, 2))):
        value = f"%v{number}"
        lines.append(load(value, draw(them), draw(OFFSETS)))
        for _ in range(draw(st.integers(1, 2))):
            lines.append(store(value, draw(them), draw(OFFSETS)))
    if draw(st.booleans()):
        step, to = draw(st.sampled_from([("%i64", "%i128"), ("%i64", "%n64")]))
        moved = [line.replace("[%i0]", "[%j]") for line in lines]
        lines = [loop(*moved, to=to, step=step, index="%j")]
    return scope(*lines)


@st.composite
def scalars(draw: st.DrawFn) -> str:
    where, kind = draw(st.sampled_from([("%a", POINTER), ("%b", POINTER), ("%y", ARRAY)]))
    index = draw(st.sampled_from(["%i0", "%i64"]))
    if draw(st.booleans()):
        return f"%s = pto.load_scalar {where}[{index}] : {kind} -> f32"
    return f"pto.store_scalar %one, {where}[{index}] : {kind}, f32"


LEAVES = st.one_of(copies_in(), copies_out(), scopes(), scopes(), scalars())
Lines = list[str]


def looped(body: Lines, to: str, depth: int) -> str:
    position = f"%at = arith.muli %t{depth}, %i64 : index"
    return loop(position, *body, to=to, index=f"%t{depth}")


def structured(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bodies = st.lists(inner, min_size=1, max_size=4)
    ends = st.sampled_from(["%n", "%n", "%i2", "%i4"])
    conditions = st.sampled_from(["%yes", "%no"])
    return st.one_of(
        st.tuples(bodies, ends, st.integers(0, 999)).map(lambda t: looped(*t)),
        st.tuples(conditions, bodies, st.none() | bodies).map(lambda t: branch(t[0], t[1], t[2])),
    )


BODIES = st.lists(
    st.one_of(LEAVES, structured(LEAVES), structured(st.one_of(LEAVES, structured(LEAVES)))),
    min_size=1,
    max_size=5,
)
PARAMS = "%n: index, %yes: i1, %no: i1"
HEAD = (
    "%at = arith.constant 64 : index",
    "%one = arith.constant 1.0 : f32",
    "%n64 = arith.muli %n, %i64 : index",
)


def numbered(lines: Lines) -> str:
    """A kernel in which every value has a name of its own."""
    text = "\n".join(lines)
    made: list[str] = []
    scopes: list[dict[str, str]] = [{}]
    for number, line in enumerate(text.split("\n")):
        words = line.replace(",", " , ").replace("[", " [ ").replace("]", " ] ").split(" ")
        closes = line.startswith("}")
        if closes:
            scopes.pop()
        known = {old: new for names in scopes for old, new in names.items()}
        defines = words[1] if line.startswith("scf.for") else words[0] if " = " in line else ""
        if line.endswith("{"):
            scopes.append({})
        if defines.startswith("%"):
            new = f"{defines}_{number}"
            scopes[-1][defines] = new
            head, equals, rest = line.partition(" = ")
            line = head.replace(defines, new) + equals + _renamed(rest, known)
        else:
            line = _renamed(line, known)
        made.append(line)
    return kernel(*HEAD, *made, params=PARAMS)


def _renamed(line: str, known: dict[str, str]) -> str:
    return re.sub(r"%\w+", lambda m: known.get(m.group(), m.group()), line)


FEW = st.sampled_from([len(EVENTS), len(EVENTS), 1, 2, 3])
"""Numbers of events: where they are few, flags have to do with them."""


@contextmanager
def events(few: int) -> Iterator[None]:
    """Of each two pipes there are so many events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_numbers, "EVENTS", EVENTS[:few])
        yield


def findings(made: Kernel, n: int, yes: bool, no: bool) -> list[str]:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 1024), np.float32)
    seen = watch(made, [x, y, n, yes, no], Watch(races=True), engine="reference")
    return [str(finding) for finding in seen.diagnostics]


@settings(max_examples=60, deadline=None)
@given(BODIES.map(numbered), st.integers(0, 3), st.booleans(), st.booleans(), FEW)
def test_no_run_has_a_race(text: str, n: int, yes: bool, no: bool, few: int) -> None:
    with events(few):
        made = synchronised(text)
    assert findings(made.kernel(contents=False), n, yes, no) == []


@settings(max_examples=40, deadline=None)
@given(BODIES.map(numbered))
def test_what_is_inserted_is_enough_and_nothing_of_it_too_much(text: str) -> None:
    """To the result nothing is added; without any one flag or barrier, something is."""
    made = synchronised(text)
    assert synchronised(made.text, keep=True).text == made.text
    for less in without_each(made):
        assert synchronised(less, keep=True).text != less


PIPELINED = st.one_of(copies_in(IN_TURN), copies_out(IN_TURN), scopes(IN_TURN), scalars())
PIPELINED_BODIES = st.lists(
    st.one_of(PIPELINED, PIPELINED, structured(PIPELINED)), min_size=1, max_size=5
)


STAGE_BYTES = 2048
"""Of a buffer: more than five rows of 64 elements."""


def pipelined(body: Lines, copies: int) -> str:
    """A loop over %n in whose iterations %p and %q take turns with their copies, behind %d."""
    lines = [
        "%at = arith.muli %t, %i64 : index",
        f"%size = arith.constant {STAGE_BYTES} : i64",
        "%offset = arith.muli %stage, %size : i64",
        "%p_at = arith.addi %offset, %l16384 : i64",
        "%q_at = arith.addi %p_at, %l8192 : i64",
        f"%p = pto.castptr %p_at : i64 -> {POINTER}",
        f"%q = pto.castptr %q_at : i64 -> {POINTER}",
        *body,
        "%next = arith.addi %stage, %l1 : i64",
        f"%copies = arith.constant {copies} : i64",
        "%last = arith.cmpi eq, %next, %copies : i64",
        "%new = arith.select %last, %l0, %next : i64",
        "scf.yield %new : i64",
    ]
    start = "%end = scf.for %t = %i0 to %n step %i1 iter_args(%stage = %l0) -> (i64) {"
    return "\n".join([start, *lines, "}"])


def copies_of(function: Function, copies: int) -> list[PlacedBuffer]:
    """The buffers of a kernel with pipelined loops."""
    found = buffers(function)
    for op in function.ops():
        if isinstance(op, For) and op.carried:
            roots = {function.names[r]: r for inner in op.body.ops for r in inner.results}
            slots = [slot for name, slot in roots.items() if name.startswith(("p_", "q_"))]
            pointers = [slot for slot in slots if isinstance(function.types[slot], Ptr)]
            for slot, address in zip(pointers, (16384, 24576), strict=True):
                found.append(PlacedBuffer((slot,), address, STAGE_BYTES, copies, op, op.carried[0]))
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.lists(LEAVES, max_size=2),
    PIPELINED_BODIES,
    st.lists(LEAVES, max_size=2),
    st.integers(2, 3),
    st.booleans(),
    st.integers(0, 5),
    st.booleans(),
    FEW,
)
def test_no_run_of_a_pipelined_loop_has_a_race(
    before: Lines, body: Lines, after: Lines, copies: int, nested: bool, n: int, yes: bool, few: int
) -> None:
    inner = pipelined(body, copies)
    whole = [loop(inner, *after, to="%i2", index="%outer")] if nested else [inner, *after]
    program = sources.parse(numbered(["%l16384 = arith.constant 16384 : i64", *before, *whole]), "")
    function = program.functions[0]
    with events(few):
        made = done(program, function, copies_of(function, copies))
    assert findings(made.kernel(contents=False), n, yes, not yes) == []
