"""What an example's pointer arguments hold, and the arrays for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ptoscope.arguments import array_dtype
from ptoscope.isa.dtypes import DType

BufferFill = Literal["first", "second", "count", "lanes", "blocks", "blank", "scales"]
"""Two rows of small numbers, 0, 1, 2 and so on, lane numbers, byte offsets of blocks, -1 in
a result, or the bits of scales."""

SCALES = np.array((127, 128, 126), np.uint8)
"""1, 2 and 0.5."""
ROWS: dict[BufferFill, tuple[float, ...]] = {
    "first": (1, 4, -2, 0.25, 9, -1, 16, 2),
    "second": (2, 3, 1),
    "blank": (-1,),
}


@dataclass(frozen=True)
class ExampleBuffer:
    """A pointer parameter: its elements before the run.

    `mask_bits` is the granularity of a predicate register that a run leaves in it.
    """

    name: str
    dtype: DType
    count: int
    fill: BufferFill
    is_result: bool = False
    mask_bits: int = 0

    def array(self) -> Any:
        """The argument to pass."""
        lane = np.arange(self.count)
        match self.fill:
            case "scales":
                return np.resize(SCALES, self.count).view(array_dtype(self.dtype))
            case "count":
                row = lane
            case "lanes":
                row = lane ^ 7
            case "blocks":
                row = (lane % 8 ^ 1) * 32
            case _:
                row = np.resize(np.array(ROWS[self.fill]), self.count)
        if array_dtype(self.dtype).kind in "iu":
            # Through i64, so that -1 becomes all ones in any type.
            row = row.astype(np.int64)
        with np.errstate(all="ignore"):
            return row.astype(array_dtype(self.dtype))

    def shown(self, array: Any, count: int) -> list[str]:
        """The first values as text; of a predicate register its lanes."""
        if self.mask_bits:
            bits = np.unpackbits(array.view(np.uint8), bitorder="little")
            return [str(b) for b in bits[:: self.mask_bits // 8][:count].tolist()]
        return [_text(value) for value in array[:count].tolist()]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)
