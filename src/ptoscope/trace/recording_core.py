"""What of an instruction goes into a trace, and whether it is noted before it acts or after."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from ptoscope.isa.copies import Transfer
from ptoscope.isa.core import Core
from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import I64, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.kinds import NUMBERS
from ptoscope.isa.order.memory import MEMORY_BARRIERS, register_needs_order
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import TileMove, TileProduct
from ptoscope.isa.types import Space
from ptoscope.trace.trace import MEM_BAR, NONE


class RecordingCore(Core):
    """Stands before the core of an engine among the bases of a class, which says how each
    note is made. An access is noted when it has not faulted; what a pipe is given, and what
    orders pipes, when it is issued, since other instructions may run at once."""

    segment: Any = NONE
    """The segment begun last, as the engine knows it."""
    _executes = False
    """Whether a pipe executes what was issued to it."""
    _written: set[str]
    """The registers that the instruction of a pipe has written."""

    @property
    def _engine(self) -> Any:
        return super()

    # How notes are made.

    @abstractmethod
    def note_lanes(
        self, site: Site, writes: bool, address: Lanes, access: Access, mask: Lanes | None
    ) -> None:
        """Active lanes of an access to UB."""

    @abstractmethod
    def note_spread(
        self, site: Site, writes: bool, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> None:
        """Elements at an address of their own for each active lane."""

    @abstractmethod
    def note_stream(self, site: Site, before: Any, address: Lanes, after: Any) -> None:
        """What a stream wrote to UB between two states of it; all that was left, without one
        after it."""

    @abstractmethod
    def note_stream_load(self, site: Site, before: Any, address: Lanes) -> None:
        """What a load stream read of UB at an address, with the state before it; the block
        around the address, without one."""

    @abstractmethod
    def note_scalar(
        self, site: Site, writes: bool, space: Space, address: Lanes, size: int
    ) -> None:
        """One element."""

    @abstractmethod
    def note_copy(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        """Both ends of a copy that does not fault."""

    def note_move(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        """All that a move of a tile touches, if it does not fault."""
        raise NotImplementedError

    def note_product(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        """All that a product of tiles touches, if it does not fault."""
        raise NotImplementedError

    @abstractmethod
    def note_register(self, site: Site, writes: bool, name: str) -> None:
        """A special register."""

    @abstractmethod
    def note_sync(
        self, site: Site, kind: int, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        """What orders pipes: a kind of `SYNC_KINDS`, its pipes and numbers."""

    # Instructions.

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> Any:
        value = self._engine.load(site, address, access, dtype)
        self.note_lanes(site, False, address, access, None)
        return value

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        self._engine.store(site, address, access, value, mask)
        self.note_lanes(site, True, address, access, mask)

    def gather(self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int) -> Any:
        value = self._engine.gather(site, base, offsets, active, width)
        self.note_spread(site, False, base, offsets, active, width)
        return value

    def scatter(
        self,
        site: Site,
        base: Lanes,
        offsets: Lanes,
        active: Lanes,
        value: Lanes,
        width: int,
        in_order: bool = False,
    ) -> None:
        self._engine.scatter(site, base, offsets, active, value, width, in_order)
        self.note_spread(site, True, base, offsets, active, width)

    def stream_prime(self, site: Site, address: Lanes) -> Any:
        state = self._engine.stream_prime(site, address)
        self.note_stream_load(site, None, address)
        return state

    def stream_load(self, site: Site, state: object, address: Lanes) -> Any:
        made = self._engine.stream_load(site, state, address)
        self.note_stream_load(site, state, address)
        return made

    def stream_store(
        self,
        site: Site,
        state: object,
        base: Lanes,
        address: Lanes,
        value: Lanes,
        length: Lanes,
        position: Lanes,
        named: bool,
    ) -> Any:
        given = (base, address, value, length, position, named)
        after = self._engine.stream_store(site, state, *given)
        self.note_stream(site, state, address, after)
        return after

    def stream_flush(self, site: Site, state: object, address: Lanes, by_base: bool) -> None:
        self._engine.stream_flush(site, state, address, by_base)
        self.note_stream(site, state, address, None)

    def transpose(
        self, site: Site, dest: Lanes, src: Lanes, rows: Lanes, columns: Lanes, dtype: DType
    ) -> None:
        # Not at once, as an engine may do it: each step is noted.
        Core.transpose(self, site, dest, src, rows, columns, dtype)

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> Any:
        value = self._engine.load_scalar(site, space, address, dtype)
        self.note_scalar(site, False, space, address, dtype.bytes)
        return value

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        self._engine.store_scalar(site, space, address, value)
        self.note_scalar(site, True, space, address, value.dtype.bytes)

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        self.note_copy(site, src, dst, transfer)
        self._engine.transfer(site, src, dst, transfer)

    def move_tile(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        self.note_move(site, src, dst, move)
        self._engine.move_tile(site, src, dst, move)

    def multiply(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        self.note_product(site, left, right, result, product)
        self._engine.multiply(site, left, right, result, product)

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        segment = self.segment

        def noted() -> None:
            now, self.segment = self.segment, segment
            self._executes, self._written = True, set()
            body()
            self.segment, self._executes = now, False

        self._engine.issue(site, noted)

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> Any:
        if self._in_doubt(site, False):
            self.note_register(site, False, name)
        return self._engine.read_register(site, name, dtype, initial)

    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        if self._in_doubt(site, True) and name not in self._written:
            self._written.add(name)
            self.note_register(site, True, name)
        self._engine.write_register(site, name, value)

    def _in_doubt(self, site: Site, writes: bool) -> bool:
        return register_needs_order(writes, site.record.pipe, self._executes)

    def memory_barrier(self, site: Site, kinds: str) -> None:
        number = self.constant(I64, 1, MEMORY_BARRIERS.index(kinds))
        self.note_sync(site, MEM_BAR, "", "", (self.constant(I64, 1, NONE), number))
        self._engine.memory_barrier(site, kinds)

    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        self.note_sync(site, NUMBERS[rule.name], src, dst, numbers)
        self._engine.synchronise(site, rule, src, dst, numbers)
