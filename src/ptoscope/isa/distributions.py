"""How lanes lie in memory: distribution modes as data.

An access maps each lane to a byte offset from the effective address. Engines, bounds and
alignment checks, race detection and the reference pages read the same map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from ptoscope.isa.dtypes import UI8, DType, unsigned
from ptoscope.isa.targets import BLOCK_BYTES, Revision

BLOCK = BLOCK_BYTES
NOTHING = -1


@dataclass(frozen=True, eq=False)
class Access:
    """Lane i is `width` bytes at `offsets[i]`; one at NOTHING touches no memory and reads as
    zero. Addresses are multiples of `alignment`."""

    offsets: tuple[int, ...]
    width: int
    alignment: int

    @cached_property
    def contiguous(self) -> bool:
        """Whether the lanes are one dense run of bytes."""
        return self.offsets == tuple(i * self.width for i in range(len(self.offsets)))

    @cached_property
    def extent(self) -> int:
        """Bytes from the address to the end of the last lane."""
        return max(self.offsets) + self.width


@dataclass(frozen=True)
class Mode:
    """A distribution: what it does, and the place of lane i of n, in elements.

    `bits` is the element width its name carries (0: any), in which the register is seen;
    `stored` the width of an element in memory, if narrower. `block` says that its alignment
    is that of NORM; otherwise it is the element's.
    """

    name: str
    doc: str
    place: Callable[[int, int], int]
    bits: int = 0
    stored: int = 0
    block: bool = True
    ignores_mask: bool = False
    gate_bits: int = 0
    micro: Mode | None = None
    """What it is in revision micro, where that differs."""

    def seen(self, dtype: DType) -> DType:
        """The element type in which the register is seen."""
        return unsigned(self.bits) if self.bits and self.bits != dtype.bits else dtype


@cache
def access(mode: Mode, dtype: DType, alignment: int) -> Access:
    """The map of a mode for a register seen as this type; alignment 0 stands for the
    element size."""
    width = mode.stored // 8 if mode.stored else dtype.bytes
    places = (mode.place(i, dtype.lanes) for i in range(dtype.lanes))
    offsets = tuple(NOTHING if p == NOTHING else p * width for p in places)
    return Access(offsets, width, max(alignment, width) if mode.block else width)


def _every(step: int, first: int = 0) -> Callable[[int, int], int]:
    return lambda i, n: step * i + first


def _spread(step: int) -> Callable[[int, int], int]:
    return lambda i, n: NOTHING if i % step else i // step


def _by_width(
    name: str,
    widths: tuple[int, ...],
    doc: str,
    place: Callable[[int, int], int],
    block: bool = True,
    ignores_mask: bool = False,
) -> list[Mode]:
    return [
        Mode(f"{name}_B{w}", doc, place, w, block=block, ignores_mask=ignores_mask) for w in widths
    ]


def _dense(i: int, n: int) -> int:
    return i


_NORM = Mode("NORM", "contiguous, one full register", _dense)
_CHANNELS4 = "every fourth byte: one channel of four"
_BLOCK_DOC = "one 32-byte block, repeated eight times"
LOAD_MODES = {
    mode.name: mode
    for mode in (
        _NORM,
        *_by_width("BRC", (8, 16, 32), "one element to all", lambda i, n: 0, block=False),
        *_by_width("US", (8, 16), "each element twice", lambda i, n: i // 2),
        *_by_width("DS", (8, 16), "every second element", _every(2)),
        *_by_width("UNPK", (8, 16, 32), "elements spread to twice their width", _spread(2)),
        Mode("UNPK4", "bytes spread to four times their width", _spread(4), 8),
        Mode("SPLT4CHN", _CHANNELS4, _every(4), 8),
        Mode("SPLT4CHN_B8", _CHANNELS4, _every(4), 8),
        *_by_width("SPLT2CHN", (8, 16), "every second element: one channel of two", _every(2)),
        Mode("DINTLV_B32", "the even elements", _every(2), 32),
        Mode("BLK", _BLOCK_DOC, lambda i, n: i % BLOCK, 8),
        Mode("BRC_BLK", _BLOCK_DOC, lambda i, n: i % BLOCK, 8),
        Mode("E2B_B16", "eight elements, each to one 32-byte block", lambda i, n: i // 16, 16),
        Mode("E2B_B32", "eight elements, each to one 32-byte block", lambda i, n: i // 8, 32),
    )
}
"""Modes of vlds."""


def _merge(channels: int, bits: int) -> Mode:
    """Channel planes of the whole vector, interleaved on the way out; in revision micro those
    inside each block, under a mask for places as wide as all channels together."""
    name, per_block = f"MRG{channels}CHN_B{bits}", 8 * BLOCK // bits
    count = "four" if channels == 4 else "two"

    def place(i: int, n: int) -> int:
        channel, item = divmod(i, n // channels)
        return item * channels + channel

    def place_in_block(i: int, n: int) -> int:
        block, lane = divmod(i, per_block)
        return block * per_block + place(lane, per_block)

    in_blocks = Mode(
        name,
        f"{count} channel planes of each block interleaved",
        place_in_block,
        bits,
        gate_bits=channels * bits,
    )
    return Mode(
        name, f"{count} channel planes of the vector interleaved", place, bits, micro=in_blocks
    )


def _first_only(i: int, n: int) -> int:
    return 0 if i == 0 else NOTHING


STORE_MODES = {
    mode.name: mode
    for mode in (
        _NORM,
        *_by_width("NORM", (8, 16, 32), "contiguous", _dense),
        *_by_width(
            "1PT",
            (8, 16, 32),
            "the first element alone, whatever the mask",
            _first_only,
            block=False,
            ignores_mask=True,
        ),
        Mode("PK_B16", "the low half of each element, packed", _dense, 16, 8),
        Mode("PK_B32", "the low half of each element, packed", _dense, 32, 16),
        Mode("PK_B64", "the low half of each element, packed", _dense, 64, 32),
        Mode("PK4_B32", "the low byte of each element, packed", _dense, 32, 8),
        _merge(4, 8),
        _merge(2, 8),
        _merge(2, 16),
    )
}
"""Modes of vsts. `gate_bits` is the granularity of the mask, which governs places in memory,
where it is not that of the element."""


def store_mode(token: str, revision: Revision) -> Mode:
    """What a mode of vsts is in a revision."""
    mode = STORE_MODES[token]
    return mode.micro if revision == "micro" and mode.micro is not None else mode


DUAL_LOAD_MODES = {
    "DINTLV_B8": 8,
    "DINTLV_B16": 16,
    "DINTLV_B32": 32,
    "BDINTLV": 0,
}
"""Modes of vldsx2: the element width to take apart, 0 for 32-byte blocks."""

DUAL_STORE_MODES = {"INTLV_B8": 8, "INTLV_B16": 16, "INTLV_B32": 32, "INTLV": None}
"""Modes of vstsx2: the element width to interleave, None for that of the registers."""

STRIDES = {
    "STRIDE_S3_B16": (3, 16),
    "STRIDE_S4_B64": (4, 64),
    "STRIDE_S8_B32": (8, 32),
    "STRIDE_S2_B64": (2, 64),
}
"""Fixed strides of vsld and vsst: elements from lane to lane, and their width."""


@cache
def strided(token: str, alignment: int) -> tuple[Access, DType]:
    """The map of a fixed stride, and the type in which it sees the register."""
    step, bits = STRIDES[token]
    dtype = unsigned(bits)
    places = tuple(i * step * dtype.bytes for i in range(dtype.lanes))
    return Access(places, dtype.bytes, max(alignment, dtype.bytes)), dtype


@cache
def run(count: int, dtype: DType, alignment: int) -> Access:
    """A dense run of elements."""
    return Access(tuple(i * dtype.bytes for i in range(count)), dtype.bytes, alignment)


@cache
def parted(bits: int, second: bool, alignment: int) -> tuple[Access, DType]:
    """One of the two registers that vldsx2 loads or vstsx2 stores: every second element of
    two registers, or with 0 bits every second 32-byte block."""
    if bits == 0:
        places = tuple((2 * (i // BLOCK) + second) * BLOCK + i % BLOCK for i in range(UI8.lanes))
        return Access(places, 1, alignment or 1), UI8
    dtype = unsigned(bits)
    places = tuple((2 * i + second) * dtype.bytes for i in range(dtype.lanes))
    return Access(places, dtype.bytes, max(alignment, dtype.bytes)), dtype


def widths(modes: Iterable[str], *families: str) -> tuple[str, ...]:
    """The modes of these families, in every width they have: of E2B those named E2B_B16 and
    E2B_B32."""
    return tuple(m for m in modes if m in families or m.rpartition("_B")[0] in families)


def suffix_bits(mode: str) -> int:
    """The element width a mode is for, 0 if any: its name carries it but for two of bytes."""
    if mode in ("UNPK4", "SPLT4CHN"):
        return 8
    _, _, bits = mode.rpartition("_B")
    return int(bits) if bits.isdigit() else 0
