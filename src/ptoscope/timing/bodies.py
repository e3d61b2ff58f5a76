"""Kernels of one vecscope, from the words of its body: what profiling points are measured on.

A body is a list of instructions, `vlds vlds vadd vsts`, that runs on every register of every
row; what stands before a `;` runs once, ahead of the loops. A name may have a mode,
`vlds.dintlv`. An instruction reads the registers that nobody has read yet, the oldest first, then
those that were made ahead of the loops; a mask that the body does not make is counted off in each
iteration.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import INDEX, VREG_BYTES, DType
from ptoscope.isa.dtypes import dtype as dtype_named
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.patterns import (
    AnyMask,
    Bindings,
    MaskBits,
    MaskFor,
    Pattern,
    PtrTo,
    ScalarIn,
    Vec,
)
from ptoscope.isa.post_update import UPDATED
from ptoscope.isa.record import Form, Record
from ptoscope.isa.targets import TARGETS
from ptoscope.isa.types import GRANULARITIES, Mask, Ptr, Scalar, Type, VReg, granularity
from ptoscope.timing.body_words import (
    SCALARS,
    BodyError,
    attributes,
    first_scalar,
    generic_line,
    is_scalar,
    meant,
    views,
)

__all__ = ["ADDRESSING", "NO_POST_UPDATE", "POST_UPDATE", "BodyError", "kernel_text"]

POST_UPDATE, NO_POST_UPDATE = ADDRESSING = ("post_update", "no_post_update")
_VIEW = next(
    record
    for record in TABLE.values()
    if record.cost_kind == "free" and isinstance(record.forms[0].results[0].type, Vec)
)
"""Another view of the same register, which is no instruction."""


def kernel_text(
    body: str,
    rows: int,
    vregs: int,
    dtype: str = "f32",
    addressing: str = NO_POST_UPDATE,
    target: str = "a5",
) -> str:
    """A kernel of one vecscope that runs the body on `vregs` registers in each of `rows` rows, all
    in UB. `dtype` is that of what is loaded, or `f32_to_f16`: also what it is converted to.
    BodyError for what makes no kernel."""
    if rows < 1 or vregs < 1:
        raise BodyError("a body runs on one register of one row at least")
    if addressing not in ADDRESSING:
        raise BodyError(f"unknown addressing '{addressing}'; there are {' and '.join(ADDRESSING)}")
    source, result = _element_types(dtype)
    before, _, inside = body.rpartition(";")
    if not inside.split():
        raise BodyError("the body has no instruction in its loops")
    wrong: BodyError | None = None
    found: list[tuple[int, bool, str]] = []
    # What is made ahead of the loops says nothing of its type: the one is meant that has to be
    # seen as another least often, and of those rather an integer.
    for made in dict.fromkeys((source, result, *map(dtype_named, ("i8", "i16", "i32")))):
        writer = _Writer(target, source, result, made, addressing == POST_UPDATE)
        try:
            text = writer.kernel(before.split(), inside.split(), rows, vregs)
        except BodyError as error:
            wrong = wrong or error
            continue
        found.append((writer.seen, made.is_float, text))
        if not writer.seen:
            break
    if found:
        return min(found, key=lambda one: one[:2])[2]
    assert wrong is not None
    raise wrong


def _element_types(text: str) -> tuple[DType, DType]:
    first, _, second = text.partition("_to_")
    found: list[DType] = []
    for name in (first, second or first):
        try:
            # The short names of the 8-bit floats have no width.
            found.append(dtype_named(name if name[:1] != "e" else f"f8{name}"))
        except KeyError:
            raise BodyError(f"unknown element type '{name}'") from None
    return found[0], found[1]


@dataclass
class _Value:
    """A value of the kernel. What runs once may be read in every iteration."""

    name: str
    type: Type
    once: bool


@dataclass
class _Writer:
    target: str
    source: DType
    result: DType
    made: DType
    updates: bool
    ahead: list[str] = field(default_factory=list[str])
    """Lines before the vecscope."""
    once: list[str] = field(default_factory=list[str])
    inside: list[str] = field(default_factory=list[str])
    free: list[_Value] = field(default_factory=list[_Value])
    """What nobody has read yet."""
    pointers: dict[str, Type] = field(default_factory=dict[str, Type])
    updated: list[str] = field(default_factory=list[str])
    in_loop: bool = False
    seen: int = 0
    """How many registers are read as another type than they were made."""
    count: int = 0
    wide: int = 1
    """Registers that the widest load of an iteration makes."""

    def kernel(self, before: list[str], inside: list[str], rows: int, vregs: int) -> str:
        for word in before:
            self._instruction(word)
        self.in_loop = True
        for word in inside:
            self._instruction(word)
        return self._text(rows, vregs)

    def _instruction(self, word: str) -> None:
        record, mode = meant(word, self.source)
        if self.target not in record.targets:
            raise BodyError(f"{record.short} does not exist on {self.target}")
        moves = self.updates and self.in_loop
        forms = [f for f in record.forms if (UPDATED in f.results) == moves]
        # With registers before without: a body has them for a reason.
        forms.sort(key=lambda f: sum(not isinstance(o.type, SCALARS) for o in f.operands))
        wrong: BodyError | None = None
        for form in reversed(forms or list(record.forms)):
            try:
                self._write(record, form, mode)
                return
            except BodyError as error:
                wrong = wrong or error
        assert wrong is not None
        raise wrong

    def _write(self, record: Record, form: Form, mode: str) -> None:
        known: Bindings = {}
        if record.pairs:
            if self.source is self.result:
                raise BodyError(f"{record.short} needs an element type such as f32_to_f16")
            known["U"] = self.result
        free, lines = list(self.free), list[str]()
        operands: list[tuple[str, Type]] = []
        for operand in form.operands:
            operands.append(self._operand(record, operand.type, known, free, lines))
        known.setdefault("T", self.source if self.in_loop else self.made)
        known.setdefault("G", granularity(self.source.bits))
        results: list[tuple[str, Type]] = []
        for one in form.results:
            kind = one.type.resolve(known)
            if kind is None:
                raise BodyError(f"{record.short}: nothing says of which type its result is")
            results.append((self._name(), kind))
        attrs = attributes(record, form, mode, known)
        self.free = free
        if record.cost_kind == "load":
            self.wide = max(self.wide, sum(isinstance(kind, VReg) for _, kind in results))
        if UPDATED in form.results:
            self.updated.append(results[-1][0])
        self.free += [_Value(n, t, not self.in_loop) for n, t in results if not is_scalar(t)]
        (self.inside if self.in_loop else self.once).extend(
            [*lines, generic_line(record, operands, results, attrs)]
        )

    def _operand(
        self,
        record: Record,
        pattern: Pattern,
        known: Bindings,
        free: list[_Value],
        lines: list[str],
    ) -> tuple[str, Type]:
        if isinstance(pattern, (MaskFor, MaskBits, AnyMask)):
            return self._mask(pattern, known, free)
        if isinstance(pattern, PtrTo):
            known.setdefault("T", self.source)
            kind = pattern.resolve(known)
            if not isinstance(kind, Ptr) or kind.space != "ub":
                raise BodyError(f"{record.short} works on no elements of UB as {known['T']}")
            name = f"%p{len(self.pointers)}"
            self.pointers[name] = kind
            return (f"{name}_now" if self.updates and self.in_loop else name), kind
        scalar = first_scalar(pattern)
        if scalar is not None:
            known.setdefault("T", self.source if self.in_loop else self.made)
            return self._scalar(scalar, known)
        return self._register(record, pattern, known, free, lines)

    def _mask(self, pattern: Pattern, known: Bindings, free: list[_Value]) -> tuple[str, Type]:
        element = known.get("T")
        bits = granularity((element if isinstance(element, DType) else self.source).bits)
        for value in free:
            fits = isinstance(value.type, Mask) and value.type.bits == bits
            if fits and pattern.match(value.type, dict(known)):
                if not (value.once and self.in_loop):
                    free.remove(value)
                return value.name, value.type
        kind = pattern.resolve(known) or Mask(bits)
        assert isinstance(kind, Mask)
        return f"%all{kind.bits}", kind

    def _scalar(self, pattern: Pattern, known: Bindings) -> tuple[str, Type]:
        kind = pattern.resolve(known)
        if isinstance(kind, Scalar):
            dtype = kind.dtype
        else:
            assert isinstance(pattern, ScalarIn)
            dtype = pattern.dtypes[0]
        if dtype is INDEX:
            return ("%step" if self.updates else "%at") if self.in_loop else "%c0", Scalar(dtype)
        name, written = self._name(), str(dtype) if dtype.is_float else f"i{dtype.bits}"
        one = "1.0" if dtype.is_float else "1"
        self.ahead.append(f"{name} = arith.constant {one} : {written}")
        return name, Scalar(dtype_named(written))

    def _register(
        self,
        record: Record,
        pattern: Pattern,
        known: Bindings,
        free: list[_Value],
        lines: list[str],
    ) -> tuple[str, Type]:
        there = [value for value in free if isinstance(value.type, VReg)]
        there.sort(key=lambda value: value.once and self.in_loop)
        if not there:
            raise BodyError(f"{record.short} reads more registers than there are")
        value = there[0]
        assert isinstance(value.type, VReg)
        # What converts is meant for the type that was named.
        for dtype in [value.type.dtype] if record.pairs else views(value.type.dtype):
            trial = dict(known)
            if pattern.match(VReg(dtype), trial) and self._is_legal(record, trial):
                known.update(trial)
                if not (value.once and self.in_loop):
                    free.remove(value)
                if dtype is value.type.dtype:
                    return value.name, value.type
                self.seen += 1
                seen = self._name(), VReg(dtype)
                lines.append(generic_line(_VIEW, [(value.name, value.type)], [seen], {}))
                return seen
        raise BodyError(f"{record.short} does not work on {value.type.dtype} on {self.target}")

    def _is_legal(self, record: Record, known: Bindings) -> bool:
        machine = TARGETS[self.target]
        if record.pairs and "T" in known and (known["T"], known["U"]) not in record.pairs:
            return False
        return all(
            known[var] in types.legal(machine, "manual")
            for var, types in record.types.items()
            if var in known
        )

    def _name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _text(self, rows: int, vregs: int) -> str:
        step = self.source.lanes * self.wide
        at = 0
        ahead = [
            *(f"%c{n} = arith.constant {n} : index" for n in (0, 1)),
            f"%rows = arith.constant {rows} : index",
            f"%step = arith.constant {step} : index",
            f"%columns = arith.constant {vregs * step} : index",
            *self.ahead,
        ]
        for name, kind in self.pointers.items():
            assert isinstance(kind, Ptr)
            ahead.append(f"{name}_at = arith.constant {at} : i64")
            ahead.append(f"{name} = pto.castptr {name}_at : i64 -> {kind}")
            at += -(-(vregs * step * kind.dtype.bytes + VREG_BYTES) // VREG_BYTES) * VREG_BYTES
        room = MEMORIES["ub"].sizes[self.target]
        if at > room:
            raise BodyError(f"{vregs} registers a row take {at} bytes of UB, which has {room}")
        inner = self._loop()
        once = [
            f'%all{bits} = pto.pset_b{bits} "PAT_ALL" : {Mask(bits)}'
            for bits in GRANULARITIES
            if any(re.search(rf"%all{bits}\b", line) for line in (*self.once, *inner))
        ]
        if rows > 1:
            inner = ["scf.for %row = %c0 to %rows step %c1 {", *inner, "}"]
        ahead.append(f"%elements = arith.constant {vregs * self.source.lanes} : i32")
        lines = [*ahead, "pto.vecscope {", *once, *self.once, *inner, "}", "return"]
        head = f'module attributes {{pto.target_arch = "{self.target}"}} {{\n'
        open_function = "func.func @point() attributes {pto.aicore} {\n"
        return head + open_function + "".join(f"  {line}\n" for line in lines) + "}\n}\n"

    def _loop(self) -> list[str]:
        """The inner loop. It counts off a mask in each iteration, of the width of what is loaded if
        that is read, and carries the pointers that its accesses advance."""
        moved = [name for name in self.pointers if any(f"{name}_now" in x for x in self.inside)]
        carried = [
            (f"{name}_now", str(self.pointers[name]), name, last)
            for name, last in zip(moved, self.updated, strict=True)
        ]
        inside = self.inside
        first = granularity(self.source.bits)
        for bits in dict.fromkeys((first, *GRANULARITIES)):
            if any(re.search(rf"%all{bits}\b", line) for line in inside):
                inside = [re.sub(rf"%all{bits}\b", "%some", line) for line in inside]
                count = f"%some, %next = pto.plt_b{bits} %left : i32 -> {Mask(bits)}, i32"
                inside = [count, *inside]
                carried.append(("%left", "i32", "%elements", "%next"))
                break
        loop = "scf.for %at = %c0 to %columns step %step"
        if not carried:
            return [f"{loop} {{", *inside, "}"]
        begins = ", ".join(f"{name} = {begin}" for name, _, begin, _ in carried)
        types = ", ".join(kind for _, kind, _, _ in carried)
        return [
            f"%end:{len(carried)} = {loop} iter_args({begins}) -> ({types}) {{",
            *inside,
            f"scf.yield {', '.join(last for *_, last in carried)} : {types}",
            "}",
        ]
