"""What a core's own memory holds: written before it is read, read after it was written, once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from ptoscope.budget import reach, spend_small
from ptoscope.check.analysis.copies import UNKNOWN
from ptoscope.check.analysis.nodes import (
    EmptyCopy,
    MemoryId,
    Node,
    ScopeNode,
    Touch,
    children,
    flat,
)
from ptoscope.check.analysis.reach import Loops, certain_touches, executed
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.touched import ends_of_loops, touches_of_others
from ptoscope.check.unwritten import unwritten
from ptoscope.isa import TABLE
from ptoscope.isa.parts import COPY_PIPES, MEMORIES


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
    for touch in certain_touches(context.analysis.nodes):
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
                severity="error" if TABLE[touch.op.name].rows_apart else "",
            )


def _read_twice(context: Context) -> Iterator[Finding]:
    for touch in certain_touches(context.analysis.nodes):
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


def _overwritten(context: Context) -> Iterator[Finding]:
    nodes = context.analysis.nodes
    shared = {touch.memory for touch in touches_of_others(context) if not touch.writes}
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
            reach(node.op)
            spend_small(len(unread))
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
    every = touches + touches_of_others(context)
    if not any(t.writes and not MEMORIES[t.space].on_core for t in every):
        # It gives nothing back yet: a fragment, or a kernel that is not finished.
        return
    # What goes to both UBs may be there for one of the vector cores.
    reads = {(t.space, *t.may.bounds()) for t in every if not t.writes}
    loops = Loops(context.function, context.analysis.walker)
    certain = {id(touch.op) for touch in certain_touches(context.analysis.nodes) if touch.writes}
    by_use: dict[tuple[int, MemoryId], list[Touch]] = defaultdict(list)
    for touch in touches:
        if touch.writes and MEMORIES[touch.space].on_core and id(touch.op) in certain:
            by_use[id(touch.op), touch.memory].append(touch)
    for writes in by_use.values():
        op, memory = writes[0].op, MEMORIES[writes[0].space]
        read = [(start, end) for space, start, end in reads if space == memory.name]
        for parts in zip(*(_parts(touch, loops) for touch in writes), strict=False):
            if all(low >= high for (low, high), _ in parts):
                # No lane of it is active.
                continue
            spend_small(len(read))
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
    for at, iterations in () if touch.sure is None else ends_of_loops(touch.sure):
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
    Rule("PTO0506", "memory of a core is written before it is read", unwritten),
    Rule("PTO0507", "a copy is read before another one overwrites it", _overwritten, "warning"),
    Rule("PTO0508", "what is written to memory of a core is read", _never_read, "warning"),
    Rule("PTO0509", "a copy copies something", _nothing, "warning"),
    Rule(
        "PTO0510", "the rows of a copy do not overlap where they come from", _read_twice, "warning"
    ),
)
