"""A place in the tokens, and the pieces that every operation is made of."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from ptoscope.ir import types
from ptoscope.ir.dialect import Language
from ptoscope.ir.errors import BAD_TYPE, SYNTAX, Findings, Stop
from ptoscope.ir.scanner import END, Tokens


class Cursor:
    """Reads pieces at token `i`. `saw_hole` says that a placeholder type was among them."""

    def __init__(self, tokens: Tokens, file: str, language: Language) -> None:
        self.tokens = tokens
        self.text = tokens.text
        self.language = language
        self.findings = Findings(tokens, file)
        self.i = 0
        self.saw_hole = False

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

    def value_list(self, close: str) -> list[int]:
        """Reads `%a, %b` up to a closing token; gives the places of the names."""
        places: list[int] = []
        if self.accept(close):
            return places
        while True:
            if self.text[self.i][:1] != "%":
                raise self.findings.expected(self.i, "a value")
            places.append(self.i)
            self.i += 1
            if self.accept(close):
                return places
            if not self.accept(","):
                raise self.findings.expected(self.i, f"',' or '{close}'")

    def type(self) -> Attribute:
        """Reads one type. A type that is wrong is reported and fits everywhere."""
        i = self.i
        word = self.text[i]
        if (word[:1] == "!" and self.text[i + 1] == "<") or word == "<":
            word = self._split_type()
        elif not word or not (word[0] == "!" or word[0].isalpha()):
            raise self.findings.expected(i, "a type")
        else:
            self.i = i + 1
        try:
            found = types.read(word)
            if found is types.MASK_HOLE or found is types.PTR_HOLE:
                self.saw_hole = True
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
            return types.POISON

    def _split_type(self) -> str:
        """The text of a type of several tokens: over two lines, or `<f32, gm>` alone."""
        parts: list[str] = []
        while True:
            token = self.text[self.i]
            if token is END or token in ("{", "}", "->", "=") or len(parts) > 12:
                raise self.findings.expected(self.i, "'>'")
            parts.append(token)
            self.i += 1
            if token == ">":
                return "".join(parts)

    def type_list(self) -> list[Attribute]:
        """Reads `(a, b)` or `a, b`."""
        listed: list[Attribute] = []
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

    def dictionary(self) -> dict[str, Attribute]:
        """Reads `{name = attribute, ...}` by xDSL's own rules."""
        close = self._closing_brace()
        start, end = self.tokens.start[self.i], self.tokens.end(close)
        # A slice, so that xDSL's lexer never meets the rest of the file: its pattern for
        # strings takes exponential time on one that is not closed.
        foreign = Parser(self.language.context, self.tokens.source[start:end])
        try:
            read = foreign.parse_optional_dictionary_attr_dict()
        except ParseError as error:
            place = self.tokens.span_at(start + error.span.start, max(1, len(error.span.text)))
            message = error.msg.splitlines()[0]
            self.findings.span(SYNTAX, place, message, error.span.text or "}")
            raise Stop from None
        self.i = close + 1
        return read

    def _closing_brace(self) -> int:
        depth = 0
        at = self.i
        while True:
            token = self.text[at]
            if token is END or token == '"':
                raise self.findings.expected(at, "'}'")
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return at
            at += 1
