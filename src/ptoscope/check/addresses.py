"""Addresses: inside their memory, aligned, in fields that hold them."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import (
    FieldNode,
    KnownBytes,
    Touch,
)
from ptoscope.check.analysis.reach import (
    Loops,
    certain_touches,
    executed,
    greatest,
    least,
    remainder,
)
from ptoscope.check.refusals import refused
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.isa.footprint import reach_down, reach_up
from ptoscope.isa.parts import KIB, MEMORIES


def _touches(context: Context) -> Iterator[Touch]:
    return certain_touches(context.analysis.nodes)


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
    said: set[tuple[int, bool]] = set()
    for touch in _touches(context):
        memory = MEMORIES[touch.space]
        key = id(touch.op), touch.writes
        if not memory.on_core or touch.sure is None or not touch.sure.rows() or key in said:
            continue
        size = context.target.bytes_of(memory.name)
        low, high = _ends(touch.sure)
        first, last = least(low), greatest(high)
        if first >= 0 and last <= size:
            continue
        said.add(key)
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
    yield from refused(context, ("PTO0903",))
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
                hint="give a number of that range; split a larger copy or product into several",
            )


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
                    hint="check the pointer's offset",
                )


RULES = (
    Rule("PTO0501", "accesses stay inside their memory", _outside),
    Rule("PTO0502", "addresses are aligned as the access needs it", _crooked),
    Rule("PTO0503", "the numbers of a copy fit their fields", _too_wide),
    Rule("PTO0505", "GM addresses lie in a pointer argument", _outside_arguments),
)
