"""Decides placeholder types from the uses of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ptoscope.ir import types
from ptoscope.ir.forms.follow import bind, pointers
from ptoscope.ir.reading.findings import PLACEHOLDER
from ptoscope.ir.reading.names import LOST, ReadValues
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.types import Placeholder, TextType
from ptoscope.isa.patterns import Bindings, Pattern
from ptoscope.isa.record import Record
from ptoscope.isa.types import Ptr, Type
from ptoscope.program import For, If, Op, Scope, While


def decide(reader: Reader) -> None:
    """Gives every placeholder its type, or says why it has none."""
    for slots, ops in reader.bodies:
        _Inference(reader, slots, ops).run()


class _Inference:
    """Values of one function that must have one type form a class; uses give classes their
    types."""

    def __init__(self, reader: Reader, slots: ReadValues, ops: list[Op]) -> None:
        self.reader = reader
        self.slots = slots
        self.ops = list(_walk(ops))
        self.open = {s for s, type in enumerate(slots.types) if types.is_open(type)}
        self.owner: dict[int, Op] = {}
        self.parent: dict[int, int] = {}
        self.decided: dict[int, tuple[Type, int]] = {}
        self.bad: set[int] = set()
        self.changed = False

    def run(self) -> None:
        if not self.open:
            return
        for op in self.ops:
            for slot in (*op.results, *(arg for block in op.blocks for arg in block.args)):
                self.owner[slot] = op
            for left, right in _same(op, self.reader.language.table):
                if LOST not in (left, right):
                    self._unite(left, right)
        for slot in list(self.parent):
            self._settle(slot, types.known(self.slots.types[slot]), self._definition(slot))
        for slot, listed, place in self.slots.refined:
            self._settle(slot, types.known(listed), place)
        users = [op for op in self.ops if op.name in self.reader.language.table and not op.blocks]
        users = [op for op in users if self.open.intersection((*op.operands, *op.results))]
        self._spread(users)
        for slot in self.open:
            if self._is_parameter(slot) and self._known(slot) is None:
                self._settle(slot, _argument(self.slots.types[slot]), self._definition(slot))
        self._spread(users)
        self._apply()

    def _spread(self, users: list[Op]) -> None:
        self.changed = True
        while self.changed:
            self.changed = False
            for op in users:
                self._visit(op)

    def _is_parameter(self, slot: int) -> bool:
        return slot not in self.owner and slot in self.slots.places

    def _find(self, slot: int) -> int:
        while (parent := self.parent.get(slot, slot)) != slot:
            slot = parent
        return slot

    def _unite(self, left: int, right: int) -> None:
        left, right = self._find(left), self._find(right)
        self.parent.setdefault(left, left)
        self.parent[right] = left

    def _settle(self, slot: int, type: Type | None, place: int) -> None:
        if type is None or slot == LOST or self.slots.types[slot] is types.UNKNOWN:
            return
        root = self._find(slot)
        known = self.decided.get(root)
        own = self.slots.types[slot]
        if isinstance(own, Placeholder) and own.element is not None and isinstance(type, Ptr):
            # What is written of it stands; another element at a use is for the checks.
            type = Ptr(own.element, type.space)
        if known is None:
            self.decided[root] = type, place
            self.changed = True
        elif known[0] != type and slot in self.open and root not in self.bad:
            self.bad.add(root)
            lines = [self.reader.tokens.span(p).line for p in (known[1], place)]
            message = f"the uses of {self._shown(slot)} disagree: {known[0]} in line {lines[0]}"
            message += f", {type} in line {lines[1]}"
            self.reader.findings.at(
                PLACEHOLDER,
                self._definition(slot),
                message,
                found=str(self.slots.types[slot]),
                expected=str(known[0]),
                hint="write the type where the value is defined",
            )

    def _known(self, slot: int) -> Type | None:
        if slot == LOST:
            return None
        if slot not in self.open:
            return types.known(self.slots.types[slot])
        found = self.decided.get(self._find(slot))
        return found[0] if found else None

    def _visit(self, op: Op) -> None:
        note = self.reader.notes[op]
        form = self.reader.language.table[op.name].forms[op.form]
        pairs = [
            *zip(op.operands, [o.type for o in form.operands], strict=False),
            *zip(op.results, [r.type for r in form.results], strict=False),
        ]
        known: Bindings = {}
        # What is certain binds first, so that a disagreement shows at the placeholder. A
        # mismatch binds nothing: it is for the checks to report.
        for slot, pattern in pairs:
            if slot not in self.open:
                bind(pattern, self._known(slot), known)
        for slot, pattern in pairs:
            if slot in self.open:
                self._settle(slot, self._resolved(slot, pattern, known), note.name)
                bind(pattern, self._known(slot), known)
        for slot, pattern in pairs:
            if slot in self.open:
                self._settle(slot, self._resolved(slot, pattern, known), note.name)

    def _resolved(self, slot: int, pattern: Pattern, known: Bindings) -> Type | None:
        """What a use makes of a placeholder: all of it, or the one memory that is possible."""
        own = self.slots.types[slot]
        if isinstance(own, Placeholder) and own.element is not None:
            fitting = pointers(pattern, own, known)
            if len(fitting) == 1:
                return fitting[0]
        return pattern.resolve(known)

    def _apply(self) -> None:
        for slot in self.open:
            root = self._find(slot)
            found = self.decided.get(root)
            if root in self.bad:
                # Which use is wrong is not known: none of them is judged by the type of another.
                continue
            if found is not None:
                self.slots.types[slot] = types.the_one(found[0])
            elif not self.reader.broken:
                # Where operations could not be read, the deciding use may be among them.
                type = self.slots.types[slot]
                what, expected = "what pointer it is", "!pto.ptr<T, gm|ub>"
                if type is types.MASK:
                    what, expected = "what mask it is", "!pto.mask<b8|b16|b32>"
                elif (pointer := _argument(type)) is not None:
                    what, expected = "what memory it points to", f"!pto.ptr<{pointer.dtype}, gm|ub>"
                self.reader.findings.at(
                    PLACEHOLDER,
                    self._definition(slot),
                    f"no use of {self._shown(slot)} decides {what}",
                    found=str(type),
                    expected=expected,
                    hint="write the type where the value is defined",
                )

    def _definition(self, slot: int) -> int:
        place = self.slots.places.get(slot)
        if place is not None:
            return place
        op = self.owner.get(slot)
        note = None if op is None else self.reader.notes.get(op)
        return 0 if note is None else note.name

    def _shown(self, slot: int) -> str:
        name = self.slots.names[slot]
        if name:
            return f"%{name}"
        op = self.owner.get(slot)
        return "a result" if op is not None and slot in op.results else "an argument"


def _argument(type: TextType) -> Ptr | None:
    """What a pointer that names no memory is where a caller passes it: a pointer to GM."""
    if isinstance(type, Placeholder) and type.element is not None:
        return Ptr(type.element, "gm")
    return None


def _walk(ops: list[Op]) -> Iterator[Op]:
    for op in ops:
        yield op
        for block in op.blocks:
            yield from _walk(block.ops)


def _same(op: Op, table: Mapping[str, Record]) -> Iterator[tuple[int, int]]:
    """Pairs of values that have one type because control flow hands one to the other."""
    match op:
        case For():
            yield from zip(op.inits, op.carried, strict=True)
            yield from zip(op.inits, op.results, strict=True)
            yield from zip(op.results, op.yields, strict=False)
        case If():
            for block in op.blocks:
                yield from zip(op.results, block.yields, strict=False)
        case While():
            yield from zip(op.inits, op.carried, strict=False)
            yield from zip(op.inits, op.yields, strict=False)
            yield from zip(op.passed, op.received, strict=False)
            yield from zip(op.passed, op.results, strict=False)
        case Scope():
            yield from zip(op.inputs, op.args, strict=False)
        case _:
            record = table.get(op.name)
            if record is not None and record.gives == "choice":
                yield op.operands[1], op.operands[2]
                yield op.operands[1], op.results[0]
