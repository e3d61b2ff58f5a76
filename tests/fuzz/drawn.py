"""What random programs draw of the language: forms of instructions, and other spellings."""

from __future__ import annotations

from collections.abc import Collection

from ptoscope.isa import TABLE
from ptoscope.kernel import Kernel
from tests.fuzz.spelling.respell import SPELLINGS

ENOUGH = 2000
"""So many programs draw everything."""


def form(name: str, number: int) -> str:
    return f"{name} in form {number}"


FORMS: tuple[str, ...] = tuple(
    form(record.name, number) for record in TABLE.values() for number in range(len(record.forms))
)


def forms(kernel: Kernel) -> frozenset[str]:
    """The forms of instructions that a program uses."""
    used = {(op.name, op.form) for function in kernel.program.functions for op in function.ops()}
    return frozenset(form(name, number) for name, number in used if name in TABLE)


def missing(drawn: Collection[str]) -> list[str]:
    """What was never drawn."""
    return [name for name in (*FORMS, *(s.name for s in SPELLINGS)) if name not in drawn]


def summary(drawn: Collection[str]) -> str:
    """How much was drawn, and what was not."""
    absent = missing(drawn)
    counts = {
        "forms of instructions": FORMS,
        "spellings": [spelling.name for spelling in SPELLINGS],
    }
    lines = [
        f"{sum(name not in absent for name in names)} of {len(names)} {what} drawn"
        for what, names in counts.items()
    ]
    return "\n".join([*lines, *([f"never drawn: {', '.join(absent)}"] if absent else [])])
