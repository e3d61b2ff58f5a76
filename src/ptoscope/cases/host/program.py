"""A host program: the functions, variables and types of its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ptoscope.cases.host.preprocessor import read_tokens
from ptoscope.cases.host.statements import Parser
from ptoscope.cases.host.tokens import CppToken, Unreadable
from ptoscope.cases.host.tree import CppFunction, CppNode, CppParameter, TypeName

_CLOSING = {"(": ")", "{": "}", "[": "]"}


@dataclass
class HostFiles:
    """What the files define. `globals` are declarations, in order."""

    functions: dict[str, CppFunction] = field(default_factory=dict[str, CppFunction])
    globals: list[CppNode] = field(default_factory=list[CppNode])
    aliases: dict[str, TypeName] = field(default_factory=dict[str, TypeName])

    def body(self, function: CppFunction) -> list[CppNode]:
        """The statements of a function."""
        return Parser(function.body, self.aliases).statements()


def read_files(paths: Sequence[Path]) -> HostFiles:
    """Reads host code; what a file says outside of functions and cannot be read is left out,
    so that it is an error only where it is used."""
    files = HostFiles()
    for path in paths:
        directory = path.parent

        def include(name: str, directory: Path = directory) -> str | None:
            header = directory / name
            return _text(header) if header.is_file() else None

        try:
            _collect(read_tokens(_text(path), path.name, include), files)
        except RecursionError:
            raise Unreadable(f"{path.name}: it is nested too deeply") from None
    return files


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Unreadable(f"cannot read {path.name}: {error.strerror}") from None


def _collect(tokens: Sequence[CppToken], files: HostFiles) -> None:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.text in ("namespace", "extern") and _opens_scope(tokens, at):
            # What is inside is read as if it stood outside.
            at = next(i for i in range(at, len(tokens)) if tokens[i].text == "{") + 1
            continue
        if token.text in ("}", ";"):
            at += 1
            continue
        end, brace = _extent(tokens, at)
        if brace is not None and tokens[brace - 1].text == ")":
            function = _function(tokens, at, brace, files.aliases)
            if function is not None:
                function.body = tokens[brace + 1 : end - 1]
                files.functions[function.name] = function
        else:
            _declare(tokens[at:end], files)
        at = end


def _opens_scope(tokens: Sequence[CppToken], at: int) -> bool:
    for token in tokens[at + 1 : at + 4]:
        if token.text == "{":
            return True
        if token.kind != "name" and token.kind != "string":
            return False
    return False


def _extent(tokens: Sequence[CppToken], start: int) -> tuple[int, int | None]:
    """The end of a declaration, and its brace if it has one."""
    brace: int | None = None
    at = start
    while at < len(tokens):
        text = tokens[at].text
        if text == ";":
            return at + 1, brace
        if text in _CLOSING and tokens[at].kind == "mark":
            if text == "{" and brace is None:
                brace = at
            closing = _matching(tokens, at)
            at = closing + 1
            if text == "{" and tokens[brace - 1 if brace else 0].text == ")":
                return at, brace
            continue
        at += 1
    return at, brace


def _matching(tokens: Sequence[CppToken], at: int) -> int:
    depth = 0
    for end in range(at, len(tokens)):
        if tokens[end].kind != "mark":
            continue
        depth += tokens[end].text in _CLOSING
        depth -= tokens[end].text in _CLOSING.values()
        if depth == 0:
            return end
    raise Unreadable(f"{tokens[at].where}: '{tokens[at].text}' is not closed")


def _function(
    tokens: Sequence[CppToken], start: int, brace: int, aliases: dict[str, TypeName]
) -> CppFunction | None:
    opening = next((i for i in range(start, brace) if tokens[i].text == "("), None)
    if opening is None or opening == start or _matching(tokens, opening) != brace - 1:
        return None
    name = tokens[opening - 1]
    parser = Parser(tokens[opening + 1 : brace - 1], aliases)
    parameters: list[CppParameter] = []
    try:
        while parser.next.kind != "end":
            kind = parser.type_name()
            named = parser.take().text if parser.next.kind == "name" else ""
            if not (kind.name == "void" and not kind.pointers):
                parameters.append(CppParameter(kind, named))
            if not parser.try_take(","):
                break
    except Unreadable:
        return None
    return CppFunction(name.text, parameters, (), name.where) if parser.next.kind == "end" else None


def _declare(tokens: Sequence[CppToken], files: HostFiles) -> None:
    parser = Parser(tokens, files.aliases)
    try:
        if parser.try_take("using"):
            name = parser.take().text
            parser.take("=")
            files.aliases[name] = parser.type_name()
        elif parser.try_take("typedef"):
            kind = parser.type_name()
            files.aliases[parser.take().text] = kind
        elif parser.starts_declaration():
            declared = parser.declaration()
            parser.take(";")
            files.globals.append(declared)
    except Unreadable:
        pass
