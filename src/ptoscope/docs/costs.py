"""What a record says of its cost beside the manual's tables, in lines for people."""

from __future__ import annotations

from ptoscope.isa.cost_tables import rows, stand_in, transfer
from ptoscope.isa.record import Record
from ptoscope.isa.targets import TargetName

_TITLES: dict[TargetName, str] = {"a5": "A5", "a2a3": "A2/A3"}
"""The targets that have cycles."""


def cost_lines(record: Record) -> list[str]:
    """Figures that the manual lacks, each with its source; where there is none at all, that
    there is none and what stands in."""
    known: tuple[TargetName, ...] = tuple(t for t in record.targets if t in _TITLES)
    figures: dict[TargetName, list[str]] = {target: _figures(record, target) for target in known}
    lines = [f"{_TITLES[t]}: {line}" for t, found in figures.items() for line in found]
    manual = {"a5": record.cost.a5, "a2a3": record.cost.a2a3}
    without: tuple[TargetName, ...] = tuple(t for t in known if not figures[t] and not manual[t])
    if not without:
        return lines
    titles = " and ".join(_TITLES[target] for target in without)
    none = "no figure published" if without == known else f"no figure published for {titles}"
    return [*lines, none + (_standing_in(record, without) if record.cost_kind == "compute" else "")]


def _standing_in(record: Record, targets: tuple[TargetName, ...]) -> str:
    others: dict[TargetName, str] = {target: stand_in(record, target)[0] for target in targets}
    if len(set(others.values())) == 1:
        return f": the models take that of {others[targets[0]]}"
    named = (f"on {_TITLES[t]} that of {name}" for t, name in others.items())
    return f": the models take {', '.join(named)}"


def _figures(record: Record, target: TargetName) -> list[str]:
    if record.path is not None:
        rate, _ = transfer(record.path.name, target, manual=True)
        return [] if rate.assumed else [f"{rate.value:g} bytes a cycle ({rate.source})"]
    return _latencies(record) if target == "a5" else _repeats(record)


def _latencies(record: Record) -> list[str]:
    cost = record.cost
    if cost.latency is not None and not cost.latency.assumed:
        line = f"{cost.latency.cycles} cycles ({cost.latency.source})"
        if cost.hold is not None and cost.hold.cycles > 1:
            line += f", the load/store unit held for {cost.hold.cycles} ({cost.hold.source})"
        return [line]
    return [
        f"{name} {', '.join(f'{kind} {row.latency}' for kind, row in by_type.items())} cycles "
        "(cycle model)"
        for name, by_type in rows(record).a5.items()
    ]


def _repeats(record: Record) -> list[str]:
    return [
        f"{name} head {row.head}, per repeat {row.per_repeat}, tail {row.tail} cycles ({row.basis})"
        for name, row in rows(record).a2a3.items()
        if row.source != "assumed"
    ]
