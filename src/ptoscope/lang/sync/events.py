"""Event numbers for flags. There are so many of each pair of pipes, and no more.

Flags have numbers of their own while there are enough. Where there are not, those share one that
are never set at the same time; then flags that do not need several numbers have one; then some
are made one flag; and what is left becomes a barrier of all pipes. Signals between cores have a
semaphore each, or some are made one; no barrier can be in their place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ptoscope.check.analysis.nodes import Sync
from ptoscope.isa.order.rules import SET
from ptoscope.isa.parts import EVENTS, PER_CORE, PIPE_ALL, SEMAPHORES, CoreKind
from ptoscope.lang.sync.kinds import SectionKinds
from ptoscope.lang.sync.placing import CoreSignal, Flag, FlagOrBarrier, PipeBarrier, Relay
from ptoscope.program import Function, Op

FlagPipes = tuple[CoreKind | None, str, str]


class TooManySignals(Exception):
    """There are not semaphores enough for the signals between cores; `op` is where one would be
    waited for."""

    def __init__(self, op: Op) -> None:
        self.op = op
        super().__init__()


class TextWindow(NamedTuple):
    """From where to where in the text a flag may be set and not yet waited for."""

    first: int
    last: int

    def meets(self, other: TextWindow) -> bool:
        """Whether there is such a place for both."""
        return self.first <= other.last and other.first <= self.last


def numbered(
    them: Sequence[FlagOrBarrier], function: Function, syncs: Iterable[Sync], kinds: SectionKinds
) -> list[FlagOrBarrier]:
    """The same with events of their own, or fewer that order as much; `syncs` are those that the
    function has already. TooManySignals where there are too many between cores."""
    kept: list[FlagOrBarrier] = [one for one in them if isinstance(one, PipeBarrier)]
    syncs = list(syncs)
    signals = _semaphores([one for one in them if isinstance(one, CoreSignal)], syncs)
    kept += signals
    relays = {id(signal.relay): signal.relay for signal in signals if signal.relay is not None}
    pairs: dict[FlagPipes, list[Flag]] = defaultdict(list)
    for one in (*them, *relays.values()):
        if isinstance(one, Flag) and not isinstance(one, CoreSignal):
            pairs[one.core, one.src, one.dst].append(one)
    if not pairs:
        return kept
    taken = _taken(syncs, kinds)
    spans = _spans(function)
    for pair, flags in pairs.items():
        free = [number for number in range(len(EVENTS)) if number not in taken[pair]]
        # A relay is waited for where it is set: all of them can have one number.
        passing = [flag for flag in flags if isinstance(flag, Relay)]
        lasting = [flag for flag in flags if not isinstance(flag, Relay)]
        if passing and not free:
            raise TooManySignals(passing[0].then)
        last = free.pop() if passing else 0
        for relay in passing:
            relay.event = last
        kept += _number(lasting, free, spans) if lasting else []
    return kept


def _semaphores(signals: list[CoreSignal], syncs: Iterable[Sync]) -> list[CoreSignal]:
    """Signals with a semaphore each, of those that the function does not use itself."""
    made: list[CoreSignal] = []
    used = _semaphores_used(syncs)
    free = [number for number in range(PER_CORE) if number not in used]
    for core in sorted({signal.core or "" for signal in signals}):
        here: list[Flag] = [signal for signal in signals if signal.core == core]
        if len(here) > len(free):
            here = _merged(here)
        if len(here) > len(free):
            raise TooManySignals(here[len(free)].then)
        for signal, number in zip(here, free, strict=False):
            assert isinstance(signal, CoreSignal)
            signal.event = number
            made.append(signal)
    return made


def _semaphores_used(syncs: Iterable[Sync]) -> set[int]:
    used: set[int] = set()
    for sync in syncs:
        if sync.rule.between_cores:
            low, high = sync.numbers[0].bounds()
            used.update(
                number % PER_CORE for number in range(max(0, low), min(high, SEMAPHORES) + 1)
            )
    return used


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
    barriers = [PipeBarrier(PIPE_ALL, flag.then, flag.core) for flag in beyond]
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
        groups[id(flag.block), id(flag.loop), flag.distance, flag.between].append(flag)
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


def _taken(syncs: Iterable[Sync], kinds: SectionKinds) -> Mapping[FlagPipes, set[int]]:
    """The numbers that a function uses itself."""
    taken: dict[FlagPipes, set[int]] = defaultdict(set)
    for sync in syncs:
        if sync.rule.account == SET.account:
            low, high = sync.numbers[0].bounds()
            used = range(max(0, low), min(len(EVENTS) - 1, high) + 1)
            taken[kinds.of(sync.op), sync.src, sync.dst].update(used)
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
