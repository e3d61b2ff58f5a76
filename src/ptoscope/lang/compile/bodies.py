"""What the compiler decides inside loops and branches, for a plain run that goes the same way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ptoscope.diagnostics import Span
from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Type
from ptoscope.program import Loop


@dataclass(eq=False)
class OpenLoop:
    """A loop that is being written down. With several stages, its iterations take turns with
    copies of the arrays that belong to them."""

    stages: int = 1
    stage: int = -1
    """The slot of the number of the copy that an iteration uses."""
    op: Loop | None = None


@dataclass(eq=False)
class NewArray:
    """An array of `count` elements in a memory of the chip: the slot of its pointer, and the loop
    in whose body it was made."""

    dtype: DType
    count: int
    slot: int
    span: Span
    at: int | None
    loop: OpenLoop | None
    memory: str = "ub"


@dataclass(eq=False)
class DecidedBody:
    """A kernel, or a body in it that a run may repeat or leave out, with all that is unrolled and
    inlined there.

    `inner` are the bodies inside, in the order in which they were written down: a loop and a
    section have one, a branch one for each side. `arrays` are those that it allocates, in order.
    `types` are those of the values that names have when an iteration begins, and behind a loop or
    a branch; under "" that of a conditional expression. `kept` are the names of arrays that a
    section made and that are there behind it.
    """

    inner: list[DecidedBody] = field(default_factory=list[Any])
    arrays: list[NewArray] = field(default_factory=list[NewArray])
    types: dict[str, Type] = field(default_factory=dict[str, Type])
    loop: OpenLoop | None = None
    kept: frozenset[str] = frozenset()
