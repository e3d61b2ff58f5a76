"""The reader: tokens to operations, with names, types and recovery after errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ptoscope.ir.attributes import Segments
from ptoscope.ir.language import PREFIX, Language
from ptoscope.ir.module import BodyItem, Enclosing, Note, Packs, SourceNotes
from ptoscope.ir.reading.findings import SYNTAX, UNKNOWN_OPERATION, Stop
from ptoscope.ir.reading.names import ReadValues
from ptoscope.ir.reading.recovery import DEEPEST, Recovery
from ptoscope.ir.reading.scanner import END, Tokens
from ptoscope.ir.types import TextType
from ptoscope.isa.foreign import why_not
from ptoscope.isa.types import AttrValue
from ptoscope.program import Block, Function, Op, operation

Handler = Callable[["Reader", int], BodyItem]
"""Reads one operation whose name is the given token; the reader stands behind the name."""


GENERIC = "generic form"
"""Stands among the handlers for a name in quotes."""


class Body(NamedTuple):
    """What stands between two braces. `broken` says that not all of it could be read."""

    block: Block
    items: list[BodyItem]
    braces: tuple[int, int]
    broken: bool


class Reader(Recovery):
    """Reads one file. `handlers` maps operation names to what reads them."""

    def __init__(
        self, tokens: Tokens, file: str, language: Language, handlers: dict[str, Handler]
    ) -> None:
        super().__init__(tokens, file, language, handlers)
        self.handlers = handlers
        self.notes = SourceNotes()
        self.bodies: list[tuple[ReadValues, list[Op]]] = []
        """The values of each function and what stands in it; last, those outside any."""
        self.visibility: dict[str, str] = {}
        self.broken = False
        """Whether some operation could not be read."""
        self.has_calls = False
        self.starts: list[int] = []
        """The tokens at which operations begin, of those too that could not be read."""
        self.before: list[Op] = []
        """Operations that the one at hand implies; they go before it."""
        self.masks: dict[int, int] = {}
        """The implied masks that are visible here, by their granularity."""

    # Operations

    def make(
        self,
        name: int,
        word: str,
        operands: Sequence[int],
        results: Sequence[TextType],
        note: Note,
        attrs: dict[str, AttrValue] | None = None,
        blocks: tuple[Block, ...] = (),
        form: int = 0,
        segments: Segments = (),
    ) -> Op:
        """Makes the operation whose name is the token `name`, with slots for its results."""
        span = self.tokens.span
        made = operation(
            word,
            tuple(operands),
            self.new_slots(results),
            attrs,
            blocks,
            span(name),
            tuple([span(place) for place in note.operands]),
            form,
            segments,
        )
        self.notes[made] = note
        return made

    def operation(self) -> BodyItem | None:
        """Reads one operation; after an error, finds the next one and returns None."""
        first = self.i
        self.starts.append(first)
        text = self.text
        packs: Packs = ()
        places: list[int] = []
        found = len(self.findings)
        try:
            if text[first][:1] == "%":
                packs, places = self._results()
            name = self.i
            word = text[name]
            handler = self.handlers.get(word)
            if handler is None and not packs and self._is_label(name):
                name += 2
                word = text[name]
                handler = self.handlers.get(word)
            if handler is None:
                handler = self._unusual(name, word)
            self.i = name + 1
            item = handler(self, name)
            if text[self.i] == "loc" and text[self.i + 1] == "(":
                self.location()
            elif self.i < len(text) and text[self.i] not in _AFTER_OPERATION:
                self._check_end(item)
            doubtful = len(self.findings) > found
            return self._noted(item, first, name, packs, places, doubtful)
        except Stop:
            pass
        except RecursionError:
            self.findings.at(SYNTAX, first, "nested too deeply", found=text[first])
        self.recover(first)
        return None

    def _noted(
        self,
        item: BodyItem,
        first: int,
        name: int,
        packs: Packs,
        places: list[int],
        doubtful: bool,
    ) -> BodyItem:
        """The operation, with a note of where it stands and names for its results."""
        last = self.i - 1
        if isinstance(item, Enclosing):
            if packs:
                self.bind((), packs, places, name)
            return item._replace(note=item.note._replace(first=first, name=name, last=last))
        note = self.notes[item]
        self.notes[item] = note._replace(
            first=first, name=name, last=last, packs=packs or note.packs, doubtful=doubtful
        )
        if packs:
            results = item.results if isinstance(item, Op) else ()
            self.bind(results, packs, places, name)
        return item

    def _results(self) -> tuple[Packs, list[int]]:
        packs, places = self.names()
        if self.text[self.i] != "=":
            raise self.findings.expected(self.i, "'='")
        self.i += 1
        return packs, places

    def _is_label(self, at: int) -> bool:
        """Whether `name:` stands there, which assembly form allows; nothing jumps to it."""
        word = self.text[at]
        named = (word[:1].isalpha() or word[:1] == "_") and not word.startswith(PREFIX)
        return named and self.text[at + 1] == ":"

    def _unusual(self, at: int, word: str) -> Handler:
        """The handler of a generic operation, or the finding that there is none."""
        if word[:1] == '"' and len(word) > 1:
            return self.handlers[GENERIC]
        if not (word[:1].isalpha() or word[:1] == "_"):
            raise self.findings.expected(at, "an operation")
        raise self.unknown(at, word)

    def unknown(self, at: int, word: str, hint: str = "") -> Stop:
        """Collects that there is no such operation; the caller raises what this returns."""
        foreign = why_not(word)
        message = f"unknown operation '{word}'"
        if foreign:
            message = f"{word} is no operation of a vector kernel"
        if not hint:
            hint = foreign or self.findings.nearest(word, self.language.spelled_like(word))
        return self.findings.stop(
            UNKNOWN_OPERATION,
            at,
            message,
            found=word,
            expected="an instruction (`ptoscope isa` lists them), or arith, scf, func",
            hint=hint,
        )

    def _check_end(self, item: BodyItem) -> None:
        i = self.i
        word = self.text[i]
        if word[:1] in ("%", '"', "^") or word in self.handlers or self._is_alias():
            return
        start, end = self.tokens.end(i - 1), self.tokens.start[i]
        new_line = "\n" in self.tokens.source[start:end]
        if new_line and (word[:1].isalpha() or word[:1] == "_"):
            return
        outer = "func.func" if isinstance(item, Function) else "builtin.module"
        name = item.name if isinstance(item, Op) else outer
        raise self.findings.expected(i, f"the end of {name}")

    def _is_alias(self) -> bool:
        i = self.i
        return self.text[i][0] == "#" and self.text[i + 1] == "=" and not self.in_function

    # Bodies

    def body(
        self,
        arguments: Sequence[tuple[int, TextType]] = (),
        *,
        isolated: bool = False,
        labelled: bool = False,
    ) -> Body:
        """Reads `{ ... }` with the given arguments, or with those after a `^label`."""
        opened = self.i
        self.expect("{")
        saved = self.values, self.where, self.hidden
        outer = self.scope
        if isolated:
            self.hidden = self.values
            self.values, self.where = {}, {}
        self.scope = []
        masks = self.masks
        self.masks = {} if isolated else dict(masks)
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                message = f"bodies nest more than {DEEPEST} deep"
                raise self.findings.stop(SYNTAX, opened, message, found="{")
            slots = [self._argument(place, type) for place, type in arguments]
            if self.text[self.i][:1] == "^":
                slots += self._label(labelled)
            items, broken = self.operations()
            if self.text[self.i] is END:
                line = self.tokens.line(self.tokens.start[opened])
                raise self.findings.expected(self.i, f"'}}' for the '{{' of line {line}")
            block = Block(tuple(slots), [item for item in items if isinstance(item, Op)])
            braces = opened, self.i
            self.i += 1
            return Body(block, items, braces, broken)
        finally:
            self.depth -= 1
            self.forget(self.scope)
            self.scope = outer
            self.masks = masks
            self.values, self.where, self.hidden = saved

    def _read_body(self) -> Body:
        return self.body(labelled=True)

    def _argument(self, place: int, type: TextType) -> int:
        slot = self.new_slot(type, self.text[place][1:])
        self.define(place, slot)
        return slot

    def _label(self, takes_arguments: bool) -> list[int]:
        at = self.i
        slots: list[int] = []
        self.i += 1
        if self.accept("("):
            if not takes_arguments:
                message = "this body takes no arguments"
                raise self.findings.stop(SYNTAX, at, message, found=self.text[at])
            while not self.accept(")"):
                place = self.i
                if self.text[place][:1] != "%":
                    raise self.findings.expected(place, "an argument")
                self.i += 1
                self.expect(":")
                slots.append(self._argument(place, self.type()))
                self.location()
                if self.text[self.i] != ")":
                    self.expect(",")
        self.expect(":")
        return slots

    def operations(self) -> tuple[list[BodyItem], bool]:
        """Reads operations up to the closing brace or the end of the file; gives them and
        whether some of them could not be read."""
        text = self.text
        items: list[BodyItem] = []
        broken = False
        while True:
            word = text[self.i]
            if word == "}" or word is END:
                self.broken = self.broken or broken
                return items, broken
            if word[0] == "#" and self._is_alias():
                self.location_alias()
                continue
            if word[0] == "^":
                self.findings.at(
                    SYNTAX,
                    self.i,
                    "a body is one block: kernels have no branches",
                    found=word,
                    hint="use scf.if, scf.for or scf.while",
                )
                broken = True
                self.recover(self.i)
                continue
            item = self.operation()
            if self.before:
                items += self.before
                self.before = []
            if item is None:
                broken = True
            else:
                items.append(item)


_AFTER_OPERATION = frozenset({"}", END})
