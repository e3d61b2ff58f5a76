"""The door: a text in, a module or all of its errors out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ptoscope import isa
from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.ir import arith, control, functions, generic, infer, instructions, scopes
from ptoscope.ir.dialect import Language
from ptoscope.ir.errors import NOT_TEXT, SYNTAX
from ptoscope.ir.module import Module
from ptoscope.ir.reader import Handler, Reader
from ptoscope.ir.scanner import Tokens


@cache
def language() -> Language:
    """The language of the product's own instruction table."""
    return Language(isa.TABLE)


def parse(text: str, file: str = "<string>", *, of: Language | None = None) -> Module:
    """Reads a file. Raises PtoError with all of its errors in source order."""
    _check_text(text, file)
    known = of or language()
    tokens = Tokens(text)
    reader = Reader(tokens, file, known)
    reader.handlers = _handlers(known)
    reader.generic = generic.operation
    try:
        op, implicit = functions.program(reader)
        if reader.saw_hole:
            infer.decide(reader, op)
    except Exception as error:
        # Never a traceback for a file: what goes wrong inside is reported as its error.
        if not reader.findings:
            place = min(reader.i, len(tokens.text) - 1)
            reader.findings.at(SYNTAX, place, f"cannot read the file: {error}")
        raise PtoError(reader.findings.sorted()) from error
    module = Module(op, file, text, tokens, reader.notes, reader.braces, implicit, reader.doubtful)
    if reader.findings:
        raise Unread(reader.findings.sorted(), module)
    return module


class Unread(PtoError):
    """Parts of a file could not be read; `module` holds the operations that could."""

    def __init__(self, diagnostics: Iterable[Diagnostic], module: Module) -> None:
        super().__init__(diagnostics)
        self.module = module


def _check_text(text: str, file: str) -> None:
    for index, character in enumerate(text) if not text.isascii() or "\0" in text else ():
        if character == "\0" or "\ud800" <= character <= "\udfff":
            tokens = Tokens(text[:index])
            span = tokens.span_at(index)
            line = tokens.source_line(span.line)
            code = f"U+{ord(character):04X}"
            message = "the file is not text"
            raise PtoError(
                [
                    Diagnostic(
                        NOT_TEXT,
                        message,
                        file=file,
                        span=span,
                        found=code,
                        expected="UTF-8 text",
                        source_line=line,
                    )
                ]
            )


_STRUCTURE: dict[str, Handler] = {
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
        else:
            handlers[name] = _SCOPES.get(name, instructions.instruction)
    for name in known.mnemonics:
        handlers.setdefault(name, instructions.mnemonic)
    return handlers
