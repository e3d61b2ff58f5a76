"""The command that shows tiles as matrices."""

from __future__ import annotations

from ptoscope.diagnostics import UsageError
from ptoscope.replay.elements import element_texts
from ptoscope.replay.lines import cut
from ptoscope.replay.matrices import ShownMatrix, elements, matrices_at
from ptoscope.replay.prompt.session import PromptWords, Session, at_most, number

MOST_ROWS, MOST_COLUMNS = 16, 32
"""Rows and columns that are shown at once."""


def tiles(session: Session, words: PromptWords) -> list[str]:
    """The tiles of this instruction, by rows and columns; of one (`tile left`) also from a row
    and a column on (`tile left 16 0`)."""
    here = session.moment
    found = matrices_at(here.run, here.index)
    if not found:
        raise UsageError(f"{here.name} works on no tiles")
    if not words:
        return [line for matrix in found for line in _shown(session, matrix, 0, 0)]
    roles = [matrix.role for matrix in found]
    digits = next((n for n, word in enumerate(words) if word.isdigit()), len(words))
    role, begin = " ".join(words[:digits]), words[digits:]
    if role not in roles:
        raise UsageError(f"there is no tile '{role[:40]}' here; there are {', '.join(roles)}")
    at_most(begin, 2)
    row, column = (number(word, "row or column") for word in (*begin, "0", "0")[:2])
    matrix = found[roles.index(role)]
    if row >= matrix.rows or column >= matrix.columns:
        raise UsageError(f"{role} has {matrix.rows} rows and {matrix.columns} columns, from 0 on")
    return _shown(session, matrix, row, column)


def _shown(session: Session, matrix: ShownMatrix, row: int, column: int) -> list[str]:
    """A matrix from an element on, as much of it as fits."""
    here = session.moment
    space = next(name for name in here.run.space_names if here.run.space(name) == matrix.space)
    head = (
        f"{matrix.role}: {matrix.rows} x {matrix.columns} {matrix.dtype} in {space} from "
        f"{matrix.begin:#x}, {matrix.layout_name}"
    )
    rows = range(row, min(matrix.rows, row + MOST_ROWS))
    columns = range(column, min(matrix.columns, column + MOST_COLUMNS))
    held, undefined = elements(here.run, here.index, matrix, rows, columns)
    texts = [
        [text + "?" * bool(bad) for text, bad in zip(line, lost, strict=True)]
        for line, lost in zip(
            (element_texts(matrix.dtype, one) for one in held), undefined, strict=True
        )
    ]
    label = len(str(rows[-1]))
    cell = max(len(text) for line in (map(str, columns), *texts) for text in line)
    fits = max(1, (session.width - label) // (cell + 1))
    lines = [" " * label + "".join(f" {c:>{cell}}" for c in columns[:fits])]
    for number_of, line in zip(rows, texts, strict=True):
        lines.append(f"{number_of:>{label}}" + "".join(f" {text:>{cell}}" for text in line[:fits]))
    last = columns[:fits][-1]
    if len(rows) < matrix.rows or last + 1 - column < matrix.columns:
        head += f"; rows {row} to {rows[-1]}, columns {column} to {last}"
    return [cut(line, session.width) for line in (head, *lines)]
