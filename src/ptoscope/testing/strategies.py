"""Strategies for hypothesis: arrays of every type of elements, and shapes; edges come often."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ptoscope.arguments import array_dtype
from ptoscope.testing.edges import element_type
from ptoscope.testing.element_range import ElementRange

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError(
        "the strategies of ptoscope.testing need hypothesis: pip install 'ptoscope[test]'"
    ) from error

Shape = int | tuple[int, ...]
_MOST_CHANGED = 8
"""Elements of an array that are drawn one by one, so that a failure is traced to few of them."""
_BLOCKS = (8, 16, 32, 64, 128, 256)
"""Around multiples of these a tail begins: elements of a block of 32 bytes and of a vector."""


def arrays(
    dtype: object,
    shape: Shape | st.SearchStrategy[Any],
    *,
    min_value: float | None = None,
    max_value: float | None = None,
    allow_nan: bool = True,
    allow_infinity: bool = True,
    allow_subnormal: bool = True,
) -> st.SearchStrategy[Any]:
    """Arrays as a pointer to `dtype` ("f32", "bf16", "f8e4m3", "hif8", "ui16", ...) takes them: of
    NumPy, or ml_dtypes where NumPy lacks the type, or bytes where both do. `shape` may be a
    strategy. An array has one value, edge values (NaN, infinities, both zeros, subnormals, the
    extremes), ordinary numbers or random bits; and some elements are edge values of their own.
    ValueError where no element is left to draw."""
    element = element_type(dtype)
    range_of = ElementRange(
        element, min_value, max_value, allow_nan, allow_infinity, allow_subnormal
    )
    drawn = range_of.edges
    shapes = shape if isinstance(shape, st.SearchStrategy) else st.just(shape)

    @st.composite
    def draw_array(draw: Callable[[Any], Any]) -> Any:
        wanted = draw(shapes)
        sides = (wanted,) if isinstance(wanted, int) else tuple(wanted)
        size = prod(sides)
        edge = st.sampled_from(drawn.tolist())
        # The simplest first: hypothesis goes back to it.
        fill = draw(st.sampled_from(("same", "ordinary", "edges", "bits")))
        if fill == "same":
            raw = np.full(size, draw(edge), drawn.dtype)
        else:
            random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
            raw = _FILLS[fill](range_of, size, random)
            raw = np.where(range_of.allows(raw), raw, drawn[0])
        if size:
            changed = st.dictionaries(st.integers(0, size - 1), edge, max_size=_MOST_CHANGED)
            for place, bits in draw(changed).items():
                raw[place] = bits
        return raw.view(array_dtype(element)).reshape(sides)

    return draw_array()


def shapes(*sides: int | tuple[int, int]) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes, each side a number or a range from a least to a greatest one; its ends, and what is
    one more or less than a multiple of a vector's elements, are drawn often."""
    return st.tuples(*(st.just(s) if isinstance(s, int) else _side(*s) for s in sides))


def _side(low: int, high: int) -> st.SearchStrategy[int]:
    if not 0 <= low <= high:
        raise ValueError(f"a side from {low} to {high}: there is none")
    near = {low, high}
    for block in _BLOCKS:
        for times in {1, 2, 3, high // block}:
            near |= {times * block + more for more in (-1, 0, 1)}
    ends = sorted(n for n in near if low <= n <= high)
    return st.sampled_from(ends) | st.integers(low, high)


_FILLS: dict[str, Callable[[ElementRange, int, np.random.Generator], Any]] = {
    "ordinary": ElementRange.ordinary,
    "edges": lambda range_of, size, random: random.choice(range_of.edges, size),
    "bits": ElementRange.any_bits,
}
"""How an array is filled at random."""
