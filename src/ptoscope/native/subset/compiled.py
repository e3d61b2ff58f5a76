"""Functions over integers and memory, written in Python and run as machine code.

`@compiled` takes a function in a small part of Python:

- Parameters are annotated `int`, `Address` (an integer too), `bool`, `Ints` (an array of 64-bit
  integers), `Ints32` (of 32-bit ones) or `RawMemory`; the result is an `int`, `bool` or
  `Address`, or nothing. Locals are integers of 64 bits: the two agree as long as no number
  leaves them, or the array that it is stored in.
- Statements are `while`, `for ... in range(...)` of one or two bounds, `if`, `break`,
  `continue`, `return`, assignments to names and elements, and calls.
- Expressions are integer operators; comparisons, also in a row (`0 <= a < b`), `and`, `or`,
  `not`, which as values are 0 or 1; `a if c else b`; `min` and `max` of two; integer constants
  of its module or of a module it imports. Division is of numbers that are not negative, or of
  any by a constant power of two, where it rounds down as Python does.
- It may call other compiled functions, plain functions of this same part of Python with
  annotated parameters, by name or as `module.name`, and functions `in_llvm`; and the operations
  of `RawMemory`.

The same function runs in Python too (`.python`), with those it calls: that is what tests
compare. Anything else is a SyntaxError.
"""

from __future__ import annotations

import ctypes
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ptoscope.native import cache, jit
from ptoscope.native.subset.expressions import INTRINSICS
from ptoscope.native.subset.in_llvm import LlvmTextFunction
from ptoscope.native.subset.lowering import Writer
from ptoscope.native.subset.memory import LINE_BYTES
from ptoscope.native.subset.signature import ARRAYS, MEMORY, NARROW, POINTER, CallSignature
from ptoscope.once import MakingLock, once_property

Ints = np.ndarray[Any, np.dtype[Any]]
"""An array of int64."""
Ints32 = np.ndarray[Any, np.dtype[Any]]
"""An array of int32."""


class CompiledFunction:
    """A function as machine code, made at the first call and kept on disk."""

    def __init__(self, function: Callable[..., Any], cold: bool = False) -> None:
        assert isinstance(function, types.FunctionType)
        self.function = function
        self.cold = cold
        self.__doc__ = function.__doc__
        self.name = function.__name__
        self._making = MakingLock()
        self._call: Any = None
        self._library: Any = None

    @once_property
    def python(self) -> Callable[..., Any]:
        """The same in Python, all the way down."""
        return _twin(self.function)

    @once_property
    def signature(self) -> CallSignature:
        """How it is called."""
        return CallSignature.of(self.function)

    def __call__(self, *values: Any) -> Any:
        """Calls it. Arrays are of int64 and contiguous, and are written in place; memory is
        the process's own, whatever is given for it."""
        call = self._call or self._loaded()
        kinds = self.signature.parameters
        result = call(
            *(
                _address(value, kind) if kind in ARRAYS else int(value)
                for kind, value in zip(kinds, values, strict=True)
                if kind != MEMORY
            )
        )
        return None if self.signature.returns == "None" else result

    def _loaded(self) -> Any:
        with self._making:
            if self._call is None:
                self._load()
            return self._call

    def _load(self) -> None:
        text = module_text([self])
        key = cache.key("subset", self.name, text, str(jit.host()))
        code = cache.read(key)
        if code is None:
            code = jit.optimised(text)
            cache.write(key, code)
        self._library = jit.linked((code,), (self.name,), jit.library_calls())
        kinds = [
            ctypes.c_void_p if kind in ARRAYS else ctypes.c_int64
            for kind in self.signature.parameters
            if kind != MEMORY
        ]
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self._library[self.name])

    def machine_code(self) -> bytes:
        """Its object file, made now."""
        return jit.optimised(module_text([self]))


def compiled(function: Callable[..., Any]) -> CompiledFunction:
    """The function as machine code."""
    return CompiledFunction(function)


def rarely_called(function: Callable[..., Any]) -> CompiledFunction:
    """The same; where others call it, code is laid out as if they never did."""
    return CompiledFunction(function, cold=True)


def module_text(exported: Iterable[CompiledFunction]) -> str:
    """LLVM text of functions and of those they call, which are seen by this module alone."""
    first = list(exported)
    written: dict[str, tuple[Any, str]] = {}
    waiting: list[Any] = list(first)
    while waiting:
        one = waiting.pop()
        function = _plain(one)
        name = function.__name__
        if name in written:
            if written[name][0] is not function:
                raise SyntaxError(f"two functions called {name} in one module")
            continue
        if isinstance(one, LlvmTextFunction):
            written[name] = (function, one.text(name))
            continue
        writer = Writer(function, _plain)
        linkage = "" if one in first else "internal "
        attributes = " alwaysinline"
        if isinstance(one, CompiledFunction):
            # On a line of the cache, so that how fast it is does not depend on its neighbours.
            attributes = " cold noinline" if one.cold else f" align {LINE_BYTES}"
        written[name] = (function, writer.text(linkage, attributes))
        waiting.extend(writer.called)
    return "\n".join((INTRINSICS, *(text for _, text in written.values())))


def declared(function: CompiledFunction) -> str:
    """Its declaration, for other modules that call it."""
    kinds = ", ".join(POINTER if k in ARRAYS else k for k in function.signature.passed)
    return f"declare {function.signature.result} @{function.name}({kinds})"


def _plain(value: object) -> Any:
    """The Python function of something that may be called; None if it is none."""
    if isinstance(value, (CompiledFunction, LlvmTextFunction)):
        return value.function
    return value if isinstance(value, types.FunctionType) else None


def _twin(function: types.FunctionType) -> types.FunctionType:
    """A function that calls Python where it would call machine code."""
    around = dict(function.__globals__)
    for name in function.__code__.co_names:
        called = _plain(around.get(name))
        if isinstance(around.get(name), LlvmTextFunction):
            # It may use all of Python, and is what it is.
            around[name] = called
        elif called is not None:
            around[name] = _twin(called)
    return types.FunctionType(function.__code__, around, function.__name__)


def _address(array: Any, kind: str) -> int:
    wanted = np.dtype(np.int32 if kind == NARROW else np.int64)
    if array.dtype != wanted or not array.flags.c_contiguous:
        raise TypeError(f"an array of {array.dtype}; it has to be of {wanted} and contiguous")
    return array.ctypes.data
