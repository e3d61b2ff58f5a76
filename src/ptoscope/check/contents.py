"""What a core's own memory holds: written before it is read, read after it was written, once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from ptoscope.check.analysis.copies import UNKNOWN
from ptoscope.check.analysis.expr import ZERO, Expr, Symbol, affine
from ptoscope.check.analysis.nodes import (
    EmptyCopy,
    KnownBytes,
    LoopNode,
    MemoryId,
    Node,
    ScopeNode,
    Touch,
    children,
    flat,
)
from ptoscope.check.analysis.reach import Loops, certain_touches, executed, settled
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.used import used_bytes
from ptoscope.isa.parts import COPY_PIPES, MEMORIES


def _touches(context: Context) -> Iterator[Touch]:
    return certain_touches(context.analysis.nodes)


def _of_others(context: Context) -> list[Touch]:
    """What the other cores of the block touch."""
    nodes = (node for other in context.others for node in flat(other.analysis.nodes))
    return [node for node in nodes if isinstance(node, Touch)]


def _is_fragment(touches: list[Touch]) -> bool:
    """Whether nothing touches GM: then somebody else brings the data and takes it."""
    return all(MEMORIES[touch.space].on_core for touch in touches)


def _overlap_of_rows(touch: Touch) -> tuple[int, int] | None:
    """The length of rows that overlap and how far they are apart, where that is known."""
    rows = touch.sure
    if rows is None or any(c.number is None or s.number is None for c, s in rows.loops):
        return None
    for (start, end), (following, _) in pairwise(sorted(rows.rows(4096))):
        if following < end:
            return end - start, following - start
    return None


def _overlapping(context: Context) -> Iterator[Finding]:
    for touch in _touches(context):
        # Rows that are added up may be one row.
        found = _overlap_of_rows(touch) if touch.writes and not touch.updates else None
        if found is not None:
            length, apart = found
            yield Finding(
                touch.op.span,
                f"{touch.op.name}: rows overlap in the destination",
                found=f"rows of {length} bytes, {apart} bytes apart",
                expected=f"rows at least {length} bytes apart",
                hint="a later row overwrites part of an earlier one; strides are counted in "
                "bytes from the start of one row to the start of the next",
            )


def _read_twice(context: Context) -> Iterator[Finding]:
    for touch in _touches(context):
        matrix = touch.tile and not MEMORIES[touch.space].on_core
        found = None if touch.writes or touch.scalar or matrix else _overlap_of_rows(touch)
        # The same row again and again is a way to repeat it; a matrix may be made of windows.
        if found is not None and found[1] and touch.pipe in COPY_PIPES:
            length, apart = found
            yield Finding(
                touch.op.span,
                f"{touch.op.name}: rows overlap in the source",
                found=f"rows of {length} bytes, {apart} bytes apart",
                expected=f"rows at least {length} bytes apart, or 0 to repeat one row",
                hint="strides are counted in bytes from the start of one row to the start of the "
                "next, not in elements and not from the end of one row",
            )


@dataclass(frozen=True)
class _Undefined:
    """Bytes that a read gets and nothing has written: all of its data, or a part."""

    read: Touch
    start: int
    end: int
    where: str
    whole: bool

    def finding(self, context: Context, whole: bool) -> Finding:
        """An error where nothing that its instruction reads was written."""
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


def _unwritten(context: Context) -> Iterator[Finding]:
    nodes = context.analysis.nodes
    # What other cores do may come before all of this.
    touches = [node for node in flat(nodes) if isinstance(node, Touch)] + _of_others(context)
    if _is_fragment(touches):
        return
    certain = {id(touch) for touch in _touches(context)}
    writes = _Writes(touch for touch in touches if touch.writes)
    loops = Loops(context.function, context.analysis.walker)
    by_use: dict[int, list[_Undefined | None]] = defaultdict(list)
    for read in _reads(nodes, writes, False):
        if id(read) not in certain or read.sure is None:
            continue
        before = writes.before(read)
        data = used_bytes(context, read, read.data or read.sure)
        found = None if data.length == ZERO else _undefined(read, data, before, loops)
        by_use[id(read.op)].append(found)
    for reads in by_use.values():
        found = [read for read in reads if read is not None]
        whole = len(found) == len(reads) and all(read.whole for read in found)
        for each in found if whole else found[-1:]:
            yield each.finding(context, whole)


def _undefined(
    read: Touch, data: KnownBytes, before: list[tuple[int, int]], loops: Loops
) -> _Undefined | None:
    """What a read gets that none of the writes before it may have written, in some iteration."""
    whole = read.data or read.may
    ends = [(at, loops.at(iterations)) for at, iterations in _ends_of_loops(data)]
    for (low, high), where in ((whole.bounds(), ""), *((at.bounds(), w) for at, w in ends)):
        if not any(low < end and start < high for start, end in before):
            return _Undefined(read, low, high, where, True)
    if read.pipe in COPY_PIPES:
        # Copies out of more than was stored are usual: the caller knows what counts.
        return None
    for at, where in ((data, ""), *ends):
        gap = None if at.start.terms else _gap(at.rows(), before)
        if gap is not None:
            return _Undefined(read, *gap, where, False)
    return None


def _gap(rows: list[tuple[int, int]], written: list[tuple[int, int]]) -> tuple[int, int] | None:
    """The first bytes of some rows that are not written."""
    for start, end in sorted(rows):
        for low, high in sorted(written):
            if low <= start < high:
                start = high
        if start < end:
            return start, min([end, *(low for low, _ in written if low > start)])
    return None


def _ends_of_loops(rows: KnownBytes) -> Iterator[tuple[KnownBytes, dict[Symbol, int]]]:
    """The bytes in the iterations in which they lie lowest and highest, where those are known."""
    start = settled(rows.start)
    if not affine(start):
        return
    iterations = [
        (t[0], c) for t, c in start.terms.items() if len(t) == 1 and t[0].kind == "iteration"
    ]
    if not iterations or len(iterations) < len(start.terms):
        return
    first = {s: ZERO for s in rows.start.symbols if s.kind == "iteration"}
    for highest in (True, False):
        at = {s: s.high if (c > 0) == highest else 0 for s, c in iterations}
        yield rows.instance({**first, **{s: Expr(n) for s, n in at.items()}}), at


class _Writes:
    """Writes to memories, some of which come later in the text than where one is. Those of the same
    bytes count as one."""

    def __init__(self, writes: Iterable[Touch]) -> None:
        self._all: Counter[_Written] = Counter(map(_written, writes))
        self._later: dict[str, Counter[_Written]] = defaultdict(Counter)
        """By pipe."""
        self._before: dict[tuple[MemoryId, str], list[tuple[int, int]]] = {}

    def pass_by(self, writes: Iterable[Touch], times: int = 1) -> None:
        """They come later from here on; with -1, no longer."""
        for write in writes:
            written, pipe = _written(write), write.pipe
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
            found = self._before[read.memory, read.pipe] = sorted(
                (start, end)
                for (memory, start, end), times in self._all.items()
                if memory == read.memory and later[memory, start, end] < times
            )
        return found


_Written = tuple[MemoryId, int, int]


def _written(write: Touch) -> _Written:
    return write.memory, *write.may.bounds()


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


def _overwritten(context: Context) -> Iterator[Finding]:
    nodes = context.analysis.nodes
    shared = {touch.memory for touch in _of_others(context) if not touch.writes}
    for body in _bodies(nodes):
        unread: list[Touch] = []
        for node in body:
            inside = [n for n in flat([node]) if isinstance(n, Touch) and MEMORIES[n.space].on_core]
            if isinstance(node, Touch) and node.memory in shared:
                # Another core may read it meanwhile.
                continue
            if any(not touch.writes for touch in inside):
                unread.clear()
            if not isinstance(node, Touch) or not inside or node.sure is None or node.scalar:
                continue
            if not node.writes or node.may.length == UNKNOWN:
                continue
            for earlier in unread:
                same = (earlier.pipe, earlier.memory, earlier.may) == (
                    node.pipe,
                    node.memory,
                    node.may,
                )
                if same:
                    line, memory = earlier.op.span.line, MEMORIES[node.space].title
                    yield Finding(
                        node.op.span,
                        f"{node.op.name}: overwrites all that the copy of line {line} wrote, "
                        "before anything reads it",
                        found=f"the same bytes of {memory} as destination of both",
                        expected="a place of its own for each",
                        hint=f"check the addresses of the {memory} pointers",
                    )
                    break
            unread.append(node)


def _never_read(context: Context) -> Iterator[Finding]:
    touches = [node for node in flat(context.analysis.nodes) if isinstance(node, Touch)]
    every = touches + _of_others(context)
    if not any(t.writes and not MEMORIES[t.space].on_core for t in every):
        # It gives nothing back yet: a fragment, or a kernel that is not finished.
        return
    # What goes to both UBs may be there for one of the vector cores.
    reads = {(t.space, *t.may.bounds()) for t in every if not t.writes}
    loops = Loops(context.function, context.analysis.walker)
    certain = {id(touch.op) for touch in _touches(context) if touch.writes}
    by_use: dict[tuple[int, MemoryId], list[Touch]] = defaultdict(list)
    for touch in touches:
        if touch.writes and MEMORIES[touch.space].on_core and id(touch.op) in certain:
            by_use[id(touch.op), touch.memory].append(touch)
    for writes in by_use.values():
        op, memory = writes[0].op, MEMORIES[writes[0].space]
        read = [(start, end) for space, start, end in reads if space == memory.name]
        for parts in zip(*(_parts(touch, loops) for touch in writes), strict=False):
            if any(low < end and start < high for (low, high), _ in parts for start, end in read):
                continue
            (low, high), where = parts[0]
            known = 0 <= low <= high <= context.target.bytes_of(memory.name)
            yield Finding(
                op.span,
                f"{op.name}: nothing reads what it writes to {memory.title}{where}",
                found=f"bytes {low} to {high - 1}" if known else f"no read of {memory.title} there",
                expected=f"a load or a copy of these bytes of {memory.title}",
                hint="check the address here and where the data is read or copied out",
            )
            break


def _parts(touch: Touch, loops: Loops) -> Iterator[tuple[tuple[int, int], str]]:
    """What a write may write in all, and in the iterations in which that lies lowest and
    highest, which are named."""
    yield touch.may.bounds(), ""
    for at, iterations in () if touch.sure is None else _ends_of_loops(touch.sure):
        yield at.bounds(), loops.at(iterations)


def _nothing(context: Context) -> Iterator[Finding]:
    for node in executed(context.analysis.nodes):
        if isinstance(node, EmptyCopy):
            yield Finding(
                node.op.span,
                f"{node.op.name}: copies nothing",
                found="a length or a number of rows that is always 0",
                expected="at least one row of at least one byte",
                hint="check the order of the numbers: length, then nburst(rows, strides)",
            )


def _bodies(nodes: list[Node]) -> Iterator[list[Node]]:
    yield nodes
    for node in nodes:
        for body in children(node):
            if not isinstance(node, ScopeNode):
                yield from _bodies(body)


RULES = (
    Rule("PTO0504", "the rows of a copy do not overlap where they go", _overlapping, "warning"),
    Rule("PTO0506", "memory of a core is written before it is read", _unwritten),
    Rule("PTO0507", "a copy is read before another one overwrites it", _overwritten, "warning"),
    Rule("PTO0508", "what is written to memory of a core is read", _never_read, "warning"),
    Rule("PTO0509", "a copy copies something", _nothing, "warning"),
    Rule(
        "PTO0510", "the rows of a copy do not overlap where they come from", _read_twice, "warning"
    ),
)
