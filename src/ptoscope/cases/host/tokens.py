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
    | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
    | (?P<mark><<<|>>>|<<=|>>=|::|->|\+\+|--|&&|\|\||[=!<>+\-*/%&|^]=|<<|>>|\S)""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.DOTALL)


def code_lines(text: str) -> list[tuple[int, str]]:
    """Lines without comments, a continued one as a whole, with the number of the first."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return found if found[0] in "\"'" else "\n" * found.count("\n") or " "

    plain = _COMMENT.sub(blank, text)
    lines: list[tuple[int, str]] = []
    continued = False
    for number, line in enumerate(plain.split("\n"), 1):
        piece = line.rstrip()
        if continued:
            start, before = lines[-1]
            lines[-1] = (start, f"{before} {piece.removesuffix(chr(92))}")
        else:
            lines.append((number, piece.removesuffix("\\")))
        continued = piece.endswith("\\")
    return lines


def scan(line: str, where: str) -> list[CppToken]:
    """The tokens of a line."""
    tokens: list[CppToken] = []
    for match in _TOKEN.finditer(line):
        kind = match.lastgroup or ""
        if kind != "space":
            tokens.append(CppToken(kind, match.group(), where))
    return tokens
