"""Module to canonical text, with the comments where they belong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count

from ptoscope.diagnostics import Span
from ptoscope.ir import attributes
from ptoscope.ir.language import PREFIX
from ptoscope.ir.module import Enclosing, Module, Note
from ptoscope.ir.printing import operations
from ptoscope.ir.printing.instructions import LEVELS, Level, PrintedValues
from ptoscope.ir.printing.operations import Spelled, Spelling
from ptoscope.program import Block, Function, If, Op

WIDTH = 100
_COMMA = re.compile(r", (?![^<>]*(?<!-)>)")
"""A comma between types, not inside one."""

INDENT = "  "


def print_module(
    module: Module, generic: bool = False, level: Level | None = "ssa", locations: bool = False
) -> str:
    """The canonical text of a module; it ends with a newline.

    `level` is how its instructions are written: `ssa`, `dps` or `asm`; with None each as it was
    in the text, and all in the generic form where one of them was. With `generic` every
    operation is written in the generic form instead. With `locations` each operation says where
    in its file it stands: `loc("axpy.py":7:9)`.

    Value names are the source's. Comments stay before, behind or inside the operation they
    were written at; those in the middle of an operation move before it.
    """
    if level is None:
        generic = generic or _has_generic(module)
    elif level not in LEVELS:
        raise ValueError(f"no level '{level}'; there are {', '.join(LEVELS)}")
    writer = _Writer(module, generic, level, locations)
    writer.file()
    writer.comments(len(module.program.text), 0)
    return "\n".join(writer.lines) + "\n"


def _has_generic(module: Module) -> bool:
    notes = (module.notes.get(op) for f in module.program.functions for op in f.ops())
    return any(n is not None and module.tokens.text[n.name][:1] == '"' for n in notes)


class _Writer:
    """Lines written so far, and how far into the source's comments they reach."""

    def __init__(
        self, module: Module, is_generic: bool, level: Level | None, locations: bool
    ) -> None:
        self.module = module
        self.level: Level | None = level
        self.taken: set[str] = set()
        self.tokens = module.tokens
        self.generic = is_generic
        file = re.split(r"[/\\]", module.program.file)[-1]
        self.file_name = attributes.string(file).text if locations else ""
        self.lines: list[str] = []
        self.next_comment = 0
        self.source_line = 0
        """The source line that the last thing written ended in; 0 at the start of a body."""

    def file(self) -> None:
        """Writes the module, or the functions where the text has none around them."""
        whole = self.module
        if whole.outer is not None:
            self._module(whole.outer, 0)
            return
        said = {} if whole.tokens.source else operations.module_attributes(whole.program)
        if not said:
            for each in whole.program.functions:
                self._function(each, 0)
            return
        spelled = operations.module("", said, self.generic)
        self._head(spelled, 0)
        for each in whole.program.functions:
            self._function(each, 1)
        self._close(None, 0, 0, spelled.closings[0])

    def _module(self, outer: Enclosing, depth: int) -> None:
        spelled = operations.module(outer.name, outer.note.attributes, self.generic)
        self._before(outer.note, depth)
        self._head(spelled, depth)
        self._behind(outer.note.head)
        self.source_line = 0
        for item in outer.items:
            if isinstance(item, Enclosing):
                self._module(item, depth + 1)
            elif isinstance(item, Function):
                self._function(item, depth + 1)
        self._close(outer.note, 0, depth, spelled.closings[0])

    def _function(self, whole: Function, depth: int) -> None:
        note = self.module.notes.get(whole)
        said = operations.function_attributes(whole) if note is None else note.attributes
        values = PrintedValues(whole.types, whole.names)
        spelling = Spelling(values, self.module.language, self._level, self._new_name)
        visibility = self.module.visibility.get(whole.name, "")
        self._before(note, depth)
        spelled = operations.function(whole, said, visibility, spelling, self.generic)
        self._whole(spelling, spelled, (whole.body,), note, depth, whole.span)

    def _operation(self, spelling: Spelling, op: Op, depth: int) -> None:
        note = self.module.notes.get(op)
        # What is written at an implied one belongs to the operation that implies it.
        place = None if note is not None and note.implied else note
        if self._silent(op):
            if place is not None:
                self.comments(self.tokens.start[place.first], depth)
                self.source_line = self.tokens.line(self.tokens.start[place.last])
            return
        self._before(place, depth)
        spelled = spelling.generic(op, note) if self.generic else spelling.custom(op, note)
        no_else = isinstance(op, If) and not self.generic and not op.otherwise.ops
        blocks = op.blocks[:1] if no_else else op.blocks
        self._whole(spelling, spelled, blocks, place, depth, op.span)

    def _level(self, note: Note | None) -> Level:
        """How an instruction is to be written."""
        if self.level is not None or note is None:
            return self.level or "ssa"
        text, name = self.tokens.text, note.name
        if text[name + 1] in ("ins", "outs") and text[name + 2] == "(":
            return "dps"
        return "ssa" if text[name].startswith(PREFIX) else "asm"

    def _before(self, note: Note | None, depth: int) -> None:
        """Writes what stands before and inside the head of an operation."""
        if note is None:
            return
        self.comments(self.tokens.start[note.first], depth)
        self._gap(self.tokens.line(self.tokens.start[note.first]))
        self._inner_comments(note, depth)

    def _whole(
        self,
        spelling: Spelling,
        spelled: Spelled,
        blocks: Sequence[Block],
        note: Note | None,
        depth: int,
        span: Span,
    ) -> None:
        """Writes an operation with its bodies."""
        self._head(spelled, depth)
        location = f" loc({self.file_name}:{span.line}:{span.column})"
        if not self.file_name or not span.line:
            location = ""
        if not blocks:
            self.lines[-1] += location
        if note is not None:
            self._behind(note.head)
        labels = spelled.labels or (False,) * len(blocks)
        for number, (block, closing) in enumerate(zip(blocks, spelled.closings, strict=True)):
            self.source_line = 0
            if labels[number] and block.args:
                arguments = ", ".join(map(spelling.argument, block.args))
                self.lines.append(INDENT * depth + f"^bb0({arguments}):")
            for op in block.ops:
                self._operation(spelling, op, depth + 1)
            is_last = number == len(blocks) - 1
            self._close(note, number, depth, closing + (location if is_last else ""))

    def _close(self, note: Note | None, number: int, depth: int, closing: str) -> None:
        """Writes the end of a body."""
        braces = note.braces if note is not None else ()
        if number < len(braces):
            end = self.tokens.start[braces[number][1]]
            self.comments(end, depth + 1)
            self.source_line = self.tokens.line(end)
        self.lines.append(INDENT * depth + closing)
        if note is not None:
            following = braces[number + 1 : number + 2]
            self._behind(following[0][0] if following else note.last)

    def _new_name(self) -> str:
        if not self.taken:
            self.taken = {"", *self.module.value_names()}
        number = next(k for k in count() if f"_{k}" not in self.taken)
        self.taken.add(f"_{number}")
        return f"_{number}"

    def _silent(self, op: Op) -> bool:
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
