"""What the shadow calls defined does not change when what is undefined does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ptoscope import PtoError
from ptoscope.isa.dtypes import BF16, F16, F32, I1, I8, I16, I32, UI8, UI16, UI32, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.kernel import Kernel
from ptoscope.machine.elements import quietly, storage
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.shadow import Observation, observe, run_shadow
from ptoscope.machine.shadow.findings import REACHES_ADDRESS, REACHES_BRANCH
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.origins import Origin, Origins
from ptoscope.machine.shadow.rules import word
from tests.fuzz.compare import load, outcome
from tests.fuzz.data import Array
from tests.fuzz.programs import Program, generate
from tests.test_examples import NAMES, SIZES, main_of

BYTES = 64
TYPES = (I8, UI8, I16, UI16, I32, UI32, F16, BF16, F32)


def _row(rng: np.random.Generator, dtype: DType) -> Any:
    return np.frombuffer(rng.bytes(BYTES), storage(dtype))


class LaneProgram:
    """A random program over rows of lanes: it draws the same steps every time it is run."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        rng = np.random.default_rng(seed)
        self.types = [TYPES[rng.integers(len(TYPES))] for _ in range(4)]
        self.rows = [_row(rng, dtype) for dtype in self.types]
        # Whole bytes, single bits, and rows without any.
        self.undefined = [
            np.frombuffer(rng.bytes(BYTES), np.uint8)
            * np.frombuffer(rng.bytes(BYTES), np.uint8).astype(bool)
            * (rng.random(BYTES) < rng.choice((0.0, 0.1, 0.4)))
            for _ in self.types
        ]

    def inputs(self, fill: int) -> list[Any]:
        """The rows, with other numbers in their undefined bits."""
        rng = np.random.default_rng((self._seed, fill))
        filled: list[Any] = []
        for row, undefined in zip(self.rows, self.undefined, strict=True):
            noise = np.frombuffer(rng.bytes(BYTES), np.uint8)
            bits = (row.view(np.uint8) & ~undefined) | (noise & undefined)
            filled.append(bits.astype(np.uint8).view(row.dtype))
        return filled

    def run(self, pool: list[Lanes]) -> list[Lanes]:
        """All rows after a number of steps; a step takes rows of one type and count."""
        rng = np.random.default_rng((self._seed, 99))
        for _ in range(25):
            lanes = pool[int(rng.integers(len(pool)))]
            alike = [x for x in pool if x.dtype is lanes.dtype and x.count == lanes.count]
            other = alike[int(rng.integers(len(alike)))]
            masks = [x for x in pool if x.dtype is I1 and x.count == lanes.count]
            pool.append(self._step(rng, lanes, other, masks))
        return pool

    def _step(self, rng: np.random.Generator, x: Lanes, y: Lanes, masks: list[Lanes]) -> Lanes:
        steps: list[Callable[[], Lanes]] = [
            lambda: x.shuffle(tuple(int(i) for i in rng.integers(-1, x.count, x.count))),
            lambda: x.shuffle(tuple(int(i) for i in rng.integers(-1, 2 * x.count, x.count)), y),
            lambda: x & y,
            lambda: x | y,
            lambda: x ^ y,
            lambda: x.eq(y),
            lambda: x < y,
        ]
        if x.dtype is not I1:
            kind = TYPES[int(rng.integers(len(TYPES)))]
            steps += [
                lambda: x + y,
                lambda: x - y,
                lambda: x * y,
                lambda: x.abs(),
                lambda: x.maximum(y),
                lambda: x.bits(kind),
                lambda: x.bits(UI8).bits(x.dtype),
            ]
        if x.dtype.is_int and x.dtype is not I1:
            low = x.as_unsigned() & (x.count - 1)
            kind = TYPES[int(rng.integers(len(TYPES)))]
            steps += [
                lambda: x << int(rng.integers(0, 9)),
                lambda: x >> int(rng.integers(0, 9)),
                lambda: x >> y,
                lambda: y.take(low),
                lambda: x.cast(kind),
                lambda: (x & 1).ne(0),
            ]
        elif x.dtype.is_float:
            steps += [lambda: x / y, lambda: x.sqrt(), lambda: x.cast(F32), lambda: x.cast(F16)]
        if masks:
            mask = masks[int(rng.integers(len(masks)))]
            steps += [lambda: mask.select(x, y), lambda: x.masked(mask), lambda: x.squeeze(mask)]
            steps += [lambda: mask.select(x, y)] * 3
        return steps[int(rng.integers(len(steps)))]()


def _bits(lanes: Lanes) -> Any:
    assert isinstance(lanes, NumpyLanes)
    return np.ascontiguousarray(lanes.a).view(word(lanes.dtype))


@pytest.mark.parametrize("seed", range(60))
def test_lane_programs(seed: int) -> None:
    program = LaneProgram(seed)
    book = Origins()
    book.event(Origin("never written", "UB"))
    with quietly():
        said: list[Lanes] = program.run(
            [
                ShadowLanes(a, d, len(a), book, v.view(word(d)), np.zeros(len(a), np.int64))
                for a, d, v in zip(program.inputs(0), program.types, program.undefined, strict=True)
            ]
        )
        for fill in range(6):
            pairs = zip(program.inputs(fill), program.types, strict=True)
            plain = program.run([NumpyLanes(a, d, len(a)) for a, d in pairs])
            for at, (shadow, row) in enumerate(zip(said, plain, strict=True)):
                assert isinstance(shadow, ShadowLanes)
                changed = _bits(shadow) ^ _bits(row)
                assert (changed & ~shadow.undefined() == 0).all(), at
                assert fill or not changed.any()


SEEDS = (*range(40), 671, 860)


def _observed(program: Program, kernel: Kernel, garbage: int | None) -> tuple[Observation, Any]:
    arguments = program.arguments()
    return observe(kernel, arguments, program.grid, garbage=garbage), arguments


def _arrays(program: Program, arguments: Any) -> dict[int, Any]:
    return {
        at: np.ascontiguousarray(arguments[at]).reshape(-1).view(np.uint8)
        for at, parameter in enumerate(program.parameters)
        if isinstance(parameter, Array)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernels(seed: int) -> None:
    """As without a shadow, to the bit and to the fault; and other garbage in UB, in inactive
    lanes and in what streams hold back changes no bit that is called defined."""
    program = generate(seed)
    kernel = load(program)
    normal = outcome(program, "reference", kernel)
    if normal.diagnostics:
        with pytest.raises(PtoError) as again:
            _observed(program, kernel, None)
        assert again.value.diagnostics[-1].as_json() == normal.diagnostics[0]
        return
    seen, arguments = _observed(program, kernel, None)
    arrays = _arrays(program, arguments)
    assert [a.tobytes() for a in arrays.values()] == [content for _, content in normal.arrays]
    if {d.code for d in seen.findings} & {REACHES_ADDRESS, REACHES_BRANCH}:
        return  # Where it goes and what it does is undefined; that was said.
    (one, first), (two, second) = (_observed(program, kernel, garbage) for garbage in (1, 2))
    for at, array in _arrays(program, first).items():
        changed = array ^ _arrays(program, second)[at]
        assert (changed & ~one.undefined[at] == 0).all()
        assert (changed & ~two.undefined[at] == 0).all()


def test_most_of_what_is_called_undefined_does_change() -> None:
    """Of a byte with eight undefined bits one in 256 comes out the same by chance. Programs with
    atomic stores are left out: a sum with a large float is the same for many small ones, and a
    minimum for many large ones."""
    undefined = differing = 0
    for seed in range(0, 60, 4):
        program = generate(seed)
        if not program.legal or "pto.set_atomic" in program.text:
            continue
        kernel = load(program)
        (one, first), (_, second) = (_observed(program, kernel, garbage) for garbage in (1, 2))
        for at, array in _arrays(program, first).items():
            undefined += np.count_nonzero(one.undefined[at])
            differing += np.count_nonzero(array ^ _arrays(program, second)[at])
    assert undefined > 10_000
    assert differing > 0.98 * undefined


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_silent(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the inputs of their scripts, which also find the results right."""
    found: list[Any] = []

    def call(kernel: Kernel, *arguments: Any, grid: int = 1) -> None:
        found.extend(run_shadow(kernel, arguments, grid))

    monkeypatch.setattr(Kernel, "__call__", call)
    for sizes in SIZES[name]:
        if max(sizes) < 5000:
            assert main_of(name)(*sizes, target="a5") == 0
            assert found == []
