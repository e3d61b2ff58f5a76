"""Generated code that writes down what it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ptoscope.isa.core import Transfer
from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import I32, I64, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Space
from ptoscope.native.abilities import Abilities
from ptoscope.native.compile import Compiler
from ptoscope.native.core import NativeCore
from ptoscope.native.lanes import NativeLanes, native
from ptoscope.native.moves import spilled
from ptoscope.native.stream import Stream
from ptoscope.native.text import Code, Value
from ptoscope.program import Block, Function, Op
from ptoscope.trace import marks
from ptoscope.trace.marks import Mark
from ptoscope.trace.places import Outline
from ptoscope.trace.trace import (
    BARRIER,
    GET,
    NONE,
    PIPE_NUMBERS,
    RELEASE,
    SET,
    WAIT,
)

_NONE = Value("i64", str(NONE))
_NOTHING = Value("i64", "0")


class NotingCore(NativeCore):
    """As its base, and a note for each thing a trace has, in the order of execution. The
    compiler tells it which segment begins and which loops and vecscopes it is in."""

    def __init__(self, code: Code, target: Target, masked_stores: int) -> None:
        super().__init__(code, target, masked_stores)
        self.marks: dict[Mark, int] = {}
        self.sites: dict[Site, int] = {}
        """The places of the uses it has seen."""
        self.around: list[Value] = []
        """The turn around each loop that the code is in."""
        self.now = self.entry = _NONE
        """The innermost turn, and the vecscope."""
        self._segment = _NONE
        self._written: set[str] | None = None
        """The registers that the instruction of a pipe has written."""

    def _note(self, mark: Mark, *words: Value) -> Value:
        self.stops.needs.add("rt_note")
        number = self.marks.setdefault(mark, len(self.marks))
        listed = ", ".join(map(str, (*words, *[_NOTHING] * (3 - len(words)))))
        return self.code.emit("i64", f"call i64 @rt_note(ptr %state, i64 {number}, {listed})")

    def _keep(self, at: Value, count: int) -> Value:
        """Keeps so many bytes, a whole number of words."""
        self.stops.needs.add("rt_keep")
        return self.code.emit("i64", f"call i64 @rt_keep(ptr %state, {at}, i64 {count})")

    # Where the run is.

    def begin_segment(self, segment: int) -> None:
        """The instructions of a segment come next."""
        self._segment = self._note(Mark(marks.SEGMENT, NONE, segment), self.now, self.entry)

    def turn(self, site: Site) -> None:
        super().turn(site)
        value = self.stops.loops[-1].turn
        self.now = self._note(Mark(marks.TURN, self.sites[site]), self.around[-1], value)

    def issue_scope(self, place: int) -> None:
        """A vecscope is issued next."""
        self.entry = self._note(Mark(marks.ENTRY, place), self._segment)

    # What it touches.

    def _touch(
        self, kind: int, site: Site, detail: Any, writes: bool, at: Value, word: Value = _NOTHING
    ) -> None:
        self._note(Mark(kind, self.sites[site], detail, writes), self._segment, at, word)

    def load(self, site: Site, address: Lanes, access: Access, dtype: DType) -> NativeLanes:
        value = super().load(site, address, access, dtype)
        self._touch(marks.LANES, site, access, False, native(address).value)
        return value

    def store(
        self, site: Site, address: Lanes, access: Access, value: Lanes, mask: Lanes | None
    ) -> None:
        super().store(site, address, access, value, mask)
        at = native(address).value
        active = None if mask is None else native(mask)
        if active is None or active.is_full:
            self._touch(marks.LANES, site, access, True, at)
        elif not active.is_empty:
            detail = (access, active.count)
            self._touch(marks.MASKED, site, detail, True, at, self._bits(active))

    def _bits(self, active: NativeLanes) -> Value:
        """The bits of a mask in a word, or where they are kept."""
        word = f"i{active.count}"
        bits = self.code.emit(word, f"bitcast {active.value} to {word}")
        if active.count < 64:
            return self.code.emit("i64", f"zext {bits} to i64")
        if active.count == 64:
            return bits
        memory = self.code.alloca(word)
        self.code.store(bits, memory, 8)
        return self._keep(memory, active.count // 8)

    def _spread(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int, writes: bool
    ) -> None:
        count = offsets.count
        at = (base.cast(I64).splat(count) + offsets.cast(I64)).cast(I32)
        places = native(native(active).select(at, at.const(-1)))
        kept = self._keep(spilled(places), 4 * count)
        self._touch(marks.SPREAD, site, (width, count), writes, _NOTHING, kept)

    def gather(
        self, site: Site, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> NativeLanes:
        value = super().gather(site, base, offsets, active, width)
        self._spread(site, base, offsets, active, width, False)
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
        super().scatter(site, base, offsets, active, value, width, in_order)
        self._spread(site, base, offsets, active, width, True)

    def stream_store(
        self, site: Site, state: object, address: Lanes, value: Lanes, length: Lanes
    ) -> Stream:
        assert isinstance(state, Stream)
        after = super().stream_store(site, state, address, value, length)
        start = self.code.emit("i64", f"sub {native(address).value}, {state.count.name}")
        end = self.code.emit("i64", f"sub {after.end}, {after.count.name}")
        written = self.code.emit("i64", f"sub {end}, {start.name}")
        self._touch(marks.RUN, site, None, True, start, written)
        return after

    def stream_flush(self, site: Site, state: object, address: Lanes) -> None:
        assert isinstance(state, Stream)
        super().stream_flush(site, state, address)
        start = self.code.emit("i64", f"sub {native(address).value}, {state.count.name}")
        self._touch(marks.RUN, site, None, True, start, state.count)

    def load_scalar(self, site: Site, space: Space, address: Lanes, dtype: DType) -> NativeLanes:
        value = super().load_scalar(site, space, address, dtype)
        detail = (space, dtype.bytes)
        self._touch(marks.SCALAR, site, detail, False, native(address).value)
        return value

    def store_scalar(self, site: Site, space: Space, address: Lanes, value: Lanes) -> None:
        super().store_scalar(site, space, address, value)
        detail = (space, value.dtype.bytes)
        self._touch(marks.SCALAR, site, detail, True, native(address).value)

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer) -> None:
        words = self.words_of(src, dst, transfer)
        limit, size = 1 << transfer.length_bits, transfer.dtype.bytes
        levels = len(transfer.levels)
        detail = (transfer.src_space, transfer.dst_space, limit, size, levels)
        kept = self._keep(self._in_memory(words), 8 * len(words))
        self._touch(marks.COPY, site, detail, False, _NOTHING, kept)
        super().transfer(site, src, dst, transfer)

    def _in_memory(self, words: Sequence[NativeLanes]) -> Value:
        memory = self.code.alloca(f"[{len(words)} x i64]")
        for i, word in enumerate(words):
            self.code.store(word.value, self.code.offset(memory, i, "i64"), 8)
        return memory

    def read_register(self, site: Site, name: str, dtype: DType, initial: int) -> NativeLanes:
        if self._written is None and site.record.pipe == "PIPE_S":
            self._touch(marks.REGISTER, site, name, False, _NOTHING)
        return super().read_register(site, name, dtype, initial)

    def write_register(self, site: Site, name: str, value: Lanes) -> None:
        if self._written is not None and name not in self._written:
            self._written.add(name)
            self._touch(marks.REGISTER, site, name, True, _NOTHING)
        super().write_register(site, name, value)

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        self._written = set()
        super().issue(site, body)
        self._written = None

    # What it orders.

    def _sync(self, site: Site, kind: int, src: str, dst: str, *words: Lanes) -> None:
        detail = (kind, PIPE_NUMBERS[src], PIPE_NUMBERS[dst] if dst else NONE)
        given = [native(word).cast(I64).value for word in words]
        mark = Mark(marks.SYNC, self.sites[site], detail)
        self._note(mark, self._segment, *given, *[_NONE] * (2 - len(given)))

    def set_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        self._sync(site, SET, src, dst, event)
        super().set_flag(site, src, dst, event)

    def wait_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        self._sync(site, WAIT, src, dst, event)
        super().wait_flag(site, src, dst, event)

    def get_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        self._sync(site, GET, pipe, "", buffer, mode)
        super().get_buf(site, pipe, buffer, mode)

    def rls_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        self._sync(site, RELEASE, pipe, "", buffer, mode)
        super().rls_buf(site, pipe, buffer, mode)

    def barrier(self, site: Site, pipe: str) -> None:
        self._sync(site, BARRIER, pipe, "")
        super().barrier(site, pipe)


class NotingCompiler(Compiler):
    """Writes a module that makes notes; what they mean is in `core.marks`."""

    core_type = NotingCore
    core: NotingCore

    def __init__(
        self,
        outline: Outline,
        function: Function,
        target: Target,
        revision: Revision,
        abilities: Abilities,
    ) -> None:
        super().__init__(function, target, revision, abilities)
        self._outline = outline

    def _site(self, op: Op) -> Site:
        site = super()._site(op)
        place = self._outline.place(op)
        if place is not None:
            self.core.sites[site] = place.index
        return site

    def _block(self, block: Block) -> None:
        for op in block.ops:
            segment = self._outline.begins(op)
            if segment is not None:
                self.core.begin_segment(segment)
            self._op(op)

    def _scope(self, op: Op) -> None:
        place = self._outline.place(op)
        assert place is not None
        self.core.issue_scope(place.index)
        super()._scope(op)
        self.core.entry = _NONE

    def _for(self, op: Op) -> None:
        self._loop(super()._for, op)

    def _while(self, op: Op) -> None:
        self._loop(super()._while, op)

    def _loop(self, write: Any, op: Op) -> None:
        before = self.core.now
        self.core.around.append(before)
        write(op)
        self.core.around.pop()
        self.core.now = before
