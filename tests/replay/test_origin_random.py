"""Origins of random programs: every link holds what memory and registers held then."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import RecordedRun
from ptoscope.isa.types import Mask, Ptr
from ptoscope.replay.origin import Link, OriginChain
from ptoscope.replay.parts import MemoryBytes, ValueLane
from ptoscope.trace.recording import LaneContent
from tests.fuzz.compare import load
from tests.fuzz.programs import generate

PLACES = 6
"""Elements of each array whose origin is looked for."""


@pytest.mark.parametrize("first", range(200, 320, 10))
def test_links_are_true_to_the_run(first: int) -> None:
    moved = 0
    for seed in range(first, first + 10):
        made = generate(seed)
        run = load(made).record(*made.arguments(), grid=made.grid)
        if not len(run):
            continue
        rng = np.random.default_rng(seed)
        for number in (n for n in run.recording.spaces if n >= 0):
            space = run.recording.spaces[number]
            written = np.flatnonzero(run.memories.at(number, len(run) - 1)[0] != space.before)
            size = _element(run, number)
            places = np.unique((written if len(written) else np.arange(len(space.before))) // size)
            for place in rng.choice(places, min(PLACES, len(places)), replace=False).tolist():
                byte = place * size
                origin = run.origin(space.name, byte, size)
                for link in origin:
                    _is_true(run, origin, link, f"seed {seed}, byte {byte} of {space.name}")
                moved += sum(link.piece is not None for link in origin)
    assert moved


def _element(run: RecordedRun, position: int) -> int:
    function = run.recording.trace.function
    kind = function.types[function.params[position]]
    assert isinstance(kind, Ptr)
    return kind.dtype.bytes


def _is_true(run: RecordedRun, origin: OriginChain, link: Link, where: str) -> None:
    source = link.source
    if isinstance(source, MemoryBytes):
        memory, undefined = run.memories.at(source.space, source.step)
        part = slice(source.start, source.start + source.size)
        assert link.data == memory[part].tobytes(), where
        assert link.undefined == undefined[part].any(), where
        if link.moment is None:
            before = run.recording.spaces[source.space].before
            assert link.data == before[part].tobytes(), where
        else:
            assert link.moment.index <= source.step
            name = run.recording.spaces[source.space].name
            name = "ub" if source.space < 0 else name
            for byte in (source.start, source.start + source.size - 1):
                assert run.writer(name, byte, run[source.step]) == link.moment, where
    else:
        _is_value(run, link, source, where)
    if link.piece is not None:
        to, at, size = link.piece
        parent = origin.links[link.parent]
        assert size > 0, where
        there, here = parent.data[to : to + size], link.data[at : at + size]
        assert len(there) == len(here) == size, where
        assert there == here, (where, str(link), str(parent))


def _is_value(run: RecordedRun, link: Link, source: ValueLane, where: str) -> None:
    slot = int(run.recording.value_slots[source.number])
    content = run.recording.values[source.number]
    if link.moment is not None:
        assert slot in link.moment.place.op.results, where
        held = run.content(slot, link.moment.index)
        assert held is content, where
    if source.lane is not None and isinstance(content, LaneContent):
        kind = run.recording.trace.function.types[slot]
        step = len(content.lanes) // kind.lanes if isinstance(kind, Mask) else 1
        assert link.data == content.lanes[source.lane * step].tobytes(), where
