"""A place in the tokens, and the pieces that every operation is made of."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.ir import types
from ptoscope.ir.language import Language
from ptoscope.ir.reading.findings import BAD_TYPE, Findings
from ptoscope.ir.reading.scanner import END, Tokens
from ptoscope.ir.types import TextType

_LONGEST = 40
"""Tokens of the longest type."""


def _nothing(word: str) -> bool:
    return False


class Cursor:
    """Reads pieces at token `i`. `saw_placeholder` says that a placeholder type was among them."""

    def __init__(self, tokens: Tokens, file: str, language: Language) -> None:
        self.tokens = tokens
        self.text = tokens.text
        self.language = language
        self.findings = Findings(tokens, file)
        self.i = 0
        self.saw_placeholder = False

    def expect(self, token: str) -> None:
        """Consumes one given token."""
        if self.text[self.i] != token:
            raise self.findings.expected(self.i, f"'{token}'")
        self.i += 1

    def accept(self, token: str) -> bool:
        """Consumes a token if it is the next one."""
        if self.text[self.i] != token:
            return False
        self.i += 1
        return True

    def value_list(self, close: str, also: Callable[[str], bool] = _nothing) -> list[int]:
        """Reads `%a, %b` up to a closing token; gives the places of the names, and of what
        else may stand among them."""
        places: list[int] = []
        if self.accept(close):
            return places
        while True:
            word = self.text[self.i]
            if word[:1] != "%" and not also(word):
                raise self.findings.expected(self.i, "a value")
            places.append(self.i)
            self.i += 1
            if self.accept(close):
                return places
            if not self.accept(","):
                raise self.findings.expected(self.i, f"',' or '{close}'")

    def type(self) -> TextType:
        """Reads one type. A type that is wrong is reported and fits everywhere."""
        i = self.i
        word = self.text[i]
        described = word[:1] == "!" or word in ("memref", "vector")
        if (self.text[i + 1] == "<" and described) or word == "<":
            word = self._split_type()
        elif not word or not (word[0] == "!" or word[0].isalpha()):
            raise self.findings.expected(i, "a type")
        else:
            self.i = i + 1
        try:
            found = types.read(word)
            if isinstance(found, types.Placeholder):
                self.saw_placeholder = True
            return found
        except types.BadType as error:
            self.findings.at(
                BAD_TYPE,
                i,
                error.message,
                found=error.found,
                expected=error.expected,
                hint=error.hint,
            )
            return types.UNKNOWN

    def _split_type(self) -> str:
        """The text of a type of several tokens: over two lines, `<f32, gm>` alone, a memref."""
        parts: list[str] = []
        depth = 0
        while True:
            token = self.text[self.i]
            if token is END or token in ("{", "}", "->", "=") or len(parts) > _LONGEST:
                raise self.findings.expected(self.i, "'>'")
            parts.append(token)
            self.i += 1
            depth += (token == "<") - (token == ">")
            if token == ">" and depth <= 0:
                return "".join(parts)

    def type_list(self) -> list[TextType]:
        """Reads `(a, b)` or `a, b`."""
        listed: list[TextType] = []
        if self.accept("("):
            if self.accept(")"):
                return listed
            while True:
                listed.append(self.type())
                if self.accept(")"):
                    return listed
                if not self.accept(","):
                    raise self.findings.expected(self.i, "',' or ')'")
        listed.append(self.type())
        while self.accept(","):
            listed.append(self.type())
        return listed

    def location(self) -> None:
        """Skips `loc(...)`, if it stands there."""
        if self.text[self.i] != "loc" or self.text[self.i + 1] != "(":
            return
        opened = self.i + 1
        depth = 0
        while True:
            self.i += 1
            token = self.text[self.i]
            if token is END:
                raise self.findings.expected(self.i, "')'")
            depth += (token == "(") - (token == ")")
            if depth == 0 and self.i > opened:
                self.i += 1
                return

    def location_alias(self) -> None:
        """Skips `#name = loc(...)`, a location by a name."""
        self.i += 2
        if self.text[self.i] != "loc":
            self.findings.expected(self.i, "a location")
        self.location()
