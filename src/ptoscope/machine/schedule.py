"""Schedules: which legal order of the pipes a run takes.

The scalar unit issues in program order and every pipe keeps its own order, but for copies to
GM, which a barrier of their pipe has to order, or something that the pipe waits for. When a
pipe runs what it was given is free, but for flags, buffers and barriers. A schedule uses that
freedom:
`program` runs everything as soon as it is issued; `lazy` delays every copy until something
waits for it; `eager` lets the copies run ahead of vector work; `seed:N` decides at random,
the same way every time. A kernel without a race gives the same bits under all of them.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ptoscope.diagnostics import UsageError
from ptoscope.isa.parts import COPY_PIPES, PIPES

_NAMES = ("program", "lazy", "eager")
_READINESS = (0.0, 0.1, 0.5, 0.9)
"""How likely a pipe of a random schedule goes on where it might: one is drawn for each, so
that in some runs a pipe lags far behind another."""

_OVERTAKING = (0.2, 0.5, 0.9)
"""How likely a copy overtakes others where it may: one is drawn for each random schedule."""

_PASSING = (0.0, 0.05, 0.3)
"""How likely a core lets another one run where it issued something: one is drawn likewise."""


@dataclass(frozen=True)
class Schedule:
    """One way to run a kernel; `seed` is None but for the random ones."""

    name: str
    seed: int | None = None

    @staticmethod
    def parse(text: str) -> Schedule:
        """`program`, `lazy`, `eager` or `seed:N`; UsageError for anything else."""
        if text in _NAMES:
            return Schedule(text)
        kind, colon, number = text.partition(":")
        if kind == "seed" and colon and number.isascii() and number.isdigit():
            return Schedule("seed", int(number))
        raise UsageError(
            f"there is no schedule '{text}'; there are {', '.join(_NAMES)} and seed:N, "
            "where N is 0, 1, 2, ..."
        )

    def __str__(self) -> str:
        return self.name if self.seed is None else f"{self.name}:{self.seed}"

    def order(self, block: int, core: int = 0) -> Order | None:
        """What decides in a core of a block; None for program order, where nothing is to
        decide."""
        match self.name:
            case "lazy":
                return _Lazy()
            case "eager":
                return _Eager()
            case "seed":
                return _Random(random.Random(f"{self.seed} {block}" + (f" {core}" if core else "")))
            case _:
                return None

    def turns(self, block: int, cores: int) -> Sequence[int]:
        """The cores of a block in the order in which they begin."""
        if self.name == "eager":
            return range(cores - 1, -1, -1)
        if self.seed is None:
            return range(cores)
        return random.Random(f"{self.seed} {block} cores").sample(range(cores), cores)

    def blocks(self, grid: int) -> Sequence[int]:
        """The blocks in the order in which they run: nothing orders them."""
        if self.name == "eager":
            return range(grid - 1, -1, -1)
        if self.seed is None:
            return range(grid)
        return random.Random(self.seed).sample(range(grid), grid)


def schedules(count: int) -> list[Schedule]:
    """The first schedules to try: those with a name, then random ones."""
    named = [Schedule(name) for name in _NAMES]
    return [*named, *(Schedule("seed", n) for n in range(count - len(named)))][:count]


class Queues(Protocol):
    """The pipes, to an order: what was given to each and has not run."""

    def waiting(self) -> list[str]:
        """The pipes on which something is queued."""
        ...

    def step(self, pipe: str) -> bool:
        """Runs what is next on a pipe; False if there is nothing or it waits."""
        ...

    def pull(self, pipe: str) -> bool:
        """The same, and before it what it waits for; False if that cannot happen now."""
        ...


class Order(ABC):
    """Decides when pipes run what they were given."""

    @abstractmethod
    def settle(self, pipes: Queues) -> None:
        """Called when something was issued: runs what is to run now."""

    @abstractmethod
    def rank(self, heads: dict[str, int]) -> list[str]:
        """Which pipe goes on first where all have to; `heads` says which instruction of the
        program's order each has reached."""

    def choose(self, places: Sequence[int]) -> int:
        """Which place of a pipe's queue is next: the first of these, or a copy behind it."""
        return places[0]

    def passes(self) -> bool:
        """Whether another core of the cluster goes on, where something was issued."""
        return False


def _latest(heads: dict[str, int]) -> list[str]:
    """The opposite of the program's order."""
    return sorted(heads, key=lambda pipe: heads[pipe], reverse=True)


class _Lazy(Order):
    """Copies wait until somebody needs them; the others run, and fetch what they need."""

    def settle(self, pipes: Queues) -> None:
        for pipe in pipes.waiting():
            if pipe not in COPY_PIPES:
                while pipes.pull(pipe):
                    pass

    def rank(self, heads: dict[str, int]) -> list[str]:
        return _latest(heads)


class _Eager(Order):
    """Copies run as soon as they can; the others wait until somebody has to have them."""

    def settle(self, pipes: Queues) -> None:
        moved = True
        while moved:
            moved = False
            for pipe in COPY_PIPES:
                while pipes.step(pipe):
                    moved = True

    def rank(self, heads: dict[str, int]) -> list[str]:
        return _latest(heads)


class _Random(Order):
    """Any pipe that can go on may."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._readiness = {pipe: rng.choice(_READINESS) for pipe in PIPES}
        self._overtaking = rng.choice(_OVERTAKING)
        self._passing = rng.choice(_PASSING)

    def settle(self, pipes: Queues) -> None:
        for pipe in self.rank(dict.fromkeys(pipes.waiting(), 0)):
            while self._rng.random() < self._readiness[pipe] and pipes.step(pipe):
                pass

    def rank(self, heads: dict[str, int]) -> list[str]:
        return self._rng.sample(list(heads), len(heads))

    def choose(self, places: Sequence[int]) -> int:
        if self._rng.random() >= self._overtaking:
            return places[0]
        # The last of them again and again turns their order round.
        return self._rng.choice((places[-1], self._rng.choice(places[1:])))

    def passes(self) -> bool:
        return self._rng.random() < self._passing
