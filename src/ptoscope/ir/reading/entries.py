"""The attributes of an instruction that have their names beside them: `{dist = "NORM"}`."""

from __future__ import annotations

from ptoscope.ir import attributes as make
from ptoscope.ir.attributes import Attribute
from ptoscope.ir.forms.match import Matcher
from ptoscope.ir.reading.attributes import dictionary
from ptoscope.ir.reading.findings import SYNTAX
from ptoscope.ir.reading.literals import integer_at, plain_string_at
from ptoscope.ir.reading.reader import Reader


class EntryTokens:
    """The entries of one instruction, each with its place. `named` says that results stand
    before `=`."""

    def __init__(self, reader: Reader, name: int, matcher: Matcher) -> None:
        self.reader = reader
        self.name = name
        self.matcher = matcher
        self.named = reader.text[name - 1] == "="
        self.entries: dict[str, tuple[Attribute, int]] = {}

    def dictionary(self) -> None:
        """Entries of the kinds that instructions have, or any other dictionary."""
        reader = self.reader
        text = reader.text
        opened = i = reader.i
        i += 1
        while text[i] != "}":
            key = text[i]
            value = text[i + 2]
            simple = text[i + 1] == "=" and (value[:1] == '"' or value.lstrip("-").isdecimal())
            if not simple or not (key[:1].isalpha() or key[:1] == "_"):
                reader.i = opened
                for name, attribute in dictionary(reader).items():
                    self.entries[self._unwritten(name, opened)] = attribute, opened
                return
            self._entry(key, i, i + 2)
            i += 3
            if text[i] == ":" and value[0] != '"':
                i += 2
            if text[i] == ",":
                i += 1
            elif text[i] != "}":
                raise reader.findings.expected(i, "',' or '}'")
        reader.i = i + 1

    def hashed(self) -> None:
        """Entries written `#key=value`, as assembly form has them."""
        reader = self.reader
        text = reader.text
        while text[reader.i][:1] == "#" and text[reader.i + 1] == "=" and not self.named:
            at = reader.i + 2
            value = text[at]
            begins = value[:1] in ('"', "-", "_") or value[:1].isalnum()
            line = reader.tokens.span(reader.i).line
            if not begins or reader.tokens.span(at).line != line:
                raise reader.findings.expected(at, "a value")
            if value.isdecimal() and text[at + 1][:1].isalpha() and reader.tokens.joined(at):
                # A mode that begins with a digit, such as 1PT_B32.
                key = self._unwritten(text[reader.i][1:], reader.i)
                self.entries[key] = make.string(value + text[at + 1]), at
                at += 1
            else:
                self._entry(text[reader.i][1:], reader.i, at)
            reader.i = at + 1

    def _entry(self, key: str, at: int, place: int) -> None:
        key = self._unwritten(key, at)
        value = self.reader.text[place]
        if value[0] == '"':
            self.entries[key] = make.string(plain_string_at(self.reader, place)), place
        elif value.lstrip("-").isdecimal():
            self.entries[key] = make.number(integer_at(self.reader, place)), place
        else:
            self.entries[key] = make.string(value), place

    def _unwritten(self, written: str, at: int) -> str:
        """The name of an attribute that was not written before."""
        key = self.matcher.aliases.get(written, written)
        if key in self.entries:
            message = f"attribute '{key}' is written twice"
            raise self.reader.findings.stop(SYNTAX, at, message, found=written)
        return key
