"""Unaligned streams: begun, carried on at the address where they stand, flushed there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I32, I64, INDEX, VREG_BYTES, DType
from ptoscope.isa.types import Align, Scalar, VReg
from tests.fuzz import control, draw, memory, scalars
from tests.fuzz.draw import Unfit
from tests.fuzz.kernel import Full, Value
from tests.fuzz.text import Block

MOST = 3
Body = Callable[[Block, list[Value]], list[Value]]
_POST, _STAYS = "POST_UPDATE", "NO_POST_UPDATE"


def draw_stream(block: Block, name: str) -> None:
    """Draws a stream around the instruction of that name."""
    kernel = block.kernel
    if kernel.target.name not in TABLE[f"pto.{name}"].targets:
        raise Unfit
    try:
        if name in ("vldas", "vldus"):
            (_carried_load if kernel.chance(0.4) else _load)(block)
        elif name == "pstu":
            _mask_stream(block)
        elif kernel.revision == "micro" and name in ("vstur", "vstar", "sprclr"):
            _squeezed(block)
        elif name in ("vstu", "vstar", "init_align") and kernel.chance(0.4):
            _carried_store(block)
        else:
            _Store(block, name).write()
    except Full:
        raise Unfit from None


def _element(block: Block, name: str) -> DType:
    types = TABLE[f"pto.{name}"].types["T"]
    return block.rng.choice(types.legal(block.kernel.target, block.kernel.revision))


def _load(block: Block) -> None:
    """One to three vectors from any element on, unrolled or in a loop."""
    kernel = block.kernel
    element = _element(block, "vldus")
    kind, state = VReg(element), Align()
    base = memory.moved(block, memory.pointer(block, element), draw.small_index(block, 32))
    align = kernel.fresh(state)
    block.instruct("vldas", (base,), (align,))
    for _ in range(block.rng.randint(1, MOST)):
        value, after, rest = kernel.fresh(kind), kernel.fresh(state), kernel.fresh(base.type)
        further = kernel.constant(element.lanes, INDEX)
        if kernel.chance(0.3):
            block.instruct("vldus", (base, align), (value, after))
            base = memory.moved(block, base, further)
        else:
            increment = (further,) if kernel.chance(0.5) else ()
            block.instruct("vldus", (base, align, *increment), (value, after, rest))
            base = rest
        block.see(value)
        align = after


def _carried(block: Block, start: Sequence[Value], body: Body) -> list[Value]:
    """A loop whose body takes and gives such values; what they are after it."""
    kernel = block.kernel
    count = kernel.rng.randint(1, MOST)
    inner, counter = Block(kernel, block.stage, block), kernel.fresh(Scalar(INDEX), "i")
    taken, results = ([kernel.fresh(v.type) for v in start] for _ in range(2))
    inner.iteration = control.nested_iteration(inner, counter, count, MOST + 1)
    given = body(inner, taken)
    control.finish(inner)
    kinds = ", ".join(str(v.type) for v in start)
    inner.emit(f"scf.yield {', '.join(v.name for v in given)} : {kinds}")
    pairs = ", ".join(f"{t.name} = {v.name}" for t, v in zip(taken, start, strict=True))
    names = ", ".join(r.name for r in results)
    low, high = kernel.constant(0, INDEX), kernel.limited(count, MOST, INDEX)
    head = f"{names} = scf.for {counter.name} = {low.name} to {high.name}"
    head += f" step {kernel.constant(1, INDEX).name}"
    block.nest(f"{head} iter_args({pairs}) -> ({kinds}) {{", inner)
    return results


def _carried_load(block: Block) -> None:
    """A load stream through a loop."""
    kernel = block.kernel
    element = _element(block, "vldus")
    base = memory.moved(block, memory.pointer(block, element), draw.small_index(block, 32))
    align = kernel.fresh(Align())
    block.instruct("vldas", (base,), (align,))

    def body(inner: Block, taken: list[Value]) -> list[Value]:
        after = [kernel.fresh(v.type) for v in taken]
        value = inner.see(kernel.fresh(VReg(element)))
        inner.instruct("vldus", (taken[1], taken[0]), (value, *after))
        return after

    _carried(block, (align, base), body)


def _carried_store(block: Block) -> None:
    """A store stream through a loop, flushed behind it."""
    kernel = block.kernel
    element = _element(block, "vstu")
    start, iteration = memory.place(block, VREG_BYTES * (MOST + 1), element)
    base = memory.moved(block, start, iteration)
    first = memory.moved(block, base, kernel.constant(kernel.rng.randint(0, 9), INDEX))
    one = kernel.constant(1, INDEX)

    def body(inner: Block, taken: list[Value]) -> list[Value]:
        after = [kernel.fresh(v.type) for v in taken]
        value = draw.vector(inner, element)
        inner.instruct("vstu", (*taken, value, base, one), after)
        return after

    align, end = _carried(block, (_begin(block), first), body)
    block.see(scalars.cast(block, end, Scalar(I64)))
    if kernel.revision == "manual" and kernel.chance(0.5):
        block.instruct("vstar", (align, base))
    else:
        block.instruct("vstas", (align, end, kernel.constant(0, I32)))


def _begin(block: Block) -> Value:
    align = block.kernel.fresh(Align())
    block.emit(f"{align.name} = pto.init_align : {align.type}")
    return align


def _mask_stream(block: Block) -> None:
    """Masks as bits, one after the other."""
    kernel = block.kernel
    bits = kernel.rng.choice((16, 32))
    element = next(t for t in TABLE["pto.pstu"].types["T"].manual if t.bits == bits)
    start, at = memory.place(block, 32 * MOST, element)
    base = memory.moved(block, start, at)
    if kernel.chance(0.5):
        base = memory.moved(block, base, kernel.constant(kernel.rng.randint(0, 7), INDEX))
    align = _begin(block)
    for _ in range(block.rng.randint(1, MOST - 1)):
        value = draw.mask(block, bits)
        after, rest = kernel.fresh(Align()), kernel.fresh(base.type)
        block.instruct("pstu", (align, value, base), (after, rest))
        align, base = after, rest
    if kernel.revision == "manual" and kernel.chance(0.5):
        block.instruct("vstar", (align, base))
    else:
        block.instruct("vstas", (align, base, kernel.constant(0, I32)))


def _squeezed(block: Block) -> None:
    """Revision micro: the bytes that vsqz left, at the place that AR counts."""
    kernel = block.kernel
    element = _element(block, "vstur")
    kind = VReg(element)
    start, at = memory.place(block, VREG_BYTES * (MOST + 1), element)
    base = memory.moved(block, start, at)
    align = _begin(block)
    block.emit('pto.sprclr "AR"')
    for _ in range(block.rng.randint(1, MOST)):
        value = draw.vector(block, element)
        gate = draw.mask(block, min(32, max(8, element.bits)))
        packed, after = kernel.fresh(kind), kernel.fresh(Align())
        block.instruct("vsqz", (value, gate), (packed,))
        block.see(packed)
        mode = block.rng.choice(("", _POST))
        block.instruct("vstur", (align, packed, base), (after,), attribute=mode)
        align = after
    block.instruct("vstar", (align, base))
    if kernel.chance(0.3):
        block.emit('pto.sprclr "SQZN"')


@dataclass
class _Store:
    """A store stream: vectors appended by any instruction that appends them, then a flush.

    `at` is where the stream stands, in elements after its base, known without running; `owner` the
    pointer that its first store named as the base of the stream.
    """

    block: Block
    name: str

    def write(self) -> None:
        block, kernel = self.block, self.block.kernel
        self.element = _element(block, "vstu")
        self.kind = VReg(self.element)
        start, iteration = memory.place(block, VREG_BYTES * (MOST + 1), self.element)
        self.base = memory.moved(block, start, iteration)
        self.at = block.rng.randint(0, 64 // self.element.bytes)
        self.fresh = True
        self.owner = self.base
        self.align = _begin(block)
        makers = ["vstu", "vstus"] if kernel.revision == "micro" else ["vstu", "vstus", "vstur"]
        for iteration_number in range(block.rng.randint(1, MOST)):
            first = iteration_number == 0 and self.name in makers
            self._append(self.name if first else block.rng.choice(makers))
        self._flush()

    def _append(self, name: str) -> None:
        match name:
            case "vstu":
                self.block.rng.choice((self._vstu_base, self._vstu_offset))()
            case "vstus":
                self.block.rng.choice((self._vstus_base, self._vstus_moded, self._vstus_plain))()
            case _:
                self._vstur()
        self.fresh = False

    def _pointer(self) -> Value:
        """Where the stream stands."""
        return memory.moved(self.block, self.base, self.block.kernel.constant(self.at, INDEX))

    def _emit(self, name: str, operands: list[Value], mode: str, second: Value | None) -> None:
        block = self.block
        after = block.kernel.fresh(Align())
        value = draw.vector(block, self.element)
        operands = [self.align, *(value if o.type == self.kind else o for o in operands)]
        results = [after, *([second] if second else [])]
        block.instruct(name, operands, results, attribute=mode)
        self.align = after
        if second is not None and isinstance(second.type, Scalar):
            block.see(second)
        elif second is not None:
            block.see(scalars.cast(block, second, Scalar(I64)))

    def _value(self) -> Value:
        """Stands for the vector, which is drawn when the line is written."""
        return Value("", self.kind)

    def _vstu_base(self) -> None:
        kernel, pointer = self.block.kernel, self._pointer()
        mode = kernel.known(kernel.rng.randint(0, 1), INDEX)
        operands = [pointer, self._value(), self.owner, mode]
        self._emit("vstu", operands, "", kernel.fresh(pointer.type))
        self.at += self.element.lanes

    def _vstu_offset(self) -> None:
        kernel = self.block.kernel
        mode = kernel.rng.choice(("", _POST, _STAYS))
        operands = [kernel.known(self.at, INDEX), self._value(), self.base]
        self._emit("vstu", operands, mode, kernel.fresh(Scalar(INDEX)))
        self.at += self.element.lanes

    def _offset(self) -> int:
        """A stream that has not begun may begin anywhere."""
        return self.block.rng.randint(0, 3) if self.fresh else 0

    def _vstus_base(self) -> None:
        kernel, pointer, by = self.block.kernel, self._pointer(), self._offset()
        operands = [pointer, self._value(), self.owner, kernel.known(by, I32)]
        self._emit("vstus", operands, "", kernel.fresh(pointer.type))
        self.at += by + self.element.lanes

    def _vstus_moded(self) -> None:
        kernel = self.block.kernel
        operands = [kernel.known(self.at, I32), self._value(), self.base]
        mode = kernel.rng.choice((_POST, _STAYS))
        self._emit("vstus", operands, mode, kernel.fresh(self.base.type))
        self.at += self.element.lanes

    def _vstus_plain(self) -> None:
        kernel = self.block.kernel
        rest = kernel.fresh(self.base.type) if kernel.chance(0.5) else None
        if kernel.revision == "manual":
            self._emit("vstus", [kernel.known(self.at, I32), self._value(), self.base], "", rest)
            self.at += self.element.lanes
            return
        count, pointer = kernel.rng.randint(0, self.element.lanes), self._pointer()
        if self.fresh:
            self.owner = pointer
        self._emit("vstus", [kernel.known(count, I32), self._value(), pointer], "", rest)
        self.at += count

    def _vstur(self) -> None:
        """The first one begins at its base; the others go on where the stream stands."""
        mode = self.block.rng.choice(("", _POST, _STAYS))
        if self.fresh:
            self.owner = self._pointer()
        self._emit("vstur", [self._value(), self.owner], mode, None)
        self.at += self.element.lanes

    def _flush(self) -> None:
        block, kernel = self.block, self.block.kernel
        ways = ["vsta", "vstas"] if kernel.revision == "micro" else ["vsta", "vstas", "vstar"]
        way = self.name if self.name in ways else block.rng.choice(ways)
        if way == "vsta":
            at = kernel.known(self.at, INDEX)
            names = f"{self.align.name}, {self.base.name}[{at.name}]"
            block.emit(f"pto.vsta {names} : {self.align.type}, {self.base.type}, index")
        elif way == "vstas":
            unit = self.element.bytes if kernel.revision == "manual" else 1
            end = [kernel.fresh(self.base.type)] if kernel.chance(0.5) else []
            block.instruct("vstas", (self.align, self.base, kernel.known(self.at * unit, I32)), end)
            for pointer in end:
                block.see(scalars.cast(block, pointer, Scalar(I64)))
        else:
            where = self.owner if kernel.chance(0.7) else self._pointer()
            block.instruct("vstar", (self.align, where))
