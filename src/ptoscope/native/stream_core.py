"""The part of a core that loads and stores unaligned streams."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import I1, I64, INDEX, UI8, VREG_BYTES
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.machine.lanes import number
from ptoscope.machine.stream import lost
from ptoscope.native.indexed import IndexedCore
from ptoscope.native.lanes import NativeLanes, native
from ptoscope.native.llvm_text import Value
from ptoscope.native.runtime import streams
from ptoscope.native.stream import (
    NativeStream,
    again,
    elsewhere,
    flushed,
    primed,
    refused_store,
    stream_loaded,
    stream_stored,
)


class StreamCore(IndexedCore):
    """Streams, and what a vecscope has to have flushed when it ends."""

    pending: dict[str, Site]
    """Of the vecscope being written: the registers that count the bytes its stores to streams have
    left pending."""

    @abstractmethod
    def outside(self, at: NativeLanes, extent: int, alignment: int) -> Value | None:
        """Whether so many bytes are not all in UB, or the address is not aligned; None if that
        cannot be."""

    @abstractmethod
    def register(self, name: str, initial: int | None = None) -> Value:
        """Where a special register is in memory."""

    @abstractmethod
    def register_word(self, name: str) -> int:
        """Which word of the block's state a special register is."""

    def stream(self) -> NativeStream:
        return NativeStream.fresh()

    def stream_prime(self, site: Site, address: Lanes) -> NativeStream:
        self.eliding.settle()
        at = native(address)
        # A byte that is inside is in a block that is.
        wrong = self.outside(at, 1, 1)
        if wrong is not None:
            self.side_exits.when(wrong, site, lambda core, a: core.stream_prime(site, a), (at,))
        return primed(self.code, at)

    def stream_load(
        self, site: Site, state: object, address: Lanes
    ) -> tuple[NativeLanes, NativeStream]:
        assert isinstance(state, NativeStream)
        self.eliding.settle()
        at = native(address)
        wrong = elsewhere(self.code, state, at)
        outside = self.outside(at, VREG_BYTES, 1)
        if outside is not None:
            wrong = self.code.emit("i1", f"or {wrong}, {outside.name}")

        def act(core: Core, *rows: Any) -> None:
            core.stream_load(site, again(*rows[:-1]), rows[-1])

        self.side_exits.when(wrong, site, act, (*state.rows(self.code), at))
        return stream_loaded(self.code, state, at)

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
    ) -> NativeStream:
        assert isinstance(state, NativeStream)
        self.eliding.settle()
        row = native(value).bits(UI8)
        numbers = (base, address, length, position)
        begin, at, count, following = (native(number).cast(I64) for number in numbers)
        name = f"pending at {site.span.line}:{site.span.column}"
        self.register(name)
        self.pending[name] = site
        maker = self.register_word(name)
        wrong, own = refused_store(self.code, state, begin.value, at.value, count.value, named)

        def act(core: Core, *rows: Any) -> None:
            *words, b, a, v, n, p = rows
            core.stream_store(site, again(*words), b, a, v, n, p, named)

        rows = (*state.rows(self.code), begin, at, row, count, following)
        self.side_exits.when(wrong, site, act, rows)
        return stream_stored(
            self.code, state, own, at.value, row, count.value, following.value, maker
        )

    def stream_end(self, site: Site, state: object, base: Lanes) -> NativeLanes:
        assert isinstance(state, NativeStream)
        code, start = self.code, native(base).cast(INDEX)
        begun = state.is_kind(code, streams.STORES)
        other = code.emit("i1", f"icmp ne {start.value}, {state.base.name}")
        wrong = code.emit("i1", f"and {begun}, {other.name}")
        loads = state.is_kind(code, streams.LOADS)
        wrong = code.emit("i1", f"or {wrong}, {loads.name}")

        def act(core: Core, *rows: Any) -> None:
            core.stream_end(site, again(*rows[:-1]), rows[-1])

        self.side_exits.when(wrong, site, act, (*state.rows(code), start))
        flag = NativeLanes(code, I1, 1, begun)
        return flag.select(NativeLanes(code, INDEX, 1, state.end), start)

    def stream_flush(self, site: Site, state: object, address: Lanes, by_base: bool) -> None:
        assert isinstance(state, NativeStream)
        self.eliding.settle()
        flushed(self.code, self.side_exits, site, state, native(address), by_base)

    def settle_streams(self, site: Site) -> None:
        """A vecscope ends: a fault where a stream still holds bytes."""
        places = sorted(self.pending.items(), key=lambda item: item[1].span)
        self.pending = {}
        if not places:
            return
        code = self.code
        counts = [code.load("i64", self.register(name), 8) for name, _ in places]
        left = [code.emit("i1", f"icmp sgt {count}, 0") for count in counts]
        some = left[0]
        for one in left[1:]:
            some = code.emit("i1", f"or {some}, {one.name}")

        def act(core: Core, *rows: Any) -> None:
            pairs = zip(places, rows, strict=True)
            store, count = next((s, n) for (_, s), row in pairs if (n := number(row)) > 0)
            raise lost(store, count)

        self.side_exits.when(some, site, act, [NativeLanes(code, I64, 1, n) for n in counts])
