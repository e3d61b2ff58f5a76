"""The measured tables: read here alone, and each row attached to the record it is about.

`a5_ops.csv` and the two tables of pairs come from the vendor's cycle model of A5, `a2a3_ops.csv`
from measurements on A2/A3, as its column `basis` says. Those of copies are read in
`isa.copy_costs`.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from ptoscope.isa.cost import STAND_IN, Figure, FigureSource
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Record
from ptoscope.isa.table import TABLE
from ptoscope.isa.targets import TargetName

FORWARDING, INTERVAL = "a5_forwarding.csv", "a5_interval.csv"


@dataclass(frozen=True)
class LatencyRow:
    """A5, an instruction with one element type; `ports` has a bit for each port it may take."""

    latency: int
    load_to_compute: int
    compute_to_store: int
    unit: str
    ports: int


@dataclass(frozen=True)
class RepeatRow:
    """A2/A3: head, if the pipe is idle, cycles per repeat, tail until all is complete."""

    head: int
    per_repeat: float
    tail: int
    basis: str

    @property
    def source(self) -> FigureSource:
        return "assumed" if self.basis == "placeholder" else "measured"

    @property
    def figures(self) -> tuple[Figure, Figure, Figure]:
        """Head, cycles per repeat and tail."""
        head, each, tail = (
            Figure(value, self.source, self.basis)
            for value in (self.head, self.per_repeat, self.tail)
        )
        return head, each, tail


@dataclass
class CostRows:
    """What the tables have of one record: by the name it has there, A5 then by element type. A row
    of A2/A3 that is of integers alone has `.int` behind its name."""

    a5: dict[str, dict[str, LatencyRow]] = field(default_factory=dict[str, dict[str, LatencyRow]])
    a2a3: dict[str, RepeatRow] = field(default_factory=dict[str, RepeatRow])


_NONE = CostRows()


def rows(record: Record) -> CostRows:
    """The rows of a record; empty for one that no table has."""
    return attached().get(record.name, _NONE)


@cache
def attached() -> dict[str, CostRows]:
    """By record, its rows; ValueError for a row that is about no record."""
    found: dict[str, CostRows] = {}
    for row in table("a5_ops.csv"):
        for record in _meant("a5_ops.csv", row["op"]):
            mine = found.setdefault(record.name, CostRows()).a5.setdefault(row["op"], {})
            ports = sum(1 << int(port) for port in row["ports"].split("+"))
            mine[row["dtype"]] = LatencyRow(
                int(row["latency"]),
                int(row["load_to_compute"]),
                int(row["compute_to_store"]),
                row["unit"],
                ports,
            )
    for row in table("a2a3_ops.csv"):
        for record in _meant("a2a3_ops.csv", row["op"]):
            mine = found.setdefault(record.name, CostRows()).a2a3
            mine[".".join(filter(None, (row["op"], row["elements"])))] = RepeatRow(
                int(row["head"]), float(row["per_repeat"]), int(row["tail"]), row["basis"]
            )
    return found


@cache
def pairs(name: str) -> Mapping[tuple[str, str], int]:
    """Cycles between two instructions, by `op.dtype` of each; ValueError as above."""
    found: dict[tuple[str, str], int] = {}
    for first, second, cycles in (row.values() for row in table(name)):
        for one in (first, second):
            _meant(name, one.partition(".")[0])
        found[first, second] = int(cycles)
    return found


def _meant(file: str, name: str) -> list[Record]:
    found = named(name)
    if not found:
        raise ValueError(f"{file}: '{name}' is no instruction")
    return found


def named(name: str) -> list[Record]:
    """The records that a name of a table, or of a figure, is about."""
    return _named().get(name, [])


@cache
def _named() -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in TABLE.values():
        for name in dict.fromkeys(_names(record)):
            found.setdefault(name, []).append(record)
    return found


def _names(record: Record) -> list[str]:
    """Those a record has in the tables, those of its variants included."""
    cost = record.cost
    bases = [record.short, *([cost.row_a2a3] if cost.row_a2a3 else [])]
    if cost.rows_by == "types":
        return bases + [f"{record.short}_{pair_name(*pair)}" for pair in record.pairs]
    values = [v for f in record.forms for a in f.attrs if a.name == cost.rows_by for v in a.values]
    return bases + [f"{base}_{value.lower()}" for base in bases for value in values]


def pair_name(source: DType, result: DType) -> str:
    """A pair of element types as the tables write it: signless integers are signed."""
    return f"{_short(source)}_to_{_short(result)}"


def _short(dtype: DType) -> str:
    return f"s{dtype.bits}" if dtype.is_int and dtype.signed else dtype.name


def stand_in(record: Record, target: TargetName) -> tuple[str, Record]:
    """What a record's figures are taken from where it has none: a name of the tables, and the
    record it is about."""
    cost = record.cost
    name = (cost.like_a2a3 if target == "a2a3" else "") or cost.like or STAND_IN
    found = named(name)
    if not found:
        raise ValueError(f"{record.name}: '{name}', which it is like, is no instruction")
    return name, found[0]


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of one of these tables."""
    text = resources.files("ptoscope.isa").joinpath("data", name).read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))
