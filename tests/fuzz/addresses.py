"""Vector addresses: loops of i16, an address of their iterations, accesses and streams there."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I16, I32, INDEX, VREG_BYTES, DType
from ptoscope.isa.patterns import PtrTo
from ptoscope.isa.record import Record
from ptoscope.isa.types import Align, Scalar, VAddr, VReg
from tests.fuzz import control, draw, memory
from tests.fuzz.draw import Unfit
from tests.fuzz.kernel import Full, Value
from tests.fuzz.text import Block

DEEPEST = 4
ACCESSES = ("vald", "valdx2", "vast", "vastx2", "pald", "past")
STRIDES = (0, 32, 64, 128)
REACH = 12 * max(STRIDES)
"""More than any address of so few iterations, in bytes."""

Body = Callable[[Block, Value], None]
"""Writes what is done at a vector address."""


def loops(block: Block, record: Record) -> None:
    """Draws one of the instructions, with all that it needs."""
    if block.kernel.target.name not in record.targets or block.depth >= DEEPEST:
        raise Unfit
    name = record.short
    if name in ("valda", "valdu"):
        body = _loads(block)
    elif name in ("vastu", "vasta"):
        body = _stores(block)
    else:
        used = record if name in ACCESSES else TABLE[f"pto.{block.rng.choice(ACCESSES)}"]
        body = _access(block, used)
    _nest(block, block.rng.randint(1, 4), [], body)


def _nest(block: Block, levels: int, around: list[int], body: Body) -> None:
    """A loop, and others in it; the innermost has the vector address."""
    kernel = block.kernel
    outer = max(1, block.iteration.count) if block.iteration else 1
    runs = kernel.rng.randint(0 if levels == 1 else 1, min(3, control.MOST_ITERATIONS // outer))
    inner = Block(kernel, block.stage, block)
    counter = kernel.fresh(Scalar(I16), "i")
    low, by = kernel.rng.choice(((0, 1), (0, 1), (5, 3), (-7, 2)))
    first, end, step = (kernel.constant(number, I16).name for number in (low, low + runs * by, by))
    own = inner.operation("subi", (counter, kernel.constant(low, I16)), Scalar(I16))
    own = inner.operation("divui", (own, kernel.constant(by, I16)), Scalar(I16))
    inner.iteration = control.nested_iteration(inner, inner.index(own), runs, runs)
    if levels > 1:
        _nest(inner, levels - 1, [*around, runs], body)
    else:
        inner.emit('pto.mem_bar "VV_ALL"')
        body(inner, _address(inner, len(around) + 1))
    control.finish(inner)
    block.nest(f"scf.for {counter.name} = {first} to {end} step {step} : i16 {{", inner)


def _address(block: Block, loops: int) -> Value:
    kernel = block.kernel
    result = kernel.fresh(VAddr(kernel.rng.choice((8, 16, 32))))
    strides = [
        kernel.known(kernel.rng.choice(STRIDES), I32) for _ in range(kernel.rng.randint(1, loops))
    ]
    block.instruct("vag", strides, (result,))
    return result


def _access(block: Block, record: Record) -> Body:
    chosen = draw.use(block, record)
    base = _base(block, memory.pointed(chosen), memory.loads(chosen))

    def body(inner: Block, at: Value) -> None:
        operands = {
            o.name: base
            if isinstance(o.type, PtrTo)
            else at
            if o.name == "addr"
            else draw.operand(inner, chosen, o)
            for o in chosen.form.operands
        }
        chosen.write(inner, operands)

    return body


def _base(block: Block, element: DType, loads: bool, shift: int = 0) -> Value:
    """A pointer from which an address reaches no further than an area, some elements on."""
    try:
        if loads:
            base = memory.pointer(block, element)
        else:
            room = REACH + 4 * VREG_BYTES
            base = memory.moved(block, *memory.place(block, room, element))
    except Full:
        raise Unfit from None
    return memory.moved(block, base, block.kernel.constant(shift, INDEX)) if shift else base


def _stream(block: Block) -> tuple[DType, int]:
    element = draw.use(block, TABLE["pto.vlds"]).element
    return element, block.rng.randint(0, 40)


def _loads(block: Block) -> Body:
    element, shift = _stream(block)
    base = _base(block, element, True, shift)

    def body(inner: Block, at: Value) -> None:
        kernel = inner.kernel
        state = kernel.fresh(Align())
        text = f"{state.name} = pto.valda {base.name}[{at.name}]"
        inner.emit(f"{text} : {base.type}, {at.type} -> {state.type}")
        step = kernel.constant(VREG_BYTES, I32)
        for _ in range(inner.rng.randint(1, 3)):
            value, after, following = (kernel.fresh(k) for k in (VReg(element), Align(), at.type))
            text = f"{value.name}, {after.name}, {following.name} = pto.valdu {base.name}"
            text += f"[{at.name}], {state.name}, {step.name} : {base.type}, {at.type}, {Align()}"
            inner.emit(f"{text}, i32 -> {value.type}, {Align()}, {at.type}", (value,))
            state, at = after, following

    return body


def _stores(block: Block) -> Body:
    element, shift = _stream(block)
    base = _base(block, element, False, shift if element.bytes * shift < VREG_BYTES else 0)

    def body(inner: Block, at: Value) -> None:
        kernel = inner.kernel
        state = kernel.fresh(Align())
        inner.emit(f"{state.name} = pto.init_align : {state.type}")
        for _ in range(inner.rng.randint(1, 2)):
            value = draw.vector(inner, element)
            after, following = kernel.fresh(Align()), kernel.fresh(at.type)
            inner.instruct(
                "vastu", (state, at, value, base), (after, following), attribute="POST_UPDATE"
            )
            state, at = after, following
        text = f"pto.vasta {state.name}, {base.name}[{at.name}]"
        inner.emit(f"{text} : {state.type}, {base.type}, {at.type}")

    return body
