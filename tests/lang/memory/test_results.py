"""Random programs whose buffers have to share UB give what they give with memory for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope.isa.targets import TARGETS
from ptoscope.lang.accesses import RootedAccesses
from ptoscope.lang.memory.lifetimes import Moments, lifetimes, touches
from ptoscope.lang.memory.placing import Interval, load, place
from ptoscope.program import Program
from tests.lang.memory.kernels import allocations, program_of

LANES = 64
TILES = 4
WAIT = "pto.barrier #pto.pipe<PIPE_ALL>"
UB, GM = "!pto.ptr<f32, ub>", "!pto.ptr<f32, gm>"
HEAD = f"""\
func.func @k(%x: {GM}, %y: {GM}, %which: i1) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = arith.constant 256 : i64
"""


@dataclass(frozen=True)
class Buffer:
    """Makes a buffer."""

    name: str


@dataclass(frozen=True)
class Load:
    """Fills a buffer with a tile of x."""

    to: str
    tile: int


@dataclass(frozen=True)
class Add:
    """Adds two buffers."""

    to: str
    lhs: str
    rhs: str


@dataclass(frozen=True)
class Store:
    """Writes a buffer to a tile of y."""

    source: str
    tile: int


@dataclass(frozen=True)
class Repeat:
    """A loop."""

    times: int
    body: tuple[Step, ...]


@dataclass(frozen=True)
class Branch:
    """One of two bodies."""

    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


Step = Buffer | Load | Add | Store | Repeat | Branch


@dataclass
class Drawing:
    """Draws programs that read only what was written. `seen` are the buffers in sight, `filled`
    those of them that hold something."""

    draw: st.DrawFn
    count: int = 0

    def body(self, seen: list[str], filled: set[str], depth: int) -> tuple[Step, ...]:
        seen = list(seen)
        steps = [self.step(kind, seen, filled, depth) for kind in ("buffer", "buffer", "load")]
        for _ in range(self.draw(st.integers(3, 6))):
            kinds = ["load", "add", "add", "store"] + ["repeat", "repeat", "branch"] * (depth > 0)
            steps.append(self.step(self.draw(st.sampled_from(kinds)), seen, filled, depth))
        filled &= set(seen)
        return tuple(steps)

    def step(self, kind: str, seen: list[str], filled: set[str], depth: int) -> Step:
        pick = self.draw
        # Of nothing, nothing can be chosen.
        full = st.sampled_from(sorted(filled) or ["none"])
        tile = pick(st.integers(0, TILES - 1))
        if kind == "buffer":
            self.count += 1
            seen.append(f"b{self.count}")
            return Buffer(seen[-1])
        if kind == "store":
            return Store(pick(full), tile)
        if kind == "repeat":
            inner = set(filled)
            made = Repeat(pick(st.integers(2, 3)), self.body(seen, inner, depth - 1))
            filled |= inner & set(seen)
            return made
        if kind == "branch":
            sides = set(filled), set(filled)
            bodies = [self.body(seen, side, depth - 1) for side in sides]
            filled |= sides[0] & sides[1] & set(seen)
            return Branch(*bodies)
        to = pick(st.sampled_from(seen))
        made = Load(to, tile) if kind == "load" else Add(to, pick(full), pick(full))
        filled.add(to)
        return made


@st.composite
def programs(draw: st.DrawFn) -> tuple[Step, ...]:
    filled: set[str] = set()
    steps = Drawing(draw).body([], filled, 2)
    return *steps, *(Store(name, tile) for tile, name in enumerate(sorted(filled)))


def text(steps: Sequence[Step], addresses: dict[str, int], depth: int = 0) -> list[str]:
    """A program as lines of text, in which every access waits for all before it."""
    lines: list[str] = []
    for step in steps:
        match step:
            case Buffer(name):
                at = addresses.get(name, 0)
                lines.append(f"%at_{name} = arith.constant {at} : i64")
                lines.append(f"%{name} = pto.castptr %at_{name} : i64 -> {UB}")
            case Load(to, tile):
                lines += (*element("x", tile, depth), copy("gm_ub", "%p", f"%{to}"), WAIT)
            case Store(source, tile):
                lines += (*element("y", tile, depth), copy("ub_gm", f"%{source}", "%p"), WAIT)
            case Add(to, lhs, rhs):
                lines += (*added(to, lhs, rhs), WAIT)
            case Repeat(times, body):
                lines.append(f"%n{depth} = arith.constant {times} : index")
                lines.append(f"scf.for %i{depth} = %c0 to %n{depth} step %c1 {{")
                lines += (*text(body, addresses, depth + 1), "}")
            case Branch(then, otherwise):
                lines += ("scf.if %which {", *text(then, addresses, depth + 1), "} else {")
                lines += (*text(otherwise, addresses, depth + 1), "}")
    return numbered(lines) if depth == 0 else lines


def element(array: str, tile: int, depth: int) -> list[str]:
    pointer = f"%p = pto.addptr %{array}, %o : {GM} -> {GM}"
    return [f"%o = arith.constant {tile * LANES} : index", pointer]


def copy(name: str, source: str, to: str) -> str:
    kinds, padding = (f"{GM}, {UB}", "%zero, ") if name == "gm_ub" else (f"{UB}, {GM}", "")
    numbers = "i64, " * (5 if padding else 4)
    rows = "%size nburst(%one, %size, %size)"
    return f"pto.mte_{name} {source}, {to}, {padding}{rows} : {kinds}, {numbers[:-2]}"


def added(to: str, lhs: str, rhs: str) -> list[str]:
    vreg, mask = f"!pto.vreg<{LANES}xf32>", "!pto.mask<b32>"
    return [
        "pto.vecscope {",
        f'%m = pto.pset_b32 "PAT_ALL" : {mask}',
        f"%l = pto.vlds %{lhs}[%c0] : {UB} -> {vreg}",
        f"%r = pto.vlds %{rhs}[%c0] : {UB} -> {vreg}",
        f"%s = pto.vadd %l, %r, %m : {vreg}, {vreg}, {mask} -> {vreg}",
        f"pto.vsts %s, %{to}[%c0], %m : {vreg}, {UB}, {mask}",
        "}",
    ]


def numbered(lines: list[str]) -> list[str]:
    """Values of one letter get names of their own, from their definition on."""
    found: list[str] = []
    count = 0
    names: dict[str, str] = {}
    for line in lines:
        for name in ("%n0", "%n1", "%o", "%p", "%m", "%l", "%r", "%s"):
            if line.startswith(f"{name} ="):
                count += 1
                names[name] = f"{name}_{count}"
        for name, full in names.items():
            for end in " ,[":
                line = f"{line} ".replace(f"{name}{end}", f"{full}{end}").rstrip()
        found.append(line)
    return found


def run(steps: Sequence[Step], x: np.ndarray, y: np.ndarray, which: bool, ub: dict) -> None:
    """What a program does, with memory for each buffer."""
    for step in steps:
        match step:
            case Load(to, tile):
                ub[to] = x[tile].copy()
            case Store(source, tile):
                y[tile] = ub[source]
            case Add(to, lhs, rhs):
                ub[to] = ub[lhs] + ub[rhs]
            case Repeat(times, body):
                for _ in range(times):
                    run(body, x, y, which, ub)
            case Branch(then, otherwise):
                run(then if which else otherwise, x, y, which, ub)
            case Buffer():
                pass


def tightly_placed(program: Program) -> dict[str, int]:
    """Addresses in no more memory than is live at once, where that is found to do."""
    (function,) = program.functions
    asked, target = allocations(program), TARGETS["a5"]
    accesses = RootedAccesses(function, [a.root for a in asked], target, "manual")
    lives = lifetimes(asked, Moments(function), touches(asked, accesses), whole_loops=False)
    intervals = [Interval(life.first, life.last, 256, 32) for life in lives]
    addresses = place([intervals], load(intervals)[0])
    return {a.name: at for a, at in zip(asked, addresses, strict=True)}


@settings(max_examples=30, deadline=None)
@given(programs(), st.booleans())
def test_sharing_changes_no_result(steps: tuple[Step, ...], which: bool) -> None:
    addresses = tightly_placed(program_of(*text(steps, {}), head=HEAD))
    kernel = ptoscope.load(HEAD + "\n".join(text(steps, addresses)) + "\n  return\n}\n")
    x = np.random.default_rng(1).integers(-9, 9, (TILES, LANES)).astype(np.float32)
    y, expected = np.zeros_like(x), np.zeros_like(x)
    kernel(x, y, int(which), engine="reference")
    run(steps, x, expected, which, {})
    assert np.array_equal(y, expected)
