"""Reads clauses of which some have words: `unit_flag(check_only), pre_quant(%p, mode = x)`."""

from __future__ import annotations

from ptoscope.diagnostics import nearest
from ptoscope.ir.forms.clauses import ClauseWord
from ptoscope.ir.forms.match import Matcher
from ptoscope.ir.reading.findings import SYNTAX, WRONG_OPERANDS
from ptoscope.ir.reading.literals import is_number
from ptoscope.ir.reading.reader import Reader


class WordedClauses:
    """The clauses of one instruction: those with operands, and what the words of the others say.

    `items` and `values` are token places; `attributes` are names and values with their places.
    """

    def __init__(self, reader: Reader, matcher: Matcher) -> None:
        self.reader = reader
        self.matcher = matcher
        self.items: list[int] = []
        self.values: list[int] = []
        self.clauses: list[tuple[str, int]] = []
        self.attributes: list[tuple[str, str | int, int]] = []
        self._last = ""
        self._said: dict[str, str] = {}
        """How each attribute is written."""

    def read(self) -> None:
        """Reads all of them, from the place of the reader on."""
        reader = self.reader
        while self._begins(reader.i):
            self._clause()
            if reader.text[reader.i] == ",":
                if not self._begins(reader.i + 1):
                    raise reader.findings.expected(reader.i + 1, "a clause")
                reader.i += 1
        word, after = reader.text[reader.i], reader.text[reader.i + 1]
        if word[:1].isalpha() and "." not in word and (after in ":," or self._begins(reader.i + 1)):
            raise self._no_clause(reader.i, word)

    def _begins(self, i: int) -> bool:
        text = self.reader.text
        word = text[i]
        called = text[i + 1] == "(" and word[:1].isalpha() and "." not in word
        return word in self.matcher.worded or (called and word not in ("loc", "outs"))

    def _clause(self) -> None:
        reader = self.reader
        place = reader.i
        keyword = reader.text[place]
        if keyword not in self.matcher.worded and keyword not in self.matcher.keywords:
            raise self._no_clause(place, keyword)
        said = self._meaning(ClauseWord(keyword))
        self._once(place, keyword, said)
        self._in_order(place, keyword)
        self.items.append(place)
        reader.i += 1
        operands: list[int] = []
        inner: list[tuple[str, int]] = []
        words = 0
        if reader.accept("("):
            while reader.text[reader.i] != ")":
                words += self._part(keyword, operands, inner)
                if not reader.accept(",") and reader.text[reader.i] != ")":
                    raise reader.findings.expected(reader.i, "',' or ')'")
            reader.i += 1
        if said is not None and not words:
            self._say(place, keyword, said)
        if not (operands or words or said or inner) and keyword not in self.matcher.keywords:
            raise self._no_word(place, keyword)
        if operands or not (words or said or inner):
            self.clauses.append((keyword, len(operands)))
        self.clauses += [(name, 1) for name, _ in inner]
        self.values += [*operands, *(at for _, at in inner)]

    def _part(self, keyword: str, operands: list[int], inner: list[tuple[str, int]]) -> int:
        """Reads a value, a word, or one of them behind its label; gives how many words."""
        reader = self.reader
        text, i = reader.text, reader.i
        label = ""
        if text[i + 1] == "=":
            label, i = text[i], i + 2
        reader.i = i + 1
        if text[i][:1] == "%" or is_number(text[i]):
            if not label:
                operands.append(i)
            elif self.matcher.inside.get(label) == keyword:
                inner.append((label, i))
            else:
                raise self._unknown(i - 2, keyword, label, "part", self._labels(keyword))
            return 0
        said = self._meaning(ClauseWord(keyword, label, text[i]))
        if said is None:
            tables = self.matcher.word_tables
            tokens = [t for table in tables for t in table.tokens(keyword, label) if t]
            if tokens or not label:
                raise self._unknown(i, keyword, text[i], "word", tokens)
            raise self._unknown(i - 2, keyword, label, "part", self._labels(keyword))
        written = f"{label} = {text[i]}" if label else text[i]
        self._say(i, f"{keyword}({written})", said)
        return 1

    def _say(self, place: int, written: str, said: tuple[str, str | int]) -> None:
        self._once(place, written, said)
        self._said[said[0]] = written
        self.attributes.append((*said, place))

    def _once(self, place: int, written: str, said: tuple[str, str | int] | None) -> None:
        """A finding where words before it say something of the same attribute."""
        first = self._said.get(said[0]) if said is not None else None
        if first is not None:
            twice = written == first
            raise self.reader.findings.stop(
                SYNTAX,
                place,
                f"'{written}' is written twice" if twice else f"'{written}' contradicts '{first}'",
                found=written if twice else f"{first} and {written}",
                expected=f"{first} once" if twice else "one of them",
            )

    def _meaning(self, word: ClauseWord) -> tuple[str, str | int] | None:
        found = (table.meanings.get(word) for table in self.matcher.word_tables)
        return next((meaning for meaning in found if meaning is not None), None)

    def _labels(self, keyword: str) -> list[str]:
        words = [w for table in self.matcher.word_tables for w in table.meanings]
        labels = [w.label for w in words if w.keyword == keyword and w.label]
        inner = [name for name, outer in self.matcher.inside.items() if outer == keyword]
        return [*dict.fromkeys(labels), *inner]

    def _unknown(
        self, place: int, keyword: str, found: str, what: str, known: list[str]
    ) -> Exception:
        return self.reader.findings.stop(
            WRONG_OPERANDS,
            place,
            f"{keyword}( ) has no {what} '{found}'",
            found=found,
            expected=", ".join(known) or "no words",
            hint=nearest(found, known),
        )

    def _no_clause(self, place: int, keyword: str) -> Exception:
        known = list(dict.fromkeys(k for table in self.matcher.word_tables for k in table.order))
        return self.reader.findings.stop(
            WRONG_OPERANDS,
            place,
            f"{self.matcher.record.short} takes no clause '{keyword}' here",
            found=keyword,
            expected=", ".join(known),
            hint=nearest(keyword, known),
        )

    def _no_word(self, place: int, keyword: str) -> Exception:
        """A finding where a clause says nothing."""
        parts: dict[str, list[str]] = {}
        for word in (w for table in self.matcher.word_tables for w in table.meanings):
            if word.keyword == keyword and word.token not in parts.get(word.label, ()):
                parts.setdefault(word.label, []).append(word.token)
        listed = (f"{label} = " * bool(label) + " | ".join(of) for label, of in parts.items())
        return self.reader.findings.stop(
            WRONG_OPERANDS,
            place,
            f"{keyword} needs a word",
            found=keyword,
            expected=f"{keyword}({', '.join(listed)})",
        )

    def _in_order(self, place: int, keyword: str) -> None:
        """A finding where a clause stands behind one that follows it."""
        for table in self.matcher.word_tables:
            order = table.order
            if order.get(keyword, len(order)) < order.get(self._last, -1):
                raise self.reader.findings.stop(
                    SYNTAX,
                    place,
                    f"'{keyword}' has to stand before '{self._last}'",
                    found=keyword,
                    expected=", ".join(order),
                )
        self._last = keyword
