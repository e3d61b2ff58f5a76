"""Operations with bodies, from their parts: the order of operands and arguments is known here."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.diagnostics import Span
from ptoscope.isa.parts import SECTIONS, VECSCOPE, CoreKind
from ptoscope.program import Block, For, Op, While, operation

Slots = Sequence[int]


def passed_on(slots: Slots, span: Span) -> Op:
    """The end of a body that hands values on."""
    return operation("scf.yield", tuple(slots), span=span)


def for_loop(
    bounds: Slots,
    inits: Slots,
    index: int,
    carried: Slots,
    ops: list[Op],
    yields: Slots,
    results: Slots,
    span: Span,
) -> For:
    """A counted loop; `bounds` are the lower one, the upper one and the step."""
    if yields:
        ops.append(passed_on(yields, span))
    body = Block((index, *carried), ops)
    made = operation("scf.for", (*bounds, *inits), tuple(results), blocks=(body,), span=span)
    assert isinstance(made, For)
    return made


def while_loop(
    inits: Slots,
    carried: Slots,
    test: list[Op],
    condition: int,
    received: Slots,
    ops: list[Op],
    yields: Slots,
    results: Slots,
    span: Span,
) -> While:
    """A loop that goes on while `condition`, which `test` computes of `carried`, holds; then
    `ops` are executed, with the same values as `received`."""
    test.append(operation("scf.condition", (condition, *carried), span=span))
    ops.append(passed_on(yields, span))
    blocks = (Block(tuple(carried), test), Block(tuple(received), ops))
    made = operation("scf.while", tuple(inits), tuple(results), blocks=blocks, span=span)
    assert isinstance(made, While)
    return made


def branch(
    condition: int,
    then: tuple[list[Op], Slots],
    otherwise: tuple[list[Op], Slots],
    results: Slots,
    span: Span,
) -> Op:
    """A branch; each side has its operations and what it gives."""
    blocks: list[Block] = []
    for ops, values in (then, otherwise):
        if results:
            ops.append(passed_on(values, span))
        blocks.append(Block(ops=ops))
    return operation("scf.if", (condition,), tuple(results), blocks=tuple(blocks), span=span)


def vector_scope(ops: list[Op], span: Span) -> Op:
    """A vecscope."""
    return operation(VECSCOPE, blocks=(Block(ops=ops),), span=span)


def section(core: CoreKind, ops: list[Op], span: Span) -> Op:
    """What the cores of a kind execute."""
    name = next(name for name, kind in SECTIONS.items() if kind == core)
    return operation(name, blocks=(Block(ops=ops),), span=span)


def function_end(span: Span) -> Op:
    """The end of a kernel."""
    return operation("func.return", span=span)
