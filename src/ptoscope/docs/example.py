"""A small complete kernel for any instruction: inputs from GM, the instruction, results to GM.

It is written from the patterns of a form's operands and results: vectors are loaded and
stored, masks made from patterns, pointers get an area of UB, streams are begun and flushed.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope import ir
from ptoscope.docs import values
from ptoscope.docs.buffers import ExampleBuffer
from ptoscope.docs.kernel import ExampleKernel, ExampleOrder
from ptoscope.docs.line import NamedValues, line
from ptoscope.docs.matrix_example import MatrixExample, is_of_matrix
from ptoscope.docs.values import MASKS, SHIFT, VECTORS, NoExample
from ptoscope.docs.vector_addresses import Addresses
from ptoscope.isa import TABLE
from ptoscope.isa.atomics import OPERATION, TYPE, TYPES
from ptoscope.isa.dtypes import F32, I1, I64, INDEX, DType
from ptoscope.isa.patterns import (
    AlignState,
    Bindings,
    IntVec,
    MaskBits,
    OneOf,
    PtrTo,
    VecIn,
    VectorAddress,
)
from ptoscope.isa.record import AttrValue, Operand, Record, RegisterSetting, Site
from ptoscope.isa.targets import BLOCK_BYTES, TARGETS, Revision, Target
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VAddr, VReg, granularity

__all__ = ["Example", "ExampleBuffer", "NoExample", "example"]

SIGNALS = tuple(r for r in TABLE.values() if r.order is not None and r.order.between_cores)
"""The instructions that one core of a cluster gives another signals with, and waits for them."""
_READ = ("source", "src", "indices", "ptr", "ub_ptr")
Attrs = dict[str, AttrValue]
_FIRST_TYPE = min(TYPES)


def _setter(register: str, value: int) -> Record:
    """The instruction that sets a special register to a value."""
    wanted = RegisterSetting(register, value)
    return next(record for record in TABLE.values() if record.sets == wanted)


_FIRST = 8
"""Lanes that the first mask of an instruction makes active."""
_PATTERNS = (f"PAT_VL{_FIRST}", "PAT_M3", "PAT_M4")


@dataclass(frozen=True)
class Example:
    """A kernel text and its pointer arguments, in the order of the parameters."""

    record: Record
    form: int
    target: Target
    text: str
    buffers: tuple[ExampleBuffer, ...]


def example(
    record: Record,
    target: str = "a5",
    form: int = 0,
    element: DType | None = None,
    revision: Revision = "manual",
) -> Example:
    """The example of a form on a target; NoExample where that has none.

    `element` is the type to stand for T; without one, the first that is legal.
    """
    machine = TARGETS[target]
    if machine.name not in record.targets:
        raise NoExample(f"{record.name} does not exist on {target}")
    tried = values.elements(record, record.forms[form], machine, revision)
    for known in tried:
        if element is not None and known.get("T") is not element:
            continue
        try:
            if is_of_matrix(record):
                written = MatrixExample(record, form, machine, revision, known)
                text = ir.print_module(ir.parse(written.text()))
                return Example(record, form, machine, text, written.buffers)
            return _Writer(record, form, machine, revision, known).example()
        except NoExample:
            continue
    raise NoExample(f"{record.name} has no example with {element or 'any element type'}")


class _Writer:
    """Writes one example."""

    def __init__(
        self, record: Record, form: int, target: Target, revision: Revision, known: Bindings
    ) -> None:
        self._asked, self._asked_form = record, form
        self.record = record.shown_by or record
        self.form = record.forms[form] if self.record is record else self.record.forms[0]
        self.target = target
        self.revision: Revision = revision
        self.known = known
        if self.record is not record:
            self.known = values.elements(self.record, self.form, target, revision)[0]
            if record.sets is not None and record.sets.register == TYPE and record.sets.value:
                self.known = {**self.known, "T": values.signless(TYPES[record.sets.value])}
        self.kernel = ExampleKernel(target, ExampleOrder(record, form))
        self._masks = 0
        self._vectors = 0
        self._addresses = Addresses(self.kernel)

    def example(self) -> Example:
        kernel = self.kernel
        settings, after = self._settings()
        if self.record is not self._asked and not settings:
            kernel.before.append(self._line_of(self._asked))
        if self._asked in SIGNALS:
            gives, takes = (r for r in SIGNALS if r.targets == self._asked.targets)
            kernel.cube.append(self._line_of(gives))
            kernel.before.append(self._line_of(takes))
        place = kernel.place(self.record)
        if self._asked in SIGNALS:
            self._payload(kernel.scope)
        elif self.record.pipe.startswith("=") or kernel.region(self.form):
            self._payload(place)
        else:
            place += settings
            self._use(place)
            place += after
        text = ir.print_module(ir.parse(kernel.text(self.record, self.form)))
        return Example(self._asked, self._asked_form, self.target, text, tuple(kernel.buffers))

    def _settings(self) -> tuple[list[str], list[str]]:
        """What makes the store that is shown atomic, and what switches it off after it."""
        asked = self._asked.sets
        if self.record is self._asked or asked is None:
            return [], []
        kind = self._asked if asked.register == TYPE else _setter(TYPE, _FIRST_TYPE)
        made = self._asked if asked.register == OPERATION else _setter(OPERATION, 0)
        off = _setter(TYPE, 0)
        return [self._line_of(kind), self._line_of(made)], [self._line_of(off)]

    def _line_of(self, record: Record) -> str:
        """An instruction that takes numbers only, in the form of the one that is shown."""
        form = record.forms[min(self._asked_form, len(record.forms) - 1)]
        operands = {o.name: self._number(o) for o in form.operands}
        attrs = values.attributes(record, form, {}, self.target, self.revision)
        return line(record, form, operands, {}, attrs)

    def _use(self, place: list[str]) -> None:
        form, record = self.form, self.record
        # Pointers first: a stream is begun at one of them.
        ordered = sorted(form.operands, key=lambda o: not isinstance(o.type, PtrTo))
        made = {o.name: self._operand(o, place) for o in ordered if o.name != "base_in"}
        if "dest" in made:
            # A stream begins at its base.
            made["base_in"] = made["dest"]
        operands = {o.name: made[o.name] for o in form.operands}
        results: dict[str, tuple[str, Type]] = {
            r.name: (f"%{r.name}", values.concrete(r.type, self.known, result=True))
            for r in form.results
        }
        attrs = values.attributes(record, form, self.known, self.target, self.revision)
        clauses = [
            (g.keyword, {o.name: self._number(o) for o in g.operands})
            for g in form.groups
            if g.arity == "one"
        ]
        self._keep_constraints(operands, results, attrs)
        if not operands and not results and record.where == "vecscope":
            self._payload(place, line(record, form, {}, {}, attrs))
            return
        written = line(record, form, operands, results, attrs, clauses)
        if not self.kernel.buffers and not results:
            before = self.kernel.before
            before.append(written)
            if record.stops:
                # The example goes on, past it.
                before[-1:] = [f"scf.if {self.kernel.constant(0, I1)} {{", f"  {written}", "}"]
            self._payload(self.kernel.scope)
            return
        place.append(written)
        for name, kind in results.values():
            self._show(name, kind, place, operands)

    def _keep_constraints(self, operands: NamedValues, results: NamedValues, attrs: Attrs) -> None:
        """NoExample where the instruction's own constraints forbid this use."""
        taken, made = (tuple(kind for _, kind in v.values()) for v in (operands, results))
        given = {a.name: a.default for a in self.form.attrs if a.default is not None} | attrs
        form = self.record.forms.index(self.form)
        site = Site(self.record, taken, made, given, self.target, self.revision, form=form)
        for constraint in self.record.constraints:
            if constraint.broken(site):
                raise NoExample(f"{self.record.name}: {constraint.sentence}")

    def _payload(self, place: list[str], between: str = "") -> None:
        """A vector that goes through, where the instruction itself moves nothing."""
        kind = VReg(F32)
        name = self.kernel.load("x", kind, "first", place)
        if between:
            place.append(between)
        self.kernel.store("y", name, kind, place)

    # Operands.

    def _operand(self, operand: Operand, place: list[str]) -> tuple[str, Type]:
        pattern = operand.type
        while isinstance(pattern, OneOf):
            pattern = pattern.choices[0]
        if isinstance(pattern, PtrTo):
            return self._pointer(operand, pattern)
        if isinstance(pattern, AlignState):
            return self._stream(place), Align()
        if isinstance(pattern, VectorAddress):
            kind = values.concrete(pattern, self.known)
            assert isinstance(kind, VAddr)
            return self._addresses.take(kind, place), kind
        if isinstance(pattern, VECTORS):
            kind = values.concrete(pattern, self.known)
            assert isinstance(kind, VReg)
            fill = "first" if self._vectors == 0 else "second"
            if isinstance(pattern, IntVec):
                fill = "lanes"
            elif isinstance(pattern, VecIn) and operand.name == "offsets":
                fill = "blocks"
            self._vectors += 1
            return self.kernel.load(operand.name, kind, fill, place), kind
        if isinstance(pattern, MASKS):
            kind = values.concrete(pattern, self.known)
            assert isinstance(kind, Mask)
            pick = _PATTERNS[self._masks % len(_PATTERNS)]
            self._masks += 1
            return self.kernel.mask(f"%{operand.name}", kind.bits, pick, place), kind
        return self._number(operand)

    def _number(self, operand: Operand) -> tuple[str, Type]:
        pattern = operand.type
        while isinstance(pattern, OneOf):
            pattern = pattern.choices[0]
        kind = values.concrete(pattern, self.known)
        if not isinstance(kind, Scalar):
            raise NoExample(f"no value for {operand.name}: {pattern}")
        element = self.known.get("T")
        found = values.number(operand, pattern, element if isinstance(element, DType) else None)
        plain = values.signless(kind.dtype)
        return self.kernel.constant(found, plain), Scalar(plain)

    def _pointer(self, operand: Operand, pattern: PtrTo) -> tuple[str, Type]:
        kind = values.concrete(pattern, self.known)
        assert isinstance(kind, Ptr)
        results = self.form.results
        is_read = operand.name.rstrip("0123456789") in _READ[:3] or (
            operand.name in _READ and bool(results)
        )
        name = self.kernel.memory(operand.name, kind, written=not is_read)
        if any(isinstance(o.type, AlignState) for o in (*self.form.operands, *results)):
            # What makes a stream worth having: an address that no other access may have.
            count = self.kernel.constant(self._shift() // kind.dtype.bytes, INDEX)
            self.kernel.scope.append(f"{name}_at = pto.addptr {name}, {count} : {kind} -> {kind}")
            name = f"{name}_at"
        self._at = name, kind
        return name, kind

    # Streams.

    def _shift(self) -> int:
        """Bytes past a 32-byte boundary. A mask is made to end on one: not every target that
        can store it can flush."""
        masks = [o.type.bits for o in self.form.operands if isinstance(o.type, MaskBits)]
        return BLOCK_BYTES - Mask(masks[0]).lanes // 8 if masks else SHIFT

    def _stream(self, place: list[str]) -> str:
        """The state that a stream instruction takes: begun, and for a flush also filled."""
        if any(isinstance(r.type, VECTORS) for r in self.form.results):
            name, kind = self._at
            if self._addresses.name:
                self._addresses.primed(name, kind, place)
            else:
                place.append(f"%begun = pto.vldas {name} : {kind} -> !pto.align")
        else:
            place.append("%begun = pto.init_align : !pto.align")
        goes_on = any(isinstance(r.type, AlignState) for r in self.form.results)
        return "%begun" if goes_on else self._appended("%begun", place)

    def _appended(self, state: str, place: list[str]) -> str:
        name, kind = self._at
        assert isinstance(kind, Ptr)
        vector = VReg(kind.dtype)
        value = self.kernel.load("value", vector, "first", place)
        if self._is_addressed():
            self._addresses.appended(value, name, kind, place)
            return "%filled"
        place.append(
            f"%filled = pto.vstur {state}, {value}, {name}"
            f" : !pto.align, {vector}, {kind} -> !pto.align"
        )
        return "%filled"

    def _end_stream(self, state: str, place: list[str]) -> None:
        if any(isinstance(r.type, VECTORS) for r in self.form.results):
            return
        if any(o.name == "source" for o in self.form.operands):
            name, kind = self._at
            assert isinstance(kind, Ptr)
            vector = VReg(kind.dtype)
            place.append(
                f"%value, %next = pto.vldus {name}, {state}"
                f" : {kind}, !pto.align -> {vector}, !pto.align"
            )
            self.kernel.store("value", "%value", vector, place)
            return
        if not self.form.operands:
            self._pointer(Operand("dest", PtrTo("D")), PtrTo("D"))
            state = self._appended(state, place)
        if self._is_addressed():
            self._addresses.flushed(state, "%addr_out", *self._at, place)
        elif self.target.name in TABLE["pto.vstar"].targets:
            name, kind = self._at
            place.append(f"pto.vstar {state}, {name} : !pto.align, {kind}")

    def _is_addressed(self) -> bool:
        return any(isinstance(o.type, VectorAddress) for o in self.form.operands)

    # Results.

    def _show(
        self, name: str, kind: Type, place: list[str], operands: dict[str, tuple[str, Type]]
    ) -> None:
        match kind:
            case VReg():
                masks = [t.bits for _, t in operands.values() if isinstance(t, Mask)]
                first = None
                if masks and self.record.unreliable_zeros and self.revision == "manual":
                    # Lanes that were not computed are not to be relied on: they are not stored.
                    first = min(_FIRST, _FIRST * masks[0] // granularity(kind.dtype.bits))
                self.kernel.store(name[1:], name, kind, place, first)
            case Mask():
                self.kernel.store_mask(name[1:], name, kind, place)
            case Align():
                self._end_stream(name, place)
            case Ptr():
                if Align() in [t for _, t in operands.values()]:
                    return
                place.append(f"{name}_number = pto.castptr {name} : {kind} -> i64")
                self.kernel.store_number(name[1:], f"{name}_number", Scalar(I64), place)
            case VAddr():
                if not self._is_addressed():
                    self._addresses.shown(name, kind, len(operands), place)
            case Scalar():
                self.kernel.store_number(name[1:], name, kind, place)
