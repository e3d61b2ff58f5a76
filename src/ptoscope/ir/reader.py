"""The reader: tokens to operations, with names, types and recovery after errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ptoscope.ir.dialect import Language
from ptoscope.ir.errors import SYNTAX, UNKNOWN_OPERATION, Stop
from ptoscope.ir.module import Note, set_name
from ptoscope.ir.names import Names, Packs
from ptoscope.ir.recovery import DEEPEST, recover
from ptoscope.ir.scanner import END, Tokens

Handler = Callable[["Reader", int], Operation]
"""Reads one operation whose name is the given token; the reader stands behind the name."""


class Reader(Names):
    """Reads one file. `handlers` maps operation names to what reads them."""

    def __init__(self, tokens: Tokens, file: str, language: Language) -> None:
        super().__init__(tokens, file, language)
        self.handlers: dict[str, Handler] = {}
        self.generic: Handler | None = None
        self.notes: dict[Operation, Note] = {}
        self.braces: dict[Region, tuple[int, int]] = {}
        self.depth = 0
        self.broken: set[Block] = set()
        self.doubtful: set[Operation] = set()
        """Operations whose text contradicts itself."""
        self.in_function = False
        self.before: list[Operation] = []
        """Operations that the one at hand implies; they go before it."""
        self.masks: dict[int, SSAValue] = {}
        """The implied masks that are visible here, by their granularity."""

    # Operations

    def operation(self) -> Operation | None:
        """Reads one operation; after an error, finds the next one and returns None."""
        first = self.i
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
            if handler is None:
                handler = self._unusual(name, word)
            self.i = name + 1
            op = handler(self, name)
            if text[self.i] == "loc" and text[self.i + 1] == "(":
                self._location()
            elif self.i < len(text) and text[self.i] not in _AFTER_OPERATION:
                self._check_end(op)
            note = self.notes[op]
            named = packs or note.packs
            self.notes[op] = Note(
                first, name, note.head, self.i - 1, note.operands, named, note.form, note.segments
            )
            if len(self.findings) > found:
                self.doubtful.add(op)
            if packs:
                self.bind(op, packs, places, name)
            return op
        except Stop:
            pass
        except RecursionError:
            self.findings.at(SYNTAX, first, "nested too deeply", found=text[first])
        except Exception as error:
            # xDSL raises whatever its attribute classes raise: the file is wrong, not the tool.
            message = str(error).strip().splitlines()[:1] or [type(error).__name__]
            at = min(max(self.i, first), len(text) - 1)
            self.findings.at(SYNTAX, first, message[0], found=text[at])
        recover(self, first)
        return None

    def _results(self) -> tuple[Packs, list[int]]:
        packs, places = self.names()
        if self.text[self.i] != "=":
            raise self.findings.expected(self.i, "'='")
        self.i += 1
        return packs, places

    def _unusual(self, at: int, word: str) -> Handler:
        """The handler of a generic operation, or the finding that there is none."""
        if word[:1] == '"' and len(word) > 1 and self.generic is not None:
            return self.generic
        if not (word[:1].isalpha() or word[:1] == "_"):
            raise self.findings.expected(at, "an operation")
        raise self.unknown(at, word)

    def unknown(self, at: int, word: str, hint: str = "") -> Stop:
        """Collects that there is no such operation; the caller raises what this returns."""
        if not hint:
            hint = self.findings.nearest(word, self.language.spelled_like(word))
        return self.findings.stop(
            UNKNOWN_OPERATION,
            at,
            f"unknown operation '{word}'",
            found=word,
            expected="an instruction (`ptoscope isa` lists them), or arith, scf, func",
            hint=hint,
        )

    def _check_end(self, op: Operation) -> None:
        i = self.i
        word = self.text[i]
        if word[:1] in ("%", '"', "^") or word in self.handlers:
            return
        start, end = self.tokens.end(i - 1), self.tokens.start[i]
        new_line = "\n" in self.tokens.source[start:end]
        if new_line and (word[:1].isalpha() or word[:1] == "_"):
            return
        raise self.findings.expected(i, f"the end of {op.name}")

    def _location(self) -> None:
        """Skips `loc(...)`."""
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

    # Bodies

    def body(
        self,
        arguments: Sequence[tuple[int, Attribute]] = (),
        *,
        isolated: bool = False,
        labelled: bool = False,
    ) -> Region:
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
            block = Block(arg_types=[t for _, t in arguments])
            for (place, _), value in zip(arguments, block.args, strict=True):
                set_name(value, self.text[place][1:])
                self.define(place, value)
            if self.text[self.i][:1] == "^":
                self._label(block, labelled)
            self.operations(block)
            if self.text[self.i] is END:
                line = self.tokens.line(self.tokens.start[opened])
                raise self.findings.expected(self.i, f"'}}' for the '{{' of line {line}")
            region = Region(block)
            self.braces[region] = opened, self.i
            self.i += 1
            return region
        finally:
            self.depth -= 1
            self.forget(self.scope)
            self.scope = outer
            self.masks = masks
            self.values, self.where, self.hidden = saved

    def _label(self, block: Block, takes_arguments: bool) -> None:
        at = self.i
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
                value = block.insert_arg(self.type(), len(block.args))
                set_name(value, self.text[place][1:])
                self.define(place, value)
                if self.text[self.i] != ")":
                    self.expect(",")
        self.expect(":")

    def operations(self, block: Block) -> None:
        """Reads operations into a block up to the closing brace or the end of the file."""
        text = self.text
        while True:
            word = text[self.i]
            if word == "}" or word is END:
                return
            if word[0] == "^":
                self.findings.at(
                    SYNTAX,
                    self.i,
                    "a body is one block: kernels have no branches",
                    found=word,
                    hint="use scf.if, scf.for or scf.while",
                )
                self.broken.add(block)
                recover(self, self.i)
                continue
            op = self.operation()
            if self.before:
                block.add_ops(self.before)
                self.before = []
            if op is None:
                self.broken.add(block)
            else:
                block.add_op(op)


_AFTER_OPERATION = frozenset({"}", END})
