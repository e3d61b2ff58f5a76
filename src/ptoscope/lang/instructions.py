"""Every instruction as a function of Python, from its record.

Operands and words are given in the order of the text or by name; entries of the dictionary and
clauses by name. A mask at the end that is left out is that of all lanes. Where the operands do not
decide the element type of a result, `dtype` says it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ptoscope.isa.record import Record
from ptoscope.isa.table import TABLE
from ptoscope.isa.types import Mask
from ptoscope.lang.calls.binding import Decided
from ptoscope.lang.calls.documentation import docstring, signature
from ptoscope.lang.calls.fitting import ChosenCall, Fitting, OperandStep
from ptoscope.lang.calls.names import BY_NAME, python_name
from ptoscope.lang.calls.parameters import call_forms
from ptoscope.lang.maker import current
from ptoscope.lang.scalars import convert, in_range, range_text
from ptoscope.lang.values import KernelValue, Misuse, made, wrapped

_CHOICES: dict[Any, ChosenCall] = {}
"""What was meant by arguments of some types, words and names."""


def call(name: str | Record, *arguments: Any, **named: Any) -> Any:
    """Makes one use of an instruction: its result, a tuple of several, or None. Misuse for what
    it does not take."""
    record = TABLE[name] if isinstance(name, str) else name
    maker = current()
    kind = _kind_of_numbered if _takes_numbers(record) else _kind
    key = (
        record.name,
        maker.target.name,
        maker.revision,
        tuple(map(kind, arguments)),
        tuple((name, kind(value)) for name, value in named.items()) if named else (),
    )
    choice = _CHOICES.get(key)
    if choice is None:
        choice = _CHOICES[key] = _chosen(record, arguments, named)
    operands = [_operand(record, step, arguments, named) for step in choice.steps]
    results = made(choice.use, operands)
    return (results[0] if len(results) == 1 else results) if results else None


@cache
def _takes_numbers(record: Record) -> bool:
    """Whether numbers are attributes of one of its forms, so that they decide which is meant."""
    return any(not attr.values for form in record.forms for attr in form.attrs)


def _kind(value: Any) -> Any:
    """What of an argument decides how it is used: its type; a word or an element type itself."""
    if isinstance(value, KernelValue):
        return value.type
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(_kind, value))
    return value if isinstance(value, (str, type)) else type(value)


def _kind_of_numbered(value: Any) -> Any:
    # True is not 1: it is a number of another kind.
    return (type(value), value) if isinstance(value, int) else _kind(value)


def _chosen(record: Record, arguments: Sequence[Any], named: Mapping[str, Any]) -> ChosenCall:
    """Of the form that fits; Misuse of the one that comes nearest."""
    wrong: list[tuple[int, Misuse]] = []
    for form in call_forms(record):
        fitting = Fitting(record, form)
        try:
            return fitting.fit(arguments, named)
        except Decided:
            raise
        except Misuse as error:
            wrong.append((fitting.progress, error))
    raise max(wrong, key=lambda found: found[0])[1]


def _operand(
    record: Record, step: OperandStep, arguments: Sequence[Any], named: Mapping[str, Any]
) -> KernelValue:
    if step.every:
        return wrapped(Mask(step.every), current().all_lanes(step.every))
    at = step.place.argument
    value = named[at] if isinstance(at, str) else arguments[at]
    for part in step.place.within:
        # A clause of one value is written without a tuple.
        value = value[part] if isinstance(value, (tuple, list)) else value
    if step.scalar is None:
        return value
    of = step.range
    if of is not None and of.is_int and not in_range(of, value):
        raise Misuse(
            f"{step.name} of {python_name(record)} cannot be {value}",
            found=str(value),
            expected=f"{range_text(of)}, as {of}",
        )
    return convert(value, step.scalar)


@cache
def function(name: str) -> Callable[..., Any]:
    """The function of an instruction, by its name in Python; KeyError otherwise."""
    record = BY_NAME[name]

    def made_now(*arguments: Any, **named: Any) -> Any:
        return call(record, *arguments, **named)

    made_now.__name__ = made_now.__qualname__ = name
    made_now.__module__ = "ptoscope.pto"
    made_now.__doc__ = docstring(record)
    vars(made_now)["__signature__"] = signature(record)
    return made_now
