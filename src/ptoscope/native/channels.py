"""The words that the cores of one block share: how many signals they gave each other.

Each rule of `isa.order.cores` has a word for what was given on a channel, by the core that gives;
one core runs at a time, so that nothing else has to keep them in order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ptoscope.isa.order.cores import (
    BOTH,
    SET_CLUSTER,
    SET_CORE,
    WAIT_CLUSTER,
    WAIT_CORE,
    Channel,
)
from ptoscope.isa.order.ledger import Chain
from ptoscope.isa.parts import CoreId
from ptoscope.machine.cluster import Cluster
from ptoscope.native import layout
from ptoscope.native.doors import ACQUIRE_ADDRESS, RELEASE_ADDRESS, NativeDoor
from ptoscope.native.runtime.signals import (
    ACQUIRE,
    CLUSTER_GIVEN,
    CLUSTER_TAKEN,
    CORE_GIVEN,
    CORE_STATES,
    CORE_TAKEN,
    DOORS,
    FAILED,
    PER_CORE,
    RELEASE,
    SEMAPHORES,
    SHARED_WORDS,
    SIGNALLED,
    VECTOR_CORES,
)

Words = np.ndarray[Any, np.dtype[np.int64]]
StrChain = Chain[str]


def place_core(state: Words, core: CoreId, shared: int, number: int) -> None:
    """Writes into a core's words which it is, and where its signals are counted: in words from an
    address on, or nowhere (0)."""
    state[layout.CORE_NUMBER] = number
    is_cube = core.kind == "cube"
    state[layout.IS_CUBE] = is_cube
    state[layout.SUBBLOCK_INDEX], state[layout.SUBBLOCK_COUNT] = core.number, core.vectors
    state[layout.SIGNALS] = shared
    gives, takes = _between_two(core, True), _between_two(core, False)
    state[layout.CORE_GIVES], state[layout.CORE_TAKES] = CORE_GIVEN + gives, CORE_GIVEN + takes
    state[layout.CORE_NUMBERS] = SEMAPHORES if is_cube else PER_CORE
    awaited = [_of_all(CoreId("vector", n, VECTOR_CORES)) for n in range(VECTOR_CORES)]
    first, second = awaited if is_cube else [0, 0]
    state[layout.CLUSTER_GIVES] = CLUSTER_GIVEN + _of_all(core)
    state[layout.CLUSTER_TAKES] = CLUSTER_GIVEN + first
    state[layout.CLUSTER_TAKES_TOO] = CLUSTER_GIVEN + second


def taken(words: Words, place: int) -> bool:
    """Takes a signal of a core, which are counted at a place, if one was given."""
    count = place + CORE_TAKEN - CORE_GIVEN
    if words[count] >= words[place]:
        return False
    words[count] += 1
    words[SIGNALLED] = 1
    return True


def _between_two(core: CoreId, gives: bool) -> int:
    """The first word of the channels on which a core gives or takes signals of one other core."""
    to_cube = gives == (core.kind == "vector")
    return SEMAPHORES * to_cube + (PER_CORE * core.number if core.kind == "vector" else 0)


def _of_all(core: CoreId) -> int:
    """The first word of the channels on which a core gives signals to all others."""
    return 0 if core.kind == "cube" else PER_CORE * (1 + core.number)


def _places() -> dict[StrChain, int]:
    """The word of every chain that has one."""
    places: dict[StrChain, int] = {}
    for semaphore in range(PER_CORE):
        for vector in range(VECTOR_CORES):
            for to_cube in (False, True):
                channel = Channel(to_cube, vector, semaphore)
                at = SEMAPHORES * to_cube + PER_CORE * vector + semaphore
                places[SET_CORE.name, None, channel] = CORE_GIVEN + at
                places[WAIT_CORE.name, None, channel] = CORE_TAKEN + at
            of_vector = CLUSTER_GIVEN + PER_CORE * (1 + vector) + semaphore
            places[SET_CLUSTER.name, None, Channel(True, vector, semaphore)] = of_vector
        both = Channel(False, BOTH, semaphore)
        places[SET_CLUSTER.name, None, both] = CLUSTER_GIVEN + semaphore
    return places


_PLACES = _places()


def issued(core: CoreId, words: Words) -> dict[StrChain, int]:
    """What a core has given and taken, of which nothing is queued."""
    found: dict[StrChain, int] = {}
    for (rule, pipe, channel), place in _PLACES.items():
        count = int(words[place])
        assert isinstance(channel, Channel)
        gives = rule in (SET_CORE.name, SET_CLUSTER.name)
        mine = (core.kind == "vector") == (channel.to_cube == gives)
        if count and mine and (core.kind == "cube" or channel.vector == core.number):
            found[rule, pipe, channel] = count
    for chain, place in _own_waits(core):
        if words[place]:
            found[chain] = int(words[place])
    return found


def _own_waits(core: CoreId) -> list[tuple[StrChain, int]]:
    """What only the core itself counts: its waits for all others."""
    first, is_cube = CLUSTER_TAKEN + _of_all(core), core.kind == "cube"
    return [
        ((WAIT_CLUSTER.name, None, Channel(is_cube, vector, number)), first + number)
        for number in range(PER_CORE)
        for vector in (range(VECTOR_CORES) if is_cube else [BOTH])
    ]


def keep_waits(core: CoreId, words: Words, counts: dict[StrChain, int]) -> None:
    """Writes into the words what only the core itself counts."""
    for chain, place in _own_waits(core):
        words[place] = counts.get(chain, 0)


class _Given(dict[StrChain, int]):
    """The account of a cluster, kept in its words where there is one for it."""

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words

    def get(self, chain: StrChain, default: int = 0) -> int:  # type: ignore[override]
        place = _PLACES.get(chain)
        return super().get(chain, default) if place is None else int(self._words[place])

    def __setitem__(self, chain: StrChain, count: int) -> None:
        place = _PLACES.get(chain)
        if place is None:
            super().__setitem__(chain, count)
        else:
            self._words[place] = count


class TurnTaker(Protocol):
    """A core that runs generated code while the others do not."""

    core: CoreId

    def pause(self) -> None:
        """Others may run."""
        ...

    def go_on(self) -> None:
        """No other runs."""
        ...


class NativeCluster(Cluster):
    """A cluster whose cores count their signals in shared words, and keep one log. Where they
    keep none, their code switches by itself."""

    def __init__(self, cores: Sequence[TurnTaker], words: Words, keeps_log: bool) -> None:
        doors = [NativeDoor() for _ in cores]
        words[:] = 0
        words[DOORS : DOORS + len(cores)] = [door.address for door in doors]
        if not keeps_log:
            words[ACQUIRE], words[RELEASE] = ACQUIRE_ADDRESS, RELEASE_ADDRESS
        first = words[CORE_STATES:].ctypes.data
        states: Any = (ctypes.c_int64 * len(cores)).from_address(first)
        super().__init__(tuple(core.core for core in cores), states=states, doors=doors)
        self._cores = cores
        self._words = words
        self.given = _Given(words)

    def wait(self, number: int, could_go_on: bool = False) -> bool:
        self._cores[number].pause()
        try:
            return super().wait(number, could_go_on)
        finally:
            self._cores[number].go_on()

    def _open_all(self) -> None:
        self._words[FAILED] = 1
        super()._open_all()

    def _following(self, number: int) -> int | None:
        if self._words[SIGNALLED]:
            self._words[SIGNALLED] = 0
            self.signalled()
        return super()._following(number)


def shared_words() -> Words:
    """Those of one block."""
    return np.zeros(SHARED_WORDS, dtype=np.int64)
