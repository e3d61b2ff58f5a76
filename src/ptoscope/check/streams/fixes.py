"""Edits that repair streams."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.rule import Context
from ptoscope.check.streams.bases import Bases
from ptoscope.check.streams.ends import Ends, among, does, named_operands, step_of
from ptoscope.check.streams.uses import Uses
from ptoscope.check.text import Fix
from ptoscope.diagnostics import Edit
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from ptoscope.isa.roles import StreamStep
from ptoscope.isa.types import Align, Type
from ptoscope.program import Loop, Op


def primed(context: Context, op: Op, index: int) -> Fix:
    """Primes the stream of a load right before it; one that a loop carries where it begins."""
    if step_of(context, op).offset:
        return ()
    maker = context.values.made(op.operands[index])
    source = named_operands(op)[step_of(context, op).base]
    if maker is None:
        return _primed_first(context, op.operands[index], source)
    if maker.blocks or index >= len(op.operand_spans):
        return ()
    name = context.new_name("align")
    before = context.text.insert_before(op, f"{name} = {_priming(context, source)}")
    return (*before, Edit(op.operand_spans[index], name)) if before else ()


def _primed_first(context: Context, carried: int, source: int) -> Fix:
    """Writes the priming of a stream for what begins it, if nothing else goes on from there."""
    values, positions = context.values, context.positions
    begins = [m for m in values.makers(carried) if not among([m], "primes", "loads")]
    if len(begins) != 1 or begins[0].blocks or len(values.users[begins[0].results[0]]) != 1:
        return ()
    first = [
        slot
        for slot in (values.joined(source) or (source,))
        if positions.sees(begins[0], False, (slot,))
    ]
    start, end = context.text.statement(begins[0])
    if len(first) != 1 or "\n" in context.text.text[start:end]:
        return ()
    return (Edit(context.text.span(start, end), _priming(context, first[0])),)


def _priming(context: Context, source: int) -> str:
    primer = next(record for record in TABLE.values() if does(record, "primes"))
    return f"{_written(context, primer, source)} -> {Align()}"


def flushed(context: Context, uses: Uses, slot: int, owner: Op) -> Fix:
    """Flushes a state behind the operation that gives it. Where something else goes on with an
    older state of the stream, that is what is wrong."""
    stores = among(context.values.makers(slot), "stores")
    if len(stores) != 1 or slot not in owner.results:
        return ()
    store = stores[0]
    if _is_forked(context, uses, store):
        return ()
    flush = _flush_at(context, "state")
    if flush is not None:
        began = _base_of(context, Bases(Ends(context)), slot, owner, True)
        written = None if began is None else _written(context, flush, slot, began)
        return () if written is None else context.text.insert_after(owner, written)
    step, named = step_of(context, store), named_operands(store)
    base = named[step.base]
    if owner is not store and not context.positions.sees(owner, True, (base,)):
        return ()
    flush = _flush_at(context, "registers") if step.place == "registers" else None
    if flush is not None:
        return context.text.insert_after(owner, _written(context, flush, slot, base))
    if not step.length or len(store.results) != 1 or owner is not store:
        return ()
    # Stored at the base were so many elements: the stream ended there.
    count = named[step.length]
    flush = _flush_after(context, context.function.types[count])
    if flush is None:
        return ()
    return context.text.insert_after(owner, _written(context, flush, slot, base, count))


def _is_forked(context: Context, uses: Uses, op: Op) -> bool:
    """Whether a state that led to a store or a flush is taken more than once."""
    seen: set[int] = set()
    todo = [op]
    while todo:
        for slot in todo.pop().operands:
            if slot in uses.owners and slot not in seen:
                seen.add(slot)
                if uses.times(slot)[1] > 1:
                    return True
                todo += among(context.values.makers(slot), "stores")
    return False


def _flush_at(context: Context, place: str) -> Record | None:
    """The instruction that flushes a stream where its state, or a register, says it ended."""
    return next((r for r, step in _flushes(context) if step.place == place), None)


def _flush_after(context: Context, count: Type) -> Record | None:
    """The one that takes a number of elements after an address, of this type."""
    for record, step in _flushes(context):
        if step.offset and not step.in_bytes:
            (offset,) = (o for o in record.forms[0].operands if o.name == step.offset)
            if offset.type.match(count, {}):
                return record
    return None


def _flushes(context: Context) -> Iterator[tuple[Record, StreamStep]]:
    for record in TABLE.values():
        if record.stream is not None and record.stream.kind == "flushes":
            yield record, record.stream.step(0, context.revision)


def _written(context: Context, record: Record, *slots: int) -> str:
    """A use with these operands, its results left out."""
    operands = ", ".join(context.name(slot) for slot in slots)
    types = ", ".join(str(kind) for kind in context.types(slots))
    return f"{record.name} {operands} : {types}"


def _base_of(context: Context, bases: Bases, state: int, op: Op, after: bool) -> int | None:
    """The pointer that a stream has for its base, if it is known and can be used before or behind
    an operation."""
    began = bases.of(state)
    if began is None or began.op is None:
        return None
    first = named_operands(began.op)
    base = first.get("dest", first[step_of(context, began.op).base])
    return base if context.positions.sees(op, after, (base,)) else None


def threaded(
    context: Context, ends: Ends, uses: Uses, slot: int, earlier: list[Op], last: Op
) -> Fix:
    """Deletes a second flush; gives what goes on where a stream ended its newest state."""
    index = last.operands.index(slot)
    if not earlier or index >= len(last.operand_spans):
        return ()
    before = earlier[-1]
    newest: int | None = None
    if isinstance(before, Loop):
        newest = _carried(context, before, slot, last)
    elif uses.homes[id(before)] is uses.homes[id(last)]:
        if len(among([before, last], "flushes")) == 2:
            return context.text.rewrite(last, "")
        newest = _newest(context, uses, before, last)
    if newest is None:
        return ()
    addressed = among([last], "stores", "flushes") and step_of(context, last).place == "operands"
    # What says itself where it works has to be where the stream ended.
    if addressed and not isinstance(before, Loop) and ends.at(last) != ends.end(newest):
        return ()
    return (Edit(last.operand_spans[index], context.name(newest)),)


def _carried(context: Context, loop: Loop, slot: int, last: Op) -> int | None:
    """What a loop that begins with a state carries of it, and nothing in the loop has taken."""
    if not context.positions.sees(last, False, loop.carried):
        return None
    unused = [
        arg
        for init, arg in zip(loop.inits, loop.carried, strict=True)
        if init == slot and arg not in context.values.users
    ]
    return unused[0] if len(unused) == 1 else None


def _newest(context: Context, uses: Uses, before: Op, last: Op) -> int | None:
    """The state that nothing has taken yet, from a store or a load on; all of it before another
    use of the kind, or before the end of the block."""
    kind = "loads" if among([before], "loads") else "stores"
    ends_block = uses.homes[id(last)].end is last
    fits = ends_block or among([last], kind, *(("flushes",) if kind == "stores" else ()))
    while fits and among([before], kind) and uses.homes[id(before)] is uses.homes[id(last)]:
        state = next(s for s in before.results if isinstance(context.function.types[s], Align))
        if uses.times(state) == (0, 0):
            return state
        after = context.values.users.get(state, [])
        # One use on every path may be two: one on each side of a branch.
        if uses.times(state) != (1, 1) or len(after) != 1 or after[0].span > last.span:
            return None
        (before,) = after
    return None


def without(context: Context, uses: Uses, flush: Op) -> Fix:
    """Takes a flush of nothing away, unless there is a stream that lacks one."""
    stores = (slot for slot, owner in uses.owners.items() if among([owner], "stores"))
    if any(uses.times(slot) == (0, 0) for slot in stores):
        return ()
    return context.text.rewrite(flush, "")


def flush_where_it_ended(context: Context, bases: Bases, uses: Uses, op: Op) -> Fix:
    """Flushes by what finds the end of its stream by itself, where the revision has it; it names
    the base with which the stream began. A stream of which an older state is taken once more
    ended elsewhere."""
    flush = _flush_at(context, "state")
    state = next(s for s in op.operands if isinstance(context.function.types[s], Align))
    base = _base_of(context, bases, state, op, False)
    if flush is None or base is None or _is_forked(context, uses, op):
        return ()
    return context.text.rewrite(op, _written(context, flush, state, base))
