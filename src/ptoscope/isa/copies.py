"""The contract of copies: which bytes a copy moves, and what its fields hold.

A copy moves rows of bytes (bursts) from one memory to another. Loops repeat them, innermost
first: the first one counts rows, the others go around it. On the way into a memory rows may be
padded. Engines, recorders, checks and the shadow of undefined data all take fields, addresses
and footprints from here; only what a number is differs: `Numbers` says what they supply.

The functions of plain integers stand apart at the end, in the part of Python that can be
compiled, so that generated code calls the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from ptoscope.isa.dtypes import DType
from ptoscope.isa.footprint import Bursts
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES

LENGTH_BITS, ROW_BITS, LOOP_BITS, PADDING_BITS, GAP_BITS = 16, 16, 21, 8, 16
"""The widths of the fields of a copy."""
LENGTH, ROWS, LOOPS, SRC_STRIDE, DST_STRIDE, LEFT, RIGHT = (
    "burst length",
    "row count",
    "loop count",
    "source stride",
    "destination stride",
    "left padding",
    "right padding",
)

N = TypeVar("N")
M = TypeVar("M")
Field = tuple[str, N, int]
"""A number that the instruction encodes: what it is, the number, and the bits it has to fit."""


@dataclass(frozen=True)
class CopyPath:
    """From which memory to which an instruction copies. Its length counts units of so many
    bytes, a power of two."""

    source: str
    target: str
    unit: int = 1

    @property
    def name(self) -> str:
        return f"{self.source}_to_{self.target}"

    @property
    def by_rows(self) -> bool:
        """Whether each row costs cycles, so that a trace keeps rows apart that touch: as
        measured inside UB."""
        return self.source == self.target

    @property
    def length_bits(self) -> int:
        """The bits that the bytes of a row have to fit."""
        return LENGTH_BITS + self.unit.bit_length() - 1

    @property
    def source_stride_bits(self) -> int:
        return self._stride_bits(self.source)

    @property
    def target_stride_bits(self) -> int:
        return self._stride_bits(self.target)

    def _stride_bits(self, memory: str) -> int:
        """The bits that a stride has to fit. Where rows are units apart, it is the sum of a
        length and a gap, which have fields of their own."""
        if self.unit == 1:
            return MEMORIES[memory].stride_bits
        return max(self.length_bits, GAP_BITS + self.unit.bit_length() - 1) + 1

    @property
    def source_alignment(self) -> int:
        return MEMORIES[self.source].copy_alignment

    @property
    def target_alignment(self) -> int:
        return MEMORIES[self.target].copy_alignment


@dataclass(slots=True)
class BurstLoop(Generic[N]):
    """One loop of a copy: how often, and the byte steps of source and destination."""

    count: N
    src_stride: N
    dst_stride: N


class Padding(NamedTuple, Generic[N]):
    """Fill of a row in its destination: `left` elements before the data, `right` after it, then
    on to the next aligned address, and on to the row stride. `enabled` is 0 or 1; None is 1."""

    value: Lanes | None
    left: N
    right: N
    enabled: N | None = None


class Transfer(NamedTuple, Generic[N]):
    """One copy: `length` bytes per row, repeated by the loops, which are at least one."""

    path: CopyPath
    dtype: DType
    length: N
    loops: tuple[BurstLoop[N], ...]
    padding: Padding[N] | None = None
    atomic: N | None = None
    """The mode of a store to GM (see `atomics`): None or 0 where it is plain."""
    core: N | None = None
    """The vector core whose UB is an end of it, where the core that copies has none."""

    def map(self, number: Callable[[N], M]) -> Transfer[M]:
        """The same copy in other numbers."""
        loops = [
            BurstLoop(number(loop.count), number(loop.src_stride), number(loop.dst_stride))
            for loop in self.loops
        ]
        padding = None
        if self.padding is not None:
            given = self.padding
            enabled = None if given.enabled is None else number(given.enabled)
            padding = Padding(given.value, number(given.left), number(given.right), enabled)
        length, atomic = number(self.length), None if self.atomic is None else number(self.atomic)
        core = None if self.core is None else number(self.core)
        return Transfer(self.path, self.dtype, length, tuple(loops), padding, atomic, core)


def from_words(
    path: CopyPath, dtype: DType, words: Sequence[N], value: Lanes | None = None
) -> Transfer[N]:
    """A copy from its numbers in a row: the length, whether rows are padded, left, right, the
    mode, then for each loop the count and both strides. The fill may be left out if nobody
    fills."""
    length, enabled, left, right, atomic, *rest = words
    loops = tuple(BurstLoop(*rest[i : i + 3]) for i in range(0, len(rest), 3))
    return Transfer(path, dtype, length, loops, Padding(value, left, right, enabled), atomic)


class Numbers(Protocol[N]):
    """What a domain of numbers supplies."""

    def known(self, number: N) -> int | None:
        """Its value, where that is known."""
        ...

    def of(self, value: int) -> N:
        """A value as a number."""
        ...

    def unknown(self) -> N:
        """Bytes of a row of which nothing more is known."""
        ...


class Integers:
    """The plain integers of a run."""

    def known(self, number: int) -> int:
        return number

    def of(self, value: int) -> int:
        return value

    def unknown(self) -> int:
        raise AssertionError("in a run every number is known")


INTEGERS = Integers()


class CopyEnds(NamedTuple, Generic[N]):
    """What a copy reads and writes, relative to its two addresses. A written row has `left`
    bytes of padding before its data, and is as long as what is read where it is not padded."""

    read: Bursts[N]
    written: Bursts[N]
    left: N


def fields(copy: Transfer[N], numbers: Numbers[N]) -> list[Field[N]]:
    """The numbers that have to fit their fields, in the order in which they are looked at.
    Padding counts where there are rows and it is known to be enabled."""
    found: list[Field[N]] = [(LENGTH, copy.length, copy.path.length_bits)]
    for level, loop in enumerate(copy.loops):
        found.append((LOOPS if level else ROWS, loop.count, count_bits(level)))
        found.append((SRC_STRIDE, loop.src_stride, copy.path.source_stride_bits))
        found.append((DST_STRIDE, loop.dst_stride, copy.path.target_stride_bits))
    if _padded(copy, numbers) == 1 and not _no_rows(copy, numbers):
        assert copy.padding is not None
        found.append((LEFT, copy.padding.left, PADDING_BITS))
        found.append((RIGHT, copy.padding.right, PADDING_BITS))
    return found


def fits(copy: Transfer[int]) -> bool:
    """Whether every number fits its field; if not, the copy faults."""
    return all(in_field(value, bits) for _, value, bits in fields(copy, INTEGERS))


def ends(copy: Transfer[N], numbers: Numbers[N]) -> CopyEnds[N] | None:
    """The two ends of a copy whose fields fit; None where it is known to do nothing. Loops
    that repeat nothing are left out: an update of the same bytes is something again."""
    if _no_rows(copy, numbers):
        return None
    zero, length = numbers.of(0), copy.length
    padded, left, row = _padded(copy, numbers), zero, length
    if padded == 0 and numbers.known(length) == 0:
        return None
    if padded != 0:
        left, row = _padded_row(copy, numbers, padded)
    plain = copy.atomic is None or numbers.known(copy.atomic) == 0
    loops = [loop for loop in copy.loops if _repeats(loop, numbers, plain)]
    return CopyEnds(
        Bursts(zero, length, tuple([(r.count, r.src_stride) for r in loops])),
        Bursts(zero, row, tuple([(r.count, r.dst_stride) for r in loops])),
        left,
    )


def _no_rows(copy: Transfer[N], numbers: Numbers[N]) -> bool:
    return 0 in [numbers.known(loop.count) for loop in copy.loops]


def _padded(copy: Transfer[N], numbers: Numbers[N]) -> int | None:
    """Whether rows are padded: 0, 1, or None where that is not known."""
    if copy.padding is None:
        return 0
    if copy.padding.enabled is None:
        return 1
    enabled = numbers.known(copy.padding.enabled)
    return None if enabled is None else int(enabled != 0)


def _padded_row(copy: Transfer[N], numbers: Numbers[N], padded: int | None) -> tuple[N, N]:
    """The bytes before the data of a padded row, and all of it."""
    assert copy.padding is not None
    length, left, right, stride = (
        numbers.known(n)
        for n in (copy.length, copy.padding.left, copy.padding.right, copy.loops[0].dst_stride)
    )
    if padded is None or length is None or left is None or right is None or stride is None:
        return numbers.unknown(), numbers.unknown()
    size = copy.dtype.bytes
    row = padded_row(length, left * size, right * size, stride, copy.path.target_alignment)
    return numbers.of(left * size), numbers.of(row)


def _repeats(loop: BurstLoop[N], numbers: Numbers[N], plain: bool) -> bool:
    """Whether a loop is more than one repetition. A number that is not known may be any."""
    known = numbers.known
    if not plain:
        return known(loop.count) != 1
    count, src, dst = known(loop.count), known(loop.src_stride), known(loop.dst_stride)
    count = 2 if count is None else count
    return repetitions(count, 1 if src is None else src, 1 if dst is None else dst) != 1


# Of plain integers.


def in_field(value: int, bits: int) -> bool:
    """Whether a number fits its field."""
    return 0 <= value < 1 << bits


def count_bits(level: int) -> int:
    """The bits of a loop's count: the first loop counts rows."""
    if level == 0:
        return ROW_BITS
    return LOOP_BITS


def repetitions(count: int, src_stride: int, dst_stride: int) -> int:
    """How often a loop has to be run: one that does not move copies the same bytes again, so
    that once is enough."""
    if count > 1 and src_stride == 0 and dst_stride == 0:
        return 1
    return count


def padded_row(length: int, left: int, right: int, row_stride: int, alignment: int) -> int:
    """The bytes of a row with its padding: on to an aligned address, and to the next row."""
    filled = left + length + right
    return max((filled + alignment - 1) // alignment * alignment, row_stride)
