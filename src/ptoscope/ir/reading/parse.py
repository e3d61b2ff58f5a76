"""The door: a text in, a module or all of its errors out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ptoscope.diagnostics import Diagnostic, PtoError, Span
from ptoscope.ir.attributes import Attribute
from ptoscope.ir.language import PREFIX, Language, language
from ptoscope.ir.module import Enclosing, Module, SourceNotes
from ptoscope.ir.reading import (
    arith,
    calls,
    casts,
    common_values,
    control,
    functions,
    generic,
    instructions,
    scopes,
)
from ptoscope.ir.reading.braces import LeftOpen, left_open
from ptoscope.ir.reading.findings import NOT_TEXT, SYNTAX, Findings
from ptoscope.ir.reading.names import LOST
from ptoscope.ir.reading.placeholders import decide
from ptoscope.ir.reading.reader import GENERIC, Handler, Reader
from ptoscope.ir.reading.scanner import Tokens
from ptoscope.ir.types import Placeholder, TextType
from ptoscope.isa.arith import constant
from ptoscope.isa.dtypes import INDEX
from ptoscope.isa.parts import SECTIONS
from ptoscope.isa.scalar import strict_vecscope, vecscope
from ptoscope.isa.types import Scalar
from ptoscope.program import Block, Function, Op, Program

_SAID = ("pto.target_arch", "pto.kernel_kind", "pto.revision")
_MOST_LEFT_OPEN = 8
"""Braces left open that are looked for: a text is read again for each."""


def parse(text: str, file: str = "<string>", *, of: Language | None = None) -> Module:
    """Reads a file. Raises PtoError with all of its errors in source order."""
    _check_text(text, file)
    return _parse(text, file, of or language(), _MOST_LEFT_OPEN)


def _parse(text: str, file: str, known: Language, repairs: int) -> Module:
    tokens = Tokens(text)
    reader = Reader(tokens, file, known, _handlers(known))
    try:
        found, outer = functions.file(reader)
        if reader.saw_placeholder:
            decide(reader)
    except Exception as error:
        # Never a traceback for a file: what goes wrong inside is reported as its error.
        if not reader.findings:
            place = min(reader.i, len(tokens.text) - 1)
            reader.findings.at(SYNTAX, place, f"cannot read the file: {error}")
        raise PtoError(reader.findings.sorted()) from error
    said: dict[str, str] = {} if outer is None else _said(outer)
    program = Program(
        found,
        said.get("pto.target_arch", ""),
        said.get("pto.kernel_kind", ""),
        file,
        text,
        said.get("pto.revision", ""),
    )
    if reader.findings and repairs and (open_brace := left_open(tokens)) is not None:
        raise _closed(tokens, file, open_brace, known, repairs - 1)
    if reader.findings:
        mistyped = _mistyped(reader, found)
        program.opened = tuple(tokens.span(place) for place in reader.starts)
        program.functions = [_Readable(f, reader.notes).function() for f in found]
        raise Unread(reader.findings.sorted(), program, mistyped)
    return Module(program, tokens, reader.notes, outer, reader.visibility, known)


def _closed(tokens: Tokens, file: str, found: LeftOpen, known: Language, repairs: int) -> Unread:
    """That a brace was left open, and what is wrong besides: the text is read again as if it
    were closed, or everything after it would be said to be wrong."""
    text, end = tokens.source, tokens.end(found.before - 1)
    diagnostics: list[Diagnostic] = []
    try:
        # On the line before, so that all lines keep their numbers.
        program = _parse(f"{text[:end]} }}{text[end:]}", file, known, repairs).program
    except Unread as error:
        program = error.program
        diagnostics = [
            replace(d, source_line=tokens.source_line(d.line)) for d in error.diagnostics
        ]
    findings = Findings(tokens, file)
    line = tokens.line(tokens.start[found.before])
    findings.at(
        SYNTAX,
        found.brace,
        "this brace is not closed",
        found=f"its body ends before line {line}, by the indentation",
        expected=f"'}}' before line {line}",
    )
    whole = sorted([*findings.sorted(), *diagnostics], key=lambda d: (d.span.line, d.span.column))
    return Unread(whole, program)


class Mistyped(NamedTuple):
    """A value, by its slot in one of a program's functions, and the type that a use writes for
    it and that is not its own."""

    function: int
    slot: int
    written: TextType
    span: Span


class Unread(PtoError):
    """Parts of a file could not be read; `program` holds the operations that could, `mistyped`
    are those of its values that the text gives two types."""

    def __init__(
        self,
        diagnostics: Iterable[Diagnostic],
        program: Program,
        mistyped: Iterable[Mistyped] = (),
    ) -> None:
        super().__init__(diagnostics)
        self.program = program
        self.mistyped = tuple(mistyped)


def _mistyped(reader: Reader, functions: list[Function]) -> list[Mistyped]:
    # A function has the list of types that its values were read into.
    numbers = {id(function.types): number for number, function in enumerate(functions)}
    return [
        Mistyped(numbers[id(values.types)], slot, written, reader.tokens.span(place))
        for values, _ in reader.bodies
        for slot, written, place in values.mistyped
        if id(values.types) in numbers
    ]


class _Readable:
    """What could be read of a function, for the checks that look at one operation at a time:
    it is without the operations that depend on something unread (but with the blocks such a one
    holds), and without those about which the reader had something to say. `defined` are the
    values that could be read."""

    def __init__(self, function: Function, notes: SourceNotes) -> None:
        self.whole = function
        self.notes = notes
        self.defined: set[int] = set()
        # A slot of its own for all values without a definition.
        self.lost = len(function.types)

    def function(self) -> Function:
        whole = self.whole
        self._define(whole.params)
        params = tuple(slot for slot in whole.params if slot in self.defined)
        body = self._block(whole.body)
        # No operation that is left, but for loops, branches and scopes, has values of a type
        # that is not known.
        types = [Scalar(INDEX) if isinstance(t, Placeholder) else t for t in whole.types]
        return replace(
            whole,
            params=params,
            body=replace(body, args=params),
            types=[*types, Scalar(INDEX)],
            names=[*whole.names, ""],
        )

    def _define(self, slots: tuple[int, ...]) -> None:
        types = self.whole.types
        self.defined.update(s for s in slots if not isinstance(types[s], Placeholder))

    def _block(self, block: Block) -> Block:
        self._define(block.args)
        return Block(block.args, [op for op in map(self._op, block.ops) if op is not None])

    def _op(self, op: Op) -> Op | None:
        if op.blocks:
            operands = tuple(self.lost if slot == LOST else slot for slot in op.operands)
            blocks = tuple(self._block(block) for block in op.blocks)
            self._define(op.results)
            return replace(op, operands=operands, blocks=blocks)
        note = self.notes.get(op)
        if note is not None and note.doubtful:
            # More about it would be the same mistake again; its results go on.
            self._define(op.results)
            return None
        types = self.whole.types
        if not self.defined.issuperset(op.operands) or any(
            isinstance(types[slot], Placeholder) for slot in op.results
        ):
            return None
        self._define(op.results)
        return op


def _said(outer: Enclosing, kind: str = "") -> dict[str, str]:
    """What modules say of the whole file, the outer before the inner. Functions of inner ones
    are told their own kind."""
    words = {name: _word(outer.note.attributes, name) for name in _SAID}
    found = {name: word for name, word in words.items() if word}
    for item in outer.items:
        if isinstance(item, Enclosing):
            own = _word(item.note.attributes, "pto.kernel_kind") or kind
            found = {**_said(item, own), **found}
        elif isinstance(item, Function):
            item.kind = kind
    return found


def _word(attributes: Mapping[str, Attribute], name: str) -> str:
    """What an attribute says, if it is a string or `#name<word>`."""
    found = attributes.get(name)
    if found is None:
        return ""
    if isinstance(found.value, str):
        return found.value
    head, _, rest = found.text.partition("<")
    return rest[:-1].strip() if head == f"#{name}" else ""


def _check_text(text: str, file: str) -> None:
    for index, character in enumerate(text) if not text.isascii() or "\0" in text else ():
        if character == "\0" or "\ud800" <= character <= "\udfff":
            tokens = Tokens(text[:index])
            span = tokens.span_at(index)
            raise PtoError(
                [
                    Diagnostic(
                        NOT_TEXT,
                        "the file is not text",
                        file=file,
                        span=span,
                        found=f"U+{ord(character):04X}",
                        expected="UTF-8 text",
                        source_line=tokens.source_line(span.line),
                    )
                ]
            )


_STRUCTURE: dict[str, Handler] = {
    GENERIC: generic.operation,
    "module": functions.module,
    "builtin.module": functions.module,
    "func.func": functions.function,
    "func.call": calls.call,
    "call": calls.call,
    casts.CAST: casts.cast,
    "return": functions.returned,
    "func.return": functions.returned,
    **dict.fromkeys(SECTIONS, scopes.section),
    "scf.for": control.for_loop,
    "scf.if": control.if_else,
    "scf.while": control.while_loop,
    "scf.yield": control.yielded,
    "scf.condition": control.condition,
}
_SCOPES: dict[str, Handler] = {
    vecscope.name: scopes.scope,
    strict_vecscope.name: scopes.strict_scope,
}


@cache
def _handlers(known: Language) -> dict[str, Handler]:
    handlers = dict(_STRUCTURE)
    for name in known.table:
        if name == constant.name:
            handlers[name] = arith.constant
        elif name.startswith("arith."):
            handlers[name] = arith.operation
        elif name.startswith(PREFIX):
            handlers[name] = _SCOPES.get(name, instructions.instruction)
    for name, meant in known.aliases.items():
        ((record, *_), *_) = meant.values()
        if record is constant:
            handlers[name] = arith.constant
        elif record.name.startswith("arith."):
            handlers[name] = common_values.operation
        else:
            handlers[name] = instructions.instruction
    for name in known.mnemonics:
        handlers.setdefault(name, instructions.mnemonic)
    return handlers
