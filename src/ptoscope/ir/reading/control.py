"""Reads structured control flow."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.ir import types
from ptoscope.ir.module import Note
from ptoscope.ir.reading.attributes import dictionary
from ptoscope.ir.reading.bodies import check_block, check_values, terminator
from ptoscope.ir.reading.findings import STRUCTURE, SYNTAX, WRONG_OPERANDS, WRONG_TYPE
from ptoscope.ir.reading.reader import Body, Reader
from ptoscope.ir.types import TextType
from ptoscope.isa.parts import VECSCOPE
from ptoscope.program import Block, Condition, Op, Terminator, operation


def yielded(reader: Reader, name: int) -> Op:
    """Reads `scf.yield %a, ... : T, ...`."""
    return terminator(reader, name, "scf.yield")


def condition(reader: Reader, name: int) -> Op:
    """Reads `scf.condition(%c) %a, ... : T, ...`."""
    reader.expect("(")
    place = reader.i
    value = reader.use(place)
    reader.i += 1
    reader.agree(value, types.I1, place)
    reader.expect(")")
    return terminator(reader, name, "scf.condition", (place,))


def for_loop(reader: Reader, name: int) -> Op:
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
    carried: list[TextType] = []
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
    body = reader.body([(induction, kind), *zip(inner, carried, strict=True)])
    loop = make_for(reader, name, (*bounds, *outer), carried, head, body)
    return _in_scope(reader, name, head, loop) if reader.text[reader.i] == "{" else loop


_SCOPE_MARK = "llvm.loop.aivector_scope"


def _in_scope(reader: Reader, name: int, head: int, loop: Op) -> Op:
    """Reads `{llvm.loop.aivector_scope}` behind a loop, and puts a vecscope around it."""
    at = reader.i
    marks = dictionary(reader)
    if set(marks) != {_SCOPE_MARK}:
        raise reader.findings.stop(
            SYNTAX,
            at,
            "a loop has no other attribute than that of a vecscope",
            found=", ".join(marks) or "{}",
            expected=_SCOPE_MARK,
        )
    if loop.results:
        raise reader.findings.stop(
            STRUCTURE,
            at,
            "a loop that is a vecscope has no results: they would leave it",
            found="iter_args",
            expected="a loop without iter_args",
            hint="write a vecscope inside the loop, or one around it and what uses them",
        )
    note = reader.notes[loop]
    reader.notes[loop] = note._replace(first=name, name=name, last=at - 1)
    outer = Note(0, 0, head, reader.i - 1, braces=note.braces)
    return reader.make(name, VECSCOPE, (), (), outer, blocks=(Block((), [loop]),))


def make_for(
    reader: Reader,
    name: int,
    places: tuple[int, ...],
    carried: Sequence[TextType],
    head: int,
    body: Body,
) -> Op:
    """Makes the loop, with the terminator a body may leave out, and checks what it carries."""
    _check_yield(reader, body, "scf.for", carried)
    note = Note(0, 0, head, reader.i - 1, places, braces=(body.braces,))
    operands = [reader.use(place) for place in places]
    return reader.make(name, "scf.for", operands, carried, note, blocks=(body.block,))


def if_else(reader: Reader, name: int) -> Op:
    """Reads `scf.if %c -> (T) { ... } else { ... }`."""
    place = _used(reader)
    reader.agree(reader.use(place), types.I1, place)
    results = reader.type_list() if reader.accept("->") else []
    head = reader.i
    then = reader.body()
    otherwise = reader.body() if reader.accept("else") else None
    return make_if(reader, name, place, results, head, then, otherwise)


def make_if(
    reader: Reader,
    name: int,
    place: int,
    results: Sequence[TextType],
    head: int,
    then: Body,
    otherwise: Body | None,
) -> Op:
    """Makes the branch, with the terminators it may leave out, and checks what it yields."""
    _check_yield(reader, then, "scf.if", results)
    if otherwise is not None:
        _check_yield(reader, otherwise, "scf.if", results)
    elif results:
        message = "scf.if with results needs an else"
        reader.findings.at(STRUCTURE, name, message, found="scf.if", expected="else { ... }")
    bodies = (then,) if otherwise is None else (then, otherwise)
    note = Note(0, 0, head, reader.i - 1, (place,), braces=tuple(b.braces for b in bodies))
    blocks = (then.block, Block() if otherwise is None else otherwise.block)
    return reader.make(name, "scf.if", [reader.use(place)], results, note, blocks=blocks)


def while_loop(reader: Reader, name: int) -> Op:
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
    return make_while(reader, name, tuple(outer), results, head, before, after)


def make_while(
    reader: Reader,
    name: int,
    places: tuple[int, ...],
    results: Sequence[TextType],
    head: int,
    before: Body,
    after: Body,
) -> Op:
    """Makes the loop, and checks both bodies against its types."""
    check_block(reader, before, "scf.condition")
    end = before.block.end
    if isinstance(end, Condition):
        check_values(reader, end, results, "scf.while")
    elif not before.broken:
        message = "the first body of scf.while ends in scf.condition"
        closing = before.braces[1]
        reader.findings.at(STRUCTURE, closing, message, found="}", expected="scf.condition")
    received = reader.types_of(after.block.args)
    fitting = [types.compatible(a, t) for a, t in zip(received, results, strict=False)]
    if len(received) != len(results) or not all(fitting):
        message = "the second body of scf.while takes the loop's results"
        found, expected = (", ".join(map(str, listed)) for listed in (received, results))
        reader.findings.at(WRONG_TYPE, name, message, found=found, expected=expected)
    operands = [reader.use(place) for place in places]
    _check_yield(reader, after, "scf.while", reader.types_of(operands))
    braces = (before.braces, after.braces)
    note = Note(0, 0, head, reader.i - 1, places, braces=braces)
    blocks = (before.block, after.block)
    return reader.make(name, "scf.while", operands, results, note, blocks=blocks)


def _check_yield(reader: Reader, body: Body, word: str, wanted: Sequence[TextType]) -> None:
    check_block(reader, body, "scf.yield")
    end = body.block.end
    if isinstance(end, Terminator) and end.name == "scf.yield":
        check_values(reader, end, wanted, word)
    elif not wanted:
        body.block.ops.append(operation("scf.yield"))
    elif not body.broken:
        message = f"the body of {word} yields nothing"
        listed = ", ".join(map(str, wanted))
        reader.findings.at(
            STRUCTURE, body.braces[1], message, found="}", expected=f"scf.yield of {listed}"
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
