"""Host code as lines without comments, and lines as tokens."""

from __future__ import annotations

import re
from typing import NamedTuple


class Unreadable(Exception):
    """The host code cannot be understood, or cannot do what it says."""


class CppToken(NamedTuple):
    """`kind` is name, number, string or mark; `where` is `file:line`."""

    kind: str
    text: str
    where: str


_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<number>0[xX][\da-fA-F']+[uUlLzZ]*|0[bB][01']+[uUlLzZ]*
        |(?:\d[\d']*(?:\.[\d']*)?|\.\d[\d']*)(?:[eE][+-]?\d+)?[uUlLzZfF]*)
    | (?P<string>"(?:\\.|[^"\\\n])*+"|'(?:\\.|[^'\\\n])++')
    | (?P<open>["'])
    | (?P<mark><<<|>>>|<<=|>>=|::|->|\+\+|--|&&|\|\||[=!<>+\-*/%&|^]=|<<|>>|\S)""",
    re.VERBOSE,
)
# What is not closed is taken to the end: to begin again behind its first character takes a time
# that grows with the square of the text.
_COMMENT = re.compile(
    r"""//[^\n]*|/\*(?:.*?\*/|(?P<open>.*))|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])'""", re.DOTALL
)


def code_lines(text: str, file: str) -> list[tuple[int, str]]:
    """Lines without comments, a continued one as a whole, with the number of the first."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        if match["open"] is not None:
            line = text.count("\n", 0, match.start()) + 1
            raise Unreadable(f"{file}:{line}: the comment is not closed")
        return found if found[0] in "\"'" else "\n" * found.count("\n") or " "

    lines: list[tuple[int, list[str]]] = []
    continued = False
    for number, line in enumerate(_COMMENT.sub(blank, text).split("\n"), 1):
        piece = line.rstrip()
        if not continued:
            lines.append((number, []))
        lines[-1][1].append(piece.removesuffix("\\"))
        continued = piece.endswith("\\")
    return [(number, " ".join(parts)) for number, parts in lines]


def scan(line: str, where: str) -> list[CppToken]:
    """The tokens of a line."""
    tokens: list[CppToken] = []
    for match in _TOKEN.finditer(line):
        kind = match.lastgroup or ""
        if kind == "open":
            raise Unreadable(f"{where}: {match.group()} is not closed")
        if kind != "space":
            tokens.append(CppToken(kind, match.group(), where))
    return tokens
