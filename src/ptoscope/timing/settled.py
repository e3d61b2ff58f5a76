"""What is settled of the synchronisations of a run, asked of the rules a stretch at a time, or
one by one where it depends on counts.

Loops issue the same again and again. What a stretch of synchronisations settles depends only on
them and on the state of the ledger when it begins, but for the numbers of tokens: of those equal
in both one is settled, and the others are that one with tokens as much further as were given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ptoscope.isa.order.cores import channel_of
from ptoscope.isa.order.kinds import RULES
from ptoscope.isa.order.ledger import Chain, Ledger, LedgerState, Token
from ptoscope.isa.parts import EVERY, PIPES, CoreId
from ptoscope.native.subset import Ints

_LENGTH = 64
"""Of a stretch. Of a loop with a shorter period at most so many differ."""
_RULES = [(rule, len(rule.numbers)) for rule in RULES]


class Stretch(NamedTuple):
    """What a stretch settles, in rows that begin with a position in it: who gives and who awaits
    which token (a chain and a number), and who stands behind all of which other pipe."""

    gives: Ints
    awaits: Ints
    behind: Ints


def settle(block: Ints, syncs: Ints) -> tuple[Ints, Ints]:
    """Of synchronisations in order of issue, each by the core that it belongs to, and by its kind,
    two pipes and two numbers as in a trace: who waits for whose token, and who stands behind all
    of which other pipe. Who awaits a token that nobody gives waits for nobody."""
    stretches = _Stretches()
    starts, which = stretches.cut(block, syncs)
    chains = len(stretches.chains)
    given = [np.bincount(s.gives[:, 1], minlength=chains) for s in stretches.found]
    given = np.array(given, dtype=np.int64).reshape(len(given), chains)[which]
    before = np.cumsum(given, axis=0) - given
    # Each block counts its own.
    first = np.searchsorted(block[starts], block[starts])
    before -= before[first]

    def tokens(rows: Ints, at: Ints) -> Ints:
        chain, number = rows[:, 1], rows[:, 2]
        return (first[at] * chains + chain) * (len(block) + 1) + number + before[at, chain]

    gives, by = _spread([s.gives for s in stretches.found], which)
    awaits, at = _spread([s.awaits for s in stretches.found], which)
    behind, who = _spread([s.behind for s in stretches.found], which)
    have, want = tokens(gives, by), tokens(awaits, at)
    order = np.argsort(have)
    place = np.searchsorted(have, want, sorter=order)
    good = place < len(have)
    good[good] = have[order[place[good]]] == want[good]
    giver = order[place[good]]
    waits = starts[at[good]] + awaits[good, 0], starts[by[giver]] + gives[giver, 0]
    return np.column_stack(waits), np.column_stack((starts[who] + behind[:, 0], behind[:, 1]))


def settle_counted(unit: Ints, cores: tuple[CoreId, ...], syncs: Ints) -> Ints:
    """Of synchronisations that depend on counts, also of those between the cores of a block, who
    waits for whose token. `unit` is the core of each, block after block."""
    given: dict[tuple[int, Token[int]], int] = {}
    wanted: list[tuple[int, tuple[int, Token[int]]]] = []
    ledgers: dict[int, Ledger[int]] = {}
    for at, (one, (kind, src, dst, *numbers)) in enumerate(
        zip(unit.tolist(), syncs.tolist(), strict=True)
    ):
        rule, count = _RULES[kind]
        core = cores[one % len(cores)]
        ledger = ledgers.setdefault(one, Ledger(range(len(PIPES)), EVERY, core=core))
        ticket = rule.settle(ledger, src, dst, tuple(numbers[:count]))

        def among(token: Token[int], one: int = one) -> tuple[int, Token[int]]:
            """Signals between cores belong to the block, what else there is to one core."""
            shared = channel_of(token) is not None
            return (-1 - one // len(cores) if shared else one), token

        if ticket.gives is not None:
            given[among(ticket.gives)] = at
        wanted += [(at, among(token)) for token in ticket.awaits]
    return _table([(at, given[token]) for at, token in wanted if token in given], 2)


class _Stretches:
    """Stretches that differ in what they settle."""

    def __init__(self) -> None:
        self.found: list[Stretch] = []
        self.chains: dict[Chain[int], int] = {}
        self._states: dict[LedgerState[int], int] = {((), (), ()): 0}
        self._known: dict[tuple[int, bytes], tuple[int, int]] = {}
        """By the state before and the synchronisations: which one, and the state after."""

    def cut(self, block: Ints, syncs: Ints) -> tuple[Ints, Ints]:
        """Cuts the synchronisations of each block in stretches: where they start, and which."""
        starts: list[int] = []
        which: list[int] = []
        begins = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        data, width = memoryview(syncs.tobytes()), syncs[:1].nbytes
        for begin, end in zip(begins, [*begins, len(block)][1:], strict=True):
            state = 0
            for start in range(begin, end, _LENGTH):
                stop = min(start + _LENGTH, end)
                key = state, data[start * width : stop * width].tobytes()
                if key not in self._known:
                    self._known[key] = self._settle(state, syncs[start:stop])
                one, state = self._known[key]
                starts.append(start)
                which.append(one)
        return np.array(starts, dtype=np.int64), np.array(which, dtype=np.int64)

    def _settle(self, state: int, syncs: Ints) -> tuple[int, int]:
        ledger = Ledger(range(len(PIPES)), EVERY, list(self._states)[state])
        gives: list[tuple[int, int, int]] = []
        awaits: list[tuple[int, int, int]] = []
        behind: list[tuple[int, int]] = []
        for at, (kind, src, dst, *numbers) in enumerate(syncs.tolist()):
            rule, count = _RULES[kind]
            ticket = rule.settle(ledger, src, dst, tuple(numbers[:count]))
            if ticket.gives is not None:
                gives.append((at, *self._token(*ticket.gives)))
            awaits += [(at, *self._token(*token)) for token in ticket.awaits]
            behind += [(at, pipe) for pipe in ticket.behind if pipe != ticket.pipe]
        self.found.append(Stretch(_table(gives, 3), _table(awaits, 3), _table(behind, 2)))
        after = self._states.setdefault(ledger.state(), len(self._states))
        return len(self.found) - 1, after

    def _token(self, chain: Chain[int], number: int) -> tuple[int, int]:
        return self.chains.setdefault(chain, len(self.chains)), number


def _spread(tables: list[Ints], which: Ints) -> tuple[Ints, Ints]:
    """The rows of the tables that are named, one after the other, and whose row each is."""
    if not tables:
        return _table([], 3), which
    size = np.array([len(table) for table in tables])
    first = np.cumsum(size) - size
    size, first = size[which], first[which]
    at = np.repeat(np.arange(len(which)), size)
    begin = np.cumsum(size) - size
    return np.concatenate(tables)[np.arange(len(at)) - begin[at] + first[at]], at


def _table(rows: list[tuple[int, ...]] | list[tuple[int, int, int]], width: int) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, width)
