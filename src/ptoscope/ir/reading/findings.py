"""Findings of the reader: collected, or raised to leave the operation at hand."""

from __future__ import annotations

from collections.abc import Iterable

from ptoscope.diagnostics import Diagnostic, Span, nearest
from ptoscope.ir.reading.scanner import END, Tokens

SYNTAX = "PTO0001"
UNKNOWN_OPERATION = "PTO0002"
UNDEFINED_VALUE = "PTO0003"
DEFINED_TWICE = "PTO0004"
BAD_TYPE = "PTO0005"
PLACEHOLDER = "PTO0006"
NOT_TEXT = "PTO0007"
WRONG_OPERANDS = "PTO0008"
WRONG_TYPE = "PTO0009"
STRUCTURE = "PTO0010"

_MOST_HINTS = 50


class Stop(Exception):
    """The operation at hand cannot be read further; its finding is already collected."""


class Findings:
    """The diagnostics of one file."""

    def __init__(self, tokens: Tokens, file: str) -> None:
        self.tokens = tokens
        self.file = file
        self._found: dict[tuple[Span, str, str], Diagnostic] = {}
        self._hints: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._found)

    def at(
        self,
        code: str,
        token: int,
        message: str,
        *,
        found: str = "",
        expected: str = "",
        hint: str = "",
    ) -> None:
        """Collects a finding at a token."""
        self.span(code, self.tokens.span(token), message, found, expected, hint)

    def span(
        self,
        code: str,
        span: Span,
        message: str,
        found: str = "",
        expected: str = "",
        hint: str = "",
    ) -> None:
        """Collects a finding at a place."""
        line = self.tokens.source_line(span.line)
        diagnostic = Diagnostic(
            code, message, "error", self.file, span, found, expected, hint, line
        )
        self._found.setdefault((span, code, message), diagnostic)

    def stop(
        self,
        code: str,
        token: int,
        message: str,
        *,
        found: str = "",
        expected: str = "",
        hint: str = "",
    ) -> Stop:
        """Collects a finding; the caller raises what this returns."""
        self.at(code, token, message, found=found, expected=expected, hint=hint)
        return Stop()

    def expected(self, token: int, expected: str, hint: str = "") -> Stop:
        """Collects a syntax error at a token; the caller raises what this returns."""
        text = self.tokens.text[token]
        found = "end of file" if text is END else text
        return self.stop(
            SYNTAX, token, f"expected {expected}", found=found, expected=expected, hint=hint
        )

    def nearest(self, word: str, known: Iterable[str]) -> str:
        """A spelling hint. Looking for one is slow, so a file full of errors gets few."""
        if word not in self._hints:
            self._hints[word] = nearest(word, known) if len(self._hints) < _MOST_HINTS else ""
        return self._hints[word]

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All findings in source order."""
        return tuple(sorted(self._found.values(), key=lambda d: (d.span.line, d.span.column)))
