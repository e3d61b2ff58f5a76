"""What ptoscope says when something is wrong: one record, one way to print it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast


class Span(NamedTuple):
    """A piece of one source line: 1-based line and column, length in characters. `calls` are
    the places, line and column, of the calls through which it is reached, the outermost first.
    """

    line: int
    column: int
    length: int = 1
    calls: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def from_record(record: Sequence[object]) -> Span:
        """Of its fields as JSON gives them."""
        line, column, length, calls = cast("tuple[int, int, int, list[list[int]]]", record)
        return Span(line, column, length, tuple((at[0], at[1]) for at in calls))


NOWHERE = Span(0, 0, 0)


class Edit(NamedTuple):
    """A piece of the text and what to write in its place. A span of length 0 inserts before
    its column; one that is a character longer than the rest of its line takes the line break
    with it."""

    span: Span
    text: str

    def __str__(self) -> str:
        line, column, length, _ = self.span
        text = self.text.strip()
        if not length:
            return f"insert `{text}` before {line}:{column}"
        place = f"{line}:{column}-{column + length - 1}"
        return f"write `{text}` at {place}" if self.text else f"delete {place}"


LONGEST_TEXT = 1000
"""Characters of one text of a finding that are shown: it may quote a file of any size."""
_LONGEST_LINE = 240
"""Characters of a source line that are shown."""


def shortened(text: str, most: int = LONGEST_TEXT) -> str:
    """The text, or its beginning and how much was left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}... ({len(text) - most} more characters)"


# C0 but for tabs and ends of lines, DEL, C1, and what changes the direction of a line.
_CONTROL = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_PICTURES, _DELETE_PICTURE, _NO_PICTURE = 0x2400, "\u2421", "\ufffd"


def visible(text: str) -> str:
    """Returns the text with its control characters as pictures, which a terminal shows and does
    not obey. Each takes one column, so that carets stay under their characters."""
    return text if text.isascii() and text.isprintable() else _CONTROL.sub(_picture, text)


def one_line(text: str) -> str:
    """Returns the text as `visible`, with its ends of lines as pictures as well: a file name that
    holds one would begin a line that looks like a finding of its own."""
    return visible(text).replace("\r", "\u240d").replace("\n", "\u240a")


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return _DELETE_PICTURE if code == 0x7F else _NO_PICTURE


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, which do not overlap."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    parts: list[str] = []
    done = 0
    for (line, column, length, _), new in sorted(edits):
        at = starts[line - 1] + column - 1
        parts += text[done:at], new
        done = at + length
    return "".join((*parts, text[done:]))


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `line` 0 means it belongs to the file (or the call) as a whole. `fix`,
    where there is one, is the change of the text that makes the finding go away."""

    code: str
    message: str
    severity: str = "error"
    file: str = ""
    span: Span = NOWHERE
    found: str = ""
    expected: str = ""
    hint: str = ""
    source_line: str = ""
    fix: tuple[Edit, ...] = ()

    @property
    def line(self) -> int:
        return self.span.line

    @property
    def column(self) -> int:
        return self.span.column

    @staticmethod
    def from_record(record: Mapping[str, object]) -> Diagnostic:
        """Of its own fields as plain values, as `dataclasses.asdict` and JSON give them."""
        fields: dict[str, Any] = dict(record)
        fix = tuple(Edit(Span.from_record(span), text) for span, text in fields["fix"])
        return Diagnostic(**{**fields, "span": Span.from_record(fields["span"]), "fix": fix})

    def as_json(self) -> dict[str, object]:
        """The stable JSON form; `found`, `expected` and `fix` only where they say something."""
        record: dict[str, object] = {
            "code": self.code,
            "severity": self.severity,
            "file": self.file,
            "line": self.span.line,
            "column": self.span.column,
            "length": self.span.length,
            "message": shortened(self.message),
            "hint": shortened(self.hint),
        }
        if self.found:
            record["found"] = shortened(self.found)
        if self.expected:
            record["expected"] = shortened(self.expected)
        if self.fix:
            record["fix"] = [_edit_record(edit) for edit in self.fix]
        if self.span.calls:
            record["calls"] = [{"line": line, "column": column} for line, column in self.span.calls]
        return record

    @property
    def _where(self) -> str:
        place = f":{self.span.line}:{self.span.column}" if self.span.line else ""
        return f"{one_line(self.file)}{place}"

    def __repr__(self) -> str:
        where = f" {self._where}" if self._where else ""
        return visible(f"<{self.severity}[{self.code}]{where}: {shortened(self.message)}>")

    def __str__(self) -> str:
        where = self._where
        head = f"{where + ': ' if where else ''}{self.severity}[{self.code}]: "
        lines = [head + shortened(self.message)]
        if self.source_line:
            number = str(self.span.line)
            source, column = self._shown_source()
            # Tabs are kept in the caret line so that the caret stands under its character.
            before = source[:column]
            indent = "".join("\t" if c == "\t" else " " for c in before)
            carets = "^" * max(1, min(self.span.length, len(source) - len(before)))
            lines.append(f"  {number} | {source}")
            lines.append(f"  {' ' * len(number)} | {indent}{carets}")
        calls = [f"line {line}" for line, _ in reversed(self.span.calls)]
        for label, text in (
            ("called from", ", ".join(calls)),
            ("found", self.found),
            ("expected", self.expected),
            ("hint", self.hint),
        ):
            if text:
                lines.append(f"  {label}: {shortened(text)}")
        lines += [f"  fix: {shortened(str(edit))}" for edit in self.fix]
        return visible("\n".join(lines))

    def _shown_source(self) -> tuple[str, int]:
        """The source line, of a long one the part around the caret; and where the caret is."""
        source, column = self.source_line, self.span.column - 1
        if len(source) <= _LONGEST_LINE:
            return source, column
        start = max(0, min(column - _LONGEST_LINE // 3, len(source) - _LONGEST_LINE))
        part = source[start : start + _LONGEST_LINE]
        left = "..." if start else ""
        right = "..." if start + _LONGEST_LINE < len(source) else ""
        return f"{left}{part}{right}", column - start + len(left)


def _edit_record(edit: Edit) -> dict[str, object]:
    line, column, length, _ = edit.span
    return {"line": line, "column": column, "length": length, "text": edit.text}


INTERNAL = "PTO9999"


def message_of(error: BaseException) -> str:
    """Returns the text of an exception; "" where making it raises another one."""
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return ""


def internal_error(error: BaseException) -> Diagnostic:
    """The finding about an error of ptoscope itself. Raises it again where PTOSCOPE_TRACEBACK
    asks for the traceback."""
    if os.environ.get("PTOSCOPE_TRACEBACK"):
        raise error
    return Diagnostic(
        INTERNAL,
        f"internal error: {type(error).__name__}: {message_of(error)}",
        hint="please report it with the kernel; PTOSCOPE_TRACEBACK=1 shows where it comes from",
    )


class PtoError(Exception):
    """A kernel, its arguments or its run is wrong; `.diagnostics` says how, in source order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self) -> tuple[type[PtoError], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


class UsageError(Exception):
    """The tool was asked for something it cannot do (an option, a file, an engine)."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint `did you mean 'x'?` for a misspelt word, or an empty string."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=5, cutoff=0.6)
    if not close:
        return ""

    def likeness(candidate: str) -> tuple[float, int]:
        same = [a == b for a, b in zip(candidate, word, strict=False)]
        shared = same.index(False) if False in same else len(same)
        return difflib.SequenceMatcher(None, candidate, word).ratio(), shared

    return f"did you mean '{max(close, key=likeness)}'?"
