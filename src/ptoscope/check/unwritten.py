"""Reads of a core's own memory that nothing has written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ptoscope.budget import reach, spend_small
from ptoscope.check.analysis.expr import ZERO, Symbol
from ptoscope.check.analysis.nodes import (
    KnownBytes,
    LoopNode,
    MemoryId,
    Node,
    Touch,
    children,
    flat,
)
from ptoscope.check.analysis.reach import Loops, certain_touches
from ptoscope.check.demanded import demanded_bytes
from ptoscope.check.rule import Context, Finding
from ptoscope.check.touched import ends_of_loops, in_iterations, touches_of_others
from ptoscope.isa.parts import COPY_PIPES, MEMORIES


@dataclass(frozen=True)
class _Undefined:
    """Bytes that a read gets and nothing has written: all of its data, or a part."""

    read: Touch
    start: int
    end: int
    where: str
    whole: bool

    def finding(self, context: Context, whole: bool) -> Finding:
        """An error where nothing that its instruction reads was written, or nothing of a memory
        that has to be loaded first."""
        memory = MEMORIES[self.read.space].title
        known = 0 <= self.start <= self.end <= context.target.bytes_of(self.read.space)
        part = "" if whole else ", in part"
        core = f" of {context.core.title}" if len(context.block) > 1 else ""
        return Finding(
            self.read.op.span,
            f"{self.read.op.name}: reads {memory} that nothing has written{part}{self.where}",
            found=f"bytes {self.start} to {self.end - 1}{core}"
            if known
            else f"no write to {memory}{core} that could be it",
            expected="a copy from GM or a store to these bytes before it",
            hint=f"what {memory} holds at the start of a kernel is not defined"
            if whole
            else "these lanes hold anything: let no result depend on them, or fill them first",
            severity="" if whole else "warning",
        )


def unwritten(context: Context) -> Iterator[Finding]:
    """Reads of what nothing can have written before them."""
    nodes = context.analysis.nodes
    # What other cores do may come before all of this.
    touches = [node for node in flat(nodes) if isinstance(node, Touch)] + touches_of_others(context)
    if _is_fragment(touches):
        return
    certain = {id(touch) for touch in certain_touches(nodes)}
    writes = _Writes(touches)
    loops = Loops(context.function, context.analysis.walker)
    by_use: dict[int, list[_Undefined | None]] = defaultdict(list)
    for read in _reads(nodes, writes, False):
        if id(read) not in certain or read.sure is None:
            continue
        before = writes.before(read)
        found = _undefined(context, read, before, loops)
        by_use[id(read.op)].append(found)
    for reads in by_use.values():
        found = [read for read in reads if read is not None]
        needed = [each for each in found if each.whole and MEMORIES[each.read.space].needed]
        whole = len(found) == len(reads) and all(read.whole for read in found)
        for each in found if whole else needed or found[-1:]:
            yield each.finding(context, whole or each in needed)


def _is_fragment(touches: list[Touch]) -> bool:
    """Returns True if nothing touches GM: the caller brings the data then, and takes it."""
    return all(MEMORIES[touch.space].on_core for touch in touches)


def _undefined(
    context: Context, read: Touch, before: list[tuple[int, int]], loops: Loops
) -> _Undefined | None:
    """Returns what a read gets that none of the writes before it may have written, in some
    iteration, and that a use can see."""
    reach(read.op)
    data, whole = read.data or read.sure, read.data or read.may
    if data is None or data.length == ZERO:
        return None
    places: list[tuple[KnownBytes, Mapping[Symbol, int], str]] = [(data, {}, "")]
    for at, iterations in ends_of_loops(data):
        if _is_missed(at, before) or _gap(at, before) is not None:
            nearest = _last_demanded(context, read, data, iterations)
            places.append((in_iterations(data, nearest), nearest, loops.at(nearest)))
    for at, iterations, where in places:
        shown = at if iterations else whole
        if _is_missed(shown, before) and demanded_bytes(context, read, at, iterations):
            return _Undefined(read, *shown.bounds(), where, True)
    if read.pipe in COPY_PIPES:
        # Copies out of more than was stored are usual: the caller knows what counts.
        return None
    for at, iterations, where in places:
        if _gap(at, before) is None:
            continue
        for run in demanded_bytes(context, read, at, iterations):
            gap = _gap(run, before)
            if gap is not None:
                return _Undefined(read, *gap, where, False)
    return None


def _is_missed(data: KnownBytes, written: list[tuple[int, int]]) -> bool:
    """Returns True if no write has a byte of it."""
    spend_small(len(written))
    low, high = data.bounds()
    return not any(low < end and start < high for start, end in written)


def _last_demanded(
    context: Context, read: Touch, data: KnownBytes, end: dict[Symbol, int]
) -> dict[Symbol, int]:
    """Returns the iteration nearest to an end of a loop in which a use can see some of what is
    read: later ones may have nothing left to do. Of several loops, the end."""

    def is_demanded(at: dict[Symbol, int]) -> bool:
        return bool(demanded_bytes(context, read, in_iterations(data, at), at))

    if len(end) != 1 or is_demanded(end):
        return end
    ((symbol, idle),) = end.items()
    busy = symbol.high if idle == 0 else 0
    if busy == idle or not is_demanded({symbol: busy}):
        return end
    while abs(busy - idle) > 1:
        middle = (busy + idle) // 2
        if is_demanded({symbol: middle}):
            busy = middle
        else:
            idle = middle
    return {symbol: busy}


def _gap(data: KnownBytes, written: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Returns the first bytes of what is read that are not written, where its place is known; what
    is written is in order."""
    for start, end in [] if data.start.terms else sorted(data.rows()):
        spend_small(len(written))
        for low, high in written:
            if low <= start < high:
                start = high
        if start < end:
            return start, min([end, *(low for low, _ in written if low > start)])
    return None


class _Writes:
    """Writes to memories, some of which come later in the text than where one is. Those of the same
    bytes count as one."""

    def __init__(self, touches: Iterable[Touch]) -> None:
        self._written = {
            id(touch): (touch.memory, *touch.may.bounds()) for touch in touches if touch.writes
        }
        self._all = Counter(self._written.values())
        self._later: dict[str, Counter[tuple[MemoryId, int, int]]] = defaultdict(Counter)
        """By pipe."""
        self._before: dict[tuple[MemoryId, str], list[tuple[int, int]]] = {}

    def pass_by(self, writes: Iterable[Touch], times: int = 1) -> None:
        """They come later from here on; with -1, no longer."""
        for write in writes:
            written, pipe = self._written[id(write)], write.pipe
            later = self._later[pipe]
            changes = self._all[written] in (later[written], later[written] + times)
            later[written] += times
            if changes:
                self._before.pop((write.memory, pipe), None)

    def before(self, read: Touch) -> list[tuple[int, int]]:
        """The bytes of the read's memory, in order, that some write has which does not come later
        in its pipe."""
        found = self._before.get((read.memory, read.pipe))
        if found is None:
            later = self._later[read.pipe]
            spend_small(len(self._all))
            found = self._before[read.memory, read.pipe] = sorted(
                (start, end)
                for (memory, start, end), times in self._all.items()
                if memory == read.memory and later[memory, start, end] < times
            )
        return found


def _reads(nodes: list[Node], writes: _Writes, again: bool) -> Iterator[Touch]:
    """Every read of a core's own memory, from the last one on, while `writes` knows which come
    after it in the text. Those of a common loop do not (`again`): they are before it in the next
    iteration."""
    passed: list[Touch] = []
    for node in reversed(nodes):
        if isinstance(node, Touch) and MEMORIES[node.space].on_core and not node.writes:
            yield node
        for body in children(node):
            yield from _reads(body, writes, again or isinstance(node, LoopNode))
        if not again:
            made = [n for n in flat([node]) if isinstance(n, Touch) and n.writes]
            writes.pass_by(made)
            passed += made
    writes.pass_by(passed, -1)
