"""What a record costs, in lines for people: every figure with its source and the name that the
documents give it; what no document gives is marked."""

from __future__ import annotations

from collections.abc import Iterable

from ptoscope.isa.copy_costs import transfer
from ptoscope.isa.cost import BULK, HOLD, LATENCIES, Figure, product
from ptoscope.isa.cost_tables import rows, stand_in
from ptoscope.isa.record import Record
from ptoscope.isa.repeats import MEASURED, constants, measured
from ptoscope.isa.targets import TargetName

_TITLES: dict[TargetName, str] = {"a5": "A5", "a2a3": "A2/A3"}
"""The targets that have cycles."""
_VECTOR_CORE = ("compute", "load", "store", "predicate")
LEGEND = "* assumed: no document gives it"


def cost_lines(record: Record) -> list[str]:
    """The figures of each target that has the instruction, and what stands in for those that
    nobody has published; the same that the models of `time` take."""
    lines = [
        f"{title}: {line}"
        for target, title in _TITLES.items()
        if target in record.targets
        for line in dict.fromkeys(_target_lines(record, target))
    ]
    if not lines:
        return ["no figure published"]
    return [*lines, LEGEND] if any("*" in line for line in lines) else lines


def _target_lines(record: Record, target: TargetName) -> list[str]:
    if record.path is not None:
        return [_transfer(record.path.name, target, manual) for manual in (True, False)]
    kind = record.cost_kind
    if kind == "bulk":
        return _bulk(record, target)
    if kind == "product":
        return [_product(target, manual) for manual in (True, False)]
    if target == "a5":
        if kind == "compute":
            return _latencies(record)
        return [_held(record)] if kind in _VECTOR_CORE else []
    if record.repeat_role == "own":
        return _repeats(record)
    return ["part of the instructions around it"] if kind in _VECTOR_CORE else []


def _transfer(path: str, target: TargetName, manual: bool) -> str:
    rate, startup, per_burst, _ = transfer(path, target, manual)
    line = f"{_number(rate)} bytes a cycle"
    line += f", {_number(startup)} cycles to start" if startup.value else ""
    line += f", {_number(per_burst)} for each burst" if per_burst.value else ""
    if rate.ends and startup.ends:
        ends = (f"{r:g} and {s:g}" for r, s in zip(rate.ends, startup.ends, strict=True))
        line += f", or {' to '.join(ends)}"
    return f"{line} ({_why([rate])})"


def _latencies(record: Record) -> list[str]:
    cost, lines = record.cost, list[str]()
    if cost.a5:
        named = ", ".join(f"{kind} {cycles}" for kind, cycles in cost.a5.items())
        lines.append(f"{named} cycles (manual, {cost.rv})")
    lines += [
        f"{name} {', '.join(f'{kind} {row.latency}' for kind, row in by_type.items())} cycles "
        "(cycle model)"
        for name, by_type in rows(record).a5.items()
    ]
    return lines or [f"no figure published: as {stand_in(record, 'a5')[0]}*"]


def _held(record: Record) -> str:
    """The latency of a load, a store or a predicate, and how long it holds its unit."""
    cost, kind = record.cost, record.cost_kind
    latency = cost.latency or LATENCIES[kind]
    line = f"{_number(latency)} cycles"
    hold = cost.hold or HOLD
    if hold.cycles > 1:
        line += f", the load/store unit held for {_number(hold)}"
    return f"{line} ({_why([latency])})"


def _repeats(record: Record) -> list[str]:
    """By the manual's formula, and measured."""
    if record.cost.a2a3:
        named = [(key.replace("_", " "), record.cost.constant(key)) for key in record.cost.a2a3]
        lines = [f"{_listed(named)} cycles (manual)"]
    else:
        lines = [f"no figure of the manual: as {_nearest(record)}*"]
    own = rows(record).a2a3
    lines += [
        f"{name} {_listed(zip(_WORDS, row.figures, strict=True))} cycles ({row.basis})"
        for name, row in own.items()
    ]
    if not own:
        lines.append(f"none measured: {_measured(record)}*")
    return lines


_WORDS = tuple(name.replace("_", " ") for name in MEASURED)


def _nearest(record: Record) -> str:
    """Whose constants the manual's model takes."""
    return constants(record, None)["startup"].note.rpartition("as ")[2]


def _measured(record: Record) -> str:
    """Whose figures the calibrated model takes."""
    return measured(record, {})[0].note


def _bulk(record: Record, target: TargetName) -> list[str]:
    figures = [BULK[target]] if target == "a5" else [BULK[target], measured(record, {})]
    return [
        f"{_listed(zip(_WORDS, found, strict=True))} cycles ({_why(found)})" for found in figures
    ]


def _product(target: TargetName, manual: bool) -> str:
    """A repeat is 16 rows of 32 bytes from each side."""
    head, each = product(target, "f16", manual)
    _, slower = product(target, "f32", manual)
    rates = f"per repeat {_number(each)}, of f32 {_number(slower)}"
    return f"head {_number(head)}, {rates} cycles ({_why([head])})"


def _listed(named: Iterable[tuple[str, Figure]]) -> str:
    return ", ".join(
        f"{word} {_number(figure)}" + (f" ({figure.name})" if figure.name else "")
        for word, figure in named
    )


def _number(figure: Figure) -> str:
    return f"{figure.value:g}{'*' if figure.assumed else ''}"


def _why(figures: Iterable[Figure]) -> str:
    """The source, and the documents' name or what the figure stands in for."""
    figure = next(iter(figures))
    said = figure.name or (figure.note if figure.assumed else "")
    return f"{figure.source}, {said}" if said else figure.source
