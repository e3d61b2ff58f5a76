"""Questions to the engine, bodies that pipes execute, flags and buffers."""

from __future__ import annotations

from ptoscope.isa.parts import BUFFERS, EVENTS, MOST_PENDING
from ptoscope.native.layout import COUNT, QUEUED, SERVICE, WORD_BYTES
from ptoscope.native.subset import Address, RawMemory, compiled, rarely_called

_EVENTS = len(EVENTS)
RAISED = (1 << 32) + 1
"""One more pending, and set once more: the upper half of a flag's word counts that."""


@rarely_called
def rt_service(memory: RawMemory, state: Address, side_exit: int, args: Address) -> int:
    """Leaves at a side exit, whose values stand at `args`; its status."""
    return memory.call(memory.word(state, SERVICE), side_exit, args)


@compiled
def rt_issue(memory: RawMemory, state: Address, side_exit: int, args: Address) -> int:
    """Runs a body for a pipe: its address is the first of the values, those it takes follow."""
    if memory.word(state, QUEUED) == 0:
        body = memory.word(args, 0)
        if memory.call(body, state, args + WORD_BYTES) == 0:
            return 0
    return rt_service(memory, state, side_exit, args)


@compiled
def rt_raise(
    memory: RawMemory,
    state: Address,
    side_exit: int,
    args: Address,
    first: int,
    number: int,
    given: int,
    place: int,
) -> int:
    """Sets a flag."""
    if _counted(memory, state, first, number, _EVENTS, MOST_PENDING, RAISED):
        return 0
    return _asked(memory, state, side_exit, args, given, place)


@compiled
def rt_consume(
    memory: RawMemory,
    state: Address,
    side_exit: int,
    args: Address,
    first: int,
    number: int,
    given: int,
    place: int,
) -> int:
    """Waits for a flag."""
    if _counted(memory, state, first, number, _EVENTS, 0, -1):
        return 0
    return _asked(memory, state, side_exit, args, given, place)


@compiled
def rt_acquire(
    memory: RawMemory,
    state: Address,
    side_exit: int,
    args: Address,
    first: int,
    number: int,
    given: int,
    place: int,
) -> int:
    """Takes a buffer that the pipe does not hold."""
    if _counted(memory, state, first, number, BUFFERS, 1, 1):
        return 0
    return _asked(memory, state, side_exit, args, given, place)


@compiled
def rt_release(
    memory: RawMemory,
    state: Address,
    side_exit: int,
    args: Address,
    first: int,
    number: int,
    given: int,
    place: int,
) -> int:
    """Gives a buffer back."""
    if _counted(memory, state, first, number, BUFFERS, 0, -1):
        return 0
    return _asked(memory, state, side_exit, args, given, place)


def _counted(
    memory: RawMemory,
    state: Address,
    first: int,
    number: int,
    limit: int,
    end: int,
    step: int,
) -> bool:
    """Counts up or down in the lower half of a word, number `number` of the `limit` words from
    `first` on; not beyond an end, and not while something is queued. Whether it did."""
    if memory.word(state, QUEUED) != 0 or not 0 <= number < limit:
        return False
    before = memory.word(state, first + number)
    if before & COUNT == end:
        return False
    memory.set_word(state, first + number, before + step)
    return True


def _asked(
    memory: RawMemory, state: Address, side_exit: int, args: Address, given: int, place: int
) -> int:
    """Asks the engine, with the number that was given among the values."""
    memory.set_word(args, place, given)
    return rt_service(memory, state, side_exit, args)
