"""The door: a text in, a module or all of its errors out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.ir.attributes import Attribute
from ptoscope.ir.language import PREFIX, Language, language
from ptoscope.ir.module import NO_ATTRIBUTES, Module
from ptoscope.ir.reading import arith, control, functions, generic, instructions, scopes
from ptoscope.ir.reading.findings import NOT_TEXT, SYNTAX
from ptoscope.ir.reading.placeholders import decide
from ptoscope.ir.reading.readable import readable
from ptoscope.ir.reading.reader import GENERIC, Handler, Reader
from ptoscope.ir.reading.scanner import Tokens
from ptoscope.program import Program


def parse(text: str, file: str = "<string>", *, of: Language | None = None) -> Module:
    """Reads a file. Raises PtoError with all of its errors in source order."""
    _check_text(text, file)
    known = of or language()
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
    note = None if outer is None else outer.note
    said = NO_ATTRIBUTES if note is None else note.attributes
    program = Program(
        found, _word(said, "pto.target_arch"), _word(said, "pto.kernel_kind"), file, text
    )
    if reader.findings:
        program.functions = [readable(function, reader.notes) for function in found]
        raise Unread(reader.findings.sorted(), program)
    name = "" if outer is None else outer.name
    return Module(program, tokens, reader.notes, note, name, reader.visibility, known)


class Unread(PtoError):
    """Parts of a file could not be read; `program` holds the operations that could."""

    def __init__(self, diagnostics: Iterable[Diagnostic], program: Program) -> None:
        super().__init__(diagnostics)
        self.program = program


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
    "return": functions.returned,
    "func.return": functions.returned,
    "scf.for": control.for_loop,
    "scf.if": control.if_else,
    "scf.while": control.while_loop,
    "scf.yield": control.yielded,
    "scf.condition": control.condition,
}
_SCOPES: dict[str, Handler] = {
    "pto.vecscope": scopes.scope,
    "pto.strict_vecscope": scopes.strict_scope,
}


@cache
def _handlers(known: Language) -> dict[str, Handler]:
    handlers = dict(_STRUCTURE)
    for name in known.table:
        if name == "arith.constant":
            handlers[name] = arith.constant
        elif name.startswith("arith."):
            handlers[name] = arith.operation
        elif name.startswith(PREFIX):
            handlers[name] = _SCOPES.get(name, instructions.instruction)
    for name in known.mnemonics:
        handlers.setdefault(name, instructions.mnemonic)
    return handlers
