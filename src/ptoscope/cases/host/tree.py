"""Host code as a tree: the statements and expressions a host program is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ptoscope.cases.host.tokens import CppToken


@dataclass(frozen=True)
class TypeName:
    """A type as written, without const and the like: `unsigned char`, 1 pointer, by value."""

    name: str
    pointers: int = 0
    reference: bool = False


@dataclass
class CppNode:
    """Anything of the tree; `where` is `file:line`."""

    where: str


@dataclass
class CppLiteral(CppNode):
    value: Any


@dataclass
class CppName(CppNode):
    name: str


@dataclass
class CppUnary(CppNode):
    """`op` is one of ! ~ - + & * ++ --; `after` for those written behind."""

    op: str
    operand: CppNode
    after: bool = False


@dataclass
class CppBinary(CppNode):
    op: str
    left: CppNode
    right: CppNode


@dataclass
class Choice(CppNode):
    test: CppNode
    then: CppNode
    other: CppNode


@dataclass
class Assign(CppNode):
    """`op` is empty for a plain assignment, else the operator before the equals sign."""

    op: str
    target: CppNode
    value: CppNode


@dataclass
class Cast(CppNode):
    type: TypeName
    operand: CppNode


@dataclass
class SizeOf(CppNode):
    type: TypeName | None
    operand: CppNode | None = None


@dataclass
class CppCall(CppNode):
    """A call; `launch` are the values between `<<<` and `>>>` of a kernel launch."""

    name: str
    arguments: list[CppNode]
    launch: list[CppNode] | None = None


@dataclass
class CppIndex(CppNode):
    base: CppNode
    index: CppNode


@dataclass
class Braces(CppNode):
    """An initializer list."""

    items: list[CppNode]


@dataclass
class Declare(CppNode):
    """A variable; `length` for an array."""

    type: TypeName
    name: str
    value: CppNode | None = None
    length: CppNode | None = None
    is_array: bool = False


@dataclass
class Evaluate(CppNode):
    expression: CppNode


@dataclass
class CppBlock(CppNode):
    """Statements; a declaration of several variables is a block without a scope."""

    body: list[CppNode] = field(default_factory=list[CppNode])
    scope: bool = True


@dataclass
class CppIf(CppNode):
    test: CppNode
    then: CppNode
    other: CppNode | None


@dataclass
class CppSwitch(CppNode):
    """`cases` are the values to compare with, and where in `body` each begins; None is default."""

    value: CppNode
    body: list[CppNode]
    cases: list[tuple[CppNode | None, int]]


@dataclass
class CppLoop(CppNode):
    """for, while and do; the test of `do` comes after the first iteration."""

    start: CppNode | None
    test: CppNode | None
    step: CppNode | None
    body: CppNode
    test_first: bool = True


@dataclass
class Jump(CppNode):
    """break, continue, goto and return."""

    kind: str
    value: CppNode | None = None
    label: str = ""


@dataclass
class CppParameter:
    type: TypeName
    name: str


@dataclass
class CppFunction:
    """A function with its body still as tokens: one that is never called need not be read."""

    name: str
    parameters: list[CppParameter]
    body: Sequence[CppToken]
    where: str
