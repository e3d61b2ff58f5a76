"""Portability: which lines keep a kernel from which target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ptoscope.diagnostics import Diagnostic


@dataclass(frozen=True)
class Obstacle:
    """One line of a file that some target refuses, with the errors by target."""

    file: str
    line: int
    source: str
    errors: Mapping[str, tuple[Diagnostic, ...]]

    @property
    def message(self) -> str:
        """What is wrong, in the words of the first target that refuses the line."""
        return next(found[0].message for found in self.errors.values() if found)

    def codes(self, target: str) -> str:
        """The codes of the errors on a target."""
        return ", ".join(dict.fromkeys(d.code for d in self.errors[target]))


def obstacles(
    by_target: Mapping[str, Sequence[Diagnostic]], strict: bool = False
) -> list[Obstacle]:
    """The lines with errors on any target, in source order. Warnings keep no kernel away but
    where one is strict."""
    wrong = ("error", "warning") if strict else ("error",)
    errors = {t: [d for d in found if d.severity in wrong] for t, found in by_target.items()}
    lines = sorted({(d.file, d.line, d.source_line) for found in errors.values() for d in found})
    return [
        Obstacle(
            file,
            line,
            source.strip(),
            {t: tuple(d for d in f if (d.file, d.line) == (file, line)) for t, f in errors.items()},
        )
        for file, line, source in lines
    ]
