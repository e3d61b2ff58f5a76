"""Reads calls, and holds them to the functions that they call."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.ir import types
from ptoscope.ir.module import Note
from ptoscope.ir.reading.bodies import listed_types
from ptoscope.ir.reading.findings import STRUCTURE, WRONG_TYPE
from ptoscope.ir.reading.reader import Reader
from ptoscope.program import CALL, Call, Function, Op


def call(reader: Reader, name: int) -> Op:
    """Reads `func.call @name(%a, ...) : (T, ...) -> (T, ...)`."""
    symbol = reader.text[reader.i]
    if symbol[:1] != "@" or len(symbol) < 2:
        raise reader.findings.expected(reader.i, "the @name of a function")
    reader.i += 1
    reader.expect("(")
    places = reader.value_list(")")
    reader.expect(":")
    values = [reader.use(place) for place in places]
    listed_types(reader, values, "{0} values are passed, but {1} types are listed")
    results = reader.type_list() if reader.accept("->") else []
    last = reader.i - 1
    note = Note(0, 0, last, last, tuple(places))
    reader.has_calls = True
    return reader.make(name, CALL, values, results, note, {"callee": symbol[1:].strip('"')})


def check_calls(reader: Reader, functions: Sequence[Function]) -> None:
    """Every call names a function of the file and has its parameters and results."""
    known = {function.name: function for function in functions}
    for function in functions if reader.has_calls else ():
        for op in function.ops():
            if isinstance(op, Call):
                _check(reader, function, op, known)


def _check(reader: Reader, caller: Function, op: Call, known: dict[str, Function]) -> None:
    at = reader.notes[op].name
    callee = known.get(op.callee)
    if callee is None:
        found, hint = f"@{op.callee}", reader.findings.nearest(op.callee, known)
        message = f"there is no function @{op.callee}"
        reader.findings.at(STRUCTURE, at, message, found=found, hint=hint)
        return
    for what, given, wanted in (
        ("takes", op.operands, callee.params),
        ("returns", op.results, callee.body.yields),
    ):
        own = [caller.types[slot] for slot in given]
        theirs = [callee.types[slot] for slot in wanted]
        fitting = len(own) == len(theirs) and all(map(types.compatible, own, theirs))
        if not fitting:
            found, expected = (", ".join(map(str, t)) or "nothing" for t in (own, theirs))
            message = f"@{callee.name} {what} other types"
            reader.findings.at(WRONG_TYPE, at, message, found=found, expected=expected)
