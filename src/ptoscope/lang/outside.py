"""The values that a kernel takes from outside, and whether they are still the same.

Compiling a kernel evaluates names of its module, of functions around it, and attributes of modules,
classes and objects, also in its helpers and in plain functions that it calls. What they are is part
of what is compiled: a call looks at them again, and compiles anew where one has changed. What a
value that can change in place contains is compared as `fingerprint` tells it. Names of ptoscope
itself, and functions of Python's library and of installed packages, count as constant.
"""

from __future__ import annotations

import dis
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ptoscope.lang.fingerprint import MISSING, fingerprint, in_cell, is_immutable

_INSTALLED = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_OWN_STATE = frozenset({"builtins", "numpy"})
"""Modules of types whose objects have no attributes but those that a fingerprint covers."""


class OutsideValues:
    """The values that one compilation has read, each as it was when it was read first."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, str], tuple[Mapping[str, Any], str, Any]] = {}
        """Constant values in dictionaries, with their names."""
        self._reads: dict[tuple[int, str], tuple[Callable[[], Any], Any, Any]] = {}
        """How to read any other value again, the value where it is constant, and its
        fingerprint."""
        self._kept: list[Any] = []
        """The owners of what is read: their ids are keys."""
        self._followed: set[tuple[int, ...]] = set()

    def unchanged(self) -> bool:
        """True if every value is the one that was read."""
        for mapping, name, value in self._names.values():
            now = mapping.get(name, MISSING)
            if now is not value and not _are_equal(now, value):
                return False
        for read, value, seen in self._reads.values():
            now = read()
            if now is not value and fingerprint(now) != seen:
                return False
        return True

    def name(self, function: Callable[..., Any], name: str) -> Any:
        """The value of a name that is not local to a function; MISSING if it has none."""
        function = getattr(function, "__func__", function)
        cell = _cells(function).get(name)
        if cell is not None:
            return self._read(cell, name, lambda: in_cell(cell))
        found = self._named(function.__globals__, name)
        if found is not MISSING:
            return found
        return self._named(function.__builtins__, name)

    def attribute(self, owner: Any, name: str) -> None:
        """Notes that an attribute was read."""
        if isinstance(owner, ModuleType):
            if not _is_own(owner.__name__):
                self._attribute_of_module(owner, name)
        elif not _is_covered(owner):
            self._read(owner, name, lambda: _attribute(owner, name))

    def called(self, value: Any) -> None:
        """Notes what a function, a method or a class that is called may read from outside."""
        if isinstance(value, MethodType):
            self._follow(value.__func__, type(value.__self__))
        elif isinstance(value, FunctionType):
            self._follow(value)
        elif isinstance(value, type):
            for each in vars(value).values():
                self._follow(each, value)
        elif callable(value):
            self._follow(type(value).__call__, type(value))

    def defaults(self, function: Callable[..., Any]) -> None:
        """Notes the defaults of a function's parameters that can change in place."""
        if not isinstance(function, FunctionType) or _is_own(function.__module__):
            return
        for which in ("__defaults__", "__kwdefaults__"):
            if not is_immutable(getattr(function, which)):
                self._read(function, which, lambda which=which: getattr(function, which))

    def _named(self, names: Mapping[str, Any], name: str) -> Any:
        return self._read(names, name, lambda: names.get(name, MISSING), names)

    def _attribute_of_module(self, module: ModuleType, name: str) -> None:
        if name in vars(module):
            self._named(vars(module), name)
        else:
            self._read(module, name, lambda: _attribute(module, name))

    def _read(
        self,
        owner: Any,
        name: str,
        read: Callable[[], Any],
        names: Mapping[str, Any] | None = None,
    ) -> Any:
        value = read()
        key = id(owner), name
        if key in self._names or key in self._reads:
            return value
        self._kept.append(owner)
        if not _is_constant(value):
            self._reads[key] = read, None, fingerprint(value)
        elif names is None:
            self._reads[key] = read, value, fingerprint(value)
        else:
            self._names[key] = names, name, value
        self.called(value)
        return value

    def _follow(self, function: Any, *owners: type) -> None:
        """Notes the names that the code of a function reads, and attributes by their names."""
        if not isinstance(function, FunctionType):
            return
        key = tuple(map(id, (function, *owners)))
        if key in self._followed:
            return
        self._followed.add(key)
        self._kept.append(function)
        if _is_own(function.__module__) or function.__code__.co_filename.startswith(_INSTALLED):
            return
        self.defaults(function)
        names, attributes = _names_of(function.__code__)
        values = [self.name(function, name) for name in names]
        for owner in (*owners, *values):
            if isinstance(owner, (ModuleType, type)):
                for name in attributes.intersection(dir(owner)):
                    self.attribute(owner, name)


def _is_constant(value: Any) -> bool:
    """True if a value stays what it is as long as it is the same object, beside what is noted of
    functions."""
    return is_immutable(value) or isinstance(value, FunctionType) or _is_own(type(value).__module__)


def _are_equal(now: Any, before: Any) -> bool:
    return _is_constant(now) and fingerprint(now) == fingerprint(before)


def _is_covered(owner: Any) -> bool:
    """True if no attribute of an object changes unless its fingerprint does."""
    if isinstance(owner, FunctionType):
        return False
    module = owner.__module__ if isinstance(owner, type) else type(owner).__module__
    return module in _OWN_STATE or _is_own(module)


def _is_own(module: str | None) -> bool:
    return module is not None and (module == "ptoscope" or module.startswith("ptoscope."))


def _cells(function: Any) -> dict[str, CellType]:
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _attribute(owner: Any, name: str) -> Any:
    """An attribute as it is now. A method is the function that it calls: the object has its own
    fingerprint where it is read."""
    try:
        found = getattr(owner, name)
    except Exception:
        return MISSING
    return found.__func__ if isinstance(found, MethodType) else found


def _names_of(code: CodeType) -> tuple[set[str], set[str]]:
    """The names from outside that code reads, and those of attributes."""
    names, attributes = set(code.co_freevars), set[str]()
    for each in _codes(code):
        for step in dis.get_instructions(each):
            if step.opname == "LOAD_GLOBAL":
                names.add(step.argval)
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                attributes.add(step.argval)
    return names, attributes


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)
