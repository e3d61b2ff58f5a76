"""One moment of a recorded run: what an instruction has just done."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptoscope.diagnostics import UsageError
from ptoscope.isa.dtypes import I1
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type
from ptoscope.replay.elements import numbers
from ptoscope.replay.history import History
from ptoscope.replay.makers import Makers
from ptoscope.trace.recording import LaneContent, Signals, StreamContent
from ptoscope.trace.trace import Place

ElementType = type[np.generic] | np.dtype[np.generic] | str
"""What NumPy calls a type of elements."""


class Moment:
    """The run right after an instruction was executed.

    `moment["%v"]` is what the value holds now: a NumPy array of its lanes, of a mask one bool for
    each, of a scalar a NumPy number. `undefined("%v")` says which lanes have undefined bits.
    """

    def __init__(self, run: History, index: int) -> None:
        self.run = run
        self.index = index
        """Its number in the run."""
        self._event = int(run.recording.trace.executed[index])

    def __repr__(self) -> str:
        around = ", ".join((f"line {self.line}", *self.iteration_texts))
        return f"<Moment {self.index} of {len(self.run)}: {self.name}, {around}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moment) and (other.run, other.index) == (self.run, self.index)

    def __hash__(self) -> int:
        return hash((id(self.run), self.index))

    # Where it is.

    @property
    def event(self) -> int:
        """The event of the trace."""
        return self._event

    @property
    def place(self) -> Place:
        """The operation of the text."""
        return self.run.place(self.index)

    @property
    def line(self) -> int:
        return self.place.span.line

    @property
    def name(self) -> str:
        """The name of the instruction."""
        return self.place.name

    @property
    def text(self) -> str:
        """Its line of the source; of Python, where a line may have several instructions, the
        instruction and the part of the line that it comes from."""
        if not self.run.program.built:
            return self.run.source(self.line)
        piece = self.run.piece(self.place.span)
        return piece if piece.startswith(self.name) else f"{self.name}: {piece}"

    @property
    def pipe(self) -> str:
        return self.place.pipe

    @property
    def block(self) -> int:
        return int(self.run.recording.trace.events.block[self._event])

    @property
    def core(self) -> str:
        """The core that executed it; empty where a block has only one."""
        return self.run.recording.trace.core_title(self._event)

    @property
    def iterations(self) -> dict[str, int]:
        """The values of the loops around it, outermost first."""
        trace = self.run.recording.trace
        return dict(trace.iteration(int(trace.events.iteration[self._event])))

    @property
    def iteration_texts(self) -> list[str]:
        """The same in words, with block and core where there are several."""
        blocks = [f"block {self.block}"] if self.run.recording.trace.grid > 1 else []
        blocks += [self.core] if self.core else []
        return [*blocks, *(f"{name} = {value}" for name, value in self.iterations.items())]

    # What it did.

    @property
    def operands(self) -> list[str]:
        """The names of what it takes."""
        return [self.run.name_of(slot) for slot in self.place.op.operands]

    @property
    def results(self) -> list[str]:
        """The names of what it makes."""
        return [self.run.name_of(slot) for slot in self.place.op.results]

    # What is there.

    def __getitem__(self, name: str) -> Any:
        slot = self._slot(name)
        return shown(self.run.recording.trace.function.types[slot], self._content(slot))

    def __contains__(self, name: str) -> bool:
        return self.run.latest(name, self.index) is not None

    def names(self) -> list[str]:
        """The values that are there, in the order of the text."""
        return self.run.alive(self.index)

    def type_of(self, name: str) -> Type:
        """The type of a value."""
        return self.run.recording.trace.function.types[self._slot(name)]

    def undefined(self, name: str) -> NDArray[np.bool_]:
        """Which lanes of a value have undefined bits."""
        slot = self._slot(name)
        content = self._content(slot)
        if isinstance(content, StreamContent):
            raise UsageError(f"{name} has no lanes")
        if content.undefined is None:
            return np.zeros(np.shape(self[name]), dtype=bool)
        kind = self.run.recording.trace.function.types[slot]
        return shown(kind, LaneContent(I1, content.undefined != 0, None))

    def maker(self, name: str) -> Moment | None:
        """The moment that made what a value holds, through loops and branches; None if that is
        the index of a loop, or came with the launch."""
        number = self.run.note(self._slot(name), self.index)
        assert number is not None
        return self._moment(Makers(self.run).maker(number).step)

    def memory(
        self,
        space: str = "ub",
        dtype: ElementType = np.uint8,
        begin: int = 0,
        end: int = -1,
    ) -> NDArray[np.generic]:
        """Bytes of a memory (`ub`, or `%x` for the array of a parameter) from `begin` to before
        `end`, by default all, as an array of a type."""
        return self._bytes(space, begin, end)[0].view(dtype)

    def undefined_memory(
        self, space: str = "ub", begin: int = 0, end: int = -1
    ) -> NDArray[np.bool_]:
        """Which bytes have undefined bits."""
        return self._bytes(space, begin, end)[1] != 0

    def _bytes(self, space: str, begin: int, end: int) -> tuple[Any, Any]:
        data, undefined = self.run.memories.at(self.run.space(space), self.index)
        end = len(data) if end < 0 else end
        if not 0 <= begin <= end <= len(data):
            raise UsageError(f"{space} has bytes 0 to {len(data) - 1}, not {begin} to {end - 1}")
        return data[begin:end].copy(), undefined[begin:end]

    @property
    def signals(self) -> Signals:
        """Flags that are set and buffers that are held."""
        return self.run.signals(self.index)

    # Moves.

    def next(self) -> Moment | None:
        """The moment after it; None at the end."""
        return Moment(self.run, self.index + 1) if self.index + 1 < len(self.run) else None

    def previous(self) -> Moment | None:
        """The moment before it; None at the begin."""
        return Moment(self.run, self.index - 1) if self.index > 0 else None

    def next_here(self) -> Moment | None:
        """The next execution of its line."""
        return self._moment(self.run.on_line(self.line, self.index + 1))

    def previous_here(self) -> Moment | None:
        """The execution of its line before."""
        return self._moment(self.run.on_line(self.line, self.index - 1, back=True))

    def _moment(self, index: int | None) -> Moment | None:
        return None if index is None else Moment(self.run, index)

    def _slot(self, name: str) -> int:
        slot = self.run.latest(name, self.index)
        if slot is None:
            raise UsageError(self.run.unknown(name, self.index))
        return slot

    def _content(self, slot: int) -> LaneContent | StreamContent:
        content = self.run.content(slot, self.index)
        assert content is not None
        return content


def shown(kind: Type, content: LaneContent | StreamContent) -> Any:
    """What a value of a type holds, for people who compute with NumPy: lanes, a number, or the
    state of a stream."""
    match kind, content:
        case (Align(), _) | (_, StreamContent()):
            return content
        case (Mask() as mask, LaneContent(lanes=lanes)):
            return np.asarray(lanes)[:: max(1, len(lanes) // mask.lanes)]
        case (Scalar() | Ptr(), LaneContent(lanes=lanes)):
            return numbers(content.dtype, lanes)[0]
        case _:
            return numbers(content.dtype, np.asarray(content.lanes))
