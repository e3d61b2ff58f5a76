"""Products of tiles: factors from where the documents put them, sums in the order of k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope.isa.dtypes import F16, F32, I8, I32, UI32, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.tiles import TileProduct
from ptoscope.machine.faults import Fault
from tests.isa.elements import Element
from tests.machine.test_sums import at_once, sequential
from tests.machine.tiles import A5, FORMS, SITE, Form, Machine, nz_form

KINDS: dict[DType, Any] = {F16: np.float16, F32: np.float32, I8: np.int8}
STARTS = ("zero", "result", "bias")
SINGLE = Element("f32")


def result_form(rows: int, columns: int) -> Form:
    """L0C: blocks of 16 columns whatever the type, of f32 or i32."""
    tall = -(-rows // 16) * 16
    form = nz_form(F16, rows, columns)
    block = form.layout.columns._replace(block=tall * 64, step=4)
    layout = form.layout._replace(rows=form.layout.rows._replace(block=64, step=64), columns=block)
    return Form(layout, lambda r, c: ((c // 16 * tall + r) * 16 + c % 16) * 4, 0)


def product_of(
    dtype: DType, m: int, n: int, k: int, forms: Sequence[Form], start: str, **more: Any
) -> TileProduct[int]:
    """The product of two tiles of a type, whose values are the elements themselves."""
    wide = I32 if dtype.is_int else F32

    def value(lanes: Lanes, *_: Lanes) -> Lanes:
        return lanes.cast(wide)

    return TileProduct(
        m, n, k, dtype, dtype, wide, forms[0].layout, forms[1].layout,
        result_form(m, n).layout, start, value, value, bias=64 if start == "bias" else None, **more,
    )  # fmt: skip


def put(data: Any, at: int, form: Form, matrix: Any) -> None:
    """Writes a matrix element by element."""
    for (r, c), value in np.ndenumerate(matrix):
        raw = np.array([value]).view(np.uint8)
        data[at + form.place(r, c) :][: len(raw)] = raw


def words(matrix: Any) -> Any:
    return np.ascontiguousarray(matrix).view(np.uint32).tolist()


def expected(left: Any, right: Any, starts: Any, exact: bool = False) -> Any:
    """Each element by itself: rows by columns, as raw bits."""
    if left.dtype.kind == "i":
        total = starts + left.astype(object) @ right.T.astype(object)
        return [[int(x) % (1 << 32) for x in row] for row in total]
    bits = [words(side.astype(np.float32)) for side in (left, right)]
    sums = at_once if exact else sequential
    return [
        [sums(first, list(zip(a, b, strict=True))) for first, b in zip(row, bits[1], strict=True)]
        for row, a in zip(words(starts), bits[0], strict=True)
    ]


def filled(dtype: DType, rows: int, columns: int, noise: Any) -> Any:
    if dtype.is_int:
        return noise.integers(-128, 128, (rows, columns), np.int8)
    return noise.standard_normal((rows, columns)).astype(KINDS[dtype])


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_layouts_types_and_starts(data: Any) -> None:
    dtype, start = data.draw(st.sampled_from([F16, F32, I8])), data.draw(st.sampled_from(STARTS))
    m, n, k = (data.draw(st.integers(1, 20)) for _ in range(3))
    exact = data.draw(st.booleans())
    forms = tuple(
        FORMS[data.draw(st.sampled_from(sorted(FORMS)))](dtype, rows, k) for rows in (m, n)
    )
    noise = np.random.default_rng(data.draw(st.integers(0, 99)))
    site = replace(SITE, target=replace(A5, accumulate="exact")) if exact else SITE
    machine = Machine(site=site)
    left, right = (filled(dtype, rows, k, noise) for rows in (m, n))
    put(machine.region("l0a").data, 512, forms[0], left)
    put(machine.region("l0b").data, 1024, forms[1], right)
    wide = np.int32 if dtype.is_int else np.float32
    old = (noise.standard_normal((m, n)) * 100).astype(wide)
    bias = (noise.standard_normal(n) * 100).astype(wide)
    form = result_form(m, n)
    put(machine.region("l0c").data, 2048, form, old)
    machine.region("bt").data[64 : 64 + 4 * n] = bias.view(np.uint8)
    starts = {"zero": np.zeros((m, n), wide), "result": old, "bias": np.tile(bias, (m, 1))}[start]
    wanted = machine.region("l0c").data.copy()
    put(wanted, 2048, form, np.array(expected(left, right, starts, exact), np.uint32))
    machine.multiply(512, 1024, 2048, product_of(dtype, m, n, k, forms, start))
    assert machine.region("l0c").data.tolist() == wanted.tolist()


def test_scales_of_blocks() -> None:
    """One byte for 32 elements along k, rows in order: 2 to the byte less 127."""
    m, n, k = 2, 3, 70
    noise = np.random.default_rng(3)
    forms = nz_form(F16, m, k), nz_form(F16, n, k)
    machine = Machine()
    left, right = (filled(F16, rows, k, noise) for rows in (m, n))
    put(machine.region("l0a").data, 0, forms[0], left)
    put(machine.region("l0b").data, 0, forms[1], right)
    scales = [noise.integers(120, 135, (rows, 3)).astype(np.uint8) for rows in (m, n)]
    machine.region("l0a_scale").data[16 : 16 + 3 * m] = scales[0].reshape(-1)
    machine.region("l0b_scale").data[32 : 32 + 3 * n] = scales[1].reshape(-1)

    def scaled(lanes: Lanes, scale: Lanes) -> Lanes:
        return lanes.cast(F32) * (scale.cast(UI32) << 23).bits(F32)

    product = product_of(
        F16, m, n, k, forms, "zero", left_scales=16, right_scales=32
    )  # fmt: skip
    machine.multiply(0, 0, 0, replace(product, left_value=scaled, right_value=scaled))
    left, right = (
        side * np.repeat(2.0 ** (scale.astype(int) - 127), 32, axis=1)[:, :k]
        for side, scale in zip((left, right), scales, strict=True)
    )
    wanted = expected(left, right, np.zeros((m, n), np.float32))
    form = result_form(m, n)
    data = machine.region("l0c").data
    for r, row in enumerate(wanted):
        for c, bits in enumerate(row):
            assert data[form.place(r, c) :][:4].view(np.uint32) == bits


def test_what_is_done_to_sums() -> None:
    machine = Machine()
    forms = nz_form(F32, 1, 1), nz_form(F32, 1, 1)
    for space in ("l0a", "l0b"):
        put(machine.region(space).data, 0, forms[0], np.array([[3.0]], np.float32))
    product = product_of(F32, 1, 1, 1, forms, "zero", result_value=lambda sums: -sums)
    machine.multiply(0, 0, 0, product)
    assert machine.region("l0c").data[:4].view(np.float32) == -9


def faults(machine: Machine, left: int, right: int, result: int, product: Any) -> Fault:
    """The fault of a product, which writes nothing."""
    before = machine.region("l0c").data.copy()
    with pytest.raises(Fault) as raised:
        machine.multiply(left, right, result, product)
    assert (machine.region("l0c").data == before).all()
    return raised.value


def small(**more: Any) -> TileProduct[int]:
    forms = nz_form(F16, 16, 16), nz_form(F16, 16, 16)
    return product_of(F16, 16, 16, 16, forms, more.pop("start", "zero"), **more)


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ((65536 - 256, 0, 0), "reads 32 bytes at L0A address 65536, outside L0A"),
        ((0, 65536 - 256, 0), "reads 32 bytes at L0B address 65536, outside L0B"),
        ((0, 0, 262144 - 512), "writes 64 bytes at L0C address 262144, outside L0C"),
    ],
)
def test_tiles_outside_of_their_memory(at: tuple[int, int, int], said: str) -> None:
    """The first row of a block that is outside."""
    assert faults(Machine(), *at, small()).message == said


def test_tables_outside_of_their_memory() -> None:
    product = replace(small(start="bias"), bias=4096 - 63)
    assert faults(Machine(), 0, 0, 0, product).code == "PTO0901"
    product = replace(small(), left_scales=4096 - 15)
    assert "L0A scales address 4081" in faults(Machine(), 0, 0, 0, product).message
    product = replace(small(), right_scales=4096 - 15)
    assert "L0B scales address 4081" in faults(Machine(), 0, 0, 0, product).message


def test_misaligned_tiles() -> None:
    for at in ((16, 0, 0), (0, 16, 0), (0, 0, 16)):
        said = faults(Machine(), *at, small())
        assert (said.code, said.expected) == ("PTO0903", "a multiple of 32")
