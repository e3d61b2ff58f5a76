"""`pto.pyi`: written by hand what is no instruction (`head.txt`), the rest from the records."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from importlib.resources import files

from ptoscope.isa.dtypes import ELEMENTS, I1, INDEX, SCALARS, DType
from ptoscope.isa.record import Record
from ptoscope.lang.calls.annotations import TypedCall, union
from ptoscope.lang.calls.documentation import calls, docstring
from ptoscope.lang.calls.names import BY_NAME

_OPERATORS = ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift")
_WIDTH = 100


def stub() -> str:
    """The whole file."""
    head = files("ptoscope.lang.stubs").joinpath("head.txt").read_text()
    head = head.replace("INTEGER_OPERATORS\n", "".join(_integer_operators()))
    head = head.replace("SCALAR_CLASSES\n", "".join(_classes()))
    head = re.sub(r"^DOC (\S+)\.(\w+)$", _doc_of, head, flags=re.MULTILINE)
    return head + "\n".join(_function(name, record) for name, record in BY_NAME.items())


def _doc_of(match: re.Match[str]) -> str:
    function = getattr(import_module(match[1]), match[2])
    return _quoted(inspect.getdoc(function) or "")


def _quoted(text: str) -> str:
    lines = text.replace("\\", "\\\\").split("\n")
    indented = "\n".join(f"    {line}".rstrip() for line in lines).strip()
    end = "\n    " if len(lines) > 1 else ""
    return f'    """{indented}{end}"""'


def _integer_operators() -> Iterator[str]:
    for name in _OPERATORS:
        for other, result in (("Self | int", "Self"), ("index", "index"), ("Integer", "Any")):
            yield f"    @overload\n    def __{name}__(self, other: {other}) -> {result}: ...\n"
        yield f"    def __r{name}__(self, other: int) -> Self: ...\n"


def _classes() -> Iterator[str]:
    """A class for each type. A signless integer serves where a signed or an unsigned one does."""
    for dtype in sorted({*SCALARS, *ELEMENTS}, key=_order):
        base, body = _base(dtype), "\n"
        if dtype is INDEX:
            # A tile is an index, and so far from one is an index, not a tile.
            ignored = "  # pyright: ignore[reportIncompatibleMethodOverride]"
            body = "".join(
                f"    def __{name}__(self, other: Integer | int) -> index: ...{ignored}\n"
                f"    def __r{name}__(self, other: int) -> index: ...{ignored}\n"
                for name in _OPERATORS
            )
            body = f"\n{body}\n"
        kind = "A scalar" if dtype in SCALARS else "Elements of type"
        yield f'class {dtype}({base}):\n    """{kind} {dtype}."""\n{body}'


def _order(dtype: DType) -> tuple[bool, bool, int, bool, str]:
    return dtype.is_int, dtype not in SCALARS, dtype.bits, dtype.signless, dtype.name


def _base(dtype: DType) -> str:
    if dtype not in SCALARS:
        return "Element"
    if dtype.is_float:
        return "Float"
    return f"s{dtype}, u{dtype}" if dtype.signless and dtype not in (I1, INDEX) else "Integer"


def _function(name: str, record: Record) -> str:
    ways = _merged(calls(record))
    several = len(ways) > 1
    parts: list[str] = []
    for at, way in enumerate(ways):
        body = " ..." if at else f"\n{_quoted(docstring(record))}"
        parts.append(f"{'@overload' if several else ''}\n{_header(name, way)}{body}\n".lstrip("\n"))
    return "".join(parts)


def _merged(ways: list[TypedCall]) -> list[TypedCall]:
    """Ways with the same names and results are one, which takes what either takes."""
    found: dict[object, TypedCall] = {}
    for way in ways:
        key = tuple(p.name for p in way.parameters), way.result
        first = found.get(key, way)
        both = zip(first.parameters, way.parameters, strict=True)
        found[key] = TypedCall(
            tuple(replace(p, annotation=union([p.annotation, o.annotation])) for p, o in both),
            way.result,
        )
    return list(found.values())


def _header(name: str, way: TypedCall) -> str:
    shown: list[str] = []
    by_name = False
    for parameter in way.parameters:
        if parameter.by_name and not by_name:
            by_name = True
            shown.append("*")
        default = f" = {parameter.default}" if parameter.default else ""
        shown.append(f"{parameter.name}: {parameter.annotation}{default}")
    line = f"def {name}({', '.join(shown)}) -> {way.result}:"
    if len(line) <= _WIDTH:
        return line
    inside = "".join(f"    {one},\n" for one in shown)
    return f"def {name}(\n{inside}) -> {way.result}:"
