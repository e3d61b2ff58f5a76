"""The changes of a record's meaning, and which of them its witness notices."""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from ptoscope.isa.record import Record
from tests.witness.all import WITNESSES
from tests.witness.changes import changed
from tests.witness.plan import Operation, Place, Plan
from tests.witness.registry import Trial

EQUIVALENTS = Path(__file__).with_name("equivalents.toml")


@dataclass(frozen=True)
class Mutant:
    """One change: of which operation of which uses, and what it is."""

    record: str
    use: str
    place: Place
    operation: str
    detail: str
    change: str

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.operation}{detail}: {self.change} [{self.use}]"


@dataclass(frozen=True)
class Equivalent:
    """Changes that cannot be seen ("operation: change"), by patterns as of file names, and why."""

    records: tuple[str, ...]
    changes: tuple[str, ...]
    reason: str
    use: str = "*"

    def covers(self, mutant: Mutant) -> bool:
        said = f"{mutant.operation}: {mutant.change}"
        return (
            any(fnmatchcase(mutant.record, pattern) for pattern in self.records)
            and any(fnmatchcase(said, pattern) for pattern in self.changes)
            and fnmatchcase(mutant.use, self.use)
        )


@cache
def equivalents() -> tuple[Equivalent, ...]:
    """The stated ones."""
    rows = tomllib.loads(EQUIVALENTS.read_text())["equivalent"]
    return tuple(
        Equivalent(tuple(r["records"]), tuple(r["changes"]), r["reason"], r.get("use", "*"))
        for r in rows
    )


@dataclass(frozen=True)
class Verdict:
    """What the witness of a record makes of the changes of its meaning."""

    record: str
    changes: int
    noticed: int
    stated: int
    unnoticed: tuple[Mutant, ...]
    mistaken: tuple[Mutant, ...]
    """Stated as equivalent, but noticed."""
    used: frozenset[int]
    """Which of the stated equivalents were met."""


def judge(record: Record) -> Verdict:
    """Changes every operation of a record's meaning in every way."""
    unnoticed: list[Mutant] = []
    mistaken: list[Mutant] = []
    used: set[int] = set()
    counts: Counter[str] = Counter()
    for family in mutants(record):
        first = family.variants[0].mutant
        counts["changes"] += 1
        stated = [i for i, e in enumerate(equivalents()) if e.covers(first)]
        if any(_noticed(record, v, family.limit) for v in family.variants):
            counts["noticed"] += 1
            if stated:
                mistaken.append(first)
        elif stated:
            used.update(stated)
            counts["stated"] += 1
        else:
            unnoticed.append(first)
    return Verdict(
        record.name,
        counts["changes"],
        counts["noticed"],
        counts["stated"],
        tuple(unnoticed),
        tuple(mistaken),
        frozenset(used),
    )


@dataclass(frozen=True)
class Variant:
    """A change in the uses that do the same operations."""

    mutant: Mutant
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class Family:
    """One change of the code of a meaning, in all uses that come there: of one operation, and
    where a loop of the meaning repeats it, of the first, the middle or the last time."""

    variants: tuple[Variant, ...]
    limit: int
    """Steps that a run may take."""


def mutants(record: Record) -> list[Family]:
    """Every change of a record's meaning."""
    groups: dict[tuple[object, ...], list[Trial]] = defaultdict(list)
    seen: dict[tuple[object, ...], dict[Place, Operation]] = {}
    steps = 0
    for trial in WITNESSES[record.name](record):
        plan = Plan()
        said = trial.run(changed(record, plan))
        assert not said, f"{record.name}, unchanged: {trial.label}: {said}"
        steps = max(steps, plan.steps)
        key = tuple((p, o.word, o.changes) for p, o in sorted(plan.seen.items()))
        groups[key].append(trial)
        seen.setdefault(key, dict(sorted(plan.seen.items())))
    families: dict[object, list[Variant]] = defaultdict(list)
    for key, trials in groups.items():
        for where, mutant in _changes(record, trials[0].label, seen[key]):
            families[where].append(Variant(mutant, tuple(trials)))
    return [Family(tuple(v), 20 * steps + 10_000) for v in families.values()]


def _changes(
    record: Record, use: str, seen: dict[Place, Operation]
) -> Iterator[tuple[object, Mutant]]:
    """The changes of a run, each with the place of the code that it is about."""
    kept = _kept(seen)
    numbers: Counter[str] = Counter()
    for place, operation in seen.items():
        numbers[operation.word] += 1
        name = f"{operation.word} {numbers[operation.word]}"
        for time in kept.get(place, ()):
            for change in operation.changes:
                where = (operation.source, operation.word, time, change)
                yield where, Mutant(record.name, use, place, name, operation.detail, change)


def _kept(seen: dict[Place, Operation]) -> dict[Place, list[str]]:
    """Of an operation that a loop of the meaning repeats, the first, the middle, the last."""
    alike: dict[object, list[Place]] = defaultdict(list)
    for place, operation in seen.items():
        alike[operation.source, operation.word].append(place)
    kept: dict[Place, list[str]] = defaultdict(list)
    for places in alike.values():
        for time, i in (("first", 0), ("middle", len(places) // 2), ("last", -1)):
            if places[i] not in kept:
                kept[places[i]].append(time)
    return kept


def _noticed(record: Record, variant: Variant, limit: int) -> bool:
    for trial in variant.trials:
        plan = Plan(variant.mutant.place, variant.mutant.change, limit)
        if trial.run(changed(record, plan)):
            return True
    return False
