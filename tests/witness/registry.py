"""The registry: what each instruction does, said a second time and independently.

A formula gets a `State`, changes its memory and registers as the documents say, and returns
the results. `witness("pto.x", inputs=...)` makes it the witness of an instruction; where an
effect shows only in a kernel, `program` does. Formulas take nothing from the code they judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from ptoscope.isa.record import Record
from tests.witness.machine import (
    GM_BYTES,
    UB_BYTES,
    Case,
    Covered,
    LoadState,
    Outcome,
    StoreState,
    Value,
    observe,
)
from tests.witness.use import Use, uses


@dataclass
class State:
    """What a formula works on."""

    use: Use
    values: tuple[Value, ...]
    ub: bytearray
    gm: bytearray
    registers: dict[str, int]
    counters: tuple[int, ...] = ()
    covered: list[Covered] = field(default_factory=list[Covered])
    """What the instruction has to say of the UB that it goes through, in order."""
    printed: list[str] = field(default_factory=list[str])
    chip: dict[str, bytearray] = field(default_factory=dict[str, bytearray])
    """What else is on the chip, by the names of `Case.chip`."""

    def row(self, i: int) -> list[int]:
        """The lanes of a vector operand, or the bits of a mask."""
        value = self.values[i]
        assert isinstance(value, list)
        return value

    def number(self, i: int) -> int:
        """The raw bits of a scalar operand, or an address."""
        value = self.values[i]
        assert isinstance(value, int)
        return value

    def stream(self, i: int) -> StoreState:
        """The state of a store stream; another is refused."""
        value = self.values[i]
        if isinstance(value, LoadState):
            raise Refused("PTO0912")
        assert isinstance(value, StoreState)
        return value


class Refused(Exception):
    """Raised by a formula where the instruction has to fault; names the code, and the number that
    it found where that is none of its operands."""

    def __init__(self, code: str, *found: int) -> None:
        super().__init__(code)
        self.found = found


Formula = Callable[[State], "list[Value] | None"]
Inputs = Callable[[Use], Iterable[Case]]
Variants = Callable[[Use], Iterable[Use]]


@dataclass(frozen=True)
class Trial:
    """One run of an instruction, or of a kernel around it, that says how it differs."""

    label: str
    run: Callable[[Record], str]
    use: Use | None = None
    """What is run by itself, without a kernel."""
    known: Callable[[], list[tuple[Case, Outcome]]] = list
    """Its inputs, and what it has to do with each."""


Trials = Callable[[Record], Iterator[Trial]]
WITNESSES: dict[str, Trials] = {}


def witness(
    *names: str,
    inputs: Inputs,
    variants: Variants = lambda use: (use,),
    of: Callable[[Record], Iterator[Use]] = uses,
    also: Trials = lambda record: iter(()),
) -> Callable[[Formula], Formula]:
    """Makes a formula the witness of instructions, on inputs made for each use; `of` gives those
    where clauses go with words, so that not all of them can stand together.

    `variants` gives the uses to try in place of one that the record's types allow: none where
    a rule beyond the types forbids it, several where it leaves something open. `also` gives
    kernels for what shows only there.
    """

    def register(formula: Formula) -> Formula:
        def trials(record: Record) -> Iterator[Trial]:
            for each in of(record):
                for use in variants(each):
                    yield _trial(use, formula, inputs)
            yield from also(record)

        for name in names:
            _add(name, trials)
        return formula

    return register


def program(*names: str) -> Callable[[Trials], Trials]:
    """Makes kernels the witness of instructions: a function from a record to its trials."""

    def register(trials: Trials) -> Trials:
        for name in names:
            _add(name, trials)
        return trials

    return register


def without_witness(table: Mapping[str, Record]) -> list[str]:
    """The instructions whose meaning nothing independent states."""
    return [name for name in table if name not in WITNESSES]


def judged(record: Record) -> str:
    """What the witness of a record says against it; empty where it agrees."""
    tried = 0
    for trial in WITNESSES[record.name](record):
        tried += 1
        said = trial.run(record)
        if said:
            return f"{record.name}: {trial.label}: {said}"
    return "" if tried else f"{record.name}: its witness tries nothing"


def _add(name: str, trials: Trials) -> None:
    assert name not in WITNESSES, f"{name} has two witnesses"
    WITNESSES[name] = trials


def _trial(use: Use, formula: Formula, inputs: Inputs) -> Trial:
    @cache
    def known() -> list[tuple[Case, Outcome]]:
        found = [(case, _expected(use, formula, case)) for case in inputs(use)]
        assert found, f"{use} has no inputs"
        return found

    def run(record: Record) -> str:
        site = replace(use.site, record=record)
        for number, (case, expected) in enumerate(known()):
            try:
                found = observe(site, case, tuple(expected.registers))
            except Exception as error:
                return f"case {number}: {type(error).__name__}: {error}"
            said = found.differs(expected)
            if said:
                return f"case {number}: {said}"
        return ""

    return Trial(str(use), run, use, known)


def _expected(use: Use, formula: Formula, case: Case) -> Outcome:
    ub, gm = case.ub or bytes(UB_BYTES), case.gm or bytes(GM_BYTES)
    chip = {name: bytearray(data) for name, data in case.chip.items()}
    registers, counters = dict(case.registers), case.counters
    state = State(use, case.values, bytearray(ub), bytearray(gm), registers, counters, chip=chip)
    try:
        results = formula(state)
    except Refused as refused:
        numbers = (value for value in case.values if isinstance(value, int))
        return Outcome(fault=str(refused), given=frozenset((*numbers, *refused.found)))
    ub, gm = bytes(state.ub), bytes(state.gm)
    left = {name: bytes(data) for name, data in state.chip.items()}
    said = {"covered": state.covered, "printed": state.printed}
    return Outcome(results or [], ub, gm, state.registers, **said, chip=left)
