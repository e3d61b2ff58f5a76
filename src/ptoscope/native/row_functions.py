"""Functions of a module that the runtime calls for rows of elements: a meaning of `isa` applied
to so many lanes of each (see `runtime.tiles` and `runtime.factors` for the words they take)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ptoscope.isa.dtypes import I64, UI8, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.native import types
from ptoscope.native.lanes import RAW, NativeLanes, native
from ptoscope.native.llvm_text import Code, LlvmFunction, Value
from ptoscope.native.pipes import PipeCore, captures
from ptoscope.native.runtime import factors, tiles
from ptoscope.native.runtime.sums import GROUP, GROUP_BYTES

_GIVEN, _JOB = Value("ptr", "%given"), Value("ptr", "%job")
"""What a function is called with: the words of the instruction, and those of the job."""

RowFunction = tuple[str, LlvmFunction]
"""A function by its name, as the module holds it."""


class RowFunctions:
    """Writes them, each once for a meaning and a type."""

    def __init__(self, core: PipeCore) -> None:
        self._core = core
        self._known: dict[Any, RowFunction] = {}

    @property
    def _code(self) -> Code:
        return self._core.code

    def conversion(
        self,
        convert: Callable[[NativeLanes, tuple[NativeLanes, ...]], Lanes],
        source: DType,
        parameters: Sequence[DType],
        scalars: Sequence[DType],
        first_scalar: int,
    ) -> NativeLanes:
        """The address of a function that converts rows of LANES elements. Scalars stand among the
        words of the instruction, from a place on."""

        def write() -> None:
            code, lanes = self._code, tiles.LANES
            given = [
                self._load(self._address(tiles.CONVERSION + i), dtype, lanes)
                for i, dtype in enumerate(parameters)
            ]
            for i, dtype in enumerate(scalars):
                at = code.offset(_GIVEN, first_scalar + i, "i64")
                given.append(self._load(at, dtype, 1).splat(lanes))
            start, step = self._address(tiles.IN), self._number(tiles.IN_STEP)
            to, to_step = self._address(tiles.OUT), self._number(tiles.OUT_STEP)

            def body(i: Lanes) -> None:
                row = self._load(self._further(start, step, i), source, lanes)
                made = native(convert(row, tuple(given))).canonical()
                code.store(made.value, self._further(to, to_step, i), 1)

            self._core.repeat(self._number(tiles.COUNT), body)

        key = convert, source, tuple(parameters), tuple(scalars), first_scalar
        return self._pointer(self._written(key, "convert", write))

    def factors(self, value: Callable[..., Lanes], dtype: DType, scaled: bool) -> NativeLanes:
        """The address of a function that makes factors; 0 where elements are factors as they
        are."""
        is_element = False

        def write() -> None:
            nonlocal is_element
            lanes = factors.lanes_of(dtype.bytes)
            start, step = self._address(factors.IN), self._number(factors.IN_STEP)
            to, group = self._address(factors.OUT), self._number(factors.OUT_STEP)
            scales, scale_step = self._address(factors.SCALES), self._number(factors.SCALES_STEP)

            def body(i: Lanes) -> None:
                nonlocal is_element
                row = self._load(self._further(start, step, i), dtype, lanes)
                given = [row]
                if scaled:
                    at = self._further(scales, scale_step, i)
                    given.append(self._load(at, UI8, 1).splat(lanes))
                made = native(value(*given))
                is_element = made is row
                there = self._further(to, self._word(GROUP_BYTES), i)
                for part in range(lanes // GROUP):
                    # A NaN of any kind makes the sum one.
                    piece = made.shuffle(tuple(range(GROUP * part, GROUP * (part + 1))))
                    at = self._further(there, group, self._word(part))
                    self._code.store(piece.value, at, 4)

            self._core.repeat(self._number(factors.COUNT), body)

        key = value, dtype, scaled
        written = self._written(key, "factors", write, lambda: not is_element)
        return self._word(0) if written is None else self._pointer(written)

    def _written(
        self,
        key: Any,
        name: str,
        write: Callable[[], None],
        needed: Callable[[], bool] = lambda: True,
    ) -> str | None:
        """The name of a function, written unless it is there; None where it is not needed."""
        code = self._code
        known = self._known.get(key)
        # One of a text that was taken back is gone.
        if known is not None and code.is_written(known[1]):
            return known[0]
        name = f"{name}{code.fresh()}"
        with code.outlined(f"define i32 @{name}(ptr %given, ptr %job)") as function:
            write()
            code.do("ret i32 0")
        if not needed():
            return None
        outside = captures([*function.allocas, *function.lines, *function.cold])
        assert not outside, f"a meaning of rows uses other values: {outside}"
        # It is called for all rows of a tile.
        function.is_hot = True
        code.finish(function)
        self._known[key] = name, function
        return name

    def _pointer(self, name: str | None) -> NativeLanes:
        return self._lane(self._code.emit("i64", f"ptrtoint ptr @{name} to i64"))

    # Words and places.

    def _word(self, number: int) -> NativeLanes:
        return self._lane(Value("i64", str(number)))

    def _lane(self, value: Value) -> NativeLanes:
        return NativeLanes(self._code, I64, 1, value)

    def _number(self, word: int) -> NativeLanes:
        at = self._code.offset(_JOB, word, "i64")
        return self._lane(self._code.load("i64", at, 8))

    def _address(self, word: int) -> Value:
        return self._code.load("ptr", self._code.offset(_JOB, word, "i64"), 8)

    def _further(self, at: Value, step: NativeLanes, times: Lanes) -> Value:
        return self._code.offset(at, native(step * times).value)

    def _load(self, at: Value, dtype: DType, lanes: int) -> NativeLanes:
        value = self._code.load(types.row(dtype, lanes), at, 1)
        nan = RAW if types.tracks_nans(dtype) else 0
        return NativeLanes(self._code, dtype, lanes, value, nans=nan)
