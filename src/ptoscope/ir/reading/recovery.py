"""Finds the next operation after an error."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container

from ptoscope.ir.language import STRUCTURE, Language
from ptoscope.ir.reading.findings import Stop
from ptoscope.ir.reading.names import LOST, Names
from ptoscope.ir.reading.scanner import END, Tokens

DEEPEST = 60
"""Bodies may nest this deep."""


class Recovery(Names, ABC):
    """Goes on after an error. `operations` are the names that begin one, `depth` the bodies
    around the cursor."""

    def __init__(
        self, tokens: Tokens, file: str, language: Language, operations: Container[str]
    ) -> None:
        super().__init__(tokens, file, language)
        self._operations = operations
        self.depth = 0
        self.in_function = False

    @abstractmethod
    def _read_body(self) -> object:
        """Reads the body at the cursor."""

    def recover(self, first: int) -> None:
        """After an error in the operation that starts at `first`, finds the next operation.

        Bodies that the broken operation opens are read all the same, for their own errors.
        """
        text = self.text
        failed = min(max(self.i, first), len(text) - 1)
        self._poison_results(first)
        i = first
        depth = 0
        while text[i] is not END:
            token = text[i]
            if token == "{":
                if i >= failed and depth == 0 and self._opens_body(i) and self.depth < DEEPEST:
                    i = self._broken_body(first, i)
                    continue
                depth += 1
            elif token == "}":
                if depth == 0 and i > first:
                    break
                depth -= 1
                if depth < 0:
                    break
            elif i >= failed and i > first and depth == 0 and self._starts_operation(i):
                break
            i += 1
        # Always forward, or a stray token would be met again for ever.
        self.i = i if i > first or text[i] in ("}", END) else first + 1

    def _poison_results(self, first: int) -> None:
        for place in self._result_names(first):
            if self.text[place] not in self.values:
                self.define(place, LOST)

    def _result_names(self, first: int) -> list[int]:
        """Where the results of a broken operation are likely to be named."""
        text = self.text
        if text[first][:1] == "%":
            names, i = self._names(first)
            return names if text[i] == "=" else []
        if text[first] in STRUCTURE:
            return []
        i = first + 1
        if text[i] not in ("ins", "outs") or text[i + 1] != "(":
            # Assembly form: results come first, and operands are mostly known.
            return self._names(i)[0]
        while text[i] is not END and not self._starts_operation(i):
            if text[i] == "outs" and text[i + 1] == "(":
                return self._names(i + 2)[0]
            i += 1
        return []

    def _names(self, i: int) -> tuple[list[int], int]:
        """The value names of a list, and the token behind them."""
        names: list[int] = []
        while self.text[i][:1] == "%" or self.text[i] in (",", ":") or self.text[i].isdecimal():
            if self.text[i][:1] == "%" and "#" not in self.text[i]:
                names.append(i)
            i += 1
        return names, i

    def _opens_body(self, i: int) -> bool:
        first = self.text[i + 1]
        if first[:1] not in ("%", "^", "}") and self.text[i + 2 : i + 3] == ["="]:
            # Attributes, a line each.
            return False
        gap = self.tokens.source[self.tokens.start[i] : self.tokens.start[i + 1]]
        return "\n" in gap or first[:1] == "^"

    def _broken_body(self, first: int, brace: int) -> int:
        outer = self.scope
        self.scope = []
        for place in range(first, brace):
            name = self.text[place]
            if name[:1] == "%" and name not in self.values:
                self.define(place, LOST)
        self.i = brace
        in_function = self.in_function
        self.in_function = in_function or self.text[first] not in ("module", "builtin.module")
        try:
            self._read_body()
        except Stop:
            pass
        finally:
            self.in_function = in_function
            self.forget(self.scope)
            self.scope = outer
        return max(self.i, brace + 1)

    def _starts_operation(self, i: int) -> bool:
        tokens = self.tokens
        before = tokens.source[tokens.end(i - 1) : tokens.start[i]]
        if "\n" not in before:
            return False
        word = self.text[i]
        if self.text[i - 1] in (",", "(", "[", "="):
            return False
        if word[:1] == "!":
            # A type may stand in a line of its own.
            return False
        return word[:1] in ("%", '"', "^") or word in self._operations or "." in word[1:]
