"""Random programs in other spellings of the language."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from ptoscope import ir
from ptoscope.expansion import expanded
from ptoscope.isa.parts import SECTION_CUBE
from tests.fuzz.programs import Program
from tests.fuzz.spelling.facts import NAME, Facts, Line
from tests.fuzz.spelling.operations import ADDITIONS, LOCATION_ALIASES, WAYS
from tests.fuzz.spelling.record import LineSpelling, Spelling
from tests.fuzz.spelling.structure import TEXTS
from tests.fuzz.spelling.tokens import TOKENS

SPELLINGS: tuple[Spelling, ...] = (*TEXTS, *WAYS, *TOKENS, *ADDITIONS)
"""Every form of the language that random programs are rewritten into."""


@dataclass(frozen=True)
class Respelled:
    """A program built in another way, `flat` without what is opened before it runs, the same with
    its operations written otherwise, and the names of the spellings that were drawn."""

    flat: str
    built: Program
    written: Program
    drawn: frozenset[str]


def respell(program: Program) -> Respelled:
    """The spelling of a program, always the same."""
    rng = random.Random(f"spelling {program.seed}")
    drawn: set[str] = set()
    text = flat = program.text
    # Those that rewrite a whole file wrap kernels of one vector core; a cluster has its sections.
    for each in () if SECTION_CUBE in program.text else TEXTS:
        for _ in range(rng.randint(0, each.most)):
            found = each.rewrite(Facts(text, rng))
            if found is not None:
                text = _text(found)
                drawn.add(each.name)
        flat = flat if each.opened else text
    written = replace(program, text=_written(text, rng, drawn))
    return Respelled(flat, replace(program, text=text), written, frozenset(drawn))


def canonical(text: str) -> str:
    """The text as the printer writes what it means: without how it was written."""
    module = ir.parse(text)
    module.notes.clear()
    module.tokens.comments.clear()
    return ir.print_module(module)


def opened(text: str) -> str:
    """The text of what is checked and run: without calls, sections and modules."""
    program = expanded(ir.parse(text).program)
    printed = ir.print_module(ir.Module(replace(program, kernel_kind="")))
    # Constants that stand for numbers have names by all that is in the file.
    numbers: dict[str, str] = {}
    return NAME.sub(lambda m: numbers.setdefault(m[0], f"%{len(numbers)}"), printed)


def _written(text: str, rng: random.Random, drawn: set[str]) -> str:
    """The text with each operation in a spelling of its own."""
    facts = Facts(text, rng)
    rows: list[Line] = []
    leaves = 0
    for row in facts.lines:
        if row.is_leaf:
            row, leaves = _line(facts, row, leaves, drawn), leaves + 1
        rows.append(row)
    aliases = [Line("", alias) for alias in LOCATION_ALIASES] if "locations" in drawn else []
    return _text([*rows, *aliases])


def _line(facts: Facts, row: Line, at: int, drawn: set[str]) -> Line:
    rng = facts.rng
    chosen: list[LineSpelling] = [rng.choice(WAYS)] if rng.random() < 0.6 else []
    chosen += [each for each in TOKENS if rng.random() < 0.3]
    chosen += [each for each in ADDITIONS if rng.random() < 0.1]
    for each in chosen:
        code = each.rewrite(facts, row, at)
        if code is not None and code != row.code:
            row = Line(row.indent, code, row.mark)
            drawn.add(each.name)
    return row


def _text(rows: list[Line]) -> str:
    return "\n".join(map(str, rows)) + "\n"
