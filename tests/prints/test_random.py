"""Random programs with random requests: who looks changes nothing, both engines print the same, and
it is what a recorded run holds."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from ptoscope import PtoError
from ptoscope.isa.types import Align, Mask, Scalar, Type, VReg
from ptoscope.kernel import Kernel
from ptoscope.machine.prints import Printed
from ptoscope.replay.moment import Moment
from ptoscope.timing import time_trace
from ptoscope.tracing import trace
from tests.engines import assert_same_columns
from tests.fuzz.compare import load, outcome
from tests.fuzz.programs import Program, generate
from tests.isa import exact
from tests.isa.elements import NARROW
from tests.prints.drawn import draw_requests

REQUESTS = 10


def drawn(seed: int) -> tuple[Program, Kernel, list[str]]:
    program = generate(seed)
    kernel = load(program)
    return program, kernel, draw_requests(kernel, random.Random(seed), REQUESTS)


def said(kernel: Kernel) -> list[dict[str, object]]:
    return [one.as_json() for one in kernel.printed]


@pytest.mark.parametrize("first", range(0, 20, 5))
def test_who_looks_changes_nothing(first: int) -> None:
    total = 0
    for seed in range(first, first + 5):
        program, kernel, requests = drawn(seed)
        looking = kernel.printing(requests)
        heard: list[Any] = []
        for engine in ("reference", "native"):
            plain = outcome(program, engine, kernel)
            own = said(kernel)
            warned = kernel.warnings
            seen = outcome(program, engine, looking)
            assert (seen.arrays, seen.diagnostics) == (plain.arrays, plain.diagnostics), seed
            assert looking.warnings == warned, seed
            assert [one for one in said(looking) if not one["asked"]] == own, seed
            heard.append(said(looking))
            recorded, other = (
                trace(one, program.arguments(), program.grid, engine=engine)
                for one in (kernel, looking)
            )
            assert_same_columns(other, recorded)
            if recorded.error is None and kernel.target.name != "cpu":
                cycles, others = (
                    time_trace(run, kernel.program, kernel.target).schedule
                    for run in (recorded, other)
                )
                assert cycles.total == others.total
        assert repr(heard[0]) == repr(heard[1]), seed
        total += len(heard[0])
    assert total > 50


@pytest.mark.parametrize("first", range(200, 240, 20))
def test_what_is_printed_is_what_a_recorded_run_holds(first: int) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(first, first + 20):
        program, kernel, requests = drawn(seed)
        try:
            kernel(*program.arguments(), grid=program.grid, engine="reference", print=requests)
        except PtoError:
            assert not program.legal
        run = kernel.record(*program.arguments(), grid=program.grid)
        times: Counter[tuple[str, int]] = Counter()
        for one in kernel.printed:
            if not one.asked:
                continue
            line, what = one.asked.split(":", 1)
            moment = run.at(int(line), times[one.asked, one.block], one.block)
            times[one.asked, one.block] += 1
            if moment.place.record is not None and moment.place.record.order is not None:
                # What it has let go on has been executed before anybody looks.
                continue
            assert one.iterations == iterations(moment), (seed, one)
            kinds[check(one, what, moment)] += 1
    assert set(kinds) >= {"value", "mask", "memory", "flags"}


def iterations(moment: Moment) -> tuple[str, ...]:
    trace = moment.run.recording.trace
    around = trace.iteration(int(trace.events.iteration[moment.event]))
    return tuple(
        f"{name} = {value}" if name.startswith("%") else f"iteration {value} of {name}"
        for name, value in around
    )


def check(one: Printed, what: str, moment: Moment) -> str:
    """Compares a print with the moment; what kind of thing it is."""
    if what == "flags":
        flags = [n if c == 1 else f"{n} x{c}" for n, c in moment.signals.flags.items()]
        assert f"set: {', '.join(flags) or 'none'};" in one.text, (one, moment)
        return "flags"
    if ":" in what:
        space, places, *kind = what.split(":")
        begin, end = (int(place, 0) for place in places.split(".."))
        dtype = {"f32": "f4", "i16": "i2", "ui8": "u1"}[kind[0]] if kind else "u1"
        same(one.values, moment.memory(space, dtype, begin, end), one)
        return "memory"
    value, kind = moment[what], moment.type_of(what)
    if isinstance(kind, Align):
        assert list(one.values) == list(value.held)
        return "stream"
    same(one.values, numbers(kind, np.atleast_1d(value)), one)
    return "mask" if isinstance(kind, Mask) else "value"


def numbers(kind: Type, held: Any) -> Any:
    """What the bits of narrow floats stand for; other numbers as they are."""
    name = kind.dtype.name if isinstance(kind, (VReg, Scalar)) else ""
    if name not in ("bf16", *NARROW):
        return held
    bits = held.view(f"u{held.itemsize}")
    codes = [part for byte in bits for part in (byte & 15, byte >> 4)] if "f4" in name else bits
    return exact.numbers(name)[np.array(codes)]


def same(printed: tuple[int | float, ...], held: Any, one: Printed) -> None:
    expected = [x.item() for x in held]
    assert repr([float(x) for x in printed]) == repr([float(x) for x in expected]), one
