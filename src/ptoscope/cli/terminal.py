"""Terminals that show control characters instead of obeying them.

File names, comments, formats and printed values are other people's texts, and an escape code in one
of them can move the cursor, recolour lines or set the title. While a command runs, standard output
and standard error are of this kind where they are terminals, so that no command has to think of
it. Our own colours go to the stream below.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO, cast

from ptoscope.diagnostics import visible


class Terminal:
    """A terminal; `below` takes escape codes."""

    def __init__(self, below: TextIO) -> None:
        self.below = below

    def write(self, text: str) -> int:
        """Writes a text with its control characters made visible."""
        self.below.write(spelled(visible(text), self.below))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes texts one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


@contextlib.contextmanager
def careful_terminals() -> Iterator[None]:
    """Makes standard output and standard error show control characters where they are terminals."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", _careful(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _careful(stream: TextIO | None) -> object:
    if stream is None or not stream.isatty() or isinstance(stream, Terminal):
        return stream
    return Terminal(stream)


def spelled(text: str, stream: TextIO) -> str:
    """Returns the text with escapes for characters that the stream's encoding lacks, as a file
    name that is not UTF-8, or anything beyond ASCII on an ASCII terminal."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def for_own_codes(stream: TextIO) -> TextIO:
    """Returns the stream that takes escape codes: other people's texts pass `visible` first."""
    return stream.below if isinstance(stream, Terminal) else stream
