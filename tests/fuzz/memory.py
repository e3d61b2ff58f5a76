"""Vector instructions that read or write UB: areas for their pointers, offsets that fit."""

from __future__ import annotations

from ptoscope.isa.dtypes import I1, I32, INDEX, UI8, VREG_BYTES, DType
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
        base, at = place(block, 32, UI8)
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


def loads(chosen: Use) -> bool:
    """Whether it is a load: what is stored, but a special register, stands before the pointer."""
    register = any(attr.name == "register" for attr in chosen.form.attrs)
    return not register and isinstance(chosen.form.operands[0].type, PtrTo)


def updates(chosen: Use) -> bool:
    """Whether it is a post-update form: the pointer comes back, advanced."""
    return any(isinstance(r.type, PtrTo) for r in chosen.form.results)


def access(block: Block, record: Record) -> None:
    """Draws a load or a store of any kind but streams."""
    chosen = draw.use(block, record)
    try:
        base, at = _place(block, chosen)
        if updates(chosen):
            write_update(block, chosen, _moved(block, base, at), follow=True)
        else:
            chosen.write(block, _operands(block, chosen, base, at))
    except Full:
        raise Unfit from None


def position(block: Block, record: Record) -> None:
    """Draws a store of a special register."""
    chosen = draw.use(block, record)
    base, at = place(block, 64, pointed(chosen))
    dest = _moved(block, base, at)
    words = block.rng.randrange(8)
    unit = 1 if record.short == "sprsti" else 4
    made = block.kernel.constant if record.short == "sprsti" else block.kernel.known
    offset = made(unit * words, I32)
    if updates(chosen):
        write_update(block, chosen, dest, follow=False)
    else:
        chosen.write(block, {"dest": dest, "offset": offset})


def write_update(block: Block, chosen: Use, base: Value, *, follow: bool) -> Value:
    """Writes a post-update access at a pointer; gives the pointer that it gives, and with
    `follow` a vector is loaded or stored there."""
    element = pointed(chosen)
    *_, updated = chosen.write(block, _operands(block, chosen, base, _advance(block, chosen)))
    if follow and loads(chosen):
        load_at(block, updated)
    elif follow:
        value, gate = draw.vector(block, element), draw.all_lanes(block, granularity(element.bits))
        block.emit('pto.mem_bar "VST_VST"')
        text = f"pto.vsts {value.name}, {updated.name}[{block.kernel.constant(0, INDEX).name}]"
        text += f", {gate.name} : {value.type}, {updated.type}, {gate.type}"
        block.emit(text, (), (value,))
    return updated


def load_at(block: Block, base: Value) -> None:
    """A vector from where a pointer points to."""
    assert isinstance(base.type, Ptr)
    result, at = block.kernel.fresh(VReg(base.type.dtype)), block.kernel.constant(0, INDEX)
    text = f"{result.name} = pto.vlds {base.name}[{at.name}] : {base.type} -> {result.type}"
    block.emit(text, (result,))


ADVANCE = 128
"""What a post-update access moves its pointer by is less, in bytes; and a multiple of 32."""


def _advance(block: Block, chosen: Use) -> Value:
    number = 32 * block.rng.randrange(ADVANCE // 32) // _unit(chosen)
    immediate = chosen.record.short in ("pldi", "psti", "sprsti")
    made = block.kernel.constant if immediate else block.kernel.known
    kind = chosen.kinds.get("offset")
    return made(number, kind.dtype if isinstance(kind, Scalar) else INDEX)


def _unit(chosen: Use) -> int:
    """The bytes that an offset counts; those of an element where none stands."""
    if "offset" not in chosen.kinds:
        return pointed(chosen).bytes
    match chosen.record.short:
        case "plds" | "psts" | "sprsts":
            return 1
        case "pldi" | "psti":
            return 16 if chosen.attrs["dist"] in ("US", "PK") else 32
        case _:
            return pointed(chosen).bytes


def extent(chosen: Use) -> int:
    """The bytes a store may reach over, what follows the pointer that it gives included."""
    reach = _EXTENTS.get(chosen.record.name, AREA // 2)
    if updates(chosen):
        return ADVANCE + max(reach, VREG_BYTES)
    return reach + (ADVANCE if _unit(chosen) != pointed(chosen).bytes else 0)


def _place(block: Block, chosen: Use) -> tuple[Value, Value]:
    """A pointer and the offset from it at which an access works."""
    element = pointed(chosen)
    if loads(chosen):
        base, at = pointer(block, element), offset(block, _step(chosen, element), element)
    else:
        base, at = place(block, extent(chosen), element)
    if any(isinstance(o.type, IntVec) for o in chosen.form.operands):
        at = _plus(block, at, SIGNED)
    if _unit(chosen) != element.bytes and not updates(chosen):
        return _moved(block, base, at), _advance(block, chosen)
    return base, at


def _moved(block: Block, base: Value, at: Value) -> Value:
    return base if at == block.kernel.constant(0, INDEX) else moved(block, base, at)


def _operands(block: Block, chosen: Use, base: Value, at: Value) -> dict[str, Value]:
    """Values for the operands, in their order: a pointer, an offset where it takes one."""
    form = chosen.form
    operands: dict[str, Value] = {}
    if any(o.name == "offset" for o in form.operands):
        operands["offset"] = at
    elif not updates(chosen):
        base = _moved(block, base, at)
    operands[next(o.name for o in form.operands if isinstance(o.type, PtrTo))] = base
    for each in form.operands:
        if each.name in operands:
            continue
        if each.name == "offsets":
            kind = chosen.kinds["offsets"]
            assert isinstance(kind, VReg)
            operands["offsets"] = indices(block, chosen, kind.dtype)
        else:
            operands[each.name] = draw.operand(block, chosen, each)
    return {o.name: operands[o.name] for o in form.operands}


def pointed(chosen: Use) -> DType:
    """The element type of the pointer."""
    return next(k.dtype for k in chosen.kinds.values() if isinstance(k, Ptr))


def _step(chosen: Use, element: DType) -> int:
    """What an offset's bytes are a multiple of. The widest element keeps every view aligned."""
    mode = str(chosen.attrs.get("dist", ""))
    if updates(chosen):
        return 32
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
    elif not loads(chosen) and not kernel.target.ordered_aliases:
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
