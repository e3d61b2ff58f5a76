"""Scalar code: all of arith, scalar loads and stores, queries, pointers as numbers."""

from __future__ import annotations

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import F64, I1, I8, I64, INDEX, SCALARS, DType
from ptoscope.isa.patterns import Pattern, ScalarIn, ScalarVar
from ptoscope.isa.record import Record
from ptoscope.isa.types import Ptr, Scalar, Type
from tests.fuzz import draw, memory
from tests.fuzz.draw import Unfit
from tests.fuzz.kernel import Full, Value
from tests.fuzz.text import Block

ARITH = [r for r in TABLE.values() if r.group == "arith" and r.name != "arith.constant"]
_DIVISIONS = ("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui")
_WIDER = ("extsi", "extui", "extf")
_NARROWER = ("trunci", "truncf")
_PLAIN = tuple(d for d in SCALARS if d.is_float or d.signless)
"""Types that arith has; signed and unsigned ones come from memory alone."""


def arith(block: Block, record: Record) -> None:
    """Draws an operation of the arith dialect."""
    form = record.forms[0]
    if len(form.operands) == 1 and record.short != "negf":
        _conversion(block, record)
        return
    types = [_choices(o.type) for o in form.operands]
    element = block.rng.choice(types[-1])
    operands = [draw.scalar(block, element) for _ in form.operands]
    if record.short == "select":
        operands[0] = draw.scalar(block, I1)
    if record.short in _DIVISIONS:
        operands[1] = _not_zero(block, element)
    results = [block.kernel.fresh(Scalar(_result(r.type, element))) for r in form.results]
    listed = ", ".join(o.name for o in operands)
    if form.attrs:
        listed = f"{block.rng.choice(form.attrs[0].values)}, {listed}"
    kinds = f"{element}, i1" if record.short == "addui_extended" else str(element)
    names = ", ".join(r.name for r in results)
    block.emit(f"{names} = {record.name} {listed} : {kinds}", results, operands)


def _choices(pattern: Pattern) -> list[DType]:
    listed = pattern.dtypes if isinstance(pattern, (ScalarIn, ScalarVar)) else _PLAIN
    return [d for d in listed if d in _PLAIN]


def _result(pattern: Pattern, element: DType) -> DType:
    return pattern.dtypes[0] if isinstance(pattern, ScalarIn) else element


def _conversion(block: Block, record: Record) -> None:
    """A cast between two types that go together."""
    form, name = record.forms[0], record.short
    pairs = [
        (s, r)
        for s in _choices(form.operands[0].type)
        for r in _choices(form.results[0].type)
        if _converts(name, s, r)
    ]
    source, result = block.rng.choice(pairs)
    operand = draw.scalar(block, source)
    kinds = f"{source} to {result}"
    if not form.attrs:
        block.operation(name, (operand,), Scalar(result), kinds)
        return
    made = block.kernel.fresh(Scalar(result))
    mode = block.rng.choice(form.attrs[0].values)
    block.emit(f"{made.name} = {record.name} {operand.name} {mode} : {kinds}", (made,), (operand,))


def _converts(name: str, source: DType, result: DType) -> bool:
    if name in _WIDER:
        return source.bits < result.bits
    if name in _NARROWER:
        return source.bits > result.bits
    if name.startswith("index_cast"):
        return (source is INDEX) != (result is INDEX)
    if name == "bitcast":
        return source.bits == result.bits and INDEX not in (source, result)
    return True


def _not_zero(block: Block, element: DType) -> Value:
    """A divisor: any number with its lowest bit set, or a constant."""
    one = block.kernel.constant(1, element)
    if block.kernel.chance(0.6):
        value = draw.scalar(block, element)
        return block.operation("ori", (value, one), Scalar(element))
    return block.kernel.known(block.rng.choice((1, 2, 3, 7, -1, -2)), element)


# Memory.


def load_input(block: Block, element: DType, name: str = "load_scalar") -> Value:
    """An element of a parameter that nothing writes."""
    base = block.kernel.shared_input(element)
    at = draw.small_index(block, 64)
    kind = Scalar(element)
    result = block.kernel.fresh(kind)
    text = f"{result.name} = pto.{name} {base.name}[{at.name}] : {base.type} -> {kind}"
    block.emit(text, (result,), (at,))
    return result


def load(block: Block, record: Record) -> None:
    """Draws a scalar load, from GM or inside a vecscope from UB."""
    chosen = draw.use(block, record)
    element = chosen.element
    if not block.scope or block.kernel.chance(0.3):
        load_input(block, element)
        return
    base = memory.pointer(block, element)
    at = draw.small_index(block, 128)
    kind = Scalar(draw.signless(element) if block.kernel.chance(0.5) else element)
    result = block.kernel.fresh(kind)
    text = f"{result.name} = pto.load_scalar {base.name}[{at.name}] : {base.type} -> {kind}"
    block.emit(text, (result,), (at,))


def _past_cache(block: Block, element: DType) -> None:
    """An integer from GM, or one to where the numbers of the stage go, past the cache."""
    value = load_input(block, element, "ld_dev")
    if not block.scope:
        base, at = gm_place(block, element)
        kinds = f"{base.type}, {value.type}"
        text = f"pto.st_dev {value.name}, {base.name}[{at.name}] : {kinds}"
        block.emit(text, (), (value, at))


def as_number(block: Block, record: Record) -> None:
    """A UB pointer as the number it is, or one pointer as another."""
    element = draw.use(block, record).element
    base = memory.moved(block, memory.pointer(block, element), draw.small_index(block, 8))
    if block.kernel.chance(0.3):
        other = Ptr(
            block.rng.choice(
                TABLE["pto.addptr"].types["T"].legal(block.kernel.target, block.kernel.revision)
            ),
            "ub",
        )
        base = cast(block, base, other)
    block.see(cast(block, base, Scalar(I64)))


def cast(block: Block, value: Value, kind: Type) -> Value:
    """A pointer or number as another."""
    result = block.kernel.fresh(kind)
    block.emit(f"{result.name} = pto.castptr {value.name} : {value.type} -> {kind}", (), (value,))
    return result


def sink(block: Block, value: Value) -> None:
    """Stores a scalar: inside a vecscope to UB, outside to GM."""
    value = _storable(block, value)
    assert isinstance(value.type, Scalar)
    element = value.type.dtype
    if block.scope:
        base, at = memory.place(block, 8, element)
    else:
        base, at = gm_place(block, element)
    text = f"pto.store_scalar {value.name}, {base.name}[{at.name}] : {base.type}, {value.type}"
    block.emit(text, (), (value, at))


def _storable(block: Block, value: Value) -> Value:
    assert isinstance(value.type, Scalar)
    element = value.type.dtype
    if element is INDEX:
        return block.operation("index_cast", (value,), Scalar(I64), "index to i64")
    if element is I1:
        return block.operation("extui", (value,), Scalar(I8), "i1 to i8")
    if element is F64:
        return block.operation("bitcast", (value,), Scalar(I64), "f64 to i64")
    return value


SLOTS = 64
"""Numbers that one row of the parameter for scalars holds."""


def gm_place(block: Block, element: DType) -> tuple[Value, Value]:
    """A pointer and an offset in GM for a number of this iteration and block of the launch."""
    stage, kernel = block.stage, block.kernel
    iterations = max(1, block.iteration.count) if block.iteration else 1
    first = stage.slots
    if first + iterations > SLOTS or stage.numbers is None:
        raise Full
    stage.slots += iterations
    base = cast(block, stage.numbers, Ptr(element, "gm"))
    by = kernel.constant(8 // element.bytes, INDEX)
    start = kernel.constant(first * (8 // element.bytes), INDEX)
    if block.iteration is None:
        return base, start
    step = block.operation("muli", (block.iteration.index, by), Scalar(INDEX))
    return base, block.operation("addi", (step, start), Scalar(INDEX))


def scalar_instruction(block: Block, record: Record) -> None:
    """Draws a scalar instruction of PTO itself."""
    match record.short:
        case "castptr" | "addptr":
            as_number(block, record)
        case "load_scalar":
            load(block, record)
        case "ld_dev" | "st_dev":
            _past_cache(block, draw.use(block, record).element)
        case "store_scalar":
            element = draw.use(block, record).element
            sink(block, draw.scalar(block, draw.signless(element)))
        case "get_vms4_sr":
            # It belongs behind a merge that has ended.
            raise Unfit
        case "print":
            chosen = draw.use(block, record)
            if not block.scope and not isinstance(chosen.kinds["value"], Scalar):
                raise Unfit
            value = draw.operand(block, chosen, chosen.form.operands[0])
            chosen.write(block, {"value": value})
        case _:
            draw.plain(block, record)
