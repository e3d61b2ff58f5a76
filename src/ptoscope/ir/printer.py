"""Module to canonical text, with the comments where they belong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count

from xdsl.ir import Operation, Region, SSAValue

from ptoscope.ir.levels import LEVELS, Level
from ptoscope.ir.module import Module, Note, name_of
from ptoscope.ir.spell import Spelled, argument, custom, generic

WIDTH = 100
_COMMA = re.compile(r", (?![^<>]*(?<!-)>)")
"""A comma between types, not inside one."""

INDENT = "  "


def print_module(module: Module, generic: bool = False, form: Level = "ssa") -> str:
    """The canonical text of a module; it ends with a newline.

    `form` is the level of its instructions: `ssa`, `dps` or `asm`. With `generic` every
    operation is written in the generic form instead.

    Value names are the source's. Comments stay before, behind or inside the operation they
    were written at; those in the middle of an operation move before it.
    """
    if form not in LEVELS:
        raise ValueError(f"no form '{form}'; there are {', '.join(LEVELS)}")
    writer = _Writer(module, generic, form)
    if module.implicit:
        for op in module.op.ops:
            writer.operation(op, 0)
    else:
        writer.operation(module.op, 0)
    writer.comments(len(module.text), 0)
    return "\n".join(writer.lines) + "\n"


class _Writer:
    """Lines written so far, and how far into the source's comments they reach."""

    def __init__(self, module: Module, is_generic: bool, level: Level) -> None:
        self.module = module
        self.level: Level = level
        self.taken: set[str] = set()
        self.tokens = module.tokens
        self.generic = is_generic
        self.lines: list[str] = []
        self.next_comment = 0
        self.source_line = 0
        """The source line that the last thing written ended in; 0 at the start of a body."""

    def operation(self, op: Operation, depth: int) -> None:
        note = self.module.notes.get(op)
        if note is not None and note.implied:
            # What is written there belongs to the operation that implies this one.
            note = None
        if note is not None:
            self.comments(self.tokens.start[note.first], depth)
        if self._silent(op):
            if note is not None:
                self.source_line = self.tokens.line(self.tokens.start[note.last])
            return
        if note is not None:
            self._gap(self.tokens.line(self.tokens.start[note.first]))
            self._inner_comments(note, depth)
        spelled = self._spelled(op, note)
        self._head(spelled, depth)
        if note is not None:
            self._behind(note.head)
        regions = [r for r in op.regions if r.blocks or self.generic]
        labels = spelled.labels or (False,) * len(regions)
        for region, closing, label in zip(regions, spelled.closings, labels, strict=True):
            self._body(region, depth, label)
            self.lines.append(INDENT * depth + closing)
            place = self._closing_place(op, region, note)
            if place is not None:
                self._behind(place)

    def _spelled(self, op: Operation, note: Note | None) -> Spelled:
        if self.generic:
            return generic(op, note)
        return custom(op, note, self.level, self._new_name)

    def _new_name(self) -> str:
        if not self.taken:
            self.taken = set(_value_names(self.module))
        number = next(k for k in count() if f"_{k}" not in self.taken)
        self.taken.add(f"_{number}")
        return f"_{number}"

    def _silent(self, op: Operation) -> bool:
        """A bare scf.yield at the end of a body is understood."""
        return not self.generic and op.name == "scf.yield" and not op.operands

    def _head(self, spelled: Spelled, depth: int) -> None:
        indent = INDENT * depth
        line = indent + "".join(spelled.parts)
        if len(line) <= WIDTH or len(spelled.parts) == 1:
            self.lines.append(line)
            return
        first, *rest = spelled.parts
        self.lines.append(indent + first.rstrip())
        current = ""
        for at, part in enumerate(rest):
            may_join = at and (spelled.glue or part.startswith((" ->", " outs(")))
            if may_join and len(indent) + 4 + len(current) + len(part) <= WIDTH:
                current += part
                continue
            if current:
                self._continued(current.rstrip(), depth)
            current = part.lstrip()
        self._continued(current.rstrip(), depth)

    def _continued(self, text: str, depth: int) -> None:
        """A continuation line; lists that are still too long go on in the next ones."""
        indent = INDENT * (depth + 2)
        while len(indent) + len(text) > WIDTH:
            room = WIDTH - len(indent)
            cuts = [m.end() for m in _COMMA.finditer(text) if m.end() <= room]
            if not cuts:
                break
            self.lines.append(indent + text[: cuts[-1]].rstrip())
            text = text[cuts[-1] :]
            indent = INDENT * (depth + 3)
        self.lines.append(indent + text)

    def _body(self, region: Region, depth: int, label: bool) -> None:
        self.source_line = 0
        for block in region.blocks:
            if label and block.args:
                self.lines.append(INDENT * depth + f"^bb0({_arguments(block.args)}):")
            for op in block.ops:
                self.operation(op, depth + 1)
        braces = self.module.braces.get(region)
        if braces is not None:
            self.comments(self.tokens.start[braces[1]], depth + 1)
            self.source_line = self.tokens.line(self.tokens.start[braces[1]])

    def _closing_place(self, op: Operation, region: Region, note: Note | None) -> int | None:
        """The token that the line of a closing brace ends with."""
        if note is None:
            return None
        later = [r for r in op.regions if r.blocks and r in self.module.braces]
        after = later[later.index(region) + 1 :] if region in later else []
        return self.module.braces[after[0]][0] if after else note.last

    def comments(self, before: int, depth: int) -> None:
        """Writes the comments before an offset on lines of their own."""
        found = self.module.comments
        while self.next_comment < len(found) and found[self.next_comment].start < before:
            comment = found[self.next_comment]
            self._gap(self.tokens.line(comment.start))
            self.lines.append(INDENT * depth + comment.text)
            self.source_line = self.tokens.line(comment.start)
            self.next_comment += 1

    def _inner_comments(self, note: Note, depth: int) -> None:
        found = self.module.comments
        end = self.tokens.start[note.head]
        while self.next_comment < len(found) and found[self.next_comment].start < end:
            self.lines.append(INDENT * depth + found[self.next_comment].text)
            self.next_comment += 1

    def _behind(self, place: int) -> None:
        """Writes the comment behind the token that ended the last line."""
        line = self.tokens.line(self.tokens.start[place])
        self.source_line = line
        found = self.module.comments
        if self.next_comment == len(found):
            return
        comment = found[self.next_comment]
        if comment.start > self.tokens.start[place] and self.tokens.line(comment.start) == line:
            self.lines[-1] += f"  {comment.text}"
            self.next_comment += 1

    def _gap(self, line: int) -> None:
        """Keeps one blank line where the source has any, but none at the start of a body."""
        if self.source_line and line > self.source_line + 1 and self.lines[-1]:
            self.lines.append("")


def _value_names(module: Module) -> Iterator[str]:
    """All names of values; empty where a value has none."""
    yield ""
    for op in module.op.walk():
        values = [*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)]
        for value in values:
            yield name_of(value).partition("#")[0]


def _arguments(arguments: Sequence[SSAValue]) -> str:
    return ", ".join(argument(a) for a in arguments)
