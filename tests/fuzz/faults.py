"""Faults: one line that goes wrong in one iteration of a loop, planted into a legal stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import F32, I1, I16, I32, I64, INDEX, VREG_BYTES, DType
from ptoscope.isa.types import Align, Ptr, Scalar, VReg
from tests.fuzz import bodies, control, draw, memory
from tests.fuzz.kernel import Source, Value
from tests.fuzz.text import MARK, Block

Plant = Callable[[Block, Value], None]
"""Writes lines that go wrong where the value is true, the wrong one marked."""


@dataclass(frozen=True)
class Fault:
    """A way to go wrong: its code, where it can stand, and on which targets."""

    code: str
    places: tuple[str, ...]
    plant: Plant
    targets: tuple[str, ...] = ("a5", "a2a3", "cpu")


def plant(block: Block, fault: Fault, place: str, row: Value | None, rows: int) -> None:
    """Puts a fault into a block, in a vecscope of its own if it stands in one."""
    block.kernel.fault_code = fault.code

    def body(inner: Block, budget: int) -> None:
        fill = bodies.scope_body if inner.scope else _nothing
        fill(inner, budget // 2)
        fault.plant(inner, _bad(inner, row, rows))
        fill(inner, budget // 2)

    def looped(inner: Block, budget: int) -> None:
        maker = inner.rng.choice((control.for_loop, control.for_loop, control.while_loop))
        maker(inner, body, budget, inner.rng.randint(1, 4))

    if place == "scope":
        control.vecscope(block, looped, block.rng.randint(2, 5))
    else:
        looped(block, 0)


def _nothing(block: Block, budget: int) -> None:
    """Copies and scalar code need no company."""


def _bad(block: Block, row: Value | None, rows: int) -> Value:
    """Whether this is the iteration, and of several rows of the launch the one, to fail in."""
    kernel, iteration = block.kernel, block.iteration
    assert iteration is not None
    which = kernel.hidden(block.rng.randrange(iteration.runs), INDEX)
    bad = _equal(block, iteration.index, which)
    if row is None or kernel.chance(0.3):
        return bad
    here = _equal(block, row, kernel.hidden(block.rng.randrange(rows), I64))
    return block.operation("andi", (bad, here), Scalar(I1))


def _equal(block: Block, left: Value, right: Value) -> Value:
    result = block.kernel.fresh(Scalar(I1))
    text = f"{result.name} = arith.cmpi eq, {left.name}, {right.name} : {left.type}"
    block.emit(text, (), (left, right))
    return result


def _either(block: Block, bad: Value, wrong: Value, right: Value) -> Value:
    """The wrong value in the iteration to fail in, else the right one."""
    result = block.kernel.fresh(wrong.type)
    names = f"{bad.name}, {wrong.name}, {right.name}"
    block.emit(f"{result.name} = arith.select {names} : {wrong.type}")
    return result


def number(block: Block, bad: Value, wrong: int, right: int, element: DType) -> Value:
    """The wrong number in the iteration to fail in, else the right one."""
    kernel = block.kernel
    return _either(block, bad, kernel.hidden(wrong, element), kernel.constant(right, element))


def _only_then(block: Block, bad: Value, line: str) -> None:
    block.lines += [f"scf.if {bad.name} {{", f"  {line}{MARK}", "}"]


# Vector accesses.


def _outside(block: Block, element: DType) -> int:
    """An aligned offset in elements that leaves UB."""
    size = block.kernel.target.ub_bytes
    return block.rng.choice((size, size - VREG_BYTES + 32, -32, 1 << 40)) // element.bytes


def _element(block: Block, name: str) -> DType:
    return draw.use(block, TABLE[name]).element


def _load_outside(block: Block, bad: Value) -> None:
    element = _element(block, "pto.vlds")
    base = block.kernel.pointer(0, element)
    at = number(block, bad, _outside(block, element), 0, element=INDEX)
    _load(block, base, at)


def _load(block: Block, base: Value, at: Value) -> None:
    assert isinstance(base.type, Ptr)
    result = block.kernel.fresh(VReg(base.type.dtype))
    text = f"{result.name} = pto.vlds {base.name}[{at.name}] : {base.type} -> {result.type}"
    block.emit(text + MARK, (result,))


def _store_outside(block: Block, bad: Value) -> None:
    element = _element(block, "pto.vsts")
    value = draw.vector(block, element)
    base, right = memory.place(block, VREG_BYTES, element)
    size = block.kernel.target.ub_bytes // element.bytes
    wrong = block.kernel.hidden(block.rng.choice((size, -size, 1 << 40)), INDEX)
    at = _either(block, bad, wrong, right)
    gate = draw.all_lanes(block, min(32, max(8, element.bits)))
    text = f"pto.vsts {value.name}, {base.name}[{at.name}], {gate.name}"
    block.emit(f"{text} : {value.type}, {base.type}, {gate.type}{MARK}", (), (value,))


def _misaligned(block: Block, bad: Value) -> None:
    kernel = block.kernel
    element = block.rng.choice((F32, I16, I32))
    area = memory.source(block, element)
    address = number(block, bad, area.address + 1, area.address, I64)
    base = kernel.fresh(Ptr(element, "ub"))
    block.emit(f"{base.name} = pto.castptr {address.name} : i64 -> {base.type}")
    _load(block, base, kernel.constant(0, INDEX))


def _indices(block: Block, bad: Value, fill: str, patch: dict[int, int]) -> Value:
    """Two rows of indices: the second is patched and loaded in the iteration to fail in."""
    stage, kernel = block.stage, block.kernel
    patches = tuple((I32.lanes + lane, value) for lane, value in patch.items())
    address = kernel.reserve_source(memory.AREA)
    limit = I32.lanes
    stage.sources.append(Source(address, I32, fill, limit, patches))  # type: ignore[arg-type]
    base = kernel.pointer(address, I32)
    at = number(block, bad, I32.lanes, 0, INDEX)
    result = kernel.fresh(VReg(I32))
    block.emit(f"{result.name} = pto.vlds {base.name}[{at.name}] : {base.type} -> {result.type}")
    return result


def _gather_outside(block: Block, bad: Value) -> None:
    lane = block.rng.randrange(I32.lanes)
    wrong = block.rng.choice((1 << 20, -(1 << 20), (1 << 31) - 1))
    index = _indices(block, bad, "index", {lane: wrong})
    base = block.kernel.pointer(memory.source(block, F32).address, F32)
    gate = draw.all_lanes(block, 32)
    result = block.kernel.fresh(VReg(F32))
    block.instruct("vgather2", (base, index, gate), (result,), mark=MARK)
    block.see(result)


def _scatter_alias(block: Block, bad: Value) -> None:
    first, second = block.rng.sample(range(I32.lanes), 2)
    index = _indices(block, bad, "permutation", {first: 5, second: 5})
    value = draw.vector(block, F32)
    base, at = memory.place(block, VREG_BYTES, F32)
    operands = (value, memory.moved(block, base, at), index, draw.all_lanes(block, 32))
    block.instruct("vscatter", operands, mark=MARK)


def _amount(block: Block, bad: Value) -> None:
    element = _element(block, "pto.vshift")
    value = draw.vector(block, element)
    wrong = block.rng.choice((-1, element.lanes + 1, 30000))
    by = number(block, bad, wrong, 2, I16)
    result = block.kernel.fresh(value.type)
    block.instruct("vshift", (value, by), (result,), mark=MARK)
    block.see(result)


def _flush(block: Block, bad: Value) -> None:
    element = block.rng.choice((F32, I16, I32))
    value, kernel = draw.vector(block, element), block.kernel
    start, iteration = memory.place(block, 2 * VREG_BYTES, element)
    base = memory.moved(block, start, iteration)
    first = kernel.rng.randint(0, 5)
    begun, filled, end = (kernel.fresh(k) for k in (Align(), Align(), Scalar(INDEX)))
    block.emit(f"{begun.name} = pto.init_align : {begun.type}")
    operands = (begun, kernel.constant(first, INDEX), value, base)
    block.instruct("vstu", operands, (filled, end))
    block.see(end)
    at = number(block, bad, first, first + element.lanes, INDEX)
    text = f"pto.vsta {filled.name}, {base.name}[{at.name}] : {begun.type}, {base.type}, index"
    block.emit(text + MARK)


# Scalar code.


def _division(block: Block, bad: Value) -> None:
    element = block.rng.choice((I32, I64, INDEX, I16))
    name = block.rng.choice(("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi"))
    left, right = draw.scalar(block, element), number(block, bad, 0, 3, element)
    result = block.kernel.fresh(Scalar(element))
    text = f"{result.name} = arith.{name} {left.name}, {right.name} : {element}"
    block.emit(text + MARK, (result,), (left,))


def _loop_step(block: Block, bad: Value) -> None:
    step = number(block, bad, block.rng.choice((0, -1, -64)), 1, INDEX)
    low, high = block.kernel.constant(0, INDEX), block.kernel.known(2, INDEX)
    inner = Block(block.kernel, block.stage, block)
    inner.emit(
        f"{inner.kernel.fresh(Scalar(INDEX)).name} = arith.addi {low.name}, {low.name} : index"
    )
    counter = block.kernel.fresh(Scalar(INDEX), "i")
    bounds = f"{low.name} to {high.name} step {step.name}"
    block.nest(f"scf.for {counter.name} = {bounds} {{{MARK}", inner)


def _scalar_outside(block: Block, bad: Value) -> None:
    base = block.kernel.shared_input(I32)
    at = number(block, bad, block.rng.choice((64, -1, 1 << 20)), 3, INDEX)
    result = block.kernel.fresh(Scalar(I32))
    text = f"{result.name} = pto.load_scalar {base.name}[{at.name}] : {base.type} -> i32"
    block.emit(text + MARK, (result,))


def _read_only(block: Block, bad: Value) -> None:
    base = block.kernel.array(I32, 8, "y")
    block.kernel.change(base, writeable=False)
    value = draw.scalar(block, I32)
    at = block.kernel.constant(0, INDEX)
    text = f"pto.store_scalar {value.name}, {base.name}[{at.name}] : {base.type}, i32"
    _only_then(block, bad, text)
    block.kernel.used.add(value.name)


def _control_register(block: Block, bad: Value) -> None:
    value = number(block, bad, block.rng.choice((1, -1, 1 << 60)), 0, I64)
    block.emit(f"pto.set_ctrl {value.name} : i64{MARK}")


# Synchronisation.


def _release(block: Block, bad: Value) -> None:
    pipe = block.rng.choice(("PIPE_V", "PIPE_MTE2", "PIPE_MTE3"))
    number = block.kernel.hidden(block.kernel.apart, I32)
    # Held by the scalar unit, which is not the pipe that releases.
    mode = block.kernel.constant(1, I32)
    ids = f"{number.name}, {mode.name} : i32, i32"
    block.emit(f'pto.get_buf "PIPE_S", {ids}')
    block.emit(f'pto.rls_buf "PIPE_S", {ids}')
    _only_then(block, bad, f'pto.rls_buf "{pipe}", {ids}')


def _event_number(block: Block, bad: Value) -> None:
    event = number(block, bad, block.rng.choice((8, -1, 1 << 40)), 3, I64)
    for action, mark in (("set", MARK), ("wait", "")):
        block.emit(f'pto.{action}_flag["PIPE_MTE2", "PIPE_MTE3", {event.name}]{mark}')


def _endless_wait(block: Block, bad: Value) -> None:
    src, dst = block.rng.choice((("MTE3", "MTE2"), ("MTE2", "MTE3"), ("MTE3", "S")))
    event = block.kernel.hidden(6, I64)
    _only_then(block, bad, f'pto.wait_flag["PIPE_{src}", "PIPE_{dst}", {event.name}]')


def _other_core(block: Block, bad: Value) -> None:
    name = {"a5": "wait_intra_core", "a2a3": "wait_flag_dev"}[block.kernel.target.name]
    unit, event = (block.kernel.known(n, I64) for n in (7, 9))
    _only_then(block, bad, f"pto.{name} {unit.name}, {event.name} : i64, i64")


def _trap(block: Block, bad: Value) -> None:
    _only_then(block, bad, "pto.trap")


FAULTS: tuple[Fault, ...] = (
    Fault("PTO0901", ("scope",), _load_outside),
    Fault("PTO0901", ("scope",), _store_outside),
    Fault("PTO0903", ("scope",), _misaligned),
    Fault("PTO0901", ("scope",), _gather_outside),
    Fault("PTO0911", ("scope",), _scatter_alias, ("a2a3",)),
    Fault("PTO0910", ("scope",), _amount),
    Fault("PTO0912", ("scope",), _flush, ("a5",)),
    Fault("PTO0906", ("scope", "work"), _division),
    Fault("PTO0908", ("scope", "work"), _loop_step),
    Fault("PTO0902", ("scope", "work"), _scalar_outside),
    Fault("PTO0909", ("scope", "work"), _read_only),
    Fault("PTO0914", ("scope", "work"), _control_register),
    Fault("PTO0905", ("work",), _release),
    Fault("PTO0905", ("work",), _event_number),
    Fault("PTO0904", ("work",), _endless_wait),
    Fault("PTO0913", ("work",), _other_core, ("a5", "a2a3")),
    Fault("PTO0918", ("scope", "work"), _trap),
)
"""All but those of copies, which stand beside them."""
