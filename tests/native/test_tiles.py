"""Tiles and products of the native engine: what the reference engine's tests demand, and on random
ones the same bytes and the same faults as the reference engine, in all memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope.isa import atomics
from ptoscope.isa.copies import BurstLoop
from ptoscope.isa.dtypes import BF16, F16, F32, I8, I32, I64, SI32, UI32, UI64, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.tiles import Axis, ColumnParameters, TileLayout, TileMove, TileProduct
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import constant
from tests.machine import test_products, test_tiles
from tests.machine.test_products import product_of, result_form
from tests.machine.tiles import A5, FORMS, SITE, Machine
from tests.native.tiles import NativeMachine

SPACES = ("gm", "ub", "l1", "l0a", "l0b", "l0c", "bt", "fb")


def _demands(module: ModuleType) -> Iterator[Any]:
    """The tests of a module, with the values of their parameters."""
    for name, test in vars(module).items():
        marks = getattr(test, "pytestmark", [])
        tables = [mark.args for mark in marks if mark.name == "parametrize"]
        if name.startswith("test_") and not tables:
            yield pytest.param(module, test, (), id=name)
        elif name.startswith("test_"):
            ((names, rows),) = tables
            for row in rows:
                values = row if isinstance(names, tuple) else (row,)
                yield pytest.param(module, test, values, id=f"{name}-{row}")


@pytest.mark.parametrize(
    ("module", "test", "values"), [*_demands(test_tiles), *_demands(test_products)]
)
def test_what_the_reference_engine_has_to_do(
    module: ModuleType, test: Callable[..., None], values: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Machine", NativeMachine)
    test(*values)


def both(act: Callable[[Machine], None], prepare: Any = None, **how: Any) -> tuple[str, int]:
    """Does something on either engine: memories and faults are the same. The fault, if there is
    one, and how often generated code asked the engine."""
    machines = Machine(**how), NativeMachine(**how)
    said: list[str] = []
    for machine in machines:
        if prepare is not None:
            prepare(machine)
        try:
            act(machine)
        except Fault as fault:
            said.append(f"{fault.code} {fault.message} {fault.found} {fault.expected}")
        else:
            said.append("")
    assert said[0] == said[1]
    for space in SPACES:
        one, other = (machine.region(space).data for machine in machines)
        assert (one == other).all(), space
    native = machines[1]
    assert isinstance(native, NativeMachine)
    return said[0], native.asked


CONVERSIONS: dict[str, tuple[DType, DType, Any, tuple[DType, ...]]] = {
    "none": (F32, F32, None, ()),
    "half": (F32, F16, lambda x, _: x.cast(F16), ()),
    "bfloat": (F32, BF16, lambda x, _: x.cast(BF16), ()),
    "single": (F16, F32, lambda x, _: x.cast(F32), ()),
    "scaled": (F32, F32, lambda x, given: x * given[0], (F32,)),
    "wide": (I32, F32, lambda x, given: x.cast(F32) * given[0].cast(UI32).bits(F32), (UI64,)),
    "both": (F32, F32, lambda x, given: x * given[0] + given[1], (F32, F32)),
}


@st.composite
def layouts(draw: Any, dtype: DType, rows: int, columns: int) -> TileLayout[int]:
    """One of the documents, or any."""
    if draw(st.integers(0, 3)):
        name = draw(st.sampled_from(sorted(FORMS)))
        return FORMS[name](dtype, rows, columns, draw(st.integers(0, 2))).layout
    steps = st.sampled_from([0, 1, 2, 4, 8, 30, 32, 64, 100, 256, 1000, 4096, -32])
    widths = st.sampled_from([1, 2, 3, 8, 16, 24])
    return TileLayout(*(Axis(draw(widths), draw(steps), draw(steps)) for _ in range(2)))


@st.composite
def moves(draw: Any) -> tuple[TileMove[int], int, int]:
    source, target, convert, tables = CONVERSIONS[draw(st.sampled_from(sorted(CONVERSIONS)))]
    if convert is None:
        source = target = draw(st.sampled_from([I8, F16, F32, I64]))
    rows, columns = draw(st.integers(0, 50)), draw(st.integers(1, 70))
    filled = columns + draw(st.integers(-1, 9)) if draw(st.booleans()) else None
    ends = draw(st.sampled_from([("l1", "ub"), ("gm", "l1"), ("l0c", "gm"), ("l0c", "ub")]))
    loop = None
    if draw(st.booleans()):
        steps = st.sampled_from([0, 32, 512, 4096, 1 << 41])
        loop = BurstLoop(draw(st.integers(0, 3)), draw(steps), draw(steps))
    move = TileMove(
        ends[0], ends[1], source, target, rows, columns,
        draw(layouts(source, rows, columns)), draw(layouts(target, rows, filled or columns)),
        loop, filled, convert,
        tuple(ColumnParameters("fb", 32 * i, d, d.bytes * (1 + i)) for i, d in enumerate(tables)),
        core=draw(st.sampled_from([None, 0, 1])) if ends[1] == "ub" else None,
        alignment=draw(st.sampled_from([(1, 1), (4, 32)])),
    )  # fmt: skip
    if ends[1] == "gm" and target is F32 and draw(st.booleans()):
        move = replace(move, atomic=draw(st.sampled_from([0, atomics.mode_of(F32, "add")])))
    last = (512 << 10) - 64
    at = st.sampled_from([0, 32, 36, 4096, last])
    return move, draw(at), draw(at)


@settings(deadline=None, max_examples=250)
@given(moves())
def test_random_moves(case: Any) -> None:
    move, src, dst = case
    both(lambda machine: machine.move(src, dst, move), gm_bytes=1 << 19)


@pytest.mark.parametrize("dtype", [I8, F16, F32], ids=str)
@pytest.mark.parametrize("source", sorted(FORMS))
@pytest.mark.parametrize("target", sorted(FORMS))
def test_moves_of_every_pair_of_layouts_are_generated_code(
    dtype: DType, source: str, target: str
) -> None:
    rows, columns = 67, 83
    one, other = (FORMS[name](dtype, rows, columns + 5).layout for name in (source, target))
    move = TileMove("gm", "l1", dtype, dtype, rows, columns, one, other, filled=columns + 5)
    said = both(lambda machine: machine.move(64, 96, move), gm_bytes=1 << 17)
    assert said == ("", 0)


@pytest.mark.parametrize("name", sorted(CONVERSIONS))
def test_conversions_are_generated_code(name: str) -> None:
    source, target, convert, tables = CONVERSIONS[name]
    forms = result_form(37, 43).layout, FORMS["plain"](target, 37, 43, 2).layout
    move = TileMove(
        "l0c", "gm", source, target, 37, 43, *forms, convert=convert,
        parameters=tuple(ColumnParameters("fb", 64, d, 8) for d in tables),
        scalars=(constant(F32, 1, 3.5),) * (convert is not None),
    )  # fmt: skip
    if source is F16:
        move = replace(move, source_layout=FORMS["nz"](F16, 37, 43).layout)
    assert both(lambda machine: machine.move(0, 4, move), gm_bytes=1 << 16) == ("", 0)


def saturated(x: Lanes) -> Lanes:
    return x.isnan().select(x.const(0.0), x * 0.5)


VALUES = [0.0, -0.0, 1.0, -1.5, 3e38, -3e38, 1e-38, 1e-45, float("inf"), float("nan"), 65504.0]


def _fill(machine: Machine, dtype: DType, seed: int, odd: bool) -> None:
    """Numbers of usual sizes in the operands and the result, and `odd` ones among them."""
    noise = np.random.default_rng(seed)
    for space in ("l0a", "l0b", "l0c", "bt"):
        kind = dtype if space in ("l0a", "l0b") else (I32 if dtype.is_int else F32)
        if kind.is_int:
            continue
        data = machine.region(space).data.view({F16: np.float16, F32: np.float32}[kind])
        data[:] = noise.standard_normal(data.size)
        if odd:
            some = noise.integers(0, data.size, data.size // 64)
            with np.errstate(over="ignore"):
                data[some] = np.array(VALUES)[noise.integers(0, len(VALUES), some.size)]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_random_products(data: Any) -> None:
    draw = data.draw
    dtype = draw(st.sampled_from([F16, F32, I8]))
    start = draw(st.sampled_from(["zero", "result", "bias"]))
    m, n = draw(st.integers(0, 70)), draw(st.integers(1, 90))
    k = draw(st.one_of(st.integers(1, 40), st.integers(250, 300)))
    names = [draw(st.sampled_from(["nz", "nz", "plain", "zz", "columns"])) for _ in range(2)]
    forms = [FORMS[name](dtype, size, k) for name, size in zip(names, (m, n), strict=True)]
    product: TileProduct[int] = product_of(dtype, m, n, k, forms, start)
    if draw(st.booleans()) and not dtype.is_int:
        product = replace(product, result_value=saturated)
    left, right = (draw(st.sampled_from([0, 0, 512, 16, 65536 - 32])) for _ in range(2))
    to = draw(st.sampled_from([0, 1024, 262144 - 64]))
    seed, odd = draw(st.integers(0, 99)), draw(st.booleans())
    both(
        lambda machine: machine.multiply(left, right, to, product),
        lambda machine: _fill(machine, dtype, seed, odd),
    )


@pytest.mark.parametrize("dtype", [I8, F16, F32], ids=str)
@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 64), (1, 37, 300), (50, 1, 7), (33, 70, 90)])
@pytest.mark.parametrize("start", ["zero", "result", "bias"])
def test_products_are_generated_code(dtype: DType, m: int, n: int, k: int, start: str) -> None:
    forms = [FORMS["nz"](dtype, rows, k) for rows in (m, n)]
    product = product_of(dtype, m, n, k, forms, start)
    said = both(
        lambda machine: machine.multiply(0, 0, 0, product),
        lambda machine: _fill(machine, dtype, 1, True),
    )
    assert said == ("", 0)


def test_exact_sums_are_those_of_the_reference_engine() -> None:
    forms = [FORMS["nz"](F32, 20, 30)] * 2
    site = replace(SITE, target=replace(A5, accumulate="exact"))
    product = product_of(F32, 20, 20, 30, forms, "result")
    said = both(
        lambda machine: machine.multiply(0, 0, 0, product),
        lambda machine: _fill(machine, F32, 2, True),
        site=site,
    )
    assert said == ("", 1)


def test_updates_are_those_of_the_reference_engine() -> None:
    forms = result_form(20, 20).layout, FORMS["plain"](F32, 20, 20).layout
    mode = atomics.mode_of(SI32, "add")
    move = TileMove("l0c", "gm", I32, I32, 20, 20, *forms, atomic=mode)
    assert both(lambda machine: machine.move(0, 0, move)) == ("", 1)
