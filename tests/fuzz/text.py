"""A kernel text as it grows: blocks of lines, and the values that may be used in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ptoscope.isa.dtypes import INDEX
from ptoscope.isa.types import Scalar, Type
from tests.fuzz.kernel import Kernel, Source, Value

MARK = "  // faults"
"""Ends the line that a faulty program stops at."""


@dataclass(frozen=True)
class Iteration:
    """Which iteration of all loops around it a block is in: an index below `count`. The innermost
    loop has `runs` iterations; one whose end only the run tells counts as if it had more."""

    index: Value
    count: int
    runs: int


@dataclass
class Stage:
    """Copies in, vector work, copies out.

    `sources` grow as the work asks for them. `ordered` says that the lines stand in the order
    they run in, so that the scalar unit may wait for the others. `first` is where the results
    of the stage begin, `numbers` a pointer to GM for scalars, of which `slots` are taken.
    """

    first: int
    numbers: Value | None = None
    slots: int = 0
    ordered: bool = True
    sources: list[Source] = field(default_factory=list["Source"])


class Block:
    """The lines of one region, inside a vecscope or not, and the values defined in it."""

    def __init__(
        self,
        kernel: Kernel,
        stage: Stage,
        outer: Block | None = None,
        *,
        scope: bool = False,
        iteration: Iteration | None = None,
    ) -> None:
        self.kernel = kernel
        self.rng = kernel.rng
        self.stage = stage
        self.outer = outer
        self.scope = scope or (outer is not None and outer.scope)
        self.iteration = iteration if iteration is not None or outer is None else outer.iteration
        self.readable = kernel.results_end
        """Where the results end that were stored before this block."""
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.lines: list[str] = []
        self.values: list[Value] = []
        self.gates: dict[int, Value] = {}
        """Masks of all lanes, made at the start of a vecscope."""
        self.stored: list[tuple[Value, Value]] = []
        """Where this block has stored whole vectors: pointers and offsets."""

    @property
    def root(self) -> Block:
        """The outermost block of the vecscope."""
        return self.outer.root if self.outer is not None and self.outer.scope else self

    def see(self, value: Value) -> Value:
        """Lets later lines use a value."""
        self.values.append(value)
        return value

    def emit(
        self, line: str, results: Sequence[Value] = (), operands: Sequence[Value] = ()
    ) -> None:
        """A line, the values it defines, and those it uses."""
        self.lines.append(line)
        self.values.extend(results)
        self.kernel.used.update(o.name for o in operands)

    def instruct(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Value] = (),
        *,
        attribute: str = "",
        mark: str = "",
    ) -> None:
        """A PTO instruction that lists the types of all its operands and results. Its results
        are for the caller: other lines do not see them."""
        text = f"{', '.join(r.name for r in results)} = " if results else ""
        text += f"pto.{name} {', '.join(o.name for o in operands)}"
        text += f', "{attribute}"' if attribute else ""
        text += f" : {', '.join(str(o.type) for o in operands)}"
        text += f" -> {', '.join(str(r.type) for r in results)}" if results else ""
        self.emit(text + mark, (), operands)

    def emit_results(self, results: Sequence[Value], operands: Sequence[Value]) -> None:
        """The values that a region gives, and those it was given."""
        self.values.extend(results)
        self.kernel.used.update(o.name for o in operands)

    def nest(self, head: str, inner: Block, tail: str = "}") -> None:
        """The lines of a region."""
        self.lines += [head, *(f"  {row}" for row in inner.lines), tail]

    def find(self, kind: Type) -> Value | None:
        """A live value of a type; those of this block are likelier."""
        own = [v for v in self.values if v.type == kind]
        if not own or self.kernel.chance(0.3):
            own = [v for v in self.visible() if v.type == kind]
        return self.rng.choice(own) if own else None

    def visible(self) -> list[Value]:
        """Every value that may be used."""
        return [*(self.outer.visible() if self.outer else ()), *self.values]

    def operation(self, name: str, operands: Sequence[Value], kind: Type, types: str = "") -> Value:
        """An arith operation with one result."""
        result = self.kernel.fresh(kind)
        listed = ", ".join(o.name for o in operands)
        text = f"{result.name} = arith.{name} {listed} : {types or operands[-1].type}"
        self.emit(text, (result,), operands)
        return result

    def index(self, value: Value) -> Value:
        """A number as an index."""
        if value.type == Scalar(INDEX):
            return value
        return self.operation(
            "index_cast", (value,), Scalar(INDEX), f"{value.type} to {Scalar(INDEX)}"
        )
