"""What goes into a block: instructions drawn from the table, and control flow around them."""

from __future__ import annotations

from math import log2

from ptoscope.docs.values import NUMBERS
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I32, INDEX
from ptoscope.isa.parts import EVENTS, VECTOR_CORE_PIPES
from ptoscope.isa.patterns import AlignState, PtrTo, VectorAddress
from ptoscope.isa.record import Record
from ptoscope.isa.types import Ptr, Scalar
from tests.fuzz import addresses, control, copies, draw, memory, pointers, scalars, streams
from tests.fuzz.draw import Unfit
from tests.fuzz.kernel import Full, Value
from tests.fuzz.text import Block

VECTOR = [r for r in TABLE.values() if r.where == "vecscope"]
SCALAR = [r for r in TABLE.values() if r.where == "anywhere" and r.group != "arith" and not r.stops]
HELPERS = [r for r in TABLE.values() if r.where == "outside" and r.group == "SFU and DSA"]
DEEPEST = 4


def _weight(record: Record) -> float:
    """More for an instruction with more to choose: element types and attribute values."""
    variants = len(record.pairs) or len(record.types["T"].manual if "T" in record.types else "1")
    for attr in record.forms[0].attrs:
        variants *= max(1, len(attr.values))
    return 1 + log2(variants) / 2


_WEIGHTS = [_weight(r) for r in VECTOR]


def _uses(record: Record, pattern: type) -> bool:
    return any(isinstance(o.type, pattern) for f in record.forms for o in (*f.operands, *f.results))


def vector_instruction(block: Block, record: Record) -> None:
    """Draws an instruction that stands inside a vecscope."""
    if record.short.startswith("sprst"):
        memory.position(block, record)
    elif _uses(record, VectorAddress):
        addresses.loops(block, record)
    elif _uses(record, AlignState):
        streams.draw_stream(block, record.short)
    elif _uses(record, PtrTo):
        memory.access(block, record)
    else:
        draw.plain(block, record)


def scope_body(block: Block, budget: int) -> None:
    """About so many operations of vector code."""
    while budget > 0:
        try:
            budget -= _scope_step(block, budget)
        except (Unfit, Full):
            budget -= 1


def _scope_step(block: Block, budget: int) -> int:
    """Writes something; gives about how many operations it was."""
    rng = block.rng
    way = rng.random()
    if way < 0.14 and budget > 2 and block.depth < DEEPEST:
        size = rng.randint(2, budget)
        maker = rng.choice((control.for_loop, control.for_loop, control.branch, control.while_loop))
        maker(block, scope_body, size)
        return size
    if way < 0.22:
        scalars.arith(block, rng.choice(scalars.ARITH))
    elif way < 0.27:
        scalars.scalar_instruction(block, rng.choice(SCALAR))
    elif way < 0.31:
        memory.reload(block)
    elif way < 0.33 and block.depth < DEEPEST:
        pointers.loop(block)
        return 3
    else:
        vector_instruction(block, rng.choices(VECTOR, _WEIGHTS)[0])
    return 1


def outer_body(block: Block, budget: int) -> None:
    """About so many operations on the scalar unit and pipe V, vecscopes among them."""
    while budget > 0:
        try:
            budget -= _outer_step(block, budget)
        except (Unfit, Full):
            budget -= 1


def _outer_step(block: Block, budget: int) -> int:
    """Writes something; gives about how many operations it was."""
    rng = block.rng
    way = rng.random()
    if way < 0.35:
        size = rng.randint(4, max(4, min(12, budget)))
        control.vecscope(block, scope_body, size)
        return size
    if way < 0.43 and budget > 6 and block.depth < DEEPEST - 1:
        maker = rng.choice((control.for_loop, control.branch, control.while_loop))
        maker(block, outer_body, budget // 2)
        return budget // 2
    if way < 0.53:
        helper(block, rng.choice(HELPERS))
    elif way < 0.58:
        element = rng.choice(
            TABLE["pto.mte_ub_ub"].types["T"].legal(block.kernel.target, block.kernel.revision)
        )
        copies.inside(block, element)
    elif way < 0.66:
        scalars.scalar_instruction(block, rng.choice(SCALAR))
    elif way < 0.72:
        _order(block)
    else:
        scalars.arith(block, rng.choice(scalars.ARITH))
    return 1


_CONFIGS = {
    ("vtranspose", "config"): lambda rng: rng.randint(1, 12) | rng.randint(1, 12) << 16,
    ("vsort32", "config"): lambda rng: rng.randint(0, 2) | rng.getrandbits(8) << 8,
    ("vbitsort", "repeat_times"): lambda rng: rng.randint(0, 2),
    ("vmrgsort4", "count"): lambda rng: sum(rng.randint(0, 5) << (16 * k) for k in range(4)),
    ("vmrgsort4", "config"): lambda rng: 1 | rng.getrandbits(4) << 8 | rng.getrandbits(1) << 12,
}
"""Control words of the helpers, by instruction and operand."""


def helper(block: Block, record: Record) -> None:
    """Draws an instruction that works on UB itself."""
    chosen = draw.use(block, record)
    operands: dict[str, Value] = {}
    for each in chosen.form.operands:
        kind = chosen.kinds[each.name]
        if isinstance(kind, Ptr) and each.name == "dest":
            base, at = memory.place(block, 2 * 12 * 12 * 8, kind.dtype)
            operands[each.name] = memory.moved(block, base, at)
        elif isinstance(kind, Ptr):
            base = memory.pointer(block, kind.dtype)
            operands[each.name] = memory.moved(block, base, memory.offset(block, 8, kind.dtype))
        else:
            assert isinstance(kind, Scalar)
            number = _CONFIGS.get((record.short, each.name))
            value = number(block.rng) if number else NUMBERS.get(each.name, 0)
            operands[each.name] = block.kernel.known(value, kind.dtype)
    chosen.write(block, operands)
    if record.short == "vmrgsort4" and block.stage.ordered:
        wait_for(block, "PIPE_V")
        draw.named(block, "get_vms4_sr")


def wait_for(block: Block, pipe: str) -> None:
    """Holds the scalar unit until a pipe has done what it was given."""
    event = block.rng.choice(EVENTS)
    if block.rng.random() < 0.3:
        number = block.kernel.constant(EVENTS.index(event), INDEX)
        ends = f"[#pto.pipe<{pipe}>, #pto.pipe<PIPE_S>, {number.name}]"
        block.emit(f"pto.set_flag_dyn{ends}")
        block.emit(f"pto.wait_flag_dyn{ends}")
    else:
        block.emit(f'pto.set_flag["{pipe}", "PIPE_S", "{event}"]')
        block.emit(f'pto.wait_flag["{pipe}", "PIPE_S", "{event}"]')


def _order(block: Block) -> None:
    """Barriers, and scalars of UB once they are there."""
    rng, kernel = block.rng, block.kernel
    way = rng.randrange(2)
    if way == 0:
        pipe = rng.choice(
            (*VECTOR_CORE_PIPES, "PIPE_ALL") if block.stage.ordered else VECTOR_CORE_PIPES
        )
        text = f"barrier #pto.pipe<{pipe}>" if rng.random() < 0.5 else f'pipe_barrier "{pipe}"'
        block.emit(f"pto.{text}")
    elif block.stage.ordered:
        wait_for(block, "PIPE_MTE2")
        base = memory.pointer(block, I32)
        at = draw.small_index(block, 64)
        result = kernel.fresh(Scalar(I32))
        text = f"{result.name} = pto.load_scalar {base.name}[{at.name}] : {base.type} -> i32"
        block.emit(text, (result,), (at,))
