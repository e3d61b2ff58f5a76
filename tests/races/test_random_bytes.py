"""Random traces whose accesses are strided, scattered and overlap: what is found against a plain
reading of the rules, with bytes as sets."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from ptoscope.isa.parts import PIPE_NUMBERS
from ptoscope.isa.targets import TARGETS
from ptoscope.program import SCOPES
from ptoscope.races import cells, node_cells, pipes
from ptoscope.races.find import list_races
from ptoscope.races.race import BLOCKS_RACE, COPIES_RACE, PIPES_RACE, Race
from ptoscope.trace.places import Outline
from ptoscope.trace.trace import (
    NONE,
    SYNC_KINDS,
    UB,
    Accesses,
    Events,
    Iterations,
    Place,
    Syncs,
    Trace,
)

from ..check.pipes import G, copy_in, copy_out, kernel, load, program, scope, sets, store

SET, WAIT, BARRIER = map(SYNC_KINDS.index, ("set", "wait", "barrier"))
TRACES = 400
TEXT = program(
    kernel(
        f"%f = pto.load_scalar %x[%i0] : {G} -> f32",
        f"pto.store_scalar %f, %y[%i0] : {G}, f32",
        *(copy_in(), copy_in("%b")),
        *(copy_out(), copy_out(to="%x")),
        *(scope(load(), store()), scope(load(), store())),
        sets("MTE2", "V"),
    )
)
PLACES = Outline(TEXT.functions[0]).places
SYNC = next(p.index for p in PLACES if p.name == "pto.set_flag")
PIPES = ("PIPE_S", "PIPE_V", "PIPE_MTE2", "PIPE_MTE3")
IN_ORDER = ("PIPE_S", "PIPE_V")
ACCESSING = [p for p in PLACES if p.scope == NONE and p.name[:8] in ("pto.load", "pto.stor")]
ACCESSING += [p for p in PLACES if p.name.startswith("pto.mte_") or p.name in SCOPES]

Byte = tuple[int, int]
"""A space and an address."""


class Row(NamedTuple):
    """A row of `Accesses` but for its event."""

    space: int
    writes: bool
    atomic: int
    start: int
    length: int
    runs: int
    stride: int

    def bytes(self) -> set[Byte]:
        begins = (self.start + iteration * self.stride for iteration in range(self.runs))
        return {(self.space, at + i) for at in begins for i in range(self.length)}


ADD, MAX = 1, 9
"""Modes of updates."""
Kind = tuple[bool, int]
KINDS: tuple[Kind, ...] = ((False, 0), (True, 0), (True, ADD), (True, MAX))
"""A read, a write, and those that update."""


def conflict(one: Kind, two: Kind) -> bool:
    return (one[0] or two[0]) and (one != two or one[1] == 0)


class Node(NamedTuple):
    """What stands among the synchronisation: its event, its place, and the rows of its events."""

    event: int
    place: Place
    rows: list[tuple[int, Row]]

    def bytes(self, kind: Kind) -> set[Byte]:
        rows = [row for _, row in self.rows if (row.writes, row.atomic) == kind]
        return {b for row in rows for b in row.bytes()}


class Sync(NamedTuple):
    event: int
    kind: int
    src: str
    dst: str = ""


Block = list[Node | Sync]


def random_rows(rng: random.Random) -> list[Row]:
    """A few, so that the same ones come again."""
    rows: list[Row] = []
    for _ in range(6):
        length, count = rng.randint(1, 4), rng.choice([1, 1, 2, 5, 6])
        stride = length + rng.randint(1, 5) if count > 1 else 0
        space = rng.choice([UB, UB, 0, 1])
        writes = rng.random() < 0.5
        atomic = rng.choice([0, ADD, ADD, MAX]) if writes and space != UB else 0
        rows.append(Row(space, writes, atomic, rng.randrange(40), length, count, stride))
    return rows


def random_block(rng: random.Random, rows: list[Row], event: int) -> tuple[Block, list[int]]:
    """What a block does, and the places of its events, which begin with `event`."""
    block: Block = []
    places: list[int] = []
    signals: Counter[tuple[str, str]] = Counter()
    for _ in range(rng.randint(3, 14)):
        at = event + len(places)
        draw = rng.random()
        src, dst = rng.sample(PIPES, 2)
        if draw < 0.6:
            place = rng.choice(ACCESSING)
            inside = [p.index for p in PLACES if p.scope == place.index and "vreg" not in p.name]
            runs = [rng.choice(inside) for _ in range(rng.randint(1, 3))] if inside else []
            first = at + bool(inside)
            events = range(first, first + (len(runs) or 1))
            made = [(e, rng.choice(rows)) for e in events for _ in range(rng.randint(1, 2))]
            block.append(Node(at, place, made))
            places += [place.index, *runs]
            continue
        if draw < 0.75:
            block.append(Sync(at, SET, src, dst))
            signals[src, dst] += 1
        elif draw < 0.95 and any(signals.values()):
            pair = rng.choice([pair for pair, left in signals.items() if left])
            block.append(Sync(at, WAIT, *pair))
            signals[pair] -= 1
        else:
            block.append(Sync(at, BARRIER, rng.choice(["PIPE_ALL", "PIPE_MTE2", "PIPE_MTE3"])))
        places.append(SYNC)
    return block, places


def recorded(blocks: list[Block], places: list[list[int]]) -> Trace:
    place = np.array([p for some in places for p in some], dtype=np.int32)
    block = np.repeat(np.arange(len(places)), [len(some) for some in places]).astype(np.int32)
    nodes = [item for block in blocks for item in block if isinstance(item, Node)]
    entry = np.full(len(place), NONE, dtype=np.int32)
    scopes = np.flatnonzero([PLACES[p].name in SCOPES for p in place.tolist()])
    entry[scopes] = range(len(scopes))
    for event in range(len(place)):
        if PLACES[place[event]].scope != NONE:
            entry[event] = entry[event - 1]
    rows = [(event, *row) for node in nodes for event, row in node.rows]
    touched = np.array(rows, dtype=np.int64).reshape(-1, 8).T
    numbers = [
        (s.event, s.kind, PIPE_NUMBERS[s.src], PIPE_NUMBERS[s.dst] if s.dst else NONE)
        for block in blocks
        for s in block
        if isinstance(s, Sync)
    ]
    when, kind, src, dst = np.array(numbers, dtype=np.int32).reshape(-1, 4).T
    none = np.full(len(place), NONE, dtype=np.int32)
    kinds = (np.int32, np.int16, bool, np.int8, np.int64, np.int64, np.int32, np.int64)
    return Trace(
        TEXT.functions[0],
        len(blocks),
        PLACES,
        Events(place, block, none, entry),
        Iterations(none[:0], none[:0], none[:0]),
        Accesses(*(column.astype(dtype) for column, dtype in zip(touched, kinds, strict=True))),
        Syncs(when, kind, src, dst, when * 0, when * 0 + NONE),
    )


Pair = tuple[int, int]
Found = tuple[Counter[Pair], dict[Pair, Pair]]
"""By two places: how often they meet, and the events of the nodes that do first."""


def note(found: Found, early: Node, late: Node) -> None:
    key = early.place.index, late.place.index
    found[0][key] += 1
    found[1].setdefault(key, (early.event, late.event))


def meet(early: Node, late: Node, only_gm: bool) -> bool:
    both = {
        b
        for one, two in product(KINDS, KINDS)
        if conflict(one, two)
        for b in early.bytes(one) & late.bytes(two)
    }
    return any(space >= 0 for space, _ in both) if only_gm else bool(both)


def expected_of_pipes(block: Block, found: Found) -> None:
    """Each node meets the last one of every pipe that is not complete for it; then that one and
    those before it on its pipe count as complete."""
    issued: dict[str, list[Node]] = {pipe: [] for pipe in PIPES}
    complete: dict[str, set[int]] = {pipe: set() for pipe in PIPES}
    scalar: set[int] = set()
    signals: dict[tuple[str, str], list[set[int]]] = {}

    def events(pipe: str) -> set[int]:
        return {node.event for node in issued[pipe]}

    for item in block:
        if isinstance(item, Sync) and item.src == "PIPE_ALL":
            scalar = set[int]().union(*map(events, PIPES))
            complete["PIPE_S"] = set(scalar)
            continue
        waits = isinstance(item, Sync) and item.kind == WAIT
        pipe = item.place.pipe if isinstance(item, Node) else item.dst if waits else item.src
        # The scalar unit has done what it did itself, and has waited, when it issues this.
        complete[pipe] |= scalar | events("PIPE_S")
        if isinstance(item, Sync):
            done = complete[pipe] | events(pipe)
            if item.kind == SET:
                signals.setdefault((item.src, item.dst), []).append(done)
            elif item.kind == WAIT:
                complete[pipe] |= signals[item.src, item.dst].pop(0)
            else:
                complete[pipe] |= done
            if pipe == "PIPE_S" and item.kind == WAIT:
                scalar = set(complete[pipe])
            continue
        for other in PIPES:
            if other == pipe and pipe in IN_ORDER:
                continue
            open_ = [node for node in issued[other] if node.event not in complete[pipe]]
            met = [node for node in open_ if meet(node, item, other == pipe)]
            if met:
                note(found, met[-1], item)
                complete[pipe] |= {n.event for n in issued[other] if n.event <= met[-1].event}
        issued[pipe].append(item)


def runs_of(bytes_: set[Byte]) -> list[set[Byte]]:
    """Bytes that follow each other, apart from the others, in order."""
    runs: list[set[Byte]] = []
    for space, at in sorted(bytes_):
        if (space, at - 1) not in bytes_:
            runs.append(set())
        runs[-1].add((space, at))
    return runs


def expected_of_blocks(blocks: list[Block], found: Found) -> None:
    """Each node meets whatever node of an earlier block was the last one to read or write some
    byte of it, once."""
    last: dict[Kind, dict[Byte, Node]] = {kind: {} for kind in KINDS}
    for block in blocks:
        nodes = [item for item in block if isinstance(item, Node)]
        for node in nodes:
            met: dict[int, Node] = {}
            for writes, wrote in ((False, True), (True, True), (True, False)):
                others: dict[int, Node] = {}
                for kind, other in product(KINDS, KINDS):
                    if (kind[0], other[0]) == (writes, wrote) and conflict(kind, other):
                        table = last[other]
                        in_gm = [b for b in node.bytes(kind) if b[0] >= 0 and b in table]
                        others |= {table[b].event: table[b] for b in in_gm}
                met |= {e: n for e, n in sorted(others.items()) if e not in met}
            for early in met.values():
                note(found, early, node)
        for node in nodes:
            for kind in KINDS:
                last[kind].update(dict.fromkeys(node.bytes(kind), node))


def judge(races: list[Race], found: Found, nodes: dict[int, Node]) -> None:
    times, first = found
    keys = [(race.early.anchor.index, race.late.anchor.index) for race in races]
    assert dict(zip(keys, (race.count for race in races), strict=True)) == dict(times)
    assert len(races) == len(times)
    for key, race in zip(keys, races, strict=True):
        shared: set[Byte] | None = None
        for event, side in zip(first[key], (race.early, race.late), strict=True):
            mine = {
                b
                for e, row in nodes[event].rows
                if e == side.event and row.writes == side.writes
                for b in row.bytes()
                if b[0] == race.space
            }
            shared = mine if shared is None else shared & mine
        assert shared
        addresses = [at for _, at in shared]
        assert (race.first, race.last) == (min(addresses), max(addresses))
        assert race.runs == len(runs_of(shared))
        assert race.early.writes or race.late.writes


LIMITS: dict[str, list[tuple[object, str, int]]] = {
    "as they are": [],
    "small": [
        (cells, "_MARKED", 8),
        (cells, "_AT_ONCE", 4),
        (cells, "_LONG", 2),
        (node_cells, "_RANGES", 1),
        (node_cells, "_FEW", 1),
        (node_cells, "_KEPT", 2),
        (pipes, "_AT_ONCE", 3),
    ],
    "no slices": [(cells, "_LONG", 99), (node_cells, "_RANGES", 99)],
}


@pytest.mark.parametrize("limits", LIMITS.values(), ids=list(LIMITS))
def test_what_is_found_is_what_meets(
    limits: list[tuple[object, str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner, name, value in limits:
        monkeypatch.setattr(owner, name, value)
    rng = random.Random(5)
    seen: Counter[str] = Counter()
    for _ in range(TRACES):
        rows = random_rows(rng)
        blocks: list[Block] = []
        places: list[list[int]] = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            block, some = random_block(rng, rows, sum(map(len, places)))
            blocks.append(block)
            places.append(some)
        trace = recorded(blocks, places)
        nodes = {n.event: n for block in blocks for n in block if isinstance(n, Node)}
        inside: Found = (Counter(), {})
        between: Found = (Counter(), {})
        for block in blocks:
            expected_of_pipes(block, inside)
        expected_of_blocks(blocks, between)
        # Inside a vecscope only A5 knows races.
        races = list_races(trace, TEXT, TARGETS["a2a3"])
        judge([r for r in races if r.code != BLOCKS_RACE], inside, nodes)
        judge([r for r in races if r.code == BLOCKS_RACE], between, nodes)
        for race in races:
            one = race.early.pipe == race.late.pipe
            assert race.code in (BLOCKS_RACE, COPIES_RACE if one else PIPES_RACE)
            seen[race.code] += 1
            seen["in runs"] += race.runs > 1
            seen["again"] += race.count > 1
        seen["silent"] += not races
    # The traces have to be of all kinds for this to mean anything.
    assert min(seen.values()) >= TRACES // 10, seen
    assert len(seen) == 6
