"""Accesses of a vecscope that meet in some iterations of its loops only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .pipes import V, codes, findings, kernel, load, loop, scope, store

WORD = "arith.constant {} : index"


def made(count: int) -> list[str]:
    """Vectors %w0, %w1, ... that differ."""
    return [
        f"%f{i} = arith.constant {i}.0 : f32\n%w{i} = pto.vbr %f{i} : f32 -> {V}"
        for i in range(count)
    ]


def at(name: str, start: int, *steps: int) -> str:
    """An offset %name of `start` elements and so many for each iteration of %i0_ and %i1_."""
    lines = [f"%{name}s = " + WORD.format(start), f"%{name}0 = arith.addi %{name}s, %i0 : index"]
    for depth, step in enumerate(steps):
        lines += [
            f"%{name}k{depth} = " + WORD.format(step),
            f"%{name}p{depth} = arith.muli %it{depth}, %{name}k{depth} : index",
            f"%{name}{depth + 1} = arith.addi %{name}{depth}, %{name}p{depth} : index",
        ]
    return "\n".join([*lines, f"%{name} = arith.addi %{name}{len(steps)}, %i0 : index"])


def nested(trips: tuple[int, ...], *lines: str) -> str:
    """Loops with the indices %it0, %it1 around some lines."""
    for depth, count in reversed(list(enumerate(trips))):
        inner = loop(*lines, to=f"%end{depth}", index=f"%it{depth}")
        lines = (f"%end{depth} = " + WORD.format(count), inner)
    return "\n".join(lines)


@pytest.mark.parametrize("apart", [1, 2, 5, 13, 15, 16])
@pytest.mark.parametrize("barrier", [False, True])
def test_iterations_that_are_apart(apart: int, barrier: bool) -> None:
    """Iteration i stores what iteration i + apart loads, out of 16."""
    bar = ['pto.mem_bar "VST_VLD"'] * barrier
    body = nested(
        (16,), at("from", 0, 64), load("%u", "%a", "%from"), at("into", 64 * apart, 64),
        store("%w0", "%a", "%into"), *bar,
    )  # fmt: skip
    expected = [] if barrier or apart == 16 else ["PTO0609"]
    assert codes(kernel(scope(*made(1), body))) == expected


@pytest.mark.parametrize("meets", [4, 5, 9, 11])
def test_places_that_cross(meets: int) -> None:
    """One goes up, the other down: they meet once, in the middle or between two iterations."""
    body = nested(
        (10,), at("into", 0, 64), store("%w0", "%b", "%into"),
        at("from", 64 * meets, -64), load("%u", "%b", "%from"),
    )  # fmt: skip
    assert codes(kernel(scope(*made(1), body))) == ["PTO0609"]


@pytest.mark.parametrize(("iteration", "expected"), [("%i2", []), ("%i4", ["PTO0609"])])
def test_the_iteration_with_the_barrier_counts(iteration: str, expected: list[str]) -> None:
    """A store before the loop, a load of it in iteration 3, a barrier in one of them."""
    bar = f"%now = arith.cmpi eq, %it0, {iteration} : index\n"
    bar += 'scf.if %now {\npto.mem_bar "VST_VLD"\n}'
    body = nested((9,), bar, at("from", 0, 64), load("%u", "%b", "%from"))
    early = [at("early", 64 * 3), store("%w0", "%b", "%early")]
    assert codes(kernel(scope(*made(1), *early, body))) == expected


def test_what_is_too_much_is_said() -> None:
    body = nested(
        (300, 300), at("into", 0, 1, 1), store("%w0", "%a", "%into"), load("%u", "%a", "%into")
    )
    notes = [d for d in findings(kernel(scope(*made(1), body))) if d.severity == "note"]
    assert [d.code for d in notes] == ["PTO0610"]
    assert "first two iterations and the last" in notes[0].found


@pytest.mark.parametrize("trips", [3, 10**7])
def test_places_that_all_iterations_share_are_looked_at_once(trips: int) -> None:
    """However many iterations there are: all are seen, and none is left to a note. Later rounds
    of the outer loop store the same again."""
    body = nested(
        (trips, 4), at("from", 0, 0, 64), load("%u", "%a", "%from"),
        at("into", 64, 0, 64), store("%w0", "%a", "%into"),
    )  # fmt: skip
    assert codes(kernel(scope(*made(1), body))) == ["PTO0609"]


@pytest.mark.parametrize("step", [0, 64])
@pytest.mark.parametrize("barrier", [False, True])
def test_more_iterations_than_a_machine_word_counts(step: int, barrier: bool) -> None:
    bar = f"%now = arith.cmpi eq, %it0, %i4 : index\nscf.if %now {{\n{'pto.mem_bar'}"
    bar += ' "VST_VLD"\n}'
    body = nested(
        (2**63 - 1,), "%it1 = arith.addi %it0, %it0 : index", *[bar] * barrier,
        at("into", 0, step), store("%w0", "%a", "%into"), load("%u", "%a", "%into"),
    ).replace("scf.for %it0 = %i0 to", "scf.for %it0 = %low to")  # fmt: skip
    low = "%low = " + WORD.format(-(2**62))
    found = findings(kernel(scope(low, *made(1), body)))
    assert "PTO0609" in {d.code for d in found}


def test_one_finding_for_what_one_barrier_orders() -> None:
    """Loads and stores in turn, each of bytes that all those before touch, too."""
    lines = made(1)
    for i in range(60):
        lines.append(at(f"o{i}_", i))
        lines.append(store("%w0", "%b", f"%o{i}_") if i % 2 else load(f"%u{i}", "%b", f"%o{i}_"))
    found = [d for d in findings(kernel(scope(*lines))) if d.code == "PTO0609"]
    # A store needs VLD_VST before it and VST_VST, which is not the load's affair.
    assert 59 <= len(found) <= 2 * 59


@pytest.mark.parametrize(("apart", "said"), [(1, "in the iteration before"), (3, "3 iterations")])
def test_the_distance_is_said(apart: int, said: str) -> None:
    body = nested(
        (8,), at("from", 0, 64), load("%u", "%b", "%from"),
        at("into", 64 * apart, 64), store("%w0", "%b", "%into"),
    )  # fmt: skip
    (hazard,) = findings(kernel(scope(*made(1), body)))
    assert said in hazard.message


@dataclass
class Access:
    """Of 64 elements from `start` on, `steps` further in each iteration of the loops."""

    writes: bool
    start: int
    steps: tuple[int, ...]


accesses = st.builds(
    Access,
    st.booleans(),
    st.integers(0, 24).map(lambda n: 1024 + 64 * n),
    st.tuples(*[st.sampled_from([0, 32, 64, 128, 192, -64, -96])] * 2),
)


@settings(max_examples=150, deadline=None)
@given(st.tuples(st.integers(1, 9), st.integers(1, 5)), st.lists(accesses, min_size=2, max_size=4))
def test_a_hazard_is_found_just_where_two_accesses_meet(
    trips: tuple[int, int], body: list[Access]
) -> None:
    """Against all iterations of all instructions, compared one with the other."""
    executed = [
        (number, access.writes, access.start + i * access.steps[0] + j * access.steps[1])
        for i, j in product(range(trips[0]), range(trips[1]))
        for number, access in enumerate(body)
    ]
    meet = any(
        (wrote or writes) and one != two and abs(a - b) < 64
        for one, wrote, a in executed
        for two, writes, b in executed
    )
    lines: list[str] = []
    for number, access in enumerate(body):
        lines.append(at(f"x{number}_", access.start, *access.steps))
        lines.append(
            store(f"%w{number}", "%a", f"%x{number}_")
            if access.writes
            else load(f"%u{number}", "%a", f"%x{number}_")
        )
    found = codes(kernel(scope(*made(len(body)), nested(trips, *lines))))
    assert ("PTO0609" in found) == meet
