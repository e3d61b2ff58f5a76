"""What an instruction may do to the machine, besides computing lanes.

An engine implements `Core`. Addresses are byte addresses in one row of one lane; the
engine checks bounds and alignment and faults at the site with the values involved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from ptoscope.isa.copies import Transfer
from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.record import Site
from ptoscope.isa.tiles import TileMove, TileProduct
from ptoscope.isa.types import Space

FIELD = "PTO0907"
"""The fault of a number that does not fit its field."""


class Core(ABC):
    """One core as the instructions see it."""

    @abstractmethod
    def constant(self, dtype: DType, count: int, value: int | float) -> Lanes:
        """The value in every lane."""

    @abstractmethod
    def iota(self, dtype: DType, count: int) -> Lanes:
        """Lane i holds i."""

    @abstractmethod
    def mask(self, active: tuple[bool, ...]) -> Lanes:
        """The predicate register of lanes known beforehand."""

    @abstractmethod
    def first_lanes(self, limit: Lanes, count: int) -> Lanes:
        """The predicate register of `count` lanes, those below the (signed) limit active."""

    @abstractmethod
    def address(self, base: Lanes, offset: Lanes, size: int) -> Lanes:
        """base + offset * size, wrapping at 64 bits."""

    @abstractmethod
    def counter(self, level: int) -> Lanes:
        """The iteration, counted from 0, of the scf.for so many levels further out than the
        innermost; a ui32, 0 where there is none."""

    @abstractmethod
    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> Lanes:
        """Lanes from UB as the access maps them."""

    @abstractmethod
    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        """Active lanes to UB as the access maps them; the others touch nothing."""

    @abstractmethod
    def gather(self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int) -> Lanes:
        """`width` bytes from UB for each offset (in bytes, read by its own sign), as ui8 lanes;
        zeros where not active. Addresses are multiples of the width."""

    @abstractmethod
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
        """The reverse, of a whole register. Of active requests to one address the lowest
        lane wins, and on a target without that rule an alias is a fault; `in_order`, the
        highest wins everywhere."""

    @abstractmethod
    def stream(self) -> object:
        """The state of an unaligned store stream that has not begun."""

    @abstractmethod
    def stream_prime(self, site: Site, address: Lanes) -> object:
        """The state of an unaligned load stream: the 32-byte block around an address, as it is
        in UB now. The first load may begin anywhere in it."""

    @abstractmethod
    def stream_load(self, site: Site, state: object, address: Lanes) -> tuple[Lanes, object]:
        """A register of ui8 lanes from an address that follows from the state, and the state
        after it, with which the next load follows. What the state holds is not read again; what
        is read are whole blocks, of which the state after it holds the last if the register ends
        inside it."""

    @abstractmethod
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
    ) -> object:
        """Appends the first `length` bytes of a register at an address: whole 32-byte blocks
        reach UB, the rest stays in the state returned. A stream that begins takes the base for
        its own; where a later store has `named` its base, it has to be the same. `position` is
        where the site says that the stream goes on: a flush may be there too."""

    @abstractmethod
    def stream_end(self, site: Site, state: object, base: Lanes) -> Lanes:
        """Where the stream of a base goes on: the address after its last byte, or the base of
        one that has not begun."""

    @abstractmethod
    def stream_flush(self, site: Site, state: object, address: Lanes, by_base: bool) -> None:
        """Writes what is left. The address has to be the one after the stream's last byte or the
        position that its last store gave, or `by_base` the base of the stream."""

    @abstractmethod
    def covers(self, site: Site, writes: bool, address: Lanes, length: Lanes) -> None:
        """Says that an instruction that goes through UB step by step touches so many bytes from
        an address on, all of them. Nothing happens: it is for those who do not take the steps."""

    @abstractmethod
    def issue(self, site: Site, body: Callable[[], None]) -> None:
        """Gives a body to the pipe of the site's record."""

    @abstractmethod
    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        """Runs a body `count` times with the number of the iteration, one lane of i64."""

    def transpose(
        self, site: Site, dest: Lanes, src: Lanes, rows: Lanes, columns: Lanes, dtype: DType
    ) -> None:
        """A matrix in UB, row by row, to its columns, one after the other: element by element, as
        matters where the two overlap."""

        def move(iteration: Lanes) -> None:
            row = iteration.quotient(columns)
            column = iteration - row * columns
            at = self.address(src, iteration, dtype.bytes)
            to = self.address(dest, column * rows + row, dtype.bytes)
            self.store_scalar(site, "ub", to, self.load_scalar(site, "ub", at, dtype))

        self.repeat(rows * columns, move)

    @abstractmethod
    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> Lanes:
        """One element from GM or UB."""

    @abstractmethod
    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        """One element to GM or UB."""

    @abstractmethod
    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        """A copy between two memories, on the pipe of the site's record."""

    def move_tile(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        """A tile from one memory to another, on the pipe of the site's record."""
        raise NotImplementedError

    def multiply(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        """A product of two tiles in L0A and L0B into L0C, on the pipe of the site's record."""
        raise NotImplementedError

    @abstractmethod
    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> Lanes:
        """A special register, with its value at launch."""

    @abstractmethod
    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        """Sets a special register."""

    @abstractmethod
    def block(self, which: str) -> Lanes:
        """`block_idx`, `block_num`, `subblock_idx` or `subblock_num`, as i64."""

    @abstractmethod
    def refuse(
        self,
        site: Site,
        condition: Lanes,
        code: str,
        message: str,
        found: Lanes | None = None,
        expected: str = "",
    ) -> None:
        """Raises a fault at the site if the one lane of the condition is set. `found` is the
        number that caused it. A check reports it before a run where the condition is known."""

    def fits_field(self, site: Site, name: str, value: Lanes, bits: int) -> None:
        """Raises a fault where a number does not fit its field of so many bits."""
        outside, most = (value < 0) | (value >= 1 << bits), (1 << bits) - 1
        said = f"the {name} does not fit its {bits}-bit field"
        self.refuse(site, outside, FIELD, said, value, f"0 to {most}")

    @abstractmethod
    def print(self, site: Site, value: Lanes) -> None:
        """Shows every lane of a value to the user, with its line and iteration."""

    # Pipes. Transfers and this are issued: they happen when their pipe gets to them.

    @abstractmethod
    def memory_barrier(self, site: Site, kinds: str) -> None:
        """Orders accesses inside a vecscope: a type of `isa.order.memory.MEMORY_BARRIERS`."""

    @abstractmethod
    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        """What a rule of order says, of these pipes (`dst` is "" for a rule of one pipe) and
        these numbers."""
