"""Text to tokens, once per file.

One regular expression cuts the whole text. The first character of a token says what it is,
so no kinds are kept. A type or attribute without nested brackets (`!pto.ptr<f32, ub>`) is a
single token: files repeat a handful of them, and the reader looks each up in a table.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from ptoscope.diagnostics import Span

END = ""
"""The token after the last one."""
_AHEAD = 5

_TOKEN = re.compile(
    r"""
      %(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*)(?:\#[0-9]+)?   # %value, %pack#1
    | [A-Za-z_][A-Za-z0-9_$.]*                                # word
    | [!\#][A-Za-z$._-][A-Za-z0-9$._-]*(?:<[^<>"{}\n]*>)?     # !type<...>, #attribute<...>
    | -?(?:0x[0-9A-Fa-f]+|[0-9]+(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?)?)
    | //[^\n]*
    | @?"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"
    | @[A-Za-z_][A-Za-z0-9_$.]*
    | \^[A-Za-z0-9$._-]+
    | ->
    | [^\ \t\r\n]
    """,
    re.VERBOSE,
)


class Comment(NamedTuple):
    """A `//` comment: its offset and text, without trailing blanks."""

    start: int
    text: str


class Tokens:
    """The tokens of a text: `text[i]` starts at offset `start[i]`; the last ones are END."""

    def __init__(self, source: str) -> None:
        self.source = source
        texts: list[str] = []
        starts: list[int] = []
        self.comments: list[Comment] = []
        for match in _TOKEN.finditer(source):
            token = match.group()
            if token[0] == "/" and token[:2] == "//":
                self.comments.append(Comment(match.start(), token.rstrip()))
            else:
                texts.append(token)
                starts.append(match.start())
        # Several, so that the reader may look ahead.
        texts += [END] * _AHEAD
        starts += [len(source)] * _AHEAD
        self.text = texts
        self.start = starts
        self._lines = [0, *(m.end() for m in re.finditer("\n", source))]

    def line(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return bisect_right(self._lines, offset)

    def end(self, index: int) -> int:
        """The offset just past a token."""
        return self.start[index] + len(self.text[index])

    def joined(self, index: int) -> bool:
        """Whether the next token follows without a blank."""
        return self.end(index) == self.start[index + 1]

    def span(self, index: int) -> Span:
        """Where a token stands; the end of the text stands just past the last character."""
        return self.span_at(self.start[index], len(self.text[index]) or 1)

    def span_at(self, offset: int, length: int = 1) -> Span:
        """Where an offset stands."""
        line = bisect_right(self._lines, offset)
        return Span(line, offset - self._lines[line - 1] + 1, length)

    def index_at(self, offset: int) -> int:
        """The first token that starts at or after an offset."""
        return bisect_right(self.start, offset - 1)

    def source_line(self, line: int) -> str:
        """The text of a 1-based line."""
        if not 0 < line <= len(self._lines):
            return ""
        begin = self._lines[line - 1]
        stop = self._lines[line] - 1 if line < len(self._lines) else len(self.source)
        return self.source[begin:stop].rstrip("\r")
