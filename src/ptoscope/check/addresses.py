"""Addresses: inside UB, aligned, in fields that hold them, and written before they are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ptoscope.check.analysis.expr import ZERO, Expr, Symbol, affine
from ptoscope.check.analysis.nodes import (
    FieldNode,
    KnownBytes,
    LoopNode,
    Node,
    ScopeNode,
    Touch,
    children,
    flat,
)
from ptoscope.check.analysis.reach import (
    Loops,
    executed,
    greatest,
    least,
    remainder,
    settled,
)
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.isa.footprint import reach_down, reach_up
from ptoscope.isa.memories import KIB, MEMORIES


def _touches(context: Context) -> Iterator[Touch]:
    for node in executed(context.analysis.nodes):
        if isinstance(node, Touch):
            yield node


def _loops(context: Context) -> Loops:
    return Loops(context.function, context.analysis.walker)


def _ends(rows: KnownBytes) -> tuple[Expr, Expr]:
    """Where the lowest and the highest row that are surely touched begin and end."""
    variable = rows.start.variable
    found = rows.rows()
    last = [end for _, end in found]
    # With many rows only the first are listed; the outermost are corners of all loops.
    down = up = 0
    for count, stride in rows.loops:
        if count.number is not None and stride.number is not None:
            down += reach_down(count.number, stride.number)
            up += reach_up(count.number, stride.number)
    length = rows.length.number or 1
    low = min(rows.start.const + down, min(start for start, _ in found))
    high = max(rows.start.const + up + length, max(last))
    return variable + Expr(low), variable + Expr(high)


def _outside(context: Context) -> Iterator[Finding]:
    loops = _loops(context)
    for touch in _touches(context):
        memory = MEMORIES[touch.space]
        if not memory.on_core or touch.sure is None or not touch.sure.rows():
            continue
        size = context.target.bytes_of(memory.name)
        low, high = _ends(touch.sure)
        first, last = least(low), greatest(high)
        if first >= 0 and last <= size:
            continue
        where = loops.where(low, False) if first < 0 else loops.where(high, True)
        edge = f"from address {first} on" if first < 0 else f"up to address {last - 1}"
        yield Finding(
            touch.op.span,
            f"{touch.op.name}: {touch.verb} outside {memory.title}{where}",
            found=f"bytes {edge}",
            expected=f"bytes 0 to {size - 1} ({size // KIB} KiB on {context.target.name})",
            hint="check the pointer's base, the offset and the loop bounds",
        )


def _crooked(context: Context) -> Iterator[Finding]:
    loops = _loops(context)
    for touch in _touches(context):
        if touch.alignment == 1:
            continue
        for address in touch.addresses:
            start = address
            if not MEMORIES[touch.space].on_core:
                # What counts is the place in the array: arrays begin aligned.
                pointers = {s: Expr(0) for s in address.symbols if s.kind == "pointer"}
                start = address.substitute(pointers)
            found = remainder(start, touch.alignment)
            if found is not None:
                yield _misaligned(touch, start, found, loops)
                break


def _misaligned(
    touch: Touch, start: Expr, found: tuple[int, Symbol | None], loops: Loops
) -> Finding:
    rest, symbol = found
    where = loops.at({symbol: 1}) if symbol is not None else ""
    iterations = {s: Expr(int(s == symbol)) for s in start.symbols if s.kind == "iteration"}
    number = start.substitute(iterations).number
    address = "the address" if number is None else f"address {number}"
    return Finding(
        touch.op.span,
        f"{touch.op.name}: {touch.space.upper()} address is not a multiple of "
        f"{touch.alignment} bytes{where}",
        found=f"{address} (remainder {rest})",
        expected=f"a multiple of {touch.alignment}",
        hint=f"align the base and make offsets and strides multiples of {touch.alignment} bytes",
    )


def _too_wide(context: Context) -> Iterator[Finding]:
    for node in executed(context.analysis.nodes):
        if not isinstance(node, FieldNode):
            continue
        most = (1 << node.bits) - 1
        low, high = least(node.value), greatest(node.value)
        if low < 0 or high > most:
            yield Finding(
                node.op.span,
                f"{node.op.name}: the {node.name} does not fit its {node.bits}-bit field",
                found=str(low if low < 0 else high),
                expected=f"0 to {most}",
                hint="split the transfer into more rows or several copies",
            )


def _overlapping(context: Context) -> Iterator[Finding]:
    for touch in _touches(context):
        rows = touch.sure
        if not touch.writes or rows is None or not rows.loops:
            continue
        if any(c.number is None or s.number is None for c, s in rows.loops):
            continue
        found = sorted(rows.rows(4096))
        for (start, end), (following, _) in pairwise(found):
            if following < end:
                apart = f"rows of {end - start} bytes, {following - start} bytes apart"
                yield Finding(
                    touch.op.span,
                    f"{touch.op.name}: rows overlap in the destination",
                    found=apart,
                    expected=f"rows at least {end - start} bytes apart",
                    hint="a later row overwrites part of an earlier one; strides are counted in "
                    "bytes from the start of one row to the start of the next",
                )
                break


def _outside_arguments(context: Context) -> Iterator[Finding]:
    loops = _loops(context)
    for touch in _touches(context):
        if MEMORIES[touch.space].on_core or touch.sure is None or not touch.sure.rows():
            continue
        low, _ = _ends(touch.sure)
        pointers = [t for t in low.terms if t[0].kind == "pointer" and len(t) == 1]
        if not low.terms:
            yield Finding(
                touch.op.span,
                f"{touch.op.name}: the GM address belongs to no pointer argument",
                found=f"address {low.const}",
                expected="a pointer that comes from a parameter",
                hint="GM pointers come from the kernel's arguments; a number cast to one does not",
            )
        elif len(pointers) == 1:
            offset = low - Expr(0, {pointers[0]: 1})
            first = least(offset)
            slot = pointers[0][0].ident
            if first < 0 and isinstance(slot, int):
                name = context.function.names[slot]
                yield Finding(
                    touch.op.span,
                    f"{touch.op.name}: {touch.verb} before the start of %{name}"
                    f"{loops.where(offset, False)}",
                    found=f"byte {first} of %{name}",
                    expected="byte 0 or later",
                    hint="check the offset and the strides: negative ones go backwards",
                )


def _unwritten(context: Context) -> Iterator[Finding]:
    nodes = context.analysis.nodes
    touches = [node for node in flat(nodes) if isinstance(node, Touch)]
    if all(MEMORIES[touch.space].on_core for touch in touches):
        # A fragment: what does not touch GM gets its data from somewhere else.
        return
    certain = {id(touch) for touch in _touches(context)}
    writes = {id(t): (t.space, *t.may.bounds()) for t in touches if t.writes}
    loops = _loops(context)
    for read, later in _reads(nodes, [], False):
        if id(read) not in certain or read.sure is None:
            continue
        after = {id(node) for node in later if node.pipe == read.pipe}
        before = [
            (start, end)
            for i, (space, start, end) in writes.items()
            if i not in after and space == read.space
        ]
        memory, size = MEMORIES[read.space].title, context.target.bytes_of(read.space)
        for (low, high), where in (
            (read.may.bounds(), ""),
            *(
                (end.bounds(), loops.at(iterations))
                for end, iterations in _ends_of_loops(read.sure)
            ),
        ):
            if any(low < end and start < high for start, end in before):
                continue
            known = 0 <= low <= high <= size
            yield Finding(
                read.op.span,
                f"{read.op.name}: reads {memory} that nothing has written{where}",
                found=f"bytes {low} to {high - 1}"
                if known
                else f"no write to {memory} that could be it",
                expected="a copy from GM or a store to these bytes before it",
                hint=f"what {memory} holds at the start of a kernel is not defined",
            )
            break


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


def _reads(
    nodes: list[Node], following: list[Touch], again: bool
) -> Iterator[tuple[Touch, list[Touch]]]:
    """Every read of a core's own memory, and the writes that come after it in the text. Those
    of a common loop do not (`again`): they are before it in the next iteration."""
    later = list(following)
    for node in reversed(nodes):
        if isinstance(node, Touch) and MEMORIES[node.space].on_core and not node.writes:
            yield node, list(later)
        for body in children(node):
            yield from _reads(body, later, again or isinstance(node, LoopNode))
        if not again:
            later += [n for n in flat([node]) if isinstance(n, Touch) and n.writes]


def _overwritten(context: Context) -> Iterator[Finding]:
    nodes = context.analysis.nodes
    for body in _bodies(nodes):
        unread: list[Touch] = []
        for node in body:
            inside = [n for n in flat([node]) if isinstance(n, Touch) and MEMORIES[n.space].on_core]
            if any(not touch.writes for touch in inside):
                unread.clear()
            if not isinstance(node, Touch) or not inside or node.sure is None or node.scalar:
                continue
            for earlier in unread:
                same = (earlier.pipe, earlier.space, earlier.may) == (
                    node.pipe,
                    node.space,
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


def _bodies(nodes: list[Node]) -> Iterator[list[Node]]:
    yield nodes
    for node in nodes:
        for body in children(node):
            if not isinstance(node, ScopeNode):
                yield from _bodies(body)


RULES = (
    Rule("PTO0501", "accesses stay inside UB", _outside),
    Rule("PTO0502", "addresses are aligned as the access needs it", _crooked),
    Rule("PTO0503", "the numbers of a copy fit their fields", _too_wide),
    Rule("PTO0504", "the rows of a copy do not overlap where they go", _overlapping, "warning"),
    Rule("PTO0505", "GM addresses lie in a pointer argument", _outside_arguments),
    Rule("PTO0506", "UB is written before it is read", _unwritten, "warning"),
    Rule("PTO0507", "a copy is read before another one overwrites it", _overwritten, "warning"),
)
