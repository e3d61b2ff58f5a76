"""Changes of the synchronisation of a function: in the tree of what it does, to be tried, and in
its text, to be suggested."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import BranchNode, LoopNode, Node, Sync
from ptoscope.check.positions import place_name
from ptoscope.check.rule import Context
from ptoscope.check.text import Fix
from ptoscope.diagnostics import NOWHERE, Edit, Span
from ptoscope.isa.order.rules import SET, WAIT, OrderRule
from ptoscope.program import Op


class Written(NamedTuple):
    """A synchronisation that is to be written, and how. `uses` are the values in its text."""

    sync: Sync
    text: str
    uses: tuple[int, ...] = ()


class Insert(NamedTuple):
    """Put before or behind an operation."""

    what: Written
    op: Op
    after: bool


class Delete(NamedTuple):
    """Taken away."""

    op: Op


class Rewrite(NamedTuple):
    """Another one in the place of this one."""

    op: Op
    what: Written


Alteration = Insert | Delete | Rewrite
Change = tuple[Alteration, ...]


def written(rule: OrderRule, src: str, dst: str, *numbers: int) -> Written:
    """A synchronisation of known numbers."""
    sync = Sync(Op(rule.instruction), rule, src, dst, tuple(Expr(n) for n in numbers))
    return Written(sync, rule.written(src, dst, *numbers))


def like(context: Context, sync: Sync, rule: OrderRule) -> Written:
    """What a rule does with the pipes and numbers of a synchronisation that is there."""
    made = replace(sync, op=Op(rule.instruction), rule=rule)
    numbers = [number.number for number in sync.numbers]
    known = [number for number in numbers if number is not None]
    if len(known) == len(numbers):
        return Written(made, rule.written(sync.src, sync.dst, *known))
    start, end = context.text.statement(sync.op)
    text = " ".join(context.text.text[start:end].split())
    text = text.replace(sync.rule.instruction, rule.instruction, 1)
    return Written(made, text, sync.op.operands)


def flag(src: str, dst: str, number: int, first: Op, then: Op, loop: Op | None) -> Change:
    """A flag from behind the first operation to before the other. With a loop, to that of the
    next iteration: it is set once before the loop, and waited for once after it."""
    signal, wait = written(SET, src, dst, number), written(WAIT, src, dst, number)
    set_it, wait_for_it = Insert(signal, first, True), Insert(wait, then, False)
    if loop is None:
        return set_it, wait_for_it
    return Insert(signal, loop, False), wait_for_it, set_it, Insert(wait, loop, True)


def changed(nodes: list[Node], change: Change) -> list[Node]:
    """The tree after a change: wherever calls have put what the text has in one place."""
    around: dict[tuple[object, bool], list[Node]] = defaultdict(list)
    instead: dict[object, list[Node]] = {}
    for step in change:
        match step:
            case Insert(what, op, after):
                around[_place(op), after].append(what.sync)
            case Delete(op):
                instead[_place(op)] = []
            case Rewrite(op, what):
                instead[_place(op)] = [what.sync]

    def body(nodes: list[Node]) -> list[Node]:
        made: list[Node] = []
        for _, group in groupby(nodes, key=lambda node: id(node.op)):
            same = list(group)
            place = _place(same[0].op)
            made += around.get((place, False), [])
            made += instead[place] if place in instead else [inner(node) for node in same]
            made += around.get((place, True), [])
        return made

    def inner(node: Node) -> Node:
        match node:
            case LoopNode():
                return replace(node, body=body(node.body))
            case BranchNode():
                return replace(node, yes=body(node.yes), no=body(node.no))
            case _:
                return node

    return body(nodes)


def _place(op: Op) -> object:
    """What tells an operation of the text from the others; one without a text by itself. In one
    place of Python there may be several, of different names."""
    return (*op.span[:2], op.name) if op.span.line else id(op)


def edits(context: Context, change: Change) -> Fix:
    """The change of the text; nothing where a part of it cannot be made. Of Python there is one
    that changes nothing: what to do is said in words."""
    if context.program.built:
        return (Edit(NOWHERE, ""),)
    made: dict[Span, str] = {}
    # What is put behind an operation stands before what is put before the next one.
    for step in sorted(change, key=lambda step: isinstance(step, Insert) and not step.after):
        found = _edits(context, step)
        if not found:
            return ()
        for edit in found:
            # What is put at one place stands in the order of the change.
            made[edit.span] = made.get(edit.span, "") + edit.text
    return tuple(Edit(span, text) for span, text in made.items())


def _edits(context: Context, step: Alteration) -> Fix:
    match step:
        case Insert(what, op, after):
            insert = context.text.insert_after if after else context.text.insert_before
            return insert(op, what.text)
        case Delete(op):
            return context.text.rewrite(op, "")
        case Rewrite(op, what):
            start, end = context.text.statement(op)
            if "\n" in context.text.text[start:end]:
                return context.text.rewrite(op, what.text)
            return (Edit(context.text.span(start, end), what.text),)


def words(change: Change) -> str:
    """The change as a sentence of a hint."""
    return "; ".join(_words(change))


def _words(change: Change) -> Iterator[str]:
    for step in change:
        match step:
            case Insert(what, op, after):
                yield f"put {what.text} {'after' if after else 'before'} {place_name(op)}"
            case Delete(op):
                yield f"take away {op.name} of line {op.span.line}"
            case Rewrite(op, what):
                yield f"write {what.text} in line {op.span.line}"
