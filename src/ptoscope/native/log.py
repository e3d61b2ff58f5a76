"""The log that a traced kernel keeps of its run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.native import layout

Words = np.ndarray[Any, np.dtype[np.int64]]


class LogPages:
    """Rows of so many words, written by generated code: `at` is the word of its state that
    says where, the one after it counts."""

    def __init__(self, at: int, width: int) -> None:
        self._at, self._width = at, width
        self._full: list[Words] = []
        self._open = self._fresh()
        self.count = 0

    def _fresh(self) -> Words:
        return np.empty((layout.LOG_ROOM, self._width), dtype=np.int64)

    def lend(self, state: Words) -> None:
        """A block goes on where the one before it ended."""
        state[self._at] = self._open.ctypes.data
        state[self._at + 1] = self.count

    def next_page(self, state: Words) -> None:
        """The page at hand is full: generated code goes on in a new one."""
        fresh = self._fresh()
        self._full.append(self._open)
        self._open = fresh
        state[self._at] = fresh.ctypes.data

    def take_back(self, state: Words) -> None:
        """The block is over."""
        self.count = int(state[self._at + 1])

    @property
    def is_whole(self) -> bool:
        """Whether there was room for every row."""
        return self.count // layout.LOG_ROOM == len(self._full)

    def rows(self) -> Words:
        """All of them, and what was left empty between. Nothing can be logged after that."""
        rows = np.empty((self.count, self._width), dtype=np.int64)
        for start in range(0, self.count, layout.LOG_ROOM):
            # Each room is let go as soon as it has been taken over.
            room = self._full.pop(0) if self._full else self._open
            rows[start : start + layout.LOG_ROOM] = room[: self.count - start]
        return rows


class Log:
    """The log of all blocks of a launch, one after the other."""

    def __init__(self) -> None:
        self._rows = LogPages(layout.LOG, layout.LOG_ROW_WORDS)
        self._words = LogPages(layout.LOG_WORDS, 1)
        self.ends: list[int] = []
        """How many rows there were at the end of each block."""

    def begin(self, state: Words) -> None:
        """A core begins, or goes on: it writes after what is there."""
        for pages in (self._rows, self._words):
            pages.lend(state)

    def end(self, state: Words) -> bool:
        """A core has ended, or has stopped, or another one goes on. Whether no row was lost: where
        the engine could not give new room (no memory; an exception out of a signal handler), they
        are."""
        for pages in (self._rows, self._words):
            pages.take_back(state)
        return self._rows.is_whole and self._words.is_whole

    def end_block(self) -> None:
        """All cores of a block have ended."""
        self.ends.append(self._rows.count)

    def serve(self, index: int, state: Words) -> bool:
        """Gives new room, if that is what generated code asks for."""
        if index == layout.LOG_FULL:
            self._rows.next_page(state)
        elif index == layout.LOG_WORDS_FULL:
            self._words.next_page(state)
        else:
            return False
        return True

    def rows(self) -> tuple[Words, Words]:
        """The rows, and the words beside them."""
        return self._rows.rows(), self._words.rows()[:, 0]
