"""Event numbers for flags. There are so many of each pair of pipes, and no more.

Flags have numbers of their own while there are enough. Where there are not, those share one that
are never set at the same time; then flags that do not need several numbers have one; then some
are made one flag; and what is left becomes a barrier of all pipes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ptoscope.check.analysis.nodes import Sync
from ptoscope.isa.order.rules import SET
from ptoscope.isa.parts import EVENTS, PIPE_ALL
from ptoscope.lang.sync.placing import Flag, FlagOrBarrier, PipeBarrier
from ptoscope.program import Function, Op

FlagPipes = tuple[str, str]


class TextWindow(NamedTuple):
    """From where to where in the text a flag may be set and not yet waited for."""

    first: int
    last: int

    def meets(self, other: TextWindow) -> bool:
        """Whether there is such a place for both."""
        return self.first <= other.last and other.first <= self.last


def numbered(
    them: Sequence[FlagOrBarrier], function: Function, syncs: Iterable[Sync]
) -> list[FlagOrBarrier]:
    """The same with events of their own, or fewer that order as much; `syncs` are those that the
    function has already."""
    kept: list[FlagOrBarrier] = [one for one in them if isinstance(one, PipeBarrier)]
    pairs: dict[FlagPipes, list[Flag]] = defaultdict(list)
    for one in them:
        if isinstance(one, Flag):
            pairs[one.src, one.dst].append(one)
    if not pairs:
        return kept
    taken = _taken(syncs)
    spans = _spans(function)
    for pair, flags in pairs.items():
        free = [number for number in range(len(EVENTS)) if number not in taken[pair]]
        kept += _number(flags, free, spans)
    return kept


def _number(
    flags: list[Flag], free: list[int], spans: Mapping[int, TextWindow]
) -> list[FlagOrBarrier]:
    def whole(_: Flag) -> TextWindow:
        return TextWindow(0, len(spans))

    def exact(flag: Flag) -> TextWindow:
        if flag.around is not None:
            return spans[id(flag.around)]
        return TextWindow(spans[id(flag.first)].last, spans[id(flag.then)].first)

    for window, changed in ((whole, _same), (exact, _same), (exact, _plain), (exact, _merged)):
        flags = changed(flags)
        if not _given(flags, free, window):
            return list(flags)
    beyond = _given(flags, free, exact)
    barriers = [PipeBarrier(PIPE_ALL, flag.then) for flag in beyond]
    return [*(flag for flag in flags if flag not in beyond), *barriers]


def _given(flags: list[Flag], free: list[int], window: Callable[[Flag], TextWindow]) -> list[Flag]:
    """Gives numbers to flags, those that take several first; the flags that get none."""
    used: dict[int, list[TextWindow]] = defaultdict(list)
    without: list[Flag] = []
    for flag in sorted(flags, key=lambda flag: -flag.events):
        where = window(flag)
        for base in free:
            numbers = range(base, base + flag.events)
            if all(n in free and not any(where.meets(w) for w in used[n]) for n in numbers):
                flag.event = base
                for number in numbers:
                    used[number].append(where)
                break
        else:
            without.append(flag)
    return without


def _same(flags: list[Flag]) -> list[Flag]:
    return flags


def _plain(flags: list[Flag]) -> list[Flag]:
    """Within an iteration one number is enough: the n-th wait is for the n-th signal."""
    return [replace(flag, buffer=None) if flag.loop is None else flag for flag in flags]


def _merged(flags: list[Flag]) -> list[Flag]:
    """One flag for several of a block: set behind the last, waited for before the first."""
    groups: dict[tuple[object, ...], list[Flag]] = defaultdict(list)
    for flag in flags:
        groups[id(flag.block), id(flag.loop), flag.distance].append(flag)
    made: list[Flag] = []
    for group in groups.values():
        last = None
        for flag in sorted(group, key=lambda flag: (flag.set_at, flag.wait_at)):
            joined = None if last is None else _joined(last, flag)
            if joined is None:
                made.append(flag)
                last = flag
            else:
                made[-1] = last = joined
    return made


def _joined(one: Flag, two: Flag) -> Flag | None:
    """What orders as much as two; None where the wait would stand before the signal."""
    late = max((one, two), key=lambda flag: flag.set_at)
    early = min((one, two), key=lambda flag: flag.wait_at)
    if one.loop is None and late.set_at >= early.wait_at:
        return None
    return replace(late, then=early.then, wait_at=early.wait_at)


def _taken(syncs: Iterable[Sync]) -> Mapping[FlagPipes, set[int]]:
    """The numbers that a function uses itself."""
    taken: dict[FlagPipes, set[int]] = defaultdict(set)
    for sync in syncs:
        if sync.rule.account == SET.account:
            low, high = sync.numbers[0].bounds()
            used = range(max(0, low), min(len(EVENTS) - 1, high) + 1)
            taken[sync.src, sync.dst].update(used)
    return taken


def _spans(function: Function) -> Mapping[int, TextWindow]:
    """Of every operation, by its id, the numbers of the first and the last one in it."""
    spans: dict[int, TextWindow] = {}

    def enter(ops: list[Op]) -> None:
        for op in ops:
            first = len(spans)
            spans[id(op)] = TextWindow(first, first)
            for block in op.blocks:
                enter(block.ops)
            spans[id(op)] = TextWindow(first, len(spans) - 1)

    enter(function.body.ops)
    return spans
