"""Vector instructions that read or write UB: areas for their pointers, offsets that fit."""

from __future__ import annotations

from ptoscope.isa.dtypes import I1, I64, INDEX, DType
from ptoscope.isa.patterns import IntVec, PtrTo
from ptoscope.isa.record import Record
from ptoscope.isa.types import Mask, Ptr, Scalar, VReg, granularity
from tests.fuzz import draw
from tests.fuzz.data import Fill
from tests.fuzz.draw import Unfit, Use
from tests.fuzz.kernel import Full, Source, Value
from tests.fuzz.text import Block

AREA = 4096
"""Bytes of a source; the widest access reaches over half of it, offsets over the rest."""
SIGNED = 128
"""Elements below the base of an indexed access: an 8-bit index may be negative."""

_EXTENTS = {
    "pto.vsts": 256,
    "pto.vstsx2": 512,
    "pto.pst": 64,
    "pto.psts": 32,
    "pto.psti": 32,
}
"""Bytes a store may reach over; any other reaches over the half of an area."""


def source(
    block: Block, element: DType, fill: Fill = "values", limit: int = 0, *, new: bool = False
) -> Source:
    """An area of UB that holds such elements, copied in before the vector work."""
    stage, kernel = block.stage, block.kernel
    same = [s for s in stage.sources if (s.dtype, s.fill, s.limit) == (element, fill, limit)]
    if same and not new:
        return block.rng.choice(same)
    others = [s for s in stage.sources if s.fill == "values"]
    if fill == "values" and not new and len(others) >= 5:
        return block.rng.choice(others)
    made = Source(kernel.reserve_source(AREA), element, fill, limit)
    stage.sources.append(made)
    return made


def pointer(block: Block, element: DType) -> Value:
    """A pointer from which half an area may be read, at an offset of up to the other half."""
    kernel = block.kernel
    start, end = block.stage.first, block.root.readable
    if end - start >= AREA and kernel.chance(0.3):
        # Earlier work of the same pipe; its scopes run in order.
        return kernel.pointer(
            start + 32 * block.rng.randint(0, (end - start - AREA) // 32), element
        )
    first = kernel.pointer(source(block, element).address, element)
    if not kernel.chance(0.1):
        return first
    second = kernel.pointer(source(block, element).address, element)
    condition = draw.scalar(block, I1)
    return block.operation("select", (condition, first, second), first.type)


def offset(block: Block, step: int, element: DType, count: int = 8) -> Value:
    """An index in elements whose bytes are a multiple of `step`, below `count` steps."""
    iteration = draw.small_index(block, count)
    by = max(1, step // element.bytes)
    if by == 1:
        return iteration
    factor = block.kernel.constant(by, INDEX)
    return block.operation("muli", (iteration, factor), Scalar(INDEX))


def load(block: Block, element: DType) -> Value:
    """A vector from a source, plainly."""
    pointed, kind = pointer(block, element), VReg(element)
    at = offset(block, 32, element, 64)
    result = block.kernel.fresh(kind)
    text = f"{result.name} = pto.vlds {pointed.name}[{at.name}] : {pointed.type} -> {kind}"
    block.emit(text, (result,), (at,))
    return result


def place(block: Block, extent: int, element: DType) -> tuple[Value, Value]:
    """A pointer to fresh bytes for a result, and the offset of this iteration in elements."""
    kernel = block.kernel
    stride = -(-extent // 32) * 32
    iteration = block.iteration
    if iteration is None:
        return kernel.pointer(kernel.reserve(stride), element), kernel.constant(0, INDEX)
    base = kernel.pointer(kernel.reserve(stride * max(1, iteration.count)), element)
    by = kernel.constant(stride // element.bytes, INDEX)
    return base, block.operation("muli", (iteration.index, by), Scalar(INDEX))


def moved(block: Block, base: Value, by: Value) -> Value:
    """A pointer some elements further."""
    result = block.kernel.fresh(base.type)
    text = f"{result.name} = pto.addptr {base.name}, {by.name} : {base.type} -> {base.type}"
    block.emit(text, (), (by,))
    return result


def sink(block: Block, value: Value) -> None:
    """Stores a vector or a mask whole."""
    kind = value.type
    if isinstance(kind, Mask):
        base, at = place(block, 32, I64)
        text = f'pto.psts {value.name}, {base.name}[{at.name}], "NORM" : {kind}, {base.type}, index'
        block.emit(text, (), (value, at))
        return
    assert isinstance(kind, VReg)
    base, at = place(block, 256, kind.dtype)
    gate = draw.all_lanes(block, granularity(kind.dtype.bits))
    text = (
        f"pto.vsts {value.name}, {base.name}[{at.name}], {gate.name}"
        f" : {kind}, {base.type}, {gate.type}"
    )
    block.emit(text, (), (value, at))
    block.stored.append((base, at))


def reload(block: Block) -> None:
    """Loads what this block has stored, after the barrier that orders it."""
    if not block.stored:
        raise Unfit
    base, at = block.rng.choice(block.stored)
    assert isinstance(base.type, Ptr)
    kind = VReg(base.type.dtype)
    block.emit(f'pto.mem_bar "{block.rng.choice(("VST_VLD", "VV_ALL"))}"')
    result = block.kernel.fresh(kind)
    text = f"{result.name} = pto.vlds {base.name}[{at.name}] : {base.type} -> {kind}"
    block.emit(text, (result,), (at,))


def access(block: Block, record: Record) -> None:
    """Draws a load or a store of any kind but streams."""
    chosen = draw.use(block, record)
    try:
        operands = _operands(block, chosen)
    except Full:
        raise Unfit from None
    ordered = {o.name: operands[o.name] for o in chosen.form.operands}
    chosen.write(block, ordered)


def _operands(block: Block, chosen: Use) -> dict[str, Value]:
    form, element = chosen.form, _pointed(chosen)
    step = _step(chosen, element)
    pointed = next(o for o in form.operands if isinstance(o.type, PtrTo))
    has_offset = any(o.name in ("offset",) for o in form.operands)
    operands: dict[str, Value] = {}
    if form.results:
        base = pointer(block, element)
        at = offset(block, step, element)
    else:
        extent = _EXTENTS.get(chosen.record.name, AREA // 2)
        base, at = place(block, extent, element)
    if any(isinstance(o.type, IntVec) for o in form.operands):
        at = _plus(block, at, SIGNED)
    if has_offset:
        operands["offset"] = at
    elif at != block.kernel.constant(0, INDEX):
        base = moved(block, base, at)
    operands[pointed.name] = base
    for each in form.operands:
        if each.name in operands:
            continue
        if each.name == "offsets":
            kind = chosen.kinds["offsets"]
            assert isinstance(kind, VReg)
            operands["offsets"] = indices(block, chosen, kind.dtype)
        else:
            operands[each.name] = draw.operand(block, chosen, each)
    return operands


def _pointed(chosen: Use) -> DType:
    return next(k.dtype for k in chosen.kinds.values() if isinstance(k, Ptr))


def _step(chosen: Use, element: DType) -> int:
    """What an offset's bytes are a multiple of. The widest element keeps every view aligned."""
    mode = str(chosen.attrs.get("dist", ""))
    if mode.startswith(("BRC_B", "1PT")) and mode != "BRC_BLK":
        return max(element.bytes, int(mode.rpartition("_B")[2]) // 8)
    if chosen.record.name in ("pto.pld", "pto.plds", "pto.pldi"):
        return 8
    blocks = chosen.record.name in ("pto.vsldb", "pto.vgatherb")
    return chosen.kernel.target.norm_alignment or (32 if blocks else 8)


def _plus(block: Block, at: Value, count: int) -> Value:
    more = block.kernel.constant(count, INDEX)
    return block.operation("addi", (at, more), Scalar(INDEX))


def indices(block: Block, chosen: Use, element: DType) -> Value:
    """Index vectors that stay in the area: from memory, or cut from any vector."""
    kernel = block.kernel
    if chosen.record.name == "pto.vgatherb":
        fill, limit = "blocks", AREA // 2 // 32
    elif not chosen.form.results and not kernel.target.ordered_aliases:
        # An address may be written once on such a target.
        fill, limit = "permutation", element.lanes
    else:
        fill, limit = "index", SIGNED
        if kernel.chance(0.4):
            return _cut(block, element, limit)
    area = source(block, element, fill, limit)
    base = kernel.pointer(area.address, element)
    at = offset(block, 32, element, 64)
    result = kernel.fresh(VReg(element))
    text = f"{result.name} = pto.vlds {base.name}[{at.name}] : {base.type} -> {result.type}"
    # Not to be seen: whatever else would use it could not rely on what it holds.
    block.emit(text, (), (at,))
    return result


def _cut(block: Block, element: DType, limit: int) -> Value:
    """Any vector with all but its lowest bits cleared."""
    value = draw.vector(block, element)
    number = block.kernel.constant(limit - 1, draw.signless(element))
    gate = draw.mask(block, element.bits)
    result = block.kernel.fresh(VReg(element))
    block.instruct("vands", (value, number, gate), (result,))
    return block.see(result)
