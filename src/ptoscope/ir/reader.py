"""The reader: tokens to operations, with names, types and recovery after errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ptoscope.ir import types
from ptoscope.ir.cursor import Cursor
from ptoscope.ir.dialect import Language
from ptoscope.ir.errors import (
    DEFINED_TWICE,
    STRUCTURE,
    SYNTAX,
    UNDEFINED_VALUE,
    UNKNOWN_OPERATION,
    WRONG_TYPE,
    Stop,
)
from ptoscope.ir.module import Note, name_of, set_name
from ptoscope.ir.recovery import DEEPEST, recover
from ptoscope.ir.scanner import END, Tokens

Packs = tuple[tuple[str, int], ...]
Handler = Callable[["Reader", int], Operation]
"""Reads one operation whose name is the given token; the reader stands behind the name."""


class Poison(SSAValue[Attribute]):
    """Stands for a value whose definition is in error, so that its uses are not reported."""

    @property
    def owner(self) -> Operation | Block:
        raise ValueError("a poisoned value has no owner")


class Reader(Cursor):
    """Reads one file. `handlers` maps operation names to what reads them."""

    def __init__(self, tokens: Tokens, file: str, language: Language) -> None:
        super().__init__(tokens, file, language)
        self.handlers: dict[str, Handler] = {}
        self.generic: Handler | None = None
        self.notes: dict[Operation, Note] = {}
        self.braces: dict[Region, tuple[int, int]] = {}
        self.holes: dict[SSAValue, int] = {}
        self.refined: list[tuple[SSAValue, Attribute, int]] = []
        self.depth = 0
        self.broken: set[Block] = set()
        self.in_function = False
        self.values: dict[str, SSAValue] = {}
        self.where: dict[str, int] = {}
        self.scope: list[str] = []
        self.hidden: dict[str, SSAValue] = {}
        self.poison = Poison(types.POISON)

    # Operations

    def operation(self) -> Operation | None:
        """Reads one operation; after an error, finds the next one and returns None."""
        first = self.i
        text = self.text
        packs: Packs = ()
        places: list[int] = []
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
            self.notes[op] = Note(
                first, name, note.head, self.i - 1, note.operands, packs, note.form, note.segments
            )
            if packs:
                self._bind(op, packs, places, name)
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
        text = self.text
        packs: list[tuple[str, int]] = []
        places: list[int] = []
        i = self.i
        while True:
            name = text[i]
            if name[:1] != "%" or "#" in name:
                raise self.findings.expected(i, "a value name")
            places.append(i)
            i += 1
            size = 0
            if text[i] == ":":
                if not text[i + 1].isdecimal() or not 0 < len(text[i + 1]) < 4:
                    raise self.findings.expected(i + 1, "the number of results")
                size = int(text[i + 1])
                i += 2
            packs.append((name[1:], size))
            if text[i] != ",":
                break
            i += 1
        if text[i] != "=":
            raise self.findings.expected(i, "'='")
        self.i = i + 1
        return tuple(packs), places

    def _bind(self, op: Operation, packs: Packs, places: list[int], name: int) -> None:
        results = op.results
        wanted = sum(size or 1 for _, size in packs)
        if wanted != len(results):
            if not all(r.type is types.POISON for r in results) or not results:
                count = f"{len(results)} result{'' if len(results) == 1 else 's'}"
                named = "1 is named" if wanted == 1 else f"{wanted} are named"
                message = f"{self.text[name]} has {count}, but {named}"
                self.findings.at(
                    STRUCTURE, places[0], message, found=str(wanted), expected=str(len(results))
                )
            for place in places:
                self.define(place, self.poison)
            return
        at = 0
        for (pack, size), place in zip(packs, places, strict=True):
            if size <= 1:
                set_name(results[at], pack)
                self.define(place, results[at])
                at += 1
                continue
            self.define(place, results[at])
            for k in range(size):
                set_name(results[at], f"{pack}#{k}")
                self.values[f"%{pack}#{k}"] = results[at]
                self.scope.append(f"%{pack}#{k}")
                at += 1

    def _unusual(self, at: int, word: str) -> Handler:
        """The handler of a generic operation, or the finding that there is none."""
        if word[:1] == '"' and len(word) > 1 and self.generic is not None:
            return self.generic
        if not (word[:1].isalpha() or word[:1] == "_"):
            raise self.findings.expected(at, "an operation")
        raise self.unknown(at, word)

    def unknown(self, at: int, word: str) -> Stop:
        """Collects that there is no such operation; the caller raises what this returns."""
        hint = self.findings.nearest(word, self.language.names)
        return self.findings.stop(
            UNKNOWN_OPERATION, at, f"unknown operation '{word}'", found=word, hint=hint
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

    # Names

    def define(self, place: int, value: SSAValue) -> None:
        """Gives the name at a token to a value."""
        name = self.text[place]
        if self.values.get(name, self.poison) is not self.poison:
            first = self.tokens.line(self.tokens.start[self.where[name]])
            self.findings.at(
                DEFINED_TWICE,
                place,
                f"{name} is already defined in line {first}",
                found=name,
                expected="a new name",
            )
            return
        self.values[name] = value
        self.where[name] = place
        self.scope.append(name)
        if types.is_hole(value.type):
            self.holes[value] = place

    def use(self, place: int) -> SSAValue:
        """The value named at a token; a poisoned one, after a finding, if there is none."""
        name = self.text[place]
        value = self.values.get(name)
        if value is not None:
            return value
        if name[:1] != "%":
            raise self.findings.expected(place, "a value")
        base, _, index = name.partition("#")
        value = self.values.get(base)
        if value is not None and (value is self.poison or (index and int(index[:9]) == 0)):
            return value
        hint = ""
        if value is not None:
            message = f"{base} has no result number {index}"
        elif name in self.hidden:
            message = f"{name} is not visible here"
            hint = "a strict_vecscope sees only the values passed to it"
        else:
            message = f"{name} is not defined"
            hint = self.findings.nearest(name, self.values)
        self.findings.at(UNDEFINED_VALUE, place, message, found=name, hint=hint)
        if value is None:
            # One report per name is enough.
            self.values[name] = self.poison
            self.where[name] = place
            self.scope.append(name)
        return self.poison

    def agree(self, value: SSAValue, listed: Attribute, place: int) -> None:
        """Checks the type written for a value against the value's own."""
        own = value.type
        if own is listed or own is types.POISON or listed is types.POISON:
            return
        if types.is_hole(own) and type(own) is type(listed):
            self.refined.append((value, listed, place))
            return
        if types.is_hole(listed) and type(own) is type(listed):
            return
        name = f"%{name_of(value)}" if name_of(value) else "the value"
        self.findings.at(
            WRONG_TYPE,
            place,
            f"{name} is {types.spelling(own)}, not {types.spelling(listed)}",
            found=types.spelling(listed),
            expected=types.spelling(own),
        )

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
            for name in self.scope:
                self.values.pop(name, None)
            self.scope = outer
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
            if op is None:
                self.broken.add(block)
            else:
                block.add_op(op)


_AFTER_OPERATION = frozenset({"}", END})
