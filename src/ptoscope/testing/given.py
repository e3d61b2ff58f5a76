"""What a test gives a kernel, and what it expects of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ptoscope.arguments import (
    Argument,
    array_dtype,
    bind,
    copies,
    fits,
    in_order,
    parameter_position,
)
from ptoscope.diagnostics import UsageError
from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Ptr
from ptoscope.kernel import Kernel
from ptoscope.lang.kernel import Empty
from ptoscope.program import Function
from ptoscope.replay.elements import as_compared, has_numbers

Keyed = Mapping[int, ArrayLike] | Mapping[str, ArrayLike] | Mapping[int | str, ArrayLike]
ExpectedResults = ArrayLike | Keyed | Callable[..., Any]
"""What arguments should end as: arrays by position or name, the array of the last pointer, or a
function that gives either for the arguments."""


class GivenArguments:
    """Arguments of a test, which stay as they are."""

    def __init__(self, kernel: Kernel, arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
        """PtoError says all that is wrong with them."""
        program, self._function = kernel.signature.program, kernel.signature.function
        given = in_order(program, self._function, arguments, named)
        self._given = _allocated(self._function, given)
        self.bound = bind(program, self._function, self._given)

    def copies(self) -> list[Any]:
        """What to pass for a run: arrays in memory of their own, without their shapes."""
        return copies(self.bound)

    def shape(self, position: int) -> tuple[int, ...]:
        """The shape of the array that was given; of one that says none, its number of elements."""
        argument = self.bound[position]
        flat = (argument.data.nbytes // argument.dtype.bytes,)
        return tuple(int(side) for side in getattr(self._given[position], "shape", flat))

    def shaped(self, position: int, data: Any) -> Any:
        """An array of a run with the shape and the type of the one that was given."""
        given, dtype = self._given[position], self.bound[position].dtype
        kind = given.dtype if isinstance(given, np.ndarray) else array_dtype(dtype)
        return data.view(kind).reshape(self.shape(position))

    def for_numpy(self) -> list[Any]:
        """Copies as a function of NumPy arrays takes them."""
        flat = self.copies()
        return [
            one if argument.data is None else self.shaped(argument.position, one)
            for one, argument in zip(flat, self.bound, strict=True)
        ]

    def write(self, results: Sequence[Any]) -> None:
        """Writes the results of a run to the arrays that were given, where they can be written."""
        for argument, result in zip(self.bound, results, strict=True):
            if argument.data is not None and argument.writeable:
                argument.data[:] = result.view(np.uint8)
                argument.write_back()

    def position(self, key: int | str) -> int:
        """The parameter of a position or a name; UsageError if it is none of an array."""
        position = parameter_position(self._function, key)
        if self.bound[position].data is None:
            raise UsageError(f"%{self.bound[position].name} is no array")
        return position


def _allocated(function: Function, given: list[Any]) -> list[Any]:
    """Arguments with new arrays where `pto.empty` asks for them."""
    if len(given) != len(function.params):
        return given  # the count is wrong, which `bind` says
    found: list[Any] = []
    for one, slot in zip(given, function.params, strict=True):
        kind = function.types[slot]
        if isinstance(one, Empty) and isinstance(kind, Ptr):
            one = np.zeros(one.shape, array_dtype(kind.dtype))
        found.append(one)
    return found


class WantedArray(NamedTuple):
    """What an argument should end as: elements in the order of their memory, as numbers or, of a
    type that NumPy does not know, as bytes. `key` is what the test calls it."""

    key: int | str
    position: int
    elements: Any


@dataclass(frozen=True)
class WantedArrays:
    """What a test expects; `single`: of one array, which it does not name."""

    arrays: tuple[WantedArray, ...]
    single: bool

    def outputs(self, given: GivenArguments, results: Sequence[Any]) -> Any:
        """What arguments ended as, by the test's keys, or the one array."""
        found = {key: given.shaped(p, results[p]) for key, p, _ in self.arrays}
        return next(iter(found.values())) if self.single else found


def wanted_arrays(expected: ExpectedResults, given: GivenArguments) -> WantedArrays:
    """What a test expects; UsageError for what no argument can end as."""
    results: Any = expected
    if callable(expected):
        # NaN and infinity are inputs like others.
        with np.errstate(all="ignore"):
            results = expected(*given.for_numpy())
    single = not isinstance(results, Mapping)
    if single:
        arrays = [a for a in given.bound if a.data is not None]
        if not arrays:
            raise UsageError("the kernel has no array that could end as what is expected")
        results = {arrays[-1].name: results}
    found = [
        WantedArray(key, position, _elements(array, given.bound[position], key))
        for key, array in results.items()
        for position in [given.position(key)]
    ]
    return WantedArrays(tuple(found), single)


def _elements(array: Any, argument: Argument, key: int | str) -> Any:
    theirs = np.asarray(array)
    dtype: DType = argument.dtype
    size = argument.data.nbytes // dtype.bytes
    if theirs.size != size:
        raise UsageError(f"expected[{key!r}] has {theirs.size} elements, %{argument.name} {size}")
    dense = np.ascontiguousarray(theirs).reshape(-1)
    if fits(theirs.dtype, dtype):
        return as_compared(dtype, dense)
    is_number = theirs.dtype.kind in "biuf" or theirs.dtype.name in _EXTENSIONS
    if not has_numbers(dtype) or not is_number:
        raise UsageError(
            f"expected[{key!r}] is of {theirs.dtype}, %{argument.name} has {array_dtype(dtype)} "
            f"elements for {dtype}"
        )
    return dense


_EXTENSIONS = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
"""Types of ml_dtypes, which NumPy does not count as numbers."""
