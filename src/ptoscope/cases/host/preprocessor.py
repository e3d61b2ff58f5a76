"""Conditions, macros and headers of host code dealt with: a file as the tokens that are left.

The reader is for small host programs; what it cannot read is Unreadable, with the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.cases.host.conditions import condition_holds
from ptoscope.cases.host.tokens import CppToken, Unreadable, code_lines, scan


@dataclass
class Macro:
    """`parameters` is None for a macro without parentheses."""

    parameters: list[str] | None
    body: list[CppToken]


_DEPTH = 64
"""How deep macros and includes may be nested."""
_MOST = 1_000_000
"""How many lines and tokens may be read: macros and headers can name one another twice."""


def read_tokens(text: str, file: str, include: Callable[[str], str | None]) -> list[CppToken]:
    """The tokens of a file; `include` gives the text of a header of its own, else None."""
    return _Reader(include).read(text, file, 0)


class _Reader:
    def __init__(self, include: Callable[[str], str | None]) -> None:
        self.include = include
        self.macros: dict[str, Macro] = {}
        self._left = _MOST

    def _spend(self, number: int, where: str) -> None:
        self._left -= number
        if self._left < 0:
            raise Unreadable(f"{where}: more than {_MOST} lines and tokens, with all it names")

    def read(self, text: str, file: str, depth: int) -> list[CppToken]:
        if depth > _DEPTH:
            raise Unreadable(f"{file}: its includes do not end")
        # Per open #if: whether its lines count, and those around it; whether one of its branches
        # was taken.
        taken = [True]
        done: list[bool] = []
        pending: list[CppToken] = []
        tokens: list[CppToken] = []
        for number, line in code_lines(text, file):
            where = f"{file}:{number}"
            self._spend(1, where)
            directive = re.match(r"\s*#\s*(\w*)\s*(.*)", line, re.DOTALL)
            if directive is None:
                if taken[-1]:
                    pending += scan(line, where)
                continue
            tokens += self.expand(pending)
            pending = []
            word, rest = directive.group(1), directive.group(2).strip()
            if word in ("if", "ifdef", "ifndef"):
                holds = taken[-1] and self._holds(word, rest, where)
                taken.append(holds)
                done.append(holds)
            elif word in ("else", "elif", "endif"):
                if not done:
                    raise Unreadable(f"{where}: #{word} without #if")
                taken.pop()
                if word == "endif":
                    done.pop()
                    continue
                holds = taken[-1] and not done[-1]
                holds = holds and (word == "else" or self._holds("if", rest, where))
                taken.append(holds)
                done[-1] = done[-1] or holds
            elif taken[-1] and word == "define":
                self._define(rest, where)
            elif taken[-1] and word == "undef":
                self.macros.pop(rest, None)
            elif taken[-1] and word == "include" and rest.startswith('"'):
                header = self.include(rest.strip('"'))
                if header is not None:
                    tokens += self.read(header, rest.strip('"'), depth + 1)
        return tokens + self.expand(pending)

    def _define(self, rest: str, where: str) -> None:
        match = re.match(r"(\w+)(\(([^)]*)\))?", rest)
        if match is None:
            raise Unreadable(f"{where}: #define without a name")
        parameters = None
        if match.group(2):
            parameters = [p.strip() for p in match.group(3).split(",") if p.strip()]
        self.macros[match.group(1)] = Macro(parameters, scan(rest[match.end() :], where))

    def _holds(self, word: str, rest: str, where: str) -> bool:
        if word != "if":
            return (rest.split()[0] in self.macros if rest else False) == (word == "ifdef")

        def defined(match: re.Match[str]) -> str:
            return "1" if (match.group(1) or match.group(2)) in self.macros else "0"

        plain = re.sub(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))", defined, rest)
        try:
            return condition_holds(self.expand(scan(plain, where)))
        except Unreadable as error:
            raise Unreadable(f"{where}: cannot read the condition '{rest[:80]}': {error}") from None

    def expand(self, tokens: list[CppToken], busy: tuple[str, ...] = ()) -> list[CppToken]:
        """The tokens with macros replaced; a macro is not replaced inside itself."""
        result: list[CppToken] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            self._spend(1, token.where)
            macro = self.macros.get(token.text) if token.kind == "name" else None
            if macro is None or token.text in busy or len(busy) > _DEPTH:
                result.append(token)
                continue
            bound: dict[str, list[CppToken]] = {}
            if macro.parameters is not None:
                if at >= len(tokens) or tokens[at].text != "(":
                    result.append(token)
                    continue
                given, at = _macro_arguments(tokens, at)
                if len(given) != len(macro.parameters) and macro.parameters != []:
                    raise Unreadable(f"{token.where}: {token.text} has other arguments")
                bound = dict(zip(macro.parameters, given, strict=False))
            body = self._substitute(macro.body, bound, token.where)
            result += self.expand(body, (*busy, token.text))
        return result

    def _substitute(
        self, body: list[CppToken], bound: dict[str, list[CppToken]], where: str
    ) -> list[CppToken]:
        result: list[CppToken] = []
        quoted = False
        for token in body:
            given = bound.get(token.text, [token])
            self._spend(len(given), where)
            if token.text == "#":
                quoted = True
            elif quoted:
                spelled = " ".join(t.text for t in given)
                result.append(CppToken("string", '"' + spelled.replace('"', '\\"') + '"', where))
                quoted = False
            elif token.kind == "name" and token.text in bound:
                result += given
            else:
                result.append(token._replace(where=where))
        return result


def _macro_arguments(tokens: list[CppToken], at: int) -> tuple[list[list[CppToken]], int]:
    """The arguments after a macro's name, and where the text goes on."""
    given: list[list[CppToken]] = [[]]
    depth = 0
    for end in range(at, len(tokens)):
        text = tokens[end].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        if depth == 0:
            return (given if given != [[]] else []), end + 1
        if text == "," and depth == 1:
            given.append([])
        elif depth > 1 or text != "(":
            given[-1].append(tokens[end])
    raise Unreadable(f"{tokens[at].where}: a macro's parenthesis is not closed")
