"""The part of a core with shadows that moves data between memories, and multiplies tiles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ptoscope.isa.copies import Transfer
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.memory import copies_in_order
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import TileMove, TileProduct
from ptoscope.isa.types import Space
from ptoscope.machine.dma import run_transfer
from ptoscope.machine.lanes import number
from ptoscope.machine.memory import Memory
from ptoscope.machine.products import run_product
from ptoscope.machine.shadow.decisions import DecidingCore
from ptoscope.machine.shadow.findings import REACHES_ADDRESS, ShadowFindings
from ptoscope.machine.shadow.memory import ShadowBytes
from ptoscope.machine.shadow.origins import Origins
from ptoscope.machine.shadow.products import follow_product
from ptoscope.machine.shadow.tiles import MovedShadow
from ptoscope.machine.shadow.transfer import Located, follow_transfer
from ptoscope.machine.tiles import run_move


class ShadowMoves(DecidingCore):
    """`shadows` are those of the regions of memory, by their keys."""

    def __init__(
        self,
        memory: Memory,
        block: int,
        grid: int,
        max_steps: int | None,
        shadows: dict[tuple[Space, int], ShadowBytes],
        findings: ShadowFindings,
        book: Origins,
        *more: Any,
    ) -> None:
        super().__init__(memory, block, grid, max_steps, findings, book, *more)
        self._shadows = shadows

    def _addresses(self, site: Site, *values: object) -> None:
        for value in values:
            self.findings.decided(REACHES_ADDRESS, site, "the address", value)

    def _located(self, site: Site, space: Space, address: int, core: int | None = None) -> Located:
        region, offset = self.memory.locate(site, space, address, core)
        return Located(region, self._shadows[region.key], offset)

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        self._addresses(site, src, dst, transfer.length, transfer.core)
        for loop in transfer.loops:
            self._addresses(site, loop.count, loop.src_stride, loop.dst_stride)
        padding = transfer.padding
        if padding is not None:
            self._addresses(site, padding.left, padding.right, padding.enabled)
        path = transfer.path
        core = None if transfer.core is None else number(transfer.core)

        def move() -> None:
            at, to = number(src), number(dst)
            ends = run_transfer(site, self.memory, at, to, transfer)
            if ends is not None:
                read = self._located(site, path.source, at, core)
                written = self._located(site, path.target, to, core)
                follow_transfer(site, read, written, transfer, ends, self.findings, self.book)

        self.pipes.issue(site.record.pipe, site, move)

    def move_tile(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        def checked(value: Lanes) -> Lanes:
            self._addresses(site, value)
            return value

        self._addresses(site, src, dst)
        move.map(checked)
        at, to = number(src), number(dst)

        def run() -> None:
            tile = move.map(number)
            shadow = MovedShadow(site, tile, self.book, self._located)
            shadowed = replace(move, convert=None if move.convert is None else shadow.convert)
            shadow.begin(at)
            if run_move(site, self.memory, at, to, shadowed) is not None:
                shadow.arrive(to, self.findings)

        self.pipes.issue(site.record.pipe, site, run, swaps=not copies_in_order(move.target))

    def multiply(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        def checked(value: Lanes) -> Lanes:
            self._addresses(site, value)
            return value

        self._addresses(site, left, right, result)
        product.map(checked)
        at = number(left), number(right), number(result)

        def run() -> None:
            run_product(site, self.memory, *at, product)
            follow_product(site, at, product.map(number), self._located, self.book)

        self.pipes.issue(site.record.pipe, site, run)
