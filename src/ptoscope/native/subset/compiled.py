"""Loops over integers, written in Python and run as machine code.

`@compiled` takes a function in a small part of Python: parameters annotated `int` or `Ints`
(an array of 64-bit integers), local integers, `while`, `for ... in range(...)`, `if`,
`break`, `continue`, `return`, assignments to names and elements, integer operators,
comparisons, `and`, `or`, `not`, `min` and `max` of two, calls of other such functions, and
integer constants of its module. Division is of numbers that are not negative. The same
function runs in Python too (`.python`), which is what its tests compare.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from ptoscope.native import cache, jit
from ptoscope.native.subset.lowering import Writer

Ints = np.ndarray[Any, np.dtype[Any]]
"""An array of int64."""


class CompiledFunction:
    """A function as machine code, made at the first call and kept on disk."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.python = function
        self.__doc__ = function.__doc__
        self.name = function.__name__
        self.parameters = list(inspect.signature(function).parameters)
        self.arrays = _arrays(function)
        self._call: Any = None
        self._library: Any = None

    def __call__(self, *values: Any) -> int:
        """Calls it. Arrays are of int64 and contiguous, and are written in place."""
        call = self._call or self._load()
        return call(
            *(
                _address(value) if name in self.arrays else int(value)
                for name, value in zip(self.parameters, values, strict=True)
            )
        )

    def _load(self) -> Any:
        key = cache.key("subset", self.name, self.text(), str(jit.host()))
        code = cache.read(key)
        if code is None:
            code = self.machine_code()
            cache.write(key, code)
        self._library = jit.linked(code, (self.name,), jit.library_calls())
        kinds = [ctypes.c_void_p if p in self.arrays else ctypes.c_int64 for p in self.parameters]
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self._library[self.name])
        return self._call

    def machine_code(self) -> bytes:
        """Its object file, made now."""
        return _object(self.text())

    def text(self) -> str:
        """Its LLVM text, with that of the functions it calls."""
        done: dict[str, str] = {}
        waiting: list[CompiledFunction] = [self]
        while waiting:
            one = waiting.pop()
            if one.name not in done:
                writer = Writer(one.python, one.arrays, _find)
                done[one.name] = writer.text(exported=one is self)
                waiting.extend(one.python.__globals__[name] for name in writer.called)
        return "\n".join(done.values())


def compiled(function: Callable[..., Any]) -> CompiledFunction:
    """The function as machine code."""
    return CompiledFunction(function)


def _find(value: object) -> list[str] | None:
    """How a call of another compiled function passes its arguments; None if it is none."""
    if not isinstance(value, CompiledFunction):
        return None
    return ["ptr" if name in value.arrays else "i64" for name in value.parameters]


def _arrays(function: Callable[..., Any]) -> set[str]:
    kinds = inspect.get_annotations(function)
    return {name for name, kind in kinds.items() if kind in ("Ints", Ints)}


def _address(array: Any) -> int:
    if array.dtype != np.int64 or not array.flags.c_contiguous:
        raise TypeError(f"an array of {array.dtype}; it has to be of int64 and contiguous")
    return array.ctypes.data


def _object(text: str) -> bytes:
    host = jit.host()
    machine = llvm.Target.from_triple(host.triple).create_target_machine(
        cpu=host.cpu, features=host.features, opt=2, reloc="pic", codemodel="small", jit=True
    )
    module = llvm.parse_assembly(text)
    module.triple = host.triple
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)
