"""A recorded run and the moves in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ptoscope.arguments import KernelArgument, bind, blocks, whole_if_given
from ptoscope.diagnostics import PtoError, UsageError
from ptoscope.machine.recording.values import record
from ptoscope.program import Launchable
from ptoscope.replay import search
from ptoscope.replay.departure import Departure, first_departure
from ptoscope.replay.difference import ElementDifference, first_difference
from ptoscope.replay.functions import LineFunction, first_departure_from_functions
from ptoscope.replay.history import History
from ptoscope.replay.moment import Moment
from ptoscope.replay.origin import OriginChain, origin_of_bytes
from ptoscope.trace.recording import MOST_STEPS


def record_run(
    kernel: Launchable,
    arguments: Sequence[Any],
    grid: int = 1,
    max_steps: int | None = None,
    most: int = MOST_STEPS,
    undefined: Sequence[int] = (),
) -> RecordedRun:
    """Runs a kernel on the reference engine as a call does, arrays written in place, and keeps
    all values of its first `most` executions. PtoError for wrong arguments; a fault of the run is
    not raised: it is the run's `error`."""
    grid, max_steps = blocks(kernel.target, grid), whole_if_given("max_steps", max_steps)
    bound = bind(kernel.program, kernel.function, arguments)
    try:
        return RecordedRun(record(kernel, bound, grid, max_steps, most, undefined), kernel.program)
    finally:
        for argument in bound:
            argument.write_back()


def record_to_the_end(
    kernel: Launchable, arguments: Sequence[Any], grid: int = 1, undefined: Sequence[int] = ()
) -> RecordedRun | None:
    """A run as `record_run` records it; None where it is too long to be kept whole, or faults."""
    # An iteration has at least one execution that counts.
    limit = max(1, MOST_STEPS // grid)
    run = record_run(kernel, arguments, grid, limit, MOST_STEPS, undefined)
    return None if run.error is not None or run.left_out else run


class RecordedRun(History):
    """A recorded run: as a sequence, its moments in the order of execution, block after block."""

    def __repr__(self) -> str:
        function, grid = self.recording.trace.function, self.recording.trace.grid
        blocks = "1 block" if grid == 1 else f"{grid} blocks"
        return f"<RecordedRun of @{function.name}: {len(self)} moments, {blocks}>"

    def __getitem__(self, index: int) -> Moment:
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"the run has {size} moments")
        return Moment(self, index % size)

    def __iter__(self) -> Iterator[Moment]:
        return (Moment(self, index) for index in range(len(self)))

    @property
    def error(self) -> PtoError | None:
        """What ended the run, if something did."""
        return self.recording.trace.error

    @property
    def left_out(self) -> int:
        """How many executions came after those that are kept."""
        return self.recording.left_out

    def at(self, line: int, iteration: int | Mapping[str, int] = 0, block: int = 0) -> Moment:
        """An execution of a line: of those in a block the one of this number, from 0, negative
        from the end; or the first in the iterations of these loops (`{"%i": 64}`). UsageError if
        it was not executed so often, or not there."""
        executions = self.executions(line)
        found = executions[self.blocks[executions] == block].tolist()
        where = f"line {line}" + (f" in block {block}" if self.recording.trace.grid > 1 else "")
        if isinstance(iteration, int):
            if not -len(found) <= iteration < len(found):
                raise UsageError(f"{where} was executed {len(found)} times in this run")
            return self[found[iteration]]
        wanted = {f"%{name.removeprefix('%')}": value for name, value in iteration.items()}
        for index in found:
            if wanted.items() <= self[index].iterations.items():
                return self[index]
        loops = ", ".join(f"{name} = {value}" for name, value in wanted.items())
        raise UsageError(f"{where} was not executed with {loops}")

    def writer(self, space: str, byte: int, before: Moment | None = None) -> Moment | None:
        """The last moment that wrote a byte of a memory, up to and with another moment, by
        default up to the end; None if nobody did. In a core's own memory only the block of that
        moment counts."""
        return self._moment(search.last_access(self, space, byte, self._index(before), True))

    def reader(self, space: str, byte: int, before: Moment | None = None) -> Moment | None:
        """The last moment that read a byte, likewise."""
        return self._moment(search.last_access(self, space, byte, self._index(before), False))

    def first_nan(self, after: Moment | None = None) -> Moment | None:
        """The first moment, or the first after another one, that made a NaN."""
        return self._moment(search.first(self, search.has_nan, self._index(after, -1)))

    def first_undefined(self, after: Moment | None = None) -> Moment | None:
        """The first moment, or the first after another one, that made a value with undefined
        bits."""
        return self._moment(search.first(self, search.is_undefined, self._index(after, -1)))

    def origin(self, space: str, byte: int, size: int = 1, at: Moment | None = None) -> OriginChain:
        """What made bytes of a memory (`ub`, `%y`) as they are after a moment, by default in the
        end: who wrote them, what of, and so on back to the launch. UsageError for bytes that are
        not there."""
        number = self.space(space)
        memory = len(self.recording.spaces[number].before)
        if not (0 <= byte < byte + size <= memory):
            raise UsageError(f"{space} has bytes 0 to {memory - 1}")
        return origin_of_bytes(self, number, byte, size, self._index(at))

    def first_difference(
        self, expected: Mapping[int | str, KernelArgument], rtol: float = 0.0, atol: float = 0.0
    ) -> ElementDifference | None:
        """The first element, in the end, that is not what is expected, of arguments by position
        or name (`{1: golden}`), and all that made it: `difference.origin`, `print(difference)`.
        Elements may differ by `rtol` of the expected and `atol`. None if none does."""
        return first_difference(self, expected, rtol, atol)

    def departs_from(
        self,
        other: RecordedRun | Mapping[int, LineFunction],
        rtol: float = 0.0,
        atol: float = 0.0,
    ) -> Departure | None:
        """Where this run first departs from another one, of another kernel or revision, value by
        value; or where a line first makes something else than a function gives for its operands
        (`{71: lambda a, b: a - b}`). None if it never does."""
        if isinstance(other, RecordedRun):
            return first_departure(self, other, rtol, atol)
        return first_departure_from_functions(self, other, rtol, atol)

    def _moment(self, index: int | None) -> Moment | None:
        return None if index is None else self[index]

    def _index(self, moment: Moment | None, default: int | None = None) -> int:
        if moment is not None:
            return moment.index
        return len(self) - 1 if default is None else default
