"""Two runs side by side: which lines got faster and which slower."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher

from ptoscope.tables import Table
from ptoscope.timing.report import cycles_by_line, shortened
from ptoscope.timing.run import TimedRun


@dataclass(frozen=True)
class ComparedLine:
    """A line of two sources: its number in both, 0 where it does not exist, and its cycles over
    all blocks. `difference` is what the second takes more."""

    a_line: int
    b_line: int
    text: str
    a_cycles: int
    b_cycles: int
    difference: int


@dataclass(frozen=True)
class TimingComparison:
    """Two runs: their totals, and the lines that took cycles in either, those of the first in
    order and those of the second alone where they stand. `ratio` is the second total over the
    first; None if the first is 0. As text, a table."""

    a_cycles: int
    b_cycles: int
    lines: list[ComparedLine]

    @property
    def difference(self) -> int:
        """What the second takes more."""
        return self.b_cycles - self.a_cycles

    @property
    def ratio(self) -> float | None:
        return self.b_cycles / self.a_cycles if self.a_cycles else None

    def __str__(self) -> str:
        return str(self.table())

    def table(self) -> Table:
        """Columns and rows of text, the totals last."""
        rows = [
            _row(str(one.a_line or ""), str(one.b_line or ""), one, shortened(one.text))
            for one in self.lines
        ]
        ratio = "" if self.ratio is None else f"{self.ratio:.2f} times the cycles"
        columns = "line in A", "in B", "A", "B", "difference", "source"
        return Table(columns, [*rows, _row("total", "", self, ratio)])

    def as_json(self) -> dict[str, object]:
        """All of it as plain values."""
        return asdict(self) | {"difference": self.difference, "ratio": self.ratio}


def compare(a: TimedRun, b: TimedRun) -> TimingComparison:
    """What the lines of two runs took, matched by their text."""
    ours, theirs = cycles_by_line(a), cycles_by_line(b)
    one, two = ([line.strip() for line in run.program.text.split("\n")] for run in (a, b))
    found: list[ComparedLine] = []
    for first, second in _matched(one, two):
        took = ours.get(first, 0), theirs.get(second, 0)
        if any(took):
            text = one[first - 1] if first else two[second - 1]
            found.append(ComparedLine(first, second, text, *took, took[1] - took[0]))
    return TimingComparison(a.total_cycles, b.total_cycles, found)


def _matched(one: list[str], two: list[str]) -> Iterator[tuple[int, int]]:
    """Numbers of lines that have the same text, and those of lines of one alone with 0. What
    stands elsewhere in the other is the same line, too."""
    codes = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    left: dict[str, list[int]] = defaultdict(list)
    for kind, _, _, low, high in codes:
        if kind != "equal":
            for number in range(low, high):
                left[two[number]].append(number + 1)
    moved: dict[int, int] = {}
    for kind, low, high, _, _ in codes:
        if kind != "equal":
            for number in range(low, high):
                if one[number] and left[one[number]]:
                    moved[number + 1] = left[one[number]].pop(0)
    taken = set(moved.values())
    for kind, low, high, start, stop in codes:
        if kind == "equal":
            yield from zip(range(low + 1, high + 1), range(start + 1, stop + 1), strict=True)
        else:
            yield from ((number, moved.get(number, 0)) for number in range(low + 1, high + 1))
            yield from ((0, n) for n in range(start + 1, stop + 1) if n not in taken)


def _row(
    a_line: str, b_line: str, took: ComparedLine | TimingComparison, text: str
) -> tuple[str, ...]:
    difference = f"{took.difference:+d}" if took.difference else ""
    return a_line, b_line, str(took.a_cycles), str(took.b_cycles), difference, text
