"""vbr and vdup: scalars, and the lowest and highest lane of a vector."""

from __future__ import annotations

import pytest

from tests.isa.elements import INTS, Element
from tests.isa.harness import Case, mask_type, same, vreg, zeroed
from tests.isa.legality import cases
from tests.isa.values import edges, masks, scattered, singles, writable


def _scalars(dtype: str) -> tuple[str, ...]:
    """The element type, and the signless integer that serves signed and unsigned ones."""
    return (dtype, dtype.lstrip("su")) if dtype in INTS and dtype[0] != "i" else (dtype,)


@pytest.mark.parametrize(("name", "dtype", "target", "revision"), cases(("vbr",)))
def test_vbr(name: str, dtype: str, target: str, revision: str) -> None:
    e = Element(dtype)
    values = [*edges(e), *scattered(e, 8, 1)]
    for scalar in _scalars(dtype):
        body = f"%r0 = pto.vbr %s : {scalar} -> {vreg(e)}"
        case = Case(body, (), (dtype,), scalar, dtype, target, revision)
        (found,) = case.run((), [[1] * (2048 // e.granularity)] * len(values), values)
        same(found, [[v] * e.lanes for v in values], f"vbr {dtype} from {scalar}")


@pytest.mark.parametrize(("name", "dtype", "target", "revision"), cases(("vdup",)))
def test_vdup_of_a_scalar(name: str, dtype: str, target: str, revision: str) -> None:
    e = Element(dtype)
    values = [*edges(e), *scattered(e, 8, 1)]
    full = [[v] * e.lanes for v in values]
    for scalar in _scalars(dtype):
        body = f"%r0 = pto.vdup %s, %mask : {scalar}, {mask_type(e)} -> {vreg(e)}"
        case = Case(body, (), (dtype,), scalar, dtype, target, revision)
        for mask in writable(e.bits, masks(e.lanes, len(values))):
            (found,) = case.run((), mask, values)
            same(found, zeroed(e, full, mask), f"vdup {dtype} from {scalar}")


@pytest.mark.parametrize("position", ["", "LOWEST", "HIGHEST"])
@pytest.mark.parametrize(("name", "dtype", "target", "revision"), cases(("vdup",)))
def test_vdup_of_a_lane(name: str, dtype: str, target: str, revision: str, position: str) -> None:
    """The lowest lane where no position is written."""
    e = Element(dtype)
    v, m = vreg(e), mask_type(e)
    attribute = f' {{position = "{position}"}}' if position else ""
    body = f"%r0 = pto.vdup %v0, %mask{attribute} : {v}, {m} -> {v}"
    case = Case(body, (dtype,), (dtype,), target=target, revision=revision)
    source = singles(e, 4)
    lane = e.lanes - 1 if position == "HIGHEST" else 0
    full = [[row[lane]] * e.lanes for row in source]
    for mask in writable(e.bits, masks(e.lanes, len(source))):
        (found,) = case.run((source,), mask)
        same(found, zeroed(e, full, mask), f"vdup {dtype} {position}")
