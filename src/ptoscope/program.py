"""The kernel in a compact form of its own: what checks, engines, timing and the cache read.

Values are slots, numbered per function. Control flow stays structured: an operation owns
its blocks. Loops, branches and scopes are classes with names for what they take, carry and
give; where these stand among operands and arguments is known here alone. Nothing refers to
the text reader, and everything pickles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from ptoscope.diagnostics import NOWHERE, Diagnostic, Span
from ptoscope.isa.parts import IN_SECTION, MEMORIES, SECTIONS, STRICT_VECSCOPE, VECSCOPE, CoreKind
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import AttrValue, Ptr, Type
from ptoscope.ranges import MemoryRange

if TYPE_CHECKING:
    from ptoscope.isa.record import Site


@dataclass(slots=True)
class Block:
    """Arguments and operations, the last of them the terminator where one is needed."""

    args: tuple[int, ...] = ()
    ops: list[Op] = field(default_factory=list["Op"])

    @property
    def end(self) -> Terminator | None:
        """The terminator; None where none is needed, or none could be read."""
        last = self.ops[-1] if self.ops else None
        return last if isinstance(last, Terminator) else None

    @property
    def yields(self) -> tuple[int, ...]:
        """The values that the block passes on at its end."""
        end = self.end
        return () if end is None else end.values

    def walk(self) -> Iterator[Op]:
        """All operations, outer before inner, in program order."""
        stack = list(reversed(self.ops))
        while stack:
            op = stack.pop()
            yield op
            for block in reversed(op.blocks):
                stack.extend(reversed(block.ops))


@dataclass(slots=True)
class Op:
    """One operation: slots in, slots out, static attributes, nested blocks, where it stands.

    `form` is the index of the record's form it was written in; `segments` the clauses of a
    grouped instruction with their operand counts. Made by `operation`.
    """

    name: str
    operands: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    attrs: Mapping[str, AttrValue] = field(default_factory=dict[str, AttrValue])
    blocks: tuple[Block, ...] = ()
    span: Span = NOWHERE
    operand_spans: tuple[Span, ...] = ()
    form: int = 0
    segments: tuple[tuple[str, int], ...] = ()


class Terminator(Op):
    """The end of a block: `scf.yield`, `scf.condition` or `func.return`."""

    __slots__ = ()

    @property
    def values(self) -> tuple[int, ...]:
        """What it passes on."""
        return self.operands


class Condition(Terminator):
    """`scf.condition`: whether a while loop goes on, and with what."""

    __slots__ = ()

    @property
    def condition(self) -> int:
        """Whether there is a further iteration."""
        return self.operands[0]

    @property
    def values(self) -> tuple[int, ...]:
        """What it passes on: to the second block, or as results."""
        return self.operands[1:]


class Loop(Op):
    """`scf.for` or `scf.while`. Value by value, `carried` is `inits` in the first iteration,
    and in every later one what the iteration before it `yields`."""

    __slots__ = ()

    @property
    def entry(self) -> Block:
        """The block with which every iteration begins."""
        return self.blocks[0]

    @property
    def inits(self) -> tuple[int, ...]:
        """The values it begins with."""
        raise NotImplementedError

    @property
    def carried(self) -> tuple[int, ...]:
        """The arguments that hold the carried values during an iteration."""
        raise NotImplementedError

    @property
    def yields(self) -> tuple[int, ...]:
        """The values that an iteration hands to the next one."""
        raise NotImplementedError


class For(Loop):
    """`scf.for`: `body` for each `index` from `lower` to below `upper` by `step`. The results
    are what the last iteration yields; after no iteration, the inits."""

    __slots__ = ()

    @property
    def lower(self) -> int:
        """The index of the first iteration."""
        return self.operands[0]

    @property
    def upper(self) -> int:
        """Where the index ends; not reached."""
        return self.operands[1]

    @property
    def step(self) -> int:
        """By how much the index grows."""
        return self.operands[2]

    @property
    def bounds(self) -> tuple[int, ...]:
        """Lower bound, upper bound and step."""
        return self.operands[:3]

    @property
    def inits(self) -> tuple[int, ...]:
        """The values it begins with."""
        return self.operands[3:]

    @property
    def body(self) -> Block:
        """What every iteration does."""
        return self.blocks[0]

    @property
    def index(self) -> int:
        """The argument that holds the index."""
        return self.body.args[0]

    @property
    def carried(self) -> tuple[int, ...]:
        """The arguments that hold the carried values during an iteration."""
        return self.body.args[1:]

    @property
    def yields(self) -> tuple[int, ...]:
        """The values that an iteration hands to the next one."""
        return self.body.yields


class While(Loop):
    """`scf.while`: every iteration runs `before`, and, where its `condition` holds, `after`,
    whose arguments `received` are the values `passed`. The results are those passed when it
    did not hold."""

    __slots__ = ()

    @property
    def inits(self) -> tuple[int, ...]:
        """The values it begins with."""
        return self.operands

    @property
    def before(self) -> Block:
        """The first block: it ends in scf.condition."""
        return self.blocks[0]

    @property
    def after(self) -> Block:
        """The second block: it ends in scf.yield."""
        return self.blocks[1]

    @property
    def carried(self) -> tuple[int, ...]:
        """The arguments of the first block."""
        return self.before.args

    @property
    def condition(self) -> int:
        """Whether the loop goes on."""
        end = self.before.end
        assert isinstance(end, Condition)
        return end.condition

    @property
    def passed(self) -> tuple[int, ...]:
        """What the first block passes on: to the second one, or as results."""
        return self.before.yields

    @property
    def received(self) -> tuple[int, ...]:
        """The arguments of the second block."""
        return self.after.args

    @property
    def yields(self) -> tuple[int, ...]:
        """The values that an iteration hands to the next one."""
        return self.after.yields


class If(Op):
    """`scf.if`: the results are what the block that was taken yields. It always has two
    blocks; where no else was written, the second is empty, without even a terminator."""

    __slots__ = ()

    @property
    def condition(self) -> int:
        """Which side is taken."""
        return self.operands[0]

    @property
    def then(self) -> Block:
        """What is done where the condition holds."""
        return self.blocks[0]

    @property
    def otherwise(self) -> Block:
        """What is done where it does not."""
        return self.blocks[1]


class Call(Op):
    """`func.call`: the results are what the function `callee` returns, called with the operands.
    Programs that are checked and run have none: `expansion` puts its body in its place."""

    __slots__ = ()

    @property
    def callee(self) -> str:
        """The name of the function."""
        return str(self.attrs["callee"])


class Section(Op):
    """`pto.section.vector` or `pto.section.cube`: what the cores of a kind execute of a function
    that holds code for several. Programs that are checked and run have none: `expansion` puts a
    branch in its place."""

    __slots__ = ()

    @property
    def core(self) -> CoreKind:
        """The kind of core."""
        return SECTIONS[self.name]

    @property
    def body(self) -> Block:
        """What the core executes."""
        return self.blocks[0]


def section_branch(section: Section, condition: int, taken: list[Op]) -> list[Op]:
    """What a section means to all cores, by a slot for the condition: those of its kind take
    the branch."""
    span = section.span
    here = operation(IN_SECTION, results=(condition,), attrs={"core": section.core}, span=span)
    return [here, operation("scf.if", (condition,), blocks=(Block((), taken), Block()), span=span)]


def section_of(here: Op, then: Op) -> Section | None:
    """The section that two operations, one after the other, stand for; None where they do not."""
    if here.name != IN_SECTION or not isinstance(then, If) or then.condition not in here.results:
        return None
    name = next(name for name, core in SECTIONS.items() if core == here.attrs["core"])
    made = operation(name, blocks=(then.then,), span=then.span)
    assert isinstance(made, Section)
    return made


class Scope(Op):
    """`pto.vecscope` or `pto.strict_vecscope`: what PIPE_V executes. The arguments of the body
    are the inputs of a strict scope; the other kind has none and sees everything outside."""

    __slots__ = ()

    @property
    def strict(self) -> bool:
        """Whether the body sees nothing but its arguments."""
        return self.name == STRICT_VECSCOPE

    @property
    def inputs(self) -> tuple[int, ...]:
        """The values passed in."""
        return self.operands

    @property
    def args(self) -> tuple[int, ...]:
        """The arguments of the body."""
        return self.body.args

    @property
    def body(self) -> Block:
        """What PIPE_V executes."""
        return self.blocks[0]


@dataclass(slots=True)
class Show(Op):
    """What somebody asks to see when a run has come here; `prints` puts it into a program. It is
    no instruction, no place and no event, and takes no time.

    It shows its operand, where it has one, else the bytes of `memory`, else the flags and buffers.
    With a `pipe`, it is shown when that has executed what was issued last. `asked` is the request,
    `title` what it calls that which is shown. Of the times that a block comes to what was asked,
    `executions` are those that are shown, counted from 0, by default all; `iterations` are those
    of loops around it, as messages name them, in which alone it is shown.
    """

    asked: str = ""
    title: str = ""
    memory: MemoryRange | None = None
    pipe: str = ""
    executions: tuple[int, ...] = ()
    iterations: tuple[str, ...] = ()


CALL = "func.call"
_CLASSES: dict[str, type[Op]] = {
    "scf.for": For,
    "scf.while": While,
    "scf.if": If,
    "scf.yield": Terminator,
    "scf.condition": Condition,
    CALL: Call,
    **dict.fromkeys(SECTIONS, Section),
    "func.return": Terminator,
    VECSCOPE: Scope,
    STRICT_VECSCOPE: Scope,
}
SCOPES = tuple(name for name, kind in _CLASSES.items() if issubclass(kind, Scope))
TERMINATORS = tuple(name for name, kind in _CLASSES.items() if issubclass(kind, Terminator))
"""What a reader expects by its name, before there is an operation."""


def operation(
    name: str,
    operands: tuple[int, ...] = (),
    results: tuple[int, ...] = (),
    attrs: Mapping[str, AttrValue] | None = None,
    blocks: tuple[Block, ...] = (),
    span: Span = NOWHERE,
    operand_spans: tuple[Span, ...] = (),
    form: int = 0,
    segments: tuple[tuple[str, int], ...] = (),
) -> Op:
    """The operation of a name, of the class that the name has. Operands and arguments are in
    the order of the generic form: an scf.for takes lower bound, upper bound, step and inits,
    and its block the index and the carried values; scf.condition takes the condition first.
    The else of an scf.if may be missing."""
    made = _CLASSES.get(name, Op)
    if made is If and len(blocks) == 1:
        blocks = (*blocks, Block())
    return made(
        name,
        operands,
        results,
        {} if attrs is None else attrs,
        blocks,
        span,
        operand_spans,
        form,
        segments,
    )


Calls = tuple[tuple[int, int], ...]
"""The calls that lead to an operation, as its span has them."""


@dataclass(slots=True)
class Function:
    """One kernel function. `types` and `names` are indexed by slot."""

    name: str
    params: tuple[int, ...]
    body: Block
    types: list[Type]
    names: list[str]
    is_kernel: bool = False
    span: Span = NOWHERE
    kind: str = ""
    """The kernel kind that its module names, or empty."""
    cores: tuple[CoreKind, ...] = ("vector",)
    """The cores of a block, which all run it: one, or a cluster."""
    other_names: dict[tuple[Calls, str], int] = field(default_factory=dict[tuple[Calls, str], int])
    """Slots by names that `expansion` took away: what a helper calls its parameters where the calls
    lead to it, and what a caller calls the results of a call."""

    def ops(self) -> Iterator[Op]:
        """All operations, outer before inner, in program order."""
        return self.body.walk()

    @property
    def uses_matrix_memories(self) -> bool:
        """Whether it has a pointer into memory of a matrix core."""
        return any(isinstance(t, Ptr) and MEMORIES[t.space].core == "cube" for t in self.types)


def site_of(function: Function, op: Op, target: Target, revision: Revision) -> Site:
    """One use as its record sees it; control flow and scopes are uses of pto.vecscope by name."""
    # A kernel in the cache is run without any of its records.
    from ptoscope.isa import TABLE
    from ptoscope.isa.record import Site

    types = function.types
    record = TABLE.get(op.name) or replace(TABLE[VECSCOPE], name=op.name)
    return Site(
        record,
        tuple(types[slot] for slot in op.operands),
        tuple(types[slot] for slot in op.results),
        op.attrs,
        target,
        revision,
        op.span,
        op.form,
        op.segments,
    )


@dataclass(slots=True)
class Program:
    """A whole file: its functions, the target and the revision it names (or ""), its text for
    messages."""

    functions: list[Function]
    target_arch: str = ""
    kernel_kind: str = ""
    file: str = ""
    text: str = ""
    revision: str = ""
    opened: tuple[Span, ...] = ()
    """Where operations begin in the text that no function has: `expansion` has put others in their
    place, or the text could not be read, and these are all that begin in it."""
    built: bool = False
    """Whether it was made of another language than ours, whose source is its text: that is shown,
    but neither read nor edited."""
    _lines: list[str] = field(default_factory=list[str], init=False, compare=False, repr=False)
    """Those of the text, once a finding asked for one."""

    def diagnostic(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        severity: str = "error",
        found: str = "",
        expected: str = "",
        hint: str = "",
    ) -> Diagnostic:
        """A finding at a place of this file, with the source line for the caret."""
        lines = self._lines = self._lines or self.text.split("\n")
        line = lines[span.line - 1].rstrip("\r") if 0 < span.line <= len(lines) else ""
        return Diagnostic(code, message, severity, self.file, span, found, expected, hint, line)


class Launchable(Protocol):
    """A function of a program on a target in a revision: what engines run."""

    @property
    def program(self) -> Program: ...

    @property
    def function(self) -> Function: ...

    @property
    def target(self) -> Target: ...

    @property
    def revision(self) -> Revision: ...

    def prepared(self, make: Callable[[Any], Any]) -> Any:
        """`make(self)`, called once: for what an engine makes of it and uses again."""
        ...
