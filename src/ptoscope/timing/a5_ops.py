"""What the A5 models know of each instruction of the vector core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import DType
from ptoscope.isa.dtypes import dtype as dtype_named
from ptoscope.isa.types import VReg
from ptoscope.program import Function, Op
from ptoscope.timing.figures import Figure, FigureSource, Overrides, table
from ptoscope.timing.vector_core import BARRIER, COMPUTE, LOAD, PREDICATE, STORE

LOAD_LATENCY = 9
_LOAD_TO_COMPUTE = Figure(6, "cycle model", "as every arithmetic instruction of the table")
_NONE = Figure(0, "cycle model")
_ONE = Figure(1, "cycle model")
_BY_WIDTH = ("vand", "vsel", "vshls", "vshrs")
"""These move bits: the row of a width serves every type of that width."""
_STREAMS = ("vldas", "vldus", "vstu", "vstus", "vstur", "vsta", "vstas", "vstar", "init_align")
_SFU_LATENCY = 12
"""Of instructions that are not in the calibrated table, those from here on are the SFU's."""
FREE = ("vbitcast", "pbitcast")
"""Another view of the same register: no instruction."""


@dataclass(frozen=True)
class OpClass:
    """One instruction with one element type. `unit` is 0 for the ALU, 1 for the SFU; `row`
    names it in the tables of pairs."""

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
    name = op.name.partition(".")[2]
    registers = sum(isinstance(function.types[slot], VReg) for slot in op.results)
    dtype = element_type(function, op)
    found = _resolved(op, name, dtype, _converted(function, op), manual)
    found = replace(found, registers=registers, stream=name in _STREAMS)
    return _overridden(found, overrides)


def element_type(function: Function, op: Op) -> DType | None:
    """Of the first register it reads, else writes."""
    for slot in (*op.operands, *op.results):
        kind = function.types[slot]
        if isinstance(kind, VReg):
            return kind.dtype
    return None


def _converted(function: Function, op: Op) -> DType | None:
    kind = function.types[op.results[0]] if op.results else None
    return kind.dtype if isinstance(kind, VReg) else None


def _resolved(
    op: Op, name: str, dtype: DType | None, result: DType | None, manual: bool
) -> OpClass:
    shown = dtype.name if dtype else ""
    if name == "mem_bar":
        return OpClass(name, "", BARRIER, _NONE)
    if name in _memory():
        row = _memory()[name]
        return OpClass(
            name,
            shown,
            LOAD if row["kind"] == "load" else STORE,
            Figure(int(row["latency"]), _source(row["latency_source"]), row["note"]),
            hold=Figure(int(row["hold"]), _source(row["hold_source"]), row["note"]),
            row=f"{name}.{shown}",
        )
    if TABLE[op.name].group == "predicates" or name in ("init_align", "sprclr"):
        return OpClass(name, "", PREDICATE, Figure(6, "assumed", f"{name}: as vcmp_eq"))
    if name in ("vcmp", "vcmps") and "EQ" in {str(v).upper() for v in op.attrs.values()}:
        name = "vcmp_eq" if name == "vcmp" else name
    if name == "vcvt" and dtype and result:
        pair = f"{_short(dtype)}_to_{_short(result)}"
        if (f"vcvt_{pair}", pair) in _calibrated():
            return _compute(f"vcvt_{pair}", pair, None, manual)
    return _compute(name, shown, dtype, manual)


def _short(dtype: DType) -> str:
    return dtype.name if dtype.is_float else f"s{dtype.bits}" if dtype.signed else dtype.name


def _source(text: str) -> FigureSource:
    return "assumed" if text == "assumed" else "cycle model"


def _compute(name: str, shown: str, dtype: DType | None, manual: bool) -> OpClass:
    record = TABLE.get(f"pto.{name}")
    published = record.cost.a5 if record else {}
    kind = _published_name(dtype)
    said = Figure(published[kind], "manual") if kind in published else None
    if manual and said is not None:
        return _of_latency(name, shown, said)
    exact = _calibrated_row(name, shown, dtype)
    if exact is not None:
        note = f"the manual says {said.cycles}" if said and said.value != exact[1] else ""
        return _of_row(name, shown, exact[0], Figure(exact[1], "cycle model", note))
    if said is not None:
        return _of_latency(name, shown, said)
    near = _nearest(name, dtype)
    figure = Figure(near.latency.value, "assumed", f"{name}.{shown or '*'}: as {near.title}")
    return replace(near, name=name, dtype=shown, latency=figure)


def _published_name(dtype: DType | None) -> str:
    if dtype is None:
        return ""
    return dtype.name if dtype.is_float else f"i{dtype.bits}"


def _calibrated_row(name: str, shown: str, dtype: DType | None) -> tuple[str, int] | None:
    for key in (shown, _width_row(dtype) if name in _BY_WIDTH else shown):
        row = _calibrated().get((name, key))
        if row is not None:
            return key, int(row["latency"])
    return None


def _width_row(dtype: DType | None) -> str:
    return {32: "f32", 16: "f16"}.get(dtype.bits, "") if dtype else ""


def _nearest(name: str, dtype: DType | None) -> OpClass:
    """The figures that stand in: another element type of it, else the instruction most like
    it."""
    narrow = dtype is not None and dtype.bits < 32
    for kind in ("f16", "f32") if narrow else ("f32", "f16"):
        row = _calibrated_row(name, kind, dtype_named(kind))
        if row is not None:
            return _of_row(name, kind, *(row[0], Figure(row[1], "cycle model")))
    record = TABLE.get(f"pto.{name}")
    for kind, latency in (record.cost.a5 if record else {}).items():
        return _of_latency(name, kind, Figure(latency, "manual"))
    other = _like().get(name)
    if other is None:
        raise LookupError(f"no figure and no stand-in for {name}")
    if "_to_" in other:
        pair = other.removeprefix("vcvt_")
        return _compute(other, pair, None, False)
    return _compute(other, dtype.name if dtype else "f32", dtype, False)


def _of_row(name: str, shown: str, kind: str, latency: Figure) -> OpClass:
    row = _calibrated()[name, kind]
    ports = sum(1 << int(p) for p in row["ports"].split("+"))
    return OpClass(
        name,
        shown,
        COMPUTE,
        latency,
        Figure(int(row["load_to_compute"]), "cycle model"),
        Figure(int(row["compute_to_store"]), "cycle model"),
        ports=ports,
        unit=int(row["unit"] == "sfu"),
        row=f"{name}.{kind}",
    )


def _of_latency(name: str, shown: str, latency: Figure) -> OpClass:
    """Where only a latency is known: the rest as in the calibrated table, where a store
    starts two cycles before the latency is over."""
    store = Figure(max(0, latency.cycles - 2), latency.source, "latency - 2")
    rate = f"{name}.int32" if shown == "i32" else f"{_like().get(name, name)}.{shown}"
    return OpClass(
        name,
        shown,
        COMPUTE,
        latency,
        compute_to_store=store,
        ports=3,
        unit=int(latency.cycles >= _SFU_LATENCY),
        row=f"{name}.{shown}",
        rate=rate,
    )


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


@cache
def _calibrated() -> dict[tuple[str, str], dict[str, str]]:
    return {(row["op"], row["dtype"]): row for row in table("a5_ops.csv")}


@cache
def _like() -> dict[str, str]:
    return {row["op"]: row["like"] for row in table("a5_like.csv")}


@cache
def _memory() -> dict[str, dict[str, str]]:
    return {row["op"]: row for row in table("a5_memory.csv")}
