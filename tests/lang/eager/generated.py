"""Random kernels in Python: their source, as text, and arguments for them.

Every kernel is right by construction: variables keep their types, divisors are not zero, places
lie in their arrays, loops end. What is random is everything else.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

import numpy as np

from ptoscope.lang.kernel import PythonKernel

SIZE = 300
"""Elements of every array: whole vector registers and a tail."""
_SCALARS = ("f32", "f16", "i32", "i64", "i16", "i8")
_ARRAYS = {"f32": "f", "f16": "h", "i32": "w", "i16": "s"}
"""The types of which there are vectors, and the letter of their arrays: `xf` in, `yf` out."""
_NUMPY = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i16": np.int16}
_numbers = count()

Scope = dict[str, list[str]]
"""Variables by type."""


@dataclass
class _Source:
    """A kernel that is being written."""

    some: Random
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1
    variables: Scope = field(default_factory=dict[str, list[str]])
    read_only: set[str] = field(default_factory=set[str])
    helpers: list[tuple[str, list[str], str]] = field(default_factory=list[Any])
    names: Any = field(default_factory=count)
    arrays: tuple[str, ...] = tuple(_ARRAYS)
    """The types whose arrays it may read by element."""

    def chosen(self, *values: Any) -> Any:
        return self.some.choice(values)

    def number(self, low: int, high: int) -> int:
        return self.some.randint(low, high)

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def new(self, kind: str) -> str:
        name = f"{kind}_{next(self.names)}"
        self.variables.setdefault(kind, []).append(name)
        return name

    @contextmanager
    def body(self) -> Iterator[None]:
        """A body of its own: what is named in it is gone behind it."""
        before = {kind: list(names) for kind, names in self.variables.items()}
        self.depth += 1
        yield
        self.depth -= 1
        self.variables = before

    # Expressions.

    def literal(self, kind: str) -> str:
        if kind[0] == "f":
            return self.chosen("0.1", "1.5", "-2.0", "0.0", "-0.0", "3.25", "1e-7", "7.0")
        return str(self.number(-100, 100))

    def leaf(self, kind: str) -> str:
        known = self.variables.get(kind, [])
        if known and self.number(0, 4):
            return self.chosen(*known)
        if kind in self.arrays and not self.number(0, 3):
            return f"x{_ARRAYS[kind]}[{self.index(0)} % {SIZE}]"
        return f"pto.{kind}({self.literal(kind)})"

    def scalar(self, kind: str, depth: int = 2) -> str:
        """An expression of a type, a value of the kernel."""
        if depth == 0:
            return self.leaf(kind)
        which = self.number(0, 11)
        lhs = self.scalar(kind, depth - 1)
        if which <= 4:
            signs = "+-*/" if kind[0] == "f" else "+-*&|^"
            rhs = self.literal(kind) if which == 0 else self.scalar(kind, depth - 1)
            sign = self.chosen(*signs)
            return f"({rhs} {sign} {lhs})" if which == 1 else f"({lhs} {sign} {rhs})"
        if which == 5:
            if kind[0] == "f":
                return f"(-{lhs})"
            sign, high = self.chosen(("//", 9), ("%", 9), ("<<", 7), (">>", 7))
            return f"({lhs} {sign} {self.number(1, high)})"
        if which == 6:
            least = self.chosen("min", "max")
            return f"{least}({lhs}, {self.scalar(kind, depth - 1)})"
        if which == 7:
            other = self.chosen(*_SCALARS)
            return f"pto.{kind}({self.scalar(other, depth - 1)})" if other != kind else lhs
        if which == 8:
            real = kind == "f32" and self.number(0, 1)
            return f"pto.{kind}({self.real() if real else self.index()})"
        if which == 9:
            # A number of Python on one side takes the type of the other.
            no = self.literal(kind) if self.number(0, 1) else self.scalar(kind, depth - 1)
            return f"({lhs} if {self.condition(1)} else {no})"
        fitting = [h for h in self.helpers if h[2] == kind]
        if which == 10 and fitting:
            name, kinds, _ = self.chosen(*fitting)
            return f"{name}({', '.join(self.scalar(k, 0) for k in kinds)})"
        return lhs

    def index(self, depth: int = 1) -> str:
        """A whole number from 0 to 99: of Python, or an index."""
        known = self.variables.get("index", [])
        leaf = self.chosen(*known) if known and self.number(0, 5) else str(self.number(0, 99))
        if depth == 0:
            return leaf
        sign = self.chosen("+", "-", "*")
        return f"(({self.index(depth - 1)} {sign} {leaf}) % 100)"

    def real(self, depth: int = 1) -> str:
        """A float of Python, or an f32."""
        known = self.variables.get("real", [])
        leaf = self.chosen(*known) if known and self.number(0, 5) else self.literal("f32")
        if depth == 0:
            return leaf
        if self.number(0, 4) == 0:
            return self.scalar("f32", 1)
        sign = self.chosen(f"+ {leaf}", f"- {leaf}", f"* {leaf}", "* 1.1", "/ 3.0")
        return f"({self.real(depth - 1)} {sign})"

    def condition(self, depth: int = 1) -> str:
        """A truth of the kernel."""
        kind = self.chosen(*_SCALARS)
        sign = self.chosen("<", "<=", ">", ">=", "==", "!=")
        one = f"{self.scalar(kind, 1)} {sign} {self.scalar(kind, 0)}"
        if depth == 0:
            return one
        match self.number(0, 5):
            case 0:
                return f"({one} and {self.condition(depth - 1)})"
            case 1:
                return f"({one} or {self.condition(depth - 1)})"
            case 2:
                return f"not ({one})"
            case 3:
                return f"({self.literal(kind)} < {self.scalar(kind, 1)} <= {self.scalar(kind, 0)})"
            case _:
                return f"({one})"

    # Statements.

    def begin(self) -> None:
        """Variables for loops and branches to change."""
        for kind in ("real", "real", "index", *_SCALARS):
            if kind == "real":
                value = self.literal("f32")
            else:
                value = self.index(0) if kind == "index" else self.leaf(kind)
            self.write(f"{self.new(kind)} = {value}")

    def statements(self, most: int, depth: int) -> None:
        for _ in range(self.number(1, most)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        match self.number(0, 9) if depth else 0:
            case 4 | 5:
                self.loop("i", f"range({self.bound()})", depth)
            case 6:
                self.counted_while(depth)
            case 7 | 8:
                self.branch(depth)
            case 9:
                self.loop("k", f"pto.static(range({self.number(1, 3)}))", depth)
            case _:
                self.assignment()

    def loop(self, name: str, over: str, depth: int) -> None:
        index = f"{name}_{next(self.names)}"
        self.write(f"for {index} in {over}:")
        with self.body():
            self.variables["index"] = [*self.variables.get("index", []), index]
            self.read_only.add(index)
            self.statements(3, depth - 1)

    def bound(self) -> str:
        return self.chosen("3", "n % 6", "n % 3 + 1", "0")

    def counted_while(self, depth: int) -> None:
        turns = f"turn_{next(self.names)}"
        self.write(f"{turns} = {self.chosen('0', 'pto.i32(0)')}")
        more = f" and {self.condition(0)}" if self.number(0, 1) else ""
        self.write(f"while {turns} < n % 5{more}:")
        with self.body():
            self.write(f"{turns} += 1")
            self.statements(2, depth - 1)

    def branch(self, depth: int) -> None:
        self.write(f"if {self.condition()}:")
        with self.body():
            self.statements(2, depth - 1)
        if self.number(0, 2) == 0:
            self.write(f"elif {self.condition()}:")
            with self.body():
                self.statements(2, depth - 1)
        if self.number(0, 1):
            self.write("else:")
            with self.body():
                self.statements(2, depth - 1)

    def assignment(self) -> None:
        kind = self.chosen(*_SCALARS, "index", "real")
        own = {"index": self.index, "real": self.real}.get(kind)
        value = self.scalar(kind) if own is None else own()
        known = [n for n in self.variables.get(kind, []) if n not in self.read_only]
        if known and self.number(0, 5):
            name = self.chosen(*known)
            if own is None and not self.number(0, 3):
                self.write(f"{name} {self.chosen('+=', '-=', '*=')} {value}")
                return
        else:
            name = self.new(kind)
        self.write(f"{name} = {value}")

    # Vectors.

    def tiles(self) -> None:
        """A loop over tiles of arrays of one type."""
        kind = self.chosen(*_ARRAYS)
        letter = _ARRAYS[kind]
        size, stages = self.chosen(64, 128, 256), self.number(1, 3)
        elements = self.chosen("SIZE", "SIZE - n % 7")
        head = self.chosen(
            f"pto.tiles({elements}, {size}, stages={stages})",
            f"pto.pipelined(0, {elements}, {size}, stages={stages})",
        )
        outside = self.number(0, 1)
        if outside:
            self.write(f"bs = pto.ub(pto.{kind}, {size})")
        self.write(f"for t in {head}:")
        with self.body():
            self.write(f"as_, cs = pto.load(x{letter}[t]), pto.ub(pto.{kind}, {size})")
            self.write(f"pto.load(bs, u{letter}[t])" if outside else f"bs = pto.load(u{letter}[t])")
            self.write("with pto.vecscope():")
            with self.body():
                carried = self.number(0, 1)
                if carried:
                    self.write(f"total = pto.vbr({self.literal(kind)}, dtype=pto.{kind})")
                self.write("for i, m in pto.lanes(as_):")
                with self.body():
                    self.variables["index"] = [*self.variables.get("index", []), "i"]
                    self.read_only.add("i")
                    self.vectors(kind, ["total"] if carried else [])
            self.write(f"pto.store(y{letter}[t], cs)")

    def vectors(self, kind: str, known: list[str]) -> None:
        """The body of a loop over vectors."""
        self.arrays = ()
        self.write("a, b = as_[i], bs[i]")
        known = ["a", "b", *known]
        for _ in range(self.number(1, 4)):
            value = self.vector(kind, known)
            if self.number(0, 3) == 0:
                name = self.chosen(*known)
                self.write(f"if {self.condition(0)}:")
                self.depth += 1
                self.write(f"{name} = {value}")
                self.depth -= 1
            elif self.number(0, 4) == 0:
                name = self.chosen(*known)
                self.write(f"for _ in range({self.bound()}):")
                self.depth += 1
                self.write(f"{name} = {value}")
                self.depth -= 1
            else:
                name = f"v{next(self.names)}"
                self.write(f"{name} = {value}")
                known.append(name)
        if "total" in known:
            self.write(f"total = {self.vector(kind, known)}")
        self.write(f"cs[i, {self.mask(kind, known)}] = {self.vector(kind, known)}")
        if self.number(0, 2) == 0:
            self.write(f"cs[i, m] {self.chosen('+=', '-=')} {self.chosen(*known)}")

    def vector(self, kind: str, known: list[str], depth: int = 1) -> str:
        one = self.chosen(*known)
        other = self.vector(kind, known, depth - 1) if depth else self.chosen(*known)
        is_float = kind[0] == "f"
        match self.number(0, 7):
            case 0 | 1:
                return f"({one} {self.chosen(*('+-*/' if is_float else '+-*&|^'))} {other})"
            case 2:
                return f"({one} {self.chosen('+', '*')} {self.scalar(kind, 1)})"
            case 3:
                return f"({one} {self.chosen('+', '*')} {self.literal(kind)})"
            case 4:
                return f"pto.{self.chosen('vmax', 'vmin')}({one}, {other}, m)"
            case 5:
                return f"pto.vsel({one}, {other}, {self.mask(kind, known)})"
            case 6:
                return f"abs({one})" if is_float else f"(~{one})"
            case _:
                return f"(-{other})"

    def mask(self, kind: str, known: list[str]) -> str:
        sign = self.chosen("<", "<=", ">", ">=", "==", "!=")
        one = f"({self.chosen(*known)} {sign} {self.chosen(*known)})"
        match self.number(0, 4):
            case 0:
                return one
            case 1:
                return f"(~{one} & m)"
            case 2:
                return f"({one} | m)"
            case _:
                return "m"


def _helper(some: Random, number: int) -> tuple[list[str], tuple[str, list[str], str]]:
    source = _Source(some, arrays=())
    kinds = [source.chosen(*_SCALARS) for _ in range(source.number(1, 2))]
    names = [source.new(kind) for kind in kinds]
    source.write("n = pto.i32(3)" if "i32" not in kinds else f"n = {names[kinds.index('i32')]}")
    source.statements(3, 1)
    result = source.chosen(*_SCALARS)
    source.write(f"return {source.scalar(result)}")
    name = f"helper_{number}"
    return ["@pto.function", f"def {name}({', '.join(names)}):", *source.lines, "", ""], (
        name,
        kinds,
        result,
    )


def written(seed: int) -> str:
    """The text of a kernel `generated` and of its helpers."""
    some = Random(seed)
    lines = ["from ptoscope import pto", "", f"SIZE = {SIZE}", "", ""]
    kernel = _Source(some)
    for number in range(kernel.number(0, 2)):
        body, face = _helper(some, number)
        lines += body
        kernel.helpers.append(face)
    parameters = [
        f"{side}{letter}: pto.gm[pto.{kind}]" for side in "xuy" for kind, letter in _ARRAYS.items()
    ]
    parameters += [f"o{kind}: pto.gm[pto.{kind}]" for kind in ("f32", "i64", "f16")]
    lines += [
        "@pto.kernel",
        f"def generated({', '.join(parameters)}, n: pto.i32, wide: pto.f32, half: pto.f16):",
    ]
    kernel.variables = {"i32": ["n"], "f32": ["wide"], "f16": ["half"]}
    kernel.read_only = {"n", "wide", "half"}
    kernel.begin()
    kernel.statements(6, 3)
    for _ in range(kernel.number(0, 2)):
        kernel.tiles()
        kernel.arrays = tuple(_ARRAYS)
    for place, kind in enumerate(_SCALARS):
        to = kind if kind[0] == "f" else "i64"
        for number, name in enumerate(kernel.variables.get(kind, [])[-4:]):
            kernel.write(f"o{to}[{8 * place + number}] = pto.{to}({name})")
    for number, name in enumerate(kernel.variables.get("index", [])[-8:]):
        kernel.write(f"oi64[{48 + number}] = pto.i64({name})")
    for number, name in enumerate(kernel.variables.get("real", [])[-8:]):
        kernel.write(f"of32[{48 + number}] = {name}")
    return "\n".join([*lines, *kernel.lines, ""])


def built(text: str) -> PythonKernel:
    """The kernel of a text, whose source can be found as if it were in a file."""
    file = f"<generated {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return names["generated"]


def arguments(seed: int) -> list[Any]:
    """Arrays with numbers of all sizes among them, and scalars."""
    some = np.random.default_rng(seed)
    found: list[Any] = []
    for _ in range(2):
        for dtype in _NUMPY.values():
            if np.dtype(dtype).kind == "i":
                found.append(some.integers(-(1 << 15), 1 << 15, SIZE).astype(dtype))
                continue
            values = some.normal(size=SIZE) * 10.0 ** some.integers(-9, 9, SIZE)
            values[some.integers(0, SIZE, 9)] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 2, 3]
            with np.errstate(over="ignore"):
                found.append(values.astype(dtype))
    found += [np.zeros(SIZE, dtype) for dtype in _NUMPY.values()]
    found += [np.zeros(64, dtype) for dtype in (np.float32, np.int64, np.float16)]
    found += [int(some.integers(-50, 1000)), float(some.normal()), float(some.normal())]
    return found
