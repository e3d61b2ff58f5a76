"""Tables of text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Columns and rows of text."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        """As wide as it is, a line for each row."""
        rows = [self.columns, *self.rows]
        widths = [max(map(_cells, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(
                cell + " " * (width - _cells(cell)) for cell, width in zip(row, widths, strict=True)
            )
            for row in rows
        )
        return "".join(f"{line.rstrip()}\n" for line in lines)


def _cells(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def counted(number: int, noun: str, nouns: str = "") -> str:
    """`1 file`, `2 files`; `nouns` is what more than one are called where that is not regular."""
    return f"{number} {noun if number == 1 else nouns or f'{noun}s'}"
