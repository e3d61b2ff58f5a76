"""Edits that repair streams."""

from __future__ import annotations

from ptoscope.check.rule import Context
from ptoscope.check.streams.ends import FLUSHES, STORES, named_operands
from ptoscope.check.streams.uses import Uses
from ptoscope.check.text import Fix
from ptoscope.diagnostics import Edit
from ptoscope.isa.types import Align, Ptr
from ptoscope.program import Op


def primed(context: Context, op: Op, index: int) -> Fix:
    """Primes the stream of a vldus right before it."""
    maker = context.values.made(op.operands[index])
    if maker is None or maker.blocks or index >= len(op.operand_spans):
        return ()
    source = op.operands[0]
    name = context.new_name("align")
    kind = context.function.types[source]
    before = context.text.insert_before(
        op, f"{name} = pto.vldas {context.name(source)} : {kind} -> !pto.align"
    )
    return (*before, Edit(op.operand_spans[index], name)) if before else ()


def flushed(context: Context, slot: int, owner: Op) -> Fix:
    """Flushes a state behind the operation that gives it."""
    made = (context.values.made(source) for source in context.values.sources(slot))
    stores = [op for op in made if op is not None and op.name in STORES]
    if len(stores) != 1 or slot not in owner.results:
        return ()
    store = stores[0]
    named = named_operands(store)
    base = named.get("base_in", named.get("base", named.get("dest", -1)))
    state, pointer = context.name(slot), f"!pto.align, {context.function.types[base]}"
    if owner is not store and not _is_outside(context, base, owner):
        return ()
    if context.revision == "manual" or store.name == "pto.vstur":
        lines = f"pto.vstar {state}, {context.name(base)} : {pointer}"
    elif store.name == "pto.vstus" and len(store.results) == 1 and owner is store:
        offset = context.name(named["offset"])
        lines = f"pto.vstas {state}, {context.name(base)}, {offset} : {pointer}, i32"
    else:
        return ()
    return context.text.insert_after(owner, lines)


def _is_outside(context: Context, slot: int, owner: Op) -> bool:
    """Whether a value is made before an operation with a body, not inside it."""
    maker = context.values.made(slot)
    return slot in context.function.params or (maker is not None and maker.span < owner.span)


def threaded(context: Context, uses: Uses, slot: int, earlier: list[Op], last: Op) -> Fix:
    """Deletes a second flush; gives a vstur the state of the one before it."""
    if not earlier or uses.homes[id(earlier[-1])] is not uses.homes[id(last)]:
        return ()
    before = earlier[-1]
    if before.name in FLUSHES and last.name in FLUSHES:
        return context.text.rewrite(last, "")
    if before.name != "pto.vstur" or last.name not in ("pto.vstur", "pto.vstar"):
        return ()
    newest = before.results[0]
    index = last.operands.index(slot)
    if uses.times(newest) != (0, 0) or index >= len(last.operand_spans):
        return ()
    return (Edit(last.operand_spans[index], context.name(newest)),)


def flush_where_it_ended(context: Context, op: Op) -> Fix:
    """In the manual pto.vstar finds the end of its stream by itself."""
    named = named_operands(op)
    state = next(s for s in op.operands if isinstance(context.function.types[s], Align))
    kind = context.function.types[named["dest"]]
    if context.revision != "manual" or not isinstance(kind, Ptr):
        return ()
    dest = context.name(named["dest"])
    return context.text.rewrite(op, f"pto.vstar {context.name(state)}, {dest} : !pto.align, {kind}")
