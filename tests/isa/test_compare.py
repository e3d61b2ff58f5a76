"""vcmp, vcmps, vsel, vselr and vselrv2 against their loops."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import PtoError
from tests.isa.elements import INTS, INTS64, Element
from tests.isa.harness import same
from tests.isa.legality_more import cases, legal
from tests.isa.registers import Code, gates, image, lanes_of, mask_kind, noise, written
from tests.isa.values import Rows, edges, pairs, scattered, singles

MODES: dict[str, Callable[[float, float], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def _holds(mode: str, e: Element, a: int, b: int) -> int:
    """As C compares: on NaN only `ne` holds; zeros of both signs are equal; signless integers
    are signed."""
    number = e.value if e.is_float else e.number
    return int(MODES[mode](number(a), number(b)))


def _compared(mode: str, e: Element, x: list[int], y: list[int], seed: list[int]) -> list[int]:
    lanes = lanes_of(seed, e.lanes)
    held = [_holds(mode, e, a, b) if on else 0 for a, b, on in zip(x, y, lanes, strict=True)]
    return image(held)


def _pairs(e: Element, rows: int) -> tuple[Rows, Rows]:
    """Edges against edges, with many equal pairs."""
    left, right = pairs(e, 128)
    rng = random.Random(e.name)
    mixed = [
        [a if rng.random() < 0.3 else b for a, b in zip(x, y, strict=True)]
        for x, y in zip(left, right, strict=True)
    ]
    return left[:rows], mixed[:rows]


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vcmp"))
def test_vcmp(name: str, dtype: str, revision: str) -> None:
    """All six modes of one pair of operands, under every sort of seed."""
    e = Element(dtype)
    v, m = written(dtype), written(mask_kind(e))
    kind = mask_kind(e)
    # Three modes at a time: UB holds eight areas.
    for first in (0, 3):
        modes = list(MODES)[first : first + 3]
        body = "\n".join(
            f'%o{i} = pto.{name} %i0, %i1, %i2, "{mode}" : {v}, {v}, {m} -> {m}'
            for i, mode in enumerate(modes)
        )
        code = Code(body, (dtype, dtype, kind), (kind,) * 3, revision=revision)
        left, right = _pairs(e, 16)
        for seed in gates(e, len(left)):
            found = code.run(left, right, seed)
            for mode, rows in zip(modes, found, strict=True):
                triples = zip(left, right, seed, strict=True)
                assert rows == [_compared(mode, e, *row) for row in triples], mode


def _scalars(dtype: str) -> list[str]:
    """The element type; a signless one serves signed and unsigned vectors too."""
    signless = dtype in INTS + INTS64 and dtype[0] != "i"
    return [dtype, dtype.lstrip("su")] if signless else [dtype]


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vcmps"))
def test_vcmps(name: str, dtype: str, revision: str) -> None:
    e = Element(dtype)
    v, m, kind = written(dtype), written(mask_kind(e)), mask_kind(e)
    values = [*edges(e), *scattered(e, 2, 1)]
    source = singles(e, len(values))
    # The scalar itself stands in its row, so that equality is met.
    source = [[b, *row[1:]] for row, b in zip(source, values, strict=True)]
    seeds = [gates(e, len(values))[i] for i in (0, 4)]
    for scalar in _scalars(dtype):
        for mode in MODES:
            body = f'%o0 = pto.{name} %i0, %s0, %i1, "{mode}" : {v}, {scalar}, {m} -> {m}'
            code = Code(body, (dtype, kind), (kind,), (scalar,), revision=revision)
            for seed in seeds:
                (found,) = code.run(source, seed, scalars=(values,))
                rows = zip(source, values, seed, strict=True)
                expected = [_compared(mode, e, x, [b] * e.lanes, s) for x, b, s in rows]
                assert found == expected, (mode, scalar)


def test_signed_and_unsigned_differ() -> None:
    """All ones is the largest unsigned number and -1."""
    for dtype, less in (("ui16", 0), ("si16", 1), ("i16", 1)):
        v = written(dtype)
        body = f'%o0 = pto.vcmp %i0, %i1, %i2, "lt" : {v}, {v}, !pto.mask<b16> -> !pto.mask<b16>'
        code = Code(body, (dtype, dtype, "b16"), ("b16",))
        assert code.run([[0xFFFF] * 128], [[1] * 128], [[1] * 256]) == [[image([less] * 128)]]


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_modes_complement_each_other(data: st.DataObject) -> None:
    """Without NaN exactly one of lt, eq, gt holds; with one, none."""
    e = Element("f32")
    v, m = written("f32"), written("b32")
    body = "\n".join(
        f'%o{i} = pto.vcmp %i0, %i1, %i2, "{mode}" : {v}, {v}, {m} -> {m}'
        for i, mode in enumerate(("lt", "eq", "gt"))
    )
    lane = st.one_of(st.sampled_from(edges(e)), st.integers(0, e.full))
    row = st.lists(lane, min_size=64, max_size=64)
    x, y = data.draw(row), data.draw(row)
    found = Code(body, ("f32", "f32", "b32"), ("b32",) * 3).run([x], [y], [[1] * 256])
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        ordered = not (e.is_nan(a) or e.is_nan(b))
        assert sum(f[0][4 * i] for f in found) == ordered


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vsel"))
def test_vsel(name: str, dtype: str, revision: str) -> None:
    """Bits move unchanged, those of NaN too."""
    e = Element(dtype)
    v, kind = written(dtype), mask_kind(e)
    body = f"%o0 = pto.{name} %i0, %i1, %i2 : {v}, {v}, {written(kind)} -> {v}"
    code = Code(body, (dtype, dtype, kind), (dtype,), revision=revision)
    yes, no = singles(e, 6), singles(e, 12)[6:]
    for mask in gates(e, 6):
        expected = [
            [a if on else b for a, b, on in zip(x, y, lanes_of(m, e.lanes), strict=True)]
            for x, y, m in zip(yes, no, mask, strict=True)
        ]
        (found,) = code.run(yes, no, mask)
        same(found, expected, f"vsel {dtype}", yes, no)


def _indices(e: Element, rows: int) -> Rows:
    """In range, reversed, and any bits: those of N and more count modulo N."""
    rng = random.Random(3)
    out = [list(range(e.lanes)), list(range(e.lanes))[::-1], [e.lanes - 1] * e.lanes]
    out += [[rng.randrange(e.lanes) for _ in range(e.lanes)] for _ in range(rows)]
    return out + [[rng.getrandbits(e.bits) for _ in range(e.lanes)] for _ in range(rows)]


def _index_types(dtype: str) -> list[str]:
    bits = Element(dtype).bits
    return [f"{prefix}{bits}" for prefix in ("i", "si", "ui")]


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vselr", "vperm"))
def test_by_index(name: str, dtype: str, revision: str) -> None:
    """result[i] = src[index[i] mod N]; the index has the width of the element."""
    e = Element(dtype)
    v = written(dtype)
    index = _indices(e, 3)
    source = singles(e, len(index))
    expected = [[x[i % e.lanes] for i in row] for x, row in zip(source, index, strict=True)]
    for kind in _index_types(dtype):
        body = f"%o0 = pto.{name} %i0, %i1 : {v}, {written(kind)} -> {v}"
        (found,) = Code(body, (dtype, kind), (dtype,), revision=revision).run(source, index)
        same(found, expected, f"{name} {dtype} {kind}")


@pytest.mark.parametrize(("name", "dtype", "revision"), cases("vselrv2"))
def test_vselrv2(name: str, dtype: str, revision: str) -> None:
    """The bits of the second operand are the lane numbers."""
    e = Element(dtype)
    v = written(dtype)
    body = f"%o0 = pto.{name} %i0, %i1 : {v}, {v} -> {v}"
    index = _indices(e, 3)
    source = singles(e, len(index))
    expected = [[x[i % e.lanes] for i in row] for x, row in zip(source, index, strict=True)]
    (found,) = Code(body, (dtype, dtype), (dtype,), revision=revision).run(source, index)
    same(found, expected, f"vselrv2 {dtype}")


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("name", ["vselr", "vselrv2"])
def test_selection_by_index_is_of_a5(name: str, target: str) -> None:
    v = written("i32")
    body = f"%o0 = pto.{name} %i0, %i1 : {v}, {v} -> {v}"
    code = Code(body, ("i32", "i32"), ("i32",))
    ptoscope.load(code.text(), target="a5")
    with pytest.raises(PtoError) as error:
        ptoscope.load(code.text(), target=target)
    (said,) = error.value.diagnostics
    assert said.code == "PTO0201"
    assert f"pto.{name}" in said.message


@pytest.mark.parametrize("name", ["vcmp", "vsel"])
def test_a_mask_of_another_width_is_refused(name: str) -> None:
    tail = ', "lt"' if name == "vcmp" else ""
    v, m = written("f32"), written("b16")
    result = m if name == "vcmp" else v
    body = f"%o0 = pto.{name} %i0, %i1, %i2{tail} : {v}, {v}, {m} -> {result}"
    with pytest.raises(PtoError, match="b16"):
        ptoscope.load(Code(body, ("f32", "f32", "b16"), ("f32",)).text())


def test_the_maximum_by_compare_and_select() -> None:
    """Two instructions as a kernel uses them, on every element type that compares."""
    for dtype in legal("vcmp"):
        e = Element(dtype)
        v, m, kind = written(dtype), written(mask_kind(e)), mask_kind(e)
        body = f"""%more = pto.vcmp %i0, %i1, %i2, "gt" : {v}, {v}, {m} -> {m}
            %o0 = pto.vsel %i0, %i1, %more : {v}, {v}, {m} -> {v}"""
        left, right = _pairs(e, 4)
        seeds = noise(len(left), 1)
        (found,) = Code(body, (dtype, dtype, kind), (dtype,)).run(left, right, seeds)
        for x, y, seed, row in zip(left, right, seeds, found, strict=True):
            lanes = lanes_of(seed, e.lanes)
            wanted = [
                a if on and _holds("gt", e, a, b) else b
                for a, b, on in zip(x, y, lanes, strict=True)
            ]
            assert row == wanted
