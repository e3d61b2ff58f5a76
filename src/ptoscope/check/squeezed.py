"""vstur of revision micro: it stores the bytes that vsqz counted, where the register AR says."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.types import sound
from ptoscope.isa.types import VReg
from ptoscope.program import Block, Loop, Op

_COUNTS = ("pto.vsqz", "pto.vusqz")
"""Instructions that leave a number of bytes in the register SQZN."""


def _uncounted(context: Context) -> Iterator[Finding]:
    if context.revision != "micro":
        return
    stores = {id(op) for op in sound(context, ("pto.vstur",))}
    for op, last in _last_counts(context.function.body, set()):
        if id(op) not in stores:
            continue
        if not last:
            yield Finding(
                op.span,
                "pto.vstur: no pto.vsqz has said how many bytes to store",
                expected="a pto.vsqz or pto.vusqz before it",
                hint="pto.vstur stores as many bytes as the last pto.vsqz packed",
            )
            continue
        own = _squeeze(context, op.operands[1])
        if own is not None and len(last) == 1 and own not in last and "pto.vusqz" not in last:
            (other,) = last
            name = context.name(other) if isinstance(other, int) else str(other)
            yield Finding(
                context.operand_span(op, 1),
                "pto.vstur stores one packed vector with the byte count of another",
                found=f"{context.name(op.operands[1])}, counted before {name} was packed",
                expected="the vector that the last pto.vsqz packed",
                hint="store each packed vector before the next pto.vsqz",
            )


def _last_counts(block: Block, last: set[int | str]) -> Iterator[tuple[Op, set[int | str]]]:
    """Every vstur with the results of the vsqz that may be the last before it; `last` is
    brought up to date."""
    for op in block.ops:
        if op.name == "pto.vstur":
            yield op, set(last)
        elif op.name in _COUNTS:
            last.clear()
            # The result of vusqz is no packed vector: its count serves any.
            last.add(op.results[0] if op.name == "pto.vsqz" else op.name)
        before = set(last)
        after: set[int | str] = set()
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


def _counted(block: Block) -> set[int | str]:
    found: set[int | str] = set()
    for op in block.ops:
        if op.name in _COUNTS:
            found.add(op.results[0] if op.name == "pto.vsqz" else op.name)
        for inner in op.blocks:
            found |= _counted(inner)
    return found


def _squeeze(context: Context, slot: int) -> int | None:
    """The packed vector that a value is or is computed from, if it is a single one."""
    op = context.values.maker(slot)
    while op is not None and op.name != "pto.vsqz":
        vectors = [s for s in op.operands if isinstance(context.function.types[s], VReg)]
        op = context.values.maker(vectors[0]) if len(vectors) == 1 else None
    return None if op is None else op.results[0]


def _uncleared(context: Context) -> Iterator[Finding]:
    if context.revision != "micro":
        return
    cleared = False
    for op in context.function.ops():
        if op.name == "pto.sprclr" and op.attrs.get("register") == "AR":
            cleared = True
        if op.name != "pto.vstur" or not op.operands:
            continue
        begins = "pto.init_align" in context.values.makers(op.operands[0])
        maker = context.values.made(op.operands[0])
        if begins and not cleared:
            yield Finding(
                op.span,
                "pto.vstur begins a stream where the register AR was not cleared",
                expected='pto.sprclr "AR" before the first store of a stream',
                hint="a pto.vstur stores at its base plus AR, which an earlier stream has moved",
                fix=context.text.insert_before(maker, 'pto.sprclr "AR"')
                if maker is not None and maker.name == "pto.init_align"
                else (),
            )
        cleared = False if op.attrs.get("mode") != "NO_POST_UPDATE" else cleared


RULES = (
    Rule("PTO0407", "vstur stores what the last vsqz packed", _uncounted),
    Rule("PTO0408", "AR is cleared before a stream of vstur", _uncleared, "warning"),
)
