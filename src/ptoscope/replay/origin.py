"""Where an element, or a lane, comes from: who wrote it, what of, and so on back to the launch."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Mask, Ptr, Type, VReg
from ptoscope.machine.elements import storage
from ptoscope.program import For
from ptoscope.replay.backtrace import Backtrace
from ptoscope.replay.contents import in_words, lanes_of
from ptoscope.replay.elements import element_texts
from ptoscope.replay.history import History
from ptoscope.replay.moment import Moment
from ptoscope.replay.parts import MadeOf, MemoryBytes, ValueLane
from ptoscope.replay.rows import Piece
from ptoscope.trace.recording import LaneContent
from ptoscope.trace.trace import SPACE_NAMES

MOST_LINKS = 2000
"""Links of an origin that are followed, the nearest ones. Chosen: the lines of a kernel are all
among them long before."""
MOST_SHOWN = 12
"""Links that are shown to people."""
_SAID = 4
"""Links that a sentence has in words: to GM, to UB, the lane, and one it is made of."""


class Link(NamedTuple):
    """Something that made something else. `what` says it for people: `lane 3 of %y0`, `bytes 20
    to 23 of ub`. `moment` is when it was made or written, None where it was there at the launch
    or a loop counts it; `line` is the line of that, 0 at the launch, and of bytes that nobody
    wrote that of the last store whose mask left them out. `value` is what it holds, as text, and
    `data` are its bits; of a whole register none. `parent` is the link that it made, by its
    number, -1 of the first. `piece` is which of its bytes moved to its parent, if they only moved;
    `steers` says that it, or what it led to, only said where or whether."""

    what: str
    moment: Moment | None
    line: int
    value: str
    data: bytes
    undefined: bool
    source: MemoryBytes | ValueLane
    parent: int
    piece: Piece | None
    steers: bool

    def __str__(self) -> str:
        value = f" = {self.value}" if self.value else ""
        undefined = ", undefined" if self.undefined else ""
        if self.moment is not None:
            around = "".join(f", {text}" for text in self.moment.iteration_texts)
            return f"{self.what}{value}{undefined}: line {self.line}{around}"
        where = f"the loop of line {self.line}" if self.line else "given at the launch"
        if isinstance(self.source, MemoryBytes) and self.source.space < 0:
            where = "nobody wrote it"
            where += f", the mask of line {self.line} leaves it out" if self.line else ""
        return f"{self.what}{value}{undefined}: {where}"


class OriginChain:
    """All that made something, the nearest first; what only steered comes last. `left_out` is
    whether there is more."""

    def __init__(self, links: list[Link], left_out: bool) -> None:
        self.links = links
        self.left_out = left_out

    def __iter__(self) -> Iterator[Link]:
        return iter(self.links)

    def __len__(self) -> int:
        return len(self.links)

    def __repr__(self) -> str:
        return f"<Origin of {self.links[0].what}: {len(self.lines)} lines made it>"

    @property
    def lines(self) -> list[int]:
        """The lines that made it, each once, the nearest first."""
        return list(dict.fromkeys(link.line for link in self.links if link.line))

    @property
    def data_lines(self) -> list[int]:
        """Those whose values are in it; the others only said where or whether."""
        return list(dict.fromkeys(one.line for one in self.links if one.line and not one.steers))

    @property
    def shown(self) -> list[Link]:
        """The first link of each instruction, the nearest first."""
        seen: set[tuple[int, int]] = set()
        found: list[Link] = []
        for link in self.links:
            place = link.line, -1 if link.moment is None else link.moment.place.index
            if not link.steers and place not in seen:
                seen.add(place)
                found.append(link)
        return found

    @property
    def sentence(self) -> str:
        """The nearest links, with their instructions, and the lines of the others."""
        shown = self.shown
        near = [f"{x} ({x.moment.name})" if x.moment else str(x) for x in shown[:_SAID]]
        far = _lines(shown[_SAID:])
        return "; ".join([*near, *([f"made by lines {', '.join(far)}"] if far else [])])

    def __str__(self) -> str:
        shown = self.shown
        lines = [str(link) for link in shown[:MOST_SHOWN]]
        if len(shown) > MOST_SHOWN:
            lines.append(f"and lines {', '.join(_lines(shown[MOST_SHOWN:]))}")
        steering = [line for line in self.lines if line not in self.data_lines]
        if steering:
            lines.append(f"where and whether: lines {', '.join(map(str, steering))}")
        return "\n".join(lines)


def _lines(links: list[Link]) -> list[str]:
    """The lines of links, each once."""
    return list(dict.fromkeys(str(link.line) for link in links if link.line))


def origin_of_bytes(
    run: History, space: int, start: int, size: int, step: int, dtype: DType | None = None
) -> OriginChain:
    """What made bytes of a space as they are after a step."""
    return _Walk(run).origin(MemoryBytes(space, start, size, step), dtype)


def origin_of_value(run: History, number: int, lane: int | None) -> OriginChain:
    """What made a value, by its number in the recording, or a lane of it."""
    return _Walk(run).origin(ValueLane(number, lane), None)


class _Walk:
    def __init__(self, run: History) -> None:
        self._run = run
        self._back = Backtrace(run)
        self._function = run.recording.trace.function
        self._links: list[Link] = []

    def origin(self, first: MemoryBytes | ValueLane, dtype: DType | None) -> OriginChain:
        data: deque[tuple[MadeOf, int, DType | None]] = deque([(MadeOf(first), -1, dtype)])
        steering: deque[tuple[MadeOf, int, DType | None]] = deque()
        known: set[tuple[int, ...]] = set()
        while (data or steering) and len(self._links) < MOST_LINKS:
            source, parent, kind = (data or steering).popleft()
            for link, made in self._made(source, parent, kind, known):
                number = len(self._links)
                self._links.append(link)
                following = self._element(link.source, kind)
                for one in made:
                    steers = one.steers or link.steers
                    queue = steering if steers else data
                    queue.append((one._replace(steers=steers), number, following))
        return OriginChain(self._links, bool(data or steering))

    def _element(self, source: MemoryBytes | ValueLane, kind: DType | None) -> DType | None:
        """The type in which bytes are seen that something was made of."""
        if isinstance(source, MemoryBytes):
            return kind
        content = self._run.recording.values[source.number]
        return content.dtype if isinstance(content, LaneContent) else None

    def _made(
        self, source: MadeOf, parent: int, kind: DType | None, known: set[tuple[int, ...]]
    ) -> Iterator[tuple[Link, list[MadeOf]]]:
        """The links of a source that are new, and what each was made of."""
        what = source.what
        if isinstance(what, ValueLane):
            maker = self._back.makers.maker(what.number)
            key = (0, maker.number, -1 if what.lane is None else what.lane)
            if key in known:
                return
            known.add(key)
            value = ValueLane(maker.number, what.lane)
            link = self._value_link(value, maker.step, source, parent)
            if maker.step is not None:
                yield link, self._back.of_value(maker.number, maker.step, value.lane)
            elif maker.loop is not None:
                yield link._replace(line=maker.loop.span.line), self._bounds(maker.loop, value)
            else:
                yield link, []
            return
        for written in self._back.writers(what):
            step = -1 if written.step is None else written.step
            key = (1, what.space, written.start, written.size, step)
            if key in known:
                continue
            known.add(key)
            part = MemoryBytes(what.space, written.start, written.size, what.step)
            piece = source.piece and source.piece.inside(written.start - what.start, written.size)
            link = self._bytes_link(part, written.step, source, parent, kind, piece)
            if written.step is not None:
                yield link, self._back.of_write(what.space, written)
                continue
            left = self._back.left_out(part)
            steering = [] if left is None else self._back.steering(left)
            yield link._replace(line=self._line(left)), steering

    def _text(self, kind: Type, dtype: DType, lane: np.generic) -> str:
        """A lane for people."""
        names = [self._run.name_of(slot) for slot in self._function.params]
        if isinstance(kind, Ptr):
            return in_words(kind, LaneContent(dtype, np.atleast_1d(lane), None), names)
        return element_texts(dtype, np.atleast_1d(lane))[0]

    def _bounds(self, loop: For, value: ValueLane) -> list[MadeOf]:
        recording = self._run.recording
        step = min(int(recording.value_steps[value.number]), len(self._run) - 1)
        core = int(recording.value_cores[value.number])
        numbers = [self._run.note(slot, step, core) for slot in loop.bounds]
        return [MadeOf(ValueLane(n, None)) for n in numbers if n is not None]

    def _line(self, step: int | None) -> int:
        return 0 if step is None else int(self._run.lines[step])

    def _moment(self, step: int | None) -> Moment | None:
        return None if step is None else Moment(self._run, step)

    def _value_link(self, value: ValueLane, step: int | None, source: MadeOf, parent: int) -> Link:
        number, lane = value
        slot = int(self._run.recording.value_slots[number])
        kind, content = self._function.types[slot], self._run.recording.values[number]
        name = self._run.name_of(slot)
        what, shown, data, undefined = name, "", b"", False
        if isinstance(content, LaneContent):
            lanes, bad = lanes_of(kind, content)
            if lane is None and not isinstance(kind, (VReg, Mask)):
                lane = 0
            if lane is None:
                undefined = bool(bad.any())
            else:
                shown, data = self._text(kind, content.dtype, lanes[lane]), lanes[lane].tobytes()
                undefined = bool(bad[lane])
                if isinstance(kind, (VReg, Mask)):
                    what = f"lane {lane} of {name}"
        return Link(
            what,
            self._moment(step),
            self._line(step),
            shown,
            data,
            undefined,
            value,
            parent,
            source.piece if data else None,
            source.steers,
        )

    def _bytes_link(
        self,
        part: MemoryBytes,
        step: int | None,
        source: MadeOf,
        parent: int,
        kind: DType | None,
        piece: Piece | None,
    ) -> Link:
        space, start, size, then = part
        memory, bits = self._run.memories.at(space, then)
        data = memory[start : start + size].tobytes()
        name = SPACE_NAMES.get(space, self._run.recording.spaces[space].name)
        what = f"bytes {start} to {start + size - 1} of {name}" if size > 1 else ""
        what = what or f"byte {start} of {name}"
        shown = ""
        if kind is not None and storage(kind).itemsize == size:
            shown = element_texts(kind, np.frombuffer(data, storage(kind)))[0]
        return Link(
            what,
            self._moment(step),
            self._line(step),
            shown,
            data,
            bool(bits[start : start + size].any()),
            part,
            parent,
            piece,
            source.steers,
        )
