"""The words of a body: which instruction each is, with which attributes, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ptoscope.diagnostics import nearest
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import DType
from ptoscope.isa.dtypes import dtype as dtype_named
from ptoscope.isa.patterns import (
    Bindings,
    OneOf,
    Pattern,
    ScalarAsWide,
    ScalarFor,
    ScalarIn,
    ScalarVar,
)
from ptoscope.isa.record import Form, Record
from ptoscope.isa.types import AttrValue, Ptr, Scalar, Type, granularity

SCALARS = (ScalarFor, ScalarAsWide, ScalarIn, ScalarVar)
_STORES_IN_ORDER = "VST_VST"
"""The memory barrier that is meant where a body does not say which."""


class BodyError(ValueError):
    """A body that cannot be made into a kernel, and why."""


def meant(word: str, source: DType) -> tuple[Record, str]:
    """The instruction of a word, and the mode that it names. Where several have the mode, the one
    with most registers: `vlds.dintlv` keeps all that it takes apart."""
    name, _, mode = word.partition(".")
    if mode:
        begins = f"pto.{name}"
        having = [r for full, r in TABLE.items() if full.startswith(begins) and _modes(r, mode)]
        having.sort(key=lambda record: -len(record.forms[0].results))
        if name and having:
            return having[0], mode
    else:
        for wanted in (name, f"{name}_b{granularity(source.bits)}"):
            if f"pto.{wanted}" in TABLE:
                return TABLE[f"pto.{wanted}"], mode
    hint = nearest(name, (record.short for record in TABLE.values()))
    raise BodyError(f"there is no instruction '{word}'{'; ' + hint if hint else ''}")


def _modes(record: Record, mode: str) -> list[str]:
    values = (v for form in record.forms for attr in form.attrs for v in attr.values)
    return [value for value in values if value.lower().startswith(mode.lower())]


def attributes(record: Record, form: Form, mode: str, known: Bindings) -> dict[str, AttrValue]:
    """A value for every attribute that needs one."""
    legal: Mapping[str, tuple[str, ...]] = {}
    element = known.get("T")
    result = known.get("U")
    if record.pairs and isinstance(element, DType) and isinstance(result, DType):
        legal = record.pairs[element, result]
    found: dict[str, AttrValue] = {}
    for attr in form.attrs:
        values = legal.get(attr.name, () if record.pairs else attr.values)
        wanted = [v for v in values if mode and v.lower().startswith(mode.lower())]
        width = [v for v in wanted if isinstance(element, DType) and v.endswith(f"B{element.bits}")]
        if wanted:
            found[attr.name] = (width or wanted)[0]
        elif attr.default is None and values:
            in_order = _STORES_IN_ORDER in values
            found[attr.name] = _STORES_IN_ORDER if in_order else values[0]
        elif values and attr.default not in values:
            found[attr.name] = values[0]
    return found


def views(dtype: DType) -> Iterator[DType]:
    """A register as it is, then as integers: as wide first."""
    yield dtype
    for bits in dict.fromkeys((dtype.bits, 8, 16, 32)):
        yield dtype_named(f"i{max(8, bits)}")


def first_scalar(pattern: Pattern) -> Pattern | None:
    choices = pattern.choices if isinstance(pattern, OneOf) else (pattern,)
    return next((p for p in choices if isinstance(p, SCALARS)), None)


def is_scalar(kind: Type) -> bool:
    return isinstance(kind, (Scalar, Ptr))


def generic_line(
    record: Record,
    operands: list[tuple[str, Type]],
    results: list[tuple[str, Type]],
    attrs: Mapping[str, AttrValue],
) -> str:
    """An operation in the generic form."""
    given = ", ".join(name for name, _ in results)
    chosen = ", ".join(f'{name} = "{value}"' for name, value in attrs.items())
    read, written = (", ".join(str(kind) for _, kind in side) for side in (operands, results))
    return (
        (f"{given} = " if given else "")
        + f'"{record.name}"({", ".join(name for name, _ in operands)})'
        + (f" <{{{chosen}}}>" if chosen else "")
        + f" : ({read}) -> ({written})"
    )
