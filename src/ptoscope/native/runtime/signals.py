"""Signals between the cores of a block, and unit flags: what is counted in words.

The words that cores share begin with SIGNALLED; then come what was given and what was taken
between two cores, and what was given to all others and, by each core, awaited of them.
"""

from __future__ import annotations

from ptoscope.isa.parts import MOST_PENDING, PER_CORE, SEMAPHORES, UNIT_FLAGS, VECTOR_CORES
from ptoscope.machine.turns import COULD_GO_ON, ENDED, RUNS
from ptoscope.native.layout import (
    CLUSTER_GIVES,
    CLUSTER_TAKES,
    CLUSTER_TAKES_TOO,
    CORE_GIVES,
    CORE_NUMBER,
    CORE_NUMBERS,
    CORE_TAKES,
    QUEUED,
    SIGNALS,
    TILES,
)
from ptoscope.native.runtime.issue import rt_service
from ptoscope.native.subset import Address, RawMemory, compiled

SIGNALLED = 0
"""Not 0 where something was given or taken since the engine last looked."""
CORE_GIVEN = 1
_CHANNELS = 2 * SEMAPHORES
CORE_TAKEN = CORE_GIVEN + _CHANNELS
CLUSTER_GIVEN = CORE_TAKEN + _CHANNELS
_OF_ALL = PER_CORE * (1 + VECTOR_CORES)
CLUSTER_TAKEN = CLUSTER_GIVEN + _OF_ALL
CORE_STATES = CLUSTER_TAKEN + _OF_ALL
"""What each core does (see `machine.turns`)."""
_CORES = 1 + VECTOR_CORES
FAILED = CORE_STATES + _CORES
"""Not 0 where no core goes on."""
ACQUIRE, RELEASE = FAILED + 1, FAILED + 2
"""The functions that wait at a door, and open one; 0 where code may not switch by itself."""
DOORS = FAILED + 3
"""The door of each core, where it waits for its turn."""
SHARED_WORDS = DOORS + _CORES


@compiled
def rt_give(memory: RawMemory, state: Address, side_exit: int, args: Address) -> int:
    """Signals another core; the number is the first of the values."""
    number = memory.word(args, 0)
    shared = memory.word(state, SIGNALS)
    if _counts(memory, state, number, memory.word(state, CORE_NUMBERS)):
        at = memory.word(state, CORE_GIVES) + number
        given = memory.word(shared, at)
        if given - memory.word(shared, at + _CHANNELS) < MOST_PENDING:
            memory.set_word(shared, at, given + 1)
            memory.set_word(shared, SIGNALLED, 1)
            return 0
    return rt_service(memory, state, side_exit, args)


@compiled
def rt_take(memory: RawMemory, state: Address, side_exit: int, args: Address) -> int:
    """Waits for a signal of another core."""
    number = memory.word(args, 0)
    shared = memory.word(state, SIGNALS)
    if _counts(memory, state, number, memory.word(state, CORE_NUMBERS)):
        at = memory.word(state, CORE_TAKES) + number
        taken = memory.word(shared, at + _CHANNELS)
        waits = 1
        while waits != 0:
            if taken < memory.word(shared, at):
                memory.set_word(shared, at + _CHANNELS, taken + 1)
                memory.set_word(shared, SIGNALLED, 1)
                return 0
            waits = _others_ran(memory, state, shared)
    return rt_service(memory, state, side_exit, args)


def _others_ran(memory: RawMemory, state: Address, shared: Address) -> int:
    """Lets other cores run until there is something new, as `Cluster.wait` of a core that could
    go on; 0 where there is not, or where the engine has to know of it."""
    if memory.word(shared, ACQUIRE) == 0 or memory.word(shared, FAILED) != 0:
        return 0
    if memory.word(shared, SIGNALLED) != 0:
        memory.set_word(shared, SIGNALLED, 0)
        for core in range(_CORES):
            if memory.word(shared, CORE_STATES + core) != ENDED:
                memory.set_word(shared, CORE_STATES + core, RUNS)
    number = memory.word(state, CORE_NUMBER)
    following = (number + 1) % _CORES
    while following != number and memory.word(shared, CORE_STATES + following) != RUNS:
        following = (following + 1) % _CORES
    if following == number:
        return 0
    memory.set_word(shared, CORE_STATES + number, COULD_GO_ON)
    memory.call(memory.word(shared, RELEASE), memory.word(shared, DOORS + following), 0)
    memory.call(memory.word(shared, ACQUIRE), memory.word(shared, DOORS + number), 1)
    is_new = memory.word(shared, CORE_STATES + number) == RUNS
    memory.set_word(shared, CORE_STATES + number, RUNS)
    return 1 if is_new and memory.word(shared, FAILED) == 0 else 0


@compiled
def rt_give_all(memory: RawMemory, state: Address, side_exit: int, args: Address) -> int:
    """Signals all others."""
    number = memory.word(args, 0)
    shared = memory.word(state, SIGNALS)
    if _counts(memory, state, number, PER_CORE):
        at = memory.word(state, CLUSTER_GIVES) + number
        memory.set_word(shared, at, memory.word(shared, at) + 1)
        memory.set_word(shared, SIGNALLED, 1)
        return 0
    return rt_service(memory, state, side_exit, args)


@compiled
def rt_take_all(memory: RawMemory, state: Address, side_exit: int, args: Address) -> int:
    """Waits for a signal of all others."""
    number = memory.word(args, 0)
    shared = memory.word(state, SIGNALS)
    if _counts(memory, state, number, PER_CORE):
        mine = memory.word(state, CLUSTER_GIVES) + _OF_ALL + number
        taken = memory.word(shared, mine)
        one = memory.word(shared, memory.word(state, CLUSTER_TAKES) + number)
        other = memory.word(shared, memory.word(state, CLUSTER_TAKES_TOO) + number)
        if taken < min(one, other):
            memory.set_word(shared, mine, taken + 1)
            return 0
    return rt_service(memory, state, side_exit, args)


def _counts(memory: RawMemory, state: Address, number: int, limit: int) -> bool:
    """Whether a core counts its signals: it is not alone, nothing is queued, and there is such a
    number."""
    if memory.word(state, SIGNALS) == 0 or memory.word(state, QUEUED) != 0:
        return False
    return 0 <= number < limit


@compiled
def rt_unit_flag(
    memory: RawMemory,
    state: Address,
    side_exit: int,
    args: Address,
    least: int,
    most: int,
    step: int,
) -> int:
    """Goes on where a tile was published and not cleared so many times, and counts it on."""
    tile = memory.word(args, 0)
    if memory.word(state, QUEUED) == 0 and 0 <= tile < UNIT_FLAGS:
        published = memory.word(state, TILES + tile)
        if least <= published <= most:
            memory.set_word(state, TILES + tile, published + step)
            return 0
    return rt_service(memory, state, side_exit, args)
