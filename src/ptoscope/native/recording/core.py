"""Generated code that writes down what it does."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.copies import Transfer
from ptoscope.isa.distributions import Access
from ptoscope.isa.dtypes import I32, I64, VREG_BYTES
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import PIPE_NUMBERS
from ptoscope.isa.record import Site
from ptoscope.isa.targets import BLOCK_BYTES, Revision, Target
from ptoscope.isa.tiles import TileMove, TileProduct
from ptoscope.isa.types import Space
from ptoscope.native import layout
from ptoscope.native.compile import Compiler
from ptoscope.native.core import NativeCore
from ptoscope.native.cpu import CpuFeatures
from ptoscope.native.lanes import NativeLanes, native
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.recording import marks
from ptoscope.native.recording.marks import Mark, TileForm
from ptoscope.native.runtime import streams
from ptoscope.native.stream import NativeStream
from ptoscope.program import Block, For, Function, Op, Scope, While
from ptoscope.trace.places import Outline
from ptoscope.trace.recording_core import RecordingCore
from ptoscope.trace.trace import NONE

_NONE = Value("i64", str(NONE))
_NOTHING = Value("i64", "0")


class RecordingNativeCore(RecordingCore, NativeCore):
    """As its base, and a row of the log for each thing a trace has, in the order of execution.
    The compiler tells it which segment begins and which loops and vecscopes it is in."""

    fuses = False

    def __init__(self, code: Code, target: Target) -> None:
        super().__init__(code, target)
        self.marks: dict[Mark, int] = {}
        self.sites: dict[Site, int] = {}
        """The places of the uses it has seen."""
        self.segment = self._iteration = self._entry = _NONE
        """The segment, the innermost iteration and the vecscope, by their rows."""
        self._around: list[Value] = []
        """The iteration around each loop that the code is in."""

    def _log(self, mark: Mark, *words: Value) -> Value:
        self.side_exits.needs.add("rt_log")
        number = self.marks.setdefault(mark, len(self.marks))
        listed = ", ".join(map(str, (*words, *[_NOTHING] * (3 - len(words)))))
        return self.code.emit("i64", f"call i64 @rt_log(ptr %state, i64 {number}, {listed})")

    def _log_words(self, at: Value, count: int) -> Value:
        """Logs so many bytes, a whole number of words, beside the rows."""
        self.side_exits.needs.add("rt_log_words")
        return self.code.emit("i64", f"call i64 @rt_log_words(ptr %state, {at}, i64 {count})")

    # Where the run is.

    def begin_segment(self, segment: int) -> None:
        """The instructions of a segment come next."""
        number = _NOTHING
        if len(self.cores) > 1:
            at = self.code.offset(Value("ptr", "%state"), layout.CORE_NUMBER, "i64")
            number = self.code.load("i64", at, 8)
        mark = Mark(marks.SEGMENT, NONE, segment)
        self.segment = self._log(mark, self._iteration, self._entry, number)

    def begin_loop(self) -> None:
        """A loop is written next."""
        self._around.append(self._iteration)

    def iteration(self, site: Site, counted: Value | None = None) -> None:
        super().iteration(site)
        # The iteration around it, not the one before: the body may be written more than once.
        around, value = self._around[-1], self.side_exits.loops[-1].iteration
        self._iteration = self._log(Mark(marks.ITERATION, self.sites[site]), around, value)

    def end_loop(self) -> None:
        """It has been written."""
        self._iteration = self._around.pop()

    def begin_scope(self, place: int) -> None:
        """A vecscope is issued, and its body is written next."""
        self._entry = self._log(Mark(marks.ENTRY, place), self.segment)

    def end_scope(self) -> None:
        """It has been written."""
        self._entry = _NONE

    # The log.

    def _touch(
        self, kind: int, site: Site, detail: Any, writes: bool, at: Value, word: Value = _NOTHING
    ) -> None:
        self._log(Mark(kind, self.sites[site], detail, writes), self.segment, at, word)

    def note_lanes(
        self, site: Site, writes: bool, address: Lanes, access: Access, mask: Lanes | None
    ) -> None:
        at = native(address).value
        active = None if mask is None else native(mask)
        if active is None or active.is_full:
            self._touch(marks.LANES, site, access, writes, at)
        elif not active.is_empty:
            detail = (access, active.count)
            self._touch(marks.MASKED, site, detail, writes, at, self._bits(active))

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
        return self._log_words(memory, active.count // 8)

    def note_spread(
        self, site: Site, writes: bool, base: Lanes, offsets: Lanes, active: Lanes, width: int
    ) -> None:
        count = offsets.count
        at = (base.cast(I64).splat(count) + offsets.cast(I64)).cast(I32)
        places = native(native(active).select(at, at.const(marks.IDLE)))
        kept = self._log_words(places.spilled(), 4 * count)
        self._touch(marks.SPREAD, site, (width, count), writes, _NOTHING, kept)

    def note_stream(
        self, site: Site, before: NativeStream, address: Lanes, after: NativeStream | None
    ) -> None:
        code, at = self.code, native(address).value
        if after is None:
            begun = before.is_kind(code, streams.STORES)
            at = code.emit("i64", f"select {begun}, {before.end}, {at}")
        start = code.emit("i64", f"sub {at}, {before.count.name}")
        written = before.count
        if after is not None:
            end = code.emit("i64", f"sub {after.end}, {after.count.name}")
            written = code.emit("i64", f"sub {end}, {start.name}")
        self._touch(marks.RUN, site, None, True, start, written)

    def note_stream_load(self, site: Site, before: NativeStream | None, address: Lanes) -> None:
        code, at = self.code, native(address).value
        start = code.emit("i64", f"and {at}, -{BLOCK_BYTES}")
        if before is None:
            self._touch(marks.RUN, site, None, False, start, Value("i64", str(BLOCK_BYTES)))
            return
        first = code.emit("i64", f"add {start}, {before.count.name}")
        last = code.emit("i64", f"add {at}, {VREG_BYTES - 1}")
        block = code.emit("i64", f"and {last}, -{BLOCK_BYTES}")
        read = code.emit("i64", f"sub {block}, {first.name}")
        length = code.emit("i64", f"add {read}, {BLOCK_BYTES}")
        self._touch(marks.RUN, site, None, False, first, length)

    def note_scalar(
        self, site: Site, writes: bool, space: Space, address: Lanes, size: int
    ) -> None:
        self._touch(marks.SCALAR, site, (space, size), writes, native(address).value)

    def note_copy(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        words = self.words_of(src, dst, transfer)
        if transfer.core is not None:
            words.append(native(transfer.core).cast(I64))
        detail = (transfer.path, transfer.dtype, len(transfer.loops), transfer.core is not None)
        self._touch(marks.COPY, site, detail, False, _NOTHING, self._kept(words))

    def _kept(self, words: list[NativeLanes]) -> Value:
        """Logs numbers beside the rows."""
        memory = self.code.alloca(f"[{len(words)} x i64]")
        for i, word in enumerate(words):
            self.code.store(word.value, self.code.offset(memory, i, "i64"), 8)
        return self._log_words(memory, 8 * len(words))

    def note_move(self, site: Site, src: Lanes, dst: Lanes, move: TileMove[Lanes]) -> None:
        words, form = self.words_of_move(src, dst, move)
        detail = TileForm(form, len(words))
        self._touch(marks.TILE, site, detail, False, _NOTHING, self._kept(words))

    def note_product(
        self, site: Site, left: Lanes, right: Lanes, result: Lanes, product: TileProduct[Lanes]
    ) -> None:
        words, form = self.words_of_product(left, right, result, product)
        detail = TileForm(form, len(words))
        self._touch(marks.TILE, site, detail, False, _NOTHING, self._kept(words))

    def note_register(self, site: Site, writes: bool, name: str) -> None:
        self._touch(marks.REGISTER, site, name, writes, _NOTHING)

    def note_sync(
        self, site: Site, kind: int, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        detail = (kind, PIPE_NUMBERS.get(src, NONE), PIPE_NUMBERS.get(dst, NONE))
        given = [native(number).cast(I64).value for number in numbers]
        given += [_NONE] * (2 - len(given))
        self._log(Mark(marks.SYNC, self.sites[site], detail), self.segment, *given)


class RecordingCompiler(Compiler):
    """Writes a module that keeps a log; what its rows mean is in `core.marks`."""

    core_type = RecordingNativeCore
    core: RecordingNativeCore

    def __init__(
        self,
        outline: Outline,
        function: Function,
        target: Target,
        revision: Revision,
        features: CpuFeatures,
    ) -> None:
        super().__init__(function, target, revision, features)
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

    def _scope(self, op: Scope) -> None:
        place = self._outline.place(op)
        assert place is not None
        self.core.begin_scope(place.index)
        super()._scope(op)
        self.core.end_scope()

    def _for(self, op: For) -> None:
        self.core.begin_loop()
        super()._for(op)
        self.core.end_loop()

    def _while(self, op: While) -> None:
        self.core.begin_loop()
        super()._while(op)
        self.core.end_loop()
