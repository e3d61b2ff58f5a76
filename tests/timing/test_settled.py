"""Stretches of synchronisations that repeat: the same as each of them settled one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ptoscope.isa.order.kinds import RULES
from ptoscope.isa.order.ledger import Ledger, Token
from ptoscope.isa.parts import EVERY, PIPES
from ptoscope.timing.settled import settle

Sync = tuple[int, int, int, int, int]


def _loops(rng: random.Random, count: int) -> list[Sync]:
    """Short bodies, repeated: sets and waits of few flags, buffers that several pipes hold."""
    found: list[Sync] = []
    while len(found) < count:
        body: list[Sync] = []
        for _ in range(rng.randint(1, 9)):
            kind, pipe = rng.randrange(len(RULES)), rng.randrange(4)
            if RULES[kind].account == "set":
                body.append((kind, pipe % 3, rng.randrange(3), rng.randrange(2), 0))
            elif RULES[kind].account == "buffer":
                body.append((kind, pipe, -1, rng.randrange(3), rng.randrange(2)))
            else:
                body.append((kind, rng.choice((pipe, EVERY)), -1, 0, 0))
        found += body * rng.choice((1, 3, 40, 100))
    return found[:count]


def _one_by_one(blocks: list[list[Sync]]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    tokens: set[tuple[int, int]] = set()
    places: set[tuple[int, int]] = set()
    at = 0
    for syncs in blocks:
        ledger = Ledger(range(len(PIPES)), EVERY)
        given: dict[Token[int], int] = {}
        awaited: list[tuple[int, Token[int]]] = []
        for kind, src, dst, *numbers in syncs:
            rule = RULES[kind]
            ticket = rule.settle(ledger, src, dst, tuple(numbers[: len(rule.numbers)]))
            if ticket.gives is not None:
                given[ticket.gives] = at
            awaited += [(at, token) for token in ticket.awaits]
            places |= {(at, pipe) for pipe in ticket.behind if pipe != ticket.pipe}
            at += 1
        tokens |= {(who, given[token]) for who, token in awaited if token in given}
    return tokens, places


@pytest.mark.parametrize("seed", range(20))
def test_of_loops_as_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    same = _loops(rng, 700)
    blocks = [rng.choice((same, _loops(rng, rng.randrange(700)))) for _ in range(3)]
    block = np.repeat(range(len(blocks)), [len(syncs) for syncs in blocks])
    tokens, places = settle(block, np.array([s for b in blocks for s in b], dtype=np.int64))
    expected = _one_by_one(blocks)
    assert (set(map(tuple, tokens.tolist())), set(map(tuple, places.tolist()))) == expected
    assert (len(tokens), len(places)) == tuple(map(len, expected))


def test_of_nothing() -> None:
    tokens, places = settle(np.zeros(0, dtype=np.int64), np.zeros((0, 5), dtype=np.int64))
    assert tokens.shape == places.shape == (0, 2)


def test_sets_that_nobody_awaits_yet_stay_ahead_of_later_waits() -> None:
    """Three sets before a long loop of waits and sets: the n-th wait still has the n-th set."""
    count = 200
    syncs = [(0, 1, 2, 0, 0)] * 3 + [(1, 1, 2, 0, 0), (0, 1, 2, 0, 0)] * count
    tokens, _ = settle(np.zeros(len(syncs), dtype=np.int64), np.array(syncs, dtype=np.int64))
    sets = [i for i, sync in enumerate(syncs) if sync[0] == 0]
    waits = [i for i, sync in enumerate(syncs) if sync[0] == 1]
    assert tokens.tolist() == [list(pair) for pair in zip(waits, sets, strict=False)]
