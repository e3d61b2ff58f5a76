"""Arguments of a launch: what a caller passes, checked at the door."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, SupportsIndex

import numpy as np

from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.dlpack import HasDLPack, borrowed
from ptoscope.isa.dtypes import DType
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.program import Function, Program

COUNT = "PTO0801"
WRONG_DTYPE = "PTO0802"
NOT_AN_ARRAY = "PTO0803"
WRONG_SCALAR = "PTO0804"


class HasArrayInterface(Protocol):
    """An array of another library, which NumPy sees through its interface."""

    @property
    def __array_interface__(self) -> Mapping[str, object]: ...


Array = np.ndarray[tuple[int, ...], np.dtype[np.generic]]
KernelArgument = Array | HasArrayInterface | HasDLPack | np.generic | int | float
"""What a parameter of a kernel takes: a pointer an array, a scalar a number."""


def _nothing() -> None:
    """The caller sees the bytes as they are."""


@dataclass
class Argument:
    """One bound argument: a scalar, or an array seen as dense bytes.

    `write_back` carries the bytes to the caller's array where that was not dense.
    """

    name: str
    dtype: DType
    position: int
    value: int | float | None = None
    data: Any = None
    writeable: bool = True
    write_back: Callable[[], None] = _nothing


def array_dtype(dtype: DType) -> np.dtype[Any]:
    """The NumPy dtype of a caller's array of these elements."""
    if dtype.array in np.sctypeDict:
        return np.dtype(dtype.array)
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, dtype.array))


def in_order(
    program: Program, function: Function, arguments: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    """Arguments in the order of the parameters, those that are given by name among them;
    PtoError for a name that no parameter has, for one given twice and for one that is missing."""
    if not named:
        return list(arguments)
    names = [function.names[slot] for slot in function.params]
    found = dict(zip(names, arguments, strict=False)) | dict(named)
    wrong = [f"there is no parameter %{name}" for name in named if name not in names]
    wrong += [f"%{name} is given twice" for name in names[: len(arguments)] if name in named]
    wrong += [f"%{name} is missing" for name in names if name not in found]
    if wrong or len(arguments) > len(names):
        total = len(arguments) + len(named)
        raise _count(program, function, f"{total} arguments: {'; '.join(wrong)}".rstrip(": "))
    return [found[name] for name in names]


def parameter_position(function: Function, key: int | str) -> int:
    """The position of a parameter by its position or its name; UsageError if there is none."""
    names = [function.names[slot] for slot in function.params]
    if isinstance(key, str) and key.removeprefix("%") in names:
        return names.index(key.removeprefix("%"))
    if isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(names):
        return key
    raise UsageError(f"@{function.name} has no parameter {key}")


def _count(program: Program, function: Function, found: str) -> PtoError:
    signature = ", ".join(
        f"%{function.names[slot]}: {function.types[slot]}" for slot in function.params
    )
    return PtoError(
        [
            program.diagnostic(
                COUNT,
                function.span,
                f"@{function.name} takes {len(function.params)} arguments",
                found=found,
                expected=f"({signature})",
                hint="pass one argument per parameter, in order or by name",
            )
        ]
    )


def bind(program: Program, function: Function, arguments: Sequence[Any]) -> list[Argument]:
    """Arguments in the order of the parameters; PtoError says all that is wrong with them."""
    if len(arguments) != len(function.params):
        raise _count(program, function, f"{len(arguments)} arguments")
    bound: list[Argument] = []
    wrong: list[Diagnostic] = []
    for position, (slot, given) in enumerate(zip(function.params, arguments, strict=True)):
        kind, name = function.types[slot], function.names[slot]
        try:
            if isinstance(kind, Ptr):
                bound.append(_bind_array(name, kind.dtype, position, given))
            elif isinstance(kind, Scalar):
                bound.append(_bind_scalar(name, kind.dtype, position, given))
        except _Wrong as error:
            wrong.append(
                program.diagnostic(
                    error.code,
                    function.span,
                    f"argument {position} (%{name}): {error.message}",
                    found=error.found,
                    expected=error.expected,
                    hint=error.hint,
                )
            )
    if wrong:
        raise PtoError(wrong)
    return bound


class _Wrong(Exception):
    def __init__(
        self, code: str, message: str, found: str, expected: str = "", hint: str = ""
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.found = code, message, found
        self.expected, self.hint = expected, hint


def _bind_array(name: str, dtype: DType, position: int, given: Any) -> Argument:
    array = _as_array(given, dtype)
    if not fits(array.dtype, dtype):
        raise _Wrong(
            WRONG_DTYPE,
            "the array has other elements than the pointer",
            found=f"{array.dtype} array of shape {array.shape}",
            expected=f"{array_dtype(dtype)} elements for {dtype}",
            hint=f"convert it with .astype, or reinterpret it with .view({array_dtype(dtype)})",
        )
    if array.flags.c_contiguous:
        data = array.reshape(-1).view(np.uint8)
        return Argument(name, dtype, position, data=data, writeable=array.flags.writeable)
    dense = np.ascontiguousarray(array)
    before, bits = dense.copy(), np.dtype(f"u{dtype.bytes}")

    def write_back() -> None:
        # Only what the kernel changed: an array that shares memory with this one may have
        # been written meanwhile.
        if array.flags.writeable:
            changed = dense.view(bits) != before.view(bits)
            np.copyto(array.view(bits), dense.view(bits), where=changed)

    data = dense.reshape(-1).view(np.uint8)
    return Argument(
        name,
        dtype,
        position,
        data=data,
        writeable=array.flags.writeable,
        write_back=write_back,
    )


def _as_array(given: Any, dtype: DType) -> Any:
    # Nobody has a masked array without this module, which takes long to load: another thread may
    # be at it, and have no class yet.
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    if masked is not None and isinstance(given, masked):
        raise _Wrong(
            NOT_AN_ARRAY,
            "a masked array says of some elements that they are not there",
            found=f"{given.dtype} masked array of shape {given.shape}",
            expected="an array with all its elements",
            hint="pass its .data, or what .filled(value) gives",
        )
    if isinstance(given, np.ndarray):
        return np.asarray(given)
    try:
        if hasattr(given, "__array_interface__"):
            return np.asarray(given)
        if hasattr(given, "__dlpack__"):
            return borrowed(given)
    except (TypeError, ValueError, RuntimeError, BufferError, AttributeError) as error:
        raise _Wrong(
            NOT_AN_ARRAY,
            "the array cannot be shared",
            found=str(error),
            expected=f"an array of {array_dtype(dtype)} in the memory of this computer",
            hint="pass one of NumPy; of a tensor, what .detach().cpu().numpy() gives",
        ) from None
    raise _Wrong(
        NOT_AN_ARRAY,
        "a pointer parameter needs an array",
        found=f"{type(given).__name__} {given!r:.40}",
        expected=f"an array of {array_dtype(dtype)}",
    )


def fits(given: np.dtype[Any], dtype: DType) -> bool:
    """Whether an array of this type serves a pointer to these elements: the same type; or raw
    unsigned or opaque items of the width for a type NumPy lacks; or either sign for a signless
    integer."""
    wanted = array_dtype(dtype)
    if given == wanted:
        return True
    if given.itemsize != dtype.bytes or not given.isnative:
        return False
    if dtype.is_int:
        return dtype.signless and given.kind in "iu"
    is_extension = dtype.storage != dtype.array
    return is_extension and given.kind in "uV" and given.fields is None


def _bind_scalar(name: str, dtype: DType, position: int, given: Any) -> Argument:
    if isinstance(given, np.generic) or (isinstance(given, np.ndarray) and given.ndim == 0):
        given = given.item()
    if isinstance(given, bool):
        given = int(given)
    wanted = "an integer" if dtype.is_int else "a number"
    if not isinstance(given, (int, float)) or (dtype.is_int and not isinstance(given, int)):
        raise _Wrong(
            WRONG_SCALAR,
            f"a parameter of type {dtype} needs {wanted}",
            found=f"{type(given).__name__} {given!r:.40}",
            expected=wanted,
        )
    if dtype.is_int:
        low, high = integer_range(dtype)
        if not low <= given <= high:
            raise _Wrong(
                WRONG_SCALAR,
                f"the number does not fit {dtype}",
                found=_shown(int(given)),
                expected=f"{low} to {high}",
            )
        return Argument(name, dtype, position, value=int(given))
    number = _finite(given)
    with np.errstate(all="ignore"):
        if number is None or (math.isinf(array_dtype(dtype).type(number)) and number - number == 0):
            raise _Wrong(
                WRONG_SCALAR,
                f"the number does not fit {dtype}",
                found=f"{given:.6g}" if isinstance(given, float) else _shown(given),
                expected=f"a number that {dtype} has, or inf",
            )
    return Argument(name, dtype, position, value=number)


def _finite(given: int | float) -> float | None:
    """Returns a number as a float; None for an integer that is too large."""
    try:
        return float(given)
    except OverflowError:
        return None


def integer_range(dtype: DType) -> tuple[int, int]:
    """The least and the greatest integer that a parameter takes."""
    # A signless integer may be given by either reading of its bits.
    low = -(1 << (dtype.bits - 1)) if dtype.signed else 0
    unsigned_too = dtype.signless or not dtype.signed
    return low, (1 << dtype.bits) - 1 if unsigned_too else (1 << (dtype.bits - 1)) - 1


def sharing(arguments: Iterable[Argument]) -> list[list[Argument]]:
    """The arrays, those that share memory together, by address."""
    groups: list[list[Argument]] = []
    end = 0
    for argument in sorted((a for a in arguments if a.data is not None), key=_start):
        if groups and _start(argument) < end:
            groups[-1].append(argument)
        else:
            groups.append([argument])
        end = max(end, _start(argument) + argument.data.nbytes)
    return groups


def copied(arguments: Sequence[Argument]) -> list[Argument]:
    """Arguments in memory of their own. Those that share memory share it in the copy, too."""
    made = {a.position: a for a in arguments}
    for group in sharing(arguments):
        first = _start(group[0])
        memory = np.empty(max(_start(a) + a.data.nbytes for a in group) - first, dtype=np.uint8)
        for argument in group:
            data = memory[_start(argument) - first :][: argument.data.nbytes]
            data[:] = argument.data
            data.flags.writeable = argument.writeable
            made[argument.position] = replace(argument, data=data, write_back=_nothing)
    return list(made.values())


def copies(arguments: Sequence[Argument]) -> list[Any]:
    """What to pass for a run of the same arguments in memory of its own."""
    return [
        a.value if a.data is None else a.data.view(array_dtype(a.dtype)) for a in copied(arguments)
    ]


def _start(argument: Argument) -> int:
    return argument.data.ctypes.data


def whole(name: str, value: object) -> int:
    """A number of a launch; UsageError unless it is whole, at least 1 and fits 64 bits."""
    # The first for its speed: a protocol takes long to look at.
    if type(value) is not int and (
        not isinstance(value, SupportsIndex) or isinstance(value, (bool, np.ndarray))
    ):
        found = f"{name} is {value!r:.40}, a {type(value).__name__}"
        raise UsageError(f"{found}; it has to be a whole number, at least 1")
    number = operator.index(value)
    if not 1 <= number < 1 << 63:
        raise UsageError(
            f"{name} is {_shown(number)}; it has to be at least 1, and less than 2**63"
        )
    return number


def blocks(target: Target, grid: object) -> int:
    """Returns how many blocks a launch has; UsageError for what the target cannot launch."""
    number = whole("grid", grid)
    if number > target.most_blocks:
        raise UsageError(
            f"grid is {number}; {target.name} launches at most {target.most_blocks} blocks: let "
            "each block do more, in a loop from its index in steps of the number of blocks"
        )
    return number


def _shown(number: int) -> str:
    """A number in a message; Python does not write out very long ones."""
    bits = number.bit_length()
    return str(number) if bits <= 128 else f"a number of {bits} bits"


def whole_if_given(name: str, value: object) -> int | None:
    """The same of a number that need not be given."""
    return None if value is None else whole(name, value)
