"""The maker of the compiler: it writes instructions down as operations of a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ptoscope.diagnostics import NOWHERE, Span
from ptoscope.isa.dtypes import INDEX, DType
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Mask, Ptr, Scalar, Type
from ptoscope.lang.maker import ChosenUse, ValueMaker
from ptoscope.program import Block, For, Op, operation


@dataclass(eq=False)
class PipelinedLoop:
    """A loop that is being written down, whose iterations take turns with copies of arrays."""

    stages: int
    stage: int = -1
    """The slot of the number of the copy that an iteration uses."""
    op: For | None = None


@dataclass(eq=False)
class Allocation:
    """A UB array of `count` elements: the slot of its pointer, and the pipelined loop in whose
    body it was made."""

    kind: Ptr
    count: int
    bytes: int
    slot: int
    span: Span
    at: int | None
    loop: PipelinedLoop | None


@dataclass
class _Scope:
    """A vecscope that is being written down: masks that it makes once, at its begin."""

    head: list[Op] = field(default_factory=list[Op])
    masks: dict[int, int] = field(default_factory=dict[int, int])


class Emitter(ValueMaker):
    """Slots, names and operations of one function."""

    def __init__(self, target: Target, revision: Revision) -> None:
        self.target, self.revision = target, revision
        self.types: list[Type] = []
        self.names: list[str] = []
        self.span: Span = NOWHERE
        self.head: list[Op] = []
        """Constants, which stand before everything else."""
        self.ops: list[Op] = []
        """Where operations are written now."""
        self.allocations: list[Allocation] = []
        self.loops: list[PipelinedLoop] = []
        """The pipelined loops around, the innermost last."""
        self.literals: dict[tuple[Any, ...], DType] = {}
        """What type a number of Python got that a loop or branch changes: by the calls that lead
        there, line, column and name."""
        self._scope: _Scope | None = None
        self._constants: dict[tuple[DType, str], int] = {}
        self._taken: set[str] = set()

    def slot(self, kind: Type, name: str = "") -> int:
        """A new slot; one without a name gets it when the kernel gives it one, or at the end."""
        self.types.append(kind)
        self.names.append("")
        slot = len(self.types) - 1
        if name:
            self.name(slot, name)
        return slot

    def name(self, slot: int, wanted: str) -> None:
        """NameSet a slot, unless it has a name; no two have the same."""
        if self.names[slot]:
            return
        numbered = (f"{wanted}_{k}" for k in count(1))
        name = wanted
        while name in self._taken:
            name = next(numbered)
        self._taken.add(name)
        self.names[slot] = name

    def name_the_rest(self) -> None:
        """Gives a number to all that the kernel has no name for."""
        for slot, name in enumerate(self.names):
            if not name:
                self.name(slot, "v" if not isinstance(self.types[slot], Mask) else "m")

    def append(self, op: Op) -> None:
        """Writes an operation down."""
        self.ops.append(op)

    @contextmanager
    def block(self) -> Iterator[list[Op]]:
        """Operations go into a list of their own until the end of the block."""
        before, self.ops = self.ops, []
        inside = self.ops
        try:
            yield inside
        finally:
            self.ops = before

    def make(self, use: ChosenUse, operands: Sequence[int]) -> tuple[int, ...]:
        results = tuple(self.slot(kind) for kind in use.results)
        self.append(
            operation(
                use.record.name,
                tuple(operands),
                results,
                dict(use.attrs or {}),
                span=self.span,
                operand_spans=(self.span,) * len(operands),
                form=use.form,
                segments=use.segments,
            )
        )
        return results

    def constant(self, dtype: DType, number: int | float) -> int:
        # 0 and 0.0, 0.0 and -0.0 are different constants.
        key = dtype, repr(number)
        slot = self._constants.get(key)
        if slot is None:
            slot = self._constants[key] = self.slot(Scalar(dtype), _constant_name(dtype, number))
            value = {"value": number}
            self.head.append(operation("arith.constant", (), (slot,), value, span=self.span))
        return slot

    def all_lanes(self, bits: int) -> int:
        scope = self._scope
        if scope is None:
            return self._every(bits, self.ops)
        if bits not in scope.masks:
            scope.masks[bits] = self._every(bits, scope.head)
        return scope.masks[bits]

    def _every(self, bits: int, into: list[Op]) -> int:
        slot = self.slot(Mask(bits), "all" if bits == 32 else f"all_b{bits}")
        made = {"pattern": "PAT_ALL"}
        into.append(operation(f"pto.pset_b{bits}", (), (slot,), made, span=self.span))
        return slot

    @contextmanager
    def scope(self) -> Iterator[list[Op]]:
        """The body of a vecscope."""
        before, self._scope = self._scope, _Scope()
        try:
            with self.block() as ops:
                yield ops
            ops[:0] = self._scope.head
        finally:
            self._scope = before

    def allocate(self, kind: Ptr, count: int, size: int, at: int | None) -> int:
        slot = self.slot(kind)
        loop = self.loops[-1] if self.loops else None
        self.allocations.append(Allocation(kind, count, size, slot, self.span, at, loop))
        return slot

    def stage(self, stage: Any) -> None:
        self.name(stage.handle, "stage")
        self.loops[-1].stage = stage.handle

    def finished(self, body: list[Op]) -> Block:
        """The body of the function: constants that are used, and what was written."""
        used = {slot for op in Block(ops=body).walk() for slot in op.operands}
        head = [op for op in self.head if used.intersection(op.results)]
        return Block(ops=[*head, *body])


def _constant_name(dtype: DType, number: int | float) -> str:
    if isinstance(number, bool):
        return "true" if number else "false"
    digits = f"{number:g}" if isinstance(number, float) else str(number)
    plain = digits.replace("-", "m").replace(".", "_").replace("+", "")
    return f"c{plain}" if dtype is INDEX else f"c{plain}_{dtype}"
