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

from ptoscope.lang.fingerprint import Identity, fingerprint, is_immutable

MISSING = Identity(None)
"""Stands for the value of a name that has none."""
_INSTALLED = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_OWN_STATE = frozenset({"builtins", "numpy"})
"""Modules of types whose objects have no attributes but those that a fingerprint covers."""


class OutsideValues:
    """The values that one compilation has read, each as it was when it was read first."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, str], tuple[Mapping[str, Any], str, Any]] = {}
        """Values that cannot change in place, by the dictionary and the name they are under."""
        self._reads: dict[tuple[int, str], tuple[Callable[[], Any], Any]] = {}
        """How to read the others again, and the fingerprints of their values."""
        self._kept: list[Any] = []
        """The owners of what is read: their ids are keys."""
        self._followed: set[tuple[int, ...]] = set()

    def unchanged(self) -> bool:
        """True if every value is the one that was read."""
        for mapping, name, value in self._names.values():
            if mapping.get(name, MISSING) is not value:
                now = mapping.get(name, MISSING)
                if not is_immutable(now) or fingerprint(now) != fingerprint(value):
                    return False
        return all(fingerprint(read()) == seen for read, seen in self._reads.values())

    def name(self, function: Callable[..., Any], name: str) -> Any:
        """The value of a name that is not local to a function; MISSING if it has none."""
        function = getattr(function, "__func__", function)
        cell = _cells(function).get(name)
        if cell is not None:
            return self._read(cell, name, lambda: _in_cell(cell))
        found = self._named(function.__globals__, name)
        if found is not MISSING:
            return found
        return self._named(function.__builtins__, name)

    def attribute(self, owner: Any, name: str) -> None:
        """Notes that an attribute was read."""
        if isinstance(owner, ModuleType):
            if not _is_own(owner.__name__):
                self._attribute_of_module(owner, name)
        elif not _is_constant(owner):
            self._read(owner, name, lambda: _attribute(owner, name))

    def called(self, value: Any) -> None:
        """Notes what a function, a method or a class that is called may read from outside."""
        if isinstance(value, MethodType):
            self._follow(value.__func__, type(value.__self__))
        elif isinstance(value, FunctionType):
            self._follow(value)
        elif isinstance(value, type) and not _is_own(value.__module__):
            for each in vars(value).values():
                if isinstance(each, FunctionType):
                    self._follow(each, value)

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
        if names is not None and (is_immutable(value) or _is_own(type(value).__module__)):
            self._names[key] = names, name, value
        else:
            self._reads[key] = read, fingerprint(value)
        self.called(value)
        return value

    def _follow(self, function: Any, *owners: type) -> None:
        """Notes the names that the code of a function reads, and attributes by their names."""
        key = tuple(map(id, (function, *owners)))
        if not isinstance(function, FunctionType) or key in self._followed:
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


def _is_constant(owner: Any) -> bool:
    """True if no attribute of an object changes unless its fingerprint does."""
    if isinstance(owner, FunctionType):
        return False
    module = owner.__module__ if isinstance(owner, type) else type(owner).__module__
    return module in _OWN_STATE or _is_own(module)


def _is_own(module: str | None) -> bool:
    return module is not None and (module == "ptoscope" or module.startswith("ptoscope."))


def _cells(function: Any) -> dict[str, CellType]:
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _in_cell(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


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
