"""What pipes execute, as generated code: bodies of their own, copies, flags, buffers. When it has
to ask, it hands its values over to the same instruction on the reference core (see `again`).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

from ptoscope.isa.copies import Transfer
from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import I64, unsigned
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.cores import SET_CLUSTER, SET_CORE, WAIT_CLUSTER, WAIT_CORE
from ptoscope.isa.order.rules import BARRIER, GET, RELEASE, SET, WAIT, OrderRule
from ptoscope.isa.order.unit_flags import CLEAR, FREE, PUBLISH, READY
from ptoscope.isa.parts import (
    BUFFERS,
    EVENTS,
    MOST_PENDING,
    PIPE_ALL,
    SCALAR_PIPE,
    VECTOR_CORES,
)
from ptoscope.isa.record import Site
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Space
from ptoscope.machine.lanes import constant
from ptoscope.native import inlined, layout
from ptoscope.native.again import (
    barrier_again,
    count_again,
    issue_outlined,
    synchronise_again,
    too_many_iterations,
    transfer_again,
)
from ptoscope.native.elision import Eliding
from ptoscope.native.inlined import Counter
from ptoscope.native.lanes import NativeLanes, known, native
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.ranges import always_inside
from ptoscope.native.runtime.issue import RAISED
from ptoscope.native.side_exits import SideExits

_NAMES = re.compile(r"%v\d+")
_MOST_LINES = 80
"""Of a body that is written where it is issued."""


class PipeCore(Core):
    """The part of a core that issues."""

    code: Code
    target: Target
    side_exits: SideExits
    arguments: dict[str, int]
    """The values that point into an argument, if the kernel is right, with its position."""
    eliding: Eliding
    looks_ahead = False
    """Whether the copy that is written is only told of, and made later."""
    updates_gm = True
    """Whether copies to GM may be other than plain ones."""
    is_tight = False
    """Whether the loop that is written copies nothing, so that what is issued there counts."""
    fuses = True
    """Whether two instructions may be written as one."""
    is_answered = False
    """Whether the flag that is set next is waited for at once."""
    _set: Callable[[], None] | None = None
    """Sets a flag that is answered, where that takes a call."""
    _issues = 0

    def _word_of(self, number: int) -> NativeLanes:
        return known(self.code, constant(I64, 1, number), 1)

    def outline(self, write: Callable[[], None]) -> tuple[str, list[Value]]:
        """Writes a body as a function of its own; its name and the values it takes from
        around it, which its memory holds in order, a word each."""
        self._issues += 1
        name = f"body{self._issues}"
        loops, self.side_exits.loops = self.side_exits.loops, []
        self.side_exits.outer = loops
        with self.code.outlined(f"define i32 @{name}(ptr %state, ptr %captured)") as function:
            function.is_hot = bool(loops)
            write()
            self.code.do("ret i32 0")
        self.side_exits.loops, self.side_exits.outer = loops, []
        captured = captures([*function.allocas, *function.lines, *function.cold])
        values = [Value(self.code.kinds[n], n) for n in captured]
        opening = [f"  {loaded}" for loaded in PROLOGUE]
        for i, value in enumerate(values):
            opening.append(f"  %at{i} = getelementptr i64, ptr %captured, i64 {i}")
            opening.append(f"  {value.name} = load {value.type}, ptr %at{i}, align 8")
        function.allocas[:0] = opening
        self.code.finish(function)
        return name, values

    def launch(self, site: Site, pipe: str, write: Callable[[], None]) -> None:
        """Gives a body to a pipe."""
        name, values = self.outline(write)
        address = NativeLanes(
            self.code, I64, 1, self.code.emit("i64", f"ptrtoint ptr @{name} to i64")
        )
        rows = [address, *(self._word(v) for v in values)]
        act = partial(issue_outlined, site, pipe)
        if not self.side_exits.loops:
            self.side_exits.hand("rt_issue", site, act, rows)
            return
        outlined = self.code.functions[-1]
        is_worth = self.fuses and (self.is_tight or self.code.function.is_busy)
        if not is_worth or len(outlined.lines) > _MOST_LINES:
            self._run_outlined(name, self.side_exits.add(site, act, rows), rows)
            return
        # Short enough to stand here, too; then the other is for queues alone.
        outlined.is_hot = False
        self.code.function.is_busy = True
        queued = inlined.is_queued(self.code)
        ask = partial(self.side_exits.hand, "rt_issue", site, act, rows)
        self.side_exits.is_in_body = True
        inlined.unless(self.code, queued, ask, write)
        self.side_exits.is_in_body = False

    def _run_outlined(self, name: str, side_exit: int, rows: list[NativeLanes]) -> None:
        """As `rt_issue` does, without looking for the body at run time."""
        code = self.code
        self.side_exits.pack(rows)
        ask, run, on = code.label("ask"), code.label("run"), code.label("on")
        code.branch(inlined.is_queued(code), ask, run, unlikely=True)
        code.place(run)
        captured = code.function.argument(layout.WORD_BYTES)
        status = code.emit("i32", f"call i32 @{name}(ptr %state, {captured})")
        code.branch(code.emit("i1", f"icmp ne {status}, 0"), ask, on, unlikely=True)
        with code.aside(ask):
            self.side_exits.leave_if_failed(self.side_exits.call("rt_service", side_exit))
            code.jump(on)
        code.place(on)

    def _word(self, value: Value) -> NativeLanes:
        """A scalar of any type as the word that carries it."""
        kind = value.type
        if kind != "i64":
            if kind in ("float", "double"):
                width = {"float": 32, "double": 64}[kind]
                value = self.code.emit(f"i{width}", f"bitcast {value} to i{width}")
            if value.type != "i64":
                value = self.code.emit("i64", f"zext {value} to i64")
        return NativeLanes(self.code, I64, 1, value)

    def issue(self, site: Site, body: Callable[[], None]) -> None:
        self.launch(site, site.record.pipe, body)

    @abstractmethod
    def reach(self, at: NativeLanes, extent: int) -> None:
        """Code stores so many bytes at an address of UB."""

    def transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        if self.looks_ahead:
            self._tell_transfer("rt_through", site, src, dst, transfer)
            return
        size = inlined.dense_bytes(transfer) if self.side_exits.loops else None
        into_ub = transfer.path.target == "ub"
        gm, ub = (native(src), native(dst)) if into_ub else (native(dst), native(src))
        inside = ub.range is not None and always_inside(
            ub.range, self.target.ub_bytes - (size or 0), transfer.path.target_alignment
        )
        if not size or size > inlined.MOST_BYTES or not inside or self.eliding.elides(size):
            self._hand_transfer(site, src, dst, transfer)
            return
        code, path = self.code, transfer.path
        code.function.is_busy = True
        alignment = path.source_alignment if into_ub else path.target_alignment
        likely = self.arguments.get(gm.value.name)
        place = inlined.gm_place(code, gm.value, size, alignment, not into_ub, likely)
        wrong = [place.wrong, inlined.is_queued(code)]
        if transfer.atomic is not None and self.updates_gm:
            wrong.append(code.emit("i1", f"icmp ne {native(transfer.atomic).cast(I64).value}, 0"))
        if self.eliding.defers:
            wrong.append(self.eliding.is_deferring())
        there = code.offset(Value("ptr", "%ub"), ub.value)
        if into_ub:
            self.reach(ub, size)

        def copy() -> None:
            if into_ub:
                inlined.copied(code, there, place.at, size)
            else:
                inlined.copied_out(code, place, there, size)

        wrong_place = inlined.either(code, *wrong)
        ask = partial(self._hand_transfer, site, src, dst, transfer)
        inlined.unless(code, wrong_place, ask, copy)

    def _hand_transfer(self, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> None:
        status = self._tell_transfer("rt_transfer", site, src, dst, transfer)
        self.side_exits.leave_if_failed(status)

    def _tell_transfer(
        self, function: str, site: Site, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]
    ) -> Value:
        """Calls a function of the runtime with a copy; its status."""
        words, path, loops = self.words_of(src, dst, transfer), transfer.path, len(transfer.loops)
        counters = [self._word_of(0)] * loops
        core = [] if transfer.core is None else [native(transfer.core).cast(I64)]
        more = (
            Value("i64", str(loops)),
            self.own(path.source, *core),
            self.own(path.target, *core),
            *(
                Value("i64", str(limit))
                for limit in (
                    transfer.dtype.bytes,
                    path.length_bits,
                    path.source_stride_bits,
                    path.target_stride_bits,
                    path.source_alignment,
                    path.target_alignment,
                    self.eliding.tiles.get(native(dst).value.name, -1),
                    self.eliding.least,
                )
            ),
        )
        act = partial(transfer_again, site, path, transfer.dtype, loops, bool(core))
        rows = [*words, *counters, *core]
        self.side_exits.pack(rows)
        return self.side_exits.call(function, self.side_exits.add(site, act, rows), *more)

    def own(self, space: Space, core: NativeLanes | None = None) -> Value:
        """Which memory is meant (see `layout.own`): where it is a UB, that of a vector core."""
        if core is None or space != "ub":
            return Value("i64", str(layout.own(space)))
        exists = core.as_unsigned() < VECTOR_CORES
        return native(exists.select(core + layout.ub_of(0), self._word_of(layout.NO_REGION))).value

    def words_of(self, src: Lanes, dst: Lanes, transfer: Transfer[Lanes]) -> list[NativeLanes]:
        """A copy as words: both addresses, then those of `from_words`, with the fill before
        the mode."""
        padding, nothing = transfer.padding, self._word_of(0)
        fill = [nothing, nothing, nothing, nothing]
        mode = nothing if transfer.atomic is None else native(transfer.atomic)
        if padding is not None:
            enabled = self._word_of(1)
            if padding.enabled is not None:
                enabled = native(padding.enabled).cast(I64)
            assert padding.value is not None
            fill = [enabled, native(padding.left), native(padding.right)]
            fill.append(self._pattern(padding.value))
        loops = [
            native(number)
            for loop in transfer.loops
            for number in (loop.count, loop.src_stride, loop.dst_stride)
        ]
        rows = [native(src), native(dst), native(transfer.length), *fill, mode, *loops]
        return [row.cast(I64) if row.dtype is not I64 else row for row in rows]

    def _pattern(self, value: Lanes) -> NativeLanes:
        """One element repeated to fill a word."""
        raw = native(value.bits(unsigned(8 * value.dtype.bytes))).cast(I64)
        width = 8 * value.dtype.bytes
        if width == 64:
            return raw
        low = raw & ((1 << width) - 1)
        return native(low * sum(1 << at for at in range(0, 64, width)))

    def covers(self, site: Site, writes: bool, address: Lanes, length: Lanes) -> None:
        """The steps that it takes touch them."""

    def memory_barrier(self, site: Site, kinds: str) -> None:
        """Loads and stores happen in program order, which satisfies every barrier."""

    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        """Flags and buffers are counters that generated code keeps while nothing is queued, and
        a barrier is kept by the order of execution. What it has no counters for it asks the
        engine to do."""
        if rule is BARRIER:
            if src == PIPE_ALL:
                self.finish(site)
            return
        counter = _COUNTERS.get(rule)
        if counter is None:
            act = partial(synchronise_again, site, rule, src, dst)
            rows = [native(number).cast(I64) for number in numbers]
            name, *limits = _WORDS.get(rule, ("rt_service",))
            more = (Value("i64", str(limit)) for limit in limits)
            awaits = rule is WAIT_CORE and src != SCALAR_PIPE
            self.side_exits.hand(name, site, act, rows, *more, awaits=awaits)
            return
        act = partial(count_again, site, rule, src, dst)
        counted = native(numbers[0].cast(I64))
        for number, (_, count) in zip(numbers[1:], rule.numbers[1:], strict=True):
            # A mode that does not exist is refused like a buffer that does not.
            assert count is not None
            fits = number.as_unsigned() < count
            counted = native(fits.select(counted, self._word_of(-1)))
        first, which = counter.first(src, dst), counted.number

        def ask() -> None:
            self._count(counter.function, site, act, first, *numbers, number=counted)

        if not self.side_exits.loops or which is None or not 0 <= which < counter.limit:
            ask()
        elif self._set is not None:
            asked, self._set = self._set, None
            _COUNTERS[SET].answered(self.code, first + which, lambda: (asked(), ask()))
        elif self.is_answered:
            self._set = ask
        else:
            counter.counts(self.code, first + which, ask)

    def _count(
        self,
        name: str,
        site: Site,
        act: Any,
        first: int,
        *operands: Lanes,
        number: NativeLanes,
    ) -> None:
        # The runtime function itself puts the number where the engine looks for it.
        rows = [native(o).cast(I64) for o in operands]
        self.side_exits.pack(rows[1:])
        side_exit = self.side_exits.add(site, act, [*rows[1:], rows[0]])
        more = (Value("i64", str(first)), number.value, rows[0].value)
        status = self.side_exits.call(name, side_exit, *more, Value("i64", str(len(rows) - 1)))
        self.side_exits.leave_if_failed(status)

    def finish(self, site: Site) -> None:
        """Waits for what is queued."""
        at = self.code.offset(Value("ptr", "%state"), layout.QUEUED, "i64")
        queued = self.code.load("i64", at, 8)
        busy = self.code.emit("i1", f"icmp ne {queued}, 0")
        self.side_exits.when(busy, site, partial(barrier_again, site), (), resume=True)

    def counted(self, low: Value, high: Value, step: int) -> Value:
        """A loop begins that has no other inside: counts all its iterations now, where so many are
        left. Whether it did."""
        code = self.code
        at = code.offset(Value("ptr", "%state"), layout.ITERATIONS, "i64")
        left = code.load("i64", at, 8)
        span = code.emit("i64", f"sub {high}, {low.name}")
        all_steps = code.emit("i64", f"add {span}, {step - 1}")
        number = code.emit("i64", f"udiv {all_steps}, {step}")
        some = code.emit("i1", f"icmp sgt {span}, 0")
        enough = code.emit("i1", f"icmp sle {number}, {left.name}")
        counts = code.emit("i1", f"and {some}, {enough.name}")
        taken = code.emit("i64", f"select {counts}, {number}, i64 0")
        code.store(code.emit("i64", f"sub {left}, {taken.name}"), at, 8)
        return counts

    def iteration(self, site: Site, counted: Value | None = None) -> None:
        """An iteration of a loop begins: every so many, the engine is asked whether to go on. Not
        where it is `counted`."""
        code = self.code
        if counted is not None:
            count, on = code.label("count"), code.label("on")
            code.branch(counted, on, count)
            with code.aside(count):
                self.iteration(site)
                code.jump(on)
            code.place(on)
            return
        at = code.offset(Value("ptr", "%state"), layout.ITERATIONS, "i64")
        left = code.emit("i64", f"sub {code.load('i64', at, 8)}, 1")
        code.store(left, at, 8)
        over = code.emit("i1", f"icmp slt {left}, 0")
        self.side_exits.when(
            over, site, partial(too_many_iterations, site), (), resume=True, iterations=True
        )


_COUNTERS: dict[OrderRule, Counter] = {
    SET: Counter("rt_raise", layout.flag, len(EVENTS), MOST_PENDING, RAISED),
    WAIT: Counter("rt_consume", layout.flag, len(EVENTS), 0, -1),
    GET: Counter("rt_acquire", layout.held, BUFFERS, 1, 1),
    RELEASE: Counter("rt_release", layout.held, BUFFERS, 0, -1),
}
"""The same that those functions of the runtime do."""
_WORDS: dict[OrderRule, tuple[Any, ...]] = {
    SET_CORE: ("rt_give",),
    WAIT_CORE: ("rt_take",),
    SET_CLUSTER: ("rt_give_all",),
    WAIT_CLUSTER: ("rt_take_all",),
    FREE: ("rt_unit_flag", 0, 0, 0),
    PUBLISH: ("rt_unit_flag", 0, layout.COUNT, 1),
    READY: ("rt_unit_flag", 1, layout.COUNT, 0),
    CLEAR: ("rt_unit_flag", 1, layout.COUNT, -1),
}
"""The same of a rule whose number is the first of the values that are handed over."""
PROLOGUE = (
    f"%ub_at = getelementptr i64, ptr %state, i64 {layout.UB}",
    "%ub = load ptr, ptr %ub_at, align 8",
)


def captures(lines: list[str]) -> list[str]:
    """Names that a function's lines use and do not define."""
    used: dict[str, None] = {}
    defined: set[str] = set()
    for line in lines:
        names = _NAMES.findall(line)
        if names and line.startswith(f"  {names[0]} = "):
            defined.add(names.pop(0))
        used.update(dict.fromkeys(names))
    return [name for name in used if name not in defined]
