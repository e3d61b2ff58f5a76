"""Where operations stand in the text, and edits that repair them."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from ptoscope.diagnostics import Edit, Span
from ptoscope.program import Op, Program

Fix = tuple[Edit, ...]
_DEFINED = re.compile(r"\s*((%[\w$.\-]+(:\d+)?[\s,]*)+=)?\s*")
"""What may stand before the name of an operation on its line."""


class Text:
    """The text of a program, comments blanked. What cannot be repaired safely gets no edit:
    every method that makes edits may return none."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def text(self) -> str:
        """The characters."""
        return re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), self._program.text)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins, and where another one would."""
        return list(accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0))

    @cached_property
    def ops(self) -> list[int]:
        """Where operations begin, of all functions, rising."""
        program = self._program
        spans = [op.span for function in program.functions for op in function.ops()]
        return sorted(self.offset(span) for span in (*spans, *program.opened) if span.line)

    def offset(self, span: Span) -> int:
        """Where a span begins."""
        return self.starts[span.line - 1] + span.column - 1

    def span(self, start: int, end: int) -> Span:
        """The span of a piece of one line."""
        line = bisect_right(self.starts, start)
        return Span(line, start - self.starts[line - 1] + 1, end - start)

    def statement(self, op: Op) -> tuple[int, int]:
        """From the name of an operation to behind its last character, its body excluded."""
        start = self.offset(op.span)
        later = bisect_right(self.ops, start)
        end = self._line(self.ops[later]) if later < len(self.ops) else len(self.text)
        if end <= start:
            end = self.ops[later]
        depth = 0
        for i in range(start, end):
            depth += (self.text[i] == "{") - (self.text[i] == "}")
            if depth < 0:
                end = i
                break
        return start, start + len(self.text[start:end].rstrip())

    def _line(self, offset: int) -> int:
        return self.starts[bisect_right(self.starts, offset) - 1]

    def places(self, op: Op, word: str) -> list[Span]:
        """Where a piece of text occurs in an operation."""
        start, end = self.statement(op)
        found: list[Span] = []
        at = self.text.find(word, start, end)
        while at >= 0:
            found.append(self.span(at, at + len(word)))
            at = self.text.find(word, at + len(word), end)
        return found

    def replace(self, op: Op, old: str, new: str, times: int = 1) -> Fix:
        """Writes `new` for each `old` in an operation, if there are as many as expected."""
        found = self.places(op, old)
        return tuple(Edit(span, new) for span in found) if len(found) == times else ()

    def drop_entry(self, op: Op, name: str) -> Fix:
        """Takes an entry out of an operation's attribute dictionary."""
        start, end = self.statement(op)
        entry = rf'{name}\s*=\s*("[^"\n]*"|[\w.\-]+)'
        for pattern in (rf"\s*\{{\s*{entry}\s*\}}", rf",[ ]*{entry}", rf"{entry}[ ]*,[ ]*"):
            found = re.compile(pattern).search(self.text, start, end)
            if found and "\n" not in found[0]:
                return (Edit(self.span(*found.span()), ""),)
        return ()

    def rename(self, op: Op, name: str) -> Fix:
        """Writes another name for an operation, with its dialect only where it has one."""
        start = self.offset(op.span)
        for old, new in ((op.name, name), (op.name.partition(".")[2], name.partition(".")[2])):
            if self.text.startswith(old, start):
                return (Edit(self.span(start, start + len(old)), new),)
        return ()

    def insert_before(self, op: Op, line: str) -> Fix:
        """A line of its own before an operation that begins one."""
        start = self._line(self.offset(op.span))
        indent = self._indent(start)
        if _DEFINED.fullmatch(self.text, start, self.offset(op.span)) is None:
            return ()
        return (Edit(self.span(start, start), f"{indent}{line}\n"),)

    def insert_after(self, op: Op, line: str) -> Fix:
        """A line of its own behind an operation and its bodies."""
        start, end = self.statement(op)
        if op.blocks:
            end = self._closed(start)
        close = self.text.find("\n", end)
        if close < 0 or self.text[end:close].strip():
            return ()
        indent = self._indent(self._line(start))
        return (Edit(self.span(close + 1, close + 1), f"{indent}{line}\n"),)

    def _closed(self, start: int) -> int:
        """Behind the last brace of an operation with bodies."""
        depth = 0
        for brace in re.compile(r"[{}](?:\s*(?:else|do)\s*\{)?").finditer(self.text, start):
            depth += {"{": 1, "}": -1}[brace[0][0]] + (len(brace[0]) > 1)
            if depth == 0:
                return brace.end()
        return len(self.text)

    def rewrite(self, op: Op, text: str) -> Fix:
        """Another text for a whole operation without results, which stands on lines of its
        own; an empty one deletes them."""
        start, end = self.statement(op)
        first = self._line(start)
        close = self.text.find("\n", end)
        if close < 0 or self.text[first:start].strip() or self.text[end:close].strip():
            return ()
        edits: list[Edit] = []
        at = first
        while at < close:
            stop = self.text.find("\n", at) + 1
            edits.append(Edit(self.span(at, stop), ""))
            at = stop
        if text:
            edits[0] = Edit(edits[0].span, f"{self._indent(first)}{text}\n")
        return tuple(edits)

    def _indent(self, line: int) -> str:
        end = line
        while self.text[end : end + 1] in (" ", "\t"):
            end += 1
        return self.text[line:end]
