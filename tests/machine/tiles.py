"""A core with all memories, and where the documents put the elements of a tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I8, I64, UI8, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.targets import TARGETS
from ptoscope.isa.tiles import TileLayout, TileMove, TileProduct, nz, plain, zz
from ptoscope.isa.types import Space
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import quietly
from ptoscope.machine.lanes import constant
from ptoscope.machine.memory import Bytes, Memory, Region, gm_base, own_regions

A5 = TARGETS["a5"]
SITE = Site(TABLE["pto.mte_gm_ub"], (), (), {}, A5, "micro")
"""A use of some record: what it is does not matter to a tile."""


class Machine:
    """One matrix core with its memories, filled with random bytes, and one array in GM."""

    def __init__(self, seed: int = 0, gm_bytes: int = 4096, site: Site = SITE) -> None:
        noise = np.random.default_rng(seed)

        def content(size: int) -> Bytes:
            return self.placed(noise.integers(0, 256, size, np.uint8))

        own = own_regions(A5, content, matrix=True)
        second = Region("UB of vector core 1", "ub", content(own[0].size), I8, number=1)
        array = Region("x", "gm", content(gm_bytes), UI8, gm_base(0))
        self.own = [*own, second]
        self.memory = Memory({0: array}, self.own)
        self.core = ReferenceCore(self.memory, 0, 1)
        self.site = site

    def placed(self, content: Bytes) -> Bytes:
        """Where a memory is."""
        return content

    def region(self, space: Space, core: int | None = None) -> Region:
        """A memory; the array of GM."""
        return self.memory.locate(self.site, space, gm_base(0) if space == "gm" else 0, core)[0]

    def address(self, space: Space, at: int) -> Lanes:
        """A byte of a memory, as kernels have it."""
        return number(at + (gm_base(0) if space == "gm" else 0))

    def move(self, src: int, dst: int, move: TileMove[int]) -> None:
        """Moves a tile between bytes of its memories."""
        at, to = self.address(move.source, src), self.address(move.target, dst)
        with quietly():
            self.core.move_tile(self.site, at, to, move.map(number))

    def multiply(self, left: int, right: int, result: int, product: TileProduct[int]) -> None:
        """Multiplies tiles at bytes of their memories."""
        a, b, c = (number(address) for address in (left, right, result))
        with quietly():
            self.core.multiply(self.site, a, b, c, product.map(number))


def number(value: int) -> Lanes:
    """A number of a run."""
    return constant(I64, 1, value)


@dataclass(frozen=True)
class Form:
    """A layout of a tile of some height and width, and the documents' formula for it: the byte of
    element (r, c). `size` is how many bytes it spans at most."""

    layout: TileLayout[int]
    place: Callable[[int, int], int]
    size: int


def plain_form(dtype: DType, rows: int, columns: int, gap: int = 0) -> Form:
    """Rows one after the other, so many elements between them."""
    size, pitch = dtype.bytes, columns + gap
    layout = plain(pitch * size, size)
    return Form(layout, lambda r, c: (r * pitch + c) * size, rows * pitch * size)


def column_form(dtype: DType, rows: int, columns: int, gap: int = 0) -> Form:
    """Columns one after the other."""
    return _swapped(plain_form(dtype, columns, rows, gap))


def nz_form(dtype: DType, rows: int, columns: int, gap: int = 0) -> Form:
    """((c div C0) * R' + r) * C0 + c mod C0, R' the rows rounded up to 16."""
    c0 = 32 // dtype.bytes
    tall = -(-rows // 16) * 16 + 16 * gap
    layout = nz(dtype, tall * 32, 32, dtype.bytes)

    def place(r: int, c: int) -> int:
        return ((c // c0 * tall + r) * c0 + c % c0) * dtype.bytes

    return Form(layout, place, -(-columns // c0) * tall * 32)


def zn_form(dtype: DType, rows: int, columns: int, gap: int = 0) -> Form:
    """That of the transposed matrix."""
    return _swapped(nz_form(dtype, columns, rows, gap))


def zz_form(dtype: DType, rows: int, columns: int, gap: int = 0) -> Form:
    """Fractals of 16 rows of 32 bytes, each row by row, one after the other along a band."""
    c0 = 32 // dtype.bytes
    wide = -(-columns // c0) + gap
    layout = zz(dtype, wide * 512, 512, 32, dtype.bytes)

    def place(r: int, c: int) -> int:
        fractal = r // 16 * wide + c // c0
        return fractal * 512 + (r % 16 * c0 + c % c0) * dtype.bytes

    return Form(layout, place, -(-rows // 16) * wide * 512)


def _swapped(form: Form) -> Form:
    return Form(form.layout.transposed, lambda r, c: form.place(c, r), form.size)


FORMS: dict[str, Callable[..., Form]] = {
    "plain": plain_form,
    "columns": column_form,
    "nz": nz_form,
    "zn": zn_form,
    "zz": zz_form,
}


def elements(data: Any, at: int, form: Form, rows: int, columns: int, dtype: DType) -> list[Any]:
    """The elements of a tile one by one, as raw bytes: rows of columns."""
    places = [[at + form.place(r, c) for c in range(columns)] for r in range(rows)]
    return [[bytes(data[p : p + dtype.bytes]) for p in row] for row in places]
