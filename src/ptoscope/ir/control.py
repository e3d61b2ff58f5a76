"""Reads structured control flow."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.scf import ConditionOp, ForOp, IfOp, WhileOp, YieldOp
from xdsl.ir import Attribute, Operation, Region

from ptoscope.ir import types
from ptoscope.ir.bodies import check_block, check_values, terminator
from ptoscope.ir.errors import STRUCTURE, WRONG_OPERANDS, WRONG_TYPE
from ptoscope.ir.module import Note
from ptoscope.ir.reader import Reader


def yielded(reader: Reader, name: int) -> Operation:
    """Reads `scf.yield %a, ... : T, ...`."""
    return terminator(reader, name, YieldOp)


def condition(reader: Reader, name: int) -> Operation:
    """Reads `scf.condition(%c) %a, ... : T, ...`."""
    reader.expect("(")
    place = reader.i
    value = reader.use(place)
    reader.i += 1
    reader.agree(value, types.I1, place)
    reader.expect(")")
    return terminator(reader, name, ConditionOp, (place,))


def for_loop(reader: Reader, name: int) -> ForOp:
    """Reads `scf.for %i = %a to %b step %c iter_args(%x = %y) -> (T) : T { ... }`."""
    induction = _named(reader)
    reader.expect("=")
    bounds = [_used(reader)]
    reader.expect("to")
    bounds.append(_used(reader))
    reader.expect("step")
    bounds.append(_used(reader))
    inner: list[int] = []
    outer: list[int] = []
    carried: list[Attribute] = []
    if reader.accept("iter_args"):
        reader.expect("(")
        inner, outer = _assignments(reader)
        reader.expect("->")
        carried = reader.type_list()
        _same_count(reader, name, "iter_args", len(outer), len(carried))
    kind = reader.type() if reader.accept(":") else types.INDEX
    for place in bounds:
        reader.agree(reader.use(place), kind, place)
    for place, type in zip(outer, carried, strict=True):
        reader.agree(reader.use(place), type, place)
    head = reader.i
    arguments = [(induction, kind), *zip(inner, carried, strict=True)]
    region = reader.body(arguments)
    places = (*bounds, *outer)
    op = ForOp.create(
        operands=[reader.use(place) for place in places], result_types=carried, regions=[region]
    )
    return finish_loop(reader, name, op, head, places)


def finish_loop(reader: Reader, name: int, op: ForOp, head: int, places: tuple[int, ...]) -> ForOp:
    """Adds the terminator a body may leave out, and checks what is carried."""
    reader.notes[op] = Note(0, 0, head, reader.i - 1, places)
    _check_yield(reader, name, op.regions[0], op)
    return op


def if_else(reader: Reader, name: int) -> IfOp:
    """Reads `scf.if %c -> (T) { ... } else { ... }`."""
    place = _used(reader)
    reader.agree(reader.use(place), types.I1, place)
    results = reader.type_list() if reader.accept("->") else []
    head = reader.i
    first = reader.body()
    second = reader.body() if reader.accept("else") else Region()
    op = IfOp.create(operands=[reader.use(place)], result_types=results, regions=[first, second])
    return finish_if(reader, name, op, head, (place,))


def finish_if(reader: Reader, name: int, op: IfOp, head: int, places: tuple[int, ...]) -> IfOp:
    """Adds missing terminators, and checks what the branches yield."""
    reader.notes[op] = Note(0, 0, head, reader.i - 1, places)
    first, second = op.regions
    _check_yield(reader, name, first, op)
    if second.blocks:
        _check_yield(reader, name, second, op)
    elif op.results:
        message = "scf.if with results needs an else"
        reader.findings.at(STRUCTURE, name, message, found="scf.if", expected="else { ... }")
    return op


def while_loop(reader: Reader, name: int) -> WhileOp:
    """Reads `scf.while (%a = %b) : (T) -> (U) { ... } do { ^bb0(%c: U): ... }`."""
    inner: list[int] = []
    outer: list[int] = []
    if reader.accept("("):
        inner, outer = _assignments(reader)
    reader.expect(":")
    taken = reader.type_list()
    reader.expect("->")
    results = reader.type_list()
    _same_count(reader, name, "scf.while", len(outer), len(taken))
    for place, type in zip(outer, taken, strict=True):
        reader.agree(reader.use(place), type, place)
    head = reader.i
    before = reader.body(list(zip(inner, taken, strict=True)))
    reader.expect("do")
    after = reader.body(labelled=True)
    op = WhileOp.create(
        operands=[reader.use(place) for place in outer],
        result_types=results,
        regions=[before, after],
    )
    return finish_while(reader, name, op, head, tuple(outer))


def finish_while(
    reader: Reader, name: int, op: WhileOp, head: int, places: tuple[int, ...]
) -> WhileOp:
    """Checks both bodies of a while loop against its types."""
    reader.notes[op] = Note(0, 0, head, reader.i - 1, places)
    before, after = op.regions
    results = [r.type for r in op.results]
    check_block(reader, before, ConditionOp)
    last = before.block.last_op
    if isinstance(last, ConditionOp):
        check_values(reader, last, last.operands[1:], results, "scf.while", skip=1)
    elif before.block not in reader.broken:
        message = "the first body of scf.while ends in scf.condition"
        closing = reader.braces[before][1]
        reader.findings.at(STRUCTURE, closing, message, found="}", expected="scf.condition")
    arguments = after.block.args
    fitting = [types.compatible(a.type, t) for a, t in zip(arguments, results, strict=False)]
    if len(arguments) != len(results) or not all(fitting):
        message = "the second body of scf.while takes the loop's results"
        found = ", ".join(types.spelling(a.type) for a in arguments)
        expected = ", ".join(types.spelling(t) for t in results)
        reader.findings.at(WRONG_TYPE, name, message, found=found, expected=expected)
    _check_yield(reader, name, after, op, [o.type for o in op.operands])
    return op


def _check_yield(
    reader: Reader,
    name: int,
    region: Region,
    op: Operation,
    wanted: Sequence[Attribute] | None = None,
) -> None:
    expected = [r.type for r in op.results] if wanted is None else list(wanted)
    check_block(reader, region, YieldOp)
    block = region.block
    last = block.last_op
    if isinstance(last, YieldOp):
        check_values(reader, last, last.operands, expected, op.name)
    elif not expected:
        implied = YieldOp.create()
        block.add_op(implied)
    elif block not in reader.broken:
        message = f"the body of {op.name} yields nothing"
        closing = reader.braces[region][1]
        listed = ", ".join(types.spelling(t) for t in expected)
        reader.findings.at(
            STRUCTURE, closing, message, found="}", expected=f"scf.yield of {listed}"
        )


def _named(reader: Reader) -> int:
    place = reader.i
    if reader.text[place][:1] != "%":
        raise reader.findings.expected(place, "a new value name")
    reader.i += 1
    return place


def _used(reader: Reader) -> int:
    place = reader.i
    reader.use(place)
    reader.i += 1
    return place


def _assignments(reader: Reader) -> tuple[list[int], list[int]]:
    """Reads `%a = %b, ...)`."""
    inner: list[int] = []
    outer: list[int] = []
    if reader.accept(")"):
        return inner, outer
    while True:
        inner.append(_named(reader))
        reader.expect("=")
        outer.append(_used(reader))
        if reader.accept(")"):
            return inner, outer
        if not reader.accept(","):
            raise reader.findings.expected(reader.i, "',' or ')'")


def _same_count(reader: Reader, name: int, what: str, values: int, listed: int) -> None:
    if values != listed:
        message = f"{what} has {values} values, but {listed} types"
        raise reader.findings.stop(
            WRONG_OPERANDS, name, message, found=str(listed), expected=str(values)
        )
