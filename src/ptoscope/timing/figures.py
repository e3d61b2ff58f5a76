"""Figures and where they come from."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from ptoscope.bounded_files import read_file
from ptoscope.diagnostics import UsageError
from ptoscope.isa import TABLE
from ptoscope.isa.copy_costs import CopyFigures, paths
from ptoscope.isa.cost import Figure
from ptoscope.isa.cost_tables import named
from ptoscope.isa.dtypes import dtype as dtype_named
from ptoscope.isa.sync_costs import SYNC

FIELDS = {
    "op": (
        "latency",
        "load_to_compute",
        "compute_to_store",
        "hold",
        "head",
        "per_repeat",
        "tail",
        "startup",
        "completion",
        "interval",
    ),
    "dma": CopyFigures._fields,
    "scalar": ("issue", "load"),
    "sync": tuple(SYNC["a5"]),
    "core": (
        "startup",
        "drain",
        "width",
        "queue",
        "loads",
        "registers",
        "predicates",
        "release",
        "entry",
        "loop",
        "moves",
        "two_loads",
        "pointer",
        "load_release",
        "store_release",
    ),
}
LARGEST = 4000
"""The largest figure that may be given."""


@dataclass
class Overrides:
    """Figures given by the user, by name: `vadd.f32.latency`, `vadd.latency` (all element
    types), `dma.gm_to_ub.bytes_per_cycle`, `sync.wait`, `core.startup`, `scalar.issue`."""

    values: dict[str, float] = field(default_factory=dict[str, float])

    @staticmethod
    def of(settings: Mapping[str, float] | None, calibration: str | Path | None) -> Overrides:
        """Those of a file, then those of the settings. UsageError for a name or a number that
        means nothing."""
        found = Overrides()
        if calibration is not None:
            for number, name, value in _file(Path(calibration)):
                try:
                    found.add(name, value)
                except UsageError as error:
                    raise UsageError(f"{calibration}, line {number}: {error}") from None
        for name, value in (settings or {}).items():
            found.add(name, value)
        return found

    def add(self, name: str, value: float) -> None:
        parts = name.split(".")
        kind = parts[0] if parts[0] in FIELDS else "op"
        legal = FIELDS[kind]
        if parts[-1] not in legal or not _known(kind, parts[1:-1] if kind != "op" else parts[:-1]):
            raise UsageError(
                f"there is no figure '{name}'; write OP.DTYPE.FIELD or OP.FIELD with a field of "
                f"{', '.join(FIELDS['op'])}, dma.PATH.FIELD ({', '.join(paths())}; "
                f"{', '.join(FIELDS['dma'])}), scalar.FIELD ({', '.join(FIELDS['scalar'])}), "
                f"sync.FIELD ({', '.join(FIELDS['sync'])}), or core.FIELD "
                f"({', '.join(FIELDS['core'])})"
            )
        rate, least = is_rate(name), least_of(name)
        if not least <= value <= LARGEST:
            raise UsageError(f"{name} is {value:g}; it has to be from {least:g} to {LARGEST}")
        if not rate and not is_slope(name) and value != int(value):
            raise UsageError(f"{name} is {value:g}; it has to be a whole number of cycles")
        self.values[name] = value

    def check(self, target: str, fields: Iterable[str]) -> None:
        """UsageError if a figure is given that no model of the target has."""
        known = set(fields)
        for name in self.values:
            first, last = name.split(".")[0], name.split(".")[-1]
            if (
                first not in ("dma", "scalar", "sync")
                and (first if first == "core" else last) not in known
            ):
                raise UsageError(
                    f"the models of {target} have no figure '{name}'; theirs are "
                    f"{', '.join(sorted(known))}, dma, scalar and sync"
                )

    def get(self, *names: str) -> Figure | None:
        """The first of these that is given."""
        for name in names:
            if name in self.values:
                return Figure(self.values[name], "given", name)
        return None

    def figure(self, name: str, otherwise: Figure) -> Figure:
        return self.get(name) or otherwise


def is_rate(name: str) -> bool:
    """Whether a figure is a fraction, and not a whole number of cycles."""
    return name.endswith(".bytes_per_cycle")


def is_slope(name: str) -> bool:
    """Whether a figure is the slope of a line through measured points: cycles, not whole ones."""
    return name.endswith(".per_repeat")


def is_of_copy(name: str) -> bool:
    """Whether a figure is one of the copies of a path."""
    return name.startswith("dma.")


def least_of(name: str) -> float:
    """The least value of a figure."""
    return 1 / LARGEST if is_rate(name) else float(name == "core.width")


def _known(kind: str, parts: list[str]) -> bool:
    if kind != "op":
        return parts == [] if kind != "dma" else len(parts) == 1 and parts[0] in paths()
    if not 1 <= len(parts) <= 2:
        return False
    if f"pto.{parts[0]}" not in TABLE and not named(parts[0]):
        return False
    if len(parts) == 1 or "_to_" in parts[1]:
        return True
    try:
        dtype_named(parts[1])
    except KeyError:
        return False
    return True


def _file(path: Path) -> Iterable[tuple[int, str, float]]:
    """Lines, names and values of a table like those of this package: `op`, maybe `dtype`, and
    columns named as fields; `op` may also be `core`, `scalar` or `dma.gm_to_ub`. Or of two columns,
    `figure` and `value`."""
    try:
        reader = csv.DictReader(read_file(path).decode("utf-8-sig").splitlines())
        rows = [(reader.line_num, row) for row in reader]
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
    columns = reader.fieldnames or ()
    for number, row in rows:
        if None in row:
            raise UsageError(f"{path}, line {number}: there are only {len(columns)} columns")
    if "figure" in columns and "value" in columns:
        for number, row in rows:
            yield number, row["figure"] or "", _number(path, number, "value", row["value"])
        return
    if not rows or "op" not in columns:
        wanted = "'op' among them, or 'figure' and 'value'"
        raise UsageError(f"{path}: the first line has to name columns, {wanted}")
    fields = dict.fromkeys(field for mine in FIELDS.values() for field in mine)
    if not any(column in fields for column in columns):
        raise UsageError(f"{path}: no column is a figure; these are: {', '.join(fields)}")
    for number, row in rows:
        name = ".".join(row[k] for k in ("op", "dtype") if row.get(k))
        kind = name.partition(".")[0]
        for column, text in row.items():
            if column in FIELDS.get(kind, FIELDS["op"]) and text:
                yield number, f"{name}.{column}", _number(path, number, column, text)


def _number(path: Path, line: int, column: str, text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise UsageError(f"{path}, line {line}: {column} is '{text or ''}'") from None


def parse_setting(text: str) -> tuple[str, float]:
    """`vadd.f32.latency=9` as a name and a number; UsageError if it is not that."""
    name, _, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        raise UsageError(f"'{text}': write NAME=NUMBER, such as vadd.f32.latency=7") from None


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of one of this package's tables."""
    text = resources.files("ptoscope.timing").joinpath("data", name).read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))
