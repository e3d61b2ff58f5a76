"""Host code as a tree: the statements and expressions a host program is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ptoscope.cases.host.tokens import Token


@dataclass(frozen=True)
class TypeName:
    """A type as written, without const and the like: `unsigned char`, 1 pointer, by value."""

    name: str
    pointers: int = 0
    reference: bool = False


@dataclass
class Node:
    """Anything of the tree; `where` is `file:line`."""

    where: str


@dataclass
class Literal(Node):
    value: Any


@dataclass
class Name(Node):
    name: str


@dataclass
class Unary(Node):
    """`op` is one of ! ~ - + & * ++ --; `after` for those written behind."""

    op: str
    operand: Node
    after: bool = False


@dataclass
class Binary(Node):
    op: str
    left: Node
    right: Node


@dataclass
class Choice(Node):
    test: Node
    then: Node
    other: Node


@dataclass
class Assign(Node):
    """`op` is empty for a plain assignment, else the operator before the equals sign."""

    op: str
    target: Node
    value: Node


@dataclass
class Cast(Node):
    type: TypeName
    operand: Node


@dataclass
class SizeOf(Node):
    type: TypeName | None
    operand: Node | None = None


@dataclass
class Call(Node):
    """A call; `launch` are the values between `<<<` and `>>>` of a kernel launch."""

    name: str
    arguments: list[Node]
    launch: list[Node] | None = None


@dataclass
class Index(Node):
    base: Node
    index: Node


@dataclass
class Braces(Node):
    """An initializer list."""

    items: list[Node]


@dataclass
class Declare(Node):
    """A variable; `length` for an array."""

    type: TypeName
    name: str
    value: Node | None = None
    length: Node | None = None
    is_array: bool = False


@dataclass
class Evaluate(Node):
    expression: Node


@dataclass
class Block(Node):
    """Statements; a declaration of several variables is a block without a scope."""

    body: list[Node] = field(default_factory=list[Node])
    scope: bool = True


@dataclass
class If(Node):
    test: Node
    then: Node
    other: Node | None


@dataclass
class Loop(Node):
    """for, while and do; the test of `do` comes after the first iteration."""

    start: Node | None
    test: Node | None
    step: Node | None
    body: Node
    test_first: bool = True


@dataclass
class Jump(Node):
    """break, continue, goto and return."""

    kind: str
    value: Node | None = None
    label: str = ""


@dataclass
class Parameter:
    type: TypeName
    name: str


@dataclass
class Function:
    """A function with its body still as tokens: one that is never called need not be read."""

    name: str
    parameters: list[Parameter]
    body: Sequence[Token]
    where: str
