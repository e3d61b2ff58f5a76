"""Faults put into a correct kernel: each change is one a programmer makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .seeds import Seed

Change = Callable[[str], Iterator[tuple[str, str]]]
"""All ways to make one mistake in a text: what it is, and the text with it."""

GROUPS = ("types", "profile", "structure", "streams", "addresses", "synchronisation")


@dataclass(frozen=True)
class Mutant:
    """A kernel with one mistake; `target` where it is checked for another target."""

    seed: Seed
    group: str
    what: str
    text: str
    target: str | None = None


def mutants(seed: Seed) -> list[Mutant]:
    """Every mistake of every kind, each text once."""
    from .faults import CHANGES, TARGETS

    found: dict[tuple[str, str | None], Mutant] = {}
    for group, changes in CHANGES.items():
        for change in changes:
            for what, text in change(seed.text):
                if text != seed.text:
                    found.setdefault((text, None), Mutant(seed, group, what, text))
    for target in TARGETS.get(seed.name, ()):
        what = f"checked for {target}"
        found[seed.text, target] = Mutant(seed, "profile", what, seed.text, target)
    return list(found.values())


def blanked(text: str) -> str:
    """The text with its comments blanked."""
    return re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), text)


def swap(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Change:
    """Each match of a pattern, one at a time, replaced."""
    compiled = re.compile(pattern, re.MULTILINE)

    def change(text: str) -> Iterator[tuple[str, str]]:
        for match in compiled.finditer(blanked(text)):
            written = new(match) if callable(new) else match.expand(new)
            line = text.count("\n", 0, match.start()) + 1
            old = match[0].strip()
            what = f"line {line}: {old!r} to {written.strip()!r}"
            yield what, text[: match.start()] + written + text[match.end() :]

    return change


STATEMENT = (
    r"^[ ]*{}[^\n]*\n(?:[ ]+:[^\n]*\n|[ ]+nburst[^\n]*\n|[ ]+->[^\n]*\n|[ ]+%c0_i64[^\n]*\n)*"
)
"""A whole operation: its line and those that go on with it."""


def drop(pattern: str) -> Change:
    """Each operation that begins so, left out."""
    return swap(STATEMENT.format(pattern), "")


def twice(pattern: str) -> Change:
    """Each operation that begins so, written twice."""
    return swap(STATEMENT.format(pattern), lambda m: m[0] + m[0])


def move(pattern: str, before: str) -> Change:
    """Each operation that begins so, moved before the next line that matches."""
    whole = re.compile(STATEMENT.format(pattern), re.MULTILINE)
    goal = re.compile(before, re.MULTILINE)

    def change(text: str) -> Iterator[tuple[str, str]]:
        plain = blanked(text)
        for match in whole.finditer(plain):
            there = goal.search(plain, match.end())
            if there is None:
                continue
            line = text.count("\n", 0, match.start()) + 1
            cut = text[: match.start()] + text[match.end() : there.start()]
            yield f"line {line}: moved down", cut + match[0] + text[there.start() :]

    return change


def lift(pattern: str, before: str) -> Change:
    """Each operation that begins so, moved before the last line that matches above it."""
    whole = re.compile(STATEMENT.format(pattern), re.MULTILINE)
    goal = re.compile(before, re.MULTILINE)

    def change(text: str) -> Iterator[tuple[str, str]]:
        plain = blanked(text)
        for match in whole.finditer(plain):
            above = [m for m in goal.finditer(plain, 0, match.start())]
            if not above:
                continue
            there = above[-1].start()
            line = text.count("\n", 0, match.start()) + 1
            rest = text[there : match.start()] + text[match.end() :]
            yield f"line {line}: moved up", text[:there] + match[0] + rest

    return change
