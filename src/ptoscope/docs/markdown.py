"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in cells are escaped."""
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_cell(c) for c in row)} |" for row in rows]
    return "\n".join(lines)


def code(text: str, language: str = "text") -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def tabs(parts: Iterable[tuple[str, str]]) -> str:
    """Blocks of which one is seen at a time."""
    out: list[str] = []
    for title, text in parts:
        inner = "\n".join(f"    {row}".rstrip() for row in text.splitlines())
        out.append(f'=== "{title}"\n\n{inner}')
    return "\n\n".join(out)


def word(text: str) -> str:
    """A piece of code inside a sentence."""
    return f"`{text}`" if text else ""


def slug(text: str) -> str:
    """A file name for a title."""
    return "".join(c if c.isalnum() else "-" for c in text.lower())


def prose(text: str) -> str:
    """Text in which nothing is Markdown."""
    for mark in ("\\", "*", "_", "<", "[", "`"):
        text = text.replace(mark, f"\\{mark}" if mark != "<" else "&lt;")
    return text


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
