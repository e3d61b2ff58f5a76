"""What one use of an instruction of the vector core is to the A5 models: the figures of its
record, or those that stand in."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ptoscope.isa import TABLE
from ptoscope.isa.cost import HOLD, LATENCIES, Figure
from ptoscope.isa.cost_tables import INTERVAL, LatencyRow, pair_name, pairs, rows, stand_in
from ptoscope.isa.dtypes import DType
from ptoscope.isa.dtypes import dtype as dtype_named
from ptoscope.isa.record import Record
from ptoscope.isa.types import Mask, VReg
from ptoscope.program import Function, Op
from ptoscope.timing.figures import Overrides
from ptoscope.timing.vector_queues import (
    ALU,
    BARRIER,
    COMPUTE,
    LOAD,
    MULTIPLIER,
    PERMUTE,
    PREDICATE,
    PREDICATE_UNIT,
    SFU,
    STORE,
)

LOAD_LATENCY = 9
_LOAD_TO_COMPUTE = Figure(6, "cycle model", "as every arithmetic instruction of the table")
_NONE = Figure(0, "cycle model")
_ONE = Figure(1, "cycle model")
_UNITS = {"alu": ALU, "mul": MULTIPLIER, "sfu": SFU, "permute": PERMUTE}
_MULTIPLIER_LATENCY, _SFU_LATENCY = 8, 12
"""Of instructions that are not in the calibrated table, those from here on are the multiplier's,
and the SFU's."""
_BEHIND_STORES = Figure(8, "measured", "mem_bar: from its issue to an access behind it (points)")
_BEHIND_LOADS = Figure(22, "measured", "mem_bar: from its issue to an access behind it (probes)")
_KINDS = {"load": LOAD, "store": STORE, "predicate": PREDICATE, "barrier": BARRIER}


@dataclass(frozen=True)
class OpClass:
    """One instruction with one element type. `row` names it in the tables of pairs; `registers`
    and `masks` are the results of either kind. The latency of a barrier is from its issue to an
    access behind it."""

    name: str
    dtype: str
    kind: int
    latency: Figure
    load_to_compute: Figure = _LOAD_TO_COMPUTE
    compute_to_store: Figure = _NONE
    hold: Figure = _ONE
    ports: int = 0
    unit: int = 0
    registers: int = 0
    masks: int = 0
    scalars: int = 0
    stream: bool = False
    row: str = ""
    rate: str = ""
    """The row of the intervals, where it is another one."""

    @property
    def title(self) -> str:
        return f"{self.name}.{self.dtype}" if self.dtype else self.name

    @property
    def figures(self) -> dict[str, Figure]:
        """Those that count for this kind."""
        found = {"latency": self.latency}
        if self.kind in (LOAD, STORE):
            found["hold"] = self.hold
        return found


def op_class(function: Function, op: Op, overrides: Overrides, manual: bool = False) -> OpClass:
    """The class of one use; with `manual`, the manual's latencies before the calibrated."""
    record = TABLE[op.name]
    kinds = [function.types[slot] for slot in op.results]
    registers = sum(isinstance(kind, VReg) for kind in kinds)
    masks = sum(isinstance(kind, Mask) for kind in kinds)
    scalars = int(record.cost_kind == "predicate" and masks < len(kinds))
    found = _resolved(function, op, record, manual)
    found = replace(
        found, registers=registers, masks=masks, scalars=scalars, stream=record.cost.stream
    )
    return _overridden(found, overrides)


def element_type(function: Function, op: Op) -> DType | None:
    """Of the first register it reads, else writes."""
    for slot in (*op.operands, *op.results):
        kind = function.types[slot]
        if isinstance(kind, VReg):
            return kind.dtype
    return None


def _resolved(function: Function, op: Op, record: Record, manual: bool) -> OpClass:
    dtype = element_type(function, op)
    shown = dtype.name if dtype else ""
    name, cost = record.short, record.cost
    match record.cost_kind:
        case "barrier":
            # What comes before it decides how long: stores, or loads or both.
            before, _, after = str(op.attrs.get("type", "VV_ALL")).partition("_")
            held = {"VLD": 1, "VST": 2, "ALL": 3 * (before != "VS")}.get(after, 0)
            latency = _BEHIND_STORES if before in ("VST", "ST") else _BEHIND_LOADS
            return OpClass(name, "", BARRIER, latency, ports=held)
        case "predicate":
            latency = cost.latency or _named(name, LATENCIES["predicate"])
            return OpClass(name, "", PREDICATE, latency, ports=3, unit=PREDICATE_UNIT)
        case "load" | "store" as kind:
            latency = cost.latency or _named(name, LATENCIES[kind])
            hold = cost.hold or _named(name, HOLD)
            return OpClass(name, shown, _KINDS[kind], latency, hold=hold, row=f"{name}.{shown}")
        case _:
            use = _variant(function, op, record, dtype)
            return _compute(record, *(use or (name, shown, dtype)), manual)


def _named(name: str, figure: Figure) -> Figure:
    return replace(figure, note=f"{name}: {figure.note}")


def _variant(
    function: Function, op: Op, record: Record, dtype: DType | None
) -> tuple[str, str, DType | None] | None:
    """The name and element type under which the table has this use, if not the record's own."""
    by = record.cost.rows_by
    if by == "types" and dtype is not None:
        result = function.types[op.results[0]] if op.results else None
        if isinstance(result, VReg):
            pair = pair_name(dtype, result.dtype)
            if f"{record.short}_{pair}" in rows(record).a5:
                return f"{record.short}_{pair}", pair, None
    elif by in op.attrs:
        name = f"{record.short}_{str(op.attrs[by]).lower()}"
        if name in rows(record).a5:
            return name, dtype.name if dtype else "", dtype
    return None


def _compute(record: Record, name: str, shown: str, dtype: DType | None, manual: bool) -> OpClass:
    published = record.cost.a5
    kind = _published_name(dtype)
    name_there = record.cost.rv
    said = Figure(published[kind], "manual", name=name_there) if kind in published else None
    if manual and said is not None:
        return _of_latency(record, name, shown, said)
    exact = _calibrated_row(record, name, shown, dtype)
    if exact is not None:
        element, row = exact
        note = f"the manual says {said.cycles}" if said and said.value != row.latency else ""
        latency = Figure(row.latency, "cycle model", note, name_there)
        return _of_row(record, name, shown, element, row, latency)
    if said is not None:
        return _of_latency(record, name, shown, said)
    near = _nearest(record, name, dtype)
    figure = Figure(near.latency.value, "assumed", f"{name}.{shown or '*'}: as {near.title}")
    return replace(near, name=name, dtype=shown, latency=figure)


def _published_name(dtype: DType | None) -> str:
    if dtype is None:
        return ""
    return dtype.name if dtype.is_float else f"i{dtype.bits}"


def _calibrated_row(
    record: Record, name: str, shown: str, dtype: DType | None
) -> tuple[str, LatencyRow] | None:
    mine = rows(record).a5.get(name, {})
    for key in (shown, _width_row(dtype) if record.cost.by_width else shown):
        if key in mine:
            return key, mine[key]
    return None


def _width_row(dtype: DType | None) -> str:
    return {32: "f32", 16: "f16"}.get(dtype.bits, "") if dtype else ""


def _nearest(record: Record, name: str, dtype: DType | None) -> OpClass:
    """The figures that stand in: another element type of it, else the instruction most like
    it."""
    narrow = dtype is not None and dtype.bits < 32
    mine = rows(record).a5.get(name, {})
    for kind in (*(("f16", "f32") if narrow else ("f32", "f16")), *mine):
        found = _calibrated_row(record, name, kind, dtype_named(kind))
        if found is not None:
            return _of_row(record, name, kind, *found, Figure(found[1].latency, "cycle model"))
    for kind, latency in record.cost.a5.items():
        return _of_latency(record, name, kind, Figure(latency, "manual"))
    other, meant = stand_in(record, "a5")
    if meant.cost.rows_by == "types":
        (pair,) = rows(meant).a5[other]
        return _compute(meant, other, pair, None, False)
    return _compute(meant, other, dtype.name if dtype else "f32", dtype, False)


def _of_row(
    record: Record, name: str, shown: str, element: str, row: LatencyRow, latency: Figure
) -> OpClass:
    return OpClass(
        name,
        shown,
        COMPUTE,
        latency,
        Figure(row.load_to_compute, "cycle model"),
        Figure(row.compute_to_store, "cycle model"),
        ports=row.ports,
        unit=_UNITS[row.unit],
        row=f"{name}.{element}",
        rate=_rate(record, f"{name}.{element}", shown),
    )


def _rate(record: Record, row: str, shown: str) -> str:
    """The row of the intervals, where it is that of the instruction it is like."""
    like = f"{record.cost.like}.{shown}"
    known = pairs(INTERVAL)
    return like if (row, row) not in known and (like, like) in known else ""


def _of_latency(record: Record, name: str, shown: str, latency: Figure) -> OpClass:
    """Where only a latency is known: the rest as in the calibrated table, where a store
    starts two cycles before the latency is over."""
    store = Figure(max(0, latency.cycles - 2), latency.source, "latency - 2")
    rate = f"{name}.int32" if shown == "i32" else f"{record.cost.like or name}.{shown}"
    return OpClass(
        name,
        shown,
        COMPUTE,
        latency,
        compute_to_store=store,
        ports=3,
        unit=_unit(latency.cycles),
        row=f"{name}.{shown}",
        rate=rate,
    )


def _unit(latency: int) -> int:
    if latency >= _SFU_LATENCY:
        return SFU
    return MULTIPLIER if latency >= _MULTIPLIER_LATENCY else ALU


def _overridden(found: OpClass, overrides: Overrides) -> OpClass:
    changes: dict[str, Figure] = {}
    for field in ("latency", "load_to_compute", "compute_to_store", "hold"):
        given = overrides.get(f"{found.name}.{found.dtype}.{field}", f"{found.name}.{field}")
        if given is not None:
            changes[field] = given
    if "latency" in changes:
        # The tables of pairs speak of another latency: forwarding follows the new one.
        moved = Figure(max(0, changes["latency"].cycles - 2), "given", "latency - 2")
        changes.setdefault("compute_to_store", moved)
        return replace(found, row="", **changes)
    return replace(found, **changes)
