"""Stores by registers, which revision micro has: so many bytes as were counted, where AR says."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.flow import gives
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.streams.ends import among, named_operands
from ptoscope.check.types import sound
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from ptoscope.isa.roles import AR
from ptoscope.isa.table import names
from ptoscope.isa.types import VReg
from ptoscope.program import Block, Loop, Op


def _by_registers(record: Record | None) -> bool:
    """Whether an instruction of revision micro stores SQZN bytes where AR says."""
    if record is None or record.stream is None or record.stream.kind != "stores":
        return False
    return record.stream.step(0, "micro").place == "registers"


def _packs(record: Record) -> bool:
    return record.gives == "packed"


def _counts(record: Record | None) -> bool:
    return record is not None and record.counts_bytes


def _uncounted(context: Context) -> Iterator[Finding]:
    if context.revision != "micro":
        return
    stores = {id(op) for op, _ in sound(context, _by_registers)}
    for op, last in _last_counts(context.function.body, set()):
        if id(op) not in stores:
            continue
        if not last:
            yield Finding(
                op.span,
                f"{op.name}: no {names(_packs)} has said how many bytes to store",
                expected=f"a {names(_counts)} before it",
                hint=f"{op.name} stores as many bytes as the last {names(_packs)} packed",
            )
            continue
        value = named_operands(op)["value"]
        own = _squeeze(context, value)
        if own is not None and len(last) == 1 and own not in last and ANY not in last:
            (other,) = last
            yield Finding(
                context.operand_span(op, op.operands.index(value)),
                f"{op.name} stores one packed vector with the byte count of another",
                found=f"{context.name(value)}, counted before {context.name(other)} was packed",
                expected=f"the vector that the last {names(_packs)} packed",
                hint=f"store each packed vector before the next {names(_packs)}",
            )


ANY = -1
"""Stands for a count that serves any vector: what left it packed none."""


def _last_counts(block: Block, last: set[int]) -> Iterator[tuple[Op, set[int]]]:
    """Every store of counted bytes with the vectors whose count may be the last before it;
    `last` is brought up to date."""
    for op in block.ops:
        record = TABLE.get(op.name)
        if _by_registers(record):
            yield op, set(last)
        elif _counts(record):
            last.clear()
            last.add(op.results[0] if gives(op, "packed") else ANY)
        before = set(last)
        after: set[int] = set()
        for inner in op.blocks:
            state = set(before)
            if isinstance(op, Loop):
                # An iteration may follow another one.
                state |= {r for r in _counted(inner)}
            yield from _last_counts(inner, state)
            after |= state
        if op.blocks:
            last.clear()
            # A loop may have no iteration; of a branch or a scope one block is always done.
            last |= after | before if isinstance(op, Loop) else after


def _counted(block: Block) -> set[int]:
    found: set[int] = set()
    for op in block.ops:
        if _counts(TABLE.get(op.name)):
            found.add(op.results[0] if gives(op, "packed") else ANY)
        for inner in op.blocks:
            found |= _counted(inner)
    return found


def _squeeze(context: Context, slot: int) -> int | None:
    """The packed vector that a value is or is computed from, if it is a single one."""
    op = context.values.maker(slot)
    while op is not None and not gives(op, "packed"):
        vectors = [s for s in op.operands if isinstance(context.function.types[s], VReg)]
        op = context.values.maker(vectors[0]) if len(vectors) == 1 else None
    return None if op is None else op.results[0]


def _uncleared(context: Context) -> Iterator[Finding]:
    if context.revision != "micro":
        return
    cleared = False
    for op in context.function.ops():
        record = TABLE.get(op.name)
        if record is not None and record.clears and op.attrs.get(record.clears) == AR:
            cleared = True
        if not _by_registers(record) or not op.operands:
            continue
        align = named_operands(op)["align_in"]
        begins = among(context.values.makers(align), "begins")
        if begins and not cleared:
            clear = f'{names(lambda record: bool(record.clears))} "{AR}"'
            yield Finding(
                op.span,
                f"{op.name} begins a stream where the register {AR} was not cleared",
                expected=f"{clear} before the first store of a stream",
                hint=f"a {op.name} stores at its base plus {AR}, which an earlier stream has moved",
                fix=context.text.insert_before(begins[0], clear) if len(begins) == 1 else (),
            )
        cleared = False if op.attrs.get("mode") != "NO_POST_UPDATE" else cleared


RULES = (
    Rule("PTO0407", "vstur stores what the last vsqz packed", _uncounted),
    Rule("PTO0408", "AR is cleared before a stream of vstur", _uncleared, "warning"),
)
