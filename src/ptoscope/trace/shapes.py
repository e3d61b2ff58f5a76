"""Which bytes an access touches, relative to an address: rows of equal runs at equal distance."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ptoscope.isa.distributions import NOTHING, Access
from ptoscope.trace.trace import Column


class Row(NamedTuple):
    """So many `runs` of `length` bytes from `start` on, `stride` apart."""

    start: int
    length: int
    runs: int = 1
    stride: int = 0


Shape = tuple[Row, ...]


def dense(length: int) -> Shape:
    """One run."""
    return (Row(0, length),) if length > 0 else ()


def lanes(access: Access, active: Column | None) -> Shape:
    """What the active lanes of an access touch; without a mask, what all do."""
    offsets = np.array(access.offsets, dtype=np.int64)
    if active is not None:
        offsets = offsets[active]
    return elements(np.unique(offsets[offsets != NOTHING]), access.width)


def elements(starts: Column, width: int) -> Shape:
    """Elements of one width at rising multiples of it."""
    if not len(starts):
        return ()
    ends = np.flatnonzero(np.diff(starts) != width)
    first = starts[np.concatenate(([0], ends + 1))]
    lengths = starts[np.concatenate((ends, [len(starts) - 1]))] + width - first
    if len(first) == 1:
        return (Row(int(first[0]), int(lengths[0])),)
    steps = np.diff(first)
    if (lengths == lengths[0]).all() and (steps == steps[0]).all():
        return (Row(int(first[0]), int(lengths[0]), len(first), int(steps[0])),)
    return tuple(Row(int(s), int(n)) for s, n in zip(first, lengths, strict=True))


@lru_cache(4096)
def bursts(length: int, levels: tuple[tuple[int, int], ...]) -> Shape:
    """Rows of `length` bytes that each level repeats by (count, stride), in any order."""
    if length <= 0 or any(count <= 0 for count, _ in levels):
        return ()
    start = sum((count - 1) * stride for count, stride in levels if stride < 0)
    # Levels that stay where they are touch the same bytes again.
    steps = sorted((abs(stride), count) for count, stride in levels if stride and count > 1)
    apart: list[tuple[int, int]] = []
    for stride, count in steps:
        if not apart and stride <= length:
            length += (count - 1) * stride
        elif apart and stride % apart[-1][0] == 0 and stride <= apart[-1][0] * apart[-1][1]:
            # It goes on where the level inside it ends, or before: one level with more steps.
            inner, times = apart[-1]
            apart[-1] = (inner, times + stride // inner * (count - 1))
        else:
            apart.append((stride, count))
    if not apart:
        return (Row(start, length),)
    (step, times), *outer = apart
    return tuple(Row(at, length, times, step) for at in _starts(start, outer))


def _starts(start: int, levels: Iterable[tuple[int, int]]) -> list[int]:
    starts = np.array([start], dtype=np.int64)
    for stride, count in levels:
        starts = np.unique(np.arange(count)[:, None] * stride + starts)
    return [int(at) for at in starts]
