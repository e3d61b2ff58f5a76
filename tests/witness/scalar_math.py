"""Witnesses of the functions of scalars: exact numbers, or 50 decimal digits, rounded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from tests.isa import precise
from tests.isa.elements import Element
from tests.witness.inputs import main, numbers, rng, scalars, some
from tests.witness.lanewise import half_way, near
from tests.witness.machine import Case, Value
from tests.witness.registry import Inputs, State, witness
from tests.witness.use import Use


def function(name: str, formula: Callable[..., int], inputs: Inputs) -> None:
    """`formula(element, a, b, ...)` is the result."""

    @witness(f"pto.{name}", inputs=inputs)
    def result(state: State) -> list[Value]:  # pyright: ignore[reportUnusedFunction]
        values = [state.number(i) for i in range(len(state.values))]
        return [formula(state.use.operands[0], *values)]


def _hard(hard: tuple[int, ...], *spread: tuple[float, float]) -> Inputs:
    """Edges, then hard numbers and evenly spread ones between bounds."""

    def inputs(use: Use) -> Iterator[Case]:
        yield from scalars(60)(use)
        for low, high in spread if main(use) else ():
            rows = near(use.operands[0], hard, low, high)
            yield from (Case((value,)) for value in chain.from_iterable(rows[:4]))

    return inputs


def _three(use: Use) -> Iterator[Case]:
    """Edges in every place, random numbers, and products half way between two numbers."""
    e = use.operands[0]
    r = rng("three", e.name)
    for n in range(300 if main(use) else 8):
        yield Case(tuple(r.choice(numbers(e)) for _ in range(3)))
        yield Case(tuple(some(e, 1, (n, i))[0] for i in range(3)))
    if main(use):
        yield from _cancelling(e)
    if e.name == "bf16" and main(use):
        yield from (Case((a, b, addend)) for addend, a, b in half_way(e))


def _cancelling(e: Element) -> Iterator[Case]:
    """A product and nearly its negative: what one rounding keeps, two lose."""
    r = rng("cancelling", e.name)
    one = e.infinity >> 1 & e.infinity
    for _ in range(200):
        a, b = (one | r.getrandbits(e.precision - 1) for _ in range(2))
        yield Case((a, b, precise.fma(e, a, b, 0) ^ e.sign))


function("sqrt", precise.sqrt, scalars(60))
function("absf", lambda e, x: x & ~e.sign, scalars(60))
function("exp", precise.exp, _hard(precise.HARDEST_EXP, (-105, 90)))
function("log", precise.ln, _hard(precise.HARDEST_LN, (0.0, 2.0), (0.0, 60000.0)))
function("fma", precise.fma, _three)


@witness("pto.absi", inputs=scalars(60))
def _absolute(state: State) -> list[Value]:
    """Wraps at the most negative number; without a sign, nothing changes."""
    e, raw = state.use.operands[0], state.number(0)
    unsigned = state.use.site.attrs["signedness"] == "unsigned"
    return [raw if unsigned else e.wrap(abs(e.number(raw)))]
