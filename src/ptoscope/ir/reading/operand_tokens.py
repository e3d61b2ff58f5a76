"""What stands in the text after the name of an instruction, in any of the three levels."""

from __future__ import annotations

from ptoscope.ir import attributes as make
from ptoscope.ir.forms.match import Matcher
from ptoscope.ir.forms.mismatch import plural
from ptoscope.ir.forms.outline import NO_ARROW, PACK, LineOutline
from ptoscope.ir.module import Packs
from ptoscope.ir.reading.entries import EntryTokens
from ptoscope.ir.reading.findings import WRONG_OPERANDS
from ptoscope.ir.reading.literals import is_number
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.reading.worded_clauses import WordedClauses
from ptoscope.ir.types import TextType

_ITEMS = frozenset('%"#<[-0123456789')
"""How an item begins, but no type."""


class OperandTokens(EntryTokens):
    """The tokens of one instruction behind its name.

    `values`, `literals` and `items` are token places. Without results before `=` the values may
    begin with results, and `packs` are those of them written `%name:2`, by the number of the
    value. `outs` are the names that destination form defines.
    """

    def __init__(self, reader: Reader, name: int, matcher: Matcher) -> None:
        super().__init__(reader, name, matcher)
        self.values: list[int] = []
        self.literals: list[int] = []
        self.items: list[int] = []
        self.packs: dict[int, int] = {}
        self.listed: list[TextType] = []
        self.listed_at: list[int] = []
        self.results: list[TextType] = []
        self.outs: tuple[Packs, list[int]] | None = None
        self.mixed = False
        """Whether items may follow types."""
        self.numbers = False
        """Whether numbers are among the values."""

    def scan(self) -> LineOutline:
        """Reads `items clauses {entries} : types -> types`."""
        reader = self.reader
        text = reader.text
        outline = self._positional()
        clauses = self._clauses() if self._clause_follows() else ()
        if text[reader.i] == "{":
            self.dictionary()
        if text[reader.i][:1] == "#":
            self.hashed()
        marks: tuple[tuple[str, int], ...] = ()
        if text[reader.i] == ":":
            reader.i += 1
            if text[reader.i] != "->":
                marks = self._types()
        count = NO_ARROW
        if text[reader.i] == "->":
            reader.i += 1
            self.results = reader.type_list()
            count = len(self.results)
        if text[reader.i][:1] == "#":
            self.hashed()
        entries = tuple(self.entries) if self.entries else ()
        return LineOutline(outline, clauses, entries, marks, len(self.listed), count)

    def scan_destinations(self, before: LineOutline | None) -> LineOutline:
        """Reads `ins(items clauses {entries} : types) outs(%a, ... : types)`.

        Types may also stand behind each item: `ins(%a : T, %b : T)`. With `before`, what stands
        before `outs` has been read.
        """
        reader = self.reader
        text = reader.text
        outline, clauses, _, marks, _, _ = before or LineOutline("")
        self.mixed = True
        if reader.accept("ins"):
            reader.expect("(")
            while text[reader.i] != ")":
                outline += self._positional()
                if self._clause_follows():
                    clauses += self._clauses()
                if text[reader.i] == "{":
                    self.dictionary()
                if reader.accept(":"):
                    marks += self._types()
                if text[reader.i] != "," or not outline:
                    break
                reader.i += 1
            reader.expect(")")
        count = NO_ARROW
        if text[reader.i] == "outs" and text[reader.i + 1] == "(":
            reader.i += 2
            count = self._outs()
        if text[reader.i] == "{":
            self.dictionary()
        return LineOutline(outline, clauses, tuple(self.entries), marks, len(self.listed), count)

    def _outs(self) -> int:
        reader = self.reader
        start = reader.i
        if reader.text[start] == ")":
            raise reader.findings.expected(start, "the names of the results")
        packs, places = reader.names(typed=True)
        self.outs = packs, places
        reader.expect(":")
        at = reader.i
        self.results = reader.type_list()
        reader.expect(")")
        count = sum(size or 1 for _, size in packs)
        if count != len(self.results):
            listed = len(self.results)
            message = f"outs names {plural(count, 'result')}, but lists {plural(listed, 'type')}"
            found, expected = str(listed), str(count)
            raise reader.findings.stop(WRONG_OPERANDS, at, message, found=found, expected=expected)
        return count

    def _positional(self) -> str:
        """Items up to the clauses, dictionary or colon; gives their outline."""
        reader = self.reader
        text = reader.text
        i = reader.i
        outline = ""
        bracket = 0
        words = self.matcher.words
        if self.matcher.bare and (self._defines(i) or self._is_generic(i)):
            return outline
        while True:
            token = text[i]
            first = token[:1]
            self.items.append(i)
            if first == "%":
                self.values.append(i)
                if text[i + 1] == "[":
                    if text[i + 2][:1] != "%":
                        raise reader.findings.expected(i + 2, "a value as offset")
                    if text[i + 3] != "]":
                        raise reader.findings.expected(i + 3, "']'")
                    self.values.append(i + 2)
                    outline += "a"
                    i += 4
                elif text[i + 1] == ":" and text[i + 2][:1].isdecimal() and not self.named:
                    outline += self._pack(i)
                    i += 3
                else:
                    outline += "v"
                    i += 1
            elif first == '"':
                if len(token) < 2:
                    raise reader.findings.expected(i, "a closed string")
                self.literals.append(i)
                outline += "s"
                i += 1
            elif first == "[":
                outline += "["
                bracket += 1
                i += 1
                continue
            elif first == "#" and text[i + 1] != "=":
                self.literals.append(i)
                outline += "s"
                i += 1
            elif first == "<":
                if text[i + 2] != ">":
                    raise reader.findings.expected(i + 2, "'>'")
                self.literals.append(i + 1)
                outline += "s"
                i += 3
            elif is_number(token) or token == "-":
                self.literals.append(i)
                outline += "i"
                i += 1
            else:
                self.items.pop()
                if outline and not bracket and self._is_clause(i):
                    break
                if outline or token == ",":
                    # Reached behind a comma or an opening bracket otherwise.
                    raise reader.findings.expected(i, "an operand")
                break
            while bracket and text[i] == "]":
                self.items.append(i)
                outline += "]"
                bracket -= 1
                i += 1
            if text[i] in words:
                self.items.append(i)
                self.literals.append(i)
                outline += "w"
                i += 1
            if text[i] != ",":
                break
            i += 1
        if bracket:
            raise reader.findings.expected(i, "',' or ']'")
        reader.i = i
        return outline

    def _pack(self, i: int) -> str:
        """Notes the results that `%name:2` names; gives their letters."""
        size = self.reader.pack_size(i + 2)
        self.packs[len(self.values) - 1] = size
        self.values += [i] * (size - 1)
        self.items += [i] * (size - 1)
        return PACK * size

    def _defines(self, i: int) -> bool:
        """Whether the values from here on are the results of the next operation."""
        text = self.reader.text
        while text[i][:1] == "%":
            i += 3 if text[i + 1] == ":" else 1
            if text[i] != ",":
                break
            i += 1
        return text[i] == "="

    def _is_generic(self, i: int) -> bool:
        """Whether the next operation begins here, in generic form."""
        text = self.reader.text
        return text[i][:1] == '"' and text[i + 1] == "("

    def _is_clause(self, i: int) -> bool:
        """Whether a clause begins here, of an instruction whose clauses have words."""
        worded = self.matcher.worded
        token = self.reader.text[i]
        # A word can be nothing else, also where there is no such clause.
        called = token[:1].isalpha() and self.reader.text[i + 1] in ("(", ":", ",")
        return bool(worded) and (token in worded or called)

    def _clause_follows(self) -> bool:
        i = self.reader.i
        return self.reader.text[i + 1] == "(" or self._is_clause(i)

    def _clauses(self) -> tuple[tuple[str, int], ...]:
        if self.matcher.worded:
            return self._worded_clauses()
        reader = self.reader
        text = reader.text
        found: list[tuple[str, int]] = []
        while text[reader.i + 1] == "(":
            keyword = text[reader.i]
            # `loc(...)`, and operations whose name stands before a bracket.
            if not keyword[:1].isalpha() or "." in keyword or keyword in ("loc", "outs"):
                break
            self.items.append(reader.i)
            reader.i += 2
            places = reader.value_list(")", also=is_number)
            self.values += places
            self.numbers = self.numbers or any(is_number(text[place]) for place in places)
            found.append((keyword, len(places)))
        return tuple(found)

    def _worded_clauses(self) -> tuple[tuple[str, int], ...]:
        """Clauses of which some have words, with or without commas between them."""
        reader = self.reader
        scanned = WordedClauses(reader, self.matcher)
        scanned.read()
        self.items += scanned.items
        self.values += scanned.values
        self.numbers = self.numbers or any(is_number(reader.text[v]) for v in scanned.values)
        for name, value, place in scanned.attributes:
            attribute = make.string(value) if isinstance(value, str) else make.number(value)
            self.entries[self._unwritten(name, place)] = attribute, place
        return tuple(scanned.clauses)

    def _types(self) -> tuple[tuple[str, int], ...]:
        """The types before the arrow, with the clause keywords among them."""
        reader = self.reader
        text = reader.text
        listed = self.listed
        marks: list[tuple[str, int]] = []
        inside = text[reader.i] == "("
        if inside:
            reader.i += 1
            if reader.accept(")"):
                return ()
        while True:
            word = text[reader.i]
            if word in self.matcher.repeated:
                self._repeats(word)
                word = text[reader.i]
            of_clause = word in self.matcher.keywords
            if of_clause:
                marks.append((word, len(listed)))
                reader.i += 1
            at = reader.i
            found = reader.type_list() if of_clause and text[at] == "(" else [reader.type()]
            listed += found
            self.listed_at += [at] * len(found)
            if text[reader.i] != "," or (self.mixed and text[reader.i + 1][:1] in _ITEMS):
                break
            reader.i += 1
        if inside and not reader.accept(")"):
            raise reader.findings.expected(reader.i, "',' or ')'")
        return tuple(marks)

    def _repeats(self, word: str) -> None:
        """Reads a word among the types: the one that its attribute has."""
        reader = self.reader
        written, _ = self.entries.get(self.matcher.repeated[word], (None, 0))
        if written is not None and written.value != word:
            raise reader.findings.expected(reader.i, str(written.value))
        reader.i += 1
        reader.expect(",")
