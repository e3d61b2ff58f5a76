"""What is wrong with how a program in another spelling is read, printed and run."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope import ir
from tests.fuzz.compare import Outcome, differing, load, mistake, outcome
from tests.fuzz.programs import Program
from tests.fuzz.spelling.respell import Respelled, canonical, opened


def misread(program: Respelled) -> str | None:
    """Where the text means something else than the one it spells, or a printer writes it so that
    it is read as another."""
    written = program.written.text
    if opened(program.built.text) != opened(program.flat):
        return _report(program.built, "it is opened to another program", program.flat)
    wanted = canonical(program.built.text)
    if canonical(written) != wanted:
        return _report(program.written, "it is read as another program", program.built.text)
    module = ir.parse(written)
    for level in ir.LEVELS:
        if canonical(ir.print_module(module, level=level)) != wanted:
            return _report(program.written, f"it is printed as another program in level {level}")
    if canonical(ir.print_module(module, generic=True)) != wanted:
        return _report(program.written, "it is printed as another program in generic form")
    return None


def misrun(program: Program, engines: Sequence[str], wanted: Outcome) -> str | None:
    """Where engines run the text otherwise than what it spells, of which the outcome is given."""
    kernel = load(program)
    done = outcome(program, engines[0], kernel)
    wrong = mistake(program, done)
    if wrong is None and done.arrays != wanted.arrays:
        wrong = f"{engines[0]} gives other arrays"
    if wrong is not None:
        return _report(program, wrong)
    return differing(program, engines, kernel, done)


def _report(program: Program, wrong: str, *texts: str) -> str:
    return "\n".join((f"seed {program.seed} in another spelling: {wrong}", program.text, *texts))
