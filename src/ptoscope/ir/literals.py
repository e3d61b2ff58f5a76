"""Attributes of instructions: literals, clauses, and what follows from a form."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr, i32, i64
from xdsl.ir import Attribute

from ptoscope.ir import types
from ptoscope.ir.dialect import PipeAttr
from ptoscope.isa.patterns import Bindings
from ptoscope.isa.pipes import PIPE_ALL
from ptoscope.isa.record import Form

CLAUSES = "clauses"
SIZES = "operandSegmentSizes"
"""Properties that keep the clauses of a grouped instruction."""

_strings: dict[str, StringAttr] = {}
_integers: dict[int, IntegerAttr] = {}


def string(text: str) -> StringAttr:
    """The one attribute of a string."""
    key = text
    if key not in _strings:
        _strings[key] = StringAttr(text)
    return _strings[key]


def integer(value: int) -> IntegerAttr:
    """The one attribute of an integer."""
    if value not in _integers:
        _integers[value] = IntegerAttr(value, i64)
    return _integers[value]


def number(token: str) -> int:
    """The value of an integer token."""
    return int(token, 16) if "x" in token else int(token)


def python_literal(token: str) -> str | int:
    """The value of a literal token."""
    if token[0] == '"':
        return token[1:-1]
    if token[0] == "#":
        return token.partition("<")[2][:-1] or PIPE_ALL
    return number(token) if "." not in token else token


def keep_clauses(
    properties: dict[str, Attribute], positional: int, clauses: tuple[tuple[str, int], ...]
) -> None:
    """Notes the clauses in an operation's properties, where the generic form shows them."""
    properties[CLAUSES] = ArrayAttr([string(keyword) for keyword, _ in clauses])
    sizes = [positional, *(count for _, count in clauses)]
    properties[SIZES] = DenseArrayBase.from_list(i32, sizes)


def implied_results(form: Form) -> list[Attribute]:
    """The result types of a form whose text has none."""
    known: Bindings = {}
    resolved = [result.type.resolve(known) for result in form.results]
    return [types.POISON if t is None else types.attribute(t) for t in resolved]


def types_fit(form: Form, operands: list[Attribute], results: list[Attribute]) -> int:
    """How many of the operands and results fit the form's patterns."""
    known: Bindings = {}
    score = 0
    patterns = [o.type for o in form.operands]
    for pattern, attr in zip(patterns, operands, strict=False):
        type = types.description(attr)
        score += type is None or pattern.match(type, known)
    for result, attr in zip(form.results, results, strict=False):
        type = types.description(attr)
        score += type is None or result.type.match(type, known)
    return score


def pipe_text(pipe: str) -> str:
    """How a pipe attribute is written."""
    attr = PipeAttr(pipe)
    return f"#{attr.name}<{attr.data}>"
