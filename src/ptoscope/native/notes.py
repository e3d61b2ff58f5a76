"""What a traced kernel notes while it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.native import layout

Words = np.ndarray[Any, np.dtype[np.int64]]


class Book:
    """Rows of so many words, written by generated code: `at` is the word of its state that
    says where, the one after it counts."""

    def __init__(self, at: int, width: int) -> None:
        self._at, self._width = at, width
        self._full: list[Words] = []
        self._open = self._fresh()
        self._count = 0

    def _fresh(self) -> Words:
        return np.empty((layout.ROOM, self._width), dtype=np.int64)

    def lend(self, state: Words) -> None:
        """A block goes on where the one before it ended."""
        state[self._at] = self._open.ctypes.data
        state[self._at + 1] = self._count

    def turn_over(self, state: Words) -> None:
        """The rows are full."""
        fresh = self._fresh()
        self._full.append(self._open)
        self._open = fresh
        state[self._at] = fresh.ctypes.data

    def take_back(self, state: Words) -> None:
        """The block is over."""
        self._count = int(state[self._at + 1])

    @property
    def is_whole(self) -> bool:
        """Whether there was room for every row."""
        return self._count // layout.ROOM == len(self._full)

    def rows(self) -> Words:
        """All of them, and what was left empty between. Nothing can be noted after that."""
        rows = np.empty((self._count, self._width), dtype=np.int64)
        for start in range(0, self._count, layout.ROOM):
            # Each room is let go as soon as it has been taken over.
            room = self._full.pop(0) if self._full else self._open
            rows[start : start + layout.ROOM] = room[: self._count - start]
        return rows


class Notes:
    """The notes of all blocks of a launch, one after the other."""

    def __init__(self) -> None:
        self._notes = Book(layout.NOTES, layout.NOTE_WORDS)
        self._kept = Book(layout.KEPT, 1)
        self.ends: list[int] = []
        """How many notes there were at the end of each block."""

    def begin(self, state: Words) -> None:
        """A block begins."""
        for book in (self._notes, self._kept):
            book.lend(state)

    def end(self, state: Words) -> bool:
        """A block has ended, or has stopped. Whether no note was lost: where the engine could
        not give new room (no memory; an exception out of a signal handler), they are."""
        for book in (self._notes, self._kept):
            book.take_back(state)
        self.ends.append(int(state[layout.NOTE_COUNT]))
        return self._notes.is_whole and self._kept.is_whole

    def serve(self, index: int, state: Words) -> bool:
        """Gives new room, if that is what generated code asks for."""
        if index == layout.NOTES_FULL:
            self._notes.turn_over(state)
        elif index == layout.KEPT_FULL:
            self._kept.turn_over(state)
        else:
            return False
        return True

    def rows(self) -> tuple[Words, Words]:
        """The notes, and the words kept beside them."""
        return self._notes.rows(), self._kept.rows()[:, 0]
