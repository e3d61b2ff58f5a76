"""What an instruction is to those who follow values without running it.

A rule that looks for what packs lanes or what stores to a stream asks for the role, so that it
holds of any instruction that has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ptoscope.isa.targets import Revision

Gives = Literal[
    "computed",  # nothing that can be said without running it
    "constant",  # the attribute `value`
    "number",  # the number that the operand is, in another type
    "address",  # the first operand, a pointer, advanced by the second, in elements
    "choice",  # the second or the third operand, as the first says
    "splat",  # the first operand, or one lane of it, in every active lane
    "packed",  # the active lanes of the first operand, moved to the front
    "first lanes",  # a mask: so many of the first lanes as the operand says
    "pattern",  # a mask: the lanes that the attribute `pattern` names
    "tail pattern",  # the same, for the tail of a row whose length is known
]
"""What the first result is."""


@dataclass(frozen=True)
class Resize:
    """A conversion between scalars: how wide the result is next to the operand, and what fills
    the bits that it has more. "index" is from an integer to index or from index to an integer."""

    result: Literal["wider", "narrower", "as wide", "index"]
    fill: Literal["", "sign", "zeros"] = ""


StreamKind = Literal["primes", "loads", "begins", "stores", "flushes"]
"""What an instruction does to an unaligned stream; only stores have to be begun and flushed,
only loads be primed."""

AR, SQZN = "AR", "SQZN"
"""The special registers of streams: where the next store goes, and how many bytes it has."""


@dataclass(frozen=True)
class StreamStep:
    """Where one use works, by the names of its operands.

    By `place`: "operands" at `base` plus `offset`, which counts elements, or with `in_bytes`
    bytes; "state" where the stream ended, first at base; "registers" at base plus AR, and stored
    are SQZN bytes. A store appends its whole value, else the elements that `length` says.
    """

    base: str
    offset: str = ""
    length: str = ""
    place: Literal["operands", "state", "registers"] = "operands"
    in_bytes: bool = False


@dataclass(frozen=True)
class StreamUse:
    """What an instruction does to an unaligned stream, and where: a step for each of its forms,
    or one for all; `micro` has those of revision micro where they differ."""

    kind: StreamKind
    steps: tuple[StreamStep, ...] = ()
    micro: tuple[StreamStep, ...] = ()

    def step(self, form: int, revision: Revision) -> StreamStep:
        """The step of a form in a revision."""
        steps = self.micro if revision == "micro" and self.micro else self.steps
        return steps[min(form, len(steps) - 1)]
