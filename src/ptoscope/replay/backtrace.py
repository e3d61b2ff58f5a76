"""One step back in a recorded run: from bytes of a memory to who wrote them and what of, from a
lane to the lanes or bytes that it was made of."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from ptoscope.isa.distributions import NOTHING
from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, VReg
from ptoscope.machine.stream import border
from ptoscope.replay.history import History
from ptoscope.replay.makers import Makers
from ptoscope.replay.parts import MadeOf, MemoryBytes, ValueLane, WrittenBytes
from ptoscope.replay.rows import Piece, covered, holding, pieces, row_byte
from ptoscope.replay.tile_sources import sources_of
from ptoscope.trace.recording import Copied, LaneContent, Placed, StreamContent
from ptoscope.trace.trace import UB, UBS

MOST_WRITERS = 64
"""Writers of one piece of memory that are followed, the last ones. Chosen: a reduction over all
of UB leads to as many stores as there are lines in a kernel."""
MOST_STORES = 2000
"""Stores that are looked at for one that leaves a byte out, the last ones."""
MOST_LANES = 8
"""Lanes that are followed one by one; more are followed as a whole register."""


class Backtrace:
    """Finds what bytes and lanes of a run were made of."""

    def __init__(self, run: History) -> None:
        self._run = run
        self._recording = run.recording
        self._types = run.recording.trace.function.types
        self.makers = Makers(run)

    # Bytes.

    def writers(self, what: MemoryBytes) -> list[WrittenBytes]:
        """Who wrote each of some bytes last, in the order of the bytes."""
        run, (space, start, size, step) = self._run, what
        rows = run.memories.accesses(space, True)
        touching = rows.touching(start, start + size)
        first = run.begin_of(step) if self._recording.spaces[space].own else 0
        steps = rows.step[touching]
        touching = touching[(steps <= step) & (steps >= first)]
        found = np.full(size, -1, dtype=np.int64)
        for row in touching[::-1][:MOST_WRITERS].tolist():
            mine = covered(rows, row, start, size)
            found[mine & (found < 0)] = rows.step[row]
            if (found >= 0).all():
                break
        edges = [0, *(np.flatnonzero(np.diff(found)) + 1).tolist(), size]
        return [
            WrittenBytes(int(found[a]) if found[a] >= 0 else None, start + a, b - a)
            for a, b in pairwise(edges)
        ]

    def left_out(self, what: MemoryBytes) -> int | None:
        """The last store that has such bytes in a lane which its mask leaves out."""
        first = self._run.begin_of(what.step)
        steps = [step for step in self._recording.placed if first <= step <= what.step]
        for step in sorted(steps, reverse=True)[:MOST_STORES]:
            for one in self._recording.placed[step]:
                if what.space == self._ub(step) and one.writes and len(holding(one, what.start)):
                    return step
        return None

    def steering(self, step: int) -> list[MadeOf]:
        """The operands of an instruction that only said where or whether."""
        return self._steering(self._run.place(step).op.operands, step)

    def of_write(self, space: int, written: WrittenBytes) -> list[MadeOf]:
        """What a step wrote there was made of."""
        _, start, size = written
        step = written.step
        assert step is not None
        op = self._run.place(step).op
        wanted = range(start, start + size)
        copied, tiles = self._recording.copies.get(step), self._recording.tiles.get(step, ())
        if copied is not None or tiles:
            found = [] if copied is None else self._copied(step, copied, wanted)
            found += [one for tile in tiles for one in sources_of(tile, step, space, wanted)]
            if self._updates(step):
                found = [source._replace(piece=None) for source in found]
                found.append(MadeOf(MemoryBytes(space, start, size, step - 1)))
            return [*found, *self._steering(op.operands, step)]
        placed = [one for one in self._recording.placed.get(step, ()) if one.writes]
        slots = self._stored(op.operands)
        align = [slot for slot in op.operands if isinstance(self._types[slot], Align)]
        if align:
            found = self._streamed(step, align[0], slots, wanted)
        elif placed and slots:
            found = list(self._stored_lanes(step, placed, slots, wanted))
        elif slots:
            found = self._number(space, step, slots[0], wanted)
        else:
            found = [MadeOf(one) for one in self._reads(step)]
        used = {source.what.number for source in found if isinstance(source.what, ValueLane)}
        return [*found, *self._steering(op.operands, step, used)]

    def _copied(self, step: int, copied: Copied, wanted: range) -> list[MadeOf]:
        """Bytes of the source of a copy; none for padding."""
        before = step if copied.source != copied.target else step - 1
        moves: list[tuple[int, int]] = []
        for to, byte in enumerate(wanted):
            at = row_byte(copied.ends.written, copied.ends.read, byte - copied.to)
            if at is not None:
                row, offset = at[0], at[1] - copied.ends.left
                if 0 <= offset < copied.ends.read.length:
                    moves.append((to, copied.start + row + offset))
        return [
            MadeOf(MemoryBytes(copied.source, at, size, before), Piece(to, 0, size))
            for to, at, size in pieces(moves)
        ]

    def _updates(self, step: int) -> bool:
        trace = self._recording.trace
        first, last = np.searchsorted(
            trace.accesses.event, (trace.executed[step], trace.executed[step] + 1)
        )
        return bool(trace.accesses.atomic[first:last].any())

    def _stored(self, operands: Sequence[int]) -> list[int]:
        """The operands whose contents a store takes to memory: its vectors, else its masks, else
        its number."""
        for kind in (VReg, Mask):
            found = [slot for slot in operands if isinstance(self._types[slot], kind)]
            if found:
                return found
        first = operands[0] if operands else -1
        is_number = first >= 0 and isinstance(self._types[first], Scalar)
        return [first] if is_number else []

    def _stored_lanes(
        self, step: int, placed: Sequence[Placed], slots: Sequence[int], wanted: range
    ) -> Iterator[MadeOf]:
        """The first store of an instruction is of its first vector, and so on; in order, so that
        the last one that stores a byte left it."""
        by_slot: dict[int, list[tuple[int, int]]] = {}
        for to, byte in enumerate(wanted):
            for number in reversed(range(len(placed))):
                one = placed[number]
                lanes = holding(one, byte)
                if len(lanes):
                    slot = slots[min(number, len(slots) - 1)]
                    lane = int(lanes[-1])
                    at = byte - one.address - int(one.offsets[lane])
                    held = lane * (VREG_BYTES // len(one.offsets)) + at
                    by_slot.setdefault(slot, []).append((to, held))
                    break
        for slot, moves in by_slot.items():
            for piece in pieces(moves):
                yield from self._lanes_of(step, slot, piece)

    def _lanes_of(self, step: int, slot: int, piece: Piece) -> list[MadeOf]:
        """Lanes of an operand, by the bytes that were taken of it."""
        number = self.makers.operand(slot, step)
        if number is None:
            return []
        kind, content = self._types[slot], self._recording.values[number]
        if isinstance(kind, Mask) or not isinstance(content, LaneContent):
            return [MadeOf(ValueLane(number, None))]
        width = content.lanes.itemsize
        lanes = range(piece.at // width, (piece.at + piece.size - 1) // width + 1)
        if len(lanes) > MOST_LANES:
            return [MadeOf(ValueLane(number, None))]
        return [
            MadeOf(ValueLane(number, lane), piece.inside(lane * width, width)) for lane in lanes
        ]

    def _number(self, space: int, step: int, slot: int, wanted: range) -> list[MadeOf]:
        """The number that a scalar store takes to memory."""
        rows = self._run.memories.accesses(space, True)
        start = int(rows.start[np.searchsorted(rows.step, step)])
        return self._lanes_of(step, slot, Piece(0, wanted.start - start, len(wanted)))

    def _streamed(self, step: int, align: int, slots: Sequence[int], wanted: range) -> list[MadeOf]:
        """A stream writes what it held first, then its vector."""
        number = self.makers.operand(align, step)
        before = None if number is None else self._recording.values[number]
        if number is None or not isinstance(before, StreamContent):
            return []
        start = self._stream_start(step)
        edge = start + len(before.held)
        held = range(wanted.start, min(wanted.stop, edge))
        fresh = range(max(wanted.start, edge), wanted.stop)
        found: list[MadeOf] = []
        maker = self.makers.maker(number).step
        if held and maker is not None:
            op = self._run.place(maker).op
            inner = [slot for slot in op.operands if isinstance(self._types[slot], Align)]
            if inner:
                found += self._streamed(maker, inner[0], self._stored(op.operands), held)
        if fresh and slots:
            piece = Piece(fresh.start - wanted.start, fresh.start - edge, len(fresh))
            found += self._lanes_of(step, slots[0], piece)
        return found

    def _stream_start(self, step: int) -> int:
        """The address of the first byte that a stream held or took at a step."""
        rows = self._run.memories.accesses(self._ub(step), True)
        first, last = np.searchsorted(rows.step, (step, step + 1))
        if last > first:
            return int(rows.start[first:last].min())
        for slot in self._run.place(step).op.results:
            content = self._run.content(slot, step)
            if isinstance(content, StreamContent) and content.address is not None:
                return content.address
        return 0

    # Lanes.

    def of_value(self, number: int, step: int, lane: int | None) -> list[MadeOf]:
        """What an instruction made a value, or a lane of it, of."""
        place = self._run.place(step)
        op, kind = place.op, self._types[int(self._recording.value_slots[number])]
        placed = [one for one in self._recording.placed.get(step, ()) if not one.writes]
        if isinstance(kind, (Ptr, Align)):
            found = [MadeOf(one) for one in self._reads(step)] if isinstance(kind, Align) else []
            return [*found, *(MadeOf(s.what) for s in self._steering(op.operands, step))]
        if isinstance(kind, VReg) and placed:
            found = self._loaded(number, step, placed, lane)
            return [*found, *self._steering(op.operands, step)]
        reads = self._reads(step)
        if reads:
            moved = isinstance(kind, Scalar) and len(reads) == 1
            found = [MadeOf(one, Piece(0, 0, one.size) if moved else None) for one in reads]
            return [*found, *self._steering(op.operands, step)]
        lanewise = place.record is not None and place.record.lanewise
        masked = isinstance(kind, VReg)
        return [
            MadeOf(
                ValueLane(taken, self._same_lane(number, taken, lane) if lanewise else None),
                steers=masked and isinstance(self._types[slot], Mask),
            )
            for slot in op.operands
            if (taken := self.makers.operand(slot, step)) is not None
        ]

    def _same_lane(self, number: int, taken: int, lane: int | None) -> int | None:
        """The lane of an operand that a lane is made of: of a scalar its only one."""
        if lane is None:
            return None
        ours, theirs = self.lanes(number), self.lanes(taken)
        return lane * theirs // ours if ours else None

    def lanes(self, number: int) -> int:
        """How many lanes a value has for people."""
        kind = self._types[int(self._recording.value_slots[number])]
        content = self._recording.values[number]
        if isinstance(kind, Mask):
            return kind.lanes
        return len(content.lanes) if isinstance(content, LaneContent) else 0

    def _loaded(
        self, number: int, step: int, placed: Sequence[Placed], lane: int | None
    ) -> list[MadeOf]:
        """The bytes that a load took a lane from. Of a stream that held a block, those of the
        time when it was read."""
        op = self._run.place(step).op
        slot = int(self._recording.value_slots[number])
        vectors = [one for one in op.results if isinstance(self._types[one], VReg)]
        one = placed[min(vectors.index(slot), len(placed) - 1)]
        content = self._recording.values[number]
        assert isinstance(content, LaneContent)
        if lane is None:
            return [MadeOf(read) for read in self._reads(step)]
        width, each = content.lanes.itemsize, VREG_BYTES // len(one.offsets)
        moves: list[tuple[int, int]] = []
        for to in range(width):
            number_of, within = divmod(lane * width + to, each)
            offset = int(one.offsets[number_of])
            if offset != NOTHING and within < one.width:
                moves.append((to, one.address + offset + within))
        block, then = self._held(step) or (range(0), step)
        ub = self._ub(step)
        return [
            MadeOf(MemoryBytes(ub, at, size, then if at in block else step), Piece(to, 0, size))
            for to, at, size in pieces(moves, block.stop)
        ]

    def _held(self, step: int) -> tuple[range, int] | None:
        """The block that a load stream held, and the step that read it."""
        for slot in self._run.place(step).op.operands:
            if isinstance(self._types[slot], Align):
                number = self.makers.operand(slot, step)
                content = None if number is None else self._recording.values[number]
                if number is None or not isinstance(content, StreamContent):
                    return None
                maker = self.makers.maker(number).step
                if maker is None or content.address is None:
                    return None
                begin = border(content.address)
                return range(begin, begin + len(content.held)), maker
        return None

    # Both.

    def _ub(self, step: int) -> int:
        """The UB of the core that executed a step."""
        core = self._recording.trace.cores[int(self._run.cores[step])]
        return UBS[core.number] if core.kind == "vector" else UB

    def _reads(self, step: int) -> list[MemoryBytes]:
        """All that a step read, as pieces without the gaps between their runs."""
        found: list[MemoryBytes] = []
        for space in self._recording.spaces:
            rows = self._run.memories.accesses(space, False)
            first, last = np.searchsorted(rows.step, (step, step + 1))
            for row in range(int(first), int(last)):
                columns = (rows.start, rows.length, rows.count, rows.stride)
                start, length, count, stride = (int(column[row]) for column in columns)
                starts = [start + i * stride for i in range(min(count, MOST_WRITERS))]
                found += [MemoryBytes(space, at, length, step) for at in starts]
        return found

    def _steering(
        self, operands: Iterable[int], step: int, but: Container[int] = ()
    ) -> list[MadeOf]:
        numbers = dict.fromkeys(self.makers.operand(slot, step) for slot in operands)
        return [
            MadeOf(ValueLane(n, None), steers=True)
            for n in numbers
            if n is not None and n not in but
        ]
