"""Binary, vector-scalar and unary instructions, bit for bit against the documents' loops."""

from __future__ import annotations

import pytest

from tests.isa import loops
from tests.isa.elements import INTS, Element
from tests.isa.harness import Case, mask_type, same, vreg, zeroed
from tests.isa.legality import cases
from tests.isa.values import edges, masks, pairs, scattered, singles, writable


def _mask_lanes(e: Element) -> int:
    return 2048 // e.granularity


@pytest.mark.parametrize(("name", "dtype", "target", "revision"), cases(loops.BINARY))
def test_binary(name: str, dtype: str, target: str, revision: str) -> None:
    e = Element(dtype)
    v, m = vreg(e), mask_type(e)
    case = Case(
        f"%r0 = pto.{name} %v0, %v1, %mask : {v}, {v}, {m} -> {v}",
        (dtype, dtype),
        (dtype,),
        target=target,
        revision=revision,
    )
    left, right = pairs(e)
    lane = loops.LOOPS[name]
    full = [
        [lane(e, a, b) for a, b in zip(x, y, strict=True)] for x, y in zip(left, right, strict=True)
    ]
    for mask in writable(e.granularity, masks(_mask_lanes(e), len(left))):
        expected = zeroed(e, full, mask)
        (found,) = case.run((left, right), mask)
        same(found, expected, f"{name} {dtype} {revision}", left, right)


def _scalar_types() -> list[tuple[str, str, str, str, str]]:
    """The scalar has the element type; for signed and unsigned vectors a signless one serves
    too, and a shift amount may be i16."""
    out: list[tuple[str, str, str, str, str]] = []
    for name, dtype, target, revision in cases(loops.SCALAR):
        out.append((name, dtype, dtype, target, revision))
        if dtype in INTS and dtype[0] != "i":
            out.append((name, dtype, dtype.lstrip("su"), target, revision))
        if name in ("vshls", "vshrs") and Element(dtype).bits != 16:
            out.append((name, dtype, "i16", target, revision))
    return out


@pytest.mark.parametrize(("name", "dtype", "scalar", "target", "revision"), _scalar_types())
def test_vector_scalar(name: str, dtype: str, scalar: str, target: str, revision: str) -> None:
    e, s = Element(dtype), Element(scalar)
    v, m = vreg(e), mask_type(e)
    case = Case(
        f"%r0 = pto.{name} %v0, %s, %mask : {v}, {scalar}, {m} -> {v}",
        (dtype,),
        (dtype,),
        scalar=scalar,
        target=target,
        revision=revision,
    )
    scalars = [*edges(s), *scattered(s, 4, 7)]
    if s.bits > e.bits:
        scalars += [256, 257, 0x7F00]
    left = singles(e, len(scalars))
    lane = loops.LOOPS[name]
    full = [[lane(e, a, b) for a in row] for row, b in zip(left, scalars, strict=True)]
    for mask in writable(e.granularity, masks(_mask_lanes(e), len(left))):
        expected = zeroed(e, full, mask)
        (found,) = case.run((left,), mask, scalars)
        spread = [[b] * e.lanes for b in scalars]
        same(found, expected, f"{name} {dtype} {scalar} {revision}", left, spread)


@pytest.mark.parametrize(("name", "dtype", "target", "revision"), cases(tuple(loops.UNARY)))
def test_unary(name: str, dtype: str, target: str, revision: str) -> None:
    e = Element(dtype)
    v, m = vreg(e), mask_type(e)
    case = Case(
        f"%r0 = pto.{name} %v0, %mask : {v}, {m} -> {v}",
        (dtype,),
        (dtype,),
        target=target,
        revision=revision,
    )
    source = singles(e, 6)
    full = [[loops.UNARY[name](e, a) for a in row] for row in source]
    for mask in writable(e.granularity, masks(_mask_lanes(e), len(source))):
        expected = zeroed(e, full, mask)
        (found,) = case.run((source,), mask)
        same(found, expected, f"{name} {dtype} {revision}", source)
