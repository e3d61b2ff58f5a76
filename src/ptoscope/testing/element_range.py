"""Which elements of a type a test draws, and how they are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ml_dtypes
import numpy as np

from ptoscope.arguments import array_dtype
from ptoscope.isa.dtypes import DType
from ptoscope.machine.elements import raw_dtype, storage
from ptoscope.replay.elements import has_numbers
from ptoscope.testing.edges import edge_bits, values_of


@dataclass(frozen=True)
class ElementRange:
    """Elements of a type from `low` to `high`, with or without NaN, infinities and subnormals.
    ValueError for bounds of a type of bytes, and where no number is left."""

    element: DType
    low: float | None = None
    high: float | None = None
    nan: bool = True
    infinity: bool = True
    subnormal: bool = True

    def __post_init__(self) -> None:
        bounded = self.low is not None or self.high is not None or not self.subnormal
        if bounded and not has_numbers(self.element):
            raise ValueError(f"elements of {self.element} are bytes, which have no bounds")
        if np.isnan(np.float64(values_of(self.element, self.edges[:1])[0])):
            raise ValueError(f"there is no {self.element} from {self.low} to {self.high}")

    def allows(self, raw: Any) -> Any:
        """Which of them, as bits, are among these elements."""
        values = values_of(self.element, raw)
        if self.element.is_int:
            return self._between(values)
        found = self._between(values) & (self.infinity | ~np.isinf(values))
        if not self.subnormal:
            least = float(ml_dtypes.finfo(array_dtype(self.element)).smallest_normal)
            found &= (abs(values) >= least) | (values == 0)
        return np.where(np.isnan(values), self.nan, found)

    def _between(self, values: Any) -> Any:
        found = np.ones(values.shape, bool)
        if self.low is not None:
            found &= values >= self.low
        if self.high is not None:
            found &= values <= self.high
        return found

    @cached_property
    def edges(self) -> Any:
        """The bits of the edge values among them and of the bounds, a number first."""
        own = self._bits([self._inside(0), self._inside(-np.inf), self._inside(np.inf)])
        found = np.concatenate([own, edge_bits(self.element)])
        found = found[self.allows(found)]
        if not len(found):
            raise ValueError(f"there is no {self.element} from {self.low} to {self.high}")
        return np.array(list(dict.fromkeys(found.tolist())), found.dtype)

    def _inside(self, number: float) -> float:
        """The nearest number between the bounds, and among the integers of the type."""
        low, high = self.low, self.high
        if self.element.is_int:
            least = np.iinfo(storage(self.element))
            low = int(least.min) if low is None else max(int(np.ceil(low)), int(least.min))
            high = int(least.max) if high is None else min(int(np.floor(high)), int(least.max))
        if low is not None:
            number = max(number, low)
        return number if high is None else min(number, high)

    def _bits(self, numbers: Any) -> Any:
        """The bits of numbers; of a type of bytes of the first code."""
        if not has_numbers(self.element):
            return np.zeros(1, np.uint8)
        kind = storage(self.element) if self.element.is_int else np.dtype(np.float64)
        with np.errstate(all="ignore"):
            return np.array(numbers, kind).astype(array_dtype(self.element)).view(self._raw)

    @property
    def _raw(self) -> np.dtype[Any]:
        return raw_dtype(self.element)

    def ordinary(self, size: int, random: np.random.Generator) -> Any:
        """The bits of ordinary numbers: small ones, or any between both bounds."""
        if not has_numbers(self.element):
            return self.any_bits(size, random)
        both = self.low is not None and self.high is not None
        least, most = (self._inside(np.inf * side if both else 100 * side) for side in (-1, 1))
        if self.element.is_int:
            kind = storage(self.element).type
            drawn = random.integers(int(least), int(most), size, kind, endpoint=True)
            return self._bits(drawn)
        drawn = random.uniform(least, most, size) if both else random.standard_normal(size) * 4
        return self._bits(drawn)

    def any_bits(self, size: int, random: np.random.Generator) -> Any:
        """Random bits."""
        return np.frombuffer(random.bytes(size * self._raw.itemsize), self._raw).copy()
