"""What `import ptoscope` gives is typed: no annotation is missing, and none says Any.

From the public names on, through everything that their annotations name in this package.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import ptoscope

# How an engine runs an instruction is between the engines and the records.
_OPEN = ("ptoscope.isa.record.Record.meaning",)


@functools.cache
def _only_for_types(module: str) -> dict[str, Any]:
    """The names that a module imports for type checkers alone."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    guarded = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {
        alias.asname or alias.name: getattr(importlib.import_module(node.module), alias.name)
        for guard in guarded
        for node in guard.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _hints(thing: Any) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for base in reversed(getattr(thing, "__mro__", (thing,))):
        if base.__module__.startswith("ptoscope"):
            names |= vars(sys.modules[base.__module__]) | _only_for_types(base.__module__)
    return typing.get_type_hints(thing, names)


def _parts(hint: Any) -> Iterator[Any]:
    """An annotation and all that it is made of; the elements of an array may be of any type."""
    yield hint
    if typing.get_origin(hint) is np.ndarray:
        return
    for part in typing.get_args(hint):
        if isinstance(part, list):
            for one in typing.cast(list[Any], part):
                yield from _parts(one)
        else:
            yield from _parts(part)


def _of_function(function: FunctionType) -> dict[str, Any]:
    """The annotations of a function by name; what is missing is None."""
    hints = _hints(function)
    names = [
        name
        for number, (name, parameter) in enumerate(inspect.signature(function).parameters.items())
        if not (number == 0 and name in ("self", "cls"))
    ]
    return {name: hints.get(name) for name in names} | {"return": hints.get("return", "missing")}


def _of_class(kind: type) -> dict[str, Any]:
    found: dict[str, Any] = dict(_hints(kind))
    found = {name: hint for name, hint in found.items() if not name.startswith("_")}
    for name, member in vars(kind).items():
        if name.startswith("_") and name not in ("__init__", "__call__"):
            continue
        if isinstance(member, property):
            member = member.fget
        elif isinstance(member, functools.cached_property):
            member = typing.cast(Any, member).func
        elif isinstance(member, (staticmethod, classmethod)):
            member = typing.cast(Any, member).__func__
        if name == "__init__" and (
            dataclasses.is_dataclass(kind) or getattr(kind, "_is_protocol", False)
        ):
            continue
        if isinstance(member, FunctionType):
            for parameter, hint in _of_function(member).items():
                found[f"{name}({parameter})"] = hint
    return found


def _annotations() -> dict[str, Any]:
    """Every annotation that the public names lead to."""
    waiting = [(f"ptoscope.{name}", getattr(ptoscope, name)) for name in ptoscope.__all__]
    seen: set[Any] = set()
    found: dict[str, Any] = {}
    while waiting:
        name, thing = waiting.pop()
        # What the language of kernels gives is typed by its stub.
        if thing in seen or isinstance(thing, (str, ModuleType)):
            continue
        seen.add(thing)
        hints = _of_class(thing) if isinstance(thing, type) else _of_function(thing)
        for part, hint in hints.items():
            found[f"{name}.{part}"] = hint
            for piece in _parts(hint):
                if isinstance(piece, type) and piece.__module__.startswith("ptoscope."):
                    waiting.append((f"{piece.__module__}.{piece.__name__}", piece))
    return found


def test_no_annotation_is_missing_and_none_says_any() -> None:
    found = _annotations()
    assert "ptoscope.load.return" in found
    unknown = [
        name
        for name, hint in found.items()
        if hint is None or hint == "missing" or any(part is Any for part in _parts(hint))
    ]
    assert sorted(unknown) == sorted(_OPEN)


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(ptoscope.__file__).parent / "py.typed").is_file()
