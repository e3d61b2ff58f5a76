"""Which bytes an access touches, relative to its address.

Two forms. A footprint is what is touched, as few runs of bytes as possible (of a copy whose rows
cost cycles one for each): recorders keep it, the race detector and cycle models read it. Bursts
are how a copy goes through its bytes, in numbers of any kind: integers in a run, expressions
before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from ptoscope.isa.distributions import NOTHING, Access

N = TypeVar("N")


class StridedRun(NamedTuple):
    """So many `runs` of `length` bytes, the first at `start`, `stride` bytes apart."""

    start: int
    length: int
    runs: int = 1
    stride: int = 0

    @property
    def end(self) -> int:
        """The byte after the last."""
        return self.start + (self.runs - 1) * self.stride + self.length


Footprint = tuple[StridedRun, ...]
"""None where nothing is touched; the runs of one do not overlap."""


def dense(length: int) -> Footprint:
    """One run."""
    return (StridedRun(0, length),) if length > 0 else ()


def lanes(access: Access, active: Iterable[int] | None = None) -> Footprint:
    """What lanes of an access touch: those given, or all."""
    offsets = access.offsets if active is None else [access.offsets[lane] for lane in active]
    return elements(sorted({offset for offset in offsets if offset != NOTHING}), access.width)


def elements(starts: Iterable[int], width: int) -> Footprint:
    """Elements of one width at rising multiples of it."""
    runs: list[list[int]] = []
    for start in starts:
        if runs and start == runs[-1][1]:
            runs[-1][1] += width
        else:
            runs.append([start, start + width])
    if len(runs) < 2:
        return tuple(StridedRun(start, end - start) for start, end in runs)
    (first, end), (second, _) = runs[:2]
    length, stride = end - first, second - first
    if all(run == [first + i * stride, end + i * stride] for i, run in enumerate(runs)):
        return (StridedRun(first, length, len(runs), stride),)
    return tuple(StridedRun(start, end - start) for start, end in runs)


@dataclass(frozen=True, slots=True)
class Bursts(Generic[N]):
    """Rows of `length` bytes from `start` on; each loop, innermost first, repeats what is
    inside it by (count, stride)."""

    start: N
    length: N
    loops: tuple[tuple[N, N], ...] = ()


def reach_down(count: int, stride: int) -> int:
    """How far below its first repetition a loop goes: 0 or less."""
    return min(0, (count - 1) * stride)


def reach_up(count: int, stride: int) -> int:
    """How far above its first repetition a loop goes."""
    return max(0, (count - 1) * stride)


def hull(bursts: Bursts[int]) -> tuple[int, int]:
    """The first byte of any row, and the one after the last; every count is at least 1."""
    low = high = bursts.start
    for count, stride in bursts.loops:
        low, high = low + reach_down(count, stride), high + reach_up(count, stride)
    return low, high + bursts.length


def inside(bursts: Bursts[int], start: int, size: int) -> bool:
    """Whether every row, from this start on, is within so many bytes."""
    low, high = hull(bursts)
    return start + low >= 0 and start + high <= size


def first_outside(bursts: Bursts[int], start: int, size: int) -> int | None:
    """Where the first row that is not within so many bytes begins, in the order they are copied;
    None where all are. It is computed, not searched: a copy may have more rows than anyone can
    visit."""
    if inside(bursts, start, size):
        return None
    for level in reversed(range(len(bursts.loops))):
        _, stride = bursts.loops[level]
        low, high = hull(Bursts(bursts.start, bursts.length, bursts.loops[:level]))
        # An iteration is inside if it begins at one of these bytes; a later one does not.
        first, last = -low, size - high
        if first <= start <= last:
            room = last - start if stride > 0 else start - first
            start += (room // abs(stride) + 1) * stride
    return start + bursts.start


def starts(loops: Sequence[tuple[int, int]], at: int = 0) -> Iterator[int]:
    """Where every row begins, in the order they are copied, if the first one begins `at`."""
    if not loops:
        yield at
        return
    *inner, (count, stride) = loops
    for i in range(count):
        yield from starts(inner, at + i * stride)


def covered(bursts: Bursts[int], by_rows: bool = False) -> Footprint:
    """All bytes of the rows, from the start on; with `by_rows` those that touch stay apart."""
    return _covered(bursts.length, bursts.loops, by_rows)


@lru_cache(4096)
def _covered(length: int, loops: tuple[tuple[int, int], ...], by_rows: bool) -> Footprint:
    if length <= 0 or any(count <= 0 for count, _ in loops):
        return ()
    start = sum(reach_down(count, stride) for count, stride in loops)
    # A loop that stays where it is touches the same bytes again.
    steps = sorted((abs(stride), count) for count, stride in loops if stride and count > 1)
    apart: list[tuple[int, int]] = []
    for stride, count in steps:
        if not apart and stride <= length - by_rows:
            length += (count - 1) * stride
        elif apart and stride % apart[-1][0] == 0 and stride <= apart[-1][0] * apart[-1][1]:
            # It goes on where the loop inside it ends, or before: one loop with more steps.
            inner, times = apart[-1]
            apart[-1] = (inner, times + stride // inner * (count - 1))
        else:
            apart.append((stride, count))
    if not apart:
        return (StridedRun(start, length),)
    (step, times), *outer = apart
    begins = {start}
    for stride, count in outer:
        begins = {begin + i * stride for i in range(count) for begin in begins}
    return tuple(StridedRun(begin, length, times, step) for begin in sorted(begins))
