"""What things of a run are made of: bytes of its memories, and lanes of its values."""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.replay.rows import Piece


class MemoryBytes(NamedTuple):
    """Bytes of a space as they are after a step."""

    space: int
    start: int
    size: int
    step: int


class ValueLane(NamedTuple):
    """A value of the recording, by its number: a lane of it, or all of it."""

    number: int
    lane: int | None


class MadeOf(NamedTuple):
    """What something was made of. `piece` is which of its bytes are bytes of that, where they
    only moved; `steers` says that it only said where or whether."""

    what: MemoryBytes | ValueLane
    piece: Piece | None = None
    steers: bool = False


class WrittenBytes(NamedTuple):
    """Bytes that one step wrote, or, without one, that were there at first."""

    step: int | None
    start: int
    size: int
