"""A core that passes every word on, but for the one that a plan changes.

It knows no method by name: an argument is changed as its type allows, so that a new word of
`Core` is covered from the start.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.isa.dtypes import I1, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES, PIPES
from ptoscope.isa.record import Site
from tests.witness.changed_lanes import another_constant, bare, constant_changes, heard, like
from tests.witness.plan import Plan

Other = dict[str, Callable[[], Any]]
"""What may stand in place of a value, by the name of the change."""


def _lanes(value: Any) -> Other:
    if value.dtype is I1:
        flipped = {"inverted": lambda: value.bitwise("xor", value.const(1))}
        if value.count == 1:
            return flipped
        return {**flipped, "all set": lambda: value.bitwise("or", value.const(1))}
    if value.count > 1:
        return {"rotated": lambda: value.shuffle((*range(1, value.count), 0))}
    if value.dtype.is_float:
        return {"+1": lambda: value + value.const(1.0)}
    return {f"+{n}": lambda n=n: value.arith("add", value.const(n)) for n in (1, 32)}


def _access(value: Access) -> Other:
    def moved(by: int) -> Access:
        offsets = tuple(o if o == NOTHING else o + by for o in value.offsets)
        return Access(offsets, value.width, value.alignment)

    turned = (*value.offsets[1:], value.offsets[0])
    out: Other = {
        "next element": lambda: moved(value.width),
        "alignment doubled": lambda: Access(value.offsets, value.width, 2 * value.alignment),
    }
    if turned != value.offsets:
        out["rotated"] = lambda: Access(turned, value.width, value.alignment)
    if value.alignment > 1:
        out["alignment halved"] = lambda: Access(value.offsets, value.width, value.alignment // 2)
    return out


def _text(value: str) -> Other:
    if value in PIPES:
        return {"another pipe": lambda: PIPES[(PIPES.index(value) + 1) % len(PIPES)]}
    if value in MEMORIES:
        return {"other memory": lambda: "gm" if value == "ub" else "ub"}
    return {"another name": lambda: f"{value} '"}


def _others(value: Any) -> Other:
    """What a change may put in place of a value of any type."""
    match value:
        case Lanes():
            return _lanes(value)
        case Access():
            return _access(value)
        case bool():
            return {"flipped": lambda: not value}
        case int():
            return {"+1": lambda: value + 1, "-1": lambda: value - 1}
        case str():
            return _text(value)
        case tuple() if value and all(isinstance(v, bool) for v in value):
            out: Other = {"inverted": lambda: tuple(not v for v in value)}
            turned = (*value[1:], value[0])
            return {**out, "rotated": lambda: turned} if turned != value else out
        case tuple():
            names = getattr(value, "_fields", range(len(value)))
            return {
                f"{name} {how}": lambda i=i, make=make: like(
                    value, (*value[:i], make(), *value[i + 1 :])
                )
                for i, (name, part) in enumerate(zip(names, value, strict=True))
                for how, make in _others(part).items()
            }
        case _ if _holds_lanes(value):
            return _parts(value)
        case _:
            return {}


def _holds_lanes(value: Any) -> bool:
    """Whether an argument is made by the meaning: others describe, and are the same for all."""
    if isinstance(value, tuple):
        return any(isinstance(v, Lanes) or _holds_lanes(v) for v in value)
    if not is_dataclass(value) or isinstance(value, (Site, DType, type)):
        return False
    return any(_holds_lanes((getattr(value, f.name),)) for f in fields(value))


def _parts(value: Any) -> Other:
    return {
        f"{f.name} {how}": lambda f=f, make=make: replace(value, **{f.name: make()})
        for f in fields(value)
        if f.init
        for how, make in _others(getattr(value, f.name)).items()
    }


def _ways(name: str, arguments: dict[str, Any], silent: bool) -> dict[str, Other]:
    """Each change of a call, as the arguments to replace."""
    ways: dict[str, Other] = {}
    if name == "constant":
        dtype, value = arguments["dtype"], arguments["value"]
        for how in constant_changes(dtype, value):
            other = another_constant(value, how)
            ways[how] = {"value": lambda o=other: int(o) if dtype.is_int else o}
        return ways
    known = {n: v for n, v in arguments.items() if n not in ("site", "message", "code")}
    if name == "fits_field":
        known.pop("name")  # a part of the message
    if name in ("first_lanes", "iota"):
        known.pop("count")  # the shape of a register, not a part of the meaning
    for parameter, value in known.items():
        for how, make in _others(value).items():
            ways[f"{parameter} {how}"] = {parameter: make}
    rows = [n for n, v in known.items() if isinstance(v, Lanes)]
    for i, first in enumerate(rows):
        for second in rows[i + 1 :]:
            a, b = known[first], known[second]
            if (a.dtype, a.count) == (b.dtype, b.count):
                swap: Other = {first: lambda b=b: b, second: lambda a=a: a}
                ways[f"{first} and {second} swapped"] = swap
    if silent:
        ways["left out"] = {}
    return ways


def _word(name: str) -> Callable[..., Any]:
    signature = inspect.signature(getattr(Core, name))
    silent = signature.return_annotation in (None, "None")

    def call(self: Any, *values: Any, **named: Any) -> Any:
        plan: Plan = self.plan
        bound = signature.bind(self, *values, **named)
        arguments = {n: bare(v) for n, v in bound.arguments.items() if n != "self"}
        change = plan.step(
            f"core.{name}",
            arguments.get("value", "") if name == "constant" else "",
            lambda: tuple(_ways(name, arguments, silent)),
        )
        if change == "left out":
            return None
        if change:
            for parameter, make in _ways(name, arguments, silent).get(change, {}).items():
                arguments[parameter] = make()
        for parameter, value in arguments.items():
            arguments[parameter] = _listening(value, plan)
        return heard(getattr(self.inner, name)(**arguments), plan)

    return call


def _listening(value: Any, plan: Plan) -> Any:
    """An argument whose bodies, itself or its parts, go on under the plan."""
    if callable(value) and not isinstance(value, type):
        return plan.inside(_hearing(value, plan))
    if not is_dataclass(value) or not _holds_lanes(value):
        return value
    bodies = {f.name: getattr(value, f.name) for f in fields(value)}
    heard_ones = {
        name: plan.inside(_hearing(body, plan), number)
        for number, (name, body) in enumerate(bodies.items())
        if callable(body) and not isinstance(body, type)
    }
    return replace(value, **heard_ones) if heard_ones else value  # pyright: ignore[reportArgumentType]


def _hearing(body: Callable[..., Any], plan: Plan) -> Callable[..., Any]:
    return lambda *values: bare(body(*(heard(v, plan) for v in values)))


def _init(self: Any, inner: Any, plan: Plan) -> None:
    self.inner = inner
    self.plan = plan


_WORDS = [name for name, word in vars(Core).items() if name[0] != "_" and callable(word)]
ChangedCore: Any = type(
    "ChangedCore",
    (Core,),
    {"__init__": _init, **{name: _word(name) for name in _WORDS}},
)
