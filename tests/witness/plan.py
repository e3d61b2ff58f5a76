"""Which operation of a meaning is changed, and how; or what a meaning does at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Place = tuple[int, ...]
"""The number of an operation in a run; inside a body, after the number of who runs it."""


class Endless(Exception):
    """A changed meaning that goes on and on."""


@dataclass(frozen=True)
class Operation:
    """What a meaning did at a place, and in which ways that can be changed."""

    word: str
    detail: str
    changes: tuple[str, ...]
    source: tuple[Any, ...]


@dataclass
class Plan:
    """The operation to change and how; without one, what a run does is written down."""

    place: Place | None = None
    change: str = ""
    limit: int = 400_000
    seen: dict[Place, Operation] = field(default_factory=dict[Place, Operation])
    _path: list[int] = field(default_factory=lambda: [0])
    steps: int = 0

    def begin(self) -> None:
        """A new use of the instruction."""
        self._path = [0]

    def step(self, word: str, detail: object, changes: Callable[[], Sequence[str]]) -> str:
        """The change to make to the operation that comes now; empty for none."""
        here = tuple(self._path)
        self._path[-1] += 1
        self.steps += 1
        if self.steps > self.limit:
            raise Endless
        if self.place is None:
            known = self.seen.get(here)
            ways = tuple(changes())
            if known is None:
                self.seen[here] = Operation(word, str(detail), ways, _source())
            elif not set(ways) <= set(known.changes):
                # A kernel uses the instruction several times: what one of them allows counts.
                every = tuple(dict.fromkeys((*known.changes, *ways)))
                self.seen[here] = replace(known, changes=every)
            return ""
        return self.change if here == self.place else ""

    def inside(self, body: Callable[..., Any], *which: int) -> Callable[..., Any]:
        """A body whose operations are numbered within the one that comes now, and `which` of
        several there."""
        start = [*self._path, *which, 0]

        def run(*values: Any) -> Any:
            before, self._path = self._path, list(start)
            self.steps += 1
            if self.steps > self.limit:
                raise Endless
            try:
                return body(*values)
            finally:
                self._path = before

        return run


def _source() -> tuple[Any, ...]:
    """Where in the code of a meaning an operation stands: loops come here again and again."""
    frame = sys._getframe(2)
    out: list[tuple[Any, int]] = []
    while frame is not None and frame.f_code.co_name != "run_changed":
        out.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(out)
