"""What copies, tiles that move and products touch."""

from __future__ import annotations

from ptoscope.check.analysis.accesses import TouchingCore
from ptoscope.check.analysis.copies import EXPRESSIONS, UNKNOWN, at, row_starts
from ptoscope.check.analysis.expr import ONE, ZERO, Expr
from ptoscope.check.analysis.nodes import EmptyCopy, FieldNode, KnownBytes
from ptoscope.isa.copies import Transfer, ends, fields
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import (
    TileAccess,
    TileMove,
    TileProduct,
    move_accesses,
    product_accesses,
)


class MovingCore(TouchingCore):
    """The part of a core that notes what moves from memory to memory."""

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        copy, path = transfer.map(self.number), transfer.path
        self.nodes += [FieldNode(self.op, *field) for field in fields(copy, EXPRESSIONS)]
        made = ends(copy, EXPRESSIONS)
        if made is None:
            self.nodes.append(EmptyCopy(self.op))
            return
        for writes, space, address, bursts in (
            (False, path.source, src, made.read),
            (True, path.target, dst, made.written),
        ):
            if bursts.length.number == 0:
                continue
            rows = at(self.number(address), bursts)
            sure = None if rows.length is UNKNOWN else rows
            aligned = MEMORIES[space].copy_alignment
            mode = ZERO if copy.atomic is None or not writes else copy.atomic
            known = rows, sure, aligned, row_starts(rows), space
            self.touch(site, writes, *known, atomic=mode, owner=copy.core)

    # Tiles.

    def move_tile(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        made = move.map(self.number)
        counts = made.rows, made.columns, *(() if made.matrices is None else (made.matrices.count,))
        if any(count.number == 0 for count in counts):
            self.nodes.append(EmptyCopy(self.op))
            return
        starts = {"source": self.number(src), "target": self.number(dst)}
        aligned = dict(zip(starts, made.alignment, strict=True))
        for access in move_accesses(made, EXPRESSIONS):
            updates = made.atomic if access.base == "target" else None
            mode = ZERO if updates is None else updates
            self._tile(site, access, starts, aligned, mode, made.core)

    def multiply(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        made = product.map(self.number)
        starts = {
            "left": self.number(left),
            "right": self.number(right),
            "result": self.number(result),
        }
        for access in product_accesses(made, EXPRESSIONS):
            self._tile(site, access, starts, {})

    def _tile(
        self,
        site: Site,
        access: TileAccess[Expr],
        starts: dict[str, Expr],
        aligned: dict[str, int],
        mode: Expr = ZERO,
        owner: Expr | None = None,
    ) -> None:
        base = access.base
        start = base if isinstance(base, Expr) else starts[base]
        alignment = 1 if isinstance(base, Expr) else aligned.get(base, 1)
        rows = at(start, access.bursts)
        # Of rows of a length that is not known some run has a byte.
        sure = KnownBytes(rows.start, ONE, rows.loops) if rows.length is UNKNOWN else rows
        known = rows, sure, alignment, (start,), access.memory
        self.touch(site, access.writes, *known, atomic=mode, owner=owner, tile=True)
