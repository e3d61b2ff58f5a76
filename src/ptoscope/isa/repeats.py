"""The figures of an instruction on A2/A3, where it repeats over UB: by the manual's formula, and
as measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ptoscope.isa.cost import Cost, Figure
from ptoscope.isa.cost_tables import rows, stand_in
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Record
from ptoscope.isa.types import AttrValue

CONSTANTS = ("startup", "completion", "per_repeat", "interval")
MEASURED = ("head", "per_repeat", "tail")


def constants(record: Record, dtype: DType | None) -> dict[str, Figure]:
    """The manual's constants of an instruction, by `CONSTANTS`; of its nearest class where it has
    none."""
    first = record.short
    while not record.cost.a2a3:
        _, record = stand_in(record, "a2a3")
    cost = record.cost
    each = f"per_repeat_{dtype}"
    completion, note = _completion(cost, dtype)
    found = {
        "startup": cost.constant("startup"),
        "completion": completion,
        "per_repeat": cost.constant(each if each in cost.a2a3 else "per_repeat"),
        "interval": cost.constant("interval"),
    }
    if note:
        found["completion"] = _assumed(completion, f"{first}.{dtype}: {note} of {record.short}")
    if record.short != first:
        found = {key: _assumed(f, f"{first}: as {record.short}") for key, f in found.items()}
    return found


def _completion(cost: Cost, dtype: DType | None) -> tuple[Figure, str]:
    """Returns the completion of the element type, and a note where it is that of another."""
    names = [f"completion_{dtype}"] if dtype else ["completion_f32", "completion_int"]
    if dtype is not None and dtype.is_int:
        names.append("completion_int")
    for name in names:
        if name in cost.a2a3:
            return cost.constant(name), ""
    near = next(key for key in cost.a2a3 if key.startswith("completion"))
    return cost.constant(near), "completion of another element type"


def _assumed(figure: Figure, note: str) -> Figure:
    return replace(figure, source="assumed", note=note, name="")


def measured(
    record: Record, attrs: Mapping[str, AttrValue], dtype: DType | None = None
) -> tuple[Figure, Figure, Figure]:
    """Head, cycles per repeat and tail of an instruction; of its nearest class where it has
    none."""
    first = record
    integers = dtype is not None and dtype.is_int
    while True:
        base = record.cost.row_a2a3 or record.short
        known = rows(record).a2a3
        names = [f"{base}_{str(attrs.get(record.cost.rows_by, '')).lower()}", base]
        for name in [f"{base}.int", *names] if integers else names:
            if name in known:
                head, each, tail = known[name].figures
                if name.endswith(".int") and dtype is not None and dtype.bits != 32:
                    head, each, tail = (_assumed(f, "as i32") for f in (head, each, tail))
                if record is not first:
                    head, each, tail = (_assumed(f, f"as {name}") for f in (head, each, tail))
                return head, each, tail
        _, record = stand_in(record, "a2a3")
