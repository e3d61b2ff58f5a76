"""Copies between GM and UB in both spellings: rows, loops, padding, rows of the launch."""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope.isa.dtypes import BF16, F16, F32, FLOATS, I1, I8, I16, I32, I64, DType, dtype
from ptoscope.isa.types import Ptr, Scalar
from tests.fuzz import data, memory
from tests.fuzz.kernel import Source, Value
from tests.fuzz.memory import AREA
from tests.fuzz.text import Block


@dataclass(frozen=True)
class Shape:
    """Bytes per row, and from the inside out: counts, steps in GM, steps in UB. `left` and
    `right` elements of padding, or None."""

    length: int
    counts: tuple[int, ...]
    gm_steps: tuple[int, ...]
    ub_steps: tuple[int, ...]
    pad: tuple[int, int] | None = None

    @property
    def gm_bytes(self) -> int:
        """How far the copy reaches in GM."""
        steps = zip(self.counts, self.gm_steps, strict=True)
        return self.length + sum((c - 1) * s for c, s in steps)


def inward(block: Block, source: Source) -> Shape:
    """How an area is filled. One that holds indices is filled whole."""
    rng, size = block.rng, source.dtype.bytes
    if source.fill != "values" or rng.random() < 0.3:
        return Shape(AREA, (1,), (rng.choice((0, AREA)),), (rng.choice((0, AREA)),))
    counts = [rng.choice((1, 2, 4, 8)), rng.choice((1, 1, 2)), rng.choice((1, 1, 1, 2))]
    ub_steps = [AREA // (counts[0] * counts[1] * counts[2])]
    for count in counts[:2]:
        ub_steps.append(ub_steps[-1] * count)
    room = ub_steps[0] // size
    length = rng.choice((room, room, rng.randint(1, room)))
    pad = None
    if rng.random() < 0.4 and source.dtype.bits >= 8:
        length = rng.randint(0, room)
        left = rng.randint(0, min(room - length, 255))
        pad = left, rng.randint(0, min(room - length - left, 255))
    gm_steps = [rng.choice((length, length + rng.randint(0, 40), 0)) * size]
    for count in counts[:2]:
        gm_steps.append(rng.choice((gm_steps[-1] * count, size * rng.randint(0, 50))))
    return Shape(length * size, tuple(counts), tuple(gm_steps), tuple(ub_steps), pad)


def outward(block: Block, size: int, element: DType) -> Shape:
    """How results leave, with a gap between rows in GM or none."""
    rng = block.rng
    counts: list[int] = []
    left = size // 32
    for choices in ((1, 2, 3), (1, 1, 2, 3), (1, 2, 3, 4, 8)):
        counts.insert(0, rng.choice([n for n in choices if left % n == 0]))
        left //= counts[0]
    length = 32 * left
    gm_steps, ub_steps = [length + element.bytes * rng.choice((0, 0, 3))], [length]
    for count in counts[:2]:
        gm_steps.append(gm_steps[-1] * count + element.bytes * rng.choice((0, 0, 5)))
        ub_steps.append(ub_steps[-1] * count)
    return Shape(length, tuple(counts), tuple(gm_steps), tuple(ub_steps))


def copy_in(block: Block, source: Source, gm: Value, shape: Shape) -> None:
    """Writes a copy from GM to an area."""
    ub = block.kernel.pointer(source.address, source.dtype)
    if block.kernel.chance(0.5):
        _grouped_in(block, source.dtype, gm, ub, shape)
    else:
        _plain_in(block, gm, ub, shape)


def _numbers(block: Block, *values: int) -> list[Value]:
    return [block.kernel.known(v, I64) for v in values]


def _clauses(block: Block, shape: Shape, swap: bool) -> tuple[str, str]:
    """nburst and loops, and their types; the source's steps come first."""
    text, kinds = "", ""
    pairs = zip(shape.counts, shape.gm_steps, shape.ub_steps, strict=True)
    for level, (count, gm, ub) in enumerate(pairs):
        if level and count == 1:
            continue
        numbers = _numbers(block, count, *((ub, gm) if swap else (gm, ub)))
        keyword = "loop" if level else "nburst"
        text += f" {keyword}({', '.join(n.name for n in numbers)})"
        kinds += f", {'loop ' if level else ''}i64, i64, i64"
    return text, kinds


def _grouped_in(block: Block, element: DType, gm: Value, ub: Value, shape: Shape) -> None:
    hint, length = _numbers(block, 0, shape.length)
    clauses, kinds = _clauses(block, shape, swap=False)
    if shape.pad is not None:
        fill, kind = _pad_value(block, element)
        counts = _numbers(block, *shape.pad) if any(shape.pad) else []
        clauses += f" pad({', '.join(v.name for v in (fill, *counts))})"
        kinds += f", pad {kind}" + ", i64" * len(counts)
    text = f"pto.mte_gm_ub {gm.name}, {ub.name}, {hint.name}, {length.name}{clauses}"
    block.emit(f"{text} : {gm.type}, {ub.type}, i64, i64{kinds}")


def _pad_value(block: Block, element: DType) -> tuple[Value, DType]:
    """Any scalar as wide as the element."""
    kind = element if element in FLOATS else dtype(f"i{element.bits}")
    return block.kernel.constant(data.pick(kind, block.rng), kind), kind


def _set_loops(block: Block, shape: Shape, way: str, swap: bool) -> None:
    counts = [*shape.counts[1:], 1, 1][:2]
    one, two = _numbers(block, *counts)
    block.emit(f"pto.set_loop_size_{way} {one.name}, {two.name} : i64, i64")
    for level in (1, 2):
        if counts[level - 1] == 1:
            continue
        steps = shape.gm_steps[level], shape.ub_steps[level]
        first, second = _numbers(block, *(reversed(steps) if swap else steps))
        block.emit(f"pto.set_loop{level}_stride_{way} {first.name}, {second.name} : i64, i64")


def _plain_in(block: Block, gm: Value, ub: Value, shape: Shape) -> None:
    _set_loops(block, shape, "outtoub", swap=False)
    if block.kernel.chance(0.3):
        kind = block.rng.choice((F32, F16, BF16, I32, I16, I8))
        fill = block.kernel.constant(data.pick(kind, block.rng), kind)
        block.emit(f"pto.set_mov_pad_val {fill.name} : {kind}", (), (fill,))
    left, right = shape.pad or (0, 0)
    selected = block.kernel.known(int(shape.pad is not None), I1)
    zero, rows, length, *pads = _numbers(block, 0, shape.counts[0], shape.length, left, right)
    steps = _numbers(block, shape.gm_steps[0], shape.ub_steps[0])
    operands = [gm, ub, zero, rows, length, *pads, selected, zero, *steps]
    block.instruct("copy_gm_to_ubuf", operands)


Update = tuple[str, str]
"""The type and the operation of an atomic store."""
_UPDATES = {"f32": 4, "f16": 2, "bf16": 2, "s32": 4, "s16": 2, "s8": 1}


def update(block: Block, element: DType) -> Update | None:
    """What a copy to GM does to what is there, if it does not replace it. Rows begin at
    multiples of an element."""
    if not block.kernel.chance(0.3):
        return None
    kinds = [kind for kind, size in _UPDATES.items() if element.bytes % size == 0]
    return block.rng.choice(kinds), block.rng.choice(("add", "max", "min"))


def copy_out(
    block: Block,
    address: int,
    element: DType,
    gm: Value,
    shape: Shape,
    update: Update | None = None,
) -> None:
    """Writes a copy from UB to GM, which updates what is there or not."""
    if update is None:
        _copy_out(block, address, element, gm, shape)
        return
    for setting in block.rng.sample(update, 2):
        block.emit(f"pto.set_atomic_{setting}", (), ())
    _copy_out(block, address, element, gm, shape)
    block.emit("pto.set_atomic_none", (), ())


def _copy_out(block: Block, address: int, element: DType, gm: Value, shape: Shape) -> None:
    ub = block.kernel.pointer(address, element)
    (length,) = _numbers(block, shape.length)
    if block.kernel.chance(0.5):
        clauses, kinds = _clauses(block, shape, swap=True)
        if block.kernel.chance(0.3):
            (hint,) = _numbers(block, block.rng.randrange(16))
            rows, _, loops = clauses.partition(")")
            clauses = f"{rows}) l2_cache_ctl({hint.name}){loops}"
            kinds = f"{kinds[:15]}, i64{kinds[15:]}"
        text = f"pto.mte_ub_gm {ub.name}, {gm.name}, {length.name}{clauses}"
        block.emit(f"{text} : {ub.type}, {gm.type}, i64{kinds}")
        return
    _set_loops(block, shape, "ubtoout", swap=True)
    zero, rows = _numbers(block, 0, shape.counts[0])
    gm_step, ub_step = _numbers(block, shape.gm_steps[0], shape.ub_steps[0])
    block.instruct("copy_ubuf_to_gm", [ub, gm, zero, rows, length, zero, gm_step, ub_step])


def inside(block: Block, element: DType) -> None:
    """A copy of whole blocks inside UB, to fresh bytes."""
    kernel, rng = block.kernel, block.rng
    length, rows, gaps = rng.randint(1, 4), rng.randint(1, 3), [rng.randint(0, 2) for _ in "ab"]
    src = kernel.pointer(memory.source(block, element).address, element)
    base, at = memory.place(block, 32 * rows * (length + gaps[1]), element)
    dst = memory.moved(block, base, at)
    assert isinstance(dst.type, Ptr)
    count, size, src_gap, dst_gap = _numbers(block, rows, length, *gaps)
    if kernel.chance(0.5):
        (zero,) = _numbers(block, 0)
        block.instruct("copy_ubuf_to_ubuf", [src, dst, zero, count, size, src_gap, dst_gap])
        return
    burst = f"nburst({count.name}, {src_gap.name}, {dst_gap.name})"
    text = f"pto.mte_ub_ub {src.name}, {dst.name}, {size.name} {burst}"
    block.emit(f"{text} : {src.type}, {dst.type}, i64, i64, i64, i64")


def row_pointer(block: Block, base: Value, row: Value | None, size: int) -> Value:
    """A GM pointer to a row of the launch."""
    assert isinstance(base.type, Ptr)
    if row is None:
        return base
    by = block.kernel.constant(size // base.type.dtype.bytes, I64)
    return memory.moved(block, base, block.operation("muli", (row, by), Scalar(I64)))
