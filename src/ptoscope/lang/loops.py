"""Loops of kernels: each says its bounds, what it carries for itself, and what the body sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ptoscope.isa.dtypes import I32, I64, INDEX, VREG_BYTES
from ptoscope.isa.types import Mask, granularity
from ptoscope.lang import instructions
from ptoscope.lang.buffers import Tile, UbArray
from ptoscope.lang.maker import current
from ptoscope.lang.scalars import ScalarValue, constant, convert, known, minimum, select
from ptoscope.lang.values import Misuse, described, wrapped


class CountedLoop:
    """A loop from `lower` to below `upper` by `step`."""

    stages = 1
    """How many iterations work at a time, each with copies of its own of the arrays in it."""

    def __init__(self, lower: Any, upper: Any, step: Any) -> None:
        self.written = lower, upper, step
        self.lower, self.upper, self.step = (convert(v, INDEX) for v in (lower, upper, step))

    @property
    def bounds(self) -> tuple[ScalarValue, ScalarValue, ScalarValue]:
        """The lower bound, the upper bound and the step."""
        return self.lower, self.upper, self.step

    def hidden(self) -> list[Any]:
        """What it carries for itself, as it begins."""
        return []

    def enter(self, index: ScalarValue, hidden: list[Any]) -> tuple[Any, list[Any]]:
        """At the begin of an iteration: what the body's target is, and what is carried on."""
        return index, hidden

    def __iter__(self) -> Iterator[Any]:
        return current().iterations(self)


class RangeLoop(CountedLoop):
    """Python's range, as a loop of the kernel."""


def counted(*bounds: Any) -> RangeLoop:
    """`range` of a kernel: the index is a scalar."""
    match bounds:
        case (upper,):
            return RangeLoop(0, upper, 1)
        case (lower, upper):
            return RangeLoop(lower, upper, 1)
        case (lower, upper, step):
            fixed = known(step)
            if fixed is not None and fixed <= 0:
                raise Misuse(f"a loop counts up, found a step of {fixed}", expected="1 or more")
            return RangeLoop(lower, upper, step)
        case _:
            raise Misuse(f"range takes 1 to 3 numbers, found {len(bounds)}")


class LanesLoop(CountedLoop):
    """Over an array, one vector register at a time: `for i, m in pto.lanes(xs)`."""

    def __init__(self, array: UbArray[Any], limit: Any = None) -> None:
        if not isinstance(array, UbArray):
            raise Misuse(f"{described(array)} is no array in UB", expected="pto.ub(...)")
        self.bits = granularity(array.dtype.bits)
        lanes = VREG_BYTES // array.dtype.bytes
        self.limit = array.count if limit is None else _at_most(limit, array.size)
        fixed = known(self.limit) if isinstance(self.limit, int) else None
        self.full = fixed is not None and fixed % lanes == 0
        super().__init__(0, self.limit, lanes)

    def hidden(self) -> list[Any]:
        return [] if self.full else [current().named(convert(self.limit, I32), "lanes")]

    def enter(self, index: ScalarValue, hidden: list[Any]) -> tuple[Any, list[Any]]:
        if self.full:
            mask = wrapped(Mask(self.bits), current().all_lanes(self.bits))
            return (index, mask), []
        mask, rest = instructions.call(f"pto.plt_b{self.bits}", *hidden)
        current().named(hidden[0], "left")
        current().named(rest, "rest")
        return (index, mask), [rest]


def _at_most(limit: Any, size: int) -> Any:
    if isinstance(limit, int):
        return min(limit, size)
    return minimum(convert(limit, INDEX), size)


def lanes(array: UbArray[Any], limit: Any = None) -> LanesLoop:
    """Goes over the elements of a UB array, a vector register at a time: gives the offset of the
    first element, and the mask of those that are there. `limit` is how many there are; without
    it, all, or as many as the copy brought that allocated the array."""
    return LanesLoop(array, limit)


class Pipelined(CountedLoop):
    """A loop whose iterations overlap: while one computes, the next ones are already copied in.
    Arrays that belong to an iteration have `stages` copies."""

    shared = False
    """Whether blocks share its tiles: each begins at a multiple of their size."""

    def __init__(self, lower: Any, upper: Any, step: Any, size: int, stages: int) -> None:
        super().__init__(lower, upper, step)
        self.size = size
        self.stages = stages

    def hidden(self) -> list[Any]:
        return [constant(I64, 0)] if self.stages > 1 else []

    @property
    def _whole(self) -> bool:
        """Whether all tiles are known to be of the full size."""
        lower, upper, _ = self.written
        first, end = known(lower), known(upper)
        begins = first is not None or self.shared
        return begins and end is not None and (end - (first or 0)) % self.size == 0

    def enter(self, index: ScalarValue, hidden: list[Any]) -> tuple[Any, list[Any]]:
        tile = Tile.at(index, None if self._whole else self.upper, self.size)
        if not hidden:
            return tile, []
        (stage,) = hidden
        tile.stage = stage
        current().stage(stage)
        if self.stages == 2:
            return tile, [1 - stage]
        after = stage + 1
        return tile, [select(after == self.stages, constant(I64, 0), after)]


def pipelined(lower: Any, upper: Any, step: int, stages: int = 2) -> Pipelined:
    """Goes from `lower` to below `upper` in pieces of `step` elements, `stages` of which are on
    their way at a time. The index is a tile: `x[t]` is its piece of an array, `t.count` how many
    elements the piece has."""
    return Pipelined(lower, upper, step, _size(step), _stages(stages))


def tiles(count: Any, size: int, stages: int = 1) -> Pipelined:
    """Cuts `count` elements into tiles of `size` and gives this block its share: of n blocks,
    block b takes the tiles b, b + n, b + 2n, ... Otherwise as `pipelined`."""
    first = convert(instructions.call("pto.get_block_idx"), INDEX) * _size(size)
    step = convert(instructions.call("pto.get_block_num"), INDEX) * size
    loop = Pipelined(first, count, step, size, _stages(stages))
    loop.shared = True
    return loop


def tile(start: Any, end: Any, size: int) -> Tile:
    """The tile that begins at an index, of data that ends at another: of `size` elements, or as
    many as there are."""
    return Tile.at(convert(start, INDEX), end, _size(size))


def _size(size: Any) -> int:
    fixed = known(size) if not isinstance(size, ScalarValue) else None
    if fixed is None or fixed <= 0:
        raise Misuse(
            f"{described(size)} is no size of a tile",
            expected="a number above 0 that is known when the kernel is compiled",
        )
    return fixed


def _stages(stages: Any) -> int:
    if not isinstance(stages, int) or not 1 <= stages <= 8:
        raise Misuse(f"{described(stages)} is no number of stages", expected="1 to 8")
    return stages
