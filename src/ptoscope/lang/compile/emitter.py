"""The maker of the compiler: it writes instructions down as operations of a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ptoscope.diagnostics import NOWHERE, Span
from ptoscope.isa.dtypes import INDEX, DType
from ptoscope.isa.parts import CoreKind
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Mask, Ptr, Scalar, Type
from ptoscope.lang.compile.bodies import DecidedBody, NewArray, OpenLoop
from ptoscope.lang.maker import ChosenUse, ValueMaker
from ptoscope.lang.scalars import CANNOT_FAIL
from ptoscope.lang.values import KernelValue, Misuse, described
from ptoscope.program import Block, If, Op, operation


@dataclass
class _Scope:
    """A vecscope that is being written down: masks that it makes once, at its begin."""

    ops: list[Op] = field(default_factory=list[Op])
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
        self._open: list[list[Op]] = [self.ops]
        """The blocks around, the innermost last."""
        self._homes: dict[int, list[Op]] = {}
        """By slot, the block in which it has a value."""
        self.arrays: list[NewArray] = []
        self.loops: list[OpenLoop] = []
        """The loops around, the innermost last."""
        self.staged: list[OpenLoop] = []
        """The loops with several stages."""
        self.whole = DecidedBody()
        """What is decided for a plain run."""
        self._body = self.whole
        self._computed: list[dict[Any, tuple[int, ...]]] = [{}]
        """Scalars that the blocks around have computed, by what they are computed of."""
        self._scope: _Scope | None = None
        self.core: CoreKind | None = None
        """The kind of core that runs what is being written down; None: all of them."""
        self.sections = False
        """Whether there is anything that one kind of core runs."""
        self._constants: dict[tuple[DType, str], int] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        """The last number behind a name that several slots want."""

    def slot(self, kind: Type, name: str = "") -> int:
        """A new slot; one without a name gets it when the kernel gives it one, or at the end."""
        self.types.append(kind)
        self.names.append("")
        slot = len(self.types) - 1
        self._homes[slot] = self._open[-1]
        if name:
            self.name(slot, name)
        return slot

    def name(self, slot: int, wanted: str) -> None:
        """Names a slot, unless it has a name; no two have the same."""
        if self.names[slot]:
            return
        name = wanted
        while name in self._taken:
            self._numbers[wanted] = self._numbers.get(wanted, 0) + 1
            name = f"{wanted}_{self._numbers[wanted]}"
        self._taken.add(name)
        self.names[slot] = name

    def name_the_rest(self, body: Block) -> None:
        """Gives what the kernel has no name for that of the instruction which makes it."""
        for op in body.walk():
            for slot in op.results:
                self.name(slot, "after" if op.blocks else op.name.partition(".")[2])
        for slot, name in enumerate(self.names):
            if not name:
                self.name(slot, "v" if not isinstance(self.types[slot], Mask) else "m")

    def append(self, op: Op) -> None:
        """Writes an operation down."""
        self.ops.append(op)

    @contextmanager
    def block(self) -> Iterator[list[Op]]:
        """Operations go into a list of their own until the end of the block."""
        inside: list[Op] = []
        with self.again(inside):
            yield inside

    @contextmanager
    def again(self, ops: list[Op]) -> Iterator[None]:
        """Operations go into a block that has ended, behind its last one."""
        before, self.ops = self.ops, ops
        self._open.append(ops)
        self._computed.append({})
        try:
            yield
        finally:
            self.ops = before
            self._open.pop()
            self._computed.pop()

    def belong(self, slots: Iterable[int]) -> None:
        """Slots have their values in the block of now: it takes them."""
        for slot in slots:
            self._homes[slot] = self.ops

    def merge(self, ops: list[Op]) -> None:
        """Writes the operations of a block that has ended down here."""
        self.ops += ops
        for op in ops:
            for slot in op.results:
                self._homes[slot] = self.ops

    @contextmanager
    def decided(self) -> Iterator[DecidedBody]:
        """The body of a loop or branch, until the end of the block."""
        before, self._body = self._body, DecidedBody()
        before.inner.append(self._body)
        try:
            yield self._body
        finally:
            self._body = before

    def drop_decided(self) -> None:
        """The body that ended last is written down again."""
        self._body.inner.pop()

    def make(self, use: ChosenUse, operands: Sequence[KernelValue]) -> tuple[int, ...]:
        for value in operands:
            self._check_home(value)
        return self._made(use, [value.handle for value in operands])

    def _check_home(self, value: KernelValue) -> None:
        home = self._homes.get(value.handle, self._open[0])
        if not any(home is block for block in self._open):
            raise Misuse(
                f"{described(value)} of a loop, branch or vecscope is used outside of it",
                found=str(value.type),
                expected="a value that is made around here",
                hint="assign it to a name that has a value before; a vecscope gives back "
                "only what it stores",
            )

    def _made(self, use: ChosenUse, operands: Sequence[int]) -> tuple[int, ...]:
        if use.record.name not in CANNOT_FAIL:
            return self._written(use, operands)
        attrs = tuple(sorted((use.attrs or {}).items()))
        key = use.record.name, tuple(operands), attrs, use.results
        for known in reversed(self._computed):
            if key in known:
                return known[key]
        results = self._computed[-1][key] = self._written(use, operands)
        return results

    def _written(self, use: ChosenUse, operands: Sequence[int]) -> tuple[int, ...]:
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
            self._homes[slot] = self._open[0]
            value = {"value": number}
            self.head.append(operation("arith.constant", (), (slot,), value, span=self.span))
        return slot

    def all_lanes(self, bits: int) -> int:
        scope = self._scope
        if scope is None:
            return self._every(bits, self.ops)
        if bits not in scope.masks:
            scope.masks[bits] = self._every(bits, scope.head)
            self._homes[scope.masks[bits]] = scope.ops
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
                self._scope.ops = ops
                yield ops
            ops[:0] = self._scope.head
        finally:
            self._scope = before

    @property
    def in_scope(self) -> bool:
        """Whether a vecscope is being written down."""
        return self._scope is not None

    @contextmanager
    def section(self, core: CoreKind) -> Iterator[list[Op]]:
        """The body of what the cores of a kind run."""
        self.core, self.sections = core, True
        try:
            with self.block() as ops:
                yield ops
        finally:
            self.core = None

    def allocate(self, kind: Ptr, count: int, at: int | None) -> int:
        slot = self.slot(kind)
        self._homes[slot] = self._open[0]
        loop = self.loops[-1] if self.loops else None
        array = NewArray(kind.dtype, count, slot, self.span, at, loop, kind.space)
        self.arrays.append(array)
        self._body.arrays.append(array)
        return slot

    def stage(self, stage: Any) -> None:
        self.name(stage.handle, "stage")
        self.loops[-1].stage = stage.handle
        self.staged.append(self.loops[-1])

    def tidied(self, body: list[Op]) -> list[Op]:
        """The operations of the function after the constants that they use; scalars that
        nothing uses are left out."""
        known = {id(op) for op in self.head}
        whole = Block(ops=[op for op in body if id(op) not in known])
        while True:
            used = {slot for op in whole.walk() for slot in op.operands}
            if not _without_unused(whole, used):
                break
        head = [op for op in self.head if used.intersection(op.results)]
        return [*head, *whole.ops]

    def named(self, value: Any, name: str) -> Any:
        self.name(value.handle, name)
        return value


def _without_unused(block: Block, used: set[int]) -> bool:
    """Takes out scalars that nothing uses, and branches that do nothing; whether there were
    any."""
    kept = [op for op in block.ops if used.intersection(op.results) or not _does_nothing(op)]
    fewer = len(kept) < len(block.ops)
    block.ops[:] = kept
    for op in kept:
        for inner in op.blocks:
            fewer = _without_unused(inner, used) or fewer
    return fewer


def _does_nothing(op: Op) -> bool:
    """Whether an operation only computes its results."""
    if isinstance(op, If):
        return not (op.results or op.then.ops or op.otherwise.ops)
    return op.name in CANNOT_FAIL


def _constant_name(dtype: DType, number: int | float) -> str:
    if isinstance(number, bool):
        return "true" if number else "false"
    digits = f"{number:g}" if isinstance(number, float) else str(number)
    plain = digits.replace("-", "m").replace(".", "_").replace("+", "")
    return f"c{plain}" if dtype is INDEX else f"c{plain}_{dtype}"
