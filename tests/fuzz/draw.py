"""One use of an instruction, drawn from its record: types, attributes, then operands that fit.

Nothing here knows an instruction by name but for the numbers that its meaning limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ptoscope.docs.line import line
from ptoscope.isa import TABLE
from ptoscope.isa.distributions import suffix_bits
from ptoscope.isa.dtypes import F64, I1, I32, I64, INDEX, DType, dtype
from ptoscope.isa.patterns import (
    AnyMask,
    Bindings,
    IntVec,
    OneOf,
    Pattern,
    PtrTo,
    ScalarIn,
    VecIn,
    VectorAddress,
)
from ptoscope.isa.record import AttrValue, Form, Operand, Record, Site
from ptoscope.isa.types import GRANULARITIES, Mask, Scalar, Type, VReg
from tests.fuzz import data
from tests.fuzz.kernel import Kernel, Value
from tests.fuzz.text import Block

TRIES = 20
Attrs = dict[str, AttrValue]
Numbers = Callable[[Block, DType], int]


class Unfit(Exception):
    """The instruction has no legal use here; another is drawn."""


class Use:
    """One use before it is written: everything decided but the values."""

    def __init__(
        self, kernel: Kernel, record: Record, form: Form, live: Sequence[DType] = ()
    ) -> None:
        self.kernel = kernel
        self.record = record
        self.form = form
        self.known = _bindings(kernel, record, form, live)
        self.attrs = _attributes(kernel, record, form, self.known)
        self.kinds = {o.name: choose(kernel, o.type, self.known) for o in form.operands}
        self.results = {r.name: choose(kernel, r.type, self.known) for r in form.results}
        self._keep_constraints()

    @property
    def element(self) -> DType:
        """The element type of the use."""
        element = self.known.get("T")
        return element if isinstance(element, DType) else I64

    def _keep_constraints(self) -> None:
        kernel, record = self.kernel, self.record
        defaults = {a.name: a.default for a in self.form.attrs if a.default is not None}
        site = Site(
            record,
            tuple(self.kinds.values()),
            tuple(self.results.values()),
            defaults | self.attrs,
            kernel.target,
            kernel.revision,
            form=record.forms.index(self.form),
        )
        if any(c.broken(site) for c in record.constraints):
            raise Unfit

    def write(self, block: Block, operands: Mapping[str, Value], mark: str = "") -> list[Value]:
        """Writes the line; its results may be used from here on."""
        results = {name: block.kernel.fresh(kind) for name, kind in self.results.items()}
        text = line(
            self.record,
            self.form,
            {name: (v.name, v.type) for name, v in operands.items()},
            {name: (v.name, v.type) for name, v in results.items()},
            self.attrs,
        )
        block.emit(text + mark, list(results.values()), list(operands.values()))
        return list(results.values())


def use(block: Block, record: Record) -> Use:
    """A legal use of an instruction, likelier with element types that are live; or Unfit."""
    kernel = block.kernel
    if kernel.target.name not in record.targets:
        raise Unfit
    live: list[DType] = []
    if kernel.chance(0.6):
        live = [v.type.dtype for v in block.visible() if isinstance(v.type, VReg)]
    for _ in range(TRIES):
        try:
            return Use(kernel, record, kernel.rng.choice(record.forms), live)
        except Unfit:
            continue
    raise Unfit


def plain(block: Block, record: Record) -> list[Value]:
    """Draws an instruction that touches no memory."""
    chosen = use(block, record)
    operands = {o.name: operand(block, chosen, o) for o in chosen.form.operands}
    return chosen.write(block, operands)


def named(block: Block, name: str) -> list[Value]:
    """Draws the plain instruction of that name."""
    return plain(block, TABLE[f"pto.{name}"])


# Types.


def _bindings(kernel: Kernel, record: Record, form: Form, live: Sequence[DType]) -> Bindings:
    rng, target = kernel.rng, kernel.target
    pointers = [o.type for o in form.operands if isinstance(o.type, PtrTo) and o.type.only]
    if record.pairs:
        legal = [p for p in record.pairs if target.has(p[0]) and target.has(p[1])]
        source, result = rng.choice([p for p in legal if p[0] in live] or legal)
        return {"T": source, "U": result}
    known: Bindings = {}
    for name, types in record.types.items():
        every = [
            t
            for t in types.legal(target, kernel.revision)
            if all(t in p.only for p in pointers if p.var == name)
        ]
        if not every:
            raise Unfit
        known[name] = rng.choice([t for t in every if t in live] or every)
    return known


def signless(element: DType) -> DType:
    """The type of a scalar beside vectors of this type."""
    return dtype(element.name.lstrip("su")) if element.is_int else element


def choose(kernel: Kernel, pattern: Pattern, known: Bindings) -> Type:
    """A type that fits a pattern."""
    rng = kernel.rng
    match pattern:
        case OneOf():
            return choose(kernel, rng.choice(pattern.choices), known)
        case VecIn():
            return VReg(rng.choice(pattern.dtypes))
        case ScalarIn():
            return Scalar(rng.choice(pattern.dtypes))
        case IntVec():
            element = known[pattern.var]
            assert isinstance(element, DType)
            sign = rng.choice(("i", "si", "ui"))
            return VReg(dtype(f"{sign}{8 * element.bytes * pattern.scale}"))
        case AnyMask() | VectorAddress():
            known.setdefault(pattern.var, rng.choice(GRANULARITIES))
        case PtrTo():
            known.setdefault("S", "ub")
        case _:
            pass
    decided = pattern.resolve(known)
    if decided is None:
        raise Unfit
    return Scalar(signless(decided.dtype)) if isinstance(decided, Scalar) else decided


def _attributes(kernel: Kernel, record: Record, form: Form, known: Bindings) -> Attrs:
    """A legal value for each attribute that means something here."""
    pair: Mapping[str, tuple[str, ...]] | None = None
    if record.pairs:
        source, result = known["T"], known["U"]
        assert isinstance(source, DType)
        assert isinstance(result, DType)
        pair = record.pairs[source, result]
    chosen: Attrs = {}
    for attr in form.attrs:
        if pair is not None and attr.name not in pair:
            continue
        if not attr.values:
            chosen[attr.name] = kernel.rng.randint(attr.low, attr.high)
            continue
        missing = record.absent.get(kernel.target.name, {}).get(attr.name, ())
        listed = attr.values if pair is None else pair[attr.name]
        if attr.needed == kernel.revision:
            missing = (*missing, attr.default)
        allowed = [v for v in listed if v not in missing and _suits(kernel, attr.name, v, known)]
        if not allowed:
            raise Unfit
        chosen[attr.name] = kernel.rng.choice(allowed)
    return chosen


def _suits(kernel: Kernel, name: str, value: str, known: Bindings) -> bool:
    element = known.get("T")
    if kernel.revision == "micro" or name not in ("dist", "stride"):
        return True
    return not isinstance(element, DType) or suffix_bits(value) in (0, 8 * element.bytes)


# Values.

_LIMITED: dict[tuple[str, str], Numbers] = {
    ("pto.vslide", "amount"): lambda b, t: b.rng.choice((0, 1, t.lanes, b.rng.randint(0, t.lanes))),
    ("pto.vshift", "amount"): lambda b, t: b.rng.choice((0, 1, t.lanes, b.rng.randint(0, t.lanes))),
    ("pto.vsunpack", "part"): lambda b, t: b.rng.randint(0, 1),
    ("pto.vzunpack", "part"): lambda b, t: b.rng.randint(0, 1),
    ("pto.vpack", "part"): lambda b, t: 0,
    ("pto.set_ctrl", "value"): lambda b, t: 0,
    ("pto.chistv2", "bin"): lambda b, t: b.rng.randint(0, 1),
    ("pto.dhistv2", "bin"): lambda b, t: b.rng.randint(0, 1),
    ("pto.sbitset0", "position"): lambda b, t: b.rng.randint(-1, 64),
    ("pto.sbitset1", "position"): lambda b, t: b.rng.randint(-1, 64),
}
"""Numbers that the meaning of an instruction limits, by instruction and operand."""

_SMALL: dict[str, Numbers] = {
    "active_lanes": lambda b, t: b.rng.choice((-1, 0, 1, t.lanes, 300, b.rng.randint(1, t.lanes))),
    "areg": lambda b, t: b.rng.randint(0, 7),
    "imm": lambda b, t: b.rng.randint(0, 3),
    "block_stride": lambda b, t: b.rng.randint(0, 8),
    "repeat_stride": lambda b, t: b.rng.randint(0, 3),
    "control": lambda b, t: b.rng.randint(0, 8) << 16 | b.rng.randint(0, 3),
}
"""Numbers that have to keep an access inside its area, or are dull when they are large."""


def operand(block: Block, chosen: Use, wanted: Operand) -> Value:
    """A value for an operand that is no pointer."""
    kind = chosen.kinds[wanted.name]
    match kind:
        case VReg():
            return vector(block, kind.dtype)
        case Mask():
            return mask(block, kind.bits)
        case Scalar():
            limit = _LIMITED.get((chosen.record.name, wanted.name)) or _SMALL.get(wanted.name)
            if limit is not None:
                made = block.kernel.constant if wanted.immediate else block.kernel.known
                return made(limit(block, chosen.element), kind.dtype)
            return scalar(block, kind.dtype)
        case _:
            raise Unfit


def vector(block: Block, element: DType) -> Value:
    """A live vector, or a new one from memory."""
    live = block.find(VReg(element))
    if live is not None and block.kernel.chance(0.75):
        return live
    # Loads draw their own operands: the two files need each other.
    from tests.fuzz import memory

    return memory.load(block, element)


def mask(block: Block, bits: int) -> Value:
    """A live mask, or a new one."""
    live = block.find(Mask(bits))
    if live is not None and block.kernel.chance(0.75):
        return live
    maker = block.rng.choice(("pset", "pge", "plt"))
    return named(block, f"{maker}_b{bits}")[0]


def all_lanes(block: Block, bits: int) -> Value:
    """The mask of every lane, made once at the start of the vecscope."""
    root = block.root
    if bits not in root.gates:
        value = root.gates[bits] = block.kernel.fresh(Mask(bits))
        root.lines.insert(0, f'{value.name} = pto.pset_b{bits} "PAT_ALL" : {value.type}')
        block.kernel.used.add(value.name)
    return root.gates[bits]


def scalar(block: Block, element: DType) -> Value:
    """A live scalar, a constant, an argument or one from memory."""
    live = block.find(Scalar(element))
    if live is not None and block.kernel.chance(0.6):
        return live
    kernel, bits = block.kernel, data.pick(element, block.rng)
    way = block.rng.choice(("constant", "argument", "memory"))
    loadable = element not in (INDEX, I1, F64)
    if way == "memory" and loadable:
        from tests.fuzz import scalars

        return scalars.load_input(block, element)
    if way == "argument" and len(kernel.parameters) < 20:
        return kernel.scalar(bits, element)
    return kernel.constant(bits, element)


def small_index(block: Block, count: int) -> Value:
    """An index from 0 to count - 1: known, the iteration of a loop, or cut from data."""
    iteration = block.iteration
    way = block.rng.randrange(3)
    if way == 0 and iteration is not None and iteration.count <= count:
        return iteration.index
    if way == 1 and count & (count - 1) == 0:
        data_bits = scalar(block, block.rng.choice((I32, I64)))
        low = block.kernel.constant(count - 1, scalar_type(data_bits))
        return block.index(block.operation("andi", (data_bits, low), data_bits.type))
    return block.kernel.known(block.rng.randrange(count), INDEX)


def scalar_type(value: Value) -> DType:
    """The type of a scalar value."""
    assert isinstance(value.type, Scalar)
    return value.type.dtype
