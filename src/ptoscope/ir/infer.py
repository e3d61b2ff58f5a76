"""Decides placeholder types from the uses of their values."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ForOp, IfOp, WhileOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from ptoscope.ir import types
from ptoscope.ir.dialect import Instruction
from ptoscope.ir.errors import PLACEHOLDER
from ptoscope.ir.follow import bind
from ptoscope.ir.module import name_of
from ptoscope.ir.reader import Reader
from ptoscope.isa.patterns import Bindings
from ptoscope.isa.types import Type


def decide(reader: Reader, module: ModuleOp) -> None:
    """Gives every placeholder its type, or says why it has none."""
    _Inference(reader, module).run()


class _Inference:
    """Values that must have one type form a class; uses give classes their types."""

    def __init__(self, reader: Reader, module: ModuleOp) -> None:
        self.reader = reader
        self.module = module
        self.ops = list(module.walk())
        self.open = {v for op in self.ops for v in _defined(op) if types.is_hole(v.type)}
        self.parent: dict[SSAValue, SSAValue] = {}
        self.decided: dict[SSAValue, tuple[Type, int]] = {}
        self.bad: set[SSAValue] = set()
        self.changed = False

    def run(self) -> None:
        for op in self.ops:
            for left, right in _same(op):
                self._unite(left, right)
        for value in [v for v in self.parent if v.type is not types.POISON]:
            self._settle(value, types.description(value.type), self._definition(value))
        for value, listed, place in self.reader.refined:
            self._settle(value, types.description(listed), place)
        users = [op for op in self.ops if isinstance(op, Instruction)]
        users = [op for op in users if any(v in self.open for v in (*op.operands, *op.results))]
        self.changed = True
        while self.changed:
            self.changed = False
            for op in users:
                self._visit(op)
        self._apply()

    def _find(self, value: SSAValue) -> SSAValue:
        while (parent := self.parent.get(value, value)) is not value:
            value = parent
        return value

    def _unite(self, left: SSAValue, right: SSAValue) -> None:
        left, right = self._find(left), self._find(right)
        self.parent.setdefault(left, left)
        self.parent[right] = left

    def _settle(self, value: SSAValue, type: Type | None, place: int) -> None:
        if type is None or value.type is types.POISON:
            return
        root = self._find(value)
        known = self.decided.get(root)
        if known is None:
            self.decided[root] = type, place
            self.changed = True
        elif known[0] != type and value in self.open and root not in self.bad:
            self.bad.add(root)
            lines = [self.reader.tokens.span(p).line for p in (known[1], place)]
            message = f"the uses of {_shown(value)} disagree: {known[0]} in line {lines[0]}"
            message += f", {type} in line {lines[1]}"
            self.reader.findings.at(
                PLACEHOLDER,
                self._definition(value),
                message,
                found=types.spelling(value.type),
                expected=str(known[0]),
                hint="write the type where the value is defined",
            )

    def _known(self, value: SSAValue) -> Type | None:
        if value not in self.open:
            return types.description(value.type)
        found = self.decided.get(self._find(value))
        return found[0] if found else None

    def _visit(self, op: Instruction) -> None:
        note = self.reader.notes[op]
        if not op.record.forms:
            return
        form = op.record.forms[note.form]
        pairs = [
            *zip(op.operands, [o.type for o in form.operands], strict=False),
            *zip(op.results, [r.type for r in form.results], strict=False),
        ]
        known: Bindings = {}
        # What is certain binds first, so that a disagreement shows at the placeholder. A
        # mismatch binds nothing: it is for the checks to report.
        for value, pattern in pairs:
            if value not in self.open:
                bind(pattern, types.description(value.type), known)
        for value, pattern in pairs:
            if value in self.open:
                self._settle(value, pattern.resolve(known), note.name)
                bind(pattern, self._known(value), known)
        for value, pattern in pairs:
            if value in self.open:
                self._settle(value, pattern.resolve(known), note.name)

    def _apply(self) -> None:
        for value in self.open:
            root = self._find(value)
            found = self.decided.get(root)
            if found is not None:
                value._type = types.attribute(found[0])
            elif root not in self.bad and not self.reader.broken:
                # Where operations could not be read, the deciding use may be among them.
                what = "mask" if value.type is types.MASK_HOLE else "pointer"
                self.reader.findings.at(
                    PLACEHOLDER,
                    self._definition(value),
                    f"no use of {_shown(value)} decides what {what} it is",
                    found=types.spelling(value.type),
                    expected="!pto.mask<b8|b16|b32>" if what == "mask" else "!pto.ptr<T, gm|ub>",
                    hint="write the type where the value is defined",
                )
        for op in self.ops:
            if isinstance(op, FuncOp):
                last = op.body.block.last_op
                outputs = [v.type for v in last.operands] if isinstance(last, ReturnOp) else []
                op.properties["function_type"] = FunctionType.from_lists(
                    [a.type for a in op.body.block.args], outputs
                )

    def _definition(self, value: SSAValue) -> int:
        place = self.reader.holes.get(value)
        if place is not None:
            return place
        owner = value.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        note = self.reader.notes.get(op) if op is not None else None
        return note.name if note is not None else 0


def _shown(value: SSAValue) -> str:
    if name_of(value):
        return f"%{name_of(value)}"
    return "an argument" if isinstance(value, BlockArgument) else "a result"


def _defined(op: Operation) -> Iterator[SSAValue]:
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _same(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of values that have one type because control flow hands one to the other."""
    if isinstance(op, ForOp):
        block = op.regions[0].block
        inits, carried = op.operands[3:], block.args[1:]
        yield from zip(inits, carried, strict=True)
        yield from zip(inits, op.results, strict=True)
        yield from zip(op.results, _yields(block.last_op), strict=False)
    elif isinstance(op, IfOp):
        for region in op.regions:
            for block in region.blocks:
                yield from zip(op.results, _yields(block.last_op), strict=False)
    elif isinstance(op, WhileOp):
        before, after = (region.block for region in op.regions)
        yield from zip(op.operands, before.args, strict=False)
        yield from zip(op.operands, _yields(after.last_op), strict=False)
        handed = _yields(before.last_op)[1:]
        yield from zip(handed, after.args, strict=False)
        yield from zip(handed, op.results, strict=False)
    elif op.name == "pto.strict_vecscope":
        yield from zip(op.operands, op.regions[0].block.args, strict=False)
    elif op.name == "arith.select":
        yield op.operands[1], op.operands[2]
        yield op.operands[1], op.results[0]


def _yields(op: Operation | None) -> tuple[SSAValue, ...]:
    return tuple(op.operands) if op is not None else ()
