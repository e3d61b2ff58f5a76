"""Random vecscopes: what check says before a run is what the run shows."""

from __future__ import annotations

import random

import pytest

from ptoscope.isa.order.memory import MEMORY_BARRIERS

from ..check.pipes import M, V, findings, kernel, load, scope, store
from .kernels import races

BODIES = 150
MADE = f"%f = arith.constant 1.0 : f32\n%w = pto.vbr %f : f32 -> {V}"
OFFSETS = ("%i0", "%i64")


class Writer:
    """One vecscope: loads, sums and stores, with a loop that carries a register."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._names = 0

    def text(self) -> str:
        lines = [MADE, *self._lines(["%w"], OFFSETS, 3)]
        index = "\n".join(
            (
                "%at = arith.muli %i, %i64 : index",
                "%next = arith.addi %at, %i64 : index",
                "%later = arith.addi %next, %i64 : index",
            )
        )
        moving = ("%at", "%next", "%later")
        carried = self._rng.random() < 0.7
        inside = [
            index,
            *self._lines(["%w", *(["%s"] if carried else [])], (*OFFSETS, *moving, *moving), 5),
        ]
        if carried:
            made = [line.split(" ")[0] for line in inside[1:] if " = " in line]
            last = self._rng.choice([*made, "%s"])
            head = f"%r = scf.for %i = %i0 to %i4 step %i1 iter_args(%s = %w) -> ({V}) {{"
            lines += [head, *inside, f"scf.yield {last} : {V}", "}"]
        else:
            lines += ["scf.for %i = %i0 to %i4 step %i1 {", *inside, "}"]
        lines += self._lines(["%w", *(["%r"] if carried else [])], OFFSETS, 2)
        return kernel(scope(*lines))

    def _lines(self, seen: list[str], offsets: tuple[str, ...], most: int) -> list[str]:
        rng, lines = self._rng, list[str]()
        for _ in range(rng.randint(1, most)):
            roll, offset = rng.random(), rng.choice(offsets)
            name = f"%v{self._names}"
            self._names += 1
            if roll < 0.35:
                lines.append(load(name, "%a", offset))
                seen.append(name)
            elif roll < 0.5:
                one, two = rng.choices(seen, k=2)
                lines.append(f"{name} = pto.vadd {one}, {two}, %m : {V}, {V}, {M} -> {V}")
                seen.append(name)
            elif roll < 0.65:
                lines.append(f'pto.mem_bar "{rng.choice(MEMORY_BARRIERS[:4])}"')
            else:
                lines.append(store(rng.choice(seen[-3:]), "%a", offset))
        return lines


def test_check_finds_what_a_run_shows() -> None:
    rng = random.Random(5)
    racing = 0
    for number in range(BODIES):
        text = Writer(rng).text()
        said = {d.line for d in findings(text) if d.code == "PTO0609"}
        shown = {race.late.line for race in races(text)}
        assert bool(said) == bool(shown), (number, said, shown, text)
        racing += bool(shown)
    assert BODIES // 5 < racing < BODIES * 4 // 5


@pytest.mark.parametrize("last", ["%i2", "%i4", "%i32"])
@pytest.mark.parametrize("barrier", ["VST_VLD", "VV_ALL", "VLD_VST", None])
def test_a_store_of_what_the_iteration_before_loaded(last: str, barrier: str | None) -> None:
    """The load of an iteration is complete before the next one's store of its data; only the
    load behind a store needs a barrier."""
    lines = [
        load("%w", "%a"),
        f"%r = scf.for %i = %i0 to {last} step %i1 iter_args(%s = %w) -> ({V}) {{",
        store("%s", "%a"),
        *([] if barrier is None else [f'pto.mem_bar "{barrier}"']),
        load("%l", "%a"),
        f"scf.yield %l : {V}",
        "}",
    ]
    text = kernel(scope(*lines))
    fits = barrier in ("VST_VLD", "VV_ALL")
    assert [d.code for d in findings(text)] == ([] if fits else ["PTO0609"])
    assert bool(races(text)) == (not fits)
