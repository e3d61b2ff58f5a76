"""Binary, vector-scalar and unary instructions, bit for bit against the documents' loops."""

from __future__ import annotations

import pytest

from tests.isa import loops
from tests.isa.elements import INTS, Element
from tests.isa.harness import Case, Direct, mask_type, same, vreg, zeroed
from tests.isa.legality import cases
from tests.isa.values import edges, is_tail, masks, pairs, scattered, singles


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
    direct = Direct(
        name, (f"v:{dtype}",) * 2 + (f"m:{e.granularity}",), (f"v:{dtype}",), target, revision
    )
    left, right = pairs(e)
    lane = loops.two_operand(name, revision)
    full = [
        [lane(e, a, b) for a, b in zip(x, y, strict=True)] for x, y in zip(left, right, strict=True)
    ]
    for mask in masks(_mask_lanes(e), len(left)):
        expected = zeroed(e, full, mask)
        if e.granularity == 32 or all(map(is_tail, mask)):
            (found,) = case.run((left, right), mask)
        else:
            found = [direct(*row)[0] for row in zip(left, right, mask, strict=True)]
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
    types = (f"v:{dtype}", f"s:{scalar}", f"m:{e.granularity}")
    direct = Direct(name, types, (f"v:{dtype}",), target, revision)
    scalars = [*edges(s), *scattered(s, 4, 7)]
    if s.bits > e.bits:
        scalars += [256, 257, 0x7F00]
    left = singles(e, len(scalars))
    lane = loops.two_operand(name, revision)
    full = [[lane(e, a, b) for a in row] for row, b in zip(left, scalars, strict=True)]
    for mask in masks(_mask_lanes(e), len(left)):
        expected = zeroed(e, full, mask)
        if e.granularity == 32 or all(map(is_tail, mask)):
            (found,) = case.run((left,), mask, scalars)
        else:
            found = [direct(*row)[0] for row in zip(left, scalars, mask, strict=True)]
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
    direct = Direct(name, (f"v:{dtype}", f"m:{e.granularity}"), (f"v:{dtype}",), target, revision)
    source = singles(e, 6)
    full = [[loops.UNARY[name](e, a) for a in row] for row in source]
    for mask in masks(_mask_lanes(e), len(source)):
        expected = zeroed(e, full, mask)
        if e.granularity == 32 or all(map(is_tail, mask)):
            (found,) = case.run((source,), mask)
        else:
            found = [direct(*row)[0] for row in zip(source, mask, strict=True)]
        same(found, expected, f"{name} {dtype} {revision}", source)
