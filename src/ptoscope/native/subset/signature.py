"""How functions of the compiled part of Python are called: what kinds of values they take."""

from __future__ import annotations

import inspect
import types
from dataclasses import dataclass

INTEGER, POINTER, ARRAY, NARROW, MEMORY = "i64", "ptr", "array", "narrow", "memory"
ARRAYS = (ARRAY, NARROW)
_KINDS = {
    "int": INTEGER,
    "bool": INTEGER,
    "Address": POINTER,
    "Ints": ARRAY,
    "Ints32": NARROW,
    "RawMemory": MEMORY,
}
# An element of an array is Any to type checkers.
_RESULTS = {"int": INTEGER, "Any": INTEGER, "bool": INTEGER, "None": INTEGER, "Address": POINTER}


@dataclass(frozen=True)
class CallSignature:
    """How a function is called: what kind each parameter and the result is."""

    parameters: tuple[str, ...]
    returns: str
    """As Python annotates it: `int` (or `Any`), `bool`, `Address` or `None`."""

    @staticmethod
    def of(function: types.FunctionType) -> CallSignature:
        """SyntaxError if its annotations do not say."""
        named = {
            name: kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
            for name, kind in inspect.get_annotations(function).items()
        }
        result = named.pop("return", "")
        code = function.__code__
        parameters = code.co_varnames[: code.co_argcount]
        if list(named) != list(parameters) or not set(named.values()) <= set(_KINDS):
            raise SyntaxError(f"{function.__name__}: not compiled: parameters {named}")
        if result not in _RESULTS:
            raise SyntaxError(f"{function.__name__}: not compiled: result {result or 'unknown'}")
        kinds = tuple(_KINDS[kind] for kind in named.values())
        return CallSignature(kinds, result)

    @property
    def result(self) -> str:
        """The LLVM type of the result; what gives nothing gives 0."""
        return _RESULTS[self.returns]

    @property
    def passed(self) -> tuple[str, ...]:
        """The kinds of parameters there are in machine code."""
        return tuple(kind for kind in self.parameters if kind != MEMORY)
