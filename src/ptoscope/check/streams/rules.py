"""Unaligned streams: begun before they are used, threaded in order, flushed once at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.streams.bases import Bases
from ptoscope.check.streams.ends import (
    Ends,
    StreamAddress,
    among,
    at_vector_address,
    does,
    named_operands,
    step_of,
)
from ptoscope.check.streams.fixes import (
    flush_where_it_ended,
    flushed,
    primed,
    threaded,
    without,
)
from ptoscope.check.streams.uses import Uses
from ptoscope.check.types import sound
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.record import Record
from ptoscope.isa.roles import StreamKind
from ptoscope.isa.table import names
from ptoscope.isa.types import Align
from ptoscope.program import Op


def _doing(*kinds: StreamKind) -> Callable[[Record], bool]:
    return lambda record: does(record, *kinds)


def _like(op: Op, *kinds: StreamKind) -> Callable[[Record], bool]:
    """Those that do one of these to streams of the kind that an operation works on: at vector
    addresses or not."""
    own = TABLE.get(op.name)
    addressed = own is not None and at_vector_address(own)
    return lambda record: (
        does(record, *kinds) and (does(record, "begins") or at_vector_address(record) == addressed)
    )


def _aligns(context: Context, slots: tuple[int, ...]) -> list[int]:
    return [s for s in slots if isinstance(context.function.types[s], Align)]


def _has_streams(context: Context) -> bool:
    return any(isinstance(kind, Align) for kind in context.function.types)


def _unprimed(context: Context) -> Iterator[Finding]:
    for op, _ in sound(context, _doing("loads")):
        for slot in _aligns(context, op.operands):
            makers = context.values.makers(slot)
            right = {maker.name for maker in among(makers, "primes", "loads")}
            wrong = sorted({maker.name for maker in makers} - right)
            if wrong:
                primers = names(_like(op, "primes"))
                yield Finding(
                    context.operand_span(op, op.operands.index(slot)),
                    f"{op.name}: no {primers} has primed this stream",
                    found=f"an align state of {', '.join(wrong)}",
                    expected=f"one of {primers} or an earlier {op.name}",
                    hint=f"put %align = {primers} %source before the first {op.name}",
                    fix=primed(context, op, op.operands.index(slot)),
                )


def _misread(context: Context) -> Iterator[Finding]:
    if not _has_streams(context):
        return
    ends = Ends(context)
    for op, _ in sound(context, _doing("loads")):
        (align,) = _aligns(context, op.operands)
        maker = context.values.maker(align)
        if maker is None or not among([maker], "primes", "loads"):
            continue
        if any(step_of(context, each).offset for each in (maker, op)):
            # Where a vector address is, a run tells.
            continue
        primed_at = ends.address(_base(context, maker))
        base = _base(context, op)
        read = ends.address(base)
        if among([maker], "loads"):
            primed_at = primed_at[0], primed_at[1] + VREG_BYTES
            follows = read[1] == primed_at[1]
        else:
            follows = ends.in_block(read, primed_at, _base(context, maker))
        if read[0] == primed_at[0] and not follows:
            yield Finding(
                context.operand_span(op, op.operands.index(base)),
                f"{op.name} reads where its align state was not primed for",
                found=_shown(context, read),
                expected=_shown(context, primed_at),
                hint=f"prime the stream in the 32-byte block that is read first; each {op.name} "
                "goes on 256 bytes after the one before it",
            )


def _base(context: Context, op: Op) -> int:
    """The address that a use of a stream begins with."""
    return named_operands(op)[step_of(context, op).base]


def _unflushed(context: Context) -> Iterator[Finding]:
    uses = Uses(context)
    for slot, owner, times in _owed(context):
        if times != (0, 0):
            continue
        at = f"%{context.function.names[slot]}"
        what = "the stream" if among([owner], "stores") else "a stream that it carries"
        yield Finding(
            owner.span,
            f"{owner.name}: {what} is never flushed",
            found=f"{at} is not used",
            expected=f"a {names(_like(owner, 'flushes'))} of the last align state",
            hint="bytes after the last 32-byte boundary reach UB only with the flush",
            fix=flushed(context, uses, slot, owner),
        )


def _sometimes_flushed(context: Context) -> Iterator[Finding]:
    for slot, owner, times in _owed(context):
        if times == (0, 1):
            yield Finding(
                owner.span,
                f"{owner.name}: the stream is flushed on some paths only",
                found=f"{context.name(slot)} is used in one branch and not in the other",
                expected="a flush on every path",
                hint="where the other path leaves bytes behind, flush after the scf.if",
            )


def _owed(context: Context) -> Iterator[tuple[int, Op, tuple[int, int]]]:
    """States that may hold bytes, where they come from, and how often they are used."""
    if not _has_streams(context):
        return
    uses, ends = Uses(context), Ends(context)
    for slot, owner in uses.owners.items():
        if not ends.is_fresh(slot) and ends.residue(slot):
            yield slot, owner, uses.times(slot)


def _unthreaded(context: Context) -> Iterator[Finding]:
    if not _has_streams(context):
        return
    uses, ends = Uses(context), Ends(context)
    for slot in uses.owners:
        if uses.times(slot)[1] < 2:
            continue
        *earlier, last = context.values.users[slot]
        where = f"line {earlier[-1].span.line}" if earlier else "an earlier iteration of the loop"
        yield Finding(
            context.operand_span(last, last.operands.index(slot)),
            f"{last.name}: the align state is not the newest one of its stream",
            found=f"{context.name(slot)}, already used at {where}",
            expected="the align state that the use before it gave",
            hint="thread it: each store takes the state of the one before it, in a loop "
            "through iter_args",
            fix=threaded(context, ends, uses, slot, earlier, last),
        )


def _unpaired(context: Context) -> Iterator[Finding]:
    uses = Uses(context)
    for op, _ in sound(context, _doing("flushes")):
        for slot in _aligns(context, op.operands):
            makers = context.values.makers(slot)
            if not among(makers, "stores"):
                found = sorted({maker.name for maker in makers})
                yield Finding(
                    context.operand_span(op, op.operands.index(slot)),
                    f"{op.name}: there is no store to flush",
                    found=f"an align state of {', '.join(found)}",
                    expected=f"one of {names(_like(op, 'stores'))}",
                    hint="flush the state that the last store of the stream gave",
                    fix=without(context, uses, op),
                )


def _misplaced(context: Context) -> Iterator[Finding]:
    if not _has_streams(context):
        return
    ends, uses = Ends(context), Uses(context)
    for op, record in sound(context, _doing("stores", "flushes")):
        (align,) = _aligns(context, op.operands)
        end = ends.end(align)
        flush = does(record, "flushes")
        at = ends.at(op)
        if not flush and ends.repeats(op):
            yield _repeated(context, op, at, end)
            continue
        # A stream that ended a block holds nothing: the next store may be anywhere, except after
        # one without a post-update.
        empty = not flush and ends.residue(align) in (0, -1) and not ends.stays_at(align)
        if end is None or at is None or at[0] != end[0] or at[1] == end[1] or empty:
            continue
        if flush and ends.position(align) in (None, at):
            continue
        yield Finding(
            op.span,
            f"{op.name}: {'the flush' if flush else 'the store'} is not where the stream ended",
            found=_shown(context, at),
            expected=_shown(context, end),
            hint="bytes that wait for their block belong to the address after the last store",
            fix=flush_where_it_ended(context, Bases(ends), uses, op) if flush else (),
        )


def _repeated(
    context: Context, op: Op, at: StreamAddress | None, end: StreamAddress | None
) -> Finding:
    known = at is not None and end is not None
    return Finding(
        op.span,
        f"{op.name}: the store is where the last store of its stream began",
        found=_shown(context, at) if at and known else "the position that store was given",
        expected=_shown(context, end) if end and known else "the address after its last byte",
        hint="without a post-update the position does not advance: add the elements of a vector "
        "to it, or write POST_UPDATE",
    )


def _loaded(context: Context) -> Iterator[Finding]:
    for op, _ in sound(context, _doing("stores")):
        for slot in _aligns(context, op.operands):
            wrong = among(context.values.makers(slot), "primes", "loads")
            if wrong:
                yield Finding(
                    context.operand_span(op, op.operands.index(slot)),
                    f"{op.name}: the align state is that of a load stream",
                    found=f"an align state of {', '.join(sorted({o.name for o in wrong}))}",
                    expected=f"one of {names(_like(op, 'begins', 'stores'))}",
                    hint=f"a store stream begins with {names(_doing('begins'))}",
                )


def _rebased(context: Context) -> Iterator[Finding]:
    if not _has_streams(context):
        return
    ends = Ends(context)
    bases = Bases(ends)
    for op, record in sound(context, _doing("stores", "flushes")):
        named, step = named_operands(op), step_of(context, op)
        name = step.base if step.place == "state" else "dest" if "base_in" in named else ""
        if not name:
            continue
        (align,) = _aligns(context, op.operands)
        base, began = ends.address(named[name]), bases.of(align)
        wanted = [] if began is None else [began.base]
        if does(record, "flushes"):
            # It may also be where the stream ended: nothing is said where that is not known.
            also = [a for a in (ends.end(align), ends.position(align)) if a is not None]
            wanted = [*wanted, *also] if wanted and len(also) == 2 else []
        elif began is None and name == "dest" and ends.is_fresh(align):
            # A base is that of the buffer in which the stream begins.
            start = ends.start(op)
            wanted = [start] if start is not None and base[1] > start[1] else []
        elif not bases.goes_on(op):
            continue
        if not wanted or any(a[0] != base[0] or a == base for a in wanted):
            continue
        first = None if began is None else began.op
        where = "" if first is None else f", which line {first.span.line} began"
        yield Finding(
            context.operand_span(op, op.operands.index(named[name])),
            f"{op.name}: {context.name(named[name])} is not the base of its stream",
            found=_shown(context, base),
            expected=f"{_shown(context, wanted[0])}{where}",
            hint="all stores and the flush of a stream name one base",
        )


def _seeded_twice(context: Context) -> Iterator[Finding]:
    first: dict[int, Op] = {}
    for op in context.function.ops():
        record = TABLE.get(op.name)
        operands = () if record is None else record.forms[op.form].operands
        for index, (operand, slot) in enumerate(zip(operands, op.operands, strict=False)):
            if not operand.seeds:
                continue
            earlier = first.setdefault(context.values.origin(slot), op)
            if earlier is not op:
                yield Finding(
                    context.operand_span(op, index),
                    f"{op.name}: {context.name(slot)} has seeded another stream",
                    found=f"{earlier.name} in line {earlier.span.line} goes on from it, too",
                    expected="a vector address of its own for each stream",
                    hint=f"make another one: {names(lambda r: r.loops)} with the same strides",
                )


def _shown(context: Context, address: StreamAddress) -> str:
    root, offset = address
    if root is None:
        return f"address {offset}"
    return f"{context.name(root)} + {offset} bytes" if offset else context.name(root)


RULES = (
    Rule("PTO0401", "an unaligned load is primed by a vldas", _unprimed),
    Rule("PTO0402", "an unaligned store stream is flushed", _unflushed),
    Rule("PTO0403", "an align state is threaded in program order", _unthreaded),
    Rule("PTO0404", "a flush follows a store of its stream", _unpaired),
    Rule("PTO0405", "a stream goes on where it ended", _misplaced),
    Rule("PTO0406", "an unaligned load reads where it was primed", _misread),
    Rule("PTO0409", "a stream is flushed on every path", _sometimes_flushed, "warning"),
    Rule("PTO0410", "a store stream begins with init_align", _loaded),
    Rule("PTO0411", "a stream keeps its base", _rebased),
    Rule("PTO0412", "a vector address seeds one stream", _seeded_twice),
)
